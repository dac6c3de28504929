"""How texts write dates: strftime patterns, with or without leading zeros.

Of `%-d`, `%-m`, `%-H` and `%-I` a number below ten has one digit: 3/9/2020 7:05. `%p`
is AM or PM, and `%P` am or pm. Not every system's strftime knows these; here they are
the same on all.
"""

import datetime
import re

import numpy as np
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
    r"(?P<time> [0-9]{1,2}:[0-9]{2}(?P<second>:[0-9]{2})?(?P<half> ?[AaPp][Mm])?)?"
)
# What is written here, of a date or of many.
_WRITTEN = {
    "%-d": lambda date: date.day,
    "%-m": lambda date: date.month,
    "%-H": lambda date: date.hour,
    "%-I": lambda date: (date.hour - 1) % 12 + 1,
    "%p": lambda date: np.where(date.hour < 12, "AM", "PM"),
    "%P": lambda date: np.where(date.hour < 12, "am", "pm"),
}
_FREE = re.compile("(%-[dmHI]|%[pP])")


def padded(layout: str) -> str:
    """The pattern that reads the dates of a layout."""
    return layout.replace("%-", "%").replace("%P", "%p")


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
    columns = [
        np.asarray(_WRITTEN[own](dates.dt)).astype(str)
        if own in _WRITTEN
        else dates.dt.strftime(own)
        for own in _FREE.split(layout)
        if own
    ]
    return ["".join(cells) for cells in zip(*columns, strict=True)]


def write_date_as(layout: str, date: datetime.date) -> str:
    """Write one date, or date with a time."""
    return "".join(
        str(_WRITTEN[own](date)) if own in _WRITTEN else date.strftime(own)
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
        if found["half"]:
            half = found["half"].replace(found["half"].strip(), "%p")
            half = half if found["half"].isupper() else half.replace("%p", "%P")
            times = [f" %-I{minutes}{half}", f" %I{minutes}{half}"]
    return [
        [
            sep.join(f"%{part}" if part == "Y" else f"%{zero}{part}" for part in order)
            + time
            for zero in ("-", "")
            for time in times
        ]
        for order in orders
    ]
