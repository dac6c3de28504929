"""A report in a few lines."""

import json

import numpy as np
import pytest

from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.reports.khiops.axes import CategoricalAxis, NumericAxis
from coclust_synth.reports.khiops.build import build_report
from coclust_synth.reports.khiops.summary import print_report, report_facts

MERGES = [(0, 0, 1), (1, 0, 1), (0, 0, 2)]


@pytest.fixture(scope="module")
def report():
    """Three intervals of x against two groups of y."""
    codes = np.array([[0, 0], [1, 0], [2, 1], [2, 2]])
    records = Records(
        codes,
        np.array([40, 45, 70, 60]),
        (np.arange(3), np.array([0, 1, 1])),
        (True, False),
    )
    axes = NumericAxis("x", (0, 1, 2, 3)), CategoricalAxis("y", ("u", "v", "w"))
    return build_report(records, DataGrid.from_records(records), MERGES, axes)


def test_facts_are_those_of_the_report(report):
    facts = report_facts(report)
    assert (facts["observations"], facts["cells"]) == (215, 3)
    assert facts["cost"] == report.summary.cost < facts["null_cost"]
    assert facts["level"] == report.summary.level
    assert facts["dimensions"] == [
        {"name": "x", "type": "numerical", "parts": 3, "values": 215},
        {"name": "y", "type": "categorical", "parts": 2, "values": 3},
    ]
    assert json.loads(json.dumps(facts))["merges"][0]["loss"] > 0.5


def test_merges_are_named_from_the_one_that_loses_most(report):
    merges = report_facts(report)["merges"]
    losses = [merge["loss"] for merge in merges]
    assert losses == sorted(losses, reverse=True) and len(merges) == 3
    assert sum(losses) == pytest.approx(1.0, abs=1e-5)
    by_parts_left = {merge["parts_left"]: merge for merge in merges}
    low, middle, high = "]-inf,1]", "]1,2]", "]2,+inf["
    assert by_parts_left[4]["clusters"] == [(low,), (middle,)]
    assert by_parts_left[3]["dimension"] == "y"
    groups = {part.name for part in report.dimension("y").parts}
    assert {name for (name,) in by_parts_left[3]["clusters"]} == groups
    assert by_parts_left[2]["clusters"] == [(low, middle), (high,)]
    # Each takes what its level is below that of the merge before.
    level = 1.0
    for parts_left in (4, 3, 2):
        merge = by_parts_left[parts_left]
        assert merge["loss"] == pytest.approx(level - merge["level"], abs=1e-6)
        level = merge["level"]
    assert report_facts(report, n_merges=1)["merges"] == merges[:1]


def test_what_is_printed(report, capsys):
    print_report(report)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["observations", "215"]
    assert [line.split() for line in lines[5:8]] == [
        ["dimension", "type", "parts", "values"],
        ["x", "numerical", "3", "215"],
        ["y", "categorical", "2", "3"],
    ]
    assert "The 3 merges that lose most:" in lines[8]
    assert any("]-inf,1] and 1 more + ]2,+inf[" in line for line in lines)


def test_a_report_of_one_cell_has_no_merges(capsys):
    records = Records(
        np.array([[0, 0], [1, 1]]),
        np.array([3, 4]),
        (np.zeros(2, dtype=int), np.zeros(2, dtype=int)),
        (False, False),
    )
    axes = CategoricalAxis("a", ("x", "y")), CategoricalAxis("b", ("u", "v"))
    report = build_report(records, DataGrid.from_records(records), [], axes)
    assert report_facts(report)["merges"] == []
    print_report(report)
    assert "merges" not in capsys.readouterr().out
