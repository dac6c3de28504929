"""`check`: measures of a released table, and what it says of bad input."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, run, succeeds

RELEASED = """\
age,job,region,disease,days
"[17, 26]","{cook, nurse}",N,flu,1
"[17, 26]","{cook, nurse}",N,cold,2
"[17, 26]","{cook, nurse}",N,flu,3
"[27, 40]",clerk,N,cold,4
"[27, 40]",clerk,N,flu,5
*,*,*,flu,6
"""
QI = ("--qi", "age,job,region")
SENSITIVE = ("--sensitive", "disease")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a released table in it."""
    monkeypatch.chdir(tmp_path)
    Path("released.csv").write_text(RELEASED)
    return tmp_path


def told(*options, code=0):
    result = run("check", "released.csv", *QI, *options, "--json")
    assert result.exit_code == code, result.stderr
    return json.loads(result.stdout)


def test_measures_are_printed(folder):
    shown = succeeds("check", "released.csv", *QI, "--sensitive", "disease,days")
    lines = [line.split() for line in shown.splitlines()]
    assert ["k", "1"] in lines and ["classes", "3"] in lines
    assert ["rows", "6"] in lines
    assert next(line for line in lines if line[:1] == ["disease"])[1:4] == [
        *("2", "1", "1")
    ]
    assert "t ordered" in shown and "A_know" in shown
    assert "linkage by the quasi-identifiers named above, and against" in shown
    assert "anonymous" not in shown
    assert "classes at risk" not in shown and "worst class" not in shown


def test_json_is_one_object_with_every_measure(folder):
    facts = told("--sensitive", "disease", "--sensitive", "days")
    assert facts["rows"] == 6 and facts["k"] == 1 and facts["classes"] == 3
    assert facts["holds"] is None and facts["models"] == []
    assert facts["class_sizes"] == [
        {"from": n, "to": n, "classes": 1, "rows": n} for n in (1, 2, 3)
    ]
    disease, days = facts["sensitive"]
    assert disease["name"] == "disease" and disease["t_ordered"] is None
    assert disease["recursive_c"] == {"2": None, "3": None}
    assert disease["t_equal"] == pytest.approx(1 / 3)
    assert days["values"] == 6 and days["t_ordered"] is not None
    facts = told("--sensitive", "disease", "--suppressed", "*")
    assert facts["k"] == 2 and facts["suppressed"] == 1
    assert facts["discernibility"] == 4 + 9 + 6
    assert facts["sensitive"][0]["recursive_c"] == {"2": 2, "3": None}


def test_models_that_hold_exit_0_and_those_that_do_not_exit_1(folder):
    asked = (*SENSITIVE, "--suppressed", "*", "--k", 2)
    models = ("--l-diversity", "distinct:2", "--t-closeness", "disease=0.2")
    facts = told(*asked, *models, "--alpha", 0.7)
    assert facts["holds"] is True and facts["classes_at_risk"] == []
    assert [model["model"] for model in facts["models"]] == [
        *("2-anonymity", "distinct 2-diversity"),
        *("0.2-closeness (equal)", "largest share 0.7"),
    ]
    facts = told(*asked, *models, "--alpha", 0.6, code=1)
    assert [model["holds"] for model in facts["models"]] == [True, True, True, False]
    assert (
        facts["c_avg"] == 6 / 3 / 2
    )  # the suppressed row is a class, as in `anonymize`
    assert facts["classes_at_risk"] == [
        {
            "labels": {"age": "[17, 26]", "job": "{cook, nurse}", "region": "N"},
            "size": 3,
            "persons": None,
            "reasons": ["disease: largest share 0.6: largest share = 0.6667"],
        }
    ]
    shown = run("check", "released.csv", *QI, *asked, "--alpha", 0.6)
    assert shown.exit_code == 1 and shown.stderr == ""
    assert "classes at risk: 1" in shown.stdout and "{cook, nurse}" in shown.stdout


def test_every_l_and_t_can_be_asked(folder):
    asked = ("distinct:1", "entropy:1.0", "recursive:2.5,2")
    options = [x for text in asked for x in ("--l-diversity", text)]
    options += ["--t-closeness", "days=0.9:ordered", "--t-closeness", "1"]
    facts = told("--sensitive", "disease,days", "--suppressed", "*", *options)
    assert [model["model"] for model in facts["models"]] == [
        *("distinct 1-diversity", "entropy 1-diversity"),
        *("recursive (2.5, 2)-diversity", "1-closeness (equal)"),
        *("distinct 1-diversity", "entropy 1-diversity"),
        *("recursive (2.5, 2)-diversity", "0.9-closeness (ordered)"),
        "1-closeness (equal)",
    ]


def test_presence_in_a_population(folder):
    people = pd.read_csv("released.csv").head(5)
    pd.concat([people, people, people.head(3)]).to_csv("people.csv", index=False)
    Path("released.csv").write_text(RELEASED.replace("*,*,*,flu,6\n", ""))
    assert told("--population", "people.csv")["share_released"] == [1 / 3, 1 / 2]
    asked = ("--population", "people.csv", "--delta-presence")
    assert told(*asked, "0.3,0.5")["holds"] is True
    facts = told(*asked, "0.3,0.45", code=1)
    assert [risk["labels"]["job"] for risk in facts["classes_at_risk"]] == ["clerk"]
    assert "0.3333 to 0.5000" in succeeds("check", "released.csv", *QI, *asked, "0,1")


def test_output_is_the_json_object(folder):
    output = ("--output", "check.json")
    shown = run("check", "released.csv", *QI, "--k", 2, *output)
    assert shown.exit_code == 1
    assert json.loads(Path("check.json").read_text()) == told("--k", 2, code=1)
    fails(folder, "check", "released.csv", *QI, *output, match="exists")
    succeeds("check", "released.csv", *QI, *output, "--force")
    assert sorted(files_in(folder)) == ["check.json", "released.csv"]


def test_formats_and_columns_that_look_like_identifiers(folder, rng):
    frame = pd.DataFrame(
        {"id": range(500), "note": rng.bytes(250).hex(" ").split() * 2}
    )
    for name in ("t.parquet", "t.csv.gz", "t.tsv"):
        if name == "t.parquet":
            frame.to_parquet(name)
        else:
            frame.to_csv(name, index=False, sep="\t" if name == "t.tsv" else ",")
        result = run("check", name, "--qi", "id", "--k", 2, "--json")
        assert result.exit_code == 1 and result.stderr == ""
        assert json.loads(result.stdout)["unique_share"] == 1


def test_a_name_with_a_comma_is_a_name(folder):
    frame = pd.read_csv("released.csv").rename(columns={"age": "age, in years"})
    frame.to_csv("t.csv", index=False)
    shown = succeeds("check", "t.csv", "--qi", "age, in years", "--qi", "job, region")
    assert "classes of age, in years, job, region" in shown


@pytest.mark.parametrize(
    "options, match",
    [
        ((), "at least one quasi-identifier"),
        (("--qi", ""), "Received ''"),
        (("--qi", "agee"), "Did you mean 'age'"),
        ((*QI, "--sensitive", "disese"), "Did you mean 'disease'"),
        ((*QI, "--sensitive", "age"), "'age' as both"),
        ((*QI, "--qi", "age"), "'age' twice"),
        ((*QI, "--k", 0), "Received 0"),
        ((*QI, "--k", "many"), "--k"),
        ((*QI, "--alpha", 0.5), "none named as sensitive"),
        ((*QI, *SENSITIVE, "--alpha", 2), "above 0 to 1"),
        ((*QI, *SENSITIVE, "--alpha", "days=0.5"), "'days'"),
        ((*QI, *SENSITIVE, "--t-closeness", 1.5), "t to be a number from 0 to 1"),
        ((*QI, *SENSITIVE, "--t-closeness", "0.2:ordered"), "with an order"),
        ((*QI, *SENSITIVE, "--l-diversity", "3"), "such as distinct:3"),
        (
            (*QI, *SENSITIVE, "--l-diversity", "distinct:3"),
            ("'disease' can satisfy", "distinct l = 2"),
        ),
        ((*QI, *SENSITIVE, "--l-diversity", "entropy:2.1"), "entropy l = 1.8"),
        ((*QI, "--delta-presence", "0,1"), "Expected a population"),
        ((*QI, "--delta-presence", "1,0"), "at most the upper"),
        ((*QI, "--population", "none.csv"), "no such file"),
        ((*QI, "--population", "other.csv"), ("the population", "'age'")),
        ((*QI, "--population", "few.csv"), "more released rows than people"),
        ((*QI, "--suppressed", "*", "--output", "none/o.json"), "that does not exist"),
        ((*QI, "--output", "released.csv", "--force"), "Choose another name"),
    ],
)
def test_bad_options(folder, options, match):
    Path("other.csv").write_text("Age,job\n1,2\n3,4\n")
    Path("few.csv").write_text(RELEASED.replace("*,*,*", "*,a,*"))
    fails(folder, "check", "released.csv", *options, match=match)


@pytest.mark.parametrize(
    "name, content, match",
    [
        ("none.csv", None, "no such file"),
        ("t.xlsx", b"", "to end with"),
        ("t.csv", b"", "empty file"),
        ("t.csv", b"age,job,region\n", "no row"),
        ("t.csv", b"age,job,region\n1,2\n", "Line 2"),
        ("t.csv", b"\xe9\n", "not UTF-8"),
        ("t.parquet", b"PAR1", "Parquet"),
    ],
)
def test_bad_tables(folder, name, content, match):
    if content is not None:
        Path(name).write_bytes(content)
    fails(folder, "check", name, *QI, match=match)


def test_all_rows_suppressed(folder):
    Path("t.csv").write_text("age,job,region\n*,*,*\n*,*,*\n")
    fails(folder, "check", "t.csv", *QI, "--suppressed", "*", match="not suppressed")
    assert "classes         1" in succeeds("check", "t.csv", *QI)


def hierarchy_of_diseases():
    Path("h").mkdir()
    Path("h/own_hierarchy_disease.csv").write_text("flu;airways;*\ncold;airways;*\n")


def test_closeness_along_a_hierarchy_and_an_order(folder):
    hierarchy_of_diseases()
    asked = ("--sensitive", "disease", "--t-closeness")
    # Levels: 0 apart, 1 and 2 together: half of the equal distance.
    equal = told(*asked, "0.9")["models"][0]["worst"]
    along = told(*asked, "0.9:hierarchical", "--hierarchies", "h")["models"][0]
    assert along["model"] == "0.9-closeness (hierarchical)"
    assert along["worst"] == pytest.approx(equal / 2)
    ordered = told(*asked, "disease=0.9:ordered", "--order", "disease=cold,flu")
    assert ordered["models"][0]["worst"] == pytest.approx(equal)
    assert ordered["sensitive"][0]["t_ordered"] == pytest.approx(equal)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--t-closeness", "0.2:hierarchical"), "name the folder by --hierarchies"),
        (("--t-closeness", "days=0.2:hierarchical"), "Name it as sensitive too"),
        (("--order", "disease=flu"), "without 'cold'"),
        (("--order", "illness=flu,cold"), "Name one of the columns"),
        (("--order", "disease=flu,flu"), "each value once"),
        (("--order", "days=1,2,3,4,5,6"), "holds numbers: these have an order already"),
    ],
)
def test_orders_and_hierarchies_that_are_not_so(folder, options, part):
    hierarchy_of_diseases()
    fails(folder, "check", "released.csv", *QI, *SENSITIVE, *options, match=[part])


# Two releases


@pytest.fixture
def two(folder):
    """The same twelve people in one order: by ZIP code, and by race."""
    zips = ["02138", "02139", "02141", "02142"] * 3
    races = [race for race in ("Asian", "Black", "White") for _ in range(4)]
    one = pd.DataFrame({"race": "person", "zip": zips, "ill": list("abcabcabcabc")})
    one.drop(columns="ill").to_csv("one.csv", index=False)
    one.assign(race=races, zip=[code[:4] + "*" for code in zips]).drop(
        columns="ill"
    ).to_csv("other.csv", index=False)
    return folder


def test_two_releases_in_one_order_leave_one_and_exit_1(two):
    asked = ("check", "one.csv", "other.csv", "--qi", "race,zip")
    result = run(*asked, "--json", "-o", "found.json")
    assert result.exit_code == 1
    facts = json.loads(result.stdout)
    assert facts == json.loads(Path("found.json").read_text())
    assert facts["k"] == [3, 2] and facts["asked"] == 2 and facts["left"] == 1
    assert [own["left"] for own in facts["attacks"]] == [1, None, None]
    result = run(*asked, "--k", 1)
    assert result.exit_code == 0
    assert "may be of one person" in result.stdout and "NO" not in result.stdout
    assert "Whether anybody is in both, the tables do not say" in " ".join(
        result.stdout.split()
    )


@pytest.mark.slow
def test_releases_are_compared_by_the_labels_beside_them(folder):
    table = pd.DataFrame(
        {"age": np.arange(40) % 20, "job": list("ab") * 20, "ill": list("wxyz") * 10}
    )
    table.to_csv("people.csv", index=False)
    asked = ("--qi", "age,job", "--sensitive", "ill", "--method", "mondrian")
    for name, k in (("five.csv", 5), ("ten.csv", 10)):
        succeeds("anonymize", "people.csv", "-o", name, "--k", k, *asked, "--quiet")
    result = run("check", "five.csv", "ten.csv", "--sensitive", "ill", "--json")
    facts = json.loads(result.stdout)
    assert facts["quasi_identifiers"] == ["age", "job"] and facts["linking"] == ["ill"]
    assert facts["values_left"].keys() == {"ill"}
    assert result.exit_code == (0 if facts["holds"] else 1)


def test_options_of_one_release_are_refused_beside_another(two):
    asked = ("check", "one.csv", "other.csv", "--qi", "race,zip")
    fails(two, *asked, "--alpha", 0.5, match="Received --alpha, which is for one")
    fails(two, "check", "one.csv", "nowhere.csv", match="no such file")
    fails(two, "check", "one.csv", "other.csv", match="at least one quasi-identifier")


# A population that is known by the share that is released


def test_a_sampling_fraction_is_an_estimate_and_said_to_be_one(folder):
    sample = ("--suppressed", "*", "--sampling-fraction", 0.5)
    facts = told(*sample, "--k-map", 2)
    assert facts["holds"] is True
    assert facts["models"][0]["model"] == (
        "2-map, estimated at a sampling fraction of 0.5"
    )
    facts = told(*sample, "--k-map", 9, "--delta-presence", "0,0.9", code=1)
    assert [own["holds"] for own in facts["models"]] == [False, False]
    shown = run("check", "released.csv", *QI, *sample, "--k-map", 2).stdout
    assert "no guarantee, and does not hold for stratified" in " ".join(shown.split())
    fails(folder, "check", "released.csv", *QI, *sample, match="Received it alone")
    asked = ("--k-map", 2, "--population", "released.csv")
    fails(folder, "check", "released.csv", *QI, *sample, *asked, match="no population")


@pytest.mark.slow
def test_risk_of_records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pd.DataFrame(
        {
            "age": [30, 30, 31, 40],
            "sex": ["F", "F", "F", "M"],
            "w": [10, 10, 10, 1],
            "home": [1, 2, 2, 3],
        }
    )
    table.to_csv("people.csv", index=False)
    asked = ("check", "people.csv", "--qi", "age,sex", "--risk")
    by_weights = ("--weights", "w", "--household-id", "home")
    told = json.loads(succeeds(*asked, *by_weights, "--json"))["risk"]
    assert told["estimated_by"] == "survey weights" and told["uniques"] == 2
    assert told["largest"] == 1 and told["uniques_at_large"] == pytest.approx(0.55)
    assert told["households"]["n"] == 3
    assert "row" not in told  # the JSON object names nobody
    shown = succeeds(*asked, *by_weights, "--worst", 1, "--risk-file", "risk.csv")
    assert "Risk of records" in shown and "Do not publish these." in shown
    said = " ".join(shown.split())
    assert "of 4 uniques 2 of 4 share of uniques unique in the population 0.55" in said
    risks = pd.read_csv("risk.csv")
    assert risks["row"].tolist() == [4, 3, 1, 2] and risks["risk"][0] == 1
    fails(tmp_path, *asked, "--risk-file", "risk.csv", match="--force")
    fails(tmp_path, *asked, "--risk-file", "people.csv", "--force", match="source")
    in_one = ("-o", "./both.json", "--risk-file", tmp_path / "both.json")
    fails(tmp_path, *asked, *in_one, match="file of its own for the risk")
    alone = ("check", "people.csv", "--qi", "age,sex", "--weights", "w")
    fails(tmp_path, *alone, match="Received --weights without it")
    both = (*asked, "--weights", "w", "--sampling-fraction", 0.1)
    fails(tmp_path, *both, match="one way to know the population")
    fails(tmp_path, *asked, "--sampling-fraction", 2, match="up to 1")
    two = (*asked[:2], "people.csv", *asked[2:])
    fails(tmp_path, *two, match="--risk, which is for one")
    table[["age", "sex"]].to_csv("all.csv", index=False)
    told = json.loads(succeeds(*asked, "--population", "all.csv", "--json"))["risk"]
    assert told["k_map"] == 1 and told["population_uniques"] == 0.5


@pytest.mark.parametrize("is_its_own", [True, False])
def test_rows_of_persons_are_told_as_rows(folder, is_its_own):
    """Of a table whose persons are not released its manifest alone knows of them."""
    digest = sha256(RELEASED.encode() * is_its_own).hexdigest()
    manifest = {
        "format": "coclust_synth release",
        "source": {"rows": 6, "persons": 2},
        "files": [{"file": "released.csv", "sha256": digest}],
    }
    Path("released.manifest.json").write_text(json.dumps(manifest))
    shown = succeeds("check", "released.csv", *QI)
    assert ("a class has as many persons or fewer" in shown) == is_its_own
    assert told()["counted"] == ("rows" if is_its_own else "individuals")
    Path("released.manifest.json").write_text("of another tool")
    assert told()["counted"] == "individuals"
