"""Which products of two columns tell what a sum of all columns leaves of another."""

from typing import NamedTuple

import numpy as np

# Of the products that tell most alone, those to each of which a second one is sought.
_MAX_FIRST = 8
# A column, or a product, that others leave no more of than this share tells nothing.
_NOTHING = 1e-9


class Products(NamedTuple):
    """One or two products, and the share that they leave of a column.

    pairs : of columns, by their positions. left : of the squares, from 0.
    """

    pairs: tuple[tuple[int, int], ...]
    left: float


def strongest_products(x, targets):
    """The product, and the two products, that tell most of what others leave.

    What a sum of all the other columns leaves of it is compared with what such a sum
    leaves of each product: in a column that is a sum with products in it, these are all
    that is left. One decomposition serves all columns. A column is what the others say
    and a rest, which stands right on the others: what they and the column leave of a
    product, and what the product has of the rest, are what the others leave of it.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
        Columns, n well above p.
    targets : sequence of int
        Positions of those that may be told.

    Returns
    -------
    dict of int to list of Products
        Of each column that the others do not tell in a sum: of one product, then of
        two. The second one is sought to each of a few that tell most alone.
    """
    x = x - x.mean(axis=0)
    x = x / np.maximum(x.std(axis=0), 1e-300)
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    kept = s > _NOTHING * s[0]
    u, s, vt = u[:, kept], s[kept], vt[kept]
    first, second = np.triu_indices(x.shape[1], 1)
    z = x[:, first] * x[:, second]
    z -= z.mean(axis=0)
    least = _NOTHING * (z * z).sum(axis=0) + 1e-300
    of_others = z - u @ (u.T @ z)
    size = (of_others * of_others).sum(axis=0)
    found = {}
    for target in targets:
        if (vt[:, target] ** 2).sum() < 1 - 1e-6:
            continue  # a sum of the others, as several directions make it up
        rest = u @ (vt[:, target] / s)
        told = (rest / np.linalg.norm(rest)) @ z
        total = size + told**2
        is_open = (first != target) & (second != target) & (total > least)
        if not is_open.any():
            continue
        at = np.flatnonzero(is_open)
        total, told, own = total[at], told[at], of_others[:, at]
        alone = told / np.sqrt(total)
        order = np.argsort(-(alone**2), kind="stable")[:_MAX_FIRST]
        alike = own[:, order].T @ own + np.outer(told[order], told)
        alike /= np.sqrt(np.outer(total[order], total))
        apart = 1 - alike**2
        both = alone[order, None] ** 2 + alone**2
        both -= 2 * alike * np.outer(alone[order], alone)
        both = np.where(apart > 1e-6, both / np.maximum(apart, 1e-6), 0.0)
        i, j = np.unravel_index(both.argmax(), both.shape)

        def pair(c, at=at):
            return int(first[at[c]]), int(second[at[c]])

        one, two = (pair(order[0]),), (pair(order[i]), pair(j))
        found[target] = [
            Products(one, max(0.0, float(1 - alone[order[0]] ** 2))),
            Products(two, max(0.0, float(1 - both[i, j]))),
        ]
    return found
