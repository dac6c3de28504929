"""The parts of one variable: its categories, groups of them, or intervals of values.

Parts translate values into codes and codes back into drawn values. They are made by
`build_parts` from counts alone and are saved as JSON. With ``binning="heaped"`` they
tell of a column

- the categories seen;
- the values that `MIN_ROWS` (20) individuals or more share;
- its bounds, or its lowest and highest value;
- round numbers that separate groups of `MIN_ROWS` individuals or more, and the sizes of
  these groups. Each is the roundest around, of a place where several individuals are:
  they fix it, but it does not fix them. A column of few possible values, such as ages,
  leaves no such choice.

A table to be released goes through `release_values` first: its categories and bounds
then describe no few individuals either. A column of fewer than `MIN_ROWS` values is one
interval, of which only the ends are told. With other binnings and given cuts an
interval can hold fewer individuals: its two ends then separate as few, and are the
roundest numbers between two values.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from coclust_synth.exceptions import ModelFileError, ParameterError, SchemaError
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.draws.rulers import (
    Ruler,
    check_ends,
    make_ruler,
    put_on_ruler,
    ruler_from_dict,
)
from coclust_synth.tables.labels import (
    distinct_labels,
    group_label,
    interval_labels,
    short_text,
)
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import Law, interval_laws
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.parts.cuts import check_binning, interval_edges
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.values.columns import bounds_of, canonical_bounds


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
        return distinct_labels(
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
                f"Expected one of the {len(self.seen)} categories that parts were made "
                f"from. Received {name!r} ({unseen.sum()} rows hold such a category). "
                "Replace it, or build the parts again from a table that has it."
            )
        return codes

    def draw(
        self, codes: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Value and missing mask of each part code; nothing is random here."""
        codes = np.asarray(codes)
        missing = (codes < 0) | (codes >= len(self.seen))
        values = np.array([*self.seen, 0], dtype=np.int64)
        return values[np.where(missing, -1, codes)], missing

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


def same_categories(one: CategoryParts, other: CategoryParts) -> np.ndarray:
    """For each code of a column that of another with the same category.

    Parameters
    ----------
    one, other : CategoryParts

    Returns
    -------
    ndarray of int64, shape (one.n_parts,)
        -1 where it has none; missing values are alike.

    Examples
    --------
    >>> few = CategoryParts(("a", "b", "c"), (0, 2), True)
    >>> same_categories(few, CategoryParts(("b", "c"), (0, 1), True)).tolist()
    [-1, 1, 2]
    """
    place = {other.categories[code]: at for at, code in enumerate(other.seen)}
    same = [place.get(one.categories[code], -1) for code in one.seen]
    if one.with_missing:
        same.append(other.n_parts - 1 if other.with_missing else -1)
    return np.array(same, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class GroupParts:
    """One part for each group of categories, and one for missing values.

    Parameters
    ----------
    single : CategoryParts
        A part for each category, and for missing values where these are a part.
    group : tuple of int
        Group of each of these parts, from 0 without gaps; missing values are the last
        one, alone.
    rows : tuple of int
        Individuals in each of these parts, at least 1.
    """

    single: CategoryParts
    group: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def seen(self) -> tuple[int, ...]:
        """Codes of the categories that are in a part, increasing."""
        return self.single.seen

    @property
    def with_missing(self) -> bool:
        """Whether the last part is that of missing values."""
        return self.single.with_missing

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return max(self.group) + 1

    @property
    def labels(self) -> tuple[str, ...]:
        """A text for each part, all different: ``{a, b, c, ...}``, or one category."""
        groups: list[list[str]] = [[] for _ in range(self.n_parts)]
        for label, group in zip(self.single.labels, self.group, strict=True):
            groups[group].append(label)
        return distinct_labels(list(map(group_label, groups)), with_missing=False)

    def encode(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Part of each value; as `CategoryParts.encode`."""
        codes = self.single.encode(values, missing)
        return np.where(codes < 0, -1, np.array(self.group, dtype=np.int32)[codes])

    def draw(
        self, codes: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a category of each group as often as individuals hold it.

        Returns
        -------
        values : ndarray of shape (n,), int64
        missing : ndarray of shape (n,), bool
        """
        codes = np.asarray(codes)
        single = np.full(len(codes), -1)
        group, rows = np.array(self.group), np.array(self.rows)
        for k in range(self.n_parts):
            wanted = codes == k
            members = np.flatnonzero(group == k)
            share = rows[members] / rows[members].sum()
            single[wanted] = rng.choice(members, wanted.sum(), p=share)
        return self.single.draw(single, rng)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        return {
            "type": "groups",
            "single": self.single.to_dict(),
            "group": list(self.group),
            "rows": list(self.rows),
        }

    @classmethod
    def from_dict(cls, data: dict) -> "GroupParts":
        """Inverse of `to_dict`."""
        single = CategoryParts.from_dict(data["single"])
        return cls(single, tuple(data["group"]), tuple(data["rows"]))


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
                "Expected missing values only, as when the parts were built. Received "
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
        codes = np.asarray(codes)
        return values, (codes < 0) | (codes >= len(self.laws))

    def to_dict(self) -> dict:
        """JSON compatible form; numbers come back exactly."""
        return {
            "type": "intervals",
            "ruler": self.ruler.to_dict(),
            "edges": self.edges.tolist(),
            "laws": [law.to_dict() for law in self.laws],
            "labels": list(self.labels),
            "with_missing": self.with_missing,
        }

    @classmethod
    def from_dict(cls, data: dict) -> "IntervalParts":
        """Inverse of `to_dict`."""
        ruler = ruler_from_dict(data["ruler"])
        return cls(
            ruler,
            np.array(data["edges"], dtype=ruler.dtype),
            tuple(Law.from_dict(law, ruler.dtype) for law in data["laws"]),
            tuple(data["labels"]),
            data["with_missing"],
        )


Parts = CategoryParts | GroupParts | IntervalParts | AtomParts


def parts_from_dict(data: dict) -> Parts:
    """The parts that `to_dict` described.

    Raises
    ------
    ModelFileError
        If this is no description of parts.
    """
    kinds = {
        "atoms": AtomParts,
        "categories": CategoryParts,
        "groups": GroupParts,
        "intervals": IntervalParts,
    }
    try:
        return kinds[data["type"]].from_dict(data)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelFileError(
            "Expected the description of a variable's parts. Received one that does "
            f"not read ({type(error).__name__}: {error}). Save the model again."
        ) from error


def build_parts(
    counts: ColumnCounts,
    column: Column,
    *,
    binning: str = "heaped",
    cuts: Sequence[float] | None = None,
    bins: int = 10,
    keep_missing: bool = True,
    apart: bool = False,
    holders: Holders | None = None,
) -> Parts:
    """Turn a column into parts.

    Parameters
    ----------
    counts : ColumnCounts
        The column's distinct values. Counts that are not those of a table make parts
        that do not depend on it: no values, bounds and ``binning="width"`` give empty
        intervals with uniform laws; ``n_missing=1`` asks for a missing part.
    column : Column
        Complete: a listed one has categories, of which each one seen is a part. Others
        have bounds, the lowest and highest value that may be drawn (default, those
        seen), a step, and dates a unit (see `SteppedRuler`).
    binning : {"heaped", "quantile", "width", "atoms"}, default="heaped"
        See `heaped_cuts`, `quantile_cuts`, `width_cuts`, `learn_atoms`. Only "heaped"
        and "atoms" make parts of `MIN_ROWS` individuals or more, and are meant for
        models to be released.
    cuts : sequence of float, optional
        Cut points to use instead; those outside the bounds separate nothing. The
        intervals between them can hold few individuals, or none.
    bins : int, default=10
        Number of intervals asked for; heaped ones are fewer in a column of fewer than
        ``bins * MIN_ROWS`` values.
    keep_missing : bool, default=True
        Whether missing values, where there are any, are a part. They always are in a
        column that has no other part.
    apart : bool, default=False
        Of atoms, see `AtomParts`: each row is an individual.
    holders : Holders, optional
        Of atoms, see `learn_atoms`.

    Returns
    -------
    CategoryParts, IntervalParts or AtomParts

    Raises
    ------
    ParameterError
        If an argument is outside its range.
    SchemaError
        If a value is outside the bounds or the domain, or is not finite.

    Examples
    --------
    >>> counts = ColumnCounts(np.array([0, 5, 9]), np.array([90, 15, 5]), n_missing=2)
    >>> parts = build_parts(counts, Column(name="size", kind="integer"))
    >>> parts.labels
    ('{0}', ']0, 9]', 'missing')
    >>> parts.encode(np.array([7, 0, 0]), np.array([False, False, True]))
    array([1, 0, 2], dtype=int32)
    """
    has_values = len(counts.values) > 0
    with_missing = bool(counts.n_missing) and (keep_missing or not has_values)
    if column.kind in LISTED_KINDS:
        return _category_parts(counts, column.categories, with_missing)

    if binning != "atoms":
        check_binning(binning, bins)
    bounds = canonical_bounds(column)
    ends = check_ends(counts.values, bounds)
    largest = max(map(abs, ends), default=0)
    ruler = make_ruler(column.kind, column.step, largest, column.unit)
    if binning == "atoms":
        how = {"spread": True, "apart": apart, "holders": holders}
        return learn_atoms(counts, bounds, ruler, with_missing, **how)
    if not ends:
        edges = np.array([], dtype=ruler.dtype)
        laws: tuple[Law, ...] = ()
    else:
        counts, lo, hi = put_on_ruler(counts, bounds, ruler)
        edges = interval_edges(counts, lo, hi, ruler, binning, bins, cuts)
        laws = interval_laws(counts, edges, ruler)
    text = _date_text(column) if column.kind == "datetime" else short_text
    labels = interval_labels(edges, ruler, text)
    return IntervalParts(
        ruler, edges, laws, distinct_labels(labels, with_missing), with_missing
    )


def _date_text(column: Column) -> Callable:
    """Writer of the canonical values of a date column, for the labels of parts."""
    return lambda value: str(bounds_of(np.array([value]), column)[0])


def _category_parts(
    counts: ColumnCounts, categories: Sequence | None, with_missing: bool
) -> CategoryParts:
    """Parts of a categorical, ordinal or boolean column."""
    if categories is None:
        raise ParameterError(
            "Expected the categories of a column that is not numeric. Received None. "
            "Give its domain in the order of its codes."
        )
    seen = tuple(counts.values.tolist())
    if seen and not (0 <= seen[0] and seen[-1] < len(categories)):
        raise SchemaError(
            f"Expected codes from 0 to {len(categories) - 1}. Received {seen[0]} to "
            f"{seen[-1]}. Give the whole domain of the column."
        )
    return CategoryParts(tuple(map(str, categories)), seen, with_missing)


def _missing_codes(missing: np.ndarray, n_parts: int, with_missing: bool) -> np.ndarray:
    """Codes to be filled: missing values have the last part, or -1 without one."""
    return np.where(missing, n_parts - 1 if with_missing else -1, 0).astype(np.int32)
