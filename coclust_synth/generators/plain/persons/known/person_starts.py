"""The number of each person from which a column of theirs advances: see `advances`.

It is told from the first row, as when somebody was born from their age at a visit, and
tells the column in all rows with what these are in the order of: ages of two visits
differ by the time between them. The column of the first row is drawn beside it, so that
as many begin with none as in the table.
"""

import numpy as np

from coclust_synth.generators.plain.persons.known.person_levels import Level
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import Age, Fit
from coclust_synth.tables.rows import count_values

# What its name ends with, and that of the column as it is drawn in the first row.
_START, _FIRST = "\0start", "\0first"


def start(name):
    """Name of the number of a person, beside those of a table."""
    return name + _START


def first(name):
    """Name of a column of the first row of a person, from which its start is told."""
    return name + _FIRST


def said_of_starts(told):
    """Of some relations, what tells columns from these numbers, in words."""
    kinds = {Fit: "number", Age: "date"}
    return tuple(
        str(own).replace(start(own.target), f"a {kinds[type(own)]} of each person")
        for own in told
        if isinstance(own, Fit | Age) and start(own.target) in own.parents
    )


def said_of_first_values(begins, constants):
    """What stays and is a number of the first row, in words.

    Parameters
    ----------
    begins : iterable of Fit
        What first rows begin with.
    constants : collection of str
        Names of what stays.

    Returns
    -------
    tuple of str
    """
    return tuple(
        f"{fit.parents[0]} = {fit.target} of the first row of a person"
        for fit in begins
        if fit.terms in [{name: 1.0} for name in constants] and not fit.constant
    )


def learn_start(advance):
    """The number of each person as it is drawn, of 20 persons at least.

    Who has none has one in the middle of them, that of no person.

    Parameters
    ----------
    advance : Advance

    Returns
    -------
    Level
    """
    ruler, missing = advance.ruler, np.isnan(advance.starts)
    values = np.nan_to_num(advance.starts).astype(ruler.dtype)
    parts = learn_atoms(count_values(values, missing), None, ruler)
    values[missing] = ruler.snap(parts.means[len(parts.means) // 2])
    how = {"kind": "real", "dtype": "float64", "step": ruler.step}
    ends = parts.lows.min().item(), parts.highs.max().item()
    if ruler.unit is not None:
        how = {"kind": "datetime", "dtype": "datetime64[s]", "unit": ruler.unit}
        ends = tuple(np.array(ends, dtype="datetime64[D]").astype(str).tolist())
    column = Column(name=advance.rule.target, bounds=ends, **how)
    of_persons = parts.encode(values, np.zeros_like(missing)), values.astype(np.float64)
    return Level(column, parts, of_persons, of_persons)
