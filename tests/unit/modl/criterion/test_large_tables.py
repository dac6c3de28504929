"""ln n! and the priors of tables that are too large to look everything up."""

import math

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth._jit import kernel
from coclust_synth.modl.criterion import _kernels, lookup
from coclust_synth.modl.criterion._kernels import LogFactorials
from coclust_synth.modl.criterion.lookup import PartitionTables, log_fact_table
from coclust_synth.modl.criterion.terms import (
    bounded_universal_code,
    catch_all_priors_by_kept,
    log_partitions,
    log_partitions_by_values,
    plain_partition_prior,
)
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables, GridState

STEP = 2.0**-20


@kernel
def looked_up(table, n):
    return table[n]


def test_log_factorials_beyond_the_table(monkeypatch):
    whole = log_fact_table(6000)
    monkeypatch.setattr(lookup, "_N_TABLED", 4096)
    log_fact = log_fact_table(6000)
    assert isinstance(whole, np.ndarray) and len(log_fact.table) == 4096
    for n in [0, 1, 4095, 4096, 5999]:
        assert log_fact[n] == looked_up(log_fact, n) == whole[n]


@pytest.mark.slow
def test_log_factorials_of_a_billion_fit_in_little_memory():
    n = 900_000_000
    log_fact = log_fact_table(n + 1)
    assert log_fact.table.nbytes <= 40e6
    assert log_fact[n] == pytest.approx(math.lgamma(n + 1.0), abs=1e-5)
    # ln n! - ln (n-1)! = ln n.
    assert log_fact[n] - log_fact[n - 1] == pytest.approx(math.log(n), abs=1e-5)


@pytest.mark.parametrize("n", [2**20 + 1, 2**20 + 17, 2**21])
def test_code_of_an_integer_beyond_the_table(n):
    stars = np.log2(np.arange(2**20 + 1.0, n + 1))
    weights, term = 1.0 / np.arange(2**20 + 1.0, n + 1), stars
    while (term > 0).any():
        weights = weights / np.where(term > 1, term, 1.0)
        term = np.where(term > 1, np.log2(term), 0.0)
    below = float(np.exp(bounded_universal_code(1, 2**20)))
    expected = math.log(below + math.fsum(weights))
    for largest in (n, np.array([n, n])):
        code = bounded_universal_code(1, largest)
        assert code == pytest.approx(expected, abs=1e-13)


def test_the_kernels_continue_the_tables_of_codes():
    priors = PartitionTables(3 * 10**6, log_fact_table(10)).up_to(3)
    for n in [2, 2**20 - 1, 2**20, 2**20 + 1, 3 * 10**6]:
        assert _kernels.log2_star_of(n, priors) == pytest.approx(naive.log2_star(n))
        expected = bounded_universal_code(1, n)
        assert _kernels.log_constant_of(n, priors) == pytest.approx(expected, abs=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("j", [1, 2, 3, 8, 40])
def test_many_values_in_few_clusters(j):
    """From some number of values on one term of the sum is all of it."""
    log_fact = log_fact_table(100)
    by_values = log_partitions_by_values(np.arange(2001), j)
    for v in range(max(j, 1), 300):
        expected = naive.log_partitions(v, j)
        assert by_values[v] == pytest.approx(expected, rel=1e-14, abs=1e-14)
        assert by_values[v] == log_partitions(v, j)
        of_kernel = _kernels.log_partitions(v, j, log_fact)
        assert of_kernel == pytest.approx(expected, rel=1e-12, abs=2 * STEP)


@pytest.mark.parametrize(
    "v, j", [(300, 300), (300, 299), (2500, 2400), (2500, 700), (9000, 300), (900, 29)]
)
def test_values_in_many_clusters(v, j):
    """Of the sum a few terms around the largest are all that kernels look at."""
    of_kernel = _kernels.log_partitions(v, j, log_fact_table(v))
    assert of_kernel == pytest.approx(log_partitions(v, j), rel=1e-12, abs=2 * STEP)


@pytest.mark.parametrize("j", [3, 6])
def test_priors_by_kept_values_are_those_of_the_table(j):
    n_values = 60
    log_fact = log_fact_table(200)
    series = LogFactorials(log_fact[:100], STEP)
    sizes = np.full(j, 1)
    sizes[1] = n_values - j + 1
    rest = np.zeros(j + 1)
    by_kept = PartitionTables(n_values, log_fact).with_sizes(sizes, rest).by_kept
    computed = PartitionTables(n_values, series).with_sizes(sizes, rest).by_kept
    plain = plain_partition_prior(n_values, j)
    number = np.arange(n_values + 1)
    expected = np.minimum(catch_all_priors_by_kept(n_values, j, number), plain)
    assert expected.tolist() == by_kept.tolist()
    for kept in range(j - 1, n_values):
        for prior in (computed[kept], looked_up(computed, kept)):
            assert prior == pytest.approx(by_kept[kept], abs=2 * STEP)
    assert computed[j - 2] == math.inf


@pytest.mark.parametrize("n_moving", [0, 1, 7, 1000])
def test_a_few_moves_need_little_of_a_table_of_priors(n_moving):
    n_values, sizes = 300, np.full(40, 2)
    sizes[3] = n_values - 2 * 39
    tables = PartitionTables(n_values, log_fact_table(500))
    whole = tables.with_sizes(sizes, np.zeros(41)).by_kept.copy()
    assert not np.isnan(whole).any()
    tables = PartitionTables(n_values, log_fact_table(500))
    kept = n_values - sizes[3]
    for grown in (0, 2, 1):  # what is known already is left as it is
        sizes[3] = n_values - kept - grown
        some = tables.with_sizes(sizes, np.zeros(41), n_moving).by_kept
        lowest = max(kept + grown - n_moving, 0)
        near = slice(lowest, kept + grown + n_moving + 1)
        assert some[near].tolist() == whole[near].tolist()
    known = np.flatnonzero(~np.isnan(some))
    assert len(known) <= 2 * n_moving + 3
    assert some[known].tolist() == whole[known].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("is_uneven", [False, True])
def test_moves_beyond_the_tables(monkeypatch, is_uneven, rng):
    """They change the exact cost by what they say; a kernel is compiled for it."""
    monkeypatch.setattr(lookup, "_N_TABLED", 200)
    counts = rng.poisson(0.5 + 4 * np.kron(np.eye(3), np.ones((100, 5))))
    rows = rng.integers(0, 8, 300)
    if is_uneven:  # a catch-all
        rows[rng.random(300) < 0.9] = 0
    costs = CostTables(Contingency.from_matrix(counts))
    state = GridState(costs, (rows, np.arange(15)))
    assert isinstance(costs.log_fact, LogFactorials)
    priors = costs.size_priors(0, state.sizes[0], 15)
    assert (priors.catch_all >= 0) == is_uneven
    before = state.cost()
    values = rng.permutation(300)[: 50 if is_uneven else 300]  # it stays the largest
    change = state.sweep(0, [(values, np.arange(8))], np.empty(300))
    assert change < -10
    assert state.cost() - before == pytest.approx(change, abs=1e-3)
