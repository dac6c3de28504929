"""What stays with a person and is a number of the first row: a weight at the start."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit

# Of persons who have not the commonest number, this share begins with their own.
_MOST = 0.99


def find_first_values(table, told=()):
    """What first rows begin with, as it stays with the person.

    Of numbers that change in k persons, and that are not missing. They are equal in the
    first rows of all persons but .5 %, and of 99 % of those, k at least, who have not
    the commonest one.

    Parameters
    ----------
    table : PersonTable
    told : collection of str, default=()
        Columns that something else tells in first rows.

    Returns
    -------
    list of Fit
        ``weight = weight at the start``, at most one for each of both.
    """
    evidence, k, found = table.evidence, table.k, {}
    numbers = {n: x for n, x in evidence.numbers.items() if not np.isnan(x).any()}
    rows = table.rows[table.is_first]
    for stays in (name for name in table.constants if name in numbers):
        is_rarer = _are_rarer(numbers[stays][rows])
        for name in (n for n in table.changing if n in numbers):
            if name in found or name in told or name in table.starts:
                continue
            alike = numbers[name] == numbers[stays]
            if (
                evidence.are_alike(stays, name)
                and (~alike[rows]).sum() <= MAX_BROKEN * len(rows)
                and (alike[rows] & is_rarer).sum()
                >= max(table.k, _MOST * is_rarer.sum())
                and evidence.n_of(~alike) >= k
            ):
                found[name] = Fit(name, (stays,), (1.0,), 0.0)
                break
    return [*found.values()]


def _are_rarer(numbers):
    """Which numbers are not the commonest one."""
    values, rows = np.unique(numbers, return_counts=True)
    return numbers != values[rows.argmax()]
