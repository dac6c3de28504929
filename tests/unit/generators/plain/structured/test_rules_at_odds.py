"""What is drawn where rules leave nothing, as what few break contradicts others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured.drawing.rows import Drawing, draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.tables.conditions.parsing import parse_given
from coclust_synth.tables.relations import Dependence, Order
from coclust_synth.tables.rules.kept import Rule, Rules
from coclust_synth.tables.rules.values.combinations import Combinations
from coclust_synth.tables.rules.values.lookup import Lookup

N = 4000
COINS = ["a", "b", "d"]


@pytest.fixture(scope="module")
def codes():
    """Three coins, a column of three values, and two dice."""
    rng = np.random.default_rng(0)
    coins = pd.DataFrame(rng.integers(0, 2, (N, 3)).astype(str), columns=COINS)
    dice = {name: rng.integers(1, 7, N) for name in ("low", "high")}
    return coins.assign(c=rng.integers(0, 3, N).astype(str), **dice)


@pytest.fixture(scope="module")
def structure(codes):
    """Of independent columns, without a rule."""
    clusters = np.zeros(N, dtype=np.int64)
    return learn_structure(evidence_of(codes), Rules(()), clusters, 20)


@pytest.fixture(scope="module")
def at_odds(structure):
    """Heads of each coin forbid a value of the fourth column: three leave none."""
    return _forbidding(structure)


def _forbidding(structure):
    names = structure.coding.names
    pairs = []
    n_bins = int(structure.bins[names.index("c")].max()) + 1
    for value, coin in enumerate(COINS):
        allowed = np.ones((2, n_bins), dtype=bool)
        allowed[0, value] = False
        pairs.append(Combinations(names.index(coin), names.index("c"), allowed, False))
    return replace(structure, rules=Rules((), tuple(pairs)))


def _n_heads(rows):
    return (rows[COINS] == "0").sum(axis=1)


@pytest.mark.slow
def test_rows_that_rules_leave_nothing_are_drawn_again(at_odds):
    rows = draw_rows(at_odds, np.zeros(N, np.int64), np.random.default_rng(1))
    assert len(rows) == N
    for value, coin in enumerate(COINS):
        assert not ((rows[coin] == "0") & (rows["c"] == str(value))).any()
    # Others are as likely as before, beside each other: 3 of 7, 3 of 7 and 1 of 7.
    heads = np.bincount(_n_heads(rows), minlength=4) / N
    np.testing.assert_allclose(heads, np.array([1, 3, 3, 0]) / 7, atol=0.03)


def test_rows_that_cannot_be_mended_stay_as_they_are(structure):
    nothing = np.zeros((2, 2), dtype=bool)
    names = structure.coding.names
    pair = Combinations(names.index("a"), names.index("b"), nothing, False)
    impossible = replace(structure, rules=Rules((), (pair,)))
    rows = draw_rows(impossible, np.zeros(100, np.int64), np.random.default_rng(1))
    assert len(rows) == 100
    assert rows.notna().all(axis=None)


def test_under_conditions_such_rows_are_left_out(at_odds):
    conditions = parse_given("a=0,b=0", at_odds.schema)
    rng = np.random.default_rng(1)
    rows = draw_rows(at_odds, np.zeros(N, np.int64), rng, conditions)
    assert len(rows) == pytest.approx(N / 8, rel=0.2)
    assert (rows[[*COINS, "c"]] == ["0", "0", "1", "2"]).all(axis=None)


@pytest.mark.slow
def test_nobody_lacks_a_value_as_rules_leave_no_other(codes):
    """A value that 12 of 4,000 lacked was missing in an eighth of the drawn rows."""
    evidence = evidence_of(codes.assign(c=codes["c"].where(np.arange(N) >= 12)))
    clusters = np.zeros(N, dtype=np.int64)
    structure = _forbidding(learn_structure(evidence, Rules(()), clusters, 20))
    rows = draw_rows(structure, clusters, np.random.default_rng(1))
    assert 0 < rows["c"].isna().sum() <= 24
    heads = np.bincount(_n_heads(rows[rows["c"].notna()]), minlength=4)
    assert heads[3] == 0


def test_orders_are_mended_too(structure):
    rules = [Rule(Order("low", "high"), N, N, 0), Rule(Order("high", "low"), N, N, 0)]
    rules = Rules(tuple(rules))
    drawing = Drawing(
        replace(structure, rules=rules), np.zeros(N, np.int64), np.random.default_rng(1)
    )
    drawing.numbers = {"low": np.array([1.0, 3, 2]), "high": np.array([2.0, 3, 1])}
    drawing.n, drawing.is_blank = 3, np.zeros(3, dtype=bool)
    assert drawing.is_broken().tolist() == [True, False, True]
    rows = draw_rows(drawing.structure, np.zeros(N, np.int64), np.random.default_rng(1))
    assert (rows["low"] == rows["high"]).all()


def test_an_order_takes_no_number_beyond_where_many_end():
    """Of deaths, 0 or more, -15 were drawn that were no more than a balance."""
    rng = np.random.default_rng(2)
    balance, deaths = rng.integers(-15, 100, N), rng.geometric(0.05, N) - 1
    codes = pd.DataFrame({"balance": balance, "deaths": deaths})
    clusters = np.zeros(N, dtype=np.int64)
    free = learn_structure(evidence_of(codes), Rules(()), clusters, 20)
    rule = Rule(Order("deaths", "balance"), N, N, 0)
    ordered = replace(free, rules=Rules((rule,)))
    rows = draw_rows(ordered, clusters, np.random.default_rng(1))
    assert rows["deaths"].min() == 0 and (rows["deaths"] <= rows["balance"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("told", "values"), [("c", ["0", "1"]), ("low", [1, 2])])
def test_what_is_told_gives_way_to_what_never_meets(structure, told, values):
    """Heads tell a value that those of a second coin, which is alike, never meet."""
    names, bins = structure.coding.names, structure.bins
    a, b, j = (names.index(name) for name in ("a", "b", told))
    apart = np.ones((2, int(bins[j].max()) + 1), dtype=bool)
    apart[0, bins[j][0]] = False
    alike = np.array([[True, False], [True, True]])
    pairs = Combinations(b, j, apart, False), Combinations(a, b, alike, False)
    lookup = Lookup(("a",), told, np.array([[0], [1]]), np.array([0, 1]))
    relation = Rule(Dependence(("a",), told), N, N)
    ruled = replace(structure, rules=Rules((relation,), pairs, (lookup,)))
    rows = draw_rows(ruled, np.zeros(N, np.int64), np.random.default_rng(1))
    heads = {name: rows[name] == "0" for name in "ab"}
    assert heads["a"].mean() == pytest.approx(0.5, abs=0.05)
    assert heads["b"][heads["a"]].all()
    assert not (rows[told] == values[0])[heads["b"]].any()
    assert (rows[told] == values[1])[~heads["a"]].all()


@pytest.mark.slow
def test_a_row_that_gives_way_takes_no_other_with_it(rng):
    """Heads of a tell c; of few rows, the first of them perhaps, it never is."""
    table = pd.DataFrame(
        {
            "e": (rng.random(N) < 0.1).astype(int).astype(str),
            "a": rng.integers(0, 2, N).astype(str),
            "b": rng.integers(0, 2, N).astype(str),
            "c": rng.integers(0, 3, N).astype(str),
        }
    )
    evidence = evidence_of(table)
    learnt = learn_structure(evidence, Rules(()), np.zeros(N, np.int64), 20)
    e, a, b, c = range(4)
    pairs = []
    for columns, shape, never in (
        ((b, c), (2, 3), (1, 0)),
        ((e, a), (2, 2), (1, 1)),
        ((e, b), (2, 2), (1, 0)),
    ):
        allowed = np.ones(shape, dtype=bool)
        allowed[never] = False
        pairs.append(Combinations(*columns, allowed, False))
    lookup = Lookup(("a",), "c", np.array([[0], [1]]), np.array([0, 1]))
    relation = Rule(Dependence(("a",), "c"), N, N)
    ruled = replace(learnt, rules=Rules((relation,), tuple(pairs), (lookup,)))
    for seed in range(20):
        rows = draw_rows(ruled, np.zeros(400, np.int64), np.random.default_rng(seed))
        is_told = rows["c"] == (rows["a"] == "1").astype(int).astype(str)
        assert is_told[rows["e"] == "0"].all()
        assert not is_told[rows["e"] == "1"].any()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "text"])
def test_rows_drawn_again_have_what_others_with_their_combination_have(codes, kind):
    rng = np.random.default_rng(1)
    table = codes.assign(k=rng.integers(0, 40, N).astype(str))
    values = rng.integers(0, 10**6 if kind == "number" else 30, N)
    table["v"] = values if kind == "number" else np.char.add("v", values.astype(str))
    evidence = evidence_of(table)
    learnt = learn_structure(evidence, Rules(()), np.zeros(N, np.int64), 20)
    names, pairs = learnt.coding.names, []
    for value, coin in enumerate(COINS):
        allowed = np.ones((2, 3), dtype=bool)
        allowed[0, value] = False
        pairs.append(Combinations(names.index(coin), names.index("c"), allowed, False))
    lookup = Lookup(("k",), "v", np.zeros((0, 1), np.int32), np.zeros(0, np.int32))
    relation = Rule(Dependence(("k",), "v"), N, N)
    ruled = replace(learnt, rules=Rules((relation,), tuple(pairs), (lookup,)))
    first = Drawing(ruled, np.zeros(N, np.int64), np.random.default_rng(2))
    first.draw_once()
    assert first.is_broken().sum() > 300
    rows = draw_rows(ruled, np.zeros(N, np.int64), np.random.default_rng(2))
    assert (rows.groupby("k")["v"].nunique() == 1).all()
    assert rows["v"].nunique() > 10


@pytest.mark.slow
def test_rows_drawn_again_keep_what_is_given_and_their_bounds(codes):
    """As those of a person after the first: one coin and a die are known."""
    evidence = evidence_of(codes)
    given = ("a", "low")
    clusters = np.zeros(N, dtype=np.int64)
    learnt = learn_structure(evidence, Rules(()), clusters, 20, given)
    names, pairs = learnt.coding.names, []
    for value, coin in enumerate(COINS):
        allowed = np.ones((2, 3), dtype=bool)
        allowed[0, value] = False
        pairs.append(Combinations(names.index(coin), names.index("c"), allowed, False))
    rules = Rules((Rule(Order("low", "high"), N, N, 0),), tuple(pairs))
    known = {"low": np.minimum(evidence.numbers["low"], 5.0)}
    own = evidence.codes.copy()

    def between(numbers):
        return numbers["low"] + 1, np.full(len(numbers["low"]), 6.0)

    drawing = Drawing(
        replace(learnt, rules=rules),
        clusters,
        np.random.default_rng(2),
        own,
        known,
        {"high": between},
    )
    drawing.draw_once()
    assert drawing.is_broken().sum() > 100
    drawing.fill()
    assert not drawing.is_broken().any()
    rows = pd.DataFrame({name: drawing.cell(name) for name in drawing.held})
    assert set(rows) == set(names) - {*given}
    assert (drawing.codes[:, names.index("a")] == own[:, names.index("a")]).all()
    assert (drawing.numbers["low"] == known["low"]).all()
    assert (rows["high"] > known["low"]).all()
    assert drawing.n == len(rows) == N


@pytest.mark.slow
def test_what_is_given_is_not_drawn_again(codes, monkeypatch):
    """Of dice that are given in another order than they have, nothing is to be had."""
    evidence = evidence_of(codes)
    clusters = np.zeros(N, dtype=np.int64)
    learnt = learn_structure(evidence, Rules(()), clusters, 20, ("low", "high"))
    rules = Rules((Rule(Order("low", "high"), N, N, 0),))
    known = {name: evidence.numbers[name] for name in ("low", "high")}
    drawing = Drawing(
        replace(learnt, rules=rules),
        clusters,
        np.random.default_rng(2),
        evidence.codes,
        known,
    )
    monkeypatch.setattr(Drawing, "draw_again", None)
    drawing.fill()
    assert (drawing.numbers["low"] > drawing.numbers["high"]).any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_price_that_is_nearly_told_is_its_limit_as_often(seed):
    """What is left of a logarithm is rounded, and may lie beyond the limit by that."""
    rng = np.random.default_rng(seed)
    listed = np.round(np.exp(rng.normal(11.6, 0.6, 2000)) / 500) * 500 + 500
    part = np.minimum(rng.normal(0.98, 0.02, 2000), 1)
    table = pd.DataFrame({"listed": listed, "sold": np.round(listed * part)})
    structure = learnt(table)
    assert {str(r.relation)[:6] for r in structure.rules.all} == {"sold ~", "sold <"}
    drawn = drawn_from(structure)
    share = (drawn["listed"] == drawn["sold"]).mean()
    assert share == pytest.approx((table["listed"] == table["sold"]).mean(), abs=0.04)
