"""Reports of Khiops 11: rewritten, and their figures computed from their tables."""

import gzip
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.reports import levels_of_merges

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.modl.data_grid.importance import interests, typicalities
from coclust_synth.reports.khiops.axes import CategoricalAxis, NumericAxis, PartsAxis
from coclust_synth.reports.khiops.build import build_report
from coclust_synth.reports.khiops.costs import report_costs, report_grid
from coclust_synth.reports.khiops.files import (
    read_khiops_report,
    report_to_dict,
    write_khiops_report,
)

SHARED = Path(__file__).parents[2].parent / "shared" / "reference" / "khiops"
OWN = Path(__file__).parent / "khiops"

TABLES = {
    SHARED / "iris_p3.khcj.gz": SHARED / "iris_p3_long.tsv.gz",
    SHARED / "garbage_case.khcj.gz": SHARED / "garbage_case.tsv.gz",
    SHARED / "adult5d.khcj.gz": SHARED / "adult5d_freq.tsv.gz",
    OWN / "iris_numeric.khcj.gz": SHARED / "iris_raw.tsv.gz",
    OWN / "iris_missing.khcj.gz": OWN / "iris_missing.tsv.gz",
    OWN / "planted_grid.khcj.gz": OWN / "planted_grid.tsv.gz",
}
TABLES_OF_PARTS = {
    SHARED / "iris_ixv.khcj.gz": SHARED / "iris_raw.tsv.gz",
    OWN / "iris_missing_parts.khcj.gz": OWN / "iris_missing.tsv.gz",
    OWN / "planted_parts.khcj.gz": OWN / "planted_parts.tsv.gz",
}
REPORTS = [*TABLES, *TABLES_OF_PARTS]
# Khiops uses a catch-all of 2 of 4 values, and of 4 of 6, in these merged grids, and
# does not pay for that choice: see `report_costs`.
UNPAID_CATCH_ALL = {"iris_missing": (7, 8, 9, 10), "adult5d": (9,)}


def name_of(path):
    return path.name.removesuffix(".khcj.gz")


def present(path):
    if not path.exists():
        pytest.skip(f"reference file {path} is absent")
    return path


def read_case(path):
    path = present(path)
    table = read_texts((TABLES | TABLES_OF_PARTS)[path])
    return name_of(path), read_khiops_report(path), table


@pytest.fixture(params=TABLES, ids=name_of)
def case(request):
    return read_case(request.param)


@pytest.fixture(params=REPORTS, ids=name_of)
def any_case(request):
    return read_case(request.param)


def read_texts(path):
    return pd.read_csv(present(path), sep="\t", dtype=str, keep_default_na=False)


def printed(cost):
    return f"{cost:.10g}"


def merges_of(report):
    """The merges of all dimensions in their order, from the nodes of a report."""
    steps = []
    for axis, dimension in enumerate(report.dimensions):
        number = {part.name: i for i, part in enumerate(dimension.parts)}
        inner = [node for node in dimension.hierarchy if not node.is_leaf]
        for node in sorted(inner, key=lambda node: -node.hierarchical_rank):
            kept, absorbed = sorted(
                number[child.name]
                for child in dimension.hierarchy
                if child.parent == node.name
            )
            number[node.name] = kept
            steps.append((-node.hierarchical_rank, axis, kept, absorbed))
    return [step[1:] for step in sorted(steps)]


def axis_of(dimension):
    if dimension.inner_variables:
        return PartsAxis(dimension.name, dimension.inner_variables)
    if not dimension.is_numeric:
        values = (value for group in dimension.parts for value in group.values)
        return CategoricalAxis(dimension.name, tuple(values))
    intervals = [part for part in dimension.parts if part.bounds]
    edges = (intervals[0].bounds[0], *(part.bounds[1] for part in intervals))
    return NumericAxis(dimension.name, edges, len(intervals) < len(dimension.parts))


@pytest.mark.parametrize("path", REPORTS, ids=name_of)
def test_reports_are_rewritten_key_for_key(path, tmp_path):
    with gzip.open(present(path), "rt", encoding="utf-8") as file:
        expected = json.dumps(json.load(file), indent=1)
    for name in ("again.khcj", "again.khcj.gz"):
        write_khiops_report(read_khiops_report(path), tmp_path / name)
        again = read_khiops_report(tmp_path / name)
        # Not only sorted: Khiops reads the keys in their order.
        assert json.dumps(report_to_dict(again), indent=1) == expected


def test_costs_of_a_report_and_its_table(any_case):
    _, report, table = any_case
    costs = report_costs(report, table)
    assert printed(costs.best.total) == printed(report.summary.cost)
    assert printed(costs.null.total) == printed(report.summary.null_cost)


def test_cells_are_those_of_the_clusters_that_values_are_looked_up_in(case):
    _, report, table = case
    counts = table.get(report.summary.frequency_variable, pd.Series(1, table.index))
    clusters = pd.DataFrame(
        {
            dimension.name: [dimension.cluster_of(value) for value in values]
            for dimension in report.dimensions
            for values in [table[dimension.name]]
        }
    )
    names = list(clusters)
    cells = counts.astype(int).groupby([clusters[name] for name in names]).sum()
    cells = cells[cells > 0]
    pd.testing.assert_series_equal(
        report.cells_table().set_index(names)["frequency"].sort_index(),
        cells.sort_index(),
        check_names=False,
    )
    for rows, columns in itertools.pairwise(names):
        expected = cells.groupby([rows, columns]).sum().unstack(fill_value=0)
        found = report.contingency_table(rows, columns)
        pd.testing.assert_frame_equal(
            found.sort_index(axis=0).sort_index(axis=1), expected, check_names=False
        )


@pytest.mark.slow
@pytest.mark.parametrize("path", TABLES_OF_PARTS, ids=name_of)
def test_cells_of_variable_parts_are_looked_up_by_the_values_of_variables(path):
    report, table = read_khiops_report(present(path)), read_texts(TABLES_OF_PARTS[path])
    instances, parts = report.dimensions
    cells = report.contingency_table(instances.name, parts.name) * 0
    for variable in parts.inner_variables:
        for line, value in enumerate(table[variable.name], start=2):
            if value != "":
                cluster = report.cluster_of(variable.name, value)
                cells.loc[instances.cluster_of(line), cluster] += 1
    pd.testing.assert_frame_equal(
        cells, report.contingency_table(instances.name, parts.name)
    )


@pytest.mark.parametrize("path", REPORTS, ids=name_of)
def test_leaves_of_the_nodes_of_a_report(path):
    for dimension in read_khiops_report(present(path)).dimensions:
        frequencies = {
            node.name: node.frequency for node in dimension.hierarchy if node.is_leaf
        }
        for node in dimension.hierarchy:
            leaves = dimension.leaves(node.name)
            assert node.frequency == sum(frequencies[leaf] for leaf in leaves)
            if node.is_leaf:
                assert leaves == (node.name,)
            if not node.parent:
                assert leaves == tuple(part.name for part in dimension.parts)


def test_numeric_dimensions_of_iris():
    report = read_khiops_report(OWN / "iris_numeric.khcj.gz")
    assert [len(dimension.parts) for dimension in report.dimensions] == [3, 3, 3]
    costs = report_costs(report, read_texts(SHARED / "iris_raw.tsv.gz"))
    assert printed(costs.best.total) == "1164.273132"
    assert printed(costs.null.total) == "1379.668177"


def test_cells_of_a_report_and_its_table(any_case):
    _, report, table = any_case
    _, grid = report_grid(report, table)
    cells = dict(zip(map(tuple, grid.cells.tolist()), grid.counts, strict=True))
    expected = zip(report.cell_parts, report.cell_frequencies, strict=True)
    assert cells == dict(expected)


def test_interests_and_typicalities_to_the_6_digits_printed(any_case):
    _, report, table = any_case
    records, grid = report_grid(report, table)
    for axis, dimension in enumerate(report.dimensions):
        leaves = [node.interest for node in dimension.hierarchy if node.is_leaf]
        np.testing.assert_allclose(interests(grid, axis), leaves, rtol=0, atol=6e-7)
        if not dimension.is_numeric and not dimension.inner_variables:
            expected = [t for group in dimension.parts for t in group.typicalities]
            found = typicalities(records, grid, axis)
            np.testing.assert_allclose(found, expected, rtol=0, atol=6e-7)


def test_a_report_built_from_the_partitions_and_merges_of_another(any_case):
    name, report, table = any_case
    summary = report.summary
    built = build_report(
        *report_grid(report, table),
        merges_of(report),
        list(map(axis_of, report.dimensions)),
        frequency_variable=summary.frequency_variable,
        dictionary=summary.dictionary,
        database=summary.database,
    )
    expected = report_to_dict(report)["coclusteringReport"]
    found = report_to_dict(built)["coclusteringReport"]
    assert cells_by_name(found) == cells_by_name(expected)
    for content in (found, expected):
        del content["cellPartIndexes"]  # cells of equal frequency in another order
        for dimension in content["dimensionHierarchies"]:
            for node in dimension["clusters"]:
                is_unpaid = node["hierarchicalRank"] in UNPAID_CATCH_ALL.get(name, ())
                if report.has_variable_parts or is_unpaid:
                    del node["hierarchicalLevel"]
        if name == "planted_parts":
            sort_parts(content)
    # Names, order of the groups and values, ranks, levels, interests, typicalities,
    # default groups: all to the last digit.
    assert json.dumps(found, indent=1) == json.dumps(expected, indent=1)


def cells_by_name(content):
    """Parts of each cell by their names, and its frequency."""
    names = [
        [
            part["cluster"]
            for part in partition.get("valueGroups") or partition["intervals"]
        ]
        for partition in content["dimensionPartitions"]
    ]
    return {
        tuple(names[axis][part] for axis, part in enumerate(parts)): frequency
        for parts, frequency in zip(
            content["cellPartIndexes"], content["cellFrequencies"], strict=True
        )
    }


def sort_parts(content):
    """Forget the order of parts; Khiops once has the less interesting one first."""
    for partition in content["dimensionPartitions"]:
        partition["valueGroups"].sort(key=lambda group: group["cluster"])
        del partition["defaultGroupIndex"]
    for dimension in content["dimensionHierarchies"]:
        dimension["clusters"].sort(key=lambda node: node["cluster"])
        for node in dimension["clusters"]:
            del node["rank"]


@pytest.mark.parametrize("path", TABLES_OF_PARTS, ids=name_of)
def test_losses_of_merges_of_variable_parts(path):
    """Those of Khiops, but for the last, up to a factor: it has another null grid."""
    _, report, table = read_case(path)
    _, grid = report_grid(report, table)
    merges = merges_of(report)[:-1]
    costs = np.array([coarser.cost for coarser in grid.after(merges)])
    losses = 1.0 - np.array(levels_of_merges(report)[:-1])
    ratios = (costs - grid.cost) / losses
    np.testing.assert_allclose(ratios, ratios.mean(), rtol=3e-5)


def test_a_table_of_one_line_more_than_the_report_knows_of():
    report = read_khiops_report(OWN / "iris_missing_parts.khcj.gz")
    table = read_texts(OWN / "iris_missing.tsv.gz")
    longer = pd.concat([table, table.tail(1)], ignore_index=True)
    with pytest.raises(TableError, match="Received no '152' there"):
        report_costs(report, longer)


def test_missing_numbers_lie_below_all_others():
    report = read_khiops_report(OWN / "planted_grid.khcj.gz")
    assert report.cluster_of("zeta", None) == report.cluster_of("zeta", -99)
    parts = read_khiops_report(OWN / "planted_parts.khcj.gz")
    with pytest.raises(ParameterError, match="a value of 'zeta' that a part holds"):
        parts.cluster_of("zeta", None)


@pytest.mark.parametrize("frequency", ["", "-1", "1.5"])
def test_frequencies_must_be_whole_numbers(frequency):
    path = present(SHARED / "adult5d.khcj.gz")
    table = read_texts(TABLES[path])
    table.loc[3, "Freq"] = frequency
    with pytest.raises(TableError, match=r"Expected whole frequencies.*'Freq'"):
        report_costs(read_khiops_report(path), table)
