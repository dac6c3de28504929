"""Columns that are a sum of others around the clock: when a night shift ends."""

from functools import cache
from itertools import permutations, product

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import AroundClock
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    half_step,
    tells_nearly_all,
)
from coclust_synth.tables.rules.fitting.scales import MIN_BITS, bits_of
from coclust_synth.tables.rules.fitting.told import dependants

# Of half a step, what more than doubles lose of it.
_SEEN = 1e-3
# Hours, minutes and seconds of a day, and a time of it as it is.
_PERIODS = (24.0, 1440.0, 86_400.0, 1.0)


def find_around_clock(columns, told=()):
    """The times and numbers that are a sum of others, beyond midnight in some rows.

    At most `MAX_BROKEN` of the rows differ by more than rounding. A sum that needs no
    midnight is left to `find_fits`, but for one with the time of a date. A time that no
    sum tells so may be nearly that of a date: an arrival, and when somebody was seen.
    Enough individuals are on either side of midnight.

    Returns
    -------
    list of AroundClock
        The later time is told from the earlier one and what is between them; where this
        is rounded, it is told from both.
    """
    evidence, rulers, enough = columns.evidence, columns.rulers, columns.enough
    found = {each.target: each for each in told}
    fits = []

    @cache
    def is_plain(target):
        """Whether a sum tells a column that needs no midnight: of a day and a time."""
        return any(exact_sums(target, evidence.numbers, rulers[target], {target}))

    for end, begin in _pairs(evidence, rulers, enough):
        if begin in evidence.dates and end in found:
            continue
        numbers = _past_midnight(evidence.numbers, rulers, end, begin)

        def learnt(targets, end=end, begin=begin, numbers=numbers):
            for target in targets:
                if target not in found and target not in evidence.dates:
                    if begin in evidence.dates and is_plain(target):
                        continue
                    rule = _learnt(target, end, begin, numbers, rulers, found)
                    own = evidence.numbers, rulers[target]
                    if rule is not None and tells_nearly_all(rule, *own):
                        return rule
            return None

        rule = learnt([end])
        if rule is None or _is_rounded(rule, evidence.numbers, rulers[end]):
            others = (name for name in rulers if name not in {begin, end})
            rule = learnt(others if rule is None else rule.parents) or rule
        if rule is not None:
            found[rule.target] = rule
            fits.append(rule)
    return fits + _near_dates(evidence, rulers, found, enough)


def _near_dates(evidence, rulers, found, enough):
    """The times that are nearly that of a date, of several the one that tells most."""
    near = {}
    clocks = _clocks(evidence, rulers)
    dates = [n for n in clocks if n in evidence.dates - evidence.zoned]
    times = [n for n in clocks if n not in evidence.dates and n not in found]
    for end, begin in product(times, dates):
        own = evidence.numbers[end]
        rule = AroundClock(end, (begin,), (1.0,), about=True)
        left = own - rule.nearest(own, rule.predict(evidence.numbers))
        known, has_own = ~np.isnan(left), ~np.isnan(own)
        is_known = known.sum() >= (1 - MAX_UNUSABLE) * has_own.sum()
        if not is_known or evidence.n_of(known) < enough or not _is_of_one_day(own):
            continue
        saved = bits_of(own[known], rulers[end]) - bits_of(left[known], rulers[end])
        if saved >= max(MIN_BITS, near.get(end, (0.0, None))[0]):
            near[end] = saved, rule
    return [rule for _, rule in near.values()]


def _is_rounded(rule, numbers, ruler):
    """Whether what tells a time is off in some rows: it was rounded, of two times."""
    own = numbers[rule.target]
    off = np.abs(rule.nearest(own, rule.predict(numbers)) - own)
    return np.nanmean(off > _SEEN * half_step(ruler)) > MAX_BROKEN


def _pairs(evidence, rulers, enough):
    """Two times, of which many have the first before the second, and many not.

    Of the time of a date no sum is found otherwise.
    """
    dates = evidence.dates
    for end, begin in permutations(_clocks(evidence, rulers), 2):
        if end in dates or not _is_of_one_day(evidence.numbers[end]):
            continue
        apart = evidence.numbers[end] - evidence.numbers[begin] % 1
        if np.nanmean(apart % 1) > 0.5:
            continue  # The other one is the end.
        sides = apart < 0, apart >= 0
        if begin in dates:
            yield end, begin
        elif min(map(evidence.n_of, sides)) >= enough:
            if min(side.mean() for side in sides) > MAX_BROKEN:
                yield end, begin


def _clocks(evidence, rulers):
    """Columns of times, and of dates with times."""
    return [
        name
        for name, ruler in rulers.items()
        if getattr(ruler, "unit", None) is not None
        and (name not in evidence.dates or evidence.coding.schema[name].unit != "D")
    ]


def _is_of_one_day(numbers):
    """Whether times are of a day, no lengths that go beyond one."""
    return np.nanmax(numbers) < 1


def _past_midnight(numbers, rulers, end, begin):
    """Numbers of which the end is on the next day where it is before the beginning."""
    own = {name: numbers[name] for name in rulers}
    own[begin] = own[begin] % 1
    own[end] = own[begin] + (own[end] - own[begin]) % 1
    return own


def _learnt(target, end, begin, numbers, rulers, found):
    """The exact sum that tells a column by two times, None where there is none."""
    banned = dependants(target, found)
    for fit in exact_sums(target, numbers, rulers[target], banned):
        terms = fit.terms
        if target == end:
            period = 1.0 if terms.get(begin) == 1 else None
        else:
            period = terms.get(end)
            is_between = period in _PERIODS and terms.get(begin) == -period
            period = period if is_between else None
        if period is not None:
            return AroundClock(
                target, fit.parents, fit.coefficients, fit.constant, period
            )
    return None
