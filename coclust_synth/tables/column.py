"""What is known of one column of a table before any row is modelled."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from typing import Any

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables import clock
from coclust_synth.tables.literals import check_column_fields, decode, encode

KINDS = ("categorical", "ordinal", "integer", "real", "boolean", "datetime")
LISTED_KINDS = ("categorical", "ordinal", "boolean")
NUMERIC_KINDS = tuple(kind for kind in KINDS if kind not in LISTED_KINDS)
ORDERED_KINDS = ("ordinal", *NUMERIC_KINDS)
ROLES = ("identifier", "quasi-identifier", "sensitive", "other")
TREATMENTS = ("keep", "drop", "key", "undecided")
_NUMBERS = (int, float)
_MAX_STEP = 2**63
UNITS = ("D", "s", "ms", "us", "ns")
# How the name of a group ends that rare values are released as, see `parts.rare`.
OTHER = "(other)"
# Why a column is undecided that a schema calls so, beside its own words.
_OPEN = "the schema leaves it open"


@dataclass(frozen=True, kw_only=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
        Name in the table.
    kind : {"categorical", "ordinal", "integer", "real", "boolean", "datetime"}
        How the column is modelled. None: read from the table.
    dtype : str
        pandas dtype to give back. Beyond pandas' own names: ``category[str]``,
        ``category[int64, ordered]``, and ``object`` with, in brackets, the type of
        the objects (``date``, ``time`` or ``Decimal``) and the missing value (``nan``,
        ``NA`` or ``NaT``; None otherwise). None: read from the table.
    role : {"identifier", "quasi-identifier", "sensitive", "other"}
        What the column tells about a person.
    treatment : {"keep", "drop", "key", "undecided"}
        Whether it is modelled. A key, which differs in every row, is made anew in
        plain synthetic tables and left out of others. A fit refuses an undecided
        column.
    reason : str
        Why the treatment is undecided.
    missing : tuple of str
        Marks of a missing value in text files; the first is written back.
        None: read from the table.
    categories : tuple
        Values of a categorical, ordinal or boolean column, in order; for a boolean
        the false value, then the true one.
    bounds : tuple
        Lowest and highest value of an integer, real or datetime column. Those of a
        datetime are ISO texts, in UTC if it has a time zone; of times, ``08:30:00``.
    step : int or float
        Every value is a multiple of it; None for a continuous real. For a datetime,
        in its unit, from 1970-01-01.
    unit : {"D", "s", "ms", "us", "ns"}
        Coarsest unit in which every value of a datetime column is whole.
    rare : int
        Individuals that a value of a synthetic table describes at least. None: what
        the synthesizer says.
    public : bool
        Whether the domain (categories or bounds) is public, such as a code list, and
        released as it stands.
    no_date : str
        Date that stands for none in a datetime column, ISO text as those of `bounds`,
        such as 9999-12-31 of what has not ended: read as missing, and written for it.
    format : str
        Layout in text files. Of a datetime, a strftime pattern, or of times without a
        date ``hh:mm``, ``hh:mm:ss``, ``h:mm`` or ``h:mm:ss`` (hours may pass 24), or
        one of these and ``AM``, such as ``h:mm AM`` or ``h:mmam``, or ``hh'h'mm`` of
        08h30; of a number, words in this order: what is around it, such as ``$#`` or
        ``# %``; ``brackets`` where negative ones have these for a minus, ``plus`` where
        positive ones have one (``plus-zero``: 0 too);
        ``comma`` where decimals follow a comma;
        ``thousands`` where they are parted, ``lakhs`` as in 1,39,900; ``no-zero`` for
        .5 rather than 0.5;
        ``.2f`` for fixed decimals, ``.7g`` for seven digits wherever the point is, or
        ``short`` for 2 rather than 2.0; ``0.00E+00`` for 1.50E+02, for all numbers or
        those ``beyond 1e-4..1e11``, or ``shorter`` so; of texts, ``pattern`` where they
        hold numbers that plain tables draw, such as 120/80, ``list`` where they list
        items that these draw.

    Examples
    --------
    >>> column = Column(name="size", kind="integer", bounds=(0, 9))
    >>> column.role, column.treatment
    ('other', 'keep')
    """

    name: str
    kind: str | None = None
    dtype: str | None = None
    role: str = "other"
    treatment: str = "keep"
    reason: str = ""
    missing: tuple[str, ...] | None = None
    categories: tuple | None = None
    bounds: tuple | None = None
    step: int | float | None = None
    unit: str | None = None
    rare: int | None = None
    public: bool = False
    no_date: str | None = None
    format: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise SchemaError(
                f"Expected a column name that is text. Received {self.name!r}. "
                "Give it as text between quotes."
            )
        self._check_word("kind", KINDS, optional=True)
        self._check_word("role", ROLES)
        self._check_word("treatment", TREATMENTS)
        self._check_word("unit", UNITS, optional=True)
        for field in ("dtype", "no_date", "format"):
            if not isinstance(getattr(self, field), str | None):
                self._fail(field, "text")
        for field in ("missing", "categories", "bounds"):
            if not isinstance(getattr(self, field), tuple | None):
                self._fail(field, "a list")
        self._check_domain()

    def _check_word(self, field: str, words: tuple, *, optional: bool = False) -> None:
        word = getattr(self, field)
        if word not in words and not (optional and word is None):
            self._fail(field, "one of " + ", ".join(words))

    def _check_domain(self) -> None:
        if self.missing and not all(isinstance(mark, str) for mark in self.missing):
            self._fail("missing", "a list of texts")
        listed = self.kind in (*LISTED_KINDS, None)
        if self.categories is not None:
            if not listed:
                self._fail("categories", f"left out of a column of kind {self.kind}")
            if any(isinstance(c, list | dict) for c in self.categories):
                self._fail("categories", "a list of single values")
            if len(set(self.categories)) < len(self.categories):
                twice = [
                    c for i, c in enumerate(self.categories) if c in self.categories[:i]
                ]
                self._fail("categories", "different values", twice)
            if self.kind == "boolean" and len(self.categories) != 2:
                self._fail("categories", "two values, false then true,")
        if self.bounds is not None:
            if listed:
                self._fail("bounds", f"left out of a column of kind {self.kind}")
            texts = self.kind == "datetime"
            if not all(isinstance(b, str if texts else _NUMBERS) for b in self.bounds):
                self._fail("bounds", "two ISO dates" if texts else "two numbers")
            times = clock.read_times([*self.bounds], clock.FULL) if texts else None
            ends = self.bounds if times is None else times[0]
            if len(self.bounds) != 2 or not ends[0] <= ends[1]:
                self._fail("bounds", "[lowest, highest]")
        if self.no_date is not None and not self._has_no_date():
            self._fail("no_date", "an ISO date of a column of dates")
        if self.step is not None:
            number = isinstance(self.step, _NUMBERS) and self.step is not True
            if not number or not 0 < self.step < _MAX_STEP:
                self._fail("step", "a number above 0")
            if self.kind in ("integer", "datetime") and self.step != int(self.step):
                self._fail("step", "a whole number")
        if self.rare is not None and (type(self.rare) is not int or self.rare < 1):
            self._fail("rare", "a whole number from 1 on")
        if not isinstance(self.public, bool):
            self._fail("public", "true or false")

    def _fail(self, field: str, expected: str, received: Any = None) -> None:
        received = getattr(self, field) if received is None else received
        raise SchemaError(
            f"Column {self.name!r}: expected `{field}` to be {expected}. "
            f"Received {received!r}. Correct it in the schema."
        )

    def _has_no_date(self) -> bool:
        """Whether `no_date` is a date, and this a column that can have one."""
        try:
            datetime.datetime.fromisoformat(self.no_date or "")
        except ValueError:
            return False
        return self.kind in ("datetime", None) and not self.is_time

    @property
    def decimals(self) -> int | None:
        """Decimals of a real column that has a step; None if it is continuous."""
        if self.step is None:
            return None
        return max(0, -int(Decimal(repr(self.step)).normalize().as_tuple().exponent))

    @property
    def is_time(self) -> bool:
        """Whether its dates are times of a day, or durations: without a date."""
        is_typed = (self.dtype or "").startswith("object[time")
        return self.kind == "datetime" and (self.format in clock.LAYOUTS or is_typed)

    @property
    def compared_as(self) -> str:
        """What rules compare its values as: category, number, datetime or time."""
        if self.kind in LISTED_KINDS:
            return "category"
        if self.kind == "datetime":
            return "time" if self.is_time else "datetime"
        return "number"

    @property
    def open(self) -> Column:
        """This column without its domain, to be read from a table again."""
        return replace(
            self,
            categories=None,
            bounds=None,
            step=None,
            unit=None,
            missing=None,
            no_date=None,
        )


def kept_column(column: Column) -> Column:
    """The column, modelled whatever it looks like."""
    # An identifier that is one by its looks only is no longer held to be one.
    seems = column.treatment == "undecided" and column.role == "identifier"
    role = "other" if seems else column.role
    return replace(column, role=role, treatment="keep", reason="")


def as_codes(column: Column) -> Column:
    """The column, its numbers taken for codes of categories; see `Schema`."""
    if column.kind not in (None, "integer", "real", "categorical"):
        raise SchemaError(
            f"Column {column.name!r}: expected numbers that are codes of categories. "
            f"Received a column of kind {column.kind}. Leave it as it is."
        )
    if column.kind == "categorical":
        return column
    if column.format is not None:
        raise SchemaError(
            f"Column {column.name!r}: expected plain numbers that are codes of "
            f"categories. Received quantities, laid out as {column.format!r}. Leave it "
            "as it is."
        )
    return replace(column, kind="categorical", bounds=None, step=None)


# --- JSON and TOML forms ----------------------------------------------------

_DEFAULTS = {field.name: field.default for field in fields(Column)}
_ALWAYS = ("name", "role", "treatment")


def column_to_dict(column: Column) -> dict:
    """The column as JSON types, without what is as usual."""
    content = {name: getattr(column, name) for name in _DEFAULTS}
    return {
        name: [encode(v) for v in value] if isinstance(value, tuple) else value
        for name, value in content.items()
        if name in _ALWAYS or value != _DEFAULTS[name]
    }


def column_from_dict(content: dict) -> Column:
    """Inverse of `column_to_dict`; see `Schema.from_dict`."""
    where = check_column_fields(content, tuple(_DEFAULTS))
    if content.get("treatment") == "undecided" and not content.get("reason"):
        content = content | {"reason": _OPEN}
    content = {"treatment": "undecided"} | content
    for key in ("missing", "categories", "bounds"):
        if isinstance(content.get(key), list):
            content[key] = tuple(decode(value, where) for value in content[key])
    if "bounds" in content and isinstance(content["bounds"], tuple):
        # A date without quotes is a date in TOML; bounds hold its text.
        content["bounds"] = tuple(
            b.isoformat() if isinstance(b, datetime.date) else b
            for b in content["bounds"]
        )
    return Column(**content)
