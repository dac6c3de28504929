"""What is read of reports and models, coarser grids of it, and the bytes of a page."""

import dataclasses
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from naive.cell_measures import cell_information
from naive.view_payload import unpacked
from support.visits import visits

from coclust_synth import (
    CoclusterSynthesizer,
    MODLDataGrid,
    data_grid_report,
    read_khiops_report,
)
from coclust_synth.exceptions import ModelFileError, ParameterError
from coclust_synth.reports.khiops.files import report_from_dict, report_to_dict
from coclust_synth.reports.view.names import check_names
from coclust_synth.reports.view.page import fitted_payload, payload
from coclust_synth.reports.view.sources import grid_of_model, grid_of_report, read_grid

ROOT = Path(__file__).parents[4]
#: Written by Khiops; those beside this repository where they are there.
REPORTS = [
    *sorted((ROOT / "tests" / "golden" / "khiops").glob("*.khcj.gz")),
    *sorted((ROOT.parent / "shared" / "reference" / "khiops").glob("*.khcj.gz")),
]


def table(n=400):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            "job": np.array(["cook", "nurse", "smith", "clerk"])[group],
            "town": np.array(["A", "B", "C", "D", "E", "F"])[
                (group + rng.integers(0, 3, n)) % 6
            ],
            "age": (20 + 10 * group + rng.integers(0, 8, n)).astype(float),
        }
    )


@pytest.fixture(scope="module")
def report():
    model = MODLDataGrid(n_iterations=3, random_state=0).fit(table())
    return data_grid_report(model, table())


@pytest.fixture(scope="module")
def model():
    synthesizer = CoclusterSynthesizer(
        k=20, within="independent", n_iterations=3, random_state=0
    )
    return synthesizer.fit(table()).model_


def merged_counts(grid, step):
    """Observations by the leaves that each node of a step holds: by hand."""
    runs = [
        {i: {i} for i in range(len(dimension.parts))} for dimension in grid.dimensions
    ]
    made = [len(dimension.parts) for dimension in grid.dimensions]
    for axis, left, right in grid.merges[:step]:
        runs[axis][made[axis]] = runs[axis].pop(left) | runs[axis].pop(right)
        made[axis] += 1
    found = {}
    for cell, count in zip(grid.cells.tolist(), grid.counts.tolist(), strict=True):
        key = tuple(
            next(tuple(sorted(run)) for run in runs[axis].values() if part in run)
            for axis, part in enumerate(cell)
        )
        found[key] = found.get(key, 0) + count
    return found


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.name)
def test_reports_of_khiops_are_read_whole(path):
    report = read_khiops_report(path)
    grid = read_grid(path)
    assert grid.n_observations == report.summary.instances
    assert grid.shape == tuple(len(d.parts) for d in report.dimensions)
    assert len(grid.merges) == sum(grid.shape) - len(grid.shape)
    names = [d.name for d in report.dimensions]
    for rows, columns in ((0, 1), (1, 0)):
        theirs = report.contingency_table(names[rows], names[columns])
        ours = [own.parts for own in grid.dimensions]
        theirs = theirs.loc[list(ours[rows]), list(ours[columns])]
        assert (grid.table(rows, columns) == theirs.to_numpy()).all()
    for own, dimension in zip(grid.dimensions, report.dimensions, strict=True):
        nodes = {node.name: node for node in dimension.hierarchy}
        assert set(own.nodes) == set(nodes)
        for part, frequency in zip(own.parts, own.frequencies, strict=True):
            assert nodes[part].frequency == frequency
    levels = sorted(
        (node.hierarchical_rank, node.level)
        for d in report.dimensions
        for node in d.hierarchy
        if not node.is_leaf
    )
    assert grid.levels[1:] == pytest.approx(
        np.clip([level for _, level in levels[::-1]], 0, 1)
    )


def test_coarser_grids_are_those_of_their_merges(report):
    grid = grid_of_report(report)
    for step in range(len(grid.merges) + 1):
        coarse = grid.coarser(step)
        expected = merged_counts(grid, step)
        assert sorted(coarse.counts.tolist()) == sorted(expected.values())
        assert coarse.n_observations == grid.n_observations
        for axis, dimension in enumerate(coarse.dimensions):
            own = np.bincount(coarse.cells[:, axis], coarse.counts)
            assert own.tolist() == dimension.frequencies.tolist()
            assert len(dimension.nodes) == 2 * len(dimension.parts) - 1
        # In one go or in two is the same.
        twice = grid.coarser(step // 2).coarser(step - step // 2)
        assert twice.merges == coarse.merges
        assert (twice.cells == coarse.cells).all()
        for one, other in zip(twice.dimensions, coarse.dimensions, strict=True):
            assert one.nodes == other.nodes
    assert coarse.shape == (1,) * len(grid.shape)


def test_the_main_dimensions_share_most_information(report):
    grid = grid_of_report(report)
    shared = {
        (i, j): sum(map(sum, cell_information(grid.table(i, j).tolist())))
        for i, j in ((0, 1), (0, 2), (1, 2))
    }
    assert grid.main == max(shared, key=shared.get)


def test_merged_clusters_hold_the_values_of_both(report):
    grid = grid_of_report(report)
    town = [d.name for d in grid.dimensions].index("town")
    one_cell = grid.coarser(len(grid.merges)).dimensions[town]
    counts = table()["town"].value_counts()
    assert dict(
        zip(one_cell.values[0], one_cell.value_frequencies[0], strict=True)
    ) == (counts.to_dict())
    assert list(one_cell.value_frequencies[0]) == sorted(counts, reverse=True)
    assert one_cell.sizes == (6,)


@pytest.mark.slow
def test_a_model_has_the_counts_of_its_dendrogram(model):
    grid = grid_of_model(model, name="m")
    assert sorted(grid.table(0, 1).ravel()) == sorted(model.dendrogram.cells.ravel())
    individuals, parts = grid.dimensions
    assert sum(individuals.sizes) == 400
    assert not any(individuals.values)
    told = {
        value: frequency
        for values, frequencies in zip(
            parts.values, parts.value_frequencies, strict=True
        )
        for value, frequency in zip(values, frequencies, strict=True)
    }
    assert told["job=cook"] == (table()["job"] == "cook").sum()
    assert sum(told.values()) == grid.n_observations
    assert (grid.levels == model.dendrogram.information).all()
    # Drawn from the grid alone, all parts of a cluster are alike.
    assert not any(parts.typicalities)
    # Each step's counts are those of the dendrogram's level.
    for step in range(len(grid.merges)):
        cells = model.dendrogram.level(step).cells
        coarse = grid.coarser(step).table(0, 1)
        assert sorted(coarse.ravel()) == sorted(cells.ravel())


@pytest.mark.slow
def test_rows_that_a_model_draws_tell_what_is_typical():
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=3, random_state=0)
    grid = grid_of_model(synthesizer.fit(table()).model_, name="m")
    for values, typicalities in zip(
        grid.dimensions[1].values, grid.dimensions[1].typicalities, strict=True
    ):
        assert typicalities == tuple(sorted(typicalities, reverse=True))
        assert (len(values), typicalities[0]) == (len(typicalities), 1.0)


@pytest.mark.slow
def test_a_model_of_persons_counts_persons():
    rows = visits(np.random.default_rng(0), 150).drop(columns="pin")
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="who", n_iterations=2, random_state=0
    )
    grid = grid_of_model(synthesizer.fit(rows).model_, name="m")
    persons = grid.dimensions[0]
    assert persons.name == "persons" and sum(persons.sizes) == 150
    assert grid.n_observations == 4 * len(rows)


def test_the_bytes_say_what_the_grid_does(report):
    grid = grid_of_report(report, name="r.khcj")
    names = {"town": {grid.dimensions[1].parts[0]: "à côté"}}
    content, cells, counts = unpacked(payload(grid, names))
    assert np.array_equal(np.transpose(cells), grid.cells)
    assert counts == grid.counts.tolist()
    assert [tuple(merge) for merge in content["merges"]] == list(grid.merges)
    assert content["levels"] == pytest.approx(grid.levels, abs=1e-6)
    assert content["names"] == {"job": {}, "town": names["town"], "age": {}}
    assert [d["nodes"] for d in content["dimensions"]] == [
        list(d.nodes) for d in grid.dimensions
    ]
    assert payload(grid, names) == payload(grid, names)


def test_counts_of_any_size_are_told(report):
    grid = grid_of_report(report)
    counts = np.arange(len(grid.counts)) * 2**40 // 3 + 1
    counts[0] = 2**52
    large = dataclasses.replace(grid, counts=counts)
    assert unpacked(payload(large, {}))[2] == counts.tolist()


def test_what_has_no_room_is_left_out(report):
    grid = grid_of_report(report)
    whole = payload(grid, {})
    data, shown = fitted_payload(grid, {}, len(whole))
    assert data == whole and shown is grid
    data, shown = fitted_payload(grid, {}, len(whole) * 4 // 5)
    assert len(data) <= len(whole) * 4 // 5
    assert len(shown.merges) < len(grid.merges)
    assert unpacked(data)[0]["n_cells"] == len(shown.counts)


def _without(report, change):
    content = report_to_dict(report)
    change(content, content["coclusteringReport"])
    return report_from_dict(content)


def drop_node(content, report):
    report["dimensionHierarchies"][0]["clusters"].pop()


def break_rank(content, report):
    for node in report["dimensionHierarchies"][0]["clusters"]:
        node["rank"] = -node["rank"] * (-1) ** node["rank"]


def far_cell(content, report):
    report["cellPartIndexes"][0][0] = 99


def empty_cell(content, report):
    report["cellFrequencies"][0] = 0


def lost_cell(content, report):
    report["cellPartIndexes"].pop()


def no_values(content, report):
    report["dimensionPartitions"][0]["valueGroups"][0]["values"] = []


def lost_frequency(content, report):
    report["dimensionPartitions"][0]["valueGroups"][0]["valueFrequencies"].pop()


def no_text(content, report):
    report["dimensionPartitions"][0]["valueGroups"][0]["values"][0] = 7


@pytest.mark.parametrize(
    "change",
    [
        drop_node,
        break_rank,
        far_cell,
        empty_cell,
        lost_cell,
        no_values,
        lost_frequency,
        no_text,
    ],
)
def test_pieces_that_do_not_fit_are_refused(report, change):
    with pytest.raises(ModelFileError, match="fit together"):
        grid_of_report(_without(report, change))


def test_a_report_without_a_grid_is_refused(report):
    one = dataclasses.replace(report, dimensions=report.dimensions[:1])
    with pytest.raises(ModelFileError, match="two dimensions"):
        grid_of_report(one)


@pytest.mark.parametrize("version", ["12.0", "x", ""])
def test_a_report_of_another_version_is_refused(report, version):
    with pytest.raises(ModelFileError, match="version"):
        _without(report, lambda content, _: content.update(version=version))


@pytest.mark.parametrize(
    "names",
    [{"nowhere": {}}, {"town": {"no cluster": "x"}}, {"town": {"{A}": 1}}, [1], "x"],
)
def test_names_of_other_clusters_are_refused(report, names):
    with pytest.raises(ParameterError, match="Expected"):
        check_names(names, grid_of_report(report))
