"""What lengths of time tell: dates some months or days after others, and numbers that
are a product with durations.
"""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import are_values
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Age, DayOf, MonthsAfter
from coclust_synth.tables.relations.days import days_of_month, month_of
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.dated.dates import are_whole, dates_without_zone
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, exact_product
from coclust_synth.tables.rules.fitting.regressions import spread_of
from coclust_synth.tables.rules.fitting.rounding import (
    are_few,
    has_own_digits,
    misses,
    tells_nearly_all,
)
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED
from coclust_synth.tables.rules.fitting.told import dependants, in_turn

# Rows that are looked at first, of which most must agree.
_FIRST, _MOST = 200, 0.9
# The day of the month, and days after it, that are looked for, in this order.
_DAYS = (("same", 0), ("same", -1), ("first", 0), ("last", 0))
# Of the days from the first date to the last, those of few are no more.
_FEW = 0.5


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


def told_by_days(told, evidence, kept, min_individuals):
    """The same, with dates told from the days after others, not these from both dates.

    Two dates that are drawn one after the other are not as far apart as those of the
    table, where most are a day or none. The days are told where they leave more than
    half of the spread of the later date: an age in days. So they are if the rows of a
    person are in the order of it: it follows on that of the row before; if it is there
    where the days are not; if it is one of few days, which none after others need be:
    that of a mailing; and if it is so near another that is told, hours at most, that
    this tells more of it.

    Parameters
    ----------
    told : sequence of relations
        That tell dates, and parts of dates.
    evidence : Evidence
    kept : (sequence of Order, collection of str)
        Of the table; and columns that stay for a person, which are told from others
        that do only.
    min_individuals : int

    Returns
    -------
    list of relations
    """
    ages = [each for each in told if isinstance(each, Age) and each.unit == "days"]
    if not ages:
        return [*told]
    (orders, stays), ordered_by = kept, None
    if have_several(evidence, min_individuals):
        ordered_by = find_order_of_rows(evidence, orders, min_individuals)
    found = {each.target: each for each in told}
    for age in (own for own in ages if own.at != ordered_by):
        of = DayOf(age.at, age.birth, age.target)
        rest = {name: own for name, own in found.items() if own is not age}
        may_stay = of.target not in stays or {*of.parents} <= {*stays}
        is_free = dependants(of.target, rest).isdisjoint(of.parents)
        is_free &= of.target not in rest and may_stay
        others = (own.target for own in rest.values() if isinstance(own, DayOf))
        near = (_is_near(of.target, other, evidence.numbers) for other in others)
        if is_free and _says_when(of, evidence) and not any(near):
            found = rest | {of.target: of}
    return list(found.values())


def _says_when(of, evidence):
    """Whether days leave little of a date, of nearly all rows that have one."""
    numbers = evidence.numbers
    days, own = numbers[of.days], numbers[of.target]
    known = ~np.isnan(own)
    told = known & ~np.isnan(of.predict(numbers))
    if (known & ~told).sum() > MAX_BROKEN * known.sum():
        return False
    leave = spread_of(days[told]) / max(spread_of(own[told]), 1e-300)
    return leave <= MAX_LEFT and not _is_one_of_few(of.target, own[known], evidence)


def _is_near(name, other, numbers):
    """Whether a date leaves less of a moment than its day does."""
    own, apart = numbers[name], numbers[name] - numbers[other]
    both = ~np.isnan(apart)
    clock = own[both] % 1
    return both.any() and spread_of(apart[both]) < MAX_LEFT * spread_of(clock)


def _is_one_of_few(name, own, evidence):
    """Whether many hold each date, and these are on few of the days between them."""
    coding, days = evidence.coding, np.unique(np.floor(own))
    parts = coding.parts[coding.names.index(name)]
    return are_values(parts) and len(days) <= _FEW * (days[-1] - days[0])


def find_products_of_durations(columns, told=()):
    """The numbers that are a product of others with times: sleep over time in bed.

    To the last digit, in all but `MAX_BROKEN` of the rows, of all and of those that
    have not the commonest value. What is a multiple of one column is left to sums, and
    what has no time in it to `find_fits`. Of the same solved for several columns that
    which is no share comes first: a pay, not a rate. Enough individuals have not the
    commonest value.

    Returns
    -------
    list of Fit
    """
    evidence, plain = columns.evidence, columns.numbers
    times = [n for n in columns.rulers if n not in evidence.dates and n not in plain]
    numbers = plain | {name: evidence.numbers[name] for name in times}
    found, products = {each.target: each for each in told}, []
    while times:
        tried = (
            _product(target, times, numbers, columns, found)
            for target in sorted(plain.keys() - found.keys())
        )
        best = min(
            (fit for fit in tried if fit is not None),
            key=lambda fit: sum(c < 0 for c in fit.coefficients),
            default=None,
        )
        if best is None:
            break
        found[best.target] = best
        products.append(best)
    return products


def _product(target, times, numbers, columns, found):
    """The product with a time that a column is, None where it is none."""
    own, ruler = numbers[target], columns.rulers[target]
    if len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED:
        return None
    fit = exact_product(target, numbers, ruler, dependants(target, found))
    if fit is None or len(fit.parents) < 2 or set(times).isdisjoint(fit.parents):
        return None
    missed, known = misses(fit, numbers, ruler)
    has_own = ~np.isnan(own)
    rarer = has_own & is_rarer(own)
    holds = are_few(missed | ~known, has_own, rarer) and has_own_digits(
        fit, numbers, ruler
    )
    n_told = columns.evidence.n_of(rarer & known & ~missed)
    return fit if holds and n_told >= columns.enough else None
