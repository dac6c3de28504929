"""`--recode`: what is blurred by hand comes first in every command, and is told."""

import json
from pathlib import Path

import pandas as pd
import pytest
from support.commands import fails, succeeds
from support.people import people

from coclust_synth.cli.tables import told_recoding

RECODING = """
[[recode]]
column = "age"
top = 40
round = 5

[[recode]]
column = "town"
groups = { north = ["A", "B", "C"], south = ["D", "E", "F"] }
"""
TOLD = [
    {"column": "age", "top": 40, "round": 5},
    {"column": "town", "groups": {"north": ["A", "B", "C"], "south": ["D", "E", "F"]}},
]
RECODE = ("--recode", "recode.toml")
AGES, TOWNS = {"20", "25", "30", "35", "40"}, {"north", "south"}
DOMAIN = """
[[column]]
name = "age"
low = 20
high = 40
unit = 5
bins = 5

[[column]]
name = "town"
categories = ["north", "south"]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with tables, a recoding and a domain in it."""
    monkeypatch.chdir(tmp_path)
    people(200).to_csv("people.csv", index=False)
    people(200, seed=1).to_csv("more.csv", index=False)
    Path("recode.toml").write_text(RECODING)
    Path("domain.toml").write_text(DOMAIN)
    return tmp_path


def manifest(name="out"):
    return json.loads(Path(f"{name}.manifest.json").read_text())


def released(name="out"):
    return pd.read_csv(f"{name}.csv", dtype=str)


@pytest.mark.slow
def test_k_anonymous_tables(folder):
    asked = ("--k", 5, "--qi", "age,town,sex", "--method", "suppress", *RECODE)
    succeeds("anonymize", "people.csv", "-o", "out.csv", *asked, "--quiet")
    assert {*released()["age"]} <= AGES | {"*"}
    assert {*released()["town"]} <= TOWNS | {"*"}
    assert manifest()["recoding"] == TOLD
    leaves = json.loads(Path("out.labels.json").read_text())["columns"]
    assert leaves[0]["leaves"] == [20, 25, 30, 35, 40]
    # A population is recoded as the table is.
    asked = ("--k", 5, "--qi", "age,town", "--delta-presence", "0,1", *RECODE)
    more = ("--population", "all.csv", "--iterations", 2, "--quiet", "--force")
    both = pd.concat([people(200), people(200, seed=1)])
    both.to_csv("all.csv", index=False)
    succeeds("anonymize", "people.csv", "-o", "out.csv", *asked, *more)


@pytest.mark.slow
def test_new_rows_are_recoded_as_the_earlier_ones(folder):
    asked = ("--k", 5, "--qi", "age,town,sex", "--method", "mondrian", "--quiet")
    succeeds("anonymize", "people.csv", "-o", "out.csv", *asked, *RECODE)
    extend = ("extend", "out.csv", "more.csv", "-o", "batch.csv")
    fails(
        folder, *extend, match="the recoding of the earlier release, of 'age', 'town'"
    )
    succeeds(*extend, *RECODE, "--quiet")
    assert manifest("batch")["recoding"] == TOLD
    succeeds("anonymize", "people.csv", "-o", "plain.csv", *asked)
    assert "recoding" not in manifest("plain")
    extend = ("extend", "plain.csv", "more.csv", "-o", "batch.csv", "--force")
    fails(folder, *extend, *RECODE, match="of no column. Received 'recode.toml'")


def test_of_values_that_are_left_out_it_is_told_how_many(folder):
    """One person may have had them, and is to be found by none of what is released."""
    text = '[[recode]]\ncolumn = "age"\nsuppress = [33, 41]\n'
    Path("recode.toml").write_text(text)
    told = [{"column": "age", "suppress": "2 values"}]
    asked = ("--k", 5, "--qi", "age,sex", "--method", "mondrian", "--quiet")
    succeeds("anonymize", "people.csv", "-o", "out.csv", *asked, *RECODE)
    assert manifest()["recoding"] == told
    succeeds("extend", "out.csv", "more.csv", "-o", "batch.csv", *RECODE, "--quiet")
    assert manifest("batch")["recoding"] == told
    declared = told_recoding(Path("recode.toml"), declared=True)
    assert declared == [{"column": "age", "suppress": [33, 41]}]


@pytest.mark.slow
def test_synthetic_tables_and_their_models(folder):
    asked = ("--k", 20, "--iterations", 2, "--quiet", *RECODE)
    succeeds("synth", "people.csv", "-o", "out.csv", *asked)
    assert {*released()["age"]} <= AGES and {*released()["town"]} <= TOWNS
    assert manifest()["recoding"] == TOLD
    succeeds("fit", "people.csv", "-o", "people.model", *asked)
    drawn = ("sample", "people.model", "-o", "out.csv", "--force", "--quiet")
    succeeds(*drawn)
    assert {*released()["age"]} <= AGES and manifest()["recoding"] == TOLD
    succeeds(*drawn, "--k", 60)
    assert manifest()["recoding"] == TOLD


def test_private_tables_declare_it(folder):
    Path("people.csv").write_text(people(200).to_csv(index=False) + "unsure,A,,,,\n")
    asked = ("--epsilon", 1, "--domain", "domain.toml", "--method", "laplace", *RECODE)
    fails(folder, "dp", "people.csv", "-o", "out.csv", *asked, match="'age'")
    people(200).to_csv("people.csv", index=False)
    succeeds("dp", "people.csv", "-o", "out.csv", *asked, "--quiet")
    assert {*released()["age"]} <= AGES and {*released()["town"]} <= TOWNS
    told = manifest()
    assert told["recoding"] == TOLD
    assert any("recoding" in what for what in told["outside_the_budget"])
    assert "the recoding, which is declared" in Path("out.statement.md").read_text()
    plan = ("dp", "--plan", "--expected-rows", 100, *asked)
    fails(folder, *plan, match="Received --recode")


def test_a_domain_can_be_drafted_of_what_is_recoded(folder):
    asked = ("--columns", "age,town", *RECODE)
    succeeds("domain", "--new", "new.toml", "--domain-from-data", "people.csv", *asked)
    assert 'categories = ["north", "south"]' in Path("new.toml").read_text()


@pytest.mark.slow
def test_what_is_held_against_it_is_recoded_too(folder):
    told = json.loads(succeeds("inspect", "people.csv", *RECODE, "--json"))
    columns = {own["name"]: own for own in told["column"]}
    assert columns["town"]["categories"] == ["north", "south"]
    succeeds("anatomy", "people.csv", "-o", "out.csv", "--l", 2, *RECODE, "--quiet",
             "--sensitive", "disease", "--qi", "age,town")  # fmt: skip
    assert manifest()["recoding"] == TOLD and {*released()["town"]} <= TOWNS


@pytest.mark.slow
def test_what_a_table_would_be_is_checked_without_writing_it(folder):
    """The population is recoded as the table is; k counted again by pandas."""
    asked = ("--qi", "age,town", "--k", 3, "--json")
    by_hand = pd.read_csv("people.csv")
    by_hand["age"] = ((by_hand["age"].clip(upper=40) + 2.5) // 5 * 5).clip(upper=40)
    by_hand["town"] = by_hand["town"].map(lambda own: "north" if own < "D" else "south")
    sizes = by_hand.groupby(["age", "town"]).size()
    told = json.loads(succeeds("check", "people.csv", *asked, *RECODE))
    assert (told["k"], told["classes"]) == (sizes.min(), len(sizes))

    by_hand.to_csv("by_hand.csv", index=False)
    risk = ("--qi", "age,town", "--risk", "--json")
    raw = ("check", "people.csv", *risk, "--population", "people.csv", *RECODE)
    written = ("check", "by_hand.csv", *risk, "--population", "by_hand.csv")
    found, expected = (json.loads(succeeds(*own))["risk"] for own in (raw, written))
    assert found == expected
    assert found["k_map"] == sizes.min()


def test_two_releases_are_not_recoded(folder):
    fails(
        *(folder, "check", "people.csv", "more.csv", "--qi", "age", *RECODE),
        match="Received --recode, which is for one",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RECODING.replace('"age"', '"ages"'), "Did you mean 'age'?"),
        (RECODING.replace('"age"', '"job"'), "numbers in column 'job'"),
        (RECODING.replace("top = 40", "top = 'old'"), "bottom and top to be numbers"),
        (RECODING.replace('"F"', '"A"'), "groups without a value in common"),
        ("recode", "to be TOML"),
        ('[[recode]]\ncolumn = "sex"\nprefix = 1', "leaves the column of the persons"),
    ],
)
def test_wrong_recodings_end_in_one_line(folder, text, said):
    Path("recode.toml").write_text(text)
    asked = ("--k", 5, "--qi", "age,town", "--person-id", "sex", *RECODE)
    asked = (*asked, "--method", "mondrian")
    fails(folder, "anonymize", "people.csv", "-o", "out.csv", *asked, match=said)


def test_the_recoding_is_no_output(folder):
    fails(
        *(folder, "anonymize", "people.csv", "-o", "recode.csv", "--k", 5),
        *("--recode", "missing.toml"),
        match="a recoding in the file",
    )
