import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.endings import Endings, common_step, learn_endings
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.rows import count_values

CENTS = SteppedRuler(0.01, whole=False)
N = 4000


def present(values):
    return np.zeros(len(values), dtype=bool)


def endings_of(values, ruler):
    counts = count_values(values, present(values))
    is_heap = counts.counts >= 20
    heaps = counts.values[is_heap]
    return learn_endings(counts.values[~is_heap], counts.counts[~is_heap], heaps, ruler)


def drawn(values, ruler, n=20_000):
    atoms = learn_atoms(count_values(values, present(values)), None, ruler)
    atoms = AtomParts.from_dict(atoms.to_dict())
    rng = np.random.default_rng(1)
    codes = atoms.encode(values[rng.integers(0, len(values), n)], np.zeros(n, bool))
    return atoms.draw(codes, rng)[0]


def prices(rng, share=0.7, spread=1.0):
    """Of which a share ends in .99."""
    values = np.exp(rng.normal(4, spread, N))
    ends = rng.random(N) < share
    return np.round(np.where(ends, np.floor(values) + 0.99, values), 2)


def share_of_99(values):
    return np.mean(np.rint(values * 100).astype(np.int64) % 100 == 99)


@pytest.mark.parametrize("share", [0.4, 0.7, 1.0])
def test_prices_end_as_often_in_99(share):
    values = prices(np.random.default_rng(0), share)
    endings, _ = endings_of(values, CENTS)
    assert endings.modulus == 100 and endings.last == (99,)
    assert share_of_99(drawn(values, CENTS)) == pytest.approx(
        share_of_99(values), abs=0.02
    )


def test_whole_numbers_and_more_than_one_ending():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 500_000, N)
    which = rng.random(N)
    values = np.where(which < 0.3, values // 1000 * 1000 + 990, values)
    values = np.where(which > 0.8, values // 1000 * 1000 + 490, values)
    endings, _ = endings_of(values, SteppedRuler(1))
    assert endings.modulus == 1000 and endings.last == (490, 990)
    assert endings.shares == pytest.approx((0.2, 0.3), abs=0.02)
    new = drawn(values, SteppedRuler(1))
    for last, share in ((490, 0.2), (990, 0.3)):
        assert np.mean(new % 1000 == last) == pytest.approx(share, abs=0.02)


@pytest.mark.parametrize("seed", range(20))
def test_chance_is_no_ending(seed):
    rng = np.random.default_rng(seed)
    values = np.round(np.exp(rng.normal(5, 1, 2000)), 2)
    endings, rows = endings_of(values, CENTS)
    assert endings is None and rows.sum() <= 2000


@pytest.mark.parametrize("step", [5, 10, 50])
def test_round_numbers_have_no_ending(step, rng):
    """Half of the numbers rounded to 5 end in 5, as round as those that end in 0."""
    values = rng.integers(0, 20_000, N)
    values = np.where(rng.random(N) < 0.6, values // step * step, values)
    assert endings_of(values, SteppedRuler(1))[0] is None


def test_one_value_of_few_is_no_ending():
    """Nineteen people at one price tell nothing of others."""
    values = np.random.default_rng(0).integers(0, 50_000, 150)
    values = np.append(values[values % 10 != 7], np.repeat(12_347, 19))
    assert endings_of(values, SteppedRuler(1))[0] is None


def test_rows_of_endings_are_not_looked_for_among_round_ones(rng):
    """All .95 are multiples of .05, of which there are no more than by chance."""
    values = np.exp(rng.normal(6, 1, N))
    ends = rng.random(N) < 0.5
    values = np.round(np.where(ends, np.floor(values) + 0.95, values), 2)
    atoms = learn_atoms(count_values(values, present(values)), None, CENTS)
    assert atoms.grains.endings.last == (95,) and atoms.grains.steps == ()
    cents = np.rint(drawn(values, CENTS) * 100).astype(np.int64)
    others = cents[cents % 100 != 95]
    assert np.mean(others % 5 == 0) == pytest.approx(0.2, abs=0.03)


def test_an_ending_is_put_where_its_run_has_one():
    endings = Endings(10, (9,), (1.0,))
    values = np.array([14, 20, 23, 35, 44])
    lows, highs = np.array([12, 20, 20, 30, 40]), np.array([25, 24, 35, 38, 50])
    new, is_put = endings.put(
        values, lows, highs, np.array([49]), SteppedRuler(1), np.random.default_rng(0)
    )
    # The nearest, the one beyond it, none in the run, and one that is a heap.
    assert new.tolist() == [19, 20, 29, 35, 44]
    assert is_put.tolist() == [True, False, True, False, False]


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_refunds_end_as_prices_do(share, rng):
    """Below 0 last digits are those of the amount: none of -12.01 for -12.99."""
    values = prices(rng) * np.where(rng.random(N) < share, -1, 1)
    assert share == 1 or endings_of(values, CENTS)[0].mirrored
    new = drawn(values, CENTS)
    for part in (new < 0, new > 0):
        if part.any():
            ends = share_of_99(np.abs(new[part]))
            assert ends == pytest.approx(share_of_99(np.abs(values)), abs=0.03)
    assert np.mean(new < 0) == pytest.approx(share, abs=0.02)


def test_an_ending_is_put_on_the_same_side_of_0():
    endings = Endings(10, (9,), (1.0,), mirrored=True)
    values = np.array([2, -2, -14, -36])
    new, is_put = endings.put(
        values,
        values - 8,
        values + 8,
        values[:0],
        SteppedRuler(1),
        np.random.default_rng(0),
    )
    assert new.tolist() == [9, -9, -9, -39] and is_put.all()


def test_endings_need_steps():
    values = np.random.default_rng(0).random(500)
    assert endings_of(values, ContinuousRuler())[0] is None


def test_saved_endings_are_the_same():
    for mirrored in (False, True):
        endings = Endings(100, (95, 99), (0.1, 0.6), mirrored)
        assert Endings.from_dict(endings.to_dict()) == endings


@pytest.mark.parametrize("low", [-4001, 1])
def test_odd_numbers_stay_odd(low, rng):
    values = low + 2 * rng.integers(0, 4000, N)
    new = drawn(values, SteppedRuler(1))
    assert (new % 2 == 1).all() and len(np.unique(new)) > 3000


def test_quarters_stay_quarters_and_as_round(rng):
    values = rng.integers(0, 40_000, N) * 0.25
    values = np.where(rng.random(N) < 0.5, np.rint(values), values)
    new = drawn(values, CENTS)
    assert (new * 4 % 1 == 0).all()
    assert np.mean(new % 1 == 0) == pytest.approx(np.mean(values % 1 == 0), abs=0.03)


def test_a_step_is_that_of_all_values_and_of_more_than_chance():
    ruler = SteppedRuler(1)
    odd = np.arange(1, 99, 2)
    assert common_step(odd, ruler) == (2, 1)
    assert common_step(np.append(odd, 100), ruler) == (1, 0)
    assert common_step(odd[:30], ruler) == (1, 0)
    assert common_step(odd[:31], ruler) == (2, 1)
    assert common_step(np.arange(-24, 360, 12) * 0.01, CENTS) == (12, 0)
    assert common_step(odd[:1], ruler) == (1, 0) == common_step(odd[:0], ruler)


def test_a_step_of_few_values_is_not_told():
    """It would tell them one by one: salaries of 50,000, 100,000, 150,000."""
    salaries = 50_000 * np.arange(1, 22)
    assert common_step(salaries[:19], SteppedRuler(1)) == (1, 0)
    assert common_step(salaries[:20], SteppedRuler(1)) == (50_000, 0)
