"""PRAM: its matrices, what is drawn by them, and what they disclose."""

import naive.perturbation as naive
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.people import people

from coclust_synth import DataWarning, ParameterError, SchemaError
from coclust_synth.baselines import PostRandomization


@pytest.fixture(scope="module")
def table():
    found = people(3000)
    found.loc[::7, "town"] = None
    return found


@pytest.mark.parametrize("retained", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("transition", ["invariant", "uniform"])
def test_rows_are_drawn_by_a_matrix_of_chances(table, retained, transition):
    asked = {"retained": retained, "transition": transition, "random_state": 0}
    pram = PostRandomization(["town", "job"], **asked).fit(table)
    assert list(pram.released_) == list(table)
    for name, own in pram.transitions_.items():
        m = len(own.values)
        assert own.matrix.shape == (m, m) and (own.matrix >= 0).all()
        assert own.matrix.sum(axis=1) == pytest.approx(np.ones(m))
        assert (own.shares @ own.matrix == pytest.approx(own.shares)) == (
            transition == "invariant" or m * own.shares == pytest.approx(np.ones(m))
        )
        if transition == "uniform":
            assert np.diag(own.matrix) == pytest.approx(np.full(m, retained))
        naively = naive.true_given_released(own.shares.tolist(), own.matrix.tolist())
        assert own.true_given_released == pytest.approx(naively)
        # What was drawn has these chances, within four standard errors.
        present = [value for value in own.values if value is not None]
        codes = pd.Categorical(table[name], categories=present).codes
        drawn = pd.Categorical(pram.released_[name], categories=present).codes
        for k, chances in enumerate(own.matrix):
            rows = codes % m == k  # -1, missing, is the last
            seen = np.bincount(drawn[rows] % m, minlength=m) / rows.sum()
            error = np.sqrt(chances * (1 - chances) / rows.sum())
            assert (np.abs(seen - chances) <= 4 * error + 1e-12).all()


@pytest.mark.slow
def test_what_is_not_asked_stays_and_a_seed_gives_the_same(table):
    def released(seed, retained=0.3):
        asked = {"retained": retained, "random_state": seed}
        return clone(PostRandomization(["town"], **asked)).fit_transform(table)

    first, again, other = released(4), released(4), released(5)
    pd.testing.assert_frame_equal(first, again)
    assert not first["town"].equals(other["town"])
    rest = table.columns.drop("town")
    pd.testing.assert_frame_equal(first[rest], table[rest], check_dtype=False)
    with pytest.warns(DataWarning, match="'town', in which no cell"):
        same = released(0, retained=1.0)
    pd.testing.assert_frame_equal(same, table, check_dtype=False)


def test_shares_are_estimated_by_the_inverse_of_the_matrix(table):
    asked = {"retained": 0.6, "transition": "uniform", "random_state": 1}
    pram = PostRandomization(["job"], **asked).fit(table)
    own = pram.transitions_["job"]
    seen = pram.released_["job"].value_counts(normalize=True)[list(own.values)]
    estimated = seen.to_numpy() @ np.linalg.inv(own.matrix)
    assert estimated == pytest.approx(own.shares, abs=0.06)
    assert own.to_dict()["values"] == list(own.values)


def test_what_cannot_be_drawn_is_refused(table):
    with pytest.raises(ParameterError, match="retained"):
        PostRandomization(["job"], retained=1.5).fit(table)
    with pytest.raises(ParameterError, match="transition"):
        PostRandomization(["job"], transition="own").fit(table)
    with pytest.raises(ParameterError, match="from 2 to 1000 different values"):
        PostRandomization(["id"]).fit(table.assign(id=range(3000)))
    with pytest.raises(SchemaError, match="jobs"):
        PostRandomization(["jobs"]).fit(table)
    for columns in ([], "job", ["job", "job"]):
        with pytest.raises(ParameterError, match="each once"):
            PostRandomization(columns).fit(table)


def test_categories_that_no_row_got_are_in_no_type():
    jobs = pd.Series(["smith", "cook"] * 30 + ["bishop"], dtype="category")
    pram = PostRandomization(["job"], retained=0.3, random_state=4)
    released = pram.fit_transform(pd.DataFrame({"job": jobs}))["job"]
    assert "bishop" not in [*released, *released.cat.categories]
