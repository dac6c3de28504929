"""Columns that others tell, and that are no sum of them: a function or a share of one,
how many of several have a value.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coclust_synth.tables.literals import VALUE_TYPES, decode, encode
from coclust_synth.tables.relations.formula import (
    Formula,
    distinct_names,
    finite_number,
)

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
# So many columns are named in words.
_MAX_SHOWN = 5


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

    kind = "function"
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

    @classmethod
    def read(cls, content):
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

    kind = "share"
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

    @classmethod
    def read(cls, content):
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


@dataclass(frozen=True)
class Rate(Formula):
    """A column that is another times a rate, which is drawn: the poor of a district.

    Attributes
    ----------
    target, of : str
        The column, and the other.
    together : bool
        Whether the rate is of both together, as where the other is all the rest.
    """

    target: str
    of: str
    together: bool = False

    kind = "rate"
    form = ("target", "of", "together")
    example = 'target = "poor", of = "inhabitants"'
    about = True
    draws_factor = True

    @property
    def parents(self):
        """The other column."""
        return (self.of,)

    def __str__(self):
        of = f"{self.of} and it" if self.together else self.of
        return f"{self.target} ~ a rate of {of}"

    @classmethod
    def read(cls, content):
        target, of = distinct_names([content["target"], content["of"]], 2)
        together = content.get("together", False)
        if type(together) is not bool:
            raise TypeError
        return cls(target, of, together)

    def predict(self, numbers):
        """What the rates are of, (n,) float64; nan where missing."""
        return np.asarray(numbers[self.of], np.float64)

    def factor(self, own, whole):
        """The rate of each row, (n,) float64; of nothing it is 0.

        Parameters
        ----------
        own, whole : ndarray of float64, shape (n,)
            Of the target, and of the other; nan where missing.
        """
        own = np.where(np.isnan(own), 0.0, own)
        whole = own + whole if self.together else whole
        return np.divide(own, whole, out=np.zeros(len(own)), where=whole != 0)

    def times(self, whole, factor):
        if self.together:
            rest = np.maximum(1 - factor, np.finfo(np.float64).eps)
            return whole * (factor / rest)
        return whole * factor


@dataclass(frozen=True)
class Count(Formula):
    """A column that says how many of others have a value.

    Attributes
    ----------
    target : str
    of : tuple of (str, value)
        Two columns of categories or more, and the value of each that counts. Nothing is
        said of rows that lack one of them.
    """

    target: str
    of: tuple[tuple[str, Any], ...]

    kind = "count"
    form = ("target", "of")
    example = 'target = "symptoms", of = { cough = "yes", fever = "yes" }'
    is_rounded = False

    @property
    def parents(self):
        """The columns that it counts."""
        return tuple(name for name, _ in self.of)

    @property
    def listed(self):
        return self.parents

    @property
    def named(self):
        return self.of

    def __str__(self):
        shown = ", ".join(f"{name} {value}" for name, value in self.of[:_MAX_SHOWN])
        more = len(self.of) - _MAX_SHOWN
        last = f" and {more} more" if more > 0 else ""
        return f"{self.target} = how many of {shown}{last}"

    def to_dict(self):
        of = {name: encode(value) for name, value in self.of}
        return {"kind": self.kind, "target": self.target, "of": of}

    @classmethod
    def read(cls, content):
        of = tuple((n, decode(value, "A rule")) for n, value in content["of"].items())
        if not all(isinstance(value, VALUE_TYPES) for _, value in of):
            raise TypeError
        target, *_ = distinct_names([content["target"], *content["of"]], 1 + len(of))
        if len(of) < 2:
            raise ValueError
        return cls(target, of)

    @property
    def wants(self):
        """Categories are counted, and their number is one."""
        return {self.target: "number"} | dict.fromkeys(self.parents, "category")

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing.

        Parameters
        ----------
        numbers : mapping of str to ndarray of object, shape (n,)
            Of the columns that it counts: categories as texts, None where missing.
        """
        told = np.zeros(len(numbers[self.parents[0]]))
        for name, value in self.of:
            own = numbers[name]
            told += np.where(np.equal(own, None), np.nan, own == str(value))
        return told
