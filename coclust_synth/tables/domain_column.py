"""The declared values of one column, cut into cells."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables.cells import cell_text, cell_texts, parse_number
from coclust_synth.tables.literals import VALUE_TYPES

_NUMBERS = (int, float)
# Instead of a cell: what the domain declares no cell for.
_MISSING, _OUTSIDE, _NO_NUMBER = -1, -2, -3


@dataclass(frozen=True, kw_only=True)
class DomainColumn:
    """What values a column may have: categories, or numbers in bins of equal width.

    Its cells are the categories or bins in order, then `other`, then missing. Which of
    them a value falls in is told from its text alone (see `cell_text`), blanks around
    it left out: no other row plays a part.

    A category that is a number stands for that number however it is written (1, 1.0,
    01), false and true for themselves in small letters, capitals or with one capital,
    any other category for its own text. What is a number is said by `parse_number`.
    No row is refused where `other` and `missing`, or `clamp`, `missing` and `coerce`
    are declared.

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
        Count numbers below `low` or above `high` in the first or last bin, and numbers
        that are not whole, where they should be, in the bin around them; by default
        they are an error.
    other : str, optional
        A cell for all values that are no category, under this name; without it they
        are an error.
    missing : str, optional
        A cell for missing values: None, NaN, an empty text, and this mark; without it
        they are an error.
    coerce : bool, default=False
        Count what is no number as missing, which must then be declared; by default it
        is an error.

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
    coerce: bool = False

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
        for field in ("clamp", "coerce"):
            if getattr(self, field) is not False:
                self._fail(field, "left out beside `categories`")
        listed = isinstance(self.categories, tuple) and self.categories
        if not listed or not all(isinstance(v, VALUE_TYPES) for v in self.categories):
            self._fail("categories", "a list of at least one value")
        texts = [cell_text(category) for category in self.categories]
        marks = [cell_text(mark) for mark in (self.other, self.missing)]
        taken = [*texts, *(mark for mark in marks if mark is not None)]
        if None in texts or len(set(taken)) < len(taken):
            self._fail(
                "categories",
                "different texts, none of them empty, `other` or the mark of a missing "
                "value",
            )

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
        for field in ("clamp", "coerce"):
            if not isinstance(getattr(self, field), bool):
                self._fail(field, "true or false")
        if self.coerce and self.missing is None:
            self._fail("coerce", "left out, or `missing` declared beside it")
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
        numbers, texts = cell_texts(series)
        read = self._read_number() if self.is_numeric else self._read_category()
        # The last one is that of missing cells, whose number is -1.
        codes = np.array([*map(read, texts), self._missing_code], dtype=np.int32)
        codes = codes[numbers]
        if (codes < 0).any():
            self._refuse(codes)
        return codes

    @property
    def _missing_code(self) -> int:
        return _MISSING if self.missing is None else self.size - 1

    def _read_category(self) -> Callable[[str], int]:
        """The rule that tells the cell of a text, of no other text."""
        known = {}
        numbers = {}
        for code, category in enumerate(self.categories):
            text = cell_text(category)
            known[text] = code
            if isinstance(category, bool):
                known |= {text.title(): code, text.upper(): code}
            elif isinstance(category, int | float):
                numbers[parse_number(text)] = code
        outside = _OUTSIDE if self.other is None else self.n_values
        if self.missing is not None:
            known[self.missing.strip()] = self._missing_code

        def read(text: str) -> int:
            if text in known or not numbers:
                return known.get(text, outside)
            return numbers.get(parse_number(text), outside)

        return read

    def _read_number(self) -> Callable[[str], int]:
        """The rule that tells the cell of a text, of no other text."""
        starts, low, high = self.starts.tolist(), self.low, self.high
        mark = None if self.missing is None else self.missing.strip()

        def read(text: str) -> int:
            if text == mark:
                return self._missing_code
            number = parse_number(text)
            if number is None:
                return self._missing_code if self.coerce else _NO_NUMBER
            value = number if self.is_integer else float(number)
            if self.clamp:
                value = min(max(value, low), high)
            elif not low <= value <= high or (self.is_integer and value % 1):
                return _OUTSIDE
            return max(bisect_right(starts, value) - 1, 0)

        return read

    def _refuse(self, codes: np.ndarray) -> None:
        """Say what the domain declares no cell for; no value is shown."""
        n_missing, n_outside, n_words = (
            int((codes == code).sum()) for code in (_MISSING, _OUTSIDE, _NO_NUMBER)
        )
        if n_missing:
            raise TableError(
                f"Column {self.name!r}: expected no missing value, as the domain "
                f"declares no cell for them. Received {n_missing}. Declare `missing` "
                "for all releases of this table, or remove those rows."
            )
        if n_words:
            raise TableError(
                f"Column {self.name!r}: expected numbers, as its domain has bounds. "
                f"Received {n_words} rows of something else (what is not shown: it is "
                "private). Declare `missing` and `coerce`, which counts them as "
                "missing, or list categories in the domain."
            )
        remedy = "`clamp`" if self.is_numeric else "`other`"
        raise TableError(
            f"Column {self.name!r}: expected values of the declared domain. Received "
            f"{n_outside} rows outside (which values is not shown: they are private). "
            f"Declare {remedy}, or correct the domain from its documentation."
        )

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
