"""Grids of any number of dimensions against slow twins that count everything anew."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from naive import grids as naive

from coclust_synth.modl.criterion.terms import Dimension, cost_terms, grid_cost_terms
from coclust_synth.modl.criterion.variable_parts import (
    InnerVariable,
    variable_parts_cost_terms,
)
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records, distinct_rows
from coclust_synth.modl.data_grid.importance import interests, typicalities


class Case:
    """Random observations of categorical and numeric variables, and partitions."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(20, 60)), int(rng.integers(2, 5))
        self.numeric = tuple(bool(x) for x in rng.integers(0, 2, d))
        columns, self.partitions, codes, labels = [], [], [], []
        for is_numeric in self.numeric:
            if is_numeric:
                cuts = sorted(rng.choice(np.arange(1, 9), rng.integers(0, 4), False))
                cuts = [int(cut) + 0.5 for cut in cuts]
                # Every interval holds a value.
                column = rng.permutation(
                    np.append(rng.integers(0, 10, n - 10), range(10))
                )
                codes.append(np.searchsorted(cuts, column))
                labels.append(np.arange(len(cuts) + 1))
                self.partitions.append(cuts)
            else:
                v = int(rng.integers(1, 13))
                column = rng.permutation(np.append(rng.integers(0, v, n - v), range(v)))
                # One large cluster, so that some of them are catch-alls.
                label = np.minimum(rng.integers(0, 8, v), rng.integers(0, 8))
                label = np.unique(label, return_inverse=True)[1]
                codes.append(column)
                labels.append(label)
                self.partitions.append(dict(enumerate(label.tolist())))
            columns.append(column.tolist())
        self.observations = list(zip(*columns, strict=True))
        rows, counts = np.unique(np.column_stack(codes), axis=0, return_counts=True)
        self.records = Records(rows, counts, tuple(labels), self.numeric)
        self.grid = DataGrid.from_records(self.records)


@pytest.fixture(params=range(12))
def case(request):
    return Case(request.param)


def test_terms_agree_with_the_naive_ones(case):
    expected = naive.grid_cost_terms(case.observations, case.partitions)
    assert asdict(case.grid.terms) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert case.grid.cost == pytest.approx(math.fsum(expected.values()), rel=1e-12)


def test_null_grid_agrees_with_the_naive_one(case):
    whole = [
        dict.fromkeys(partition, 0) if isinstance(partition, dict) else []
        for partition in case.partitions
    ]
    expected = naive.grid_cost(case.observations, whole)
    null = case.grid.null()
    assert null.cost == pytest.approx(expected, rel=1e-12)
    assert null.shape == (1,) * len(whole)
    assert null.counts.tolist() == [len(case.observations)]


def test_merged_grids_agree_with_grids_of_merged_partitions(case):
    for axis, n_parts in enumerate(case.grid.shape):
        if n_parts < 2:
            continue
        number = np.maximum(np.arange(n_parts) - 1, 0)
        coarser = case.grid.coarser(axis, number)
        partition = case.partitions[axis]
        if isinstance(partition, dict):
            partition = {v: int(number[part]) for v, part in partition.items()}
        else:
            partition = partition[1:]
        after = [*case.partitions]
        after[axis] = partition
        expected = naive.grid_cost(case.observations, after)
        assert coarser.cost == pytest.approx(expected, rel=1e-12)


def test_interests_agree_with_the_naive_ones(case):
    for axis in range(len(case.partitions)):
        expected = naive.interests(case.observations, case.partitions, axis)
        found = dict(enumerate(interests(case.grid, axis)))
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_typicalities_agree_with_the_naive_ones(case):
    for axis, is_numeric in enumerate(case.numeric):
        if not is_numeric:
            expected = naive.typicalities(case.observations, case.partitions, axis)
            found = dict(enumerate(typicalities(case.records, case.grid, axis)))
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_typicalities_where_a_catch_all_holds_all_but_two_values():
    partition = dict.fromkeys(range(10), 0) | {10: 1, 11: 2}
    counts = {(v, 0): 1 for v in range(10)}
    counts |= {(0, 1): 1, (10, 0): 9, (10, 1): 1, (11, 1): 8}
    observations = [pair for pair, n in counts.items() for _ in range(n)]
    partitions = [partition, {0: 0, 1: 1}]
    records = Records(
        np.array(list(counts)),
        np.array(list(counts.values())),
        (np.array(list(partition.values())), np.arange(2)),
        (False, False),
    )
    found = typicalities(records, DataGrid.from_records(records), 0)
    expected = naive.typicalities(observations, partitions, 0)
    assert dict(enumerate(found)) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert found[0] != found[1]


def test_empty_cells_and_dense_grids_cost_the_same():
    cells = np.array([[3, 0, 1], [0, 2, 0]])
    rows, columns = [2, 4], [1, 1, 3]
    dimensions = (
        Dimension(cells.sum(axis=1), np.array(rows)),
        Dimension(cells.sum(axis=0), np.array(columns)),
    )
    dense = cost_terms(cells, rows, columns, 1.25)
    sparse = grid_cost_terms(cells[cells > 0], dimensions, 1.25)
    assert asdict(sparse) == pytest.approx(asdict(dense), rel=1e-14)


def test_many_more_cells_than_64_bits_can_number():
    d, n = 40, 200
    codes = np.random.default_rng(0).integers(0, 4, (n, d))
    codes[:4] = np.arange(4)[:, None]
    records = Records(codes, np.ones(n, int), (np.arange(4),) * d, (False,) * d)
    terms = DataGrid.from_records(records).terms
    assert terms.cell_counts == pytest.approx(n * d * math.log(4), rel=1e-14)
    assert terms.cells == 0.0  # every record in its own cell


def test_distinct_rows_are_numbered_in_lexicographic_order():
    rows = np.array([[1, 0], [0, 2], [1, 0], [0, 1]])
    number, n_distinct = distinct_rows(rows)
    assert number.tolist() == [2, 1, 2, 0]
    assert n_distinct == 3
    assert distinct_rows(rows[:, :0])[1] == 1


# Variable parts


def variable_parts_case(seed, *, missing):
    rng = np.random.default_rng(seed)
    n = 24
    rows = list(
        zip(
            rng.permutation(n).tolist(),
            rng.permutation(np.arange(n) % 5).tolist(),
            rng.permutation(np.arange(n) % 3).tolist(),
            strict=True,
        )
    )
    rows = [
        tuple(None if missing and rng.random() < 0.2 else value for value in row)
        for row in rows
    ]
    partitions = [[7.5, 15.5], {0: 0, 1: 0, 2: 1, 3: 1, 4: 1}, {0: 0, 1: 0, 2: 0}]
    labels = {(0, 0): 0, (0, 1): 1, (0, 2): 1, (1, 0): 0, (1, 1): 2, (2, 0): 2}
    row_labels = rng.permutation(np.arange(n) % 3).tolist()
    return rows, row_labels, partitions, labels, [n, 5 + missing, 3 + missing]


def terms_of_variable_parts(rows, row_labels, partitions, part_labels, n_values):
    part_number = {part: i for i, part in enumerate(part_labels)}
    pairs, categories = [], []
    for i, row in enumerate(rows):
        for k, value in enumerate(row):
            if value is not None:
                part = (k, naive.part_of(value, partitions[k]))
                pairs.append((i, part_number[part]))
                if isinstance(partitions[k], dict):
                    categories.append((k, value))
    pairs = np.array(pairs)
    labels = np.array(row_labels), np.array(list(part_labels.values()))
    records = Records(pairs, np.ones(len(pairs), int), labels, (False, False))
    grid = DataGrid.from_records(records)
    totals = np.bincount(pairs[:, 1], minlength=len(part_labels))
    inner = []
    for k, partition in enumerate(partitions):
        own = [i for (variable, _), i in part_number.items() if variable == k]
        sizes = None
        if isinstance(partition, dict):
            sizes = np.bincount(list(partition.values()))
        inner.append(InnerVariable(Dimension(totals[own], sizes), n_values[k]))
    log_fact_values = sum(
        naive.log_fact(n)
        for counts in (
            np.bincount(pairs[:, 0]).tolist(),
            naive.Counter(categories).values(),
        )
        for n in counts
    )
    return variable_parts_cost_terms(
        grid.counts, *grid.dimensions, inner, log_fact_values
    )


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_variable_parts_agree_with_the_naive_ones(seed, missing):
    case = variable_parts_case(seed, missing=missing)
    expected = naive.variable_parts_cost_terms(*case)
    terms = terms_of_variable_parts(*case)
    assert asdict(terms) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert terms.total == pytest.approx(math.fsum(expected.values()), rel=1e-12)


def test_variable_parts_of_the_null_grid():
    rows, row_labels, _, _, n_values = variable_parts_case(0, missing=False)
    whole = [[], dict.fromkeys(range(5), 0), dict.fromkeys(range(3), 0)]
    labels = {(k, 0): 0 for k in range(3)}
    case = rows, [0] * len(rows), whole, labels, n_values
    terms = terms_of_variable_parts(*case)
    assert asdict(terms) == pytest.approx(naive.variable_parts_cost_terms(*case))
    assert terms.inner_variables == terms.partitions == 0.0
    # The same parts, but instances apart: now each variable pays for its one part.
    terms = terms_of_variable_parts(rows, row_labels, *case[2:])
    assert terms.inner_variables > 0.0
