"""Columns that are the mean of those of some others that are there."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.relations import Fit, Mean, relation_from_dict
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.means import _correlations

PARTS = ("law", "trade", "money")


def told(table, k=20):
    rules = rules_of(evidence_of(table), None, k).told
    return [relation for relation in rules.values() if not relation.about]


def indices(rng, n=600, lacks=0.02):
    """Of three indices, one is of two others, and all make one more."""
    table = pd.DataFrame(
        rng.beta(4, 2, (n, 4)), columns=["law", "tax", "duty", "money"]
    )
    table = (10 * table).round(6).mask(rng.random((n, 4)) < lacks)
    table["trade"] = table[["tax", "duty"]].mean(axis=1).round(6)
    table["all"] = table[[*PARTS]].mean(axis=1).round(6)
    return table


@pytest.mark.slow
def test_an_index_is_told_from_others_and_none_of_these_from_it(rng):
    """Law as three times all less the others would be off by all three together."""
    found = {rule.target: {*rule.parents} for rule in told(indices(rng))}
    assert found == {"all": {*PARTS}, "trade": {"tax", "duty"}}


@pytest.mark.slow
def test_in_a_wide_table_no_row_has_all(rng):
    n = 600
    table = indices(rng, n)
    more = pd.DataFrame(rng.normal(5, 2, (n, 30)).round(6))
    more = more.mask(rng.random((n, 30)) < 0.3)
    table = table.join(more.add_prefix("x"))
    assert not table.notna().all(axis=1).any()
    assert {rule.target for rule in told(table)} == {"all", "trade"}


@pytest.mark.slow
def test_a_score_is_of_what_was_answered_and_rounded(rng):
    items = [f"q{i}" for i in range(5)]
    table = pd.DataFrame(rng.integers(1, 6, (900, 5)), columns=items)
    table = table.mask(rng.random((900, 5)) < 0.1)
    table["score"] = table.mean(axis=1).round(2)
    (rule,) = told(table)
    assert rule.target == "score"
    assert {*rule.parents} == {*items}
    table["score"] = rng.permutation(table["score"])
    assert told(table) == []


@pytest.mark.slow
@pytest.mark.parametrize(("lacks", "is_found"), [(0.4, True), (0.6, False)])
def test_half_of_the_rows_may_have_the_mean_alone(lacks, is_found, rng):
    table = indices(rng, lacks=0)[["tax", "duty", "trade"]]
    table.loc[rng.random(600) < lacks, ["tax", "duty"]] = np.nan
    assert (Mean("trade", ("tax", "duty")).columns in found_columns(table)) == is_found


def found_columns(table):
    return [(rule.target, *sorted(rule.parents)[::-1]) for rule in told(table)]


@pytest.mark.slow
@pytest.mark.parametrize(("n_broken", "is_found"), [(2, True), (6, False)])
def test_half_a_percent_may_differ(n_broken, is_found, rng):
    table = indices(rng, lacks=0)[["tax", "duty", "trade"]]
    table.loc[: n_broken - 1, "trade"] += 1
    assert any(isinstance(rule, Mean) for rule in told(table)) == is_found


@pytest.mark.slow
@pytest.mark.parametrize("is_mean", [True, False])
def test_one_row_that_lacks_a_column_says_nothing(is_mean, rng):
    table = indices(rng, lacks=0)
    table.loc[0, "law"] = np.nan
    table.loc[0, "all"] = table.loc[0, ["trade", "money"]].mean() + (not is_mean)
    assert {rule.target for rule in told(table)} == {"all", "trade"}


@pytest.mark.slow
def test_independent_columns_have_none(rng):
    table = pd.DataFrame(rng.integers(0, 11, (500, 12)) / 2).add_prefix("x")
    assert told(table.mask(rng.random((500, 12)) < 0.1)) == []


@pytest.mark.slow
def test_what_is_drawn_keeps_it_where_some_are_missing(tmp_path, rng):
    table = indices(rng, 400, lacks=0.1)
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    model.save(tmp_path / "m")
    drawn = CoclusterSynthesizer.load(tmp_path / "m", random_state=0).sample(400)
    said = drawn[[*PARTS]].mean(axis=1)
    assert drawn[[*PARTS]].isna().any(axis=1).sum() > 40
    assert np.allclose(said, drawn["all"], atol=2e-6, equal_nan=True)


def test_what_is_missing_does_not_count():
    x, y = np.array([2, 2, np.nan]), np.array([1, np.nan, np.nan])
    told_from = Mean("m", ("x", "y")).predict({"x": x, "y": y})
    np.testing.assert_allclose(told_from, [1.5, 2, np.nan])


@pytest.mark.parametrize("of", [["a"], ["a", "a"], ["a", "m"], 3])
def test_what_is_no_mean_is_refused(of):
    content = Mean("m", ("a", "b")).to_dict()
    assert relation_from_dict(content) == Mean("m", ("a", "b"))
    assert str(relation_from_dict(content)) == "m = mean of a, b"
    with pytest.raises(SchemaError, match="such as target = "):
        relation_from_dict(content | {"of": of})


@pytest.mark.slow
def test_one_of_two_numbers_is_no_mean(rng):
    table = pd.DataFrame({"a": rng.integers(0, 100, 500), "b": rng.integers(0, 9, 500)})
    table["sum"] = table["a"] + table["b"]
    assert all(isinstance(rule, Fit) for rule in told(table))


def test_correlations_of_columns_with_gaps(rng):
    x = rng.normal(1e6, 1, (500, 6)) + 1e6 * rng.normal(0, 1, (500, 1))
    x[rng.random((500, 6)) < 0.2] = np.nan
    x[:, 4] = 7.0
    x[:300, 5] = np.nan
    told = _correlations([*x.T])
    for i, j in np.ndindex(6, 6):
        has_first, has_both = ~np.isnan(x[:, i]), ~np.isnan(x[:, [i, j]]).any(axis=1)
        if i == j or 4 in (i, j) or has_both.sum() < 0.5 * has_first.sum():
            assert told[i, j] == 0
        else:
            own = np.corrcoef(x[has_both, i], x[has_both, j])[0, 1]
            assert told[i, j] == pytest.approx(own, abs=2e-9)
    assert (told[:4, 5] == 0).all() and (told[5, :4] > 0).all()


def test_far_values_where_others_are_missing_cost_no_digits(rng):
    x = rng.integers(0, 90, (1000, 2)).astype(float)
    exact = np.corrcoef(x[20:].T)[0, 1]
    x[:20, 0], x[:20, 1] = 3e9, np.nan
    assert abs(_correlations([*x.T])[0, 1] - exact) < 1e-8
