"""Intervals of a column of persons who may have several rows, and the runs inside."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS, Law
from coclust_synth.tables.parts.of_persons import counted_rows, runs_in_a_row
from coclust_synth.tables.parts.parts import IntervalParts
from coclust_synth.tables.people.people import Persons, count_holders


def learn_runs_of_persons(
    learn: Callable[..., IntervalParts],
    values: np.ndarray,
    missing: np.ndarray,
    persons: Persons,
    *,
    heaped: bool,
    is_cut: bool,
) -> IntervalParts:
    """Intervals whose runs are of 20 persons each, as heaped intervals are.

    Each value counts once for a person. Runs and heaped intervals that fewer have, as
    of the many values of somebody with many rows, become one with those after them.

    Parameters
    ----------
    learn : callable
        Makes intervals of values, of which are missing, and of `cuts`.
    values : ndarray, shape (n,)
        Any where missing.
    missing : ndarray of bool, shape (n,)
    persons : Persons
        Of the n rows.
    heaped : bool
        Whether no interval is to be of fewer than 20 persons, if cuts are not given; of
        who has far more values than others fewer count, see `counted_rows`.
    is_cut : bool
        Whether cuts are given.

    Returns
    -------
    IntervalParts
        Where fewer than 20 persons have all values of an interval that no 20 share, or
        the whole interval, these are one run from end to end.
    """
    if heaped:
        counted = counted_rows(values, missing, persons)
    else:
        counted = persons.first_of_values(values, missing)
    own = values[counted], missing[counted]
    parts = learn(*own)
    if not parts.laws:
        return parts
    known = parts.ruler.snap(values[~missing])
    persons = replace(persons, codes=persons.codes[~missing])
    inner = parts.edges[1:-1]
    if heaped and not is_cut:
        joined = _joined(np.searchsorted(inner, known), len(parts.laws), persons)
        is_kept = np.diff(joined) > 0
        if not is_kept.all():
            inner = inner[is_kept]
            parts = learn(*own, cuts=inner)
    lows, highs = np.append(parts.edges[0], parts.ruler.above(inner)), parts.edges[1:]
    laws, interval = [], np.searchsorted(inner, known)
    for k, law in enumerate(parts.laws):
        rows = np.flatnonzero(interval == k)
        whose = replace(persons, codes=persons.codes[rows])
        laws.append(_law_of_persons(law, (lows[k], highs[k]), known[rows], whose))
    return replace(parts, laws=tuple(laws))


def _law_of_persons(law, span, values, persons):
    """The law of an interval, of whose runs 20 persons have each."""
    is_heap = law.lows == law.highs
    lows, highs = law.lows[~is_heap], law.highs[~is_heap]
    if not len(lows):
        return law
    codes = np.searchsorted(lows, values, "right") - 1
    is_outside = (codes < 0) | (values > highs[codes])
    codes[is_outside | np.isin(values, law.lows[is_heap])] = -1
    in_runs = persons.codes[codes >= 0]
    if len(np.unique(in_runs)) >= MIN_ROWS:
        joined = _joined(codes, len(lows), persons)
    else:
        joined = np.zeros(len(lows), dtype=np.int64)
        lows, highs = (np.full(len(lows), end) for end in span)
    starts = np.flatnonzero(np.diff(joined, prepend=-1))
    if len(starts) == len(lows) > 1:
        return law
    ends = np.append(starts[1:], len(lows)) - 1
    rows = np.add.reduceat(law.rows[~is_heap], starts)
    heaps = (each[is_heap] for each in (law.lows, law.highs, law.rows))
    return Law(*map(np.append, heaps, (lows[starts], highs[ends], rows)))


def _joined(codes, n, persons):
    """The first of each group, of parts in a row that 20 persons have together."""
    parts = np.arange(n)
    if (count_holders(codes, n, persons) >= MIN_ROWS).all():
        return parts
    return runs_in_a_row(codes, parts >= 0, persons)
