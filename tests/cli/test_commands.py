"""Every command: what it prints where, what it writes, and how it fails."""

import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, run, succeeds

from coclust_synth import CoclusterSynthesizer, Schema, read_table
from coclust_synth._version import __version__
from coclust_synth.tables.people.repeats import Repeats

FAST = ("--iterations", "3")
INDEPENDENT = ("--within", "independent")


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n),
            "age": 20 + 10 * group + rng.integers(0, 10, n),
            "job": np.array(["cook", "nurse", "?"])[group],
            "gain": np.where(rng.random(n) < 0.7, 0, rng.integers(1, 500, n)),
        }
    )


def program(*arguments, **options):
    """The program itself, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "coclust_synth", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        **options,
    )


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The bytes of a model of `people`, for those that only draw from it."""
    path = tmp_path_factory.mktemp("fitted")
    people().to_csv(path / "people.csv", index=False)
    succeeds("fit", path / "people.csv", "-o", path / "m.model", *FAST)
    return (path / "m.model").read_bytes()


@pytest.fixture
def model(folder, fitted):
    """`m.model`, of people.csv, in the current directory."""
    Path("m.model").write_bytes(fitted)


# inspect


def test_inspect_prints_every_column(folder):
    shown = succeeds("inspect", "people.csv")
    lines = shown.splitlines()
    assert lines[0].startswith("people.csv: 4 columns")
    assert [line.split()[0] for line in lines[2:6]] == ["sex", "age", "job", "gain"]
    assert lines[-1].split()[:3] == ["age", "->", "job"]
    assert "'?'" in shown and "F, M" in shown and "integer" in shown


@pytest.mark.slow
def test_inspect_names_what_must_be_decided(folder):
    people().assign(id=range(1000, 1120)).to_csv("t.csv", index=False)
    shown = succeeds("inspect", "t.csv")
    assert "id: looks like an identifier" in shown
    anew = "or in `synth` --key id to make it anew."
    assert f"Say --drop id or --keep id, {anew}" in shown
    table = people().assign(id=np.repeat(range(1000, 1060), 2))
    table["email"] = [f"a{max(i, 3)}@mail.org" for i in range(120)]
    table.to_csv("twice.csv", index=False)
    lines = succeeds("inspect", "twice.csv").splitlines()
    several, single = (x for x in lines if x.startswith(("id: ", "email: ")))
    assert "of persons or households with several rows, by its name" in several
    assert "or --person-id id if it tells whose each row is" in several
    assert several.endswith("`synth` --key id if a person has several of it.")
    # Some give the address of another, which makes no person of several rows.
    assert "email: looks like an identifier, by its name: 117 different" in single
    assert single.endswith("Say --drop email or --keep email.")
    assert "identifier:" not in succeeds("inspect", "t.csv", "--drop", "id")


def test_what_inspect_says_of_names_with_blanks_can_be_said(folder):
    people().assign(**{"id: 0": range(1000, 1120)}).to_csv("t.csv", index=False)
    shown = succeeds("inspect", "t.csv")
    assert "Say --drop 'id: 0' or --keep 'id: 0', or in `synth` --key 'id: 0'" in shown


@pytest.mark.slow
def test_columns_are_named_between_commas(folder):
    def kept(*options):
        schema = json.loads(succeeds("inspect", "t.csv", "--json", *options))
        return [c["name"] for c in schema["column"] if c["treatment"] == "keep"]

    named = people().rename(columns={"gain": "gain, loss"})
    named.assign(id=range(1000, 1120)).to_csv("t.csv", index=False)
    assert kept("--drop", "sex,job", "--keep", "id,age") == ["age", "gain, loss", "id"]
    assert kept("--drop", "gain, loss") == ["sex", "age", "job"]
    assert kept("--columns", "age, sex", "--columns", "gain, loss") == [
        *("sex", "age", "gain, loss")
    ]
    assert kept("--columns", "age,id,job", "--keep", "id", "--drop", "job") == [
        *("age", "id")
    ]
    fails(folder, "inspect", "t.csv", "--columns", "agee,job", match="mean 'age'")
    both = ("--columns", "age,job", "--keep", "sex")
    fails(folder, "inspect", "t.csv", *both, match="Received both for 'sex'")


@pytest.mark.slow
def test_columns_that_are_used_are_those_of_the_release(folder):
    succeeds("synth", "people.csv", "-o", "o.csv", "--columns", "gain,sex", *FAST)
    rest = ("--drop", "age,job", "-o", "p.csv")
    succeeds("synth", "people.csv", *rest, *FAST)
    assert list(pd.read_csv("o.csv")) == ["sex", "gain"]
    assert (folder / "o.csv").read_bytes() == (folder / "p.csv").read_bytes()


def test_inspect_names_what_is_far_from_all_others_as_a_recoding_leaves_it_out(folder):
    pay = [*(f"${pay:,}" for pay in range(900, 1990, 10)), "$250,000"]
    pd.DataFrame({"pay": pay}).to_csv("t.csv", index=False)
    shown = succeeds("inspect", "t.csv", "--keep", "pay")
    said = 'suppress = [250000]\nformat = "$# thousands"'
    told = "pay: numbers far from all others: 250000. If these are slips, say "
    assert told + said.replace("\n", " and ") in shown
    Path("r.toml").write_text(f'[[recode]]\ncolumn = "pay"\n{said}')
    shown = succeeds("inspect", "t.csv", "--keep", "pay", "--recode", "r.toml")
    assert "far from" not in shown and "900 to 1980" in shown


def test_inspect_as_json_is_the_schema(folder):
    schema = json.loads(succeeds("inspect", "people.csv", "--json"))
    assert [rule["rule"] for rule in schema.pop("rules")] == ["age -> job"]
    assert schema.pop("spelt") == []
    assert not schema.pop("find_rules")
    assert schema == read_table("people.csv")[1].to_dict()
    assert [c["name"] for c in schema["column"]] == ["sex", "age", "job", "gain"]


@pytest.mark.slow
def test_a_schema_is_written_edited_and_given_back(folder):
    succeeds("inspect", "people.csv", "-o", "people.toml")
    text = Path("people.toml").read_text()
    assert [c["name"] for c in tomllib.loads(text)["column"]] == list(people())
    low, high = people()["age"].min(), people()["age"].max()
    edited = text.replace(f"# bounds = [{low}, {high}]", "bounds = [0, 120]")
    edited = edited.replace('name = "gain"', 'name = "gain"\ntreatment = "drop"', 1)
    before, _, gain = edited.rpartition('treatment = "keep"')
    Path("people.toml").write_text(before + gain)

    schema = json.loads(
        succeeds("inspect", "people.csv", "--schema", "people.toml", "--json")
    )
    by_name = {c["name"]: c for c in schema["column"]}
    assert by_name["age"]["bounds"] == [0, 120]
    assert by_name["gain"]["treatment"] == "drop"

    given = ("--schema", "people.toml", *FAST, "--quiet")
    succeeds("synth", "people.csv", "-o", "out.csv", *given)
    assert list(pd.read_csv("out.csv")) == ["sex", "age", "job"]
    # The schema written again from itself is the same.
    succeeds("inspect", "people.csv", "--schema", "people.toml", "-o", "again.toml")
    succeeds("inspect", "people.csv", "--schema", "again.toml", "-o", "third.toml")
    assert Path("again.toml").read_bytes() == Path("third.toml").read_bytes()


def test_ends_of_a_table_that_inspect_found_are_of_no_other_rows(folder):
    """Who earns most is left out of the rows that a model is fitted to."""
    n = 400
    wage = np.append(np.arange(n) * 7 + 1003, 65_917)
    table = pd.DataFrame({"wage": wage, "sex": ["f", *"fm" * (n // 2)]})
    table.to_csv("w.csv", index=False)
    table[:n].to_csv("others.csv", index=False)
    succeeds("inspect", "w.csv", "-o", "w.toml")
    assert "\n# bounds = [1003, 65917]\n" in Path("w.toml").read_text()
    given = ("--schema", "w.toml", *FAST, "--quiet", "-o", "w.model")
    succeeds("fit", "others.csv", *given)
    with zipfile.ZipFile("w.model") as model:
        told = model.read("model.json").decode()
    assert "65917" not in told and "65 917" not in told


@pytest.mark.slow
def test_a_date_that_stands_for_none_is_written_in_the_schema(folder):
    ends = [f"{2001 + i}-05-17" for i in range(24)] * 5
    ends[-20:] = ["9999-12-31"] * 20
    people().assign(end=ends).to_csv("e.csv", index=False)
    found = succeeds("inspect", "e.csv", "-o", "e.toml")
    assert "2001-05-17 to 2024-05-17, or 9999-12-31" in found
    assert Schema.load("e.toml")["end"].no_date == "9999-12-31"
    assert '\n# bounds = ["2001-05-17", "2024-05-17"]\n' in Path("e.toml").read_text()
    both = ("synth", "e.csv", *FAST, "--quiet", "-o")
    succeeds(*both, "own.csv", "--schema", "e.toml")
    succeeds(*both, "plain.csv")
    assert Path("own.csv").read_bytes() == Path("plain.csv").read_bytes()


def with_rare_jobs():
    jobs = [*["cook"] * 60, *["nurse"] * 40, *[f"job {i}" for i in range(20)]]
    return people().assign(job=jobs)


def test_inspect_says_what_would_be_pooled(folder):
    with_rare_jobs().to_csv("t.csv", index=False)
    shown = succeeds("inspect", "t.csv")
    assert "job: 20 rare values, of 20 rows, are released as others." in shown
    assert "rare values" not in succeeds("inspect", "t.csv", "--rare", 1)


@pytest.mark.slow
def test_a_rule_may_be_about_rare_values(folder, rng):
    """Notes, most of which few have, are missing of all of one ward."""
    ward = rng.choice(["eyes", "ears"], 2000)
    note = rng.choice(["well", "ill", *(f"note {i}" for i in range(200))], 2000)
    note[(ward == "eyes") | (rng.random(2000) < 0.3)] = ""
    pd.DataFrame({"ward": ward, "note": note}).to_csv("t.csv", index=False)
    succeeds("inspect", "t.csv", "-o", "s.toml", "--keep", "note")
    assert "(other)" in Path("s.toml").read_text()
    assert "ward, note: never" in succeeds("inspect", "t.csv", "--schema", "s.toml")
    succeeds("synth", "t.csv", "--schema", "s.toml", "-o", "out.csv")
    out = pd.read_csv("out.csv")
    assert out["note"][out["ward"] == "eyes"].isna().all()


def stays(n=800):
    """Stays in a hospital: dates in order, a sum, wards that doctors are in."""
    rng = np.random.default_rng(0)
    doctor = rng.integers(0, 6, n)
    days = rng.integers(0, 9, n)
    came = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n), "D")
    return pd.DataFrame(
        {
            "patient": rng.integers(0, n // 2, n) + 1000,
            "doctor": np.char.add("d", doctor.astype(str)),
            "ward": np.array(["eyes", "heart", "bones"])[doctor // 2],
            "came": came,
            "left": came + pd.to_timedelta(days, "D"),
            "days": days,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("command, out", [("synth", "out.csv"), ("fit", "out.model")])
def test_rows_of_persons_who_are_left_out_are_told_to_be_counted(folder, command, out):
    stays().to_csv("t.csv", index=False)
    how = ("t.csv", "--k", 10, *FAST, "-o", out, "--force")
    result = run(command, *how, "--drop", "patient")
    assert result.exit_code == 0
    assert "Expected each row to be a different person" in result.stderr
    assert "--person-id patient to count persons" in result.stderr
    succeeds(command, *how, "--person-id", "patient")
    # A number of the row is nobody's.
    stays().assign(patient=range(800)).to_csv("t.csv", index=False)
    succeeds(command, *how, "--drop", "patient")


def test_rows_of_persons_are_told_beside_a_release_that_counts_rows(folder):
    stays().to_csv("t.csv", index=False)
    how = ("--k", 5, "--qi", "doctor,days", "--method", "mondrian", "--force")
    for person, told in [((), True), (("--person-id", "patient"), False)]:
        result = run("anonymize", "t.csv", "-o", "out.csv", *how, *person)
        assert result.exit_code == 0
        manifest = json.loads(Path("out.manifest.json").read_text())
        limits = " ".join(manifest["not_protected"])
        assert (
            "Rows were counted, not persons. The column 'patient'" in limits
        ) is told


@pytest.mark.slow
def test_rows_of_persons_are_told_beside_what_a_model_draws(folder):
    """Who samples does not see what a fit warned of, nor does who gets the rows."""
    stays().to_csv("t.csv", index=False)
    fit = ("fit", "t.csv", "-o", "t.model", "--k", 20, *FAST, "--force")
    for person, told in [
        (("--drop", "patient"), True),
        (("--person-id", "patient"), False),
    ]:
        assert run(*fit, *person).exit_code == 0
        for k in [(), ("--k", 40)][: 1 + told]:
            succeeds("sample", "t.model", "-o", "out.csv", *k, "--force", "--quiet")
            manifest = json.loads(Path("out.manifest.json").read_text())
            limits = " ".join(manifest["not_protected"])
            assert ("Rows were counted, not persons." in limits) is told


def applications(rng, n=240):
    """People who applied several times, in equal rows; their numbers are the index."""
    answers = {f"answer {i}": rng.integers(0, 9, n) for i in range(8)}
    table = pd.DataFrame(answers | {"sex": rng.choice(["f", "m"], n)})
    return table.loc[np.repeat(table.index, rng.integers(1, 5, n))]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("inspect", "t.csv"),
        ("synth", "t.csv", "-o", "o.csv", "--k", 20, *FAST, "--force"),
        pytest.param(
            ("fit", "t.csv", "-o", "o.model", "--k", 20, *FAST, "--force"),
            marks=pytest.mark.slow,
        ),
        (
            *("anonymize", "t.csv", "-o", "o.csv", "--k", 5, "--method", "mondrian"),
            *("--qi", "sex,answer 1", "--others", "keep", "--force"),
        ),
    ],
)
def test_rows_that_repeat_are_told_to_be_those_of_persons(folder, rng, command):
    table = applications(rng)
    limit = "Many rows equal another one, even where no other row is near them"
    for whose, person in [((), ()), (table.index, ("--person-id", "who"))]:
        written = table.assign(who=whose) if len(whose) else table
        written.to_csv("t.csv", index=False)
        result = run(*command, *person)
        assert result.exit_code == 0
        # Lines are broken where a terminal ends.
        told = " ".join(result.stderr.split())
        is_told = not person
        assert (f"of {len(table):,} rows 240 are different" in told) is is_told
        if "o.csv" in command:
            manifest = json.loads(Path("o.manifest.json").read_text())
            assert (limit in " ".join(manifest["not_protected"])) is is_told


@pytest.mark.slow
def test_rows_that_repeat_are_looked_for_once(folder, rng, monkeypatch):
    applications(rng).to_csv("t.csv", index=False)
    found, find = [], Repeats.find
    monkeypatch.setattr(
        Repeats, "find", lambda *args: found.append(find(*args)) or found[-1]
    )
    assert run("synth", "t.csv", "-o", "o.csv", "--k", 20, *FAST).exit_code == 0
    assert len(found) == 1 and found[0].n_different == 240


def test_a_single_column_is_counted_as_one(folder):
    Path("t.csv").write_text("age\n" + "\n".join(str(i % 60) for i in range(200)))
    assert "t.csv: 1 column\n" in re.sub(" +\n", "\n", succeeds("inspect", "t.csv"))


def meetings(rng, n=400):
    """People who met, who share the minute, the place and what it was about."""
    second = pd.to_timedelta(rng.integers(0, 10**7, n), "s")
    of = pd.DataFrame({"minute": pd.Timestamp("2024-01-01") + second})
    of["place"] = rng.integers(0, 30, n)
    of = of.assign(subject=rng.choice([*"abcde"], n), chairs=rng.integers(2, 9, n))
    of["floor"] = rng.integers(0, 5, n)
    rows = of.loc[np.repeat(of.index, rng.integers(1, 5, n))]
    return rows.assign(age=rng.integers(18, 80, len(rows)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("inspect", "t.csv"),
        ("synth", "t.csv", "-o", "o.csv", "--k", 20, *FAST, "--force"),
        (
            *("anonymize", "t.csv", "-o", "o.csv", "--k", 5, "--method", "mondrian"),
            *("--qi", "age,chairs", "--others", "keep", "--force"),
        ),
    ],
)
def test_rows_that_go_together_are_told_to_be_those_of_one(folder, rng, command):
    table = meetings(rng)
    table.to_csv("t.csv", index=False)
    sizes = table.minute.value_counts()
    limit = "Rows that share their 'minute' agree in most other columns"
    for person in ((), ("--person-id", "minute")):
        result = run(*command, *person)
        assert result.exit_code == 0
        told, is_told = " ".join(result.stderr.split()), not person
        shared = f"{sizes[sizes > 1].sum():,} of {len(table):,} rows share their"
        assert (f"{shared} 'minute'" in told) is is_told
        assert ("'place', 'subject', 'chairs'" in told) is is_told
        if "o.csv" in command:
            manifest = json.loads(Path("o.manifest.json").read_text())
            assert (limit in " ".join(manifest["not_protected"])) is is_told


def test_inspect_names_numbers_that_may_stand_for_none(folder):
    codes = [f"{i % 60},{(i % 3, -9)[i % 7 == 0]}" for i in range(100)]
    Path("t.csv").write_text("\n".join(["age,pain", *codes]))
    shown = succeeds("inspect", "t.csv")
    assert "stand for a missing value: -9. If they do, say suppress = [-9]" in shown
    Path("r.toml").write_text('[[recode]]\ncolumn = "pain"\nsuppress = [-9]')
    assert "-9" not in succeeds("inspect", "t.csv", "--recode", "r.toml")


@pytest.mark.slow
def test_inspect_names_texts_among_numbers_and_dates(folder, rng):
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 600), "D")
    table = pd.DataFrame({"age": rng.integers(18, 90, 600), "day": day.astype(str)})
    table = table.astype(str)
    table.loc[5, "age"], table.loc[7, "day"] = "unknown", "0000-00-00"
    table.to_csv("t.csv", index=False)
    shown = succeeds("inspect", "t.csv")
    assert 'age: numbers or dates, except for "unknown". If these' in shown
    assert 'say suppress = ["0000-00-00"] in a --recode file' in shown
    Path("r.toml").write_text(
        "[[recode]]\ncolumn = 'age'\nsuppress = ['unknown']\n"
        "[[recode]]\ncolumn = 'day'\nsuppress = ['0000-00-00']\n"
    )
    shown = succeeds("inspect", "t.csv", "--recode", "r.toml")
    assert "integer" in shown and "datetime" in shown and "suppress" not in shown


def staff(n=4000):
    """Trades of four digits, of which the first three are a group."""
    rng = np.random.default_rng(0)
    groups = rng.choice(np.arange(111, 934), 40, replace=False)
    group = rng.choice(groups, n, p=rng.dirichlet(np.full(40, 2.0)))
    trade = 10 * group + np.minimum(rng.geometric(0.4, n), 5)
    paid = np.round(1500 + group + rng.normal(0, 50, n))
    return pd.DataFrame({"group": group, "trade": trade, "paid": paid.astype(int)})


@pytest.mark.slow
def test_numbers_are_taken_for_codes_where_it_is_said(folder):
    table = staff()
    table.to_csv("staff.csv", index=False)
    shown = succeeds("inspect", "staff.csv", "-o", "schema.toml")
    assert "If they are codes, say --categorical trade" in shown
    assert "--categorical paid" not in shown
    how = ("--k", 20, "--iterations", 2, "--force", "-o", "out.csv")
    succeeds("synth", "staff.csv", *how)
    drawn = pd.read_csv("out.csv")
    assert (~drawn["trade"].isin(table["trade"])).sum() > 20
    said = ("--categorical", "group,trade")
    succeeds("synth", "staff.csv", *how, *said)
    drawn = pd.read_csv("out.csv")
    assert drawn.dtypes.equals(table.dtypes)
    assert drawn["trade"].isin(table["trade"]).all()
    off = drawn["trade"] // 10 != drawn["group"]
    n_common = table["trade"].value_counts()
    n_common = (n_common[n_common >= 10].index // 10).value_counts()
    assert not off[drawn["group"].isin(n_common.index)].any()
    assert "--categorical" not in succeeds("inspect", "staff.csv", *said)
    # The same beside a schema, here without the rules that were found of numbers.
    first = Path("out.csv").read_bytes()
    text = Path("schema.toml").read_text().replace("find_rules = false\n", "")
    Path("schema.toml").write_text(text[: text.index("[[rules]]")])
    succeeds("synth", "staff.csv", *how, "--schema", "schema.toml", *said)
    assert Path("out.csv").read_bytes() == first


@pytest.mark.slow
def test_numbers_that_a_text_tells_are_codes_unless_a_schema_says_otherwise(folder):
    table = staff().rename(columns={"trade": "trade_code"})
    letters = str.maketrans("0123456789", "aeioubdfgk")
    table["title"] = [str(trade).translate(letters) for trade in table["trade_code"]]
    table.to_csv("staff.csv", index=False)
    shown = succeeds("inspect", "staff.csv", "-o", "schema.toml")
    assert "trade_code: numbers that go with a text, taken for codes" in shown
    how = ("--k", 20, "--iterations", 2, "--force", "-o", "out.csv")
    for more in (), ("--schema", "schema.toml"):
        succeeds("synth", "staff.csv", *how, *more)
        drawn = pd.read_csv("out.csv")
        real, ours = (
            set(t[["trade_code", "title"]].itertuples(index=False, name=None))
            for t in (table, drawn)
        )
        assert {title for _, title in ours - real} <= {"(other)"}
        assert drawn["trade_code"].isin(table["trade_code"]).all()
    for said in ("--schema", "schema.toml"), ("--categorical", "group,trade_code"):
        assert "taken for codes" not in succeeds("inspect", "staff.csv", *said)
    kinds = {"group": "integer", "trade_code": "integer", "paid": None, "title": None}
    columns = [
        f"[[column]]\nname = '{name}'\n" + (f"kind = '{kind}'\n" if kind else "")
        for name, kind in kinds.items()
    ]
    Path("schema.toml").write_text("\n".join(columns))
    succeeds("synth", "staff.csv", *how, "--schema", "schema.toml")
    assert (~pd.read_csv("out.csv")["trade_code"].isin(table["trade_code"])).any()


@pytest.mark.slow
def test_codes_are_anonymized_without_an_order(folder):
    staff(600).to_csv("staff.csv", index=False)
    how = ("--qi", "group,paid", "--k", 5, "--force", "-o", "out.csv")
    said = ("--intervals", "--categorical", "group")
    for more, are_intervals in (said[:1], True), (said, False):
        succeeds("anonymize", "staff.csv", *how, *more)
        labels = pd.read_csv("out.csv")["group"].astype(str)
        assert labels.str.contains(r"^\[\d+, \d+\]$").any() == are_intervals
        assert labels.str.contains(r"^\{\d+, .*\d+\}$").any() != are_intervals


@pytest.mark.slow
def test_only_numbers_are_taken_for_codes(folder):
    stays().drop(columns="patient").to_csv("t.csv", index=False)
    asked = ("synth", "t.csv", "-o", "out.csv", "--categorical")
    fails(folder, *asked, "came", match="Received a column of kind datetime")
    fails(folder, *asked, "daysss", match="mean 'days'")
    succeeds("inspect", "t.csv", "--categorical", "ward")  # which it is already


@pytest.mark.slow
def test_rules_beside_texts_that_spell_numbers_are_written_and_read(folder, rng):
    number, done = rng.integers(0, 900, 600), rng.random(600) < 0.8
    table = pd.DataFrame({"result": np.where(done, number, np.nan)})
    table["text"] = np.where(done, number.astype(str), "NOT DONE")
    table["unit"] = np.where(done, "mg", "none")
    table.to_csv("results.csv", index=False)
    spelt = "text = result where it is a number"
    never = "text, unit: combinations that never occur"
    given = ("inspect", "results.csv", "--keep", "text", "--k", 20)
    told = succeeds(*given, "-o", "s.toml")
    assert f"{spelt}: trees keep it." in told and never in told
    # What tells a label tells no text, and the texts are those of the table.
    assert "-> text" not in told and "= result with" not in told
    assert spelt in succeeds("inspect", "results.csv", "--schema", "s.toml")
    told = succeeds("synth", "results.csv", "-o", "o.csv", "--schema", "s.toml", *FAST)
    never = "text, unit: never NOT DONE with mg, = result with none"
    assert f"Kept: {spelt}" in told and f"Kept: {never}" in told
    drawn = pd.read_csv("o.csv")
    as_number = pd.to_numeric(drawn["text"], errors="coerce")
    pd.testing.assert_series_equal(as_number, drawn["result"], check_names=False)


@pytest.mark.slow
def test_inspect_lists_rules_with_how_many_respect_them(folder):
    stays().to_csv("stays.csv", index=False)
    shown = succeeds("inspect", "stays.csv", "--person-id", "patient", "--k", 20)
    n = f"{stays()['patient'].nunique():,}"
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "Rules found, which trees keep" in lines
    assert f"left = came + days 800 {n} 0" in lines
    assert f"came <= left 800 {n} 0" in lines
    assert f"doctor -> ward 800 {n} 0" in lines
    told = json.loads(succeeds("inspect", "stays.csv", "--drop", "patient", "--json"))
    order = {"kind": "order", "columns": ["came", "left"], "rule": "came <= left"}
    assert order | {"rows": 800, "individuals": 800, "broken": 0} in told["rules"]


@pytest.mark.slow
def test_rules_of_columns_that_may_be_kept_are_listed(folder):
    table = stays().drop(columns="patient").assign(id=np.arange(800) * 7 + 5000)
    table["bed"] = table["id"] - 300
    table.to_csv("stays.csv", index=False)
    assert "bed = id - 300" in succeeds("inspect", "stays.csv", "-o", "s.toml")
    text = Path("s.toml").read_text()
    assert text.count('treatment = "undecided"') == 2
    asked = ("--schema", "s.toml", "--keep", "bed", *FAST)
    shown = succeeds("synth", "stays.csv", "-o", "o.csv", *asked, "--keep", "id")
    assert "Kept: bed = id - 300" in shown
    shown = succeeds("synth", "stays.csv", "-o", "p.csv", *asked, "--drop", "id")
    assert "id - 300" not in shown


@pytest.mark.slow
def test_a_schema_says_which_rules_are_kept(folder):
    stays().drop(columns="patient").to_csv("stays.csv", index=False)
    succeeds("inspect", "stays.csv", "-o", "s.toml")
    text = Path("s.toml").read_text()
    nested = '[[rules]]\nkind = "nested"\ncode = "doctor"\nlabel = "ward"\n'
    assert text.count("[[rules]]\n") == 3 and nested in text
    asked = ("stays.csv", "--schema", "s.toml", "--within", "trees", *FAST)
    kept = [f"Kept: {rule}" for rule in ("left = came + days", "came <= left")]
    shown = succeeds("synth", *asked, "-o", "a.csv")
    assert [*kept, "Kept: doctor -> ward"] == shown.splitlines()[-3:]
    Path("s.toml").write_text(text.replace(nested, ""))
    assert kept == succeeds("synth", *asked, "-o", "b.csv").splitlines()[-2:]
    shown = succeeds("inspect", "stays.csv", "--schema", "s.toml")
    assert "Rules of the schema" in shown and "doctor -> ward" not in shown
    Path("s.toml").write_text(text.split("[[rules]]\n")[0])
    assert "Kept" not in succeeds("synth", *asked, "-o", "c.csv")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule, match",
    [
        ('kind = "order"\ncolumns = ["came", "let"]', "Did you mean 'left'"),
        ('kind = "order"\ncolumns = ["came", "ward"]', "'ward', which is categorical"),
        ('kind = "order"\ncolumns = ["left", "came"]', "rows break. Correct or remove"),
        ('kind = "sum"\ntarget = "days"\nterms = { came = 1 }', "say about = true"),
        ('kind = "nested"\ncode = "ward"\nlabel = "doctor"', "'ward -> doctor', which"),
        ('kind = "never"\ncolumns = ["ward", "x"]', "'x'"),
        ('kind = "first"', "to have a kind: order, sum"),
    ],
)
def test_a_rule_that_does_not_hold(folder, rule, match):
    stays().drop(columns="patient").to_csv("stays.csv", index=False)
    succeeds("inspect", "stays.csv", "-o", "s.toml")
    text = Path("s.toml").read_text().split("[[rules]]\n")[0]
    Path("s.toml").write_text(f"{text}[[rules]]\n{rule}\n")
    asked = ("stays.csv", "-o", "o.csv", "--schema", "s.toml", "--within", "trees")
    fails(folder, "synth", *asked, match=match)


@pytest.mark.slow
@pytest.mark.parametrize("within", ["trees", "independent"])
def test_keys_are_made_anew(folder, within):
    table = people()
    table.insert(1, "file", [f"AB-{7 * i:04d}" for i in range(120)])
    table["id"] = range(40_000, 40_120)
    table.to_csv("t.csv", index=False)
    asked = ("t.csv", "--key", "file", "--key", "id", "--within", within, *FAST)
    succeeds("fit", *asked, "-o", "t.model")
    succeeds("sample", "t.model", "-o", "s.csv")
    succeeds("synth", *asked, "-o", "o.csv", "--rows", 300)
    made = pd.read_csv("o.csv")
    assert list(made) == list(table)
    assert made["file"].tolist() == [f"AB-1{i:03d}" for i in range(1, 301)]
    assert made["id"].tolist() == list(range(41_001, 41_301))
    assert list(pd.read_csv("s.csv")) == list(table)
    asked = ("--drop", "file", "--drop", "id", "--key", "age")
    fails(folder, "synth", "t.csv", "-o", "p.csv", *asked, match="key, 'age', that")
    asked = ("--drop", "file", "--key", "id", "--key", "file")
    match = "keys that are not left out by --drop or --columns. Received 'file'"
    fails(folder, "synth", "t.csv", "-o", "p.csv", *asked, match=match)


# fit, sample, synth


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fit", "synth"])
def test_what_is_pooled_is_said(folder, command):
    with_rare_jobs().to_csv("t.csv", index=False)
    name = {"fit": "o.model", "synth": "o.csv"}[command]
    run_it = (command, "t.csv", "-o", name, *FAST)
    told = one_object(succeeds(*run_it, "--json"))
    assert (told["rare"], told["k"]) == (10, 10)
    assert told["pooled"] == [{"column": "job", "values": 20, "rows": 20}]
    shown = succeeds(*run_it, "--force", "--rare", 5)
    assert "job: 20 rare values, of 20 rows, are released as others." in shown
    told = one_object(succeeds(*run_it, "--force", "--rare", 1, "--json"))
    assert (told["rare"], told["pooled"]) == (1, [])
    too_many = (*run_it, "--force", "--rare", 11)
    fails(folder, *too_many, match="Expected --rare up to k, 10.")


@pytest.mark.slow
def test_rare_values_are_released_as_nodes_of_a_hierarchy(folder):
    with_rare_jobs().to_csv("t.csv", index=False)
    jobs = sorted(with_rare_jobs()["job"].unique())
    rare = [job for job in jobs if job.startswith("job ")]
    lines = [f"{job};{'sundry' if job in rare else job};*" for job in jobs]
    Path("h").mkdir()
    Path("h/t_hierarchy_job.csv").write_text("\n".join(lines))
    run_it = ("t.csv", "--k", 10, *FAST, "--hierarchies", "h")
    succeeds("synth", *run_it, "-o", "o.csv")
    drawn = set(pd.read_csv("o.csv")["job"])
    assert "sundry" in drawn and not drawn & set(rare)
    succeeds("fit", *run_it, "-o", "t.model")
    no_folder = ("synth", "t.csv", "-o", "p.csv", "--hierarchies", "t.csv")
    fails(folder, *no_folder, match="folder of hierarchies")


@pytest.mark.slow
def test_no_rare_value_is_written(folder):
    with_rare_jobs().to_csv("t.csv", index=False)
    succeeds("synth", "t.csv", "-o", "o.csv", *FAST)
    assert set(pd.read_csv("o.csv")["job"]) == {"cook", "nurse"}
    told = json.loads(Path("o.manifest.json").read_text())["release"]
    assert told["common_for_rare"] == ["job"]
    succeeds("synth", "t.csv", "-o", "grid.csv", *FAST, *INDEPENDENT)
    assert set(pd.read_csv("grid.csv")["job"]) == {"cook", "nurse", "(other)"}
    table = with_rare_jobs()
    table["job"] = table["job"].astype("category")
    table.to_parquet("t.parquet")
    succeeds("synth", "t.parquet", "-o", "typed.parquet", *FAST)
    assert b"job 7" not in Path("typed.parquet").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [(), ("--k", 40), INDEPENDENT, (*INDEPENDENT, "--marginals", "cluster")]
)
def test_fit_then_sample_is_synth(folder, options):
    fit = (*FAST, "--seed", 5, *options)
    succeeds("fit", "people.csv", "-o", "m.model", *fit)
    succeeds("sample", "m.model", "-o", "two.csv", "--seed", 5)
    succeeds("synth", "people.csv", "-o", "one.csv", *fit)
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    frame = pd.read_csv("one.csv", keep_default_na=False)
    assert list(frame) == list(people()) and len(frame) == 120
    assert set(frame["job"]) <= {"cook", "nurse", "?"} and "?" in set(frame["job"])


@pytest.mark.slow
def test_the_commands_are_the_python_functions(folder):
    frame, schema = read_table("people.csv")
    python = CoclusterSynthesizer(k=30, n_iterations=3, random_state=2)
    python.fit(frame, schema).save("python.model")
    succeeds("fit", "people.csv", "-o", "m.model", "--k", 30, *FAST, "--seed", 2)
    assert Path("m.model").read_bytes() == Path("python.model").read_bytes()
    succeeds("sample", "m.model", "-o", "s.csv", "--seed", 2)
    drawn, _ = read_table("s.csv", schema)
    pd.testing.assert_frame_equal(drawn, python.sample())


@pytest.mark.slow
def test_equal_seeds_give_equal_bytes_and_others_do_not(folder):
    tables = {}
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        succeeds("synth", "people.csv", "-o", f"{name}.csv", *FAST, "--seed", seed)
        tables[name] = Path(f"{name}.csv").read_bytes()
    assert tables["a"] == tables["b"] != tables["c"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["o.tsv", "o.csv.gz", "o.parquet"])
def test_formats(folder, name):
    succeeds("synth", "people.csv", "-o", name, *FAST, "-n", 30)
    frame, _ = read_table(name)
    assert frame.shape == (30, 4) and frame["age"].dtype == np.int64


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), INDEPENDENT], ids=str)
def test_rows_and_a_coarser_grid(folder, options):
    succeeds("fit", "people.csv", "-o", "m.model", *FAST, *options)
    told = json.loads(
        succeeds("sample", "m.model", "-o", "s.csv", "-n", 7, "--k", 120, "--json")
    )
    assert told["rows"] == 7 == len(pd.read_csv("s.csv"))
    assert told["k"] == 120 and told["smallest_cluster"] == 120


@pytest.mark.slow
def test_drop_and_keep(folder):
    people().assign(id=range(1000, 1120)).to_csv("t.csv", index=False)
    decided = ("--keep", "id", "--drop", "sex", "--drop", "gain")
    succeeds("synth", "t.csv", "-o", "o.csv", *FAST, *decided)
    assert list(pd.read_csv("o.csv")) == ["age", "job", "id"]


@pytest.mark.slow
def test_force_replaces(folder):
    Path("m.model").write_text("old")
    Path("o.csv").write_text("old")
    succeeds("fit", "people.csv", "-o", "m.model", *FAST, "--force")
    succeeds("sample", "m.model", "-o", "o.csv", "--force")
    assert len(pd.read_csv("o.csv")) == 120


# What is printed


def one_object(text):
    assert text.count("\n") == 1 and text.endswith("\n")
    told = json.loads(text)
    assert isinstance(told, dict)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fit", "synth"])
def test_json_of_a_fit(folder, command):
    name = {"fit": "o.model", "synth": "o.csv"}[command]
    told = one_object(
        succeeds(command, "people.csv", "-o", name, "--k", 20, *FAST, "--json")
    )
    assert told["cost"] < told["null_cost"]
    assert set(told["clusters"]) == {"individuals", "parts"}
    assert told["clusters"]["individuals"] >= 2 and told["clusters"]["parts"] >= 2
    assert 20 <= told["smallest_cluster"] <= 120
    assert told["seconds"] > 0 and told["iterations"] == 3
    assert told["stopped_by"] == "iterations"
    assert (told["k"], told["seed"], told["output"]) == (20, 0, name)
    assert told["cost"] <= told["drawn_cost"] and 0 <= told["information"] <= 1


@pytest.mark.slow
@pytest.mark.parametrize("command", ["fit", "synth"])
def test_the_default_k_is_said(folder, command):
    name = {"fit": "o.model", "synth": "o.csv"}[command]
    told = one_object(succeeds(command, "people.csv", "-o", name, *FAST, "--json"))
    assert (told["k"], told["default_k"]) == (10, True)
    assert told["smallest_cluster"] >= 10
    asked = (*FAST, "--k", 10, "--force", "--json")
    again = one_object(succeeds(command, "people.csv", "-o", name, *asked))
    assert (again["k"], again["default_k"]) == (10, False)
    assert again["drawn_cost"] == told["drawn_cost"]


@pytest.mark.slow
def test_what_the_time_cuts_short_is_said(folder):
    asked = ("synth", "people.csv", "-o", "o.csv", "--force", "--time", "1e-9")
    asked = (*asked, *INDEPENDENT)
    told = one_object(succeeds(*asked, "--json"))
    assert (told["stopped_by"], told["iterations"]) == ("time", 1)
    assert told["cut_short"] == "search, splits" and told["cost"] < told["null_cost"]
    assert "cut short" in succeeds(*asked)
    whole = ("synth", "people.csv", "-o", "w.csv", *FAST)
    assert one_object(succeeds(*whole, "--json"))["cut_short"] is None
    assert "cut short" not in succeeds(*whole, "--force")


@pytest.mark.slow
def test_json_of_a_sample(folder):
    fit = one_object(succeeds("fit", "people.csv", "-o", "m.model", *FAST, "--json"))
    told = one_object(succeeds("sample", "m.model", "-o", "o.csv", "--json"))
    names = ["cost", "null_cost", "clusters", "smallest_cluster", "information"]
    assert [told[n] for n in names] == [fit[n] for n in names]
    assert told["rows"] == 120 and told["output"] == "o.csv"
    assert told["seconds"] >= 0


@pytest.mark.slow
@pytest.mark.parametrize("within", ["independent", "trees"])
def test_rows_under_conditions(folder, within):
    people(400).to_csv("more.csv", index=False)
    succeeds("fit", "more.csv", "-o", "m.model", "--within", within, *FAST)
    sample = ("sample", "m.model", "-o")
    asked = ("--where", "gain <= 20 * age", "--given", "sex=F", "--given", "age>=30")
    told = one_object(succeeds(*sample, "o.csv", "-n", 50, *asked, "--json"))
    assert (told["given"], told["where"]) == ("sex=F,age>=30", asked[1])
    drawn = pd.read_csv("o.csv")
    assert len(drawn) == told["rows"] == 50
    assert (drawn["sex"] == "F").all() and drawn["age"].min() >= 30
    assert (drawn["gain"] <= 20 * drawn["age"]).all()
    shown = succeeds(*sample, "per.csv", "--n-per", "sex=30")
    assert "sex=30" in shown
    assert pd.read_csv("per.csv")["sex"].value_counts().to_dict() == {"F": 30, "M": 30}
    for options, match in (
        (("--given", "sex=X"), "Received 'X'"),
        (("--given", "age>=400"), "about 0 of 400 meet"),
        (("--where", "age = bage"), "expected a number"),
        (("--n-per", "age=3"), "Expected a column of categories"),
        (("--n-per", "sex=3", "-n", "5"), "Received both"),
    ):
        fails(folder, *sample, "x.csv", *options, match=match)


@pytest.mark.slow
def test_an_audit_is_told(folder):
    people(300).to_csv("more.csv", index=False)
    asked = ("synth", "more.csv", "--k", 20, "--audit", *FAST)
    shown = succeeds(*asked, "-o", "o.csv")
    assert shown.count("Audit (fitted to 80% of the individuals, k = 20)") == 2
    isolated = "isolated rows (the 15% farthest from all other real ones): AUC"
    assert isolated in shown
    assert "Audit, all rows by k: " in shown and "Audit, isolated rows by k: " in shown
    assert shown.count(" at 200.") == 2 and "Audit, both are under .55 " in shown
    told = one_object(succeeds(*asked, "-o", "p.csv", "--json"))["audit"]
    assert 0 < told["membership_isolated"]["auc"] < 1
    # The table is as it is without.
    succeeds(*(own for own in asked if own != "--audit"), "-o", "q.csv")
    assert Path("o.csv").read_bytes() == Path("q.csv").read_bytes()


def test_a_table_too_small_for_an_audit_is_refused_before_the_fit(folder, monkeypatch):
    people(60).to_csv("few.csv", index=False)
    monkeypatch.setattr(CoclusterSynthesizer, "fit", None)
    asked = ("synth", "few.csv", "-o", "o.csv", "--audit", *FAST)
    fails(folder, *asked, match="20 rows or more in each part. Received 12")


@pytest.mark.parametrize(
    ("within", "how"), [("independent", "on its own"), ("trees", "on all individuals")]
)
def test_a_table_without_clusters_is_drawn_as_is_said(folder, within, how, rng):
    table = pd.DataFrame(rng.choice(["u", "v"], (60, 2)), columns=["a", "b"])
    table.to_csv("t.csv", index=False)
    shown = succeeds("synth", "t.csv", "-o", "o.csv", "--within", within, *FAST)
    assert "No clusters were found: " in shown and how in shown


@pytest.mark.slow
def test_facts_for_people(folder):
    shown = succeeds("synth", "people.csv", "-o", "o.csv", *FAST)
    names = [line.split("  ")[0] for line in shown.splitlines()]
    for name in ("cost", "null cost", "clusters", "smallest cluster", "seconds"):
        assert name in names


@pytest.mark.slow
def test_quiet_is_silent(folder):
    assert succeeds("fit", "people.csv", "-o", "m.model", *FAST, "--quiet") == ""
    assert succeeds("sample", "m.model", "-o", "s.csv", "--quiet") == ""
    assert succeeds("synth", "people.csv", "-o", "o.csv", *FAST, "--quiet") == ""


@pytest.mark.slow
def test_names_beyond_ascii(folder):
    people().rename(columns={"job": "métier 职业"}).to_csv("é.csv", index=False)
    told = one_object(succeeds("synth", "é.csv", "-o", "ö.csv", *FAST, "--json"))
    assert told["output"] == "ö.csv"
    assert list(pd.read_csv("ö.csv"))[2] == "métier 职业"
    assert "métier 职业" in succeeds("inspect", "é.csv")


def test_help_and_version():
    assert run("--version").stdout.strip() == f"coclust-synth {__version__}"
    for command in ("inspect", "fit", "sample", "synth", "demo"):
        assert command in run("--help").stdout
        result = run(command, "-h")
        assert result.exit_code == 0 and "Usage:" in result.stdout


@pytest.mark.slow
def test_an_option_of_one_column_is_said_once(folder):
    twice = ("synth", "people.csv", "-o", "out.csv", "--person-id", "age")
    result = run(*twice, "--person-id", "job")
    assert result.exit_code == 2
    assert "Expected --person-id once. Received it 2 times" in result.stderr
    assert not Path("out.csv").exists()
    inspected = ("inspect", "people.csv", "--drop", "age", "--drop", "job")
    assert "undecided" not in succeeds(*inspected, "--json", "--json")
    assert "integer" in succeeds("inspect", "people.csv", "--k", 5, "--k", 50)


# demo


@pytest.mark.slow
def test_demo_of_a_table(folder):
    shown = succeeds("demo", "people.csv", *FAST)
    assert shown.startswith("Table: people.csv, 120 rows x 4 columns")
    assert "mean total variation" in shown
    told = one_object(succeeds("demo", "people.csv", *FAST, "--json", "-o", "o.csv"))
    assert (told["k"], told["rows"], told["bundled"]) == (10, 120, False)
    assert told["smallest_cluster"] >= 10
    distances = told["mean_total_variation"]
    assert list(distances) == ["1-way", "2-way", "3-way"]
    assert all(0 <= distance <= 1 for distance in distances.values())
    assert list(pd.read_csv("o.csv")) == list(people())
    assert succeeds("demo", "people.csv", *FAST, "--quiet") == ""


# Bad tables


TABLES = {
    "empty": ("", "empty"),
    "blank": ("\n \n", "empty"),
    "header only": ("age,job\n", "no row"),
    "one row": ("age,job\n20,cook\n", "one row"),
    "two columns of a name": ("age,age\n20,3\n30,4\n", "'age'"),
    "ragged": ("age,job\n20,cook\n30\n40,nurse\n", "Line 3"),
    "too long a line": ("age,job\n20,cook\n30,nurse,9\n", "Line 3"),
    "infinite": ("age,job\n20,cook\ninf,nurse\n1.5,cook\n", "infinite"),
    "open quote": ('age,job\n20,"cook\n30,nurse\n40,cook\n', "quote"),
    "not UTF-8": (b"age,job\n20,caf\xe9\n30,x\n", "UTF-8"),
}


@pytest.mark.parametrize(
    ("command", "name"),
    [*(("synth", name) for name in TABLES), ("fit", "ragged"), ("inspect", "ragged")],
)
def test_a_bad_table(folder, name, command):
    content, match = TABLES[name]
    content = content if isinstance(content, bytes) else content.encode()
    Path("bad.csv").write_bytes(content)
    output = {"fit": "o.model", "synth": "o.csv", "inspect": "o.toml"}[command]
    fails(folder, command, "bad.csv", "-o", output, match=match)


@pytest.mark.parametrize(
    "table, match",
    [
        ("none.csv", "no such file"),
        (".", "a folder as output"),
        ("people.xls", "to end with one of"),
    ],
)
def test_no_table(folder, table, match):
    fails(folder, "synth", table, "-o", "o.csv", match=match)


def test_a_parquet_file_that_is_none(folder):
    Path("bad.parquet").write_text("age,job\n")
    fails(folder, "synth", "bad.parquet", "-o", "o.csv", match="Expected a Parquet")


@pytest.mark.parametrize(("command", "out"), [("fit", "o.model"), ("synth", "o.csv")])
def test_an_undecided_identifier(folder, command, out):
    people().assign(id=range(1000, 1120)).to_csv("t.csv", index=False)
    shown = fails(folder, command, "t.csv", "-o", out, *FAST, match="'id'")
    assert "--drop 'id' or --keep 'id' or" in shown and "--key 'id'" in shown


@pytest.mark.slow
@pytest.mark.parametrize("cells", ["7", ""])
def test_a_column_of_one_value_is_kept_with_a_warning(folder, cells):
    people().assign(flat=cells).to_csv("t.csv", index=False)
    result = run("synth", "t.csv", "-o", "o.csv", *FAST, "--json")
    assert result.exit_code == 0
    assert result.stderr.startswith("Warning: ") and "'flat'" in result.stderr
    assert set(result.stderr.splitlines()) == {result.stderr.splitlines()[0]}
    one_object(result.stdout)
    written = pd.read_csv("o.csv", dtype=str, keep_default_na=False)
    assert set(written["flat"]) == {cells}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "out"), [("fit", "o.model"), ("synth", "o.csv")])
def test_a_warning_is_given_once(folder, command, out):
    people().assign(flat=1).to_csv("t.csv", index=False)
    result = run(command, "t.csv", "-o", out, *FAST)
    assert result.stderr.count("Warning: ") == 1


# Bad options


@pytest.mark.slow
def test_a_total_that_one_person_carries_is_told(folder):
    table = people()
    table.loc[3, "gain"] = 10 * table["gain"].sum()
    table.to_csv("t.csv", index=False)
    shown = succeeds("synth", "t.csv", "-o", "o.csv", *FAST)
    assert "gain: its total is lower in the release by more than a tenth" in shown
    told = one_object(succeeds("synth", "t.csv", "-o", "p.csv", *FAST, "--json"))
    assert told["totals_of_one"] == ["gain"]


@pytest.mark.parametrize(
    "options, match",
    [
        (("--k", 0), "Received 0"),
        (("--k", -5), "Received -5"),
        (("--k", 121), "number of rows, 120. Received 121"),
        (("--k", "many"), "--k"),
        (("--drop", "agee"), "Did you mean 'age'"),
        (("--keep", "agee"), "Did you mean 'age'"),
        (("--bins", 0), "--bins"),
        (("--iterations", 0), "--iterations"),
        (("--time", 0), "Expected --time to be a positive number of seconds"),
        (("--time", "nan"), "positive number of seconds"),
        (("--rare", 0), "Expected --rare to be a whole number"),
        (("--jobs", 0), "Expected --jobs to be a whole number"),
        (("--marginals", "none"), "--marginals"),
        (("--seed", -1), "--seed"),
        (("--schema", "none.toml"), "'none.toml'"),
        (("--drop", "sex", "--drop", "age", "--drop", "job", "--drop", "gain"), "none"),
    ],
)
def test_a_bad_option(folder, options, match):
    for command, output in (("fit", "o.model"), ("synth", "o.csv")):
        fails(folder, command, "people.csv", "-o", output, *FAST, *options, match=match)


@pytest.mark.parametrize(
    "text, match",
    [
        ('[[column]]\nname = "aeg"\n', "'aeg'"),
        ('[[column]]\nname = "age"\n', "'sex', 'job', 'gain'"),
        ('[[column]]\nname = "age"\nknd = "real"\n', "'knd'"),
        ('[[column]]\nname = "age"\nkind = "colour"\n', "'colour'"),
        ("[[column]\n", "TOML"),
        ("[[column]]\n", "to have a name"),
    ],
)
def test_a_bad_schema(folder, text, match):
    Path("s.toml").write_text(text)
    fails(
        folder, "synth", "people.csv", "-o", "o.csv", "--schema", "s.toml", match=match
    )


@pytest.mark.slow
def test_values_that_do_not_fit_the_schema(folder):
    succeeds("inspect", "people.csv", "-o", "s.toml")
    text = Path("s.toml").read_text()
    declared = text.replace("# bounds = [0, ", "bounds = [100, ")
    Path("s.toml").write_text(declared)
    fails(
        folder,
        *("synth", "people.csv", "-o", "o.csv", "--schema", "s.toml"),
        match="Column 'gain'",
    )


@pytest.mark.parametrize("rows", [0, -1])
def test_no_rows(folder, model, rows):
    fails(folder, "sample", "m.model", "-o", "o.csv", "-n", rows, match="from 1")
    fails(folder, "synth", "people.csv", "-o", "o.csv", "-n", rows, *FAST, match="from")


@pytest.mark.parametrize("option", [("--memory", "banana"), ("--temp", "/nosuch")])
def test_options_of_engines_that_count_nothing(folder, option):
    for command, *asked in (
        ("fit", "-o", "m.model"),
        ("synth", "-o", "o.csv"),
        ("anonymize", "-o", "o.csv", "--k", 5),
        ("inspect",),
    ):
        expected = (f"Received {option[0]}, which is for engines", "--engine duckdb")
        fails(folder, command, "people.csv", *asked, *option, match=expected)


@pytest.mark.parametrize("k", [0, 121])
def test_sample_at_a_k_out_of_range(folder, model, k):
    fails(folder, "sample", "m.model", "-o", "o.csv", "--k", k, match="from 10 to 120")


@pytest.mark.slow
def test_sample_at_a_k_below_that_of_the_model(folder):
    succeeds("fit", "people.csv", "-o", "m.model", "--k", 30, *FAST)
    for output in ("o.csv", "o"):
        fails(
            *(folder, "sample", "m.model", "-o", output, "--k", 2),
            match=("from 30 to 120", "Received 2", "fit again"),
        )
    fails(
        *(folder, "sample", "m.model", "-o", "o.csv", "--k", 121),
        match="from 30 to 120. Received 121",
    )
    succeeds("sample", "m.model", "-o", "same.csv", "--k", 30, "--quiet")


# Bad outputs


@pytest.mark.parametrize("command", ["fit", "synth", "sample", "inspect", "demo"])
@pytest.mark.parametrize(
    "name, match",
    [("none/o", "that does not exist"), ("dir", "the directory"), ("old", "exists")],
)
def test_a_bad_output(folder, model, command, name, match):
    suffix = {"fit": ".model", "inspect": ".toml"}.get(command, ".csv")
    Path(f"dir{suffix}").mkdir()
    Path(f"old{suffix}").write_text("old")
    source = "m.model" if command == "sample" else "people.csv"
    extra = () if command in ("sample", "inspect") else FAST
    shown = fails(folder, command, source, "-o", f"{name}{suffix}", *extra)
    assert match in shown
    if name == "dir":
        fails(folder, command, source, "-o", f"dir{suffix}", *extra, "--force")


@pytest.mark.parametrize("name", ["o.xls", "o", "o.model"])
def test_an_output_that_is_no_table(folder, name):
    fails(folder, "synth", "people.csv", "-o", name, match="to end with one of")


def test_no_output(folder):
    fails(folder, "synth", "people.csv", match="--output")


# Bad models


def damaged(what):
    whole = Path("m.model").read_bytes()
    if what == "truncated":
        return whole[: len(whole) // 2]
    return {"empty": b"", "foreign": b"age,job\n1,2\n"}[what]


@pytest.mark.parametrize("what", ["truncated", "empty", "foreign"])
def test_a_bad_model(folder, model, what):
    Path("bad.model").write_bytes(damaged(what))
    fails(
        folder,
        *("sample", "bad.model", "-o", "o.csv"),
        match="truncated, or of another program",
    )


def test_no_model(folder):
    fails(folder, "sample", "none.model", "-o", "o.csv", match="no such file")


@pytest.mark.slow
def test_a_model_of_a_newer_format(folder, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("coclust_synth.generators.plain.model.FORMAT_VERSION", 2)
        succeeds("fit", "people.csv", "-o", "m.model", *FAST)
    fails(
        folder,
        *("sample", "m.model", "-o", "o.csv"),
        match=(
            "version 2",
            "reads version 1",
            "Install the coclust_synth that wrote it",
        ),
    )


# The program itself


@pytest.mark.slow
def test_the_program_prints_facts_on_standard_output(folder):
    done = program("synth", "people.csv", "-o", "o.csv", *FAST, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert one_object(done.stdout)["output"] == "o.csv"
    succeeds("synth", "people.csv", "-o", "here.csv", *FAST)
    assert Path("o.csv").read_bytes() == Path("here.csv").read_bytes()


@pytest.mark.slow
def test_the_program_prints_errors_on_standard_error(folder):
    before = files_in(folder)
    done = program("fit", "none.csv", "-o", "m.model")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ") and done.stderr.count("\n") == 1
    assert files_in(folder) == before


@pytest.mark.slow
def test_the_program_prints_warnings_on_standard_error(folder):
    people().assign(flat=1).to_csv("t.csv", index=False)
    done = program("inspect", "t.csv", "--json")
    assert done.returncode == 0 and done.stderr.startswith("Warning: ")
    assert len(one_object(done.stdout)["column"]) == 5


@pytest.mark.slow
def test_a_reader_that_goes_away(folder):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "coclust_synth", "inspect", "people.csv"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1 and "Traceback" not in done.stderr


def test_dropped_and_kept(folder):
    failed = run("synth", "people.csv", "-o", "o.csv", "--drop", "job", "--keep", "job")
    assert failed.exit_code == 2 and "Received both for 'job'" in failed.stderr


@pytest.mark.slow
def test_kept_against_the_schema(folder):
    succeeds("inspect", "people.csv", "-o", "s.toml", "--drop", "job")
    succeeds(
        *("synth", "people.csv", "-o", "o.csv", *FAST),
        *("--schema", "s.toml", "--keep", "job"),
    )
    assert "job" in pd.read_csv("o.csv").columns


@pytest.mark.slow
def test_parts_can_be_learnt(folder):
    fast = (*FAST, *INDEPENDENT)
    learnt, given = ("--parts", "learnt", *fast), ("people.csv", "-o")
    succeeds("synth", *given, "one.csv", *learnt)
    succeeds("fit", *given, "m", *learnt)
    succeeds("sample", "m", "-o", "two.csv")
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    succeeds("synth", *given, "fixed.csv", *fast)
    assert Path("fixed.csv").read_bytes() != Path("one.csv").read_bytes()


# trees inside of clusters


@pytest.mark.slow
def test_trees_keep_rules_and_say_which(folder):
    table = people(400)
    table["bonus"] = np.round(table["gain"] * 0.37 + 12 * table["age"] / 7, 2)
    table["paid"] = table["gain"] + table["bonus"]
    table.to_csv("pay.csv", index=False)
    asked = ("pay.csv", "--within", "trees", "--k", "20", *FAST)
    shown = succeeds("synth", *asked, "-o", "out.csv")
    assert "Kept: paid = gain + bonus" in shown
    manifest = json.loads(Path("out.manifest.json").read_text())
    kept = {"rule": "paid = gain + bonus", "drawn_broken": 0}
    assert kept in manifest["release"]["rules"]
    facts = json.loads(succeeds("fit", *asked, "-o", "pay.model", "--json"))
    (rule,) = (each for each in facts["rules"] if each.get("target") == "paid")
    assert (rule["rule"], rule["rows"]) == ("paid = gain + bonus", 400)
    assert "drawn_broken" not in rule
    facts = json.loads(succeeds("sample", "pay.model", "-o", "more.csv", "--json"))
    (again,) = (each for each in facts["rules"] if each.get("target") == "paid")
    assert again == rule | {"drawn_broken": 0}
    for name in ("out.csv", "more.csv"):
        drawn = pd.read_csv(name)
        assert (drawn["gain"] + drawn["bonus"] - drawn["paid"]).abs().max() < 0.011
    succeeds("sample", "pay.model", "-o", "x.csv", "--k", "50")
