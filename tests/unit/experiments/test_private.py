import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score
from support.experiments import edit, run, write_config

from coclust_synth.tables.domain.domain import Domain
from experiments import dpmm_release, private
from experiments import run as runner
from experiments.drawing import STYLES
from experiments.queries import load_queries, relative_errors
from experiments.run import main
from experiments.targets import target_auc
from experiments.tasks import Skipped

CONFIG = """
experiment = "private"
figure = "5.5"
panels = ["hellinger", "query_error", "auc_sex"]
epsilon = [0.1, 5]
n_releases = 3
methods = ["dpcocgen", "laplace simplex", "independent", "bootstrap copy"]
domain = "domain.toml"
queries = "queries.json"
targets = ["sex"]
n_trained = 2

[dataset]
name = "small"
path = "small.csv"
sha256 = "{sha256}"
columns = ["sex", "colour", "size"]

[split]
train = 0.8
seed = 0
"""
DOMAIN = Domain.from_dict(
    {
        "colour": ["red", "green", "blue"],
        "size": {"low": 0, "high": 9, "bins": 5},
        "sex": {"categories": ["F", "M"], "missing": "?"},
    }
)
QUERIES = {
    "query_attributes": ["colour", "size", "sex"],
    "categories": {"colour": ["red", "green", "blue"], "sex": ["F", "M", "?"]},
    "queries": [["110", "10000", "111"], ["001", "01111", "010"]],
}


@pytest.fixture
def table():
    """400 rows whose columns depend on each other."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 400)
    sex = np.where(rng.random(400) < 0.2, group == 0, group == 1)
    return pd.DataFrame(
        {
            "sex": np.where(sex, "F", "M"),
            "colour": np.array(["red", "green", "blue"])[group],
            "size": 3 * group + rng.integers(0, 4, 400),
        }
    )


@pytest.fixture
def config(tmp_path, table):
    """A config beside its table, domain and queries."""
    DOMAIN.save(tmp_path / "domain.toml")
    (tmp_path / "queries.json").write_text(json.dumps(QUERIES), encoding="utf-8")
    return write_config(tmp_path, table, CONFIG)


@pytest.fixture
def no_figure(monkeypatch):
    """No files of the figure, whose layout takes longer than the releases."""
    monkeypatch.setattr(runner, "draw", lambda folder: None)


@pytest.mark.slow
@pytest.mark.noise
def test_rows_are_one_for_each_method_and_epsilon(config):
    _, rows = run(config)
    assert tuple(rows.columns) == ("task", *private.COLUMNS, "status", "error")
    assert set(rows["status"]) == {"ok"}
    assert set(rows["n_rows"]) == {400} and set(rows["n_cells"]) == {45}
    tried = [(row.method, row.epsilon) for row in rows.itertuples() if row.epsilon > 0]
    methods = ["dpcocgen", "laplace simplex", "independent"]
    assert tried == [(m, e) for m in methods for e in (0.1, 5)]
    reference = rows[rows["method"] == "bootstrap copy"]
    assert len(reference) == 1 and reference["epsilon"].isna().all()
    by_method = rows.set_index(["method", "epsilon"])["hellinger"]
    # Noise of scale 1 / 5 in 45 cells of 400 rows, and of scale 10. Distances are .01
    # and .38 with standard deviations of .012 and .065: means of three are on the other
    # side of .1 once in 10^9 times or less, and three are equal to six decimals as
    # rarely. At 5 they are often 0 all three.
    assert by_method["laplace simplex", 5] < 0.1 < by_method["laplace simplex", 0.1]
    deviation = rows.set_index(["method", "epsilon"])["hellinger_sd"]
    assert (deviation >= 0).all() and deviation["laplace simplex", 0.1] > 0
    assert rows["auc_sex"].between(0, 1).all()
    assert reference["auc_sex"].item() > 0.6
    assert rows[["auc_class", "auc_class_sd"]].isna().all(axis=None)


@pytest.mark.slow
def test_a_row_is_the_means_over_its_releases(config, table, no_figure, monkeypatch):
    releases = [table, table.assign(colour="red"), table.assign(sex="M")]
    given = iter([*releases, *releases[:2]])
    monkeypatch.setattr(private, "_load_kernels", lambda method: None)
    monkeypatch.setattr(private, "_release", lambda *of: next(given))
    edit(config, '"dpcocgen", "laplace simplex", ', "")
    edit(config, ', "bootstrap copy"', "")
    edit(config, "[0.1, 5]", "[5]")
    (row,) = run(config)[1].itertuples()
    reds = (table["colour"] == "red").mean()
    females = (table["sex"] == "F").mean()
    distances = [0, (1 - reds) / 3, females / 3]
    assert row.total_variation_1 == pytest.approx(np.mean(distances), abs=1e-6)
    assert row.total_variation_1_sd == pytest.approx(np.std(distances), abs=1e-6)
    # The joint distribution of all three columns is their margin of order 3.
    counts = [r.groupby(["sex", "colour", "size"]).size() / 400 for r in releases]
    cells = pd.concat(counts, axis=1).fillna(0).reset_index("size")
    cells["size"] = np.minimum(cells["size"] // 1.8, 4)
    roots = np.sqrt(cells.groupby(["sex", "colour", "size"]).sum())
    hellinger = [np.sqrt(((roots[0] - roots[i]) ** 2).sum() / 2) for i in range(3)]
    assert row.hellinger == pytest.approx(np.mean(hellinger), abs=1e-6)
    assert row.released_rows == 400 and row.released_rows_sd == 0


def test_queries_count_the_rows_that_all_masks_keep(tmp_path, table):
    path = tmp_path / "queries.json"
    path.write_text(json.dumps(QUERIES), encoding="utf-8")
    domain = DOMAIN.select(table.columns)  # sex first: not the order of the file
    queries = load_queries(path, domain)
    drawn = table.head(100)
    kept = [
        lambda t: t["colour"].isin(["red", "green"]) & (t["size"] < 1.8),
        lambda t: (t["colour"] == "blue") & (t["size"] >= 1.8) & (t["sex"] == "M"),
    ]
    expected = [
        abs(4 * keep(drawn).sum() - keep(table).sum()) / keep(table).sum()
        for keep in kept
    ]
    assert all(keep(table).sum() > 0 for keep in kept) and max(expected) > 0
    found = relative_errors(queries, domain.encode(table), domain.encode(drawn))
    np.testing.assert_allclose(found, expected)


def test_small_counts_do_not_divide_an_error():
    queries = [np.array([[True, False]])]
    real, drawn = np.ones((2000, 1), int), np.ones((1000, 1), int)
    drawn[:3] = 0
    # 0 rows of 2,000; 3 of 1,000 are 6 of 2,000; 0.1 % of 2,000 is 2.
    np.testing.assert_allclose(relative_errors(queries, real, drawn), [3])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"query_attributes": ["colour", "size", "town"]}, "queries about colour"),
        ({"categories": {"sex": ["M", "F", "?"]}}, "cells of 'sex'"),
        ({"queries": [["11", "10000", "111"]]}, "3 cells of 'colour'"),
    ],
)
def test_queries_of_another_domain_are_an_error(config, capsys, changed, message):
    path = config.parent / "queries.json"
    path.write_text(json.dumps(QUERIES | changed), encoding="utf-8")
    edit(config, '"sex", "colour", "size"', '"colour", "size", "sex"')
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.noise
def test_without_the_file_of_queries_their_column_is_empty(config, no_figure):
    (config.parent / "queries.json").unlink()
    _, rows = run(config, "--smoke")
    assert set(rows["status"]) == {"ok"} and rows["query_error"].isna().all()


@pytest.mark.slow
def test_target_auc_weighs_values_by_their_share(rng):
    codes = rng.integers(0, 3, (900, 3))
    codes[:, 0] = np.where(rng.random(900) < 0.6, codes[:, 1], codes[:, 0])
    domain = Domain.from_dict({"sex": list("FMX"), "a": list("abc"), "b": list("abc")})
    found = target_auc(domain, codes[:600], codes[600:], "sex")
    # Best possible scores: a value is as likely as it is with each value of a.
    table = np.zeros((3, 3))
    np.add.at(table, (codes[:600, 1], codes[:600, 0]), 1)
    scores = (table / table.sum(axis=1, keepdims=True))[codes[600:, 1]]
    expected = roc_auc_score(
        codes[600:, 0], scores, multi_class="ovr", average="weighted"
    )
    assert found == pytest.approx(expected, abs=0.03) and expected > 0.7


def test_target_auc_of_a_release_that_lacks_values():
    domain = Domain.from_dict({"sex": ["F", "M", "X"], "a": ["a", "b"]})
    holdout = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [2, 0], [2, 1]])
    assert target_auc(domain, holdout[:2], holdout, "sex") == 0.5
    released = np.repeat([[0, 0], [1, 1]], 100, axis=0)
    # Each of two values above all others but one of X, tied; X is told by nothing.
    area = (3 + 0.5 * 2 / 2) / 4
    assert target_auc(domain, released, holdout, "sex") == pytest.approx(
        (area + area + 0.5) / 3
    )


@pytest.mark.slow
@pytest.mark.noise
def test_what_a_method_cannot_do_is_a_failure(config, no_figure):
    edit(config, "[0.1, 5]", "[0.1, -1]")
    edit(config, '["sex"]', "[]")
    _, rows = run(config, "--smoke", code=1)
    failed = rows[rows["status"] == "failed"]
    assert set(failed["epsilon"]) == {-10} and len(failed) == 3
    assert failed["error"].str.contains("psilon").all()
    panels = {"panels": ["hellinger", "query_error", "auc_sex"]}
    assert private.figure(failed, panels).axes == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"independent"', '"magic"', "method to be one of 'dpcocgen'"),
        ('["sex"]\nn_t', '["colour"]\nn_t', "target to be one of 'sex'"),
        ('["sex"]\nn_t', '["class"]\nn_t', "'class'"),
        ('"domain.toml"', '"domian.toml"', "Expected a domain in the file"),
    ],
)
def test_what_cannot_run_is_an_error(config, capsys, old, new, message):
    edit(config, old, new)
    assert main([str(config), "-o", str(config.parent / "out")]) == 2
    assert message in capsys.readouterr().err
    assert not (config.parent / "out").exists()


@pytest.mark.slow
@pytest.mark.noise
def test_figure_has_a_line_for_each_method(config, no_figure):
    measures = ["hellinger", "query_error", "auc_relationship"]
    panels = private.figure(run(config)[1], {"panels": measures}).axes
    assert [panel.get_ylabel()[:9] for panel in panels] == ["Hellinger", "count que"]
    methods = ["dpcocgen", "laplace simplex", "independent", "bootstrap copy"]
    for panel in panels:
        labels = {text.get_text() for text in panel.texts}
        assert labels == {STYLES[method].label for method in methods}


def test_dpmm_needs_an_interpreter_of_its_own(monkeypatch):
    monkeypatch.delenv(dpmm_release.PYTHON, raising=False)
    frame, domain = pd.DataFrame({"a": ["x", "y"]}), Domain.from_dict({"a": ["x", "y"]})
    with pytest.raises(Skipped, match="DPMM_PYTHON"):
        dpmm_release.DpmmRelease(1.0, domain, model="aim").fit(frame)


def test_dpmm_gets_codes_and_gives_them_back(monkeypatch):
    """A stand-in that gives back the rows it gets, and a domain of sizes."""
    script = (
        "import json, shutil, sys; asked = json.load(open(sys.argv[1]));"
        "assert asked['domain'] == {'x0': 2, 'x1': 3} and asked['model'] == 'mst';"
        "shutil.copy(asked['table'], asked['output'])"
    )
    monkeypatch.setenv(dpmm_release.PYTHON, sys.executable)
    monkeypatch.setattr(dpmm_release, "_SCRIPT", script)
    domain = Domain.from_dict({"a": ["x", "y"], "b": ["u", "v", "w"]})
    frame = pd.DataFrame({"a": ["y", "x"] * 3, "b": ["w", "u", "v"] * 2})
    method = private.METHODS["mst dpmm"](0.5, domain)
    pd.testing.assert_frame_equal(method.fit(frame).sample(), frame, check_dtype=False)
