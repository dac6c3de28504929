"""The README's commands do what it says."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coclust_synth import read_table, write_table
from coclust_synth.cli.app import app
from coclust_synth.tables.bundled import bundled_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
]

SEARCHING = ("anonymize", "cocluster", "fit", "grid", "hierarchies", "synth")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that holds a small ``people.csv``."""
    frame, schema = read_table(bundled_table())
    people = frame.drop(columns="fnlwgt").head(600)
    write_table(people, tmp_path / "people.csv", schema)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_commands_run_in_their_order(folder):
    commands = [line for line in SHELL if line.startswith("coclust-synth ")]
    assert len(commands) >= 4
    for command in commands:
        words = shlex.split(command)[1:]
        if words[0] in SEARCHING and "mondrian" not in words:
            words += ["--iterations", "3"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, (command, result.output)
    written = (
        *("synthetic.csv", "people.model", "more.parquet", "schema.toml"),
        *("people.khcj", "learnt.khcj", "grid.khcj"),
        *("released.csv", "released.labels.json", "named.csv", "recoded.csv"),
        *("boxes.csv", "means.csv", "linked.csv", "linked.sensitive.csv"),
        *("hierarchies/people_hierarchy_age.json",),
        *("declared.toml", "domain.toml"),
        *("private.csv", "private.manifest.json", "private.statement.md"),
    )
    for name in written:
        assert (folder / name).stat().st_size > 0


def test_the_main_job_runs_after_the_installation(folder):
    (line,) = [line for line in SHELL if "demo" in line]
    assert line.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    command = line.split("&&")[-1].strip()
    words = shlex.split(command.removeprefix(".venv/bin/coclust-synth "))
    result = CliRunner().invoke(app, [*words, "--iterations", "1", "--quiet"])
    assert result.exit_code == 0, result.output
    frame, _ = read_table(bundled_table())
    drawn, _ = read_table(folder / "synthetic.csv")
    assert drawn.shape == frame.shape
    assert list(drawn.columns) == list(frame.columns)


def test_the_checks_are_the_readmes_own_command():
    (line,) = [line for line in SHELL if "pytest" in line]
    assert line in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_python_examples_run(folder, capsys):
    for block in PYTHON:
        exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out
