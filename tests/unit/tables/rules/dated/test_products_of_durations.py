"""Shares and rates of durations that are written as times."""

import numpy as np
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth.tables.relations import relation_from_dict
from coclust_synth.tables.rules.dated.lengths import find_products_of_durations
from coclust_synth.tables.rules.found import rules_of


def clock(minutes):
    pairs = zip(*divmod(minutes, 60), strict=True)
    return [f"{hour}:{minute:02d}" for hour, minute in pairs]


@pytest.fixture
def nights():
    """Times in bed and asleep, and an unrelated time."""
    rng = np.random.default_rng(0)
    bed, at = rng.integers(240, 700, 900), rng.integers(0, 1440, 900)
    slept = np.round(bed * rng.uniform(0.6, 1, 900)).astype(np.int64)
    columns = {"bed": clock(bed), "slept": clock(slept), "at": clock(at)}
    return columns | {"efficient": np.round(100 * slept / bed, 1)}


def found(columns, told=(), k=20):
    evidence = evidence_of(columns)
    return find_products_of_durations(columns_of(evidence, k), told)


@pytest.mark.slow
def test_a_share_of_a_duration_is_found(nights):
    (fit,) = found(nights)
    assert fit.terms == {"slept": 1, "bed": -1} and fit.constant == 100
    assert found(nights, [fit]) == []
    assert relation_from_dict(fit.to_dict()) == fit
    kinds = dict.fromkeys(fit.parents, "time")
    assert fit.wrong_kind(kinds) is None
    assert fit.wrong_kind(kinds | {"efficient": "time"}) == "efficient"
    assert fit.wrong_kind(kinds | {"bed": "datetime"}) == "bed"
    rules = rules_of(evidence_of(nights), None, 20).relations
    assert fit in rules and sum(hasattr(rule, "target") for rule in rules) == 1


def test_a_pay_is_hours_by_a_rate_and_not_the_other_way(nights):
    rng = np.random.default_rng(1)
    minutes, rate = rng.integers(60, 700, 900), rng.integers(1000, 6000, 900) / 100
    columns = {"hours": clock(minutes), "rate": rate}
    (fit,) = found(columns | {"pay": np.round(rate * minutes / 60, 2)})
    assert (fit.target, fit.terms) == ("pay", {"hours": 1, "rate": 1})
    assert fit.constant == pytest.approx(24)


def test_chance_has_none(nights):
    rng = np.random.default_rng(2)
    assert found(nights | {"efficient": rng.permutation(nights["efficient"])}) == []
