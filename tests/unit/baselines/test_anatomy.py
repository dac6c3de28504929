"""Anatomy: groups of different sensitive values, and what the two tables tell."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.releases import mixed_table

from coclust_synth.baselines.anatomy import AnatomyReleaser, anatomize
from coclust_synth.exceptions import CoclustSynthError, DataWarning
from coclust_synth.tables.reading.infer import infer_schema

# Xiao and Tao (2006), table 1.
PATIENTS = pd.DataFrame(
    {
        "age": [23, 27, 35, 59, 61, 65, 65, 70],
        "sex": list("MMMMFFFF"),
        "zip": [11000, 13000, 59000, 12000, 54000, 25000, 25000, 30000],
        "disease": [
            *("pneumonia", "dyspepsia", "dyspepsia", "pneumonia"),
            *("flu", "gastritis", "flu", "bronchitis"),
        ],
    }
)


@st.composite
def eligible(draw):
    """Counts of values, l, with no value in more than n / l rows."""
    l = draw(st.integers(2, 5))  # noqa: E741
    counts = draw(st.lists(st.integers(1, 12), min_size=l, max_size=9))
    while max(counts) * l > sum(counts):
        counts[counts.index(max(counts))] -= 1
    return l, np.array(counts)


@given(eligible(), st.integers(0, 99))
@settings(max_examples=examples(200), deadline=None)
def test_groups_hold_l_rows_of_different_values(case, seed):
    """As many groups as l allows: n // l, each value once in a group (property 3)."""
    l, counts = case  # noqa: E741
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    groups = anatomize(codes, counts, l, rng)
    members = pd.DataFrame({"group": groups, "code": codes}).groupby("group")["code"]
    assert members.size().min() >= l
    assert (members.nunique() == members.size()).all()
    assert sorted(set(groups)) == list(range(len(codes) // l))


def test_the_rows_of_a_value_are_as_likely_in_any_group(rng):
    """Two rows a and two rows b: each a is with each b half of the time."""
    codes, counts = np.array([0, 0, 1, 1]), np.array([2, 2])
    together = [
        groups[0] == groups[2]
        for groups in (anatomize(codes, counts, 2, rng) for _ in range(2000))
    ]
    assert abs(np.mean(together) - 0.5) < 0.05  # 4.5 standard errors


@pytest.mark.noise
def test_the_table_of_the_paper():
    releaser = AnatomyReleaser(2, sensitive=["disease"])
    quasi, sensitive = releaser.fit_transform(PATIENTS)
    assert list(quasi) == ["age", "sex", "zip", "group"]
    assert list(sensitive) == ["group", "disease", "count"]
    assert sensitive["count"].tolist() == [1] * 8
    assert quasi["group"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert sensitive["group"].tolist() == quasi["group"].tolist()
    # Joined on the group, each row is found with its own disease and one other.
    joined = quasi.merge(sensitive, on="group").drop(columns=["group", "count"])
    assert len(joined) == 16
    rows = set(joined.itertuples(index=False, name=None))
    assert set(PATIENTS.itertuples(index=False, name=None)) <= rows


@pytest.mark.noise
def test_columns_keep_their_values_and_types_and_missing_is_a_value():
    table = mixed_table(np.random.default_rng(0), 120)
    table.loc[::10, "ill"] = None
    names = ["job", "age", "day", "size", "pin"]
    releaser = AnatomyReleaser(
        2, sensitive=["ill"], quasi_identifiers=names, others="keep"
    )
    with pytest.warns(DataWarning, match=r"their own: 'pay' \(\d+%\)\. Whoever knows"):
        both = releaser.fit_transform(table, infer_schema(table).keep("pin"))
    quasi, sensitive = both
    kept = [name for name in table if name != "ill"]
    found = quasi.set_index("pin").loc[table["pin"]].reset_index()
    assert list(quasi) == [*kept, "group"]
    pd.testing.assert_frame_equal(found[kept], table[kept], check_dtype=True)
    assert found["group"].tolist() == releaser.groups_.tolist()
    expected = pd.crosstab(releaser.groups_, table["ill"].fillna("none given"))
    told = pd.crosstab(sensitive["group"], sensitive["ill"].fillna("none given"))
    assert (told.to_numpy() == expected.to_numpy()).all()


@pytest.mark.noise
def test_the_order_tells_only_of_groups_and_values():
    table = PATIENTS.loc[[5, 2, 7, 0, 3, 6, 1, 4]]
    quasi, sensitive = AnatomyReleaser(2, sensitive=["disease"]).fit_transform(table)
    for released in (quasi, sensitive):
        names = ["group", *(name for name in released if name != "group")]
        pd.testing.assert_frame_equal(
            released, released.sort_values(names, ignore_index=True)
        )


@pytest.mark.noise
def test_groups_are_drawn_anew_at_each_release():
    table = pd.concat([PATIENTS] * 20, ignore_index=True)
    releaser = AnatomyReleaser(2, sensitive=["disease"])
    one = releaser.fit(table).groups_
    other = releaser.fit(table).groups_
    assert (one != other).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(l=1), "l to be a whole number from 2"),
        (dict(l=2.5), "l to be a whole number from 2"),
        (dict(l=5), "Received the value 'dyspepsia' in 2 rows. Choose l up to 4"),
        (dict(sensitive=None), "Expected one sensitive column. Received none"),
        (dict(sensitive=["disease", "age"]), "Received 'age', 'disease'"),
        (dict(sensitive=["diseas"]), "Did you mean 'disease'"),
        (dict(sensitive=["sex"], l=3), "Choose l up to 2"),
        (dict(quasi_identifiers=["disease"]), "either a quasi-identifier or sensitive"),
        (dict(others="hide"), "'drop', 'keep'"),
    ],
)
def test_bad_input_is_refused(options, message):
    with pytest.raises(CoclustSynthError, match=re.escape(message)):
        AnatomyReleaser(**dict(l=2, sensitive=["disease"]) | options).fit(PATIENTS)


@pytest.mark.parametrize("name", ["group", "count"])
def test_names_of_the_released_tables_are_refused(name):
    table = PATIENTS.rename(columns={"sex": name})
    with pytest.raises(CoclustSynthError, match=f"Received '{name}'. Rename"):
        AnatomyReleaser(2, sensitive=["disease"]).fit(table)


def test_a_missing_value_is_told_as_such():
    patients = PATIENTS.assign(disease=["flu", "cold", *[None] * 6])
    with pytest.raises(CoclustSynthError, match="Received no value in 6 rows"):
        AnatomyReleaser(l=2, sensitive=["disease"]).fit(patients)


def test_one_row_and_one_value_are_refused():
    releaser = AnatomyReleaser(2, sensitive=["disease"])
    with pytest.raises(CoclustSynthError, match="Received one row"):
        releaser.fit(PATIENTS[:1])
    with (
        pytest.warns(UserWarning, match="at least two values"),
        pytest.raises(CoclustSynthError, match="'flu' in 8 rows"),
    ):
        releaser.fit(PATIENTS.assign(disease="flu"))
