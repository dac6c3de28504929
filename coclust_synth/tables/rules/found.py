"""The rules of a table: found in it, or those stated."""

from dataclasses import replace

import numpy as np
from threadpoolctl import threadpool_limits

from coclust_synth.tables.parts.atoms import are_values
from coclust_synth.tables.relations import Cases, Fit, Function, Order
from coclust_synth.tables.rules.between_rows.lags import carrying
from coclust_synth.tables.rules.between_rows.order import find_lasting
from coclust_synth.tables.rules.between_rows.steps import not_in_circles
from coclust_synth.tables.rules.compared.orders import MAX_ABOVE, find_orders
from coclust_synth.tables.rules.dates import (
    find_date_fits,
    find_dates_of_parts,
    find_distances,
    find_months_after,
    told_by_days,
)
from coclust_synth.tables.rules.few_amounts import FewAmounts
from coclust_synth.tables.rules.fitting.rounding import are_few
from coclust_synth.tables.rules.fitting.told import in_turn
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.measured import (
    measured_lookup,
    measured_numbers,
    measured_values,
)
from coclust_synth.tables.rules.near_dates import find_near_dates
from coclust_synth.tables.rules.slipping_sums import find_slipping_sums
from coclust_synth.tables.rules.stated import stated_rules
from coclust_synth.tables.rules.sums.bills import Bills
from coclust_synth.tables.rules.sums.cases import find_cases
from coclust_synth.tables.rules.sums.fits import find_fits
from coclust_synth.tables.rules.sums.functions import find_functions
from coclust_synth.tables.rules.sums.known import SumsOfKnown
from coclust_synth.tables.rules.sums.means import Means
from coclust_synth.tables.rules.sums.mostly_zero import find_sums_of_few
from coclust_synth.tables.rules.sums.ratios import find_told_by_ratios
from coclust_synth.tables.rules.sums.search import Columns, instead_of
from coclust_synth.tables.rules.sums.shares import SumsOfTold, find_shares
from coclust_synth.tables.rules.sums.slips import Slips, holds_but_for_slips
from coclust_synth.tables.rules.values.classes_beside import find_classes_beside
from coclust_synth.tables.rules.values.classes_of_numbers import find_classes
from coclust_synth.tables.rules.values.combinations import find_combinations
from coclust_synth.tables.rules.values.counts import find_counts
from coclust_synth.tables.rules.values.dependences import find_dependences, learn_lookup
from coclust_synth.tables.rules.values.one_of_several import (
    find_one_of_several,
    last_of_several,
    never_both,
)


@threadpool_limits.wrap(limits=1, user_api="blas")
def rules_of(evidence, stated, min_individuals):
    """The rules of a table: found, or those that are stated.

    Least squares of some dozen columns take one thread: several wait for each other for
    longer than they compute, and the last digits would be of their number.

    Parameters
    ----------
    evidence : Evidence
    stated : sequence of Relation, or None
        None: they are found.
    min_individuals : int
        Individuals that a rule describes, at least.

    Returns
    -------
    Rules

    Raises
    ------
    SchemaError
        If too many rows break a stated rule.

    Warns
    -----
    DataWarning
        If fewer individuals say something about a stated rule, which is left out.
    """
    if stated is not None:
        return stated_rules(evidence, stated, min_individuals)
    k = min_individuals
    rulers = {
        name: scale.ruler
        for name, scale in evidence.scales.items()
        if evidence.n_of(~np.isnan(evidence.numbers[name])) >= k
    }
    orders, stays = find_orders(evidence, k), find_lasting(evidence, k)
    told = _of_dates(evidence, k, (orders, stays))
    columns = Columns(evidence, rulers, k)
    told += _of_some_kind(columns, told, stays)
    fits = _sums_and_products(columns, told, (orders, stays), k)
    fits += Slips(columns, stays).all([*told, *fits])
    told, fits = _with_cases(columns, told, fits, stays, k)
    fits = _with_amounts(columns, told, fits, stays)
    kept = orders, stays
    fits += find_slipping_sums(evidence, rulers, [*told, *fits], kept, k)
    fits += find_near_dates(evidence, [*told, *fits], kept, k)
    counts = find_counts(evidence, [*told, *fits], k)
    counted = {each.target for each in counts}
    told, fits = ([r for r in of if r.target not in counted] for of in (told, fits))
    fits += counts
    dependences = _by_value(evidence, [*told, *fits], k)
    alone = [each for each in told if isinstance(each, Function)]
    lines = [fit for fit in fits if _is_line(fit)]
    orders = _not_said_twice(orders, lines, evidence.numbers)
    orders += _of_columns_not_told(orders, [*told, *fits, *dependences], evidence, k)
    combinations = [
        each
        for each in find_combinations(evidence, k)
        if not _told_alone(each, evidence, [*alone, *dependences])
        and not (each.fixes and _told_alone(each, evidence, lines))
    ]
    several = find_one_of_several(evidence, combinations, k)
    combinations += never_both(evidence, several, combinations)
    dependences += last_of_several(evidence, several, [*told, *fits, *dependences])
    # What is told exactly is not told nearly.
    exactly = {each.target for each in dependences}
    pairs = codes_of_values(combinations, evidence.coding)
    fits = [
        fit
        for fit in fits
        if fit.target not in exactly and not (fit.about and _has_code(fit, pairs))
    ]
    lookups = [learn_lookup(evidence, each) for each in dependences]
    rules = [measured_numbers(each, evidence) for each in (*told, *fits, *orders)]
    rules += [measured_lookup(own, evidence) for own in lookups]
    rules += [measured_values(each, evidence) for each in combinations]
    return Rules(tuple(rules), tuple(combinations), tuple(lookups))


def with_combinations_of(names, rules, evidence, min_individuals):
    """Rules, with what never occurs in the place of all rules about some columns.

    Parameters
    ----------
    names : collection of str
    rules : Rules
    evidence : Evidence
    min_individuals : int

    Returns
    -------
    Rules
        Those of these columns are the last.
    """
    rules = rules.but_of(names)
    positions = {*map(evidence.coding.names.index, names)}
    found = find_combinations(evidence, min_individuals, positions)
    more = (measured_values(each, evidence) for each in found)
    return replace(
        rules, all=(*rules.all, *more), combinations=(*rules.combinations, *found)
    )


def _of_dates(evidence, k, kept):
    """What tells dates and parts of dates, ages among them.

    kept : orders, and columns that stay for a person.
    """
    told = find_dates_of_parts(evidence, k)
    told += find_months_after(evidence, told, k, of_lists=True)
    parts = {name for date in told for name in date.parents} - {*evidence.dates}
    told += find_date_fits(evidence, k, parts | {date.target for date in told})
    told = told_by_days(told, evidence, kept, k)
    return told + find_months_after(evidence, told, k)


def _of_some_kind(columns, told, stays):
    """What is neither a sum nor a product of others, or is so with a gap."""
    found = find_functions(columns, told)
    found += find_sums_of_few(columns, [*told, *found])
    found += Means(columns, stays).all([*told, *found])
    found += SumsOfKnown(columns, stays).all([*told, *found])
    shares = find_shares(columns, [*told, *found])
    for search in (SumsOfTold(columns), Bills(columns)):
        shares = instead_of(shares, [*told, *found], search.better)
    return found + shares


def _sums_and_products(columns, told, kept, k):
    """Sums, products and bills, and what is told nearly.

    kept : orders, and columns that stay for a person.
    """
    evidence, (orders, stays) = columns.evidence, kept
    fits = find_fits(
        evidence.numbers,
        columns.rulers,
        told,
        orders,
        Bills(columns).best,
        stays,
        carrying(evidence, orders, k),
        evidence.zoned,
    )
    return fits + find_told_by_ratios(columns, [*told, *fits], stays)


def _with_cases(columns, told, fits, stays, k):
    """The same, with what is told by cases or is one of a few distances away.

    These take the place of what would be told in circles, and of sums that nearly hold,
    but not where all cases are such a sum: it tells the rows of other values, too.
    """
    exact = [each for each in (*told, *fits) if not each.is_loose]
    cases = find_cases(columns, exact, stays)
    cases = [each for each in cases if not _is_of_all(each, fits, columns)]
    kept = not_in_circles([*told, *fits], cases)
    told, fits = ([each for each in of if each in kept] for of in (told, fits))
    fits += cases
    exactly = [fit for fit in fits if not fit.about]
    distances = find_distances(columns.evidence, [*told, *exactly], k)
    return told, not_in_circles(fits, distances) + distances


def _with_amounts(columns, told, fits, stays):
    """The same, with sums and one of a few amounts in the place of what is nearly so.

    And of cases that tell some of the rows only: a fee that one state alone has.
    """
    exact = [each for each in (*told, *fits) if not each.is_loose]
    partly = [each for each in fits if _tells_some(each, columns.evidence)]
    whole = [each for each in exact if each not in partly]
    nearly = [fit for fit in fits if fit.is_loose]
    found = FewAmounts(columns, stays).all(whole, nearly)
    if not found:
        return fits
    targets = {fit.target for fit in found}
    partly = [
        each
        for each in partly
        if each.target in targets or _is_of_all(each, found, columns)
    ]
    fits = [each for each in fits if each not in partly]
    exact = [each for each in (*told, *fits) if not each.is_loose]
    found = in_turn(found, exact)
    return not_in_circles(fits, found) + found


def _tells_some(relation, evidence):
    """Whether cases tell a column in some of the rows that have it only."""
    if not isinstance(relation, Cases):
        return False
    has_own = ~np.isnan(evidence.numbers[relation.target])
    told = relation.predict(evidence.numbers_of(relation))
    return not are_few(has_own & np.isnan(told), has_own)


def _is_of_all(cases, fits, columns):
    """Whether all cases of a column are one of some sums, of whatever column told.

    One that is right but for slips has to be so in the rows of no case, too.
    """
    evidence, ruler = columns.evidence, columns.rulers[cases.target]
    rest = np.isnan(cases.predict(evidence.numbers_of(cases)))
    numbers = {name: x[rest] for name, x in columns.numbers.items()}
    return any(
        all(isinstance(own, Fit) and own.says_as(fit) for _, own in cases.cases)
        and (not fit.slips or holds_but_for_slips(fit, numbers, ruler))
        for fit in fits
        if isinstance(fit, Fit)
    )


def _by_value(evidence, fits, k):
    """Dependences: classes of numbers first, with limits or beside other values."""
    told = {fit.target: fit for fit in fits}
    found = []
    for find in (find_classes, find_classes_beside, find_dependences):
        more = find(evidence, told, k)
        told |= {each.target: each for each in more}
        found += more
    return found


def _told_alone(combinations, evidence, told):
    """Whether one of two columns is told by the other, by a function or by value."""
    names = evidence.coding.names
    pair = {names[combinations.first], names[combinations.second]}
    return any(set(each.columns) == pair for each in told)


def _is_line(fit):
    """Whether a column is a multiple of another one, and so much more or less."""
    is_sum = isinstance(fit, Fit) and not (fit.about or fit.logarithms)
    return is_sum and len(fit.parents) == 1


def _not_said_twice(orders, lines, numbers):
    """The orders that say more than the others and than what columns are."""
    same = {
        line.target: line.parents[0]
        for line in lines
        if (line.coefficients, line.constant) == ((1,), 0)
    }
    of_others = [
        {
            Order(same[order.low], order.high) if order.low in same else order,
            Order(order.low, same[order.high]) if order.high in same else order,
        }
        - {order}
        for order in orders
    ]
    return [
        order
        for order, others in zip(orders, of_others, strict=True)
        if others.isdisjoint(orders) and not _follows(order, lines, numbers)
    ]


def _of_columns_not_told(orders, told, evidence, k):
    """Further orders, that more rows break, of columns that nothing tells.

    A column that others tell is drawn as these are, and so breaks them as often.
    """
    targets = {each.target for each in told}
    return [
        order
        for order in find_orders(evidence, k, MAX_ABOVE)
        if order not in orders and targets.isdisjoint(order.columns)
    ]


def _follows(order, lines, numbers):
    """Whether an order says less than that one of its columns is a line of the other.

    What holds at both ends of the other holds between them.
    """
    for line in lines:
        (of,) = line.parents
        if {*line.columns} == {*order.columns}:
            ends = {of: np.array([np.nanmin(numbers[of]), np.nanmax(numbers[of])])}
            ends[line.target] = line.predict(ends)
            if (ends[order.low] <= ends[order.high]).all():
                return True
    return False


def _has_code(fit, pairs):
    """Whether one of the columns of a fit is a code of its target, or the other way."""
    return any(fit.target in pair and {*pair} <= {*fit.columns} for pair in pairs)


def codes_of_values(combinations, coding):
    """Columns of which one is a code of the other, where many hold each value of both.

    Parameters
    ----------
    combinations : sequence of Combinations
    coding : TableCoding

    Returns
    -------
    list of (str, str)
        The code, and the label that it tells.
    """
    return [
        (coding.names[each.first], coding.names[each.second])
        for each in combinations
        if each.fixes
        and are_values(coding.parts[each.first], coding.parts[each.second])
    ]
