"""Times and dates as texts: 08:30, 8:30 PM, 19h25, 125:10:00, 31.12.2020.

Times of a day and durations are columns of dates in the schema, of a layout of their
own, and kept as instants after midnight of 1970-01-01. So a date and a time of its day
add up to their moment, and hours from 24 on, of a duration, are in the days that
follow. Of times before and after noon those of the same day remain: 12:30 AM is half
past midnight.

Layouts of dates are strftime patterns, with or without leading zeros: of `%-d`, `%-m`,
`%-H` and `%-I` a number below ten has one digit; of `%e`, a day, it has a blank for the
first one. `%p` is AM or PM, and `%P` am or pm;
`%b` is Dec, `%^b` is DEC and `%B` is December; `%a` is Thu and `%A` is Thursday.
Not every system's strftime knows these; here they are the same on all.
"""

from __future__ import annotations

import datetime
import re

import numpy as np
import pandas as pd

from coclust_synth.tables.date_texts.two_countries import LAST_EITHER, layouts_in
from coclust_synth.tables.date_texts.two_digit_years import in_full, without_century

FULL = "hh:mm:ss"
PLAIN_LAYOUTS = ("hh:mm", FULL, "h:mm", "h:mm:ss")
_HALVES = (" AM", " am", "AM", "am", " a.m.", " A.M.")
_WITH_COLONS = (
    *PLAIN_LAYOUTS,
    *(day + half for day in PLAIN_LAYOUTS for half in _HALVES),
)
# 19h25, as in France, Quebec and Portugal; by its layout a colon is a quoted h.
_H = "'h'"
_WITH_H = (f"hh{_H}mm", f"h{_H}mm")
LAYOUTS = (*_WITH_COLONS, *_WITH_H)
_HOURS = re.compile("[0-9]{1,6}h[0-5][0-9]")
_TIME = re.compile(
    r"(?P<hours>[0-9]{1,6}):(?P<minutes>[0-5][0-9])(:(?P<seconds>[0-5][0-9]))?"
    r"( ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_A_DAY = 86_400
_AFTERNOON = str.maketrans("Aa", "Pp")
_MONTHS = np.array(
    "January February March April May June July August September October November "
    "December".split()
)
#: Of months and of days of the week, by the pattern that writes them.
NAMES_OF_MONTHS = {"%b": _MONTHS.astype("U3"), "%B": _MONTHS}
NAMES_OF_MONTHS["%^b"] = np.char.upper(NAMES_OF_MONTHS["%b"])
_DAYS = np.array("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
NAMES_OF_DAYS = {"%a": _DAYS.astype("U3"), "%A": _DAYS}
#: Names of months, whole and short, in small letters.
MONTH_WORDS = frozenset(np.char.lower([*NAMES_OF_MONTHS["%b"], *_MONTHS]).tolist())


def _weekday(date):
    """Days from Monday on, of a date or of many."""
    return date.weekday() if isinstance(date, datetime.date) else date.day_of_week


# What is written here, of a date or of many.
_WRITTEN = {
    "%a": lambda date: NAMES_OF_DAYS["%a"][_weekday(date)],
    "%A": lambda date: NAMES_OF_DAYS["%A"][_weekday(date)],
    "%b": lambda date: NAMES_OF_MONTHS["%b"][date.month - 1],
    "%^b": lambda date: NAMES_OF_MONTHS["%^b"][date.month - 1],
    "%B": lambda date: NAMES_OF_MONTHS["%B"][date.month - 1],
    "%-d": lambda date: date.day,
    "%e": lambda date: np.char.rjust(np.asarray(date.day).astype(str), 2),
    "%-m": lambda date: date.month,
    "%-H": lambda date: date.hour,
    "%-I": lambda date: (date.hour - 1) % 12 + 1,
    "%p": lambda date: np.where(date.hour < 12, "AM", "PM"),
    "%P": lambda date: np.where(date.hour < 12, "am", "pm"),
}
_FREE = re.compile(r"(%-[dmHI]|%[pPaAbBe]|%\^b)")

#: Layouts of dates, and of months, that are whole numbers, also as reals are written.
NUMBER_LAYOUTS = ("%Y%m%d", "%Y%m", "%Y%m%d.0", "%Y%m.0")
_DIGITS = re.compile("(1[89]|2[01])[0-9]{2}[01][0-9]([0-3][0-9])?([.]0)?")
# So many different ones, of two months at least, or of months of two years: numbers in
# a row are not; others are all dates by chance one in a thousand times, or in a
# hundred, for each.
MANY_DATES = 5


def has_seconds(layout: str) -> bool:
    """Whether a layout names seconds."""
    return ":ss" in layout


def has_halves(layout: str) -> bool:
    """Whether a layout tells times before noon from those after it."""
    return layout.endswith(_HALVES)


def read_times(texts: list[str], layout: str | None) -> tuple[np.ndarray, str] | None:
    """Read texts as times, all of them or none.

    Parameters
    ----------
    texts : list of str
        At least one.
    layout : str or None
        One of `LAYOUTS`. None: it is found out, as it writes all texts back.

    Returns
    -------
    seconds : ndarray of int64, shape (n,)
        After midnight.
    layout : str
        None in place of both: these are no times, or not all of one layout.

    Examples
    --------
    >>> read_times(["8:30", "125:00"], None)
    (array([ 30600, 450000]), 'h:mm')
    >>> read_times(["8:30 PM", "12:05 AM"], None)
    (array([73800,   300]), 'h:mm AM')
    """
    if layout in _WITH_H or (layout is None and _HOURS.fullmatch(texts[0])):
        return _read_with_h(texts, layout)
    matches = [_TIME.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    candidates = _WITH_COLONS if layout is None else (layout,)
    both = {(m["seconds"] is not None, m["half"] is not None) for m in matches}
    fitting = [
        own for own in candidates if {(has_seconds(own), has_halves(own))} == both
    ]
    if not fitting:
        return None
    hours = [_hour(m["hours"], m["half"]) for m in matches]
    if None in hours:
        return None
    parts = [[int(m["minutes"]), int(m["seconds"] or 0)] for m in matches]
    seconds = np.column_stack([hours, parts]).astype(np.int64) @ [3600, 60, 1]
    if layout is not None:  # 8:30 is 08:30 then
        return seconds, layout
    written = (own for own in fitting if write_times(seconds, own) == texts)
    found = next(written, None)
    return None if found is None else (seconds, found)


def _read_with_h(texts, layout):
    """`read_times`, of those with an h for a colon."""
    if not all(map(_HOURS.fullmatch, texts)):
        return None
    if layout is not None:
        layout = layout.replace(_H, ":")
    found = read_times([text.replace("h", ":") for text in texts], layout)
    return None if found is None else (found[0], found[1].replace(":", _H))


def _hour(text, half):
    """The hour from midnight on, or None: there is no 13 PM."""
    hour = int(text)
    if half is None:
        return hour
    if not 1 <= hour <= 12:
        return None
    return hour % 12 + 12 * (half in "Pp")


def write_times(seconds: np.ndarray, layout: str) -> list[str]:
    """Write times in one of `LAYOUTS`; undoes `read_times`.

    Parameters
    ----------
    seconds : ndarray of int64, shape (n,)
    layout : str
    """
    if layout in _WITH_H:
        texts = write_times(seconds, layout.replace(_H, ":"))
        return [text.replace(":", "h") for text in texts]
    width = len(layout.partition(":")[0])
    half = re.sub("h?h:mm(:ss)?", "", layout)
    texts = []
    for value in seconds.tolist():
        minutes, second = divmod(value % _A_DAY if half else value, 60)
        hour, minute = divmod(minutes, 60)
        end = half
        if half:
            end = half.translate(_AFTERNOON) if hour >= 12 else half
            hour = (hour - 1) % 12 + 1
        text = f"{hour:0{width}d}:{minute:02d}"
        texts.append(text + (f":{second:02d}" if has_seconds(layout) else "") + end)
    return texts


def padded(layout: str) -> str:
    """The pattern that reads the dates of a layout."""
    for own, usual in (("%-", "%"), ("%^", "%"), ("%P", "%p"), ("%e", "%d")):
        layout = layout.replace(own, usual)
    return layout


def has_hours(layout: str) -> bool:
    """Whether the dates of a layout have times."""
    return re.search("%-?[HI]", layout) is not None


def write_dates_as(layout: str, dates: pd.Series) -> list[str]:
    """Write dates.

    Parameters
    ----------
    layout : str
    dates : Series of datetime64, shape (n,)
    """
    *late, layout = layouts_in(layout)
    layout, first = in_full(layout)
    columns = [
        np.asarray(_WRITTEN[own](dates.dt)).astype(str)
        if own in _WRITTEN
        else dates.dt.strftime(own)
        for own in _FREE.split(layout)
        if own
    ]
    texts = ["".join(cells) for cells in zip(*columns, strict=True)]
    texts = texts if first is None else [*map(without_century, texts)]
    if not late:
        return texts
    is_early = dates.dt.day <= LAST_EITHER
    return np.where(is_early, texts, write_dates_as(late[0], dates)).tolist()


def write_date_as(layout: str, date: datetime.date) -> str:
    """Write one date, or date with a time; a date alone is its midnight."""
    layout = layouts_in(layout)[-1 if date.day <= LAST_EITHER else 0]
    layout, first = in_full(layout)
    if not isinstance(date, datetime.datetime):
        date = datetime.datetime.combine(date, datetime.time())
    text = "".join(
        str(_WRITTEN[own](date)) if own in _WRITTEN else date.strftime(own)
        for own in _FREE.split(layout)
    )
    return text if first is None else without_century(text)


def dates_of_digits(texts: list[str], layout: str) -> np.ndarray | None:
    """Days that whole numbers stand for, the first ones of months; None if not all do.

    Parameters
    ----------
    texts : list of str
    layout : str
        One of `NUMBER_LAYOUTS`.
    """
    size, end = 8 if "%d" in layout else 6, ".0" * layout.endswith(".0")
    pattern = re.compile(f"[0-9]{{{size}}}{re.escape(end)}")
    if not all(map(pattern.fullmatch, texts)):
        return None
    texts = [text[:size] for text in texts]
    days = [f"{text[:4]}-{text[4:6]}-{text[6:] or '01'}" for text in texts]
    try:
        return np.array(days, dtype="M8[D]")
    except ValueError:
        return None


def is_digits_of_date(text: str) -> bool:
    """Whether a text is such a number, of one of the years that many have."""
    return _DIGITS.fullmatch(text) is not None


def layout_of_digits(texts: list[str]) -> str | None:
    """The layout of dates that are whole numbers; None if these are others, or few.

    Parameters
    ----------
    texts : list of str
        Different ones, at least one.

    Examples
    --------
    >>> layout_of_digits(["20191130", "20191231", "20200229", "20210101", "20210630"])
    '%Y%m%d'
    >>> layout_of_digits(["201911", "201912", "202001", "202013", "202102"]) is None
    True
    """
    if len(texts) < MANY_DATES or not all(map(is_digits_of_date, texts)):
        return None
    if len({text.removesuffix(".0")[:-2] for text in texts}) == 1:
        return None
    fitting = (own for own in NUMBER_LAYOUTS if dates_of_digits(texts, own) is not None)
    return next(fitting, None)
