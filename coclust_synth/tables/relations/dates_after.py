"""Columns of dates some months or days after others, as these and numbers say."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.days import days_of_month, month_of
from coclust_synth.tables.relations.formula import Formula, distinct_names
from coclust_synth.tables.relations.sums import Fit

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
        """See `Relation`."""
        content = {"kind": "months after", "target": self.target, "date": self.date}
        content |= {"day": self.day} if self.day != "same" else {}
        content |= {n: v for n in ("months", "days") if (v := getattr(self, n))}
        return content | ({} if self.by is None else {"by": self.by, "each": self.each})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
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

    def wrong_kind(self, kinds):
        """A date, of a date and a number."""
        dates = (self.target, self.date)
        wrong = (n for n in dates if kinds.get(n, "datetime") != "datetime")
        number = self.by is not None and kinds.get(self.by, "number") != "number"
        return next(wrong, self.by if number else None)

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
        month = month_of(day)
        first, _ = days_of_month(month)
        begin, length = days_of_month(month + more)
        place = {
            "same": np.minimum(day - first, length - 1),
            "first": 0,
            "last": length - 1,
        }
        told = begin + place[self.day] + self.days
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

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "day of", "target": self.target}
        return content | {"since": self.since, "days": self.days}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls(*distinct_names([content[key] for key in cls.form], 3))

    def wrong_kind(self, kinds):
        """A date, of a date and a number."""
        dates = (self.target, self.since)
        wrong = (n for n in dates if kinds.get(n, "datetime") != "datetime")
        is_number = kinds.get(self.days, "number") == "number"
        return next(wrong, None if is_number else self.days)

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
