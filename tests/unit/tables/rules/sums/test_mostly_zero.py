"""A sum of columns that are mostly 0: nearly all rows have one of them at most."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.mostly_zero import find_sums_of_few


def damages(rng, most=90_000, n_both=12):
    """Of 3,000 few cost anything, and fewer twice."""
    repair = np.where(rng.random(3000) < 0.05, rng.integers(1, most, 3000), 0)
    other = np.where(rng.random(3000) < 0.04, rng.integers(1, most, 3000), 0)
    other = np.where(repair > 0, 0, other)
    other[np.flatnonzero(repair)[:n_both]] = 2
    return pd.DataFrame({"repair": repair, "other": other, "cost": repair + other})


def found(table, k=20):
    return find_sums_of_few(columns_of(evidence_of(table), k), ())


@pytest.mark.parametrize("most", [90_000, 4])
def test_the_sum_is_found_though_it_is_mostly_the_largest(most, rng):
    table = damages(rng, most)
    assert found(table) == [Fit("cost", ("repair", "other"), (1.0, 1.0), 0.0)]
    rules = rules_of(evidence_of(table), None, 20)
    assert str(rules.fits["cost"]) == "cost = repair + other"


def test_half_a_percent_may_differ_and_k_individuals_have_each_alone(rng):
    table = damages(rng)
    assert found(table, k=200) == []
    table.loc[table.index[table["repair"] > 0][-30:], "cost"] += 1
    assert found(table) == []


def test_the_largest_is_no_sum(rng):
    table = damages(rng)
    assert found(table.assign(cost=table[["repair", "other"]].max(axis=1))) == []
    table = pd.DataFrame(rng.integers(0, 9, (1000, 6))).add_prefix("x")
    assert found(table) == []
