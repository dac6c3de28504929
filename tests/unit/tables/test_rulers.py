import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.rulers import (
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
