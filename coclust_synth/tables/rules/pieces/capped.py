"""Columns that are a sum of others up to a limit that another column says."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Capped
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.holding import breaks_few, tells_nearly_all
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, Scale
from coclust_synth.tables.rules.sums.search import one_after_another

# Rows that are at no limit, at least, and share of the rows that are at it.
_MIN_BETWEEN, _MIN_AT_LIMIT = 200, 0.02


def find_capped(columns, told=()):
    """The columns that are a sum of others, but no less or no more than another column.

    At most `MAX_BROKEN` of the rows differ by more than rounding, of all that have the
    column and of those that are not at the limit. A sum that needs no limit is left to
    `find_fits`, the smallest of columns to `find_extremes`. Enough individuals are at
    the limit, and not at it.

    Returns
    -------
    list of Capped
    """
    numbers, n_of = columns.numbers, columns.evidence.n_of

    def capped(target, found):
        banned, ruler = dependants(target, found), columns.rulers[target]
        ways = (
            _learnt(target, which, limit, between, numbers, ruler, banned)
            for which, limit, between in _limits(
                target, numbers, banned, n_of, columns.enough
            )
        )
        return next((each for each in ways if each is not None), None)

    return one_after_another(sorted(numbers), told, capped)


def _limits(target, numbers, banned, n_of, enough):
    """Columns that another one is never beyond and often at, and where it is not."""
    own = numbers[target]
    for limit in sorted(numbers.keys() - banned):
        at, known = own == numbers[limit], ~np.isnan(own) & ~np.isnan(numbers[limit])
        between = known & ~at
        if at.sum() < _MIN_AT_LIMIT * known.sum() or between.sum() < _MIN_BETWEEN:
            continue
        for which, beyond in (("at_most", np.greater), ("at_least", np.less)):
            n_beyond = beyond(own, numbers[limit]).sum()
            if n_beyond <= MAX_BROKEN * known.sum():
                if min(n_of(at), n_of(between)) >= enough:
                    yield which, limit, between


def _learnt(target, which, limit, between, numbers, ruler, banned):
    """The sum in rows that are not at a limit, if where these are it is beyond it."""
    own = {name: x[between] for name, x in numbers.items()}
    others = banned | {limit}
    sample = sample_of(own)
    if target not in sample:
        return None
    if not Scale.of(target, ruler, sample, others, logarithms=False).is_told():
        return None
    is_listed = len(np.unique(own[target])) <= MAX_LISTED
    for fit in exact_sums(target, own, ruler, others):
        if is_listed and not all(map(float.is_integer, fit.coefficients)):
            continue
        sums = target, fit.parents, fit.coefficients, fit.constant
        rule = Capped(*sums, **{which: limit})
        needs_it = not tells_nearly_all(fit, numbers, ruler)
        if needs_it and tells_nearly_all(rule, numbers, ruler):
            if breaks_few(fit, own, ruler) and not _is_sum(
                rule, numbers, ruler, banned
            ):
                return rule
    return None


def _is_sum(rule, numbers, ruler, banned):
    """Whether a sum of its columns, its limit among them, tells it in all rows.

    Of a price, freight and insurance, in rows that have both, the insurance is a share
    of the price: freight is what these leave of the value, and no less than it.
    """
    columns = {name: numbers[name] for name in rule.columns}
    sums = exact_sums(rule.target, columns, ruler, banned)
    return any(tells_nearly_all(fit, numbers, ruler) for fit in sums)
