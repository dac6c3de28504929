"""Days since 1970-01-01 as parts of a date, and years and months between two."""

import numpy as np

# Parts of a date, each a function of its days since 1970-01-01.
DATE_PARTS = {
    "date": lambda days: days,
    "year": lambda days: _in_unit(days, "Y") + 1970,
    "quarter": lambda days: _in_unit(days, "M") % 12 // 3 + 1,
    "month": lambda days: _in_unit(days, "M") % 12 + 1,
    "day": lambda days: days - _first_of_month(days) + 1,
    # 1970-01-01 was a Thursday. Monday is 0 or 1, or Sunday is.
    "weekday": lambda days: (days + 3) % 7,
    "weekday from 1": lambda days: (days + 3) % 7 + 1,
    "weekday from Sunday": lambda days: (days + 4) % 7,
    "weekday from Sunday, 1": lambda days: (days + 4) % 7 + 1,
    "half of the year": lambda days: _in_unit(days, "M") % 12 // 6 + 1,
    "day of the year": lambda days: _of_year(days) + 1,
    # By ISO 8601 that of its Thursday; or days before the first Sunday are in week 0.
    "ISO week": lambda days: _of_year(days - (days + 3) % 7 + 3) // 7 + 1,
    "week from Sunday": lambda days: (_of_year(days) + 7 - (days + 4) % 7) // 7,
    "week from Monday": lambda days: (_of_year(days) + 7 - (days + 3) % 7) // 7,
}
# Of times that are parts of a day.
IN_A_DAY = (24, 1440, 86_400)
# Of a day, more than doubles lose of it in some thousand years.
_A_MOMENT = 1e-9
# Parts of the time of a date, each a function of its days with their fractions.
TIME_PARTS = {
    "hour": lambda days: _complete(days % 1, 24) % 24,
    "time": lambda days: days % 1,
    "time in minutes": lambda days: _complete(days % 1, 1440) / 1440 % 1,
}


def completed_years(birth, at):
    """Years completed between two days, each given as days since 1970-01-01.

    Parameters
    ----------
    birth, at : ndarray of int64

    Returns
    -------
    ndarray of int64
        Below 0 where birth is later. Who is born on 29 February is a year older on 1
        March of other years.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.array(["2000-05-02", "2024-05-01", "2024-05-02"], "datetime64[D]")
    >>> birth, before, after = days.astype(np.int64)
    >>> int(completed_years(birth, before)), int(completed_years(birth, after))
    (23, 24)
    """
    return completed_months(birth, at) // 12


def completed_months(birth, at):
    """Months completed between two days, each given as days since 1970-01-01.

    Parameters
    ----------
    birth, at : ndarray of int64

    Returns
    -------
    ndarray of int64
        Below 0 where birth is later. One from the 31st is completed on the first of the
        next month where a month is too short.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.array(["2024-01-31", "2024-02-29", "2024-03-01"], "datetime64[D]")
    >>> birth, before, after = days.astype(np.int64)
    >>> int(completed_months(birth, before)), int(completed_months(birth, after))
    (0, 1)
    """
    months = _in_unit(at, "M") - _in_unit(birth, "M")
    early = at - _first_of_month(at) < birth - _first_of_month(birth)
    return months - early


def calendar_years(birth, at):
    """Years between those of two days, each given as days since 1970-01-01.

    Parameters
    ----------
    birth, at : ndarray of int64

    Returns
    -------
    ndarray of int64
    """
    return _in_unit(at, "Y") - _in_unit(birth, "Y")


def calendar_months(birth, at):
    """Months between those of two days, each given as days since 1970-01-01.

    Parameters
    ----------
    birth, at : ndarray of int64

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> import numpy as np
    >>> birth, at = np.array(["2024-01-31", "2024-02-01"], "M8[D]").astype(np.int64)
    >>> int(calendar_months(birth, at)), int(completed_months(birth, at))
    (1, 0)
    """
    return month_of(at) - month_of(birth)


def month_of(days):
    """Months since January 1970 of some days, given as days since 1970-01-01."""
    return _in_unit(days, "M")


def months_later(days, months, day="same"):
    """Days that are some months after others, each given as days since 1970-01-01.

    Parameters
    ----------
    days, months : ndarray of int64
    day : {"same", "first", "last"}
        Of the month: the same one, or the last where the month is too short for it.

    Returns
    -------
    ndarray of int64

    Examples
    --------
    >>> day = np.array(["2024-01-31"], "M8[D]").astype(np.int64)
    >>> print(*months_later(day, np.array([1, 3])).astype("M8[D]"))
    2024-02-29 2024-04-30
    """
    first, length = days_of_month(month_of(days) + months)
    last = first + length - 1
    same = np.minimum(first + days - _first_of_month(days), last)
    return {"same": same, "first": first, "last": last}[day]


def days_of_month(months):
    """The first day of some months since January 1970, and how many days each has.

    Parameters
    ----------
    months : ndarray of int64

    Returns
    -------
    first, length : ndarray of int64
        First days since 1970-01-01.
    """
    first, after = (
        (months + k).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
        for k in (0, 1)
    )
    return first, after - first


def _complete(of_day, units):
    """How many of so many units a day are over."""
    return np.floor((of_day + _A_MOMENT) * units)


def _in_unit(days, unit):
    """Years or months since 1970 of some days."""
    dates = np.asarray(days).astype("datetime64[D]")
    return dates.astype(f"datetime64[{unit}]").astype(np.int64)


def _first_of_month(days):
    return days_of_month(month_of(days))[0]


def _of_year(days):
    """Days since the first of January of the same year."""
    return days - days_of_month(12 * _in_unit(days, "Y"))[0]
