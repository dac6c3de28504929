"""Columns of dates in more than one layout, as spreadsheets leave them.

Of 05-07-2014 beside 5/20/15 and 13-07-2014 nobody but the keeper of a table can say
which is the day: nothing is read as a date, and whoever looks at the table is told.
Where the layout goes by the day, to the 12th or after it, see `two_countries`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.texts.text import parse_column

# So many different dates at least, of a layout: fewer are slips (see `odd_cells`).
_MANY = 7
_MAX_LAYOUTS = 4
_THREE_NUMBERS = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\d)")
_WORD, _NUMBER = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")


def date_layouts(texts: Sequence[str]) -> list[str]:
    """How the dates of a column are laid out, if that differs among them.

    Parameters
    ----------
    texts : sequence of str
        The different ones, stripped. Not all of them are dates in one layout.

    Returns
    -------
    list of str
        Of each layout its commonest form, with 9 for each digit and A for each word;
        the layout of most texts first. Empty where some texts are no dates, or all of
        one layout. Where days and months cannot be told apart in one layout, others
        must be dates surely.

    Examples
    --------
    >>> days = range(1, 29)
    >>> date_layouts([f"2020-03-{d:02}" for d in days] + [f"{d}.3.2020" for d in days])
    ['9999-99-99', '99.9.9999']
    >>> date_layouts([f"2020-03-{d:02}" for d in days] + [f"no. {d}" for d in days])
    []
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        form = _WORD.sub("A", _NUMBER.sub("9", text))
        groups.setdefault(form, []).append(text)
        if len(groups) > _MAX_LAYOUTS:
            return []
    if len(groups) < 2 or min(map(len, groups.values())) < _MANY:
        return []
    surely = [_are_dates(own) for own in groups.values()]
    perhaps = [
        is_sure or all(map(_THREE_NUMBERS.match, own))
        for is_sure, own in zip(surely, groups.values(), strict=True)
    ]
    if not any(surely) or not all(perhaps):
        return []
    return [_commonest(own) for own in sorted(groups.values(), key=len, reverse=True)]


def _are_dates(texts):
    column = parse_column(pd.Series(texts), Column(name="dates"))[1]
    return column.kind == "datetime" and not column.is_time


def _commonest(texts):
    forms = Counter(re.sub(r"\d", "9", _WORD.sub("A", text)) for text in texts)
    return max(sorted(forms), key=forms.__getitem__)
