"""Dependences counted by value, not by the ranges that values are in."""

import numpy as np
import pandas as pd
from support.evidence import evidence_of

from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.kept import Rule
from coclust_synth.tables.rules.measured import (
    count_broken,
    differs_by_value,
    is_of_ranges,
)
from coclust_synth.tables.rules.values.pairs import Pair


def samples():
    """Samples taken and received at one of six times of an hour, 16 hours."""
    rng = np.random.default_rng(0)
    hour, minute = np.divmod(np.repeat(np.arange(96), 20), 6)
    received = 10 * hour + rng.permuted(minute.reshape(16, 120), axis=1).ravel()
    return {"taken": 10 * hour + minute, "received": received}


def tariffs(n=400):
    place = np.random.default_rng(0).integers(0, 4, n)
    fees = np.array([9.99, 19.99, 29.99, 44.99])
    return pd.DataFrame({"tariff": np.array(list("SMLX"))[place], "fee": fees[place]})


def rule_of(evidence, name):
    rules = rules_of(evidence, None, 20)
    told = {rule.relation.columns: rule for rule in rules.all}
    return rules, told[name]


def test_a_code_of_ranges_is_said_to_be_one():
    evidence = evidence_of(samples())
    rules, rule = rule_of(evidence, ("taken", "received"))
    assert str(rule) == "taken -> a range of received"
    assert rule.broken == 0
    again = rules_of(evidence, rules.relations, 20)
    assert list(map(str, again.all)) == list(map(str, rules.all))
    read = Rule.from_dict(rule.to_dict())
    assert str(read) == str(rule) and read.relation == rule.relation


def test_rows_that_differ_by_value_are_counted():
    drawn = tariffs()
    evidence = evidence_of(drawn)
    rules, rule = rule_of(evidence, ("tariff", "fee"))
    assert (str(rule), rule.broken) == ("tariff -> fee", 0)
    drawn.loc[drawn.index[drawn["tariff"] == "M"][:7], "fee"] = 21.5
    of_drawn = Evidence.of_drawn(drawn, evidence.coding, evidence.of_codes)
    assert count_broken(rules, of_drawn) == [
        7 if each.relation.columns[0] == "tariff" else 0 for each in rules.all
    ]


def test_missing_values_say_nothing():
    columns = {"code": list("aaabbbc") * 30, "label": [1, 1, 2, 3, 3, None, 4] * 30}
    evidence = evidence_of(columns)
    pair = Pair.of(0, 1, evidence)
    differs, known = differs_by_value(pair)
    assert differs.tolist() == [False, False, True, False, False, False, False] * 30
    assert known.tolist() == [True, True, True, True, True, False, True] * 30
    assert is_of_ranges(pair)
    assert not is_of_ranges(pair.turned)
