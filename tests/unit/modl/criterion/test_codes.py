import math

import numpy as np
import pytest
from naive import modl as naive

from coclust_synth.modl.criterion import terms as codes
from coclust_synth.modl.criterion.terms import (
    bounded_universal_code,
    code_tables,
    log2_star,
    log_partitions,
    universal_code,
)


# 65536 = 2^16, 16 = 2^4, 4 = 2^2, 2 = 2^1: exact sums of whole numbers.
@pytest.mark.parametrize(
    ("n", "bits"),
    [(1, 0), (2, 1), (4, 2 + 1), (16, 4 + 2 + 1), (65536, 16 + 4 + 2 + 1)],
)
def test_log2_star_of_towers_of_2(n, bits):
    assert log2_star(n) == bits


def test_log2_star_of_an_array():
    n = np.arange(1, 2000).reshape(-1, 1)
    stars = log2_star(n)
    assert stars.shape == n.shape
    expected = [[naive.log2_star(i)] for i in range(1, 2000)]
    np.testing.assert_allclose(stars, expected, rtol=1e-14)


def test_universal_code_by_hand():
    assert universal_code(1) == pytest.approx(math.log(2.86511), rel=1e-14)
    by_hand = math.log(2.86511) + math.log(2) * (math.log2(3) + math.log2(math.log2(3)))
    assert universal_code(3) == pytest.approx(by_hand, rel=1e-14)


@pytest.mark.parametrize("largest", [1, 2, 7, 1000])
def test_bounded_universal_code_is_a_probability(largest):
    code = bounded_universal_code(np.arange(1, largest + 1), largest)
    assert math.fsum(np.exp(-code)) == pytest.approx(1.0, rel=1e-13)
    expected = [naive.bounded_universal_code(i, largest) for i in range(1, largest + 1)]
    np.testing.assert_allclose(code, expected, rtol=1e-13, atol=1e-13)


def test_bounded_universal_code_by_hand():
    # 2^(-log2*(i)) for i = 1, 2, 4: 1, 1/2, 1/8; for i = 3: 1 / (3 log2 3).
    total = 1 + 1 / 2 + 1 / (3 * math.log2(3)) + 1 / 8
    by_hand = math.log(total) + math.log(2) * 3
    assert float(bounded_universal_code(4, 4)) == pytest.approx(by_hand, rel=1e-14)


def test_bounded_universal_code_sums_on_past_a_million():
    # The sum is made in blocks of 2^20 terms; log2*(1) = 0 leaves the sum alone.
    last = 2**20 + 1
    sums = [math.exp(bounded_universal_code(1, n)) for n in (last - 1, last, last + 1)]
    for n, below, above in zip((last, last + 1), sums[:-1], sums[1:], strict=True):
        # Sums near 2 are 4e-16 apart, the term itself is 4e-8.
        term = 2.0 ** -naive.log2_star(n)
        assert above - below == pytest.approx(term, abs=5e-15)


@pytest.mark.parametrize("n_values", range(1, 41))
def test_log_partitions_is_exact(n_values):
    for j in range(1, n_values + 1):
        exact = math.log(naive.n_partitions(n_values, j))
        assert log_partitions(n_values, j) == pytest.approx(exact, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("j", [1, 2, 3, 5, 32, 60, 170, 400])
def test_log_partitions_of_many_values(j):
    exact = math.log(naive.n_partitions(400, j))
    assert log_partitions(400, j) == pytest.approx(exact, rel=1e-12)


@pytest.mark.slow
def test_of_many_terms_those_near_the_largest_are_the_sum():
    n_values = np.arange(300, 900, 7)
    table = codes.log_partitions_by_values(n_values, 300)
    for n in (0, 40, len(n_values) - 1):
        exact = math.log(naive.n_partitions(int(n_values[n]), 300))
        assert table[n] == pytest.approx(exact, rel=1e-13)


def test_log_partitions_by_hand():
    # S(4, .) = 1, 7, 6, 1; the sum of all is the fourth Bell number, 15.
    for j, number in enumerate([1, 1 + 7, 1 + 7 + 6, 15], start=1):
        assert log_partitions(4, j) == pytest.approx(math.log(number), abs=1e-14)
    # In at most 2 clusters: 2^(V-1), also where that is past a float's range.
    assert log_partitions(5000, 2) == pytest.approx(4999 * math.log(2), rel=1e-14)


def test_partitions_by_values_are_those_of_each(monkeypatch):
    monkeypatch.setattr(codes, "_BLOCK", 20)
    for n_clusters in (1, 2, 7, 30):
        table = codes.log_partitions_by_values(np.arange(41), n_clusters)
        expected = [codes.log_partitions(n, n_clusters) for n in range(n_clusters, 41)]
        assert len(table) == 41
        np.testing.assert_allclose(table[n_clusters:], expected, rtol=1e-13)


def test_a_short_table_begins_a_long_one():
    for short, long in zip(code_tables(7), code_tables(2**20), strict=True):
        assert len(short) < len(long) == 2**20 + 1
        np.testing.assert_array_equal(short, long[: len(short)])
