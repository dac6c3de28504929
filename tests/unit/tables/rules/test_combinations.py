import json

import numpy as np
import pytest

from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rulers import SteppedRuler
from coclust_synth.tables.rules.combinations import (
    Combinations,
    code_bins,
    find_combinations,
)
from coclust_synth.tables.rules.evidence import Evidence


def found(columns, pooled=(), min_individuals=1, persons=None):
    """Combinations of columns of codes, each its own bin."""
    codes = np.column_stack(columns).astype(np.int32)
    bins = [np.arange(m + 1, dtype=np.int32) for m in codes.max(axis=0)]
    evidence = Evidence(None, codes, tuple(bins), {}, {}, persons)
    evidence.__dict__["pooled"] = dict(pooled)
    return find_combinations(evidence, min_individuals)


def test_a_code_fixes_what_it_is_nested_in():
    rng = np.random.default_rng(0)
    sub_grade = rng.integers(0, 15, 1000)
    (rule,) = found([sub_grade // 5, sub_grade])
    assert rule.fixes
    assert (rule.first, rule.second) == (1, 0)
    assert rule.allowed.sum() == 15


def test_a_pooled_value_may_meet_any():
    rng = np.random.default_rng(0)
    sub_grade = rng.integers(0, 15, 1000)
    grade = np.where(sub_grade == 14, rng.integers(0, 3, 1000), sub_grade // 5)
    assert not any(rule.fixes for rule in found([grade, sub_grade]))
    (rule,) = found([grade, sub_grade], {1: {14}}.items())
    assert rule.fixes
    assert rule.allowed[14].all()


def test_values_that_never_meet_although_they_should():
    rng = np.random.default_rng(0)
    internet, phone = rng.integers(0, 3, 1000), rng.integers(0, 2, 1000)
    internet[(internet == 2) & (phone == 0)] = 1
    (rule,) = found([internet, phone])
    assert not rule.fixes
    assert np.argwhere(~rule.allowed).tolist() == [[2, 0]]


def test_few_expected_rows_are_no_rule():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 10, 1000), rng.integers(0, 10, 1000)
    a[(a == 2) & (b == 0)] = 1
    assert found([a, b]) == []


def test_a_rule_describes_k_individuals_on_both_sides():
    rng = np.random.default_rng(0)
    a, b = (rng.random(9000) < 0.03), rng.random(9000) < 0.5
    b[a] = False
    (rule,) = found([a, b], min_individuals=100)
    assert np.argwhere(~rule.allowed).tolist() == [[1, 1]]
    assert not found([a, b], min_individuals=a.sum() + 1)


def test_rows_of_a_person_are_one():
    rng = np.random.default_rng(0)
    a, b = rng.random((2, 50)) < 0.3
    b[a] = False
    columns = [np.repeat(a, 40), np.repeat(b, 40)]
    assert found(columns)
    assert not found(columns, persons=Persons("who", np.repeat(np.arange(50), 40)))


def test_a_pooled_value_excludes_nothing():
    rng = np.random.default_rng(0)
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


def test_bins_of_numbers_hold_heaps_apart():
    rng = np.random.default_rng(0)
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


def test_they_come_back_from_json():
    rule = Combinations(0, 2, np.array([[True, False], [True, True]]), False)
    again = Combinations.from_dict(json.loads(json.dumps(rule.to_dict())))
    np.testing.assert_array_equal(again.allowed, rule.allowed)
    assert (again.first, again.second, again.fixes) == (0, 2, False)
