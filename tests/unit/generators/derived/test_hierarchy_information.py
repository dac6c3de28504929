"""Information of the levels of a hierarchy, and which hierarchy is taken."""

import math

import numpy as np
import pandas as pd
import pytest

from coclust_synth import GeneralizationHierarchy, derive_hierarchies
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.generators.derived.chosen import area_under, level_information

LINES = [("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*")]
PET = GeneralizationHierarchy.from_lines("pet", LINES)


def counted(codes, others):
    """The definition, written out over dictionaries."""
    n, total = len(codes), 0.0
    for other in others:
        for pair in {*zip(codes, other, strict=True)}:
            n_ij = sum(p == pair for p in zip(codes, other, strict=True))
            n_i, n_j = codes.count(pair[0]), other.count(pair[1])
            total += n_ij / n * math.log(n_ij * n / (n_i * n_j))
        total -= (len({*codes}) - 1) * (len({*other}) - 1) / (2 * n)
    return total


def test_information_is_that_of_its_definition(rng):
    codes = rng.integers(0, 4, 300)
    others = np.column_stack(
        [codes // 2 * 3 - 1, (codes + rng.integers(0, 2, 300)) % 4]
    )
    found = level_information(PET, codes, others)
    lists = [own.tolist() for own in others.T]
    assert found[0] == pytest.approx(counted(codes.tolist(), lists))
    assert found[1] == pytest.approx(counted((codes // 2).tolist(), lists))
    assert found[2] == 0


def test_what_is_chance_is_not_told_and_no_level_knows_less_than_a_coarser_one():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 4, 1000)
    noise = rng.integers(0, 15, (1000, 3))
    # 0.063 with chance, by a standard deviation of 0.008.
    assert level_information(PET, codes, noise).max() < 0.03
    told = level_information(PET, codes, (codes // 2)[:, np.newaxis])
    assert told[0] == told[1] > told[2]


def test_a_column_of_as_many_parts_as_rows_takes_nothing_from_what_others_are_told():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 4, 200)
    alone, beside = codes[:, np.newaxis], np.column_stack([codes, np.arange(200)])
    told = level_information(PET, codes, alone)
    assert told[:2].min() > 0.5
    assert (level_information(PET, codes, beside) >= told).all()  # 0 with all of it


def test_the_area_is_what_is_left_on_the_way_to_the_root():
    assert area_under(PET, np.array([1.0, 1.0, 0.0])) == pytest.approx(0.75)
    assert area_under(PET, np.array([1.0, 0.0, 0.0])) == pytest.approx(0.25)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 300)
    code = [
        f"{'WXYZ'[g]}{n}" for g, n in zip(group, rng.integers(0, 6, 300), strict=True)
    ]
    return pd.DataFrame({"code": code, "job": np.array([*"abcd"])[group]})


@pytest.mark.slow
def test_prefixes_are_taken_where_they_tell_as_much(table):
    never, auto, always = (
        derive_hierarchies(table, n_iterations=2, random_state=0, built_in=how)
        for how in ("never", "auto", "always")
    )
    assert (
        auto["code"].labels[-2] == ("W*", "X*", "Y*", "Z*") == always["code"].labels[1]
    )
    assert never["code"].labels != auto["code"].labels
    assert never["job"] == auto["job"] == always["job"]
    assert auto["code"].information == (1, 1, 0)
    assert auto["code"].origin.startswith("built-in, which tells ")
    assert "; the derived one " in auto["code"].origin
    assert never["code"].origin == auto["job"].origin == "derived"
    assert len(never["code"].information) == len(never["code"].labels)


def test_prefixes_that_tell_nothing_are_not(table):
    shuffled = table.assign(job=table["job"].str.replace("a", "b"))
    digits = table["code"].str[1]
    shuffled["job"] = digits  # what the digit tells, no prefix does
    auto = derive_hierarchies(shuffled, n_iterations=2, random_state=0, built_in="auto")
    assert "W*" not in auto["code"].labels[1]


def test_information_is_told_and_is_no_part_of_a_hierarchy():
    told = GeneralizationHierarchy(
        PET.name, PET.leaves, PET.labels, PET.parents, information=(1.0, 0.5, 0.0)
    )
    assert told == PET
    with pytest.raises(SchemaError, match="information of each of 3 levels"):
        GeneralizationHierarchy(
            PET.name, PET.leaves, PET.labels, PET.parents, information=(1.0,)
        )
    with pytest.raises(ParameterError, match="built_in"):
        derive_hierarchies(pd.DataFrame({"a": [1, 2]}), built_in="sometimes")
