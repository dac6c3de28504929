import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.criterion.terms import plain_partition_prior
from coclust_synth.modl.grid import _kernels, _sweep_kernels
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables, GridState

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-5

SEEDS = range(12)


class Case:
    """A small random table with weighted rows, a state, and the rows written out.

    Of every other row, there are `scale` times as many observations.
    """

    def __init__(self, seed, scale=1):
        self.rng = rng = np.random.default_rng(seed)
        shape = rng.integers(4, 13, 2)
        self.counts = rng.poisson(rng.choice([0.7, 2.5]), shape)
        self.counts[0, 0] += 1
        self.counts[::2] *= scale
        self.weights = rng.choice([1, 1, 1, 2, 3], shape[0])
        self.costs = CostTables(Contingency.from_matrix(self.counts, self.weights))
        self.state = GridState(self.costs, [rng.integers(0, 5, n) for n in shape])

    def labels(self, state=None):
        return [label.tolist() for label in (state or self.state).labels]

    def cost(self, labels, prior="plain"):
        rows, row_labels = naive.expand(self.counts.tolist(), self.weights, labels[0])
        return naive.cost(rows, row_labels, labels[1], prior=prior)

    def clusters(self, side):
        """The clusters of one side, copied."""
        state = self.state
        cells = (state.cells.T if side == 0 else state.cells).copy(order="C")
        sizes, totals = state.sizes[side].copy(), state.totals[side].copy()
        return _kernels.Clusters(cells, sizes, totals)

    def sweep_arguments(self, side, values, candidates, min_size=0, catch_all=None):
        """What the kernel and its twin change in place, copied."""
        state = self.state
        n_opposite = len(state.sizes[1 - side])
        priors = self.costs.size_priors(side, state.sizes[side], n_opposite)
        if catch_all is not None:
            n_values = self.costs.contingency.n_values[side]
            priors = priors._replace(
                catch_all=catch_all,
                n_kept=n_values - int(state.sizes[side][catch_all]),
                by_kept=np.sqrt(np.arange(n_values + 1.0)) * 3.0,
            )
        return (
            values,
            candidates,
            self.costs.contingency.sides[side],
            state.labels[side].copy(),
            state.labels[1 - side],
            self.clusters(side),
            self.costs.log_fact,
            priors,
            np.full(len(state.labels[side]), np.nan),
            min_size,
        )


def assert_counts_agree(case, state):
    """Every array of the state is what its labels say."""
    side_labels = state.labels
    weighted = case.counts * case.weights[:, None]
    for g in range(state.shape[0]):
        for h in range(state.shape[1]):
            block = weighted[side_labels[0] == g][:, side_labels[1] == h]
            assert state.cells[g, h] == block.sum()
    for side, size in enumerate((case.weights, np.ones(case.counts.shape[1]))):
        for g in range(state.shape[side]):
            assert state.sizes[side][g] == size[side_labels[side] == g].sum()
        np.testing.assert_array_equal(
            state.totals[side], state.cells.sum(axis=1 - side)
        )
    assert state.cells.sum() == case.costs.contingency.n_observations
    assert state.cells.flags.c_contiguous


# Tables of costs


def test_log_fact_is_rounded_so_that_sums_are_exact():
    costs = Case(0).costs
    expected = naive.log_fact_table(len(costs.log_fact))
    assert costs.log_fact.tolist() == expected
    contingency = costs.contingency
    assert len(costs.log_fact) > contingency.n_observations + max(contingency.n_values)


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_of_priors(seed):
    case = Case(seed)
    contingency = case.costs.contingency
    for side in (0, 1):
        n_values = contingency.n_values[side]
        # Asked for in pieces: the table grows.
        short = case.costs.partition_priors(side, 2).plain.tolist()
        table = case.costs.partition_priors(side, n_values).plain.tolist()
        assert table[:3] == short
        assert table[1:] == [
            plain_partition_prior(n_values, j) for j in range(1, n_values + 1)
        ]
        for n_opposite in (1, 3):
            sizes = np.ones(n_values, dtype=np.int64)
            priors = case.costs.size_priors(side, sizes, n_opposite).by_number
            for j in range(1, n_values + 1):
                expected = naive.plain_partition_prior(n_values, j)
                expected += naive.family_prior((j > 1) + (n_opposite > 1))
                expected += naive.cell_counts_prior(
                    contingency.n_observations, j * n_opposite
                )
                assert priors[j] == pytest.approx(expected, rel=1e-12)


# The state itself


@pytest.mark.parametrize("seed", SEEDS)
def test_a_state_counts_its_labels(seed):
    case = Case(seed)
    assert_counts_agree(case, case.state)
    expected = case.cost(case.labels(), prior="cheaper")
    assert case.state.cost() == pytest.approx(expected, rel=1e-12)
    grid = case.state.to_grid()
    assert grid.cost == pytest.approx(expected, rel=1e-12)
    assert grid.shape == case.state.shape


def test_labels_are_renumbered_without_gaps():
    costs = CostTables(Contingency.from_matrix(np.ones((4, 2), dtype=int)))
    state = GridState(costs, [np.array([9, 2, 9, 5]), np.array([3, 3])])
    assert state.labels[0].tolist() == [2, 0, 2, 1]
    assert state.labels[1].tolist() == [0, 0]
    assert state.shape == (3, 1)


def test_a_copy_leaves_the_first_alone():
    case = Case(3)
    before, labels = case.state.cells.copy(), case.labels()
    other = case.state.copy()
    other.merge_down(0, 1)
    other.relabel(1, np.arange(case.counts.shape[1]))
    np.testing.assert_array_equal(case.state.cells, before)
    assert case.labels() == labels
    assert_counts_agree(case, case.state)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
def test_relabel(seed, side):
    case = Case(seed)
    opposite = case.state.labels[1 - side].tolist()
    labels = case.rng.choice([4, 8, 15], case.counts.shape[side])
    case.state.relabel(side, labels)
    _, expected = np.unique(labels, return_inverse=True)
    assert case.state.labels[side].tolist() == expected.tolist()
    assert case.state.labels[1 - side].tolist() == opposite
    assert_counts_agree(case, case.state)


def test_drop_empty_closes_the_gaps():
    costs = CostTables(Contingency.from_matrix([[1, 0], [2, 1], [0, 3], [4, 0]]))
    state = GridState(costs, [np.array([0, 1, 2, 2]), np.array([0, 1])])
    # Row 1 leaves cluster 1 for cluster 2, column 0 leaves cluster 0 for cluster 1.
    state.labels[0][1] = 2
    state.labels[1][0] = 1
    state.cells = np.array([[0, 1], [0, 0], [0, 10]])
    state.sizes = [np.array([1, 0, 3]), np.array([0, 2])]
    state.totals = [np.array([1, 0, 10]), np.array([0, 11])]
    state.drop_empty()
    assert state.labels[0].tolist() == [0, 1, 1, 1]
    assert state.labels[1].tolist() == [0, 0]
    assert state.cells.tolist() == [[1], [10]]
    assert [sizes.tolist() for sizes in state.sizes] == [[1, 3], [2]]
    assert [totals.tolist() for totals in state.totals] == [[1, 10], [11]]
    assert state.cells.flags.c_contiguous


# Moves


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("min_size", [0, 2])
@pytest.mark.parametrize("catch_all", [None, 0, 1])
def test_sweep_kernel_agrees_with_its_twin(seed, side, min_size, catch_all):
    case = Case(seed)
    # Some values twice or never, some clusters not open to moves.
    values = case.rng.integers(0, case.counts.shape[side], 25)
    j = case.state.shape[side]
    candidates = np.sort(case.rng.permutation(j)[: max(j - 1, 1)])
    arguments = (side, values, candidates, min_size, catch_all)
    assert_sweep_agrees_with_its_twin(case, arguments)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("catch_all", [None, 0])
def test_sweep_kernel_agrees_with_its_twin_on_costs_beyond_32_bits(seed, catch_all):
    """Some rows cost thousands of nats, 2^31 steps of ln n! and more, others few."""
    case = Case(seed, scale=1_000)
    values = case.rng.permutation(len(case.counts))
    candidates = np.arange(case.state.shape[0])
    assert_sweep_agrees_with_its_twin(case, (0, values, candidates, 0, catch_all))


def assert_sweep_agrees_with_its_twin(case, arguments):
    ours = case.sweep_arguments(*arguments)
    theirs = case.sweep_arguments(*arguments)

    change = _sweep_kernels.sweep(*ours)

    assert change == pytest.approx(naive.sweep(*theirs), abs=1e-9)
    for name, one, two in zip(
        ("label", "opposite_label", "cells", "c_size", "c_total"),
        (*ours[3:5], *ours[5]),
        (*theirs[3:5], *theirs[5]),
        strict=True,
    ):
        np.testing.assert_array_equal(one, two, err_msg=name)
    np.testing.assert_allclose(ours[-1], theirs[-1], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("side", [0, 1])
def test_likeliest_clusters_kernel_agrees_with_its_twin(seed, side):
    case = Case(seed)
    n_opposite, n_own = case.state.shape[1 - side], 3
    likelihood = np.log(case.rng.dirichlet(np.ones(n_opposite), n_own).T)
    prior = np.log(case.rng.dirichlet(np.ones(n_own)))
    arguments = (
        case.costs.contingency.sides[side],
        case.state.labels[1 - side],
        prior.astype(np.float32),
        np.ascontiguousarray(likelihood, dtype=np.float32),
    )
    labels = _sweep_kernels.likeliest_clusters(*arguments)
    assert labels.tolist() == naive.likeliest_clusters(*arguments)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
def test_sweep_returns_the_change_of_cost(seed, side):
    case = Case(seed)
    state, before = case.state, case.labels()
    everything = case.rng.permutation(case.counts.shape[side])
    clusters = np.arange(state.shape[side])
    jobs = [(everything[:3], clusters[:2]), (everything, clusters), ([], clusters)]
    margin = np.full(len(everything), np.nan)

    change = state.sweep(side, jobs, margin)

    assert change <= 0.0
    expected = case.cost(case.labels()) - case.cost(before)
    assert change == pytest.approx(expected, abs=ROUNDING)
    assert case.labels()[1 - side] == before[1 - side]
    state.drop_empty()
    assert_counts_agree(case, state)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
def test_margin_is_the_cost_of_the_best_move(seed, side):
    case = Case(seed)
    everything = np.arange(case.counts.shape[side])
    clusters = np.arange(case.state.shape[side])
    margin = np.full(len(everything), np.nan)
    # Until nothing moves: the margins are then all those of the state that is left.
    while case.state.sweep(side, [(everything, clusters)], margin) < 0.0:
        case.state.drop_empty()
        clusters = np.arange(case.state.shape[side])
    if len(clusters) == 1:
        assert np.isinf(margin).all()
        return
    labels = case.labels()
    sizes = case.state.sizes[side]
    priors = case.costs.size_priors(side, sizes, case.state.shape[1 - side])
    prior = "plain"
    if priors.catch_all >= 0:
        prior = "cheaper"
        # The last value of a cluster is left to the merges.
        size = case.costs.contingency.sides[side].size
        alone = size == sizes[case.state.labels[side]]
        assert np.isinf(margin[alone]).all()
        everything = everything[~alone]
    before = case.cost(labels, prior)
    for i in everything:
        moved = [list(labels[0]), list(labels[1])]
        changes = []
        for cluster in clusters:
            moved[side][i] = int(cluster)
            if cluster != labels[side][i]:
                changes.append(case.cost(moved, prior) - before)
        assert margin[i] == pytest.approx(min(changes), abs=ROUNDING)
        assert margin[i] > -ROUNDING


@pytest.mark.parametrize("seed", SEEDS)
def test_sweep_follows_the_prior_of_a_catch_all(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.3, (60, 6))
    counts[:9, :3] += rng.poisson(6.0, (9, 3))
    costs = CostTables(Contingency.from_matrix(counts))
    labels = np.zeros(60, dtype=int)
    labels[:9] = rng.permutation([1] * 4 + [2] * 5)
    state = GridState(costs, [labels, np.arange(6)])
    assert costs.size_priors(0, state.sizes[0], 6).catch_all == 0

    def cost():
        rows, columns = (label.tolist() for label in state.labels)
        return naive.cost(counts.tolist(), rows, columns)

    before = cost()
    change = state.sweep(0, [(rng.permutation(60), np.arange(3))], np.empty(60))
    assert change < 0.0
    assert change == pytest.approx(cost() - before, abs=ROUNDING)


def test_ties_go_to_the_first_candidate():
    # Row 0 would gain as much from joining row 1 as from joining row 2.
    costs = CostTables(Contingency.from_matrix([[9, 0], [9, 0], [9, 0], [0, 9]]))
    for candidates, expected in (([1, 2, 3], 1), ([2, 1, 3], 2), ([3, 2, 1], 2)):
        state = GridState(costs, [np.arange(4), np.arange(2)])
        state.sweep(0, [(np.array([0]), np.array(candidates))], np.empty(4))
        assert state.labels[0].tolist() == [expected, 1, 2, 3]


def test_a_sweep_of_one_cluster_moves_nothing():
    case = Case(2)
    case.state.relabel(0, np.zeros(len(case.weights), dtype=int))
    margin = np.empty(len(case.weights))
    everything = np.arange(len(case.weights))
    assert case.state.sweep(0, [(everything, np.array([0]))], margin) == 0.0
    assert np.isinf(margin).all()
    assert set(case.labels()[0]) == {0}


@pytest.mark.parametrize(
    ("counts", "labels", "value", "expected"),
    [
        # The heavy row is most of its cluster, which is not the place for it.
        ([[10, 0]] * 4 + [[0, 100], [0, 1]], [0, 0, 0, 0, 0, 1], 4, 1),
        # One value, in a cell of all observations.
        ([[3]], [0], 0, 0),
    ],
)
def test_a_sweep_reads_nothing_past_its_table(counts, labels, value, expected):
    costs = CostTables(Contingency.from_matrix(counts))
    n = len(costs.log_fact)
    room = np.full(3 * n, np.nan)
    room[:n] = costs.log_fact
    costs.log_fact = room[:n]
    state = GridState(costs, [np.array(labels), np.arange(len(counts[0]))])
    margin = np.empty(len(counts))
    clusters = np.arange(state.shape[0])
    state.sweep(0, [(np.array([value]), clusters)], margin)
    assert state.labels[0][value] == expected
    assert margin[value] >= 0.0


# Merges


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
def test_merge_costs_are_differences_of_costs(seed, side):
    case = Case(seed)
    state = case.state
    arguments = (case.clusters(side), case.costs.log_fact)
    costs = _kernels.merge_costs(*arguments)
    np.testing.assert_array_equal(costs, naive.merge_costs(*arguments))
    rows, row_labels = naive.expand(
        case.counts.tolist(), case.weights, case.labels()[0]
    )
    labels = [row_labels, case.labels()[1]]
    j, n_opposite = state.shape[side], state.shape[1 - side]
    priors = case.costs.size_priors(side, state.sizes[side], n_opposite).by_number
    for a in range(j):
        assert np.isinf(costs[a, : a + 1]).all()
        for b in range(a + 1, j):
            change = costs[a, b] + priors[j - 1] - priors[j]
            expected = naive.merge_change(rows, labels, side, a, b, prior="plain")
            assert change == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("n_clusters", [1, 2, 4])
@pytest.mark.parametrize("most", [np.inf, 0.0])
def test_merge_down_kernel_agrees_with_its_twin(seed, side, n_clusters, most):
    case = Case(seed)
    case.state.relabel(side, np.arange(case.counts.shape[side]))
    state = case.state

    def arguments():
        by_number = 2.0 * np.sqrt(np.arange(state.shape[side] + 1.0))
        log_fact = case.costs.log_fact
        return case.clusters(side), log_fact, n_clusters, by_number, most

    ours, theirs = arguments(), arguments()
    target = _kernels.merge_down(*ours)
    assert target.tolist() == naive.merge_down(*theirs)
    for one, two in zip(ours[0], theirs[0], strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("n_clusters", [1, 2, 4])
def test_merge_down_renumbers_the_clusters(seed, side, n_clusters):
    case = Case(seed)
    case.state.relabel(side, np.arange(case.counts.shape[side]))
    state = case.state
    clusters, log_fact = case.clusters(side), case.costs.log_fact
    free = np.zeros(len(clusters.c_size) + 1)
    target = np.array(naive.merge_down(clusters, log_fact, n_clusters, free, np.inf))

    labels = state.labels[side].tolist()
    opposite = case.labels()[1 - side]
    state.merge_down(side, n_clusters)
    # Clusters are renumbered in the order of the numbers they had.
    _, expected = np.unique(target[labels], return_inverse=True)
    assert state.labels[side].tolist() == expected.tolist()
    assert case.labels()[1 - side] == opposite
    assert state.shape[side] == n_clusters
    assert_counts_agree(case, state)


def test_merge_down_to_as_many_clusters_changes_nothing():
    case = Case(4)
    before = case.labels()
    case.state.merge_down(0, case.state.shape[0])
    assert case.labels() == before


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("stop_at_rise", [True, False])
def test_merge_path_agrees_with_its_twin(seed, stop_at_rise):
    case = Case(seed)
    state, costs = case.state, case.costs
    cells = state.cells.copy()
    priors = _kernels.MergePriors(
        tuple(costs.partition_priors(side, state.shape[side]) for side in (0, 1)),
        costs.family,
        costs.contingency.n_observations,
    )
    expected_merges, expected_changes = naive.merge_path(
        case.clusters(0), case.clusters(1), priors, costs.log_fact, stop_at_rise
    )

    merges, changes = state.merge_path(stop_at_rise=stop_at_rise)

    assert [tuple(merge) for merge in merges.tolist()] == expected_merges
    np.testing.assert_allclose(changes, expected_changes, atol=ROUNDING)
    assert (merges[:, 1] < merges[:, 2]).all()
    np.testing.assert_array_equal(state.cells, cells)  # left as it is
    if not stop_at_rise:
        assert len(merges) == sum(state.shape) - 2


@pytest.mark.parametrize("seed", SEEDS)
def test_merge_path_changes_are_differences_of_costs(seed):
    case = Case(seed)
    labels = case.labels()
    merges, changes = case.state.merge_path(stop_at_rise=False)
    before = case.cost(labels, prior="cheaper")
    for (side, kept, absorbed), change in zip(merges.tolist(), changes, strict=True):
        labels[side] = [kept if a == absorbed else a for a in labels[side]]
        after = case.cost(labels, prior="cheaper")
        assert change == pytest.approx(after - before, abs=ROUNDING)
        before = after
    null = case.cost([[0] * len(side) for side in labels], prior="cheaper")
    assert before == pytest.approx(null, rel=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("to_one_cell", [True, False])
def test_merge_returns_the_change_of_cost(seed, to_one_cell):
    case = Case(seed)
    for side in (0, 1):
        case.state.relabel(side, np.arange(case.counts.shape[side]))
    before = case.cost(case.labels(), prior="cheaper")
    merges, changes = case.state.merge_path(stop_at_rise=not to_one_cell)
    n_clusters = sum(case.state.shape)

    change = case.state.merge(to_one_cell=to_one_cell)

    after = case.cost(case.labels(), prior="cheaper")
    assert change == pytest.approx(after - before, abs=ROUNDING * len(merges))
    assert change == pytest.approx(min([0.0, *np.cumsum(changes)]), abs=1e-9)
    if not to_one_cell:
        assert sum(case.state.shape) == n_clusters - len(merges)
        assert case.state.merge() == 0.0  # nothing is left to gain
    assert_counts_agree(case, case.state)


def test_merge_leaves_a_grid_alone_that_it_cannot_better():
    costs = CostTables(Contingency.from_matrix([[50, 0], [0, 50]]))
    state = GridState(costs, [np.arange(2), np.arange(2)])
    assert state.merge() == state.merge(to_one_cell=True) == 0.0
    assert state.shape == (2, 2)


def test_merge_of_one_cell():
    costs = CostTables(Contingency.from_matrix([[1, 2], [3, 4]]))
    state = GridState(costs, [np.zeros(2, int), np.zeros(2, int)])
    merges, changes = state.merge_path(stop_at_rise=False)
    assert (len(merges), len(changes)) == (0, 0)
    assert state.merge() == 0.0
