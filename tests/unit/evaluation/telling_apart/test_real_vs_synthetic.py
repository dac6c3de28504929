import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from threadpoolctl import threadpool_info, threadpool_limits

from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)
from coclust_synth.exceptions import ParameterError, SchemaError, TableError


def table(seed, n, sizes=(3, 4, 6, 2)):
    """Random codes, some of them missing."""
    rng = np.random.default_rng(seed)
    return rng.integers(-1, sizes, size=(n, len(sizes)))


def test_tables_without_a_common_value_are_told_apart():
    found = real_vs_synthetic_auc(table(0, 200), 10 + table(1, 200), random_state=0)
    assert found[:3] == (1, 1, 1)


@pytest.mark.parametrize("n_real, n_synthetic", [(50, 200), (200, 50), (50, 50)])
def test_tests_are_on_30_percent_of_as_many_rows_of_both(n_real, n_synthetic):
    found = real_vs_synthetic_auc(
        table(0, n_real), table(1, n_synthetic), random_state=0
    )
    assert found[3:] == (15, 15)


def test_a_constant_table_is_a_coin_toss():
    constant = np.zeros((100, 2), dtype=int)
    found = real_vs_synthetic_auc(constant, constant, random_state=0)
    assert found[:3] == (0.5, 0.5, 0.5)


@pytest.mark.slow
def test_a_difference_of_three_variables_together_is_seen(rng):
    # The third variable is the exclusive or of the others, or its opposite.
    real = rng.integers(0, 2, size=(2000, 3))
    real[:, 2] = real[:, 0] ^ real[:, 1]
    # Greedy trees need a first step: a dependence on two variables, too.
    real[:200, 0] = real[:200, 2]
    found = real_vs_synthetic_auc(real, real ^ [0, 0, 1], random_state=0)
    assert found.value > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("n_categories", [255, 256, 5000])
def test_variables_of_many_categories_are_compared(n_categories, rng):
    real = rng.integers(0, n_categories, size=(10000, 1))
    real[0] = n_categories - 1
    # A real code is in the upper half, beyond all synthetic ones, half the time: 3/4.
    found = real_vs_synthetic_auc(real, real // 2, random_state=0)
    assert found.value == pytest.approx(0.75, abs=0.04)


def test_codes_are_names_not_numbers(rng):
    # Real rows have even codes, synthetic ones odd codes: no order helps.
    even = 2 * rng.integers(0, 100, size=(5000, 1))
    found = real_vs_synthetic_auc(even, even + 1, random_state=0)
    assert found.value > 0.99


def test_missing_is_a_value(rng):
    real = rng.integers(0, 2, size=(1000, 1))
    # Half of both have the same code; the other half gives itself away: 7/8.
    found = real_vs_synthetic_auc(real, np.where(real, -1, 0), random_state=0)
    assert found.value == pytest.approx(7 / 8, abs=0.05)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_area():
    real, synthetic = table(0, 400), table(1, 300)
    first, again, other = (
        real_vs_synthetic_auc(real, synthetic, random_state=seed) for seed in (7, 7, 8)
    )
    assert first == again != other
    seed = np.random.SeedSequence(5)
    areas = [real_vs_synthetic_auc(real, synthetic, random_state=seed) for _ in "ab"]
    assert areas[0] == areas[1]


def test_it_learns_in_one_thread(monkeypatch):
    # Sums of several threads are rounded otherwise, which can change a tie.
    def fit(self, *args):
        found.extend(
            pool["num_threads"]
            for pool in threadpool_info()
            if pool["user_api"] == "openmp"
        )
        return original(self, *args)

    found, original = [], HistGradientBoostingClassifier.fit
    monkeypatch.setattr(HistGradientBoostingClassifier, "fit", fit)
    with threadpool_limits(2, user_api="openmp"):
        real_vs_synthetic_auc(table(0, 50), table(1, 50), random_state=0)
    assert set(found) == {1}


# --- errors ---------------------------------------------------------------

CODES = np.zeros((20, 3), dtype=np.int32)


@pytest.mark.parametrize(
    "real, synthetic, seed, error, match",
    [
        (CODES / 2, CODES, 0, ParameterError, r"real table\. .*float64. Encode the"),
        (CODES, CODES[:, 1:], 0, ParameterError, "3 columns .* and 2 in the synthetic"),
        (CODES, CODES[:0], 0, TableError, r"synthetic table. Received shape \(0, 3\)"),
        (
            CODES[:9],
            CODES,
            0,
            TableError,
            "10 rows in the real table.*Received 9. Give",
        ),
        (
            CODES - 2,
            CODES,
            0,
            SchemaError,
            "in variable 0. Received -2 to -2 in the real",
        ),
        (CODES, CODES, -1, ParameterError, r"random_state to be a whole .* -1\."),
    ],
)
def test_arguments_are_checked(real, synthetic, seed, error, match):
    with pytest.raises(error, match=match):
        real_vs_synthetic_auc(real, synthetic, random_state=seed)
