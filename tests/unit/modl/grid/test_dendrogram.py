from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from naive import modl as naive
from scipy.cluster.hierarchy import is_valid_linkage, leaves_list

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.criterion.terms import cost_terms
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.search.two_sides import search_grid


class Case:
    """A table of counts with weighted rows, a grid of it and its dendrogram."""

    def __init__(self, counts, weights, row_labels, column_labels):
        self.counts, self.weights = np.asarray(counts), np.asarray(weights)
        self.contingency = Contingency.from_matrix(self.counts, self.weights)
        self.grid = Grid.from_labels(self.contingency, row_labels, column_labels)
        self.dendrogram = Dendrogram.from_grid(self.contingency, self.grid)
        self.n_steps = len(self.dendrogram.costs)

    def labels(self, step):
        """Cluster of each row and column of the table at a step."""
        level = self.dendrogram.level(step)
        return level.row_map[self.grid.row_labels], (
            level.column_map[self.grid.column_labels]
        )


def any_grid(seed, shape=(9, 7), n_clusters=(6, 5), max_weight=4):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.5, 2.0, shape))
    counts[counts.sum(axis=1) == 0, 0] = 1
    labels = [
        np.concatenate([np.arange(j), rng.integers(0, j, n - j)])
        for n, j in zip(shape, n_clusters, strict=True)
    ]
    return Case(counts, rng.integers(1, max_weight + 1, shape[0]), *labels)


def planted_grid():
    """The best grid of a table of 4 x 3 blocks; its dendrogram starts there."""
    rng = np.random.default_rng(0)
    rows, columns = np.arange(32) % 4, np.arange(18) % 3
    mean = rng.gamma(0.5, 4.0, (4, 3))
    counts = rng.poisson(mean[np.ix_(rows, columns)])
    weights = rng.integers(1, 4, 32)
    grid = search_grid(Contingency.from_matrix(counts, weights), n_iterations=5).grid
    return Case(counts, weights, grid.row_labels, grid.column_labels)


CASES = [lambda seed=seed: any_grid(seed) for seed in range(6)] + [planted_grid]


@pytest.fixture(scope="module", params=CASES, ids=[*map(str, range(6)), "planted"])
def case(request):
    return request.param()


# Levels


def test_each_step_is_counted_and_costs_as_its_labels_say(case):
    for step in range(case.n_steps):
        level = case.dendrogram.level(step)
        rows, columns = case.labels(step)
        cells = np.zeros(level.cells.shape, dtype=np.int64)
        weighted = case.counts * case.weights[:, None]
        np.add.at(cells, (rows[:, None], columns[None, :]), weighted)
        np.testing.assert_array_equal(level.cells, cells)
        np.testing.assert_array_equal(level.row_sizes, np.bincount(rows, case.weights))
        np.testing.assert_array_equal(level.column_sizes, np.bincount(columns))
        expected = cost_terms(
            cells, level.row_sizes, level.column_sizes, case.contingency.log_fact_values
        ).total
        assert case.dendrogram.costs[step] == pytest.approx(expected, rel=1e-13)
        again = Grid.from_labels(case.contingency, rows, columns)
        assert case.dendrogram.costs[step] == pytest.approx(again.cost, rel=1e-13)


def test_costs_agree_with_the_naive_formula():
    case = any_grid(11)
    for step in range(case.n_steps):
        rows, columns = case.labels(step)
        counts, rows = naive.expand(case.counts.tolist(), case.weights, rows.tolist())
        expected = naive.cost(counts, rows, columns.tolist())
        assert case.dendrogram.costs[step] == pytest.approx(expected, rel=1e-12)


def test_steps_go_from_the_grid_to_one_cell(case):
    dendrogram = case.dendrogram
    shape = case.grid.shape
    assert dendrogram.merges.shape == (sum(shape) - 2, 3)
    assert dendrogram.costs.shape == (sum(shape) - 1,)
    assert (dendrogram.merges[:, 1] < dendrogram.merges[:, 2]).all()
    first, last = dendrogram.level(0), dendrogram.level(case.n_steps - 1)
    np.testing.assert_array_equal(first.cells, case.grid.cells)
    assert dendrogram.costs[0] == dendrogram.best_cost == case.grid.cost
    assert last.cells.tolist() == [[case.contingency.n_observations]]
    assert dendrogram.null_cost == pytest.approx(Grid.null(case.contingency).cost)
    for step in range(case.n_steps):
        assert sum(dendrogram.level(step).cells.shape) == sum(shape) - step


def test_steps_are_nested(case):
    for step in range(case.n_steps - 1):
        finer, coarser = case.labels(step), case.labels(step + 1)
        pairs = [
            set(zip(f, c, strict=True)) for f, c in zip(finer, coarser, strict=True)
        ]
        clusters = [len(set(f.tolist())) for f in finer]
        assert [len(p) for p in pairs] == clusters


def test_the_step_is_clear_of_what_was_asked_before(case):
    before = case.dendrogram.level(2).cells.copy()
    case.dendrogram.level(case.n_steps - 1).cells[:] = -1
    np.testing.assert_array_equal(case.dendrogram.level(2).cells, before)


# Merges


def merged(level, side, a, b):
    """Cells and sizes after the merge of two clusters."""
    cells = level.cells if side == 0 else level.cells.T
    sizes = [level.row_sizes, level.column_sizes]
    cells = np.vstack([np.delete(cells, [a, b], axis=0), cells[a] + cells[b]])
    own = sizes[side]
    sizes[side] = np.append(np.delete(own, [a, b]), own[a] + own[b])
    return (cells if side == 0 else cells.T), *sizes


def assert_each_merge_is_the_cheapest(case):
    for step in range(case.n_steps - 1):
        level = case.dendrogram.level(step)
        cheapest = min(
            cost_terms(
                *merged(level, side, a, b), case.contingency.log_fact_values
            ).total
            for side in (0, 1)
            for a, b in combinations(range(level.cells.shape[side]), 2)
        )
        # ln n! is rounded to 2^-20 nats in the search.
        assert case.dendrogram.costs[step + 1] == pytest.approx(cheapest, abs=1e-4)


def test_each_merge_is_the_cheapest_there_is(case):
    assert_each_merge_is_the_cheapest(case)


def test_where_a_catch_all_is_cheaper_the_true_cost_is_followed(rng):
    # Four small blocks, and a large cluster of rows and columns nearly empty.
    counts = np.zeros((40, 30), dtype=int)
    blocks = np.kron(np.eye(4), np.ones((2, 2)))[:, :6]
    counts[:8, :6] = rng.poisson(6 * blocks + 0.1)
    counts[8:, 6:] = rng.poisson(0.05, (32, 24))
    counts[counts.sum(axis=1) == 0, 29] = 1
    rows = np.append(np.arange(8) // 2, np.full(32, 4))
    columns = np.append(np.arange(6) // 2, np.full(24, 3))
    assert_each_merge_is_the_cheapest(
        Case(counts, np.ones(40, dtype=int), rows, columns)
    )


# Information


def test_information_goes_from_1_to_0():
    information = planted_grid().dendrogram.information
    assert information[0] == 1.0 and information[-1] == 0.0
    assert (np.diff(information) <= 0.0).all()
    assert len(set(information.tolist())) > 3


def test_information_stays_a_share_where_the_grid_is_no_optimum(case):
    information = case.dendrogram.information
    assert ((0.0 <= information) & (information <= 1.0)).all()
    assert information[-1] == 0.0


def test_the_null_grid_has_no_information():
    case = Case([[3, 1], [2, 2]], [1, 1], [0, 0], [0, 0])
    assert case.dendrogram.merges.shape == (0, 3)
    assert case.dendrogram.information.tolist() == [0.0]
    assert case.dendrogram.null_cost == case.grid.cost
    assert case.dendrogram.step_at(k=1) == case.dendrogram.step_at(k=2) == 0
    assert [case.dendrogram.children(side).shape for side in (0, 1)] == [(0, 2)] * 2


def test_a_best_cost_that_is_lower_by_rounding_alone_has_no_information():
    known = Case([[3, 1], [2, 2]], [1, 1], [0, 0], [0, 0]).dendrogram
    best = np.nextafter(known.null_cost, 0)
    assert best < known.null_cost
    assert replace(known, best_cost=best).information.tolist() == [0.0]


# Cuts


def test_cut_at_every_k_is_the_finest_grid_of_such_clusters(case):
    dendrogram = case.dendrogram
    smallest = [int(dendrogram.level(s).row_sizes.min()) for s in range(case.n_steps)]
    assert dendrogram.smallest_clusters.tolist() == smallest
    n = int(case.weights.sum())
    for k in range(1, n + 1):
        step = dendrogram.step_at(k=k)
        assert smallest[step] >= k
        assert all(size < k for size in smallest[:step])
    assert dendrogram.level(dendrogram.step_at(k=n)).row_sizes.tolist() == [n]


@pytest.mark.parametrize("k", [0, -1, 10_000])
def test_cut_at_a_k_out_of_range(k):
    case = any_grid(0)
    n = int(case.weights.sum())
    with pytest.raises(ParameterError, match=f"from 1 to {n}. Received {k}"):
        case.dendrogram.step_at(k=k)


def test_cut_just_above_the_number_of_individuals():
    case = any_grid(0)
    n = int(case.weights.sum())
    assert case.dendrogram.step_at(k=n) >= 0
    with pytest.raises(ParameterError):
        case.dendrogram.step_at(k=n + 1)


def test_cut_at_numbers_of_clusters(case):
    shapes = [case.dendrogram.level(step).cells.shape for step in range(case.n_steps)]
    for rows in range(1, shapes[0][0] + 2):
        for columns in range(1, shapes[0][1] + 2):
            expected = min(
                s for s, (i, j) in enumerate(shapes) if i <= rows and j <= columns
            )
            assert case.dendrogram.step_at(n_clusters=(rows, columns)) == expected


@pytest.mark.parametrize("n_clusters", [3, (0, 2), (2, 0), (1, 2, 3), ("a", "b"), ()])
def test_cut_at_what_is_no_number_of_clusters(n_clusters):
    with pytest.raises(ParameterError, match=r"Expected .*clusters"):
        any_grid(0).dendrogram.step_at(n_clusters=n_clusters)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1.0])
def test_cut_at_a_share_of_information(share):
    dendrogram = planted_grid().dendrogram
    step = dendrogram.step_at(information=share)
    assert dendrogram.information[step] >= share
    assert (dendrogram.information[step + 1 :] < share).all()


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_cut_at_what_is_no_share(share):
    with pytest.raises(ParameterError, match="from 0 to 1"):
        any_grid(0).dendrogram.step_at(information=share)


@pytest.mark.parametrize(
    "given", [{}, {"k": 2, "information": 0.5}, {"k": 1, "n_clusters": (1, 1)}]
)
def test_cut_is_told_in_exactly_one_way(given):
    with pytest.raises(ParameterError, match=f"exactly one.*Received {len(given)}"):
        any_grid(0).dendrogram.step_at(**given)


# From a step on


def test_from_a_step_on_levels_are_the_same(case):
    dendrogram = case.dendrogram
    for start in range(case.n_steps):
        begin, rest = dendrogram.level(start), dendrogram.from_step(start)
        assert rest.best_cost == dendrogram.best_cost
        np.testing.assert_array_equal(rest.costs, dendrogram.costs[start:])
        np.testing.assert_array_equal(rest.information, dendrogram.information[start:])
        assert rest.null_cost == dendrogram.null_cost
        for step in range(start, case.n_steps):
            ours, original = rest.level(step - start), dendrogram.level(step)
            for name in ("cells", "row_sizes", "column_sizes"):
                np.testing.assert_array_equal(
                    getattr(ours, name), getattr(original, name)
                )
            for name in ("row_map", "column_map"):
                np.testing.assert_array_equal(
                    getattr(ours, name)[getattr(begin, name)], getattr(original, name)
                )


def test_from_a_step_on_nothing_finer_is_held(case):
    for start in range(case.n_steps):
        level, rest = case.dendrogram.level(start), case.dendrogram.from_step(start)
        np.testing.assert_array_equal(rest.cells, level.cells)
        np.testing.assert_array_equal(rest.row_sizes, level.row_sizes)
        np.testing.assert_array_equal(rest.column_sizes, level.column_sizes)
        assert rest.merges.shape == (sum(level.cells.shape) - 2, 3)
        for side in (0, 1):
            of_side = rest.merges[rest.merges[:, 0] == side]
            assert of_side[:, 1:].max(initial=0) < level.cells.shape[side]


def test_cuts_from_a_step_on():
    dendrogram = planted_grid().dendrogram
    n = int(dendrogram.row_sizes.sum())
    start = dendrogram.step_at(k=n // 3)
    assert 0 < start < len(dendrogram.costs) - 1
    rest = dendrogram.from_step(start)
    for k in range(1, n + 1):
        assert rest.step_at(k=k) == max(dendrogram.step_at(k=k) - start, 0)
    with pytest.raises(ParameterError, match=f"at most {rest.information[0]:.4f}"):
        rest.step_at(information=1.0)


# Trees


@pytest.mark.parametrize("side", [0, 1])
def test_children_are_a_dendrogram(case, side):
    children = case.dendrogram.children(side)
    n_leaves = case.grid.shape[side]
    assert children.shape == (n_leaves - 1, 2)
    root = 2 * n_leaves - 2
    # Every node but the root is joined once, to one that exists already.
    assert sorted(children.ravel().tolist()) == list(range(root))
    assert (children.max(axis=1) < n_leaves + np.arange(n_leaves - 1)).all()

    leaves = {leaf: {leaf} for leaf in range(n_leaves)}
    sizes = []
    for i, (a, b) in enumerate(children.tolist()):
        leaves[n_leaves + i] = leaves[a] | leaves[b]
        sizes.append(len(leaves[n_leaves + i]))
    linkage = np.column_stack([children, np.arange(n_leaves - 1), sizes]).astype(float)
    assert is_valid_linkage(linkage)
    assert sorted(leaves_list(linkage).tolist()) == list(range(n_leaves))


@pytest.mark.parametrize("side", [0, 1])
def test_children_join_the_clusters_of_the_steps(case, side):
    n_leaves = case.grid.shape[side]
    clusters = {leaf: frozenset([leaf]) for leaf in range(n_leaves)}
    children = iter(enumerate(case.dendrogram.children(side).tolist()))
    for step, merge in enumerate(case.dendrogram.merges):
        if merge[0] != side:
            continue
        i, (a, b) = next(children)
        clusters[n_leaves + i] = clusters.pop(a) | clusters.pop(b)
        level = case.dendrogram.level(step + 1)
        of_leaf = (level.row_map, level.column_map)[side]
        groups = {frozenset(np.flatnonzero(of_leaf == g)) for g in set(of_leaf)}
        assert set(clusters.values()) == groups
