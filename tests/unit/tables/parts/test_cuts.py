import numpy as np
import pandas as pd
import pytest
from support.shared import ADULT, needed

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.cuts import (
    given_cuts,
    heaped_cuts,
    quantile_cuts,
    width_cuts,
)
from coclust_synth.tables.rows import count_values

INTEGERS = SteppedRuler(1)
TENTHS = SteppedRuler(0.1, whole=False)


def counts_of(values):
    values = np.asarray(values)
    return count_values(values, np.zeros(len(values), dtype=bool))


@pytest.fixture(scope="module")
def adult():
    return pd.read_csv(needed(ADULT), usecols=["age", "fnlwgt", "hours_per_week"])


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
        ([7] * 90, []),
        ([0] * 90 + [5] * 20, [0]),
        ([0] * 20 + [5] * 90, [4]),
        ([0] * 50 + [5] * 50, [0]),  # one cut between two heaps
        ([0] * 50 + [20] * 49 + [10] * 20, [0, 19]),
        ([], []),
    ],
)
def test_both_sides_of_a_heap_are_cut(values, cuts):
    values = np.array(values, dtype=np.int64)
    assert heaped_cuts(counts_of(values), 10, INTEGERS).tolist() == cuts


@pytest.mark.parametrize(
    "values, cuts",
    [
        ([0] * 90 + [5] * 19, []),  # beside one heap
        ([0] + [5] * 90, []),
        ([0] * 50 + [20] * 49 + [10], [19]),  # between two: with the larger
        ([0] * 49 + [20] * 50 + [10], [0]),
        ([0] * 50 + [20] * 50 + [10], [19]),
        ([0] * 50 + [20] * 50 + [1] * 9 + [30] * 9, [19]),
        ([0] * 10 + [5] * 9, []),  # too few for any cut
        ([0] * 20 + [5] * 19, []),
    ],
)
def test_a_stretch_of_few_rows_joins_a_heap(values, cuts):
    assert heaped_cuts(counts_of(values), 10, INTEGERS).tolist() == cuts


@pytest.mark.parametrize("n, n_parts", [(7, 1), (59, 1), (60, 2), (190, 6), (999, 10)])
def test_bins_are_as_many_as_hold_enough_rows(n, n_parts):
    values = np.sort(np.random.default_rng(n).normal(size=n))
    counts = counts_of(values)
    cuts = heaped_cuts(counts, 10, ContinuousRuler())
    assert len(cuts) == n_parts - 1
    sizes = np.bincount(np.searchsorted(cuts, values), minlength=n_parts)
    assert sizes.min() >= min(MIN_ROWS, n)
    even = quantile_cuts(counts, n_parts, ContinuousRuler())
    ranks = (np.searchsorted(values, c, side="right") for c in (cuts, even))
    assert np.abs(np.subtract(*ranks)).max(initial=0) <= MIN_ROWS // 4


def test_two_people_do_not_fix_a_cut():
    # The median is between the two who are a cent apart from it.
    others = np.linspace(9000.13, 16000.19, 98).round(2)
    values = np.concatenate([others[:49], [12819.55, 12819.57], others[49:] + 800])
    counts = counts_of(values)
    cents = SteppedRuler(0.01, whole=False)
    assert quantile_cuts(counts, 2, cents).tolist() == [12819.56]
    assert heaped_cuts(counts, 2, cents).tolist() == [13000]


@pytest.mark.parametrize("seed", range(20))
def test_ties_leave_no_interval_of_few_rows(seed):
    rng = np.random.default_rng(seed)
    values = rng.geometric(0.08, 300) * rng.integers(0, 3, 300)
    cuts = heaped_cuts(counts_of(values), 12, INTEGERS)
    assert np.bincount(np.searchsorted(cuts, values)).min() >= MIN_ROWS
    assert len(cuts) > 3


def test_missing_rows_count_for_the_size_of_a_heap():
    values, missing = np.arange(200) // 30, np.zeros(200, dtype=bool)
    some = heaped_cuts(count_values(values, missing), 7, INTEGERS)
    padded = np.append(values, [0] * 800), np.append(missing, [True] * 800)
    np.testing.assert_array_equal(some, [0, 1, 2, 3, 4, 5])
    counts = count_values(*padded)
    np.testing.assert_array_equal(
        heaped_cuts(counts, 7, INTEGERS), quantile_cuts(counts, 7, INTEGERS)
    )


def test_a_cut_is_the_roundest_number_between_values():
    values = [1.0, 2.12, 7.3, 8.0]
    assert quantile_cuts(counts_of(values), 2, ContinuousRuler()).tolist() == [5]
    assert quantile_cuts(counts_of(values), 3, ContinuousRuler()).tolist() == [5, 7.5]
    assert quantile_cuts(counts_of([1.1, 1.2]), 2, TENTHS).tolist() == [1.1]
    twos = counts_of([2, 4, 14, 18])
    assert quantile_cuts(twos, 2, SteppedRuler(2)).tolist() == [10]


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
    with pytest.raises(
        ParameterError, match=r"strictly increasing cut points\. Received"
    ):
        given_cuts(cuts)


def test_given_cuts_are_kept():
    assert given_cuts([18, 65]).tolist() == [18, 65]
    assert len(given_cuts([])) == 0
