"""Which parents a column of a Bayesian network may have, and what they tell of it."""

import numpy as np


def maximal_parent_sets(sizes, limit):
    """Largest sets of columns with at most some cells together.

    Algorithm 5 of Zhang et al. (2017) without taxonomies.

    Parameters
    ----------
    sizes : sequence of (column, int)
        Candidate parents and their numbers of cells.
    limit : float
        Cells that all parents together may have.

    Returns
    -------
    list of frozenset
        None is a part of another. Empty if even no parent at all is too many.
    """
    if limit < 1:
        return []
    if not sizes:
        return [frozenset()]
    (first, size), *others = sizes
    with_first = [
        parents | {first} for parents in maximal_parent_sets(others, limit / size)
    ]
    # Those which `first` can join are not maximal without it.
    joined = {parents - {first} for parents in with_first}
    without = maximal_parent_sets(others, limit)
    return with_first + [parents for parents in without if parents not in joined]


def row_score(child, parents, n_children, n_parents):
    """Rows that would have to move for a column and its parents to be independent.

    n times the score R of Zhang et al. (2017, section 5.3), which is half the L1
    distance between the joint distribution and the product of both margins, rounded
    down. In rows it needs no public n, and adding a row changes it by at most 2: the
    row's joint cell gains 1; in the product of margins, cells that share neither its
    value nor its parents' lose at most n / (n + 1) together, all others gain as much
    and 1 more, the row's own cell at least 1 / (n + 1) of it. Half the L1 distance
    between both changes is then at most 2 n / (n + 1), and floor keeps a whole bound.

    Parameters
    ----------
    child, parents : ndarray of int, shape (n,)
        Cell of each row.
    n_children, n_parents : int
        Numbers of cells.

    Returns
    -------
    int
    """
    n = len(child)
    if n == 0:
        return 0
    cells = parents.astype(np.int64) * n_children + child
    joint = np.bincount(cells, minlength=n_parents * n_children)
    joint = joint.reshape(n_parents, n_children)
    product = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    return int(np.abs(n * joint - product).sum()) // (2 * n)
