import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import modl as naive

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.grid.individuals import cheapest_clusters, insertion_costs
from coclust_synth.modl.grid.state import CostTables, GridState
from coclust_synth.modl.search.pool import PooledClusters
from coclust_synth.modl.search.two_sides import search_grid

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-5


@st.composite
def labelled_tables(draw, max_values=11):
    """Counts, one label for each row and column, one weight for each row."""
    shape = [draw(st.integers(1, max_values)) for _ in range(2)]
    largest = draw(st.sampled_from([1, 3, 40]))
    counts = draw(
        st.lists(
            st.lists(st.integers(0, largest), min_size=shape[1], max_size=shape[1]),
            min_size=shape[0],
            max_size=shape[0],
        ).filter(lambda rows: any(map(any, rows)))
    )
    labels = [draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)) for n in shape]
    weights = draw(st.lists(st.integers(1, 4), min_size=shape[0], max_size=shape[0]))
    return np.array(counts), [np.array(label) for label in labels], np.array(weights)


def cost_of(counts, labels, weights=None):
    return Grid.from_labels(Contingency.from_matrix(counts, weights), *labels).cost


@settings(deadline=None)
@given(labelled_tables())
def test_cells_sum_to_all_observations(table):
    counts, labels, weights = table
    contingency = Contingency.from_matrix(counts, weights)
    grid = Grid.from_labels(contingency, *labels)
    n_observations = (counts * weights[:, None]).sum()
    assert grid.cells.sum() == contingency.n_observations == n_observations
    assert grid.row_sizes.sum() == weights.sum()
    assert grid.column_sizes.sum() == counts.shape[1]
    assert grid.terms.total == grid.cost


@settings(deadline=None)
@given(labelled_tables())
def test_cost_is_that_of_the_formulas(table):
    counts, labels, weights = table
    rows, row_labels = naive.expand(counts.tolist(), weights, labels[0].tolist())
    expected = naive.cost(rows, row_labels, labels[1].tolist())
    assert cost_of(counts, labels, weights) == pytest.approx(
        expected, rel=1e-12, abs=1e-9
    )


@pytest.mark.slow
@settings(deadline=None)
@given(labelled_tables(), st.randoms(use_true_random=False))
def test_cost_ignores_the_names_of_values_and_clusters(table, random):
    counts, labels, weights = table
    rows, columns = (random.sample(range(n), n) for n in counts.shape)
    names = np.array(random.sample(range(5), 5))
    renamed = [names[labels[0]][rows], names[labels[1]][columns]]
    assert cost_of(counts[rows][:, columns], renamed, weights[rows]) == pytest.approx(
        cost_of(counts, labels, weights), rel=1e-12, abs=1e-9
    )


@pytest.mark.slow
@settings(deadline=None)
@given(labelled_tables())
def test_cost_ignores_which_variable_comes_first(table):
    counts, labels, _ = table
    assert cost_of(counts.T, labels[::-1]) == pytest.approx(
        cost_of(counts, labels), rel=1e-12, abs=1e-9
    )


@settings(deadline=None)
@given(labelled_tables())
def test_equal_rows_cost_the_same_together_or_apart(table):
    counts, labels, weights = table
    expanded = np.repeat(counts, weights, axis=0)
    apart = [np.repeat(labels[0], weights), labels[1]]
    assert cost_of(counts, labels, weights) == pytest.approx(
        cost_of(expanded, apart), rel=1e-12, abs=1e-9
    )


@settings(deadline=None)
@given(labelled_tables(), st.integers(0, 1), st.data())
def test_a_move_changes_the_cost_by_what_it_says(table, side, data):
    counts, labels, _ = table
    state = GridState(CostTables(Contingency.from_matrix(counts)), labels)
    value = data.draw(st.integers(0, counts.shape[side] - 1))
    cluster = data.draw(st.integers(0, state.shape[side] - 1))
    before = [label.tolist() for label in state.labels]
    sizes = state.sizes[side].copy()
    catch_all = state.tables.size_priors(side, sizes, state.shape[1 - side]).catch_all
    margin = np.full(counts.shape[side], np.nan)

    change = state.sweep(side, [(np.array([value]), np.array([cluster]))], margin)

    if cluster == before[side][value]:
        assert (change, margin[value]) == (0.0, np.inf)
        return
    if catch_all >= 0 and sizes[before[side][value]] == 1:
        assert (change, margin[value]) == (0.0, np.inf)
        return
    after = [list(labels) for labels in before]
    after[side][value] = cluster
    assume(catch_all < 0 or np.bincount(after[side]).argmax() == catch_all)
    prior = "plain" if catch_all < 0 else "cheaper"
    expected = naive.cost(counts.tolist(), *after, prior=prior)
    expected -= naive.cost(counts.tolist(), *before, prior=prior)
    if change < 0.0:
        assert state.labels[side][value] == cluster
        assert margin[value] == 0.0
        assert change == pytest.approx(expected, abs=ROUNDING)
    else:
        assert state.labels[side][value] == before[side][value]
        assert margin[value] == pytest.approx(expected, abs=ROUNDING)
        assert expected > -ROUNDING


@settings(deadline=None)
@given(labelled_tables(), st.booleans())
def test_merges_change_the_cost_by_what_they_say(table, stop_at_rise):
    counts, labels, _ = table
    state = GridState(CostTables(Contingency.from_matrix(counts)), labels)
    here = [label.tolist() for label in state.labels]
    merges, changes = state.merge_path(stop_at_rise=stop_at_rise)
    for (side, kept, absorbed), change in zip(merges.tolist(), changes, strict=True):
        expected = naive.merge_change(counts.tolist(), here, side, kept, absorbed)
        assert change == pytest.approx(expected, abs=ROUNDING)
        here[side] = [kept if a == absorbed else a for a in here[side]]


def test_all_partitions_are_enumerated():
    bell = [1, 1, 2, 5, 15, 52, 203]
    for n, number in enumerate(bell):
        listed = list(naive.partitions(n))
        assert len(set(listed)) == len(listed) == number


# Tables of 4 x 4 and 5 x 5 values: blocks, a diagonal, noise, one heavy value.
TINY_TABLES = {
    "blocks": [[9, 7, 0, 1], [8, 9, 1, 0], [0, 1, 6, 8], [1, 0, 9, 7]],
    "diagonal": [[9, 1, 0, 0], [0, 9, 1, 0], [0, 0, 9, 1], [1, 0, 0, 9]],
    "noise": [[2, 1, 3, 2], [1, 2, 2, 1], [2, 3, 1, 2], [3, 1, 2, 2]],
    "two by three": [
        [12, 10, 1, 0, 3],
        [11, 9, 0, 2, 4],
        [1, 0, 14, 9, 5],
        [0, 2, 10, 11, 3],
        [10, 12, 1, 1, 2],
    ],
    "heavy value": [
        [60, 2, 1, 3, 2],
        [2, 7, 0, 1, 0],
        [1, 0, 6, 0, 8],
        [3, 8, 1, 0, 0],
        [2, 0, 9, 1, 7],
    ],
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY_TABLES)
def test_the_search_reaches_the_optimum_of_tiny_tables(name):
    counts = TINY_TABLES[name]
    optimum, row_labels, column_labels = naive.best_grid(counts)
    contingency = Contingency.from_matrix(counts)
    best = Grid.from_labels(contingency, np.array(row_labels), np.array(column_labels))
    assert best.cost == pytest.approx(optimum, rel=1e-12)
    for seed in range(5):
        grid = search_grid(contingency, n_iterations=20, seed=seed).grid
        assert grid.cost >= optimum - 1e-9
        assert grid.cost == pytest.approx(optimum, rel=1e-12), seed


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_search_is_never_below_the_optimum_where_a_catch_all_is_offered(seed):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(0.5, 3.0, (8, 2)))
    counts[0, 0] += 1
    optimum, _, _ = naive.best_grid(counts.tolist())
    grid = search_grid(Contingency.from_matrix(counts), n_iterations=5, seed=seed).grid
    assert grid.cost >= optimum - 1e-9


@pytest.mark.slow
@settings(deadline=None)
@given(labelled_tables(), st.data())
def test_a_new_row_costs_what_the_formulas_say(table, data):
    counts, labels, weights = table
    grid = Grid.from_labels(Contingency.from_matrix(counts, weights), *labels)
    columns = st.integers(-1, counts.shape[1] - 1)
    observed = np.array(data.draw(st.lists(columns, max_size=6)), dtype=np.int64)
    row = np.bincount(observed[observed >= 0], minlength=counts.shape[1])
    clusters = np.where(observed >= 0, grid.column_labels[observed], -1)[None]

    costs = insertion_costs(grid.cells, grid.row_sizes, clusters)[0]
    rows, row_labels = naive.expand(counts.tolist(), weights, grid.row_labels.tolist())
    expected = [
        naive.insertion_cost(rows, (row_labels, grid.column_labels), row, cluster)
        for cluster in range(grid.shape[0])
    ]
    assert costs - costs[0] == pytest.approx(
        np.subtract(expected, expected[0]), abs=1e-8
    )
    (chosen,) = cheapest_clusters(grid.cells, grid.row_sizes, clusters)
    assert chosen == next(
        b for b, cost in enumerate(expected) if cost <= min(expected) + 1e-7
    )


@settings(deadline=None)
@given(labelled_tables(), st.integers(0, 1), st.integers(1, 4), st.data())
def test_a_pool_changes_the_cost_by_what_it_says(table, side, n_parts, data):
    counts, labels, weights = table
    state = GridState(CostTables(Contingency.from_matrix(counts, weights)), labels)
    before = state.cost()
    clusters = data.draw(
        st.lists(st.integers(0, state.shape[side] - 1), min_size=1, unique=True)
    )
    pool = PooledClusters(state, side, clusters, n_parts)
    parts = data.draw(
        st.lists(
            st.integers(0, n_parts - 1),
            min_size=len(pool.values),
            max_size=len(pool.values),
        )
    )
    pool.divide(pool.values, np.array(parts))
    changes = [pool.change()]
    pool.sweep(pool.values, np.empty(counts.shape[side]))
    changes.append(pool.change())
    pool.merge()
    changes.append(pool.change())
    state.relabel(side, pool.labels())
    assert state.cost() - before == pytest.approx(changes[-1], abs=ROUNDING)
    # Moves and merges reckon with the prior of now, so that they never cost.
    assert changes[1] <= changes[0] + ROUNDING
