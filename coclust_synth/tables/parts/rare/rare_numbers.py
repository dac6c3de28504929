"""Numbers and dates that few individuals hold, before they are cut into intervals.

A column of few different values reads as a list: there a value that fewer than
`MIN_ROWS` individuals hold is rare, and released as the nearest one that as many hold;
or, where as many hold rare values beyond all common ones, as the one nearest to their
mean. Of other columns the two ends are released: each is a value that `MIN_ROWS`
individuals share, or a round number that as many lie around, and what is beyond joins
it. Bounds that are declared by hand are ends as they stand.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import Ruler, make_ruler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.pools import Pooled
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.rows import ColumnCounts, count_values
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import bounds_of, canonical_bounds, to_values
from coclust_synth.tables.values.series import from_values

# Numeric columns of no more different values are read as a list.
MAX_LISTED = 20


def pool_numbers(
    table: TableValues,
    column: Column,
    rare: int,
    *,
    persons: Persons | None = None,
    rows: np.ndarray | None = None,
) -> tuple[pd.Series, Column, Pooled | None]:
    """Move the rare and the extreme values of a column to ones that can be released.

    Parameters
    ----------
    table : TableValues of n rows
    column : Column
        Complete; of kind integer, real or datetime.
    rare : int
        Individuals that a value of a list describes at least, if more than `MIN_ROWS`.
    persons : Persons, optional
        Of the rows; by default each row is an individual.
    rows : ndarray of shape (n,), int64, optional
        Individuals whom each row stands for, without `persons`; by default one.

    Returns
    -------
    series : Series
        Its values are within `bounds`.
    column : Column
        Its bounds are those declared by hand, or the released ends.
    pooled : Pooled or None
        Values of a list that are released as others.
    """
    values, missing = table.read(column)
    distinct, position = np.unique(values[~missing], return_inverse=True)
    if not len(distinct):
        return table.frame[column.name], column, None
    if persons is not None:
        persons = Persons(persons.column, persons.codes[~missing])
    of_present = None if rows is None else rows[~missing]
    holders = count_holders(position, len(distinct), persons, of_present)
    counts = ColumnCounts(distinct, holders)
    declared = canonical_bounds(column)
    # A schema that was written from the table has its two ends: nobody declared these.
    ends = distinct[[0, -1]]
    by_hand = declared is not None and declared != tuple(ends.tolist())
    common = holders >= max(rare, MIN_ROWS)
    largest = max(abs(ends[0].item()), abs(ends[1].item()))
    ruler = make_ruler(column.kind, column.step, largest, column.unit)
    pooled = None
    if len(distinct) <= MAX_LISTED and common.any():
        listed = _listed(counts, max(rare, MIN_ROWS), ruler)
        values = values.copy()
        values[~missing] = listed[position]
        ends = listed[[0, -1]]
        if not common.all():
            few = (~common)[position]
            of_rows = few.sum() if of_present is None else of_present[few].sum()
            pooled = Pooled(column.name, int((~common).sum()), int(of_rows))
    elif not by_hand:
        lowest, highest = counts, counts
        if persons is not None:
            lowest, highest = extremes(values[~missing], persons)
        ends = released_ends(lowest, highest, ruler)
        values = np.where(missing, values, np.clip(values, *ends))
    released = from_values(values, missing, column)
    if not by_hand:
        column = _within(ends, column)
    return released, column, pooled


def extremes(values: np.ndarray, persons: Persons) -> list[ColumnCounts]:
    """The lowest value of each person, and the highest one.

    Parameters
    ----------
    values : ndarray of shape (n,)
    persons : Persons
        Of the n rows.

    Returns
    -------
    list of two ColumnCounts
    """
    order = np.lexsort((values, persons.codes))
    first = np.unique(persons.codes[order], return_index=True)[1]
    last = np.append(first[1:], len(order)) - 1
    return [
        count_values(values[order[at]], np.zeros(len(at), dtype=bool))
        for at in (first, last)
    ]


def _within(ends: np.ndarray, column: Column) -> Column:
    """The column with these bounds, in so far as its dtype can hold them."""
    held = from_values(ends, np.zeros(2, dtype=bool), column)
    ends, _ = to_values(held, replace(column, bounds=None))
    return replace(column, bounds=bounds_of(ends, column))


def _listed(counts: ColumnCounts, least: int, ruler: Ruler) -> np.ndarray:
    """What each value of a list is released as, never less for a larger value."""
    common = counts.counts >= least
    released = _nearest_common(counts, common)
    first, last = np.flatnonzero(common)[[0, -1]]
    for beyond in (np.arange(first), np.arange(last + 1, len(common))):
        for group in _groups(beyond, counts.counts, least):
            mean = _mean_of(group, counts, ruler)
            released[group] = released[group] if mean is None else mean
    return released


def _nearest_common(counts: ColumnCounts, common: np.ndarray) -> np.ndarray:
    """The nearest common value of each value; of two as near the commoner one."""
    values, rows = counts.values, counts.counts
    held = list(zip(values[common].tolist(), rows[common].tolist(), strict=True))
    nearest = [
        min(held, key=lambda pair: (abs(pair[0] - value), -pair[1]))[0]
        for value in values.tolist()
    ]
    return np.array(nearest, dtype=values.dtype)


def _groups(rare: np.ndarray, rows: np.ndarray, least: int) -> list[np.ndarray]:
    """Rare values in order, in groups of so many individuals; none if too few."""
    total = np.cumsum(rows[rare])
    if not len(rare) or total[-1] < least:
        return []
    starts, reached = [0], 0
    for i in range(len(rare) - 1):
        if total[i] - reached >= least <= total[-1] - total[i]:
            starts.append(i + 1)
            reached = total[i]
    return np.split(rare, starts[1:])


def _mean_of(group: np.ndarray, counts: ColumnCounts, ruler: Ruler) -> Any:
    """The value nearest to the mean of a group that nobody has alone, if any."""
    values, rows = counts.values[group], counts.counts[group]
    mean = (values - values[0]).astype(np.float64) @ rows / rows.sum()
    below = ruler.down(values[0] + ruler.dtype(mean))
    offered = np.append([below, ruler.above(below)], values[rows > 1])
    offered = offered[~np.isin(offered, values[rows == 1])]
    if not len(offered):
        return None
    distance = np.abs((offered - values[0]).astype(np.float64) - mean)
    return offered[distance.argmin()]


def released_ends(
    lowest: ColumnCounts, highest: ColumnCounts, ruler: Ruler
) -> np.ndarray:
    """Lowest and highest value that a release tells of a column.

    The lowest value stands where `MIN_ROWS` individuals hold it. Else the `MIN_ROWS`
    lowest individuals are described together, by a round number near the lowest quarter
    of them: the roundest of those below it, as far as half the distance from it to the
    last of them but above the lowest value of all; where there is none the roundest of
    those as near above it. So it is nobody's extreme, no one of them moves it far, and
    what is beyond it is taken for being there. The highest likewise. Where hardly more
    individuals are there than that, and of few values, both are the middle value.

    Parameters
    ----------
    lowest, highest : ColumnCounts
        Lowest value of each individual, and the highest; at least one. The same where
        an individual has one value.
    ruler : Ruler

    Returns
    -------
    ndarray of shape (2,)

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> wages = ColumnCounts(np.arange(1013, 9999, 11), np.ones(817, dtype=int))
    >>> released_ends(wages, wages, SteppedRuler(1))
    array([1050, 9950])
    """
    low = _end(ruler.snap(lowest.values), lowest.counts, ruler)
    values, rows = ruler.snap(highest.values), highest.counts
    high = _end(values[::-1], rows[::-1], ruler)
    if low > high:
        middle = (highest.n_present + 1) // 2
        low = high = values[np.searchsorted(np.cumsum(rows), middle)]
    return np.array([low, high], dtype=values.dtype)


def _end(values, rows, ruler):
    """One end; values, and the rows of each, run from there on."""
    if rows[0] >= MIN_ROWS:
        return values[0]
    total = np.cumsum(rows)
    group = min(MIN_ROWS, int(total[-1]))
    position = np.searchsorted(total, group)
    # Plain numbers of Python: integers do not overflow.
    extreme, last = values[0].item(), values[position].item()
    quarter = values[np.searchsorted(total, -(-group // 4))].item()
    beyond = quarter - _half(last - quarter)
    beyond = max(extreme, beyond) if extreme <= last else min(extreme, beyond)
    within = quarter + _half(last - quarter)
    for a, b in ((beyond, quarter), (quarter, within)):
        number = strictly_between(a, b, ruler)
        if number is not None:
            return number
    if rows[position] < MIN_ROWS and position + 1 < len(values):
        number = strictly_between(last, values[position + 1].item(), ruler)
        if number is not None:
            return number
    return values[position]


def _half(distance):
    """Half of a distance, whole where the distance is."""
    return distance // 2 if isinstance(distance, int) else distance / 2


def strictly_between(a, b, ruler):
    """The roundest number between two others, if there is one."""
    a, b = sorted((a, b))
    if a == b:
        return None
    number = ruler.roundest(np.array([a]), np.array([b]))[0]
    return number if a < number < b else None
