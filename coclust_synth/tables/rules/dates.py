"""What dates tell, years, months, weekdays, ages, and dates that such parts tell.

And dates that are one of a few distances from another, a check after 7, 14 or 30 days,
or as many days as a column says, or some months after it.
"""

import datetime
from itertools import permutations, product

import numpy as np

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import are_values
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import (
    COMPLETED,
    DATE_PARTS,
    DATE_UNITS,
    UNITS_BETWEEN,
    Age,
    DateOf,
    DatePart,
    DayOf,
    Fit,
    MonthsAfter,
)
from coclust_synth.tables.relations.days import days_of_month, month_of, months_later
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.compared.numbers import equal_pairs, labelled
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, bits_saved, spread_left
from coclust_synth.tables.rules.fitting.regressions import spread_of
from coclust_synth.tables.rules.fitting.rounding import misses, tells_nearly_all
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, MIN_BITS
from coclust_synth.tables.rules.fitting.told import dependants, evenly, in_turn

# The day of the month, and days after it, that are looked for, in this order.
_DAYS = (("same", 0), ("same", -1), ("first", 0), ("last", 0))
# Chance that numbers which have nothing to do with dates agree with them.
_MAX_CHANCE = 1e-9
# Rows of a first look, of which most must agree.
_FIRST, _MOST = 200, 0.9
_MAX_AGE = 150
# What hours, minutes and seconds go up to; years are between these.
_LAST_OF = {"hour": 23, "minute": 59, "second": 59}
_YEARS = 1000, 3000
# Of a date and the day that its parts say, the calendar day is the same in so many
# rows: in those where a time zone moves it, it is not.
_SAME_DAY = 0.4
# Distances of a date from what its parts say, at most: of zones, in summer and winter.
_MAX_SHIFTS = 8
# Distances of a date from another, at most.
_MAX_DISTANCES = 12
# Of the days from the first date to the last, those of few are no more.
_FEW = 0.5


def find_dates_of_parts(evidence, min_individuals):
    """The columns of dates with times whose year, month, day and hour are others.

    But for `MAX_BROKEN` of the rows a date is apart from what these say by one of a few
    distances, each of which `min_individuals` have: that of a time zone, and of its
    summer. They are at most half as many as there are hours.

    Parameters
    ----------
    evidence : Evidence
    min_individuals : int

    Returns
    -------
    list of DateOf
        About right where there are several distances.
    """
    schema, numbers = evidence.coding.schema, evidence.numbers
    whole = [
        name
        for name in numbers
        if schema[name].compared_as == "number" and are_whole(numbers[name])
    ]
    found, used = [], set()
    for target in numbers:
        if target not in evidence.dates or schema[target].unit == "D":
            continue
        for parts in _parts_of(target, [n for n in whole if n not in used], numbers):
            shifts = _shifts(DateOf(target, parts), evidence, min_individuals)
            if shifts is not None:
                several = len(shifts) > 1
                shift = 0.0 if several else float(shifts[0])
                found.append(DateOf(target, parts, shift, several))
                used |= {name for _, name in parts}
                break
    return found


def _parts_of(target, whole, numbers):
    """Columns that may be the parts of a date: fewer first, in the table's order."""
    days = np.floor(numbers[target])
    known = ~np.isnan(days)
    if not known.any():
        return
    days = days[known].astype(np.int64)
    usable = [n for n in whole if not np.isnan(numbers[n][known]).any()]

    def alike(unit):
        told = DATE_PARTS[unit](days)
        return [n for n in usable if (numbers[n][known] == told).mean() >= _SAME_DAY]

    def up_to(last):
        return [
            n
            for n in usable
            if 0 <= numbers[n].min() and last / 2 < numbers[n].max() <= last
        ]

    first = [[n for n in alike("year") if _YEARS[0] <= numbers[n].min()]]
    first += [alike("month"), alike("day")]
    later = [up_to(_LAST_OF[unit]) for unit in DATE_UNITS[3:]]
    for size in range(1, len(later) + 1):
        for names in product(*first, *later[:size]):
            if len(set(names)) == len(names):
                yield tuple(zip(DATE_UNITS, names, strict=False))


def _shifts(relation, evidence, min_individuals):
    """Days that a date is apart from its parts, if few and each of many; or None."""
    own, scale = evidence.numbers[relation.target], evidence.scales[relation.target]
    apart = np.round((own - relation.predict(evidence.numbers)) * scale.per_day)
    first = apart[:_FIRST]
    if len(np.unique(first[~np.isnan(first)])) > 2 * _MAX_SHIFTS:
        return None
    shifts, labels = labelled(apart)
    is_common = evidence.count(labels, len(shifts)) >= max(min_individuals, 1)
    n_hours = len(np.unique(evidence.numbers[dict(relation.parts)["hour"]]))
    if not 0 < is_common.sum() <= min(_MAX_SHIFTS, n_hours / 2):
        return None
    known = labels[labels >= 0]
    if is_common[known].sum() < (1 - MAX_BROKEN) * len(known):
        return None
    return shifts[is_common] / scale.per_day


def find_distances(evidence, told, min_individuals):
    """The columns of dates that are one of a few distances from another.

    But for `MAX_BROKEN` of the rows, of all that have the date, each distance is one
    that `MIN_ROWS` individuals have, and told from the other the date takes at least a
    bit a row less to tell. One distance of all rows is a sum, which `find_fits` finds.

    Parameters
    ----------
    evidence : Evidence
    told : sequence of relations
        Columns that are told from others already.
    min_individuals : int
        Who have both dates, at least.

    Returns
    -------
    list of Fit
        About right: which distance a row has is drawn. No column depends on itself
        through others. Of several for a column, fewer distances before more, and
        those from an earlier date before those from a later one.
    """
    numbers, found = evidence.numbers, {each.target for each in told}
    dates = [name for name in numbers if name in evidence.dates]
    ranked = []
    for target, of in permutations(dates, 2):
        fit = Fit(target, (of,), (1.0,), 0.0, about=True)
        distances = () if target in found else _distances(fit, evidence)
        both = ~np.isnan(numbers[target] - numbers[of])
        if len(distances) > 1 and evidence.n_of(both) >= min_individuals:
            ranked.append((len(distances), distances[0] < 0, len(ranked), fit))
    return in_turn((fit for *_, fit in sorted(ranked)), told)


def _distances(fit, evidence):
    """Those that many have of a date from another, if they are few and tell it."""
    numbers, scale = evidence.numbers, evidence.scales[fit.target]
    own = numbers[fit.target]
    apart = np.round((own - fit.predict(numbers)) * scale.per_day)
    first = apart[~np.isnan(apart)][:_FIRST]
    if len(np.unique(first)) > _MAX_DISTANCES + (1 - _MOST) * len(first):
        return ()
    distances, labels = labelled(apart)
    is_common = evidence.count(labels, len(distances)) >= MIN_ROWS
    n_rows = (~np.isnan(own)).sum()
    tells = (
        is_common.sum() <= _MAX_DISTANCES
        and n_rows - is_common[labels[labels >= 0]].sum() <= MAX_BROKEN * n_rows
        and spread_left(fit, numbers) <= MAX_LEFT
        and bits_saved(fit, numbers, scale.ruler) >= MIN_BITS
    )
    return distances[is_common] if tells else ()


def find_date_fits(evidence, min_individuals, parts=()):
    """The columns that are a part of a date, its time, or the years between two.

    Parameters
    ----------
    evidence : Evidence
    min_individuals : int
        Who have the number and the dates, at least.
    parts : collection of str
        Columns that are told already, or tell dates: none of these is told by any.

    Returns
    -------
    list of DatePart and Age
        One for each column that has some.
    """
    schema, dates = evidence.coding.schema, dates_without_zone(evidence)
    timed = [name for name in dates if schema[name].unit != "D"]
    found = []
    for target, own in evidence.numbers.items():
        kind = schema[target].compared_as
        if target in parts or not (kind == "time" or are_whole(own)):
            continue
        if kind == "number":
            tried = _candidates(target, own, dates, timed, evidence.numbers)
        else:
            told = ("date",) if kind == "datetime" else ("time", "time in minutes")
            tried = (DatePart(target, part, name) for part in told for name in timed)
        for fit in tried:
            if _holds(fit, evidence, min_individuals):
                found.append(fit)
                break
    return found


def dates_without_zone(evidence):
    """Columns of dates that have no time zone, or UTC.

    The parts of others are those of their local days; numbers are UTC.
    """
    local = evidence.dates - evidence.zoned
    return [name for name in evidence.numbers if name in local]


def are_whole(numbers):
    """Whether all numbers, of some, are whole; nan are none."""
    known = numbers[~np.isnan(numbers)]
    return len(known) > 0 and (known == np.floor(known)).all()


def _candidates(target, own, dates, timed, numbers):
    for date in dates:
        for part in DATE_PARTS:
            if part != "date":
                yield DatePart(target, part, date)
    for date in timed:
        yield DatePart(target, "hour", date)
    for unit, (birth, at) in product(UNITS_BETWEEN, permutations(dates, 2)):
        # Of two dates without times, days are a sum.
        if unit != "days" or birth in timed or at in timed:
            yield Age(target, birth, at, unit)
    for unit, birth in product(COMPLETED, dates):
        on = _day_of(own, numbers[birth], unit)
        if on is not None:
            yield Age(target, birth, on, unit)


def _holds(fit, evidence, min_individuals):
    numbers, ruler = evidence.numbers, evidence.scales[fit.target].ruler
    first = {name: numbers[name][:_FIRST] for name in fit.columns}
    missed, known = misses(fit, first, ruler)
    if missed.sum() > (1 - _MOST) * max(known.sum(), 1):
        return False
    missed, known = misses(fit, numbers, ruler)
    n = evidence.n_of(known)
    if n < max(min_individuals, 1) or missed.sum() > MAX_BROKEN * known.sum():
        return False
    told = evidence.scales[fit.target].nearest(fit.predict(numbers)[known])
    agree = equal_pairs(told, evidence.values[fit.target][known]) / known.sum() ** 2
    return n * np.log(min(agree, 1.0)) <= np.log(_MAX_CHANCE)


def _day_of(ages, births, unit):
    """The day on which everybody has their age, a round one of several; or None."""
    months = 1 if unit == "months" else 12
    known = ~np.isnan(ages) & ~np.isnan(births)
    ages, births = ages[known], births[known]
    if not len(ages) or ages.min() < 0 or ages.max() * months > 12 * _MAX_AGE:
        return None
    born = (births // 1).astype(np.int64)
    first = _birthday(born, ages * months).max()
    last = _birthday(born, (ages + 1) * months).min() - 1
    if first > last:
        return None
    ends = np.array([first - 1]), np.array([last + 1])
    day = SteppedRuler(1, unit="D").roundest(*ends)
    if (COMPLETED[unit](born, day) != ages).any():
        return None
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=int(day[0]))


def _birthday(born, ages):
    """Days since 1970-01-01 on which somebody gets to an age in months."""
    months = month_of(born)
    first, _ = days_of_month(months)
    later, length = days_of_month(months + ages.astype(np.int64))
    return later + np.minimum(born - first, length)


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
