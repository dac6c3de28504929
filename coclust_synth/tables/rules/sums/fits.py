"""Columns that others nearly fix: a sum, a difference, a product of a few of them."""

from itertools import islice

import numpy as np

from coclust_synth.tables.relations import Fit, Function
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    Scale,
    Tried,
    best_of,
    worth,
)
from coclust_synth.tables.rules.fitting.tellers import Tellers
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.sums.sides import (
    best_side,
    bill_of_most_different,
    of_most_different,
    orders_beside,
    told_to_its_digits,
)


def find_fits(
    numbers,
    rulers,
    told=(),
    orders=(),
    search_bill=None,
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
    search_bill : callable, optional
        From columns that nothing tells yet, and what tells the others: a sum with
        products in it, or None. It comes after exact sums and products and before what
        is nearly told.
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
    list of Fit and Bill
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
    orders = orders_beside(orders, *exact)
    sums = _Search(sample, rulers, listed, stays, zoned)

    def sides_of(relation):
        """What stays is told from no column that changes: it is not solved for it."""
        is_of_these = stays.issuperset(relation.columns)
        return open_targets if is_of_these else open_targets - stays

    while True:
        tried = {t: sums.best(t, found, exactly) for t in sorted(open_targets)}
        if not any(each.is_exact for each in tried.values()):
            more = {t: sums.of_more(t, found, exactly) for t in tried}
            tried |= {t: each for t, each in more.items() if each.is_exact}
        target = max(tried, key=lambda t: worth(tried[t]), default=None)
        if target is None or not tried[target].is_exact:
            other = search_bill and search_bill(open_targets, found)
            if other is not None:
                known = sample, rulers, sides_of(other), found
                other = bill_of_most_different(other, *known)
                found[other.target] = other
                open_targets.remove(other.target)
                orders = orders_beside(orders, other)
                continue
        if target is None or tried[target].fit is None:
            break
        is_exact, saved, fit = tried[target]
        sides = sides_of(fit)
        open_sides = sides if is_exact else sides - listed
        known = sample, rulers, open_sides, found, orders, is_carried or _never
        fit = best_side(saved, fit, *known)
        known = sample, rulers, sides - listed, found
        fit = of_most_different(told_to_its_digits(fit, *known), *known)
        found[fit.target] = fit
        open_targets.remove(fit.target)
        if is_exact:
            exactly.add((fit.target, fit.logarithms))
            orders = orders_beside(orders, fit)
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
        self._tellers, self._near = Tellers(sample), {}
        self._exact: dict = {}
        # Of lists of values, which are told at all, by what may not tell them.
        self._are_told: dict = {}

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
        """The column as it is, and unless it is a date by logarithms.

        One of a list of values is a sum or mean of others or nothing.
        """
        known = target, self._rulers[target], self._sample
        sums = Scale.of(*known, banned, logarithms=False, tellers=self._tellers)
        if target in self._listed:
            key = target, frozenset(banned)
            if key not in self._are_told:
                self._are_told[key] = sums.is_told()
            if self._are_told[key]:
                yield sums
            return
        yield sums
        dates = {n for n, ruler in self._rulers.items() if getattr(ruler, "unit", None)}
        if target not in dates:  # that have no products
            banned = banned | dates
            yield Scale.of(*known, banned, logarithms=True, tellers=self._tellers)

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


def _never(name, other):
    """Of rows that follow no others."""
    return False
