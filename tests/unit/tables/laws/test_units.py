from fractions import Fraction

import numpy as np
import pytest

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.grains import learn_grains
from coclust_synth.tables.laws.units import Unit, learn_unit
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.rows import count_values

CENTS, WHOLE = SteppedRuler(0.01, whole=False), SteppedRuler(1)


def pounds(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    return np.rint(rng.normal(160, 35, n)).clip(70, 400).astype(np.int64)


def halves_up(numbers, decimals):
    return np.floor(numbers * 10**decimals + 0.5) / 10**decimals


@pytest.mark.parametrize(
    ("numbers", "step", "decimals", "ruler"),
    [
        (np.arange(70, 400), 0.45359237, 2, CENTS),  # pounds as kilograms
        (np.arange(60, 170), 28.3495, 0, WHOLE),  # ounces as grams
        (np.arange(0, 240), 1 / 12, 2, CENTS),  # months as years
        (np.arange(0, 240), 1 / 12, 12, ContinuousRuler()),
        (np.arange(1, 366), 1 / 365.25, 9, SteppedRuler(1e-9, whole=False)),
        (np.arange(-90, 90), 0.1524, 2, CENTS),
    ],
)
def test_numbers_of_another_unit(numbers, step, decimals, ruler):
    values = np.round(numbers * step, decimals)
    if ruler is WHOLE:
        values = values.astype(np.int64)
    if isinstance(ruler, ContinuousRuler):
        values = numbers * step
    unit = learn_unit(values, ruler)
    assert float(unit.step) == pytest.approx(step, rel=1e-3)
    assert unit.count(values).tolist() == numbers.tolist()
    assert Unit.from_dict(unit.to_dict()) == unit
    assert unit.written(numbers, ruler) == pytest.approx(values, rel=1e-14)


def test_halves_go_where_those_of_the_table_do():
    numbers = np.arange(20, 180)
    up, even = halves_up(numbers / 8, 2), np.round(numbers / 8, 2)
    assert learn_unit(up, CENTS) == Unit(Fraction(1, 8), "up")
    assert learn_unit(even, CENTS) == Unit(Fraction(1, 8), "even")
    down = np.ceil(numbers / 8 * 100 - 0.5) / 100
    assert learn_unit(down, CENTS) == Unit(Fraction(1, 8), "down")
    # Two ways at once are none of them.
    assert learn_unit(np.unique(np.append(up, even)), CENTS) is None


@pytest.mark.parametrize("seed", range(30))
def test_columns_of_chance_have_none(seed):
    rng = np.random.default_rng(seed)
    n, scale = int(rng.integers(20, 3000)), 10 ** rng.uniform(0.3, 4)
    for values in (rng.lognormal(np.log(scale), 1, n), rng.uniform(0, scale, n)):
        assert learn_unit(values, ContinuousRuler()) is None
        assert learn_unit(np.unique(values.round(2)), CENTS) is None
        whole = np.rint(values).astype(np.int64)
        assert learn_unit(np.unique(whole), WHOLE) is None


def test_steps_that_the_ruler_has_are_none():
    numbers = np.arange(1, 200)
    assert learn_unit(5 * numbers, WHOLE) is None
    assert learn_unit(2 * numbers + 1, WHOLE) is None
    assert learn_unit(numbers / 4, CENTS) is None


def test_few_values_and_one_that_is_none_tell_nothing():
    kilograms = np.round(np.arange(100, 119) * 0.4536, 2)
    assert learn_unit(kilograms, CENTS) is None
    kilograms = np.append(np.round(np.arange(100, 300) * 0.4536, 2), 150.01)
    assert learn_unit(kilograms, CENTS) is None
    assert learn_unit(kilograms[:0], CENTS) is None
    assert learn_unit(np.zeros(1), CENTS) is None


@pytest.mark.parametrize("scale", [1e-300, 1e-25, 1e20, 1e300])
def test_steps_that_no_double_counts_are_none(scale):
    assert learn_unit(np.arange(1, 90) * 7 / 11, ContinuousRuler()) is not None
    assert learn_unit(np.arange(1, 90) * 7 / 11 * scale, ContinuousRuler()) is None


def test_the_largest_and_smallest_floats_have_no_unit():
    values = np.append(np.arange(1.0, 90), np.finfo(float).max)
    assert learn_unit(values, ContinuousRuler()) is None
    assert learn_unit(np.arange(1, 90) * 5e-324, ContinuousRuler()) is None


def test_whole_numbers_and_quarters_say_nothing_of_twelfths():
    ages = np.append(np.arange(1, 80), [20.5, 30.5, 40.25])
    infants = np.array([0.42, 0.67, 0.83, 0.92])
    assert learn_unit(np.append(infants, ages), CENTS) is None
    months = np.round(np.arange(1, 60) / 12, 2)
    assert learn_unit(np.union1d(months, ages), CENTS) == Unit(Fraction(1, 12), "even")


def drawn(values, ruler, n=20_000):
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    atoms = learn_atoms(counts, None, ruler)
    atoms = AtomParts.from_dict(atoms.to_dict())
    rng = np.random.default_rng(1)
    codes = atoms.encode(values[rng.integers(0, len(values), n)], np.zeros(n, bool))
    return atoms.draw(codes, rng)[0]


def test_drawn_values_are_of_the_unit_too():
    # A weight that many share, typed otherwise, stays what it is.
    values = np.append(np.round(pounds() * 0.45359237, 2), np.full(40, 70.0))
    got = drawn(values, CENTS)
    of_table = {round(float(k) * 0.45359237, 2) for k in range(50, 420)} | {70.0}
    # The step is told to as few digits as give all weights of the table.
    own = [min(abs(x - y) for y in of_table) for x in np.unique(got)]
    assert max(own) <= 0.0101
    assert got.mean() == pytest.approx(values.mean(), rel=0.01)
    assert (got == 70).mean() == pytest.approx(40 / 2040, abs=0.004)


def test_numbers_of_the_unit_are_as_round_as_in_the_table(rng):
    numbers = np.rint(rng.lognormal(6, 0.6, 4000))
    numbers[:2400] = np.rint(numbers[:2400] / 10) * 10
    values = np.round(numbers * 0.45359237, 2)
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    grains = learn_grains(counts, counts.counts >= 20, CENTS)
    assert grains.unit is not None and Fraction(10) in grains.steps
    got = grains.unit.count(drawn(values, CENTS))
    is_round = (got % 10 == 0).mean()
    assert is_round == pytest.approx((numbers % 10 == 0).mean(), abs=0.05)


def test_where_decimals_are_numbers_of_the_unit_these_are_round(rng):
    months = rng.integers(0, 12 * 90, 4000)
    months[:3000] = months[:3000] // 12 * 12
    years = np.round(months / 12, 2)
    rng.shuffle(years)
    got = drawn(years[years > 40], CENTS)
    assert (got % 1 == 0).mean() == pytest.approx(0.77, abs=0.03)
    assert np.abs(got * 12 - np.rint(got * 12)).max() <= 0.061
