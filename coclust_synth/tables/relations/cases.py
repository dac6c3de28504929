"""Columns that others tell in one way or another, as the value of a column says."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from coclust_synth.tables.literals import VALUE_TYPES, decode, encode
from coclust_synth.tables.relations.formula import Formula
from coclust_synth.tables.relations.sums import Fit

# What tells a case.
_KINDS = ("sum", "product")
# Values that are named of a case in words.
_MAX_SHOWN = 3


@dataclass(frozen=True)
class Cases(Formula):
    """A column that others tell by cases: a pension, of all but survivors.

    Attributes
    ----------
    target : str
    by : str
        The column that says which case a row is.
    cases : tuple of (tuple of value, Fit)
        Values of it, categories or numbers, and what tells the target in their rows. No
        value is of two cases. In the rows of others the target is told by nothing.
    """

    target: str
    by: str
    cases: tuple[tuple[tuple[Any, ...], Fit], ...]

    kind = "cases"
    form = ("target", "by", "cases")
    example = (
        'target = "tax", by = "class", cases = [{ values = ["A", "B"], kind = "sum", '
        "terms = { income = 0.2 } }]"
    )

    @property
    def parents(self):
        """The column that says which case it is, and all that tell one."""
        told_by = (name for _, rule in self.cases for name in rule.parents)
        return tuple(dict.fromkeys([self.by, *told_by]))

    def __str__(self):
        told = []
        for values, rule in self.cases:
            shown = [str(value) for value in values[:_MAX_SHOWN]]
            more = len(values) - len(shown)
            last = [f"{more} more"] if more else []
            told.append(f"{rule} for {self.by} {', '.join([*shown, *last])}")
        return "; ".join(told)

    def to_dict(self):
        cases = []
        for values, rule in self.cases:
            told = rule.to_dict()
            del told["target"]
            cases.append({"values": [encode(value) for value in values]} | told)
        return {"kind": self.kind, "target": self.target, "by": self.by, "cases": cases}

    @classmethod
    def read(cls, content):
        target, by, cases, seen = content["target"], content["by"], [], []
        for case in content["cases"]:
            rest = {name: own for name, own in case.items() if name != "values"}
            values = tuple(decode(value, "A rule") for value in case["values"])
            if not values or isinstance(case["values"], str):
                raise ValueError
            if not all(isinstance(value, VALUE_TYPES) for value in values):
                raise TypeError
            if case["kind"] not in _KINDS or set(rest) - {"kind", *Fit.form}:
                raise ValueError
            rule = Fit.read(rest | {"target": target})
            if rule.about or by in rule.columns:
                raise ValueError
            cases.append((values, rule))
            seen += values
        is_twice = any(value in seen[:i] for i, value in enumerate(seen))
        if not cases or is_twice or not isinstance(by, str) or by == target:
            raise ValueError
        return cls(target, by, tuple(cases))

    def wrong_kind(self, kinds):
        """Categories or numbers say which case it is; see `Fit`."""
        if kinds.get(self.by, "category") not in ("category", "number"):
            return self.by
        wrong = (rule.wrong_kind(kinds) for _, rule in self.cases)
        return next((name for name in wrong if name is not None), None)

    @property
    def listed(self):
        return (self.by,)

    @property
    def named(self):
        return tuple((self.by, value) for values, _ in self.cases for value in values)

    def predict(self, numbers):
        """What it says of each row, (n,) float64; nan where it says nothing.

        Parameters
        ----------
        numbers : mapping of str to ndarray, shape (n,)
            Of float64, and of the column that says which case it is also of its values,
            as texts in objects.
        """
        by = numbers[self.by]
        told = np.full(len(by), np.nan)
        for values, rule in self.cases:
            own = map(str, values) if by.dtype == object else values
            rows = np.isin(by, np.array([*own], by.dtype))
            own = rule.predict({name: numbers[name][rows] for name in rule.parents})
            told[rows] = np.exp(own) if rule.logarithms else own
        return told
