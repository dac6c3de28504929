"""Keys of persons that follow each other, as orders and stays do: no two at a time."""

from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.generators.plain.persons.kept.last_rows import LAST
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable

# Of the keys that others of the person come before such a share, at most, begins before
# the last one has ended.
_MAX_OVERLAP = 0.05


def numbered_in_order(whole):
    """Rows of a table by person, whose keys are numbered as they come in these.

    In a table that stands in another order they were numbered as they stand.

    Parameters
    ----------
    whole : PersonTable
        With `nested`.

    Returns
    -------
    PersonTable
    """
    evidence, rows, numbers = whole.evidence, whole.rows, {}
    person = evidence.persons.codes
    for own in whole.nested:
        pairs = np.column_stack([person, evidence.numbers[own.column]])
        key = np.unique(pairs, axis=0, return_inverse=True)[1].ravel()
        in_order = own.numbered(pd.DataFrame({own.column: key[rows]}), person[rows])
        number = np.empty(len(rows), dtype=np.int64)
        number[rows] = in_order[own.column]
        if (number != evidence.numbers[own.column]).any():
            numbers[own.column] = number
    if not numbers:
        return whole
    grouped = whole.grouped
    return PersonTable.of(
        _with_numbers(evidence, numbers),
        whole.rules,
        whole.k,
        whole.nested,
        None if grouped is None else _with_numbers(grouped, numbers),
    )


def follow_each_other(of_key, whole):
    """Whether the next key of a person begins when the last one has ended, or after.

    Parameters
    ----------
    of_key, whole : PersonTable
        The rows by key, in the order of their numbers, and by person.

    Returns
    -------
    bool
    """
    if whole.ordered_by is None:
        place = np.empty(len(whole.rows))
        place[whole.rows] = np.arange(len(whole.rows))
    else:
        place = of_key.evidence.numbers[whole.ordered_by]
    own, starts = place[of_key.rows], np.flatnonzero(of_key.is_first)
    begins, ends = (of.reduceat(own, starts) for of in (np.fmin, np.fmax))
    owner = of_key.individual[of_key.rows[starts]]
    same = np.diff(owner) == 0
    overlaps = same & (begins[1:] < ends[:-1])
    return bool(overlaps.sum() <= _MAX_OVERLAP * same.sum())


def remembered_by_key(of_key, whole):
    """How many earlier rows of the person have each code, see `PersonTable.remembered`.

    Rows of a key are before those of the next one.

    Parameters
    ----------
    of_key, whole : PersonTable

    Returns
    -------
    dict of str to ndarray of int64, shape (n, codes)
    """
    is_first = np.diff(of_key.individual[of_key.rows], prepend=-1) > 0
    in_turn, found = replace(whole, rows=of_key.rows, is_first=is_first), {}
    for name, held in in_turn.remembered.items():
        found[name] = np.zeros((len(is_first), held.shape[1]), dtype=held.dtype)
        found[name][in_turn.rows_after] = held
    return found


def last_of_all(whole, some):
    """What only the last row of a person has, or not, as far as some rows tell it.

    What changes in a key may be missing in the first row of the last one.

    Parameters
    ----------
    whole, some : PersonTable

    Returns
    -------
    tuple of LastRows
    """
    found = []
    for own in whole.last_rows:
        if own.column in some.changing:
            allowed = own.allowed.copy()
            allowed[LAST] = True
            found.append(replace(own, allowed=allowed, never=()))
    return tuple(own for own in found if not own.allowed.all())


def but_of(last_rows, others):
    """What goes with last rows, but of the columns of which others say it."""
    columns = {own.column for own in others}
    return tuple(own for own in last_rows if own.column not in columns)


def _with_numbers(evidence, numbers):
    """A table with other numbers of keys."""
    names, codes = evidence.coding.names, evidence.codes.copy()
    for name, own in numbers.items():
        parts = evidence.coding.parts[names.index(name)]
        codes[:, names.index(name)] = parts.encode(own, np.zeros(len(own), dtype=bool))
    return replace(
        evidence,
        codes=codes,
        values=evidence.values | numbers,
        numbers=evidence.numbers
        | {name: own.astype(np.float64) for name, own in numbers.items()},
    )
