import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import parts as naive
from naive.grids import variable_parts_cost_terms

from coclust_synth.modl.learnt import _kernels as _parts_kernels
from coclust_synth.modl.learnt.coding import ValueTable
from coclust_synth.modl.learnt.state import PartsCostTables, PartsState
from coclust_synth.tables.rows import collapse

# Changes of cost are sums of ln n! rounded to 2^-20: each term is up to 5e-7 off.
ROUNDING = 1e-5
SEEDS = range(25)


class Case:
    """A random table of numbers and categories, some missing, and a random model."""

    def __init__(self, seed, n=40):
        self.rng = rng = np.random.default_rng(seed)
        self.numeric = rng.permutation([True, True, False, False])[: rng.integers(1, 5)]
        d = len(self.numeric)
        group = rng.integers(0, 3, n)
        columns = []
        for _ in range(d):
            n_levels = int(rng.integers(1, 6))
            noise = rng.integers(0, n_levels, n)
            codes = np.where(rng.random(n) < 0.6, group % n_levels, noise)
            codes = np.where(rng.random(n) < 0.1, -1, codes)
            codes[0] = 0
            present = np.unique(codes[codes >= 0])
            lookup = np.full(n_levels + 1, -1)
            lookup[present] = np.arange(len(present))
            columns.append(lookup[codes])
        self.codes = np.column_stack(columns)
        n_levels = self.codes.max(axis=0) + 1
        has_missing = (self.codes < 0).any(axis=0)
        self.n_values = np.where(self.numeric, n, n_levels + has_missing)
        rows, self.inverse = collapse(self.codes, n_levels)
        self.table = ValueTable(rows, self.numeric, self.n_values)
        self.costs = PartsCostTables(self.table)

    def state(self):
        """A random model; equal rows are together.

        Of two clusters of instances: moves do not count on a catch-all, which is
        offered from three on.
        """
        rng, table = self.rng, self.table
        part = np.zeros(table.rows.n_parts, dtype=np.int64)
        for k in range(table.n_variables):
            first, last = table.first[k], table.first[k + 1]
            if self.numeric[k]:
                steps = rng.random(last - first) < 0.5
                part[first:last] = np.cumsum(steps) + 100 * k
            else:
                part[first:last] = rng.integers(0, 3, last - first) + 100 * k
        _, part = np.unique(part, return_inverse=True)
        cluster = rng.integers(0, 3, part.max() + 1)
        row_labels = rng.integers(0, 2, len(table.rows.counts))
        return PartsState(self.costs, row_labels, part, cluster[part])

    def cost(self, state):
        """The cost of a state from raw rows, by the formulas."""
        rows = [[None if c < 0 else int(c) for c in row] for row in self.codes]
        part = state.part
        partitions, part_labels = [], {}
        for k in range(self.table.n_variables):
            first, last = self.table.first[k], self.table.first[k + 1]
            own = part[first:last] - part[first:last].min()
            if self.numeric[k]:
                partitions.append(np.flatnonzero(np.diff(own)).tolist())
            else:
                partitions.append(dict(enumerate(own.tolist())))
            for v in range(first, last):
                cluster = int(state.labels[1][v])
                part_labels[k, int(own[v - first])] = cluster
        labels = state.labels[0][self.inverse].tolist()
        terms = variable_parts_cost_terms(
            rows, labels, partitions, part_labels, self.n_values.tolist()
        )
        return math.fsum(terms.values())

    def is_null(self, state):
        return state.shape == (1, 1) and state.n_parts == self.table.n_variables


def assert_counts_agree(case, state):
    again = PartsState(case.costs, state.labels[0], state.part, state.labels[1])
    np.testing.assert_array_equal(again.cells, state.cells)
    for ours, theirs in zip(
        (*again.sizes, *again.totals), (*state.sizes, *state.totals), strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    # Parts are of one variable, one cluster, and intervals where they are numeric.
    for p in range(state.n_parts):
        members = np.flatnonzero(state.part == p)
        assert len(set(case.table.variable[members])) == 1
        assert len(set(state.labels[1][members])) == 1
        if case.numeric[case.table.variable[members[0]]]:
            assert (np.diff(members) == 1).all()
    assert (np.diff(state.first_value) > 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_cost_is_that_of_the_formulas(seed):
    case = Case(seed)
    state = case.state()
    assert state.cost() == pytest.approx(case.cost(state), rel=1e-12)
    null = PartsState.null(case.costs)
    assert case.is_null(null)
    assert null.cost() == pytest.approx(case.cost(null), rel=1e-12)
    assert_counts_agree(case, state)


@pytest.mark.parametrize("seed", SEEDS)
def test_sweep_kernel_agrees_with_its_twin(seed):
    case = Case(seed)
    state = case.state()
    order = case.rng.permutation(len(state.part))
    values, priors = state._values(), case.costs.kernel_priors
    ours, theirs = state._kernel_parts(), state._kernel_parts()

    change = _parts_kernels.sweep_parts(order, values, ours, priors)

    expected = naive.sweep_parts(order, values, theirs, priors)
    assert change == pytest.approx(expected, abs=ROUNDING)
    used = np.unique(theirs.part)
    np.testing.assert_array_equal(ours.cluster[used], theirs.cluster[used])
    for name in set(ours._fields) - {"cluster"}:
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("seed", SEEDS)
def test_join_kernel_agrees_with_its_twin(seed):
    case = Case(seed)
    values, priors = case.state()._values(), case.costs.kernel_priors
    ours = _parts_kernels.join_neighbours(values, priors)
    assert ours.tolist() == naive.join_neighbours(values, priors)


@pytest.mark.parametrize("seed", SEEDS)
def test_structure_cost(seed):
    case = Case(seed)
    n_parts, n_opposite = case.table.rows.n_parts, 3
    for j in range(1, n_parts + 1):
        expected = naive.cell_counts_prior(case.costs.contingency.n_observations, j * 3)
        if j > 1:
            expected += naive.bounded_universal_code(j - 1, n_parts - 1)
            expected += naive.log_partitions(n_parts, j)
        cost = _parts_kernels.structure_cost(
            n_parts, j, n_opposite, case.costs.kernel_priors
        )
        assert cost == pytest.approx(expected, abs=ROUNDING)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60))
def test_moves_and_merges_change_the_cost_by_what_they_say(seed, n):
    case = Case(seed, n)
    state = case.state()
    n_rows = len(state.labels[0])

    def sweep_rows():
        jobs = [(case.rng.permutation(n_rows), np.arange(state.shape[0]))]
        change = state.sweep(0, jobs, np.empty(n_rows))
        state.drop_empty()
        return change

    def sweep_parts():
        return state.sweep_parts(case.rng, 1)

    for step in (sweep_parts, sweep_rows, sweep_parts, state.merge, sweep_parts):
        before, was_null = case.cost(state), case.is_null(state)
        change = step()
        assert change <= 0.0
        assert_counts_agree(case, state)
        # The null model is free of a term: see `variable_parts`.
        if not (was_null or case.is_null(state)):
            after = case.cost(state)
            assert after - before == pytest.approx(change, abs=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_found_anew(seed):
    case = Case(seed)
    state = case.state()
    rows = state.labels[0].copy()
    state.cut_anew()
    assert_counts_agree(case, state)
    np.testing.assert_array_equal(state.labels[0], rows)
    assert state.shape[1] == state.n_parts
    categories = ~case.numeric[case.table.variable]
    assert len(set(state.part[categories])) == categories.sum()


def test_a_copy_leaves_the_first_alone():
    case = Case(5)
    state = case.state()
    part, cells = state.part.copy(), state.cells.copy()
    other = state.copy()
    other.cut_anew()
    other.sweep_parts(case.rng, 3)
    np.testing.assert_array_equal(state.part, part)
    np.testing.assert_array_equal(state.cells, cells)
    assert_counts_agree(case, state)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_grid_of_a_state_costs_the_same(seed):
    case = Case(seed)
    state = case.state()
    grid = state.to_grid()
    assert grid.cost == pytest.approx(state.cost(), rel=1e-13)
    assert grid.shape == state.shape
    assert (np.diff(grid.cells.sum(axis=0)) <= 0).all()
    assert (np.diff(grid.cells.sum(axis=1)) <= 0).all()
    assert grid.column_sizes.sum() == state.n_parts == len(grid.column_labels)


def test_values_do_not_leave_their_parts():
    state = Case(0).state()
    n_values = len(state.labels[1])
    before = state.copy()
    with pytest.raises(ValueError, match="Call sweep_parts"):
        state.sweep(1, [(np.arange(n_values), np.arange(2))], np.empty(n_values))
    np.testing.assert_array_equal(state.labels[1], before.labels[1])
    assert state.cost() == before.cost()
