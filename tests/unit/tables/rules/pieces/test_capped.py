"""Sums up to a limit that stands in a column."""

import numpy as np
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.relations import Capped, Share, relation_from_dict
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.pieces.capped import find_capped

RULE = Capped("paid", ("rent", "service"), (1.0, 1.0), 0.0, at_most="cap")


@pytest.fixture
def rents():
    rng = np.random.default_rng(0)
    rent = np.round(rng.normal(400, 120, 900).clip(100), 2)
    service = np.round(rng.uniform(20, 120, 900), 2)
    cap = rng.choice([400.0, 500, 600], 900)
    paid = np.round(np.minimum(rent + service, cap), 2)
    return {"rent": rent, "service": service, "cap": cap, "paid": paid}


def found(columns, told=(), k=20, persons=None):
    evidence = evidence_of(columns, persons)
    return find_capped(columns_of(evidence, k), told)


def test_a_rent_that_counts_up_to_a_cap_is_found(rents):
    assert found(rents) == [RULE]
    assert found(rents, [RULE]) == []
    assert RULE in rules_of(evidence_of(rents), None, 20).relations


def test_a_floor_is_found_too(rents):
    both = rents["rent"] + rents["service"]
    rents["paid"] = np.round(np.maximum(both, rents["cap"]), 2)
    (rule,) = found(rents)
    assert (rule.at_least, rule.at_most) == ("cap", None)


@pytest.mark.slow
def test_a_sum_of_all_is_told_and_no_part_with_another_as_floor():
    """Where both are 0 or neither is, insurance is a share, below all freight."""
    rng = np.random.default_rng(0)
    price = np.round(rng.lognormal(8, 1.3, 3000), 2)
    is_free = rng.random(3000) < 0.3
    rate = rng.uniform(0.02, 0.09, 3000)
    freight = np.where(is_free, 0, np.round(price * rate, 2))
    insurance = np.where(is_free, 0, np.round(price * 0.003, 2))
    columns = {"price": price, "freight": freight, "insurance": insurance}
    columns["value"] = np.round(price + freight + insurance, 2)
    share = Share("insurance", "price", (0.0, 0.003))
    assert found(columns, [share]) == []
    told = rules_of(evidence_of(columns), None, 20).told
    assert told["value"].terms == {"price": 1, "freight": 1, "insurance": 1}


def test_k_individuals_are_at_the_limit(rents):
    at = rents["paid"] == rents["cap"]
    persons = np.arange(900)
    persons[at] = np.arange(at.sum()) % 25
    assert found(rents, k=30, persons=persons) == []
    assert found(rents, k=20, persons=persons) == [RULE]


@pytest.mark.parametrize("broken, n_found", [(2, 1), (20, 0)])
def test_few_rows_differ(rents, broken, n_found):
    rents["paid"][:broken] -= 7.77
    assert len(found(rents)) == n_found


def test_a_sum_that_needs_no_limit_and_chance_have_none(rents):
    both = np.round(rents["rent"] + rents["service"], 2)
    assert found(rents | {"paid": both, "cap": both + 100 * (rents["cap"] > 400)}) == []
    rng = np.random.default_rng(1)
    assert found(rents | {"paid": rng.permutation(rents["paid"])}) == []


@pytest.mark.parametrize(
    "wrong", [{"at_least": "low"}, {"at_most": "rent"}, {"at_most": 3}, {"terms": {}}]
)
def test_what_is_no_such_rule_is_refused(wrong):
    assert relation_from_dict(RULE.to_dict()) == RULE
    with pytest.raises(SchemaError, match="such as target = "):
        relation_from_dict(RULE.to_dict() | wrong)
