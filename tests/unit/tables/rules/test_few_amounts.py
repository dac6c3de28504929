"""Numbers that are a sum of others and one of a few amounts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Cases, Fit, relation_from_dict
from coclust_synth.tables.rules.few_amounts import FewAmounts
from coclust_synth.tables.rules.found import rules_of


def rides(rng, n=3000, off=0.0):
    """What rides cost: a fare, a tip, and fees by colour and by hour."""
    colour = np.where(rng.random(n) < 0.7, "yellow", "green")
    fare = np.round(np.exp(rng.normal(2.4, 0.6, n)) * 2) / 2
    tip = np.round(fare * rng.uniform(0.05, 0.3, n) * (rng.random(n) < 0.6), 2)
    fee = np.where(colour == "yellow", 3.3, 0.8) + rng.choice([0, 0.5, 1], n)
    fee = np.where(rng.random(n) < off, np.round(rng.normal(0, 3, n), 2), fee)
    total = np.round(fare + tip + fee, 2)
    return pd.DataFrame({"fare": fare, "tip": tip, "total": total, "colour": colour})


def orders(rng, n=3000):
    """Orders that are sent for nothing above 50, and for more by express."""
    goods = np.round(np.exp(rng.normal(3.6, 0.8, n)), 2)
    way = rng.choice(["post", "express", "shop"], n)
    sent = np.where(goods > 50, 0, 4.9) + np.where(way == "express", 6, 0)
    total = np.round(goods + np.where(way == "shop", 0, sent), 2)
    return pd.DataFrame({"way": way, "goods": goods, "total": total})


def exams(rng, n=1500):
    """Scores of five papers, and a bonus of members alone."""
    skill = rng.normal(0, 1, n)
    papers = {
        f"paper {i}": np.round(40 + 8 * skill + rng.normal(0, 6, n)).clip(0, 60)
        for i in range(5)
    }
    club = rng.choice(["yes", "no"], n)
    bonus = np.where(club == "yes", rng.choice([0, 5, 10], n), 0)
    score = np.sum([*papers.values()], axis=0) + bonus
    return pd.DataFrame({"club": club, **papers, "score": score})


FEES = (0.8, 1.3, 1.8, 3.3, 3.8, 4.3)
RIDES = Fit("total", ("fare", "tip"), (1.0, 1.0), 0.0, about=True, plus=FEES)
POST = Fit("total", ("goods",), (1.0,), 0.0, about=True, plus=(0.0, 4.9, 6.0, 10.9))
PAPERS = tuple(f"paper {i}" for i in range(5))
EXAM = Fit("score", PAPERS, (1.0,) * 5, 0.0, about=True, plus=(0.0, 5.0, 10.0))
TABLES = [
    (rides, RIDES),
    (orders, POST),
    pytest.param(exams, EXAM, marks=pytest.mark.slow),
]


def same(fit, other):
    known = fit.target, fit.terms, fit.constant, fit.plus
    return known == (other.target, other.terms, other.constant, other.plus)


def beside(fit, table):
    """What each row has beside a sum."""
    return (table[fit.target] - sum(table[name] for name in fit.parents)).round(2)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "fit"), TABLES)
def test_a_sum_and_an_amount_are_found(table, fit, rng):
    (found,) = rules_of(evidence_of(table(rng)), None, 20).told.values()
    assert same(found, fit)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "fit"), TABLES)
def test_each_drawn_row_has_an_amount_as_often_as_in_the_table(table, fit, rng):
    frame = table(rng)
    drawn = drawn_from(learnt(frame))
    n_rows = beside(fit, frame).value_counts(normalize=True)
    of_drawn = beside(fit, drawn).value_counts(normalize=True)
    assert {*of_drawn.index} == {*fit.plus}
    assert (of_drawn - n_rows).abs().max() < 0.03


@pytest.mark.slow
def test_amounts_go_with_columns_that_come_after_the_total(rng):
    """Any column may tell which amount it is: it is drawn after all of them."""
    drawn = drawn_from(learnt(rides(rng)))
    is_low = beside(RIDES, drawn) < 2
    assert (is_low == (drawn["colour"] == "green")).mean() > 0.99


@pytest.mark.slow
def test_what_few_are_off_by_is_not_told(rng):
    frame = rides(rng, off=0.03)
    structure = learnt(frame)
    (fit,) = structure.rules.fits.values()
    assert same(fit, RIDES)
    drawn = next(each for each in structure.columns if each.fit is not None)
    off = beside(RIDES, frame).to_numpy()
    codes = drawn.residuals.encode(off, np.zeros(len(off), dtype=bool))
    n_rows = np.bincount(codes)
    assert n_rows[n_rows > 0].min() >= MIN_ROWS
    made = beside(RIDES, drawn_from(structure))
    assert np.isin(made, FEES).mean() == pytest.approx(0.97, abs=0.01)


@pytest.mark.slow
def test_an_amount_is_one_of_k_individuals(rng):
    frame = rides(rng)
    frame.loc[:39, "total"] = (frame["fare"] + frame["tip"] + 9.9).round(2)
    for k, more in [(20, True), (60, False)]:
        (fit,) = rules_of(evidence_of(frame), None, k).told.values()
        assert (9.9 in fit.plus) == more
    persons = np.where(frame.index < 40, 0, frame.index)
    (fit,) = FewAmounts(columns_of(evidence_of(frame, persons), 20)).all([])
    assert 9.9 not in fit.plus


def test_more_rows_without_are_no_sum(rng):
    columns = columns_of(evidence_of(rides(rng, off=0.1)), 20)
    assert FewAmounts(columns).all([]) == []


def test_numbers_that_go_together_are_no_sum_and_amounts(rng):
    """Two readings of a temperature are a few steps apart, and all of the next few."""
    noon = np.round(rng.normal(20, 12, 2000))
    frame = pd.DataFrame({"noon": noon, "most": noon + rng.integers(0, 6, 2000)})
    assert FewAmounts(columns_of(evidence_of(frame), 20)).all([]) == []


@pytest.mark.slow
def test_a_total_is_told_and_not_its_part(rng):
    frame = rides(rng)[["total", "tip", "fare"]]
    (fit,) = rules_of(evidence_of(frame), None, 20).told.values()
    assert fit.target == "total"


@pytest.mark.slow
def test_nothing_takes_the_place_of_what_is_told(rng):
    columns = columns_of(evidence_of(rides(rng)), 20)
    search = FewAmounts(columns)
    assert search.all([replace(RIDES, about=False, plus=())]) == []
    near = Fit("total", ("fare", "tip"), (1.0, 1.0), 0.0, about=True)
    assert search.all([], [near]) == []
    assert search.all([], [replace(near, constant=2.5)]) == []
    (fit,) = search.all([], [Fit("total", ("fare",), (1.2,), 0.0, about=True)])
    assert same(fit, RIDES)


@pytest.mark.slow
def test_what_stays_for_a_person_is_told_from_what_stays(rng):
    columns = columns_of(evidence_of(rides(rng)), 20)
    for stays in ({"total"}, {"total", "fare"}):
        assert all(f.target not in stays for f in FewAmounts(columns, stays).all([]))
    assert len(FewAmounts(columns, {"total", "fare", "tip"}).all([])) == 1


@pytest.mark.slow
def test_cases_that_tell_all_rows_come_first(rng):
    """What a fee is a category says: nothing is left to be drawn."""
    frame = rides(rng)
    fee = np.where(frame["colour"] == "yellow", 3.3, 0.8)
    frame["total"] = (frame["fare"] + frame["tip"] + fee).round(2)
    (fit,) = rules_of(evidence_of(frame), None, 20).told.values()
    assert isinstance(fit, Cases)


def apart(seed):
    """A table of columns that have nothing to do with each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 3000))
    ways = [
        lambda: rng.integers(0, rng.integers(22, 100), n),
        lambda: np.round(rng.gamma(2, 20, n), 2),
        lambda: np.where(rng.random(n) < 0.85, 0, rng.integers(1, 60, n)),
        lambda: rng.choice([0, 5, 10, 50], n),
        lambda: rng.poisson(rng.integers(1, 30), n),
        lambda: np.round(np.exp(rng.normal(8, 1, n)), -2),
    ]
    drawn = (ways[rng.integers(len(ways))]() for _ in range(rng.integers(4, 12)))
    return pd.DataFrame({f"x{i}": x.astype(float) for i, x in enumerate(drawn)})


@pytest.mark.slow
def test_at_most_one_of_a_hundred_tables_of_independent_columns_has_one():
    tables = (evidence_of(apart(seed)) for seed in range(100))
    found = [FewAmounts(columns_of(table, 20)).all([]) for table in tables]
    assert sum(map(bool, found)) <= 1


def test_it_is_written_and_read():
    assert str(RIDES) == "total = fare + tip + 0.8, 1.3, 1.8, 3.3, 3.8 or 4.3"
    content = RIDES.to_dict()
    assert content == {
        "kind": "sum",
        "target": "total",
        "terms": {"fare": 1, "tip": 1},
        "plus": [*FEES],
    }
    assert relation_from_dict(content) == RIDES
    solved = POST.solved_for("goods")
    assert str(solved) == "goods = total + -10.9, -6, -4.9 or 0"


@pytest.mark.parametrize("plus", [[1], [1, 1], [0, "a"], 3])
def test_amounts_that_are_none_are_refused(plus):
    with pytest.raises(SchemaError, match="rule of kind 'sum'"):
        relation_from_dict(RIDES.to_dict() | {"plus": plus})


def test_stated_amounts_are_kept_and_others_refused(rng):
    evidence = evidence_of(rides(rng))
    (rule,) = rules_of(evidence, [RIDES], 20).all
    assert rule.relation == RIDES
    assert rule.broken is None
    wrong = relation_from_dict(RIDES.to_dict() | {"plus": [0.8, 3.3]})
    with pytest.raises(
        SchemaError, match=r"amounts in `plus`, one of which 95% .* have"
    ):
        rules_of(evidence, [wrong], 20)
