"""The runner, by an experiment that takes no time."""

import json
import re
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from support.experiments import edit, run, write_config

from experiments import configs, datasets, figures
from experiments.adult import ADULT, adult_csv, find_adult
from experiments.configs import CONFIGS, Config, find_configs, read_config
from experiments.datasets import Source, checked_file, split_rows
from experiments.run import main
from experiments.tasks import Fit, Skipped, Task, run_fit, run_task

CONFIG = """
experiment = "toy"
figure = "1.2"
numbers = [1, 2, 3]

[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"
columns = ["a", "b"]
"""
ROOT = Path(__file__).parents[3]
CALLS = []


def double(number, source):
    """Two rows of a number; some numbers stand for what goes wrong."""
    CALLS.append(number)
    if number == 13:
        raise ZeroDivisionError("no")
    if number == 14:
        raise Skipped("toys are not installed: pip install toys")
    if number == 15:
        time.sleep(5)
    train, _ = source.tables()
    return [{"twice": 2 * number, "n": len(train)}, {"twice": -2 * number, "n": 0}]


def draw(rows, config):
    figure = Figure()
    figure.subplots().plot(rows["task"], rows["twice"])
    return figure


def tasks(config, directory, _fits):
    source = Source(config["dataset"], str(directory))
    source.tables()
    return [Task({"number": n}, double, (n, source)) for n in config["numbers"]]


TOY = SimpleNamespace(
    KEYS={"numbers"},
    COLUMNS=("number", "twice", "n"),
    smoke=lambda config: {"numbers": config["numbers"][:1]},
    tasks=tasks,
    figure=draw,
)


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setitem(configs.EXPERIMENTS, "toy", TOY)
    CALLS.clear()
    table = pd.DataFrame({"a": list("xyxy"), "b": list("uuvv"), "c": [1, 2, 3, 4]})
    return write_config(tmp_path, table, CONFIG)


def test_a_file_is_read_once_whatever_is_kept_of_it(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    read, reads = datasets.read_table, []
    monkeypatch.setattr(
        datasets, "read_table", lambda path: reads.append(path) or read(path)
    )
    settings = {"name": "t", "path": "t.csv"}
    whole = datasets.load_dataset(settings, tmp_path)
    whole["a"] = 0
    kept = settings | {"columns": ["a"], "rows": 1}
    assert datasets.load_dataset(kept, tmp_path).to_dict("list") == {"a": [1]}
    assert len(reads) == 1


@pytest.mark.slow
def test_a_run_writes_everything_and_says_what_ran(config, capsys):
    folder, rows = run(config)
    assert f"{folder}: 6 rows" in capsys.readouterr().out
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.toml",
        "environment.json",
        "figure.png",
        "figure.svg",
        "rows.csv",
    ]
    assert (folder / "config.toml").read_bytes() == config.read_bytes()
    assert list(rows) == ["task", "number", "twice", "n", "status", "error"]
    assert list(rows["twice"]) == [2, -2, 4, -4, 6, -6]
    assert set(rows["status"]) == {"ok"}
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert environment["config"] == read_config(config).content
    assert (environment["n_rows"], environment["failed"]) == (6, 0)
    assert environment["cpu_seconds"] >= 0 and environment["cores"] >= 1
    assert environment["versions"]["numpy"] == np.__version__


@pytest.mark.slow
def test_smoke_is_a_tiny_size_elsewhere(config):
    folder, rows = run(config, "--smoke")
    assert list(rows["number"]) == [1, 1]
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert environment["config"]["dataset"]["rows"] == 500
    assert read_config(config).folder(folder.parents[1]) != folder


@pytest.mark.slow
def test_what_has_run_is_not_run_again(config):
    folder, rows = run(config)
    assert CALLS == [1, 2, 3]
    # A run that was cut short in its last task.
    lines = (folder / "rows.csv").read_text(encoding="utf-8").splitlines(True)
    (folder / "rows.csv").write_text("".join(lines[:5]), encoding="utf-8")
    (folder / "figure.png").unlink()
    _, again = run(config)
    assert CALLS == [1, 2, 3, 3]
    pd.testing.assert_frame_equal(rows, again)
    assert (folder / "figure.png").exists()
    run(config)
    assert CALLS == [1, 2, 3, 3]


@pytest.mark.slow
def test_what_goes_wrong_is_a_row(config, capsys):
    edit(config, "[1, 2, 3]", "[1, 13, 14, 15]")
    _, rows = run(config, "--time-limit", "0.2", code=1)
    assert list(rows["status"]) == ["ok", "ok", "failed", "skipped", "timeout"]
    assert list(rows["error"][2:]) == [
        "ZeroDivisionError: no",
        "toys are not installed: pip install toys",
        "more than 0.2 s",
    ]
    assert rows["twice"][2:].isna().all()
    told = capsys.readouterr()
    assert "2 rows, 1 failed, 1 timeout, 1 skipped" in told.out
    assert "2 rows are failures or time-outs" in told.err


@pytest.mark.slow
def test_what_went_wrong_is_tried_again_if_asked(config, monkeypatch):
    edit(config, "[1, 2, 3]", "[1, 14]")
    run(config)  # what is skipped is no failure
    run(config)
    assert CALLS == [1, 14]
    _, rows = run(config, "--retry")
    assert CALLS == [1, 14, 14] and list(rows["status"]) == ["ok", "ok", "skipped"]


@pytest.mark.slow
def test_two_processes_write_the_same_rows(config):
    edit(config, "[1, 2, 3]", "[3, 14, 2]")
    _, alone = run(config)
    edit(config, "[3, 14, 2]", "[3, 14, 2 ]")
    (config.parent / "out").rename(config.parent / "before")
    _, together = run(config, "--jobs", "2")
    pd.testing.assert_frame_equal(alone, together)


def test_the_folder_is_of_content_table_and_version(config, tmp_path, monkeypatch):
    def folder():
        return read_config(config).folder(tmp_path)

    before = folder()
    edit(config, "[1, 2, 3]", "[1, 2, 3]  # three")
    assert folder() == before
    edit(config, "[1, 2, 3]", "[1, 2]")
    fewer = folder()
    edit(config, "sha256 =", "#")
    assert len({before, fewer, folder()}) == 3
    without = folder()
    (config.parent / "small.csv").write_text("a,b\nx,u\n", encoding="utf-8")
    assert folder() != without
    of_table = folder()
    monkeypatch.setattr(configs, "__version__", "0")
    assert folder() != of_table


@pytest.mark.slow
def test_what_is_the_same_in_two_configs_is_done_once(config, capsys):
    text = config.read_text(encoding="utf-8")
    other = config.with_name("zother.toml")
    other.write_text(text.replace("[1, 2, 3]", "[4, 3, 2]"), encoding="utf-8")
    output = config.parent / "out"
    assert main([str(config.parent), "-o", str(output)]) == 0
    assert sorted(CALLS) == [1, 2, 3, 4]
    (rows,) = map(pd.read_csv, output.glob("zother/*/rows.csv"))
    assert list(rows["twice"]) == [8, -8, 6, -6, 4, -4]
    # Of a run before, too.
    other.write_text(text.replace("[1, 2, 3]", "[3, 1]"), encoding="utf-8")
    assert main([str(config.parent), "-o", str(output)]) == 0
    assert len(CALLS) == 4


@pytest.mark.slow
def test_figures_are_drawn_again_from_rows_alone(config, capsys):
    folder, _ = run(config)
    first = (folder / "figure.svg").read_bytes()
    (folder / "figure.svg").write_text("")
    config.unlink()
    (config.parent / "small.csv").unlink()
    assert figures.main([str(config.parent)]) == 0
    assert (folder / "figure.svg").read_bytes() == first
    assert figures.main([str(config.parent / "no")]) == 2
    assert "Expected rows.csv" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"toy"', '"other"', "experiment to be one of 'hierarchies', 'k_anonymity'"),
        ("numbers", "figures", "Expected a config with dataset, experiment, figure"),
        ("[1, 2, 3]", "", "config in TOML"),
        ("small.csv", "absent.csv", "no such file"),
        ('"b"', '"bee"', "without bee"),
        ('name = "small"', 'names = "small"', "name and path of the dataset"),
        ('sha256 = "', 'sha256 = "0', "Expected sha256 0"),
    ],
)
def test_what_cannot_run_is_an_error(config, capsys, old, new, message):
    edit(config, old, new)
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (config.parent / "out").exists()


@pytest.mark.parametrize("option", ["--jobs=0", "--time-limit=-1"])
def test_no_processes_and_no_time_are_errors(config, capsys, option):
    assert main([str(config), "-o", str(config.parent / "out"), option]) == 2
    assert "Expected" in capsys.readouterr().err
    assert not (config.parent / "out").exists()


@pytest.mark.slow
def test_a_folder_stands_for_its_configs(config, capsys):
    other = config.with_name("also.toml")
    other.write_bytes(config.read_bytes())
    config.with_name("domain.toml").write_text("[age]\nlow = 0\n", encoding="utf-8")
    assert find_configs(str(config.parent)) == [other, config]
    assert main([str(config.parent), "-o", str(config.parent / "out")]) == 0
    assert "also" in capsys.readouterr().out
    (config.parent / "empty").mkdir()
    assert main([str(config.parent / "empty")]) == 2


def test_every_config_of_the_project_can_be_read_and_names_its_figure():
    paths = find_configs("all")
    assert len(paths) > 30 and all(path.parent == CONFIGS for path in paths)
    found = [read_config(path) for path in paths]
    assert len({config.content["figure"] for config in found}) == len(found)
    assert all(isinstance(config, Config) for config in found)


def test_split_is_random_and_exact():
    frame = pd.DataFrame({"a": range(10)})
    train, holdout = split_rows(frame, train=0.8, seed=0)
    assert sorted([*train["a"], *holdout["a"]]) == list(range(10)) and len(train) == 8
    assert list(train["a"]) != sorted(train["a"])
    with pytest.raises(ValueError, match="share for training"):
        split_rows(frame, train=1.2, seed=0)


def test_adult_is_the_same_file_from_openml(tmp_path, monkeypatch):
    """What OpenML has: dashes in names, categories, missing values as such."""
    text = "age,native_country,class\n39,United-States,<=50K\n50,?,>50K\n"
    frame = pd.DataFrame(
        {
            "age": [39, 50],
            "native-country": pd.Categorical(["United-States", None]),
            "class": pd.Categorical(["<=50K", ">50K"]),
        }
    )
    assert adult_csv(frame) == text
    monkeypatch.setenv(ADULT, str(tmp_path / "adult.csv"))
    with pytest.raises(ValueError, match="no such file"):
        find_adult()
    (tmp_path / "adult.csv").write_text(text, encoding="utf-8")
    assert find_adult() == tmp_path / "adult.csv"
    settings = {"name": "adult", "path": "adult"}
    assert checked_file(settings, tmp_path)[0] == tmp_path / "adult.csv"


def test_a_fit_is_made_once_and_kept(tmp_path):
    table = pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
    table.to_csv(tmp_path / "t.csv", index=False)
    source = Source({"name": "t", "path": "t.csv"}, str(tmp_path))
    fit = Fit(source, ("a",), {"n_iterations": 1}, 0)
    assert run_fit(fit, tmp_path / "fits") > 0
    changed = fit.path(tmp_path / "fits").stat().st_mtime_ns
    model, took = fit.load(tmp_path / "fits")
    assert model.feature_names_in_ == ["b"] and took["fit_cpu_seconds"] > 0
    assert fit.path(tmp_path / "fits").stat().st_mtime_ns == changed
    assert fit._replace(seed=1).path(tmp_path) != fit.path(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Source({"name": "t", "path": "../t.csv"}, str(tmp_path / "elsewhere"))
    assert fit._replace(source=elsewhere).path(tmp_path) == fit.path(tmp_path)
    # What cannot be fitted is told by the tasks that need it.
    bad = fit._replace(without=("a", "b"))
    run_fit(bad, tmp_path / "fits")
    done = run_task(Task({"k": 1}, bad.load, (tmp_path / "fits",)))
    assert done.rows[0]["status"] == "failed"


@pytest.mark.parametrize("folder", ["configs", "experiments/published"])
def test_no_file_names_a_place_of_a_machine(folder):
    files = [p for p in (ROOT / folder).rglob("*") if p.suffix not in (".png", ".svg")]
    assert any(path.is_file() for path in files)
    for path in filter(lambda path: path.is_file(), files):
        assert not re.search(r"[\"'= ]/\w", path.read_text(encoding="utf-8")), path
