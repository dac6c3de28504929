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

from dataclasses import replace

import numpy as np

from coclust_synth.generators.derived.hierarchies import part_hierarchies
from coclust_synth.generators.kanon.classes.forming import cover_classes
from coclust_synth.generators.kanon.coclustered import CoclusterKAnonymizer, Covering
from coclust_synth.tables.generalized.leaf_coding import LeafCoding


class COCAnonymizer(CoclusterKAnonymizer):
    """k-anonymous tables of the thesis: clusters of one level, as sets of parts.

    The classes are the clusters of individuals of the finest level of a co-clustering
    whose clusters all hold k. A class is released under the parts that its clusters of
    parts gather, see the head of this module. Rows with other parts are perturbed.

    `HybridKAnonymizer` says what is protected, and what is not.

    Parameters
    ----------
    k, quasi_identifiers, sensitive, models, population, max_suppressed
        As of `HybridKAnonymizer`.
    sensitive_values, others, person_id, hierarchies, model
        As of `HybridKAnonymizer`; a saved model must have a part for each value.
    bins, n_iterations, time_limit, n_jobs, random_state, callback
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_, coclustering_, hierarchies_
        As of `HybridKAnonymizer`.
    cut_short_ : tuple of str
        What there was no time to complete: "search" or "splits".

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 4, algorithm 1.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> anonymizer = COCAnonymizer(k=12, n_iterations=3, random_state=0)
    >>> anonymizer.fit_transform(table).class_sizes.tolist()
    [24]
    """

    def _check_parts(self, coding, table):
        coding.encode(table)  # refuses a value that is in no part

    def _cut(self, dendrogram, clock):
        return dendrogram.cut(k=self.k, clock=clock)

    def _covering(self, people, rows):
        coding = LeafCoding.learn(
            people.values, people.asked, parts=rows.coding, part_codes=rows.part_codes
        )
        no_interval = np.zeros(len(coding.columns), dtype=bool)
        labels = rows.even_cut(self.k).row_labels
        return Covering(coding, no_interval, ~no_interval, labels)

    def _forms(self, problem, clusters, clock):
        yield cover_classes(problem, clusters)

    def _cover(self, rows, coding, kept, classes, left):
        even = rows.even_cut(self.k)
        even = replace(even, part_codes=even.part_codes[left], row_labels=classes[left])
        return thesis_cover(even, coding)


class COCHGAnonymizer(COCAnonymizer):
    """k-anonymous tables of the thesis: clusters of one level, as nodes of hierarchies.

    As `COCAnonymizer`, except that each set of parts is released as the lowest node of
    a hierarchy that covers it. If no hierarchy is given for a column, one is derived
    from the same co-clustering.

    Parameters
    ----------
    k, quasi_identifiers, sensitive, models, population, max_suppressed
        As of `HybridKAnonymizer`.
    sensitive_values, others, person_id, hierarchies, model
        As of `HybridKAnonymizer`; a saved model must have a part for each value.
    bins, n_iterations, time_limit, n_jobs, random_state, callback
        As of `HybridKAnonymizer`.

    Attributes
    ----------
    release_, classes_, report_, roles_, coclustering_, hierarchies_, cut_short_
        As of `COCAnonymizer`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> anonymizer = COCHGAnonymizer(k=12, n_iterations=3, random_state=0)
    >>> anonymizer.fit_transform(table)["pet"].labels
    ('{a, b}',)
    """

    def _derived(self, people, rows):
        return part_hierarchies(
            people.values,
            people.asked,
            rows.coding,
            rows.part_codes,
            rows.column_labels,
            rows.dendrogram.merges,
        )


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
