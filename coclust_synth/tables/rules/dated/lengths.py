"""What lengths of time tell: dates some days after others, and numbers that are a
product with durations.
"""

import numpy as np

from coclust_synth.tables.parts.atoms import are_values
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Age, DayOf
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, exact_product
from coclust_synth.tables.rules.fitting.regressions import spread_of
from coclust_synth.tables.rules.fitting.rounding import (
    are_few,
    has_own_digits,
    misses,
)
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED
from coclust_synth.tables.rules.fitting.told import dependants

# Of the days from the first date to the last, those of few are no more.
_FEW = 0.5


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
