"""How values spread inside an interval: the law that drawn values follow.

A law is made of runs, each uniform between its two ends. Runs are gathered from counts
until each describes `MIN_ROWS` individuals, so that a saved law holds no individual's
value.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.rulers import Ruler

# Inside an interval, no value and no range is described on its own for fewer
# individuals: the minimum frequency rule of statistical offices, who publish no cell
# below 3 to 10. 20 is on the careful side.
MIN_ROWS = 20


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
    >>> from coclust_synth.tables.rulers import SteppedRuler
    >>> counts = ColumnCounts(np.array([0, 5, 9]), np.array([90, 15, 5]))
    >>> zeros, others = interval_laws(counts, np.array([0, 0, 9]), SteppedRuler(1))
    >>> others
    Law(lows=array([3]), highs=array([9]), rows=array([20]))
    """
    values = counts.values
    # Every value seen owns the values nearest to it: a run ends halfway to the next.
    middles = ruler.middle(values[:-1], values[1:])
    own_lows = np.append(edges[:1], ruler.above(middles))
    own_highs = np.append(middles, edges[-1:])

    laws = []
    lows, highs = np.append(edges[:1], ruler.above(edges[1:-1])), edges[1:]
    starts = np.searchsorted(values, lows)
    ends = np.searchsorted(values, highs, side="right")
    for low, high, start, end in zip(lows, highs, starts, ends, strict=True):
        if start == end:
            nobody = np.zeros(1, dtype=np.int64)
            laws.append(Law(np.array([low]), np.array([high]), nobody))
            continue
        first, last, rows = _gather_runs(counts.counts[start:end])
        is_heap = (first == last) & (rows >= MIN_ROWS)
        first, last = first + start, last + start
        run_lows = np.where(is_heap, values[first], own_lows[first])
        run_highs = np.where(is_heap, values[last], own_highs[last])
        laws.append(Law(np.maximum(run_lows, low), np.minimum(run_highs, high), rows))
    return tuple(laws)


def _gather_runs(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gather the distinct values of an interval into runs.

    A value of `MIN_ROWS` rows or more is a run of its own (a heap). The others, in
    order and whether heaps lie between them or not, are gathered until a run has
    `MIN_ROWS`; what is left at the end joins the last run. Others too few for one run
    are filled up with rows of the largest heap.

    Parameters
    ----------
    rows : ndarray of shape (m,), int64
        Rows of each distinct value, m > 0.

    Returns
    -------
    first, last, rows : ndarray of shape (r,)
        Position of each run's first and last value, and its rows.
    """
    in_heaps = np.where(rows >= MIN_ROWS, rows, 0)
    in_runs = rows - in_heaps
    n_in_runs = int(in_runs.sum())
    if 0 < n_in_runs < MIN_ROWS and in_heaps.any():
        largest = in_heaps.argmax()
        lent = MIN_ROWS - n_in_runs
        if in_heaps[largest] - lent < MIN_ROWS:
            lent = in_heaps[largest]
        in_heaps[largest] -= lent
        in_runs[largest] += lent
        n_in_runs += int(lent)

    heaps, others = np.flatnonzero(in_heaps), np.flatnonzero(in_runs)
    total = np.cumsum(in_runs[others])
    ends, reached = [], 0
    while n_in_runs - reached >= MIN_ROWS:
        ends.append(np.searchsorted(total, reached + MIN_ROWS))
        reached = total[ends[-1]]
    if len(others):
        ends[-1:] = [len(others) - 1]
    ends = np.array(ends, dtype=np.int64)
    starts = np.append(0, ends + 1)[:-1]

    first = np.append(heaps, others[starts])
    last = np.append(heaps, others[ends])
    return first, last, np.append(in_heaps[heaps], np.diff(total[ends], prepend=0))
