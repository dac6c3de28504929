"""Times of a day and durations, written as texts: 08:30, 8:30:05, 125:10:00.

They are columns of dates in the schema, of a layout of their own, and kept as instants
after midnight of 1970-01-01. So a date and a time of its day add up to their moment,
and hours from 24 on, of a duration, are in the days that follow.
"""

from __future__ import annotations

import re

import numpy as np

FULL = "hh:mm:ss"
LAYOUTS = ("hh:mm", FULL, "h:mm", "h:mm:ss")
_TIME = re.compile(
    r"(?P<hours>[0-9]{1,6}):(?P<minutes>[0-5][0-9])(:(?P<seconds>[0-5][0-9]))?"
)


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
    """
    matches = [_TIME.fullmatch(text) for text in texts]
    if not all(matches):
        return None
    parts = [m.group("hours", "minutes", "seconds") for m in matches]
    seconds = np.array([[int(part or 0) for part in own] for own in parts])
    seconds = seconds @ np.array([3600, 60, 1])
    if layout is not None:  # 8:30 is 08:30 then
        with_seconds = layout.endswith(":ss")
        fit = all((m["seconds"] is not None) == with_seconds for m in matches)
        return (seconds, layout) if fit else None
    fitting = (own for own in LAYOUTS if write_times(seconds, own) == texts)
    found = next(fitting, None)
    return None if found is None else (seconds, found)


def write_times(seconds: np.ndarray, layout: str) -> list[str]:
    """Write times in one of `LAYOUTS`; undoes `read_times`.

    Parameters
    ----------
    seconds : ndarray of int64, shape (n,)
    layout : str
    """
    width = len(layout.partition(":")[0])
    texts = []
    for value in seconds.tolist():
        minutes, second = divmod(value, 60)
        text = f"{minutes // 60:0{width}d}:{minutes % 60:02d}"
        texts.append(text + (f":{second:02d}" if layout.endswith(":ss") else ""))
    return texts
