"""Columns of few values are counted together where that puts each no farther off.

Two columns counted apart share a budget; counted together both get all of it, and a
value of the one is a sum of as many noisy counts as the other has values. Where these
are few, noise is less, and what the columns have to do with each other is told as well.
The groups are functions of the declared domain alone.
"""

from math import prod, sqrt

import numpy as np

# Columns in a group: of more, of two values or more each, noise is more than apart.
_MOST = 8


def group_columns(sizes, power):
    """Columns in the groups in which noise puts their values least off.

    Parameters
    ----------
    sizes : tuple of d int
        Values of each column.
    power : {1, 2}
        Noise is as one over the `power`-th root of its cost: 1 for epsilon, 2 for rho.

    Returns
    -------
    groups : list of tuple of int
        Increasing; each column is in one. The first group has the first column.
    weights : ndarray of float64
        Of each group: what its cost is in proportion to, for errors that add up to
        least.

    Notes
    -----
    Of a budget E, a group that gets a share w of it puts the values of its columns off
    by c / (w E)^(1 / power) in all, where c = sum_j s_j sqrt(m / s_j), with s_j values
    of a column and m cells of the group. These sums are least where w is as
    c^(power / (power + 1)), and then together as the (1 + 1 / power)-th power of the
    sum of what w is in proportion to. That sum is made least over all ways to cut the
    columns, in order of their sizes, into runs.
    """
    order = sorted(range(len(sizes)), key=lambda j: sizes[j])

    def weight(run):
        m = prod(sizes[j] for j in run)
        return sum(sqrt(sizes[j] * m) for j in run) ** (power / (power + 1))

    # Least sum of the weights of the first columns, and where their last run begins.
    # What is equal but for rounding is counted together.
    least, begins = [0.0], []
    for end in range(1, len(order) + 1):
        sums = [
            (round(least[begin] + weight(order[begin:end]), 9), begin)
            for begin in range(max(0, end - _MOST), end)
        ]
        total, begin = min(sums)
        least.append(total)
        begins.append(begin)
    groups, end = [], len(order)
    while end:
        groups.append(tuple(sorted(order[begins[end - 1] : end])))
        end = begins[end - 1]
    groups.sort()
    return groups, np.array([weight(group) for group in groups])


def noisy_values(sizes, power):
    """Values of all columns that would be as far off, were no columns grouped.

    Of columns of as many values each, which are counted apart.

    Parameters
    ----------
    sizes : tuple of d int
    power : {1, 2}
        As of `group_columns`.

    Returns
    -------
    float
        The sum of `sizes` for columns of one size that are in no group, else less.
    """
    _, weights = group_columns(sizes, power)
    return weights.sum() ** (1 + 1 / power) / len(sizes) ** (1 / power)
