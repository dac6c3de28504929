"""What rows can be asked: a column beside a value, sums beside each other."""

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.rules.compared.numbers import A_DAY
from coclust_synth.tables.values.columns import to_values

OPERATORS = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
# Sums of decimals are as binary fractions have them: equal up to this share.
_ROUNDING = 1e-9
# Whole numbers are int64.
_LARGEST_WHOLE = 2**63 - 1


@dataclass(frozen=True)
class Comparison:
    """A column compared with a value.

    Attributes
    ----------
    column : Column
    sign : str
    value : int, float, Fraction or None
        Code of a category, number, or days since 1970 of a date; None for missing.
        Whole numbers are compared as such, however large.
    """

    column: Column
    sign: str
    value: int | float | Fraction | None

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that it reads."""
        return (self.column.name,)

    def holds(self, cells: Mapping) -> np.ndarray:
        """Where rows meet it.

        Parameters
        ----------
        cells : DataFrame or mapping of column name to Series of n values

        Returns
        -------
        ndarray of bool, shape (n,)
        """
        values, missing = _values(cells[self.column.name], self.column)
        if self.value is None:
            return OPERATORS[self.sign](missing, True)
        return OPERATORS[self.sign](values, self._own) & ~missing

    @property
    def _own(self):
        """The value as the column has it: of a date, in its unit."""
        if not isinstance(self.value, Fraction):
            return self.value
        own = self.value * _per_day(self.column)
        return int(own) if own.denominator == 1 else float(own)

    def may_hold(self, parts) -> np.ndarray:
        """Which parts of the column hold a value that meets it.

        Parameters
        ----------
        parts : CategoryParts, GroupParts or IntervalParts

        Returns
        -------
        ndarray of bool, shape (n_parts,)
        """
        allowed = np.zeros(parts.n_parts, dtype=bool)
        n = parts.n_parts - parts.with_missing
        if self.value is None:
            allowed[n:] = OPERATORS[self.sign](True, True)
            allowed[:n] = OPERATORS[self.sign](False, True)
        elif self.column.kind in LISTED_KINDS:
            seen = np.array(parts.seen, dtype=np.int64)
            met = seen[OPERATORS[self.sign](seen, self.value)]
            allowed[parts.encode(met, np.zeros(len(met), dtype=bool))] = True
        elif n:
            codes = np.arange(n)
            own = self._own
            if parts.ruler.dtype is np.int64:
                own = min(max(int(own), -_LARGEST_WHOLE), _LARGEST_WHOLE)
            own = np.array([own], dtype=parts.ruler.dtype)
            at = parts.encode(own, np.array([False]))[0]
            ends = {"=": (at, at), "==": (at, at), "!=": (0, n)}
            ends |= dict.fromkeys(("<", "<="), (0, at))
            low, high = ends.get(self.sign, (at, n))
            allowed[:n] = (codes >= low) & (codes <= high)
        return allowed


@dataclass(frozen=True)
class SumComparison:
    """Two sums of products of columns, compared.

    Attributes
    ----------
    columns : tuple of Column
        All of them.
    left, right : tuple of (int or float, tuple of str)
        Terms: a factor, and the columns that it multiplies. Those of whole numbers and
        dates are added up exactly.
    sign : str
    """

    columns: tuple[Column, ...]
    left: tuple
    sign: str
    right: tuple

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that it reads."""
        return tuple(column.name for column in self.columns)

    def holds(self, cells: Mapping) -> np.ndarray:
        """Where rows meet it; see `Comparison.holds`."""
        read = {c.name: _values(cells[c.name], c) for c in self.columns}
        met = ~np.any([missing for _, missing in read.values()], axis=0)
        values = {name: own[met] for name, (own, _) in read.items()}
        left, right = (self._sum(terms, values) for terms in (self.left, self.right))
        if not self._is_whole:
            near = np.abs(left - right) <= _ROUNDING * (np.abs(left) + np.abs(right))
            left = np.where(near, right, left)
        met[met] = OPERATORS[self.sign](left, right)
        return met

    def is_possible(self, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> bool:
        """Whether some numbers of given ranges may meet it.

        Parameters
        ----------
        ranges : mapping of column name to (Fraction, Fraction)
            Least and largest number, of a date days since 1970.

        Returns
        -------
        bool
            False only if none do: the sum is bounded term by term, which is exact where
            each column is in one term.
        """

        def bounds(names, factor):
            """Least and largest value of a term."""
            corners = [math.prod(of) for of in product(*(ranges[n] for n in names))]
            values = [factor * corner for corner in corners]
            return min(values), max(values)

        apart: dict[tuple[str, ...], Fraction] = {}
        for sign, terms in ((1, self.left), (-1, self.right)):
            for factor, names in terms:
                term = tuple(sorted(names))
                apart[term] = apart.get(term, Fraction(0)) + sign * Fraction(factor)
        of_terms = [bounds(names, factor) for names, factor in apart.items()]
        low, high = (sum(of[end] for of in of_terms) for end in (0, 1))
        slack = Fraction(0)
        if not self._is_whole:  # sums that are as near as this are taken for equal
            terms = (*self.left, *self.right)
            sizes = [abs(n) for f, names in terms for n in bounds(names, Fraction(f))]
            slack = Fraction(_ROUNDING) * sum(sizes)
        return {
            "<": low < 0,
            "<=": low <= slack,
            ">": high > 0,
            ">=": high >= -slack,
            "!=": (low, high) != (0, 0),
        }.get(self.sign, low <= slack and high >= -slack)

    @property
    def _is_whole(self):
        """Whether it is of whole numbers and dates, whole numbers of times."""
        factors = [factor for factor, _ in (*self.left, *self.right)]
        return all(isinstance(factor, int) for factor in factors) and all(
            column.kind in ("integer", "datetime") for column in self.columns
        )

    def _sum(self, terms, values):
        """One side; a whole one as Python's integers, in the smallest unit of dates."""
        per_day = {column.name: _per_day(column) for column in self.columns}
        longest = max(len(names) for _, names in (*self.left, *self.right))
        unit = max(per_day.values()) ** longest
        dtype = object if self._is_whole else np.float64
        total = np.zeros(len(next(iter(values.values()))), dtype=dtype)
        for factor, names in terms:
            days = math.prod(per_day[name] for name in names)
            factor = factor * unit // days if self._is_whole else factor / days
            total += math.prod((values[n].astype(dtype) for n in names), start=factor)
        return total


@dataclass(frozen=True)
class SameText:
    """Two columns of categories that hold the same one, or not."""

    columns: tuple[Column, Column]
    sign: str

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that it reads."""
        return tuple(column.name for column in self.columns)

    def holds(self, cells: Mapping) -> np.ndarray:
        """Where rows meet it; see `Comparison.holds`."""
        left, right = (cells[name].astype(object) for name in self.names)
        known = (left.notna() & right.notna()).to_numpy(dtype=bool)
        same = (left.to_numpy() == right.to_numpy())[known]
        met = np.zeros(len(known), dtype=bool)
        met[known] = OPERATORS[self.sign](same.astype(bool), True)
        return met


def _per_day(column):
    """Units of a column in a day; 1 of numbers."""
    return A_DAY[column.unit] if column.kind == "datetime" else 1


def _values(series, column):
    """Codes, numbers, or dates in the column's unit; and which are missing."""
    return to_values(series, replace(column, bounds=None, no_date=None))
