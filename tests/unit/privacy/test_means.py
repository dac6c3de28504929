"""Numbers as means of groups: the least squares, k individuals, and what stays."""

from fractions import Fraction

import naive.means as naive
import numpy as np
import pandas as pd
import pytest
from support.people import people

from coclust_synth import MondrianAnonymizer, ParameterError, infer_schema
from coclust_synth.privacy.means import (
    group_means,
    groups_of_persons,
    integer_means,
    near_groups,
    with_means,
)


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_those_of_the_least_squares(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 13)), int(rng.integers(1, 5))
    k = min(k, n)
    values = rng.integers(0, 30, n) + 1e6 * (seed % 2)
    groups = near_groups(values.astype(float), k)
    assert np.bincount(groups).min() >= k
    within = ((values - group_means(values, groups)) ** 2).sum()
    assert within == pytest.approx(naive.near_groups_cost(values.tolist(), k))
    # Runs of the sorted numbers, in their order.
    by_value = groups[np.argsort(values, kind="stable")]
    assert (np.diff(by_value) >= 0).all()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_numbers_near_the_largest_have_groups_and_means(k):
    values = np.array([1e308, -1e308] * 6 + [0, 1, 2])
    groups = near_groups(values, k)
    assert np.bincount(groups).min() >= k
    large = np.ldexp(1.0, 1000)
    some = np.random.default_rng(k).integers(-9, 9, 20).astype(float)
    assert near_groups(some * large, k).tolist() == near_groups(some, k).tolist()
    means = group_means(values, np.zeros(len(values), dtype=int))
    assert means[0] == pytest.approx(0.2)
    whole = np.full(4, 1.7e308)
    assert group_means(whole, np.zeros(4, dtype=int)).tolist() == whole.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_groups_of_persons_have_k_of_them(seed):
    rng = np.random.default_rng(seed)
    values, persons = rng.normal(size=40), rng.integers(0, 9, 40)
    groups = groups_of_persons(values, persons, 4)
    for own in np.unique(groups):
        assert len({*persons[groups == own]}) >= 4
    assert groups_of_persons(values[:5], persons[:5], 9).tolist() == [0] * 5


def test_means_are_rounded_as_their_column_and_the_total_stays():
    frame = pd.DataFrame(
        {"pay": [1.25, 2.5, 9.75, 8.0, 3.0, None], "n": [1, 2, 5, 7, 9, 9]}
    )
    how = {"pay": "means", "n": "keep"}
    found = with_means(frame, infer_schema(frame), how, 2)
    assert found["n"].tolist() == frame["n"].tolist()
    assert found["pay"].isna().tolist() == frame["pay"].isna().tolist()
    assert sorted(found["pay"].dropna()) == [2.25, 2.25, 2.25, 8.88, 8.88]
    some = pd.DataFrame({"n": pd.array([1, None, 5, 8, 7], dtype="Int64")})
    means = with_means(some, infer_schema(some), {"n": "means"}, 2)["n"]
    assert means.dtype == some["n"].dtype
    assert means.tolist() == [3, pd.NA, 3, 8, 8]
    counts = with_means(frame, infer_schema(frame), {"n": "means"}, 3)["n"]
    assert counts.dtype == frame["n"].dtype and counts.value_counts().min() >= 3
    assert frame["pay"].iloc[0] == 1.25  # the table given stays as it was
    with pytest.raises(ParameterError, match="Received those of 5"):
        with_means(frame, infer_schema(frame), how, 6)


@pytest.mark.parametrize("seed", range(10))
def test_means_of_integers_are_exact(seed):
    rng = np.random.default_rng(seed)
    origin = [0, -5, 17 * 10**17, -(2**63), 2**63 - 101][seed % 5]
    values = origin + rng.integers(0, 100, 40)
    groups = rng.permutation(np.arange(40) % 7)
    means = integer_means(values, groups)
    for group in range(7):
        own = [int(value) for value in values[groups == group]]
        assert {*means[groups == group]} == {round(Fraction(sum(own), len(own)))}
    ends = np.array([-(2**63), 2**63 - 1] * 2)
    assert integer_means(ends, np.arange(4) % 2).tolist() == ends.tolist()
    assert abs(integer_means(ends, np.zeros(4, dtype=int))).max() <= 2**10


def test_integers_that_no_double_holds_have_means_near_them():
    at = 17 * 10**17 + np.random.default_rng(0).permutation(200)
    for frame in (pd.DataFrame({"at": at}), pd.DataFrame({"at": [*at, 0, 0, 0]})):
        schema = infer_schema(frame).keep("at")
        means = with_means(frame, schema, {"at": "means"}, 3)["at"]
        assert abs(means - frame["at"]).max() < 1000
        assert means.value_counts().min() >= 3
    frame = pd.DataFrame({"at": at})
    means = with_means(frame, infer_schema(frame).keep("at"), {"at": "means"}, 3)["at"]
    small = pd.DataFrame({"at": at - 17 * 10**17})
    expected = with_means(small, infer_schema(small).keep("at"), {"at": "means"}, 3)
    assert (means - 17 * 10**17).tolist() == expected["at"].tolist()


@pytest.mark.slow
def test_sensitive_numbers_of_a_k_anonymous_release_are_of_k():
    table = people(200).assign(pay=lambda t: 1000 + t["days"] * 3)
    asked = {"quasi_identifiers": ["age", "job"], "sensitive": ["pay", "disease"]}
    fitted = MondrianAnonymizer(10, sensitive_values="means", **asked).fit(table)
    released = fitted.release_.to_frame()
    assert released["pay"].value_counts().min() >= 10
    assert released["pay"].mean() == pytest.approx(table["pay"].mean(), abs=0.5)
    assert sorted(released["disease"]) == sorted(table["disease"])
    batch = fitted.transform(table).to_frame()
    assert batch["pay"].value_counts().min() >= 10
    whose = table.assign(who=np.arange(200) // 2)
    by_person = MondrianAnonymizer(
        10, sensitive_values={"pay": "means"}, person_id="who", **asked
    )
    released = by_person.fit_transform(whose).to_frame()
    assert released["pay"].value_counts().min() >= 10
    texts = MondrianAnonymizer(10, sensitive_values={"disease": "means"}, **asked)
    with pytest.raises(ParameterError, match="'disease', which is categorical"):
        texts.fit(table)
    none = MondrianAnonymizer(10, sensitive_values="means", sensitive=["disease"])
    with pytest.raises(ParameterError, match="'disease', which is categorical"):
        none.fit(table)
