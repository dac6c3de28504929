"""The thesis's generalisation of a cut: sets of parts, or nodes of hierarchies.

Each cluster of individuals is released under one cover. Its clusters of parts are
gathered by decreasing counts until every variable has a part; the parts of a variable
so gathered are its set (COC), or the lowest node of its hierarchy that covers them
(COC_HG). Values that other individuals of the cluster hold are not covered.

References
----------
T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee", PhD
thesis, Universite de Nantes, 2018, chapter 4, algorithm 1.
"""

import numpy as np


def gathered_parts(counts, part_clusters, part_variables):
    """Parts that algorithm 1 gathers for each cluster of individuals.

    Parameters
    ----------
    counts : ndarray of int, shape (J_1, J_2)
        Observations of each cluster of individuals in each cluster of parts.
    part_clusters : ndarray of int, shape (V,)
        Cluster of each part.
    part_variables : ndarray of int, shape (V,)
        Variable of each part.

    Returns
    -------
    ndarray of bool, shape (J_1, V)

    Examples
    --------
    >>> counts = np.array([[4, 9, 3], [1, 0, 5]])
    >>> gathered_parts(counts, np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1]))
    array([[False,  True,  True, False],
           [ True, False, False,  True]])
    """
    n_variables = int(part_variables.max()) + 1
    has_variable = np.zeros((counts.shape[1], n_variables), dtype=bool)
    has_variable[part_clusters, part_variables] = True
    # Of equal counts the cluster of the lower number comes first.
    order = np.argsort(-counts, axis=1, kind="stable")
    seen = np.logical_or.accumulate(has_variable[order], axis=1)
    n_gathered = seen.all(axis=2).argmax(axis=1) + 1
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(counts.shape[1])[np.newaxis], axis=1)
    return (rank < n_gathered[:, np.newaxis])[:, part_clusters]


def thesis_cover(rows, coding):
    """Parts that algorithm 1 gathers for each cluster, of those that have values.

    Parameters
    ----------
    rows : ClusteredRows
    coding : LeafCoding
        Of some of its columns, by parts.

    Returns
    -------
    ndarray of bool, shape (J_1, V)
        Parts of the columns of `coding`.
    """
    n_parts = rows.coding.n_parts_per_variable
    first = dict(zip(rows.coding.names, np.cumsum(n_parts) - n_parts, strict=True))
    used = [np.unique(group) for group in coding.groups]
    here = np.concatenate(
        [own + at for own, at in zip(used, coding.records.offsets, strict=True)]
    )
    parts = np.concatenate(
        [first[c.name] + own for c, own in zip(coding.columns, used, strict=True)]
    )
    variables = np.repeat(np.arange(len(used)), [len(own) for own in used])
    gathered = gathered_parts(rows.part_counts(), rows.column_labels[parts], variables)
    kept = np.zeros((len(gathered), coding.records.n_parts), dtype=bool)
    kept[:, here] = gathered
    return kept
