"""Costs that Khiops 11 printed, and its best grid of Iris, found again."""

import csv
import gzip
import json

import numpy as np
import pytest
from naive import modl as naive
from support.shared import SHARED

from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.search.two_sides import search_grid

REFERENCE = SHARED / "reference" / "khiops"


def read_case(report_name, table_name):
    """The report, the counts as an array, and the clusters of rows and columns."""
    report_path, table_path = REFERENCE / report_name, REFERENCE / table_name
    for path in (report_path, table_path):
        if not path.exists():
            pytest.skip(f"reference file {path} is absent")
    with gzip.open(report_path, "rt", encoding="utf-8") as file:
        report = json.load(file)["coclusteringReport"]
    with gzip.open(table_path, "rt", encoding="utf-8", newline="") as file:
        pairs = list(csv.reader(file, delimiter="\t"))[1:]
    labels, number = [], []
    for partition in report["dimensionPartitions"]:
        groups = [group["values"] for group in partition["valueGroups"]]
        cluster = {value: g for g, values in enumerate(groups) for value in values}
        number.append({value: i for i, value in enumerate(cluster)})
        labels.append(np.array(list(cluster.values())))
    counts = np.zeros([len(values) for values in number], dtype=np.int64)
    for row, column in pairs:
        counts[number[0][row], number[1][column]] += 1
    return report, counts, labels


CASES = [
    ("iris_p3.khcj.gz", "iris_p3_long.tsv.gz"),
    ("garbage_case.khcj.gz", "garbage_case.tsv.gz"),
]


def printed(cost):
    return f"{cost:.10g}"


@pytest.mark.parametrize("files", CASES, ids=["iris", "garbage"])
def test_costs_of_khiops_grids(files):
    report, counts, labels = read_case(*files)
    summary = report["summary"]
    contingency = Contingency.from_matrix(counts)
    grid = Grid.from_labels(contingency, *labels)
    assert contingency.n_observations == summary["instances"]
    assert printed(Grid.null(contingency).cost) == printed(summary["nullCost"])
    assert printed(grid.cost) == printed(summary["cost"])
    assert np.count_nonzero(grid.cells) == summary["cells"]
    filled = np.sort(grid.cells[grid.cells > 0])[::-1]
    assert filled.tolist() == report["cellFrequencies"]


@pytest.mark.slow
@pytest.mark.parametrize("files", CASES, ids=["iris", "garbage"])
def test_costs_of_khiops_grids_by_the_naive_formulas(files):
    report, counts, labels = read_case(*files)
    labels = [label.tolist() for label in labels]
    cost = naive.cost(counts.tolist(), *labels)
    assert printed(cost) == printed(report["summary"]["cost"])
    assert printed(naive.null_cost(counts.tolist())) == printed(
        report["summary"]["nullCost"]
    )


def test_both_catch_alls_of_the_garbage_case_are_needed():
    report, counts, labels = read_case(*CASES[1])
    labels = [label.tolist() for label in labels]
    both = naive.cost(counts.tolist(), *labels, prior="catch-all")
    assert printed(both) == printed(report["summary"]["cost"])
    assert naive.cost(counts.tolist(), *labels, prior="plain") > both + 1000


def assert_is_the_grid_of_iris(grid, row_labels, column_labels, labels):
    assert printed(grid.cost) == "5647.855077"
    assert grid.shape == (3, 8)
    filled = np.sort(grid.cells[grid.cells > 0])[::-1].tolist()
    assert filled == [
        *(150, 145, 142, 67, 45, 39, 32, 32, 22, 16),
        *(13, 11, 10, 8, 7, 6, 2, 2, 1),
    ]
    for ours, theirs in zip((row_labels, column_labels), labels, strict=True):
        pairs = set(zip(ours.tolist(), theirs.tolist(), strict=True))
        assert len(pairs) == ours.max() + 1 == theirs.max() + 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_grid_of_iris_is_found_with_equal_rows_together(seed):
    _, counts, labels = read_case(*CASES[0])
    rows, inverse, weights = np.unique(
        counts, axis=0, return_inverse=True, return_counts=True
    )
    contingency = Contingency.from_matrix(rows, weights)
    grid = search_grid(contingency, n_iterations=25, seed=seed).grid
    assert_is_the_grid_of_iris(
        grid, grid.row_labels[inverse], grid.column_labels, labels
    )


@pytest.mark.slow
def test_the_grid_of_iris_is_found_with_each_row_alone():
    _, counts, labels = read_case(*CASES[0])
    grid = search_grid(Contingency.from_matrix(counts), n_iterations=100).grid
    assert_is_the_grid_of_iris(grid, grid.row_labels, grid.column_labels, labels)
