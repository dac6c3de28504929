"""Numbers and dates that few hold, far from all others: an age of 1,000 years.

A column ends where its others do, see `are_far`. Beside these a law of its ends, which
describes 20 individuals, would say of all 20 that they are anywhere between the others
and a value that is one person's, and mostly a slip. Such values are released as the end
of the others, see `released_ends`. Not as the nearest of these: with nineteen slips it
would be a value that 20 hold, and was one person's extreme.
"""

from collections.abc import Iterable

import numpy as np

from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.draws.rulers import make_ruler
from coclust_synth.tables.parts.rare.pools import Pooled
from coclust_synth.tables.parts.rare.rare_numbers import extremes, released_ends
from coclust_synth.tables.people.people import Persons, count_holders
from coclust_synth.tables.reading.texts.codes import MAX_CODES, are_far
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import canonical_bounds
from coclust_synth.tables.values.series import from_values


def without_far_numbers(
    table: TableValues,
    columns: Iterable[Column],
    *,
    persons: Persons | None = None,
    rows: np.ndarray | None = None,
) -> tuple[TableValues, dict[str, Pooled]]:
    """The same table, with the end of the others for each value that is far from all.

    Parameters
    ----------
    table : TableValues of n rows
    columns : iterable of Column
        Complete. Categories are left as they are, and what is public or has bounds.
    persons, rows
        As of `release_values`.

    Returns
    -------
    table : TableValues of n rows
    moved : dict of str to Pooled
        How much that is, by column; of those with such values.
    """
    moved, series = {}, {}
    for column in columns:
        if column.kind in LISTED_KINDS or column.public:
            continue
        values, missing = table.read(column)
        if missing.all():
            continue
        of_present = None if rows is None else rows[~missing]
        whose = persons and Persons(persons.column, persons.codes[~missing])
        distinct, position = np.unique(values[~missing], return_inverse=True)
        holders = count_holders(position, len(distinct), whose, of_present)
        far = are_far(distinct, _once(holders, position, whose))
        if not far.any() or _has_bounds_by_hand(column, distinct):
            continue
        name, is_moved = column.name, np.zeros(len(values), dtype=bool)
        is_moved[~missing] = far[position]
        lowest = highest = ColumnCounts(distinct[~far], holders[~far])
        if persons is not None:
            kept = ~missing & ~is_moved
            whose = Persons(persons.column, persons.codes[kept])
            lowest, highest = extremes(values[kept], whose)
        ends = released_ends(lowest, highest, _ruler(column, distinct[~far]))
        moved_to = np.where(is_moved, np.clip(values, *ends), values)
        own = from_values(moved_to, missing, column)
        series[name] = table.frame[name].reset_index(drop=True).where(~is_moved, own)
        n_rows = is_moved.sum() if rows is None else rows[is_moved].sum()
        moved[name] = Pooled(name, int(far.sum()), int(n_rows))
    if not moved:
        return table, moved
    frame = table.frame.reset_index(drop=True).assign(**series)
    return TableValues(frame, (table, {*frame.columns} - moved.keys())), moved


def _once(holders, position, persons):
    """The same, with no person twice among the lowest values, or the highest ones."""
    if persons is None or len(holders) <= 2 * MAX_CODES:
        return holders
    once = holders.copy()
    lowest, highest = extremes(position, persons)
    is_low = lowest.values < MAX_CODES
    is_high = highest.values >= len(holders) - MAX_CODES
    once[:MAX_CODES] = once[-MAX_CODES:] = 0
    once[lowest.values[is_low]] = lowest.counts[is_low]
    once[highest.values[is_high]] = highest.counts[is_high]
    return once


def _ruler(column, others):
    """Of the numbers that a column can take, but for those far from all others."""
    largest = max(abs(others[0].item()), abs(others[-1].item()))
    return make_ruler(column.kind, column.step, largest, column.unit)


def _has_bounds_by_hand(column, distinct):
    """Whether somebody declared its ends; a schema of the table has those of it."""
    declared = canonical_bounds(column)
    return declared is not None and declared != (distinct[0], distinct[-1])
