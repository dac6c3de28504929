"""Years of two digits: 1/31/62, 31-Dec-99, and Dec-99 where it is no day of December.

Their layout names the year from which a hundred are meant: by `%m/%d/%y from 1930` 30
is 1930, and 29 is 2029. Where it is not said, they are the years that hold all of a
column and begin in the widest gap between them, the latest ones that end before 2050.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LAYOUT = re.compile(
    r"(?P<before>(?:%[-^]?[dmbB][-/. ]%[-^]?[dmbB]|%\^?[bB])[-/. ])%y(?P<time>,? .*)? "
    r"from (?P<first>[0-9]{4})"
)
_DATE = re.compile(
    r"(?P<before>(?:[0-9]{1,2}[-/. ](?:[0-9]{1,2}|[A-Za-z]{3,9})|[A-Za-z]{3,9})[-/. ])"
    r"(?P<year>[0-9]{2})(?P<time>,? .*)?"
)
_YEAR_FIRST = re.compile("([0-9]{2})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?: |$)")
# So many days more than years, at least, where either may be first.
_MORE = 3
_FULL = re.compile(r"((?:[^-/. ]+[-/. ])?[^-/. ]+[-/. ])[0-9]{2}")
_LAST_DAY = 31
_CENTURY, _LAST, _FIRST_OF_ALL = 100, 2049, 1950


def in_full(layout: str) -> tuple[str, int | None]:
    """The same layout with years of four digits, and the first of the hundred years.

    None, and the layout itself, where its years have four digits.

    Examples
    --------
    >>> in_full("%d.%m.%y from 1930")
    ('%d.%m.%Y', 1930)
    """
    found = _LAYOUT.fullmatch(layout)
    if found is None:
        return layout, None
    return f"{found['before']}%Y{found['time'] or ''}", int(found["first"])


def with_century(text: str, first: int) -> str:
    """A date with the year that is meant; an empty text of one that is none.

    Examples
    --------
    >>> with_century("1/31/29 8:30", 1930)
    '1/31/2029 8:30'
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return ""
    year = first + (int(found["year"]) - first) % _CENTURY
    return f"{found['before']}{year}{found['time'] or ''}"


def without_century(text: str) -> str:
    """Inverse of `with_century`."""
    return _FULL.sub(r"\1", text, count=1)


def may_begin_with_year(texts: Sequence[str]) -> bool:
    """Whether the first number of dates may as well be the year: 21-12-31.

    So it may where the last one is a day as often: it takes about as many values.

    Parameters
    ----------
    texts : sequence of str
        At least one.

    Examples
    --------
    >>> days = [f"{day:02}-05-{year}" for day in range(1, 29) for year in (19, 20)]
    >>> may_begin_with_year(days)
    False
    >>> may_begin_with_year(["-".join(text.split("-")[::-1]) for text in days])
    True
    """
    found = [_YEAR_FIRST.match(text) for text in texts]
    if not all(found):
        return False
    parts = [tuple(map(int, match.groups())) for match in found]
    if not all(1 <= month <= 12 and 1 <= day <= 31 for _, month, day in parts):
        return False
    first, _, last = (len(set(values)) for values in zip(*parts, strict=True))
    return first < last + _MORE


def find_first_year(texts: Sequence[str]) -> int | None:
    """The first of the hundred years that are meant; None if a text is no date.

    Nor is May-13 one, whose number may be a day, where no other is beyond 31, or 0.

    Parameters
    ----------
    texts : sequence of str
        At least one.

    Examples
    --------
    >>> find_first_year(["1/31/62", "2/28/99", "7/4/05"])
    1960
    >>> find_first_year(["1/31/12", "2/28/24"])
    2010
    """
    found = [_DATE.fullmatch(text) for text in texts]
    if not all(found):
        return None
    years = sorted({int(match["year"]) for match in found})
    is_day = 1 <= years[0] <= years[-1] <= _LAST_DAY
    if is_day and any(match["before"][0].isalpha() for match in found):
        return None
    gaps = [
        (after - before) % _CENTURY or _CENTURY
        for before, after in zip([years[-1], *years], years, strict=False)
    ]
    widest = max(gaps)
    if widest == 1:
        return _FIRST_OF_ALL
    first = years[gaps.index(widest)]
    span = _CENTURY - widest
    first += (_LAST - span - first) // _CENTURY * _CENTURY
    return max(first - first % 10, first - widest + 1)
