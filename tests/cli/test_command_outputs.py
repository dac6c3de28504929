"""What commands refuse to write, before they read anything."""

from pathlib import Path

import pytest
from support.commands import fails

from coclust_synth import CoclusterSynthesizer, OutputError, Schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.domain.domain import Domain

TABLE, SCHEMA, DOMAIN, MODEL, MORE = "t.csv", "s.toml", "d.toml", "t.model", "p.csv"
EPSILON = ("--epsilon", "1", "--domain")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (TABLE, SCHEMA, DOMAIN, MODEL, MORE):
        Path(name).write_text("not read")
    Path("link.csv").symlink_to(TABLE)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("inspect", TABLE, "-o", TABLE),
        ("inspect", TABLE, "--schema", SCHEMA, "-o", SCHEMA),
        ("fit", TABLE, "--schema", SCHEMA, "-o", SCHEMA),
        ("fit", TABLE, "-o", f"../{{folder}}/{TABLE}"),
        ("fit", "link.csv", "-o", TABLE),
        ("synth", TABLE, "-o", TABLE),
        ("synth", TABLE, "--schema", MORE, "-o", MORE),
        ("sample", MORE, "-o", MORE),
        ("demo", TABLE, "-o", TABLE),
        ("cocluster", TABLE, "--schema", SCHEMA, "-o", SCHEMA),
        ("grid", TABLE, "--schema", SCHEMA, "-o", SCHEMA),
        ("anonymize", TABLE, "--k", "2", "--schema", MORE, "-o", MORE),
        ("anonymize", TABLE, "--k", "2", "--population", MORE, "-o", MORE),
        ("anonymize", TABLE, "--k", "2", "--model", "o.labels.json", "-o", "o.csv"),
        ("anonymize", TABLE, "--k", "2", "--hierarchies", ".", "-o", MORE),
        ("anatomy", TABLE, "--l", "2", "--schema", MORE, "-o", MORE),
        ("anatomy", "o.sensitive.csv", "--l", "2", "-o", "o.csv"),
        ("check", TABLE, "-o", TABLE),
        ("check", TABLE, MORE, "-o", MORE),
        ("extend", TABLE, MORE, "-o", TABLE),
        ("extend", TABLE, MORE, "-o", MORE),
        ("perturb", TABLE, "--pram", "a", "-o", TABLE),
        ("perturb", TABLE, "--pram", "a", "--schema", MORE, "-o", MORE),
        ("check", TABLE, "--population", MORE, "-o", MORE),
        ("domain", "--domain-from-data", TABLE, "--new", TABLE),
        ("dp", TABLE, *EPSILON, MORE, "-o", MORE),
        ("dp", TABLE, *EPSILON, "o.manifest.json", "-o", "o.csv"),
        ("dp", TABLE, *EPSILON, "o.statement.md", "-o", "o.csv"),
        ("hierarchies", "h/t_hierarchy_a.csv", "-o", "h"),
        ("hierarchies", TABLE, "--schema", "h/t_hierarchy_a.csv", "-o", "h"),
    ],
)
def test_what_is_read_is_not_written(folder, arguments):
    Path("h").mkdir()
    named = ("h/t_hierarchy_a.csv", "o.labels.json", "o.sensitive.csv")
    for name in (*named, "o.manifest.json", "o.statement.md"):
        if name in arguments:
            Path(name).write_text("not read")
    arguments = [text.format(folder=folder.name) for text in arguments]
    fails(folder, *arguments, "--force", match="an output apart from its source")


def test_save_replaces_nothing_unless_told_so(tmp_path):
    schema = Schema((Column(name="a"),))
    domain = Domain.from_dict({"a": ["x", "y"]})
    for thing in (schema, domain):
        path = tmp_path / type(thing).__name__
        thing.save(path)
        with pytest.raises(OutputError, match=r"which exists\. Give --force"):
            thing.save(path)
        thing.save(path, force=True)
        assert type(thing).load(path) == thing


def test_save_of_a_synthesizer_replaces_nothing_unless_told_so(tmp_path):
    table = Path(tmp_path / "t.csv")
    table.write_text("a,b\n" + "x,1\ny,2\n" * 20)
    fitted = CoclusterSynthesizer(k=10, n_iterations=1, random_state=0).fit(table)
    fitted.save(tmp_path / "m")
    before = (tmp_path / "m").read_bytes()
    with pytest.raises(OutputError, match=r"which exists\. Give --force"):
        fitted.save(tmp_path / "m")
    fitted.save(tmp_path / "m", force=True)
    assert (tmp_path / "m").read_bytes() == before


@pytest.mark.parametrize(
    ("there", "arguments"),
    [
        ("o.manifest.json", ("synth", TABLE)),
        ("o.statement.md", ("sample", MODEL)),
        ("o.manifest.json", ("demo", TABLE)),
        ("o.labels.json", ("synth", TABLE)),
        ("o.labels.json", ("dp", TABLE, *EPSILON, DOMAIN)),
        ("o.manifest.json", ("anonymize", TABLE, "--k", "2")),
        ("o.labels.json", ("anatomy", TABLE, "--l", "2")),
        ("o.labels.json", ("perturb", TABLE, "--pram", "a")),
        ("o.transitions.json", ("perturb", TABLE, "--swap", "a")),
        ("o.transitions.json", ("synth", TABLE)),
    ],
)
def test_a_table_is_not_put_beside_what_tells_of_another(folder, there, arguments):
    Path(there).write_text("describes another table")
    fails(folder, *arguments, "-o", "o.csv", "--force", match=(there, "Choose"))


@pytest.mark.parametrize(
    ("command", "report"),
    [
        (("synth", TABLE), "o.csv"),
        (("synth", TABLE), "./o.manifest.json"),
        (("anonymize", TABLE, "--k", "2"), "o.labels.json"),
        (("perturb", TABLE, "--pram", "a"), "o.csv"),
        (("dp", TABLE, *EPSILON, DOMAIN), "o.csv"),
        (("dp", TABLE, *EPSILON, DOMAIN), "../{folder}/o.statement.md"),
    ],
)
def test_a_report_replaces_no_release(folder, command, report):
    report = report.format(folder=folder.name)
    asked = (*command, "-o", "o.csv", "--report", report)
    fails(folder, *asked, match="Expected a folder for the report that is no file")
