"""What stays with a person and is a number of the first row."""

import numpy as np
import pandas as pd
import pytest
from support import panels
from support.evidence import evidence_of

from coclust_synth.generators.plain.persons.known.person_starts import (
    said_of_first_values,
)
from coclust_synth.generators.plain.persons.learning.first_values import (
    find_first_values,
)
from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.found import rules_of

K = 20


def pigs(n=200, each=4, seed=0):
    """Weighed four times; the first weight, and how far each is above it."""
    rng = np.random.default_rng(seed)
    grams = rng.integers(5000, 9000, n)[:, None] + rng.integers(
        0, 900, (n, each)
    ).cumsum(axis=1)
    start = grams[:, :1] + np.zeros_like(grams)
    return pd.DataFrame(
        {
            "pig": np.repeat(np.arange(n), each),
            "week": np.tile(np.arange(each), n),
            "start": start.ravel(),
            "weight": grams.ravel(),
            "gain": (grams - start).ravel(),
        }
    )


def first_values(table):
    """In words, as they are found."""
    evidence = evidence_of(table.drop(columns="pig"), table.pig)
    own = PersonTable.of(evidence, rules_of(evidence, None, K), K)
    return [str(fit) for fit in find_first_values(own)]


@pytest.mark.slow
def test_the_first_weight_of_nearly_all_stays_with_them():
    table = pigs()
    assert first_values(table) == ["weight = start"]
    others = table.start + 100 * (table.pig < 5)
    assert first_values(table.assign(start=others)) == []
    # Of the commonest number alone it would be by chance.
    table["start"] = np.where(table.pig < K - 1, table.start, 5)
    weight = np.where(table.week > 0, table.weight, table.start)
    assert first_values(table.assign(weight=weight)) == []
    assert first_values(table.assign(weight=table.weight.mask(table.pig == 3))) == []


@pytest.mark.slow
@pytest.mark.parametrize(("n_grow", "is_told"), [(K - 1, False), (K, True)])
def test_it_is_told_where_k_persons_change(n_grow, is_told):
    table = pigs()[["pig", "week", "start"]]
    table["weight"] = table.start + table.week * (table.pig < n_grow)
    assert bool(first_values(table)) is is_told


@pytest.mark.slow
def test_rows_begin_with_it_in_what_is_drawn():
    table = pigs()
    assert (table.gain[table.week == 0] == 0).all()
    model = panels.fitted(table, "pig")
    told = model.model_.structure.told_by_row_before
    assert "start = weight of the first row of a person" in told
    drawn = model.sample()
    first = drawn.groupby("pig").head(1)
    assert (first.weight == first.start).all()
    assert (drawn.weight == drawn.start + drawn.gain).all()
    assert (drawn.weight != drawn.start).mean() > 0.7


def test_what_first_rows_begin_with_is_said_where_it_is_a_number_that_stays():
    def said(*told):
        return said_of_first_values([Fit("owed", *told)], ("loan", "fee"))

    assert said(("loan",), (1.0,), 0.0) == ("loan = owed of the first row of a person",)
    assert said(("loan",), (2.0,), 0.0) == said(("loan",), (1.0,), 5.0) == ()
    assert said(("loan", "fee"), (1.0, 1.0), 0.0) == said(("paid",), (1.0,), 0.0) == ()


@pytest.mark.slow
@pytest.mark.parametrize("order", [["amount", "balance"], ["balance", "amount"]])
def test_a_total_so_far_begins_with_what_it_adds(order):
    """Also where the first one stays: the first amount is it then."""
    rng, (n, each) = np.random.default_rng(0), (300, 5)
    amount = rng.integers(-40, 90, (n, each))
    table = pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), each),
            "month": rng.integers(1, 50, (n, each)).cumsum(axis=1).ravel(),
            "amount": amount.ravel(),
            "balance": amount.cumsum(axis=1).ravel(),
            "opening": np.repeat(amount[:, 0], each),
        }
    )
    model = panels.fitted(table[["who", "month", *order, "opening"]], "who")
    told = model.model_.structure.told_by_row_before
    assert "opening = amount of the first row of a person" in told
    assert len(told) == len({*told})
    first = model.sample().groupby("who").head(1)
    assert (first.balance == first.amount).all()
    assert (first.opening == first.balance).all()
