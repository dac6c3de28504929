"""`hierarchies`: what it prints and writes, and how it fails."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, succeeds

from coclust_synth import derive_hierarchies
from coclust_synth.tables.hierarchy_formats import (
    read_amnesia,
    read_amnesia_json,
    read_anjana,
    read_arx_folder,
    read_json,
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
            "sex": rng.choice(["F", "M"], n),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a table in it."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    return tmp_path


def test_the_files_are_those_of_the_function(folder):
    arguments = ("--columns", "age,job,sex", *FAST, "--seed", "5", "--bins", "4")
    shown = succeeds("hierarchies", "people.csv", "-o", "out", *arguments)
    expected = derive_hierarchies(
        "people.csv",
        columns=["age", "job", "sex"],
        n_iterations=3,
        random_state=5,
        bins=4,
    )
    found = read_arx_folder("out")
    assert sorted(files_in("out")) == [
        f"people_hierarchy_{name}.csv" for name in ("age", "job", "sex")
    ]
    for name, hierarchy in expected.items():
        assert found[name].labels == hierarchy.labels
        assert f"{name}: {hierarchy.n_leaves} values" in shown
    assert shown.splitlines()[-1] == "3 hierarchies in out"
    again = ("hierarchies", "people.csv", "-o", "again", *arguments, "--jobs", "2")
    assert succeeds(*again, "--quiet") == ""
    assert files_in("again") == files_in("out")


@pytest.mark.slow
def test_every_format_and_a_picture(folder):
    formats = "arx amnesia amnesia-json anjana json".split()
    chosen = [word for name in formats for word in ("--format", name)]
    succeeds(
        *("hierarchies", "people.csv", "-o", "out", "--columns", "age,job", *FAST),
        *(*chosen, "--picture", "svg"),
    )
    own = {
        name: read_json(f"out/people_hierarchy_{name}.json") for name in ("age", "job")
    }
    assert {type(leaf) for leaf in own["age"].leaves} == {int} and own["age"].ordered
    assert len(files_in("out")) == 12
    for name, hierarchy in own.items():
        lines = hierarchy.lines()
        assert read_arx_folder("out")[name].lines() == lines
        assert read_anjana(f"out/people_anjana_{name}.csv").lines() == lines
        json_ = read_amnesia_json(f"out/people_amnesia_{name}.json")
        assert sorted(json_.lines()) == sorted(lines)
        assert Path(f"out/people_hierarchy_{name}.svg").read_text().startswith("<?xml")
    assert Path("out/people_amnesia_age.txt").read_text().startswith("range\n")
    assert read_amnesia("out/people_amnesia_job.txt").n_leaves == 3


def test_a_schema_says_what_is_left_out(folder):
    succeeds("inspect", "people.csv", "-o", "schema.toml", "--drop", "name")
    arguments = ("people.csv", "-o", "out", "--schema", "schema.toml", *FAST)
    succeeds("hierarchies", *arguments, "--quiet")
    assert list(read_arx_folder("out")) == ["age", "job", "sex"]


def test_force_replaces_hierarchies_and_nothing_else(folder):
    arguments = ("hierarchies", "people.csv", "-o", "out", *FAST)
    succeeds(*arguments, "--columns", "age,job")
    fails(folder, *arguments, "--columns", "job,sex", match="Give --force")
    succeeds(*arguments, "--columns", "job,sex", "--force")
    assert list(read_arx_folder("out")) == ["job", "sex"]
    Path("out/notes.txt").touch()
    fails(folder, *arguments, "--columns", "job", "--force", match="'notes.txt'")
    fails(
        folder,
        "hierarchies",
        "people.csv",
        "-o",
        ".",
        "--force",
        match="also holds 'out'",
    )


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((), "'name'"),
        (("--columns", "age,jobs"), "Received 'jobs'. Did you mean 'job'?"),
        (("--columns", "age,"), "Received ''"),
        (("--schema", "no.toml"), "no.toml"),
    ],
)
def test_bad_input_writes_nothing(folder, arguments, match):
    fails(
        folder, "hierarchies", "people.csv", "-o", "out", *FAST, *arguments, match=match
    )


def test_tables_and_columns_that_cannot_be_used(folder):
    fails(folder, "hierarchies", "no.csv", "-o", "out", match="no such file")
    fails(folder, "hierarchies", "people.csv", "-o", "no/out", match="directory")
    people().rename(columns={"job": "job/role"}).to_csv("slash.csv", index=False)
    fails(
        *(folder, "hierarchies", "slash.csv", "-o", "out", *FAST),
        *("--columns", "age,job/role"),
        match=("'job/role'", "--columns"),
    )
