"""Columns that are a sum, or a bill, up to a limit, which another column may say; or a
line of another one in each of some brackets: a tax by income.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.bills import Bill
from coclust_synth.tables.relations.formula import (
    Formula,
    as_written,
    distinct_names,
    finite_number,
    sum_text,
)
from coclust_synth.tables.relations.sums import Fit, OverSum


class _UpToLimits:
    """What has `at_least`, `at_most` or both; None is no limit."""

    @property
    def limits(self):
        """Those that it has, by name."""
        ends = {"at_least": self.at_least, "at_most": self.at_most}
        return {name: own for name, own in ends.items() if own is not None}

    @staticmethod
    def _read_limits(content):
        names = ("at_least", "at_most")
        limits = {n: finite_number(content[n]) for n in names if n in content}
        least, most = limits.get("at_least", -np.inf), limits.get("at_most", np.inf)
        if not limits or least >= most:
            raise ValueError
        return limits

    def _said(self, told):
        limits = (f"{n.replace('_', ' ')} {own:g}" for n, own in self.limits.items())
        return ", ".join([str(told), *limits])

    def _within(self, told):
        least = self.limits.get("at_least", -np.inf)
        return np.clip(told, least, self.limits.get("at_most", np.inf))


@dataclass(frozen=True)
class Limited(_UpToLimits, OverSum):
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
        return self._said(self.sum)

    def to_dict(self):
        """See `Relation`."""
        return self.sum.to_dict() | {"kind": "limited"} | self.limits

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls._of_sum(content, **cls._read_limits(content))

    def wrong_kind(self, kinds):
        """A number, of numbers, dates and times."""
        if kinds.get(self.target, "number") != "number":
            return self.target
        return next((n for n in self.parents if kinds.get(n) == "category"), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        return self._within(self.sum.predict(numbers))


@dataclass(frozen=True)
class LimitedBill(_UpToLimits, Formula):
    """A column that is a sum with products in it up to a limit: what is paid of a loss
    above a share of one's own.

    Attributes
    ----------
    bill : Bill
        What it is within the limits.
    at_least, at_most : float or None
        What it is where the bill is below, or above; one of them at least.
    """

    bill: Bill
    at_least: float | None = None
    at_most: float | None = None

    form = (*Bill.form, "at_least", "at_most")
    example = (
        'target = "paid", products = [["value", "loss"], ["value", "own"]], '
        "factors = [0.01, -0.01], at_least = 0"
    )

    @property
    def target(self):
        """The column that it tells."""
        return self.bill.target

    @property
    def parents(self):
        """Columns that it is told from, each once."""
        return self.bill.parents

    def __str__(self):
        return self._said(self.bill)

    def to_dict(self):
        """See `Relation`."""
        return self.bill.to_dict() | {"kind": "limited bill"} | self.limits

    @classmethod
    def read(cls, content):
        """See `Relation`."""
        return cls(Bill.read(content), **cls._read_limits(content))

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing."""
        return self._within(self.bill.predict(numbers))


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
