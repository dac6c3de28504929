"""Times of a day and durations, written as texts: 08:30, 8:30 PM, 8:30:05, 125:10:00.

They are columns of dates in the schema, of a layout of their own, and kept as instants
after midnight of 1970-01-01. So a date and a time of its day add up to their moment,
and hours from 24 on, of a duration, are in the days that follow. Of times before and
after noon those of the same day remain: 12:30 AM is half past midnight.
"""

from __future__ import annotations

import re

import numpy as np

FULL = "hh:mm:ss"
PLAIN_LAYOUTS = ("hh:mm", FULL, "h:mm", "h:mm:ss")
_HALVES = (" AM", " am", "AM", "am", " a.m.", " A.M.")
LAYOUTS = (*PLAIN_LAYOUTS, *(day + half for day in PLAIN_LAYOUTS for half in _HALVES))
_TIME = re.compile(
    r"(?P<hours>[0-9]{1,6}):(?P<minutes>[0-5][0-9])(:(?P<seconds>[0-5][0-9]))?"
    r"( ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_A_DAY = 86_400
_AFTERNOON = str.maketrans("Aa", "Pp")


def has_seconds(layout: str) -> bool:
    """Whether a layout names seconds."""
    return ":ss" in layout


def has_halves(layout: str) -> bool:
    """Whether a layout tells times before noon from those after it."""
    return layout not in PLAIN_LAYOUTS


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
    matches = [_TIME.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    candidates = LAYOUTS if layout is None else (layout,)
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
