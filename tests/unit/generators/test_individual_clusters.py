"""Even and uneven cuts of a tree of individuals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import classes as naive
from support.examples import examples

from coclust_synth import MODLCoclustering
from coclust_synth.exceptions import DataWarning, ParameterError
from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.generators.plain.trees.coarser import merge_clusters
from coclust_synth.modl.grid.dendrogram import Dendrogram


@st.composite
def clustered(draw, smallest=0):
    """Individuals in the leaves of a random tree, columns merging in between."""
    n_clusters, n_columns = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    sizes = draw(
        st.lists(
            st.integers(smallest, 6), min_size=n_clusters, max_size=n_clusters
        ).filter(any)
    )
    merges, left = [], [list(range(n_clusters)), list(range(n_columns))]
    while len(left[0]) + len(left[1]) > 2:
        side = draw(st.sampled_from([s for s in (0, 1) if len(left[s]) > 1]))
        pair = draw(
            st.lists(st.sampled_from(left[side]), min_size=2, max_size=2, unique=True)
        )
        left[side].remove(max(pair))
        merges.append((side, min(pair), max(pair)))
    labels = np.repeat(np.arange(n_clusters), sizes)
    dendrogram = Dendrogram(
        np.ones((n_clusters, n_columns), dtype=np.int64),
        np.ones(n_clusters, dtype=np.int64),
        np.ones(n_columns, dtype=np.int64),
        np.array(merges, dtype=np.int64).reshape(-1, 3),
        np.arange(len(merges) + 1.0),
        0.0,
    )
    labels = labels[draw(st.permutations(range(len(labels))))]
    rows = ClusteredRows(None, None, labels, np.arange(n_columns), dendrogram)
    return rows, sizes


def tree_of(rows):
    """The tree of individuals as nested pairs."""
    node = dict(enumerate(range(len(rows.dendrogram.row_sizes))))
    for side, kept, absorbed in rows.dendrogram.merges.tolist():
        if side == 0:
            node[kept] = (node[kept], node.pop(absorbed))
    (tree,) = node.values()
    return tree


def groups(labels):
    return {
        frozenset(np.flatnonzero(labels == own).tolist()) for own in np.unique(labels)
    }


@settings(deadline=None)
@given(clustered(), st.data())
def test_uneven_cuts_are_those_of_the_naive_twin(drawn, data):
    rows, sizes = drawn
    k = data.draw(st.integers(1, len(rows.row_labels)))
    found = rows.uneven_cut(k)
    assert np.unique(found).tolist() == list(range(found.max() + 1))
    expected = {
        frozenset(np.flatnonzero(np.isin(rows.row_labels, list(leaves))).tolist())
        for leaves in naive.uneven_cut(tree_of(rows), sizes, k)
    }
    assert groups(found) == expected - {frozenset()}
    assert np.bincount(found).min() >= k


@pytest.mark.slow
@settings(deadline=None)
@given(clustered(), st.data())
def test_no_cluster_of_an_uneven_cut_can_be_cut(drawn, data):
    """Below each cluster, and below its only branch that holds anybody, one child
    holds too few."""
    rows, sizes = drawn
    k = data.draw(st.integers(1, len(rows.row_labels)))
    clusters = groups(rows.uneven_cut(k))

    def held(tree):
        return sum(sizes[leaf] for leaf in naive.leaves_of(tree))

    def check(tree):
        if isinstance(tree, int):
            return
        of_tree = np.flatnonzero(np.isin(rows.row_labels, list(naive.leaves_of(tree))))
        if frozenset(of_tree.tolist()) in clusters:
            assert min(held(tree[0]), held(tree[1])) < k
        for child in tree:
            check(child)

    check(tree_of(rows))


@settings(deadline=None)
@given(clustered(), st.data())
def test_even_cuts_are_found_by_stepping_through_the_levels(drawn, data):
    rows, _ = drawn
    k = data.draw(st.integers(1, len(rows.row_labels)))
    for step in range(len(rows.dendrogram.merges) + 1):
        level = rows.dendrogram.level(step)
        labels = level.row_map[rows.row_labels]
        if np.unique(labels, return_counts=True)[1].min() >= k:
            break
    cut = rows.even_cut(k)
    assert groups(cut.row_labels) == groups(labels)
    assert groups(cut.column_labels) == groups(level.column_map)
    assert len(cut.dendrogram.merges) == len(rows.dendrogram.merges) - step
    assert set(cut.row_labels) <= set(range(len(cut.dendrogram.row_sizes)))
    # Never coarser than the even one.
    coarse, fine = cut.row_labels, rows.uneven_cut(k)
    assert len(set(zip(coarse, fine, strict=True))) == fine.max() + 1


@pytest.mark.parametrize("k", [0, -1, 7, 2.5])
def test_k_is_checked(k):
    rows = ClusteredRows(
        None,
        None,
        np.zeros(6, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        Dendrogram(
            np.ones((1, 1), dtype=np.int64),
            np.array([6]),
            np.array([1]),
            np.empty((0, 3), dtype=np.int64),
            np.zeros(1),
            0.0,
        ),
    )
    for cut in (rows.even_cut, rows.uneven_cut):
        with pytest.raises(ParameterError, match=r"Expected k .* from 1 to 6"):
            cut(k)


# Of a model


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "job": np.array(list("abcdef"))[group * 2 + rng.integers(0, 2, n)],
            "age": 20 + 15 * group + rng.integers(0, 12, n),
            "town": np.array(["x", "y", "z"])[group],
        }
    )


def test_rows_of_a_fitted_model_are_in_its_clusters():
    table = people()
    model = MODLCoclustering(bins=5, n_iterations=5, random_state=0).fit(table)
    rows = ClusteredRows.of_cut(table, model.coding_, model.dendrogram_.best())
    np.testing.assert_array_equal(rows.row_labels, model.row_labels_)
    np.testing.assert_array_equal(rows.part_counts(), model.grid_.cells)
    assert rows.row_sizes.tolist() == np.bincount(model.row_labels_).tolist()


def test_rows_of_a_saved_model_are_where_they_cost_least():
    """A row whose cluster is plain goes there, and a value unknown to the model counts
    for nothing."""
    table = people()
    fitted = CoclusterSynthesizer(k=20, n_iterations=5, random_state=0).fit(table)
    model = fitted.model_
    rows = ClusteredRows.of_model(table, model)
    towns = [table["town"][rows.row_labels == own] for own in set(rows.row_labels)]
    assert all(town.nunique() == 1 for town in towns)
    assert rows.part_counts().sum() == table.size
    other = table.assign(job="unheard of")
    with pytest.warns(DataWarning, match="unheard of"):
        unknown = ClusteredRows.of_model(other, model)
    assert unknown.part_counts().sum() == 2 * len(table)
    towns = [table["town"][unknown.row_labels == own] for own in set(rows.row_labels)]
    assert all(town.nunique() <= 1 for town in towns)


@settings(deadline=None, max_examples=examples(100))
@given(clustered(), st.integers(1, 12), st.integers(1, 12))
def test_clusters_merge_as_a_coarser_cut_has_them(table, k, more):
    rows, sizes = table
    k, coarse = min(k, sum(sizes)), min(max(k, more), sum(sizes))
    clusters, merges = rows.uneven_cut(k), rows.uneven_merges(k)
    assert len(merges) == clusters.max()
    cluster_of, left = merge_clusters(np.bincount(clusters), merges, coarse)
    assert groups(cluster_of[clusters]) == groups(rows.uneven_cut(coarse))
    again, none = merge_clusters(
        np.bincount(cluster_of[clusters]), left, len(rows.row_labels)
    )
    assert set(again) == {0} and not len(none)
