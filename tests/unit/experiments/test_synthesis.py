import numpy as np
import pandas as pd
import pytest
from support.experiments import edit, run, write_config

from experiments import synthesis
from experiments.drawing import STYLES
from experiments.run import main

CONFIG = """
experiment = "synthesis"
figure = "plain"
seeds = [0, 1]
n_draws = 2
measures = ["distances", "membership", "protection", "learning"]
classifiers = ["bayes", "khiops"]
targets = ["colour"]
domain = ""
panels = [["k", "total variation, 2"], ["membership", "total variation, 2"]]

[methods]
thesis = [20, 100]
cart = [5]
"latent classes" = [3]

[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"

[split]
train = 0.8
seed = 0

[fit]
binning = "heaped"
bins = 5
n_iterations = 2
"""


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A config beside its table: 500 rows whose columns depend on each other."""
    monkeypatch.setitem(__import__("sys").modules, "khiops.core.exceptions", None)
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 500)
    frame = pd.DataFrame(
        {
            "age": 20 + 20 * group + rng.integers(0, 15, 500),
            "colour": np.array(["red", "green", "blue"])[group],
            "town": np.char.add(
                "t", ((group + rng.integers(0, 9, 500)) % 12).astype(str)
            ),
            "street": np.char.add("s", rng.integers(0, 40, 500).astype(str)),
        }
    )
    return write_config(tmp_path, frame, CONFIG)


@pytest.mark.slow
def test_rows_are_one_for_each_method_number_and_measure(config):
    folder, rows = run(config)
    assert tuple(rows.columns) == ("task", *synthesis.COLUMNS, "status", "error")
    skipped = rows[rows["status"] == "skipped"]
    assert set(skipped["measure"]) == {"learning, khiops"}
    assert skipped["error"].str.contains("pip install khiops").all()
    rows = rows[rows["status"] == "ok"]
    keys = ["method", "value", "seed", "measure", "of"]
    assert not rows.duplicated(keys).any()
    found = rows.set_index(["method", "seed"]).groupby("measure")["mean"]
    means = {name: some.groupby("method").mean() for name, some in found}
    # The whole real table teaches what independent columns cannot.
    assert means["AUC, bayes"]["real rows"] > 0.9
    assert means["AUC, bayes"]["independent columns"] < 0.65
    assert means["AUC, bayes"]["thesis"] > 0.8
    two = means["total variation, 2"]
    assert two["bootstrap copy"] < two["independent columns"]
    assert two["cart"] < two["independent columns"] > two["latent classes"]
    assert set(means["membership"].index) == {
        "fresh real rows",
        "bootstrap copy",
        "independent columns",
        *("thesis", "cart", "latent classes"),
    }
    # Drawing is the same again, and of one seed the same alone.
    (folder / "rows.csv").unlink()
    edit(config, "seeds = [0, 1]", "seeds = [1]")
    (config.parent / "out" / "try" / folder.name).rename(config.parent / "before")
    _, alone = run(config)
    alone = alone[alone["status"] == "ok"].set_index(keys)["mean"]
    pd.testing.assert_series_equal(
        rows[rows["seed"] == 1].set_index(keys)["mean"], alone
    )


def made_rows():
    """Rows as they are read again: two methods, two numbers, one reference."""
    lines = []
    for measure, factor in (("total variation, 2", 1), ("membership", 2)):
        for method, number, value in (
            ("fresh real rows", None, None),
            ("thesis", "k", 20),
            ("thesis", "k", 100),
            ("latent classes", "classes", 8),
        ):
            mean = factor * (value or 1) / 200
            lines.append((method, number, value, measure, None, mean, "ok"))
    names = ["method", "number", "value", "measure", "of", "mean", "status"]
    return pd.DataFrame(lines, columns=names)


def test_a_figure_has_lines_along_k_and_maps_of_two_measures():
    panels = [["k", "total variation, 2"], ["membership", "total variation, 2"]]
    along, on_map = synthesis.figure(made_rows(), {"panels": panels}).axes
    names = {text.get_text() for text in along.texts}
    assert names == {STYLES["thesis"].label, "fresh real rows"}
    assert along.get_xscale() == "log"
    names = {text.get_text() for text in on_map.texts}
    labels = {STYLES[m].label for m in ("thesis", "latent classes", "fresh real rows")}
    assert names == labels | {"20", "100"}


def test_what_no_row_has_is_no_panel():
    panels = [["epsilon", "total variation, 2"], ["k", "uniques drawn"]]
    assert synthesis.figure(made_rows(), {"panels": panels}).axes == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("cart = [5]", "carts = [5]", "methods to be one of 'real rows'"),
        ("cart = [5]", "dpcocgen = [1]", "Expected a domain for the method 'dpcocgen'"),
        ('"protection"', '"protected"', "measures to be one of 'distances'"),
        ('"bayes"', '"bays"', "classifiers to be one of 'bayes'"),
        ('["colour"]', '["color"]', "Did you mean 'colour'?"),
        ("n_iterations = 2", "iterations = 2", "arguments of MODLCoclustering"),
    ],
)
def test_what_cannot_run_is_an_error(config, capsys, old, new, message):
    edit(config, old, new)
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (config.parent / "out").exists()
