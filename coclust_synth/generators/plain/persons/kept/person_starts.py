"""The number of each person from which a column of theirs advances: see `advances`.

It is drawn with the person, as when somebody was born, and tells the column in each row
with what rows are in the order of: an age in two rows of a year is not another one.
"""

import numpy as np

from coclust_synth.generators.plain.persons.kept.person_levels import Level
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import Age, Fit
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.schema import Column

# What its name ends with.
_START = "\0start"


def start(name):
    """Name of the number of a person, beside those of a table."""
    return name + _START


def said_of_starts(told):
    """Of some relations, what tells columns from these numbers, in words."""
    kinds = {Fit: "number", Age: "date"}
    return tuple(
        str(own).replace(start(own.target), f"a {kinds[type(own)]} of each person")
        for own in told
        if isinstance(own, Fit | Age) and start(own.target) in own.parents
    )


def learn_start(advance):
    """The number of each person as it is drawn, of 20 persons at least.

    Parameters
    ----------
    advance : Advance

    Returns
    -------
    Level
    """
    ruler, missing = advance.ruler, np.isnan(advance.starts)
    values = np.where(missing, 0, advance.starts).astype(ruler.dtype)
    counts = count_values(values, missing)
    parts = learn_atoms(counts, None, ruler, bool(missing.any()))
    how = {"kind": "real", "dtype": "float64", "step": ruler.step}
    ends = parts.lows.min().item(), parts.highs.max().item()
    if ruler.unit is not None:
        how = {"kind": "datetime", "dtype": "datetime64[s]", "unit": ruler.unit}
        ends = tuple(np.array(ends, dtype="datetime64[D]").astype(str).tolist())
    column = Column(name=advance.rule.target, bounds=ends, **how)
    of_persons = parts.encode(values, missing), advance.starts
    return Level(column, parts, of_persons, of_persons)
