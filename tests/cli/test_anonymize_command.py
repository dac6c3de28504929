"""`anonymize`: the tables that it releases, and how it fails."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from naive.privacy import hierarchical_distance
from support.commands import fails, files_in, run, succeeds
from support.evaluations import make_quick
from support.people import people

from coclust_synth import HybridKAnonymizer
from coclust_synth.evaluation import mean_joint_hellinger
from coclust_synth.generators.kanon.classes import sweeping
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchy_formats import read_json
from coclust_synth.tables.reading.bundled import bundled_table

FAST = ("--iterations", "3")
QI = "age,job,town,sex"
SENSITIVE = ("--sensitive", "disease")


def anonymize(*options, output="out.csv", k=6):
    """What the command tells of a release, which is at `output`."""
    given = ("--k", k, "--qi", QI, "--json", "--force")
    given += () if "mondrian" in options else FAST
    return json.loads(
        succeeds("anonymize", "people.csv", "-o", output, *given, *options)
    )


def check(*options, output="out.csv", k=6, code=0):
    asked = ("--qi", QI, "--k", k, *options, "--json")
    result = run("check", output, *asked)
    assert result.exit_code == code, result.stdout + result.stderr
    return json.loads(result.stdout)


# What is released


@pytest.mark.slow
def test_the_release_is_that_of_the_class_with_its_labels(folder):
    told = anonymize(*SENSITIVE)
    anonymizer = HybridKAnonymizer(
        6,
        quasi_identifiers=QI.split(","),
        sensitive=["disease"],
        n_iterations=3,
        random_state=0,
    )
    expected = anonymizer.fit_transform("people.csv")
    released = GeneralizedTable.load("out.csv")
    pd.testing.assert_frame_equal(released.to_frame(), expected.to_frame())
    assert released.sidecar()["columns"] == expected.sidecar()["columns"]
    written = ["out.csv", "out.labels.json", "out.manifest.json"]
    assert sorted(files_in(folder)) == [*written, "people.csv"]
    assert list(pd.read_csv("out.csv")) == ["age", "job", "town", "sex", "disease"]
    assert sorted(pd.read_csv("out.csv")["disease"]) == sorted(people()["disease"])
    assert told["dropped"] == "days" and told["quasi_identifiers"] == "age, job, " + (
        "town, sex"
    )


@pytest.mark.slow
def test_the_summary_says_what_was_done(folder):
    told = anonymize(*SENSITIVE)
    sizes = pd.read_csv("out.csv").groupby(QI.split(",")).size()
    assert told["k"] == {"asked": 6, "reached": sizes.min()} and sizes.min() >= 6
    assert told["classes"] == len(sizes) and told["rows"] == sizes.sum() == 120
    assert told["discernibility"] == (sizes**2).sum()
    assert told["c_avg"] == pytest.approx(120 / len(sizes) / 6)
    assert 0 < told["information_loss"] < 1 and told["suppressed_rows"] == 0
    # A row has four cells: those that are not covered are one to four of its own.
    lacking = round(120 * 4 * (1 - told["covered_cells"]))
    assert told["perturbed_rows"] <= lacking <= 4 * told["perturbed_rows"]
    assert told["output"] == "out.csv" and told["labels"] == "out.labels.json"
    shown = succeeds(
        *("anonymize", "people.csv", "-o", "again.csv", "--k", 6, "--qi", QI),
        *(*SENSITIVE, *FAST),
    )
    assert re.search(rf"^classes +{told['classes']}$", shown, re.MULTILINE)
    quiet = ("anonymize", "people.csv", "-o", "q.csv", "--k", 6, "--qi", QI, *FAST)
    assert succeeds(*quiet, "--quiet") == ""


@pytest.mark.slow
def test_the_summary_says_where_mondrian_is_better(folder):
    told = anonymize(*SENSITIVE, "--l-diversity", "distinct:2")
    given = ("--k", 6, "--qi", QI, *SENSITIVE, "--l-diversity", "distinct:2", "--json")
    boxes = "anonymize", "people.csv", "-o", "boxes.csv", "--method", "mondrian"
    beside = json.loads(succeeds(*boxes, *given))
    measures = "information_loss", "joint_hellinger"
    assert told["mondrian"] == {name: beside[name] for name in measures}
    assert "mondrian" not in beside
    nearer = told["joint_hellinger"] <= beside["joint_hellinger"]
    assert nearer == ("is nearer" not in (told["advice"] or ""))
    real = pd.read_csv("people.csv")
    distance = mean_joint_hellinger(real, GeneralizedTable.load("out.csv"))
    assert told["joint_hellinger"] == pytest.approx(distance)
    alone = json.loads(
        succeeds(
            *("anonymize", "people.csv", "-o", "age.csv", "--k", 6, "--qi", "age"),
            *("--json", *FAST),
        )
    )
    assert "joint_hellinger" not in alone and "information_loss" in alone["mondrian"]
    many = anonymize("--method", "coc", output="many.csv", k=60)
    advice = "try --method mondrian: under the same k and models it is nearer"
    assert many["advice"] == advice


@pytest.mark.slow
def test_without_names_every_column_is_generalised(folder):
    succeeds("anonymize", "people.csv", "-o", "out.csv", "--k", 6, *FAST, "--quiet")
    assert GeneralizedTable.load("out.csv").names == tuple(people())


@pytest.mark.slow
def test_equal_seeds_give_equal_bytes(folder):
    for name, options in {"a": ("--seed", 1), "b": ("--seed", 1, "--jobs", 2)}.items():
        anonymize(*SENSITIVE, *options, output=f"{name}.csv")
    written = files_in(folder)
    assert written["a.csv"] == written["b.csv"]
    assert written["a.labels.json"] == written["b.labels.json"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["o.tsv", "o.csv.gz", "o.parquet"])
def test_formats(folder, name):
    anonymize(*SENSITIVE)
    anonymize(*SENSITIVE, output=name)
    expected = GeneralizedTable.load("out.csv").to_frame()
    pd.testing.assert_frame_equal(GeneralizedTable.load(name).to_frame(), expected)


# Options


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hybrid", "coc", "coc_hg"])
def test_every_method_passes_the_check(folder, method):
    models = ("--l-diversity", "distinct:3", "--t-closeness", 0.35)
    told = anonymize(*SENSITIVE, *models, "--method", method)
    found = check(*SENSITIVE, *models)
    assert found["holds"] and found["classes"] == told["classes"] > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "models",
    [
        ("--l-diversity", "disease=distinct:4"),
        ("--l-diversity", "entropy:2.5"),
        ("--l-diversity", "recursive:3,2"),
        ("--t-closeness", "disease=0.2"),
        ("--t-closeness", "0.45"),
        ("--t-closeness", "days=0.15:ordered", "--t-closeness", "disease=0.3:equal"),
        ("--alpha", "disease=0.4"),
        ("--l-diversity", "distinct:3", "--t-closeness", "0.5", "--alpha", "0.5"),
    ],
)
def test_models_that_are_asked_for_hold(folder, models):
    sensitive = ("--sensitive", "disease,days")
    anonymize(*sensitive, k=5)
    check(*sensitive, *models, k=5, code=1)  # not by themselves
    anonymize(*sensitive, *models, k=5)
    assert check(*sensitive, *models, k=5)["classes"] > 1


@pytest.mark.slow
def test_rows_may_be_suppressed_rather_than_merged(folder):
    models = ("--l-diversity", "distinct:3")
    merged = anonymize(*SENSITIVE, *models, k=3)
    told = anonymize(*SENSITIVE, *models, "--suppression", 0.5, k=3)
    assert merged["suppressed_rows"] == 0 < told["suppressed_rows"] <= 60
    found = check(*SENSITIVE, *models, "--suppressed", "*", k=3)
    assert found["suppressed"] == told["suppressed_rows"]
    assert found["classes"] == told["classes"]
    assert check(*SENSITIVE, *models, k=3)["holds"]  # for the suppressed as well


@pytest.mark.slow
def test_shares_of_a_population(folder):
    rows = people().assign(town=people()["town"].replace("F", "E"))
    rows.to_csv("people.csv", index=False)
    pd.concat([people(), people(n=200, seed=1)]).to_csv("others.csv", index=False)
    asked = ("--population", "others.csv", "--delta-presence", "0.1,0.6")
    anonymize()
    assert not within(0.1, 0.6)
    anonymize(*asked)
    assert within(0.1, 0.6)


def within(low, high):
    """Whether each class has such a share of the people that its labels cover."""
    released = GeneralizedTable.load("out.csv")
    others = pd.read_csv("others.csv")
    for number, size in enumerate(released.class_sizes):
        row = np.flatnonzero(released.class_codes == number)[0]
        covered = np.ones(len(others), dtype=bool)
        for column in released.columns:
            leaves = np.array(column.leaves)[column.members[column.codes[row]]]
            covered &= others[column.name].isin(leaves).to_numpy()
        if not low <= min(1, size / max(covered.sum(), 1)) <= high:
            return False
    return len(released.class_sizes) > 1


@pytest.mark.slow
def test_truthful_labels_stand_for_every_row(folder):
    free = anonymize(*SENSITIVE)
    told = anonymize(*SENSITIVE, "--truthful", output="truthful.csv")
    assert Path("out.csv").read_bytes() != Path("truthful.csv").read_bytes()
    assert free["perturbed_rows"] > 0 == told["perturbed_rows"]
    assert free["covered_cells"] < 1 == told["covered_cells"]


@pytest.mark.slow
def test_intervals_of_numbers(folder):
    interval = re.compile(r"\d+|\[\d+, \d+\]|\*")
    anonymize()
    ages = pd.read_csv("out.csv", dtype=str)["age"]
    assert not ages.str.fullmatch(interval).all()
    anonymize("--intervals")
    ages = pd.read_csv("out.csv", dtype=str)["age"]
    assert ages.str.fullmatch(interval).all()


@pytest.mark.slow
def test_other_columns_are_kept_on_demand(folder):
    told = anonymize(*SENSITIVE, "--others", "keep")
    assert told["kept"] == "days" and told["dropped"] is None
    released = pd.read_csv("out.csv")
    assert sorted(released["days"]) == sorted(people()["days"])
    linked = ["disease", "days"]
    expected = people().groupby(linked).size()
    pd.testing.assert_series_equal(released.groupby(linked).size(), expected)


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("how", ["shuffle", "class", "table"])
def test_sensitive_values_are_released_otherwise(folder, how):
    """Drawn in 19 classes of 6 to 8 rows they are the same once in 10^19 times."""
    sensitive = ("--sensitive", "disease,days")
    anonymize(*sensitive)
    kept = pd.read_csv("out.csv")
    anonymize(*sensitive, "--sensitive-values", how)
    drawn = pd.read_csv("out.csv")
    linked = ["disease", "days"]
    assert sorted(map(tuple, drawn[linked].values)) != sorted(
        map(tuple, kept[linked].values)
    )
    for name in linked:
        groups = [frame.groupby(QI.split(","))[name] for frame in (kept, drawn)]
        values = [group.agg(lambda s: tuple(sorted(s))) for group in groups]
        assert values[0].equals(values[1]) == (how == "shuffle")
        if how != "table":
            sets = [group.agg(set) for group in groups]
            assert all(map(set.__le__, sets[1], sets[0]))


@pytest.mark.slow
def test_roles_of_a_schema(folder):
    succeeds("inspect", "people.csv", "-o", "s.toml")
    text = Path("s.toml").read_text()
    columns = text.split("[[column]]")
    for position, role in {1: "quasi-identifier", 2: "quasi-identifier"}.items():
        columns[position] = columns[position].replace('"other"', f'"{role}"')
    columns[5] = columns[5].replace('"other"', '"sensitive"')
    Path("s.toml").write_text("[[column]]".join(columns))
    succeeds("hierarchies", "people.csv", "-o", "h", *FAST, "--quiet")
    given = ("people.csv", "--schema", "s.toml", "--k", 6, *FAST, "--json")
    told = json.loads(
        succeeds(
            *("anonymize", *given, "-o", "out.csv", "--hierarchies", "h"),
            *("--t-closeness", "0.2:hierarchical"),
        )
    )
    assert told["quasi_identifiers"] == "age, job"
    assert told["sensitive"] == "disease" and told["dropped"] == "town, sex, days"
    bare = json.loads(succeeds("anonymize", *given, "-o", "bare.csv"))
    assert 1 < told["classes"] < bare["classes"]


@pytest.mark.slow
def test_bins_and_time_are_those_of_the_search(folder):
    one = anonymize("--method", "coc", "--bins", 1)
    ten = anonymize("--method", "coc", "--bins", 10, output="ten.csv")
    assert one["information_loss"] > ten["information_loss"]
    released = GeneralizedTable.load("out.csv")["age"]
    assert released.is_all.all()  # a single part is never divided
    assert anonymize("--time", 600)["classes"] > 1


@pytest.mark.slow
def test_a_model_that_was_saved(folder):
    dropped = ("--drop", "disease", "--drop", "days")
    succeeds("fit", "people.csv", "-o", "m.model", *FAST, *dropped, "--quiet")
    for method in ("hybrid", "coc", "coc_hg"):
        options = (*SENSITIVE, "--method", method)
        anonymize(*options, output="fitted.csv")
        anonymize(*options, "--model", "m.model")
        assert check(*SENSITIVE)["holds"]
        columns = [set(pd.read_csv(name)) for name in ("out.csv", "fitted.csv")]
        assert columns[0] == columns[1]


# Hierarchies


@pytest.mark.slow
def test_a_name_edited_in_a_hierarchy_is_released(folder):
    succeeds("hierarchies", "people.csv", "-o", "h", "--format", "json", *FAST)
    path = Path("h/people_hierarchy_town.json")
    anonymize("--hierarchies", "h", "--truthful", k=5)
    labels = GeneralizedTable.load("out.csv")["town"].labels
    name = next(label for label in labels if re.fullmatch(r"{[^.]*}", label))
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(json.dumps(name), '"the North"'), encoding="utf-8")
    anonymize("--hierarchies", "h", "--truthful", k=5)
    hierarchy = read_json(path)
    released = GeneralizedTable.load("out.csv")["town"]
    nodes = {label for level in hierarchy.labels for label in level}
    assert "the North" in released.labels and set(released.labels) <= nodes
    shown = pd.read_csv("out.csv")["town"]
    assert "the North" in set(shown)
    position = released.labels.index("the North")
    stands_for = {
        leaf
        for leaf, held in zip(released.leaves, released.members[position], strict=True)
        if held
    }
    assert stands_for == set(name.strip("{}").split(", "))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["json", "arx"])
def test_hierarchies_of_some_columns_only(folder, form):
    written = ("hierarchies", "people.csv", "-o", "h", "--format", form, *FAST)
    succeeds(*written, "--columns", "job,town,days", "--quiet")
    anonymize("--hierarchies", "h", *SENSITIVE)
    assert check(*SENSITIVE)["holds"]


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["0.15:hierarchical", "disease=0.15:hierarchical"])
def test_closeness_along_a_hierarchy(folder, asked):
    Path("h").mkdir()
    lines = ["flu;airways;*", "asthma;airways;*", "cold;airways;*", "cancer;other;*"]
    Path("h/our_hierarchy_disease.csv").write_text("\n".join(lines) + "\n")
    anonymize(*SENSITIVE)
    assert worst_distance() > 0.15
    anonymize(*SENSITIVE, "--hierarchies", "h", "--t-closeness", asked)
    assert worst_distance() <= 0.15 + 1e-9
    assert check(*SENSITIVE)["classes"] > 1


@pytest.mark.slow
def test_closeness_along_what_is_derived(folder):
    asked = ("--t-closeness", "0.1:hierarchical")
    derived = ("people.csv", "--columns", f"{QI},disease", "-o", "h", *FAST, "--quiet")
    succeeds("hierarchies", *derived)
    anonymize(*SENSITIVE)
    along = (*SENSITIVE, *asked, "--hierarchies", "h")
    assert not check(*along, code=1)["holds"]
    anonymize(*SENSITIVE, *asked)
    checked = check(*along)
    assert checked["holds"] and checked["classes"] > 1


def worst_distance():
    """Of the classes of the release, with the airways a group of three."""
    released = pd.read_csv("out.csv")
    values = ["flu", "asthma", "cold", "cancer"]
    nodes = [[0, 1, 2, 3], [0, 0, 0, 1], [0, 0, 0, 0]]
    total = [int((released["disease"] == value).sum()) for value in values]
    return max(
        hierarchical_distance(
            [int((some == value).sum()) for value in values], total, nodes
        )
        for _, some in released.groupby(QI.split(","))["disease"]
    )


# The bundled table


@pytest.mark.slow
def test_the_bundled_table(folder, monkeypatch):
    # One sweep where others would add to it: k holds after each of them.
    monkeypatch.setattr(sweeping, "_MIN_RISE", 1.0)
    names = "sex,age,race,marital_status,education,workclass"
    models = ("--sensitive", "class", "--l-diversity", "distinct:2")
    told = json.loads(
        succeeds(
            *("anonymize", bundled_table(), "-o", "out.csv", "--k", 50, "--qi", names),
            *(*models, "--iterations", 1, "--json"),
        )
    )
    assert told["rows"] == 48_842 and told["k"]["reached"] >= 50
    result = run("check", "out.csv", "--qi", names, *models, "--k", 50, "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["classes"] == told["classes"] > 100


# Bad input


@pytest.mark.parametrize("how", ["means", "shuffle", "class", "table"])
def test_sensitive_values_are_those_of_sensitive_columns(folder, how):
    asked = ("people.csv", "-o", "out.csv", "--k", 5, "--sensitive-values", how)
    fails(folder, "anonymize", *asked, match=(f"values {how}", "Name them by"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--k", 121), ("number of rows, 120. Received 121", "smaller k")),
        (("--k", 1), ("from 2 on. Received 1", "Choose --k")),
        (("--k", "many"), "--k"),
        (("--qi", "agee"), ("Received 'agee'", "Did you mean 'age'?")),
        (("--sensitive", "diseases"), "Did you mean 'disease'?"),
        (("--qi", "age", "--qi", "age"), "Received 'age' more than once"),
        (("--qi", "age,disease", *SENSITIVE), ("Received 'disease' as both", "one")),
        ((*SENSITIVE, "--t-closeness", 1.5), "t to be a number from 0 to 1"),
        ((*SENSITIVE, "--t-closeness", -0.1), "t to be a number from 0 to 1"),
        ((*SENSITIVE, "--t-closeness", "2:hierarchical"), "from 0 to 1"),
        ((*SENSITIVE, "--t-closeness", "low"), ("Received 'low'", "that form")),
        ((*SENSITIVE, "--t-closeness", "0.2:ordered"), ("'disease'", "has none")),
        ((*SENSITIVE, "--t-closeness", "days=0.2"), ("'days'", "sensitive too")),
        (("--t-closeness", 0.2), "Expected a sensitive column for 0.2-closeness"),
        (("--t-closeness", "0.2:hierarchical"), "sensitive column for 0.2:hierarch"),
        ((*SENSITIVE, "--l-diversity", "distinct:5"), ("distinct l = 4", "less")),
        ((*SENSITIVE, "--l-diversity", "many:2"), "Received 'many:2'"),
        ((*SENSITIVE, "--alpha", 0.1), ("largest share 0.1", "Ask for less")),
        (("--method", "mondriaan"), "--method"),
        (("--method", "coc", "--truthful"), "Leave it out"),
        (("--delta-presence", "0.1,0.5"), ("the model alone", "Give both")),
        (("--population", "people.csv"), ("a population alone", "Give both")),
        (("--delta-presence", "0,1", "--population", "no.csv"), "no such file"),
        (("--delta-presence", "0.5,0.1", "--population", "people.csv"), "Exchange"),
        (("--delta-presence", "0,0.5", "--population", "people.csv"), "Ask for less"),
        (("--suppression", 2), ("share from 0 to 1", "Received 2")),
        (("--sensitive-values", "hide"), "--sensitive-values"),
        (("--others", "hide"), "--others"),
        (("--model", "no.model"), ("no such file", "Check the path")),
        (("--hierarchies", "no"), ("folder of hierarchies", "Check the path")),
        (("--schema", "no.toml"), "no.toml"),
        (("--time", 0), "positive number of seconds"),
        (("--bins", 0), "--bins"),
        (("--seed", -1), "--seed"),
    ],
)
def test_a_bad_option(folder, options, match):
    given = ("people.csv", "-o", "out.csv", *FAST)
    k = () if "--k" in options else ("--k", 5)
    fails(folder, "anonymize", *given, *k, *options, match=match)


def test_a_population_of_other_columns(folder):
    people().drop(columns="town").to_csv("others.csv", index=False)
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "out.csv", "--k", 5, "--qi", QI, *FAST),
        *("--population", "others.csv", "--delta-presence", "0,0.5"),
        match=("without 'town'", "Give the same columns"),
    )


HIERARCHIES = {
    "a value is missing": ("A;w;*\nB;w;*\nC;w;*\nD;e;*\nE;e;*\n", "'F'"),
    "two roots": ("A;w\nB;w\nC;w\nD;e\nE;e\nF;e\n", ("one root", "same label")),
    "unequal depths": ("A;w;*\nB;w;*\nC;*\nD;e;*\nE;e;*\nF;e;*\n", "Give each value"),
    "two parents": (
        "A;w;x;*\nB;w;y;*\nC;w;x;*\nD;e;y;*\nE;e;y;*\nF;e;y;*\n",
        "one parent of 'w'",
    ),
    "empty": ("", "Hierarchy of 'town'"),
}


@pytest.mark.parametrize("what", HIERARCHIES)
def test_a_bad_hierarchy(folder, what):
    lines, match = HIERARCHIES[what]
    Path("h").mkdir()
    Path("h/our_hierarchy_town.csv").write_text(lines)
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "out.csv", "--k", 5, *FAST),
        *("--hierarchies", "h"),
        match=match,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "match"),
    [
        (lambda text: text[: len(text) // 2], "Undo what was changed"),
        (lambda text: text.replace('"value": "F"', '"value": "G"'), "'F'"),
        (lambda text: text.replace("coclust_synth hierarchy", "other"), "other 1"),
    ],
)
def test_a_bad_hierarchy_of_our_own(folder, edit, match):
    succeeds("hierarchies", "people.csv", "-o", "h", "--format", "json", *FAST)
    path = Path("h/people_hierarchy_town.json")
    path.write_text(edit(path.read_text()))
    before = files_in(folder)
    given = ("people.csv", "-o", "out.csv", "--k", 5, *FAST, "--hierarchies", "h")
    result = run("anonymize", *given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1
    assert match in result.stderr
    assert files_in(folder) == before


def test_two_hierarchies_of_a_column(folder):
    Path("h").mkdir()
    for name in ("a", "b"):
        Path(f"h/{name}_hierarchy_town.csv").write_text("A;*\n")
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "out.csv", "--k", 5, *FAST),
        *("--hierarchies", "h"),
        match=("'a_hierarchy_town.csv'", "Remove one"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("cut", [0, 0.5])
def test_a_truncated_model(folder, cut):
    succeeds("fit", "people.csv", "-o", "m.model", *FAST)
    whole = Path("m.model").read_bytes()
    Path("m.model").write_bytes(whole[: int(cut * len(whole))])
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "out.csv", "--k", 5),
        *("--model", "m.model"),
        match="truncated, or of another program",
    )


@pytest.mark.slow
def test_a_model_of_other_columns(folder):
    succeeds("fit", "people.csv", "-o", "m.model", *FAST, "--drop", "town")
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "out.csv", "--k", 5, "--qi", QI),
        *("--model", "m.model"),
        match=("without 'town'", "Fit it on a table that has them"),
    )


@pytest.mark.parametrize(
    ("output", "match"),
    [
        ("old.csv", "Give --force"),
        ("labelled.csv", ("labelled.labels.json", "Give --force")),
        ("none/out.csv", "directory"),
        ("dir.csv", "directory"),
        ("out.xls", "to end with one of"),
        ("people.csv", "apart from its source"),
    ],
)
def test_a_bad_output(folder, output, match):
    Path("old.csv").write_text("old")
    Path("labelled.labels.json").write_text("old")
    Path("dir.csv").mkdir()
    given = ("anonymize", "people.csv", "-o", output, "--k", 5, *FAST)
    fails(folder, *given, match=match)
    if output in ("people.csv", "dir.csv"):
        fails(folder, *given, "--force")


def test_a_release_does_not_replace_what_it_is_made_from(folder):
    people().to_csv("others.csv", index=False)
    fails(
        folder,
        *("anonymize", "people.csv", "-o", "others.csv", "--k", 5, "--force", *FAST),
        *("--population", "others.csv", "--delta-presence", "0,1"),
        match="apart from its source",
    )


def stays(n=200):
    """Each person twice, under a number that only its name tells from a code."""
    table = pd.concat([people(n // 2)] * 2, ignore_index=True)
    return table.assign(patient_id=100_003 + 17 * (np.arange(n) % (n // 2)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        ("--qi", QI, "--others", "keep"),
        ("--qi", f"{QI},patient_id"),
        ("--qi", QI, "--sensitive", "patient_id"),
        (),
    ],
)
def test_an_identifier_that_repeats_is_asked_about(folder, options):
    stays().to_csv("stays.csv", index=False)
    given = ("anonymize", "stays.csv", "-o", "out.csv", "--k", 6, *FAST)
    ways = ("--drop 'patient_id'", "--keep 'patient_id'", "--person-id 'patient_id'")
    fails(folder, *given, *options, match=("'patient_id' (looks like", *ways))
    result = run(*given, *options, "--keep", "patient_id")
    assert result.exit_code == 0
    # What is kept beside the quasi-identifiers tells them.
    assert ("patient_id -> age" in result.stderr) == ("keep" in options)
    assert "patient_id" in pd.read_csv("out.csv")


@pytest.mark.slow
def test_an_identifier_that_is_dropped_or_not_named_is_not_released(folder):
    stays().to_csv("stays.csv", index=False)
    given = ("anonymize", "stays.csv", "--k", 6, *FAST)
    dropped = ("--others", "keep", "--drop", "patient_id")
    for name, more in ("a.csv", ("--qi", QI)), ("b.csv", dropped):
        result = run(*given, "-o", name, *more)
        assert result.exit_code == 0
        assert "Say --person-id patient_id to count persons" in result.stderr
    kept = ("--others", "keep", "--keep", "patient_id")
    result = run(*given, "-o", "c.csv", "--qi", QI, *kept)
    assert result.exit_code == 0 and "'age' (patient_id -> age)" in result.stderr
    for name in ("a.csv", "b.csv"):
        assert "patient_id" not in pd.read_csv(name)
    ids = sorted(pd.read_csv("c.csv")["patient_id"])
    assert ids == sorted(stays()["patient_id"])


@pytest.fixture
def codes(folder):
    """A table with many codes, and a remark in each row."""
    rng = np.random.default_rng(0)
    numbers = rng.choice(np.arange(100, 1000, 2), 1200)
    remarks = [f"seen on day {i} after a fall from a ladder" for i in range(1200)]
    table = pd.DataFrame(
        {
            "trade": [f"{'BCD'[i % 3]}{i}" for i in numbers],
            "size": rng.integers(0, 9, 1200),
            "remark": remarks,
        }
    )
    table.to_csv("codes.csv", index=False)
    return folder


@pytest.mark.slow
def test_codes_that_are_named_need_no_other_word(codes, monkeypatch):
    make_quick(monkeypatch)
    assert "looks like codes: " in succeeds("inspect", "codes.csv")
    given = ("codes.csv", "--k", 5, "--method", "mondrian", "--quiet", "--force")
    named = ("--qi", "trade,size")
    succeeds("anonymize", *given, "-o", "a.csv", *named)
    succeeds("check", "a.csv", "--k", 5, *named)
    assert "trade" in succeeds("evaluate", "codes.csv", "a.csv", "--json")
    told = succeeds("evaluate", "codes.csv", "a.csv")
    assert "Not compared: remark" in told and "Not compared: trade" not in told
    named = ("--qi", "size", "--sensitive", "trade")
    succeeds("anonymize", *given, "-o", "b.csv", *named)
    # A role that a schema file gives says as much.
    succeeds("inspect", "codes.csv", "-o", "s.toml")
    known = Path("s.toml").read_text()
    doubted = known.index('role = "other"', known.index('"trade"'))
    known = known[:doubted] + known[doubted:].replace("other", "quasi-identifier", 1)
    Path("s.toml").write_text(known)
    succeeds("anonymize", *given, "-o", "c.csv", "--schema", "s.toml")
    assert "trade" in pd.read_csv("c.csv", nrows=1)


@pytest.mark.parametrize("role", ["--qi", "--sensitive"])
def test_free_text_that_is_named_is_asked_about_still(codes, role):
    named = [role, "remark"] if role == "--qi" else ["--qi", "size", role, "remark"]
    given = ("anonymize", "codes.csv", "-o", "a.csv", "--k", 5)
    fails(codes, *given, *named, match="'remark' (looks like free text of")


def test_a_table_that_cannot_be_used(folder):
    fails(
        *(folder, "anonymize", "no.csv", "-o", "out.csv", "--k", 5),
        match=("no such file", "Check the path"),
    )
    Path("bad.csv").write_text("age,job\n20,cook\n30\n")
    fails(folder, "anonymize", "bad.csv", "-o", "out.csv", "--k", 5, match="Line 3")


@pytest.mark.slow
def test_sensitive_numbers_as_means_are_those_of_k_and_told_about(folder):
    asked = ("--sensitive", "days,disease", "--sensitive-values", "means")
    told = anonymize(*asked, "--method", "mondrian", k=6)
    released = pd.read_csv("out.csv")
    assert released["days"].value_counts().min() >= 6
    assert sorted(released["disease"]) == sorted(people()["disease"])
    kept = told["means"]["days"]
    # Means of whole numbers are rounded, and can vary more for it.
    assert kept["variance_kept"] == pytest.approx(1, abs=0.05)
    assert 0.5 < kept["interval_disclosure"] <= 1
    assert "means" not in anonymize(*asked[:2], "--method", "mondrian", k=6)


@pytest.mark.parametrize("unit", ["far", "wide"])
def test_means_of_numbers_of_any_size_are_told_about(folder, unit):
    days = people()["days"]
    days = days + 17 * 10**17 if unit == "far" else days.astype(float) * 1e305
    people().assign(days=days).to_csv("people.csv", index=False)
    asked = ("--sensitive", "days", "--sensitive-values", "means")
    told = anonymize(*asked, "--method", "mondrian", k=6)["means"]["days"]
    assert told["variance_kept"] == pytest.approx(1, abs=0.05)
    assert 0.5 < told["interval_disclosure"] <= 1
    assert pd.read_csv("out.csv")["days"].nunique() > 5


@pytest.mark.parametrize("how", ["means", "class", "table", "shuffle"])
def test_models_are_told_to_be_of_values_that_others_take_the_place_of(folder, how):
    asked = ("--sensitive", "days", "--sensitive-values", how, "--method", "mondrian")
    anonymize(*asked, "--l-diversity", "distinct:2", k=6)
    guarantee = json.loads(Path("out.manifest.json").read_text())["guarantee"]
    assert ("need not satisfy them" in guarantee) == (how != "shuffle")


@pytest.mark.slow
def test_k_map_is_asked_of_a_population_or_a_share_of_it(folder):
    some = people().head(60)
    people().to_csv("everybody.csv", index=False)
    some.to_csv("people.csv", index=False)
    anonymize("--k-map", 20, "--population", "everybody.csv", k=2)
    told = json.loads(Path("out.manifest.json").read_text())
    assert "with 20-map: every class" in told["guarantee"]
    fraction = ("--k-map", 20, "--sampling-fraction", 0.5)
    anonymize(*fraction, k=2)
    check(*fraction, k=2)
    told = json.loads(Path("out.manifest.json").read_text())
    assert "20-map, estimated at a sampling fraction of 0.5" in told["guarantee"]
    given = ("anonymize", "people.csv", "-o", "o.csv", "--k", 2, "--qi", QI)
    own = fails(
        folder, *given, *fraction, "--method", "mondrian", match="which belongs to"
    )
    assert "'hybrid', 'coc', 'coc_hg'" in own


@pytest.mark.slow
def test_what_is_kept_and_tells_what_is_labelled_or_shuffled_is_said(tmp_path, rng):
    town, pay = rng.integers(0, 12, 600), rng.integers(1000, 3000, 600)
    table = {"town": [f"T{t}" for t in town], "code": [f"C{t}" for t in town]}
    table |= {"pay": pay, "yearly": 12 * pay, "age": rng.integers(20, 70, 600)}
    pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
    asked = ("anonymize", tmp_path / "t.csv", "-o", tmp_path / "o.csv", "--k", 10)
    asked += ("--qi", "town,age", "--sensitive", "pay", "--iterations", 1, "--force")
    asked += ("--keep", "yearly")
    kept = run(*asked, "--others", "keep")
    assert "'town' (code -> town)" in kept.stderr and "'pay'" not in kept.stderr
    # Who gets the release reads its manifest, and not the terminal of whoever made it.
    manifest = json.loads((tmp_path / "o.manifest.json").read_text())
    assert "stay tell 'town' (code -> town)" in manifest["not_protected"][0]
    shuffled = run(*asked, "--others", "keep", "--sensitive-values", "shuffle")
    assert "'pay' (pay = 0.08333 * yearly)" in shuffled.stderr
    dropped = run(*asked)
    manifest = json.loads((tmp_path / "o.manifest.json").read_text())
    assert not any("stay tell" in text for text in manifest["not_protected"])
    assert (kept.exit_code, shuffled.exit_code, dropped.exit_code) == (0, 0, 0)
    assert dropped.stderr == ""
