"""`hierarchies`: what it prints and writes, and how it fails."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, succeeds

from coclust_synth import derive_hierarchies, read_table
from coclust_synth.tables.hierarchy_formats import (
    read_amnesia,
    read_amnesia_json,
    read_anjana,
    read_arx_folder,
    read_hierarchies,
    read_json,
    read_toml,
)

FAST = ("--iterations", "3")


def people(n=120):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": 20 + 10 * group + rng.integers(0, 10, n),
            "job": np.array(["cook", "nurse", "smith"])[group],
            "sex": rng.choice(["F", "M"], n),
        }
    )


def test_a_name_can_have_a_comma(folder):
    people().rename(columns={"job": "job, or none"}).to_csv("q.csv", index=False)
    succeeds(
        "hierarchies", "q.csv", "-o", "out", "--columns", "job, or none,sex", *FAST
    )
    assert sorted(files_in("out")) == [
        "q_hierarchy_job, or none.csv",
        "q_hierarchy_sex.csv",
    ]


def test_a_slash_in_a_name_is_spelt_and_read_back(folder):
    named = people().rename(columns={"job": "job/role", "sex": "F\\M"})
    named.to_csv("q.csv", index=False)
    asked = "--columns", "job/role,F\\M"
    succeeds("hierarchies", "q.csv", "-o", "out", *asked, "--format", "toml", *FAST)
    assert sorted(files_in("out")) == [
        "q_hierarchy_F%5CM.toml",
        "q_hierarchy_job%2Frole.toml",
    ]
    frame, schema = read_table("q.csv")
    assert sorted(read_hierarchies("out", frame, schema)) == ["F\\M", "job/role"]


@pytest.mark.slow
def test_the_files_are_those_of_the_function(folder):
    arguments = ("--columns", "age,job,sex", *FAST, "--seed", "5", "--bins", "4")
    shown = succeeds("hierarchies", "people.csv", "-o", "out", *arguments)
    expected = derive_hierarchies(
        "people.csv",
        columns=["age", "job", "sex"],
        n_iterations=3,
        random_state=5,
        bins=4,
        built_in="auto",
    )
    found = read_arx_folder("out")
    assert sorted(files_in("out")) == [
        f"people_hierarchy_{name}.csv" for name in ("age", "job", "sex")
    ]
    for name, hierarchy in expected.items():
        assert found[name].labels == hierarchy.labels
        assert f"{name}: {hierarchy.n_leaves} values" in shown
    assert shown.splitlines()[-1] == "3 hierarchies in out"
    again = ("hierarchies", "people.csv", "-o", "again", *arguments, "--jobs", "2")
    assert succeeds(*again, "--quiet") == ""
    assert files_in("again") == files_in("out")


@pytest.mark.slow
def test_every_format_and_a_picture(folder):
    formats = "arx amnesia amnesia-json anjana json toml".split()
    chosen = [word for name in formats for word in ("--format", name)]
    succeeds(
        *("hierarchies", "people.csv", "-o", "out", "--columns", "age,job", *FAST),
        *(*chosen, "--picture", "svg"),
    )
    own = {
        name: read_json(f"out/people_hierarchy_{name}.json") for name in ("age", "job")
    }
    assert {type(leaf) for leaf in own["age"].leaves} == {int} and own["age"].ordered
    assert len(files_in("out")) == 14
    for name, hierarchy in own.items():
        lines = hierarchy.lines()
        assert read_arx_folder("out")[name].lines() == lines
        assert read_toml(f"out/people_hierarchy_{name}.toml").lines() == lines
        assert read_anjana(f"out/people_anjana_{name}.csv").lines() == lines
        json_ = read_amnesia_json(f"out/people_amnesia_{name}.json")
        assert sorted(json_.lines()) == sorted(lines)
        assert Path(f"out/people_hierarchy_{name}.svg").read_text().startswith("<?xml")
    assert Path("out/people_amnesia_age.txt").read_text().startswith("range\n")
    assert read_amnesia("out/people_amnesia_job.txt").n_leaves == 3


@pytest.mark.slow
def test_a_schema_says_what_is_left_out(folder):
    succeeds("inspect", "people.csv", "-o", "schema.toml", "--drop", "name")
    arguments = ("people.csv", "-o", "out", "--schema", "schema.toml", *FAST)
    succeeds("hierarchies", *arguments, "--quiet")
    assert list(read_arx_folder("out")) == ["age", "job", "sex"]


@pytest.mark.slow
def test_force_replaces_hierarchies_and_nothing_else(folder):
    arguments = ("hierarchies", "people.csv", "-o", "out", *FAST)
    succeeds(*arguments, "--columns", "age,job")
    fails(folder, *arguments, "--columns", "job,sex", match="Give --force")
    succeeds(*arguments, "--columns", "job,sex", "--force")
    assert list(read_arx_folder("out")) == ["job", "sex"]
    Path("out/notes.txt").touch()
    fails(folder, *arguments, "--columns", "job", "--force", match="'notes.txt'")
    fails(
        folder,
        "hierarchies",
        "people.csv",
        "-o",
        ".",
        "--force",
        match="also holds 'out'",
    )


def test_force_replaces_those_of_a_name_of_two_lines(folder):
    people().rename(columns={"job": "job\nnow"}).to_csv("q.csv", index=False)
    arguments = "hierarchies", "q.csv", "-o", "out", "--drop", "name", *FAST
    succeeds(*arguments, "--columns", "sex", "--columns", '"job\nnow"')
    succeeds(*arguments, "--columns", "sex", "--force")
    assert list(files_in("out")) == ["q_hierarchy_sex.csv"]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ((), "'name'"),
        (("--columns", "age,jobs"), "Received 'jobs'. Did you mean 'job'?"),
        (("--columns", "age,"), "Received ''"),
        (("--schema", "no.toml"), "no.toml"),
    ],
)
def test_bad_input_writes_nothing(folder, arguments, match):
    fails(
        folder, "hierarchies", "people.csv", "-o", "out", *FAST, *arguments, match=match
    )


def test_tables_and_columns_that_cannot_be_used(folder):
    fails(folder, "hierarchies", "no.csv", "-o", "out", match="no such file")
    fails(folder, "hierarchies", "people.csv", "-o", "no/out", match="directory")


def stays(n=400):
    """Stays in a hospital: the diagnosis' letter goes with the age, nothing else."""
    rng = np.random.default_rng(3)
    letter = rng.integers(0, 5, n)
    codes = [
        f"{'ABCDE'[group]}{number:02d}.{digit}"
        for group, number, digit in zip(
            letter, rng.integers(0, 9, n), rng.integers(0, 2, n), strict=True
        )
    ]
    born = pd.Timestamp("1930-01-01") + pd.to_timedelta(
        letter * 7305 + rng.integers(0, 7300, n), unit="D"
    )
    return pd.DataFrame(
        {
            "patient": rng.integers(0, n // 2, n) + 1000,
            "born": born.strftime("%Y-%m-%d"),
            "diagnosis": codes,
            "cost": np.round(np.exp(rng.normal(6, 1, n)), 2),
        }
    )


@pytest.mark.slow
def test_codes_follow_their_prefixes_where_these_tell_as_much(folder):
    stays().to_csv("stays.csv", index=False)
    asked = ("--columns", "born,diagnosis,cost", *FAST, "--format", "json")
    shown = succeeds("hierarchies", "stays.csv", "-o", "out", *asked)
    found = {
        name: read_json(f"out/stays_hierarchy_{name}.json")
        for name in ("born", "diagnosis", "cost")
    }
    assert all(len(own.labels) <= 8 for own in found.values())
    codes = found["diagnosis"]
    assert codes.labels[-2] == ("A*", "B*", "C*", "D*", "E*")
    assert all(len(code) == 4 for code in codes.labels[1])  # A00*
    assert codes.generalize(["C07.1"], 1).tolist() == ["C07*"]
    assert codes.information[0] == 1 == codes.information[-2] > codes.information[-1]
    told = " ".join(shown.split())
    assert "built-in, which tells" in told and codes.origin in told
    assert f"diagnosis: {codes.n_leaves} values" in told and "5 (100%), 1 (0%)" in told
    # What is chosen by hand.
    never = ("--built-in", "never", "--force")
    succeeds("hierarchies", "stays.csv", "-o", "out", *asked, *never)
    assert read_json("out/stays_hierarchy_diagnosis.json").labels != codes.labels
    always = ("--built-in", "always", "--force", "--levels", "4")
    succeeds("hierarchies", "stays.csv", "-o", "out", *asked, *always)
    assert "1930s" in read_json("out/stays_hierarchy_born.json").labels[-2]
    cost = read_json("out/stays_hierarchy_cost.json")
    assert len(cost.labels) <= 4 and cost.labels[-2][0].startswith("[0, ")


@pytest.mark.slow
def test_k_counts_patients_under_hierarchies_of_both_kinds(folder):
    stays().to_csv("stays.csv", index=False)
    asked = ("--qi", "born,diagnosis", "--k", 5, "--person-id", "patient", *FAST)
    more = ("--method", "flash", "--built-in", "auto", "--json")
    told = json.loads(
        succeeds("anonymize", "stays.csv", "-o", "out.csv", *asked, *more)
    )
    assert told["smallest_class_persons"] >= 5
    released = pd.read_csv("out.csv", dtype=str)
    assert {*released["diagnosis"]} <= {"A*", "B*", "C*", "D*", "E*", "*"}


@pytest.fixture
def edited(folder):
    """Lines of a hierarchy of ARX's, as a spreadsheet has them, to be changed."""
    table = people()
    table["town"] = np.random.default_rng(1).choice(list("ABCD"), len(table))
    table.to_csv("people.csv", index=False)
    Path("own").mkdir()
    lines = [[own, "north" if own in "AB" else "south", "land", "*"] for own in "ABCD"]

    def write(lines):
        text = "".join(";".join(line) + "\n" for line in lines)
        Path("own/people_hierarchy_town.csv").write_text(text)
        return lines

    return lines, write


ANONYMIZE = ("anonymize", "people.csv", "-o", "out.csv", "--k", 5, "--qi", "town,sex")
ALONG = (*ANONYMIZE, "--method", "mondrian", "--hierarchies", "own", "--quiet")


@pytest.mark.slow
def test_a_file_is_edited_and_read_back(folder, edited):
    lines, write = edited
    write(lines)
    succeeds(*ALONG)
    # Renamed, a value moved, and a level cut.
    write([[own, "M" if own in "ABC" else "S", "*"] for own in "ABCD"])
    succeeds(*ALONG, "--force")
    assert {*pd.read_csv("out.csv", dtype=str)["town"]} <= {*"ABCD", "M", "S", "*"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[1].__setitem__(1, "mid"), ""),
        (lambda lines: lines[1].__setitem__(2, "sea"), "one parent of 'north'"),
        (lambda lines: lines[2].pop(), "expected 4 labels on line 3"),
        (lambda lines: lines[3].__setitem__(3, "all"), "one root, '*'"),
        (lambda lines: lines.pop(0), "Received none for 'A'"),
        (lambda lines: lines.append(["A", "north", "land", "*"]), "on lines 1 and 5"),
    ],
)
def test_wrong_edits_are_told_by_line(folder, edited, change, said):
    lines, write = edited
    change(lines)
    write(lines)
    if said:
        fails(folder, *ALONG, match=said)
    else:
        succeeds(*ALONG)


def hired(n=240):
    """People with numbers, dates and categories, some of each missing."""
    table = people(n)[["age", "job", "sex"]].astype({"age": "Int64"})
    days = pd.Timestamp("1999-12-30") + pd.to_timedelta(np.arange(n) % 90, unit="D")
    table["hired"] = days.strftime("%Y-%m-%d")
    for column, start in (("age", 0), ("job", 1), ("hired", 2)):
        table.loc[start::20, column] = None
    return table


@pytest.fixture
def toml(folder):
    """The TOML of the table of `hired`, and a function that edits the job's."""
    hired().to_csv("people.csv", index=False)
    asked = ("--columns", "age,job,hired", "--format", "toml", *FAST)
    succeeds("hierarchies", "people.csv", "-o", "own", *asked, "--quiet")
    path = Path("own/people_hierarchy_job.toml")
    head, *_ = path.read_text().partition("\n[level")

    def write(levels):
        path.write_text(f"{head}\n{levels}")

    return write


BY_TOML = ("anonymize", "people.csv", "-o", "out.csv", "--k", 20, "--quiet")
BY_TOML = (*BY_TOML, "--qi", "age,job,hired", "--method", "mondrian", "--force")
BY_TOML = (*BY_TOML, "--hierarchies", "own")


@pytest.mark.slow
def test_types_and_missing_values_survive_toml(folder, toml):
    succeeds(*BY_TOML)
    by_toml = files_in(".")["out.csv"]
    # The same hierarchies in the format that keeps types by itself.
    asked = ("--columns", "age,job,hired", "--format", "json", *FAST)
    succeeds("hierarchies", "people.csv", "-o", "own", *asked, "--quiet", "--force")
    succeeds(*BY_TOML)
    assert files_in(".")["out.csv"] == by_toml
    released = pd.read_csv("out.csv", dtype=str)
    assert released.value_counts().min() >= 20
    assert {*released["hired"]} & {"1999-12", "1999", "2000", "1999 Q4", "2000 Q1", "*"}


@pytest.mark.slow
def test_toml_is_edited_and_read_back(folder, toml):
    toml('[level.3]\n"at work" = ["cook", "nurse"]\n"hot" = ["smith", ""]\n')
    Path("own/people_hierarchy_job.csv").write_text("of no use\n")
    succeeds(*BY_TOML)
    jobs = {*pd.read_csv("out.csv", dtype=str, keep_default_na=False)["job"]}
    assert jobs <= {"cook", "nurse", "smith", "", "at work", "hot", "*"}
    assert jobs & {"at work", "hot"}
    asked = ("--qi", "age", "--sensitive", "job", "--t-closeness", "0.9:hierarchical")
    shown = succeeds("check", "people.csv", *asked, "--hierarchies", "own", "--json")
    assert json.loads(shown)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("levels", "said"),
    [
        ('[level.1]\na = ["cook", "smith"]\nb = ["cook"]\n', "in 'a' and in 'b'"),
        ('[level.1]\na = ["cook", "chef"]\n', "Received 'chef'"),
        (
            '[level.1]\na = ["cook", "smith"]\n[level.2]\nb = ["cook", "nurse"]\n',
            "the values of 'a', [level.1], together on [level.2]",
        ),
        ("[level.low]\n", "Received 'low'"),
        ('[level.1]\na = ["cook"\n', "to be TOML"),
    ],
)
def test_wrong_edits_of_toml_are_told(folder, toml, levels, said):
    toml(levels)
    fails(folder, *BY_TOML, match=said)
    assert not Path("out.csv").exists()


@pytest.mark.slow
def test_a_value_that_toml_lacks_is_told(folder, toml):
    pd.concat([hired(), people(1).drop(columns="name").assign(job="chef")]).to_csv(
        "people.csv", index=False
    )
    fails(folder, *BY_TOML, match="Received none for 'chef' (1 value)")
