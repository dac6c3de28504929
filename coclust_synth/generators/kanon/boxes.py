"""Boxes of records: cut in two at the median, again and again, as Mondrian does.

Where every label must stand for all values of its class, and classes are large, what
clusters leave over widens the labels of many rows: boxes have no such rows. They are
another place to begin from, and records move between them as between others.

References
----------
K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Mondrian multidimensional k-anonymity",
ICDE 2006.
"""

import numpy as np

from coclust_synth.generators.kanon.classes.persons import persons_by_label


def boxes(problem):
    """Cut all records into boxes of k persons or more.

    The variable that a box has most of is cut, or else the one after it: where rows
    are nearest to equal on both sides, if both hold k persons. Leaves that have no
    order are in that of their numbers.

    Parameters
    ----------
    problem : Problem
        Of k persons at least.

    Returns
    -------
    ndarray of int64, shape (N,)
        Box of each record, from 0 without gaps.
    """
    label = np.zeros(len(problem.leaves), dtype=np.int64)
    open_, n_boxes = [np.arange(len(label))], 0
    while open_:
        members = open_.pop()
        sides = _cut(problem, members)
        if sides is None:
            label[members] = n_boxes
            n_boxes += 1
        else:
            open_ += sides
    return label


def _cut(problem, members):
    """Two sides of a box, each of k persons; None if no variable has such."""
    leaves = problem.leaves[members]
    found = [np.unique(own) for own in leaves.T]
    most = np.maximum(np.diff(problem.starts) - 1, 1)
    shares = [(len(own) - 1) / m for own, m in zip(found, most, strict=True)]
    for j in sorted(range(len(shares)), key=lambda j: -shares[j]):
        if shares[j] == 0:
            break
        weights = np.bincount(
            np.searchsorted(found[j], leaves[:, j]), problem.weight[members]
        )
        below = np.cumsum(weights)[:-1]
        last = found[j][np.argmin(np.abs(below - weights.sum() / 2))]
        is_high = (leaves[:, j] > last).astype(np.int64)
        if persons_by_label(problem, is_high, 2, members).min() >= problem.k:
            return [members[is_high == 1], members[is_high == 0]]
    return None
