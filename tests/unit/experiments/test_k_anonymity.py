import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.experiments import edit, run, write_config

from coclust_synth import HybridKAnonymizer
from coclust_synth.evaluation.distances.hellinger import joint_hellinger_distances
from coclust_synth.evaluation.generalisation.losses import arx_loss
from coclust_synth.exceptions import ParameterError
from experiments import k_anonymity
from experiments.anonymizers import METHODS
from experiments.configs import EXPERIMENTS
from experiments.drawing import STYLES
from experiments.hand_made import hand_made_hierarchies
from experiments.run import main

CONFIG = """
experiment = "k_anonymity"
figure = "4.8"
panels = ["loss_set", "hellinger", "cm", "orders", "columns"]
seeds = [0, 1]
k = [4, 30]
methods = ["hybrid", "hybrid truthful", "coc"]
sensitive = ["health"]

[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"

[domain_sizes]
town = 20

[hierarchies]

[fit]
n_iterations = 3
"""
ROOT = Path(__file__).parents[3]
TIMES = ["fit_seconds", "fit_cpu_seconds", "seconds", "cpu_seconds"]


@pytest.fixture(scope="module")
def table():
    """300 rows whose columns depend on each other."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 300)
    return pd.DataFrame(
        {
            "age": 20 + 20 * group + rng.integers(0, 15, 300),
            "colour": np.array(["red", "green", "blue"])[group],
            "town": np.array([f"t{i}" for i in range(12)])[
                (group + rng.integers(0, 9, 300)) % 12
            ],
            "health": rng.choice(["good", "bad"], 300),
        }
    )


@pytest.fixture
def config(tmp_path, table):
    """A config beside its table."""
    return write_config(tmp_path, table, CONFIG)


@pytest.fixture(scope="module")
def rows(tmp_path_factory, table):
    """Of a run of the config as it is."""
    return run(write_config(tmp_path_factory.mktemp("done"), table, CONFIG))[1]


@pytest.mark.slow
def test_rows_are_one_for_each_thing_tried(rows):
    assert tuple(rows.columns) == ("task", *k_anonymity.COLUMNS, "status", "error")
    assert len(rows) == len(rows.groupby(["method", "seed", "k"])) == 3 * 2 * 2
    assert set(rows["status"]) == {"ok"} and set(rows["n_rows"]) == {300}
    assert (rows["smallest_class"] >= rows["k"]).all()
    np.testing.assert_allclose(
        rows["c_avg"], 300 / rows["classes"] / rows["k"], atol=1e-6
    )
    truthful = rows["method"] == "hybrid truthful"
    assert (rows.loc[truthful, "covered_cells"] == 1).all()
    assert (rows.loc[truthful, "perturbed_rows"] == 0).all()
    assert (rows.loc[~truthful, "perturbed_rows"] > 0).any()
    assert (rows.groupby("seed")[["fit_seconds"]].nunique() == 1).all(axis=None)
    # Three quasi-identifiers: three pairs, one triple, nothing above.
    means = (3 * rows["hellinger_2"] + rows["hellinger_3"]) / 4
    np.testing.assert_allclose(rows["hellinger"], means, atol=2e-6)
    assert rows[["hellinger_4", "hellinger_5", "hellinger_6"]].isna().all(axis=None)
    single = [text.split("=")[1] for text in rows["by_column"][0].split()]
    assert np.mean([*map(float, single)]) == pytest.approx(
        rows["hellinger_1"][0], abs=2e-6
    )


@pytest.mark.slow
def test_a_row_is_of_the_release_of_its_method(config, table, monkeypatch):
    releases = []

    def fit_transform(self, frame):
        releases.append((self.k, self.fit(frame).release_))
        return releases[-1][1]

    monkeypatch.setattr(HybridKAnonymizer, "fit_transform", fit_transform)
    edit(config, '"hybrid", "hybrid truthful", "coc"', '"hybrid truthful"')
    edit(config, "[0, 1]", "[1]")
    _, rows = run(config)
    releases = releases[-2:]  # one before may have loaded the kernels
    own = []
    assert [k for k, _ in releases] == list(rows["k"]) == [4, 30]
    for (_, release), row in zip(releases, rows.itertuples(), strict=True):
        sizes = release.class_sizes
        assert (row.classes, row.smallest_class) == (len(sizes), sizes.min())
        assert row.dm == (sizes**2).sum() and row.suppressed_rows == 0
        assert row.arx_loss == pytest.approx(arx_loss(release, {"town": 20}), abs=1e-6)
        own.append(arx_loss(release))
        distances = joint_hellinger_distances(table, release)["hellinger"]
        assert row.hellinger == pytest.approx(distances.mean(), abs=1e-6)
        majorities = (
            release.others.groupby(release.class_codes)["health"]
            .agg(lambda values: values.value_counts().max())
            .sum()
        )
        assert row.cm == pytest.approx(1 - majorities / 300, abs=1e-6)
    # Towns that nobody is from count, where those of a class are not all one.
    assert (rows["arx_loss"] - own).abs().max() > 1e-3


@pytest.mark.slow
def test_runs_can_be_repeated(rows, config):
    _, again = run(config)
    pd.testing.assert_frame_equal(rows.drop(columns=TIMES), again.drop(columns=TIMES))


@pytest.mark.slow
def test_smoke_and_no_sensitive_column(config):
    edit(config, 'sensitive = ["health"]', "sensitive = []")
    edit(config, '"hybrid", "hybrid truthful", "coc"', '"hybrid intervals", "coc_hg"')
    _, rows = run(config, "--smoke")
    assert list(rows["k"]) == [20] * 2 and set(rows["seed"]) == {0}
    assert rows["cm"].isna().all() and rows["hellinger_4"].notna().all()
    titles = [panel.get_ylabel() for panel in figure_of(rows).axes]
    assert "classification metric" not in titles and len(titles) == 4


@pytest.mark.slow
def test_what_a_method_cannot_do_is_a_failure(config, capsys):
    edit(config, "[4, 30]", "[30, 301]")
    _, rows = run(config, code=1)
    failed = rows[rows["status"] == "failed"]
    assert set(failed["k"]) == {301} and len(failed) == 6
    assert failed["error"].str.startswith("ParameterError: Expected k up to").all()
    assert failed["loss_set"].isna().all()
    assert "6 rows are failures" in capsys.readouterr().err
    assert figure_of(failed).axes == []


def figure_of(rows):
    panels = ["loss_set", "hellinger", "cm", "orders", "columns"]
    return k_anonymity.figure(rows, {"panels": panels})


BASELINES = [
    name for name in METHODS if not name.startswith(("hybrid", "coc", "synth"))
]


def write_hierarchies(folder):
    """Hierarchies of ARX of the quasi-identifiers; the colour's has another name."""
    (folder / "levels").mkdir()
    for name, lines in {
        "age": [(str(age), f"{age // 20 * 20} on", "*") for age in range(20, 80)],
        "color": [("red", "*"), ("green", "*"), ("blue", "*")],
        "town": [(f"t{i}", "early" if i < 6 else "late", "*") for i in range(12)],
    }.items():
        text = "".join(";".join(line) + "\n" for line in lines)
        (folder / "levels" / f"small_hierarchy_{name}.csv").write_text(text)


@pytest.mark.slow
def test_every_baseline_releases_the_table(config):
    write_hierarchies(config.parent)
    names = ", ".join(f'"{name}"' for name in BASELINES)
    edit(config, '"hybrid", "hybrid truthful", "coc"', names)
    edit(config, "[0, 1]", "[0]")
    given = '[hierarchies]\nfolder = "levels"\nattributes = { colour = "color" }'
    edit(config, "[hierarchies]", given)
    _, rows = run(config)
    assert set(rows["status"]) == {"ok"} and len(rows) == 2 * len(BASELINES)
    kept = rows[rows["suppressed_rows"] == 0]
    assert (kept["smallest_class"] >= kept["k"]).all()
    assert (rows["suppressed_rows"] <= 3).all()
    recoded = rows[rows["node"].notna()].set_index(["method", "k"])
    assert (recoded["bound"] <= recoded["score"]).all()
    score = recoded["score"]
    assert (score["flash 1 %"] <= score["flash"]).all()
    assert (score["flash 1 %"] <= score["samarati"]).all()
    assert (score["flash 1 %"] <= score["datafly"]).all()
    single = rows["method"].isin(["mdav centroids", "micro"])
    assert (rows.loc[~single, "covered_cells"] == 1).all()


def test_missing_values_are_apart_in_hierarchies_that_lack_them(tmp_path, table):
    write_hierarchies(tmp_path)
    table["town"] = table["town"].where(table["town"] != "t3")
    settings = {"folder": "levels"}
    found = hand_made_hierarchies(settings, table, tmp_path)
    assert list(found) == ["age", "town"]
    assert found["town"].leaves[-1] is None and found["town"].height == 2
    codes = found["town"].node_of(1)
    assert (codes == codes[-1]).sum() == 1
    with pytest.raises(ParameterError, match="Expected folder"):
        hand_made_hierarchies(settings | {"file": "a"}, table, tmp_path)
    assert hand_made_hierarchies({}, table, tmp_path) == {}


@pytest.mark.slow
def test_hand_made_hierarchies_that_there_are_not(config):
    edit(config, '"hybrid", "hybrid truthful", "coc"', '"flash"')
    _, rows = run(config, code=1)
    assert rows["error"].str.startswith("ParameterError: Expected hierarchies").all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[hierarchies]", '[hierarchies]\nfolder = "no"', "Check the path"),
        ('"coc"', '"mondriaan"', "method to be one of 'hybrid'"),
        ('["health"]', '["heath"]', "Did you mean 'health'?"),
        ("town = 20", "twon = 20", "Did you mean 'town'?"),
        (
            "n_iterations = 3",
            "iterations = 3",
            "arguments of MODLCoclustering in [fit]",
        ),
        ('[dataset]\nname = "small"', "[dataset]", "name and path of the dataset"),
        ("k = [4, 30]", "", "Expected a config with"),
    ],
)
def test_what_cannot_run_is_an_error(config, capsys, old, new, message):
    edit(config, old, new)
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (config.parent / "out").exists()


@pytest.mark.slow
def test_figure_has_a_line_for_each_method(config):
    _, rows = run(config, "--smoke")
    panels = figure_of(rows).axes
    assert [panel.get_title() for panel in panels] == ["", "", "", "k = 20", "k = 20"]
    for panel in panels:
        labels = {text.get_text() for text in panel.texts}
        assert labels == {STYLES[m].label for m in ("hybrid", "hybrid truthful", "coc")}


@pytest.mark.slow
def test_synthetic_rows_stand_beside_releases(config):
    edit(config, '"hybrid", "hybrid truthful", "coc"', '"synth"')
    _, rows = run(config, "--smoke")
    assert set(rows["status"]) == {"ok"} and (rows["smallest_class"] < 20).all()
    # Drawn from clusters of twenty, each column keeps its own distribution nearly.
    assert (rows["hellinger_1"] < 0.2).all() and (rows["loss_set"] == 0).all()


PUBLISHED = sorted((ROOT / "experiments" / "published").glob("*/rows.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.parent.name)
def test_published_rows_draw_their_figure(path, tmp_path):
    environment = path.with_name("environment.json")
    config = json.loads(environment.read_text(encoding="utf-8"))["config"]
    rows = pd.read_csv(path)
    experiment = EXPERIMENTS[config["experiment"]]
    assert set(experiment.COLUMNS) <= set(rows) or "task" not in rows
    panels = experiment.figure(rows, config).axes
    assert panels and all(panel.has_data() for panel in panels)
