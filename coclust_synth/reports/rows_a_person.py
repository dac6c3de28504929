"""How many rows the persons of a release have, beside those of the table."""

import numpy as np

from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.tables.laws.laws import MIN_ROWS

# The mean is off by so much of that of the table, and by so many standard deviations of
# the mean of as many persons as were drawn.
_OFF, _DEVIATIONS = 0.1, 2.0


def persons_of(model, drawn):
    """What a manifest says of the persons whose rows were drawn.

    Both figures of the table that it compares are told beside it, in any manifest.

    Parameters
    ----------
    model : PlainModel
    drawn : DataFrame
        Rows of the model, under no conditions.

    Returns
    -------
    dict
        Empty where rows are nobody's. Else ``persons``, and where these have more or
        fewer rows than those of the table, and not by chance, ``rows_a_person`` says
        so.
    """
    structure = model.structure
    if not isinstance(structure, PersonStructure):
        return {}
    n_each = drawn[structure.ids.column.name].value_counts(sort=False).to_numpy()
    told, in_table = {"persons": len(n_each)}, model.n_rows / model.n_individuals
    whole = n_each[:-1]  # the last person has as many as are missing
    if len(whole) < MIN_ROWS:
        return told
    off = abs(whole.mean() - in_table)
    by_chance = _DEVIATIONS * whole.std() / np.sqrt(len(whole))
    if off > max(_OFF * in_table, by_chance):
        told["rows_a_person"] = (
            f"A person has {whole.mean():.2f} rows on average, and {in_table:.2f} in "
            f"the table: the rows are of {len(n_each):,} persons, and would be of "
            f"{len(drawn) / in_table:,.0f}."
        )
    return told
