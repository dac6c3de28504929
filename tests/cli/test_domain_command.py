"""`domain`: a file to fill in, or one that says it was read from the rows."""

from pathlib import Path

import pytest
from support.commands import fails, succeeds

from coclust_synth.tables.domain import Domain

TABLE = "age,job\n31,cook\n45,?\n22,clerk\n31,cook\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE)
    return tmp_path


def test_a_new_file_is_to_be_filled_in(folder):
    shown = succeeds("domain", "--new", "domain.toml", "--columns", "age, job")
    assert "Fill in 2 columns" in shown
    text = Path("domain.toml").read_text()
    assert 'name = "age"' in text and 'name = "job"' in text
    assert "cook" not in text
    fails(folder, "domain", "--new", "domain.toml", "--columns", "age", match="--force")
    succeeds("domain", "--new", "domain.toml", "--columns", "age", "--force")
    assert 'name = "job"' not in Path("domain.toml").read_text()


def test_a_file_read_from_the_rows_is_labelled(folder):
    shown = succeeds("domain", "--new", "d.toml", "--domain-from-data", "people.csv")
    assert "not differentially private" in shown
    domain = Domain.load("d.toml")
    assert domain.from_data and domain.names == ("age", "job")
    assert domain["job"].missing == "?" and domain["age"].low == 22
    one = ("--columns", "job", "--bins", 3, "--force")
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "people.csv", *one)
    assert Domain.load("d.toml").names == ("job",)


@pytest.mark.parametrize(
    "arguments, match",
    [
        ((), "--columns age,sex"),
        (("--columns", " , "), "--columns age,sex"),
        (("--domain-from-data", "none.csv"), "no such file"),
        (("--domain-from-data", "people.csv", "--columns", "jobs"), "'job'"),
    ],
)
def test_errors_leave_nothing_behind(folder, arguments, match):
    fails(folder, "domain", "--new", "domain.toml", *arguments, match=match)


def test_the_table_is_not_replaced(folder):
    fails(
        folder,
        *("domain", "--new", "people.csv", "--force"),
        *("--domain-from-data", "people.csv"),
        match="beside its source",
    )
