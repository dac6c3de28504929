"""Experiments of single figures of the thesis, and the table of its printed values."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.ensemble import HistGradientBoostingClassifier
from support.experiments import run, write_config

from coclust_synth import GeneralizationHierarchy
from coclust_synth.generators.dp.adaptive import adaptive, budget
from coclust_synth.modl.data_grid.data_grid import Records
from coclust_synth.tables.domain.domain import Domain
from experiments import hierarchies, levels, thesis
from experiments.configs import find_configs
from experiments.run import main

DATASET = """
[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"
"""
FIT = """
[fit]
binning = "quantile"
bins = 5
n_iterations = 2
"""


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 400)
    town = (group + rng.integers(0, 9, 400)) % 6
    sex = np.where(rng.random(400) < 0.2, group == 0, group == 1)
    return pd.DataFrame(
        {
            "colour": np.array(["red", "green", "blue"])[group],
            "town": np.char.add("t", town.astype(str)),
            "sex": np.where(sex, "F", "M"),
        }
    )


@pytest.mark.slow
def test_populations_grow_along_the_hierarchy(tmp_path, table):
    text = 'experiment = "populations"\nfigure = "3.7"\nseeds = [0]\nsplit = {{}}\n'
    _, rows = run(write_config(tmp_path, table, text + DATASET + FIT))
    assert rows["row_clusters"].is_monotonic_decreasing
    assert rows["smallest_cluster"].is_monotonic_increasing
    assert rows["row_clusters"].iloc[-1] == 1
    assert set(rows["n_rows"]) == {400} == {rows["smallest_cluster"].iloc[-1]}
    assert (rows["smallest_cluster"] <= rows["largest_cluster"]).all()


@pytest.mark.slow
def test_hierarchies_are_written_value_by_value(tmp_path, table):
    (tmp_path / "levels").mkdir()
    lines = "".join(f"t{i};{'low' if i < 3 else 'high'};*\n" for i in range(6))
    (tmp_path / "levels" / "small_hierarchy_town.csv").write_text(lines)
    text = (
        'experiment = "hierarchies"\nfigure = "4.7"\nseeds = [0]\n'
        'columns = ["town", "sex"]\n'
        'hierarchies = {{ folder = "levels" }}\n'
    )
    _, rows = run(write_config(tmp_path, table, text + DATASET + FIT))
    town = rows[rows["column"] == "town"]
    assert set(town["way"]) == {"derived", "hand-made"}
    assert town.groupby("way")["value"].nunique().to_dict() == {
        "derived": 6,
        "hand-made": 6,
    }
    assert town["agreement"].between(0, 1).all() and town["agreement"].nunique() == 1
    assert set(rows.loc[rows["column"] == "sex", "way"]) == {"derived"}


def test_agreement_counts_triples_joined_in_the_same_order():
    def lines(*pairs):
        made = [(value, node, "*") for value, node in pairs]
        return hierarchies._lines(GeneralizationHierarchy.from_lines("x", made))

    one = lines(("a", "ab"), ("b", "ab"), ("c", "cd"), ("d", "cd"))
    other = lines(("a", "ab"), ("b", "ab"), ("c", "c"), ("d", "d"))
    # Of four triples of the hand-made tree, each joins two first.
    assert hierarchies._agreement({"derived": one, "hand-made": one}) == 1
    assert hierarchies._agreement({"derived": other, "hand-made": one}) == 0.5


def test_levels_merge_until_few_enough_cells():
    records = Records(
        codes=np.array([[0, 0], [1, 1], [2, 1]]),
        counts=np.ones(3, dtype=np.int64),
        labels=(np.array([0, 1, 2, 2]), np.array([0, 1])),
        numeric=(False, False),
    )
    merges = np.array([[0, 1, 2], [1, 0, 1], [0, 0, 1]])
    assert [p.tolist() for p in levels._parts(records, merges, 6)] == [
        [0, 1, 2, 2],
        [0, 1],
    ]
    assert [p.tolist() for p in levels._parts(records, merges, 3)] == [
        [0, 1, 1, 1],
        [0, 0],
    ]


@pytest.mark.slow
@pytest.mark.noise
def test_levels_are_distances_of_releases(tmp_path, table):
    domain = {name: sorted(table[name].unique()) for name in table}
    Domain.from_dict(domain).save(tmp_path / "domain.toml")
    text = (
        'experiment = "levels"\nfigure = "5.4"\nepsilon = [50]\nn_releases = 2\n'
        'cells = [1]\ndomain = "domain.toml"\n'
    )
    _, rows = run(write_config(tmp_path, table, text + DATASET))
    assert list(rows["level"]) == ["baseline", "default", "finest", "1"] * 2
    assert rows["hellinger"].between(0, 1).all()
    by_level = rows.groupby("level")["hellinger"].mean()
    # One cell is rows spread evenly over all columns; noise of scale 1 / 50 is none.
    assert by_level["baseline"] < 0.05 < 0.2 < by_level["1"]
    assert set(rows.loc[rows["level"] == "1", "n_cells"]) == {1}


def test_printed_values_stand_beside_ours(tmp_path, capsys):
    lines = [
        ("real rows", None, f"{what}, bayes", target, value)
        for target in [*thesis.TABLE_3_5, "mean"]
        for what, value in (("AUC", 0.8), ("ACC", 0.7))
    ]
    lines += [
        ("thesis", k, "AUC, bayes", target, 0.8 - k / 100_000)
        for k in thesis.KS
        for target in [*thesis.TABLE_3_5, "mean"]
    ]
    lines.append(("thesis uneven", 1042, "AUC, bayes", "mean", 0.79))
    rows = pd.DataFrame(lines, columns=["method", "value", "measure", "of", "mean"])
    folder = tmp_path / "table_3_5" / "0"
    folder.mkdir(parents=True)
    rows.assign(status="ok").to_csv(folder / "rows.csv", index=False)
    config = {"config": {"dataset": {}}}
    (folder / "environment.json").write_text(json.dumps(config), encoding="utf-8")
    assert thesis.main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert (
        "| table 3.5 | ACC of sex, original (bayes) | 0.774 | 0.7 | -0.074 |" in printed
    )
    (drop,) = (line for line in printed if "drop of mean AUC, k = 461 (bayes)" in line)
    assert drop.endswith("| 0.01156 | 0.00461 | -0.006946 |")
    (drop,) = (line for line in printed if "k = 1042, small clusters" in line)
    assert drop.endswith("| 0.02178 | 0.01 | -0.01178 |")
    assert "| table 3.5 | nine targets (khiops) |  | not run |  |" in printed
    (following,) = (line for line in printed if line.startswith("| 4.5 | next k"))
    assert "not run" in following
    # A run at a tiny size is none.
    config["config"]["dataset"]["rows"] = 500
    (folder / "environment.json").write_text(json.dumps(config), encoding="utf-8")
    assert thesis.main([str(tmp_path)]) == 0
    assert "ACC of sex" not in capsys.readouterr().out


@pytest.mark.slow
def test_everything_runs_at_a_tiny_size(tmp_path, capsys, monkeypatch):
    # Laying pictures out takes as long as what is in them; other tests write some.
    monkeypatch.setattr(Figure, "savefig", lambda _, path, **of: Path(path).touch())
    # So does boosting, whose figures are not looked at here: three trees will do.
    fit = HistGradientBoostingClassifier.fit
    monkeypatch.setattr(
        HistGradientBoostingClassifier,
        "fit",
        lambda self, *given: fit(self.set_params(max_iter=3), *given),
    )
    # And rounds of private fits: one is like another.
    monkeypatch.setattr(budget, "_MAX_ROUNDS", 2)
    for fit_of in ("_FIRST_FIT", "_FIT", "_LAST_FIT"):
        monkeypatch.setattr(adaptive, fit_of, 2)
    code = main(["all", "--smoke", "-o", str(tmp_path)])
    if code == 2 and "UCI Adult" in capsys.readouterr().err:
        pytest.skip("UCI Adult is not there")
    rows = pd.concat(map(pd.read_csv, tmp_path.glob("*/*/rows.csv")))
    bad = rows[~rows["status"].isin(["ok", "skipped"])]
    assert code == 0, bad["error"].tolist()
    figures = list(tmp_path.glob("*/*/figure.png"))
    assert len(figures) == len(find_configs("all"))


def test_the_published_table_is_that_of_the_published_rows(capsys):
    """It had fallen behind them: rows were run again, and the table was not."""
    published = Path(thesis.__file__).parent / "published"
    assert thesis.main([str(published)]) == 0
    assert capsys.readouterr().out == (published / "thesis.md").read_text("utf-8")
