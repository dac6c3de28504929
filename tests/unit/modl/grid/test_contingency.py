import dataclasses

import numpy as np
import pytest
from naive import modl as naive
from scipy import sparse

from coclust_synth.exceptions import TableError
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.tables.rows import collapse

COUNTS = np.array([[2, 0, 1], [0, 0, 3], [1, 4, 0], [0, 0, 0]])


def dense(side, n_opposite):
    """The counts of one side, one row a value."""
    counts = np.zeros((len(side.size), n_opposite), dtype=np.int64)
    for i in range(len(side.size)):
        for e in range(side.indptr[i], side.indptr[i + 1]):
            counts[i, side.opposite[e]] += side.count[e]
    return counts


def test_both_sides_of_a_matrix():
    contingency = Contingency.from_matrix(COUNTS)
    rows, columns = contingency.sides
    np.testing.assert_array_equal(dense(rows, 3), COUNTS)
    np.testing.assert_array_equal(dense(columns, 4), COUNTS.T)
    assert rows.size.tolist() == [1, 1, 1, 1]
    assert columns.size.tolist() == [1, 1, 1]
    assert rows.total.tolist() == [3, 3, 5, 0]
    assert columns.total.tolist() == [3, 4, 4]
    assert contingency.n_observations == 11
    assert contingency.n_values == (4, 3)
    values = [3, 3, 5, 0, 3, 4, 4]
    expected = sum(naive.log_fact(n) for n in values)
    assert contingency.log_fact_values == pytest.approx(expected, rel=1e-14)


def test_weighted_rows_count_as_often_as_their_weight():
    weights = [2, 1, 3, 1]
    contingency = Contingency.from_matrix(COUNTS, weights)
    rows, columns = contingency.sides
    weighted = COUNTS * np.array(weights)[:, None]
    np.testing.assert_array_equal(dense(rows, 3), weighted)
    np.testing.assert_array_equal(dense(columns, 4), weighted.T)
    assert rows.size.tolist() == weights
    assert rows.total.tolist() == weighted.sum(axis=1).tolist()
    assert contingency.n_observations == weighted.sum()
    assert contingency.n_values == (7, 3)


def test_weighted_rows_cost_as_much_as_repeated_rows():
    weights, labels = [2, 1, 3, 1], [0, 1, 1, 2]
    expanded, expanded_labels = naive.expand(COUNTS.tolist(), weights, labels)
    short = Contingency.from_matrix(COUNTS, weights)
    long = Contingency.from_matrix(expanded)
    assert short.n_observations == long.n_observations
    assert short.log_fact_values == pytest.approx(long.log_fact_values, rel=1e-14)
    short_grid = Grid.from_labels(short, np.array(labels), np.array([0, 1, 0]))
    long_grid = Grid.from_labels(long, np.array(expanded_labels), np.array([0, 1, 0]))
    np.testing.assert_array_equal(short_grid.cells, long_grid.cells)
    np.testing.assert_array_equal(short_grid.row_sizes, long_grid.row_sizes)
    assert short_grid.cost == pytest.approx(long_grid.cost, rel=1e-13)
    expected = naive.cost(expanded, expanded_labels, [0, 1, 0])
    assert short_grid.cost == pytest.approx(expected, rel=1e-12)


def test_a_sparse_matrix_with_repeated_and_zero_entries():
    entries = [(0, 0, 1), (0, 0, 1), (0, 2, 1), (1, 2, 3), (2, 0, 1), (2, 1, 4)]
    entries += [(3, 1, 0), (1, 0, 0)]
    row, column, count = np.array(entries).T
    matrix = sparse.coo_array((count, (row, column)), shape=(4, 3))
    contingency = Contingency.from_matrix(matrix)
    np.testing.assert_array_equal(dense(contingency.sides[0], 3), COUNTS)
    assert len(contingency.sides[0].count) == np.count_nonzero(COUNTS)
    assert (contingency.sides[0].count > 0).all()


def test_whole_counts_may_be_floats():
    contingency = Contingency.from_matrix(COUNTS.astype(np.float64))
    np.testing.assert_array_equal(dense(contingency.sides[0], 3), COUNTS)


def test_distinct_rows_become_individuals_by_parts():
    codes = np.array([[0, 1], [1, -1], [0, 1], [1, 2], [-1, 2]])
    rows, inverse = collapse(codes, [2, 3])
    contingency = Contingency.from_distinct_rows(rows)
    expanded = np.zeros((5, 5), dtype=np.int64)
    for i, (first, second) in enumerate(codes):
        if first >= 0:
            expanded[i, first] = 1
        if second >= 0:
            expanded[i, 2 + second] = 1
    side = contingency.sides[0]
    np.testing.assert_array_equal(
        dense(side, 5)[inverse], expanded * side.size[inverse, None]
    )
    assert contingency.n_values == (5, 5)
    assert contingency.n_observations == expanded.sum() == 8
    null = Grid.null(contingency)
    assert null.cost == pytest.approx(naive.null_cost(expanded.tolist()), rel=1e-12)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2], [-3, 4]], "whole numbers, 0 or more. Received -3"),
        ([[1.0, 0.5], [1.0, 1.0]], "whole numbers, 0 or more. Received 0.5"),
        ([[1.0, np.nan], [1.0, 1.0]], "whole numbers, 0 or more. Received nan"),
        (np.zeros((3, 2), dtype=np.int64), "Received a 3 x 2 table of zeros"),
        (sparse.csr_array((2, 2), dtype=np.int64), "Received a 2 x 2 table of zeros"),
    ],
)
def test_counts_that_cannot_be(matrix, message):
    with pytest.raises(TableError, match=message):
        Contingency.from_matrix(matrix)


def test_some_rows_are_counted_with_all_columns():
    weights = np.array([2, 1, 3, 1])
    some = Contingency.from_matrix(COUNTS, weights).of_rows(np.array([0, 2]))
    expected = Contingency.from_matrix(COUNTS[[0, 2]], weights[[0, 2]])
    assert some.n_observations == expected.n_observations
    assert some.log_fact_values == expected.log_fact_values
    for side, other in zip(some.sides, expected.sides, strict=True):
        for own, same in zip(side, other, strict=True):
            assert own.tolist() == same.tolist()


@pytest.mark.parametrize("count", [2**31 - 1, 2**31])
def test_counts_beyond_an_int32(count):
    contingency = Contingency.from_matrix([[count, 1], [0, count]])
    assert contingency.n_observations == 2 * count + 1
    grid = Grid.from_labels(contingency, np.array([0, 1]), np.array([0, 1]))
    assert sorted(grid.cells.ravel().tolist()) == [0, 1, count, count]
    rows, _ = collapse(np.array([[0], [1]]), [2])
    heavy = dataclasses.replace(rows, counts=np.array([count, 1]))
    assert Contingency.from_distinct_rows(heavy).n_observations == count + 1
