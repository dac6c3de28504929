"""Dates that stand for none: 9999-12-31 of what has not ended.

Taken for a date, it is after all others, is the end before which the next row of a
person never begins, and makes lengths of thousands of years. Taken for a missing value,
none of this is said of it, and it comes back as itself.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coclust_synth.tables.column import Column
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import as_dates, bounds_of


def with_no_dates(
    values: TableValues, schema: Schema, persons: Persons | None = None
) -> Schema:
    """A schema that says which dates stand for none.

    Such is the first or last date of a column if it is farther from all others than
    these are from each other, and `MIN_ROWS` individuals have it, and others. Those are
    as many different ones at least: the last of a few waves of a survey is a date.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete. What it says itself stays.
    persons : Persons, optional
        Of the rows; by default each row is an individual.

    Returns
    -------
    Schema
    """
    columns = tuple(
        _with_no_date(values, column, persons)
        if (column.kind, column.treatment) == ("datetime", "keep")
        else column
        for column in schema.columns
    )
    return replace(schema, columns=columns)


def beside_missing_as_dates(schema: Schema, lacks: Callable[[Column], bool]) -> Schema:
    """A schema in which a date stands for none only where no other cell is missing.

    Of the others, what is learnt would not know which of the two a cell is.

    Parameters
    ----------
    schema : Schema
    lacks : callable
        Whether cells of a column are missing.
    """
    columns = tuple(
        as_dates(own) if own.no_date is not None and lacks(as_dates(own)) else own
        for own in schema.columns
    )
    return replace(schema, columns=columns)


def _with_no_date(values, column: Column, persons) -> Column:
    """A column of dates, with the one that stands for none."""
    if column.is_time or column.no_date is not None:
        return column
    own, missing = values.read(column)
    dates = np.unique(own[~missing])
    far = _far_end(dates)
    if far is None:
        return column
    which = np.where(missing, 2, own == dates[far]).astype(np.int64)
    if count_holders(which, 3, persons)[:2].min() < MIN_ROWS:
        return column
    others = np.delete(dates, far)
    return replace(
        column,
        no_date=bounds_of(dates[[far]], column)[0],
        bounds=bounds_of(others, column),
        step=int(np.gcd.reduce(others)) or 1,
    )


def _far_end(dates):
    """Position of a date that is farther from all others than these are, or None."""
    if len(dates) <= MIN_ROWS:
        return None
    for far, nearest, last in ((len(dates) - 1, -2, 0), (0, 1, -1)):
        others = abs(int(dates[nearest]) - int(dates[last]))
        if abs(int(dates[far]) - int(dates[nearest])) > others:
            return far
    return None
