"""Conditions as people write them: see the head of this package."""

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.clock import LAYOUTS
from coclust_synth.tables.column import LISTED_KINDS
from coclust_synth.tables.conditions.comparisons import (
    OPERATORS,
    Comparison,
    SameText,
    SumComparison,
)
from coclust_synth.tables.rules.compared.numbers import A_DAY
from coclust_synth.tables.schema import unknown_column
from coclust_synth.tables.values.columns import examples
from coclust_synth.tables.values.dtypes import read_dates

_MIRRORED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
# A quote behind a letter opens nothing: it's.
_QUOTED = r"(?<!\w)(?:'[^']*'|\"[^\"]*\")"
_APOSTROPHE = r"(?<=\w)['\"]"
_OPERAND = rf"(?:{_APOSTROPHE}|{_QUOTED}|[^'\"<>=!])*"
_FIRST_OPERATOR = re.compile(rf"({_OPERAND})([<>=!]=|[<>=])(.*)", re.S)
_CLAUSES = re.compile(rf"(?:{_APOSTROPHE}|{_QUOTED}|[^,])+")
# In sums with dates: 2020-12-31, 31/12/2020, with a time of the day or without.
_DATE = r"\d+(?P<between>[-/.])\d+(?P=between)\d+(?:[T ]\d+(?::\d+)+)?"
_NUMBER = r"\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+"


def parse_given(text, schema, numbers=None):
    """Read conditions on single columns.

    Parameters
    ----------
    text : str
        See the head of this package.
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
    >>> from coclust_synth.tables.column import Column
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
    """Read how many rows each value of a column is to have, ``region=100``.

    Returns
    -------
    column : Column
    n : int

    Raises
    ------
    ParameterError
    """
    is_read = isinstance(text, str) and _FIRST_OPERATOR.fullmatch(text)
    left, sign, right = _sides(text) if is_read else ("", "", "")
    if sign != "=" or not right.isdecimal() or not int(right):
        raise ParameterError(
            "Expected a column and a number of rows for each of its values, such as "
            f"region=100. Received {text!r}. Write it so."
        )
    column = _column(left, schema)
    if column.kind not in (*LISTED_KINDS, "integer"):
        raise ParameterError(
            "Expected a column of categories, or of few whole numbers, to draw a "
            f"number of rows for each of its values. Received {column.name!r}, which "
            f"is {column.kind}. Choose another column, or give conditions on it."
        )
    return column, int(right)


def names_in(text, names, *, on_the_left=False):
    """Those of some names that stand for a column in a text of conditions.

    Parameters
    ----------
    text : str
    names : collection of str
        Of columns that the conditions cannot be on.
    on_the_left : bool, default=False
        Whether behind an operator stands a value, which names no column.

    Returns
    -------
    set of str

    Examples
    --------
    >>> names_in("age>=60, patient=7", {"patient", "7", "claim"})
    {'patient'}
    """
    sides = (
        side
        for clause in _CLAUSES.findall(text)
        if (found := _FIRST_OPERATOR.fullmatch(clause)) is not None
        for side in (found[1], "" if on_the_left else found[3])
    )
    tokens = _tokens(names)
    found = (own["name"] for side in sides for own in tokens.finditer(side))
    return {_called(own, names) for own in found if own is not None} - {None}


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
            f"Expected a condition with one of {', '.join(OPERATORS)}. Received "
            f"{clause!r}. Write for instance age>=60; put names and values that hold a "
            "comma, an operator or a quote between quotes of the other kind."
        )
    left, sign, right = found.groups()
    return left.strip(), sign, right.strip()


def _unquoted(text):
    return text[1:-1] if re.fullmatch(_QUOTED, text) else text


def _called(text, names):
    """The column that a text names, blanks at the ends apart; None of no column."""
    return _but_for_blanks(_unquoted(text), names)


def _but_for_blanks(text, known):
    """The one of some texts that a text is, if not exactly, then but for their ends."""
    if text in known:
        return text
    alike = [own for own in known if own.strip() == text]
    return alike[0] if len(alike) == 1 else None


def _column(text, schema):
    name = _called(text, schema.names)
    if name is None:
        raise ParameterError(unknown_column(_unquoted(text), schema.names))
    return schema[name]


def _comparison(column, sign, text, clause, numbers):
    """A column compared with what a text says of it, or of its numbers."""
    own, text = numbers.get(column.name), _unquoted(text)
    if own is not None and text not in column.categories and _is_number(own, text):
        column = own
    has_order = column.kind == "ordinal" or column.kind not in LISTED_KINDS
    compares = sign in _MIRRORED
    value = _value(column, text) if has_order or not compares else None
    if compares and value is None:
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
    if (said := _but_for_blanks(text, categories)) is not None:
        return categories.index(said)
    if not is_listed:
        return _number(column, text)
    cut = [said for said in categories if said.startswith(f"{text},")]
    raise ParameterError(
        f"Column {column.name!r}: expected one of the categories that it is drawn "
        f"with, {examples(column.categories)}. Received {text!r}. "
        + (
            f'Put what holds a comma between quotes, such as "{cut[0]}".'
            if cut
            else (
                "Correct the spelling; in plain tables, categories that few "
                "individuals have are drawn as others."
            )
        )
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
        schema[name] if (name := _called(side, schema.names)) is not None else None
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
    dates = [c for c in _mentioned(clause, schema) if c.kind == "datetime"]
    sums = [_terms(side, schema, clause, dates) for side in (left, right)]
    names = dict.fromkeys(n for terms in sums for _, own in terms for n in own)
    if not names:
        _refuse_sum(clause, "no column")
    return SumComparison(tuple(schema[name] for name in names), sums[0], sign, sums[1])


def _tokens(names, with_dates=False):
    """Pattern of what a sum is made of: names before all else, the longest first."""
    told = {own for n in names for own in (n, n.strip()) if own}
    names = [name for name in told if not re.fullmatch(_NUMBER, name)]
    names = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    known = rf"(?<!\w)(?:{names})(?!\w)" if names else r"(?!)"
    date = _DATE if with_dates else r"(?!)"
    return re.compile(
        rf"\s*(?:(?P<name>{_QUOTED}|{known})|(?P<date>{date})|(?P<number>{_NUMBER})|"
        r"(?P<sign>[-+*]))\s*"
    )


def _mentions(text, schema):
    """Whether a side of a relation names a column."""
    return bool(_mentioned(text, schema))


def _mentioned(text, schema):
    """The columns that a text names."""
    found = (own["name"] for own in _tokens(schema.names).finditer(text))
    found = (_called(own, schema.names) for own in found if own is not None)
    return [schema[name] for name in found if name is not None]


def _terms(text, schema, clause, dates):
    """The terms of a sum: factors, and the columns that they multiply.

    Of a relation that names dates other dates are factors, the days since 1970.
    """
    tokens, at, terms = _tokens(schema.names, bool(dates)), 0, []
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
            elif _is_date(found, dates, schema):
                factor *= _days(_unquoted(found["date"] or found["name"]), dates)
            else:
                names.append(_summand(found["name"], schema, clause))
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


def _is_date(found, dates, schema):
    """Whether a token is a date: between quotes what no column is called."""
    if found["date"] is not None:
        return True
    return bool(dates) and _called(found["name"], schema.names) is None


def _days(text, dates):
    """The days since 1970 of a date as one of some columns has it."""
    *others, last = [own for own in dates if own.compared_as == "datetime"] or dates
    read = next((own for own in others if _is_number(own, text)), last)
    days = _number(read, text)
    return int(days) if days == int(days) else float(days)


def _summand(text, schema, clause):
    name = _called(text, schema.names)
    if name is None or schema[name].kind in LISTED_KINDS:
        _refuse_sum(clause, _unquoted(text))
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
