"""Combinations that few people have go with one value, in all rows that are drawn."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema


def deliveries(n=400, seed=0):
    """Place and thing tell what is paid; many pairs are of fewer than 20 people."""
    rng, number = np.random.default_rng(seed), 71_000
    places = 1 / np.arange(1, 31)
    person = np.repeat(np.arange(n), 1 + rng.poisson(5, n))
    place = rng.choice(30, len(person), p=places / places.sum())
    thing = rng.integers(0, 6, len(person))
    paid = rng.permutation(180).reshape(30, 6) % 23
    return pd.DataFrame(
        {
            "who": "P" + pd.Series(person).astype(str),
            "visit": number + np.arange(len(person)) // 2 + person * 2,
            "place": "at " + pd.Series(place).astype(str),
            "thing": "T" + pd.Series(thing).astype(str),
            "paid": paid[place, thing],
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_rows_of_persons_agree_on_combinations_that_few_have(key):
    table = deliveries()
    if not key:
        table = table.drop(columns="visit")
    schema = infer_schema(table).as_key("visit") if key else infer_schema(table)
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    rules = [str(rule.relation) for rule in model.rules_]
    assert "place, thing -> paid" in rules
    drawn = model.sample()
    few = table.groupby(["place", "thing"])["who"].transform("nunique") < 20
    assert 100 < few.sum() < len(table) / 2
    assert model.model_.count_broken(drawn)[rules.index("place, thing -> paid")] == 0
    assert drawn.groupby(["place", "thing"])["paid"].nunique().max() == 1
