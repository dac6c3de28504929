"""Columns that are a sum, or a bill, up to a limit."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.bills import Bill
from coclust_synth.tables.relations.formula import (
    Formula,
    finite_number,
)
from coclust_synth.tables.relations.sums import OverSum


class _UpToLimits:
    """What has `at_least`, `at_most` or both; None is no limit."""

    @property
    def limits(self):
        """Those that it has, by name."""
        ends = {"at_least": self.at_least, "at_most": self.at_most}
        return {name: own for name, own in ends.items() if own is not None}

    @staticmethod
    def _read_limits(content):
        names = ("at_least", "at_most")
        limits = {n: finite_number(content[n]) for n in names if n in content}
        least, most = limits.get("at_least", -np.inf), limits.get("at_most", np.inf)
        if not limits or least >= most:
            raise ValueError
        return limits

    def _said(self, told):
        limits = (f"{n.replace('_', ' ')} {own:g}" for n, own in self.limits.items())
        return ", ".join([str(told), *limits])

    def _within(self, told):
        least = self.limits.get("at_least", -np.inf)
        return np.clip(told, least, self.limits.get("at_most", np.inf))


@dataclass(frozen=True)
class Limited(_UpToLimits, OverSum):
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

    at_least: float | None = None
    at_most: float | None = None

    form = ("target", "terms", "constant", "at_least", "at_most")
    example = 'target = "fee", terms = { used = 0.25 }, constant = -20, at_least = 0'

    def __str__(self):
        return self._said(self.sum)

    def to_dict(self):
        """See `Relation`."""
        return self.sum.to_dict() | {"kind": "limited"} | self.limits

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls._of_sum(content, **cls._read_limits(content))

    def wrong_kind(self, kinds):
        """A number, of numbers, dates and times."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        return next((n for n in self.parents if kinds.get(n) == "category"), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        return self._within(self.sum.predict(numbers))


@dataclass(frozen=True)
class LimitedBill(_UpToLimits, Formula):
    """A column that is a sum with products in it up to a limit: what is paid of a loss
    above a share of one's own.

    Attributes
    ----------
    bill : Bill
        What it is within the limits.
    at_least, at_most : float or None
        What it is where the bill is below, or above; one of them at least.
    """

    bill: Bill
    at_least: float | None = None
    at_most: float | None = None

    form = (*Bill.form, "at_least", "at_most")
    example = (
        'target = "paid", products = [["value", "loss"], ["value", "own"]], '
        "factors = [0.01, -0.01], at_least = 0"
    )

    @property
    def target(self):
        """The column that it tells."""
        return self.bill.target

    @property
    def parents(self):
        """Columns that it is told from, each once."""
        return self.bill.parents

    def __str__(self):
        return self._said(self.bill)

    def to_dict(self):
        """See `Relation`."""
        return self.bill.to_dict() | {"kind": "limited bill"} | self.limits

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls(Bill.read(content), **cls._read_limits(content))

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        return self._within(self.bill.predict(numbers))
