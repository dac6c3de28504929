"""Columns of dates that are some months after others."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import MonthsAfter
from coclust_synth.tables.relations.dated.days import days_of_month, month_of
from coclust_synth.tables.rules.dated.dates import are_whole, dates_without_zone
from coclust_synth.tables.rules.fitting.dependants import in_turn
from coclust_synth.tables.rules.fitting.holding import tells_nearly_all
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED

# Rows that are looked at first, of which most must agree.
_FIRST, _MOST = 200, 0.9
# The day of the month, and days after it, that are looked for, in this order.
_DAYS = (("same", 0), ("same", -1), ("first", 0), ("last", 0))


def find_months_after(evidence, told, min_individuals, of_lists=False):
    """The columns of dates that are some months after another, of nearly all rows.

    As many in all rows, or as a column of whole numbers says, of months or of years. A
    date that is as many days after another in all rows is left to `find_fits`, and one
    of a single day tells nothing.

    Parameters
    ----------
    evidence : Evidence
    told : sequence of relations
        Columns that are told from others already.
    min_individuals : int
        Who have both dates, at least; never fewer than `MIN_ROWS`.
    of_lists : bool, default=False
        Whether only numbers of up to `MAX_LISTED` values say how many months it is, as
        the term of a contract. What has more may be told from the dates itself.

    Returns
    -------
    list of MonthsAfter
        No column depends on itself through others. Later dates are told from earlier
        ones if they can be, and from the same day before the first or the last.
    """
    schema, numbers = evidence.coding.schema, evidence.numbers
    dates = dates_without_zone(evidence)
    whole = [
        name
        for name in numbers
        if schema[name].compared_as == "number" and are_whole(numbers[name])
    ]
    if of_lists:
        whole = [n for n in whole if len(np.unique(numbers[n])) <= MAX_LISTED]
    enough = max(min_individuals, MIN_ROWS)
    ranked = []
    for target in dates:
        if not are_whole(numbers[target]):
            continue
        for date in dates:
            both = ~np.isnan(numbers[target]) & ~np.isnan(numbers[date])
            if date != target and evidence.n_of(both) >= enough:
                for found in _between(target, date, both, whole, evidence):
                    is_before = found.months < 0 and found.by is None
                    ranked.append((is_before, found.day != "same", len(ranked), found))
    return in_turn((each for *_, each in sorted(ranked)), told)


def _between(target, date, both, whole, evidence):
    """Relations of two dates that hold; the first of each day of the month."""
    numbers, rows = evidence.numbers, np.flatnonzero(both)
    rows = rows[np.linspace(0, len(rows) - 1, _FIRST).astype(np.int64)]
    own, other = (
        np.floor(numbers[name][rows]).astype(np.int64) for name in (target, date)
    )
    if len(np.unique(own - other)) == 1 or len(np.unique(own)) == 1:
        return
    for day, days in _DAYS:
        apart = _months_apart(own - days, other, day)
        if apart is None:
            continue
        tried = [_that_agrees(MonthsAfter(target, date, day, days=days), apart)]
        for by in whole:
            x = numbers[by][rows]
            if len(np.unique(x[~np.isnan(x)])) > 1:
                tried += [
                    _that_agrees(
                        MonthsAfter(target, date, day, 0, by, each, days),
                        apart - each * x,
                    )
                    for each in (1, 12)
                ]
        for relation in tried:
            if relation is not None and tells_nearly_all(
                relation, evidence.numbers, evidence.scales[relation.target].ruler
            ):
                yield relation
                break


def _months_apart(own, other, day):
    """Months between dates of which most have the day of the month; None if not."""
    month, other_month = month_of(own), month_of(other)
    first, length = days_of_month(month)
    other_first, _ = days_of_month(other_month)
    place = {
        "same": np.minimum(other - other_first, length - 1),
        "first": 0,
        "last": length - 1,
    }
    if (own - first == place[day]).mean() < _MOST:
        return None
    return month - other_month


def _that_agrees(relation, months):
    """The relation, with as many months more as most of some rows have; or None."""
    months = months[~np.isnan(months)]
    if not len(months):
        return None
    middle = np.sort(months)[len(months) // 2]
    is_most = (months == middle).mean() >= _MOST
    return replace(relation, months=int(middle)) if is_most else None
