"""Dates in the layouts of two countries: 5/20/2014 beside 05-07-2014, 7 May.

A spreadsheet takes texts for dates of its own country where they may be such, and lays
them out anew; those of days after the 12th, for which it has no month, stay as they
were. The numbers stand in one order in both, so each date is known. By the layout
`%-m/%-d/%Y; to the 12th %m-%d-%Y` days to the 12th are written by its second part.
"""

from __future__ import annotations

import re

#: The last day that may be a month.
LAST_EITHER = 12
_BETWEEN = f"; to the {LAST_EITHER}th "
_FIRST_TWO = re.compile("([0-9]{1,2})[-/.]([0-9]{1,2})[-/.]")


def layouts_in(layout: str) -> list[str]:
    """The layout of days after the 12th and that of those to it; one alone is of all.

    Examples
    --------
    >>> layouts_in("%-m/%-d/%Y; to the 12th %m-%d-%Y")
    ['%-m/%-d/%Y', '%m-%d-%Y']
    >>> layouts_in("%d.%m.%Y")
    ['%d.%m.%Y']
    """
    return layout.split(_BETWEEN)


def layout_of_both(late: str, early: str) -> str:
    """Inverse of `layouts_in`, of two."""
    return f"{late}{_BETWEEN}{early}"


def parted_by_day(texts: list[str]) -> tuple[list[str], list[str]] | None:
    """The texts of days after the 12th, and those whose day may be the month.

    None if some are no dates that begin with two numbers.

    Examples
    --------
    >>> parted_by_day(["5/20/2014", "05-07-2014", "1/31/2015"])
    (['5/20/2014', '1/31/2015'], ['05-07-2014'])
    """
    late: list[str] = []
    early: list[str] = []
    for text in texts:
        found = _FIRST_TWO.match(text)
        if found is None:
            return None
        is_early = max(map(int, found.groups())) <= LAST_EITHER
        (early if is_early else late).append(text)
    return late, early
