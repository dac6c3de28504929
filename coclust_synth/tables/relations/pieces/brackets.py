"""Columns that are a line of another one in each of some brackets: a tax by income."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import (
    as_written,
    distinct_names,
    finite_number,
)
from coclust_synth.tables.relations.common.formula import Formula
from coclust_synth.tables.relations.common.sum_text import sum_text


@dataclass(frozen=True)
class Brackets(Formula):
    """A column that is a multiple of another and a constant, by brackets of this.

    Attributes
    ----------
    target, of : str
        The column, and the other.
    ends : tuple of float
        Increasing: the last number of each bracket but the last one.
    factors, constants : tuple of float
        Of each bracket.
    """

    target: str
    of: str
    ends: tuple[float, ...]
    factors: tuple[float, ...]
    constants: tuple[float, ...]

    form = ("target", "of", "ends", "factors", "constants")
    example = (
        'target = "tax", of = "income", ends = [12000], factors = [0, 0.2], '
        "constants = [0, -2400]"
    )

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    def __str__(self):
        lines = []
        for factor, constant in zip(self.factors, self.constants, strict=True):
            is_line = factor != 0
            text = sum_text([(self.of, factor)], constant) if is_line else ""
            lines.append(text or f"{constant:g}")
        *below, last = lines
        below = zip(below, self.ends, strict=True)
        told = [f"{line} up to {end:g}" for line, end in below]
        return f"{self.target} = {', '.join(told)}, {last} above"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "brackets", "target": self.target, "of": self.of}
        for name in self.form[2:]:
            content[name] = [as_written(number) for number in getattr(self, name)]
        return content

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, of = distinct_names([content["target"], content["of"]], 2)
        ends, factors, constants = (
            tuple(map(finite_number, content[name])) for name in cls.form[2:]
        )
        if not len(ends) + 1 == len(factors) == len(constants) > 1:
            raise ValueError
        if (np.diff(ends) <= 0).any():
            raise ValueError
        return cls(target, of, ends, factors, constants)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where the other is missing."""
        x = np.asarray(numbers[self.of], np.float64)
        bracket = np.searchsorted(self.ends, np.nan_to_num(x))
        return np.take(self.factors, bracket) * x + np.take(self.constants, bracket)
