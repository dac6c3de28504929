"""Texts of two readings, read as those of other columns of their file are.

01/02/2020 may be two days, and 1,234 more than a thousand or less than two. People
write the columns of a file alike: where others can be read in one way only, and all in
the same, it says which.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pandas as pd

from coclust_synth.tables.column import Column
from coclust_synth.tables.reading.texts.identifiers import is_called_code
from coclust_synth.tables.reading.texts.layouts import NumberLayout, either_layout
from coclust_synth.tables.reading.texts.text import TYPED_MISSING_MARKS, parse_column
from coclust_synth.tables.values.dtypes import ambiguous_layouts

# Decimals behind a point, that are no parted thousands.
_POINTED = re.compile(r"[^.,]*[0-9]?\.([0-9]{1,2}|[0-9]{4,})[^.,0-9]*|[+-]?0?\.[0-9]+")


def read_as_others(
    frame: pd.DataFrame,
    hints: list[Column],
    parsed: dict[str, pd.Series],
    columns: list[Column],
    delimiter: str,
) -> None:
    """Read texts of two readings by the one that others have, in place.

    Parameters
    ----------
    frame : DataFrame of str
        Cells as they stand in a text file.
    hints : list of Column
        What was known of each column: those whose kind was are left.
    parsed : dict of column name to Series
        What was read of each.
    columns : list of Column
        What is known of each since.
    delimiter : str
        Between the fields of the file.
    """
    dates = [own.format or "" for own in columns if own.kind == "datetime"]
    is_month_first = {own for own in map(_is_month_first, dates) if own is not None}
    numbers: list[tuple[int, Column, Column]] = []
    for i, (hint, column) in enumerate(zip(hints, columns, strict=True)):
        if hint.kind is not None or column.kind != "categorical" or hint.categories:
            continue
        texts = _texts_of(frame, hint)
        either = None if hint.dtype else either_layout(texts)
        if either is not None and not is_called_code(hint.name):
            parted, comma = (replace(hint, format=str(own)) for own in either)
            parted, comma = replace(parted, kind="integer"), replace(comma, kind="real")
            numbers.append((i, parted, comma))
        elif texts and len(is_month_first) == 1:
            layouts = ambiguous_layouts(texts)
            layouts = [own for own in layouts if _is_month_first(own) in is_month_first]
            if len(layouts) == 1:
                as_dates = replace(hint, kind="datetime", format=layouts[0])
                parsed[hint.name], columns[i] = parse_column(frame[hint.name], as_dates)
    is_comma = _is_comma(frame, columns, delimiter) if numbers else None
    for i, parted, comma in numbers if is_comma is not None else ():
        said = comma if is_comma else parted
        parsed[said.name], columns[i] = parse_column(frame[said.name], said)


def _texts_of(frame: pd.DataFrame, hint: Column) -> list[str]:
    """The different texts of a column that stand for no missing value."""
    marks = {*TYPED_MISSING_MARKS, *(hint.missing or ())}
    return sorted({text.strip() for text in frame[hint.name].unique()} - marks)


def _is_month_first(layout: str) -> bool | None:
    """Whether a layout has the month before the day; None of another sort."""
    month, day = (re.search(f"%-?{part}", layout) for part in "md")
    if month is None or day is None or layout.startswith("%Y"):
        return None
    return month.start() < day.start()


def _is_comma(
    frame: pd.DataFrame, columns: list[Column], delimiter: str
) -> bool | None:
    """Whether decimals follow a comma, rather than a point; None if that is not sure.

    Where fields are between commas, numbers with some may be lists; where they are
    between semicolons, decimals after a point may be those of one column.
    """
    numbers = [own for own in columns if own.kind in ("integer", "real")]
    layouts = [NumberLayout.parse(own.format) for own in numbers]
    parted = [own for own in layouts if own.thousands in ("thousands", "lakhs")]
    has_parted = not all(own.comma for own in parted)
    has_points = any(
        column.kind == "real"
        and not layout.comma
        and any(map(_POINTED.fullmatch, _texts_of(frame, column)))
        for column, layout in zip(numbers, layouts, strict=True)
    )
    if any(own.comma for own in layouts):
        return None if has_parted or has_points or delimiter == "," else True
    return False if has_parted or (has_points and delimiter != ";") else None
