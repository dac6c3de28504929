import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.draws.rulers import (
    ContinuousRuler,
    SteppedRuler,
    make_ruler,
    ruler_from_dict,
)

INTEGERS = SteppedRuler(1)
TENTHS = SteppedRuler(0.1, whole=False)


def test_decimals_are_those_of_text():
    hundredths = SteppedRuler(0.01, whole=False)
    texts = np.array([float(f"{k / 100:.2f}") for k in range(-500, 500)])
    np.testing.assert_array_equal(hundredths.snap(texts), texts)
    np.testing.assert_array_equal(hundredths.above(texts[:-1]), texts[1:])
    np.testing.assert_array_equal(hundredths.below(texts[1:]), texts[:-1])
    assert TENTHS.snap(0.1 + 0.2) == 0.3
    assert SteppedRuler(0.3, whole=False).snap(0.9) == 0.9


def test_multiples_of_a_large_step_are_beyond_64_bits():
    identifiers = np.array([3.63814e17, 9.46756e18, 1e20])
    ruler = SteppedRuler(1e12, whole=False)
    np.testing.assert_array_equal(ruler.snap(identifiers), identifiers)


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


@pytest.mark.parametrize(
    "ruler, a, b, expected",
    [
        (INTEGERS, 28, 33, 30),
        (INTEGERS, 0, 8, 5),  # 4 would be halfway
        (INTEGERS, 1, 5, 2),  # the lower of 2 and 4
        (INTEGERS, -4, -3, -4),
        (INTEGERS, 95, 1015, 1000),
        (INTEGERS, -7, 10**9, 0),
        (SteppedRuler(60), 60 * 28, 60 * 33, 60 * 30),
        (TENTHS, 0.3, 0.9, 0.5),
        (TENTHS, 0.3, 0.4, 0.3),
        (ContinuousRuler(), 0.3, 0.4, 0.35),
        (ContinuousRuler(), 0, 7.3, 5),
        (ContinuousRuler(), 99.2, 101.3, 100),
        (ContinuousRuler(), -0.002, -0.001, -0.0015),
        (ContinuousRuler(), 3.14159, 3.14162, 3.1416),
        (ContinuousRuler(), -1.7e308, 1.7e308, 0),
        (ContinuousRuler(), 0, 5e-324, 0),
    ],
)
def test_the_roundest_number_between(ruler, a, b, expected):
    assert ruler.roundest(a, b) == expected


def test_the_roundest_number_where_there_is_little_room():
    low, high = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    assert INTEGERS.roundest(low, high) == 0
    assert INTEGERS.roundest([high - 5], [high]) == high - 2  # ...805, a multiple of 5
    assert ContinuousRuler().roundest(1.0, np.nextafter(1.0, 2)) == 1.0
    for ruler in (INTEGERS, TENTHS, ContinuousRuler()):
        assert ruler.roundest([], []).tolist() == []


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
    with pytest.raises(ParameterError, match=r"Expected a positive step\. Received"):
        make_ruler("real", step)


@pytest.mark.parametrize("seed", range(20))
def test_values_that_are_left_out_are_neither_between_nor_counted(seed):
    rng, ruler = np.random.default_rng(seed), SteppedRuler(1)
    others = rng.integers(0, 40, rng.integers(25))
    low = rng.integers(30)
    row = np.arange(low, low + rng.integers(1, 12))
    free = np.setdiff1d(row, others)
    free = free if len(free) else row  # where all are left out, none is
    ends = np.full(len(free), row[0]), np.full(len(free), row[-1])
    share = (np.arange(len(free)) + 0.5) / len(free)
    assert ruler.between(*ends, share, others).tolist() == free.tolist()
    assert ruler.position(*ends, free, others) == pytest.approx(share)


def test_no_day_is_left_out_between_dates():
    ruler, days = SteppedRuler(1, unit="D"), np.arange(10)
    ends, share = (np.zeros(10, np.int64), np.full(10, 9)), (days + 0.5) / 10
    assert ruler.between(*ends, share, days[2:5]).tolist() == days.tolist()
