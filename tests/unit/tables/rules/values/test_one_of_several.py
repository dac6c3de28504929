"""Columns of yes and no of which each row has one yes."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import Dependence, Never
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.values.one_of_several import find_one_of_several

SHARES = 0.4, 0.3, 0.2, 0.04, 0.03, 0.02, 0.01


def jobs(n=2400, shares=SHARES, seed=0):
    """A column of 0 and 1 for each job, and a wage that goes with it."""
    rng = np.random.default_rng(seed)
    job = rng.choice(len(shares), n, p=shares)
    frame = pd.DataFrame(
        {f"job{j}": (job == j).astype(int) for j in range(len(shares))}
    )
    return frame.assign(wage=np.round(rng.gamma(4, 2 + job)))


@pytest.mark.slow
def test_each_row_has_one_job():
    """Of 24 and 48 none who have both would be missed: some rows had two, some none."""
    frame = jobs()
    names = [*frame.columns[:-1]]
    rules = rules_of(evidence_of(frame), None, 20)
    told = [r for r in rules.relations if isinstance(r, Dependence)]
    assert [(each.parents, each.target) for each in told] == [
        (tuple(names[:-1]), names[-1])
    ]
    never = {frozenset(r.columns) for r in rules.relations if isinstance(r, Never)}
    n_pairs = len(names) * (len(names) - 1) // 2
    assert len([pair for pair in never if pair <= {*names}]) == n_pairs
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    rows = synthesizer.fit(frame).sample(2400)
    assert (rows[names].sum(axis=1) == 1).all()
    assert np.abs(rows[names].mean() - frame[names].mean()).max() < 0.005


def test_sets_are_of_three_columns_and_more_and_not_by_chance():
    frame = jobs(600, (0.5, 0.3, 0.2))
    assert find_one_of_several(evidence_of(frame), (), 20) == [[0, 1, 2]]
    # One row has none.
    frame.loc[0, ["job0", "job1", "job2"]] = 0
    assert find_one_of_several(evidence_of(frame), (), 20) == []
    two = jobs(600, (0.6, 0.4))
    assert find_one_of_several(evidence_of(two), (), 20) == []
    few = jobs(60, (0.34, 0.33, 0.33)).iloc[:12]
    assert find_one_of_several(evidence_of(few, rare=1), (), 1) == []


def test_of_two_sets_each_is_found_and_texts_are_as_good_as_numbers():
    one, other = jobs(900, (0.5, 0.3, 0.2)), jobs(900, (0.1, 0.5, 0.4), seed=1)
    other = other.drop(columns="wage").add_prefix("old_").replace({0: "no", 1: "yes"})
    frame = one.drop(columns="wage").join(other)
    assert find_one_of_several(evidence_of(frame), (), 20) == [[0, 1, 2], [3, 4, 5]]
