"""The manifest beside a release: what it says, what it keeps to itself."""

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from support.commands import fails, run, succeeds
from support.evaluations import make_quick, people
from support.visits import visits

from coclust_synth import ParameterError
from coclust_synth.reports.manifest import read_manifest, release_date, table_source

FIT = ("--iterations", 2, "--k", 20)
OTHERS = dict.fromkeys(("admitted", "cost", "left"), "keep")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    people(150).assign(name=[f"Nm {i:04d}" for i in range(150)]).to_csv(
        "people.csv", index=False
    )
    return tmp_path


def told(name):
    manifest = json.loads(Path(f"{name}.manifest.json").read_text())
    for file in manifest["files"]:
        content = Path(file["file"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
    assert manifest["date"] == "2023-11-14"
    assert not re.search(
        r"(?<!k-)anonym(?!ize --)", json.dumps(manifest), re.IGNORECASE
    )
    return manifest


def roles(manifest):
    """Of the columns that are released, of which quasi-identifiers are labels."""
    kept = [own for own in manifest["columns"] if own["treatment"] != "drop"]
    if manifest["method"]["command"].startswith(("anonymize", "extend")):
        for own in kept:
            is_label = own["role"] == "quasi-identifier"
            assert own["treatment"] == ("label" if is_label else "keep")
    return {column["name"]: column["role"] for column in kept}


@pytest.mark.slow
def test_of_synthetic_rows(folder):
    drop = ("--drop", "name")
    succeeds("synth", "people.csv", "-o", "out.csv", *drop, *FIT, "--seed", 7)
    manifest = told("out")
    assert manifest["guarantee"].startswith("No formal guarantee")
    assert manifest["method"]["parameters"]["k"] == 20
    assert "trees whose leaves are of at least 20" in manifest["method"]["what"]
    assert manifest["method"]["parameters"]["random_state"] == 7
    assert manifest["release"]["rows"] == 150
    columns = {column["name"]: column["kind"] for column in manifest["columns"]}
    assert columns["ward"] == "categorical" and "name" not in columns
    # Names and kinds of columns, and no value of them but in rules, which are listed.
    rules = manifest["release"].pop("rules")
    assert "geriatrics with a" in json.dumps(rules)
    assert "geriatrics" not in json.dumps(manifest)
    assert len(manifest["stages_that_saw_real_rows"]) == 3
    first = Path("out.manifest.json").read_bytes()
    succeeds(
        "synth", "people.csv", "-o", "out.csv", *drop, *FIT, "--seed", 7, "--force"
    )
    assert Path("out.manifest.json").read_bytes() == first


@pytest.mark.slow
def test_of_a_draw_from_a_model(folder):
    succeeds("fit", "people.csv", "-o", "p.model", "--drop", "name", *FIT)
    succeeds("sample", "p.model", "-o", "out.csv", "--given", "age>=30", "-n", 40)
    manifest = told("out")
    assert manifest["method"]["parameters"]["given"] == "age>=30"
    assert manifest["method"]["parameters"]["k"] == 20
    assert manifest["release"]["rows"] == 40
    none, *of_fit = manifest["stages_that_saw_real_rows"]
    assert none.startswith("none here") and len(of_fit) == 3
    assert all(stage.startswith("in the fit of the model: ") for stage in of_fit)
    digest = hashlib.sha256(Path("p.model").read_bytes()).hexdigest()
    source = {"model": "p.model", "sha256": digest, "k": 20, "rows": 150}
    assert manifest["source"] == source
    succeeds("sample", "p.model", "-o", "coarse.csv", "--k", 50)
    manifest = told("coarse")
    assert manifest["method"]["parameters"]["k"] == 50
    assert manifest["source"]["k"] == 20


@pytest.mark.slow
def test_what_was_read_and_what_is_not_protected(folder):
    """No hash of the table: a guess at it could be tested by that."""
    visits(np.random.default_rng(0), 60).to_csv("visits.csv", index=False)
    person = ("--person-id", "who", "--drop", "pin")
    qi = ("--qi", "age,town", "--sensitive", "ill", "--method", "mondrian")
    n_rows = len(Path("visits.csv").read_text().splitlines()) - 1
    rows = {"table": "visits.csv", "rows": n_rows}
    asked = {
        "synth": (*person, "--iterations", 1, "--k", 20),
        "anonymize": (*person, *qi, "--k", 5),
        "perturb": ("--drop", "pin,who", "--pram", "town"),
    }
    for command, options in asked.items():
        path = folder / "visits.csv"
        succeeds(command, path, "-o", f"{command[:2]}.csv", *options)
        manifest = told(command[:2])
        persons = {} if command == "perturb" else {"persons": 60}
        assert manifest["source"] == rows | persons
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        text = json.dumps(manifest)
        assert digest not in text and str(folder) not in text
        assert 2 <= len(manifest["not_protected"]) <= 5
    plain = " ".join(told("sy")["not_protected"])
    assert "mean of the 20 or so largest" in plain
    # What fewer than 20 individuals have, and is told all the same.
    for few in ("two individuals share", "even if few individuals lack it", "declares"):
        assert few in plain
    assert "The value of one person can decide" in plain
    in_order = ("--drop", "pin,who", "--pram", "town", "--keep-order", "--force")
    succeeds("perturb", "visits.csv", "-o", "pe.csv", *in_order)
    assert "in the order of the table" in told("pe")["not_protected"][-1]


@pytest.mark.slow
def test_of_few_people_it_is_said_that_they_show(folder):
    rows = "".join(f"{40 + 7 * i},{'FM'[i % 2]}\n" for i in range(9))
    Path("few.csv").write_text(f"age,sex\n{rows}")
    result = run("synth", "few.csv", "-o", "out.csv", "--iterations", 2)
    assert result.exit_code == 0 and "Received 9: what is drawn" in result.stderr
    assert "describes them and nobody else" in told("out")["not_protected"][0]
    assert run("fit", "few.csv", "-o", "few.model", "--iterations", 2).exit_code == 0
    succeeds("sample", "few.model", "-o", "more.csv")
    assert "describes them and nobody else" in told("more")["not_protected"][0]


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("postgres://ann:secret@host/base::people", "people"),
        (Path("/data/of/people.csv"), "people.csv"),
        ("C:\\data\\people.csv", "people.csv"),
        ("/data/folder/", "folder"),
    ],
)
def test_a_table_is_told_by_its_name(given, name):
    assert table_source(given, 3) == {"table": name, "rows": 3}


def treatments(name):
    return {own["name"]: own["treatment"] for own in told(name)["columns"]}


@pytest.mark.slow
def test_what_was_done_to_each_column(folder):
    succeeds("synth", "people.csv", "-o", "s.csv", "--key", "name", *FIT)
    assert treatments("s")["name"] == "key"
    assert {own for name, own in treatments("s").items() if name != "name"} == {"drawn"}
    assert told("s")["method"]["parameters"]["rare"] == 10
    for how in ("keep", "means", "shuffle", "class", "table"):
        qi = ("--qi", "ward", "--sensitive", "age,drug", "--sensitive-values", how)
        kept = ("--others", "keep", "--drop", "name", "--method", "mondrian")
        anonymize = ("anonymize", "people.csv", "-o", "k.csv", "--k", 10, "--force")
        result = run(*anonymize, *qi, *kept)
        assert (
            result.exit_code == 0
            and "so many people have a value of their own" in result.stderr
        )
        # Means are of numbers only.
        drug = "keep" if how == "means" else how
        expected = {"age": how, "ward": "label", "drug": drug, "name": "drop"}
        assert treatments("k") == expected | OTHERS
    succeeds(
        *("perturb", "people.csv", "-o", "p.csv", "--pram", "drug", "--swap", "age"),
        *("--drop", "name"),
    )
    expected = {"age": "swap", "ward": "keep", "drug": "pram", "name": "drop"}
    assert treatments("p") == expected | OTHERS


@pytest.mark.slow
def test_which_columns_the_schema_calls_public_is_told(folder):
    schema = '[[column]]\nname = "ward"\npublic = true\n'
    names = ("age", "admitted", "drug", "cost", "left")
    schema += "".join(f'[[column]]\nname = "{name}"\n' for name in names)
    schema += '[[column]]\nname = "name"\ntreatment = "drop"\n'
    Path("schema.toml").write_text(schema)
    given = ("--schema", "schema.toml", "--within", "independent")
    succeeds("synth", "people.csv", "-o", "s.csv", *given, *FIT)
    columns = told("s")["columns"]
    assert [own["name"] for own in columns if own.get("public")] == ["ward"]


@pytest.mark.slow
def test_persons_are_made_anew(folder):
    rows = visits(np.random.default_rng(0), 60)
    rows.drop(columns="pin").to_csv("visits.csv", index=False)
    given = ("--person-id", "who", "--iterations", 1, "--k", 20)
    succeeds("synth", "visits.csv", "-o", "v.csv", *given)
    assert treatments("v")["who"] == "key"
    assert told("v")["method"]["what"].endswith("leaves are of at least 20 persons")
    assert "who" in Path("v.csv").read_text().splitlines()[0]


@pytest.mark.slow
def test_of_k_anonymous_and_of_unlinked_tables(folder):
    qi = ("--qi", "age,ward", "--sensitive", "drug", "--drop", "name")
    succeeds(
        *("anonymize", "people.csv", "-o", "k.csv", "--k", 10, *qi),
        *("--method", "mondrian", "--l-diversity", "distinct:2"),
    )
    manifest = told("k")
    assert [file["file"] for file in manifest["files"]] == ["k.csv", "k.labels.json"]
    assert "(10 asked) under the quasi-identifiers age, ward" in manifest["guarantee"]
    assert "distinct 2-diversity" in manifest["guarantee"]
    assert manifest["release"]["k"] >= 10
    assert manifest["release"]["suppressed_rows"] == 0
    assert roles(manifest) == {
        "age": "quasi-identifier",
        "ward": "quasi-identifier",
        "drug": "sensitive",
    }
    succeeds("anatomy", "people.csv", "-o", "a.csv", "--l", 2, *qi)
    manifest = told("a")
    assert "l = 2" in manifest["guarantee"]
    assert "random_state" not in manifest["method"]["parameters"]
    assert roles(manifest)["ward"] == "quasi-identifier"


@pytest.mark.slow
def test_evaluate_tells_what_the_manifest_says(folder, monkeypatch):
    make_quick(monkeypatch)
    synth = "synth", "people.csv", "-o", "out.csv", "--drop", "name", *FIT
    k = json.loads(succeeds(*synth, "--json"))["k"]
    succeeds("evaluate", "people.csv", "out.csv", "-o", "report")
    page = Path("report/report.html").read_text()
    what = f"synthetic rows, drawn from trees whose leaves are of at least {k} indiv"
    assert what in page
    assert "No formal guarantee" in page
    Path("out.manifest.json").write_text("{}")
    fails(folder, "evaluate", "people.csv", "out.csv", "-o", "more", match="manifest")


def test_the_manifest_of_a_private_table_is_not_replaced(folder):
    Path("out.manifest.json").write_text('{"budget": {}, "unit": "one person"}')
    fails(
        *(folder, "synth", "people.csv", "-o", "out.csv", "--force"),
        match="of a release of another kind",
    )


def test_manifests_that_do_not_read(folder, monkeypatch):
    path = Path("m.json")
    assert read_manifest(path) is None
    for content in ("[1]", "{", '{"format": "another"}', "\xff"):
        path.write_text(content, encoding="latin1")
        with pytest.raises(ParameterError, match="Expected the manifest"):
            read_manifest(path)
    path.write_text('{"format": "coclust_synth release", "format_version": 2}')
    with pytest.raises(ParameterError, match="version 2"):
        read_manifest(path)
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", release_date())
