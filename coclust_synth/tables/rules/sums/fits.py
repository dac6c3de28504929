"""Columns that others nearly fix: a sum, a difference, a product of a few of them."""

from itertools import islice

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit, Function
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.digits import (
    FACTOR_DIGITS,
    settle,
    sums_with_own_digits,
    with_own_digits,
)
from coclust_synth.tables.rules.fitting.regressions import (
    DIGITS,
    MAX_SPREAD,
    sample_of,
    spread_of,
)
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    half_step,
    has_own_digits,
    is_anywhere,
    is_off_grid,
    misses,
)
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    MIN_TOLD,
    Scale,
    Tried,
    best_of,
    bits_of,
    worth,
)

# What a fit that is about right leaves of the spread of its column, at most, where it
# is stated, or found for dates.
MAX_LEFT = 0.5
# A sum is told for another of its columns that it saves as many bits of, but for these.
_AS_MANY_BITS = 0.5
# Share of the rows in which columns that are mostly equal are.
_MOSTLY = 0.5
# Rounding of one column is seen in another if so many times as many rows would differ.
_SEEN = 10


def find_fits(
    numbers,
    rulers,
    told=(),
    orders=(),
    searches=(),
    stays=(),
    is_carried=None,
    zoned=(),
):
    """The fits that make columns cheaper to tell, each of columns told before.

    Parameters
    ----------
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    rulers : mapping of str to Ruler
        Of the columns that may be told by a fit.
    told : sequence of relations
        Columns that are told from others already.
    orders : sequence of Order
        That are kept too.
    searches : sequence of callable
        From columns that nothing tells yet, and what tells the others: a sum with
        products in it or the like, or None. They come after exact sums and products and
        before what is nearly told.
    stays : collection of str, default=()
        Columns that are the same in all rows of a person: they are told from others
        of them only. A birth is not told from an age and a date, which change.
    is_carried : callable, optional
        From two names: whether the first column is carried on to the next row of a
        person as the second one, see `carrying`.
    zoned : collection of str, default=()
        Dates with a time zone, in UTC: no sum is of these and of local ones, but of how
        far two of them are apart.

    Returns
    -------
    list of Fit, Bill and Quotient
        No column depends on itself through others.
    """
    sample, stays = sample_of(numbers), frozenset(stays)
    found = {fit.target: fit for fit in told}
    open_targets = set(rulers) & set(sample) - set(found)
    listed = {
        name
        for name in open_targets
        if len(np.unique(sample[name][~np.isnan(sample[name])])) <= MAX_LISTED
    }
    # What is told exactly is a sum or product of others in itself: more need not tell
    # it. Functions are powers, or no more than these.
    exactly = {(fit.target, True) for fit in told if isinstance(fit, Function)}
    exact = (each for each in told if not each.about)
    orders = _beside(orders, *exact)
    sums = _Search(sample, rulers, listed, stays, zoned)
    while True:
        tried = {t: sums.best(t, found, exactly) for t in sorted(open_targets)}
        if not any(each.is_exact for each in tried.values()):
            more = {t: sums.of_more(t, found, exactly) for t in tried}
            tried |= {t: each for t, each in more.items() if each.is_exact}
        target = max(tried, key=lambda t: worth(tried[t]), default=None)
        if target is None or not tried[target].is_exact:
            best = (search(open_targets, found) for search in searches)
            other = next((each for each in best if each is not None), None)
            if other is not None:
                found[other.target] = other
                open_targets.remove(other.target)
                orders = _beside(orders, other)
                continue
        if target is None or tried[target].fit is None:
            break
        is_exact, saved, fit = tried[target]
        # What stays is told from no column that changes: the sum is not solved for it.
        sides = open_targets if stays.issuperset(fit.columns) else open_targets - stays
        fit = _best_side(
            saved,
            fit,
            sample,
            rulers,
            sides if is_exact else sides - listed,
            found,
            orders,
            is_carried or _never,
        )
        fit = _told_to_its_digits(fit, sample, rulers, sides - listed, found)
        fit = _of_most_different(fit, sample, rulers, sides - listed, found)
        found[fit.target] = fit
        open_targets.remove(fit.target)
        if is_exact:
            exactly.add((fit.target, fit.logarithms))
            orders = _beside(orders, fit)
    fits = [found[name] for name in found if name not in {fit.target for fit in told}]
    return [
        settle(fit, numbers, rulers[fit.target]) if isinstance(fit, Fit) else fit
        for fit in fits
    ]


class _Search:
    """What tells each column best, found again where what tells others makes it so.

    Parameters
    ----------
    sample : dict of str to ndarray of float64, shape (n,)
    rulers : mapping of str to Ruler
    listed : set of str
        Columns that whole sums or means tell or nothing.
    stays : frozenset of str
        Columns that are told from others of them only.
    zoned : collection of str
        Dates with a time zone.
    """

    def __init__(self, sample, rulers, listed, stays, zoned):
        self._sample, self._rulers, self._listed = sample, rulers, listed
        self._stays, self._changes = stays, frozenset(sample) - stays
        timed = {n for n in sample if getattr(rulers.get(n), "unit", None)}
        self._zoned, self._local = timed & {*zoned}, timed - {*zoned}
        self._near: dict = {}
        self._exact: dict = {}

    def best(self, target, found, exactly):
        """What tells a column: of a few others, or of all exactly.

        Parameters
        ----------
        target : str
        found : mapping of str to relation
            What is told.
        exactly : set of (str, bool)
            Columns told exactly, and whether in logarithms.

        Returns
        -------
        Tried
        """
        banned = self._banned(target, found)
        if target not in self._near or banned & self._near[target].parents:
            tried = (scale.one_by_one() for scale in self._scales(target, banned))
            self._near[target] = best_of(tried)
        scales = self._scales(target, banned)
        of_all = self._at_once(target, banned, exactly, Scale.all_at_once, scales)
        return self._told(target, best_of([self._near[target], of_all]))

    def of_more(self, target, found, exactly):
        """What else tells it exactly: see `more_at_once`."""
        banned = self._banned(target, found)
        sums = islice(self._scales(target, banned), 1)
        tried = self._at_once(target, banned, exactly, Scale.more_at_once, sums)
        return self._told(target, tried)

    def _banned(self, target, found):
        banned = dependants(target, found)
        return banned | self._changes if target in self._stays else banned

    def _scales(self, target, banned):
        return _scales(target, self._sample, self._rulers, banned, self._listed)

    def _at_once(self, target, banned, exactly, way, scales):
        key = target, way, frozenset(banned), len(exactly)
        if key not in self._exact:
            self._exact[key] = best_of(way(scale, exactly) for scale in scales)
        return self._exact[key]

    def _told(self, target, tried):
        is_open = target not in self._listed or tried.is_whole or tried.is_mean
        return tried if is_open and not self._is_mixed(tried.fit) else Tried()

    def _is_mixed(self, fit):
        """Whether it is of two clocks; how far two moments are apart is of none."""
        if fit is None or self._local.isdisjoint(fit.columns):
            return False
        terms = {fit.target: -1.0, **fit.terms}
        return sum(c for name, c in terms.items() if name in self._zoned) != 0


def exact_sums(target, numbers, ruler, banned):
    """Sums of some columns that tell another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.

    Yields
    ------
    Fit
    """
    sample = sample_of(numbers)
    if target not in sample:
        return
    scale = Scale.of(target, ruler, sample, banned, logarithms=False)
    for tried, parents in scale.one_after_another():
        tried = tried if tried.is_exact else scale.together(parents)
        yield from _settled(tried, numbers, ruler)
    if scale.is_told():
        for tried in (scale.all_at_once(()), scale.more_at_once(())):
            yield from _settled(tried, numbers, ruler)


def _settled(tried, numbers, ruler):
    """The fit of what was tried in a sample, if it is exact in all rows."""
    if tried.is_exact:
        fit = settle(tried.fit, numbers, ruler)
        if not fit.about:
            yield fit


def exact_product(target, numbers, ruler, banned):
    """The product of some columns that tells another exactly.

    Parameters
    ----------
    target : str
    numbers : mapping of str to ndarray of float64, shape (n,)
        nan where missing; of no dates.
    ruler : Ruler
        Of the target.
    banned : set of str
        Columns that it may not be told from.

    Returns
    -------
    Fit or None
    """
    sample = sample_of(numbers)
    scale = Scale.of(target, ruler, sample, banned, logarithms=True)
    tried = scale.one_by_one()
    if not tried.is_exact:
        return None
    fit = settle(tried.fit, numbers, ruler)
    return None if fit.about else fit


def spread_left(fit, numbers):
    """Spread of what a fit leaves over that of its column, in logarithms of a product.

    Parameters
    ----------
    fit : Fit
    numbers : mapping of str to ndarray of float64, shape (n,)

    Returns
    -------
    float
        From 0; nan where it says nothing.
    """
    own = numbers[fit.target]
    if fit.logarithms:
        own = np.log(np.where(own > 0, own, np.nan))
    left = own - fit.predict(numbers)
    known = np.isfinite(left)
    if not known.any():
        return np.nan
    return spread_of(left[known]) / max(spread_of(own[known]), 1e-300)


def bits_saved(fit, numbers, ruler):
    """Bits a row that a sum saves, of telling its column.

    Parameters
    ----------
    fit : Fit
        Of no product.
    numbers : mapping of str to ndarray of float64, shape (n,)
    ruler : Ruler
        Of the target.

    Returns
    -------
    float
    """
    sample = sample_of({name: numbers[name] for name in fit.columns})
    own, left = sample[fit.target], sample[fit.target] - fit.predict(sample)
    known = ~np.isnan(left)
    return bits_of(own[known], ruler) - bits_of(left[known], ruler)


def _best_side(saved, fit, sample, rulers, targets, found, orders, is_carried):
    """The same sum, solved for the column that it saves most bits of.

    Where a - b + c is told from the others, so are a, b and c. Whole days between two
    moments say of the later one all but its hour, and the moments, drawn each on its
    own, next to nothing of the days. Of columns that it saves about as many bits of,
    it is one that has several values where the sum is nearly right only, of these the
    one with the fewest orders beside the sum: no room is left for these in what the sum
    tells. That a debt and what is net are no more than a total another sum says. Nor
    can that, or what it tells in turn, mostly equal another column: where one does, the
    rows in which it does save its bits too, if the sum is told for others; nor a date
    to which steps lead from another one of the sum, see `_bits_of_steps`. Not for a
    column that has values where others of it have none, if it is exact as it is: an
    error is known of some rows, and tells what came of no others. But not for one of
    larger steps than others of it, if it can be told for these: whole fives are no
    difference of a price and a sum that are drawn apart.
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
    for _, solved in sides:
        if any(is_carried(solved.target, name) for name in solved.parents):
            return solved
    beside = [order.columns for order in _beside(orders, fit)]
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


def _beside(orders, *exact):
    """Orders but those of two columns of a sum, which says how far these are apart."""
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


def _never(name, other):
    """Of rows that follow no others."""
    return False


def _is_signed(fit):
    """Whether it is a sum or difference of columns as they are."""
    return not fit.logarithms and set(fit.coefficients) <= {1.0, -1.0}


def _told_to_its_digits(fit, sample, rulers, targets, found):
    """The same exact fit, for a column that it tells to its digits, if there is one.

    An hourly wage is a monthly one over the hours, rounded. The monthly one is the
    product of both but for what the rounding left, times the hours. Where rounding the
    one would not be seen in the other, as in round numbers, either may be told.
    """
    ruler = rulers[fit.target]
    settled = settle(fit, sample, ruler)
    if _is_signed(fit) or settled.about or has_own_digits(settled, sample, ruler):
        return fit
    for name in fit.parents:
        if name not in targets:
            continue
        for solved in _solved(settled, name, sample, rulers[name]):
            is_free = not set(solved.parents) & dependants(name, found)
            if is_free and has_own_digits(solved, sample, rulers[name]):
                left = sample[name] - _said(solved, sample)
                if _is_seen(solved, fit.target, sample, rulers) or is_anywhere(
                    left, rulers[name]
                ):
                    return solved
    return fit


def _of_most_different(fit, sample, rulers, targets, found):
    """The same exact product, for the column whose numbers repeat least, if it can be.

    A loan of .8 of a price is found in many rows, whose prices and loans are any: told
    from these, drawn one after the other, next to none would be .8 of it.
    """
    settled = settle(fit, sample, rulers[fit.target])
    if not fit.logarithms or settled.about:
        return fit
    sides = [fit]
    for name in fit.parents:
        others = {fit.target, *fit.parents} - {name}
        if name in targets and others.isdisjoint(dependants(name, found)):
            solved = _solved(settled, name, sample, rulers[name])
            sides += [s for s in solved if has_own_digits(s, sample, rulers[name])][:1]

    def bits(side):
        own = sample[side.target]
        return bits_of(np.log(own[own > 0]), ContinuousRuler())

    return max(sides, key=bits)


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


def _scales(target, sample, rulers, banned, listed):
    """The column as it is, and unless it is a date by logarithms.

    One of a list of values is a sum or mean of others or nothing.
    """
    dates = {name for name, ruler in rulers.items() if getattr(ruler, "unit", None)}
    ruler = rulers[target]
    sums = Scale.of(target, ruler, sample, banned, logarithms=False)
    if target in listed:
        if sums.is_told():
            yield sums
        return
    yield sums
    if target not in dates:  # that have no products
        yield Scale.of(target, ruler, sample, banned | dates, logarithms=True)
