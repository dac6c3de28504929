"""Columns that are the largest or smallest of others, or how far two are apart."""

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Extreme
from coclust_synth.tables.relations.sums.extremes import DISTANCE, EXTREMES
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.holding import tells_nearly_all
from coclust_synth.tables.rules.fitting.rounding import tolerance

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Rows that are looked at first, of which most must agree.
_FIRST, _MOST = 200, 0.9
# Columns of which a column may be the largest.
_MAX_PARENTS = 12


def find_extremes(evidence, rulers, told, min_individuals):
    """The columns that are the largest or smallest of others, or their distance.

    But for `MAX_BROKEN` of the rows. Each of the others is so, alone, of
    `min_individuals`; of a distance as many have the one above the other as the other
    way round, at least so many: else it is a difference.

    Parameters
    ----------
    evidence : Evidence
    rulers : mapping of str to Ruler
        Of the columns that may be told, or tell others.
    told : sequence of relations
        Columns that are told from others already.
    min_individuals : int
        Never fewer than `MIN_ROWS`.

    Returns
    -------
    list of Extreme
        No column depends on itself through others.
    """
    enough = max(MIN_ROWS, min_individuals)
    found, extremes = {each.target: each for each in told}, []
    for target in rulers:
        own = evidence.numbers[target]
        if target in found or len(np.unique(own[~np.isnan(own)])) < _MIN_VALUES:
            continue
        banned = dependants(target, found)
        others = [
            name
            for name in rulers
            if name not in banned and evidence.are_alike(name, target)
        ]
        for relation in _tried(target, others, evidence, enough):
            if tells_nearly_all(relation, evidence.numbers, rulers[target]):
                found[target] = relation
                extremes.append(relation)
                break
    return extremes


def _tried(target, others, evidence, enough):
    """Relations that some rows agree with."""
    for what in EXTREMES:
        parents = _attained(target, what, others, evidence, enough)
        if 2 <= len(parents) <= _MAX_PARENTS:
            yield Extreme(target, what, parents)
    if target in evidence.dates:
        return
    for pair in _pairs_apart(target, others, evidence):
        one, two = (evidence.numbers[name] for name in pair)
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
