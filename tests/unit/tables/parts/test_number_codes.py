import numpy as np
import pytest

from coclust_synth.tables.parts.number_codes import are_codes
from coclust_synth.tables.rows import count_values


def counts(values):
    values = np.asarray(values).astype(np.int64)
    return count_values(values, np.zeros(len(values), dtype=bool))


def trades(rng, n):
    """Codes of four digits, of which the last is 1 to 5."""
    groups = rng.choice(np.arange(111, 934), 60, replace=False)
    share = rng.dirichlet(np.full(60, 0.8))
    return rng.choice(groups, n, p=share) * 10 + rng.integers(1, 6, n)


@pytest.mark.parametrize("seed", range(5))
def test_codes_of_trades_may_be_codes(seed):
    assert are_codes(counts(trades(np.random.default_rng(seed), 9000)), 1)


@pytest.mark.parametrize("seed", range(40))
def test_quantities_are_none(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(500, 20_000))
    spent = rng.lognormal(rng.uniform(3, 9), rng.uniform(0.2, 1.5), n)
    to_hundred = np.round(spent, -2)
    for values in (
        rng.integers(0, rng.integers(2, 2000), n),
        rng.poisson(rng.uniform(1, 300), n),
        rng.geometric(rng.uniform(0.001, 0.5), n),
        np.round(rng.normal(300, rng.uniform(3, 100), n)),
        spent,
        to_hundred,
        np.where(rng.random(n) < 0.8, to_hundred, spent),
        np.where(rng.random(n) < 0.5, np.round(spent / 5) * 5, spent),
        np.where(rng.random(n) < 0.9, 0, spent),
    ):
        assert not are_codes(counts(values), 1)


def sevens(n, few=10):
    """So many values, of which the one in the middle has few rows."""
    rows = np.full(n, 50)
    rows[n // 2] = few
    return np.repeat(np.arange(n) * 7 + 1, rows)


def test_what_is_told_as_it_is_needs_no_hint():
    assert are_codes(counts(sevens(40)), 1)
    assert not are_codes(counts(sevens(20)), 1)
    assert not are_codes(counts(sevens(40, few=20)), 1)


def test_what_is_round_is_told_by_the_step():
    codes = sevens(40) * 10
    assert are_codes(counts(codes), 10)
    assert not are_codes(counts(codes), 1)


def test_whole_numbers_may_be_read_as_others():
    codes = sevens(40).astype(np.float64)
    missing = np.arange(len(codes)) % 9 == 0
    assert are_codes(count_values(codes, missing), 1.0)
    assert not are_codes(count_values(codes / 10, missing), 0.1)


def test_any_whole_numbers_can_be_asked():
    ends = np.iinfo(np.int64)
    codes = np.concatenate([sevens(40), np.repeat([ends.min, ends.max], 30)])
    assert are_codes(counts(codes), 1)
    assert are_codes(counts(sevens(40) + 9 * 10**18), 1)
    large = count_values(sevens(40) * 1e17, np.zeros(len(sevens(40)), dtype=bool))
    assert not are_codes(large, 1.0)


def test_values_that_few_have_say_nothing(rng):
    codes = rng.choice(10**6, 5000)
    assert not are_codes(counts(codes), 1)
