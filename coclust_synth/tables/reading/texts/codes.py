"""Numbers and texts that may be codes, of what is missing or of what a text says, and
numbers that may be slips.

Of numbers such as -9, 99 or 998, apart from all others, only the questionnaire says
what they are, so that nothing is read differently: whoever looks at a table is told. NA
among codes of countries is Namibia.

Whole numbers that a text tells, the name of a suburb its code, would be drawn between
two codes if they were quantities, and a rare one beside any name. Only columns that are
called a code, or an id, are asked for, see `is_called_code`: of heights of stations,
which names tell too, the mean says something.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

# Not known, refused, not asked: sevens, eights and nines. Below zero -1 to -6 go along.
_CODE = re.compile(r"-?(9*[789]|7+|8+)")
_GOES_ALONG = re.compile(r"-[1-9]")
MAX_CODES = 6
# Slips are in fewer rows than this; there are as many other numbers, and these have an
# end: it is so many times as far from their middle as their quarters from each other.
# Of 661 public tables 45 have such numbers, most of them slips.
_MANY_ROWS, _END = 20, 10
_QUARTERS = np.array([0.25, 0.5, 0.75])
_COUNTRY = re.compile("[A-Z]{2}")
# So many different codes, and two of these neighbours of it at least: others have lists
# of two letters, too, such as the states of America, and NA for what is missing there.
_MANY, _NEIGHBOURS, _FEW = 20, frozenset(("AO", "BW", "ZA", "ZM", "ZW")), 2
# What a text tells may be another in such a share of the rows, as after slips, and is
# told of so many rows at least, by texts that so many have.
_SLIPS, _TOLD, _COMMON = 0.005, 0.5, 10
# Two numbers say which of two.
_SEVERAL = 3


def missing_codes(distinct: np.ndarray) -> list[int]:
    """Values of a column of numbers that look like codes of missing ones.

    Parameters
    ----------
    distinct : ndarray of shape (m,)
        The different values of the column, in order.

    Returns
    -------
    list of int
        In order: codes below zero where no other value is, and codes that are farther
        above the others than these are from each other. At most six on either side.

    Examples
    --------
    >>> missing_codes(np.array([-9, -8, -1, 0, 1, 2, 37]))
    [-9, -8, -1]
    >>> missing_codes(np.array([95, 120, 141, 998, 999]))
    [998, 999]
    >>> missing_codes(np.array([0, 17, 80, 98, 99]))
    []
    """
    others = distinct[distinct >= 0]
    above = others[len(others) - _n_apart(others) :]
    return _codes(distinct[distinct < 0]) + _codes(above)


def far_numbers(distinct: np.ndarray, rows: np.ndarray) -> list[int | float]:
    """Numbers that few rows have, far from all others: an age of 1,000 years.

    Amounts that some people have much more of than others have none.

    Parameters
    ----------
    distinct : ndarray of shape (m,)
        The different values of the column, in order.
    rows : ndarray of int64, shape (m,)
        How many rows have each.

    Returns
    -------
    list of int or float
        In order, those of `missing_codes` left out.

    Examples
    --------
    >>> ages = np.array([*range(18, 95), 1962])
    >>> far_numbers(ages, np.ones(len(ages), dtype=np.int64))
    [1962]
    """
    far = distinct[are_far(distinct, rows)].tolist()
    codes = {*missing_codes(distinct)}
    return [number for number in far if number not in codes]


def are_far(distinct: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Which numbers or dates few rows have, far from all others on their side.

    Parameters
    ----------
    distinct, rows
        As of `far_numbers`.

    Returns
    -------
    ndarray of bool, shape (m,)
        Those of `missing_codes` among them.
    """
    above = _n_far(distinct, rows)
    # Those of one side make the others look longer to the other side.
    rest = len(distinct) - above
    below = _n_far(_mirrored(distinct[:rest]), rows[:rest][::-1])
    above = _n_far(distinct[below:], rows[below:])
    place = np.arange(len(distinct))
    return (place >= len(distinct) - above) | (place < below)


def _mirrored(values):
    """The other way round; of -2**63, which has no negative, one as far from others."""
    return (~values if values.dtype.kind == "i" else -values)[::-1]


def _n_far(values, rows):
    """How many of the highest values are slips: the fewest without which others end."""
    for n in range(1, min(MAX_CODES, len(values) - _MANY_ROWS) + 1):
        others = values[:-n]
        if rows[-n:].sum() >= _MANY_ROWS:
            break
        if _is_apart(values, n) and _have_an_end(others, rows[:-n]):
            return n
    return 0


def _have_an_end(values, rows):
    """Whether the highest value is not so far from their middle as amounts may be."""
    quarters = np.searchsorted(np.cumsum(rows), rows.sum() * _QUARTERS)
    first, middle, third, last = values[[*quarters, -1]].tolist()
    return last - middle <= _END * (third - first)


def _n_apart(values: np.ndarray) -> int:
    """How many of the highest are farther from the others than these are long."""
    most = min(MAX_CODES, len(values) - 2)
    return next((n for n in range(1, most + 1) if _is_apart(values, n)), 0)


def _is_apart(values, n):
    """Whether so many of the highest are farther from others than these are long."""
    # As numbers of Python, whose differences need not have 64 bits.
    lowest, highest, first = values[[0, -n - 1, -n]].tolist()
    return first - highest > highest - lowest


def _codes(values: np.ndarray) -> list[int]:
    """The values if they are few and all codes, else none."""
    texts = [f"{value:.17g}" for value in values.tolist()]
    is_code = [bool(_CODE.fullmatch(text)) for text in texts]
    along = [bool(_GOES_ALONG.fullmatch(text)) for text in texts]
    if len(texts) > MAX_CODES or not any(is_code):
        return []
    return (
        [int(text) for text in texts] if np.all(np.logical_or(is_code, along)) else []
    )


def are_countries(texts: Collection[str]) -> bool:
    """Whether the different texts of a column, NA left out, are codes of countries.

    Examples
    --------
    >>> are_countries(["DE", "FR", "ZA"])
    False
    """
    return (
        len(texts) >= _MANY
        and all(map(_COUNTRY.fullmatch, texts))
        and len(_NEIGHBOURS.intersection(texts)) >= _FEW
    )


def tells_codes(texts: np.ndarray, numbers: np.ndarray) -> bool:
    """Whether texts that many have tell the numbers beside them, of most rows.

    Parameters
    ----------
    texts : ndarray of int, shape (n,)
        Codes of the texts, from 0, of rows that have a number; below 0 without one.
    numbers : ndarray of int, shape (n,)
        Codes of the numbers, from 0.

    Returns
    -------
    bool

    Examples
    --------
    >>> suburbs = np.repeat(np.arange(30), 25)
    >>> tells_codes(suburbs, suburbs // 2), tells_codes(suburbs // 2, suburbs)
    (True, False)
    """
    rows_of_text = np.append(np.bincount(texts[texts >= 0]), 0)
    is_common = rows_of_text[texts] >= _COMMON
    n_common = np.count_nonzero(is_common)
    if n_common < max(_TOLD * len(texts), 1):
        return False
    n_numbers = int(numbers.max()) + 1
    if np.count_nonzero(np.bincount(numbers[is_common])) < _SEVERAL:
        return False
    pairs = texts[is_common].astype(np.int64) * n_numbers + numbers[is_common]
    pairs, rows = np.unique(pairs, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // n_numbers, prepend=-1))
    commonest = np.maximum.reduceat(rows, starts)
    return bool(n_common - commonest.sum() <= _SLIPS * n_common)
