"""Algorithm 1 of the thesis, on its own example and through the anonymizer."""

import numpy as np
import pandas as pd
import pytest
from golden.test_iris_estimator import iris, is_the_grid
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import classes as naive
from support.anonymizers import COCLUSTERED

from coclust_synth import COCAnonymizer, COCHGAnonymizer, MODLCoclustering
from coclust_synth.generators.kanon.coc import gathered_parts
from coclust_synth.privacy import DistinctLDiversity
from coclust_synth.tables.generalized.covering import covering_nodes
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

# Benkhelif (2018), table 3.3: rows C1u to C3u, columns C1p to C7p.
COUNTS = np.array(
    [[150, 77, 0, 0, 0, 7, 16], [0, 9, 142, 32, 11, 39, 22], [0, 8, 2, 10, 145, 67, 13]]
)
PARTS = [
    ["Class setosa", "PL ]0.999, 2.633]", "PW ]0.099, 0.867]"],
    ["SL ]4.299, 5.4]", "SW ]3.2, 4.4]"],
    ["Class virginica", "PW ]1.6, 2.5]", "PL ]4.9, 6.9]"],
    ["SL ]6.3, 7.9]"],
    ["Class versicolor", "PW ]0.867, 1.6]", "PL ]2.633, 4.9]"],
    ["SW ]1.999, 2.9]", "SL ]5.4, 6.3]"],
    ["SW ]2.9, 3.2]"],
]
CLASSES = [
    {
        "Class setosa",
        "PL ]0.999, 2.633]",
        "PW ]0.099, 0.867]",
        "SL ]4.299, 5.4]",
        "SW ]3.2, 4.4]",
    },
    {
        "Class virginica",
        "PW ]1.6, 2.5]",
        "PL ]4.9, 6.9]",
        "SW ]1.999, 2.9]",
        "SL ]5.4, 6.3]",
    },
    {
        "Class versicolor",
        "PW ]0.867, 1.6]",
        "PL ]2.633, 4.9]",
        "SW ]1.999, 2.9]",
        "SL ]5.4, 6.3]",
    },
]


def test_the_example_of_the_thesis():
    names = [part for cluster in PARTS for part in cluster]
    clusters = np.repeat(np.arange(7), [len(cluster) for cluster in PARTS])
    variables = [["Class", "PL", "PW", "SL", "SW"].index(p.split()[0]) for p in names]
    found = gathered_parts(COUNTS, clusters, np.array(variables))
    assert [set(np.array(names)[own]) for own in found] == CLASSES


@settings(deadline=None)
@given(st.data())
def test_gathered_parts_are_those_of_the_naive_twin(data):
    n_variables, n_clusters = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    n_parts = data.draw(st.integers(n_variables, 12))
    variables = np.arange(n_parts) % n_variables
    of_parts = arrays(np.int64, n_parts, elements=st.integers(0, n_clusters - 1))
    clusters = data.draw(of_parts)
    shape = (data.draw(st.integers(1, 4)), n_clusters)
    counts = data.draw(arrays(np.int64, shape, elements=st.integers(0, 5)))
    found = gathered_parts(counts, clusters, variables)
    for row, own in zip(counts.tolist(), found, strict=True):
        expected = naive.gathered(
            dict(enumerate(row)),
            {c: set(np.flatnonzero(clusters == c).tolist()) for c in range(n_clusters)},
            dict(enumerate(variables.tolist())),
        )
        assert set(np.flatnonzero(own).tolist()) == expected


def test_covering_nodes_are_the_lowest():
    work = GeneralizationHierarchy.from_lines(
        "work", [("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*")]
    )
    sets = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [1, 0, 0]]
    members, labels = covering_nodes(np.array(sets, dtype=bool), work)
    assert labels == ["a", "ab", "c", "*", "a"]
    expected = [[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [1, 0, 0]]
    assert members.astype(int).tolist() == expected


# Iris itself, in terciles


@pytest.fixture(scope="module")
def terciles():
    """The grid of 3 x 8 clusters, costing less than the thesis's of 3 x 7."""
    fitted = MODLCoclustering(bins=3, n_iterations=60, random_state=0).fit(iris())
    assert is_the_grid(fitted)
    return fitted


def released(terciles, method, **options):
    anonymizer = COCLUSTERED[method](k=49, model=terciles, random_state=0, **options)
    return anonymizer.fit(iris())


def values_of(release, row):
    """Labels of a row as the smallest and the largest value each stands for."""
    found = {}
    for column in release.columns:
        leaves = [
            leaf
            for leaf, is_in in zip(
                column.leaves, column.members[column.codes[row]], strict=True
            )
            if is_in
        ]
        found[column.name] = leaves[0], leaves[-1], len(leaves)
    return found


# What the intervals of table 3.3 hold of the flowers.
LOW = {"SL": (4.3, 5.4), "SW": (2.0, 2.9), "PL": (1.0, 1.9), "PW": (0.1, 0.6)}
MIDDLE = {"SL": (5.5, 6.3), "SW": (3.0, 3.2), "PL": (3.0, 4.9), "PW": (1.0, 1.6)}
HIGH = {"SL": (6.4, 7.9), "SW": (3.3, 4.4), "PL": (5.0, 6.9), "PW": (1.7, 2.5)}
EXPECTED = {
    "setosa": {"SL": LOW, "SW": HIGH, "PL": LOW, "PW": LOW},
    "virginica": {"SL": MIDDLE, "SW": LOW, "PL": HIGH, "PW": HIGH},
    "versicolor": {"SL": MIDDLE, "SW": LOW, "PL": MIDDLE, "PW": MIDDLE},
}


@pytest.mark.slow
def test_coc_gives_the_classes_of_the_thesis(terciles):
    table = iris()
    release = released(terciles, "coc").release_
    sizes = release.to_frame().groupby(list(table.columns), dropna=False).size()
    assert sorted(sizes) == [49, 50, 51]
    seen = set()
    for own in np.unique(release.class_codes):
        row = int(np.argmax(release.class_codes == own))
        found = values_of(release, row)
        species = found.pop("Class")
        assert species[0] == species[1]
        for name, group in EXPECTED[species[0]].items():
            low, high = group[name]
            n = table[name].between(low, high)
            assert found[name] == (low, high, table[name][n].nunique())
        seen.add((species[0], int((release.class_codes == own).sum())))
    assert seen == {("setosa", 50), ("virginica", 51), ("versicolor", 49)}


@pytest.mark.slow
def test_perturbed_flowers_are_those_with_a_value_outside_their_cover(terciles):
    table = iris()
    anonymizer = released(terciles, "coc")
    inside = pd.DataFrame(index=table.index)
    species = table["Class"].groupby(anonymizer.classes_).agg(lambda s: s.mode()[0])
    cover = species.loc[anonymizer.classes_].to_numpy()
    inside["Class"] = table["Class"] == cover
    for name in ("SL", "SW", "PL", "PW"):
        bounds = np.array([EXPECTED[own][name][name] for own in cover])
        inside[name] = (bounds[:, 0] <= table[name]) & (table[name] <= bounds[:, 1])
    perturbed = (~inside.all(axis=1)).groupby(anonymizer.classes_).sum()
    report = anonymizer.report_
    assert report.classes["perturbed"].tolist() == perturbed.tolist()
    assert report.n_perturbed == perturbed.sum() > 0
    assert report.covered_cells == pytest.approx(inside.to_numpy().mean())


@pytest.mark.slow
def test_coc_hg_releases_nodes_of_the_hierarchies(terciles):
    """Sets of one part are their own nodes here, so that the classes are the same."""
    sets = released(terciles, "coc").release_
    nodes = released(terciles, "coc_hg").release_
    assert (sets.class_sizes == nodes.class_sizes).all()
    for name in ("Class", "SL", "PL", "PW"):
        np.testing.assert_array_equal(sets[name].members, nodes[name].members)
    assert set(nodes["SW"].labels) == {"[2.0, 2.9]", "[3.3, 4.4]"}


@pytest.mark.slow
def test_coc_hg_with_the_hierarchy_of_sepal_width(terciles):
    """Figure 4.5: the two lower thirds meet before the root. With a set of both lower
    and upper third the lowest node is the root."""
    table = iris()
    values = sorted(table["SW"].unique())

    def third(value):
        return "low" if value <= 2.9 else "middle" if value <= 3.2 else "high"

    lines = [
        (str(v), third(v), "up to 3.2" if v <= 3.2 else "high", "*") for v in values
    ]
    width = GeneralizationHierarchy.from_lines(
        "SW", lines, leaves=tuple(values), ordered=True
    )
    release = released(terciles, "coc_hg", hierarchies={"SW": width}).release_
    assert set(release["SW"].labels) == {"low", "high"}
    # k above the flowers of two clusters: one class, which has all parts gathered
    # until each variable has one.
    whole = COCHGAnonymizer(k=101, model=terciles, hierarchies={"SW": width}).fit(table)
    one = COCAnonymizer(k=101, model=terciles).fit(table)
    assert whole.release_.class_sizes.tolist() == [150]
    held = one.release_["SW"].members[0]
    thirds = {third(value) for value, is_in in zip(values, held, strict=True) if is_in}
    expected = {
        frozenset(["low"]): "low",
        frozenset(["middle"]): "middle",
        frozenset(["high"]): "high",
        frozenset(["low", "middle"]): "up to 3.2",
    }.get(frozenset(thirds), "*")
    assert whole.release_["SW"].labels == (expected,)


def test_suppressed_rows_are_not_gathered():
    """Nobody is released under parts that only suppressed rows have."""
    pets = ["ant"] * 4 + ["cat"] * 40 + ["dog"] * 40 + ["eel"] * 5 + ["fly"] * 5
    food = ["leaf"] * 4 + ["milk"] * 40 + ["bone"] * 40 + ["worm"] * 5 + ["jam"] * 5
    ill = ["x", "y"] * 42 + ["x"] * 5 + ["y"] * 5
    table = pd.DataFrame({"pet": pets, "food": food, "ill": ill})
    anonymizer = COCAnonymizer(
        k=4,
        quasi_identifiers=["pet", "food"],
        sensitive=["ill"],
        models=[("ill", DistinctLDiversity(2))],
        max_suppressed=0.11,
        n_iterations=20,
        random_state=0,
    ).fit(table)
    found = anonymizer.release_.to_frame().groupby(["pet", "food"]).size()
    assert found.to_dict() == {
        ("ant", "leaf"): 4,
        ("cat", "milk"): 40,
        ("dog", "bone"): 40,
        ("*", "*"): 10,
    }
    assert anonymizer.report_.n_suppressed == 10
    assert anonymizer.classes_[-10:].tolist() == [-1] * 10
    assert anonymizer.report_.covered_cells == 1
