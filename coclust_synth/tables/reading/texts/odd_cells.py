"""Few cells that keep a column from being one of numbers or dates.

An ``unknown`` among ages, ``>5000`` among amounts, and ``0000-00-00`` or ``2021-02-30``
among dates make texts of all of them. What they are only the questionnaire says, so
that nothing is read differently: whoever looks at a table is told.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd

from coclust_synth.tables.clock import is_digits_of_date, layout_of_digits
from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.texts.layouts import date_parser
from coclust_synth.tables.reading.texts.text import parse_column
from coclust_synth.tables.values.date_layouts import possible_layouts

# So many different numbers or dates at least, and so many others at most.
_MANY, _FEW = 20, 6
# Others are looked for among so many texts of a rare form, at most.
_MAX_TRIED = 40
# So many of a longer list say what all are.
_MAX_READ = 1000
_NO_DATE = re.compile(r"\D*(0\D*)+|\D*(9\D*)+")
_TYPED = ("integer", "real", "datetime")


def odd_texts(column: Column) -> list[str]:
    """The categories of a column without which it would be one of numbers or dates."""
    return odd_cells(texts_of(column))


def texts_of(column: Column) -> list[str]:
    """The categories of a column, stripped; none if some are no texts."""
    texts = column.categories if column.kind == "categorical" else ()
    if not all(isinstance(text, str) for text in texts or ()):
        return []
    return [text.strip() for text in texts or ()]


def odd_cells(texts: Sequence[str]) -> list[str]:
    """The texts of a column without which it would be one of numbers or dates.

    Parameters
    ----------
    texts : sequence of str
        The different ones, stripped.

    Returns
    -------
    list of str
        In their order, at most six; none where the others are texts too, or are few.

    Examples
    --------
    >>> odd_cells([*map(str, range(18, 90)), "unknown", ">89"])
    ['unknown', '>89']
    >>> odd_cells(["north", "south", "-"])
    []
    """
    forms = [_form(text) for text in texts]
    rows = Counter(forms)
    odd = [
        text
        for text, form in zip(texts, forms, strict=True)
        if rows[form] < _MANY or _NO_DATE.fullmatch(text)
    ]
    if len(odd) > _MAX_TRIED:
        return []
    others = sorted({*texts} - {*odd})
    odd += _no_dates(others)
    others = sorted({*others} - {*odd})
    if len(others) < _MANY or not odd:
        return []
    some = others[:: -(-len(others) // _MAX_READ)]
    if _kind(some) not in _TYPED:
        return []
    odd = [text for text in odd if _kind([*some, text]) not in _TYPED]
    is_all = 0 < len(odd) <= _FEW and _kind(sorted({*texts} - {*odd})) in _TYPED
    return [text for text in texts if text in odd] if is_all else []


def _no_dates(texts):
    """Texts of the form of all others that no date has, where these are dates."""
    for layouts in possible_layouts(texts) if len(texts) >= _MANY else ():
        parsers, found = [*map(date_parser, layouts)], []
        for text in texts:
            if all(parse(text) is None for parse in parsers):
                found.append(text)
            if len(found) > _FEW:
                break
        else:
            return found
    return []


def odd_dates(distinct: np.ndarray) -> list[int]:
    """The whole numbers of a column without which it would be one of dates.

    Parameters
    ----------
    distinct : ndarray of int64, shape (m,)
        The different ones.

    Returns
    -------
    list of int
        At most six; none where the others are no dates as 20201231 and 202012 are.

    Examples
    --------
    >>> months = [100 * year + month for year in (2019, 2020) for month in range(1, 13)]
    >>> odd_dates(np.array([0, *months, 999999]))
    [0, 999999]
    """
    texts = [str(number) for number in distinct.tolist()]
    odd = [text for text in texts if not is_digits_of_date(text)]
    others = sorted({*texts} - {*odd})
    if len(others) < _MANY or not 0 < len(odd) <= _FEW:
        return []
    return [] if layout_of_digits(others) is None else [*map(int, odd)]


def _form(text):
    """A text with a 9 for each number and an A for each word."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "9", text))


def _kind(texts):
    return parse_column(pd.Series(texts), Column(name="odd"))[1].kind
