"""`cocluster`, `grid` and `report`: what they print and write, and how they fail."""

import json
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, succeeds

from coclust_synth import (
    MODLCoclustering,
    MODLDataGrid,
    coclustering_report,
    data_grid_report,
    read_khiops_report,
    read_table,
    report_costs,
    write_khiops_report,
)

FAST = ("--iterations", "3")


def people(n=120):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": 20 + 10 * group + rng.integers(0, 10, n),
            "job": np.array(["cook", "nurse", "smith"])[group],
        }
    )


def test_the_report_is_that_of_the_estimator(folder):
    succeeds("cocluster", "people.csv", "-o", "r.khcj", "--drop", "name", *FAST)
    frame = read_table("people.csv")[0].drop(columns="name")
    model = MODLCoclustering(n_iterations=3, random_state=0).fit(frame)
    report = coclustering_report(
        model, frame, dictionary="people", database="people.csv"
    )
    write_khiops_report(report, "python.khcj")
    assert Path("r.khcj").read_bytes() == Path("python.khcj").read_bytes()


@pytest.mark.slow
def test_the_report_of_learnt_parts_is_that_of_the_estimator(folder):
    arguments = ("people.csv", "-o", "r.khcj", "--drop", "name", *FAST)
    succeeds("cocluster", *arguments, "--parts", "learnt")
    frame = read_table("people.csv")[0].drop(columns="name")
    model = MODLCoclustering(parts="learnt", n_iterations=3, random_state=0).fit(frame)
    report = coclustering_report(
        model, frame, dictionary="people", database="people.csv"
    )
    write_khiops_report(report, "python.khcj")
    assert Path("r.khcj").read_bytes() == Path("python.khcj").read_bytes()


@pytest.mark.slow
def test_the_report_of_a_grid_is_that_of_the_estimator(folder):
    people().assign(n=np.arange(120) % 4).to_csv("counted.csv", index=False)
    arguments = ("counted.csv", "-o", "r.khcj", "--drop", "name", *FAST)
    succeeds("grid", *arguments, "--frequency", "n")
    frame = read_table("counted.csv")[0].drop(columns="name")
    model = MODLDataGrid(n_iterations=3, random_state=0)
    model.fit(frame.drop(columns="n"), frequencies=frame["n"])
    report = data_grid_report(
        model, frame, frequency="n", dictionary="counted", database="counted.csv"
    )
    write_khiops_report(report, "python.khcj")
    assert Path("r.khcj").read_bytes() == Path("python.khcj").read_bytes()
    for jobs in ("1", "3"):
        succeeds("grid", *arguments, "--frequency", "n", "--jobs", jobs, "--force")
        assert Path("r.khcj").read_bytes() == Path("python.khcj").read_bytes()
    assert report_costs(report, frame).best.total == pytest.approx(model.cost_)


def test_individuals_are_named_by_a_column(folder):
    arguments = ("people.csv", "--id", "name", *FAST, "--quiet")
    assert succeeds("cocluster", "-o", "r.khcj.gz", *arguments) == ""
    report = read_khiops_report("r.khcj.gz")
    names = {value for group in report.dimension("id").parts for value in group.values}
    assert names == set(people()["name"])
    parts = [
        value for group in report.dimension("part").parts for value in group.values
    ]
    assert not any(part.startswith("name=") for part in parts)


def test_what_is_told(folder):
    arguments = ("people.csv", "-o", "r.khcj", "--id", "name", *FAST, "--force")
    told = json.loads(succeeds("cocluster", *arguments, "--json"))
    report = read_khiops_report("r.khcj")
    assert told["cost"] == pytest.approx(report.summary.cost)
    assert told["null_cost"] == pytest.approx(report.summary.null_cost)
    assert told["level"] == pytest.approx(report.summary.level)
    assert told["clusters"] == {
        "individuals": len(report.dimension("id").parts),
        "parts": len(report.dimension("part").parts),
    }
    assert told["smallest_cluster"] == min(
        len(group.values) for group in report.dimension("id").parts
    )
    assert (told["iterations"], told["stopped_by"]) == (3, "iterations")
    assert (told["seed"], told["output"]) == (0, "r.khcj") and told["seconds"] > 0
    shown = succeeds("cocluster", *arguments)
    names = [line.split("  ")[0] for line in shown.splitlines()]
    assert {"cost", "null cost", "level", "clusters", "seconds"} <= set(names)


def test_what_is_told_of_a_grid(folder):
    arguments = ("people.csv", "-o", "r.khcj", "--drop", "name", *FAST, "--force")
    told = json.loads(succeeds("grid", *arguments, "--json"))
    report = read_khiops_report("r.khcj")
    assert told["cost"] == pytest.approx(report.summary.cost)
    assert told["null_cost"] == pytest.approx(report.summary.null_cost)
    assert told["parts"] == {d.name: len(d.parts) for d in report.dimensions}
    assert told["cells"] == report.summary.cells
    assert (told["iterations"], told["stopped_by"]) == (3, "iterations")
    assert "parts       3 age, 3 job" in succeeds("grid", *arguments)


@pytest.mark.parametrize(
    "command",
    [("cocluster",), ("cocluster", "--parts", "learnt"), ("grid",)],
    ids=" ".join,
)
def test_equal_seeds_give_equal_bytes(folder, command):
    for name in ("a.khcj", "b.khcj"):
        succeeds(*command, "people.csv", "-o", name, "--drop", "name", *FAST)
    assert Path("a.khcj").read_bytes() == Path("b.khcj").read_bytes()


@pytest.mark.parametrize("command", ["cocluster", "grid"])
def test_an_interrupted_search_leaves_a_report(folder, monkeypatch, command):
    @contextmanager
    def impatient(n_iterations, *, enabled):
        def callback(iteration, best):
            if iteration == 2:
                raise KeyboardInterrupt

        yield callback

    monkeypatch.setattr(
        "coclust_synth.cli.commands.coclustering.search_progress", impatient
    )
    arguments = ("people.csv", "-o", "r.khcj", "--drop", "name", "--iterations", 10**6)
    told = json.loads(succeeds(command, *arguments, "--json"))
    assert told["stopped_by"] == "user" and told["iterations"] == 2
    assert len(read_khiops_report("r.khcj").dimensions[0].parts) >= 2


def test_a_table_without_structure(folder, rng):
    table = pd.DataFrame(rng.choice(["u", "v"], (60, 2)), columns=["a", "b"])
    table.to_csv("t.csv", index=False)
    shown = succeeds("cocluster", "t.csv", "-o", "r.khcj", *FAST)
    assert "No structure was found" in shown
    assert read_khiops_report("r.khcj").summary.cells == 1


def test_a_schema_is_followed(folder):
    succeeds("inspect", "people.csv", "--drop", "name", "--drop", "age", "-o", "s.toml")
    given = ("people.csv", "-o", "r.khcj", "--schema", "s.toml", *FAST)
    succeeds("cocluster", *given)
    report = read_khiops_report("r.khcj")
    assert report.dimension("part").n_values == 3


def test_bounds_of_a_schema_are_those_of_the_parts(folder):
    succeeds("inspect", "people.csv", "--drop", "name", "-o", "s.toml")
    text = Path("s.toml").read_text()
    assert "# bounds = [20, 49]" in text
    Path("s.toml").write_text(text.replace("# bounds = [20, 49]", "bounds = [0, 120]"))
    succeeds("cocluster", "people.csv", "-o", "r.khcj", "--schema", "s.toml", *FAST)
    parts = {
        value
        for group in read_khiops_report("r.khcj").dimension("part").parts
        for value in group.values
    }
    assert any(part.startswith("age=[0, ") for part in parts)
    assert any(part.startswith("age=") and part.endswith(", 120]") for part in parts)


def test_numbers_that_a_schema_calls_categories_are_grouped(folder):
    people().assign(zone=np.arange(120) % 3).to_csv("t.csv", index=False)
    succeeds("inspect", "t.csv", "--drop", "name", "-o", "s.toml")
    text, zone = Path("s.toml").read_text().split('name = "zone"\n')
    assert zone.startswith('kind = "integer"')
    Path("s.toml").write_text(f'{text}name = "zone"\nkind = "categorical"\n')
    succeeds("grid", "t.csv", "-o", "r.khcj", "--schema", "s.toml", *FAST)
    zone = read_khiops_report("r.khcj").dimension("zone")
    assert not zone.is_numeric and zone.n_values == 3


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--drop", "name", "--frequency", "N"), "Received 'N'"),
        (
            ("--drop", "name", "--frequency", "job"),
            "frequencies that are whole numbers",
        ),
        (("--frequency", "age"), "looks like names"),
        (("--drop", "name", "--time", "0"), "positive number of seconds"),
        (("--drop", "name", "--frequency", "age", "--keep", "age"), "Received both"),
    ],
)
def test_what_has_no_grid(folder, options, match):
    fails(folder, "grid", "people.csv", "-o", "r.khcj", *options, *FAST, match=match)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--id", "Name"), "Did you mean 'name'"),
        (("--id", "job", "--keep", "name"), "Leave --id out"),
        ((), "looks like names"),
        (("--drop", "name", "--time", "0"), "positive number of seconds"),
        (("--id", "name", "--keep", "name"), "Received both"),
    ],
)
def test_what_cannot_be_co_clustered(folder, options, match):
    fails(
        folder, "cocluster", "people.csv", "-o", "r.khcj", *options, *FAST, match=match
    )


def test_no_file_is_replaced_unless_asked_for(folder):
    Path("r.khcj").write_text("old")
    arguments = ("people.csv", "--id", "name", *FAST)
    fails(folder, "cocluster", "-o", "r.khcj", *arguments, match="--force")
    fails(
        folder,
        "cocluster",
        "-o",
        "people.csv",
        *arguments,
        match="apart from its source",
    )
    succeeds("cocluster", "-o", "r.khcj", *arguments, "--force")
    assert read_khiops_report("r.khcj").summary.instances == 240


@pytest.mark.parametrize("command", ["cocluster", "grid", "fit", "inspect"])
def test_what_is_no_table_does_not_get_the_name_of_one(folder, command):
    out = ("-o", "out.csv", "--drop", "name")
    fails(
        folder,
        command,
        "people.csv",
        *out,
        match="a name that does not end as those of tables",
    )


def test_a_report_is_printed(folder):
    succeeds("cocluster", "people.csv", "-o", "r.khcj", "--id", "name", *FAST)
    shown = succeeds("report", "r.khcj")
    assert "observations  240" in shown and "merges that lose most" in shown
    told = json.loads(succeeds("report", "r.khcj", "--json"))
    assert told["cost"] == read_khiops_report("r.khcj").summary.cost
    assert [dimension["name"] for dimension in told["dimensions"]] == ["id", "part"]


@pytest.mark.parametrize("name", ["people.csv", "none.khcj"])
def test_a_file_that_is_no_report(folder, name):
    fails(folder, "report", name, match="Expected a co-clustering report of Khiops")
