"""Columns that are a function of one other."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.common.fields import distinct_names, finite_number
from coclust_synth.tables.relations.common.formula import Formula

# Functions of one number, by name.
FUNCTIONS = {
    "square": np.square,
    "cube": lambda x: x * x * x,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "log1p": np.log1p,
    "square root": np.sqrt,
    "reciprocal": np.reciprocal,
    "exponential": np.exp,
}


@dataclass(frozen=True)
class Function(Formula):
    """A column that is a function of one other, such as its logarithm.

    Attributes
    ----------
    target : str
    function : str
        One of `FUNCTIONS`.
    of : str
        The other column.
    factor, constant : float
        The function is multiplied by the first, not 0, and the second is added.
    """

    target: str
    function: str
    of: str
    factor: float = 1.0
    constant: float = 0.0

    form = ("target", "function", "of", "factor", "constant")
    example = (
        'target = "lwage", function = "log", of = "wage" (functions are '
        f"{'; '.join(FUNCTIONS)})"
    )

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    def __str__(self):
        factor = "" if self.factor == 1 else f"{self.factor:g} * "
        end = f" {'+' if self.constant > 0 else '-'} {abs(self.constant):g}"
        end = end if self.constant else ""
        return f"{self.target} = {factor}{self.function} of {self.of}{end}"

    def to_dict(self):
        """See `Relation`."""
        content = {"kind": "function", "target": self.target, "function": self.function}
        content |= {"of": self.of}
        content |= {"factor": self.factor} if self.factor != 1 else {}
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        target, of = distinct_names([content["target"], content["of"]], 2)
        factor = finite_number(content.get("factor", 1.0))
        if content["function"] not in FUNCTIONS or factor == 0:
            raise ValueError
        constant = finite_number(content.get("constant", 0.0))
        return cls(target, content["function"], of, factor, constant)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where that is no number."""
        with np.errstate(all="ignore"):
            told = FUNCTIONS[self.function](np.asarray(numbers[self.of], np.float64))
            told = self.factor * told + self.constant
        return np.where(np.isfinite(told), told, np.nan)
