"""What is seen at first of many columns loses no rule, and leaves few pairs to try."""

import naive.first_looks as naive
import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values._neighbour_kernels import (
    count_changes,
    leave_few_changes,
    told_by,
)
from coclust_synth.tables.rules.values.combinations import find_combinations
from coclust_synth.tables.rules.values.first_counts import pairs_to_try


def answers(rng, n, d):
    """Columns of few categories, of numbers, and of either with gaps, of one factor."""
    factor = rng.normal(0, 1, n)
    columns = {}
    for j in range(d):
        own = factor * rng.random() + rng.normal(0, 1, n)
        few = np.digitize(own, [-1.5, 0.5])
        columns[f"c{j}"] = [
            np.round(own, 1),
            np.array(list("abc"))[few],
            np.where(rng.random(n) < 0.1, np.nan, few),
        ][j % 3]
    return pd.DataFrame(columns)


def with_rules(table, rng):
    """With codes of groups, a slip, values that never meet, and a gap where one is."""
    n = len(table)
    code = rng.integers(0, 9, n)
    group = np.array(list("xyz"))[code // 3]
    group[:2] = "z"
    area = np.where(code < 4, rng.choice(["north", "south"], n), "west")
    paid = np.where(group == "x", np.nan, rng.exponential(9, n).round())
    return table.assign(code=code.astype(str), group=group, area=area, paid=paid)


def plain(rules):
    return [(r.first, r.second, r.fixes, r.allowed.tolist()) for r in rules]


@pytest.mark.slow
@pytest.mark.parametrize("persons", [None, 3])
def test_no_combination_is_lost_to_counts_of_many_columns(rng, persons):
    table = with_rules(answers(rng, 1500, 9), rng)
    table.loc[::500, "area"] = "isle"
    of_rows = None if persons is None else np.arange(len(table)) // persons
    evidence = evidence_of(table, of_rows)
    assert evidence.moved or evidence.pooled
    rules = find_combinations(evidence, 20)
    assert len(rules) >= 3
    assert plain(rules) == plain(naive.find_combinations(evidence, 20))


def test_columns_counted_in_several_parts_are_the_same(rng, monkeypatch):
    evidence = evidence_of(with_rules(answers(rng, 1000, 6), rng))
    at_once = [*pairs_to_try(evidence, 50)]
    place = "coclust_synth.tables.rules.values.first_counts._AT_ONCE"
    monkeypatch.setattr(place, 3000)
    assert at_once == [*pairs_to_try(evidence, 50)]
    assert 3 <= len(at_once) < 40


@pytest.mark.slow
def test_few_pairs_of_columns_that_say_nothing_of_each_other_are_tried(rng):
    evidence = evidence_of(answers(rng, 2000, 45))
    assert len([*pairs_to_try(evidence, 50)]) < 20  # of 990


def test_changes_between_neighbours(rng):
    keys = rng.integers(0, [[3], [5], [1]], (3, 400))
    values = rng.integers(0, 3, (400, 4)).astype(np.uint8)
    last = np.full(5, -1)
    counts = count_changes(keys, last, values)
    expected = [naive.count_changes(key, values.tolist()) for key in keys.tolist()]
    assert counts.tolist() == expected
    assert (last == -1).all()
    assert counts.max() > 255  # more than a byte holds


def test_two_keys_that_leave_few_changes(rng):
    keys = rng.integers(0, 3, (5, 400))
    values = keys[0] * 3 + keys[3] + (rng.random(400) < 0.02)
    last = np.full(9, -1)
    known = np.full(5, 3), last, values.astype(np.uint8)
    both = [(keys[0] * 3 + key).tolist() for key in keys]
    n_changes = [naive.count_changes(key, values[:, None].tolist())[0] for key in both]
    for most in (n_changes[3] - 1, n_changes[3], n_changes[2]):
        few = leave_few_changes(keys[0], keys, *known, most)
        assert few.tolist() == [n <= most for n in n_changes]
        assert (last == -1).all()
    assert n_changes[3] < 30 < min(n_changes[:3])


@pytest.mark.parametrize("columns", [(0,), (1, 2), (0, 1, 2), (3, 4)])
def test_columns_that_others_tell_but_for_few_neighbours(rng, columns):
    x = rng.integers(0, [4, 3, 3, 40, 300], (600, 5)).T
    labels = np.array([*x, x[1] * 3 + x[2], x[0] % 2, x[0] + 255 * (x[0] == 3)])
    labels[5, :4] = 8
    single = rng.random(labels.shape) < [[1], [1], [0.9], [1], [1], [1], [0.8], [1]]
    seen = np.where(single, labels % 255 + 1, 0).T.astype(np.uint8, order="C")
    n_values = labels.max(axis=1) + 1
    last = np.full(600 * n_values.max(), -1)
    few, share = 50, 0.015
    told = told_by(np.array(columns), labels, n_values, single, seen, last, few, share)
    expected = naive.told_by(columns, labels, single, few, share)
    assert (told.tolist() or None) == expected
    assert (last == -1).all()
    others = {*np.flatnonzero(told).tolist()} - {*columns}
    assert (
        others
        == {(0,): {6, 7}, (1, 2): {5}, (0, 1, 2): {5, 6, 7}, (3, 4): set()}[columns]
    )


@pytest.mark.parametrize("kept", [["c1"], ["c1", "c4"], ["c0"], ["day"], ["c1", "day"]])
def test_tables_without_columns_of_some_kind_have_no_rules(rng, kept):
    day = rng.integers(0, 900, 400).astype("M8[D]").astype("M8[s]")
    table = answers(rng, 400, 6).assign(day=day)[kept]
    assert rules_of(evidence_of(table), None, 20).all == ()
