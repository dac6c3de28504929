"""Columns of dates that are some months after others."""

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare import MAX_BROKEN
from coclust_synth.tables.relations import MonthsAfter
from coclust_synth.tables.relations.days import month_of
from coclust_synth.tables.rules.dates import are_whole, dates_without_zone
from coclust_synth.tables.rules.sums.dependants import dependants
from coclust_synth.tables.rules.sums.rounding import misses

# Rows of a first look, of which most must agree.
_FIRST, _MOST = 200, 0.9
# The day of the month, and days after it, that are looked for, in this order.
_DAYS = (("same", 0), ("same", -1), ("first", 0), ("last", 0))


def find_months_after(evidence, told, min_individuals):
    """The columns of dates that are some months after another, of nearly all rows.

    As many in all rows, or as a column of whole numbers says, of months or of years. A
    date that is as many days after another in all rows is left to `find_fits`.

    Parameters
    ----------
    evidence : Evidence
    told : sequence of relations
        Columns that are told from others already.
    min_individuals : int
        Who have both dates, at least; never fewer than `MIN_ROWS`.

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
    enough = max(min_individuals, MIN_ROWS)
    ranked = []
    for target in dates:
        if not are_whole(numbers[target]):
            continue
        for date in dates:
            if date != target and _are_many(evidence, target, date, enough):
                for found in _between(target, date, whole, evidence):
                    is_before = found.months < 0 and found.by is None
                    ranked.append((is_before, found.day != "same", len(ranked), found))
    found = {each.target: each for each in told}
    n_told = len(found)
    for *_, each in sorted(ranked):
        if each.target not in found:
            if not dependants(each.target, found) & set(each.parents):
                found[each.target] = each
    return [*found.values()][n_told:]


def _are_many(evidence, target, date, enough):
    """Whether enough have both dates, apart by more than one distance."""
    apart = evidence.numbers[target] - np.floor(evidence.numbers[date])
    known = ~np.isnan(apart)
    return evidence.n_of(known) >= enough and len(np.unique(apart[known][:_FIRST])) > 1


def _between(target, date, whole, evidence):
    """Relations of two dates that hold; the first of each way to say it."""
    first = {name: x[:_FIRST] for name, x in evidence.numbers.items()}
    for day, days in _DAYS:
        months = _months_apart(first[target] - days, first[date])
        known = ~np.isnan(months)
        if not known.any():
            continue
        told = [MonthsAfter(target, date, day, _middle(months[known]), days=days)]
        for by in whole:
            for each in (1, 12):
                left = (months - each * first[by])[known & ~np.isnan(first[by])]
                if len(left) and np.ptp(first[by][~np.isnan(first[by])]) > 0:
                    more = _middle(left)
                    told.append(MonthsAfter(target, date, day, more, by, each, days))
        for relation in told:
            if _holds(relation, first, evidence, 1 - _MOST):
                if _holds(relation, evidence.numbers, evidence, MAX_BROKEN):
                    yield relation
                    break


def _months_apart(own, other):
    """Months from the month of a date to that of another; nan where one is missing."""
    known = ~np.isnan(own) & ~np.isnan(other)
    days = (np.where(known, np.floor(x), 0).astype(np.int64) for x in (own, other))
    one, two = (month_of(x)[0] for x in days)
    return np.where(known, one - two, np.nan)


def _middle(months):
    return int(np.sort(months)[len(months) // 2])


def _holds(relation, numbers, evidence, share):
    """Whether it says all but a share of the dates, of those that there are."""
    ruler = evidence.scales[relation.target].ruler
    missed, known = misses(relation, numbers, ruler)
    n = np.count_nonzero(~np.isnan(numbers[relation.target]))
    return n - np.count_nonzero(known & ~missed) <= share * n
