"""Products that most rows are to the last digit, and others by a slip."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of
from support.structures import drawn_from, learnt

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Cases, Fit, relation_from_dict
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.slips import Slips, are_right
from coclust_synth.tables.rules.sums.slips import product_but_for_slips as product

CENTS = SteppedRuler(0.01, whole=False)


def lent(rng, slips, n=3000):
    """Loans, and the share of an income that they are, of a part of it in some rows."""
    income = np.round(np.exp(rng.normal(11, 0.5, n)), -2)
    loan = np.round(np.exp(rng.normal(9, 0.6, n)) / 25) * 25 + 25
    off = np.where(rng.random(n) < slips, rng.uniform(0.5, 0.8, n), 1)
    share = np.round(loan * off / income, 2)
    return pd.DataFrame({"income": income, "loan": loan, "share": share})


def used(rng, slips, n=3000):
    """How much of a limit is used, rounded to 0 where little is."""
    limit = np.round(np.exp(rng.normal(11, 0.8, n)), -4) + 1e4
    due = np.ceil(limit * rng.beta(0.5, 1.5, n))
    off = np.where(rng.random(n) < slips, 0.7, 1)
    return pd.DataFrame(
        {"limit": limit, "due": due, "used": np.round(due * off / limit, 2)}
    )


def measured(rng, slips, n=3000):
    """An index of height and weight, in some rows of another weight."""
    height = np.round(rng.normal(170, 9, n))
    weight = np.round(np.exp(rng.normal(4.3, 0.18, n)))
    off = np.where(rng.random(n) < slips, rng.uniform(0.8, 1.25, n), 1)
    index = np.round(1e4 * weight * off / height**2, 1)
    return pd.DataFrame({"height": height, "weight": weight, "index": index})


LENT = Fit("share", ("loan", "income"), (1.0, -1.0), 1.0, True, True, True)
USED = Fit("used", ("due", "limit"), (1.0, -1.0), 1.0, True, True, True)
INDEX = Fit("index", ("weight", "height"), (1.0, -2.0), 1e4, True, True, True)
TABLES = [(lent, LENT), (used, USED), (measured, INDEX)]


def same(fit, other):
    return fit.slips and (fit.target, fit.terms, fit.constant) == (
        other.target,
        other.terms,
        other.constant,
    )


def right(fit, table):
    step = 0.1 if fit.target == "index" else 0.01
    numbers = {name: table[name].to_numpy(float) for name in fit.columns}
    return are_right(fit, numbers, SteppedRuler(step, whole=False)).mean()


@pytest.mark.slow
@pytest.mark.parametrize(
    "slips", [0.1, *(pytest.param(s, marks=pytest.mark.slow) for s in (0.02, 0.3))]
)
@pytest.mark.parametrize(("table", "fit"), TABLES)
def test_a_product_is_found_though_rows_slip(table, fit, slips, rng):
    (found,) = rules_of(evidence_of(table(rng, slips)), None, 20).told.values()
    assert same(found, fit)


@pytest.mark.slow
@pytest.mark.parametrize(("table", "fit"), TABLES)
def test_as_many_drawn_rows_are_it(table, fit, rng):
    frame = table(rng, 0.1)
    frame["sex"] = np.where(rng.random(len(frame)) < 0.4, "m", "f")
    drawn = drawn_from(learnt(frame))
    assert right(fit, frame) < 0.95
    assert right(fit, drawn) == pytest.approx(right(fit, frame), abs=0.02)
    for name in frame.columns[:3]:
        ends = np.quantile(frame[name], (0.05, 0.95))
        middle = np.quantile(drawn[name], (0.05, 0.95))
        assert np.abs(middle - ends).max() < 0.05 * np.ptp(ends)


@pytest.mark.slow
def test_who_slips_alone_is_not_told(rng):
    """What rows are off by is told of twenty together, and of fewer it is nothing."""
    frame = lent(rng, 0.1)
    alone = frame.index[frame["share"] < 0.2][0]
    frame.loc[alone, "share"] = 0.77
    structure = learnt(frame)
    (fit,) = structure.rules.fits.values()
    assert fit.slips
    drawn = next(each for each in structure.columns if each.fit is not None)
    said = np.log(frame["loan"] / frame["income"])
    off = (np.log(frame["share"].clip(lower=0.005)) - said).to_numpy()
    off = np.where(np.abs(frame["share"] - np.exp(said)) <= 0.00501, 0.0, off)
    residuals = drawn.residuals
    n_rows = np.bincount(residuals.encode(off, np.zeros(len(off), dtype=bool)))
    assert n_rows[n_rows > 0].min() >= MIN_ROWS
    few = lent(rng, 0)
    slips = rng.permutation(len(few))[: MIN_ROWS - 2]
    few.loc[slips, "share"] = (few.loc[slips, "share"] + 0.3).round(2)
    made = drawn_from(learnt(few))
    assert right(LENT, few) < 0.995
    assert (made["share"] - made["loan"] / made["income"]).max() < 0.1


def test_fewer_than_half_are_no_slips(rng):
    numbers = {n: x.to_numpy() for n, x in lent(rng, 0.6).items()}
    powers = {"loan": 1.0, "income": -1.0}
    assert product("share", powers, numbers, CENTS) is None
    numbers = {n: x.to_numpy() for n, x in lent(rng, 0.4).items()}
    assert same(product("share", powers, numbers, CENTS), LENT)


def test_zeros_are_no_slips(rng):
    """Of a share that is 0 in many rows, whatever was lent, it is not told when."""
    numbers = {n: x.to_numpy() for n, x in lent(rng, 0).items()}
    numbers["share"] = np.where(rng.random(3000) < 0.1, 0, numbers["share"])
    assert product("share", {"loan": 1.0, "income": -1.0}, numbers, CENTS) is None


@pytest.mark.slow
def test_nothing_takes_the_place_of_what_is_told(rng):
    columns = columns_of(evidence_of(lent(rng, 0.1)), 20)
    (fit,) = Slips(columns).all([])
    assert same(fit, LENT)
    assert Slips(columns).all([Fit("share", ("loan",), (1.0,), 0.0)]) == []
    assert Slips(columns).all([Fit("loan", ("share",), (1.0,), 0.0)]) == []


def test_what_stays_for_a_person_is_told_from_what_stays(rng):
    columns = columns_of(evidence_of(lent(rng, 0.1)), 20)
    assert Slips(columns, {"share", "loan"}).all([]) == []
    assert len(Slips(columns, {"share", "loan", "income"}).all([])) == 1


@pytest.mark.slow
def test_cases_of_one_product_are_that_product(rng):
    """Where those of one purpose slip, the others are told by it, and they are."""
    frame = lent(rng, 0)
    frame["purpose"] = rng.choice(["car", "home", "study", "medical"], len(frame))
    off = (frame["purpose"] == "medical") & (rng.random(len(frame)) < 0.1)
    frame.loc[off, "share"] = (frame["share"] * 0.7).round(2)
    (found,) = rules_of(evidence_of(frame), None, 20).told.values()
    assert same(found, LENT)


def dependent(seed):
    """A table of numbers that go with each other, and that are no product."""
    rng = np.random.default_rng(seed)
    n, columns = int(rng.integers(300, 3000)), {}
    base = rng.normal(size=n)
    for j in range(rng.integers(3, 9)):
        x = base * rng.choice([0, 0, 0.3, 0.9, 0.99]) + rng.normal(size=n)
        drawn = [
            np.exp(x * rng.uniform(0.2, 1) + rng.uniform(0, 9)),
            rng.poisson(np.exp(np.clip(x * 0.3 + rng.uniform(1, 4), -5, 8))),
            x * rng.uniform(1, 20) + rng.uniform(20, 100),
            rng.integers(1, rng.integers(22, 400), n),
            rng.beta(2, 2, n),
            np.round(np.exp(x + 5) / 25) * 25,
        ][rng.integers(6)]
        columns[f"x{j}"] = np.round(drawn, rng.integers(0, 3)).astype(float)
    return pd.DataFrame(columns)


@pytest.mark.slow
def test_at_most_one_of_a_hundred_tables_without_has_one():
    tables = (evidence_of(dependent(seed)) for seed in range(100))
    found = [Slips(columns_of(table, 20)).all([]) for table in tables]
    assert sum(map(bool, found)) <= 1


def test_it_is_written_and_read():
    assert str(LENT) == "share = loan * income^-1, except for slips"
    content = LENT.to_dict()
    assert content == {
        "kind": "product",
        "target": "share",
        "terms": {"loan": 1, "income": -1},
        "slips": True,
    }
    assert relation_from_dict(content) == LENT
    assert LENT.is_loose
    for wrong in ({"slips": 1}, {"kind": "sum"}):
        with pytest.raises(ValueError, match="Expected"):
            relation_from_dict(content | wrong)


def test_a_stated_one_is_kept(rng):
    evidence = evidence_of(lent(rng, 0.1))
    stated = relation_from_dict(LENT.to_dict())
    (rule,) = rules_of(evidence, [stated], 20).all
    assert rule.relation == LENT
    assert rule.broken is None


def test_a_stated_one_that_hardly_any_row_is_is_refused(rng):
    evidence = evidence_of(lent(rng, 0.1))
    stated = relation_from_dict(LENT.to_dict() | {"factor": 7.0})
    with pytest.raises(
        SchemaError, match="holds to the last digit in half of the rows"
    ):
        rules_of(evidence, [stated], 20)


@pytest.mark.slow
def test_one_person_of_half_of_the_rows_makes_no_product(rng):
    """The factor would be that person's own."""
    frame = lent(rng, 0, n=2200)
    person = np.maximum(np.arange(2200) - 1199, 0)
    off = np.where(person == 0, 1.07, rng.uniform(0.4, 1.6, 2200))
    frame["share"] = np.round(off * frame["loan"] / frame["income"], 2)
    for persons in (None, person):
        columns = columns_of(evidence_of(frame, persons), 20)
        assert len(Slips(columns).all([])) == (persons is None)


@pytest.mark.slow
@pytest.mark.parametrize("cap", [1.0, 999.0])
def test_a_value_that_many_have_is_no_slip(cap, rng):
    """A cap, or a code; it would be drawn as other values that are near it."""
    frame = lent(rng, 0.03)
    is_cap = rng.random(len(frame)) < 0.02
    frame.loc[is_cap, "share"] = cap
    structure = learnt(frame)
    assert not structure.rules.fits
    drawn = drawn_from(structure)
    assert (drawn["share"] == cap).mean() == pytest.approx(is_cap.mean(), abs=0.005)


@pytest.mark.slow
def test_cases_stay_where_rows_of_none_are_no_product(rng):
    frame = lent(rng, 0, n=6000)
    frame["purpose"] = rng.choice(["car", "home", "other"], 6000, p=[0.35, 0.35, 0.3])
    other = frame["purpose"] == "other"
    frame.loc[other, "share"] = np.round(rng.beta(3, 3, other.sum()) * 0.8, 2)
    (found,) = rules_of(evidence_of(frame), None, 20).told.values()
    assert isinstance(found, Cases)


def test_rows_without_the_column_say_nothing_of_its_powers(rng):
    frame = lent(rng, 0.03, n=20_000)
    frame.loc[rng.random(20_000) < 0.85, "share"] = np.nan
    (fit,) = Slips(columns_of(evidence_of(frame), 20)).all([])
    assert same(fit, LENT)
