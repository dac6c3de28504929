"""`anonymize --method`: the baselines beside the generator."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, run, succeeds
from support.people import people

from coclust_synth.baselines.mdav import anonymizer as mdav
from coclust_synth.baselines.mdav.groups import DEFAULT_ITERATIONS
from coclust_synth.cli import anonymizers
from coclust_synth.tables.generalized.table import GeneralizedTable

QI = "age,job,town,sex"
LATTICE = ("flash", "incognito", "samarati", "datafly")
CUTS = ("tds", "bug")
HIERARCHICAL = (*LATTICE, *CUTS)
ALL = (*HIERARCHICAL, "mondrian", "mdav", "suppress", "micro")
SEARCH = ("--iterations", "3")  # where there is a co-clustering

HIERARCHIES = {
    "age": [
        (str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*")
        for age in range(20, 50)
    ],
    "job": [(job, "*") for job in ("cook", "nurse", "smith")],
    "town": [(town, "ABC" if town in "ABC" else "DEF", "*") for town in "ABCDEF"],
    "sex": [("F", "*"), ("M", "*")],
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a table and hierarchies of its columns in it."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    (tmp_path / "levels").mkdir()
    for name, lines in HIERARCHIES.items():
        text = "".join(";".join(line) + "\n" for line in lines)
        (tmp_path / "levels" / f"people_hierarchy_{name}.csv").write_text(text)
    return tmp_path


def arguments(method, *options, k=6, output="out.csv"):
    search = SEARCH if method in (*HIERARCHICAL, "micro") else ()
    return (
        *("anonymize", "people.csv", "-o", output, "--k", k, "--qi", QI),
        *("--sensitive", "disease", "--method", method, *search, *options),
    )


def anonymize(method, *options, **more):
    """What the command tells of a release, which is at ``out.csv``."""
    given = arguments(method, *options, "--json", "--force", **more)
    return json.loads(succeeds(*given))


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
def test_a_release_passes_the_check(folder, method):
    told = anonymize(method)
    asked = ("--qi", QI, "--sensitive", "disease", "--k", 6, "--json")
    result = run("check", "out.csv", *asked)
    assert result.exit_code == 0 and json.loads(result.stdout)["holds"]
    assert told["method"] == method and told["rows"] == 120
    assert told["k"]["reached"] >= 6 and told["classes"] >= 1
    if method != "micro":
        assert told["covered_cells"] == 1 and told["perturbed_rows"] == 0
    assert sorted(pd.read_csv("out.csv")["disease"]) == sorted(people()["disease"])


@pytest.mark.slow
@pytest.mark.parametrize("method", ALL)
def test_equal_commands_give_equal_bytes(folder, method):
    anonymize(method)
    first = files_in(folder)
    anonymize(method)
    assert files_in(folder) == first


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hybrid", "coc", "coc_hg", *LATTICE])
def test_suppressed_rows_read_the_same_in_every_column_and_come_last(folder, method):
    # The ten rows of baker and smith are of one disease each, the others of two.
    job = np.repeat(["cook", "nurse", "baker", "smith"], [20, 20, 5, 5])
    disease = np.append(["x", "y"] * 20, np.repeat(["x", "y"], 5))
    table = pd.DataFrame({"job": job, "land": "FR", "disease": disease})
    table.to_csv("people.csv", index=False)
    lines = "".join(f"{name};any job\n" for name in sorted(set(job)))
    Path("levels/people_hierarchy_job.csv").write_text(lines)
    qi = ["job", "land"]
    given = ("--k", 5, "--qi", "job,land", "--sensitive", "disease")
    given = (*given, "--l-diversity", "distinct:2")
    result = run(
        *("anonymize", "people.csv", "-o", "out.csv", "--method", method, "--json"),
        *(*given, "--hierarchies", "levels", "--suppression", 0.2, *SEARCH),
    )
    told = json.loads(result.stdout)
    n_suppressed = told["suppressed_rows"]
    assert n_suppressed == 10
    cells = pd.read_csv("out.csv", dtype=str)[qi]
    assert (cells[-n_suppressed:] == "*").all(axis=None)
    assert (cells["land"][:-n_suppressed] == "FR").all()
    result = run("check", "out.csv", *given, "--suppressed", "*", "--json")
    checked = json.loads(result.stdout)
    assert result.exit_code == 0 and checked["suppressed"] == n_suppressed
    assert checked["classes"] == told["classes"]
    read = GeneralizedTable.load("out.csv")
    assert read.suppressed.sum() == n_suppressed
    pd.testing.assert_frame_equal(read.to_frame()[qi], cells)


@pytest.mark.parametrize("method", LATTICE)
def test_the_recoding_is_told(folder, method):
    options = ("--hierarchies", "levels", "--suppression", 0.1)
    told = anonymize(method, *options)
    released = GeneralizedTable.load("out.csv")
    table = people()
    level = told["node"]
    assert tuple(level) == tuple(QI.split(","))
    assert told["suppressed_rows"] <= 12 and told["metric"] == "loss"
    assert told["bound"] <= told["score"] and told["checks"] >= 1
    kept = released.to_frame()[~released.suppressed]
    for name, lines in HIERARCHIES.items():
        labels = {line[level[name]] for line in lines}
        assert set(kept[name].astype(str)) <= labels
    assert len(table) - told["suppressed_rows"] == len(kept)


@pytest.mark.parametrize("method", CUTS)
@pytest.mark.parametrize("target", [(), ("--target", "disease")])
def test_the_cuts_are_told(folder, method, target):
    told = anonymize(method, "--hierarchies", "levels", *target)
    labels = pd.read_csv("out.csv", dtype=str)[QI.split(",")].nunique().to_dict()
    assert list(told["nodes"]) == QI.split(",") and told["steps"] >= 1
    assert all(labels[name] <= n for name, n in told["nodes"].items())
    assert told["target"] == (target[1] if target else None)
    assert told["k"]["reached"] >= 6 and told["suppressed_rows"] == 0


@pytest.mark.slow
def test_flash_is_best_by_the_metric_asked_for(folder):
    options = ("--hierarchies", "levels", "--suppression", 0.1)
    for metric in ("loss", "dm", "precision", "entropy"):
        scores = {
            method: anonymize(method, *options, "--metric", metric)["score"]
            for method in LATTICE
        }
        assert scores["flash"] == scores["incognito"] == min(scores.values())


@pytest.mark.slow
def test_hierarchies_that_are_not_given_are_derived(folder):
    (folder / "levels" / "people_hierarchy_town.csv").unlink()
    told = anonymize("flash", "--hierarchies", "levels", "--suppression", 0.1)
    assert told["node"]["age"] <= 2 and told["k"]["reached"] >= 6
    assert anonymize("flash")["k"]["reached"] >= 6


@pytest.mark.slow
@pytest.mark.parametrize("method", [*HIERARCHICAL, "mondrian"])
def test_models_hold_beside_k(folder, method):
    told = anonymize(method, "--l-diversity", "distinct:3", k=4)
    asked = ("--qi", QI, "--sensitive", "disease", "--k", 4, "--json")
    result = run("check", "out.csv", *asked, "--l-diversity", "distinct:3")
    assert json.loads(result.stdout)["holds"] and told["k"]["reached"] >= 4


@pytest.mark.slow
def test_mondrian_for_a_target(folder):
    told = anonymize("mondrian", "--split", "infogain", "--target", "disease")
    assert told["k"]["reached"] >= 6
    shared = anonymize("mondrian", "--relaxed")
    assert shared["k"]["reached"] >= 6 and shared["classes"] >= told["classes"]


@pytest.mark.slow
def test_centroids_are_single_values(folder):
    told = anonymize("mdav", "--centroids")
    released = GeneralizedTable.load("out.csv")
    assert all((column.sizes == 1).all() for column in released.columns)
    assert told["covered_cells"] < 1 and told["k"]["reached"] >= 6
    ages = people()["age"]
    assert abs(released.to_frame()["age"].astype(int).mean() - ages.mean()) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "options", "match"),
    [
        ("mondrian", ("--metric", "dm"), ("--metric", "'flash'", "Leave it out")),
        ("hybrid", ("--metric", "dm"), ("method 'hybrid'", "--metric")),
        ("flash", ("--truthful",), ("--truthful", "'hybrid'")),
        ("mdav", ("--l-diversity", "distinct:2"), ("--l-diversity", "Leave it out")),
        ("mdav", ("--hierarchies", "levels"), ("--hierarchies", "Leave it out")),
        ("mdav", ("--suppression", 0.1), ("--suppression", "Leave it out")),
        ("flash", ("--suppression", 1.5), ("share from 0 to 1", "Received 1.5")),
        ("flash", ("--metric", "beauty"), "--metric"),
        ("flash", ("--hierarchies", "no"), ("folder of hierarchies", "Check the path")),
        ("flash", ("--l-diversity", "distinct:5"), ("distinct l = 4", "less")),
        ("mondrian", ("--split", "infogain"), "target"),
        ("mondrian", ("--split", "infogain", "--target", "age"), "target"),
        ("mondrian", ("--split", "infogain", "--target", "no"), "'no'"),
        ("tds", ("--target", "age"), "target"),
        ("bug", ("--target", "no"), "'no'"),
        ("tds", ("--suppression", 0.1), ("--suppression", "Leave it out")),
        ("bug", ("--metric", "dm"), ("--metric", "Leave it out")),
        ("micro", ("--centroids",), ("--centroids", "'mdav'")),
        ("micro", ("--model", "m.json"), ("--model", "'hybrid'", "Leave it out")),
        *((method, ("--k", 121), "number of rows, 120") for method in ALL),
        *((method, ("--k", 1), "from 2 on. Received 1") for method in ALL),
    ],
)
def test_a_bad_option(folder, method, options, match):
    fails(folder, *arguments(method, *options), match=match)


@pytest.mark.parametrize(
    ("options", "expected"), [((), DEFAULT_ITERATIONS), (("--iterations", "2"), 2)]
)
def test_the_search_of_mdav_has_its_own_default(folder, monkeypatch, options, expected):
    asked = []

    def improve(records, classes, k, n_iterations):
        asked.append(n_iterations)
        return classes

    monkeypatch.setattr(mdav, "improve_groups", improve)
    anonymize("mdav", "--improve", *options)
    assert asked == [expected]


def test_a_model_out_of_reach_is_refused_before_hierarchies_are_derived(
    folder, monkeypatch
):
    monkeypatch.setattr(anonymizers, "derive_hierarchies", None)
    fails(folder, *arguments("flash", "--l-diversity", "distinct:5"), match="less")


@pytest.mark.parametrize("method", ALL)
def test_one_row(folder, method):
    people(n=1).to_csv("people.csv", index=False)
    fails(folder, *arguments(method, k=2), match="Received")


def test_a_value_without_a_line(folder):
    path = folder / "levels" / "people_hierarchy_town.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    options = ("--hierarchies", "levels")
    fails(folder, *arguments("flash", *options), match=("'town'", "'F'"))


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--centroids",)])
def test_missing_numbers_are_values_to_mdav(folder, options):
    people().assign(age=people()["age"].where(lambda age: age > 22)).to_csv(
        "people.csv", index=False
    )
    assert anonymize("mdav", *options)["k"]["reached"] >= 6
    assert anonymize("mondrian")["k"]["reached"] >= 6


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, steps",
    [
        ("hybrid", "search, moves"),
        ("coc", "search, splits"),
        ("micro", "search, splits"),
    ],
)
def test_what_the_time_cuts_short_is_said(folder, method, steps):
    succeeds(*arguments(method), *SEARCH, "--force")
    told = json.loads(
        succeeds(*arguments(method), "--force", "--time", "1e-9", "--json")
    )
    assert told["cut_short"] == steps and told["k"]["reached"] >= 6


@pytest.mark.slow
def test_single_cells_are_suppressed(folder):
    given = ("--importance", "sex=1,age=4", "--key-sets", "2", "--key-sets", "age,job")
    told = anonymize("suppress", *given)
    released = pd.read_csv("out.csv", dtype=str)[QI.split(",")]
    n_stars = (released == "*").sum().to_dict()
    assert told["suppressed_by_column"] == n_stars
    assert told["suppressed_cells"] == sum(n_stars.values()) > 0
    assert n_stars["age"] > n_stars["sex"]
    for pair in combinations(QI.split(","), 2):
        assert released[list(pair)].value_counts().min() >= 6
    assert told["k"] == {"asked": 6, "reached": told["k"]["reached"]}
    assert told["k"]["reached"] >= 6
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["guarantee"].startswith("k-anonymity with k = ")
    assert (
        "each of 6 sets of quasi-identifiers (age, job; age, town"
        in manifest["guarantee"]
    )
    asked = manifest["method"]["parameters"]
    assert asked["importance"] == {"sex": 1, "age": 4}
    assert asked["key_sets"] == [2, ["age", "job"]]
    order = anonymize("suppress", "--importance", "sex, town")
    assert order["suppressed_cells"] > told["suppressed_cells"]


def test_sdcmicros_reading_is_told_as_what_it_is(folder):
    told = anonymize("suppress", "--suppressed-as", "any")
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["guarantee"].startswith("Not k-anonymity.")
    assert told["k"]["reached"] >= 6 > told["fewest_rows_that_fit_a_person"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--importance", "sex=0"), "numbers above 0"),
        (("--importance", "sex=high"), "NAME=NUMBER"),
        (("--importance", "age=1,sex"), "Received 'sex'"),
        (("--importance", "age,sex=1"), "Received 'age,sex=1'"),
        (("--importance", "pet=1"), "Received 'pet'"),
        (("--key-sets", "9"), "sets of 1 to 4"),
        (("--key-sets", "pet,sex"), "Received 'pet'"),
    ],
)
def test_wrong_options_of_suppression_end_in_one_line(folder, options, said):
    fails(folder, *arguments("suppress", *options), match=said)
