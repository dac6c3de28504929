"""How values spread inside an interval: the law that drawn values follow.

A law is made of runs, each uniform between its two ends. Runs are gathered from counts
until each describes `MIN_ROWS` individuals.

What a saved law tells of a column, besides the two ends of its interval, is

- the values that `MIN_ROWS` individuals or more share (heaps), and how many do;
- round numbers that separate two groups of `MIN_ROWS` individuals or more, and how many
  individuals lie between two of them. Each is the roundest of its surroundings (see
  `SteppedRuler.roundest`, `_windows`): values fix it, but it does not fix them. Where a
  column's few possible values leave no choice, such as ages, it is one of these.

The few others in an interval of heaps (fewer than `MIN_ROWS`) leave no number at all:
they are spread over the whole interval, as all are in an interval of fewer individuals.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.rows import ColumnCounts

# Inside an interval, no value and no range is described on its own for fewer
# individuals: the minimum frequency rule of statistical offices, who publish no cell
# below 3 to 10. 20 is on the careful side.
MIN_ROWS = 20

# A gap is wider than so many rows reach on either side of it, and this many times as
# wide as on one of them: 5,000 normal, lognormal or Cauchy numbers have none.
_WIDE = 5
# Where values are farther apart in all, their distances may be no int64.
_MOST_APART = 2.0**62


@dataclass(frozen=True, eq=False)
class Law:
    """How values spread inside an interval: runs, each uniform between its ends.

    Runs of one value are its heaps; the others may contain heaps.

    Parameters
    ----------
    lows, highs : ndarray of shape (r,)
        Ends of each run, both included.
    rows : ndarray of shape (r,), int64
        Individuals in each run: `MIN_ROWS` at least, unless the interval holds fewer.
    """

    lows: np.ndarray
    highs: np.ndarray
    rows: np.ndarray

    def draw(self, n: int, ruler: Ruler, rng: np.random.Generator) -> np.ndarray:
        """Draw n values in random order.

        Runs are drawn by systematic sampling, so that each has its share of n but for
        rounding.
        """
        ends = np.cumsum(self.rows)
        points = (rng.random() + np.arange(n)) * (ends[-1] / n)
        runs = np.minimum(np.searchsorted(ends, points, "right"), len(ends) - 1)
        runs = rng.permutation(runs)
        return ruler.uniform(self.lows[runs], self.highs[runs], rng)

    def to_dict(self) -> dict:
        """JSON compatible form; numbers come back exactly."""
        return {
            "lows": self.lows.tolist(),
            "highs": self.highs.tolist(),
            "rows": self.rows.tolist(),
        }

    @classmethod
    def from_dict(cls, data: dict, dtype: type) -> "Law":
        """Inverse of `to_dict`, for a column whose values have that dtype."""
        return cls(
            np.array(data["lows"], dtype=dtype),
            np.array(data["highs"], dtype=dtype),
            np.array(data["rows"], dtype=np.int64),
        )


def interval_laws(
    counts: ColumnCounts, edges: np.ndarray, ruler: Ruler
) -> tuple[Law, ...]:
    """The law of each interval; uniform where nothing was seen.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler, all between the first and the last edge.
    edges : ndarray of shape (number of intervals + 1,)
        Lowest value, then the upper end of each interval (included).
    ruler : Ruler
        Values that the column can take.

    Returns
    -------
    tuple of Law

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> counts = ColumnCounts(np.array([0, 73, 99]), np.array([90, 15, 5]))
    >>> zeros, others = interval_laws(counts, np.array([0, 0, 99]), SteppedRuler(1))
    >>> others
    Law(lows=array([51]), highs=array([99]), rows=array([20]))
    """
    values, rows = counts.values, counts.counts
    laws = []
    lows, highs = np.append(edges[:1], ruler.above(edges[1:-1])), edges[1:]
    starts = np.searchsorted(values, lows)
    ends = np.searchsorted(values, highs, side="right")
    for low, high, start, end in zip(lows, highs, starts, ends, strict=True):
        in_heaps, n_others = _share_out(rows[start:end])
        heaps = np.flatnonzero(in_heaps)
        others = start + np.flatnonzero(rows[start:end] < MIN_ROWS)
        if rows[others].sum() >= MIN_ROWS:
            runs = gather_runs(counts, others, low, high, ruler)
        else:
            n_runs = int(n_others > 0 or start == end)
            runs = (np.full(n_runs, number) for number in (low, high, n_others))
        points = values[start + heaps]
        laws.append(Law(*map(np.append, (points, points, in_heaps[heaps]), runs)))
    return tuple(laws)


def _share_out(rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Share the rows of an interval out between its heaps and its other runs.

    A value of `MIN_ROWS` rows or more is a heap. Others too few for one run are filled
    up with rows of the largest heap, or with all of them if too few would be left.

    Parameters
    ----------
    rows : ndarray of shape (m,), int64
        Rows of each distinct value.

    Returns
    -------
    in_heaps : ndarray of shape (m,), int64
        Rows of each heap, 0 for the other values.
    n_others : int
        Rows in the other runs.
    """
    in_heaps = np.where(rows >= MIN_ROWS, rows, 0)
    n_others = int(rows.sum() - in_heaps.sum())
    if 0 < n_others < MIN_ROWS and in_heaps.any():
        largest = in_heaps.argmax()
        lent = MIN_ROWS - n_others
        if in_heaps[largest] - lent < MIN_ROWS:
            lent = in_heaps[largest]
        in_heaps[largest] -= lent
        n_others += int(lent)
    return in_heaps, n_others


def gather_runs(
    counts: ColumnCounts,
    others: np.ndarray,
    low: np.generic,
    high: np.generic,
    ruler: Ruler,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gather the values of an interval that are no heaps into runs.

    They are gathered in order, whether heaps lie between them or not. Two runs are
    parted by the roundest number of those that `_windows` allows. The first and the
    last run end with the interval. None reaches across a gap, see `find_gaps`: it ends
    beyond its last value by as much as `MIN_ROWS` rows reach, or less. Where a heap is
    beside a run, the roundest number between them parts them, and if it is far, one no
    farther from the run than this is wide: 9999 in the place of no end would stretch
    the dates before. It would tell much of the run's first or last value where their
    gap is less than a tenth of the run, which then ends right beside the heap.

    Parameters
    ----------
    counts : ColumnCounts
    others : ndarray of shape (m,), int64
        Positions of these values; they have `MIN_ROWS` rows or more together.
    low, high : number
        Ends of the interval.
    ruler : Ruler

    Returns
    -------
    lows, highs, rows : ndarray of shape (r,)
        Ends and rows of each run.
    """
    values, n_values = counts.values, len(counts.values)
    gaps = find_gaps(values[others], counts.counts[others])
    earliest, latest = _windows_around(gaps.ends, counts.counts[others])
    cuts = ruler.roundest(values[others[earliest]], values[others[latest + 1]])
    starts = np.searchsorted(values[others], cuts, side="right")
    first, last = (
        others[np.append(0, starts)],
        others[np.append(starts, len(others)) - 1],
    )
    rows = np.add.reduceat(counts.counts[others], np.append(0, starts))
    lows, highs = np.append(low, ruler.above(cuts)), np.append(cuts, high)
    k = np.searchsorted(latest, gaps.ends)
    a, b = values[others[gaps.ends]], values[others[gaps.ends + 1]]
    highs[k] = ruler.roundest(a, a + gaps.before)
    lows[k + 1] = ruler.above(ruler.roundest(b - gaps.after, b))

    before, after = np.maximum(first - 1, 0), np.minimum(last + 1, n_values - 1)
    k = np.flatnonzero((before < first) & (counts.counts[before] >= MIN_ROWS))
    heap, a, b = values[before[k]], values[first[k]], values[last[k]]
    near = a * 1.0 - heap < 0.1 * (b * 1.0 - heap)
    far = np.where((a * 1.0 - heap) / _WIDE > b * 1.0 - a, a - (b - a), heap)
    lows[k] = ruler.above(np.where(near, heap, ruler.roundest(far, a)))

    k = np.flatnonzero((after > last) & (counts.counts[after] >= MIN_ROWS))
    a, b, heap = values[first[k]], values[last[k]], values[after[k]]
    near = heap - b * 1.0 < 0.1 * (heap - a * 1.0)
    far = np.where((heap - b * 1.0) / _WIDE > b - a * 1.0, b + (b - a), heap)
    highs[k] = np.where(near, ruler.below(heap), ruler.roundest(b, far))
    return np.maximum(lows, low), np.minimum(highs, high), rows


class Gaps(NamedTuple):
    """Where values are far apart.

    Attributes
    ----------
    ends : ndarray of int64, shape (g,)
        Positions of the last value before each gap.
    before, after : ndarray, shape (g,)
        How far `MIN_ROWS` rows reach from it, on both sides; half of the gap at most.
    """

    ends: np.ndarray
    before: np.ndarray
    after: np.ndarray


def find_gaps(values: np.ndarray, rows: np.ndarray) -> Gaps:
    """Gaps that are wide beside how far apart values are on both sides of them.

    A run across one would put individuals of the one side, and values in between that
    nobody has, beside what goes with the other.

    Parameters
    ----------
    values : ndarray of shape (m,), int64 or float64
        Increasing.
    rows : ndarray of shape (m,), int64
        Rows of each.

    Returns
    -------
    Gaps
        Of which no two have fewer than `MIN_ROWS` rows between them, or beside them.
    """
    total = np.cumsum(rows)
    ends = np.arange(len(values) - 1)
    if float(values[-1]) - float(values[0]) > _MOST_APART:
        return Gaps(ends[:0], values[:0], values[:0])
    # First and last value of the rows that are next to each gap.
    first = total.searchsorted(total[:-1] - MIN_ROWS, "right")
    last = total.searchsorted(total[:-1] + MIN_ROWS)
    ends = ends[(total[:-1] >= MIN_ROWS) & (last < len(values))]
    before = values[ends] - values[first[ends]]
    after = values[last[ends]] - values[ends + 1]
    gap = values[ends + 1] - values[ends]
    wider, nearer = np.maximum(before, after), np.minimum(before, after)
    is_wide = (gap > wider) & (gap / _WIDE > nearer)
    # No run goes on for more than half of a gap: the next one begins there.
    half = gap // 2 if gap.dtype == np.int64 else gap / 2
    before, after = np.minimum(before, half), np.minimum(after, half)
    return Gaps(ends[is_wide], before[is_wide], after[is_wide])


def _windows_around(gaps: np.ndarray, rows: np.ndarray):
    """Where runs may end between gaps, see `_windows`, and have to at gaps."""
    starts = np.append(0, gaps + 1)
    ends = np.append(gaps + 1, len(rows))
    windows = [
        start + np.stack(_windows(rows[start:end]))
        for start, end in zip(starts, ends, strict=True)
    ]
    earliest, latest = np.hstack([*windows, np.stack([gaps, gaps])])
    order = np.argsort(earliest)
    return earliest[order], latest[order]


def _windows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where runs may end.

    A run has `MIN_ROWS` rows when it ends at the earliest place, and up to half as many
    more at the latest (ties aside). Whichever is chosen, the next one has `MIN_ROWS`.
    Were there no choice, a cut between two values that chance has put close to each
    other would tell both.

    Parameters
    ----------
    rows : ndarray of shape (m,), int64
        Rows of each value, in order.

    Returns
    -------
    earliest, latest : ndarray of shape (r - 1,), int64
        Positions of the first and the last value that each run but the last may end
        with.
    """
    total = np.cumsum(rows)
    most = total[-1] - MIN_ROWS  # what all runs but the last can hold
    windows, reached = [], 0
    while reached + MIN_ROWS <= most:
        early = total.searchsorted(reached + MIN_ROWS)
        if total[early] > most:
            break
        limit = min(reached + MIN_ROWS + MIN_ROWS // 2, most)
        late = max(early, total.searchsorted(limit, "right") - 1)
        windows.append((early, late))
        reached = total[late]
    earliest, latest = np.array(windows, dtype=np.int64).reshape(-1, 2).T
    return earliest, latest
