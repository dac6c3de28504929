"""Where to cut a numeric column into intervals.

The cut points of an interval partition are the upper ends of all intervals but the
last: part k holds the values v with cut[k-1] < v <= cut[k]. Cuts are computed from
`ColumnCounts`, never from rows.

`heaped_cuts` is made for release: none of its intervals holds fewer than `MIN_ROWS`
individuals. The other cuts are the user's, and can part one individual from all others.
"""

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.values.numbers import are_wide, less

# Rows by which a cut may be moved either way, to a rounder place: half of what each of
# its two intervals holds at least lies where it may be, as for the runs of a law.
_LEEWAY = MIN_ROWS // 4


def quantile_cuts(counts: ColumnCounts, bins: int, ruler: Ruler) -> np.ndarray:
    """Cuts into intervals of equal frequency, those of ``pandas.qcut``.

    Values fall into the same intervals as with ``pandas.qcut(x, bins,
    duplicates="drop")``, intervals that no value falls into left out. The cut itself
    is the roundest number between the values on its two sides, so that it is nobody's
    value where there is room. An interval can hold few individuals, down to one when
    there are as many bins as rows: see `heaped_cuts`.

    Parameters
    ----------
    counts : ColumnCounts
    bins : int
        Number of intervals asked for; ties can leave fewer.
    ruler : Ruler

    Returns
    -------
    ndarray of shape (number of intervals - 1,)
        Increasing.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([1, 8, 31, 40]), np.array([1, 1, 1, 1]))
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> quantile_cuts(counts, 2, SteppedRuler(1))
    array([20])
    """
    values = counts.values
    before = _quantile_positions(counts, bins)
    return ruler.roundest(values[before], values[before + 1])


def _quantile_positions(counts: ColumnCounts, bins: int) -> np.ndarray:
    """Position of the last value before each cut of `quantile_cuts`."""
    values = counts.values
    if len(values) < 2:
        return np.empty(0, dtype=np.int64)

    # Quantiles between order statistics, with the roundings of pandas 3 and numpy: an
    # edge that is a value and one just under it cut differently. A share that float64
    # cannot hold is rounded up.
    shares = np.linspace(0, 1, bins + 1)
    inexact = bins * shares != np.arange(bins + 1)
    shares[inexact] = np.nextafter(shares[inexact], 1)
    ranks = (counts.n_present - 1) * shares
    below = np.floor(ranks)
    weight = ranks - below
    last_rank = np.cumsum(counts.counts) - 1
    numbers = values.astype(float)
    if are_wide(values):
        numbers = less(values, values[0])
    a = numbers[np.searchsorted(last_rank, below)]
    above = np.minimum(below + 1, last_rank[-1])
    b = numbers[np.searchsorted(last_rank, above)]
    edges = np.where(weight < 0.5, a + (b - a) * weight, b - (b - a) * (1 - weight))

    inner = np.unique(edges)[1:-1]
    before = np.unique(np.searchsorted(numbers, inner, side="right") - 1)
    return before[(before >= 0) & (before < len(values) - 1)]


def heaped_cuts(counts: ColumnCounts, bins: int, ruler: Ruler) -> np.ndarray:
    """Cuts into intervals of equal frequency, heaps apart, none of few individuals.

    A value that more than one row in `bins` holds is a heap and an interval of its
    own. Each stretch of values between heaps is cut near the cuts of `quantile_cuts`,
    into a number of intervals in proportion to its rows, at least one. A cut there is
    the roundest number around that leaves out no more than `_LEEWAY` rows on either
    side: so no two values fix it, as they would where chance has put them close to each
    other, unless they are all that the column can take.

    Every interval holds `MIN_ROWS` rows or more, unless the whole column has fewer and
    is one interval: a stretch has at most one for every ``MIN_ROWS + 2 * _LEEWAY``
    rows; one of fewer than `MIN_ROWS` joins the interval of the larger of the heaps
    beside it; a cut that ties put too close to the one before it, or to the end of its
    stretch, is left out.

    Parameters
    ----------
    counts : ColumnCounts
    bins : int
        Number of intervals asked for.
    ruler : Ruler

    Returns
    -------
    ndarray of shape (number of intervals - 1,)
        Increasing.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([0, 5, 9, 30]), np.array([90, 15, 10, 85]))
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> heaped_cuts(counts, 10, SteppedRuler(1))
    array([ 0, 29])
    >>> counts = ColumnCounts(np.array([0, 5, 9, 30]), np.array([90, 1, 1, 85]))
    >>> heaped_cuts(counts, 10, SteppedRuler(1))
    array([29])
    """
    values, rows, n_present = counts.values, counts.counts, counts.n_present
    bins = max(min(bins, n_present // MIN_ROWS), 1)
    heaps = np.flatnonzero(rows * bins > counts.n_rows)

    cuts = [values[:0]]
    starts, ends = np.append(-1, heaps) + 1, np.append(heaps, len(values))
    for start, end in zip(starts, ends, strict=True):
        stretch = ColumnCounts(values[start:end], rows[start:end])
        n = stretch.n_present
        # Cut both sides of each heap: once between two that are neighbours, and never
        # on the side where a stretch of few rows joins it.
        before, after = values[max(start - 1, 0) : start], values[end : end + 1]
        if n < MIN_ROWS and len(before) and len(after):
            joins_before = n > 0 and rows[start - 1] >= rows[end]
            cuts.append(ruler.below(after) if joins_before else before)
        elif n >= MIN_ROWS:
            share = (2 * bins * n + n_present) // (2 * n_present)
            share = max(min(share, n // (MIN_ROWS + 2 * _LEEWAY)), 1)
            inner = _round_cuts(stretch, _quantile_positions(stretch, share), ruler)
            cuts += [before, _spaced_cuts(stretch, inner), ruler.below(after)]
    return np.unique(np.concatenate(cuts))


def _round_cuts(counts: ColumnCounts, before: np.ndarray, ruler: Ruler) -> np.ndarray:
    """The roundest cuts near those that follow some positions, increasing."""
    values, total = counts.values, np.cumsum(counts.counts)
    earliest = np.searchsorted(total, total[before] - _LEEWAY)
    latest = np.searchsorted(total, total[before] + _LEEWAY, side="right") - 1
    latest = np.minimum(latest, len(values) - 2)
    return np.unique(ruler.roundest(values[earliest], values[latest + 1]))


def _spaced_cuts(counts: ColumnCounts, cuts: np.ndarray) -> np.ndarray:
    """The cuts that leave intervals of `MIN_ROWS` rows, taken from the lowest on."""
    total = np.append(0, np.cumsum(counts.counts))
    below = total[np.searchsorted(counts.values, cuts, side="right")]
    kept, reached = [], 0
    for k, n in enumerate(below.tolist()):
        if n - reached >= MIN_ROWS and total[-1] - n >= MIN_ROWS:
            kept.append(k)
            reached = n
    return cuts[kept]


def width_cuts(lo: float, hi: float, bins: int) -> np.ndarray:
    """Cuts of [lo, hi] into intervals of equal width.

    The only cuts that do not look at the data when the bounds are fixed beforehand.
    An interval can hold few individuals, or none.

    Examples
    --------
    >>> width_cuts(0, 10, 4)
    array([2.5, 5. , 7.5])
    """
    return np.linspace(lo, hi, bins + 1)[1:-1]


def given_cuts(cuts: Sequence[float]) -> np.ndarray:
    """Check cut points that the user gives.

    An interval can hold few individuals, or none.

    Raises
    ------
    ParameterError
        If they are not finite and strictly increasing.
    """
    checked = np.asarray(cuts)
    if (
        checked.ndim != 1
        or checked.dtype.kind not in "iuf"
        or not np.isfinite(checked).all()
        or (checked[:-1] >= checked[1:]).any()
    ):
        raise ParameterError(
            f"Expected finite, strictly increasing cut points. Received {cuts!r}. "
            "Sort them and give each once."
        )
    return checked


def check_binning(binning: str, bins: int) -> None:
    """Check what `interval_edges` is asked for.

    Raises
    ------
    ParameterError
        If there is no such binning, or `bins` is no integer of at least 1.
    """
    if binning not in ("heaped", "quantile", "width"):
        raise ParameterError(
            "Expected binning 'heaped', 'quantile' or 'width'. Received "
            f"{binning!r}. Choose one of the three, or give cuts."
        )
    if not isinstance(bins, Integral) or bins < 1:
        raise ParameterError(
            f"Expected a number of bins of at least 1. Received {bins!r}. Give for "
            "instance 10."
        )


def interval_edges(
    counts: ColumnCounts,
    lo: np.generic,
    hi: np.generic,
    ruler: Ruler,
    binning: str,
    bins: int,
    cuts: Sequence[float] | None = None,
) -> np.ndarray:
    """Ends of the intervals of a column, all of them values that it can take.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler, between `lo` and `hi`.
    lo, hi : number
        Lowest and highest value of the column, on the ruler.
    ruler : Ruler
    binning : {"heaped", "quantile", "width"}
        See `heaped_cuts`, `quantile_cuts`, `width_cuts`.
    bins : int
        Number of intervals asked for.
    cuts : sequence of float, optional
        Cut points to use instead; those outside [lo, hi[ separate nothing.

    Returns
    -------
    ndarray of shape (number of intervals + 1,)
        `lo`, then the upper end of each interval, the last being `hi`.

    Raises
    ------
    ParameterError
        If the cuts given are not finite and strictly increasing.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> counts = ColumnCounts(np.array([0, 5, 9]), np.array([90, 5, 5]))
    >>> interval_edges(counts, 0, 9, SteppedRuler(1), "width", bins=2)
    array([0, 4, 9])
    """
    if cuts is not None:
        inner = given_cuts(cuts)
    elif binning == "width":
        inner = width_cuts(lo, hi, bins)
    else:
        find = heaped_cuts if binning == "heaped" else quantile_cuts
        inner = find(counts, bins, ruler)
    # On the ruler every interval has a value; a cut outside separates nothing.
    inner = np.unique(ruler.down(inner))
    inner = inner[(inner >= lo) & (inner < hi)]
    return np.concatenate([[lo], inner, [hi]])
