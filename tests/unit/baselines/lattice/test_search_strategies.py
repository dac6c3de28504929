"""Searches of the lattice on a published example, and which of them is used."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.baselines.lattice import anonymizer as lattice_anonymizer
from coclust_synth.baselines.lattice.anonymizer import SEARCHES, LatticeAnonymizer
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

# L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
# suppression", 2002: the private table PT of figure 3, race, birth date, sex, ZIP.
PATIENTS = [
    ("black", "9/20/1965", "male", "02141"),
    ("black", "2/14/1965", "male", "02141"),
    ("black", "10/23/1965", "female", "02138"),
    ("black", "8/24/1965", "female", "02138"),
    ("black", "11/7/1964", "female", "02138"),
    ("black", "12/1/1964", "female", "02138"),
    ("white", "10/23/1964", "male", "02138"),
    ("white", "3/15/1965", "female", "02139"),
    ("white", "8/13/1964", "male", "02139"),
    ("white", "5/5/1964", "male", "02139"),
    ("white", "2/13/1967", "male", "02138"),
    ("white", "3/21/1967", "male", "02138"),
]


def patients():
    """The table, and hierarchies with the year of birth above the date."""
    table = pd.DataFrame(PATIENTS, columns=["race", "birth", "sex", "zip"])
    lines = {
        "race": [(own, "*") for own in sorted(set(table["race"]))],
        "birth": [(own, own[-4:], "*") for own in sorted(set(table["birth"]))],
        "sex": [(own, "*") for own in sorted(set(table["sex"]))],
        "zip": [(own, own[:4], "*") for own in sorted(set(table["zip"]))],
    }
    hierarchies = {
        name: GeneralizationHierarchy.from_lines(name, own)
        for name, own in lines.items()
    }
    return table, hierarchies


def fitted(search, table, hierarchies, **options):
    return LatticeAnonymizer(
        2, hierarchies=hierarchies, search=search, sensitive=[], **options
    ).fit(table)


def test_datafly_on_the_patients_of_its_author():
    """Birth dates become years, and the two rows that stay alone are suppressed."""
    table, hierarchies = patients()
    found = fitted("datafly", table, hierarchies, max_suppressed=2 / 12)
    assert found.node_ == (0, 1, 0, 0)
    assert np.flatnonzero(found.classes_ < 0).tolist() == [6, 7]
    assert sorted(found.report_.classes["size"]) == [2] * 5
    assert not found.optimal_ and found.bound_ < found.score_


def test_datafly_goes_on_where_no_row_may_be_suppressed():
    """ZIP and year have three values each: birth, the first, becomes the root."""
    table, hierarchies = patients()
    found = fitted("datafly", table, hierarchies)
    assert found.node_[1] == 2


@pytest.mark.slow
def test_searches_of_the_optimum_agree_and_the_others_are_no_better():
    table, hierarchies = patients()
    scores = {
        search: fitted(search, table, hierarchies, max_suppressed=0.1).score_
        for search in SEARCHES
    }
    best = scores["flash"]
    assert scores["incognito"] == scores["branch_and_bound"] == best
    assert scores["samarati"] >= best and scores["datafly"] >= best


def test_flash_hands_large_lattices_over(monkeypatch):
    table, hierarchies = patients()
    by_flash = fitted("flash", table, hierarchies)
    by_boxes = fitted("branch_and_bound", table, hierarchies)
    monkeypatch.setattr(lattice_anonymizer, "MAX_NODES", 35)
    found = fitted("flash", table, hierarchies)
    assert found.checks_ == by_boxes.checks_ != by_flash.checks_
    assert (found.node_, found.score_) == (by_flash.node_, by_flash.score_)
    assert found.optimal_


@pytest.mark.parametrize("search", ["flash", "branch_and_bound"])
def test_a_budget_is_of_branch_and_bound_only(search):
    table, hierarchies = patients()
    found = fitted(search, table, hierarchies, max_checks=1)
    top = (1, 2, 1, 2)
    assert (found.node_ == top) == (search == "branch_and_bound")
    assert found.optimal_ == (search == "flash")


@pytest.mark.slow
def test_forty_columns(rng):
    """2^40 nodes: the representation has no limit of columns, nor of nodes."""
    table = pd.DataFrame(rng.choice(["a", "b"], (60, 40), p=[0.8, 0.2]))
    table.columns = [f"c{j}" for j in range(40)]
    lines = [("a", "*"), ("b", "*")]
    hierarchies = {
        name: GeneralizationHierarchy.from_lines(name, lines) for name in table
    }
    found = fitted("flash", table, hierarchies, max_checks=500)
    assert found.checks_ <= 500
    assert found.report_.classes["size"].min() >= 2
    assert 0 < found.bound_ <= found.score_ < 1
