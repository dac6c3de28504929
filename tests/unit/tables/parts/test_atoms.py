import json

import numpy as np
import pytest

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.open_runs import bounded_shapes, pareto
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.parts.parts import parts_from_dict
from coclust_synth.tables.rows import ColumnCounts, count_values

COLUMNS = {
    "ages": (lambda rng: rng.integers(0, 100, 1000), SteppedRuler(1)),
    "wages": (
        lambda rng: np.round(rng.exponential(1000, 3000), 2),
        SteppedRuler(0.01, whole=False),
    ),
    "heavy tail": (lambda rng: rng.lognormal(5, 1, 3000), ContinuousRuler()),
    "both signs": (lambda rng: rng.normal(0, 1, 2000), ContinuousRuler()),
    "mostly zero": (
        lambda rng: np.where(rng.random(2000) < 0.9, 0, rng.integers(1, 9999, 2000)),
        SteppedRuler(1),
    ),
    "seconds": (
        lambda rng: 10**9 + rng.integers(0, 10**8, 1000),
        SteppedRuler(1, unit="s"),
    ),
}


def present(values):
    return np.zeros(len(values), dtype=bool)


@pytest.fixture(params=COLUMNS)
def column(request):
    make, ruler = COLUMNS[request.param]
    values = make(np.random.default_rng(0))
    atoms = learn_atoms(count_values(values, present(values)), None, ruler)
    return values, atoms


def test_each_describes_twenty_individuals(column):
    values, atoms = column
    held = np.bincount(atoms.encode(values, present(values)), minlength=atoms.n_parts)
    assert held.min() >= MIN_ROWS


def test_they_are_in_the_order_of_their_means(column):
    _, atoms = column
    assert (np.diff(atoms.means) >= 0).all()


def test_no_end_is_a_value_of_few(column):
    values, atoms = column
    distinct, counts = np.unique(values, return_counts=True)
    runs = atoms.lows < atoms.highs
    # Where the column has few possible values an end can only be one of them.
    if (counts == 1).mean() > 0.99:
        assert not np.isin(atoms.highs[runs], distinct[counts < MIN_ROWS]).all()
    assert atoms.highs.max() != values.max() or counts[-1] >= MIN_ROWS
    assert atoms.lows.min() != values.min() or counts[0] >= MIN_ROWS or not values.min()


@pytest.mark.parametrize("seed", range(40))
def test_no_end_is_the_lowest_or_highest_value_of_few(seed):
    """The lowest of few possible values, such as ages, was told as it stood."""
    rng = np.random.default_rng(seed)
    n, highest = rng.integers(60, 900), rng.integers(25, 70)
    for values in (rng.integers(18, highest, n), 100 + rng.poisson(highest - 20, n)):
        counts = count_values(values, present(values))
        atoms = learn_atoms(counts, None, SteppedRuler(1))
        lowest, highest = counts.values[[0, -1]]
        assert atoms.lows.min() != lowest or counts.counts[0] >= MIN_ROWS
        assert atoms.highs.max() != highest or counts.counts[-1] >= MIN_ROWS


def test_what_is_drawn_keeps_moments(column):
    values, atoms = column
    codes = np.repeat(atoms.encode(values, present(values)), 50)
    drawn, missing = atoms.draw(codes, np.random.default_rng(1))
    assert not missing.any()
    spread = values.std()
    assert abs(drawn.mean() - values.mean()) < 0.01 * spread
    assert abs(drawn.std() / spread - 1) < 0.05
    np.testing.assert_array_equal(atoms.encode(drawn, present(drawn)), codes)


def test_a_heap_is_released_as_it_is_and_numbers_of_few_as_a_run():
    counts = ColumnCounts(np.array([0, 50, 73, 99]), np.array([90, 12, 15, 5]))
    atoms = learn_atoms(counts, None, SteppedRuler(1))
    assert atoms.labels == ("0", "21 to 95")
    assert atoms.tilts[0] == 0.5


def test_few_values_beside_heaps_join_the_nearest():
    counts = ColumnCounts(np.array([0, 9, 10, 70]), np.array([90, 2, 40, 3]))
    atoms = learn_atoms(counts, None, SteppedRuler(1))
    assert atoms.labels == ("0", "10")
    assert atoms.encode(counts.values, present(counts.values)).tolist() == [0, 1, 1, 1]


def test_declared_bounds_are_kept():
    values = np.random.default_rng(0).integers(0, 101, 300)
    counts = count_values(values, present(values))
    atoms = learn_atoms(counts, (0, 100), SteppedRuler(1))
    assert atoms.lows.min() >= 0
    assert atoms.highs.max() <= 100


def test_missing_values_are_the_last_part():
    counts = ColumnCounts(np.array([1, 2]), np.array([30, 30]), n_missing=4)
    atoms = learn_atoms(counts, None, SteppedRuler(1), with_missing=True)
    assert atoms.n_parts == 3
    codes = atoms.encode(np.array([2, 0]), np.array([False, True]))
    assert codes.tolist() == [1, 2]
    assert atoms.draw(codes, np.random.default_rng(0))[1].tolist() == [False, True]


def test_a_column_of_missing_values_takes_no_others():
    none = ColumnCounts(np.array([], dtype=np.int64), np.array([], dtype=np.int64), 5)
    atoms = learn_atoms(none, None, SteppedRuler(1), with_missing=True)
    assert atoms.n_parts == 1
    with pytest.raises(SchemaError, match="Expected missing values only"):
        atoms.encode(np.array([3]), np.array([False]))


def test_they_come_back_from_their_dictionary(column):
    _, atoms = column
    again = parts_from_dict(atoms.to_dict())
    assert isinstance(again, AtomParts)
    for name in ("lows", "highs", "tilts", "shapes"):
        np.testing.assert_array_equal(getattr(again, name), getattr(atoms, name))


@pytest.mark.parametrize("mean", [0.02, 0.3, 0.5, 0.9])
def test_a_law_with_an_end_has_the_mean_asked_for(mean):
    points = (np.arange(100_000) + 0.5) / 100_000
    tilts = np.full(len(points), mean)
    drawn = pareto(tilts, bounded_shapes(tilts), points)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert drawn.mean() == pytest.approx(mean, abs=1e-4)


@pytest.mark.parametrize("shape", [-0.1, 0.1, 0.3])
def test_a_long_tail_has_the_moments_of_a_pareto_law(shape):
    points = (np.arange(1_000_000) + 0.5) / 1_000_000
    mean = 1e-3
    drawn = pareto(np.full(len(points), mean), np.full(len(points), shape), points)
    assert drawn.max() < 1
    assert drawn.mean() == pytest.approx(mean, rel=0.01)
    assert (drawn**2).mean() / mean**2 == pytest.approx(
        2 * (1 - shape) / (1 - 2 * shape), rel=0.05
    )


def test_a_tail_of_a_few_far_values_keeps_its_spread(rng):
    values = np.append(rng.exponential(2, 9_990), rng.pareto(4, 10) * 100).round(1)
    ruler = SteppedRuler(0.1, whole=False)
    atoms = learn_atoms(count_values(values, present(values)), None, ruler)
    codes = atoms.encode(values, present(values))
    drawn = [atoms.draw(codes, np.random.default_rng(s))[0] for s in range(20)]
    assert np.mean(drawn) == pytest.approx(values.mean(), rel=0.02)
    spread = np.mean([each.std() for each in drawn])
    assert spread == pytest.approx(values.std(), rel=0.3)
    assert values.max() not in atoms.highs


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_what_has_no_square_is_told_as_any_other(unit):
    values = np.random.default_rng(0).exponential(1, 1000)
    own, other = (
        learn_atoms(count_values(x, present(values)), None, ContinuousRuler())
        for x in (values, values * unit)
    )
    assert np.isfinite([other.lows, other.highs, other.shapes]).all()
    np.testing.assert_array_equal(other.shapes < 0, own.shapes < 0)


def test_last_digits_of_heaps_are_those_that_most_hold():
    """Knots as miles an hour: 6 × 1.15078 is no decimal, and nearly all rows say so."""
    knots = np.repeat(np.arange(10) * 1.15078, [90, 5, 5, 30, 40, 50, 60, 70, 80, 90])
    others = [6.90468] * 19 + [4.60312] * 300  # decimals, beside 60 and 40 that are not
    values = np.concatenate([knots, others])
    counts = count_values(values, present(values))
    atoms = learn_atoms(counts, None, SteppedRuler(1e-5, whole=False))
    assert 6.90468 != 6 * 1.15078 and 8.05546 == 7 * 1.15078
    asked = np.array([6.90468, 8.05546, 4.60312, 0.0, 1.5])
    expected = np.array([6 * 1.15078, 8.05546, 4.60312, 0.0, 1.5])
    assert atoms.as_held(asked).tolist() == expected.tolist()
    again = parts_from_dict(json.loads(json.dumps(atoms.to_dict())))
    assert again.held == atoms.held
    for own, n in zip(counts.values, counts.counts, strict=True):
        assert n >= MIN_ROWS or own not in atoms.held.values()


def test_values_off_a_declared_step_are_put_on_it():
    values = np.repeat([16.18, 9.55, 8.0], 40)
    counts = count_values(values, present(values))
    atoms = learn_atoms(counts, None, SteppedRuler(1.0, whole=False))
    assert not atoms.held
    assert atoms.as_held(np.array([16.0, 10.0])).tolist() == [16.0, 10.0]


@pytest.fixture
def rates():
    """Hourly rates that have about as many rows each; every other one is a heap."""
    values = np.arange(31, 100)
    return ColumnCounts(values, np.where(values % 2, MIN_ROWS + 2, MIN_ROWS - 3))


@pytest.mark.parametrize("step", [1, 0.1])
def test_runs_leave_out_the_heaps_between_their_values(rates, step):
    rates = ColumnCounts(np.round(rates.values * step, 1), rates.counts)
    parts = learn_atoms(rates, None, SteppedRuler(step, whole=step == 1), apart=True)
    runs = np.flatnonzero(parts.lows < parts.highs)
    drawn, _ = parts.draw(np.repeat(runs, 600), np.random.default_rng(0))
    few, rows = np.unique(drawn, return_counts=True)
    assert set(few) == set(rates.values[rates.counts < MIN_ROWS])
    assert rows.min() > 0.4 * rows.max()
    assert (
        parts.encode(drawn, np.zeros(len(drawn), bool)) == np.repeat(runs, 600)
    ).all()


def test_without_it_heaps_take_most_of_what_a_run_has_between_them(rates):
    parts = learn_atoms(rates, None, SteppedRuler(1))
    runs = np.flatnonzero(parts.lows < parts.highs)
    drawn, _ = parts.draw(np.repeat(runs, 600), np.random.default_rng(0))
    again = parts.encode(drawn, np.zeros(len(drawn), bool))
    assert (again != np.repeat(runs, 600)).mean() > 0.25


def test_runs_that_leave_out_heaps_come_back(rates):
    parts = learn_atoms(rates, None, SteppedRuler(1), apart=True)
    again = AtomParts.from_dict(json.loads(json.dumps(parts.to_dict())))
    assert again.apart and not learn_atoms(rates, None, SteppedRuler(1)).apart
    codes = np.arange(len(parts.lows)).repeat(20)
    drawn, other = (p.draw(codes, np.random.default_rng(0))[0] for p in (parts, again))
    assert (drawn == other).all()
