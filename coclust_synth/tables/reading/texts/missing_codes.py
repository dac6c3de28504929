"""Numbers and texts that may or may not stand for a missing value.

Of numbers such as -9, 99 or 998, apart from all others, only the questionnaire says
what they are, so that nothing is read differently: whoever looks at a table is told. NA
among codes of countries is Namibia.
"""

from __future__ import annotations

import re
from collections.abc import Collection

import numpy as np

# Not known, refused, not asked: sevens, eights and nines. Below zero -1 to -6 go along.
_CODE = re.compile(r"-?(9*[789]|7+|8+)")
_GOES_ALONG = re.compile(r"-[1-9]")
_MAX_CODES = 6
_COUNTRY = re.compile("[A-Z]{2}")
# So many different codes, and two of these neighbours of it at least: others have lists
# of two letters, too, such as the states of America, and NA for what is missing there.
_MANY, _NEIGHBOURS, _FEW = 20, frozenset(("AO", "BW", "ZA", "ZM", "ZW")), 2


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


def _n_apart(values: np.ndarray) -> int:
    """How many of the highest are farther from the others than these are long."""
    for n in range(1, min(_MAX_CODES, len(values) - 2) + 1):
        highest, first = values[-n - 1], values[-n]
        if first - highest > highest - values[0]:
            return n
    return 0


def _codes(values: np.ndarray) -> list[int]:
    """The values if they are few and all codes, else none."""
    texts = [f"{value:.17g}" for value in values.tolist()]
    is_code = [bool(_CODE.fullmatch(text)) for text in texts]
    along = [bool(_GOES_ALONG.fullmatch(text)) for text in texts]
    if len(texts) > _MAX_CODES or not any(is_code):
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
