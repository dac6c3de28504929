"""Kernels of the search in d dimensions against their slow twins."""

import itertools

import numpy as np
import pytest
from naive import data_grid_kernels as naive
from naive.modl import log_fact_table

from coclust_synth.modl.data_grid import _kernels as kernels

SEEDS = range(12)


class Cells:
    """Random cells of a few lines and parts; large keys of both signs."""

    def __init__(self, seed, *, distinct):
        self.rng = rng = np.random.default_rng(seed)
        self.n_parts = int(rng.integers(2, 7))
        pairs = rng.integers(0, [9, self.n_parts], (40, 2))
        if distinct:
            pairs = np.unique(pairs, axis=0)
        lines = rng.integers(-(2**62), 2**62, 9) * 2
        self.keys, self.part = lines[pairs[:, 0]], pairs[:, 1]
        self.count = rng.integers(1, 6, len(pairs))
        self.totals = np.bincount(self.part, self.count, self.n_parts).astype(np.int64)
        self.sizes = rng.integers(1, 4, self.n_parts)
        self.log_fact = np.array(log_fact_table(500))

    def merges(self, is_numeric):
        merges = naive.size_merge_costs(
            self.sizes, self.totals, is_numeric, self.log_fact
        )
        naive.add_cell_merge_costs(
            merges, self.keys, self.part, self.count, 1.0, self.log_fact
        )
        return merges


@pytest.mark.parametrize("seed", SEEDS)
def test_number_keys(seed):
    cells = Cells(seed, distinct=False)
    number, n_distinct = kernels.number_keys(cells.keys)
    assert (number.tolist(), n_distinct) == naive.number_keys(cells.keys)


def test_no_keys():
    assert kernels.number_keys(np.zeros(0, dtype=np.int64))[1] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_profiles(seed):
    cells = Cells(seed, distinct=False)
    arguments = cells.part, cells.keys, cells.count, cells.n_parts
    indptr, line, number, n_lines = kernels.profiles(*arguments)
    expected, n_expected = naive.profiles(*arguments)
    assert n_lines == n_expected
    assert len(indptr) == cells.n_parts + 1 and indptr[-1] == len(line)
    ours = {}
    for v in range(cells.n_parts):
        for e in range(indptr[v], indptr[v + 1]):
            assert (v, int(line[e])) not in ours
            ours[v, int(line[e])] = int(number[e])
    # The numbers of the lines are free: compared by what each line holds.
    assert by_line(ours) == by_line(expected)


def by_line(counts):
    lines = {}
    for (v, line), n in counts.items():
        lines.setdefault(line, []).append((v, n))
    return sorted(map(sorted, lines.values()))


@pytest.mark.parametrize("seed", SEEDS)
def test_interval_costs_and_best_cuts(seed):
    cells = Cells(seed, distinct=False)
    profiles = kernels.profiles(cells.part, cells.keys, cells.count, cells.n_parts)
    costs = kernels.interval_costs(*profiles, cells.totals, cells.log_fact)
    expected = naive.interval_costs(*profiles, cells.totals, cells.log_fact)
    np.testing.assert_array_equal(costs, expected)
    prior = np.append(0.0, np.cumsum(cells.rng.uniform(0, 8, cells.n_parts)))
    if seed % 2:
        prior[: cells.n_parts // 2 + 1] = np.inf
    starts, cost = kernels.best_cuts(costs, prior)
    assert cost == pytest.approx(naive.best_cuts(expected, prior), abs=1e-6)
    ends = [*starts.tolist(), cells.n_parts]
    along = sum(costs[e, s] for s, e in itertools.pairwise(ends))
    assert along + prior[len(starts)] == pytest.approx(cost, abs=1e-9)


def test_equal_cuts_are_broken_by_the_lowest_index():
    costs = np.full((4, 4), np.inf)
    costs[np.tril_indices(4, -1)] = 1.0
    starts, cost = kernels.best_cuts(costs, np.array([0.0, np.inf, 0.0, 0.0]))
    assert (starts.tolist(), cost) == ([0, 1], 2.0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_merge_costs(seed, is_numeric):
    cells = Cells(seed, distinct=True)
    arguments = cells.sizes, cells.totals, is_numeric, cells.log_fact
    merges = kernels.size_merge_costs(*arguments)
    expected = naive.size_merge_costs(*arguments)
    np.testing.assert_array_equal(merges, expected)
    for sign in (1.0, -1.0):
        arguments = cells.keys, cells.part, cells.count, sign, cells.log_fact
        kernels.add_cell_merge_costs(merges, *arguments)
        naive.add_cell_merge_costs(expected, *arguments)
        np.testing.assert_allclose(merges, expected, rtol=0, atol=1e-9)
    # What was added was taken away again, to the last bit.
    np.testing.assert_array_equal(
        merges,
        kernels.size_merge_costs(cells.sizes, cells.totals, is_numeric, cells.log_fact),
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("is_numeric", [False, True])
def test_absorb_and_best_neighbours(seed, is_numeric):
    cells = Cells(seed, distinct=True)
    merges = cells.merges(is_numeric)
    a, b = np.sort(cells.rng.permutation(cells.n_parts)[:2])
    part = np.where(cells.part == b, a, cells.part)
    # The cells of both parts in one line are one cell.
    pairs, inverse = np.unique(
        np.column_stack([cells.keys, part]), axis=0, return_inverse=True
    )
    count = np.bincount(inverse.ravel(), cells.count).astype(np.int64)
    keys, part = np.ascontiguousarray(pairs.T)

    def arguments():
        return (
            *(merges.copy(), a, b, keys, part, count),
            *(cells.sizes.copy(), cells.totals.copy(), is_numeric, cells.log_fact),
        )

    ours, theirs = arguments(), arguments()
    kernels.absorb(*ours)
    naive.absorb(*theirs)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=1e-9)
    np.testing.assert_array_equal(ours[6], theirs[6])
    np.testing.assert_array_equal(ours[7], theirs[7])
    assert kernels.best_neighbours(ours[0], ours[6]) == pytest.approx(
        naive.best_neighbours(theirs[0], theirs[6])
    )
