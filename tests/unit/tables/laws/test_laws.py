import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS, Law, interval_laws
from coclust_synth.tables.rows import count_values

INTEGERS = SteppedRuler(1)


def laws_of(values, inner=(), ruler=INTEGERS):
    """The law of each interval between the lowest and the highest value."""
    values = np.asarray(values)
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    return interval_laws(counts, np.array([min(values), *inner, max(values)]), ruler)


def test_heaps_inside_an_interval_come_back():
    values = [0] * 300 + list(range(1, 100))
    (law,) = laws_of(values)
    drawn = law.draw(len(values), INTEGERS, np.random.default_rng(0))
    assert (drawn == 0).sum() == 300
    assert drawn.min() == 0 and drawn.max() <= 99


def test_others_too_few_take_rows_of_the_heap():
    (law,) = laws_of([0] * 300 + [90])
    assert law.lows.tolist() == [0, 0]
    assert law.highs.tolist() == [0, 90]
    assert law.rows.tolist() == [301 - MIN_ROWS, MIN_ROWS]


def test_a_heap_that_cannot_spare_rows_joins_the_others():
    (law,) = laws_of([5] * 21 + [9])
    assert (law.lows.tolist(), law.highs.tolist()) == ([5], [9])
    assert law.rows.tolist() == [22]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("inner", [[], [7.4], [2.0, 3.3, 3.4, 8.1, 50.0]])
def test_no_run_holds_few_individuals(seed, inner):
    ruler = SteppedRuler(0.1, whole=False)
    values = np.random.default_rng(seed).lognormal(2, 1.2, size=3000)
    values = ruler.snap(np.clip(values, 1, 99))
    laws = laws_of(values, inner, ruler)
    sizes = np.bincount(np.searchsorted(inner, values), minlength=len(laws))
    for law, size in zip(laws, sizes, strict=True):
        assert law.rows.sum() == size
        assert law.rows.min() >= min(MIN_ROWS, size)
        assert (law.lows <= law.highs).all()


def test_few_individuals_are_one_run_over_their_interval():
    laws = laws_of([0, 10, 20, 30, 40, 50], inner=[25])
    assert [(law.lows[0], law.highs[0]) for law in laws] == [(0, 25), (26, 50)]
    laws = laws_of([0] * 50 + [7] * 9 + [20] * 50 + [30], inner=[0, 19, 20])
    assert [law.lows.tolist() for law in laws] == [[0], [1], [20], [21]]
    assert [law.highs.tolist() for law in laws] == [[0], [19], [20], [30]]


def test_runs_are_parted_by_the_roundest_of_several_numbers():
    # Between the 20th and the 31st value of 0, 7, 14, ...: 200 is the roundest.
    (law,) = laws_of(7 * np.arange(100))
    assert law.highs.tolist() == [200, 400, 555, 693]
    assert law.lows.tolist() == [0, 201, 401, 556]
    assert law.rows.tolist() == [29, 29, 22, 20]
    # The 20th and the 21st, close to each other, do not make it a long one.
    values = [*range(19), 19.1234567, 19.1234568, *range(21, 60)]
    (law,) = laws_of(values, ruler=ContinuousRuler())
    assert law.highs.tolist() == [20, 59] and law.rows.tolist() == [21, 39]


@pytest.mark.parametrize(
    "smallest, low",
    [
        (7300, 5001),  # far from the heap: the law tells that nobody is near it
        (73, 1),  # near it: the law tells nothing of the smallest value
    ],
)
def test_a_run_beside_a_heap(smallest, low):
    values = [smallest, *range(9000, 9025)]
    (law,) = laws_of([0] * 50 + values)
    assert (law.lows.tolist(), law.highs.tolist()) == ([0, low], [0, 9024])
    (law,) = laws_of([0] * 50 + [-v for v in values])
    low = -5000 if smallest == 7300 else -1
    assert (law.lows.tolist(), law.highs.tolist()) == ([0, -9024], [0, low])


def test_a_code_far_beyond_all_others_does_not_stretch_them():
    values = [*range(9000, 9030)]
    (law,) = laws_of(values + [99_999] * 50)
    assert (law.lows.tolist(), law.highs.tolist()) == ([99_999, 9000], [99_999, 9050])
    (law,) = laws_of([-v for v in values] + [-99_999] * 50)
    assert law.lows.tolist() == [-99_999, -9049]


def test_an_interval_that_nobody_is_in_has_a_uniform_law():
    _, empty, _ = laws_of([0, 100], inner=[10, 20])
    assert (empty.lows, empty.highs, empty.rows) == (11, 20, 0)


def test_shares_inside_an_interval_come_back():
    (law,) = laws_of(np.repeat([1, 2, 3], [100, 200, 700]))
    drawn = law.draw(77, INTEGERS, np.random.default_rng(3))
    expected = 77 * np.array([0.1, 0.2, 0.7])
    assert (abs(np.bincount(drawn)[1:] - expected) < 1).all()


@pytest.mark.parametrize("ruler", [INTEGERS, ContinuousRuler()])
def test_saved_laws_are_the_same(ruler):
    values = ruler.snap(np.random.default_rng(0).normal(0, 30, size=500))
    (law,) = laws_of(values, ruler=ruler)
    again = Law.from_dict(law.to_dict(), ruler.dtype)
    assert again.lows.dtype == again.highs.dtype == ruler.dtype
    for name in ("lows", "highs", "rows"):
        np.testing.assert_array_equal(getattr(again, name), getattr(law, name))
