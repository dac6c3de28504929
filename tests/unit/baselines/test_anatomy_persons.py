"""Anatomy's groups of different persons, counted again."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.visits import NAMES, visits

from coclust_synth.baselines.anatomy import AnatomyReleaser
from coclust_synth.exceptions import ParameterError


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(st.integers(0, 2**32 - 1), st.integers(12, 60), st.integers(2, 4))
def test_rows_of_a_group_are_of_different_persons_and_values(seed, n_persons, l):  # noqa: E741
    rng = np.random.default_rng(seed)
    table = visits(rng, n_persons).assign(
        ill=lambda own: rng.choice(list("abcdefgh"), len(own))
    )
    counts = table["ill"].value_counts().max(), table["who"].value_counts().max()
    releaser = AnatomyReleaser(
        l, sensitive=["ill"], quasi_identifiers=NAMES, person_id="who"
    )
    if max(counts) > len(table) // l:
        with pytest.raises(ParameterError, match="rows"):
            releaser.fit(table)
        return
    try:
        quasi, sensitive = releaser.fit_transform(table)
    except ParameterError as error:  # none were found, of few groups, which is said
        assert "can be put in groups" in str(error)
        return
    groups = table.groupby(releaser.groups_)
    assert (groups["who"].nunique() == groups.size()).all()
    assert (groups["ill"].nunique() == groups.size()).all()
    assert groups.size().min() >= l and len(groups) == len(table) // l
    assert list(quasi) == [*NAMES, "group"]
    joined = pd.DataFrame({"group": releaser.groups_, "ill": table["ill"]})
    expected = joined.sort_values(["group", "ill"], ignore_index=True)
    pd.testing.assert_frame_equal(sensitive[["group", "ill"]], expected)


def test_a_person_of_too_many_rows_is_refused():
    table = pd.DataFrame(
        {"who": [1, 1, 1, 2, 3, 4], "age": range(6), "ill": list("abcabc")}
    )
    releaser = AnatomyReleaser(3, sensitive=["ill"], person_id="who")
    with pytest.raises(ParameterError, match="at most 2 rows"):
        releaser.fit(table)


def test_groups_are_found_where_persons_have_few_rows(rng):
    """Thousands of groups leave every row a place: it is searched for among all."""
    table = visits(rng, 2000)
    table["ill"] = rng.integers(0, 40, len(table)).astype(str)
    releaser = AnatomyReleaser(
        4, sensitive=["ill"], quasi_identifiers=NAMES, person_id="who"
    ).fit(table)
    groups = table.groupby(releaser.groups_)["who"]
    assert (groups.nunique() == groups.size()).all()
