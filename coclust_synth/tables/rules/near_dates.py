"""Dates that are told by how long after another they are: the end of a stay.

A tree that is given the day of admission says of the day of discharge that it is one of
those of a number of stays, of k people, who came in on some days that follow each
other: in a small hospital in many weeks, and then half of the stays end before they
begin. How long a stay lasts says more. So a date is told from another where that takes
no more bits than k people leave to say, of which trees leave more. Fewer than 20 who
have no date of admission do not keep it from that: they are drawn without the other.
"""

from itertools import permutations

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.between_rows.order import (
    find_order_of_rows,
    have_several,
)
from coclust_synth.tables.rules.fitting.exact import MAX_LEFT, spread_left
from coclust_synth.tables.rules.fitting.told import in_turn
from coclust_synth.tables.rules.spacings import nats_of_numbers

# Moments are days where more of them than this share are midnights.
_MOST = 0.5


def find_near_dates(evidence, told, kept, min_individuals):
    """The columns of dates that the time since another one tells.

    Parameters
    ----------
    evidence : Evidence
    told : sequence of relations
        Columns that are told from others already.
    kept : (sequence of Order, collection of str)
        Of the table; and columns that stay for a person, which are told from others
        that do only.
    min_individuals : int
        Who have both dates, at least.

    Returns
    -------
    list of Fit
        About right: how long after the other a date is, is drawn. Of several for a
        column that which takes fewest bits; later dates are told from earlier ones.
    """
    (orders, stays), ordered_by = kept, None
    if have_several(evidence, min_individuals):
        ordered_by = find_order_of_rows(evidence, orders, min_individuals)
    done, ranked = {each.target for each in told} | {ordered_by}, []
    for target, since in permutations(sorted(evidence.dates), 2):
        fit = Fit(target, (since,), (1.0,), 0.0, about=True)
        if target in done or (target in stays and since not in stays):
            continue
        if not evidence.are_alike(target, since):
            continue
        nats = _nats_if_no_more(fit, evidence, min_individuals)
        if nats is not None:
            apart = evidence.numbers[target] - evidence.numbers[since]
            ranked.append((np.nanmedian(apart) < 0, nats, target, since, fit))
    return in_turn((fit for *_, fit in sorted(ranked, key=lambda own: own[:4])), told)


def _nats_if_no_more(fit, evidence, min_individuals):
    """Nats to tell a date by the time since another; None where these are more.

    More in days, and as finely as the date is told, and by more than chance. A day is
    told by no moment: beside the hour of that, as long after it is another day.
    """
    own, (since,) = evidence.numbers[fit.target], fit.parents
    other = evidence.numbers[since]
    both = ~np.isnan(own - other)
    n_alone = lone_dates(fit, evidence).sum()
    if n_alone > MAX_BROKEN * both.sum() and not _are_lost(n_alone, len(both)):
        return None
    if evidence.n_of(both) < min_individuals:
        return None
    if not spread_left(fit, evidence.numbers) <= MAX_LEFT:
        return None
    own, other = own[both], other[both]
    if _is_of_days(own) and not _is_of_days(other):
        return None
    who = np.flatnonzero(both) if evidence.who is None else evidence.who[both]
    window, n_windows = _windows(other, min_individuals)
    # Of numbers of few rows it seems to take less: so as many, whichever, have these.
    by_chance = np.random.default_rng(0).permutation(window)
    step, least = np.ones(len(own)), np.inf

    def nats(x, group, n_groups):
        of_groups = nats_of_numbers(x, step, group, n_groups, who)
        return of_groups @ np.bincount(group) / len(x)

    for unit in sorted({1.0, 1 / evidence.scales[fit.target].per_day}, reverse=True):
        y, x = (np.floor(of / unit) for of in (own, other))
        more = nats(y - x, by_chance, n_windows) - nats(y, window, n_windows)
        least = min(least, more)
    if least > 1 / np.sqrt(len(window)):
        return None
    return nats(y - x, np.zeros_like(window), 1)


def lone_dates(fit, evidence):
    """Rows that have a date, and not the one that it is told from.

    Parameters
    ----------
    fit : Fit
    evidence : Evidence

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    has_own = ~np.isnan(evidence.numbers[fit.target])
    return has_own & np.isnan(fit.predict(evidence.numbers_of(fit)))


def _are_lost(n_alone, n):
    """Whether so few dates are alone that no run tells of them, nor the table."""
    return n_alone < MIN_ROWS and n_alone <= MAX_BROKEN * n


def _is_of_days(x):
    """Whether most moments are midnights: days that hours are no part of."""
    return (x == np.floor(x)).mean() > _MOST


def _windows(x, size):
    """Windows of numbers that follow each other, of some rows at least each."""
    ordered = np.sort(x)
    first = np.searchsorted(ordered, x) // size
    windows = np.unique(first, return_inverse=True)[1]
    return windows, int(windows.max()) + 1
