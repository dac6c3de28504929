import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.experiments import edit, run, write_config

from coclust_synth import CoclusterSynthesizer
from experiments import plain_along_k
from experiments.datasets import split_rows
from experiments.figures import figure_along_k
from experiments.run import config_hash, main, read_config

CONFIG = """
experiment = "plain_along_k"
seeds = [0, 1]
n_draws = 2
marginals = ["grid", "cluster"]
k = ["best", 20, "n"]
orders = [1, 2]

[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"
columns = ["colour", "size", "age", "town"]

[split]
train = 0.8
seed = 0

[fit]
n_iterations = 4
"""
ROOT = Path(__file__).parents[3]
TIMES = ["fit_seconds", "fit_cpu_seconds", "draw_seconds", "draw_cpu_seconds"]


@pytest.fixture
def config(tmp_path):
    """A config beside its table: 600 rows whose columns depend on each other."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 600)
    frame = pd.DataFrame(
        {
            "age": 20 + 20 * group + rng.integers(0, 15, 600),
            "colour": np.array(["red", "green", "blue"])[group],
            "size": np.array(["small", "large"])[(group + rng.integers(0, 2, 600)) % 2],
            "town": np.char.add(
                "t", ((group + rng.integers(0, 9, 600)) % 12).astype(str)
            ),
            "unused": rng.integers(0, 3, 600),
        }
    )
    return write_config(tmp_path, frame, CONFIG)


@pytest.mark.slow
def test_smoke_writes_everything_and_says_what_ran(config, capsys):
    folder, rows = run(config, "--smoke")
    assert capsys.readouterr().out.strip() == str(folder)
    assert sorted(path.name for path in folder.iterdir()) == [
        "config.toml",
        "environment.json",
        "figure.png",
        "figure.svg",
        "rows.csv",
    ]
    assert (folder / "config.toml").read_bytes() == config.read_bytes()
    assert tuple(rows.columns) == plain_along_k.COLUMNS
    plain = rows[rows["method"] == "plain"]
    assert len(plain) == 2 * 2 * 2  # marginals, k, orders
    assert len(rows) == len(plain) + 3 * 2  # references, orders
    assert set(rows["status"]) == {"ok"}
    assert set(plain["n_rows"]) == {400}
    assert set(plain["iterations"]) == {3}
    measures = rows[["total_variation", "real_vs_synthetic_auc", "membership_auc"]]
    assert ((measures >= 0) & (measures <= 1)).all(axis=None)
    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    assert environment["smoke"] is True
    assert environment["config"] == plain_along_k.smoke(read_config(config))
    assert folder.name == config_hash(environment["config"])
    assert (environment["n_rows"], environment["n_failed"]) == (len(rows), 0)
    assert environment["cores"] >= 1
    assert environment["versions"]["numpy"] == np.__version__


@pytest.mark.slow
def test_rows_are_one_for_each_thing_tried(config):
    _, rows = run(config)
    tried = rows[["method", "seed", "marginals", "k", "order"]]
    assert len(rows) == len(tried.drop_duplicates()) == 2 * (2 * 3 + 3) * 2
    independent = rows[rows["k"] == "n"]
    assert set(independent["row_clusters"]) == {1}
    best = rows[(rows["k"] == "best") & (rows["order"] == 2)]
    assert best["total_variation"].max() < independent["total_variation"].max() / 2
    assert (rows[rows["k"] == "20"]["smallest_cluster"] >= 20).all()


@pytest.mark.slow
def test_areas_of_a_thing_tried_are_in_the_rows_of_all_orders(config):
    _, rows = run(config)
    areas = ["real_vs_synthetic_auc", "membership_auc"]
    of_thing = rows.groupby(["method", "seed", "marginals", "k"], dropna=False)[areas]
    assert (of_thing.nunique() == 1).all(axis=None)


@pytest.mark.slow
def test_references_are_what_they_say(config):
    _, rows = run(config)
    rows = rows[rows["order"] == 2].set_index("method")
    fresh, copy = rows.loc["fresh real rows"], rows.loc["bootstrap copy"]
    independent = rows.loc["independent columns"]
    assert set(fresh["n_rows"]) == {120}
    assert set(copy["n_rows"]) == set(independent["n_rows"]) == {480}
    assert copy["membership_auc"].min() > independent["membership_auc"].max()
    assert copy["total_variation"].max() < independent["total_variation"].min()


@pytest.mark.slow
def test_runs_can_be_repeated(config):
    folder, first = run(config)
    svg = (folder / "figure.svg").read_bytes()
    again, second = run(config)
    assert again == folder
    assert (folder / "figure.svg").read_bytes() == svg
    pd.testing.assert_frame_equal(first.drop(columns=TIMES), second.drop(columns=TIMES))
    (folder / "rows.csv").unlink()
    edit(config, "seeds = [0, 1]", "seeds = [1]")
    _, alone = run(config)
    of_seed = first[first["seed"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        of_seed.drop(columns=TIMES), alone.drop(columns=TIMES)
    )


def test_hash_ignores_comments_only(config):
    before = config_hash(read_config(config))
    edit(config, "seeds = [0, 1]", "seeds = [0, 1]  # two")
    assert config_hash(read_config(config)) == before
    edit(config, "n_draws = 2", "n_draws = 3")
    assert config_hash(read_config(config)) != before


@pytest.mark.slow
def test_failed_draws_are_rows(config, capsys):
    edit(config, '"best", 20, "n"', '"best", 5000')
    _, rows = run(config, code=1)
    failed = rows[rows["status"] == "failed"]
    assert set(failed["k"]) == {"5000"} and len(failed) == 2 * 2 * 2
    assert failed["error"].str.startswith("ParameterError: Expected k").all()
    assert (
        failed["total_variation"].isna().all() and failed["fit_seconds"].notna().all()
    )
    assert "8 rows are failures" in capsys.readouterr().err


@pytest.mark.slow
def test_failed_fits_are_rows(config, monkeypatch):
    def fit(self, table):
        if self.marginals == "grid":
            raise ZeroDivisionError("no")
        return original(self, table)

    original = CoclusterSynthesizer.fit
    monkeypatch.setattr(plain_along_k, "_load_kernels", lambda: None)
    monkeypatch.setattr(CoclusterSynthesizer, "fit", fit)
    _, rows = run(config, code=1)
    failed = rows[rows["status"] == "failed"]
    assert len(rows) == 36 and set(failed["marginals"]) == {"grid"}
    assert len(failed) == 12 and set(failed["error"]) == {"ZeroDivisionError: no"}


@pytest.mark.slow
def test_references_that_cannot_be_measured_are_failures(config):
    edit(config, ', "age", "town"', "")
    _, rows = run(config, code=1)
    assert len(rows) == 36 and set(rows["status"]) == {"failed"}
    assert rows["error"].str.contains("unique rows in the training table").all()


@pytest.mark.slow
def test_categories_of_the_holdout_alone_count_as_missing(config):
    path = config.parent / "small.csv"
    table = pd.read_csv(path)
    rare = np.arange(0, 500, 25)
    table.loc[rare, "colour"] = [f"colour {row}" for row in rare]
    table.to_csv(path, index=False)
    edit(config, 'sha256 = "', '# sha256 = "')
    train, holdout = split_rows(table.head(500), train=0.8, seed=0)
    assert not set(holdout["colour"]) <= set(train["colour"])
    _, rows = run(config, "--smoke")
    assert set(rows["status"]) == {"ok"}


@pytest.mark.slow
def test_figure_of_failures_alone_is_empty(config):
    edit(config, '"best", 20, "n"', "5000")
    _, rows = run(config, code=1)
    figure = figure_along_k(rows[rows["status"] == "failed"])
    assert not any(panel.has_data() for panel in figure.axes)


@pytest.mark.slow
def test_figure_has_a_line_for_each_marginals(config):
    _, rows = run(config, "--smoke")
    panels = figure_along_k(rows).axes
    assert [panel.get_title() for panel in panels] == [
        "total variation, order 1",
        "total variation, order 2",
        "real or synthetic, AUC of boosting",
        "member or not, AUC of the nearest row",
    ]
    for panel in panels:
        assert panel.get_legend_handles_labels()[1] == [
            'marginals="grid"',
            'marginals="cluster"',
            "fresh real rows",
            "bootstrap copy",
            "independent columns",
        ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"plain_along_k"', '"other"', "to be one of 'k_anonymity', 'plain_along_k'"),
        ("n_draws = 2", "", "Expected a config with"),
        ("n_draws = 2", "n_draws = ", "config in TOML"),
        ("n_iterations", "iterations", "arguments of CoclusterSynthesizer"),
        ("train = 0.8", "train = 1.2", "share for training"),
        ("small.csv", "absent.csv", "no such file"),
        ('"age"', '"wage"', "without wage"),
        ('name = "small"', 'names = "small"', "name and path of the dataset"),
        ('sha256 = "', 'sha256 = "0', "Expected sha256 0"),
    ],
)
def test_what_cannot_run_is_an_error(config, capsys, old, new, message):
    edit(config, old, new)
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (config.parent / "out").exists()


def test_published_rows_draw_their_figure():
    rows = pd.read_csv(ROOT / "experiments/published/plain_along_k/rows.csv")
    assert tuple(rows.columns) == plain_along_k.COLUMNS
    titles = [panel.get_title() for panel in figure_along_k(rows).axes]
    assert titles[:3] == [f"total variation, order {order}" for order in (1, 2, 3)]


@pytest.mark.parametrize("folder", ["configs", "experiments/published"])
def test_no_file_names_a_place_of_a_machine(folder):
    files = [p for p in (ROOT / folder).rglob("*") if p.suffix != ".png"]
    assert any(path.is_file() for path in files)
    for path in filter(lambda path: path.is_file(), files):
        assert not re.search(r"[\"'= ]/\w", path.read_text(encoding="utf-8")), path
