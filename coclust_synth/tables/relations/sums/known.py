"""Columns that are a sum of what is there of others: what is missing counts as 0."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names
from coclust_synth.tables.relations.sums.over_sum import OverSum


@dataclass(frozen=True)
class SumOfKnown(OverSum):
    """A column that is a sum of others, some of which count as 0 where missing: a total
    with an extra that few have, a score of the items that were answered.

    Attributes
    ----------
    target : str
    parents : tuple of str
    coefficients : tuple of float
        Of each parent.
    constant : float
        Added to the sum.
    blank : tuple of str
        Of the parents, those that count as 0 where they are missing, one or more.
    """

    blank: tuple[str, ...]

    form = ("target", "terms", "constant", "blank")
    example = 'target = "total", terms = { net = 1, extra = 1 }, blank = ["extra"]'

    def __str__(self):
        names = "each" if self.blank == self.parents else ", ".join(self.blank)
        return f"{self.sum}, {names} 0 where missing"

    def to_dict(self):
        """See `Relation`."""
        more = {"kind": "sum of known", "blank": list(self.blank)}
        return self.sum.to_dict() | more

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        blank = distinct_names(content["blank"], len(content["blank"]))
        relation = cls._of_sum(content, blank=blank)
        if not blank or not {*blank} <= {*relation.parents}:
            raise ValueError
        return relation

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        filled = {n: np.nan_to_num(numbers[n], nan=0.0) for n in self.blank}
        own = {name: numbers[name] for name in self.parents}
        return self.sum.predict(own | filled)
