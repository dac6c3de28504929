"""Atoms of few values: how their rows spread over them.

In a column of few values, such as 0, 1, 2, ..., 8 children, too few individuals have
the last ones for each to be told. They are gathered into runs, as those of any column,
but what is drawn are the column's values: those of a run that nobody has alone, where
few numbers are between its ends. Others, such as prices, would tell whose they are:
there the values of a run are its first one, if many have it, and a round number. A run
is told by its mean and its mean square, from the end where most of the column is; of
all laws on these values with the two moments, the likeliest one draws them. Where none
has both, the mean is kept, with as much of the mean square as there can be.
Where a far value of few makes the moments, a round number stands for it, as in open
runs: no value of one individual comes back.

Too few for a run, but no fewer than a category needs (`DEFAULT_RARE`), are told
together with the individuals who have the last value of many: a *tail*.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS, gather_runs
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE
from coclust_synth.tables.parts.rare.rare_numbers import strictly_between
from coclust_synth.tables.rows import ColumnCounts

# A far value that stands for others is a round number within this share of the
# distance that the moments ask for.
_SLACK = 0.15
# Values of few that are told are so many steps apart, at most: numbers of two digits.
_MAX_APART = 100
# Shares are told to so many digits.
_DIGITS = 5
# What a squared slope of 1 of a law costs, in nats: laws end that would have infinite
# ones, where shares are less than the last digit.
_RIDGE = 1e-9
_MAX_STEPS = 100


class Spread(NamedTuple):
    """A law on a few values.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Increasing.
    shares : ndarray of float64, shape (m,)
        Of the rows, but for rounding.
    """

    values: np.ndarray
    shares: np.ndarray

    @property
    def mean(self) -> float:
        """Mean of the law."""
        first = self.values[0]
        beyond = (self.values - first).astype(np.float64)
        return float(first + beyond @ self.shares / self.shares.sum())

    def draw(self, points: np.ndarray) -> np.ndarray:
        """The value at each point of [0, 1[, in the order of the values."""
        ends = np.cumsum(self.shares)
        at = np.searchsorted(ends, points * ends[-1], side="right")
        return self.values[np.minimum(at, len(ends) - 1)]


class Tail(NamedTuple):
    """Values beyond a heap that are too few for a run, and those of the heap.

    Attributes
    ----------
    heap : int
        Its position among the values of the column.
    spread : Spread
        Of all of them.
    """

    heap: int
    spread: Spread


class Ends(NamedTuple):
    """A run of a column of few values.

    Attributes
    ----------
    low, high : number
        Its ends, both included.
    spread : Spread
    """

    low: np.generic
    high: np.generic
    spread: Spread


def divide(
    counts: ColumnCounts, ruler: Ruler, holders: Holders | None = None
) -> tuple[list[Tail], list[NDArray[np.int64]]]:
    """The tails of a column, and the other values of few, from which runs are gathered.

    What is in neither joins the nearest atom. No run reaches across heaps that half of
    all individuals hold: it would put between them what is far away on both sides.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler.
    ruler : Ruler
    holders : Holders, optional
        Where persons may have several of the values: of a few steps (`are_steps`), as
        the numbers of visits, who has them is counted, and what one person alone has
        further out than others is left out.

    Returns
    -------
    tails : list of Tail
    others : list of ndarray of int64
        Positions of values, increasing. Of `MIN_ROWS` individuals or more, unless no
        value is held by as many.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> children = ColumnCounts(np.arange(7), np.array([678, 118, 80, 5, 4, 5, 1]))
    >>> [tail], others = divide(children, SteppedRuler(1))
    >>> tail.heap, tail.spread.values.tolist(), others
    (2, [2, 3, 4, 5], [])
    """
    rows = counts.counts
    is_heap = rows >= MIN_ROWS
    heaps, others = np.flatnonzero(is_heap), np.flatnonzero(~is_heap)
    if not len(heaps):
        return [], [others]
    held_by, by_person = counts, False
    if holders is not None and are_steps(counts, others, ruler):
        at, person = _places(counts, ruler, holders)
        each = np.bincount(
            np.unique(np.stack([at, person]), axis=1)[0], minlength=len(rows)
        )
        held_by, by_person = ColumnCounts(counts.values, each), True

    def n_of(own):
        """Individuals who have some of the values."""
        if by_person:
            return len(np.unique(person[np.isin(at, own)]))
        return rows[own].sum()

    ends = (heaps[0], heaps[-1])
    if n_of(others) >= MIN_ROWS:
        ends = _dividing_heaps(rows, others)
    if ends is None:
        return [], [others]
    tails: list[Tail] = []
    runs = []
    sides = others[others < ends[0]], others[others > ends[1]]
    for heap, side in zip(ends, sides, strict=True):
        if by_person and n_of(side) < MIN_ROWS:
            side = _up_to_shared(side, heap, held_by.counts)
        held = n_of(side)
        if held >= MIN_ROWS:
            runs.append(side)
        elif (
            held >= DEFAULT_RARE
            and held_by.counts[heap] >= MIN_ROWS
            and heap not in {tail.heap for tail in tails}
        ):
            own = np.sort(np.append(side, heap))
            spread = likeliest(held_by, own, ruler)
            if len(spread.values) > 1:
                tails.append(Tail(int(heap), spread))
    return tails, runs


def _places(counts, ruler, holders):
    """Position among the values of each that somebody has, and whose it is."""
    values = ruler.snap(holders.values)
    at = np.minimum(np.searchsorted(counts.values, values), len(counts.values) - 1)
    is_there = counts.values[at] == values
    return at[is_there], holders.person[is_there]


def _up_to_shared(side, heap, n_each):
    """Values on a side of a heap up to the last that two individuals have."""
    shared = np.flatnonzero(n_each[side] > 1)
    if not len(shared):
        return side[:0]
    return side[: shared[-1] + 1] if side[0] > heap else side[shared[0] :]


def _dividing_heaps(rows, others):
    """First and last of the heaps, side by side, that half of all hold; None if none.

    Other values are on both sides of them.
    """
    before = np.cumsum(rows)[others]
    held = before[1:] - before[:-1] - rows[others[1:]]
    widest = int(held.argmax()) if len(held) else 0
    if not len(held) or 2 * held[widest] < rows.sum():
        return None
    return others[widest] + 1, others[widest + 1] - 1


def listed_runs(
    counts: ColumnCounts, others: NDArray[np.int64], ruler: Ruler
) -> list[Ends]:
    """Runs of a column of few values; no open end is beyond what is drawn.

    Parameters
    ----------
    counts : ColumnCounts
        Of the column.
    others : ndarray of int64, shape (m,)
        Positions of the values of few; they have `MIN_ROWS` individuals or more.
    ruler : Ruler

    Returns
    -------
    list of Ends
    """
    ends = counts.values[0], counts.values[-1]
    lows, highs, _ = gather_runs(counts, others, *ends, ruler)
    run = np.searchsorted(highs, counts.values[others])
    runs = []
    for i, (low, high) in enumerate(zip(lows, highs, strict=True)):
        spread = likeliest(counts, others[run == i], ruler)
        if i == 0 and others[0] == 0:
            low = spread.values[0]
        if i == len(lows) - 1 and others[-1] == len(counts.values) - 1:
            high = spread.values[-1]
        runs.append(Ends(low, high, spread))
    return runs


def are_steps(counts: ColumnCounts, own: NDArray[np.int64], ruler: Ruler) -> bool:
    """Whether the values that nobody has alone are some of few numbers in a row.

    What a column could hold by its step tells of no one, other than an amount, or a
    date, that two people happen to have.

    Parameters
    ----------
    counts : ColumnCounts
        Of the column.
    own : ndarray of int64, shape (m,)
        Positions of some values.
    ruler : Ruler

    Returns
    -------
    bool
        Of dates, and of a column without a step, false.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> fees = ColumnCounts(np.array([0, 1500, 1734]), np.array([900, 5, 6]))
    >>> are_steps(fees, np.array([1, 2]), SteppedRuler(1))
    False
    """
    step = getattr(ruler, "step", None)
    shared = counts.values[own][counts.counts[own] > 1]
    if step is None or getattr(ruler, "unit", None) or not len(shared):
        return False
    return bool(np.ptp(shared) <= _MAX_APART * step)


def likeliest(counts: ColumnCounts, own: NDArray[np.int64], ruler: Ruler) -> Spread:
    """The likeliest law of two moments on values that can be told.

    These are the ones that nobody has alone, of steps (`are_steps`), else of many.

    Parameters
    ----------
    counts : ColumnCounts
        Of the column.
    own : ndarray of int64, shape (m,)
        Positions of some values, increasing; one can be told at least.
    ruler : Ruler

    Returns
    -------
    Spread
    """
    rows = counts.counts
    if rows[: own[0]].sum() < rows[own[-1] + 1 :].sum():
        own = own[::-1]
    values, share = counts.values[own], rows[own] / rows[own].sum()
    distance = np.abs((values - values[0]).astype(np.float64))
    is_told = rows[own] > 1
    if not are_steps(counts, own, ruler):
        is_told = rows[own] >= MIN_ROWS
    points, at = values[is_told], distance[is_told]
    unit = distance.max(initial=0.0) or 1.0
    reach = unit * ((distance / unit) ** 2 @ share) / (distance / unit @ share or 1.0)
    if (1 - _SLACK) * reach > at.max():
        far = _far(values, reach, ruler)
        if far is not None:
            points = np.append(points, values.dtype.type(far))
            at = np.append(at, abs(float(points[-1] - values[0])))
    unit = at.max() or 1.0
    # What is further away would have a share of less than the last digit.
    distance = np.minimum(distance / unit, 10.0**_DIGITS)
    shares = np.round(_law(at / unit, distance @ share, distance**2 @ share), _DIGITS)
    order = np.argsort(points)
    order = order[shares[order] > 0]
    return Spread(points[order], shares[order])


def _far(values, reach, ruler):
    """A round number about so far from the first value and no one's; None without one.

    Not as far as the last value. Between two small numbers there may be none: then it
    is one of these.
    """
    side = 1 if values[-1] > values[0] else -1
    most = abs(float(values[-1] - values[0]))
    distances = (1 - _SLACK) * reach, min((1 + _SLACK) * reach, most)
    ends = [ruler.snap(values[0] + side * ruler.dtype(d)).item() for d in distances]
    numbers = strictly_between(*ends, ruler), *ends
    return next((n for n in numbers if n is not None and n not in values), None)


def _law(points, first, second):
    """Shares of points of [0, 1]: exp(a x + b x^2), with nearly the moments asked for.

    Newton's method on the convex function that these laws are the minimum of, with
    shorter steps where a whole one would not lower it. A mean square that is beyond
    that of all laws of the mean, of which the largest is on both ends alone, would move
    the mean.
    """
    if len(points) == 1:
        return np.ones(1)
    low, high = points.min(), points.max()
    first = min(max(first, low), high)
    second = min(second, low * low + (first - low) * (low + high))
    powers, wanted = _functions(points, np.array([1.0, first, second]))

    def value(slopes):
        top = (slopes @ powers).max()
        total = np.log(np.exp(slopes @ powers - top).sum()) + top
        return total - slopes @ wanted + _RIDGE / 2 * slopes @ slopes

    slopes = np.zeros(len(powers))
    for _ in range(_MAX_STEPS):
        shares = np.exp(slopes @ powers - (slopes @ powers).max())
        shares /= shares.sum()
        mean = powers @ shares
        slope = mean - wanted + _RIDGE * slopes
        curve = powers * shares @ powers.T - np.outer(mean, mean)
        step = np.linalg.solve(curve + _RIDGE * np.eye(len(powers)), slope)
        while value(slopes - step) > value(slopes) and np.abs(step).max() > 1e-9:
            step /= 2
        slopes = slopes - step
        if np.abs(step).max() < 1e-9:
            break
    return shares


def _functions(points, moments):
    """Functions a x + b x^2 + c at the points, and their means, by those of powers.

    They are orthogonal: where two points are near each other and a third one far away,
    small slopes tell all three apart, as none of x and x^2 do.
    """
    n = min(len(points), len(moments))
    values, to_powers = np.linalg.qr(points[:, None] ** np.arange(n))
    return values[:, 1:].T, np.linalg.solve(to_powers[:n].T, moments[:n])[1:]
