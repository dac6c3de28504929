from fractions import Fraction

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.grains import exchanged, learn_grains
from coclust_synth.tables.laws.multiples import is_multiple
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.rows import count_values

CENTS = SteppedRuler(0.01, whole=False)


def present(values):
    return np.zeros(len(values), dtype=bool)


def grains_of(values, ruler):
    counts = count_values(values, present(values))
    return learn_grains(counts, counts.counts >= 20, ruler)


def drawn(values, ruler, n=20_000):
    atoms = learn_atoms(count_values(values, present(values)), None, ruler)
    atoms = AtomParts.from_dict(atoms.to_dict())
    rng = np.random.default_rng(1)
    codes = atoms.encode(values[rng.integers(0, len(values), n)], np.zeros(n, bool))
    return atoms.draw(codes, rng)[0]


def multiples(values, step):
    return np.mean(np.isclose(values / step, np.rint(values / step), atol=1e-9))


def test_digits_that_few_have_are_not_drawn(rng):
    weights = rng.normal(7000, 1500, 3000).round()
    weights[:5] += 0.25
    assert multiples(drawn(weights, CENTS), 1) == 1


def test_digits_that_few_have_are_not_drawn_of_few_values(rng):
    """Those that many share left out, they are within a few steps of each other."""
    children = np.append(rng.integers(0, 3, 1800), np.repeat([3, 4, 5], 15)) * 1.0
    children[-1] += 0.25
    assert multiples(drawn(children, CENTS), 1) == 1


@pytest.mark.parametrize(("n_few", "share"), [(2, 1), (12, 1), (20, 0.99)])
def test_digits_that_few_have_are_not_drawn_of_few_rare_values(n_few, share, rng):
    """Two are a twentieth of the 30 numbers that few share, and tell of two people."""
    lengths = np.append(rng.integers(0, 8, 2000), np.arange(8, 38)) * 1.0
    lengths[-n_few:] += 0.25
    assert multiples(drawn(lengths, CENTS), 1) == pytest.approx(share, abs=0.008)
    assert (multiples(drawn(lengths, CENTS), 1) == 1) == (share == 1)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
@pytest.mark.parametrize(
    ("ruler", "step"),
    [(SteppedRuler(1), 1000), (CENTS, 1), (CENTS, 0.5), (ContinuousRuler(), 10)],
)
def test_as_many_drawn_values_are_round_as_in_the_column(ruler, step, share, rng):
    values = rng.lognormal(np.log(200 * step), 0.7, 2000)
    values = np.where(rng.random(2000) < share, np.rint(values / step) * step, values)
    if ruler.dtype is np.int64:
        values = np.rint(values).astype(np.int64)
    elif ruler is CENTS:
        values = values.round(2)
    got, real = multiples(drawn(values, ruler), step), multiples(values, step)
    assert got == pytest.approx(real, abs=0.06)


def test_two_steps_at_a_time(rng):
    incomes = rng.lognormal(11, 0.5, 3000)
    step = rng.choice([1, 500, 5000], 3000, p=[0.3, 0.5, 0.2])
    grains = grains_of(
        (np.rint(incomes / step) * step).astype(np.int64), SteppedRuler(1)
    )
    assert {Fraction(500), Fraction(5000)} >= set(grains.steps) != set()


@pytest.mark.parametrize("seed", range(30))
def test_columns_that_nobody_rounded_have_none(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(50, 3000))
    scale = 10 ** rng.uniform(1, 5)
    for values in (
        rng.poisson(scale, n) * 1.0,
        rng.lognormal(np.log(scale), 1, n),
        rng.exponential(scale, n),
        rng.normal(scale, scale / 4, n),
        rng.uniform(0, scale, n),
    ):
        whole = np.rint(values).astype(np.int64)
        assert not grains_of(whole, SteppedRuler(1)).steps
        assert not grains_of(values.round(2), CENTS).steps
        assert not grains_of(values, ContinuousRuler()).steps
        assert grains_of(whole, SteppedRuler(1)).finest == SteppedRuler(1)


def test_a_step_that_is_not_round_has_multiples_that_are(rng):
    quarters = np.rint(rng.normal(200, 60, 2000) * 4) / 4
    quarters[:1200] = quarters[:1200].round()
    grains = grains_of(quarters, SteppedRuler(0.25, whole=False))
    assert grains.steps == (Fraction(1),)


def test_dates_have_none():
    seconds = 86_400 * np.arange(10_000, 12_000)
    assert not grains_of(seconds, SteppedRuler(1, unit="s")).steps


def test_rounding_keeps_the_mean_and_makes_no_heap_larger(rng):
    values = np.rint(rng.lognormal(8, 1, 4000)).astype(np.int64)
    values[:3000] = values[:3000] // 50 * 50
    got = drawn(values, SteppedRuler(1), 40_000)
    assert got.mean() == pytest.approx(values.mean(), rel=0.03)
    held = {v: c for v, c in zip(*np.unique(values, return_counts=True), strict=True)}
    for value, count in held.items():
        if count >= 20:
            assert (got == value).mean() == pytest.approx(count / 4000, abs=0.004)


def test_as_many_are_round_where_many_round_values_are_heaps(rng):
    """A run between two heaps may hold no round value: others are rounded for it."""
    values = rng.integers(360, 1300, 4000)
    is_round = rng.random(4000) < 0.75
    values[is_round] = np.rint(values[is_round] / 5).astype(np.int64) * 5
    counts = np.unique(values, return_counts=True)[1]
    assert 30 < (counts >= 20).sum() < 100
    got = drawn(values, SteppedRuler(1), 40_000)
    assert (got % 5 == 0).mean() == pytest.approx((values % 5 == 0).mean(), abs=0.02)


def test_what_cannot_be_round_changes_with_what_can(rng):
    grain, fits = np.array([2, 2, 2, 1, 0, 0, 2]), np.array([0, 0, 0, 1, 1, 0, 1])
    left = np.ones(7, dtype=bool)
    found = exchanged(grain, 2, fits.astype(bool), left, rng)
    # Two of three that cannot be as round change with the two that can; one is less so.
    assert sorted(found[:3]) == [0, 1, 1]
    assert found[3:].tolist() == [2, 2, 0, 2]
    left[3:5] = False
    found = exchanged(grain, 2, fits.astype(bool), left, rng)
    assert found.tolist() == [1, 1, 1, 1, 0, 0, 2]


def test_what_no_integer_counts_is_no_multiple():
    found = is_multiple(
        np.array([1.7e308, -1e200, 2.5]),
        Fraction(1, 10),
        SteppedRuler(0.1, whole=False),
    )
    assert found.tolist() == [False, False, True]
