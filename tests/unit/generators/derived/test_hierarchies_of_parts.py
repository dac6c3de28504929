"""Hierarchies of the parts of a model, against its dendrogram."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.derived.hierarchies import hierarchies_of_parts


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 500)
    age = 20.0 + 12 * group + rng.integers(0, 12, 500)
    table = pd.DataFrame(
        {
            "job": np.array(["cook", "nurse", "smith", "clerk"])[group],
            "age": np.where(rng.random(500) < 0.15, np.nan, age),
            "town": np.array(list("ABCDEF"))[(group + rng.integers(0, 3, 500)) % 6],
        }
    )
    return CoclusterSynthesizer(k=20, n_iterations=3, random_state=0).fit(table).model_


def groups(labels):
    """The sets of positions that have the same label."""
    return {frozenset(np.flatnonzero(labels == label)) for label in set(labels)}


def test_nodes_of_categories_are_clusters_of_the_dendrogram(model):
    found = hierarchies_of_parts(model, max_levels=99)
    sizes = model.coding.n_parts_per_variable
    for name in ("job", "town"):
        place = model.coding.names.index(name)
        own = model.part_clusters[sizes[:place].sum() :][: sizes[place]]
        maps = [
            model.dendrogram.level(step).column_map[own]
            for step in range(len(model.dendrogram.merges) + 1)
        ]
        expected = [groups(of_step) for of_step in maps]
        hierarchy = found[name]
        levels = [
            groups(hierarchy.node_of(level)) for level in range(1, hierarchy.height + 1)
        ]
        assert all(level in expected for level in levels)
        # Nothing is left out, but for what a level has in common with the next.
        assert {frozenset(e) for e in expected} <= {
            frozenset(e) for e in [groups(hierarchy.node_of(0)), *levels]
        }


def test_intervals_join_neighbours_and_missing_values_the_root(model):
    age = hierarchies_of_parts(model)["age"]
    assert age.ordered and age.leaves[-1] == "missing"
    assert len(age.labels) <= 8
    for level in range(1, age.height):
        nodes = age.node_of(level)
        assert (np.diff(nodes) >= 0).all()
        assert (nodes == nodes[-1]).sum() == 1
    # All intervals are named by where the first begins and the last ends.
    (first, *_, last) = age.leaves[:-1]
    ends = first.strip("[").split(", ")[0], last.strip("]").split(", ")[1]
    assert age.labels[age.height - 1][0] == f"[{ends[0]}, {ends[1]}]"
