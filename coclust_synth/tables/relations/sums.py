"""Columns that are a sum of others, or a product of powers of them; sums with products
in them, those of which what is missing counts as 0, and means of what is there.
"""

import math
from dataclasses import dataclass

import numpy as np

from coclust_synth.tables.relations.formula import (
    Formula,
    as_written,
    distinct_names,
    finite_number,
    sum_text,
)


@dataclass(frozen=True)
class Fit(Formula):
    """A column that is a sum of others, or a product of powers of them.

    Attributes
    ----------
    target : str
    parents : tuple of str
    coefficients : tuple of float
        Of each parent: factors, or exponents of a product.
    constant : float
        Added to a sum; the factor of a product, above 0.
    logarithms : bool
        Whether it is a product.
    about : bool
        Whether rows differ from it by more than rounding.
    slips : bool
        Whether these are slips beside a product that others are to the last digit.
    plus : tuple of float
        The amounts, one of which nearly every row has beside a sum, such as fees:
        increasing, two or more; none of other sums.
    open : bool
        Whether a product says nothing of rows in which a divisor is 0.
    """

    target: str
    parents: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    logarithms: bool = False
    about: bool = False
    slips: bool = False
    plus: tuple[float, ...] = ()
    open: bool = False

    form = ("target", "terms", "constant", "factor", "about", "slips", "plus", "open")
    example = 'target = "total", terms = { principal = 1, interest = 1 }'

    @property
    def kind(self):
        return "product" if self.logarithms else "sum"

    @property
    def terms(self):
        """The coefficient of each column that it is told from."""
        return dict(zip(self.parents, self.coefficients, strict=True))

    def solved_for(self, name):
        """The same sum, told of a column of it whose coefficient is 1 or -1."""
        own, others = (
            self.terms[name],
            {n: c for n, c in self.terms.items() if n != name},
        )
        terms = {self.target: own} | {n: -own * c for n, c in others.items()}
        told = tuple(terms), tuple(terms.values()), -own * self.constant
        plus = tuple(sorted(0.0 - own * amount for amount in self.plus))
        return Fit(name, *told, about=self.about, plus=plus)

    def says_as(self, other):
        """Whether it is the same sum as another, perhaps told of another column.

        Or the same product as one that is right but for slips, of the same column; or
        with one of the amounts of the other.

        Examples
        --------
        >>> total = Fit("total", ("net", "tax"), (1.0, 1.0), 0.0)
        >>> total.says_as(Fit("tax", ("total", "net"), (1.0, -1.0), 0.0, about=True))
        True
        """
        if {*self.columns} != {*other.columns} or self.logarithms != other.logarithms:
            return False
        if self.logarithms and not (other.slips and other.target == self.target):
            return False
        if other.target != self.target:
            if abs(other.terms[self.target]) != 1:
                return False
            other = other.solved_for(self.target)
        constants = other.plus or (other.constant,)
        return other.terms == self.terms and self.constant in constants

    def __str__(self):
        sign = "~" if self.about and not (self.slips or self.plus) else "="
        terms = zip(self.parents, self.coefficients, strict=True)
        if self.logarithms:
            powers = [p if c == 1 else f"{p}^{c:g}" for p, c in terms]
            factors = [f"{self.constant:.4g}"] * (self.constant != 1) + powers
            end = ", except for slips" * self.slips
            return f"{self.target} {sign} {' * '.join(factors)}{end}"
        *others, last = (f"{amount:.10g}" for amount in self.plus or (0.0,))
        end = f" + {', '.join(others)} or {last}" if others else ""
        return f"{self.target} {sign} {sum_text(terms, self.constant)}{end}"

    def to_dict(self):
        terms = zip(self.parents, self.coefficients, strict=True)
        content = {
            "kind": self.kind,
            "target": self.target,
            "terms": {p: as_written(c) for p, c in terms},
        }
        if self.logarithms and self.constant != 1:
            content["factor"] = self.constant
        if not self.logarithms and self.constant:
            content["constant"] = self.constant
        flags = {
            "about": self.about and not (self.slips or self.plus),
            "slips": self.slips,
            "open": self.open,
        }
        content |= {name: True for name, is_so in flags.items() if is_so}
        plus = {"plus": list(map(as_written, self.plus))} if self.plus else {}
        return content | plus

    @classmethod
    def read(cls, content):
        is_product = content["kind"] == "product"
        if ("constant" if is_product else "factor") in content:
            raise ValueError
        terms = content["terms"]
        names = distinct_names([content["target"], *terms], 1 + max(len(terms), 1))
        constant = finite_number(
            content.get("factor" if is_product else "constant", 0.0)
        )
        if is_product:
            constant = constant if "factor" in content else 1.0
            if constant <= 0:
                raise ValueError
        flags = [content.get(name, False) for name in ("about", "slips", "open")]
        about, slips, is_open = flags
        coefficients = tuple(finite_number(c) for c in terms.values())
        if {*map(type, flags)} != {bool} or 0 in coefficients:
            raise ValueError
        plus = tuple(sorted(map(finite_number, content.get("plus", ()))))
        if ((slips or is_open) and not is_product) or (plus and is_product):
            raise ValueError
        if "plus" in content and len(set(plus)) < max(2, len(plus)):
            raise ValueError
        told = names[0], names[1:], coefficients, constant
        is_about = about or slips or bool(plus)
        return cls(*told, is_product, is_about, slips, plus, is_open)

    def wrong_kind(self, kinds):
        """All are numbers; of a sum, dates and times."""
        wrong = ("category", "datetime", "time")[: 3 if self.logarithms else 1]
        return next((name for name in self.columns if kinds.get(name) in wrong), None)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing.

        Of a product: the logarithm, -inf where a factor is 0, or a divisor: a share of
        nothing is 0, or missing; of an open one nan where a divisor is.

        Parameters
        ----------
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of the columns that it is told from; nan where missing, dates in days.
        """
        constant = math.log(self.constant) if self.logarithms else self.constant
        total = np.full(len(numbers[self.parents[0]]), constant)
        is_zero = np.zeros(len(total), dtype=bool)
        for parent, coefficient in zip(self.parents, self.coefficients, strict=True):
            x = numbers[parent]
            if self.logarithms:
                says_0 = (x == 0) & (coefficient > 0 or not self.open)
                is_zero |= says_0
                x = np.log(np.where(x > 0, x, np.where(says_0, 1.0, np.nan)))
            total += coefficient * x
        return np.where(is_zero & ~np.isnan(total), -np.inf, total)


@dataclass(frozen=True)
class SumOfKnown(Formula):
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

    target: str
    parents: tuple[str, ...]
    coefficients: tuple[float, ...]
    constant: float
    blank: tuple[str, ...]

    kind = "sum of known"
    form = ("target", "terms", "constant", "blank")
    example = 'target = "total", terms = { net = 1, extra = 1 }, blank = ["extra"]'

    @property
    def sum(self):
        """The sum alone, a `Fit`."""
        return Fit(self.target, self.parents, self.coefficients, self.constant)

    def __str__(self):
        names = "each" if self.blank == self.parents else ", ".join(self.blank)
        return f"{self.sum}, {names} 0 where missing"

    def to_dict(self):
        more = {"kind": self.kind, "blank": list(self.blank)}
        return self.sum.to_dict() | more

    @classmethod
    def read(cls, content):
        blank = distinct_names(content["blank"], len(content["blank"]))
        rest = {name: value for name, value in content.items() if name != "blank"}
        fit = Fit.read(rest | {"kind": "sum"})
        if not blank or not {*blank} <= {*fit.parents}:
            raise ValueError
        return cls(fit.target, fit.parents, fit.coefficients, fit.constant, blank)

    def predict(self, numbers):
        filled = {n: np.nan_to_num(numbers[n], nan=0.0) for n in self.blank}
        own = {name: numbers[name] for name in self.parents}
        return self.sum.predict(own | filled)


@dataclass(frozen=True)
class Bill(Formula):
    """A column that is a sum of products of two columns, and of columns as they are: so
    many nights at a rate, and extras.

    Attributes
    ----------
    target : str
    products : tuple of (str, str)
        One or more.
    factors : tuple of float
        Of each product.
    others : tuple of str
        The columns that are added as they are.
    coefficients : tuple of float
        Of each of these.
    constant : float
        Added to the sum.
    """

    target: str
    products: tuple[tuple[str, str], ...]
    factors: tuple[float, ...]
    others: tuple[str, ...] = ()
    coefficients: tuple[float, ...] = ()
    constant: float = 0.0

    kind = "bill"
    form = ("target", "products", "factors", "terms", "constant")
    example = (
        'target = "total", products = [["nights", "rate"]], terms = { extras = 1 }'
    )

    @property
    def parents(self):
        """Columns that it is told from, each once."""
        of_products = (name for pair in self.products for name in pair)
        return tuple(dict.fromkeys((*of_products, *self.others)))

    def __str__(self):
        products = map(" * ".join, self.products)
        terms = [
            *zip(products, self.factors, strict=True),
            *zip(self.others, self.coefficients, strict=True),
        ]
        return f"{self.target} = {sum_text(terms, self.constant)}"

    def to_dict(self):
        content = {"kind": self.kind, "target": self.target}
        content["products"] = [list(pair) for pair in self.products]
        if set(self.factors) != {1.0}:
            content["factors"] = list(map(as_written, self.factors))
        if self.others:
            terms = zip(self.others, self.coefficients, strict=True)
            content["terms"] = {p: as_written(c) for p, c in terms}
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        products = tuple(distinct_names(pair, 2) for pair in content["products"])
        factors = content.get("factors", [1] * len(products))
        factors, terms = tuple(map(finite_number, factors)), content.get("terms", {})
        if not products or len({frozenset(pair) for pair in products}) < len(products):
            raise ValueError
        coefficients = tuple(map(finite_number, terms.values()))
        if len(factors) != len(products) or 0 in (*factors, *coefficients):
            raise ValueError
        constant = finite_number(content.get("constant", 0.0))
        (target,) = distinct_names([content["target"]], 1)
        others = distinct_names([*terms], len(terms))
        bill = cls(target, products, factors, others, coefficients, constant)
        if target in bill.parents:
            raise ValueError
        return bill

    def predict(self, numbers):
        total = np.full(len(numbers[self.parents[0]]), self.constant)
        for (one, other), factor in zip(self.products, self.factors, strict=True):
            total += factor * (numbers[one] * numbers[other])
        for name, coefficient in zip(self.others, self.coefficients, strict=True):
            total += coefficient * numbers[name]
        return total


@dataclass(frozen=True)
class Mean(Formula):
    """A column that is the mean of those of some others that are not missing.

    Attributes
    ----------
    target : str
    of : tuple of str
        Two or more.
    """

    target: str
    of: tuple[str, ...]

    kind = "mean"
    form = ("target", "of")
    example = 'target = "score", of = ["first", "second"]'

    @property
    def parents(self):
        """The others."""
        return self.of

    def __str__(self):
        return f"{self.target} = mean of {', '.join(self.of)}"

    @classmethod
    def read(cls, content):
        of = content["of"]
        target, *of = distinct_names([content["target"], *of], 1 + len(of))
        if len(of) < 2:
            raise ValueError
        return cls(target, tuple(of))

    def predict(self, numbers):
        of = np.array([numbers[name] for name in self.of], np.float64)
        n_there = (~np.isnan(of)).sum(axis=0)
        return np.nansum(of, axis=0) / np.where(n_there, n_there, np.nan)
