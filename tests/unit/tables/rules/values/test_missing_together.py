"""What is missing in the same rows, and where another is, is told once."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.relations import Order
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values.missing_together import told_once


def survey(n=1500):
    """Two pages that some leave out, a question of the first for some, and a slip."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.choice(["x", "y"], n) for name in "abcdef"})
    frame["b"] = rng.normal(size=n).round(2)
    frame.loc[: n // 5, ["a", "b", "c"]] = None
    frame.loc[: n // 3, ["d", "e"]] = None
    frame.loc[rng.random(n) < 0.1, "c"] = None
    return frame.astype({name: object for name in "acdef"})


def rules_in(frame):
    evidence = evidence_of({name: frame[name].to_numpy() for name in frame})
    return rules_of(evidence, None, 50)


def test_what_is_missing_together_is_one_rule():
    found = [rule.to_dict() for rule in rules_in(survey()).all]
    assert [rule["rule"] for rule in told_once(found)] == [
        "a, b: missing in the same rows",
        "c, d: missing where a is",
        "d, e: missing in the same rows",
    ]
    assert len(found) == 8  # of each two of the five columns but c beside d and e


def test_what_drawn_rows_break_is_told_apart():
    found = [rule.to_dict() for rule in rules_in(survey()).all]
    found[0]["drawn_broken"] = 3
    told = told_once(found)
    assert told[0] == found[0]
    assert told_once([{"kind": "order", "rule": "a <= b"}]) == [
        {"kind": "order", "rule": "a <= b"}
    ]


@pytest.mark.parametrize("constant", [0, 3])
def test_what_follows_from_a_sum_of_one_column_is_no_rule_beside_it(constant):
    start = np.random.default_rng(0).integers(0, 900, 2000) * 7
    rules = rules_in(pd.DataFrame({"start": start, "end": start + constant}))
    assert [rule.target for rule in rules.relations] == ["end"]
    assert not any(isinstance(rule, Order) for rule in rules.relations)
