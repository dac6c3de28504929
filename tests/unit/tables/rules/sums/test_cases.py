import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.relations import Cases, Fit
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.cases import find_cases


def pensions(rng, n=1000):
    """Those of survivors have no points."""
    kind = rng.choice(["age", "illness", "survivor"], n, p=[0.5, 0.3, 0.2])
    points = rng.gamma(6, 5, n).round(2)
    pension = (34.19 * points).round(2)
    is_other = kind == "survivor"
    return {
        "kind": kind,
        "sex": rng.choice(["f", "m"], n),
        "points": np.where(is_other, 0, points),
        "pension": np.where(is_other, rng.gamma(5, 100, n).round(2), pension),
    }


def sum_of(target, terms, constant=0.0):
    return Fit(target, tuple(terms), tuple(terms.values()), constant, False)


PENSION = Cases(
    "pension", "kind", ((("age", "illness"), sum_of("pension", {"points": 34.19})),)
)


def found(columns, told=(), k=20, persons=None, rare=10):
    evidence = evidence_of(columns, persons, rare=rare)
    return find_cases(columns_of(evidence, k), told)


@pytest.mark.slow
def test_a_pension_is_told_of_all_but_survivors(rng):
    columns = pensions(rng)
    assert found(columns) == [PENSION]
    assert found(columns, [PENSION]) == []
    assert str(PENSION) == "pension = 34.19 * points for kind age, illness"


@pytest.mark.slow
@pytest.mark.parametrize("values", [(0, 1), (False, True)])
def test_a_schema_holds_cases_of_categories_that_are_no_texts(rng, values):
    columns = pensions(rng)
    is_told = columns["kind"] != "survivor"
    frame = pd.DataFrame(columns).assign(kind=np.array(values)[is_told.astype(int)])
    (rule,) = found(frame)
    assert rule.cases[0][0] == (values[1],)
    schema = infer_schema(frame).with_rules(rule)
    (again,) = rules_of(evidence_of(frame, schema=schema), schema.rules, 20).all
    assert (again.relation, again.rows, again.broken) == (rule, is_told.sum(), 0)


@pytest.mark.slow
def test_a_total_is_told_of_parts_that_are_a_sum_themselves(rng):
    """And not the part that is mostly 0; some totals of one year are off by little."""
    n = 1500
    a, b = rng.gamma(1, 2e5, (2, n)).round(2)
    small, extra = rng.gamma(1, 1e4, n).round(2), rng.gamma(1, 500, n).round(2)
    extra[rng.random(n) < 0.7] = 0
    bags, year = (small + extra).round(2), rng.integers(2015, 2018, n)
    total = (a + b + bags + np.where(rng.random(n) < 0.02, 0.02, 0)).round(2)
    total[year < 2017] = (a + b + bags)[year < 2017].round(2)
    of_bags = sum_of("bags", {"small": 1.0, "extra": 1.0})
    names = "year", "a", "b", "small", "extra", "bags", "total"
    columns = dict(zip(names, (year, a, b, small, extra, bags, total), strict=True))
    (rule,) = found(columns, [of_bags])
    ((years, fit),) = rule.cases
    assert (rule.target, rule.by, years) == ("total", "year", (2015, 2016))
    assert {*fit.coefficients} == {1.0}


@pytest.mark.slow
def test_it_is_measured_in_the_rows_that_it_is_about(rng):
    columns = pensions(rng)
    rule = rules_of(evidence_of(columns), None, 20).all[0]
    assert (rule.relation, rule.broken) == (PENSION, 0)
    assert rule.rows == rule.individuals == (columns["kind"] != "survivor").sum()


@pytest.mark.slow
def test_what_is_told_in_another_way_by_the_value_of_a_number(rng):
    """A rate for each of some classes."""
    group, income = rng.integers(1, 4, 1500), rng.gamma(4, 9000, 1500).round(2)
    tax = (np.array([0.2, 0.15, 0.3])[group - 1] * income).round(2)
    (rule,) = found({"group": group, "income": income, "tax": tax})
    rates = enumerate((0.2, 0.15, 0.3), start=1)
    cases = tuple(((i,), sum_of("tax", {"income": rate})) for i, rate in rates)
    assert rule == Cases("tax", "group", cases)


@pytest.mark.slow
def test_sums_and_products_of_some_rows(rng):
    state = rng.choice(["left", "cancelled", "open"], 2000)
    price, nights = rng.gamma(5, 20, 2000).round(2), rng.integers(1, 15, 2000)
    deposit, refund = rng.gamma(2, 30, 2000).round(2), rng.gamma(2, 5, 2000).round(2)
    paid = np.where(state == "left", price * nights, deposit - refund).round(2)
    paid = np.where(state == "open", rng.gamma(3, 70, 2000).round(2), paid)
    columns = {"price": price, "nights": nights, "deposit": deposit, "refund": refund}
    (rule,) = found(columns | {"state": state, "paid": paid})
    assert {case[0]: set(case[1].parents) for case in rule.cases} == {
        ("left",): {"price", "nights"},
        ("cancelled",): {"deposit", "refund"},
    }


@pytest.mark.parametrize("n_broken, n_found", [(1, 1), (7, 0)])
def test_few_rows_of_a_value_differ(rng, n_broken, n_found):
    columns = pensions(rng)
    for value in ("age", "illness"):
        rows = np.flatnonzero(columns["kind"] == value)[:n_broken]
        columns["pension"][rows] += 10
    assert len(found(columns)) == n_found


@pytest.mark.parametrize("who, k, n_found", [(1, 20, 1), (1, 700, 0), (60, 20, 0)])
def test_k_individuals_have_each_value(rng, who, k, n_found):
    persons = np.arange(1000) // who
    assert len(found(pensions(rng), k=k, persons=persons)) == n_found


def values_told(columns, persons=None):
    """None of them is pooled with others."""
    rules = found(columns, persons=persons, rare=1)
    return [value for rule in rules for value in rule.cases[0][0]]


@pytest.mark.slow
@pytest.mark.parametrize("n, is_told", [(19, False), (20, True)])
def test_a_value_that_few_have_is_no_case(rng, n, is_told):
    """Though all its rows are told."""
    columns = pensions(rng)
    columns["kind"] = columns["kind"].astype("<U8")
    columns["kind"][np.flatnonzero(columns["kind"] == "age")[:n]] = "rare"
    assert ("rare" in values_told(columns)) == is_told


@pytest.mark.parametrize("n, is_told", [(19, False), (20, True)])
def test_a_value_of_which_few_have_the_column_is_no_case(rng, n, is_told):
    columns = pensions(rng)
    rows = np.flatnonzero(columns["kind"] == "illness")[n:]
    columns["pension"][rows] = np.nan
    assert ("illness" in values_told(columns)) == is_told


@pytest.mark.slow
@pytest.mark.parametrize("n_persons, is_told", [(3, False), (25, True)])
def test_rows_of_few_persons_are_no_case(rng, n_persons, is_told):
    columns, persons = pensions(rng), np.arange(1000)
    rows = np.flatnonzero(columns["kind"] == "age")[:25]
    columns["kind"][rows] = "rare"
    persons[rows] = rows[np.arange(25) % n_persons]
    assert ("rare" in values_told(columns, persons)) == is_told


@pytest.mark.slow
def test_what_holds_in_few_rows_or_in_all_is_none(rng):
    columns = pensions(rng)
    points = columns["points"]
    assert found(columns | {"pension": (34.19 * points).round(2)}) == []
    noise = rng.gamma(5, 100, 1000).round(2)
    is_told = (columns["kind"] == "age") & (rng.random(1000) < 0.3)
    assert (
        found(columns | {"pension": np.where(is_told, columns["pension"], noise)}) == []
    )


@pytest.mark.slow
def test_independent_columns_have_none():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = {f"c{i}": rng.gamma(2, 50, 600).round(i % 3) for i in range(6)}
        columns |= {f"few{i}": rng.integers(0, 3 + 9 * i, 600) for i in range(3)}
        columns["x"] = columns["c0"] + rng.integers(-1, 2, 600)
        assert found(columns | {"kind": rng.choice([*"abc"], 600)}) == []


@pytest.mark.slow
def test_rows_that_are_drawn_keep_it_and_others_are_as_they_were(rng, tmp_path):
    table = pd.DataFrame(pensions(rng, 3000))
    model = CoclusterSynthesizer(k=20, random_state=0).fit(table)
    model.save(tmp_path / "model")
    drawn = CoclusterSynthesizer.load(tmp_path / "model", random_state=1).sample(3000)
    is_told = drawn["kind"] != "survivor"
    left = drawn["pension"] - 34.19 * drawn["points"]
    assert (left[is_told].abs() < 0.0051).all()
    own, other = (
        of.loc[of["kind"] == "survivor", "pension"].describe() for of in (table, drawn)
    )
    np.testing.assert_allclose(own[["mean", "50%"]], other[["mean", "50%"]], rtol=0.1)
