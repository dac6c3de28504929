"""The declared values of one column, cut into cells."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from pandas.api import types

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.literals import VALUE_TYPES

_NUMBERS = (int, float)


@dataclass(frozen=True, kw_only=True)
class DomainColumn:
    """What values a column may have: categories, or numbers in bins of equal width.

    Its cells are the categories or bins in order, then `other`, then missing.

    Parameters
    ----------
    name : str
        Name in the table.
    categories : tuple, optional
        Every value, in order; or `low`, `high` and `bins` instead.
    low, high : int or float, optional
        Lowest and highest number. If both are int, the column holds whole numbers.
    bins : int, optional
        Intervals of equal width between them; the last one has both ends. Whole
        numbers go to bin min(bins - 1, floor(bins (value - low) / (high - low))).
    clamp : bool, default=False
        Count numbers below `low` or above `high` in the first or last bin; by default
        they are an error.
    other : str, optional
        A cell for all values that are no category, under this name; without it they
        are an error.
    missing : str, optional
        A cell for missing values, which this mark stands for in text files too (it may
        be empty); without it they are an error.

    Raises
    ------
    SchemaError
        If the description is incomplete or contradicts itself.
    """

    name: str
    categories: tuple | None = None
    low: int | float | None = None
    high: int | float | None = None
    bins: int | None = None
    clamp: bool = False
    other: str | None = None
    missing: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            self._fail("name", "text")
        for field in ("other", "missing"):
            if not isinstance(getattr(self, field), str | None):
                self._fail(field, "text")
        if self.categories is not None:
            self._check_categories()
        else:
            self._check_bounds()

    def _check_categories(self) -> None:
        for field in ("low", "high", "bins"):
            if getattr(self, field) is not None:
                self._fail(field, "left out beside `categories`")
        if self.clamp is not False:
            self._fail("clamp", "left out beside `categories`")
        listed = isinstance(self.categories, tuple) and self.categories
        if not listed or not all(isinstance(v, VALUE_TYPES) for v in self.categories):
            self._fail("categories", "a list of at least one value")
        texts = {*self.categories, self.other, self.missing} - {None}
        n_marks = (self.other is not None) + (self.missing is not None)
        if len(texts) < len(self.categories) + n_marks:
            self._fail("categories", "different values, none of them `other` or a mark")

    def _check_bounds(self) -> None:
        for field in ("low", "high", "bins"):
            value = getattr(self, field)
            if value is None:
                self._fail("categories", "given, or `low`, `high` and `bins`")
            finite = isinstance(value, _NUMBERS) and math.isfinite(value)
            if not finite or isinstance(value, bool):
                self._fail(field, "a number")
        if self.other is not None:
            self._fail("other", "left out beside `low` and `high`; `clamp` is for them")
        if not isinstance(self.clamp, bool):
            self._fail("clamp", "true or false")
        if not self.low < self.high:
            self._fail("high", "above `low`")
        width = self.high - self.low
        if not isinstance(self.bins, int) or self.bins < 1:
            self._fail("bins", "a whole number from 1 on")
        if self.is_integer and self.bins > width + 1:
            self._fail("bins", f"at most {width + 1}, a whole number in each bin")
        if self.is_integer and not -(2**62) <= self.low < self.high <= 2**62:
            self._fail("high", "within 62 bits, as `low` must be")

    def _fail(self, field: str, expected: str) -> None:
        raise SchemaError(
            f"Column {self.name!r}: `{field}` must be {expected}. Received "
            f"{getattr(self, field)!r}. Correct it in the domain."
        )

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers in bins."""
        return self.categories is None

    @property
    def is_integer(self) -> bool:
        """Whether its values are whole numbers in bins."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    @property
    def n_values(self) -> int:
        """Cells of categories or bins: without `other` and missing."""
        return self.bins if self.is_numeric else len(self.categories)

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.n_values + (self.other is not None) + (self.missing is not None)

    @property
    def starts(self) -> np.ndarray:
        """Lowest value of each bin, shape (bins,); of whole numbers, whole."""
        if not self.is_integer:
            return self.low + (self.high - self.low) * (
                np.arange(self.bins) / self.bins
            )
        width = self.high - self.low
        return np.array(
            [self.low - (-b * width // self.bins) for b in range(self.bins)]
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Readable name of each cell."""
        texts = [*map(str, self.categories or ())]
        if self.is_integer:
            starts = self.starts.tolist()
            ends = [start - 1 for start in starts[1:]] + [self.high]
            texts = [
                str(low) if low == high else f"[{low}, {high}]"
                for low, high in zip(starts, ends, strict=True)
            ]
        elif self.is_numeric:
            ends = [*(f"{v:.6g}[" for v in self.starts[1:]), f"{self.high:.6g}]"]
            texts = [
                f"[{low:.6g}, {end}" for low, end in zip(self.starts, ends, strict=True)
            ]
        texts += [] if self.other is None else [self.other]
        return (*texts, *([] if self.missing is None else ["(missing)"]))

    def encode(self, series: pd.Series) -> np.ndarray:
        """Cell of each value, int32; see `Domain.encode`."""
        missing = series.isna().to_numpy(dtype=bool)
        if self.missing is not None and not types.is_numeric_dtype(series):
            marked = (series == self.missing).to_numpy(dtype=bool, na_value=False)
            missing = missing | marked
        if missing.any() and self.missing is None:
            raise TableError(
                f"Column {self.name!r}: expected no missing value, as the domain "
                f"declares no cell for them. Received {missing.sum()}. Declare "
                "`missing` for all releases of this table, or remove those rows."
            )
        present = series[~missing]
        codes = np.full(len(series), self.size - 1, dtype=np.int32)
        codes[~missing] = (self._bin if self.is_numeric else self._listed)(present)
        outside = codes < 0
        if outside.any():
            remedy = "`clamp`" if self.is_numeric else "`other`"
            raise TableError(
                f"Column {self.name!r}: expected values of the declared domain. "
                f"Received {outside.sum()} rows outside (which values is not shown: "
                f"they are private). Declare {remedy}, or correct the domain from its "
                "documentation."
            )
        return codes

    def _listed(self, present: pd.Series) -> np.ndarray:
        outside = -1 if self.other is None else self.n_values
        code = {value: code for code, value in enumerate(self.categories)}
        numbers, uniques = pd.factorize(present.astype(object))
        table = [code.get(value, outside) for value in uniques]
        return np.array(table, dtype=np.int32)[numbers] if table else numbers

    def _bin(self, present: pd.Series) -> np.ndarray:
        if not types.is_numeric_dtype(present) and len(present):
            raise TableError(
                f"Column {self.name!r}: expected numbers, as its domain has bounds. "
                f"Received values of type {present.dtype}. Convert them, for instance "
                "by pandas.to_numeric, or list categories in the domain."
            )
        values = present.to_numpy()
        if values.dtype == object or not self.is_integer:
            values = values.astype(np.float64)
        outside = ~((values >= self.low) & (values <= self.high))
        if self.clamp:
            outside = np.isnan(values)
        if self.is_integer:
            outside |= values != np.floor(values)
        codes = np.searchsorted(self.starts, values, side="right") - 1
        return np.where(outside, -1, np.maximum(codes, 0))

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> pd.Series:
        """A value of each cell; see `Domain.decode`."""
        missing = np.zeros(len(codes), dtype=bool)
        if self.missing is not None:
            missing = codes == self.size - 1
        if self.is_numeric:
            values = self._draw(np.where(missing, 0, codes), rng)
            series = pd.Series(values)
            if missing.any():
                series = series.astype("Int64" if self.is_integer else "float64")
                series[missing] = None
            return series.rename(self.name)
        table = np.empty(self.size, dtype=object)
        table[: self.n_values] = self.categories
        if self.other is not None:
            table[self.n_values] = self.other
        return pd.Series(table[codes]).infer_objects().rename(self.name)

    def _draw(self, bins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if self.is_integer:
            ends = np.append(self.starts[1:], self.high + 1)
            return rng.integers(self.starts[bins], ends[bins])
        ends = np.append(np.nextafter(self.starts[1:], -np.inf), self.high)
        low, high = self.starts[bins], ends[bins]
        return np.minimum(low + rng.random(len(bins)) * (high - low), high)
