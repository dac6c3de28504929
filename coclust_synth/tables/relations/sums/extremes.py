"""Columns that are the largest or mean of others, or how far two are apart."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names
from coclust_synth.tables.relations.common.formula import Formula

#: What is taken of the columns, missing ones aside.
EXTREMES = {"largest": np.fmax, "smallest": np.fmin}
DISTANCE, MEAN = "distance", "mean"


@dataclass(frozen=True)
class Extreme(Formula):
    """A column that is the best of several grades, or the difference of two scores.

    Attributes
    ----------
    target : str
    what : {"largest", "smallest", "mean", "distance"}
        The largest, smallest or mean of those of its parents that are not missing; or
        by how much the higher one of two is above the other.
    parents : tuple of str
        From two on; of a distance two.
    """

    target: str
    what: str
    parents: tuple[str, ...]

    form = ("target", "what", "of")
    example = 'target = "best", what = "largest", of = ["first", "second"]'

    def __str__(self):
        if self.what == DISTANCE:
            return f"{self.target} = |{' - '.join(self.parents)}|"
        return f"{self.target} = {self.what} of {', '.join(self.parents)}"

    def to_dict(self):
        """See `Relation`."""
        of = list(self.parents)
        return {"kind": "extreme", "target": self.target, "what": self.what, "of": of}

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        of, what = content["of"], content["what"]
        target, *parents = distinct_names([content["target"], *of], 1 + len(of))
        most = 2 if what == DISTANCE else np.inf
        if what not in (*EXTREMES, MEAN, DISTANCE) or not 2 <= len(parents) <= most:
            raise ValueError
        return cls(target, what, tuple(parents))

    def wrong_kind(self, kinds):
        """All are numbers, or all dates, or times; of others than ends all numbers."""
        kind = kinds.get(self.target, "number")
        if kind == "category" or (self.what not in EXTREMES and kind != "number"):
            return self.target
        return next((n for n in self.parents if kinds.get(n, kind) != kind), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        of = [np.asarray(numbers[name], np.float64) for name in self.parents]
        if self.what == DISTANCE:
            return np.abs(of[0] - of[1])
        if self.what == MEAN:
            n_there = (~np.isnan(of)).sum(axis=0)
            return np.nansum(of, axis=0) / np.where(n_there, n_there, np.nan)
        return EXTREMES[self.what].reduce(of)
