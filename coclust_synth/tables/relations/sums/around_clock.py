"""Columns that are a sum of others around the clock: when a night shift ends."""

from dataclasses import dataclass, replace

import numpy as np

from coclust_synth.tables.relations.common.fields import finite_number
from coclust_synth.tables.relations.sums.over_sum import OverSum

# Of a period, more than sums of doubles are off.
_A_LITTLE = 1e-9


@dataclass(frozen=True)
class AroundClock(OverSum):
    """A column that is a sum of others, less the whole days that it goes beyond one.

    Of times of a day it is one, six hours after 22:00 being 04:00; or a number, such as
    the six hours from 22:00 to 04:00.

    Attributes
    ----------
    target : str
    parents : tuple of str
        Times and dates count in days.
    coefficients : tuple of float
        Of each parent.
    constant : float
        Added to the sum.
    period : float
        A day, in the unit of the column: 1 of a time, 1440 of minutes.
    about : bool
        Whether rows differ from it by more than rounding.
    """

    constant: float = 0.0
    period: float = 1.0
    about: bool = False

    form = ("target", "terms", "constant", "period", "about")
    example = 'target = "hours", terms = { end = 24, begin = -24 }, period = 24'

    @property
    def sum(self):
        """The sum alone, a `Fit`."""
        return replace(super().sum, about=self.about)

    def __str__(self):
        return f"{self.sum}, around the clock"

    def to_dict(self):
        """See `Relation`."""
        period = {} if self.period == 1 else {"period": self.period}
        return self.sum.to_dict() | {"kind": "around the clock"} | period

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        period = finite_number(content.get("period", 1.0))
        about = content.get("about", False)
        if period <= 0 or not isinstance(about, bool):
            raise ValueError
        return cls._of_sum(content, period=period, about=about)

    def wrong_kind(self, kinds):
        """A number or a time, of numbers, dates and times."""
        if kinds.get(self.target, "number") not in ("number", "time"):
            return self.target
        return next((n for n in self.parents if kinds.get(n) == "category"), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        told = self.sum.predict(numbers) / self.period
        return (told - np.floor(told + _A_LITTLE)) * self.period

    def nearest(self, own, told):
        """What is told, a day more or less where this is nearer; see `Formula`."""
        return told - self.period * np.round((told - own) / self.period)
