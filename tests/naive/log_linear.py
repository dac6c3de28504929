"""A log-linear model by its whole joint distribution, cell after cell."""

from itertools import product
from math import exp


def evaluate(sizes, measured, supports):
    """The distribution of all variables, and the share of each label.

    Parameters
    ----------
    sizes : sequence of int
    measured : list of (tuple of int, list of int, list of float)
        Variables, the label of each of their cells in C order, and the logarithm of the
        factor of each label.
    supports : list of (tuple of int, list of bool)
        Variables, and which of their cells occur.

    Returns
    -------
    joint : dict of tuple of int to float
    margins : list of list of float
    """
    joint = {}
    for cell in product(*map(range, sizes)):
        log = sum(
            logs[labels[_number(cell, group, sizes)]]
            for group, labels, logs in measured
        )
        occurs = all(of[_number(cell, group, sizes)] for group, of in supports)
        joint[cell] = exp(log) if occurs else 0.0
    total = sum(joint.values())
    joint = {cell: value / total for cell, value in joint.items()}
    margins = [[0.0] * len(logs) for _, _, logs in measured]
    for cell, share in joint.items():
        for margin, (group, labels, _) in zip(margins, measured, strict=True):
            margin[labels[_number(cell, group, sizes)]] += share
    return joint, margins


def _number(cell, group, sizes):
    """Of the values of some variables in a cell, in C order."""
    number = 0
    for v in group:
        number = number * sizes[v] + cell[v]
    return number
