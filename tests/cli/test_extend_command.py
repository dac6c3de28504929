"""`extend`: new rows in a file, under the labels of an earlier one."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from support.commands import fails, files_in, succeeds
from support.people import people

QI = ("--qi", "age,job,sex")
ASKED = (*QI, "--sensitive", "disease", "--k", 5, "--method", "mondrian", "--quiet")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a release and new rows in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    people(200).to_csv("people.csv", index=False)
    people(300, seed=1).to_csv("new.csv", index=False)
    succeeds("anonymize", "people.csv", "-o", "released.csv", *ASKED)
    return tmp_path


def extend(*options, output="batch.csv"):
    asked = ("released.csv", "new.csv", "-o", output, "--json", *options)
    return json.loads(succeeds("extend", *asked))


@pytest.mark.slow
def test_new_rows_are_k_anonymous_by_themselves_and_told_so(folder):
    told = extend()
    assert told["rows"] == 300 == told["released_rows"] + told["held_back_rows"]
    assert told["k"]["asked"] == 5 <= told["k"]["reached"]
    succeeds("check", "batch.csv", *QI, "--sensitive", "disease", "--k", 5)
    assert len(pd.read_csv("batch.csv")) == told["released_rows"]
    manifest = json.loads(Path("batch.manifest.json").read_text())
    assert "nobody being in both releases" in manifest["guarantee"]
    assert manifest["method"]["parameters"]["k"] == 5
    assert manifest["source"] == {"table": "new.csv"}
    assert "in another batch" in manifest["not_protected"][-1]
    assert "held" not in json.dumps(manifest)  # how many is told to nobody else
    earlier = json.loads(Path("released.labels.json").read_text())
    labels = json.loads(Path("batch.labels.json").read_text())
    assert labels["columns"] == earlier["columns"]


@pytest.mark.slow
def test_it_is_said_what_a_person_is_and_how_many_are_released(folder):
    rows = pd.read_csv("new.csv").assign(patient=[i // 2 for i in range(300)])
    rows.to_csv("new.csv", index=False)
    told = extend("--person-id", "patient")
    guarantee = json.loads(Path("batch.manifest.json").read_text())["guarantee"]
    assert "A person is anybody whom a column of the new rows names" in guarantee
    given, n_rows = told["rows"], told["released_rows"]
    n_persons = int(re.search(r"rows: (\d+) of them, with", guarantee)[1])
    assert f"with {n_rows} rows, are released" in guarantee and n_rows < given
    assert n_rows / 2 <= n_persons <= 150


@pytest.mark.slow
def test_the_same_new_rows_give_the_same_files_and_a_batch_can_be_extended(folder):
    extend()
    extend(output="again.csv")
    assert Path("again.csv").read_bytes() == Path("batch.csv").read_bytes()
    succeeds("extend", "batch.csv", "new.csv", "-o", "third.csv", "--quiet")
    assert len(pd.read_csv("third.csv")) > 0


@pytest.mark.slow
def test_models_of_the_earlier_release_are_to_be_given_again(folder):
    model = ("--l-diversity", "distinct:2")
    succeeds("anonymize", "people.csv", "-o", "released.csv", "--force", *ASKED, *model)
    asked = ("extend", "released.csv", "new.csv", "-o", "batch.csv")
    fails(folder, *asked, match="distinct 2-diversity, for the new rows")
    fails(folder, *asked, "--t-closeness", "0.3:hierarchical", match="equal distance")
    extend(*model)
    succeeds("check", "batch.csv", *QI, "--sensitive", "disease", *model)


def test_a_release_without_its_manifest_is_refused(folder):
    Path("released.manifest.json").unlink()
    asked = ("extend", "released.csv", "new.csv", "-o", "batch.csv", "--k", 6)
    fails(folder, *asked, match=("Expected the manifest", "make that release anew"))


@pytest.mark.parametrize("name", ["released.csv", "released.labels.json"])
def test_a_release_that_was_changed_is_refused(folder, name):
    changed = Path(name).read_text().replace("M", "N")  # no label of that release
    Path(name).write_text(f"{changed}\n")
    asked = ("extend", "released.csv", "new.csv", "-o", "batch.csv", "--k", 6)
    fails(folder, *asked, match=(f"'{name}', which has changed", "Put the released"))


@pytest.mark.slow
def test_a_release_under_another_name_can_be_extended(folder):
    for name in ("csv", "labels.json", "manifest.json"):
        Path(f"released.{name}").rename(f"moved.{name}")
    succeeds("extend", "moved.csv", "new.csv", "-o", "batch.csv", "--quiet")


@pytest.mark.slow
def test_k_and_sensitive_columns_can_be_said(folder):
    asked = ("extend", "released.csv", "new.csv", "-o", "batch.csv")
    fails(folder, *asked, "--k", 1, match="k")
    assert extend("--k", 6, "--sensitive", "disease")["k"]["reached"] >= 6


@pytest.mark.slow
def test_what_does_not_fit_together_is_refused(folder):
    fails(folder, "extend", "people.csv", "new.csv", "-o", "b.csv", match="labels")
    fails(folder, "extend", "no.csv", "new.csv", "-o", "b.csv", match="no.")
    fails(folder, "extend", "released.csv", "new.csv", "-o", "new.csv", match="Choose")
    people(4).to_csv("few.csv", index=False)
    few = ("extend", "released.csv", "few.csv", "-o", "b.csv")
    fails(folder, *few, match="make a release of these alone")
    pd.read_csv("new.csv").drop(columns="sex").to_csv("less.csv", index=False)
    less = ("extend", "released.csv", "less.csv", "-o", "b.csv")
    fails(folder, *less, match="without 'sex'")
    assert not [name for name in files_in(folder) if name.startswith("b.")]
