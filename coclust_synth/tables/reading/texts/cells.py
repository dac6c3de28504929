"""One cell at a time: its text, and the number that stands there.

A differentially private release must read each cell without looking at any other: if
a column were read as numbers until somebody's cell says "unsure", that cell would
change how everybody's are read. So a cell has one text, whatever the type of the column
that it comes in, and the declared column says what that text means.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def cell_text(value: Any) -> str | None:
    """The text of a cell, which depends on nothing but its value.

    Parameters
    ----------
    value : object

    Returns
    -------
    str or None
        Without the blanks around it; None if it is missing: None, NaN, NaT, NA, or a
        text of nothing but blanks. A whole number is written without point or zeros
        after it, whatever its type (1 and 1.0 are ``1``); others are the shortest that
        give their value back; ``true`` and ``false``; dates and times in ISO 8601,
        midnight without a zone as its date.
    """
    if isinstance(value, str):
        return value.strip() or None
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, np.floating):
        value = float(str(value))  # .1 of 32 bits is .1, not .10000000149
    elif isinstance(value, np.datetime64):
        return cell_text(pd.Timestamp(value))
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if math.isnan(value):
            return None
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, Decimal):
        return _decimal_text(value)
    if isinstance(value, datetime.datetime):
        return _instant_text(value)
    if isinstance(value, bytes):
        return cell_text(value.decode("utf-8", "backslashreplace"))
    return str(value).strip() or None


def cell_texts(series: pd.Series) -> tuple[np.ndarray, list[str]]:
    """The texts of a column's cells, each different one once.

    Parameters
    ----------
    series : Series of n cells

    Returns
    -------
    codes : ndarray of int64, shape (n,)
        Number of each cell's text; -1 where the cell is missing.
    texts : list of str
        See `cell_text`.
    """
    if series.dtype == object:
        # One by one: among objects, 1, 1.0 and True are equal, but not alike.
        cells = np.array([cell_text(value) for value in series], dtype=object)
    else:
        codes, values = pd.factorize(series)
        texts = map(cell_text, np.asarray(values))
        cells = np.array([*texts, None], dtype=object)[codes]  # the last is that of -1
    codes, texts = pd.factorize(cells)
    return codes.astype(np.int64), list(texts)


def parse_number(text: str) -> Decimal | None:
    """The number that a text stands for, exactly.

    Parameters
    ----------
    text : str
        An optional sign, digits from 0 to 9 with at most one point among or around
        them, and an optional exponent of up to three digits: ``12``, ``-0.5``, ``007``,
        ``.5``, ``1.``, ``1e-3``.

    Returns
    -------
    Decimal or None
        None for anything else: separators of thousands, a decimal comma, blanks inside,
        digits of other alphabets, ``inf``, ``nan``, ``0x1F``, ``1_000``.
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _decimal_text(value: Decimal) -> str | None:
    if value.is_nan():
        return None
    if not value.is_finite():
        return str(value)
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def _instant_text(value: datetime.datetime) -> str:
    text = value.isoformat()
    return text if value.tzinfo else text.removesuffix("T00:00:00")
