"""`perturb`: the table, its matrices and manifest, and what is refused."""

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, run, succeeds
from support.evaluations import make_quick
from support.people import people


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a table in it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    names = [f"Nm {i:04d}" for i in range(300)]
    people(300).assign(name=names).to_csv("people.csv", index=False)
    return tmp_path


ALL = ("--pram", "job,town", "--swap", "age", "--noise", "days", "--drop", "name")


def perturb(*options, output="out.csv"):
    asked = ("people.csv", "-o", output, "--json", *options)
    return json.loads(succeeds("perturb", *asked))


def test_each_column_is_changed_in_its_way_and_the_matrices_are_released(folder):
    told = perturb(*ALL, "--seed", 3, "--retained", 0.5, "--share", 0.5)
    real, released = people(300), pd.read_csv("out.csv")
    assert list(released) == list(real)
    assert sorted(released["age"]) == sorted(real["age"])
    assert sorted(released["disease"]) == sorted(real["disease"])
    written = ["out.csv", "out.manifest.json", "out.transitions.json", "people.csv"]
    assert sorted(files_in(folder)) == written
    matrices = json.loads(Path("out.transitions.json").read_text())["columns"]
    assert matrices.keys() == {"job", "town"}
    assert matrices["job"]["values"] == ["cook", "nurse", "smith"]
    assert sum(matrices["job"]["matrix"][0]) == pytest.approx(1)
    assert {own["method"] for own in told["changed"].values()} == {
        *("pram", "swap", "noise")
    }
    low, high = told["changed"]["job"]["true_given_released"]
    assert 0.5 < low <= high < 1
    assert told["changed"]["age"]["interval_disclosure"] > 0.1
    assert 0 <= told["linked_rows"] < 1 and told["by_chance"] == 1 / 300
    text = Path("out.manifest.json").read_text()
    manifest = json.loads(text)
    assert manifest["method"]["parameters"]["pram"]["retained"] == 0.5
    assert "random_state" not in text and "SeedSequence" not in text
    assert "No k-anonymity and no differential privacy" in manifest["guarantee"]
    assert [own["file"] for own in manifest["files"]] == [
        *("out.csv", "out.transitions.json")
    ]


@pytest.mark.slow
def test_a_seed_gives_the_same_files_and_none_gives_others(folder):
    for name in ("one.csv", "two.csv"):
        perturb(*ALL, "--seed", 3, output=name)
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()
    perturb(*ALL, output="three.csv")
    assert Path("one.csv").read_bytes() != Path("three.csv").read_bytes()
    # The order of the rows is that of what is released.
    rows = pd.read_csv("one.csv")
    assert rows.sort_values(list(rows)).equals(rows)
    perturb("--means", "days", "--drop", "name", output="a.csv")
    assert not Path("a.transitions.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_columns_keep_their_types_and_what_is_missing(folder, ending):
    table = people(120).assign(
        born=pd.date_range("2001-01-01", periods=120),
        paid=[Decimal(i % 50) / 4 for i in range(120)],
        left=pd.array([i % 3 == 0 for i in range(120)], dtype="boolean"),
        days=lambda t: t["days"].astype("Int64"),
    )
    for column, step in {"days": 7, "born": 9, "left": 11, "paid": 13}.items():
        table.loc[::step, column] = None
    source = f"odd{ending}"
    if ending == ".csv":
        table.to_csv(source, index=False)
    else:
        table.to_parquet(source, index=False)
    for numbers in ("--noise", "--means"):
        asked = (numbers, "age,days,paid", "--swap", "born", "--pram", "left")
        succeeds("perturb", source, "-o", f"o{ending}", *asked, "--json", "--force")
        read = pd.read_csv if ending == ".csv" else pd.read_parquet
        before, after = read(source), read(f"o{ending}")
        for name in ("age", "days", "paid", "born"):
            assert after[name].dtype == before[name].dtype
            assert after[name].isna().sum() == before[name].isna().sum()


@pytest.mark.slow
def test_a_recoding_comes_first_and_is_told(folder):
    Path("recode.toml").write_text('[[recode]]\ncolumn = "age"\ntop = 40\n')
    perturb(*ALL, "--recode", "recode.toml")
    assert pd.read_csv("out.csv")["age"].max() == 40
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["recoding"] == [{"column": "age", "top": 40}]


@pytest.mark.slow
def test_slices_stay_together(folder):
    asked = ("--slice", "disease,days", "--slice", "town", "--bucket", 10)
    told = perturb(*asked, "--drop", "name")
    real, released = people(300), pd.read_csv("out.csv")
    for names in (["disease", "days"], ["town"], ["age", "job", "sex"]):
        both = [sorted(map(tuple, own[names].to_numpy())) for own in (real, released)]
        assert both[0] == both[1]
    mean, largest = told["changed"]["town"]["true_in_bucket"]
    assert 0.05 < mean <= largest <= 1
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["method"]["parameters"]["slice"]["groups"] == [
        *(["disease", "days"], ["town"])
    ]


@pytest.mark.slow
def test_codes_that_are_named_need_no_other_word(folder):
    trade = [f"{'BCD'[i % 3]}{i:03d}" for i in range(300)] * 4
    other = [f"{'EFG'[i % 3]}{i:03d}" for i in range(300)] * 4
    pd.DataFrame({"trade": trade, "other": other}).to_csv("codes.csv", index=False)
    given = ("perturb", "codes.csv", "-o", "out.csv", "--pram", "trade")
    fails(folder, *given, match="Received undecided: 'other' (looks like codes")
    succeeds(*given, "--drop", "other")
    assert list(pd.read_csv("out.csv")) == ["trade"]


def test_the_summary_is_for_people(folder):
    shown = succeeds("perturb", "people.csv", "-o", "out.csv", *ALL)
    lines = [line.split() for line in shown.splitlines()]
    assert next(line for line in lines if line[:2] == ["age", "swap"])[-1] == "-"
    assert any(line[:2] == ["linked", "rows"] for line in lines)


@pytest.mark.slow
def test_what_is_asked_wrongly_is_refused_before_any_work(folder):
    def refused(*options, match):
        fails(folder, "perturb", "people.csv", "-o", "o.csv", *options, match=match)

    drop = ("--drop", "name")
    refused(*drop, match="by --pram, --swap, --noise, --means or")
    refused(*drop, "--pram", "job", "--swap", "job", match="changed in one way")
    refused(*drop, "--pram", "job", "--within", 0.1, match="--swap beside --within")
    refused(*drop, "--noise", "job", match="'job', which is categorical")
    refused(*drop, "--pram", "job", "--retained", 2, match="retained")
    refused("--pram", "job", match="undecided: 'name'")
    refused(*drop, "--pram", "name", match="dropped or an identifier")
    perturb(*ALL, output="out.csv")
    again = ("perturb", "people.csv", "-o", "out.csv", "--force", *drop)
    fails(folder, *again, "--swap", "age", match="out.transitions.json")


def scores_of(folder):
    scores = pd.read_csv(f"{folder}/evaluation.csv").fillna({"columns": ""})
    return scores.set_index(["name", "columns"])


@pytest.mark.slow
def test_rows_in_their_order_are_compared_with_themselves(folder, monkeypatch):
    make_quick(monkeypatch)
    asked = ("--noise", "days", "--share", 0.5, "--seed", 3, "--keep-order")
    asked += ("--pram", "job", "--drop", "name", "--report", "made", "--json")
    result = run("perturb", "people.csv", "-o", "out.csv", *asked)
    told = json.loads(result.stdout)
    assert told["undone_by"] == {"job": "age -> job"}
    real, released = people(300), pd.read_csv("out.csv")
    assert released["age"].tolist() == real["age"].tolist()
    succeeds("evaluate", "people.csv", "out.csv", "--drop", "name", "-o", "read")
    scores = scores_of("read")
    changed = (real["job"] != released["job"]).mean()
    assert scores.loc[("changed_cells", "job"), "value"] == pytest.approx(changed)
    loss = (real["days"] - released["days"]).abs().mean() / real["days"].std() / 2**0.5
    days = scores.loc[("il1s", "days")]
    assert days["value"] == pytest.approx(loss) == told["changed"]["days"]["il1s"]
    assert days["low"] < loss < days["high"] < days["floor_independent"]
    near = scores.loc[("interval_disclosure", "days")]
    assert near["value"] == pytest.approx(
        told["changed"]["days"]["interval_disclosure"]
    )
    assert near["floor_independent"] < near["value"]
    found = scores.loc[("linked_rows", ""), "value"]
    assert found == pytest.approx(told["linked_rows"])
    assert ("il1s", "job") not in scores.index
    # What the run itself reports is the same.
    for name in ("changed_cells", "il1s", "interval_disclosure", "linked_rows"):
        assert scores_of("made").loc[name].equals(scores.loc[name])
    page = Path("made/report.html").read_text()
    assert "Information loss IL1s" in page and "swapped" not in page


@pytest.mark.slow
def test_rows_in_another_order_are_not_compared_with_themselves(folder, monkeypatch):
    make_quick(monkeypatch)
    perturb("--swap", "age", "--drop", "name", "--report", "made")
    asked = ("evaluate", "people.csv", "out.csv", "--drop", "name")
    assert "perturb --report" in succeeds(*asked, "-o", "read")
    assert "mean_il1s" in scores_of("made").index
    assert "mean_il1s" not in scores_of("read").index
    assert "order of the table" in Path("read/report.html").read_text()
    told = json.loads(succeeds(*asked, "--json"))
    assert "order of the table" in told["release"]["warnings"][0]


@pytest.mark.slow
def test_a_table_that_the_rows_are_not_of_is_refused(folder):
    perturb("--swap", "age", "--drop", "name", "--keep-order")
    people(200).to_csv("other.csv", index=False)
    fails(folder, "evaluate", "other.csv", "out.csv", match="the 200 rows of the real")
    asked = ("perturb", "people.csv", "-o", "o.csv", "--swap", "age", "--drop", "name")
    fails(folder, *asked, "--holdout", "people.csv", match="--report")
    assert not Path("o.csv").exists()


@pytest.mark.slow
def test_numbers_that_noise_takes_out_of_their_column_are_counted(folder, rng):
    hours = np.where(rng.random(300) < 0.7, 0, rng.integers(1, 40, 300))
    hours = np.where(rng.random(300) < 0.4, np.nan, hours)  # most of what is known is 0
    table = people(300).assign(hours=hours, pay=rng.integers(900, 9_000, 300))
    table.to_csv("hours.csv", index=False)
    asked = ("perturb", "hours.csv", "-o", "h.csv", "--noise", "hours", "--seed", 1)
    told = json.loads(succeeds(*asked, "--keep-order", "--json"))["changed"]["hours"]
    released = pd.read_csv("h.csv")["hours"]
    assert told["below_zero"] == (released < 0).sum() > 0
    beyond = told["below_zero"] + (released > np.nanmax(hours)).sum()
    assert told["beyond_range"] == beyond
    assert told["zeros_changed"] == (released[hours == 0] != 0).sum() > 0
    shown = succeeds(*asked, "--force")
    assert (
        f"hours: with noise there are {beyond} numbers beyond the range of the column, "
        in shown
    )
    assert "--swap hours, which gives each row a value that the column has." in shown
    for other in ("--swap", "--means"):
        quiet = ("perturb", "hours.csv", "-o", "q.csv", other, "hours", "--force")
        assert "with noise" not in succeeds(*quiet)


def test_noise_of_integers_that_no_double_holds_is_counted(folder):
    low = 17 * 10**17
    at = low + np.random.default_rng(0).integers(0, 50, 300)
    table = people(300).assign(at=at)
    table.to_csv("at.csv", index=False)
    asked = ("perturb", "at.csv", "-o", "n.csv", "--noise", "at", "--seed", 1)
    told = json.loads(succeeds(*asked, "--keep-order", "--json"))["changed"]["at"]
    released = pd.read_csv("n.csv")["at"]
    beyond = int(((released < low) | (released > at.max())).sum())
    assert released.nunique() > 40 and told["beyond_range"] == beyond > 0
    assert "below_zero" not in told and 0 < told["il1s"] < 0.2


@pytest.mark.slow
def test_what_undoes_it_is_said(folder):
    table = pd.read_csv("people.csv").drop(columns="name")
    table.assign(years=2 * table["age"] + 1).to_csv("twice.csv", index=False)
    asked = ("perturb", "twice.csv", "-o", "o.csv", "--noise", "age", "--json")
    result = run(*asked)
    assert result.exit_code == 0
    assert result.stderr.count("Warning: ") == 1
    assert "Received 'age' (years = 2 * age + 1)" in result.stderr
    assert json.loads(result.stdout)["undone_by"] == {"age": "years = 2 * age + 1"}
    first = json.loads(Path("o.manifest.json").read_text())["not_protected"][0]
    assert first.startswith("Columns that stay tell 'age' (years = 2 * age + 1)")
    both = succeeds(*asked[:3], "p.csv", "--noise", "age,years", "--json")
    assert json.loads(both)["undone_by"] == {}
