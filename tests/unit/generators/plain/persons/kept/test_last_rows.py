"""What only last rows of persons have: an end that is open, a death."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer


def stays(n=1500, seed=0):
    """One to four stays a person: who dies has no more, who goes to a home has some."""
    rng, rows = np.random.default_rng(seed), []
    for person in range(n):
        n_rows = rng.integers(1, 5)
        ends = rng.choice(["home", "ward"], n_rows, p=[0.7, 0.3])
        ends[-1] = rng.choice(["home", "dead"], p=[0.6, 0.4])
        costs = np.where(ends == "dead", np.nan, rng.integers(1, 400, n_rows))
        for wave, (end, cost) in enumerate(zip(ends, costs, strict=True)):
            rows.append((person + 1000, wave + 1, end, cost))
    return pd.DataFrame(rows, columns=["person", "stay", "end", "cost"])


@pytest.fixture(scope="module")
def fitted():
    return CoclusterSynthesizer(
        k=20, person_id="person", n_iterations=2, random_state=0
    ).fit(stays())


@pytest.mark.slow
def test_what_ends_the_rows_of_a_person_ends_those_that_are_drawn(fitted, tmp_path):
    drawn = fitted.sample(5000, random_state=1)
    is_last = drawn["person"] != drawn["person"].shift(-1)
    assert 150 < (drawn["end"] == "dead").sum()
    assert not (drawn["end"] == "dead")[~is_last].any()
    assert not drawn["cost"].isna()[~is_last].any()
    # The last person of all may have fewer rows than they should.
    assert not (drawn["end"] == "ward")[is_last].iloc[:-1].any()


@pytest.mark.slow
def test_it_is_told(fitted):
    told = fitted.model_.structure.told_by_row_before
    assert "end = dead in the last row of a person only" in ", ".join(told)
    assert "end = ward in no last row of a person" in ", ".join(told)


@pytest.mark.slow
def test_what_other_rows_have_too_is_no_rule():
    table = stays()
    table["end"] = np.random.default_rng(1).permutation(table["end"])
    table["cost"] = np.random.default_rng(1).permutation(table["cost"])
    fitted = CoclusterSynthesizer(
        k=20, person_id="person", n_iterations=1, random_state=0
    ).fit(table)
    told = fitted.model_.structure.told_by_row_before
    assert not [said for said in told if "last row" in said]
