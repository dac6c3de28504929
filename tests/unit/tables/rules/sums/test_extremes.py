"""The best of several grades, and how far two scores are apart."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.relations import Extreme, Fit, relation_from_dict
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.extremes import find_extremes


def grades(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 31, (n, 3)), columns=["a", "b", "c"])
    table["best"], table["worst"] = (
        table.max(axis=1),
        table[["a", "b", "c"]].min(axis=1),
    )
    table["apart"] = (table["a"] - table["b"]).abs()
    return table.assign(age=rng.integers(10, 20, n))


def found(table, told=(), k=20):
    evidence = evidence_of(table)
    return find_extremes(columns_of(evidence, k), told)


def test_the_best_the_worst_and_the_distance_are_found():
    relations = [
        Extreme("best", "largest", ("a", "b", "c")),
        Extreme("worst", "smallest", ("a", "b", "c")),
        Extreme("apart", "distance", ("a", "b")),
    ]
    assert found(grades()) == relations
    assert found(grades(), relations) == []
    kept = {str(rule) for rule in rules_of(evidence_of(grades()), None, 20).all}
    assert {"best = largest of a, b, c", "apart = |a - b|"} <= kept


def test_of_those_that_are_missing_none_is_the_best():
    table = grades()
    rng = np.random.default_rng(1)
    table[["a", "b", "c"]] = table[["a", "b", "c"]].mask(rng.random((3000, 3)) < 0.2)
    table["best"] = table[["a", "b", "c"]].max(axis=1)
    (rule,) = found(table.drop(columns=["worst", "apart"]))
    assert rule == Extreme("best", "largest", ("a", "b", "c"))


def test_the_order_of_rows_hides_no_distance():
    table = grades()[["a", "b", "apart"]].sort_values("apart", ignore_index=True)
    assert found(table) == [Extreme("apart", "distance", ("a", "b"))]
    table.loc[:300, "apart"] = None
    assert found(table) == [Extreme("apart", "distance", ("a", "b"))]


def test_the_last_of_two_dates_is_found(rng):
    days = np.datetime64("2020-01-01") + rng.integers(0, 900, (1000, 2))
    table = pd.DataFrame({"paid": days[:, 0], "asked": days[:, 1]})
    table["last"] = table.max(axis=1)
    assert found(table) == [Extreme("last", "largest", ("paid", "asked"))]


@pytest.mark.parametrize(("n_broken", "n_found"), [(13, 1), (16, 0)])
def test_half_a_percent_may_differ(n_broken, n_found):
    table = grades()[["a", "b", "c", "best"]]
    table.loc[: n_broken - 1, "best"] += 40
    assert len(found(table)) == n_found


@pytest.mark.parametrize("most", [90_000, 4])
def test_of_what_is_mostly_0_the_sum_is_found(most, rng):
    """Of 3,000 damages few cost anything, and fewer twice: it was the largest cost."""
    repair = np.where(rng.random(3000) < 0.05, rng.integers(1, most, 3000), 0)
    other = np.where(rng.random(3000) < 0.04, rng.integers(1, most, 3000), 0)
    other = np.where(repair > 0, 0, other)
    other[np.flatnonzero(repair)[:12]] = 2
    table = pd.DataFrame({"repair": repair, "other": other, "cost": repair + other})
    assert found(table) == [Fit("cost", ("repair", "other"), (1.0, 1.0), 0.0)]
    rules = rules_of(evidence_of(table), None, 20)
    assert str(rules.fits["cost"]) == "cost = repair + other"


def test_each_is_the_best_of_k_individuals_alone():
    table = grades()[["a", "b", "best"]]
    table["best"] = table[["a", "b"]].max(axis=1)
    assert found(table) == [Extreme("best", "largest", ("a", "b"))]
    table.loc[30:, "b"] = np.minimum(table["b"], table["a"])[30:]
    table["best"] = table[["a", "b"]].max(axis=1)
    assert found(table, k=50) == []


def test_a_difference_and_a_copy_are_none():
    table = grades()[["a", "b"]]
    table["more"] = table["a"] + table["b"]
    assert found(table.assign(copy=table["a"])) == []


def test_independent_columns_have_none(rng):
    for n in (100, 1000):
        table = pd.DataFrame(rng.integers(0, 9, (n, 6))).add_prefix("x")
        assert found(table.assign(y=rng.normal(size=n), z=rng.lognormal(size=n))) == []


@pytest.mark.slow
def test_drawn_rows_keep_them(tmp_path):
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(grades())
    model.save(tmp_path / "m")
    drawn = CoclusterSynthesizer.load(tmp_path / "m", random_state=0).sample(1000)
    of = drawn[["a", "b", "c"]]
    assert (drawn["best"] == of.max(axis=1)).all()
    assert (drawn["worst"] == of.min(axis=1)).all()
    assert (drawn["apart"] == (of["a"] - of["b"]).abs()).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"what": "median"},
        {"of": ["a"]},
        {"of": ["a", "y"]},
        {"what": "distance"},
        {"of": 3},
    ],
)
def test_what_is_no_such_rule_is_refused(wrong):
    of = {"kind": "extreme", "target": "y", "what": "largest", "of": ["a", "b", "c"]}
    assert relation_from_dict(of) == Extreme("y", "largest", ("a", "b", "c"))
    with pytest.raises(SchemaError, match="such as target = "):
        relation_from_dict(of | wrong)


def test_kinds_that_do_not_suit_it():
    dates = Extreme("y", "largest", ("a", "b"))
    assert dates.wrong_kind({"y": "datetime", "a": "datetime", "b": "number"}) == "b"
    assert dates.wrong_kind({"y": "datetime", "a": "datetime"}) is None
    assert dates.wrong_kind({"y": "category"}) == "y"
    apart = Extreme("y", "distance", ("a", "b"))
    assert apart.wrong_kind({"y": "datetime"}) == "y"
