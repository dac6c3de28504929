"""Which parents a column of a Bayesian network may have."""


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
