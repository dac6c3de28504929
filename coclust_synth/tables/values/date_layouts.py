"""How dates may be laid out, by where their digits and words stand.

31.12.2020, 12/31/2020 23:59, 3/9/2020, 7:05 PM, 31-Dec-2020, Thu, 31 Dec 2020 23:59:00
GMT: of each order of day, month and year there are a few layouts, of which the one is
taken that writes all texts of a column as they are.
"""

from __future__ import annotations

import re

from coclust_synth.tables.clock import MANY_DATES, NAMES_OF_DAYS, NAMES_OF_MONTHS
from coclust_synth.tables.date_texts.two_countries import layout_of_both, parted_by_day
from coclust_synth.tables.date_texts.two_digit_years import (
    find_first_year,
    in_full,
    may_begin_with_year,
    with_century,
)

_TIMES = {"": "", " 99:99": " %H:%M", " 99:99:99": " %H:%M:%S"}
_TIMES |= {f",{time}": f",{layout}" for time, layout in _TIMES.items() if time}
# What dates may be by where their digits stand: 31.12.2020, 12/31/2020 23:59.
_OF_SHAPE = (
    {
        f"99{sep}99{sep}9999{time}": (
            f"%d{sep}%m{sep}%Y{layout}",
            f"%m{sep}%d{sep}%Y{layout}",
        )
        for sep in "/-"
        for time, layout in _TIMES.items()
    }
    | {
        # Nobody writes 12.31.2020.
        f"99.99.9999{time}": (f"%d.%m.%Y{layout}",)
        for time, layout in _TIMES.items()
    }
    | {f"9999/99/99{time}": (f"%Y/%m/%d{layout}",) for time, layout in _TIMES.items()}
    # As ArcGIS writes UTC.
    | {"9999/99/99 99:99:99+99": ("%Y/%m/%d %H:%M:%S+00",)}
    # 20201231T235900, the basic format of ISO 8601.
    | {
        f"99999999T{time}{zone}": (f"%Y%m%dT{layout}{zone}",)
        for time, layout in (("9999", "%H%M"), ("999999", "%H%M%S"))
        for zone in ("", "Z")
    }
)
_TIME_BEHIND = (
    r"(?P<time>(?P<before>,? )[0-9]{1,2}:[0-9]{2}(?P<second>:[0-9]{2})?"
    r"(?P<half> ?[AaPp][Mm])?)?"
)
# The same, and 2020-3-9, where some numbers have one digit.
_ONE_DIGIT = re.compile(
    r"(?:[0-9]{1,2}(?P<sep>[/.-])[0-9]{1,2}(?P=sep)[0-9]{4}"
    r"|[0-9]{4}(?P<sep_of_year>[/-])[0-9]{1,2}(?P=sep_of_year)[0-9]{1,2})"
    + _TIME_BEHIND
)
# 31-Dec-2020, 31DEC2020, Dec-2020, December 31, 2020; Thu, 31 Dec 2020 23:59:00 GMT.
_ZONE = "(?P<zone> UTC| GMT| [+]0000)?"
_NAMED = re.compile(
    r"(?:(?P<weekday>[A-Z][a-z]{2,8})(?P<behind>,? )(?=[^ ]+ +[^ ]+ ))?"
    r"(?:(?P<day>[0-9]{1,2})(?P<after_day>[-/. ]?)(?P<month>[A-Za-z]{3,9})"
    r"(?P<before_year>[-/. ]?)[0-9]{4}"
    r"|(?P<alone>[A-Za-z]{3,9})(?P<between>[-/. ]?)[0-9]{4}"
    rf"|(?P<first>[A-Za-z]{{3,9}}) [ 0-9]?[0-9], [0-9]{{4}}){_TIME_BEHIND}{_ZONE}"
)
# Thu Dec 31 23:59:00 UTC 2020, as C and Twitter write it.
_OF_C = re.compile(
    r"(?P<weekday>[A-Z][a-z]{2}) (?P<month>[A-Z][a-z]{2}) [ 0-9]?[0-9] "
    rf"[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}{_ZONE} [0-9]{{4}}"
)
# 2020-12, 12/2020: months, where there are so many of two years.
_MONTHS_OF_SHAPE = {"9999-99": "%Y-%m", "9999/99": "%Y/%m"}
_MONTHS_OF_SHAPE |= {"99/9999": "%m/%Y", "99-9999": "%m-%Y"}
# So many different dates before and after the 12th, at least: that others part at it
# by chance happens less than once in a thousand times.
_MANY_OF_TWO = 7
_YEAR = re.compile("(?:1[89]|2[01])[0-9]{2}")


def possible_layouts(
    texts: list[str], *, year_is_last: bool = False
) -> list[list[str]]:
    """Layouts that some texts may have, by where their digits stand.

    Parameters
    ----------
    texts : list of str
    year_is_last : bool, default=False
        Whether it is known that no year of two digits is the first number.

    Returns
    -------
    list of list of str
        One list for each order of day, month and year; of those in it the first that
        writes the texts as they are.
    """
    first = find_first_year(texts) if len(texts) >= MANY_DATES else None
    if first is not None and not year_is_last and may_begin_with_year(texts):
        return []
    if first is not None:
        return [
            [f"{layout.replace('%Y', '%y')} from {first}" for layout in layouts]
            for layouts in possible_layouts([with_century(t, first) for t in texts])
        ]
    shape = re.sub("[0-9]", "9", texts[0])
    pattern = re.compile(re.escape(shape).replace("9", "[0-9]"))
    if shape in _OF_SHAPE and all(map(pattern.fullmatch, texts)):
        return [[layout] for layout in _OF_SHAPE[shape]]
    if shape in _MONTHS_OF_SHAPE and all(map(pattern.fullmatch, texts)):
        years = [*map(_YEAR.search, texts)]
        are_many = len(texts) >= MANY_DATES and all(years)
        if not are_many or len({found[0] for found in years if found}) == 1:
            return []
        return [[_MONTHS_OF_SHAPE[shape]]]
    if _NAMED.fullmatch(texts[0]):
        return _named_layouts(texts)
    if _OF_C.fullmatch(texts[0]):
        return _layouts_of_c(texts)
    found = _ONE_DIGIT.fullmatch(texts[0])
    if found is None or not all(map(_ONE_DIGIT.fullmatch, texts)):
        return []
    sep = found["sep"] or found["sep_of_year"]
    orders = ("dmY", "mdY") if found["sep"] else ("Ymd",)
    orders = ("dmY",) if found["sep"] == "." else orders
    # Where the first number has one digit the second one may still have two: 4/02/2016.
    return [
        [
            sep.join(f"%{zero[part]}{part}" for part in order) + time
            for zero in (
                {"d": "-", "m": "-", "Y": ""},
                {"d": "", "m": "", "Y": ""},
                {"d": "", "m": "", "Y": ""} | {order[0]: "-" * (order[0] != "Y")},
            )
            for time in _times_behind(found)
        ]
        for order in orders
    ]


def layouts_by_day(texts: list[str]) -> list[list[str]]:
    """As `possible_layouts`, of days to the 12th laid out otherwise than later ones.

    Examples
    --------
    >>> texts = [f"5/{day}/2014" for day in range(13, 20)]
    >>> texts += [f"05-{day:02}-2014" for day in range(1, 8)]
    >>> layouts_by_day(texts)[1][0]
    '%-m/%-d/%Y; to the 12th %m-%d-%Y'
    """
    parted = parted_by_day(texts)
    if parted is None or min(map(len, parted)) < _MANY_OF_TWO:
        return []
    late = possible_layouts(parted[0])
    year_is_last = find_first_year(parted[0]) is None
    early = possible_layouts(parted[1], year_is_last=year_is_last)
    return [
        [layout_of_both(of_late, of_early) for of_late in one for of_early in other]
        for one in late
        for other in early
        if _agree(one[0], other[0])
    ]


def _agree(one, other):
    """Whether two layouts have one order of numbers, and mean the same years."""
    orders = {own.index("d") < own.index("m") for own in (one, other)}
    firsts = {in_full(own)[1] for own in (one, other)} - {None}
    return len(orders) == 1 and len(firsts) < 2


def _times_behind(found):
    """The layouts that the times behind dates may have, without zeros first."""
    if not found["time"]:
        return [""]
    minutes, half = ":%M:%S" if found["second"] else ":%M", found["half"] or ""
    hour = "I" if half else "H"
    if half:
        half = half.replace(half.strip(), "%p" if half.isupper() else "%P")
    return [f"{found['before']}%{zero}{hour}{minutes}{half}" for zero in ("-", "")]


def _named_layouts(texts):
    """The layouts of dates whose months have names, as `possible_layouts` has them."""
    matches = [_NAMED.fullmatch(text) for text in texts]
    if not all(matches):
        return []
    found = matches[0]
    month = _spelling(
        NAMES_OF_MONTHS, (m["month"] or m["alone"] or m["first"] for m in matches)
    )
    weekday = _spelling(NAMES_OF_DAYS, (m["weekday"] or "" for m in matches))
    if month is None or (found["weekday"] and weekday is None):
        return []
    dates = [f"{month}{found['between']}%Y"]
    if found["day"]:
        ends = found["after_day"], found["before_year"]
        dates = [month.join(ends).join((day, "%Y")) for day in ("%-d", "%d")]
    elif found["first"]:
        dates = [f"{month} {day}, %Y" for day in ("%-d", "%d", "%e")]
    before = f"{weekday}{found['behind']}" if found["weekday"] else ""
    times = [time + (found["zone"] or "") for time in _times_behind(found)[::-1]]
    return [[before + date + time for time in times for date in dates]]


def _layouts_of_c(texts):
    """The layouts of moments as C writes them, as `possible_layouts` has them."""
    matches = [_OF_C.fullmatch(text) for text in texts]
    if not all(matches):
        return []
    names = ((NAMES_OF_MONTHS, "month"), (NAMES_OF_DAYS, "weekday"))
    if None in [_spelling(own, (m[part] for m in matches)) for own, part in names]:
        return []
    end = f" %H:%M:%S{matches[0]['zone'] or ''} %Y"
    return [[f"%a %b {day}{end}" for day in ("%-d", "%d", "%e")]]


def _spelling(names, words):
    """The first pattern whose names all of some words are, or None."""
    words = {*words}
    return next((own for own, known in names.items() if words <= {*known}), None)
