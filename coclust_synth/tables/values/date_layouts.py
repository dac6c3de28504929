"""How texts write dates: strftime patterns, with or without leading zeros.

Of `%-d`, `%-m` and `%-H` a number below ten has one digit: 3/9/2020 7:05. Not every
system's strftime knows these; here they are the same on all.
"""

import datetime
import re

import pandas as pd

_TIMES = {"": "", " 99:99": " %H:%M", " 99:99:99": " %H:%M:%S"}
# What dates may be by where their digits stand: 31.12.2020, 12/31/2020 23:59.
_OF_SHAPE = {
    f"99{sep}99{sep}9999{time}": (
        f"%d{sep}%m{sep}%Y{layout}",
        f"%m{sep}%d{sep}%Y{layout}",
    )
    for sep in "/.-"
    for time, layout in _TIMES.items()
} | {f"9999/99/99{time}": (f"%Y/%m/%d{layout}",) for time, layout in _TIMES.items()}
# The same, and 2020-3-9, where some numbers have one digit.
_ONE_DIGIT = re.compile(
    r"(?:[0-9]{1,2}(?P<sep>[/.-])[0-9]{1,2}(?P=sep)[0-9]{4}"
    r"|[0-9]{4}(?P<sep_of_year>[/-])[0-9]{1,2}(?P=sep_of_year)[0-9]{1,2})"
    r"(?P<time> [0-9]{1,2}:[0-9]{2}(?P<second>:[0-9]{2})?)?"
)
_FREE = re.compile("(%-[dmH])")


def padded(layout: str) -> str:
    """The pattern that reads the dates of a layout."""
    return layout.replace("%-", "%")


def write_dates_as(layout: str, dates: pd.Series) -> list[str]:
    """Write dates.

    Parameters
    ----------
    layout : str
    dates : Series of datetime64, shape (n,)
    """
    of_day = {"%-d": dates.dt.day, "%-m": dates.dt.month, "%-H": dates.dt.hour}
    columns = [
        of_day[own].astype(str) if own in of_day else dates.dt.strftime(own)
        for own in _FREE.split(layout)
        if own
    ]
    return ["".join(cells) for cells in zip(*columns, strict=True)]


def write_date_as(layout: str, date: datetime.date) -> str:
    """Write one date, or date with a time."""
    free = {"%-d": "day", "%-m": "month", "%-H": "hour"}
    return "".join(
        str(getattr(date, free[own])) if own in free else date.strftime(own)
        for own in _FREE.split(layout)
    )


def possible_layouts(texts: list[str]) -> list[list[str]]:
    """Layouts that some texts may have, by where their digits stand.

    Returns
    -------
    list of list of str
        One list for each order of day, month and year; of those in it the first that
        writes the texts as they are.
    """
    shape = re.sub("[0-9]", "9", texts[0])
    pattern = re.compile(re.escape(shape).replace("9", "[0-9]"))
    if shape in _OF_SHAPE and all(map(pattern.fullmatch, texts)):
        return [[layout] for layout in _OF_SHAPE[shape]]
    found = _ONE_DIGIT.fullmatch(texts[0])
    if found is None or not all(map(_ONE_DIGIT.fullmatch, texts)):
        return []
    sep = found["sep"] or found["sep_of_year"]
    orders = ("dmY", "mdY") if found["sep"] else ("Ymd",)
    times = [""]
    if found["time"]:
        minutes = ":%M:%S" if found["second"] else ":%M"
        times = [f" %-H{minutes}", f" %H{minutes}"]
    return [
        [
            sep.join(f"%{part}" if part == "Y" else f"%{zero}{part}" for part in order)
            + time
            for zero in ("-", "")
            for time in times
        ]
        for order in orders
    ]
