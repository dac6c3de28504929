"""Columns that are one of a few round shares of another: what an insurer pays."""

from itertools import permutations

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit, Share
from coclust_synth.tables.rules.compared.numbers import is_rarer, labelled
from coclust_synth.tables.rules.fitting.exact import exact_product, exact_sums
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.rounding import (
    are_few,
    half_step,
    misses,
    tolerance,
)
from coclust_synth.tables.rules.fitting.told import dependants, evenly

# Shares have so many decimals, tried in turn, and there are no more of them. A row has
# a clear one where the last decimal says so many times as much as rounding, and so many
# rows have, at least. Two decimals are seen in small numbers, four in large ones.
_DECIMALS, _MAX_SHARES = (3, 2, 4), 12
_TIMES, _MIN_CLEAR = {3: 2, 2: 8, 4: 8}, {3: 0.5, 2: 0.2, 4: 0.2}
# Rows that have both columns and not the commonest value, at least; columns of no more
# values than the second are lists.
_MIN_ROWS, _MAX_LISTED = 200, 20
# Of such rows those are looked at first, and so many must be of some share that two of
# them have.
_FIRST, _MOST = 200, 0.95


def find_shares(columns, told=()):
    """The columns that are a round share of another, of a few that rows have.

    At most `MAX_BROKEN` of the rows have no share, of all and of those that have not
    the commonest value of the column. One share of all rows is a product, which
    `find_fits` finds. A share that stands in a column, as a percentage does, is told by
    it: the product with that column is found in its place. Enough individuals have each
    share.

    Returns
    -------
    list of Share and Fit
        None is the sum or difference of two others of which one is a share: it has no
        share of its own. Of several for a column, products before shares, parts before
        multiples, and fewer shares before more.
    """
    numbers, rulers = columns.numbers, columns.rulers
    sample = {
        name: x
        for name, x in sample_of(numbers).items()
        if len(np.unique(x[~np.isnan(x)])) > _MAX_LISTED
    }
    found = {each.target: each for each in told}
    ranked, products = [], {}
    rarer = {name: np.where(is_rarer(x), x, np.nan) for name, x in sample.items()}
    for target, of in permutations(sample, 2):
        if target in found:
            continue
        decimals = _decimals(rarer[target], sample[of], rulers[target])
        if decimals is None:
            continue
        own = columns.evidence, rulers[target], columns.enough
        share = _learnt(target, of, *own, decimals)
        if share is not None:
            rank = max(share.shares) > 1, len(share.shares)
            ranked.append((True, *rank, len(ranked), share, share))
            if target not in products:
                products[target] = _product(target, numbers, rulers[target], found)
            if products[target] is not None:
                ranked.append((False, *rank, len(ranked), share, products[target]))
    shares: list[Share] = []
    kept: list[Share | Fit] = []
    for *_, share, own in sorted(ranked):
        is_free = share.target not in found
        if is_free and not dependants(share.target, found) & set(own.parents):
            if not any(_is_left(share, each, numbers, rulers) for each in shares):
                found[share.target] = own
                shares.append(share)
                kept.append(own)
    return kept


class SumsOfTold:
    """The search for sums that tell the same as a share, of columns that are told.

    Parameters
    ----------
    columns : Columns
    """

    def __init__(self, columns):
        self._rulers, self._numbers = columns.rulers, columns.numbers

    def better(self, share, found):
        """A sum that tells the same as a share, None where none does.

        Of the column that it is a share of and of others which are told: what is still
        to pay is what is due less what was paid, a share of it, and is not drawn.
        """
        target, numbers, ruler = share.target, self._numbers, self._rulers[share.target]
        open_columns = numbers.keys() - found.keys() - {share.of}
        banned = dependants(target, found) | open_columns
        for fit in exact_sums(target, numbers, ruler, banned):
            missed, known = misses(fit, numbers, ruler)
            has_own = ~np.isnan(numbers[target])
            if are_few(missed | ~known, has_own, has_own & is_rarer(numbers[target])):
                return fit
        return None


def _product(target, numbers, ruler, found):
    """The exact product of others that a column is, None where there is none."""
    banned = dependants(target, found)
    product = exact_product(target, numbers, ruler, banned)
    if product is None:
        return None
    missed, known = misses(product, numbers, ruler)
    rarer = known & is_rarer(numbers[target])
    return product if are_few(missed, rarer) else None


def _shares_of(y, x, slack, decimals):
    """The share that each row has, and in which rows there is a clear one."""
    with np.errstate(all="ignore"):
        share = np.round(y / x, decimals) + 0.0
        clear = np.abs(x) * 10.0**-decimals > _TIMES[decimals] * slack
        has_one = clear & (np.abs(y - share * x) <= slack)
    return share, has_one, clear


def _slack(y, ruler, decimals):
    """What rounding leaves of each row; of a column that was rounded once."""
    if decimals == _DECIMALS[0]:
        return tolerance(y, ruler)
    return np.full(len(y), half_step(ruler))


def _decimals(y, x, ruler):
    """The decimals of the shares that some rows look like, None where they do not.

    y : nan also where it has its commonest value.
    """
    known = np.flatnonzero(~np.isnan(y) & ~np.isnan(x))
    if len(known) < _MIN_ROWS:
        return None
    known = evenly(known, _FIRST)
    y, x = y[known], x[known]
    for decimals in _DECIMALS:
        slack = _slack(y, ruler, decimals)
        share, has_one, clear = _shares_of(y, x, slack, decimals)
        if clear.mean() < _MIN_CLEAR[decimals]:
            continue
        rows = np.unique(share[has_one], return_counts=True)[1]
        most = np.sort(rows[rows > 1])[-_MAX_SHARES:].sum()
        if most >= _MOST * clear.sum():
            return decimals
    return None


def _learnt(target, of, evidence, ruler, enough, decimals):
    """The share, if those that enough individuals have tell nearly all rows."""
    y, x = evidence.numbers[target], evidence.numbers[of]
    slack = _slack(y, ruler, decimals)
    share, has_one, _ = _shares_of(y, x, slack, decimals)
    values, labels = labelled(np.where(has_one, share, np.nan))
    held = evidence.count(labels, len(values))
    common = np.argsort(-held, kind="stable")[:_MAX_SHARES]
    shares = np.sort(values[common[held[common] >= enough]])
    if len(shares) < 2:
        return None
    relation = Share(target, of, tuple(shares.tolist()))
    missed, known = misses(relation, evidence.numbers, ruler)
    rarer, has_own = known & is_rarer(y), ~np.isnan(y)
    holds = (
        are_few(~known, has_own)
        and rarer.sum() >= _MIN_ROWS
        and are_few(missed, known, rarer)
    )
    return relation if holds else None


def _is_left(share, other, numbers, rulers):
    """Whether a column is what another share leaves of its whole, or adds to it."""
    if share.of not in other.columns:
        return False
    own, part, whole = (numbers[n] for n in (share.target, other.target, other.of))
    slack = tolerance(own, rulers[share.target])
    return any(
        np.nanmean(np.abs(np.abs(own) - np.abs(left)) > slack) <= MAX_BROKEN
        for left in (whole - part, whole + part)
    )
