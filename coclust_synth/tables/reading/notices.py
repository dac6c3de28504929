"""Warnings of columns that a table may have by mistake, to whoever has it read."""

from __future__ import annotations

import warnings
from collections.abc import Collection

import pandas as pd

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.clock import MANY_DATES
from coclust_synth.tables.column import Column
from coclust_synth.tables.date_texts.two_countries import layouts_in
from coclust_synth.tables.reading.texts.mixed_dates import date_layouts
from coclust_synth.tables.reading.texts.odd_cells import texts_of
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.dtypes import ambiguous_layouts, is_text_dtype

# Columns of one value, or with blanks, that are named; more are only counted.
_NAMED = 12
# What is said of dates, each with columns and their layouts.
_PARTED = (
    "Expected dates in one layout a column. Received days to the 12th in another "
    "layout than later ones, as a spreadsheet of another country leaves them, in {}. "
    "Day and month are read in the same order in both. If that is wrong, write all "
    "dates in one layout."
)
_SEVERAL = (
    "Expected dates in one layout a column. Received several, with 9 for each digit "
    "and A for each word, in {}. They are taken for categories. If they are to be "
    "dates, write them in one layout."
)
_EITHER = (
    "Expected dates whose day and month can be told apart. Received no day after the "
    "12th in {}. They are taken for categories. If they are to be dates, give their "
    "`format` in a schema."
)
_OF_DATES = _PARTED, _SEVERAL, _EITHER


def warn_of_flat(names: list[str], *, stacklevel: int) -> None:
    """Warn of columns that hold one value in all rows, or none."""
    if names:
        warnings.warn(
            "Expected columns of at least two values. Received one value, or none, in "
            f"{_listed(names)}. Leave them out (--drop) if they are of no use.",
            DataWarning,
            stacklevel=stacklevel,
        )


def warn_of_mixed_dates(
    schema: Schema, hints: list[Column], left_out: Collection[str] = ()
) -> None:
    """Warn of dates in several layouts, or in doubt, where no schema says which."""
    found: dict[str, list[str]] = {message: [] for message in _OF_DATES}
    for column, hint in zip(schema.columns, hints, strict=True):
        is_said = hint.kind is not None or hint.categories is not None
        if is_said or column.treatment == "drop" or column.name in left_out:
            continue
        texts, layout = texts_of(column), column.format or ""
        is_parted = column.kind == "datetime" and len(layouts_in(layout)) > 1
        either = ambiguous_layouts(texts) if len(texts) >= MANY_DATES else []
        for message, shown in (
            (_PARTED, layout if is_parted else ""),
            (_SEVERAL, ", ".join(date_layouts(texts))),
            (_EITHER, " or ".join(either)),
        ):
            found[message] += [f"{column.name!r} ({shown})"] if shown else []
    for message, told in found.items():
        if told:
            warnings.warn(message.format("; ".join(told)), DataWarning, stacklevel=3)


def warn_of_blanks(
    frame: pd.DataFrame, columns: list[Column], left_out: Collection[str]
) -> None:
    """Warn of numbers and dates with blanks around them, as they stand in a file."""
    names = [
        column.name
        for column in columns
        if column.treatment != "drop"
        and column.name not in left_out
        and not is_text_dtype(column.dtype)
        and _has_blanks(frame[column.name], column.missing)
    ]
    if names:
        warnings.warn(
            "Expected numbers, dates and yes or no without blanks around them. "
            f"Received some with blanks in {_listed(names)}. They are read, and "
            "written without the blanks.",
            DataWarning,
            stacklevel=3,
        )


def _listed(names: list[str]) -> str:
    """The first names of columns, and how many more there are."""
    more = [f"and {len(names) - _NAMED} more"] if len(names) > _NAMED else []
    return ", ".join([*map(repr, names[:_NAMED]), *more])


def _has_blanks(texts: pd.Series, missing: tuple[str, ...]) -> bool:
    """Whether some that are not missing have blanks around them."""
    around = texts[texts.str.strip() != texts]
    return not around.isin(missing).all()
