"""In which months the next rows of persons come, beside how long after the last ones.

A distance of some months leads to any of them, whichever is the busy season: drawn by
distances alone, orders of November are spread over the year. So each month of the year
has a weight, by which dates are likelier than others that are as far.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import PART_SIZES, month, units_a_day
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.rules.fitting.told import evenly

_MONTHS = PART_SIZES["month"]
# Weights are learnt from so many rows, settle in so many rounds, and a month counts as
# so many rows more, of those that it has and of those that are expected.
_LEARNT_FROM, _N_ROUNDS, _CAUTION = 10_000, 100, 1.0
# Rows that are looked at together.
_CHUNK = 1_000
# What those of every other person tell of the others is this much more than nothing,
# in standard deviations over persons.
_MIN_DEVIATIONS = 3.0
# Weights are told to so many digits, and no month has none.
_DIGITS, _LEAST = 3, 1e-3


def learn_seasons(
    dates: NDArray[np.int64],
    base: NDArray[np.int64],
    distances: AtomParts,
    leaf: NDArray[np.int64],
    leaves: Leaves,
    ruler: SteppedRuler,
    who: NDArray[np.int64],
) -> tuple[float, ...]:
    """Weights of the months of dates that are some distance after others.

    Those that make the months of the dates likeliest, given what distances their leaves
    have; months that fewer than 20 persons have share one, of 20 persons or of nobody.

    Parameters
    ----------
    dates, base : ndarray of int64, shape (n,)
        On the ruler, of rows that have one; and of the rows before.
    distances : AtomParts
        In the same units.
    leaf : ndarray of int64, shape (n,)
    leaves : Leaves
        Of distances.
    ruler : SteppedRuler
    who : ndarray of int64, shape (n,)
        Code of the person of each row.

    Returns
    -------
    tuple of float
        From January; the highest is 1. None where they do not foretell
        the months of other persons than those whom they are learnt from.
    """
    some = evenly(np.arange(len(dates)), _LEARNT_FROM)
    own, who = month(dates[some] // units_a_day(ruler)), who[some]
    is_known = _persons_of(own, who)[:_MONTHS] >= MIN_ROWS
    group = np.where(is_known, 1 + np.arange(_MONTHS), 0)
    # Where fewer have all other months together, their rows say nothing.
    is_told = _persons_of(group[own], who)[group[own]] >= MIN_ROWS
    some, own, who = some[is_told], own[is_told], who[is_told]
    if not len(some) or not is_known.any():  # all of one weight
        return ()
    dates, base, leaf = dates[some], base[some], leaf[some]
    ends = dates.min(), dates.max()
    parts = np.array_split(np.arange(len(own)), -(-len(own) // _CHUNK))
    of_leaves = distances, leaves, ruler, ends
    shares = np.concatenate([_shares(base[at], leaf[at], *of_leaves) for at in parts])
    is_tested = np.unique(who, return_inverse=True)[1] % 2 == 1
    halves = ((shares[of], own[of]) for of in (~is_tested, is_tested))
    (learnt, months), (tested, found) = halves
    weights = _fitted(learnt, months, group)
    told = np.log(weights[found] / (tested @ weights))
    of_persons = np.bincount(who[is_tested], told)
    if told.sum() <= _MIN_DEVIATIONS * np.sqrt(of_persons @ of_persons):
        return ()
    weights = _fitted(shares, own, group)
    weights = np.round(weights / weights.max(), _DIGITS)
    return tuple(np.maximum(weights, _LEAST).tolist())


def _persons_of(labels, who):
    """Persons of each label from 0 to 12, ndarray of int64, shape (13,)."""
    pairs = np.unique(np.stack([labels, who]), axis=1)
    return np.bincount(pairs[0], minlength=_MONTHS + 1)


def _fitted(shares, months, group):
    """Weights by which as many rows are expected of each group of months as it has."""
    found, weights = np.bincount(months, minlength=_MONTHS), np.ones(_MONTHS)
    found = np.bincount(group, found)
    for _ in range(_N_ROUNDS):
        expected = shares * weights
        expected = (expected / expected.sum(axis=1, keepdims=True)).sum(axis=0)
        more = (found + _CAUTION) / (np.bincount(group, expected) + _CAUTION)
        weights *= more[group]
    return weights


def weights_of_days(
    seasons: Sequence[float], days: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Weight of each day since 1970, that of its month; 1 of all without seasons."""
    return np.array(seasons)[month(days)] if seasons else np.ones(len(days))


def _shares(base, leaf, distances, leaves, ruler, ends):
    """Shares of the months in what the leaf of each row leads to, shape (n, 12)."""
    unit = units_a_day(ruler)
    first_day, last_day = (end // unit for end in ends)
    days = np.arange(first_day, last_day + 1)
    size = np.diff(leaves.indptr)[leaf]
    row = np.repeat(np.arange(len(leaf)), size)
    place = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
    entry = np.repeat(leaves.indptr[leaf], size) + place
    is_date = leaves.code[entry] < len(distances.lows)
    row, entry = row[is_date], entry[is_date]
    code = leaves.code[entry]
    runs = distances.lows[code], distances.highs[code]
    first, last = ((base[row] + run) // unit - first_day for run in runs)
    weight = leaves.rows[entry] / (last - first + 1)
    first, after = (np.clip(day, 0, len(days)) for day in (first, last + 1))
    shares = np.zeros((len(leaf), _MONTHS))
    for at in range(_MONTHS):
        before = np.append(0, np.cumsum(month(days) == at))
        held = weight * (before[after] - before[first])
        shares[:, at] = np.bincount(row, held, len(leaf))
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0, shares, 1.0) / np.where(total > 0, total, _MONTHS)
