import json
import math

import pandas as pd
import pytest

from benchmarks import khiops
from benchmarks.against_khiops import main

FILES = "cases.csv environment.json figure.png seeds.csv table.md traces.csv".split()


@pytest.mark.slow
def test_the_command_writes_everything(tmp_path, capsys):
    names = ["iris_data_grid", "adult_five", "iris_id_part"]
    options = ["--seeds", "2", "--seconds", "0.3", "--khiops-seconds", "0"]
    folder = tmp_path / "out"
    assert main(["--only", *names, *options, "-o", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["iris_data_grid", "iris_id_part"]
    assert err == "adult_five is left out: it needs --adult\n"
    assert sorted(path.name for path in folder.iterdir()) == FILES
    cases = pd.read_csv(folder / "cases.csv")
    assert cases["published_cost"].tolist() == [1164.273132, 5647.855077]
    assert cases["khiops_cost"].isna().all()
    seeds = pd.read_csv(folder / "seeds.csv")
    assert seeds["seed"].tolist() == [0, 1, 0, 1]
    traces = pd.read_csv(folder / "traces.csv")
    lowest = traces[traces["case"] == "iris_data_grid"].groupby("seed")["cost"].min()
    assert all(math.isclose(cost, 1164.273132, rel_tol=1e-9) for cost in lowest)
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert environment["settings"] == {
        "seeds": 2,
        "seconds": 0.3,
        "khiops_seconds": 0.0,
    }
    assert len(environment["load_average"]) == 3
    assert "khiops" not in environment["versions"]
    assert "Iris, terciles" in (folder / "table.md").read_text(encoding="utf-8")


@pytest.fixture
def at_once(monkeypatch):
    """Times do not matter: kernels are loaded when they are called."""
    monkeypatch.setattr("benchmarks.against_khiops.load_kernels", lambda: None)


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_khiops_is_left_out_where_it_is_not_installed(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(khiops, "is_installed", lambda: False)
    options = ["--only", "iris_data_grid", "--seeds", "1", "--seconds", "0.1"]
    assert main([*options, "-o", str(tmp_path)]) == 0
    assert "Khiops is left out: pip install" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
def test_a_failure_of_khiops_leaves_the_rest(tmp_path, capsys, monkeypatch):
    def fail(problem, **options):
        raise khiops.KhiopsError("no licence")

    monkeypatch.setattr(khiops, "is_installed", lambda: True)
    monkeypatch.setattr(khiops, "run_khiops", fail)
    monkeypatch.setattr("benchmarks.against_khiops.version", lambda name: "11")
    options = ["--only", "iris_data_grid", "--seeds", "1", "--seconds", "0.1"]
    assert main([*options, "-o", str(tmp_path)]) == 1
    assert "iris_data_grid: no licence" in capsys.readouterr().err
    assert len(pd.read_csv(tmp_path / "cases.csv")) == 1


@pytest.mark.parametrize(
    ("option", "value"), [("--seeds", "0"), ("--seconds", "-1"), ("--adult", "none")]
)
def test_wrong_options_are_refused_at_once(tmp_path, capsys, option, value):
    assert main([option, value, "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("Error: Expected ")
    assert not (tmp_path / "out").exists()
