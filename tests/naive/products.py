"""Products that tell what a sum leaves: every one tried, by least squares."""

from itertools import combinations

import numpy as np


def left_by(x, target, pairs):
    """Share of what the others leave of a column that these products leave."""
    others = np.delete(x, target, axis=1)
    design = np.column_stack([np.ones(len(x)), others])
    products = [x[:, i] * x[:, j] for i, j in pairs]

    def squares(columns):
        told = columns @ np.linalg.lstsq(columns, x[:, target], rcond=None)[0]
        return ((x[:, target] - told) ** 2).sum()

    return squares(np.column_stack([design, *products])) / squares(design)


def strongest_products(x, target):
    """The product, and the two products, that leave least of a column."""
    columns = [j for j in range(x.shape[1]) if j != target]
    pairs = list(combinations(columns, 2))
    one = min((left_by(x, target, [pair]), (pair,)) for pair in pairs)
    two = min((left_by(x, target, both), both) for both in combinations(pairs, 2))
    return one, two
