import math
from dataclasses import asdict

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.criterion import _kernels
from coclust_synth.modl.criterion.terms import (
    catch_all_partition_prior,
    catch_all_priors_by_kept,
    cell_counts_prior,
    cost_terms,
    family_prior,
    partition_prior,
    plain_partition_prior,
)
from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.modl.grid.state import CostTables

LN_2 = math.log(2)
LN_C = math.log(2.86511)


def log_fact(n):
    return math.lgamma(n + 1)


def terms_of(counts, row_labels, column_labels):
    counts = np.asarray(counts)
    row_labels, column_labels = np.asarray(row_labels), np.asarray(column_labels)
    cells = np.zeros((row_labels.max() + 1, column_labels.max() + 1), dtype=np.int64)
    np.add.at(cells, (row_labels[:, None], column_labels[None, :]), counts)
    values = [*counts.sum(axis=1).tolist(), *counts.sum(axis=0).tolist()]
    return cost_terms(
        cells,
        np.bincount(row_labels),
        np.bincount(column_labels),
        sum(log_fact(n) for n in values),
    )


def assert_terms(terms, expected):
    assert asdict(terms) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert terms.total == pytest.approx(math.fsum(expected.values()), rel=1e-12)


def test_two_by_two_grid_by_hand():
    # N = 3 + 1 + 0 + 2 = 6 in G = 4 cells; 2 values in 2 clusters on both sides.
    terms = terms_of([[3, 1], [0, 2]], [0, 1], [0, 1])
    rows = columns = math.log(1) + LN_2 * 0 + math.log(2)  # Ub(1; 1) + ln B(2, 2)
    one_value_each = (log_fact(4) + log_fact(2)) + (log_fact(3) + log_fact(3))
    expected = {
        "family": LN_2 + (LN_C + LN_2 * 1) - math.log(2),  # K = 2, log2*(2) = 1
        "cell_counts": log_fact(6 + 4 - 1) - log_fact(4 - 1),
        "partitions": rows + columns,
        "value_counts": one_value_each - one_value_each,
        "cells": -(log_fact(3) + log_fact(1) + log_fact(0) + log_fact(2)),
    }
    assert_terms(terms, expected)


def test_one_dimension_in_one_cluster_by_hand():
    # Rows {0, 1} and {2}, both columns together: K = 1, G = 2, cells 4 and 3.
    terms = terms_of([[2, 1], [1, 0], [0, 3]], [0, 0, 1], [0, 0])
    rows = (log_fact(4 + 2 - 1) - log_fact(1)) + (log_fact(3) - log_fact(0))
    columns = log_fact(7 + 2 - 1) - log_fact(1)
    values = (log_fact(3) + log_fact(1) + log_fact(3)) + (log_fact(3) + log_fact(4))
    expected = {
        "family": LN_2 + LN_C - math.log(1),
        "cell_counts": log_fact(7 + 2 - 1) - log_fact(2 - 1),
        # Ub(1; 2) = ln (1 + 1/2); B(3, 2) = 1 + 3. The columns pay nothing.
        "partitions": math.log(1.5) + math.log(1 + 3),
        "value_counts": rows + columns - values,
        "cells": -(log_fact(4) + log_fact(3)),
    }
    assert_terms(terms, expected)


def test_null_grid_by_hand():
    terms = terms_of([[2, 1], [1, 0], [0, 3]], [0, 0, 0], [0, 0])
    clusters = (log_fact(7 + 3 - 1) - log_fact(2)) + (log_fact(7 + 2 - 1) - log_fact(1))
    values = (log_fact(3) + log_fact(1) + log_fact(3)) + (log_fact(3) + log_fact(4))
    expected = {
        "family": LN_2,
        "cell_counts": log_fact(7),
        "partitions": 0.0,
        "value_counts": clusters - values,
        "cells": -log_fact(7),
    }
    assert_terms(terms, expected)


def test_partition_priors_by_hand():
    # 10 values in 3 clusters, the largest of 6: q = 4 values are kept apart.
    stars = [0, 1, math.log2(3) + math.log2(math.log2(3)), 3]
    # From 5 to 16 log2* has three positive terms.
    weights = [2.0**-s for s in stars] + [
        1 / (i * math.log2(i) * math.log2(math.log2(i))) for i in range(5, 10)
    ]
    plain = (
        LN_2
        + (math.log(sum(weights)) + LN_2 * stars[1])  # Ub(2; 9)
        + math.log(1 + 511 + 9330)  # B(10, 3)
    )
    catch_all = (
        LN_2
        + (math.log(sum(weights[:8])) + LN_2 * stars[2])  # Ub(3; 8)
        + (4 * math.log(10) - math.log(24))
        + (math.log(sum(weights[:3])) + LN_2 * stars[0])  # Ub(1; 3)
        + math.log(1 + 7)  # B(4, 2)
    )
    assert plain_partition_prior(10, 3) == pytest.approx(plain, rel=1e-13)
    assert catch_all_partition_prior(10, 3, 6) == pytest.approx(catch_all, rel=1e-13)
    assert partition_prior(10, 3, 6) == min(
        plain_partition_prior(10, 3), catch_all_partition_prior(10, 3, 6)
    )


@pytest.mark.parametrize(
    ("n_values", "n_clusters", "largest", "is_offered"),
    [(7, 3, 5, False), (8, 3, 6, True), (8, 2, 7, False), (100, 1, 100, False)],
)
def test_where_a_catch_all_is_offered(n_values, n_clusters, largest, is_offered):
    prior = catch_all_partition_prior(n_values, n_clusters, largest)
    assert math.isfinite(prior) == is_offered


def test_the_choice_of_a_catch_all_is_paid_above_7_values():
    for n_values, choice in ((7, 0.0), (8, LN_2)):
        rest = naive.bounded_universal_code(2, n_values - 1)
        rest += math.log(naive.n_partitions(n_values, 3))
        assert plain_partition_prior(n_values, 3) == pytest.approx(choice + rest)


def test_a_large_catch_all_is_cheaper_and_a_small_one_is_not():
    assert partition_prior(1512, 5, 1500) == catch_all_partition_prior(1512, 5, 1500)
    assert partition_prior(1512, 5, 1500) < plain_partition_prior(1512, 5) - 1000
    assert partition_prior(1512, 5, 310) == plain_partition_prior(1512, 5)


@pytest.mark.parametrize("n_values", [1, 2, 3, 7, 8, 9, 15, 30])
def test_partition_priors_agree_with_the_naive_ones(n_values):
    for j in range(1, n_values + 1):
        plain = naive.plain_partition_prior(n_values, j)
        assert plain_partition_prior(n_values, j) == pytest.approx(plain, rel=1e-12)
        for largest in range(-(-n_values // j), n_values - j + 2):
            expected = naive.catch_all_partition_prior(n_values, j, largest)
            prior = catch_all_partition_prior(n_values, j, largest)
            assert prior == pytest.approx(expected, rel=1e-12)
            assert partition_prior(n_values, j, largest) == min(
                prior, plain_partition_prior(n_values, j)
            )


def test_catch_all_replaces_the_partition_term_only():
    # 12 rows in 3 clusters of 10, 1 and 1: worth a catch-all.
    counts = [[1, 0]] * 10 + [[0, 9]] + [[9, 9]]
    labels = [0] * 10 + [1, 2], [0, 1]
    plain = naive.cost_terms(counts, *labels, prior="plain")
    terms = asdict(terms_of(counts, *labels))
    rows = catch_all_partition_prior(12, 3, 10)
    assert rows < plain_partition_prior(12, 3)
    assert terms.pop("partitions") == pytest.approx(rows + plain_partition_prior(2, 2))
    plain.pop("partitions")
    assert terms == pytest.approx(plain, rel=1e-12)


@pytest.mark.parametrize(
    ("n_split", "expected"), [(0, LN_2), (1, LN_2 + LN_C), (2, LN_2 + LN_C)]
)
def test_family_prior(n_split, expected):
    # U(2) - ln 2! = ln 2.86511 + ln 2 - ln 2.
    assert family_prior(n_split) == pytest.approx(expected, rel=1e-14)


def test_cell_counts_prior_below_and_from_2_to_the_30_cells():
    n_observations = 1000

    # ln (N+G-1)! - ln (G-1)! is the sum of ln (G+i); the two lgamma of 2e10 that are
    # subtracted are 4e-6 apart from their neighbours.
    below = 2**30 - 1
    exact = math.fsum(math.log(below + i) for i in range(n_observations))
    priors = cell_counts_prior(n_observations, [below, 2**30, 2**31])
    assert priors[0] == pytest.approx(exact, abs=2e-5)
    assert priors[1] == pytest.approx(n_observations * 30 * LN_2, rel=1e-14)
    assert priors[2] == pytest.approx(n_observations * 31 * LN_2, rel=1e-14)
    # Below, each observation also pays for those before it: i / G each.
    assert priors[0] - priors[1] == pytest.approx(1000 * 999 / 2 / 2**30, rel=0.05)


@pytest.mark.parametrize("n_cells", [1, 5, 12, 2**30 - 1, 2**30, 2**31])
def test_cell_counts_prior_of_the_kernels(n_cells):
    prior = _kernels.cell_counts_prior(1000, float(n_cells))
    expected = naive.cell_counts_prior(1000, n_cells)
    assert prior == pytest.approx(expected, rel=1e-12, abs=1e-5)


@pytest.mark.parametrize("n_values", [2, 7, 8, 9, 30, 500])
def test_partition_prior_of_the_kernels(n_values):
    costs = CostTables(Contingency.from_matrix(np.ones((n_values, 2), dtype=int)))
    priors = costs.partition_priors(0, n_values)
    for j in {1, 2, 3, 4, 7, n_values // 2, n_values - 1, n_values}:
        if not 1 <= j <= n_values:
            continue
        for largest in {1 + (n_values - 1) // j, n_values - j + 1}:
            prior = _kernels.partition_prior(j, largest, priors, costs.log_fact)
            expected = naive.partition_prior(n_values, j, largest)
            assert prior == pytest.approx(expected, rel=1e-9, abs=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_terms_agree_with_the_naive_ones(seed):
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 14, 2)
    counts = rng.poisson(1.5, shape)
    counts[0, 0] += 1
    labels = [np.unique(rng.integers(0, 6, n), return_inverse=True)[1] for n in shape]
    assert_terms(terms_of(counts, *labels), naive.cost_terms(counts.tolist(), *labels))


@pytest.mark.parametrize(("n_values", "n_clusters"), [(7, 3), (8, 2), (8, 3), (40, 6)])
def test_the_table_of_catch_all_priors(n_values, n_clusters):
    table = catch_all_priors_by_kept(n_values, n_clusters, np.arange(n_values + 1))
    assert len(table) == n_values + 1
    for kept, cost in enumerate(table):
        expected = np.inf
        if n_clusters - 1 <= kept < n_values:
            largest = n_values - kept
            expected = catch_all_partition_prior(n_values, n_clusters, largest)
        assert cost == pytest.approx(expected, rel=1e-12)
