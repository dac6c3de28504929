"""Columns that are a sum with products of two columns in it."""

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
        """See `Relation`."""
        content = {"kind": "bill", "target": self.target}
        content["products"] = [list(pair) for pair in self.products]
        if set(self.factors) != {1.0}:
            content["factors"] = list(map(as_written, self.factors))
        if self.others:
            terms = zip(self.others, self.coefficients, strict=True)
            content["terms"] = {p: as_written(c) for p, c in terms}
        return content | ({"constant": self.constant} if self.constant else {})

    @classmethod
    def read(cls, content):
        """See `Relation`."""
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
        """What it says of each row, (n,) float64; nan where it says nothing."""
        total = np.full(len(numbers[self.parents[0]]), self.constant)
        for (one, other), factor in zip(self.products, self.factors, strict=True):
            total += factor * (numbers[one] * numbers[other])
        for name, coefficient in zip(self.others, self.coefficients, strict=True):
            total += coefficient * numbers[name]
        return total
