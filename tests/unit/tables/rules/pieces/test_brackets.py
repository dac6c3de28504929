import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Brackets
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.pieces.brackets import find_brackets

TAX = Brackets(
    "tax", "income", (12000.0, 40000.0), (0.0, 0.2, 0.4), (0.0, -2400.0, -10400.0)
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def taxes(rng, n=2000):
    """Nothing up to an allowance, then a fifth, then two."""
    income = rng.gamma(3, 12000, n).round()
    tax = np.interp(income, [0, 12000, 40000, 1e6], [0, 0, 5600, 389600])
    return {"age": rng.integers(18, 90, n), "income": income, "tax": tax.round(2)}


def found(columns, told=(), k=20, persons=None):
    evidence = evidence_of(columns, persons)
    return find_brackets(columns_of(evidence, k), told)


def test_a_tax_by_income_is_found(rng):
    columns = taxes(rng)
    assert found(columns) == [TAX]
    assert found(columns, [TAX]) == []
    said = "tax = 0 up to 12000, 0.2 * income - 2400 up to 40000, 0.4 * income - 10400"
    assert str(TAX) == f"{said} above"
    rule = rules_of(evidence_of(columns), None, 20).all[0]
    assert (rule.relation, rule.rows, rule.broken) == (TAX, 2000, 0)


def test_what_is_cut_at_both_ends_and_what_rises_in_steps(rng):
    bill = rng.gamma(2, 900, 2000).round(2)
    copay = np.clip(0.2 * (bill - 250), 0, 500).round(2)
    factors = 0.0, 0.2, 0.0
    constants = 0.0, -50.0, 500.0
    assert found({"bill": bill, "copay": copay}) == [
        Brackets("copay", "bill", (250.0, 2750.0), factors, constants)
    ]
    fee = (np.where(bill < 1000, 0.1, np.where(bill < 3000, 0.05, 0.02)) * bill).round(
        2
    )
    (rule,) = found({"bill": bill, "fee": fee})
    assert (rule.factors, rule.constants) == ((0.1, 0.05, 0.02), (0.0, 0.0, 0.0))
    assert rule.ends == (1000.0, 3000.0)


@pytest.mark.parametrize("last, n_found", [(42000, 1), (41476, 0), (41477, 0)])
def test_an_end_that_is_the_number_of_one_is_none(last, n_found):
    """Every number is that of one person: where the other line begins tells whose."""
    x = np.arange(40000, 44000)
    y = np.where(x <= last, 0.1 * x, 0.3 * x - 500).round(2)
    assert len(found({"x": x, "y": y})) == n_found


@pytest.mark.parametrize("who, k, n_found", [(1, 20, 1), (1, 400, 0), (100, 21, 0)])
def test_k_individuals_are_in_each_bracket(rng, who, k, n_found):
    persons = np.arange(2000) // who
    assert len(found(taxes(rng), k=k, persons=persons)) == n_found


def test_curves_and_what_is_nearly_so_are_none(rng):
    columns = taxes(rng)
    income, tax = columns["income"], columns["tax"]
    assert found(columns | {"tax": (tax + rng.normal(0, 1, 2000)).round(2)}) == []
    assert found({"income": income, "root": np.sqrt(income).round(2)}) == []
    assert found({"income": income, "tax": (0.2 * income).round(2)}) == []


@pytest.mark.slow
def test_independent_columns_have_none():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = {f"c{i}": rng.gamma(2, 50, 600).round(i % 3) for i in range(6)}
        columns["cut"] = np.maximum(0, rng.normal(0, 50, 600)).round(2)
        columns["near"] = columns["c0"] + rng.integers(-1, 2, 600)
        assert found(columns) == []


@pytest.mark.slow
def test_rows_that_are_drawn_keep_it(rng):
    table = pd.DataFrame(taxes(rng))
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(table).sample(2000)
    told = np.interp(drawn["income"], [0, 12000, 40000, 1e6], [0, 0, 5600, 389600])
    np.testing.assert_allclose(drawn["tax"], told, atol=0.0051)
