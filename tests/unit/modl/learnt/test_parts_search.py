import numpy as np
import pandas as pd
import pytest
from naive import parts as naive
from naive.grids import variable_parts_cost_terms

from coclust_synth.modl.grid.state import GridState
from coclust_synth.modl.learnt.coding import ValueTable, parts_dendrogram
from coclust_synth.modl.learnt.search import (
    coarser_rows,
    equal_frequency_parts,
    search_parts,
)
from coclust_synth.modl.learnt.state import PartsState
from coclust_synth.tables.rows import collapse


def value_table(codes, numeric):
    """A table without missing values; codes from 0 without gaps."""
    n_levels = codes.max(axis=0) + 1
    rows, inverse = collapse(codes, n_levels)
    numeric = np.array(numeric)
    n_values = np.where(numeric, len(codes), n_levels)
    return ValueTable(rows, numeric, n_values), inverse


def planted(seed=0, n=600):
    """Two groups of people: a number and a category tell them apart, noise does not."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    number = np.where(group == 0, rng.integers(0, 10, n), rng.integers(10, 30, n))
    category = rng.integers(0, 3, n) + 3 * group
    other = rng.integers(0, 2, n) + 2 * group
    noise = rng.integers(0, 4, n)
    codes = np.column_stack([number, category, other, noise])
    return value_table(codes, [True, False, False, True]), group


@pytest.mark.parametrize("seed", range(5))
def test_planted_parts_are_found(seed):
    (table, inverse), group = planted(seed)
    result = search_parts(table, n_iterations=4, seed=seed)
    assert result.grid.shape[0] == 2
    labels = result.grid.row_labels[inverse]
    assert len(set(zip(labels, group, strict=True))) == 2
    part = [p.tolist() for p in np.split(result.part, table.first[1:-1])]
    assert part == [[0] * 10 + [1] * 20, [2] * 3 + [3] * 3, [4] * 2 + [5] * 2, [6] * 4]


@pytest.mark.parametrize("seed", range(5))
def test_independent_variables_give_the_null_model(seed):
    codes = np.random.default_rng(seed).integers(0, 4, (80, 3))
    table, _ = value_table(codes, [True, False, True])
    result = search_parts(table, n_iterations=4, seed=seed)
    assert result.grid.shape == (1, 1)
    assert result.part.tolist() == table.variable.tolist()
    assert result.grid.cost == result.null_cost == result.trace[-1].cost
    assert result.state.n_parts == 3


TINY = {
    "two groups": ([(0, 0), (1, 0), (1, 1), (2, 1)], [12, 9, 2, 12], [True, False]),
    "noise": ([(0, 0), (1, 1), (2, 0), (2, 1)], [3, 4, 3, 3], [True, False]),
    "three categories": (
        [(0, 0), (1, 0), (2, 1), (0, 1)],
        [25, 25, 30, 2],
        [False, False],
    ),
    "numbers": ([(0, 0), (1, 1), (2, 1), (2, 0)], [20, 9, 15, 3], [True, True]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TINY)
def test_the_search_reaches_the_optimum_of_tiny_tables(name):
    rows, weights, numeric = TINY[name]
    codes = np.repeat(rows, weights, axis=0)
    table, _ = value_table(codes, numeric)

    def cost(row_labels, partitions, part_labels):
        labels = np.repeat(row_labels, weights).tolist()
        terms = variable_parts_cost_terms(
            codes.tolist(), labels, partitions, part_labels, table.n_values.tolist()
        )
        return sum(terms.values())

    optimum = naive.best_model(rows, numeric, cost)
    for seed in range(3):
        result = search_parts(table, n_iterations=12, seed=seed)
        assert result.grid.cost == pytest.approx(optimum, rel=1e-12), seed


def test_tables_too_small_for_a_grid():
    for codes in ([[0], [0]], [[0, 0], [1, 0]]):
        table, _ = value_table(np.array(codes), [True] * len(codes[0]))
        result = search_parts(table, n_iterations=3)
        assert result.grid.shape == (1, 1)
        assert result.grid.cost == result.null_cost


# How it is found and stopped


@pytest.fixture(scope="module")
def table():
    (table, _), _ = planted(3)
    return table


def points(result):
    return [(p.iteration, p.cost) for p in result.trace]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, np.random.SeedSequence(12)])
def test_equal_seeds_give_equal_results(table, seed):
    one = search_parts(table, n_iterations=6, seed=seed)
    two = search_parts(table, n_iterations=6, seed=seed)
    for name in ("row_labels", "column_labels", "cells"):
        np.testing.assert_array_equal(getattr(one.grid, name), getattr(two.grid, name))
    np.testing.assert_array_equal(one.part, two.part)
    assert points(one) == points(two)


def test_without_time_there_is_the_grid_of_the_first_descent(table):
    result = search_parts(table, n_iterations=5, time_limit=1e-9)
    assert (result.stopped_by, result.n_iterations) == ("time", 1)
    assert points(result) == points(search_parts(table, n_iterations=1))


def test_ctrl_c_at_the_start_of_a_descent_is_not_lost(table, monkeypatch):
    def interrupt(state, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(GridState, "merge", interrupt)
    result = search_parts(table, n_iterations=99)
    assert (result.stopped_by, result.n_iterations) == ("user", 0)
    assert result.grid.shape == (1, 1)


# Where it starts


def test_intervals_of_equal_frequency():
    codes = np.column_stack([np.arange(100) // 2, np.arange(100) % 3])
    table, _ = value_table(codes, [True, False])
    part = equal_frequency_parts(table, 5)
    assert part.tolist() == [v // 10 for v in range(50)] + [5, 6, 7]


def test_rows_of_parts(table):
    part = equal_frequency_parts(table, 3)
    rows, inverse = coarser_rows(table, part)
    assert rows.n_individuals == table.rows.n_individuals
    assert rows.n_parts == part.max() + 1
    np.testing.assert_array_equal(rows.codes[inverse], part[table.rows.codes])
    assert len(np.unique(rows.codes, axis=0)) == len(rows.codes) < len(inverse)


# Dendrogram


def test_each_step_of_the_hierarchy_has_the_cost_of_its_grid():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 4, 800)
    codes = np.column_stack(
        [np.where(rng.random(800) < 0.8, group, rng.integers(0, 4, 800))] * 2
        + [np.where(rng.random(800) < 0.7, group * 2, rng.integers(0, 8, 800))] * 2
    )
    codes = np.column_stack([pd.factorize(c, sort=True)[0] for c in codes.T])
    table, _ = value_table(codes, [True, False, True, False])
    result = search_parts(table, n_iterations=4)
    dendrogram = parts_dendrogram(result)
    assert result.grid.shape > (2, 2)
    assert dendrogram.costs[0] == dendrogram.best_cost == result.grid.cost
    assert dendrogram.null_cost == result.null_cost
    grid, part = result.grid, result.part
    for step in range(len(dendrogram.merges)):
        level = dendrogram.level(step)
        state = PartsState(
            result.state.tables,
            level.row_map[grid.row_labels],
            part,
            level.column_map[grid.column_labels][part],
        )
        assert state.cost() == pytest.approx(dendrogram.costs[step], rel=1e-12)
