"""What is asked of rows: comparisons of columns with values, and between columns.

A condition is written as people write it, and conditions are parted by commas::

    given       comparison ("," comparison)*
    comparison  column operator value
    where       relation ("," relation)*
    relation    comparison | sum operator sum
    sum         ["-"] product (("+" | "-") product)*
    product     factor ("*" factor)*
    factor      column | number
    operator    "=" | "==" | "!=" | "<" | "<=" | ">" | ">="

A value is a category, a number or a date; nothing, or a missing mark of the column, is
a missing value. A missing value meets no other condition. In a sum dates are days.
Names and values that hold an operator or a comma stand between quotes; a quote behind a
letter opens none, as in it's. Nothing is evaluated but these.
"""

import math
import operator
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.clock import LAYOUTS
from coclust_synth.tables.rules.compared.numbers import A_DAY
from coclust_synth.tables.schema import LISTED_KINDS, Column, unknown_column
from coclust_synth.tables.values.columns import examples, to_values
from coclust_synth.tables.values.dtypes import read_dates

_OPERATORS = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": operator.ne,
    "==": operator.eq,
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_MIRRORED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
# A quote behind a letter opens nothing: it's.
_QUOTED = r"(?<!\w)(?:'[^']*'|\"[^\"]*\")"
_APOSTROPHE = r"(?<=\w)['\"]"
_OPERAND = rf"(?:{_APOSTROPHE}|{_QUOTED}|[^'\"<>=!])*"
_FIRST_OPERATOR = re.compile(rf"({_OPERAND})([<>=!]=|[<>=])(.*)", re.S)
_CLAUSES = re.compile(rf"(?:{_APOSTROPHE}|{_QUOTED}|[^,])+")
_NUMBER = r"\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+"
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
            return _OPERATORS[self.sign](missing, True)
        return _OPERATORS[self.sign](values, self._own) & ~missing

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
            allowed[n:] = _OPERATORS[self.sign](True, True)
            allowed[:n] = _OPERATORS[self.sign](False, True)
        elif self.column.kind in LISTED_KINDS:
            seen = np.array(parts.seen, dtype=np.int64)
            met = seen[_OPERATORS[self.sign](seen, self.value)]
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
        met[met] = _OPERATORS[self.sign](left, right)
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
        met[known] = _OPERATORS[self.sign](same.astype(bool), True)
        return met


def parse_given(text, schema, numbers=None):
    """Read conditions on single columns.

    Parameters
    ----------
    text : str
        See the head of this module.
    schema : Schema
        Complete.
    numbers : mapping of str to Column, optional
        Of texts that may spell a number, or a date: the column that has it. It is what
        such a value is compared with.

    Returns
    -------
    list of Comparison

    Raises
    ------
    ParameterError
        If it does not read, or names no column or category of the schema.

    Examples
    --------
    >>> from coclust_synth.tables.schema import Schema
    >>> age = Column(name="age", kind="integer")
    >>> [(c.sign, c.value) for c in parse_given("age>=60", Schema((age,)))]
    [('>=', 60)]
    """
    found = []
    for clause in _clauses("given", text):
        left, sign, right = _sides(clause)
        column = _column(left, schema)
        found.append(_comparison(column, sign, right, clause, numbers or {}))
    return found


def parse_where(text, schema, numbers=None):
    """Read rules between columns.

    Parameters and errors are those of `parse_given`.

    Returns
    -------
    list of Comparison, SumComparison or SameText
    """
    numbers = numbers or {}
    return [_relation(clause, schema, numbers) for clause in _clauses("where", text)]


def parse_number_each(text, schema):
    """Read how many rows each category of a column is to have, ``region=100``.

    Returns
    -------
    column : Column
    n : int

    Raises
    ------
    ParameterError
    """
    left, sign, right = _sides(text)
    column = _column(left, schema)
    if sign != "=" or not right.isdecimal() or not int(right):
        raise ParameterError(
            "Expected a column and a number of rows for each of its values, such as "
            f"region=100. Received {text!r}. Write it so."
        )
    if column.kind not in LISTED_KINDS:
        raise ParameterError(
            "Expected a column of categories, of which each is to have so many rows. "
            f"Received {column.name!r}, which is {column.kind}. Choose another column, "
            "or give conditions on it."
        )
    return column, int(right)


def _clauses(name, text):
    if not isinstance(text, str) or not text.strip(" ,"):
        raise ParameterError(
            f"Expected {name} to be conditions such as age>=60,sex=F. Received "
            f"{text!r}. Write some, or leave it out."
        )
    return [clause.strip() for clause in _CLAUSES.findall(text)]


def _sides(clause):
    found = _FIRST_OPERATOR.fullmatch(clause)
    if found is None:
        raise ParameterError(
            f"Expected a condition with one of {', '.join(_OPERATORS)}. Received "
            f"{clause!r}. Write for instance age>=60; put names and values that hold a "
            "comma, an operator or a quote between quotes of the other kind."
        )
    left, sign, right = found.groups()
    return left.strip(), sign, right.strip()


def _unquoted(text):
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text


def _column(text, schema):
    name = _unquoted(text)
    if name not in schema.names:
        raise ParameterError(unknown_column(name, schema.names))
    return schema[name]


def _comparison(column, sign, text, clause, numbers):
    """A column compared with what a text says of it, or of its numbers."""
    own, text = numbers.get(column.name), _unquoted(text)
    if own is not None and text not in column.categories and _is_number(own, text):
        column = own
    value = _value(column, text)
    has_order = column.kind == "ordinal" or column.kind not in LISTED_KINDS
    if sign in _MIRRORED and (value is None or not has_order):
        raise ParameterError(
            "Expected = or != for a missing value and for categories without an order. "
            f"Received {clause!r}. Use one of them."
        )
    return Comparison(column, sign, value)


def _value(column, text):
    """What a text says of a column, as `Comparison` has it."""
    is_listed = column.kind in LISTED_KINDS
    categories = list(map(str, column.categories)) if is_listed else []
    if text in categories:
        return categories.index(text)
    if not text or text in (column.missing or ()):
        return None
    if not is_listed:
        return _number(column, text)
    raise ParameterError(
        f"Column {column.name!r}: expected one of the categories that it is drawn "
        f"with, {examples(column.categories)}. Received {text!r}. Correct the "
        "spelling; categories that few individuals have are told as others."
    )


def _is_number(column, text):
    """Whether a text is a number, or a date, of a column."""
    try:
        _number(column, text)
    except ParameterError:
        return False
    return True


def _number(column, text):
    """The number, or the days since 1970, that a text says."""
    if column.kind == "datetime":
        read = read_dates([text], column.format) or read_dates([text], None)
        if read is not None and (read.fields["format"] in LAYOUTS) == column.is_time:
            return Fraction(int(read.values[0]), A_DAY[read.fields["unit"]])
    else:
        try:
            if math.isfinite(number := _exact(text)):
                return float(number) if column.kind == "real" else number
        except ValueError:
            pass
    what = {
        "datetime": "a date such as 2020-12-31",
        "time": "a time such as 08:30",
    }.get(column.compared_as, "a number")
    raise ParameterError(
        f"Column {column.name!r}: expected {what} to compare it with. Received "
        f"{text!r}. Correct it, or the name of a column in it."
    )


def _relation(clause, schema, numbers):
    left, sign, right = _sides(clause)
    one, other = (
        schema[name] if (name := _unquoted(side)) in schema.names else None
        for side in (left, right)
    )
    if one is None and other is not None and not _mentions(left, schema):
        one, other, left, right = other, one, right, left
        sign = _MIRRORED.get(sign, sign)
    listed = [c is not None and c.kind in LISTED_KINDS for c in (one, other)]
    if all(listed) and sign not in _MIRRORED:
        return SameText((one, other), sign)
    of_value = listed[0] and other is None
    if of_value or (one is not None and not _mentions(right, schema)):
        return _comparison(one, sign, right, clause, numbers)
    sums = [_terms(side, schema, clause) for side in (left, right)]
    names = dict.fromkeys(n for terms in sums for _, own in terms for n in own)
    if not names:
        _refuse_sum(clause, "no column")
    return SumComparison(tuple(schema[name] for name in names), sums[0], sign, sums[1])


def _tokens(schema):
    """Pattern of what a sum is made of: names before all else, the longest first."""
    names = [n for n in schema.names if not re.fullmatch(_NUMBER, n)]
    names = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    known = rf"(?<!\w)(?:{names})(?!\w)" if names else r"(?!)"
    return re.compile(
        rf"\s*(?:(?P<name>{_QUOTED}|{known})|(?P<number>{_NUMBER})|(?P<sign>[-+*]))\s*"
    )


def _mentions(text, schema):
    """Whether a side of a relation names a column."""
    return any(
        found["name"] is not None and _unquoted(found["name"]) in schema.names
        for found in _tokens(schema).finditer(text)
    )


def _terms(text, schema, clause):
    """The terms of a sum: factors, and the columns that they multiply."""
    tokens, at, terms = _tokens(schema), 0, []
    factor, names, expects = 1, [], True
    while at < len(text):
        found = tokens.match(text, at)
        if found is None:
            _refuse_sum(clause, text[at:])
        at = found.end()
        sign = found["sign"]
        is_first = not terms and not names and expects is True
        if sign is None and expects:
            if found["number"] is not None:
                factor *= _exact(found["number"])
                if not abs(factor) <= sys.float_info.max:
                    _refuse_sum(clause, found["number"])
            else:
                names.append(_summand(_unquoted(found["name"]), schema, clause))
            expects = False
        elif sign == "*" and not expects:
            expects = "a factor"
        elif sign in ("+", "-") and (not expects or (is_first and sign == "-")):
            if not expects:
                terms.append((factor, tuple(names)))
            factor, names, expects = -1 if sign == "-" else 1, [], "a product"
        else:
            _refuse_sum(clause, found[0].strip())
    if expects:
        _refuse_sum(clause, "its end")
    return (*terms, (factor, tuple(names)))


def _summand(name, schema, clause):
    if name not in schema.names or schema[name].kind in LISTED_KINDS:
        _refuse_sum(clause, name)
    return name


def _refuse_sum(clause, at):
    raise ParameterError(
        "Expected sums and products of columns of numbers or dates, such as "
        f"total = net + 0.2 * net. Received {clause!r}, which does not read at "
        f"{at!r}. Correct it; put names that hold other signs between quotes."
    )


def _exact(text):
    """The number that a text says: an int if it is whole."""
    number = float(text)
    if not math.isfinite(number):
        return number
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else number


def _per_day(column):
    """Units of a column in a day; 1 of numbers."""
    return A_DAY[column.unit] if column.kind == "datetime" else 1


def _values(series, column):
    """Codes, numbers, or dates in the column's unit; and which are missing."""
    return to_values(series, replace(column, bounds=None))
