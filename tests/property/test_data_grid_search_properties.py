"""Moves, merges and search of grids of d dimensions against costs counted anew."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from naive import grids as naive

from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.dendrogram import (
    DataGridDendrogram,
    greedy_merges,
    merge,
)
from coclust_synth.modl.data_grid.search import search_data_grid
from coclust_synth.modl.data_grid.state import DataGridCostTables, DataGridState

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-5


def records_of(observations, numeric):
    """Records of tuples of whole numbers, each value a part of its own."""
    columns = [np.unique(column, return_inverse=True)[1] for column in observations.T]
    rows, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    labels = tuple(np.arange(n) for n in rows.max(axis=0) + 1)
    return Records(rows, counts, labels, tuple(numeric))


def written_out(records):
    rows = np.repeat(records.codes, records.counts, axis=0)
    return list(map(tuple, rows.tolist()))


def as_partition(label, is_numeric):
    if not is_numeric:
        return dict(enumerate(label.tolist()))
    return [i + 0.5 for i in np.flatnonzero(np.diff(label)).tolist()]


def cost_of(records, labels):
    partitions = map(as_partition, labels, records.numeric)
    return naive.grid_cost(written_out(records), list(partitions))


@st.composite
def states(draw):
    """A random grid of two or three dimensions, at least one of each kind."""
    d = draw(st.integers(2, 3))
    numeric = draw(st.permutations([True, False, draw(st.booleans())][:d]))
    n = draw(st.integers(4, 40))
    n_values = [draw(st.integers(2, 9)) for _ in range(d)]
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    values = rng.integers(0, n_values, (n, d))
    # Some dependence, so that moves pay.
    tied = rng.random(n) < 0.7
    values[tied] = values[tied, :1] % n_values
    records = records_of(values, numeric)
    labels = []
    for label, is_numeric in zip(records.labels, numeric, strict=True):
        label = rng.integers(0, 4, len(label))
        labels.append(np.sort(label) if is_numeric else label)
    return DataGridState(DataGridCostTables(records), labels)


def assert_sound(state):
    """Every array of a state is what its labels say."""
    records = state.tables.records
    again = DataGridState(state.tables, state.labels)
    np.testing.assert_array_equal(state.keys, again.keys)
    for axis, label in enumerate(state.labels):
        assert set(label.tolist()) == set(range(state.shape[axis]))
        assert state.sizes[axis].tolist() == np.bincount(label).tolist()
        totals = np.bincount(label, records.value_totals(axis))
        assert state.totals[axis].tolist() == totals.tolist()
        if records.numeric[axis]:
            assert (np.diff(label) >= 0).all()


def axis_of(data, state, *, is_numeric):
    axes = np.flatnonzero(np.array(state.tables.records.numeric) == is_numeric)
    return data.draw(st.sampled_from(axes.tolist()))


@settings(deadline=None)
@given(states())
def test_the_cost_of_a_state_is_that_of_the_formulas(state):
    assert_sound(state)
    records = state.tables.records
    expected = cost_of(records, state.labels)
    assert state.cost() == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
@settings(deadline=None)
@given(states(), st.data())
def test_a_value_goes_where_it_costs_least(state, data):
    axis = axis_of(data, state, is_numeric=False)
    priors = state.tables.size_priors(axis, state.shape, state.sizes[axis])
    assume(priors.catch_all < 0)  # with one, moves are those of two dimensions
    records, before = state.tables.records, state.labels.copy()
    value = data.draw(st.integers(0, len(before[axis]) - 1))
    changes = []
    for cluster in range(state.shape[axis]):
        after = before.copy()
        after[axis] = before[axis].copy()
        after[axis][value] = cluster
        changes.append(plain_cost(records, after) - plain_cost(records, before))

    change = state.sweep(axis, np.array([value]))

    assert_sound(state)
    assert change == pytest.approx(min(changes), abs=ROUNDING)
    found = plain_cost(records, state.labels) - plain_cost(records, before)
    assert found == pytest.approx(change, abs=ROUNDING)


def plain_cost(records, labels):
    """The cost without catch-all, as moves of values reckon it."""
    cost = cost_of(records, labels)
    for label, is_numeric in zip(labels, records.numeric, strict=True):
        if not is_numeric:
            sizes = np.bincount(label)
            arguments = len(label), len(sizes[sizes > 0])
            cost += naive.plain_partition_prior(*arguments)
            cost -= naive.partition_prior(*arguments, int(sizes.max()))
    return cost


@settings(deadline=None)
@given(states(), st.data())
def test_cuts_are_the_best_of_those_allowed(state, data):
    axis = axis_of(data, state, is_numeric=True)
    records, before = state.tables.records, state.labels.copy()
    n_values, n_parts = len(before[axis]), state.shape[axis]
    offered = data.draw(st.sets(st.integers(1, 8), max_size=5))
    cuts = np.array(sorted(c for c in offered if c < n_values), dtype=np.int64)
    n_least = data.draw(st.integers(1, n_parts))
    n_most = data.draw(st.integers(n_parts, n_parts + 3))
    present = np.flatnonzero(np.diff(before[axis])) + 1
    allowed = np.union1d(cuts, present)
    costs = []
    for kept in product([False, True], repeat=len(allowed)):
        if n_least <= sum(kept) + 1 <= n_most:
            starts = allowed[np.array(kept, dtype=bool)]
            after = before.copy()
            after[axis] = np.searchsorted(starts, np.arange(n_values), side="right")
            costs.append(cost_of(records, after))

    change = state.recut(axis, cuts, n_most, n_least=n_least)

    assert_sound(state)
    here = cost_of(records, before)
    assert change == pytest.approx(min(costs) - here, abs=ROUNDING)
    assert cost_of(records, state.labels) == pytest.approx(here + change, abs=ROUNDING)


@settings(deadline=None)
@given(states(), st.booleans())
def test_each_greedy_merge_is_the_cheapest(state, stop_at_rise):
    records = state.tables.records
    here = [label.copy() for label in state.labels]
    merges, changes = greedy_merges(state, stop_at_rise=stop_at_rise)
    for (axis, kept, absorbed), change in zip(merges, changes, strict=True):
        before = cost_of(records, here)
        costs = all_merges(records, here)
        assert costs[axis, kept, absorbed] - before == pytest.approx(
            change, abs=ROUNDING
        )
        assert change <= min(costs.values()) - before + ROUNDING
        assert not stop_at_rise or change < 0.0
        here[axis] = np.where(here[axis] == absorbed, kept, here[axis])
    if stop_at_rise:
        rises = all_merges(records, here).values()
        assert min(rises, default=np.inf) > cost_of(records, here) - ROUNDING
    else:
        assert all(len(set(label.tolist())) == 1 for label in here)


def all_merges(records, labels):
    """Cost after each merge of two clusters, or of two neighbouring intervals."""
    costs = {}
    for axis, label in enumerate(labels):
        parts = sorted(set(label.tolist()))
        for i, a in enumerate(parts):
            stop = i + 2 if records.numeric[axis] else len(parts)
            for b in parts[i + 1 : stop]:
                after = [*labels]
                after[axis] = np.where(label == b, a, label)
                costs[axis, a, b] = cost_of(records, after)
    return costs


@settings(deadline=None)
@given(states(), st.booleans())
def test_merges_change_the_cost_by_what_they_say(state, to_one_cell):
    before = state.cost()
    change = merge(state, to_one_cell=to_one_cell)
    assert change <= 0.0
    assert state.cost() == pytest.approx(before + change, abs=ROUNDING)
    assert_sound(state)


@settings(deadline=None)
@given(states())
def test_costs_along_a_dendrogram_are_counted_anew(state):
    records = state.tables.records
    labels = [label.astype(np.int64) for label in state.labels]
    records = Records(records.codes, records.counts, tuple(labels), records.numeric)
    dendrogram = DataGridDendrogram.from_records(records)
    assert len(dendrogram.merges) == sum(state.shape) - len(state.shape)
    for t, cost in enumerate(dendrogram.costs):
        assert cost == pytest.approx(cost_of(records, labels), rel=1e-12)
        if t < len(dendrogram.merges):
            axis, kept, absorbed = dendrogram.merges[t]
            assert kept < absorbed
            labels[axis] = np.where(labels[axis] == absorbed, kept, labels[axis])


# The search on tiny tables, where all grids can be tried


def tiny(seed):
    """Values of 4 x 4, or 3 x 3 x 3, of which the first decides the others or not."""
    rng = np.random.default_rng(seed)
    d = 2 + seed % 2
    n_values = 4 if d == 2 else 3
    numeric = rng.permutation([True, False, bool(seed % 3)][:d])
    values = rng.integers(0, n_values, (60, d))
    tied = rng.random(60) < [0.0, 0.5, 0.8, 0.95][seed % 4]
    values[tied] = (values[tied, :1] // 2) + rng.integers(0, 2, (tied.sum(), d))
    return records_of(values, numeric)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_the_search_reaches_the_optimum_of_tiny_tables(seed):
    records = tiny(seed)
    optimum = naive.least_cost(written_out(records), records.numeric)
    result = search_data_grid(records, n_iterations=16, seed=seed)
    assert result.grid.cost == pytest.approx(optimum, rel=1e-12)
    assert cost_of(records, result.records.labels) == pytest.approx(optimum, rel=1e-12)


# What the cost found does not depend on


def observations(seed):
    """Four groups of observations, told by two numbers and two categories."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 4, 400)
    return np.column_stack(
        [
            10 * group + rng.integers(0, 12, 400),
            rng.integers(0, 30, 400) - 8 * (group > 1),
            2 * group + rng.integers(0, 3, 400),
            (group + rng.integers(0, 2, 400)) % 5,
        ]
    )


NUMERIC = (True, True, False, False)


def found(values, n_iterations=24):
    return search_data_grid(records_of(values, NUMERIC), n_iterations=n_iterations)


def assert_same(one, two):
    assert one.grid.cost == two.grid.cost
    for label, other in zip(one.records.labels, two.records.labels, strict=True):
        np.testing.assert_array_equal(label, other)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_observations_changes_nothing(seed):
    values = observations(seed)
    one = found(values)
    two = found(np.random.default_rng(seed).permutation(values))
    assert_same(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_increasing_maps_of_numbers_change_nothing(seed):
    values = observations(seed)
    mapped = values.copy()
    mapped[:, 0] = values[:, 0] ** 3
    mapped[:, 1] = 7 * values[:, 1] - 1000
    one, two = found(values), found(mapped)
    assert_same(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_names_of_categories_do_not_change_the_cost(seed):
    values = observations(seed)
    renamed = values.copy()
    rng = np.random.default_rng(seed)
    for axis in (2, 3):
        renamed[:, axis] = rng.permutation(20)[values[:, axis]]
    one, two = found(values, 200), found(renamed, 200)
    assert one.grid.shape == two.grid.shape
    assert one.grid.cost == pytest.approx(two.grid.cost, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_variables_does_not_change_the_cost(seed):
    values = observations(seed)
    records = records_of(values[:, ::-1], NUMERIC[::-1])
    two = search_data_grid(records, n_iterations=200)
    assert found(values, 200).grid.cost == pytest.approx(two.grid.cost, rel=1e-12)


@pytest.mark.slow
def test_a_grid_is_its_labelled_records():
    result = found(observations(0))
    assert result.grid.cost == DataGrid.from_records(result.records).cost
