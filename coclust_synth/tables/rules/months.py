"""Columns of dates that are some months after others."""

from itertools import permutations, product

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import MonthsAfter
from coclust_synth.tables.relations.days import month_of, months_later
from coclust_synth.tables.rules.dates import are_whole, dates_without_zone
from coclust_synth.tables.rules.fitting.rounding import tells_nearly_all
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED
from coclust_synth.tables.rules.fitting.told import evenly, in_turn

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
    by = [
        name
        for name, x in numbers.items()
        if schema[name].compared_as == "number" and are_whole(x)
    ]
    if of_lists:
        by = [name for name in by if len(np.unique(numbers[name])) <= MAX_LISTED]
    enough, ranked = max(min_individuals, MIN_ROWS), []
    for target, date in permutations(dates_without_zone(evidence), 2):
        both = ~np.isnan(numbers[target]) & ~np.isnan(numbers[date])
        if are_whole(numbers[target]) and evidence.n_of(both) >= enough:
            for found in _between(target, date, both, by, evidence):
                is_before = found.months < 0 and found.by is None
                ranked.append((is_before, found.day != "same", len(ranked), found))
    return in_turn((each for *_, each in sorted(ranked)), told)


def _between(target, date, both, whole, evidence):
    """Relations of two dates that hold; the first of each day of the month."""
    rows, ruler = evenly(np.flatnonzero(both), _FIRST), evidence.scales[target].ruler
    some = {name: evidence.numbers[name][rows] for name in (target, date, *whole)}
    own, other = (np.floor(some[name]).astype(np.int64) for name in (target, date))
    if len(np.unique(own - other)) == 1 or len(np.unique(own)) == 1:
        return
    ways = [(None, 1, np.zeros(len(rows)))]
    for by, each in product(whole, (1, 12)):
        if len(np.unique(some[by][~np.isnan(some[by])])) > 1:
            ways.append((by, each, each * some[by]))
    for day, days in _DAYS:
        apart = month_of(own - days) - month_of(other)
        if (months_later(other, apart, day) + days == own).mean() < _MOST:
            continue
        for by, each, more in ways:
            months = np.sort((apart - more)[~np.isnan(more)])
            middle = months[len(months) // 2]
            if (months == middle).mean() >= _MOST:
                found = MonthsAfter(target, date, day, int(middle), by, each, days)
                if tells_nearly_all(found, evidence.numbers, ruler):
                    yield found
                    break
