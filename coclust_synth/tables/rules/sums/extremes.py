"""Columns that are the largest or smallest of others, or the distance of two."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Extreme, Fit
from coclust_synth.tables.relations.functions import DISTANCE, EXTREMES
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.rounding import are_few, misses, tolerance
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.sums.search import one_after_another

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Rows that are looked at first, of which most must agree.
_FIRST, _MOST = 200, 0.9
# Columns of which a column may be the largest.
_MAX_PARENTS = 12


def find_extremes(columns, told):
    """The columns that are the largest or smallest of others, or their distance.

    But for `MAX_BROKEN` of the rows, of all and of those that have not the commonest
    value: where most costs are 0, the largest of them is mostly their sum, which is
    found here too, where it is so in more rows. Each of the others is so, alone, of
    enough individuals; of a distance as many have the one above the other as the other
    way round, at least so many: else it is a difference.

    Returns
    -------
    list of Extreme and Fit
    """
    evidence, rulers = columns.evidence, columns.rulers

    def extreme_of(target, found):
        own = evidence.numbers[target]
        if len(np.unique(own[~np.isnan(own)])) < _MIN_VALUES:
            return None
        banned = dependants(target, found)
        others = [
            name
            for name in rulers
            if name not in banned and evidence.are_alike(name, target)
        ]
        tried = _tried(target, others, evidence, columns.enough)
        return next((r for r in tried if _holds(r, evidence, rulers[target])), None)

    return one_after_another(rulers, told, extreme_of)


def _holds(relation, evidence, ruler):
    """Whether few rows break it, see `find_extremes`."""
    own = evidence.numbers[relation.target]
    has_own = ~np.isnan(own)
    broken = _broken(relation, evidence.numbers, ruler)
    return are_few(broken, has_own, has_own & is_rarer(own))


def _broken(relation, numbers, ruler):
    """Rows of another value than is said, or of which nothing is said."""
    missed, known = misses(relation, numbers, ruler)
    return missed | ~known


def _tried(target, others, evidence, enough):
    """Relations that some rows agree with."""
    numbers, ruler = evidence.numbers, evidence.scales[target].ruler
    for what in EXTREMES:
        parents = _attained(target, what, others, evidence, enough)
        if not 2 <= len(parents) <= _MAX_PARENTS:
            continue
        largest = Extreme(target, what, parents)
        if what == "largest" and target not in evidence.dates:
            both = Fit(target, parents, (1.0,) * len(parents), 0.0)
            off = [_broken(each, numbers, ruler) for each in (both, largest)]
            is_mostly = are_few(off[1], ~np.isnan(numbers[target]))
            if is_mostly and off[0].sum() < off[1].sum():
                yield both
        yield largest
    if target in evidence.dates:
        return
    for pair in _pairs_apart(target, others, evidence):
        one, two = (numbers[name] for name in pair)
        if min(evidence.n_of(one > two), evidence.n_of(two > one)) >= enough:
            yield Extreme(target, DISTANCE, pair)


def _pairs_apart(target, others, evidence):
    """Pairs whose distance the target is in most of some rows, in their order."""
    own = evidence.numbers[target]
    rows = np.flatnonzero(~np.isnan(own))
    rows = rows[np.linspace(0, len(rows) - 1, _FIRST).astype(np.int64)]
    own = own[rows]
    if own.min() < 0 or not others:
        return
    slack = 2 * tolerance(own, evidence.scales[target].ruler)[:, None]
    numbers = np.column_stack([evidence.numbers[name][rows] for name in others])
    for i, name in enumerate(others):
        apart = np.abs(numbers[:, i + 1 :] - numbers[:, [i]])
        agree = (np.abs(apart - own[:, None]) <= slack).mean(axis=0) >= _MOST
        for j in np.flatnonzero(agree):
            yield name, others[i + 1 + j]


def _attained(target, what, others, evidence, enough):
    """The columns that the target is never beyond, and each of which it is, alone."""
    own, numbers = evidence.numbers[target], evidence.numbers
    is_beyond = np.less if what == "largest" else np.greater
    usable = []
    for name in others:
        known = ~np.isnan(own) & ~np.isnan(numbers[name])
        beyond = is_beyond(own[known], numbers[name][known])
        if known.any() and beyond.mean() <= MAX_BROKEN:
            usable.append(name)
    is_own = {name: own == numbers[name] for name in usable}
    # Those that it is least often are left out first where others say as much.
    for name in sorted(usable, key=lambda name: is_own[name].sum()):
        rest = [other for other in usable if other != name]
        if not rest:
            break
        alone = is_own[name] & ~np.any([is_own[other] for other in rest], axis=0)
        if evidence.n_of(alone) < enough:
            usable = rest
    return tuple(usable)
