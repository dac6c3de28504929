"""Columns that are the sum of others, of which nearly all rows have one at most."""

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.rounding import are_few, misses
from coclust_synth.tables.rules.fitting.told import dependants

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Columns that a column may be the sum of.
_MAX_PARENTS = 12


def find_sums_of_few(columns, told):
    """The columns that are the sum of others which are mostly 0.

    As liens and bankruptcies are: the largest of them is nearly always their sum, which
    next to no rows of both tell from it, and which is right in more rows. All but
    `MAX_BROKEN` of the rows have it, of all and of those that have not the commonest
    value; each of the others is the sum, alone, of enough individuals.

    Parameters
    ----------
    columns : Columns
    told : sequence of relations
        Columns that are told from others already.

    Returns
    -------
    list of Fit
    """
    evidence, found, sums = columns.evidence, {each.target: each for each in told}, []
    for target, ruler in columns.rulers.items():
        own = evidence.numbers[target]
        is_many = len(np.unique(own[~np.isnan(own)])) >= _MIN_VALUES
        if target in found or target in evidence.dates or not is_many:
            continue
        banned = dependants(target, found)
        others = [n for n in columns.rulers if n not in banned]
        others = [n for n in others if evidence.are_alike(n, target)]
        parents = _attained(own, others, columns)
        if not 2 <= len(parents) <= _MAX_PARENTS:
            continue
        rule = Fit(target, parents, (1.0,) * len(parents), 0.0)
        missed, known = misses(rule, evidence.numbers, ruler)
        broken, has_own = missed | ~known, ~np.isnan(own)
        largest = own != np.fmax.reduce([evidence.numbers[n] for n in parents])
        is_better = are_few(largest, has_own) and broken.sum() < largest.sum()
        if is_better and are_few(broken, has_own, has_own & is_rarer(own)):
            found[target] = rule
            sums.append(rule)
    return sums


def _attained(own, others, columns):
    """The columns that another is never below, and each of which it is, alone."""
    numbers, usable = columns.evidence.numbers, []
    for name in others:
        known = ~np.isnan(own) & ~np.isnan(numbers[name])
        if known.any() and (own < numbers[name])[known].mean() <= MAX_BROKEN:
            usable.append(name)
    is_own = {name: own == numbers[name] for name in usable}
    # Those that it is least often are left out first where others say as much.
    for name in sorted(usable, key=lambda name: is_own[name].sum()):
        rest = [other for other in usable if other != name]
        if not rest:
            break
        alone = is_own[name] & ~np.any([is_own[other] for other in rest], axis=0)
        if columns.evidence.n_of(alone) < columns.enough:
            usable = rest
    return tuple(usable)
