from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.cuts import (
    ContinuousRuler,
    SteppedRuler,
    given_cuts,
    heaped_cuts,
    make_ruler,
    quantile_cuts,
    ruler_from_dict,
    width_cuts,
)
from coclust_synth.tables.rows import count_values

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


def test_decimals_are_those_of_text():
    hundredths = SteppedRuler(0.01, whole=False)
    texts = np.array([float(f"{k / 100:.2f}") for k in range(-500, 500)])
    np.testing.assert_array_equal(hundredths.snap(texts), texts)
    np.testing.assert_array_equal(hundredths.above(texts[:-1]), texts[1:])
    np.testing.assert_array_equal(hundredths.below(texts[1:]), texts[:-1])
    assert TENTHS.snap(0.1 + 0.2) == 0.3
    assert SteppedRuler(0.3, whole=False).snap(0.9) == 0.9


def test_down_and_up_stop_at_the_value_itself():
    for ruler in (TENTHS, ContinuousRuler()):
        assert ruler.down(0.3) == ruler.up(0.3) == 0.3
    assert (TENTHS.down(0.29), TENTHS.up(0.21)) == (0.2, 0.3)
    fives = SteppedRuler(5)
    assert (fives.down(-3.5), fives.up(-3.5), fives.up(5), fives.up(5.5)) == (
        -5,
        0,
        5,
        10,
    )


@pytest.mark.parametrize("ruler", [TENTHS, ContinuousRuler(), SteppedRuler(10)])
def test_uniform_reaches_both_ends_and_no_further(ruler):
    drawn = ruler.uniform(
        np.full(500, -20), np.full(500, -10), np.random.default_rng(1)
    )
    assert drawn.min() >= -20 and drawn.max() <= -10
    assert drawn.min() < -19.9 and drawn.max() > -10.2
    assert drawn.dtype == ruler.dtype
    np.testing.assert_array_equal(ruler.snap(drawn), drawn)


def test_middle_is_below_its_upper_end():
    close = np.nextafter(1.0, 2)
    assert ContinuousRuler().middle(1.0, close) == 1.0
    assert INTEGERS.middle(-4, -3) == -4
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    assert INTEGERS.middle(low, high) == -1


@pytest.mark.parametrize(
    "kind, step, largest, expected",
    [
        ("integer", None, 0, INTEGERS),
        ("datetime", 60, 0, SteppedRuler(60)),
        ("real", None, 0, ContinuousRuler()),
        ("real", 0.1, 100, TENTHS),
        ("real", 0.1, 1e300, ContinuousRuler()),
    ],
)
def test_make_ruler(kind, step, largest, expected):
    ruler = make_ruler(kind, step, largest)
    assert ruler == expected
    assert ruler_from_dict(ruler.to_dict()) == expected


@pytest.mark.parametrize("step", [0, -1, float("nan")])
def test_a_step_must_be_positive(step):
    with pytest.raises(ParameterError, match="Expected a positive step; got"):
        make_ruler("real", step)
