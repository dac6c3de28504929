"""Columns of whole numbers that dates tell: years, months, weekdays, ages."""

import datetime
from itertools import permutations

import numpy as np

from coclust_synth.tables.relations import DATE_PARTS, Age, DatePart, completed_years
from coclust_synth.tables.rulers import SteppedRuler
from coclust_synth.tables.rules.fits import misses
from coclust_synth.tables.rules.orders import MAX_BROKEN

# Chance that numbers which have nothing to do with dates agree with them.
_MAX_CHANCE = 1e-9
# Rows of a first look, of which most must agree.
_FIRST, _MOST = 200, 0.9
_MAX_AGE = 150


def find_date_fits(evidence, min_individuals):
    """The columns that are a part of a date, or the years between two.

    Parameters
    ----------
    evidence : Evidence
    min_individuals : int
        Who have the number and the dates, at least.

    Returns
    -------
    list of DatePart and Age
        One for each column that has some.
    """
    # The parts of a date with a time zone are those of its local day; numbers are UTC.
    schema = evidence.coding.schema
    dates = [
        name
        for name in evidence.numbers
        if name in evidence.dates and "," not in (schema[name].dtype or "")
    ]
    found = []
    for target, own in evidence.numbers.items():
        if target in evidence.dates or not _is_whole(own):
            continue
        for fit in _candidates(target, own, dates, evidence.numbers):
            if _holds(fit, evidence, min_individuals):
                found.append(fit)
                break
    return found


def _is_whole(numbers):
    known = numbers[~np.isnan(numbers)]
    return len(known) > 0 and (known == np.floor(known)).all()


def _candidates(target, own, dates, numbers):
    for date in dates:
        for part in DATE_PARTS:
            yield DatePart(target, part, date)
    for birth, at in permutations(dates, 2):
        yield Age(target, birth, at)
    for birth in dates:
        on = _day_of(own, numbers[birth])
        if on is not None:
            yield Age(target, birth, on)


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
    told, of_told = np.unique(fit.predict(numbers)[known], return_counts=True)
    own, of_own = np.unique(numbers[fit.target][known], return_counts=True)
    _, i, j = np.intersect1d(told, own, return_indices=True)
    agree = of_told[i] @ of_own[j] / known.sum() ** 2
    return n * np.log(min(agree, 1.0)) <= np.log(_MAX_CHANCE)


def _day_of(ages, births):
    """The day on which everybody has their age, a round one of several; or None."""
    known = ~np.isnan(ages) & ~np.isnan(births)
    ages, births = ages[known], births[known]
    if not len(ages) or ages.min() < 0 or ages.max() > _MAX_AGE:
        return None
    born = (births // 1).astype(np.int64)
    first, last = _birthday(born, ages).max(), _birthday(born, ages + 1).min() - 1
    if first > last:
        return None
    ends = np.array([first - 1]), np.array([last + 1])
    day = SteppedRuler(1, unit="D").roundest(*ends)
    if (completed_years(born, day) != ages).any():
        return None
    return datetime.date(1970, 1, 1) + datetime.timedelta(days=int(day[0]))


def _birthday(born, ages):
    """Days since 1970-01-01 on which somebody gets to an age."""
    months = born.astype("datetime64[D]").astype("datetime64[M]")
    day = born - months.astype("datetime64[D]").astype(np.int64)
    later = months + 12 * ages.astype(np.int64)
    return later.astype("datetime64[D]").astype(np.int64) + day
