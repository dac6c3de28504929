"""Which of its columns a sum or product is solved for, so that drawn rows keep it."""

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Bill, Fit
from coclust_synth.tables.rules.fitting.digits import (
    FACTOR_DIGITS,
    settle,
    sums_with_own_digits,
    with_own_digits,
)
from coclust_synth.tables.rules.fitting.exact import bits_saved, spread_left
from coclust_synth.tables.rules.fitting.regressions import DIGITS, MAX_SPREAD
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    half_step,
    has_own_digits,
    is_anywhere,
    is_off_grid,
    misses,
)
from coclust_synth.tables.rules.fitting.scales import MIN_TOLD, bits_of
from coclust_synth.tables.rules.fitting.told import dependants

# A sum is told for another of its columns that it saves as many bits of, but for these.
_AS_MANY_BITS = 0.5
# Share of the rows in which columns that are mostly equal are.
_MOSTLY = 0.5
# Rounding of one column is seen in another if so many times as many rows would differ.
_SEEN = 10


def best_side(saved, fit, sample, rulers, targets, found, orders, is_carried):
    """The same sum, solved for the column that it saves most bits of.

    Where a - b + c is told from the others, so are a, b and c. Whole days between two
    moments say of the later one all but its hour, and the moments, drawn each on its
    own, next to nothing of the days. What is weighed, beside these bits:

    - A date to which another one of the sum is carried on is told from that one.
    - An exact sum is told for a column that has values where the others have them: an
      error is known of some rows only, and tells what came of no others. Nor for one
      of larger steps, if it can be told for another: whole fives are no difference of
      a price and a sum that are drawn apart. Nor for one that would lose digits, as an
      amount told from what it was rounded to, in rows that lack no column of it.
    - Where another column mostly equals one of the sum, that saves its bits too, unless
      the sum tells either, or what tells them; so do steps from one date of the sum
      to the other one, see `_bits_of_steps`.
    - Of columns with about as many bits it is one that has several values where the
      sum is nearly right only; of these the one with the fewest orders beside the sum,
      which leaves no room for them: that a debt and what is net are no more than a
      total another sum says.

    Parameters
    ----------
    saved : float
        Bits a row that it saves as it is.
    fit : Fit
    sample : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    rulers : mapping of str to Ruler
    targets : set of str
        Columns that it may be told for.
    found : mapping of str to relation
        What is told already.
    orders : sequence of Order
    is_carried : callable
        See `find_fits`.

    Returns
    -------
    Fit
        As it is where it is no plain sum or difference.
    """
    if not _is_signed(fit):
        return fit
    sides = [(saved, fit)]
    is_exact = not settle(fit, sample, rulers[fit.target]).about
    is_coarse = is_exact and is_off_grid(fit, sample, rulers)
    least_told = MIN_TOLD if is_coarse else 1 - MAX_UNUSABLE
    for p in fit.parents:
        solved = fit.solved_for(p)
        if p not in targets or set(solved.parents) & dependants(p, found):
            continue
        own = sample[p][~np.isnan(sample[p])]
        left = sample[p] - solved.predict(sample)
        left = left[~np.isnan(left)]
        if is_exact and len(left) < least_told * len(own):
            continue
        sides.append((bits_of(own, rulers[p]) - bits_of(left, rulers[p]), solved))
    if is_exact:
        fine = [side for side in sides if not is_off_grid(side[1], sample, rulers)]
        sides = fine or sides
        told = _that_have_all(fit, sample)
        own = [s for s in sides if has_own_digits(s[1], told, rulers[s[1].target])]
        sides = own or sides
    for _, solved in sides:
        if any(is_carried(solved.target, name) for name in solved.parents):
            return solved
    beside = [order.columns for order in orders_beside(orders, fit)]
    ties = _bits_of_ties(fit, beside, sample, rulers)
    of_steps = _bits_of_steps(fit, beside, sample, rulers) if is_exact else 0.0

    def with_ties(bits, solved):
        told = dependants(solved.target, found)
        if not getattr(rulers[solved.target], "unit", None):
            bits += of_steps
        return bits + sum(own for pair, own in ties.items() if told.isdisjoint(pair))

    sides = [(with_ties(*side), side[1]) for side in sides]
    most = max(bits for bits, _ in sides)
    near = [side for side in sides if side[0] >= most - _AS_MANY_BITS]
    if fit.constant and any(solved == fit for _, solved in near):
        return fit  # Which may round to it exactly, and others not.

    def rank(side):
        bits, solved = side
        n_beside = sum(solved.target in columns for columns in beside)
        is_off = not is_exact and _is_off_at_one(solved, sample, rulers)
        return is_off, n_beside, -bits

    return min(near, key=rank)[1]


def told_to_its_digits(fit, sample, rulers, targets, found):
    """The same exact fit, for a column that it tells to its digits, if there is one.

    An hourly wage is a monthly one over the hours, rounded. The monthly one is the
    product of both but for what the rounding left, times the hours. Where rounding the
    one would not be seen in the other, as in round numbers, either may be told.

    Parameters
    ----------
    fit, sample, rulers, targets, found
        See `best_side`.

    Returns
    -------
    Fit
    """
    ruler = rulers[fit.target]
    settled = settle(fit, sample, ruler)
    told = _that_have_all(fit, sample)
    if _is_signed(fit) or settled.about or has_own_digits(settled, told, ruler):
        return fit
    for solved in _to_their_digits(settled, sample, rulers, targets, found):
        name = solved.target
        left = sample[name] - _said(solved, sample)
        if _is_seen(solved, fit.target, sample, rulers) or is_anywhere(
            left, rulers[name]
        ):
            return solved
    return fit


def of_most_different(fit, sample, rulers, targets, found):
    """The same exact product, for the column whose numbers repeat least, if it can be.

    A loan of .8 of a price is found in many rows, whose prices and loans are any: told
    from these, drawn one after the other, next to none would be .8 of it.

    Parameters
    ----------
    fit, sample, rulers, targets, found
        See `best_side`.

    Returns
    -------
    Fit
    """
    settled = settle(fit, sample, rulers[fit.target])
    if not fit.logarithms or settled.about:
        return fit

    def bits(side):
        own = sample[side.target]
        return bits_of(np.log(own[own > 0]), ContinuousRuler())

    others = _to_their_digits(settled, sample, rulers, targets, found)
    return max([fit, *others], key=bits)


def bill_of_most_different(bill, sample, rulers, targets, found):
    """A bill of one product alone, for the column whose numbers repeat least.

    Of a list of values no product is sought but as a bill. A discount of one of twelve
    amounts is a price times a share, of which there are more: drawn first, next to none
    would be such that the discount is one of these amounts.

    Parameters
    ----------
    bill : Bill
    sample, rulers, targets, found
        See `best_side`.

    Returns
    -------
    Bill or Fit
    """
    product = Bill(bill.target, bill.products[:1], bill.factors[:1])
    if bill != product:
        return bill
    fit = Fit(bill.target, bill.products[0], (1.0, 1.0), bill.factors[0], True)
    told = of_most_different(fit, sample, rulers, targets, found)
    return bill if told is fit else told


def orders_beside(orders, *exact):
    """Orders but those of two columns of a sum, which says how far these are apart.

    Parameters
    ----------
    orders : sequence of Order
    *exact : relation

    Returns
    -------
    list of Order
    """
    within = [{*relation.columns} for relation in exact]
    return [o for o in orders if not any(map({*o.columns}.issubset, within))]


def _bits_of_ties(fit, pairs, sample, rulers):
    """Bits a row that are saved as a column of a sum mostly equals another one.

    Parameters
    ----------
    fit : Fit
    pairs : sequence of (str, str)
        Columns of which one is at most the other.
    sample : mapping of str to ndarray of float64, shape (n,)
    rulers : mapping of str to Ruler

    Returns
    -------
    dict of (str, str) to float
        Of pairs that are equal in half of the rows or more.
    """
    ties = {}
    for pair in pairs:
        name = next((n for n in pair if n in fit.columns), None)
        if name is None or not {*pair} <= sample.keys():
            continue
        own, other = sample[name], sample[next(n for n in pair if n != name)]
        # What is equal at one value only, such as 0, that value explains.
        rows = np.unique(own[own == other], return_counts=True)[1]
        own = own[~np.isnan(own)]
        share = (rows.sum() - rows.max(initial=0)) / len(own)
        if share >= _MOSTLY:
            ties[pair] = share * bits_of(own, rulers[name])
    return ties


def _bits_of_steps(fit, pairs, sample, rulers):
    """Bits a row that dates are told by from each other, from one of a sum to another.

    A sum of both that tells either leaves one step, of those from an application to a
    contract, to what the others say; one that tells the days between leaves none.

    Parameters
    ----------
    fit, pairs, sample, rulers
        See `_bits_of_ties`.

    Returns
    -------
    float
        Of the step that tells least; 0 where none lead from one to the other.
    """
    dates = {n for n in sample if getattr(rulers.get(n), "unit", None)}
    ends = [n for n in fit.columns if n in dates]
    if len(ends) != 2:
        return 0.0
    steps, reached = {}, {ends[0]}
    for first, then in pairs:
        step = Fit(then, (first,), (1.0,), 0.0, logarithms=False)
        if {first, then} <= dates and spread_left(step, sample) < MAX_SPREAD:
            steps[first, then] = bits_saved(step, sample, rulers[then])
    for _ in steps:
        reached |= {n for pair in steps if reached & {*pair} for n in pair}
    of_both = [bits for pair, bits in steps.items() if reached.issuperset(pair)]
    return min(of_both) if ends[1] in reached else 0.0


def _is_off_at_one(fit, sample, rulers):
    """Whether the rows that a sum is not right in have one value of what it tells.

    An age is that in years, and 0 of those whose age is told in days: 0 less these days
    is hit by next to no one, whereas any number of days is right beside 0 years.
    """
    missed, _ = misses(fit, sample, rulers[fit.target])
    values, rows = np.unique(sample[fit.target][missed], return_counts=True)
    return len(values) > 0 and rows.sum() - rows.max() <= MAX_BROKEN * rows.sum()


def _is_signed(fit):
    """Whether it is a sum or difference of columns as they are."""
    return not fit.logarithms and set(fit.coefficients) <= {1.0, -1.0}


def _is_seen(fit, name, sample, rulers):
    """Whether rounding one of those that tell a column would change its last digit.

    In many more rows than may differ: a number that is u off at most, anything being as
    likely, is rounded to another one in u / 2 of its step.
    """
    half, told = half_step(rulers[name]), []
    for off in (-half, half):
        told.append(_said(fit, sample | {name: sample[name] + off}))
    steps = np.abs(told[1] - told[0]) / 2 / (2 * half_step(rulers[fit.target]))
    return np.nanmean(np.minimum(steps / 2, 1)) >= _SEEN * MAX_BROKEN


def _said(fit, numbers):
    """What a sum or product says."""
    said = fit.predict(numbers)
    return np.exp(said) if fit.logarithms else said


def _that_have_all(fit, sample):
    """The columns of a fit, of the rows that lack none of them."""
    known = ~np.isnan([sample[name] for name in fit.columns]).any(axis=0)
    return {name: sample[name][known] for name in fit.columns}


def _to_their_digits(fit, sample, rulers, targets, found):
    """The same exact fit, for each column of those that tell it to its own digits.

    Not for one that more rows have than have what tells it.
    """
    told = _that_have_all(fit, sample)
    n_rows = {name: (~np.isnan(sample[name])).sum() for name in fit.columns}
    most = max(n_rows[fit.target], len(told[fit.target]) / (1 - MAX_UNUSABLE))
    for name in fit.parents:
        others = {*fit.columns} - {name}
        is_free = others.isdisjoint(dependants(name, found))
        if name in targets and is_free and n_rows[name] <= most:
            for solved in _solved(fit, name, told, rulers[name]):
                if has_own_digits(solved, told, rulers[name]):
                    yield solved


def _solved(fit, name, sample, ruler):
    """The same fit for one of the columns that tell it, told to few digits first."""
    terms = fit.terms
    own = terms.pop(name)
    parents = fit.target, *terms
    factors = 1 / own, *(-c / own for c in terms.values())
    if fit.logarithms:
        factor = fit.constant ** (-1 / own)
        solved = Fit(name, parents, factors, factor, logarithms=True)
        yield from with_own_digits(solved, sample, ruler)
        return
    for digits in range(DIGITS, FACTOR_DIGITS + 1):
        *told, constant = (
            float(f"{c:.{digits}g}") for c in (*factors, -fit.constant / own)
        )
        yield Fit(name, parents, tuple(told), constant)
    solved = Fit(name, parents, factors, -fit.constant / own)
    yield from sums_with_own_digits(solved, sample, ruler)
