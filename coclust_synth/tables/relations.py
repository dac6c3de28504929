"""What a schema can say of several columns together: the rules that rows respect.

A relation names its columns and nothing of their rows. Those of a table are found by
`coclust_synth.tables.rules`; a schema lists some under ``[[rules]]``. Fits tell one
column from others: `Fit`, `Bill`, `Limited`, `Function`, `Share`, `DateOf`, `DatePart`
and `Age`. The others say what may stand together in a row: `Order`, `Nested`,
`Dependence` and `Never`.
"""

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import Any, ClassVar, Self

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.literals import decode, encode

# What `inspect` tells of a rule beside it; it is not read back.
SUPPORT = ("rule", "rows", "individuals", "broken")

# Pairs of values that never meet, and characters of a value, in the text of a rule.
_MAX_SHOWN, _MAX_LENGTH = 3, 60

# What a date with a time is told by, the last two if need be.
DATE_UNITS = ("year", "month", "day", "hour", "minute", "second")
# Parts of a date, each a function of its days since 1970-01-01.
DATE_PARTS = {
    "date": lambda days: days,
    "year": lambda days: _in_unit(days, "Y") + 1970,
    "quarter": lambda days: _in_unit(days, "M") % 12 // 3 + 1,
    "month": lambda days: _in_unit(days, "M") % 12 + 1,
    "day": lambda days: days - _first_of_month(days) + 1,
    # 1970-01-01 was a Thursday. Monday is 0 or 1, or Sunday is.
    "weekday": lambda days: (days + 3) % 7,
    "weekday from 1": lambda days: (days + 3) % 7 + 1,
    "weekday from Sunday": lambda days: (days + 4) % 7,
    "weekday from Sunday, 1": lambda days: (days + 4) % 7 + 1,
}
# Of times that are parts of a day.
IN_A_DAY = (24, 1440, 86_400)

# Functions of one number, by name.
FUNCTIONS = {
    "square": np.square,
    "cube": lambda x: x * x * x,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "log1p": np.log1p,
    "square root": np.sqrt,
    "reciprocal": np.reciprocal,
    "exponential": np.exp,
}


@dataclass(frozen=True)
class Relation(ABC):
    """One rule, in terms of names of columns."""

    form: ClassVar[tuple[str, ...]]
    example: ClassVar[str]

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """Names of all columns that it is about."""

    @abstractmethod
    def to_dict(self) -> dict:
        """This relation as JSON types; `relation_from_dict` gives it back."""

    @classmethod
    @abstractmethod
    def read(cls, content: dict) -> Self:
        """Inverse of `to_dict`; a ValueError, TypeError or KeyError if it is none."""

    def wrong_kind(self, kinds: Mapping[str, str]) -> str | None:
        """The first column whose kind does not suit it, if any.

        Parameters
        ----------
        kinds : mapping of str to str
            Kind of each column; "number" stands for integer and real, "category" for
            the listed ones. Those that are not known are left out.
        """
        return None


@dataclass(frozen=True)
class Order(Relation):
    """One column of numbers, or of dates, is at most another.

    Attributes
    ----------
    low, high : str
    """

    low: str
    high: str

    form = ("columns",)
    example = 'columns = ["birth", "admission"]'

    @property
    def columns(self):
        """Both, the lower first."""
        return self.low, self.high

    def __str__(self):
        return f"{self.low} <= {self.high}"

    def to_dict(self):
        """See `Relation`."""
        return {"kind": "order", "columns": list(self.columns)}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls(*_names(content["columns"], 2))

    def wrong_kind(self, kinds):
        """Both are numbers, or both are dates."""
        first = kinds.get(self.low)
        for name in self.columns:
            kind = kinds.get(name, "number")
            if kind == "category" or (first is not None and kind != first):
                return name if name in kinds else None
        return None


@dataclass(frozen=True)
class Fit(Relation):
    """A column that is a sum of others, or a product of powers of them.

    Attributes
    ----------
    target : str
    parents : tuple of str
    coefficients : tuple of float
        Of each parent: factors, or exponents of a product.
    constant : float
        Added to a sum; the factor of a product, above 0.
    logarithms : bool
        Whether it is a product.
    about : bool
        Whether rows differ from it by more than rounding.
    """

    target: str
    parents: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    logarithms: bool
    about: bool = False

    form = ("target", "terms", "constant", "factor", "about")
    example = 'target = "total", terms = { principal = 1, interest = 1 }'

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    @property
    def terms(self):
        """The coefficient of each column that it is told from."""
        return dict(zip(self.parents, self.coefficients, strict=True))

    def __str__(self):
        sign = "~" if self.about else "="
        terms = zip(self.parents, self.coefficients, strict=True)
        if self.logarithms:
            powers = [p if c == 1 else f"{p}^{c:g}" for p, c in terms]
            factors = [f"{self.constant:.4g}"] * (self.constant != 1) + powers
            return f"{self.target} {sign} {' * '.join(factors)}"
        return f"{self.target} {sign} {_sum_text(terms, self.constant)}"

    def to_dict(self):
        """See `Relation`."""
        terms = zip(self.parents, self.coefficients, strict=True)
        content = {
            "kind": "product" if self.logarithms else "sum",
            "target": self.target,
            "terms": {p: _as_written(c) for p, c in terms},
        }
        if self.logarithms and self.constant != 1:
            content["factor"] = self.constant
        if not self.logarithms and self.constant:
            content["constant"] = self.constant
        return content | ({"about": True} if self.about else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        is_product = content["kind"] == "product"
        if ("constant" if is_product else "factor") in content:
            raise ValueError
        terms = content["terms"]
        names = _names([content["target"], *terms], 1 + max(len(terms), 1))
        constant = _number(content.get("factor" if is_product else "constant", 0.0))
        if is_product:
            constant = constant if "factor" in content else 1.0
            if constant <= 0:
                raise ValueError
        about = content.get("about", False)
        coefficients = tuple(_number(c) for c in terms.values())
        if not isinstance(about, bool) or 0 in coefficients:
            raise ValueError
        return cls(names[0], names[1:], coefficients, constant, is_product, about)

    def wrong_kind(self, kinds):
        """All are numbers; of a sum, dates and times too."""
        wrong = ("category", "datetime", "time") if self.logarithms else ("category",)
        return next((name for name in self.columns if kinds.get(name) in wrong), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing.

        Of a product: the logarithm, -inf where a factor is 0 and no divisor is.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of the columns that it is told from; nan where missing, dates in days.
        """
        constant = math.log(self.constant) if self.logarithms else self.constant
        total = np.full(len(numbers[self.parents[0]]), constant)
        for parent, coefficient in zip(self.parents, self.coefficients, strict=True):
            x = numbers[parent]
            if self.logarithms:
                is_zero = (x == 0) & (coefficient > 0)
                x = np.log(np.where(x > 0, x, np.nan))
                x = np.where(is_zero, -np.inf, x)
            total += coefficient * x
        return total


@dataclass(frozen=True)
class Bill(Relation):
    """A column that is a sum of products of two columns, and of columns as they are: so
    many nights at a rate, and extras.

    Attributes
    ----------
    target : str
    products : tuple of (str, str)
        One or more.
    factors : tuple of float
        Of each product.
    others : tuple of str
        The columns that are added as they are.
    coefficients : tuple of float
        Of each of these.
    constant : float
        Added to the sum.
    """

    target: str
    products: tuple[tuple[str, str], ...]
    factors: tuple[float, ...]
    others: tuple[str, ...] = ()
    coefficients: tuple[float, ...] = ()
    constant: float = 0.0

    form = ("target", "products", "factors", "terms", "constant")
    example = (
        'target = "total", products = [["nights", "rate"]], terms = { extras = 1 }'
    )
    #: The face of a `Fit`.
    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def parents(self):
        """Columns that it is told from, each once."""
        of_products = (name for pair in self.products for name in pair)
        return tuple(dict.fromkeys((*of_products, *self.others)))

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    def __str__(self):
        products = map(" * ".join, self.products)
        terms = [
            *zip(products, self.factors, strict=True),
            *zip(self.others, self.coefficients, strict=True),
        ]
        return f"{self.target} = {_sum_text(terms, self.constant)}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "bill", "target": self.target}
        content["products"] = [list(pair) for pair in self.products]
        if set(self.factors) != {1.0}:
            content["factors"] = list(map(_as_written, self.factors))
        if self.others:
            terms = zip(self.others, self.coefficients, strict=True)
            content["terms"] = {p: _as_written(c) for p, c in terms}
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        products = tuple(_names(pair, 2) for pair in content["products"])
        factors = content.get("factors", [1] * len(products))
        factors, terms = tuple(map(_number, factors)), content.get("terms", {})
        if not products or len({frozenset(pair) for pair in products}) < len(products):
            raise ValueError
        coefficients = tuple(map(_number, terms.values()))
        if len(factors) != len(products) or 0 in (*factors, *coefficients):
            raise ValueError
        constant = _number(content.get("constant", 0.0))
        (target,) = _names([content["target"]], 1)
        others = _names([*terms], len(terms))
        bill = cls(target, products, factors, others, coefficients, constant)
        if target in bill.parents:
            raise ValueError
        return bill

    def wrong_kind(self, kinds):
        """All are numbers."""
        wrong = (n for n in self.columns if kinds.get(n, "number") != "number")
        return next(wrong, None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        total = np.full(len(numbers[self.parents[0]]), self.constant)
        for (one, other), factor in zip(self.products, self.factors, strict=True):
            total += factor * (numbers[one] * numbers[other])
        for name, coefficient in zip(self.others, self.coefficients, strict=True):
            total += coefficient * numbers[name]
        return total


@dataclass(frozen=True)
class Limited(Relation):
    """A column that is a sum of others up to a limit: a fee for what is used above an
    allowance, a share of a cost that is capped.

    Attributes
    ----------
    target : str
    parents : tuple of str
    coefficients : tuple of float
        Of each parent.
    constant : float
        Added to the sum.
    at_least, at_most : float or None
        What it is where the sum is below, or above; one of them at least.
    """

    target: str
    parents: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    at_least: float | None = None
    at_most: float | None = None

    form = ("target", "terms", "constant", "at_least", "at_most")
    example = 'target = "fee", terms = { used = 0.25 }, constant = -20, at_least = 0'
    #: The face of a `Fit`.
    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    @property
    def unlimited(self):
        """The sum without its limits."""
        return Fit(
            self.target,
            self.parents,
            self.coefficients,
            self.constant,
            logarithms=False,
        )

    def __str__(self):
        limits = {"at least": self.at_least, "at most": self.at_most}
        told = [f"{word} {own:g}" for word, own in limits.items() if own is not None]
        return ", ".join([str(self.unlimited), *told])

    def to_dict(self):
        """See `Relation`."""
        limits = {"at_least": self.at_least, "at_most": self.at_most}
        told = {name: own for name, own in limits.items() if own is not None}
        return self.unlimited.to_dict() | {"kind": "limited"} | told

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        limits = {n: _number(content[n]) for n in cls.form[3:] if n in content}
        least, most = limits.get("at_least", -np.inf), limits.get("at_most", np.inf)
        if not limits or least >= most:
            raise ValueError
        rest = {name: own for name, own in content.items() if name not in limits}
        fit = Fit.read(rest | {"kind": "sum"})
        return cls(fit.target, fit.parents, fit.coefficients, fit.constant, **limits)

    def wrong_kind(self, kinds):
        """All are numbers."""
        wrong = (n for n in self.columns if kinds.get(n, "number") != "number")
        return next(wrong, None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        least = -np.inf if self.at_least is None else self.at_least
        most = np.inf if self.at_most is None else self.at_most
        return np.clip(self.unlimited.predict(numbers), least, most)


@dataclass(frozen=True)
class Function(Relation):
    """A column that is a function of one other, such as its logarithm.

    Attributes
    ----------
    target : str
    function : str
        One of `FUNCTIONS`.
    of : str
        The other column.
    factor, constant : float
        The function is multiplied by the first, not 0, and the second is added.
    """

    target: str
    function: str
    of: str
    factor: float = 1.0
    constant: float = 0.0

    form = ("target", "function", "of", "factor", "constant")
    example = (
        'target = "lwage", function = "log", of = "wage" (functions are '
        f"{'; '.join(FUNCTIONS)})"
    )
    #: The face of a `Fit`.
    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    @property
    def columns(self):
        """The target, then the other."""
        return self.target, self.of

    def __str__(self):
        factor = "" if self.factor == 1 else f"{self.factor:g} * "
        end = f" {'+' if self.constant > 0 else '-'} {abs(self.constant):g}"
        end = end if self.constant else ""
        return f"{self.target} = {factor}{self.function} of {self.of}{end}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "function", "target": self.target, "function": self.function}
        content |= {"of": self.of}
        content |= {"factor": self.factor} if self.factor != 1 else {}
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, of = _names([content["target"], content["of"]], 2)
        factor = _number(content.get("factor", 1.0))
        if content["function"] not in FUNCTIONS or factor == 0:
            raise ValueError
        constant = _number(content.get("constant", 0.0))
        return cls(target, content["function"], of, factor, constant)

    def wrong_kind(self, kinds):
        """Both are numbers."""
        wrong = (n for n in self.columns if kinds.get(n, "number") != "number")
        return next(wrong, None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where that is no number."""
        with np.errstate(all="ignore"):
            told = FUNCTIONS[self.function](np.asarray(numbers[self.of], np.float64))
            told = self.factor * told + self.constant
        return np.where(np.isfinite(told), told, np.nan)


@dataclass(frozen=True)
class Share(Relation):
    """A column that is one of some shares of another, such as what an insurer pays.

    Attributes
    ----------
    target, of : str
        The column, and the other.
    shares : tuple of float
        Increasing, two of them at least.
    """

    target: str
    of: str
    shares: tuple[float, ...]

    form = ("target", "of", "shares")
    example = 'target = "paid", of = "charge", shares = [0.7, 0.85, 1.0]'
    #: The face of a `Fit`.
    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    @property
    def columns(self):
        """The target, then the other."""
        return self.target, self.of

    def __str__(self):
        *others, last = (f"{share:g}" for share in self.shares)
        return f"{self.target} = {', '.join(others)} or {last} of {self.of}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "share", "target": self.target, "of": self.of}
        return content | {"shares": list(self.shares)}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, of = _names([content["target"], content["of"]], 2)
        shares = tuple(sorted(map(_number, content["shares"])))
        if len(set(shares)) < max(2, len(shares)):
            raise ValueError
        return cls(target, of, shares)

    def wrong_kind(self, kinds):
        """Both are numbers."""
        wrong = (n for n in self.columns if kinds.get(n, "number") != "number")
        return next(wrong, None)

    def predict(self, numbers):
        """What the shares are of, (n,) float64; nan where missing."""
        return np.asarray(numbers[self.of], np.float64)

    def nearest(self, own, whole):
        """The share that tells each value best, (n,) float64.

        Of 0 there is none better: the first.

        Parameters
        ----------
        own, whole : ndarray of float64, shape (n,)
            Of the target, and what it is a share of; nan where missing.
        """
        shares = np.array(self.shares)
        apart = np.abs(np.multiply.outer(whole, shares) - own[:, None])
        return shares[np.where(np.isnan(apart), 0.0, apart).argmin(axis=1)]


@dataclass(frozen=True)
class DateOf(Relation):
    """A column of dates with times, whose year, month, day and hour are others.

    Attributes
    ----------
    target : str
    parts : tuple of (str, str)
        The unit of each column, and its name, in the order of `DATE_UNITS`: the first
        four, and perhaps those after them.
    shift : float
        Days from the date that they say to that of the column: a time zone.
    about : bool
        Whether rows have others beside it, such as an hour in summer.
    """

    target: str
    parts: tuple[tuple[str, str], ...]
    shift: float = 0.0
    about: bool = False

    form = ("target", "parts", "shift", "about")
    example = (
        'target = "left", parts = { year = "year", month = "month", day = "day", '
        'hour = "hour" }'
    )
    logarithms: ClassVar[bool] = False

    @property
    def parents(self):
        """Names of the parts."""
        return tuple(name for _, name in self.parts)

    @property
    def columns(self):
        """The target, then the parts."""
        return self.target, *self.parents

    def __str__(self):
        sign, shift = "~" if self.about else "=", ""
        if self.shift:
            sum_or_rest = "+" if self.shift > 0 else "-"
            shift = f" {sum_or_rest} {abs(self.shift) * 24:.6g} h"
        return f"{self.target} {sign} date of {', '.join(self.parents)}{shift}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "date", "target": self.target, "parts": dict(self.parts)}
        content |= {"shift": self.shift} if self.shift else {}
        return content | ({"about": True} if self.about else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        parts = content["parts"]
        names = _names([content["target"], *parts.values()], 1 + max(len(parts), 4))
        units, about = DATE_UNITS[: len(parts)], content.get("about", False)
        if set(parts) != set(units) or not isinstance(about, bool):
            raise ValueError
        shift = _number(content.get("shift", 0.0))
        return cls(names[0], tuple((u, parts[u]) for u in units), shift, about)

    def wrong_kind(self, kinds):
        """A date, of numbers."""
        if kinds.get(self.target, "datetime") != "datetime":
            return self.target
        return next(
            (p for p in self.parents if kinds.get(p, "number") != "number"), None
        )

    def predict(self, numbers):
        """What it says of each row, (n,) float64 days; nan where a part is missing.

        The day after the last of a month is the first of the next.
        """
        own = {unit: np.asarray(numbers[name], float) for unit, name in self.parts}
        known = ~np.isnan(list(own.values())).any(axis=0)
        own = {unit: np.where(known, x, 1) for unit, x in own.items()}
        months = 12 * (np.clip(own["year"], 1, 9999) - 1970) + own["month"] - 1
        first = np.floor(months).astype(np.int64).astype("datetime64[M]")
        days = first.astype("datetime64[D]").astype(np.int64) + own["day"] - 1
        for unit, in_a_day in zip(DATE_UNITS[3:], (24, 1440, 86_400), strict=True):
            days = days + own.get(unit, 0.0) / in_a_day
        return np.where(known, days + self.shift, np.nan)


def _sum_text(terms, constant):
    """A sum of names, each with its factor, as text."""
    terms = sorted(terms, key=lambda term: term[1] < 0)
    terms = [f"{'+' if c > 0 else '-'} {_times(abs(c), p)}" for p, c in terms]
    text = " ".join(terms).removeprefix("+ ")
    end = f" {'+' if constant > 0 else '-'} {abs(constant):g}"
    return f"{text}{end if constant else ''}"


def _times(factor, name):
    """A term of a sum as text: a sixth, or an hour of a day, is written as a share."""
    over = float(f"{1 / factor:g}")
    if factor == 1 / over and factor != float(f"{factor:g}"):
        return f"{name} / {over:g}"
    return name if factor == 1 else f"{factor:g} * {name}"


@dataclass(frozen=True)
class _OfDates(Relation):
    """A whole number that dates tell; it has the face of a `Fit`."""

    target: str

    logarithms: ClassVar[bool] = False
    about: ClassVar[bool] = False

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns of dates that it is told from."""
        return self.columns[1:]

    def wrong_kind(self, kinds):
        """A number, of dates."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        dates = (p for p in self.parents if kinds.get(p, "datetime") != "datetime")
        return next(dates, None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where a date is missing."""
        known = ~np.isnan(np.array([numbers[p] for p in self.parents])).any(axis=0)
        days = [np.where(known, numbers[p], 0) // 1 for p in self.parents]
        told = self._of_days(*(of.astype(np.int64) for of in days))
        return np.where(known, told, np.nan)


@dataclass(frozen=True)
class DatePart(_OfDates):
    """A column that is the year, the month, ... of a date, or its day as a date.

    Attributes
    ----------
    target : str
    part : str
        One of `DATE_PARTS`.
    date : str
    """

    part: str
    date: str

    form = ("target", "part", "date")
    example = (
        'target = "month", part = "month", date = "admission" (parts are '
        f"{'; '.join(DATE_PARTS)})"
    )

    @property
    def columns(self):
        """The target, then the date."""
        return self.target, self.date

    def __str__(self):
        return f"{self.target} = {self.part} of {self.date}"

    def to_dict(self):
        """See `Relation`."""
        part, date = self.part, self.date
        return {"kind": "date part", "target": self.target, "part": part, "date": date}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, date = _names([content["target"], content["date"]], 2)
        if content["part"] not in DATE_PARTS:
            raise ValueError
        return cls(target, content["part"], date)

    def wrong_kind(self, kinds):
        """A number, or a date, of a date."""
        kind = "datetime" if self.part == "date" else "number"
        if kinds.get(self.target, kind) != kind:
            return self.target
        return None if kinds.get(self.date, "datetime") == "datetime" else self.date

    def _of_days(self, days):
        return DATE_PARTS[self.part](days)


@dataclass(frozen=True)
class Age(_OfDates):
    """A column that is the completed years between two dates.

    Attributes
    ----------
    target : str
    birth : str
    at : str or date
        A column of dates, or one day for all rows.
    """

    birth: str
    at: str | datetime.date

    form = ("target", "birth", "at", "on")
    example = 'target = "age", birth = "born", at = "admission" (or on = "2024-12-31")'

    @property
    def columns(self):
        """The target, then the dates."""
        at = (self.at,) if isinstance(self.at, str) else ()
        return self.target, self.birth, *at

    def __str__(self):
        return f"{self.target} = years from {self.birth} to {self.at}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "age", "target": self.target, "birth": self.birth}
        at = {"at": self.at} if isinstance(self.at, str) else {"on": str(self.at)}
        return content | at

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        if ("at" in content) == ("on" in content):
            raise ValueError
        if "at" in content:
            names = [content[key] for key in ("target", "birth", "at")]
            return cls(*_names(names, 3))
        # A date without quotes is a date in TOML.
        on = datetime.date.fromisoformat(str(content["on"]))
        return cls(*_names([content["target"], content["birth"]], 2), on)

    def _of_days(self, birth, at=None):
        if at is None:
            at = np.datetime64(self.at, "D").astype(np.int64)
        return completed_years(birth, at)


@dataclass(frozen=True)
class Nested(Relation):
    """Each value of one column goes with one value of another.

    Attributes
    ----------
    code, label : str
    """

    code: str
    label: str

    form = ("code", "label")
    example = 'code = "sub_grade", label = "grade"'

    @property
    def columns(self):
        """The code, then the label."""
        return self.code, self.label

    def __str__(self):
        return f"{self.code} -> {self.label}"

    def to_dict(self):
        """See `Relation`."""
        return {"kind": "nested", "code": self.code, "label": self.label}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls(*_names([content["code"], content["label"]], 2))


@dataclass(frozen=True)
class Dependence(Relation):
    """Rows that have the same values of some columns have the same of another.

    Attributes
    ----------
    parents : tuple of str
        The columns that tell, one or more.
    target : str
        The one that is told.
    """

    parents: tuple[str, ...]
    target: str

    form = ("columns", "target")
    example = 'columns = ["origin", "destination"], target = "distance"'
    #: The face of what tells a column from others.
    about: ClassVar[bool] = False

    @property
    def columns(self):
        """The target, then those that it is told from."""
        return self.target, *self.parents

    def __str__(self):
        return f"{', '.join(self.parents)} -> {self.target}"

    def to_dict(self):
        """See `Relation`."""
        columns = list(self.parents)
        return {"kind": "dependence", "columns": columns, "target": self.target}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        names = [content["target"], *content["columns"]]
        if isinstance(content["columns"], str) or len(names) < 2:
            raise ValueError
        target, *parents = _names(names, len(names))
        return cls(tuple(parents), target)


@dataclass(frozen=True)
class Never(Relation):
    """Values of two columns that no row has together.

    Attributes
    ----------
    first, second : str
    values : tuple of (value, value), optional
        Categories of the two, None for missing. By default those that the table never
        has although it would, were the columns independent.
    said : str, optional
        Of values that are not given, which they are in words. It is of the table, not
        of the rule: it is told, and never read.
    """

    first: str
    second: str
    values: tuple[tuple[Any, Any], ...] | None = None
    said: str | None = field(default=None, compare=False)

    form = ("columns", "values")
    example = 'columns = ["phone", "lines"], values = [["No", "Two"]]'

    @property
    def columns(self):
        """Both."""
        return self.first, self.second

    def __str__(self):
        if self.values is not None:
            return never_text(self.columns, self.values)
        both = f"{self.first}, {self.second}"
        return self.said or f"{both}: combinations that never occur"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "never", "columns": list(self.columns)}
        if self.values is not None:
            content["values"] = [[_encode(v) for v in pair] for pair in self.values]
        return content

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        columns, values = _names(content["columns"], 2), content.get("values")
        if values is not None:
            if not values or not all(isinstance(p, list | tuple) for p in values):
                raise ValueError
            values = tuple((_decode(x), _decode(y)) for x, y in values)
        return cls(*columns, values)

    def wrong_kind(self, kinds):
        """Values are listed of columns of categories only."""
        if self.values is None:
            return None
        groups = {name: kinds.get(name, "category") for name in self.columns}
        return next((n for n, kind in groups.items() if kind != "category"), None)


_OF_KIND: dict[str, type[Relation]] = {
    "order": Order,
    "sum": Fit,
    "product": Fit,
    "bill": Bill,
    "limited": Limited,
    "function": Function,
    "share": Share,
    "date": DateOf,
    "date part": DatePart,
    "age": Age,
    "nested": Nested,
    "dependence": Dependence,
    "never": Never,
}


def never_text(columns, pairs):
    """A rule that values of two columns never meet, in words: the first ones of them.

    Parameters
    ----------
    columns : sequence of str
    pairs : sequence of (value, value)
        None for missing.
    """
    shown = ", ".join(" with ".join(map(_shown, pair)) for pair in pairs[:_MAX_SHOWN])
    more = len(pairs) - _MAX_SHOWN
    more = f", and {more} more" if more > 0 else ""
    return f"{', '.join(columns)}: never {shown}{more}"


def relation_from_dict(content: Any) -> Relation:
    """Read a relation from the form of its `to_dict`.

    Raises
    ------
    SchemaError
        If it is none, with an example of one.
    """
    kind = content.get("kind") if isinstance(content, dict) else None
    if not isinstance(kind, str) or kind not in _OF_KIND:
        raise SchemaError(
            f"Expected every [[rules]] to have a kind: {', '.join(_OF_KIND)}. "
            f"Received {content!r}. Correct or remove it."
        )
    relation = _OF_KIND[kind]
    try:
        if set(content) - {"kind", *relation.form, *SUPPORT}:
            raise ValueError
        return relation.read(content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise SchemaError(
            f"Expected a rule of kind {kind!r} such as {relation.example}. Received "
            f"{content!r}. Correct or remove it."
        ) from None


def check_relations(relations: Iterable[Relation]) -> None:
    """Refuse relations that are repeated, tell a column twice, or from itself.

    Raises
    ------
    SchemaError
    """
    told: dict[str, Relation] = {}
    seen: list[Relation] = []
    for relation in relations:
        if relation in seen:
            raise SchemaError(
                f"Expected every rule once. Received {str(relation)!r} more than once. "
                "Remove the repetition from [[rules]]."
            )
        seen.append(relation)
        target = getattr(relation, "target", None)
        if target is None:
            continue
        if target in told:
            raise SchemaError(
                f"Expected one rule at most that tells column {target!r}. Received "
                f"{str(told[target])!r} and {str(relation)!r}. Remove one of them."
            )
        told[target] = relation
    try:
        TopologicalSorter({t: fit.columns[1:] for t, fit in told.items()}).prepare()
    except CycleError as error:
        circle = ", ".join(map(repr, error.args[1][1:]))
        raise SchemaError(
            f"Expected rules that tell no column from itself. Received some that tell "
            f"{circle} from each other. Remove one of them."
        ) from None


def completed_years(birth, at):
    """Years completed between two days, each given as days since 1970-01-01.

    Parameters
    ----------
    birth, at : ndarray of int64

    Returns
    -------
    ndarray of int64
        Below 0 where birth is later. Who is born on 29 February is a year older on 1
        March of other years.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.array(["2000-05-02", "2024-05-01", "2024-05-02"], "datetime64[D]")
    >>> birth, before, after = days.astype(np.int64)
    >>> int(completed_years(birth, before)), int(completed_years(birth, after))
    (23, 24)
    """
    months = _in_unit(at, "M") - _in_unit(birth, "M")
    early = at - _first_of_month(at) < birth - _first_of_month(birth)
    return (months - early) // 12


def _in_unit(days, unit):
    """Years or months since 1970 of some days."""
    dates = np.asarray(days).astype("datetime64[D]")
    return dates.astype(f"datetime64[{unit}]").astype(np.int64)


def _first_of_month(days):
    months = _in_unit(days, "M").astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64)


def _names(names, n):
    if not isinstance(names, list | tuple):
        raise TypeError
    if len(names) != n or len(set(names)) < n:
        raise ValueError
    if not all(isinstance(name, str) for name in names):
        raise TypeError
    return tuple(names)


def _number(value):
    if isinstance(value, bool) or not math.isfinite(value):
        raise ValueError
    return float(value)


def _as_written(number):
    """A coefficient in a file: whole ones without decimals."""
    return int(number) if number == int(number) else number


def _encode(value):
    return {"missing": True} if value is None else encode(value)


def _decode(value):
    return None if value == {"missing": True} else decode(value, "A rule")


def _shown(value):
    if value is None or value == "":
        return "missing" if value is None else repr(value)
    text = str(value)
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."
