"""Columns that are a sum of others up to a limit."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from coclust_synth.tables.relations.common.fields import finite_number
from coclust_synth.tables.relations.common.relation import Relation
from coclust_synth.tables.relations.sums.fits import Fit


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
        limits = {n: finite_number(content[n]) for n in cls.form[3:] if n in content}
        least, most = limits.get("at_least", -np.inf), limits.get("at_most", np.inf)
        if not limits or least >= most:
            raise ValueError
        rest = {name: own for name, own in content.items() if name not in limits}
        fit = Fit.read(rest | {"kind": "sum"})
        return cls(fit.target, fit.parents, fit.coefficients, fit.constant, **limits)

    def wrong_kind(self, kinds):
        """A number, of numbers, dates and times."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        return next((n for n in self.parents if kinds.get(n) == "category"), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        least = -np.inf if self.at_least is None else self.at_least
        most = np.inf if self.at_most is None else self.at_most
        return np.clip(self.unlimited.predict(numbers), least, most)
