"""Steps that fits of rows and fits of counts have in common."""

import warnings
from dataclasses import replace

import numpy as np

from coclust_synth.exceptions import DataWarning, ParameterError
from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.plain.losing import learn_in_order
from coclust_synth.generators.plain.persons.learning.from_table import without_lost
from coclust_synth.generators.plain.persons.learning.rows_of_keys import learn_with_keys
from coclust_synth.generators.plain.structured.commoner import with_common_values
from coclust_synth.generators.plain.structured.dates.eras import with_eras
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare import DEFAULT_RARE
from coclust_synth.tables.values.keys import person_key

# A leaf of fewer individuals would be them.
MIN_LEAF = 5
# Individuals of a cluster, at least, where nobody says how many; fewer show in all.
FEWEST = 10


def default_k(n_individuals):
    """Individuals that each cluster holds at least, where nobody says how many.

    100, as rows drawn from such clusters hardly tell who is in the table
    (docs/plain_figures.md, "Each column on its own"); in a small table a twentieth
    of the individuals, so that clusters are left to tell apart, but 10 at least, or
    all of them.

    Parameters
    ----------
    n_individuals : int
        From 1.

    Returns
    -------
    int
    """
    return min(max(FEWEST, min(100, n_individuals // 20)), n_individuals)


def check_leaves(k, n_individuals):
    """Refuse leaves of trees that would be of few individuals.

    Raises
    ------
    ParameterError
    """
    if k < min(MIN_LEAF, n_individuals):
        raise ParameterError(
            f"Expected k of {MIN_LEAF} or more where values are drawn from leaves of "
            f"trees. Received {k}. Choose a larger k, or --within independent "
            '(within="independent" in Python).'
        )


def check_rare(rare, k, schema):
    """Individuals that a category describes at least; never more than a cluster's."""
    asked = {"rare": rare} | {
        f"`rare` of column {column.name!r}": column.rare
        for column in schema.kept.columns
    }
    for name, number in asked.items():
        if number is not None and number > k:
            raise ParameterError(
                f"Expected {name} up to k, {k}. Received {number}. Choose a smaller "
                "one, or a larger k."
            )
    return min(DEFAULT_RARE, k) if rare is None else rare


def cut_at(dendrogram, k, how, clock):
    """Clusters of k individuals at least, in which variables are independent."""
    if k == 1:  # clusters of one would be the individuals themselves
        return dendrogram.best()
    if how == "even":
        return dendrogram.cut(k=k, clock=clock)
    return dendrogram.uneven_cut(k, clock=clock)


def structure_of(frame, schema, evidence, rules, clustered, k, seed, nested=()):
    """Trees of the rows of a table, or of its persons, in clusters of k individuals."""
    clusters = clustered.uneven_cut(k)
    rng = np.random.default_rng(seed)
    lost = {}
    if evidence.persons is not None:
        evidence, lost = without_lost(evidence, rules, k)
    evidence = with_eras(evidence, k)
    grouped, evidence = evidence, with_common_values(evidence, clusters, k, rng, lost)
    if evidence.persons is None:
        structure = learn_in_order(evidence, rules, clusters, k, rng)
        return replace(structure, cluster_merges=clustered.uneven_merges(k))
    ids = person_key(frame, schema, evidence.persons.column)
    return learn_with_keys(evidence, rules, clusters, k, ids, nested, grouped)


def clusters_inside(clustered, cut, k):
    """The cluster of a cut that each uneven one is in: both are nodes of one tree."""
    labels, persons = cut.row_labels, clustered.persons
    clusters = clustered.uneven_cut(k)
    inside = np.empty(int(clusters.max()) + 1, dtype=np.int64)
    inside[clusters] = labels if persons is None else labels[persons.codes]
    return inside


def clustered_rows(released, coding, cut, persons):
    """Rows in the clusters of a cut; those of a person are in one."""
    if persons is not None:
        cut = replace(cut, row_labels=cut.row_labels[persons.codes])
    return ClusteredRows.of_cut(released.values, coding, cut, persons)


def count_parts(dendrogram, row_labels):
    """Rows of each cluster of individuals that have each part, (J_1, V) int64."""
    side, parts = dendrogram.contingency.sides
    counts = np.zeros((int(row_labels.max()) + 1, len(parts.total)), dtype=np.int64)
    clusters = np.empty(len(side.size), dtype=np.int64)
    clusters[dendrogram.rows] = row_labels
    np.add.at(
        counts, (np.repeat(clusters, np.diff(side.indptr)), side.opposite), side.count
    )
    return counts


def warn_of_small(model):
    """Warn of clusters of few individuals, of k = 1 or as the table has no more."""
    smallest = model.smallest_cluster
    if model.n_individuals < FEWEST:
        warnings.warn(
            f"Expected {FEWEST} individuals or more. Received {model.n_individuals}: "
            "what is drawn describes them and nobody else. Show the result only to "
            "people who may see the table.",
            DataWarning,
            stacklevel=3,
        )
    elif model.k == 1 and smallest < min(MIN_ROWS, model.n_individuals):
        warnings.warn(
            f"Expected clusters of {MIN_ROWS} individuals or more. Received one of "
            f"{smallest}: what is drawn from it describes {smallest} individuals. "
            "Give a larger k, which merges small clusters.",
            DataWarning,
            stacklevel=3,
        )
