"""Columns that are the mean of what is there of others: a score of answered items."""

import numpy as np

from coclust_synth.tables.relations import Extreme
from coclust_synth.tables.relations.sums.extremes import MEAN
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.dependants import dependants
from coclust_synth.tables.rules.fitting.regressions import (
    least_absolute,
    leave_little,
    sample_of,
)
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    has_own_digits,
    tolerance,
)
from coclust_synth.tables.rules.sums.search import one_after_another

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Rows that lack none of the others, at least, and times as many as there are columns.
_MIN_ROWS, _TIMES = 50, 4
# Of a mean of p columns the coefficients are one over p but for this share of it.
_NEAR_SHARE = 0.1
# Share of the rows that others may lack.
_MAX_MISSING = 0.5


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

    def mean_of(target, found):
        others = [n for n in numbers if n not in dependants(target, found)]
        parents = _meant(target, others, numbers, columns.rulers[target])
        if len(parents) < 2:
            return None
        rule = Extreme(target, MEAN, parents)
        if not has_own_digits(rule, numbers, columns.rulers[target]):
            return None
        own = numbers[target]
        lacks = np.isnan([numbers[name] for name in parents]).any(axis=0)
        has_own = ~np.isnan(own) & is_rarer(own)
        sides = (has_own & side for side in (lacks, ~lacks))
        return rule if all(n_of(side) >= columns.enough for side in sides) else None

    return one_after_another(sorted(numbers), told, mean_of)


def _meant(target, others, numbers, ruler):
    """Columns of which a column is the mean in rows that have all; none if it is not.

    Each has its middle value among those of the mean.
    """
    sample = sample_of({name: numbers[name] for name in (target, *others)})
    if target not in sample:
        return ()
    known = ~np.isnan(sample[target])
    own = sample[target][known]
    if len(np.unique(own)) < _MIN_VALUES:
        return ()
    columns = {}
    for name in sample.keys() - {target}:
        x = sample[name][known]
        if np.isnan(x).mean() <= _MAX_MISSING:
            if own.min() <= np.nanmedian(x) <= own.max():
                columns[name] = x
    names = [name for name in others if name in columns]
    if len(names) < 2:
        return ()
    x = np.column_stack([columns[name] for name in names])
    missing = np.isnan(x)
    has_all = ~missing.any(axis=1)
    if missing.mean(axis=0).max() <= MAX_UNUSABLE:
        return ()
    if has_all.sum() < max(_MIN_ROWS, _TIMES * len(names)):
        return ()
    x, own = x[has_all], own[has_all]
    if not leave_little(x.T, own, tolerance(own, ruler).mean()):
        return ()
    coefficients, _, _ = least_absolute(x, own)
    for p in range(len(names), 1, -1):
        near = np.abs(p * coefficients - 1) <= _NEAR_SHARE
        if near.sum() == p:
            return tuple(name for name, is_it in zip(names, near, strict=True) if is_it)
    return ()
