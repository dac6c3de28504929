"""The declared values of one column, cut into cells."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, fields
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from coclust_synth.exceptions import SchemaError, TableError
from coclust_synth.tables import clock
from coclust_synth.tables.domain.bins import Bins
from coclust_synth.tables.domain.layouts import (
    SECONDS_A_DAY,
    check_layout,
    parser_of,
    seconds_of,
    writer_of,
)
from coclust_synth.tables.domain.ranges import RANGE_FIELDS, bins_of, check_range
from coclust_synth.tables.literals import VALUE_TYPES
from coclust_synth.tables.reading.texts.cells import cell_text, cell_texts, parse_number
from coclust_synth.tables.reading.texts.layouts import NumberLayout, number_parser

# Instead of a cell: what the domain declares no cell for.
_MISSING, _OUTSIDE, _NO_NUMBER = -1, -2, -3


@dataclass(frozen=True, kw_only=True)
class DomainColumn:
    """What values a column may have: categories, or numbers, dates or times in bins.

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
        Every value, in order; or `low`, `high` and `bins` instead. None at all, beside
        `missing`, of a column that nobody fills in.
    low, high : int, float, date, datetime or timedelta, optional
        Lowest and highest number, date or time, both of which bins hold. If both are
        int, and so are `step` and `unit` where given, the column holds whole numbers.
        Dates are read by `parse_date`, and are days, or with times of day whole
        seconds; there are no time zones. Times of a day and durations, such as 08:30
        or 125:10:00, are whole seconds and read by `parse_time`.
    bins : int, optional
        Intervals of equal width between them. Whole numbers go to bin
        min(bins - 1, floor(bins (value - low) / (high - low))).
    step : int, float, timedelta or str, optional
        Instead of `bins`, their width from `low` on; the last one may be shorter. Of
        times, a time; of dates, a number of days, or "day", "week", "month" or "year":
        periods of the calendar, of which `low` and `high` cut the first and the last
        short.
    edges : tuple, optional
        Instead of `low`, `high`, `bins` and `step`, where each bin starts, in
        increasing order, and last the highest number or date.
    scale : {"linear", "log"}, default="linear"
        "log", for numbers that reach from small to very large, such as money: `bins`
        have equal ratios rather than widths, those of no multiple of the unit left out,
        and in any bin logarithms are drawn evenly rather than numbers. Numbers must be
        above 0 then, but for those that `zero` sets apart.
    zero : bool, default=False
        A bin of the number 0 alone, the first one; `low` may be 0 or above.
    unit : int or float, optional
        What is drawn is a multiple of it, such as .01 or 1000; by default of 1 where
        numbers are whole, and else any number. What is read may be any number.
    format : str, optional
        How texts are laid out, those that are read and those of a released text file;
        by default plain numbers, ISO 8601, and times as 08:30:00. Of numbers as
        `coclust_synth.tables.reading.texts.layouts` has it (``comma``, ``# %``,
        ``$# thousands .2f``), of dates a strftime pattern (``%d.%m.%Y``), of times
        ``hh:mm``, ``h:mm``, ``hh:mm:ss`` or ``h:mm:ss``, or such as ``h:mm AM`` or
        ``hh'h'mm``. Where it has no seconds, whole minutes are drawn. Numbers without a
        format are written as Python does, 2.0 where not all that is declared is whole;
        beside categories these are all numbers.
    clamp : bool, default=False
        Count numbers and dates below `low` or above `high` in the bin nearest to them,
        and numbers that are not whole, where they should be, in the bin around them;
        by default they are an error.
    other : str, optional
        A cell for all values that are no category, under this name; without it they
        are an error. Beside categories that are no texts, it makes texts of them.
    missing : str, optional
        A cell for missing values: None, NaN, an empty text, and this mark; without it
        they are an error.
    coerce : bool, default=False
        Count what is no number, or no date, as missing, which must then be declared;
        by default it is an error.

    Raises
    ------
    SchemaError
        If the description is incomplete or contradicts itself.
    """

    name: str
    categories: tuple | None = None
    low: int | float | datetime.date | datetime.timedelta | None = None
    high: int | float | datetime.date | datetime.timedelta | None = None
    bins: int | None = None
    step: int | float | datetime.timedelta | str | None = None
    edges: tuple | None = None
    scale: str = "linear"
    zero: bool = False
    unit: int | float | None = None
    format: str | None = None
    clamp: bool = False
    other: str | None = None
    missing: str | None = None
    coerce: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            self.fail("name", "text")
        for field in ("other", "missing"):
            if not isinstance(getattr(self, field), str | None):
                self.fail(field, "text")
        if self.categories is not None:
            self._check_categories()
        else:
            self._check_marks()
            check_range(self)
            check_layout(self)

    def _check_categories(self) -> None:
        listed = isinstance(self.categories, tuple)
        if not listed or not all(isinstance(v, VALUE_TYPES) for v in self.categories):
            self.fail("categories", "a list of at least one value")
        if not self.categories and self.missing is None:
            self.fail("categories", "a list of at least one value, without `missing`")
        are_numbers = all(type(v) in (int, float) for v in self.categories)
        for field in fields(self):
            of_numbers = field.name in (*RANGE_FIELDS, "clamp", "coerce")
            of_numbers |= field.name == "format" and not are_numbers
            if of_numbers and getattr(self, field.name) != field.default:
                self.fail(field.name, "left out beside `categories`")
        check_layout(self)
        texts = [cell_text(category) for category in self.categories]
        marks = [cell_text(mark) for mark in (self.other, self.missing)]
        taken = [*texts, *(mark for mark in marks if mark is not None)]
        if None in texts or len(set(taken)) < len(taken):
            self.fail(
                "categories",
                "different texts, none of them empty, `other` or the mark of a missing "
                "value",
            )

    def _check_marks(self) -> None:
        if self.other is not None:
            self.fail("other", "left out beside `low` and `high`; `clamp` is for them")
        for field in ("clamp", "coerce"):
            if not isinstance(getattr(self, field), bool):
                self.fail(field, "true or false")
        if self.coerce and self.missing is None:
            self.fail("coerce", "left out, or `missing` declared beside it")

    def fail(self, field: str, expected: str) -> None:
        """Refuse the declaration for what one of its fields says."""
        raise SchemaError(
            f"Column {self.name!r}: expected `{field}` to be {expected}. Received "
            f"{getattr(self, field)!r}. Correct it in the domain."
        )

    @property
    def is_numeric(self) -> bool:
        """Whether its values are in bins, which have an order."""
        return self.categories is None

    @property
    def ends(self) -> tuple:
        """Lowest and highest number, date or time."""
        if self.edges is not None:
            return self.edges[0], self.edges[-1]
        return self.low, self.high

    @property
    def is_date(self) -> bool:
        """Whether its values are dates in bins, or times, without a day."""
        return self.is_time or (
            self.is_numeric and isinstance(self.ends[0], datetime.date)
        )

    @property
    def is_timed(self) -> bool:
        """Whether its values are dates with a time of day, or times."""
        return self.is_time or (
            self.is_numeric and isinstance(self.ends[0], datetime.datetime)
        )

    @property
    def is_time(self) -> bool:
        """Whether its values are times of a day, or durations."""
        return self.is_numeric and isinstance(self.ends[0], datetime.timedelta)

    @property
    def is_integer(self) -> bool:
        """Whether its values are whole numbers in bins."""
        said = (*(self.edges or self.ends), self.step or 0, self.unit or 0)
        return self.is_numeric and all(isinstance(number, int) for number in said)

    @property
    def time_layout(self) -> str | None:
        """How times, which are texts in frames, are written; None of other columns."""
        return (self.format or clock.FULL) if self.is_time else None

    def number_of(self, value: Any) -> int | float:
        """The number that stands for a value in bins; days or seconds of a date."""
        if not self.is_date:
            return value
        seconds = seconds_of(value)
        return seconds if self.is_timed else seconds // SECONDS_A_DAY

    @cached_property
    def binned(self) -> Bins:
        """The bins of a column that has some; dates are numbers there."""
        return bins_of(self)

    @property
    def n_values(self) -> int:
        """Cells of categories or bins: without `other` and missing."""
        return len(self.binned) if self.is_numeric else len(self.categories)

    @property
    def size(self) -> int:
        """Number of cells."""
        return self.n_values + (self.other is not None) + (self.missing is not None)

    @property
    def labels(self) -> tuple[str, ...]:
        """Readable name of each cell."""
        texts = self._bin_labels() if self.is_numeric else [*map(str, self.categories)]
        texts += [] if self.other is None else [self.other]
        return (*texts, *([] if self.missing is None else ["(missing)"]))

    def _bin_labels(self) -> list[str]:
        starts, ends = self.binned.starts, self.binned.ends
        if self.is_date:
            starts, ends = map(self._dates_as_texts, (starts, ends))
        if self.is_date or self.is_integer:
            return [
                str(low) if low == high else f"[{low}, {high}]"
                for low, high in zip(starts, ends, strict=True)
            ]
        highs = [*(f"{start:.6g}[" for start in starts[1:]), f"{ends[-1]:.6g}]"]
        texts = [f"[{low:.6g}, {end}" for low, end in zip(starts, highs, strict=True)]
        if self.zero:
            low = "]0" if self.ends[0] == 0 else f"[{self.ends[0]:.6g}"
            texts[:2] = "0", f"{low}, {highs[1]}"
        return texts

    def _dates_as_texts(self, numbers):
        if self.is_time:
            return clock.write_times(numbers, self.time_layout)
        return self._instants(numbers).astype(str)

    def _instants(self, numbers):
        return numbers.astype("M8[s]" if self.is_timed else "M8[D]")

    def series_of(self, numbers: np.ndarray) -> pd.Series:
        """Numbers as a frame has them, or the dates or times that they stand for.

        Dates are datetime64[s]; times texts, in their layout.
        """
        if self.is_time:
            return pd.Series(self._dates_as_texts(numbers), dtype=object)
        if self.is_date:
            numbers = self._instants(numbers).astype("M8[s]")
        return pd.Series(numbers)

    def texts_of(self, series: pd.Series) -> tuple[np.ndarray, list[str]]:
        """The texts of a column's cells, each different one once; see `cell_texts`.

        Of a column of numbers that are laid out, cells that are no texts are laid out
        as texts are: 1.5 as 1,5.
        """
        if self.format is None or self.is_date:
            return cell_texts(series)
        lay_out = NumberLayout.parse(self.format).write

        def laid_out(cell):
            text = None if isinstance(cell, str) else cell_text(cell)
            return cell if text is None else lay_out(text)

        return cell_texts(series.astype(object).map(laid_out))

    def parser(self) -> Callable[[str], Any]:
        """The rule that tells the number, date or time of a text; see `parser_of`."""
        return parser_of(self)

    def writer(self) -> Callable[[str], str] | None:
        """The rule that lays out a text of `cell_text`; None where it stays.

        Numbers have decimals where one that is declared has.
        """
        if self.is_numeric:
            stays = self.format is None and (self.is_integer or self.is_date)
            return None if stays else writer_of(self)
        numbers = [v for v in self.categories if type(v) in (int, float)]
        if self.format is None and float not in map(type, numbers):
            return None
        write, texts = writer_of(self), map(cell_text, numbers)
        written = {text: write(text) for text in texts}
        return lambda text: written.get(text, text)

    def encode(self, series: pd.Series) -> np.ndarray:
        """Cell of each value, int32; see `Domain.encode`."""
        numbers, texts = self.texts_of(series)
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
        numbers: dict[Decimal | None, int] = {}
        parse = number_parser(self.format)
        for code, category in enumerate(self.categories):
            text = cell_text(category)
            if self.format is None:
                known[text] = code
            if isinstance(category, bool):
                known |= {text.title(): code, text.upper(): code}
            elif isinstance(category, int | float):
                # All digits of a float, as cells have them, and as written: 1e300.
                numbers |= dict.fromkeys(map(parse_number, (text, str(category))), code)
        outside = _OUTSIDE if self.other is None else self.n_values
        if self.missing is not None:
            known[self.missing.strip()] = self._missing_code

        def read(text: str) -> int:
            if text in known or not numbers:
                return known.get(text, outside)
            return numbers.get(parse(text), outside)

        return read

    def _read_number(self) -> Callable[[str], int]:
        """The rule that tells the cell of a text, of no other text."""
        nearest, find = self.binned.nearest, self.binned.finder()
        whole = self.is_integer
        parse = self.parser()
        exact = whole or self.is_date
        mark = None if self.missing is None else self.missing.strip()

        def read(text: str) -> int:
            if text == mark:
                return self._missing_code
            parsed = parse(text)
            if parsed is None:
                return self._missing_code if self.coerce else _NO_NUMBER
            number = self.number_of(parsed) if exact else float(parsed)
            inside = nearest(number)
            if not self.clamp and (inside != number or (whole and number % 1)):
                return _OUTSIDE
            return find(inside)

        return read

    def _refuse(self, codes: np.ndarray) -> None:
        """Say what the domain declares no cell for; no value is shown, nor how many."""
        has_missing, has_words = (np.any(codes == c) for c in (_MISSING, _NO_NUMBER))
        if has_missing:
            raise TableError(
                f"Column {self.name!r}: expected no missing value, as the domain "
                "declares no cell for them. Received some. Declare `missing` for all "
                "releases of this table, or remove those rows."
            )
        if has_words:
            kind = "dates such as 2024-12-31" if self.is_date else "numbers"
            kind = "times such as 08:30" if self.is_time else kind
            kind += "" if self.format is None else f", laid out as {self.format!r}"
            raise TableError(
                f"Column {self.name!r}: expected {kind}, as its domain has bounds. "
                "Received rows of something else (what, and how many, is not shown: it "
                "is private). Declare `missing` and `coerce`, which counts them as "
                "missing, or list categories in the domain."
            )
        remedy = "`clamp`" if self.is_numeric else "`other`"
        hint = ""
        if self.is_numeric and not self.is_date and self.is_integer:
            hint = " As its ends are, it holds whole numbers; with 0.0, others too."
        raise TableError(
            f"Column {self.name!r}: expected values of the declared domain. Received "
            "rows outside (which values, and how many, is not shown: it is private). "
            f"Declare {remedy}, or correct the domain from its documentation.{hint}"
        )

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> pd.Series:
        """A value of each cell; see `Domain.decode`."""
        missing = np.zeros(len(codes), dtype=bool)
        if self.missing is not None:
            missing = codes == self.size - 1
        if self.is_numeric:
            numbers = self.binned.draw(np.where(missing, 0, codes), rng)
            series = self.series_of(numbers)
            if missing.any():
                series = series.astype("Int64") if self.is_integer else series
                series[missing] = None
            return series.rename(self.name)
        values = [*self.categories, *([] if self.other is None else [self.other])]
        kinds = {float if type(value) is int else type(value) for value in values}
        if len(kinds) > 1:  # of which no file has a column
            values = [cell_text(value) for value in values]
        table = np.empty(self.size, dtype=object)
        table[: len(values)] = values
        return pd.Series(table[codes]).infer_objects().rename(self.name)
