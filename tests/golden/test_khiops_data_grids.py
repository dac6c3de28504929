"""Grids of several dimensions at least as good as those that Khiops 11 finds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from support.shared import ADULT, needed

from coclust_synth import MODLDataGrid
from coclust_synth.modl.data_grid.dendrogram import DataGridDendrogram

FIVE = ["age", "workclass", "education", "relationship", "sex"]


@pytest.fixture(scope="module")
def adult():
    return pd.read_csv(needed(ADULT), keep_default_na=False)


@pytest.fixture(scope="module")
def five(adult):
    """Age in 10 bins of equal width on [17, 90]; equal rows counted."""
    edges = np.linspace(17, 90, 11)[1:-1]
    binned = adult.assign(age=np.searchsorted(edges, adult["age"]))
    return binned.groupby(FIVE, observed=True).size().reset_index(name="n")


def printed(cost):
    return f"{cost:.10g}"


def test_three_variables_of_iris():
    iris = load_iris(as_frame=True)
    table = iris.frame[["petal length (cm)", "petal width (cm)"]].assign(
        species=iris.target_names[iris.target]
    )
    model = MODLDataGrid(n_iterations=8, random_state=0).fit(table)
    assert printed(model.null_cost_) == "1379.668177"
    assert printed(model.cost_) == "1164.273132"
    length, width, species = model.partitions_.values()
    assert model.grid_.shape == (3, 3, 3)
    np.testing.assert_allclose(length.cuts, [2.45, 4.75])
    np.testing.assert_allclose(width.cuts, [0.8, 1.75])
    assert sorted(species.groups) == [("setosa",), ("versicolor",), ("virginica",)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_five_variables_of_adult(five, seed):
    model = MODLDataGrid(categorical_features=["age"], random_state=seed)
    model.fit(five[FIVE], frequencies=five["n"])
    assert model.grid_.counts.sum() == 48_842
    assert printed(model.null_cost_) == "354923.5726"
    assert model.cost_ <= 328922.3839
    assert model.grid_.shape == (5, 4, 4, 5, 2)


@pytest.mark.slow
def test_frequencies_are_rows_written_out(five):
    model = MODLDataGrid(n_iterations=4, random_state=1)
    once = model.fit(five[FIVE], frequencies=five["n"]).cost_
    assert model.fit(five[FIVE].loc[five.index.repeat(five["n"])]).cost_ == once


@pytest.mark.slow
def test_two_variables_of_adult(adult):
    model = MODLDataGrid(random_state=0).fit(adult[["occupation", "education"]])
    assert printed(model.null_cost_) == "218600.3535"
    assert model.cost_ <= 208187.5401
    assert model.grid_.shape == (10, 9)


@pytest.mark.slow
def test_two_numbers_and_a_category_of_adult(adult):
    """Khiops 11.0.1: 983840.2499 and 975268.1736, 11 x 6 x 2."""
    model = MODLDataGrid(n_iterations=24, random_state=0)
    model.fit(adult[["age", "hours_per_week", "class"]])
    assert printed(model.null_cost_) == "983840.2499"
    assert model.cost_ <= 975268.1737


@pytest.mark.slow
def test_all_variables_of_adult(adult):
    """More variables than Khiops takes, one of 28,523 numbers."""
    model = MODLDataGrid(n_iterations=12, random_state=0).fit(adult)
    assert model.grid_.counts.sum() == 48_842
    assert model.cost_ < 3_300_000 < model.null_cost_
    dendrogram = DataGridDendrogram.from_records(model.records_)
    assert dendrogram.costs[0] == model.cost_
    assert dendrogram.costs[-1] == model.null_cost_
