"""Columns that are the largest, smallest or mean of others, or the distance of two."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Extreme, Fit
from coclust_synth.tables.relations.functions import DISTANCE, EXTREMES, MEAN
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    are_few,
    has_own_digits,
    misses,
    tolerance,
)
from coclust_synth.tables.rules.fitting.scales import Scale
from coclust_synth.tables.rules.fitting.told import dependants
from coclust_synth.tables.rules.sums.search import one_after_another

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Rows that are looked at first, of which most must agree.
_FIRST, _MOST = 200, 0.9
# Columns of which a column may be the largest.
_MAX_PARENTS = 12
# Share of the rows of a mean that have each of its columns, at least.
_MIN_THERE = 0.5


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


def find_means(columns, told):
    """The columns that are the mean of what is there of others, to their last digit.

    In all but `MAX_BROKEN` of the rows that have one. Means of columns of which hardly
    any is missing are left to `find_fits`. Enough individuals have the mean and lack
    some of the columns, and enough lack none.

    Returns
    -------
    list of Extreme
    """
    numbers, n_of = columns.numbers, columns.evidence.n_of
    sample = sample_of(numbers)

    def mean_of(target, found):
        ruler = columns.rulers[target]
        parents = _meant(target, ruler, sample, dependants(target, found))
        rule = Extreme(target, MEAN, parents)
        if not parents or not has_own_digits(rule, numbers, ruler):
            return None
        own = numbers[target]
        lacks = np.isnan([numbers[name] for name in parents]).any(axis=0)
        has_own = ~np.isnan(own) & is_rarer(own)
        sides = (has_own & side for side in (lacks, ~lacks))
        return rule if all(n_of(side) >= columns.enough for side in sides) else None

    return one_after_another(sorted(sample), told, mean_of)


def _meant(target, ruler, sample, banned):
    """Columns of which a column is the mean in rows that have all; none if it is not.

    Each has its middle value among those of the mean.
    """
    known = ~np.isnan(sample[target])
    own = sample[target][known]
    if len(np.unique(own)) < _MIN_VALUES:
        return ()
    may, has_all = {target: sample[target]}, known
    for name in (name for name in sample if name not in banned):
        x, is_there = sample[name], ~np.isnan(sample[name])
        if is_there[known].mean() >= _MIN_THERE:
            if own.min() <= np.median(x[known & is_there]) <= own.max():
                may[name], has_all = x, has_all & is_there
    if has_all.sum() >= (1 - MAX_UNUSABLE) * len(own):
        return ()
    scale = Scale.of(target, ruler, may, {target}, logarithms=False, rows=has_all)
    tried = scale.more_at_once(())
    return tried.fit.parents if tried.is_mean else ()
