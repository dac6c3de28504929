"""`synth` of a folder: counted by an engine, written in parts, gone on with."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import joblib
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.commands import run
from support.sources import as_folder, odd_table

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.cli import options
from coclust_synth.cli.plain_folder import _asked_of_columns
from coclust_synth.exceptions import OutputError, ParameterError
from coclust_synth.generators.plain import chunks
from coclust_synth.scale.partial_folder import PartialFolder

COLUMNS = ["town", "flag", "age", "temperature", "born", "written"]
KEEP = ["--keep", "written", "--iterations", "1"]


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.glob("part-*")}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    some = odd_table(900).select(COLUMNS)
    return as_folder(some, tmp_path_factory.mktemp("synth") / "table")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    found = CoclusterSynthesizer(n_iterations=1, random_state=0)
    frame = odd_table(400).select(["town", "age", "kind"]).to_pandas()
    path = tmp_path_factory.mktemp("model") / "saved"
    found.fit(frame).save(path)
    return path


@pytest.fixture(autouse=True)
def small_files(monkeypatch):
    monkeypatch.setattr(chunks, "CHUNK_ROWS", 500)


def filled(folder, model, **options):
    part = PartialFolder(folder, {"n": 2_200})
    part.private(chunks.MODEL).write_bytes(model.read_bytes())
    found = CoclusterSynthesizer.load(model).model_
    chunks.sample_to(found, part, 2_200, seed=0, **options)
    part.finish()
    return files_of(folder)


@pytest.mark.slow
def test_rows_of_all_files_that_break_a_rule_are_counted(tmp_path, monkeypatch):
    """What the files say together, also where some were drawn by an earlier run."""
    some = odd_table(400).select(["town", "age", "born", "written"]).to_pandas()
    fitted = CoclusterSynthesizer(n_iterations=1, random_state=0)
    schema = infer_schema(some).keep("written")
    model = fitted.fit(some, schema).model_
    monkeypatch.setattr(
        type(model.structure), "count_broken", lambda _, rows, pools: [len(rows), None]
    )
    model.save(tmp_path / "saved")
    part = PartialFolder(tmp_path / "out", {"n": 2_200})
    part.private(chunks.MODEL).write_bytes((tmp_path / "saved").read_bytes())
    for _ in range(2):
        chunks.sample_to(model, part, 2_200, seed=0, n_jobs=1)
    files = sorted(part.table.iterdir())
    assert chunks.broken_of(part, files) == [2_200, None]
    assert chunks.broken_of(part, [*files, part.table / "part-9.parquet"]) is None


@pytest.mark.slow
def test_a_folder_in_gives_a_folder(table, tmp_path):
    output = tmp_path / "out"
    done = run("synth", table, "-o", output, "--rows", 1_200, *KEEP, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["rows"], told["table_rows"]) == (1_200, 900)
    names = sorted(path.name for path in output.iterdir())
    assert names == ["_manifest.json", *map(chunks.chunk_name, range(3))]
    drawn = pq.read_table(sorted(output.glob("part-*")))
    assert drawn.num_rows == 1_200
    assert drawn.column_names == COLUMNS
    manifest = json.loads((output / "_manifest.json").read_text())
    assert [file["file"] for file in manifest["files"]] == names[1:]
    kept = [
        {name: rule[name] for name in ("rule", "drawn_broken")}
        for rule in told["rules"]
    ]
    assert manifest["release"]["rules"] == kept != []
    assert os.listdir(tmp_path) == ["out"]
    # Each engine gives the same files; --force replaces a folder of this kind.
    before = files_of(output)
    again = ["synth", table, "-o", output, "--rows", 1_200, *KEEP]
    assert "which holds 4 files" in run(*again).stderr
    done = run(*again, "--engine", "memory", "--force", "--quiet")
    assert done.exit_code == 0 and not done.stdout
    assert files_of(output) == before


@pytest.mark.slow
def test_a_folder_is_fitted_and_its_model_fills_a_folder(table, tmp_path):
    whole, saved, output = (tmp_path / name for name in ("synth", "m.model", "out"))
    rows = ["--rows", 1_200, "--json"]
    assert run("synth", table, "-o", whole, *rows, *KEEP).exit_code == 0
    done = run("fit", table, "-o", saved, "--memory", "200MB", *KEEP, "--json")
    assert done.exit_code == 0, done.output
    asked = ["sample", saved, "-o", output]
    done = run(*asked, *rows, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["rows"] == 1_200
    assert files_of(output) == files_of(whole)
    manifest = json.loads((output / "_manifest.json").read_text())
    assert [file["file"] for file in manifest["files"]] == sorted(files_of(output))
    # As many rows as the table by default, of a coarser grid.
    assert "which holds 4 files" in run(*asked).stderr
    done = run(*asked, "--k", 100, "--force", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["rows"] == 900
    assert len(files_of(output)) == 2
    assert sorted(os.listdir(tmp_path)) == ["m.model", "out", "synth"]


@pytest.mark.slow
def test_a_folder_is_inspected_as_its_rows_are(table, tmp_path):
    done = run("inspect", table, "--json")
    assert done.exit_code == 0, done.output
    counted = json.loads(done.stdout)
    rows = pq.read_table(sorted(table.glob("*.parquet")))
    pq.write_table(rows, tmp_path / "one.parquet")
    assert counted == json.loads(
        run("inspect", tmp_path / "one.parquet", "--json").stdout
    )
    for asked, message in [
        ([table, "--person-id", "town"], "Received --person-id, which needs the rows"),
        ([tmp_path / "calls.duckdb"], "calls.duckdb::TABLE"),
    ]:
        done = run("inspect", *asked)
        assert done.exit_code == 2 and message in done.stderr


@pytest.mark.slow
def test_what_a_folder_of_samples_cannot_be_is_refused(table, model, tmp_path):
    out = tmp_path / "out"
    for arguments, message in [
        (["sample", model, "-o", out, "--given", "town=Ulm"], "--given"),
        (["sample", model, "-o", out, "--rows", 0], "number of rows"),
        (["sample", model, "-o", model.parent, "--force"], "also holds 'saved'"),
        (["fit", table, "-o", out, "--person-id", "town"], "--person-id"),
        (["fit", table, "-o", out, "--memory", "much"], "4GB"),
    ]:
        done = run(*arguments)
        assert done.exit_code == 2 and message in done.stderr, done.output
        assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_any_number_of_workers_gives_the_same_files(model, tmp_path):
    one = filled(tmp_path / "one", model)
    with joblib.parallel_config(backend="threading"):
        assert filled(tmp_path / "three", model, n_jobs=3) == one
    assert [
        len(one),
        sum(pq.read_table(pa.BufferReader(b)).num_rows for b in one.values()),
    ] == [5, 2_200]
    assert len(set(one.values())) == 5


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.slow  # starts Spark
def test_workers_of_spark_write_the_same_files(model, tmp_path, spark):
    seen = []
    found = filled(
        tmp_path / "spark",
        model,
        on_spark=True,
        callback=lambda title, done, n: seen.append((done, n)),
    )
    assert found == filled(tmp_path / "one", model)
    assert seen == [(done, 5) for done in range(1, 6)]


def test_a_stopped_run_is_gone_on_with(model, tmp_path):
    expected = filled(tmp_path / "whole", model)

    def stop(title, done, n):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        filled(tmp_path / "out", model, callback=stop)
    assert not (tmp_path / "out").exists()
    (own,) = tmp_path.glob(".coclust_synth-out.partial")
    assert own.stat().st_mode & 0o777 == 0o700
    seen = []
    filled(tmp_path / "out", model, callback=lambda title, done, n: seen.append(done))
    assert seen == [3, 4, 5] and files_of(tmp_path / "out") == expected
    assert not own.exists()


def test_another_plan_begins_anew(tmp_path):
    first = PartialFolder(tmp_path / "out", {"n": 1})
    first.write("part-0.parquet", lambda: b"1")
    assert os.listdir(PartialFolder(tmp_path / "out", {"n": 1}).table)
    assert not os.listdir(PartialFolder(tmp_path / "out", {"n": 2}).table)


@pytest.mark.parametrize("said", ["drop", "keep", "used", "categorical"])
def test_what_is_said_of_columns_is_part_of_the_plan(said):
    plain = _asked_of_columns(options.Columns())
    assert _asked_of_columns(options.Columns(**{said: ["a", "b"]})) != plain
    swapped = _asked_of_columns(options.Columns(**{said: ["b", "a"]}))
    assert swapped == _asked_of_columns(options.Columns(**{said: ["a", "b"]}))


KILLED = """
    import os, signal, sys
    from pathlib import Path
    from coclust_synth.generators.plain import chunks
    sys.path.insert(0, {tests!r})
    from cli.test_synth_folder import filled
    chunks.CHUNK_ROWS = 500
    def kill(title, done, n):
        if done == 2:
            os.kill(os.getpid(), signal.SIGKILL)
    filled(Path({out!r}), Path({model!r}), callback=kill)
"""


@pytest.mark.slow  # another process
@pytest.mark.parametrize("there", [False, True])
def test_a_killed_run_leaves_the_old_folder_or_none(model, tmp_path, there):
    expected = filled(tmp_path / "whole", model)
    out = tmp_path / "out"
    if there:
        out.mkdir()
        (out / "part-00000.parquet").write_bytes(b"old")
    tests = os.path.dirname(os.path.dirname(__file__))
    code = textwrap.dedent(KILLED).format(tests=tests, out=str(out), model=str(model))
    paths = os.pathsep.join(filter(None, sys.path))
    environment = os.environ | {"PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert files_of(out) == ({"part-00000.parquet": b"old"} if there else {})
    assert filled(out, model) == expected
    assert sorted(os.listdir(tmp_path)) == ["out", "whole"]


def test_what_cannot_be_is_refused_before_any_work(table, tmp_path):
    wrong = [
        (["-o", tmp_path / "out.parquet"], "a folder as output"),
        (["-o", table, "--force"], "apart from its source"),
        (["-o", tmp_path / "out", "--audit"], "--audit"),
        (["-o", tmp_path / "out", "--person-id", "town"], "--person-id"),
        (["-o", tmp_path / "out", "--rows", "0"], "number of rows"),
        (["-o", tmp_path / "out", "--memory", "much"], "4GB"),
        (["-o", tmp_path / "out", "--drop", "age", "--keep", "age"], "both"),
        (["-o", tmp_path / "out", "--schema", tmp_path / "none.toml"], "a schema"),
    ]
    for arguments, message in wrong:
        done = run("synth", table, *arguments)
        assert done.exit_code == 2 and message in done.stderr, done.output
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="Choose another place"):
        PartialFolder(tmp_path / "file" / "out", {})


def test_keys_are_refused(model, tmp_path):
    frame = odd_table(400).select(["town", "age"]).to_pandas()
    frame["id"] = range(400)
    schema = infer_schema(frame).as_key("id")
    found = CoclusterSynthesizer(n_iterations=1, random_state=0).fit(frame, schema)
    with pytest.raises(ParameterError, match="keys, 'id'"):
        chunks.check_no_keys(found.model_)


@pytest.mark.slow
def test_what_is_refused_leaves_nothing_beside_the_output(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    pq.write_table(pa.table({"age": pa.array([], pa.int64())}), empty / "a.parquet")
    result = run("synth", empty, "-o", tmp_path / "out")
    assert result.exit_code == 2 and "Received no row" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]


@pytest.mark.parametrize("command", ["synth", "anonymize", "dp"])
def test_a_folder_that_is_not_there_is_told(command, tmp_path):
    asked = {"anonymize": ("--k", 5), "dp": ("--epsilon", 1, "--domain", "d.toml")}
    result = run(
        command, tmp_path / "none", "-o", tmp_path / "out", *asked.get(command, ())
    )
    assert result.exit_code == 2 and "which is not there" in result.stderr
    assert not list(tmp_path.iterdir())
