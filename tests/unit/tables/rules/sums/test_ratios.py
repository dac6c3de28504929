"""Columns of a ratio that stands in the table, which nearly tell each other."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Fit, Function
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.ratios import find_told_by_ratios

PERCENT = Fit("percent", ("sold", "listed"), (1.0, -1.0), 100.0, logarithms=True)


def houses(rng, n=740, spread=0.05):
    """List prices, what was paid, and which part of the list price that is."""
    listed = np.round(np.exp(rng.normal(11.6, 0.55, n)) / 500) * 500 + 500
    part = np.minimum(rng.normal(0.95, spread, n), 1)
    sold = np.round(listed * np.maximum(part, 0.3) / 500) * 500
    percent = np.round(100 * sold / listed, 2)
    return pd.DataFrame({"listed": listed, "sold": sold, "percent": percent})


def found(table, told, stays=(), persons=None):
    columns = columns_of(evidence_of(table, persons), k=20)
    return find_told_by_ratios(columns, told, stays)


@pytest.mark.slow
def test_a_price_is_about_the_other_where_their_ratio_stands_beside(rng):
    (fit,) = found(houses(rng), [PERCENT])
    assert {fit.target, *fit.parents} == {"sold", "listed"}
    assert fit.about and fit.logarithms and fit.coefficients == (1.0,)


@pytest.mark.slow
def test_it_is_not_where_no_ratio_does(rng):
    about_half = rules_of(evidence_of(houses(rng).drop(columns="percent")), None, 20)
    assert not about_half.fits
    assert not found(houses(rng), [])


def test_what_says_little_of_the_other_is_drawn_as_it_is(rng):
    """Height says little of weight, whatever an index of both says."""
    height = np.round(rng.normal(170, 9, 800))
    weight = np.round(np.exp(rng.normal(4.3, 0.18, 800)) * (height / 170) ** 2, 1)
    index = np.round(1e4 * weight / height**2, 1)
    table = pd.DataFrame({"height": height, "weight": weight, "index": index})
    told = Fit("index", ("weight", "height"), (1.0, -2.0), 1e4, logarithms=True)
    assert not found(table, [told])


@pytest.mark.slow
def test_what_is_told_already_stays_so(rng):
    table = houses(rng)
    table["logarithm"] = np.log(table["sold"])
    sold = Function("sold", "logarithm", "exp", 1.0, 0.0)
    (fit,) = found(table, [PERCENT, sold])
    assert fit.target == "listed"
    listed = Fit("listed", ("sold",), (1.05,), 0.0, about=True)
    assert not found(table, [PERCENT, sold, listed])


@pytest.mark.slow
def test_what_stays_is_not_told_from_what_changes(rng):
    (fit,) = found(houses(rng), [PERCENT], stays={"listed"})
    assert fit.target == "sold"
    (fit,) = found(houses(rng), [PERCENT], stays={"sold"})
    assert fit.target == "listed"


@pytest.mark.slow
def test_the_ratio_of_one_person_is_not_told(rng):
    """Of the houses two thirds are one seller's, each for .7137 of the price."""
    table, whose = houses(rng, 900), np.append(np.arange(300), np.full(600, 300))
    own = whose == 300
    table.loc[own, "sold"] = np.round(0.7137 * table["listed"][own])
    table["percent"] = np.round(100 * table["sold"] / table["listed"], 2)
    (of_rows,) = found(table, [PERCENT])
    (fit,) = found(table, [PERCENT], persons=whose)
    ratios = [each.constant for each in (of_rows, fit)]
    ratios = [1 / r if r > 1 else r for r in ratios]
    assert ratios == pytest.approx([0.7137, 0.95], abs=0.01)
    assert not found(table[:150], [PERCENT], persons=whose[:150])
    assert not found(table, [PERCENT], persons=np.arange(900) % 150)


@pytest.mark.slow
def test_drawn_ratios_are_those_of_the_table(rng):
    table = houses(rng)
    plain = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(table)
    drawn = plain.sample(3000)
    ratio = 100 * drawn["sold"] / drawn["listed"]
    assert np.allclose(drawn["percent"], ratio, atol=0.02)
    assert drawn["percent"].max() <= 100
    assert drawn["percent"].std() == pytest.approx(table["percent"].std(), rel=0.02)
