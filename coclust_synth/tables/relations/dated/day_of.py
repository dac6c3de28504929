"""Dates on a day that others tell: so many days after another, at any hour."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names
from coclust_synth.tables.relations.common.formula import Formula
from coclust_synth.tables.relations.sums.fits import Fit

# Of a day, what is left of it at its last moment: less than a microsecond.
_LAST = 1e-11


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
