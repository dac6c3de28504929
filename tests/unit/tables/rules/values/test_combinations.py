import json
from types import SimpleNamespace

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.parts.parts import CategoryParts
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.compared.bins import band_starts, code_bins
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.values.combinations import (
    Combinations,
    allowed_pairs,
    find_combinations,
)


def found(columns, pooled=(), min_individuals=1, persons=None, missing=()):
    """Combinations of columns of codes, each its own bin."""
    codes = np.column_stack(columns).astype(np.int32)
    bins = [np.arange(m + 1, dtype=np.int32) for m in codes.max(axis=0)]
    coding = SimpleNamespace(parts=[None] * codes.shape[1])
    evidence = Evidence(coding, codes, tuple(bins), {}, {}, persons)
    evidence.__dict__["pooled"] = dict(pooled)
    evidence.__dict__["missing"] = dict(missing)
    return find_combinations(evidence, min_individuals)


def test_a_code_fixes_what_it_is_nested_in(rng):
    sub_grade = rng.integers(0, 15, 1000)
    (rule,) = found([sub_grade // 5, sub_grade])
    assert rule.fixes
    assert (rule.first, rule.second) == (1, 0)
    assert rule.allowed.sum() == 15


def test_a_pooled_value_may_meet_any(rng):
    sub_grade = rng.integers(0, 15, 1000)
    grade = np.where(sub_grade == 14, rng.integers(0, 3, 1000), sub_grade // 5)
    assert not any(rule.fixes for rule in found([grade, sub_grade]))
    (rule,) = found([grade, sub_grade], {1: {14}}.items())
    assert rule.fixes
    assert rule.allowed[14].all()


def test_what_is_missing_says_nothing_of_nested_codes(rng):
    """Of a stay whose code was not written down the chapter may be known."""
    code = rng.integers(0, 15, 3000)
    chapter = code // 5
    code[::20], chapter[::31] = 15, 3
    (rule,) = found([chapter, code], missing={0: 3, 1: 15}.items())
    assert rule.fixes and (rule.first, rule.second) == (1, 0)
    assert (rule.allowed[:15, :3].sum(axis=1) == 1).all()
    assert rule.allowed[15, :3].all()
    together = np.zeros((16, 4), dtype=bool)
    together[code, chapter] = True
    assert (rule.allowed[:15, 3] == together[:15, 3]).all()


def test_slips_of_the_pen_hide_no_nested_codes(rng):
    code = rng.integers(0, 30, 3000)
    chapter = code // 10
    slips = rng.choice(3000, 16, replace=False)
    chapter[slips[:15]] = (chapter[slips[:15]] + 1) % 3
    (rule,) = found([chapter, code])
    assert rule.fixes and (rule.first, rule.second) == (1, 0)
    assert (rule.allowed.argmax(axis=1) == np.arange(30) // 10).all()
    assert (rule.allowed.sum(axis=1) == 1).all()
    chapter[slips[15]] = (chapter[slips[15]] + 1) % 3  # more than .5 %
    assert not any(rule.fixes for rule in found([chapter, code]))


def test_a_code_that_ten_have_with_another_label_may_have_it(rng):
    code = np.sort(rng.integers(0, 30, 6000))
    chapter = code // 10
    chapter[code == 0] = np.repeat([0, 1, 2], [(code == 0).sum() - 19, 10, 9])
    (rule,) = found([chapter, code])
    assert rule.fixes
    assert rule.allowed[0].tolist() == [True, True, False]
    assert (rule.allowed[1:].sum(axis=1) == 1).all()


def test_ten_rows_of_one_person_are_one(rng):
    code, persons = np.sort(rng.integers(0, 30, 6000)), np.arange(6000) // 2
    chapter = code // 10
    chapter[:20] = 1
    (rule,) = found([chapter, code], persons=Persons("who", persons))
    assert rule.fixes and rule.allowed[0].tolist() == [True, True, False]
    persons[:20] = 0
    persons = np.unique(persons, return_inverse=True)[1]
    (rule,) = found([chapter, code], persons=Persons("who", persons))
    assert rule.fixes and rule.allowed[0].tolist() == [True, False, False]


@pytest.mark.parametrize("seed", range(30))
def test_a_label_that_nearly_all_have_is_told_by_nothing(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(500, 20_000))
    label = (rng.random(n) < rng.uniform(0.001, 0.006)).astype(int)
    code = np.minimum(rng.geometric(rng.uniform(0.01, 0.5), n), 2000) - 1
    assert not any(rule.fixes for rule in found([label, code]))


def test_a_pooled_value_that_meets_one_meets_no_other(rng):
    """The group of rare codes of a chapter is in that chapter."""
    code = rng.integers(0, 15, 1000)
    (rule,) = found([code // 5, code], {1: {4, 14}}.items())
    assert rule.fixes
    assert rule.allowed[4].tolist() == [True, False, False]
    assert rule.allowed[14].tolist() == [False, False, True]


def test_values_that_never_meet_although_they_should(rng):
    internet, phone = rng.integers(0, 3, 1000), rng.integers(0, 2, 1000)
    internet[(internet == 2) & (phone == 0)] = 1
    (rule,) = found([internet, phone])
    assert not rule.fixes
    assert np.argwhere(~rule.allowed).tolist() == [[2, 0]]


def test_values_of_which_each_is_too_few_are_looked_at_together(rng):
    """Three ways of verifying, 34 of which would be paid directly, and none is."""
    verified = rng.choice(4, 8000, p=[0.06, 0.05, 0.03, 0.86])
    direct = (rng.random(8000) < 0.07) & (verified == 3)
    assert not found([verified, direct])
    (rule,) = found([verified, direct], missing={0: 3}.items())
    assert np.argwhere(~rule.allowed).tolist() == [[0, 1], [1, 1], [2, 1]]
    few = found([verified, direct], missing={0: 3}.items(), min_individuals=2000)
    assert not few


def test_few_expected_rows_are_no_rule(rng):
    a, b = rng.integers(0, 10, 1000), rng.integers(0, 10, 1000)
    a[(a == 2) & (b == 0)] = 1
    assert found([a, b]) == []


def test_a_rule_describes_k_individuals_on_both_sides(rng):
    a, b = (rng.random(9000) < 0.03), rng.random(9000) < 0.5
    b[a] = False
    (rule,) = found([a, b], min_individuals=100)
    assert np.argwhere(~rule.allowed).tolist() == [[1, 1]]
    assert not found([a, b], min_individuals=a.sum() + 1)


def test_rows_of_a_person_are_one(rng):
    a, b = rng.random((2, 50)) < 0.3
    b[a] = False
    columns = [np.repeat(a, 40), np.repeat(b, 40)]
    assert found(columns)
    assert not found(columns, persons=Persons("who", np.repeat(np.arange(50), 40)))


def test_a_pooled_value_excludes_nothing(rng):
    ward, sex = rng.integers(0, 3, 1000), rng.integers(0, 2, 1000)
    sex[ward == 2] = 0
    assert found([ward, sex])
    assert not found([ward, sex], {0: {2}}.items())


@pytest.mark.parametrize("seed", range(20))
def test_independent_columns_have_none(seed):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, m, 500) for m in (2, 3, 5, 40, 200)]
    columns.append((rng.random(500) < 0.01).astype(int))
    assert found(columns) == []


def test_bins_of_numbers_hold_heaps_apart(rng):
    values = np.where(rng.random(2000) < 0.5, 0, rng.integers(1, 10_000, 2000))
    missing = rng.random(2000) < 0.1
    counts = count_values(values, missing)
    atoms = learn_atoms(counts, None, SteppedRuler(1), with_missing=True)
    codes = atoms.encode(values, missing)
    bins = code_bins(codes, atoms)
    assert (bins == bins[0]).sum() == 1
    assert (bins == bins[-1]).sum() == 1
    assert (np.diff(bins) >= 0).all()
    of_bins = [atoms.lows[bins[:-1] == b] for b in range(1, bins[-1])]
    assert all(len(lows) > 1 for lows in of_bins[:-2])


def test_bins_begin_where_another_column_goes_to_its_next_value(rng):
    age, size = rng.integers(0, 9_000, (2, 3000))
    known = np.zeros(3000, dtype=bool)
    atoms = [
        learn_atoms(count_values(x, known), None, SteppedRuler(1)) for x in (age, size)
    ]
    numbers = [of.encode(x, known) for of, x in zip(atoms, (age, size), strict=True)]
    of_age = np.digitize(age, [1300, 7000])
    coin = rng.integers(0, 2, 3000)
    words = [
        CategoryParts(tuple(t), tuple(range(len(t))), False) for t in ("abc", "xy")
    ]
    codes = np.column_stack([*numbers, of_age, coin])
    starts = band_starts(codes, [*atoms, *words])
    assert starts[1:] == [set(), set(), set()]
    bins = code_bins(numbers[0], atoms[0], starts[0])[numbers[0]]
    bands_of_bin = [len(set(of_age[bins == b])) for b in range(bins.max() + 1)]
    # Only the runs that 1,300 and 7,000 are inside have two.
    mixed = np.isin(bins, np.flatnonzero(np.array(bands_of_bin) > 1))
    assert mixed.sum() <= 2 * np.bincount(numbers[0]).max()
    plain = code_bins(numbers[0], atoms[0])[numbers[0]]
    bands_of_bin = [len(set(of_age[plain == b])) for b in range(plain.max() + 1)]
    assert np.isin(plain, np.flatnonzero(np.array(bands_of_bin) > 1)).sum() > 300


def test_what_two_columns_leave_a_third_is_asked_of_both():
    """A code never meets what its label never meets."""
    label = np.array([[1, 0], [1, 0], [0, 1], [1, 1]], dtype=bool)
    never = np.array([[1, 1, 0], [1, 1, 1]], dtype=bool)
    tables = allowed_pairs(
        [Combinations(0, 1, label, True), Combinations(1, 2, never, False)]
    )
    assert set(tables) == {(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)}
    of_codes = [[1, 1, 0], [1, 1, 0], [1, 1, 1], [1, 1, 1]]
    np.testing.assert_array_equal(tables[0, 2], of_codes)
    np.testing.assert_array_equal(tables[2, 0], tables[0, 2].T)
    # What is said of both already stays.
    said = Combinations(2, 0, np.array([[1, 1, 0, 1]] * 3, dtype=bool), False)
    rules = [Combinations(0, 1, label, True), Combinations(1, 2, never, False), said]
    of_codes = np.array(of_codes, dtype=bool) & said.allowed.T
    np.testing.assert_array_equal(allowed_pairs(rules)[0, 2], of_codes)
    assert allowed_pairs([]) == {}


def test_they_come_back_from_json():
    rule = Combinations(0, 2, np.array([[True, False], [True, True]]), False)
    again = Combinations.from_dict(json.loads(json.dumps(rule.to_dict())))
    np.testing.assert_array_equal(again.allowed, rule.allowed)
    assert (again.first, again.second, again.fixes) == (0, 2, False)


@pytest.mark.parametrize("n_equal, is_found", [(0, True), (1, False)])
def test_where_one_moves_from_is_not_where_to(n_equal, is_found, rng):
    """Of forty places no pair would be seen missing: all are looked at together."""
    came = rng.integers(0, 40, 1200)
    went = (came + rng.integers(1, 40, 1200)) % 40
    went[:n_equal] = came[:n_equal]
    places = [f"W{i:02d}" for i in range(40)]
    columns = {"came": np.take(places, came), "went": np.take(places, went)}
    found = find_combinations(evidence_of(columns), 20)
    assert [(~rule.allowed).sum() for rule in found] == [40] * is_found
    assert all((~rule.allowed).diagonal().all() for rule in found)
    alike = np.arange(1200) // 100  # Twelve persons: chance has it.
    few = {name: own[alike] for name, own in columns.items()}
    assert find_combinations(evidence_of(few, persons=alike), 5) == []


def test_a_town_is_in_its_county_and_a_city_in_several(rng):
    town = np.append(rng.integers(1, 60, 1500), np.zeros(150, dtype=int))
    county = town % 20
    county[town == 0] = rng.integers(0, 3, 150)
    names = [f"T{i:02d}" for i in range(60)], [*(f"C{i:02d}" for i in range(20)), None]

    def rules(county, **how):
        columns = dict(town=np.take(names[0], town), county=np.take(names[1], county))
        return find_combinations(evidence_of(columns, **how), 20)

    (rule,) = rules(county)
    assert not rule.fixes
    met = np.zeros((60, 20), dtype=bool)
    met[town, county] = True
    np.testing.assert_array_equal(rule.allowed, met)
    # What one town has of no county, no other lacks.
    (rule,) = rules(np.where(town == 7, 20, county))
    met[7] = False
    met = np.column_stack([met, np.arange(60) == 7])
    np.testing.assert_array_equal(rule.allowed, met)
    # What one row has, new rows will have of other counties.
    slips = rng.random(len(town)) < 0.02
    assert rules(np.where(slips, rng.integers(0, 20, len(town)), county)) == []
    assert rules(county, persons=town) == []
