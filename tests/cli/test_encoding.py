"""Text files in another encoding than UTF-8, which somebody says."""

import json
from pathlib import Path

import pandas as pd
import pytest
from support.commands import fails, succeeds

from coclust_synth import ParameterError, TableError, read_table
from coclust_synth.tables.reading.table import open_table

FAST = ("--iterations", 2, "--k", 10)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cities = ["Zürich", "Genève", "Köln"] * 40
    table = pd.DataFrame({"Straße": cities, "âge": [*range(20, 100, 2)] * 3})
    others = table.assign(âge=table["âge"] + 1)
    for name, own in {"latin.csv": table, "held.csv": others}.items():
        own.to_csv(name, index=False, encoding="latin-1")
    table.to_csv("utf8.csv", index=False)
    table.to_parquet("typed.parquet", index=False)
    return tmp_path


def test_the_same_cells_are_read(folder):
    said = read_table("latin.csv", encoding="latin-1")
    assert said.frame.equals(read_table("utf8.csv").frame)
    assert said.schema == read_table("utf8.csv").schema


def test_what_is_not_said_is_not_guessed(folder):
    with pytest.raises(TableError, match="encoding='latin1', --encoding latin1"):
        read_table("latin.csv")
    with pytest.raises(TableError, match="not ASCII, on line 1"):
        read_table("utf8.csv", encoding="ascii")


def test_an_encoding_is_of_text_files(folder):
    with pytest.raises(ParameterError, match="text file alone"):
        read_table("typed.parquet", encoding="latin-1")
    with pytest.raises(ParameterError, match="text file alone"):
        open_table(pd.DataFrame({"a": [1]}), "latin-1")
    with pytest.raises(ParameterError, match="Received 'latin-99'"):
        read_table("latin.csv", encoding="latin-99")


@pytest.mark.slow
def test_releases_are_those_of_the_same_cells(folder):
    said = ("--encoding", "latin-1")
    succeeds("synth", "latin.csv", "-o", "a.csv", *FAST, *said)
    succeeds("synth", "utf8.csv", "-o", "b.csv", *FAST)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    asked = ("a.csv", "--holdout", "held.csv", *said, "--json")
    assert json.loads(succeeds("evaluate", "latin.csv", *asked))
    released = ("--k", 5, "--qi", "Straße,âge", "--iterations", 2)
    succeeds("anonymize", "latin.csv", "-o", "c.csv", *released, *said)
    assert "Zürich" in Path("c.csv").read_text(encoding="utf-8")


def test_bad_encodings_are_refused_before_any_work(folder):
    asked = ("-o", "o.csv", "--encoding")
    fails(folder, "synth", "latin.csv", *asked, "latin-99", match="latin-99")
    fails(folder, "synth", "typed.parquet", *asked, "latin-1", match="text file alone")
    counted = (*asked[:1], "out", *asked[2:], "latin-1")
    fails(folder, "synth", ".", *counted, match="--encoding")
