"""Slicing: what stays together, what is shuffled in which bucket, what it discloses."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.people import people

from coclust_synth import ParameterError, SchemaError
from coclust_synth.baselines import Slicing
from coclust_synth.baselines.perturbation.slicing import shuffled


def test_rows_change_places_in_their_buckets_alone():
    buckets = np.random.default_rng(0).integers(0, 9, 200)
    taken = shuffled(buckets, np.random.default_rng(1))
    assert sorted(taken) == list(range(200))
    assert (buckets[taken] == buckets).all() and (taken != np.arange(200)).mean() > 0.5


@pytest.mark.slow
def test_groups_stay_together_and_buckets_have_their_size():
    table = people(120)
    asked = {"bucket": 8, "random_state": 2}
    slicing = Slicing([["disease", "days"], ["town"]], **asked).fit(table)
    released, buckets = slicing.released_, slicing.buckets_
    assert np.bincount(buckets).min() >= 8
    rest = ["age", "job", "sex"]
    pd.testing.assert_frame_equal(released[rest], table[rest], check_dtype=False)
    assert not released["town"].equals(table["town"].astype("str"))
    for own in np.unique(buckets):
        before, after = table[buckets == own], released[buckets == own]
        for group in (["disease", "days"], ["town"]):
            rows = [sorted(map(tuple, t[group].to_numpy())) for t in (before, after)]
            assert rows[0] == rows[1]
            shares = before.groupby(group)[group[0]].transform("size") / len(before)
            for name in group:
                found = slicing.true_in_bucket_[name][buckets == own]
                assert found == pytest.approx(shares.to_numpy())
    again = clone(slicing).fit_transform(table)
    pd.testing.assert_frame_equal(again, released)


def test_what_cannot_be_sliced_is_refused():
    table = people(60)
    with pytest.raises(ParameterError, match="lists of columns"):
        Slicing(["town"]).fit(table)
    with pytest.raises(ParameterError, match="bucket"):
        Slicing([["town"]], bucket=1).fit(table)
    with pytest.raises(ParameterError, match=r"bucket .* 60 rows.* Received 99"):
        Slicing([["town"]], bucket=99).fit(table)
    with pytest.raises(ParameterError, match="each once"):
        Slicing([["town"], ["town", "job"]]).fit(table)
    with pytest.raises(SchemaError, match="pay"):
        Slicing([["pay"]]).fit(table)
    with pytest.raises(ParameterError, match="in no group"):
        Slicing([list(table)]).fit(table)
