"""The number of each person from which a column of theirs advances: see `advances`.

It is drawn with the person, as when somebody was born, and tells the column in each row
with what rows are in the order of: an age in two rows of a year is not another one.
"""

import numpy as np

from coclust_synth.generators.plain.persons.kept.person_levels import Level
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.schema import Column

# What its name ends with.
_START = "\0start"


def start(name):
    """Name of the number of a person, beside those of a table."""
    return name + _START


def told_by_start(advance):
    """The rule that tells a column from the number of its person.

    Parameters
    ----------
    advance : Advance

    Returns
    -------
    Fit
    """
    parents = advance.base, start(advance.target)
    return Fit(advance.target, parents, (advance.rate, 1.0), 0.0)


def said_of_starts(told):
    """Of some relations, what tells columns from numbers of persons, in words."""
    return tuple(
        str(own).replace(start(own.target), "a number of each person")
        for own in told
        if isinstance(own, Fit) and start(own.target) in own.parents
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
    missing, with_missing = (
        np.isnan(advance.starts),
        bool(np.isnan(advance.starts).any()),
    )
    values = np.where(missing, 0.0, advance.starts)
    counts = count_values(values, missing)
    parts = learn_atoms(counts, None, advance.ruler, with_missing)
    column = Column(
        name=advance.target,
        kind="real",
        dtype="float64",
        step=advance.ruler.step,
        bounds=(float(parts.lows.min()), float(parts.highs.max())),
    )
    of_persons = parts.encode(values, missing), advance.starts
    return Level(column, parts, of_persons, of_persons)
