"""Columns that are one of some shares of another."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names, finite_number
from coclust_synth.tables.relations.common.formula import Formula


@dataclass(frozen=True)
class Share(Formula):
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
    draws_factor = True

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    def __str__(self):
        *others, last = (f"{share:.10g}" for share in self.shares)
        return f"{self.target} = {', '.join(others)} or {last} of {self.of}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "share", "target": self.target, "of": self.of}
        return content | {"shares": list(self.shares)}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, of = distinct_names([content["target"], content["of"]], 2)
        shares = tuple(sorted(map(finite_number, content["shares"])))
        if len(set(shares)) < max(2, len(shares)):
            raise ValueError
        return cls(target, of, shares)

    def predict(self, numbers):
        """What the shares are of, (n,) float64; nan where missing."""
        return np.asarray(numbers[self.of], np.float64)

    def factor(self, own, whole):
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
