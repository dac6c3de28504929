from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.cuts import (
    given_cuts,
    heaped_cuts,
    quantile_cuts,
    width_cuts,
)
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rulers import ContinuousRuler, SteppedRuler

ADULT = Path(__file__).parents[4] / "shared" / "data" / "adult.csv.gz"
INTEGERS = SteppedRuler(1)
TENTHS = SteppedRuler(0.1, whole=False)


def counts_of(values):
    values = np.asarray(values)
    return count_values(values, np.zeros(len(values), dtype=bool))


@pytest.fixture(scope="module")
def adult():
    if not ADULT.exists():
        pytest.skip(f"no {ADULT}: the shared folder is not beside the repository")
    return pd.read_csv(ADULT, usecols=["age", "fnlwgt", "hours_per_week"])


@pytest.mark.parametrize("column", ["age", "fnlwgt", "hours_per_week"])
@pytest.mark.parametrize("bins", [1, 3, 10, 97])
def test_adult_is_cut_as_by_pandas(adult, column, bins):
    x = adult[column].to_numpy()
    codes = np.searchsorted(quantile_cuts(counts_of(x), bins, INTEGERS), x)
    expected = pd.qcut(x, bins, labels=False, duplicates="drop")
    np.testing.assert_array_equal(codes, expected)


def test_age_in_adult_has_no_heap(adult):
    counts = counts_of(adult["age"])
    cuts = heaped_cuts(counts, 10, INTEGERS)
    assert cuts.tolist() == [22, 26, 30, 33, 37, 41, 45, 51, 58]
    np.testing.assert_array_equal(cuts, quantile_cuts(counts, 10, INTEGERS))


def test_heaps_are_intervals_of_their_own(adult):
    cuts = heaped_cuts(counts_of(adult["hours_per_week"]), 10, INTEGERS)
    assert cuts.tolist() == [25, 39, 40, 50, 55]  # 50 has 8.7 %


@pytest.mark.parametrize(
    "values, cuts",
    [
        ([7] * 9, []),
        ([0] * 9 + [5], [0]),
        ([0] + [5] * 9, [4]),
        ([0] * 5 + [5] * 5, [0]),  # one cut between two heaps
        ([0] * 50 + [20] * 49 + [10], [0, 19]),
        ([], []),
    ],
)
def test_both_sides_of_a_heap_are_cut(values, cuts):
    values = np.array(values, dtype=np.int64)
    assert heaped_cuts(counts_of(values), 10, INTEGERS).tolist() == cuts


def test_missing_rows_count_for_the_size_of_a_heap():
    values, missing = np.arange(20) // 3, np.zeros(20, dtype=bool)
    some = heaped_cuts(count_values(values, missing), 7, INTEGERS)
    padded = np.append(values, [0] * 80), np.append(missing, [True] * 80)
    np.testing.assert_array_equal(some, [0, 1, 2, 3, 4, 5])
    counts = count_values(*padded)
    np.testing.assert_array_equal(
        heaped_cuts(counts, 7, INTEGERS), quantile_cuts(counts, 7, INTEGERS)
    )


def test_a_cut_lies_between_values():
    values = [1.0, 2.0, 7.0, 8.0]
    assert quantile_cuts(counts_of(values), 2, ContinuousRuler()).tolist() == [4.5]
    assert quantile_cuts(counts_of(values), 2, TENTHS).tolist() == [4.5]
    assert quantile_cuts(counts_of(values), 2, SteppedRuler(2.0, False)).tolist() == [4]


def test_large_integers_are_cut_exactly():
    values = 2**62 + np.arange(4)
    assert set(quantile_cuts(counts_of(values), 2, INTEGERS)) <= set(values)


def test_width_cuts_are_those_of_pandas():
    x = np.random.default_rng(0).uniform(-3, 11, 1000)
    codes = np.searchsorted(width_cuts(-3, 11, 7), x)
    edges = np.linspace(-3, 11, 8)
    np.testing.assert_array_equal(
        codes, pd.cut(x, edges, labels=False, include_lowest=True)
    )


@pytest.mark.parametrize("cuts", [[2, 1], [1, 1], [0, np.inf], ["a"], [[1, 2]]])
def test_given_cuts_are_checked(cuts):
    with pytest.raises(ParameterError, match="strictly increasing cut points; got"):
        given_cuts(cuts)


def test_given_cuts_are_kept():
    assert given_cuts([18, 65]).tolist() == [18, 65]
    assert len(given_cuts([])) == 0
