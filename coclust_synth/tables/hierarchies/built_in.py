"""Hierarchies that need no table: calendars, prefixes of codes, rounding ladders.

They are made of the values of a column alone, and read as people write them: a moment
is on a day, and a date in a month, a quarter, a year, five years and a decade; a time
is in an hour; a code begins with shorter codes; a number is in an interval of 5, 10,
50, 100, ... A level is left out where it gathers hardly any values. Missing ones join
the others in the root only.
"""

import math
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.tables.clock import write_times
from coclust_synth.tables.column import ORDERED_KINDS, Column
from coclust_synth.tables.hierarchies.columns import ColumnLeaves
from coclust_synth.tables.hierarchies.hierarchy import ROOT, GeneralizationHierarchy
from coclust_synth.tables.labels import distinct_name

_CODE = re.compile(r"[0-9A-Za-z][0-9A-Za-z./ -]{0,15}")
_GATHERS = 0.8  # nodes of a level, of those below it, at most
_MIN_CODES = 8  # values of a column of codes, at least
_MIN_DIGITS = 3  # of numbers that are codes: others have no beginning to speak of
_LARGEST_STEP = (
    Decimal(10) ** 15
)  # where a number of 64 bits still tells neighbours apart
_MOST_STEPS = Decimal(10) ** 27  # whose count decimals of 28 digits hold exactly
_Level = list[str | None]


def built_in_hierarchy(
    column: Column, leaves: ColumnLeaves
) -> GeneralizationHierarchy | None:
    """The hierarchy that the values of a column suggest by themselves.

    Parameters
    ----------
    column : Column
        Dates have a calendar, times the hours of a day, numbers a ladder, and
        categories that look like codes (letters and digits, a digit in nearly all, or
        whole numbers of three and more, all taken to as many) prefixes.
    leaves : ColumnLeaves

    Returns
    -------
    GeneralizationHierarchy or None
        None where there is none: no level would gather any values.

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> from coclust_synth.tables.hierarchies.columns import code_leaves
    >>> days = ["2019-03-04", "2019-12-09", "2020-05-06"]
    >>> frame = pd.DataFrame({"day": pd.to_datetime(days)})
    >>> columns, leaves, _ = code_leaves(frame, infer_schema(frame))
    >>> for level in built_in_hierarchy(columns[0], leaves[0]).labels:
    ...     print(level)
    ('2019-03-04', '2019-12-09', '2020-05-06')
    ('2019', '2020')
    ('*',)
    """
    present = [leaf for leaf in leaves.leaves if leaf is not None]
    if column.kind == "datetime":
        instants = leaves.values[~leaves.missing].astype(f"M8[{column.unit}]")
        instants = instants.astype("M8[s]")
        if column.is_time:
            levels = _hours(instants.astype(np.int64))
        else:
            levels = _calendar(
                _written(leaves.texts[: len(present)], instants, column.format)
            )
    elif column.kind in ("integer", "real"):
        levels = _ladder(present)
    elif column.kind == "categorical" and (codes := _code_texts(present)):
        levels = _prefixes(codes)
    else:
        return None
    n_missing = len(leaves.leaves) - len(present)
    return _hierarchy(column, leaves, [[*own, *[None] * n_missing] for own in levels])


def _written(texts, instants, layout):
    """Dates by the clock that they are written by.

    An offset stands only behind what begins with year, month and day. Other texts read
    by their layout: 05/01/2015 can be in January.
    """
    if layout is None or layout.startswith("%Y-%m-%d"):
        return [pd.Timestamp(text) for text in texts]
    return pd.DatetimeIndex(instants)


def _calendar(dates: Iterable) -> list[_Level]:
    """Day, month, quarter, year, five years and decade of each date."""
    days = [(date.year, date.month) for date in dates]
    return [
        [f"{date.year}-{date.month:02d}-{date.day:02d}" for date in dates],
        [f"{year}-{month:02d}" for year, month in days],
        [f"{year} Q{(month + 2) // 3}" for year, month in days],
        [f"{year}" for year, _ in days],
        [f"{year // 5 * 5}-{year // 5 * 5 + 4}" for year, _ in days],
        [f"{year // 10 * 10}s" for year, _ in days],
    ]


def _hours(seconds: NDArray[np.int64]) -> list[_Level]:
    """Quarter of an hour, hour, six hours and day of each time."""
    levels: list[_Level] = []
    for length in (900, 3600, 21_600, 86_400):
        starts = seconds // length * length
        lows, highs = (write_times(ends, "hh:mm") for ends in (starts, starts + length))
        levels.append([f"[{a}, {b}[" for a, b in zip(lows, highs, strict=True)])
    return levels


def _ladder(values: Sequence) -> list[_Level]:
    """Intervals of 5, 10, 50, 100, ... units, a unit being a power of ten.

    There are none where numbers are so far apart that units cannot be counted: a table
    with 0.001 and 1e30 has no rounding that anybody reads.
    """
    exact = [Decimal(str(value)) for value in values]
    if len(exact) < 2:
        return []
    widest = max(abs(exact[0]), abs(exact[-1]), exact[-1] - exact[0])
    step = min(b - a for a, b in pairwise(exact))
    step = Decimal(10) ** math.floor(step.log10())
    if widest >= step * _MOST_STEPS:
        return []
    levels: list[_Level] = []
    factor = 5
    while step * factor <= min(widest, _LARGEST_STEP):
        step, factor = step * factor, 7 - factor
        starts = [value // step - (value % step < 0) for value in exact]
        levels.append(
            [f"[{_number(s * step)}, {_number((s + 1) * step)}[" for s in starts]
        )
    return levels


def _prefixes(codes: Sequence[str]) -> list[_Level]:
    """Shorter and shorter beginnings of codes, ended by ``*``.

    A code that others begin with is one of them: A00* is A00, A00.1 and A00.2.
    """
    levels: list[_Level] = []
    for size in range(max(map(len, codes)) - 1, 0, -1):
        begins = [c if len(c) <= size else _bare(c[:size]) for c in codes]
        longer = {b for c, b in zip(codes, begins, strict=True) if len(c) > size}
        shorter = [f"{b}*" if b in longer else b for b in begins]
        if levels and len({*shorter}) == len({*levels[-1]}):
            levels.pop()  # the shortest name of a group is kept
        levels.append([*shorter])
    return levels


def _bare(prefix):
    """A beginning of a code, without the mark that it ends with: A00. is A00."""
    return prefix.rstrip("./ -") or prefix


def _code_texts(values: Sequence) -> list[str] | None:
    """The values as texts, if they look like codes."""
    if len(values) < _MIN_CODES:
        return None
    if all(isinstance(value, int | float) for value in values):
        if not all(value >= 0 and float(value).is_integer() for value in values):
            return None
        numbers = [str(int(value)) for value in values]
        size = max(map(len, numbers))
        if size < _MIN_DIGITS:
            return None
        texts = [text.zfill(size) for text in numbers]
    else:
        texts = [value for value in values if isinstance(value, str)]
    has_digit = sum(any(c.isdigit() for c in text) for text in texts)
    if len(texts) < len(values) or has_digit < 0.9 * len(texts):
        return None
    return texts if all(map(_CODE.fullmatch, texts)) else None


def _number(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").removesuffix(".") if "." in text else text


def _hierarchy(column, leaves, levels):
    """The levels that gather something beyond those below, under the root."""
    n = len(leaves.leaves)
    partitions: list[NDArray[np.int64]] = [np.arange(n)]
    labels = [list(leaves.texts)]
    for own in levels:
        # What has no label is a node of its own until the root.
        named = [leaf if text is None else text for leaf, text in enumerate(own)]
        nodes, found = pd.factorize(np.array(named, dtype=object))
        if 1 < len(found) <= _GATHERS * (int(partitions[-1].max()) + 1):
            taken: set[str] = {ROOT}
            partitions.append(nodes)
            labels.append(
                [
                    distinct_name(leaves.texts[n] if isinstance(n, int) else n, taken)
                    for n in found
                ]
            )
    if len(partitions) == 1:
        return None
    return GeneralizationHierarchy.from_partitions(
        column.name,
        leaves.leaves,
        [*partitions, np.zeros(n, dtype=np.int64)],
        [*labels, [ROOT]],
        ordered=column.kind in ORDERED_KINDS,
    )
