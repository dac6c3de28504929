"""Cuts of a dendrogram above and below its best grid."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from naive import modl as naive
from support.clocks import Ticks

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.search.grid_dendrogram import GridDendrogram, refine
from coclust_synth.modl.search.two_sides import search_grid


class Case:
    """Rows of three kinds, weights 1 to 3, their best grid and its dendrogram."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        kinds = rng.integers(0, 3, 120)
        own = np.arange(12) % 3 == kinds[:, None]
        self.counts = rng.poisson(np.where(own, 3.0, 0.4))
        self.counts[:, 0] += self.counts.sum(axis=1) == 0
        self.counts[0] += self.counts.sum(axis=0) == 0
        self.weights = rng.integers(1, 4, 120)
        self.contingency = Contingency.from_matrix(self.counts, self.weights)
        self.grid = search_grid(self.contingency, n_iterations=5, seed=0).grid
        self.rows = rng.permutation(np.repeat(np.arange(120), self.weights))
        self.n = len(self.rows)

    def dendrogram(self, seed=0):
        return GridDendrogram.from_grid(
            self.contingency, self.grid, seed=seed, rows=self.rows
        )

    def naive_cost(self, cut):
        rows = self.counts[self.rows].tolist()
        return naive.cost(rows, cut.row_labels.tolist(), cut.column_labels.tolist())


@pytest.fixture(scope="module", params=[0, 1])
def case(request):
    return Case(request.param)


@pytest.fixture(scope="module")
def dendrogram(case):
    return case.dendrogram()


def cuts(dendrogram):
    smallest, (n_rows, n_columns) = dendrogram.row_sizes.min(), dendrogram.cells.shape
    return [
        dendrogram.best(),
        *(dendrogram.uneven_cut(k) for k in (2, smallest + 1, 2 * smallest)),
        *(dendrogram.cut(k=k) for k in (1, 2, 5, smallest, smallest + 1)),
        *(
            dendrogram.cut(n_clusters=shape)
            for shape in ((n_rows, n_columns + 2), (2, 2), (n_rows + 9, 12), (1, 1))
        ),
        *(dendrogram.cut(information=share) for share in (0.0, 0.5, 1.0)),
    ]


@pytest.mark.slow
def test_labels_cells_and_cost_of_a_cut_are_those_of_the_table(case, dendrogram):
    for cut in cuts(dendrogram):
        assert cut.row_labels.shape == (case.n,) and cut.column_labels.shape == (12,)
        cells = np.zeros_like(cut.dendrogram.cells)
        where = cut.row_labels[:, None], cut.column_labels
        np.add.at(cells, where, case.counts[case.rows])
        np.testing.assert_array_equal(cells, cut.dendrogram.cells)
        np.testing.assert_array_equal(
            np.bincount(cut.row_labels), cut.dendrogram.row_sizes
        )
        np.testing.assert_array_equal(
            np.bincount(cut.column_labels), cut.dendrogram.column_sizes
        )
        assert cut.cost == pytest.approx(case.naive_cost(cut), rel=1e-10)
        assert cut.dendrogram.best_cost == case.grid.cost


def test_the_best_grid_is_a_cut(case, dendrogram):
    for cut in (dendrogram.best(), dendrogram.cut(k=case.grid.row_sizes.min())):
        np.testing.assert_array_equal(cut.row_labels, case.grid.row_labels[case.rows])
        np.testing.assert_array_equal(cut.column_labels, case.grid.column_labels)
        assert cut.cost == case.grid.cost


@pytest.mark.parametrize("k", [1, 2, 5, 10])
def test_below_the_best_grid_clusters_are_split_as_far_as_k_allows(case, dendrogram, k):
    best = dendrogram.cells.shape
    assert k < dendrogram.row_sizes.min()
    cut = dendrogram.cut(k=k)
    assert cut.dendrogram.row_sizes.min() >= k
    assert cut.dendrogram.cells.shape[0] > best[0]
    assert cut.dendrogram.cells.shape[1] == 12
    if k == 1:
        assert len(set(zip(case.rows, cut.row_labels, strict=True))) == 120
        assert cut.dendrogram.cells.shape[0] == 120


def test_smaller_k_gives_more_clusters_nested_in_the_best_grid(case, dendrogram):
    previous = dendrogram.cells.shape[0]
    best = dendrogram.best()
    for k in (10, 5, 2, 1):
        cut = dendrogram.cut(k=k)
        assert cut.dendrogram.cells.shape[0] >= previous
        previous = cut.dendrogram.cells.shape[0]
        pairs = set(zip(cut.row_labels, best.row_labels, strict=True))
        assert len(pairs) == previous


def test_an_uneven_cut_is_the_level_where_no_cluster_is_small(dendrogram):
    for k in (2, 5, dendrogram.row_sizes.min()):
        uneven, level = dendrogram.uneven_cut(k), dendrogram.cut(k=k)
        if k < dendrogram.row_sizes.min():
            np.testing.assert_array_equal(uneven.row_labels, level.row_labels)
            np.testing.assert_array_equal(uneven.column_labels, level.column_labels)


def test_clusters_are_merged_only_where_they_are_small(case, dendrogram):
    finest = dendrogram.cut(k=5)
    sizes = finest.dendrogram.row_sizes
    for k in (8, 20, 60, case.n):
        cut = finest.merged(k)
        assert cut.dendrogram.row_sizes.min() >= k
        pairs = set(zip(cut.row_labels, finest.row_labels, strict=True))
        large = [new for new, old in pairs if sizes[old] >= k]
        assert len(large) == len(set(large))
        np.testing.assert_array_equal(cut.column_labels, finest.column_labels)
        # From there on down to one cell, by the merges that are left.
        path = cut.dendrogram
        assert len(path.merges) == sum(path.cells.shape) - 2
        assert path.null_cost == pytest.approx(dendrogram.null_cost)
        assert path.information[-1] == 0.0
        assert (np.diff(path.information) <= 0).all()


def test_the_smallest_cluster_is_merged_where_it_costs_least(case, dendrogram):
    best, small = dendrogram.best(), dendrogram.row_sizes.argmin()
    labels = best.row_labels
    cheapest = min(
        case.naive_cost(replace(best, row_labels=np.where(labels == small, i, labels)))
        for i in set(labels) - {small}
    )
    cut = best.merged(dendrogram.row_sizes.min() + 1)
    assert len(cut.dendrogram.row_sizes) == len(dendrogram.row_sizes) - 1
    assert cut.cost == pytest.approx(cheapest)


def test_parts_are_split_one_by_one_and_rows_are_left(dendrogram):
    n_rows, n_columns = dendrogram.cells.shape
    for n in range(n_columns + 1, 14):
        cut = dendrogram.cut(n_clusters=(n_rows + 5, n))
        assert cut.dendrogram.cells.shape == (n_rows, min(n, 12))


def test_few_row_clusters_hold_though_parts_may_be_many(dendrogram):
    cut = dendrogram.cut(n_clusters=(2, 12))
    assert cut.dendrogram.cells.shape[0] == 2


def test_what_is_finer_is_what_refine_gives(case, dendrogram):
    finer = refine(case.contingency, case.grid, dendrogram, min_size=7, seed=0)
    cut = dendrogram.cut(k=7)
    np.testing.assert_array_equal(cut.row_labels, finer.row_labels[case.rows])
    np.testing.assert_array_equal(cut.dendrogram.costs, finer.dendrogram.costs)


def test_splits_are_made_once_and_only_when_asked_for(case, monkeypatch):
    asked = []

    def counting(*args, **options):
        asked.append(options["min_size"])
        return refine(*args, **options)

    monkeypatch.setattr("coclust_synth.modl.search.grid_dendrogram.refine", counting)
    dendrogram = case.dendrogram()
    dendrogram.cut(k=int(dendrogram.row_sizes.min()))
    dendrogram.cut(n_clusters=dendrogram.cells.shape)
    dendrogram.cut(information=0.7)
    assert asked == []
    for _ in range(2):
        dendrogram.cut(k=4)
        dendrogram.cut(n_clusters=(1, 12))
        dendrogram.cut(n_clusters=(2, 11))
    assert asked == [4, case.n]


def test_equal_seeds_give_equal_cuts_in_any_order(case):
    one, two = case.dendrogram(seed=3), case.dendrogram(seed=3)
    two.cut(k=2)
    for how in ({"k": 6}, {"n_clusters": (9, 12)}):
        np.testing.assert_array_equal(
            one.cut(**how).row_labels, two.cut(**how).row_labels
        )
        np.testing.assert_array_equal(
            one.cut(**how).dendrogram.merges, two.cut(**how).dendrogram.merges
        )


def test_a_pickled_dendrogram_is_cut_the_same(dendrogram):
    again = pickle.loads(pickle.dumps(dendrogram))
    for how in ({"k": 3}, {"n_clusters": (9, 12)}):
        np.testing.assert_array_equal(
            again.cut(**how).row_labels, dendrogram.cut(**how).row_labels
        )


def test_a_cut_holds_neither_rows_nor_anything_finer(dendrogram):
    for cut in cuts(dendrogram):
        assert type(cut.dendrogram).__name__ == "Dendrogram"
        assert cut.dendrogram.step_at(k=1) == 0


def test_by_default_each_row_is_an_individual(case):
    dendrogram = GridDendrogram.from_grid(case.contingency, case.grid)
    assert dendrogram.cut(k=2).row_labels.shape == (120,)


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({}, "exactly one"),
        ({"k": 3, "information": 0.5}, "exactly one"),
        ({"k": 0}, "whole number from 1"),
        ({"k": 10_000}, "Received 10000"),
        ({"n_clusters": (3, 0)}, "number of column clusters"),
        ({"n_clusters": 12}, "two numbers of clusters"),
        ({"information": 1.5}, "from 0 to 1"),
    ],
)
def test_cuts_that_cannot_be(dendrogram, how, match):
    with pytest.raises(ParameterError, match=match):
        dendrogram.cut(**how)


def test_what_the_time_cuts_short_is_not_kept(case):
    dendrogram = case.dendrogram()
    clock = Ticks(3)
    short = dendrogram.cut(k=2, clock=clock)
    assert clock.cut_short == ["splits"]
    whole, expected = dendrogram.cut(k=2), case.dendrogram().cut(k=2)
    assert len(whole.dendrogram.merges) > len(short.dendrogram.merges)
    np.testing.assert_array_equal(whole.row_labels, expected.row_labels)
    # Nothing is cut short where nothing has to be split.
    clock = Ticks(0)
    dendrogram.cut(k=case.n, clock=clock)
    assert clock.cut_short == []
