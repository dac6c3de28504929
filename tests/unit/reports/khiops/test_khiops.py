"""The report of a fitted co-clustering, and what a file must be to be read."""

import gzip
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.reports import check_costs, check_levels

from coclust_synth import (
    CoclusteringReport,
    ModelFileError,
    MODLCoclustering,
    OutputError,
    ParameterError,
    TableError,
    coclustering_report,
    read_khiops_report,
    report_costs,
    write_khiops_report,
)
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.reports.khiops.axes import CategoricalAxis, NumericAxis, intervals
from coclust_synth.reports.khiops.build import build_report
from coclust_synth.reports.khiops.costs import report_grid
from coclust_synth.reports.khiops.files import report_from_dict, report_to_dict

SEX = np.array(["f", "m"])


def people(n=120):
    """Two groups of people, and their ages a little mixed; some values missing."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "sex": SEX[group],
            "job, or none": np.array(["it's", "{b}", "c", "d"])[
                2 * group + rng.integers(0, 2, n)
            ],
            "age": 20.0 + 30 * group + rng.integers(0, 20, n),
        }
    )
    table.loc[rng.random(n) < 0.1, "age"] = np.nan
    return table


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def model(table):
    return MODLCoclustering(n_iterations=5, bins=4, random_state=0).fit(table)


@pytest.fixture(scope="module")
def report(model, table):
    return coclustering_report(model, table, dictionary="people")


def observations(model, table):
    """The table individuals x parts that the report is about, one row a value."""
    first = np.cumsum([0, *model.coding_.n_parts_per_variable[:-1]])
    codes = model.coding_.encode(table)
    rows, columns = np.nonzero(codes >= 0)
    parts = model.part_names_[codes[rows, columns] + first[columns]]
    return pd.DataFrame({"id": rows.astype(str), "part": parts})


# The report of a model


def test_the_report_says_what_the_model_found(model, table, report):
    assert report.summary.level == pytest.approx(model.level_)
    assert report.summary.instances == model.grid_.cells.sum()
    assert report.summary.dictionary == "people"
    assert [d.name for d in report.dimensions] == ["id", "part"]
    assert tuple(len(d.parts) for d in report.dimensions) == model.grid_.shape
    for group in report.dimensions[0].parts:
        labels = model.row_labels_[[int(value) for value in group.values]]
        assert len(set(labels)) == 1
        assert len(group.values) == model.grid_.row_sizes[labels[0]]
    clusters = [set(group.values) for group in report.dimensions[1].parts]
    for label in range(model.grid_.shape[1]):
        assert set(model.part_names_[model.column_labels_ == label]) in clusters


def test_the_costs_of_the_report_come_out_of_the_table_again(model, table, report):
    check_costs(report, observations(model, table), model)


def test_the_dendrogram_has_the_costs_of_the_model(model, report):
    check_levels(report, model)
    last = next(
        node
        for dimension in report.dimensions
        for node in dimension.hierarchy
        if node.hierarchical_rank == 2
    )
    assert last.name == "AB"[model.dendrogram_.merges[-1, 0]] + "1"
    assert last.parent == ""


def test_the_nodes_form_trees(report):
    for dimension in report.dimensions:
        nodes = {node.name: node for node in dimension.hierarchy}
        assert len(nodes) == 2 * len(dimension.parts) - 1
        leaves = [node for node in nodes.values() if node.is_leaf]
        assert [leaf.name for leaf in leaves] == [p.name for p in dimension.parts]
        assert sorted(node.rank for node in nodes.values()) == list(
            range(1, len(nodes) + 1)
        )
        for name, node in nodes.items():
            children = [child for child in nodes.values() if child.parent == name]
            if node.is_leaf:
                assert (children, node.level) == ([], 1.0)
            else:
                left, right = sorted(children, key=lambda child: child.rank)
                assert left.rank < node.rank < right.rank
                assert left.interest >= right.interest
                assert node.frequency == left.frequency + right.frequency


def test_names_of_clusters_quote_what_would_be_misread(report):
    names = " ".join(group.name for group in report.dimensions[1].parts)
    # Of the three first values of each cluster only.
    assert "'job, or none=" in names
    assert "''s'" in names or "it's" not in names
    for group in report.dimensions[1].parts:
        assert group.name.endswith(", ...}") == (len(group.values) > 3)


def test_individuals_can_have_names_of_their_own(model, table):
    ids = [f"p{i}" for i in range(len(table))]
    report = coclustering_report(model, table, ids=ids)
    values = {v for group in report.dimensions[0].parts for v in group.values}
    assert values == set(ids)


@pytest.mark.parametrize("ids", [["a", "b"], ["same"] * 120])
def test_ids_must_be_as_many_as_individuals_and_different(model, table, ids):
    with pytest.raises(ParameterError, match="Expected 120 different ids"):
        coclustering_report(model, table, ids=ids)


def test_another_table_is_refused(model, table):
    for other in (table.iloc[:-1], table.iloc[::-1]):
        with pytest.raises(TableError, match="of 120 individuals that the model"):
            coclustering_report(model, other)


def test_an_array_is_described_as_a_table_is():
    array = people()[["sex", "job, or none"]].to_numpy(dtype=object)
    model = MODLCoclustering(n_iterations=5, random_state=0).fit(array)
    report = coclustering_report(model, array)
    assert report.summary.cost == pytest.approx(model.cost_)


def test_left_out_values_are_no_observations(table):
    model = MODLCoclustering(
        n_iterations=5, bins=4, keep_missing=False, random_state=0
    ).fit(table)
    report = coclustering_report(model, table)
    n_values = int(table.notna().sum().sum())
    assert n_values < table.size
    assert report.summary.instances == n_values
    assert report.summary.cost == pytest.approx(model.cost_, rel=1e-12)


def test_the_report_of_a_grid_of_one_cell(rng):
    table = pd.DataFrame({"a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60)})
    model = MODLCoclustering(n_iterations=3, random_state=0).fit(table.astype(str))
    assert model.grid_.shape == (1, 1)
    report = coclustering_report(model, table.astype(str))
    assert report.summary.level == 0.0
    assert report.cell_parts == ((0, 0),)
    for dimension in report.dimensions:
        (node,) = dimension.hierarchy
        assert (node.parent, node.rank, node.is_leaf) == ("", 1, True)
    assert report_from_dict(report_to_dict(report)).dimensions[0].n_values == 60


# Numeric dimensions


def numeric_report():
    codes = np.array([[0, 0], [1, 0], [2, 1], [3, 1]])
    records = Records(
        codes, np.array([4, 5, 7, 6]), (np.arange(4), np.array([0, 1])), (True, False)
    )
    axes = (
        NumericAxis("x", (0, 1.5, 2.5, 9), with_missing=True),
        CategoricalAxis("y", ("u", "v")),
    )
    merges = [(0, 0, 1), (0, 2, 3), (0, 0, 2), (1, 0, 1)]
    return build_report(records, DataGrid.from_records(records), merges, axes)


def test_names_of_intervals_and_of_their_merges():
    numeric = numeric_report().dimensions[0]
    names = [(part.name, part.bounds) for part in numeric.parts]
    assert names == [
        ("Missing", ()),
        ("]-inf,1.5]", (0, 1.5)),
        ("]1.5,2.5]", (1.5, 2.5)),
        ("]2.5,+inf[", (2.5, 9)),
    ]
    inner = [node.name for node in numeric.hierarchy if not node.is_leaf]
    assert inner == ["*]-inf,1.5]", "*]-inf,+inf[", "]1.5,+inf["]
    assert (numeric.minimum, numeric.maximum, numeric.n_values) == (0, 9, 22)


def test_intervals_that_ten_digits_do_not_tell_apart_have_more():
    names = [part.name for part in intervals(NumericAxis("x", (0, 1, 1 + 1e-12, 2)))]
    assert names == ["]-inf,1]", "]1,1.0000000000010001]", "]1.0000000000010001,+inf["]


def test_intervals_hold_their_upper_bound_and_missing_values_their_part():
    report = numeric_report()
    table = pd.DataFrame(
        {"x": ["", "0", "1.5", "1.6", "2.5", "9", "99"], "y": list("uuuvvvv")}
    )
    codes = report_grid(report, table)[0].codes[:, 0]
    assert codes.tolist() == [0, 1, 1, 2, 2, 3, 3]
    typed = table.assign(x=pd.to_numeric(table["x"]))
    assert report_grid(report, typed)[0].codes[:, 0].tolist() == codes.tolist()


# What is asked of a report


def test_the_cluster_of_a_value_is_that_of_the_model(model, table, report):
    clusters = report.dimension("part").parts
    for name, label in zip(model.part_names_, model.column_labels_, strict=True):
        found = report.cluster_of("part", name)
        (own,) = [group for group in clusters if group.name == found]
        assert set(own.values) == set(model.part_names_[model.column_labels_ == label])
    assert report.cluster_of("id", 7) == report.cluster_of("id", "7")


def test_unseen_values_have_the_default_group(report):
    part = report.dimension("part")
    assert part.cluster_of("sex=x") == part.parts[part.default_group].name
    # As in a report of Khiops that was read, an empty text is a missing value.
    assert part.cluster_of(None) == part.cluster_of(np.nan) == part.cluster_of("")


@pytest.mark.parametrize(
    ("value", "cluster"),
    [
        (1.5, "]-inf,1.5]"),
        (-9, "]-inf,1.5]"),
        ("1.6", "]1.5,2.5]"),
        (np.int64(99), "]2.5,+inf["),
        (None, "Missing"),
        (float("nan"), "Missing"),
        (pd.NA, "Missing"),
        ("", "Missing"),
    ],
)
def test_the_interval_of_a_number(value, cluster):
    assert numeric_report().cluster_of("x", value) == cluster


def test_a_text_that_is_no_number():
    with pytest.raises(ParameterError, match=r"value of 'x'.*Received 'old'"):
        numeric_report().cluster_of("x", "old")


def test_tables_of_the_cells(model, report):
    cells = report.cells_table()
    assert list(cells) == ["id", "part", "frequency"]
    assert cells["frequency"].is_monotonic_decreasing
    table = report.contingency_table("id", "part")
    assert table.index.name == "id" and table.columns.name == "part"
    assert list(table.index) == [group.name for group in report.dimensions[0].parts]
    assert sorted(table.to_numpy().ravel()) == sorted(model.grid_.cells.ravel())
    for row in cells.itertuples():
        assert table.loc[row.id, row.part] == row.frequency
    pd.testing.assert_frame_equal(table.T, report.contingency_table("part", "id"))


def test_names_that_the_report_does_not_know(report):
    with pytest.raises(ParameterError, match=r"'id', 'part'\. Received 'age'"):
        report.cluster_of("age", 30)
    with pytest.raises(ParameterError, match="Received 'x'"):
        report.contingency_table("id", "x")
    with pytest.raises(ParameterError, match="node of the hierarchy of 'id'"):
        report.dimension("id").leaves("Z9")


# Files


def test_a_report_comes_back_from_its_file(report, tmp_path):
    for name in ("report.khcj", "report.khcj.gz"):
        write_khiops_report(report, tmp_path / name)
        again = read_khiops_report(tmp_path / name)
        assert isinstance(again, CoclusteringReport)
        assert report_to_dict(again) == report_to_dict(report)
    content = gzip.decompress((tmp_path / "report.khcj.gz").read_bytes())
    assert content == (tmp_path / "report.khcj").read_bytes()


def test_numbers_have_the_digits_of_khiops(report):
    summary = report_to_dict(report)["coclusteringReport"]["summary"]
    assert summary["cost"] == float(f"{report.summary.cost:.10g}")
    assert '"samplePercentage": 100,' in json.dumps(summary)


@pytest.mark.parametrize(("name", "encoding"), [("a", "ascii"), ("é", "utf8")])
def test_the_encoding_is_named(report, name, encoding):
    summary = replace(report.summary, dictionary=name)
    content = report_to_dict(replace(report, summary=summary))
    assert content["khiops_encoding"] == encoding


def test_no_file_is_replaced_unless_asked_for(report, tmp_path):
    path = tmp_path / "report.khcj"
    write_khiops_report(report, path)
    with pytest.raises(OutputError, match="--force"):
        write_khiops_report(report, path)
    write_khiops_report(report, path, force=True)


@pytest.mark.parametrize(
    ("content", "received"),
    [
        (b"", "a text that is no JSON"),
        (b"{}", "without the key 'tool'"),
        (b'{"tool": "Khiops"}', "a report of 'Khiops'"),
        (b'{"tool": "Khiops Coclustering"}', "without the key 'coclusteringReport'"),
        (b"[1]", "list indices"),
    ],
)
def test_files_that_are_no_reports_are_refused(tmp_path, content, received):
    path = tmp_path / "wrong.khcj"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=received) as caught:
        read_khiops_report(path)
    assert "Expected a co-clustering report of Khiops" in str(caught.value)
    assert "Give a .khcj file" in str(caught.value)


def test_truncated_and_absent_files_are_refused(report, tmp_path):
    path = tmp_path / "report.khcj.gz"
    with pytest.raises(ModelFileError, match="No such file"):
        read_khiops_report(path)
    write_khiops_report(report, path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ModelFileError, match=r"report\.khcj\.gz"):
        read_khiops_report(path)


def test_compressed_files_are_not_read_beyond_a_limit(report, tmp_path, monkeypatch):
    path = tmp_path / "report.khcj.gz"
    path.write_bytes(gzip.compress(b" " * 2**20))
    monkeypatch.setenv("COCLUST_SYNTH_MAX_GIB", "0.0009")
    with pytest.raises(ModelFileError, match=r"more than 0\.0009 GiB once"):
        read_khiops_report(path)


def test_an_inconsistent_report_is_refused(report):
    content = report_to_dict(report)
    content["coclusteringReport"]["dimensionSummaries"][0]["parts"] += 1
    with pytest.raises(ModelFileError, match="parts of 'id', announced as"):
        report_from_dict(content)
    content = report_to_dict(report)
    content["coclusteringReport"]["dimensionSummaries"][0]["type"] = "Text"
    with pytest.raises(ModelFileError, match="of type 'Text'"):
        report_from_dict(content)


# Tables that do not fit


def test_tables_that_do_not_fit_the_report_are_refused(model, table, report):
    long = observations(model, table)
    with pytest.raises(TableError, match="Expected a column 'part'"):
        report_costs(report, long[["id"]])
    with pytest.raises(TableError, match=r"'part' that the report knows.*'new'"):
        report_costs(report, long.assign(part="new"))
    numeric = numeric_report()
    with pytest.raises(TableError, match="Expected numbers in 'x'"):
        report_costs(numeric, pd.DataFrame({"x": ["a"], "y": ["u"]}))
