"""Dates that other columns tell, and columns that dates tell: parts and ages."""

import datetime
from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.days import (
    DATE_PARTS,
    TIME_PARTS,
    calendar_months,
    calendar_years,
    completed_months,
    completed_years,
    months_later,
)
from coclust_synth.tables.relations.formula import (
    Formula,
    distinct_names,
    finite_number,
)
from coclust_synth.tables.relations.sums import Fit

# What a date with a time is told by, the last two if need be.
DATE_UNITS = ("year", "month", "day", "hour", "minute", "second")
#: What is completed between two days, by unit.
COMPLETED = {"years": completed_years, "months": completed_months}
UNITS_BETWEEN = COMPLETED | {
    "calendar years": calendar_years,
    "calendar months": calendar_months,
    "days": lambda birth, at: at - birth,
}
# Months, or days, from a date, at most: of months ten thousand years.
_MOST = 120_000
#: Which day of the month a date has, and how it is said.
DAYS_OF_MONTH = {
    "same": "",
    "first": "first of the month of ",
    "last": "last of the month of ",
}
# Of a day, what is left of it at its last moment: less than a microsecond.
_LAST = 1e-11


@dataclass(frozen=True)
class DateOf(Formula):
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

    kind = "date"
    form = ("target", "parts", "shift", "about")
    example = (
        'target = "left", parts = { year = "year", month = "month", day = "day", '
        'hour = "hour" }'
    )

    @property
    def parents(self):
        """Names of the parts."""
        return tuple(name for _, name in self.parts)

    def __str__(self):
        sign, shift = "~" if self.about else "=", ""
        if self.shift:
            sum_or_rest = "+" if self.shift > 0 else "-"
            shift = f" {sum_or_rest} {abs(self.shift) * 24:.6g} h"
        return f"{self.target} {sign} date of {', '.join(self.parents)}{shift}"

    def to_dict(self):
        content = {"kind": self.kind, "target": self.target, "parts": dict(self.parts)}
        content |= {"shift": self.shift} if self.shift else {}
        return content | ({"about": True} if self.about else {})

    @classmethod
    def read(cls, content):
        parts = content["parts"]
        names = distinct_names(
            [content["target"], *parts.values()], 1 + max(len(parts), 4)
        )
        units, about = DATE_UNITS[: len(parts)], content.get("about", False)
        if set(parts) != set(units) or not isinstance(about, bool):
            raise ValueError
        shift = finite_number(content.get("shift", 0.0))
        return cls(names[0], tuple((u, parts[u]) for u in units), shift, about)

    @property
    def wants(self):
        """A date, of numbers."""
        return super().wants | {self.target: "datetime"}

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


@dataclass(frozen=True)
class _OfDates(Formula):
    """A whole number that dates tell."""

    target: str

    is_rounded = False

    @property
    def parents(self) -> tuple[str, ...]:
        """Columns of dates that it is told from."""
        return self.columns[1:]

    @property
    def wants(self):
        """A number, of dates."""
        return {self.target: "number"} | dict.fromkeys(self.parents, "datetime")

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where a date is missing."""
        known = ~np.isnan(np.array([numbers[p] for p in self.parents])).any(axis=0)
        days = [np.where(known, numbers[p], 0) // 1 for p in self.parents]
        told = self._of_days(*(of.astype(np.int64) for of in days))
        return np.where(known, told, np.nan)


@dataclass(frozen=True)
class DatePart(_OfDates):
    """A column that is the year, the month, ... of a date, its day as a date, or time.

    Attributes
    ----------
    target : str
    part : str
        One of `DATE_PARTS`, or of `TIME_PARTS`.
    date : str
    """

    part: str
    date: str

    kind = "date part"
    form = ("target", "part", "date")
    example = (
        'target = "month", part = "month", date = "admission" (parts are '
        f"{'; '.join((*DATE_PARTS, *TIME_PARTS))})"
    )

    @property
    def is_rounded(self):
        """A time is, as fractions of a day are."""
        return self.part.startswith("time")

    @property
    def columns(self):
        """The target, then the date."""
        return self.target, self.date

    def __str__(self):
        return f"{self.target} = {self.part} of {self.date}"

    @classmethod
    def read(cls, content):
        target, date = distinct_names([content["target"], content["date"]], 2)
        if content["part"] not in DATE_PARTS | TIME_PARTS:
            raise ValueError
        return cls(target, content["part"], date)

    @property
    def wants(self):
        """A number, a date or a time, of a date."""
        kind = "datetime" if self.part == "date" else "number"
        kind = "time" if self.part.startswith("time") else kind
        return {self.target: kind, self.date: "datetime"}

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where the date is missing."""
        if self.part in TIME_PARTS:
            return TIME_PARTS[self.part](np.asarray(numbers[self.date], float))
        return super().predict(numbers)

    def _of_days(self, days):
        return DATE_PARTS[self.part](days)


@dataclass(frozen=True)
class Age(_OfDates):
    """A column that is the years, months or days between two dates.

    Attributes
    ----------
    target : str
    birth : str
    at : str or date
        A column of dates, or one day for all rows.
    unit : {"years", "months", "calendar years", "calendar months", "days"}
        Completed ones; of the calendar, a year or month is counted as it begins, and so
        is a day.
    """

    birth: str
    at: str | datetime.date
    unit: str = "years"

    kind = "age"
    form = ("target", "birth", "at", "on", "unit")
    example = 'target = "age", birth = "born", at = "admission" (or on = "2024-12-31")'

    @property
    def columns(self):
        """The target, then the dates."""
        at = (self.at,) if isinstance(self.at, str) else ()
        return self.target, self.birth, *at

    def __str__(self):
        return f"{self.target} = {self.unit} from {self.birth} to {self.at}"

    def to_dict(self):
        content = {"kind": self.kind, "target": self.target, "birth": self.birth}
        at = {"at": self.at} if isinstance(self.at, str) else {"on": str(self.at)}
        return content | at | ({} if self.unit == "years" else {"unit": self.unit})

    @classmethod
    def read(cls, content):
        unit = content.get("unit", "years")
        if ("at" in content) == ("on" in content) or unit not in UNITS_BETWEEN:
            raise ValueError
        if "at" in content:
            names = [content[key] for key in ("target", "birth", "at")]
            return cls(*distinct_names(names, 3), unit)
        # A date without quotes is a date in TOML.
        on = datetime.date.fromisoformat(str(content["on"]))
        names = distinct_names([content["target"], content["birth"]], 2)
        return cls(*names, on, unit)

    def _of_days(self, birth, at=None):
        if at is None:
            at = np.datetime64(self.at, "D").astype(np.int64)
        return UNITS_BETWEEN[self.unit](birth, at)


@dataclass(frozen=True)
class MonthsAfter(Formula):
    """A column of dates that are some months after another.

    Attributes
    ----------
    target, date : str
    day : {"same", "first", "last"}
        Of the month that it is in: the day of the other date, or the last one of a
        month that is too short for it; its first or its last day.
    months : int
    by : str, optional
        A column of whole numbers: as many months, or years, more.
    each : {1, 12}
        Months of one of these.
    days : int
        More, after the months: -1 of a policy that ends on the day before.
    """

    target: str
    date: str
    day: str = "same"
    months: int = 0
    by: str | None = None
    each: int = 1
    days: int = 0

    kind = "months after"
    form = ("target", "date", "day", "months", "by", "each", "days")
    is_rounded = False
    example = 'target = "end", date = "begin", by = "years", each = 12, days = -1'

    @property
    def parents(self):
        """The other date, and what says how many months."""
        return (self.date,) if self.by is None else (self.date, self.by)

    def __str__(self):
        told = f"{self.target} = {DAYS_OF_MONTH[self.day]}{self.date}"
        if self.by is not None:
            told += f" + {self.by} {'months' if self.each == 1 else 'years'}"
        for number, unit in ((self.months, "months"), (self.days, "days")):
            if number:
                sign = "+" if number > 0 else "-"
                unit = unit.removesuffix("s") if abs(number) == 1 else unit
                told += f" {sign} {abs(number)} {unit}"
        return told

    def to_dict(self):
        content = {"kind": self.kind, "target": self.target, "date": self.date}
        content |= {"day": self.day} if self.day != "same" else {}
        content |= {n: v for n in ("months", "days") if (v := getattr(self, n))}
        return content | ({} if self.by is None else {"by": self.by, "each": self.each})

    @classmethod
    def read(cls, content):
        by, day = content.get("by"), content.get("day", "same")
        names = [content[key] for key in ("target", "date")]
        names += [] if by is None else [by]
        distinct_names(names, len(names))
        months, each, days = (
            content.get(key, default)
            for key, default in (("months", 0), ("each", 1), ("days", 0))
        )
        is_told = all(type(n) is int and abs(n) <= _MOST for n in (months, each, days))
        if not is_told or each not in (1, 12) or day not in DAYS_OF_MONTH:
            raise ValueError
        if by is None and "each" in content:
            raise ValueError
        return cls(*names[:2], day, months, by, each, days)

    @property
    def wants(self):
        """A date, of a date and a number."""
        return super().wants | dict.fromkeys((self.target, self.date), "datetime")

    def predict(self, numbers):
        """What it says of each row, (n,) float64 days; nan where something is missing.

        Times of day are left out.
        """
        date = np.asarray(numbers[self.date], np.float64)
        by = np.zeros_like(date) if self.by is None else np.asarray(numbers[self.by])
        known = ~np.isnan(date) & ~np.isnan(by)
        day = np.where(known, np.floor(date), 0).astype(np.int64)
        more = self.months + self.each * np.where(known, by, 0)
        more = np.round(np.clip(more, -_MOST, _MOST)).astype(np.int64)
        told = months_later(day, more, self.day) + self.days
        return np.where(known, told.astype(np.float64), np.nan)


@dataclass(frozen=True)
class DayOf(Formula):
    """A column of dates on the day that is some days after another date.

    The clock is its own: moments differ from it by less than a day.

    Attributes
    ----------
    target : str
    since : str
        Another column of dates, whose times of day are left out.
    days : str
        A column of whole numbers.
    """

    target: str
    since: str
    days: str

    kind = "day of"
    form = ("target", "since", "days")
    example = 'target = "arrest", since = "screening", days = "days_to_arrest"'
    about = True
    is_loose = False
    is_rounded = False
    constant = 0.0

    @property
    def parents(self):
        """The other date, and the number of days."""
        return self.since, self.days

    @property
    def sum(self):
        """The sum alone, a `Fit`: of a date with a clock that of its day."""
        return Fit(self.target, self.parents, (1.0, 1.0), self.constant, about=True)

    def __str__(self):
        return f"day of {self.target} = {self.since} + {self.days}"

    @classmethod
    def read(cls, content):
        return cls(*distinct_names([content[key] for key in cls.form], 3))

    @property
    def wants(self):
        """A date, of a date and a number."""
        return super().wants | dict.fromkeys((self.target, self.since), "datetime")

    def predict(self, numbers):
        """Where the day begins, (n,) float64 days; nan where something is missing."""
        return np.floor(numbers[self.since]) + numbers[self.days]

    def nearest(self, own, told):
        """The moment itself where it is on the day that is told; see `Formula`."""
        return np.clip(own, *self.room(told))

    def room(self, told):
        """From where to where the moment of each row is, of the days that are told."""
        end = told + 1
        return told, np.minimum(end - _LAST, np.nextafter(end, told))
