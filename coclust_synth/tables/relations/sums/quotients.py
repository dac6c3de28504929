"""Columns that are a sum of others over a column."""

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
class Quotient(Formula):
    """A column that is a sum of others over a column: a growth, a share of a limit.

    Attributes
    ----------
    target : str
    terms : tuple of str
        The columns of the sum.
    coefficients : tuple of float
        Of each of these.
    over : str
        The column that the sum is divided by.
    constant : float
        Added to the quotient.
    """

    target: str
    terms: tuple[str, ...]
    coefficients: tuple[float, ...]
    over: str
    constant: float = 0.0

    form = ("target", "terms", "over", "constant")
    example = 'target = "growth", terms = { now = 100 }, over = "then", constant = -100'

    @property
    def parents(self):
        """The columns that it is told from."""
        return *self.terms, self.over

    def __str__(self):
        terms = zip(self.terms, self.coefficients, strict=True)
        text = sum_text(terms, 0)
        if len(self.terms) == 1 and self.coefficients[0] < 0 < self.constant:
            return f"{self.target} = {self.constant:g} {text} / {self.over}"
        text = f"({text})" if len(self.terms) > 1 else text
        quotient = sum_text([(f"{text} / {self.over}", 1)], self.constant)
        return f"{self.target} = {quotient}"

    def to_dict(self):
        """See `Relation`."""
        terms = zip(self.terms, self.coefficients, strict=True)
        content = {"kind": "quotient", "target": self.target}
        content["terms"] = {name: as_written(c) for name, c in terms}
        content["over"] = self.over
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        terms = content["terms"]
        names = [content["target"], content["over"], *terms]
        target, over, *others = distinct_names(names, 2 + max(len(terms), 1))
        coefficients = tuple(map(finite_number, terms.values()))
        if 0 in coefficients:
            raise ValueError
        constant = finite_number(content.get("constant", 0.0))
        return cls(target, tuple(others), coefficients, over, constant)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        over = numbers[self.over]
        terms = zip(self.terms, self.coefficients, strict=True)
        total = sum(factor * numbers[name] for name, factor in terms)
        return total / np.where(over == 0, np.nan, over) + self.constant
