"""The parts of one variable: its categories, or intervals of its values.

Parts translate values into codes and codes back into drawn values. They are made by
`build_parts` from counts alone, are saved as JSON, and hold no individual's value
where an interval's values were gathered. What they do hold: the categories seen; the
values that `MIN_ROWS` individuals or more share; and the lowest and highest value of
the column, unless bounds are given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from coclust_synth.exceptions import ModelFileError, ParameterError, SchemaError
from coclust_synth.tables.cuts import (
    Ruler,
    given_cuts,
    heaped_cuts,
    make_ruler,
    quantile_cuts,
    ruler_from_dict,
    width_cuts,
)
from coclust_synth.tables.rows import ColumnCounts

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


@dataclass(frozen=True, eq=False)
class CategoryParts:
    """One part for each category seen, and one for missing values.

    Parameters
    ----------
    categories : tuple of str
        Texts of the column's domain, in the order of its codes.
    seen : tuple of int
        Codes of the categories that are parts, increasing.
    with_missing : bool
        Whether the last part is that of missing values.
    """

    categories: tuple[str, ...]
    seen: tuple[int, ...]
    with_missing: bool

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.seen) + self.with_missing

    @property
    def labels(self) -> tuple[str, ...]:
        """A text for each part, all different."""
        return _distinct_labels(
            [self.categories[code] for code in self.seen], self.with_missing
        )

    def encode(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Part of each value.

        Parameters
        ----------
        values : ndarray of shape (n,), int64
            Codes in the column's domain.
        missing : ndarray of shape (n,), bool

        Returns
        -------
        ndarray of shape (n,), int32
            -1 for a missing value when missing is no part.

        Raises
        ------
        SchemaError
            If a category is no part.
        """
        part_of = np.full(len(self.categories), -1, dtype=np.int32)
        part_of[list(self.seen)] = np.arange(len(self.seen), dtype=np.int32)
        codes = _missing_codes(missing, self.n_parts, self.with_missing)
        codes[~missing] = part_of[values[~missing]]
        unseen = ~missing & (codes < 0)
        if unseen.any():
            name = self.categories[values[unseen.argmax()]]
            raise SchemaError(
                f"Expected one of the {len(self.seen)} categories that parts were "
                f"made from; got {name!r} ({unseen.sum()} rows hold such a category). "
                "Replace it, or build the parts again from a table that has it."
            )
        return codes

    def draw(
        self, codes: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Value and missing mask of each part code; nothing is random here."""
        missing = np.asarray(codes) >= len(self.seen)
        values = np.zeros(len(codes), dtype=np.int64)
        values[~missing] = np.array(self.seen, dtype=np.int64)[codes[~missing]]
        return values, missing

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "type": "categories",
            "categories": list(self.categories),
            "seen": list(self.seen),
            "with_missing": self.with_missing,
        }

    @classmethod
    def from_dict(cls, data: dict) -> "CategoryParts":
        """Inverse of `to_dict`."""
        return cls(tuple(data["categories"]), tuple(data["seen"]), data["with_missing"])


@dataclass(frozen=True, eq=False)
class IntervalParts:
    """Intervals of a numeric column, and one part for missing values.

    Parameters
    ----------
    ruler : Ruler
        Values that the column can take.
    edges : ndarray of shape (number of intervals + 1,)
        Lowest value, upper end of each interval (included), the last being the
        highest value. Empty for a column without values.
    laws : tuple of Law
        How values spread inside each interval.
    labels : tuple of str
        A text for each part, all different.
    with_missing : bool
        Whether the last part is that of missing values.
    """

    ruler: Ruler
    edges: np.ndarray
    laws: tuple[Law, ...]
    labels: tuple[str, ...]
    with_missing: bool

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.laws) + self.with_missing

    def encode(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Part of each value.

        Parameters
        ----------
        values : ndarray of shape (n,), int64 or float64
            Values outside the range seen belong to the first or last interval.
        missing : ndarray of shape (n,), bool

        Returns
        -------
        ndarray of shape (n,), int32
            -1 for a missing value when missing is no part.

        Raises
        ------
        SchemaError
            If there are values and the column had none when parts were built.
        """
        codes = _missing_codes(missing, self.n_parts, self.with_missing)
        if not self.laws and not missing.all():
            raise SchemaError(
                "Expected missing values only, as when the parts were built; got "
                f"{(~missing).sum()} values. Build the parts again from this table."
            )
        present = self.ruler.snap(values[~missing])
        codes[~missing] = np.searchsorted(self.edges[1:-1], present)
        return codes

    def draw(
        self, codes: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a value inside the part of each code.

        Parameters
        ----------
        codes : ndarray of shape (n,), int
        rng : numpy.random.Generator

        Returns
        -------
        values : ndarray of shape (n,), int64 or float64
            In their interval and on the column's grid; 0 where missing.
        missing : ndarray of shape (n,), bool
        """
        values = np.zeros(len(codes), dtype=self.ruler.dtype)
        for k, law in enumerate(self.laws):
            rows = np.flatnonzero(codes == k)
            if len(rows):
                values[rows] = law.draw(len(rows), self.ruler, rng)
        return values, np.asarray(codes) >= len(self.laws)

    def to_dict(self) -> dict:
        """JSON compatible form; numbers come back exactly."""
        return {
            "type": "intervals",
            "ruler": self.ruler.to_dict(),
            "edges": self.edges.tolist(),
            "laws": [
                {
                    "lows": law.lows.tolist(),
                    "highs": law.highs.tolist(),
                    "rows": law.rows.tolist(),
                }
                for law in self.laws
            ],
            "labels": list(self.labels),
            "with_missing": self.with_missing,
        }

    @classmethod
    def from_dict(cls, data: dict) -> "IntervalParts":
        """Inverse of `to_dict`."""
        ruler = ruler_from_dict(data["ruler"])

        def numbers(values):
            return np.array(values, dtype=ruler.dtype)

        laws = tuple(
            Law(
                numbers(law["lows"]),
                numbers(law["highs"]),
                np.array(law["rows"], dtype=np.int64),
            )
            for law in data["laws"]
        )
        return cls(
            ruler,
            numbers(data["edges"]),
            laws,
            tuple(data["labels"]),
            data["with_missing"],
        )


Parts = CategoryParts | IntervalParts


def parts_from_dict(data: dict) -> Parts:
    """The parts that `to_dict` described.

    Raises
    ------
    ModelFileError
        If this is no description of parts.
    """
    kinds = {"categories": CategoryParts, "intervals": IntervalParts}
    try:
        return kinds[data["type"]].from_dict(data)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"Expected the description of a variable's parts; got one that does not "
            f"read ({type(error).__name__}: {error}). Save the model again."
        ) from error


def build_parts(
    counts: ColumnCounts,
    *,
    kind: str,
    categories: Sequence | None = None,
    step: int | float | None = None,
    bounds: tuple | None = None,
    binning: str = "heaped",
    cuts: Sequence[float] | None = None,
    bins: int = 10,
    keep_missing: bool = True,
    format_value: Callable | None = None,
) -> Parts:
    """Turn a column into parts.

    Parameters
    ----------
    counts : ColumnCounts
        The column's distinct values. Counts that are not those of a table make parts
        that do not depend on it: no values, bounds and ``binning="width"`` give empty
        intervals with uniform laws; ``n_missing=1`` asks for a missing part.
    kind : {"categorical", "ordinal", "boolean", "integer", "real", "datetime"}
        The first three have one part for each category seen.
    categories : sequence, optional
        The domain, for the first three kinds.
    step : int, float or None
        Every value is a multiple of it; None is 1, or no step for a real column.
    bounds : (low, high), optional
        Lowest and highest value that may be drawn; default, those seen.
    binning : {"heaped", "quantile", "width"}, default="heaped"
        See `heaped_cuts`, `quantile_cuts`, `width_cuts`.
    cuts : sequence of float, optional
        Cut points to use instead; those outside the bounds separate nothing.
    bins : int, default=10
        Number of intervals asked for.
    keep_missing : bool, default=True
        Whether missing values, where there are any, are a part. They always are in a
        column that has no other part.
    format_value : callable, optional
        Text of a value, for the labels of intervals; default, 10 digits.

    Returns
    -------
    CategoryParts or IntervalParts

    Raises
    ------
    ParameterError
        If an argument is outside its range.
    SchemaError
        If a value is outside the bounds or the domain, or is not finite.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([0, 5, 9]), np.array([90, 5, 5]), n_missing=2)
    >>> parts = build_parts(counts, kind="integer")
    >>> parts.labels
    ('{0}', ']0, 9]', 'missing')
    >>> parts.encode(np.array([7, 0, 0]), np.array([False, False, True]))
    array([1, 0, 2], dtype=int32)
    """
    has_values = len(counts.values) > 0
    with_missing = bool(counts.n_missing) and (keep_missing or not has_values)
    if kind in ("categorical", "ordinal", "boolean"):
        return _category_parts(counts, categories, with_missing)

    _check_choices(kind, binning, bins)
    ends = _check_ends(counts.values, bounds)
    ruler = make_ruler(kind, step, max(map(abs, ends), default=0))
    if not ends:
        edges, laws = np.array([], dtype=ruler.dtype), ()
    else:
        counts, lo, hi = _on_grid(counts, bounds, ruler)
        if cuts is not None:
            inner = given_cuts(cuts)
        elif binning == "width":
            inner = width_cuts(lo, hi, bins)
        else:
            find = heaped_cuts if binning == "heaped" else quantile_cuts
            inner = find(counts, bins, ruler)
        # On the grid every interval has a value; a cut outside separates nothing.
        inner = np.unique(ruler.down(inner))
        inner = inner[(inner >= lo) & (inner < hi)]
        edges = np.concatenate([[lo], inner, [hi]])
        laws = _interval_laws(counts, edges, ruler)
    labels = _interval_labels(edges, ruler, format_value or _short_text)
    return IntervalParts(
        ruler, edges, laws, _distinct_labels(labels, with_missing), with_missing
    )


def _category_parts(
    counts: ColumnCounts, categories: Sequence | None, with_missing: bool
) -> CategoryParts:
    """Parts of a categorical, ordinal or boolean column."""
    if categories is None:
        raise ParameterError(
            "Expected the categories of a column that is not numeric; got None. Give "
            "its domain in the order of its codes."
        )
    seen = tuple(counts.values.tolist())
    if seen and not (0 <= seen[0] and seen[-1] < len(categories)):
        raise SchemaError(
            f"Expected codes from 0 to {len(categories) - 1}; got {seen[0]} to "
            f"{seen[-1]}. Give the whole domain of the column."
        )
    return CategoryParts(tuple(map(str, categories)), seen, with_missing)


def _check_choices(kind: str, binning: str, bins: int) -> None:
    """Check the arguments that concern intervals."""
    if kind not in ("integer", "real", "datetime"):
        raise ParameterError(
            "Expected a kind among 'categorical', 'ordinal', 'boolean', 'integer', "
            f"'real' and 'datetime'; got {kind!r}. Correct the column's kind."
        )
    if binning not in ("heaped", "quantile", "width"):
        raise ParameterError(
            "Expected binning 'heaped', 'quantile' or 'width'; got "
            f"{binning!r}. Choose one of the three, or give cuts."
        )
    if not isinstance(bins, Integral) or bins < 1:
        raise ParameterError(
            f"Expected a number of bins of at least 1; got {bins!r}. The default is 10."
        )


def _check_ends(values: np.ndarray, bounds: tuple | None) -> tuple:
    """Lowest and highest value, then the bounds, checked; empty without any."""
    seen = tuple(values[[0, -1]].tolist()) if len(values) else ()
    ends = seen + tuple(bounds or ())
    if not np.isfinite(ends).all():
        raise SchemaError(
            f"Expected finite values and bounds; got {ends}. Make infinite values "
            "missing first, or correct the bounds."
        )
    if bounds and seen and not (bounds[0] <= seen[0] and seen[1] <= bounds[1]):
        raise SchemaError(
            f"Expected values from {bounds[0]} to {bounds[1]}; got {seen[0]} to "
            f"{seen[1]}. Widen the bounds, or make values outside missing."
        )
    return ends


def _on_grid(
    counts: ColumnCounts, bounds: tuple | None, ruler: Ruler
) -> tuple[ColumnCounts, np.generic, np.generic]:
    """Counts with all values on the ruler's grid, and the column's two ends."""
    snapped = ruler.snap(counts.values)
    if bounds is None:
        lo, hi = snapped[0], snapped[-1]
    else:
        lo, hi = ruler.up(np.array(bounds[0])), ruler.down(np.array(bounds[1]))
    if lo > hi:
        raise ParameterError(
            f"Expected bounds with a value of the column between them; got {bounds} "
            f"with steps of {ruler.step}. Widen the bounds or refine the step."
        )
    values, position = np.unique(np.clip(snapped, lo, hi), return_inverse=True)
    rows = np.bincount(position, weights=counts.counts).astype(np.int64)
    return ColumnCounts(values, rows, counts.n_missing), lo, hi


def _interval_laws(
    counts: ColumnCounts, edges: np.ndarray, ruler: Ruler
) -> tuple[Law, ...]:
    """The law of each interval; uniform where nothing was seen."""
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


def _short_text(value) -> str:
    """Text of a number: integers in full, others with 10 digits."""
    return str(value) if isinstance(value, int) else f"{value + 0.0:.10g}"  # no -0


def _interval_labels(
    edges: np.ndarray, ruler: Ruler, format_value: Callable
) -> list[str]:
    """Text of each interval, `]28, 33]`, or `{0}` where it has only one value."""
    texts = [format_value(edge) for edge in edges.tolist()]
    is_single = np.append(edges[:1], ruler.above(edges[1:-1])) == edges[1:]
    labels = []
    for k, single in enumerate(is_single):
        if single:
            labels.append(f"{{{texts[k + 1]}}}")
            continue
        # A cut just under a lone value can read like that value: leave it out then.
        before_single = is_single[k + 1 : k + 2].any() and texts[k + 1] == texts[k + 2]
        opening, closing = "]" if k else "[", "[" if before_single else "]"
        labels.append(f"{opening}{texts[k]}, {texts[k + 1]}{closing}")
    return labels


def _distinct_labels(labels: list[str], with_missing: bool) -> tuple[str, ...]:
    """The labels and that of the missing part, repeated ones numbered."""
    taken: dict[str, None] = {}
    for label in labels + ["missing"] * with_missing:
        name, number = label, 1
        while name in taken:
            number += 1
            name = f"{label} ({number})"
        taken[name] = None
    return tuple(taken)


def _missing_codes(missing: np.ndarray, n_parts: int, with_missing: bool) -> np.ndarray:
    """Codes to be filled: missing values have the last part, or -1 without one."""
    return np.where(missing, n_parts - 1 if with_missing else -1, 0).astype(np.int32)
