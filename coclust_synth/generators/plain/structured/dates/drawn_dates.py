"""Dates that have the parts drawn before them, and what is left of them by others."""

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import DateFeature
from coclust_synth.generators.plain.trees._tree_kernels import Leaves, Limits, pick
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import (
    Calendar,
    date_part,
    parts_held,
    units_a_day,
)
from coclust_synth.tables.laws.learnt_calendars import calendar_beside
from coclust_synth.tables.parts.atoms import AtomParts, are_values
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.rules.compared.numbers import NumberScale

# Residuals that end in the same part of a day are looked at together in a calendar: in
# the finest of these parts whose groups, by rows, are no more.
_PARTS_OF_A_DAY, _MAX_ALLOWED = (24, 6, 1), 2**26
# Rows from which it is learnt what a fit leaves a calendar to say, at most, and dates
# drawn of each; multiples of the golden ratio spread them evenly.
_LEARNT_FROM, _DRAWS, _GOLDEN = 2**14, 16, (np.sqrt(5) - 1) / 2

Allowed = tuple[NDArray[np.bool_], NDArray[np.int64]]


def allowed_by_parts(
    atoms: AtomParts, drawn: Mapping[DateFeature, NDArray[np.int32]]
) -> Allowed:
    """Which atoms of dates hold some that have the parts drawn before.

    Parameters
    ----------
    atoms : AtomParts
        Of the dates.
    drawn : mapping of DateFeature to ndarray of int32, shape (n,)
        Codes of parts, in the order of `PART_SIZES`. Where one is missing, so is the
        date.

    Returns
    -------
    allowed : ndarray of bool, shape (m, number of codes)
        Of each combination of parts that was drawn.
    row : ndarray of int64, shape (n,)
        The combination of each row.
    """
    combinations, row = np.unique(
        np.column_stack([*drawn.values()]), axis=0, return_inverse=True
    )
    last = [feature.n_codes - 1 for feature in drawn]
    is_missing, n_atoms = (combinations == last).any(axis=1), len(atoms.lows)
    names = [feature.part for feature in drawn]
    ruler = cast(SteppedRuler, atoms.ruler)
    # Moments that end with a midnight, as rounded ends do, hold nothing of that day: it
    # would be the only second of a month that they had, again and again.
    unit, highs = units_a_day(ruler), atoms.highs
    ends = (ruler.step < unit) & (highs % unit == 0) & (atoms.lows < highs)
    held = parts_held(names, atoms.lows, highs - ends * ruler.step, ruler)
    allowed = np.zeros((len(combinations), atoms.n_parts), dtype=bool)
    allowed[is_missing, n_atoms:] = True
    allowed[~is_missing, :n_atoms] = held[:, *combinations[~is_missing].T].T
    return allowed, row.ravel()


def both_allow(first: Allowed, second: Allowed) -> Allowed:
    """What two tables of codes, as those of `allowed_by_parts`, allow together."""
    pairs, row = np.unique(
        np.column_stack([first[1], second[1]]), axis=0, return_inverse=True
    )
    return first[0][pairs[:, 0]] & second[0][pairs[:, 1]], row.ravel()


def of_own_leaf(leaves: Leaves) -> Leaves:
    """Leaves of which rows draw from their own only, and not from that of all rows."""
    return leaves._replace(indptr=np.append(leaves.indptr[:-1], leaves.indptr[-2]))


def limits_of(limits: Limits, rows: NDArray[np.int64]) -> Limits:
    """The limits of some rows, but for what `Limits.later` forbids."""
    return limits._replace(
        allowed=limits.allowed[rows],
        later=np.ones((1, limits.later.shape[1]), dtype=bool),
        combination=np.zeros(len(rows), dtype=np.int64),
        lowest=limits.lowest[rows],
        highest=limits.highest[rows],
    )


def having_parts(
    atoms: AtomParts,
    values: NDArray[np.int64],
    codes: NDArray[np.int64],
    drawn: Mapping[DateFeature, NDArray[np.int32]],
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Dates moved to some near them that have the parts drawn before.

    Parameters
    ----------
    atoms : AtomParts
        Of the dates.
    values : ndarray of int64, shape (n,)
    codes : ndarray of int, shape (n,)
        Their atoms.
    drawn : mapping of DateFeature to ndarray of int32, shape (n,)
        Codes of parts.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
        In the same atoms, if these hold such dates. Values of missing parts, of atoms
        that are missing or of few values, and of ties, stay; so do all where many hold
        each date: no other is drawn.
    """
    if are_values(atoms):
        return values
    moves = (codes >= 0) & (codes < len(atoms.lows))
    moves &= ~np.isin(codes, list(atoms.spreads))
    for feature, own in drawn.items():
        moves &= own < feature.n_codes - 1
    at, values = np.flatnonzero(moves), values.copy()
    wanted = {f.part: own[at].astype(np.int64) for f, own in drawn.items()}
    ruler, calendar = cast(SteppedRuler, atoms.grains.finest), atoms.grains
    if not isinstance(calendar, Calendar):
        calendar = Calendar(ruler)
    heaps = atoms.lows[atoms.lows == atoms.highs]
    ends = atoms.lows[codes[at]], atoms.highs[codes[at]]
    values[at] = calendar.rounded(values[at], *ends, heaps, rng, wanted)
    lacks = np.zeros(len(at), dtype=bool)
    for part, asked in wanted.items():
        lacks |= date_part(part, values[at], ruler) != asked
    at, wanted = at[lacks], {part: asked[lacks] for part, asked in wanted.items()}
    low, high = (np.full(len(at), end) for end in (atoms.lows.min(), atoms.highs.max()))
    values[at] = calendar.rounded(values[at], low, high, heaps[:0], rng, wanted)
    return values


def left_on_calendar(
    calendar: Calendar,
    scale: NumberScale,
    base: NDArray[np.float64],
    residuals: AtomParts,
    leaf: NDArray[np.int64],
    leaves: Leaves,
    rng: np.random.Generator,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """What a fit may leave of each date, so that it is on its calendar.

    One day after a Friday is a Saturday: if few dates fall on one, that row is seldom
    left one day, and if none does never. Each is allowed by chance, as often as dates
    fall there, beside those of all that its leaf would leave of the row: where nearly
    all end on the day that they began, they do so on a Sunday too.

    Parameters
    ----------
    calendar : Calendar
    scale : NumberScale
        Of the dates.
    base : ndarray of float64, shape (n,)
        What the fit says of each row, in days.
    residuals : AtomParts
    leaf : ndarray of int64, shape (n,)
        Of each row.
    leaves : Leaves
        Of what is left.
    rng : numpy.random.Generator

    Returns
    -------
    group : ndarray of int32, shape (n_parts,)
        Of each code of the residuals.
    allowed : ndarray of bool, shape (n, n_groups)
        All True of very many groups, which would take as much memory.
    """
    ends = np.column_stack([residuals.lows, residuals.highs])
    for n_parts in _PARTS_OF_A_DAY:
        part = max(scale.per_day // n_parts, 1)
        spans, own = np.unique(ends // part, axis=0, return_inverse=True)
        if len(base) * len(spans) <= _MAX_ALLOWED:
            break
    else:
        everything = np.ones((len(base), 1), dtype=bool)
        return np.zeros(residuals.n_parts, dtype=np.int32), everything
    own = own.ravel()
    group = np.full(residuals.n_parts, len(spans), dtype=np.int32)
    group[: len(ends)] = own
    bases, row = np.unique(scale.nearest(base), return_inverse=True)
    likely = np.ones((len(bases), len(spans) + 1), dtype=np.float32)
    for k in range(len(spans)):
        first, last = ends[own == k, 0].min(), ends[own == k, 1].max()
        dates = (scale.ruler.snap(bases + end) for end in (first, last))
        likely[:, k] = calendar.likeliness(*dates)
    chance = rng.random((len(base), likely.shape[1]), dtype=np.float32)
    of_rows, shares = likely[row], _shares(leaves, group, len(spans) + 1)[leaf]
    missing = chance[:, -1] < shares[:, -1]
    known = shares[:, :-1].sum(axis=1)
    usual = np.einsum("ng,ng->n", of_rows[:, :-1], shares[:, :-1])
    usual /= np.maximum(known, 1e-30)
    allowed = chance * np.maximum(usual, 1e-30)[:, None] < of_rows
    allowed &= ~missing[:, None]
    allowed[:, -1] = missing
    return group, allowed


def calendar_left(
    calendar: Calendar,
    scale: NumberScale,
    dates: NDArray[np.int64],
    base: NDArray[np.int64],
    residuals: AtomParts,
    leaf: NDArray[np.int64],
    leaves: Leaves,
) -> Calendar:
    """The calendar of dates beside what a fit leaves of each.

    Parameters
    ----------
    calendar : Calendar
        Of the dates, whatever the fit says.
    scale : NumberScale
        Of the dates.
    dates, base : ndarray of int64, shape (n,)
        Of rows that have one, and what the fit says of each.
    residuals : AtomParts
    leaf : ndarray of int64, shape (n,)
        Of each row.
    leaves : Leaves
        Of what is left.

    Returns
    -------
    Calendar
    """
    some = np.linspace(0, len(dates) - 1, min(len(dates), _LEARNT_FROM))
    some = some.astype(np.int64)
    rows = np.repeat(some, _DRAWS)
    # Evenly over what each leaf leaves, and over each of its runs.
    place = np.arange(len(rows))
    points = (place % _DRAWS + place // _DRAWS * _GOLDEN % 1) / _DRAWS
    codes = pick(leaf[rows], points, leaves)
    known = codes < len(residuals.lows)
    rows, codes, place = rows[known], codes[known], place[known]
    low, high = residuals.lows[codes], residuals.highs[codes]
    left = low + np.floor(place * _GOLDEN**2 % 1 * (high - low + 1)).astype(np.int64)
    drawn = scale.ruler.snap(base[rows] + left)
    counts = ColumnCounts(*np.unique(dates[some], return_counts=True))
    return calendar_beside(calendar, counts, rows, drawn)


def _shares(
    leaves: Leaves, group: NDArray[np.int32], n_groups: int
) -> NDArray[np.float32]:
    """Share of the rows of each leaf that have a code of each group, ties left out."""
    n_leaves = len(leaves.indptr) - 1
    of_entry = np.repeat(np.arange(n_leaves), np.diff(leaves.indptr))
    own = leaves.code < len(group)
    cells = of_entry[own] * n_groups + group[leaves.code[own]]
    rows = np.bincount(cells, leaves.rows[own], n_leaves * n_groups)
    rows = rows.reshape(n_leaves, n_groups)
    return (rows / np.maximum(rows.sum(axis=1, keepdims=True), 1)).astype(np.float32)
