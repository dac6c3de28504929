"""What clusters of the grid are made of, by a model that holds no counts of it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.visits import visits

from coclust_synth import CoclusterSynthesizer
from coclust_synth.exceptions import ModelFileError
from coclust_synth.generators.plain.composition import cluster_composition
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.tables.reading.table import as_table


@pytest.fixture(scope="module")
def table():
    """Four groups of people, whose columns depend."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 600)
    return pd.DataFrame(
        {
            "work": np.where(rng.random(600) < 0.2, "e", np.array(list("abcd"))[group]),
            "tool": np.where(rng.random(600) < 0.3, "x", np.array(list("ppqr"))[group]),
            "shift": np.where(
                rng.random(600) < 0.1, "n", np.array(list("dnnd"))[group]
            ),
        }
    )


@pytest.fixture(scope="module")
def fitted(table):
    return CoclusterSynthesizer(k=20, n_iterations=3, random_state=0).fit(table)


def real_composition(fitted, table):
    """Rows of each cluster of the grid that have each part, in the table."""
    model, search = fitted.model_, fitted.coclustering_.dendrogram_
    labels = search.best().coarser(search.step_at(k=model.k)).row_labels
    codes = model.coding.encode(as_table(table).values, strict=False)
    n_parts = model.coding.n_parts_per_variable
    counts = np.zeros((labels.max() + 1, n_parts.sum()))
    for own, first in zip(codes.T, np.cumsum(n_parts) - n_parts, strict=True):
        np.add.at(counts, (labels, own + first), 1)
    return counts


def test_it_is_near_that_of_the_table(fitted, table):
    found, real = cluster_composition(fitted.model_), real_composition(fitted, table)
    assert found.shape == real.shape
    assert len(found) > 2
    np.testing.assert_allclose(found.sum(axis=1), real.sum(axis=1))
    # Clusters differ by far more from each other than the model does from the table.
    whole = real.sum(axis=0) * (real.sum(axis=1) / real.sum())[:, None]
    assert abs(found - real).sum() < 0.15 * abs(whole - real).sum()


def test_it_is_always_the_same_and_comes_back(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    loaded = PlainModel.load(tmp_path / "model")
    np.testing.assert_array_equal(
        cluster_composition(loaded), cluster_composition(fitted.model_)
    )
    old = replace(fitted.model_, structure_clusters=None)
    old.save(tmp_path / "old")
    assert cluster_composition(PlainModel.load(tmp_path / "old")) is None


def test_of_a_coarser_model_it_is_that_of_coarser_clusters(fitted):
    model = fitted.model_
    coarse = model.coarsened(200)
    assert len(coarse.dendrogram.row_sizes) < len(model.dendrogram.row_sizes)
    sizes = np.bincount(coarse.structure_clusters, coarse.structure.cluster_rows)
    np.testing.assert_array_equal(sizes, coarse.dendrogram.row_sizes)
    assert cluster_composition(coarse).shape[0] == len(coarse.dendrogram.row_sizes)


@pytest.mark.slow
def test_of_persons_their_rows_are_counted():
    fitted = CoclusterSynthesizer(
        k=10, n_iterations=2, random_state=0, person_id="who"
    ).fit(visits(np.random.default_rng(0), 120).drop(columns="pin"))
    model = fitted.model_
    found = cluster_composition(model)
    rows = found.sum(axis=1) / len(model.coding.parts)
    np.testing.assert_allclose(rows, model.cluster_rows)


def test_counts_that_the_model_holds_are_told_as_they_are(table):
    options = {"within": "independent", "marginals": "cluster"}
    fitted = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0, **options).fit(
        table
    )
    np.testing.assert_array_equal(
        cluster_composition(fitted.model_), fitted.model_.cluster_parts
    )


@pytest.mark.parametrize("clusters", [[0], [-1, 0], [99, 0]])
def test_clusters_that_are_not_those_of_the_grid(fitted, tmp_path, clusters):
    wrong = replace(fitted.model_, structure_clusters=np.array(clusters))
    wrong.save(tmp_path / "model")
    with pytest.raises(ModelFileError, match="do not fit together"):
        PlainModel.load(tmp_path / "model")
