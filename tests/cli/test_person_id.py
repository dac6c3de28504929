"""`--person-id`: commands that count persons, and never release who they are."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, run, succeeds
from support.visits import visits

from coclust_synth.evaluation import evaluating

QI = ("--qi", "age,town,sex", "--sensitive", "ill")
OF_PERSONS = "A person is each of the 50 that a column of the table names, with all of"
METHODS = (
    *("hybrid", "coc", "flash", "datafly", "tds", "bug"),
    *("mondrian", "mdav", "suppress", "micro"),
)
UNSEARCHED = ("mondrian", "mdav", "suppress")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a table of several rows a person in it."""
    monkeypatch.chdir(tmp_path)
    visits(np.random.default_rng(0), 50).to_csv("visits.csv", index=False)
    return tmp_path


def anonymize(method, *options, k=6):
    search = ("--iterations", 2) if method not in UNSEARCHED else ()
    return (
        *("anonymize", "visits.csv", "-o", "out.csv", "--k", k, "--method", method),
        *(*search, "--force", *(options or ("--person-id", "who", *QI))),
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_both_numbers_are_told(folder, method):
    told = json.loads(succeeds(*anonymize(method), "--json"))
    table = pd.read_csv("visits.csv")
    assert (told["rows"], told["persons"]) == (len(table), 50)
    assert told["person_id"] == "who" and "who" in told["dropped"]
    assert told["k"] == {"asked": 6, "reached": told["smallest_class_persons"]}
    assert 6 <= told["smallest_class_persons"] <= told["smallest_class"]
    released = pd.read_csv("out.csv")
    assert list(released) == ["age", "town", "sex", "ill"]
    sizes = released.groupby(["age", "town", "sex"]).size()
    assert told["smallest_class"] == sizes.min()


@pytest.mark.slow
def test_without_it_rows_are_counted(folder):
    told = json.loads(succeeds(*anonymize("hybrid", *QI), "--json"))
    assert (
        told["persons"] is told["smallest_class_persons"] is told["person_id"] is None
    )
    assert told["k"]["reached"] == told["smallest_class"]
    assert "persons" not in succeeds(*anonymize("hybrid", *QI))


@pytest.mark.parametrize("method", ["hybrid", "flash", "mdav"])
def test_others_that_are_kept_are_without_it(folder, method):
    options = ("--person-id", "who", *QI, "--others", "keep", "--drop", "pin")
    told = json.loads(succeeds(*anonymize(method, *options), "--json"))
    assert "who" not in pd.read_csv("out.csv") and "who" not in (told["kept"] or "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--person-id", "wo", *QI), "'who'"),
        (("--person-id", "age", *QI), "as quasi identifiers too"),
        (("--person-id", "ill", *QI), "as sensitive too"),
        (("--person-id", "who", *QI, "--keep", "who"), "as kept too"),
        (("--person-id", "who", *QI, "--k", 51), "number of persons, 50"),
    ],
)
def test_what_cannot_be_is_refused(folder, options, message):
    fails(folder, *anonymize("hybrid", *options), match=message)


def test_rows_of_nobody_are_refused(folder):
    table = pd.read_csv("visits.csv")
    table.loc[[3, 5], "who"] = None
    table.to_csv("visits.csv", index=False)
    fails(folder, *anonymize("hybrid"), match="2 rows that do not")


def test_presence_is_not_defined_of_persons(folder):
    options = ("--delta-presence", "0.1,0.9", "--population", "visits.csv")
    asked = anonymize("hybrid", "--person-id", "who", *QI, *options)
    fails(folder, *asked, match="is not defined")


def test_check_tells_persons_and_households(folder):
    asked = ("check", "visits.csv", "--qi", "age,town,sex", "--k", 2)
    told = json.loads(run(*asked, "--person-id", "who", "--json").stdout)
    table = pd.read_csv("visits.csv")
    persons = table.groupby(["age", "town", "sex"])["who"].nunique()
    assert told["persons"] == 50
    assert told["k"] == told["smallest_class_persons"] == persons.min()
    assert told["holds"] is bool((persons >= 2).all()) and told["households"] is None
    of_pins = ("check", "visits.csv", "--qi", "town,pin", "--k", 2)
    text = run(*of_pins, "--person-id", "who", "--household-id", "age").stdout
    for line in (
        "smallest class persons",
        "household risk",
        "2-anonymity: persons = 1",
    ):
        assert line in text
    fails(folder, *asked, "--person-id", "sex", match="neither a quasi-identifier")


@pytest.mark.slow
def test_synth_tells_persons_and_what_it_does_not_keep(folder):
    asked = ("--person-id", "who", "--drop", "pin", "--k", 6, "--iterations", 2)
    asked += ("--within", "independent")
    told = json.loads(
        succeeds("synth", "visits.csv", "-o", "out.csv", *asked, "--json")
    )
    n_rows = len(pd.read_csv("visits.csv"))
    assert (told["persons"], told["rows"]) == (50, n_rows)
    assert 6 <= told["smallest_cluster_persons"] <= told["smallest_cluster"]
    assert "their order" in told["not_kept"]
    assert list(pd.read_csv("out.csv")) == ["age", "town", "sex", "ill"]
    succeeds("fit", "visits.csv", "-o", "a.model", *asked)
    text = succeeds("sample", "a.model", "-o", "more.csv")
    assert "smallest cluster persons" in text and "not kept" in text
    for name in ("out", "more"):
        manifest = json.loads(Path(f"{name}.manifest.json").read_text())
        assert f"{OF_PERSONS} their rows ({n_rows} in all)." in manifest["guarantee"]
    assert (folder / "more.csv").read_bytes() == (folder / "out.csv").read_bytes()
    kept = ("--person-id", "who", "--keep", "who", "--drop", "pin")
    fails(folder, "synth", "visits.csv", "-o", "b.csv", *kept, match="as kept too")


@pytest.mark.slow
def test_inspect_names_what_orders_the_rows_of_a_person(folder):
    table = visits(np.random.default_rng(1), 60)
    table["year"] = 1990 + table.groupby("who").cumcount()
    table["seen"] = pd.Timestamp("1990-01-01") + pd.to_timedelta(
        np.random.default_rng(2).integers(0, 99, len(table)).cumsum(), "D"
    )
    table.to_csv("years.csv", index=False)
    asked = "inspect", "years.csv", "--person-id", "who", "--k", 10
    text = succeeds(*asked)
    assert "The rows of a person are in the order of 'seen'." in text
    counted = "year = year of the row before + 1"
    assert f"From row to row: {counted}" in text
    told = json.loads(succeeds(*asked, "--json"))
    assert (told["in_order_of"], told["together_by"]) == ("seen", None)
    assert told["told_by_row_before"] == [counted]
    table.drop(columns="seen").to_csv("years.csv", index=False)
    told = json.loads(succeeds(*asked, "--json"))
    assert told["in_order_of"] == "year"
    assert told["told_by_row_before"] == []
    assert "in_order_of" not in json.loads(succeeds("inspect", "years.csv", "--json"))


@pytest.mark.slow
def test_inspect_names_the_visits_that_rows_of_a_person_share(folder):
    rng, rows = np.random.default_rng(0), []
    for who in range(60):
        for visit in range(1, 2 + rng.poisson(2)):
            ward = rng.choice(["A", "B", "C"])
            rows += [(who, visit, ward, rng.integers(9)) for _ in range(3)]
    table = pd.DataFrame(rows, columns=["who", "visit", "ward", "score"])
    table.sample(frac=1, random_state=0).to_csv("visits.csv", index=False)
    asked = "inspect", "visits.csv", "--person-id", "who", "--k", 10
    text = succeeds(*asked)
    assert "The rows of a person are in the order of 'visit'." in text
    assert "Rows of a person that share 'visit' are drawn together." in text
    told = json.loads(succeeds(*asked, "--json"))
    assert (told["in_order_of"], told["together_by"]) == ("visit", "visit")


@pytest.mark.slow
def test_trees_keep_what_stays_and_name_persons_anew(folder):
    table = visits(np.random.default_rng(1), 200)
    table.drop(columns="pin").to_csv("visits.csv", index=False)
    asked = ("--person-id", "who", "--k", 10, "--iterations", 2, "--within", "trees")
    told = json.loads(
        succeeds("synth", "visits.csv", "-o", "out.csv", *asked, "--json")
    )
    assert told["same_in_all_rows"] == "age, town, sex"
    assert told["in_order_of"] is None
    assert "not_kept" not in told and told["persons"] == 200
    drawn = pd.read_csv("out.csv")
    assert list(drawn) == ["who", "age", "town", "sex", "ill"]
    assert len(drawn) == len(table) and not set(drawn["who"]) & set(table["who"])
    assert (drawn.groupby("who")["town"].nunique() == 1).all()
    succeeds("fit", "visits.csv", "-o", "a.model", *asked)
    text = succeeds("sample", "a.model", "-o", "more.csv")
    assert "same in all rows" in text
    assert (folder / "more.csv").read_bytes() == (folder / "out.csv").read_bytes()
    succeeds("sample", "a.model", "-o", "b.csv", "--given", "sex=F", "-n", 40)
    given = pd.read_csv("b.csv")
    assert (given["sex"] == "F").all() and len(given) == 40
    assert given["who"].drop_duplicates().tolist() == [
        f"p1{i:03}" for i in range(1, given["who"].nunique() + 1)
    ]


@pytest.mark.slow
def test_anatomy_parts_persons(folder):
    asked = ("--qi", "age,town,sex", "--sensitive", "ill", "--person-id", "who")
    command = ("anatomy", "visits.csv", "-o", "out.csv", "--l", 2, *asked, "--json")
    told = json.loads(succeeds(*command))
    assert told["persons"] == 50 and "who" in told["dropped"]
    assert list(pd.read_csv("out.csv")) == ["age", "town", "sex", "group"]
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["source"]["persons"] == 50 and OF_PERSONS in manifest["guarantee"]
    assert "known to be one person's" in manifest["not_protected"][0]


@pytest.mark.slow
def test_a_report_counts_persons_and_evaluate_says_that_it_cannot(folder, monkeypatch):
    monkeypatch.setattr(evaluating, "_FAMILIES", evaluating._FAMILIES[:1])
    monkeypatch.setattr(evaluating, "find", lambda scores, rules, facts: ())
    of_persons = ("--person-id", "who", *QI, "--report", "page")
    succeeds(*anonymize("mondrian", *of_persons, k=4))
    told = json.loads(Path("page/evaluation.json").read_text())
    assert told["facts"]["counted"] == "persons"
    assert not any("count rows" in text for text in told["release"]["warnings"])
    page = Path("page/report.html").read_text()
    assert "largest chance to find a person" in page and "individual" not in page
    printed = succeeds("evaluate", "visits.csv", "out.csv", "-o", "later")
    assert "Warning: A person can have several rows" in printed
    assert "largest chance to find a row" in printed
    told = json.loads(Path("later/evaluation.json").read_text())
    assert told["facts"]["counted"] == "rows"
    assert "count rows" in told["release"]["warnings"][0]
    scores = pd.read_csv("later/evaluation.csv").set_index("name")
    assert scores.loc["smallest_class", "unit"] == "rows"
    assert "a person is as high, or higher" in scores.loc["marketer", "note"]
    assert scores.loc["average_class_size", "note"] == "of k = 4"
    page = Path("later/report.html").read_text()
    assert "divided by k = 4" in page and "individual" not in page


@pytest.mark.slow
def test_means_of_numbers_leave_texts_as_they_are(folder):
    """A kept column that tells a text is no news where only numbers are changed."""
    table = pd.read_csv("visits.csv").assign(ward=lambda t: "of " + t["ill"])
    table["cost"] = np.arange(len(table)) % 40 + 0.5
    table.drop(columns="pin").to_csv("visits.csv", index=False)
    asked = ("--qi", "age,town", "--sensitive", "ill,cost", "--others", "keep")
    for how, warned in (("means", False), ("shuffle", True)):
        options = ("--person-id", "who", *asked, "--sensitive-values", how)
        told = run(*anonymize("mondrian", *options, k=4)).stderr
        assert ("'ill'" in told and "ward" in told) == warned


@pytest.mark.slow
def test_claims_are_named_anew_and_the_file_is_written_as_it_was(folder, rng):
    who = np.repeat(np.arange(120), 4)
    claim = 500 + np.arange(480) // 2
    paid = rng.integers(10, 60, 480)
    day = np.repeat(rng.integers(1, 28, 240), 2)
    table = pd.DataFrame({"who": who, "claim_id": claim, "day": day, "paid": paid})
    table.to_csv("claims.csv", index=False, sep=";")
    asked = ("claims.csv", "--person-id", "who", "--k", 10)
    told = "undecided: 'claim_id'", "beside --person-id --key 'claim_id'"
    fails(folder, "synth", *asked, "-o", "out.csv", match=told)
    asked += ("--key", "claim_id", "--iterations", 2)
    told = json.loads(succeeds("synth", *asked, "-o", "out.csv", "--json"))
    assert told["same_in_rows_of"] == "claim_id: day"
    drawn = pd.read_csv("out.csv", sep=";")
    assert list(drawn) == list(table)
    assert (drawn.groupby("claim_id")[["who", "day"]].nunique() == 1).all(axis=None)
    assert not set(drawn["claim_id"]) & set(claim)
    manifest = json.loads(Path("out.manifest.json").read_text())
    treatments = {c["name"]: c["treatment"] for c in manifest["columns"]}
    assert treatments["who"] == treatments["claim_id"] == "key"


@pytest.mark.slow
def test_it_is_told_where_the_persons_of_a_release_have_fewer_rows(folder):
    """Five have six rows each: of fewer than k no further row is drawn."""
    who = np.append(np.arange(100), np.repeat(np.arange(5), 5))
    sex = np.where(who % 3, "F", "M")
    pd.DataFrame({"who": who, "sex": sex}).to_csv("few.csv", index=False)
    asked = ("--k", 10, "--iterations", 2, "--person-id", "who")
    said = "A person has 1.00 rows on average, and 1.25 in the table: the rows are of "
    said += "125 persons, and would be of 100."
    assert said in succeeds("synth", "few.csv", "-o", "out.csv", *asked).splitlines()
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["release"]["rows_a_person"] == said
    assert manifest["release"]["persons"] == 125
    assert manifest["source"]["persons"] == 100
