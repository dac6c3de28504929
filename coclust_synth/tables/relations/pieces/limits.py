"""Columns that are a sum of others up to a limit."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import finite_number
from coclust_synth.tables.relations.sums.over_sum import OverSum


@dataclass(frozen=True)
class Limited(OverSum):
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
        limits = {"at least": self.at_least, "at most": self.at_most}
        told = [f"{word} {own:g}" for word, own in limits.items() if own is not None]
        return ", ".join([str(self.sum), *told])

    def to_dict(self):
        """See `Relation`."""
        limits = {"at_least": self.at_least, "at_most": self.at_most}
        told = {name: own for name, own in limits.items() if own is not None}
        return self.sum.to_dict() | {"kind": "limited"} | told

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        limits = {n: finite_number(content[n]) for n in cls.form[3:] if n in content}
        least, most = limits.get("at_least", -np.inf), limits.get("at_most", np.inf)
        if not limits or least >= most:
            raise ValueError
        return cls._of_sum(content, **limits)

    def wrong_kind(self, kinds):
        """A number, of numbers, dates and times."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        return next((n for n in self.parents if kinds.get(n) == "category"), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        least = -np.inf if self.at_least is None else self.at_least
        most = np.inf if self.at_most is None else self.at_most
        return np.clip(self.sum.predict(numbers), least, most)
