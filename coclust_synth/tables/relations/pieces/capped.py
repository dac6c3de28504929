"""Columns that are a sum of others up to a limit that another column says."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names
from coclust_synth.tables.relations.common.formula import Formula
from coclust_synth.tables.relations.sums.fits import Fit


@dataclass(frozen=True)
class Capped(Formula):
    """A column that is a sum of others, up to a limit of each row: a rent that counts
    up to what a household of its size may have.

    Attributes
    ----------
    target : str
    summed : tuple of str
        Columns that are added.
    coefficients : tuple of float
        Of each of these.
    constant : float
        Added to the sum.
    at_least, at_most : str or None
        The column that it is where the sum is below, or above; one of them.
    """

    target: str
    summed: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    at_least: str | None = None
    at_most: str | None = None

    form = ("target", "terms", "constant", "at_least", "at_most")
    example = 'target = "paid", terms = { rent = 1, service = 1 }, at_most = "cap"'

    @property
    def limit(self):
        """The column that is the limit."""
        return self.at_most if self.at_least is None else self.at_least

    @property
    def parents(self):
        """Columns that it is told from."""
        return *self.summed, self.limit

    @property
    def unlimited(self):
        """The sum without its limit."""
        return Fit(self.target, self.summed, self.coefficients, self.constant)

    def __str__(self):
        word = "at most" if self.at_least is None else "at least"
        return f"{self.unlimited}, {word} {self.limit}"

    def to_dict(self):
        """See `Relation`."""
        which = "at_most" if self.at_least is None else "at_least"
        return self.unlimited.to_dict() | {"kind": "capped", which: self.limit}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        (which,) = {"at_least", "at_most"} & set(content)
        rest = {name: own for name, own in content.items() if name != which}
        fit = Fit.read(rest | {"kind": "sum"})
        names = [*fit.columns, content[which]]
        limit = distinct_names(names, len(names))[-1]
        sums = fit.target, fit.parents, fit.coefficients, fit.constant
        return cls(*sums, **{which: limit})

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        of = np.minimum if self.at_least is None else np.maximum
        return of(self.unlimited.predict(numbers), numbers[self.limit])
