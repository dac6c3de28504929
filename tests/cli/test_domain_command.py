"""`domain`: a file to fill in, or one that says it was read from the rows."""

from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, run, succeeds

from coclust_synth.tables.domain.domain import Domain

TABLE = "age,job\n31,cook\n45,?\n22,clerk\n31,cook\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(TABLE)
    return tmp_path


def test_a_new_file_is_to_be_filled_in(folder):
    shown = succeeds("domain", "--new", "domain.toml", "--columns", "age, job")
    assert "Fill in 2 columns" in shown
    text = Path("domain.toml").read_text()
    assert 'name = "age"' in text and 'name = "job"' in text
    assert "cook" not in text
    fails(folder, "domain", "--new", "domain.toml", "--columns", "age", match="--force")
    succeeds("domain", "--new", "domain.toml", "--columns", "age", "--force")
    assert 'name = "job"' not in Path("domain.toml").read_text()


@pytest.mark.parametrize(
    "option",
    [("--bins", 7), ("--delimiter", ";"), ("--encoding", "cp1252"), ("--keep", "age")],
)
def test_options_that_are_of_rows_are_refused_without(folder, option):
    arguments = ("domain", "--new", "domain.toml", "--columns", "age")
    fails(folder, *arguments, *option, match=f"Received {option[0]} without it")


def test_a_file_read_from_the_rows_is_labelled(folder):
    shown = succeeds("domain", "--new", "d.toml", "--domain-from-data", "people.csv")
    assert "not differentially private" in shown
    domain = Domain.load("d.toml")
    assert domain.from_data and domain.names == ("age", "job")
    assert domain["job"].missing == "?" and domain["age"].low == 22
    one = ("--columns", "job", "--bins", 3, "--force")
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "people.csv", *one)
    assert Domain.load("d.toml").names == ("job",)


STAYS = """\
patient_id,stay_id,admitted,left,cost,note
{rows}"""


@pytest.fixture
def stays(folder):
    """A table with dates, money, two identifiers, and a column nobody filled in."""
    rows = (
        f"P{7919 * i % 10000:04d},S{7723 * i % 10000:04d},"
        f"2023-{1 + i % 12:02d}-{1 + i % 28:02d},"
        f"{1 + i % 28:02d}/{1 + i % 12:02d}/2023,{(i % 40) ** 4}.25,\n"
        for i in range(200)
    )
    Path("stays.csv").write_text(STAYS.format(rows="".join(rows)))


def test_columns_that_cannot_be_read_are_comments(folder, stays):
    shown = succeeds("domain", "--new", "d.toml", "--domain-from-data", "stays.csv")
    assert "Read 4 columns" in shown and "patient_id, stay_id" in shown
    domain = Domain.load("d.toml")
    assert domain.names == ("admitted", "left", "cost", "note") and domain.from_data
    assert domain["admitted"].low == domain["left"].low == date(2023, 1, 1)
    assert domain["left"].format == "%d/%m/%Y"
    assert domain["cost"].scale == "log"
    text = Path("d.toml").read_text()
    assert "give `dp` --person-id patient_id" in text
    # What is filled in by hand is a column like the others.
    block = text[text.index('# [[column]]\n# name = "stay_id"') :].split("\n\n")[0]
    filled = block.replace("# ", "").replace("[]", '["x"]').partition("low")[0]
    assert Domain.from_toml(text.replace(block, filled)).names[0] == "stay_id"


@pytest.mark.slow
def test_a_column_that_nobody_fills_in_is_released_as_it_is(folder, stays):
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "stays.csv")
    note = Domain.load("d.toml")["note"]
    assert note.categories == () and note.missing == "" and note.size == 1
    given = ("stays.csv", "-o", "o.csv", "--epsilon", 9, "--domain", "d.toml")
    assert run("dp", *given).exit_code == 0
    assert pd.read_csv("o.csv")["note"].isna().all()
    text = Path("d.toml").read_text()
    Path("d.toml").write_text(
        text.replace('categories = []\nmissing = ""\n', "categories = []\n")
    )
    match = "'note': expected `categories` to be a list of at least one value"
    fails(folder, "dp", *given, "--force", match=match)


@pytest.mark.slow
def test_so_few_numbers_that_many_have_each_are_a_list_as_they_are_written(folder):
    """Not where one of them is that of a single row."""
    rows = ["1,5;$1,000.00;2;0", "2,5;$2,500.50;2.5;7", "4,0;$4,000.00;4;0"] * 20
    rows[0] = rows[0].replace(";0", ";9")
    Path("fees.csv").write_text("\n".join(["a;b;c;d", *rows]))
    read = ("fees.csv", "--delimiter", ";")
    succeeds("domain", "--new", "d.toml", "--domain-from-data", *read)
    domain = Domain.load("d.toml")
    assert domain["a"].categories == (1.5, 2.5, 4.0) and domain["a"].format == "comma"
    assert domain["b"].categories == (1000.0, 2500.5, 4000.0)
    assert domain["c"].categories == (2.0, 2.5, 4.0)
    assert domain["d"].categories is None
    given = (*read, "-o", "o.csv", "--epsilon", 9, "--domain", "d.toml")
    assert run("dp", *given).exit_code == 0
    cells, drawn = (
        pd.read_csv(name, sep=";", dtype=str) for name in ("fees.csv", "o.csv")
    )
    for name in "abc":
        assert set(drawn[name]) == set(cells[name])
    # Those of a frame are read as the texts of the file are.
    numbers = pd.Series([4.0, 1.5], name="a")
    assert domain["a"].encode(numbers).tolist() == [2, 0]
    assert domain["a"].encode(pd.Series(["4,0", "1,50"])).tolist() == [2, 0]


@pytest.mark.parametrize(
    "declared, example",
    [
        ("low = 1.0\nhigh = 3.0\nbins = 3\nunit = 1.0", "2.0"),
        ("low = 1\nhigh = 3\nbins = 3", "2"),
        ("categories = [1.0, 2.0, 3.0]", "2.0"),
        ("categories = [1, 2, 3]", "2"),
        ('low = 1.0\nhigh = 3.0\nbins = 3\nunit = 1.0\nformat = "short"', "2"),
        ('categories = [1.0, 2.0, 3.0]\nformat = ".2f"', "2.00"),
    ],
)
def test_numbers_are_written_as_they_are_declared(folder, declared, example):
    Path("t.csv").write_text("a\n" + "1\n2.0\n3\n" * 20)
    Path("d.toml").write_text(f'[[column]]\nname = "a"\n{declared}\n')
    succeeds("dp", "t.csv", "-o", "o.csv", "--epsilon", 9, "--domain", "d.toml")
    wanted = {example.replace("2", own) for own in "123"}
    assert set(Path("o.csv").read_text().split()[1:]) == wanted


def test_a_table_of_which_no_column_can_be_read_leaves_no_file(folder, stays):
    read = ("--new", "d.toml", "--domain-from-data", "stays.csv")
    no_column = (
        "Received none. Column 'patient_id': Not declared: looks like an id",
        "'stay_id'",
    )
    fails(folder, "domain", *read, "--columns", "patient_id,stay_id", match=no_column)
    assert not Path("d.toml").exists()


def test_numbers_too_far_apart_for_a_float_are_a_comment(folder):
    rows = [f"{[1e308, -1e308, 0, 1][i % 4]},{'xy'[i % 2]}" for i in range(60)]
    Path("far.csv").write_text("\n".join(["a,b", *rows]))
    shown = succeeds("domain", "--new", "d.toml", "--domain-from-data", "far.csv")
    assert "Read 1 column:" in shown and "the reason: a." in shown
    assert Domain.load("d.toml").names == ("b",)
    reason = "the lowest is a finite number. Received -1e+308 and 1e+308. Declare"
    assert reason in Path("d.toml").read_text()


def test_the_widest_ranges_are_read_without_a_word(folder):
    rows = [f"{(-1) ** i * 10.0 ** (i % 3 + 306)},{'xy'[i % 2]}" for i in range(60)]
    Path("wide.csv").write_text("\n".join(["a,b", *rows]))
    result = run("domain", "--new", "d.toml", "--domain-from-data", "wide.csv")
    assert result.exit_code == 0 and "RuntimeWarning" not in result.stderr


def test_units_that_a_range_has_too_many_of_do_not_stop_the_others(folder):
    rows = [f"{[5e-324, 1e-300, 0, 1][i % 4]},{'xy'[i % 2]}" for i in range(60)]
    Path("near.csv").write_text("\n".join(["a,b", *rows]))
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "near.csv")
    assert Domain.load("d.toml").names[-1] == "b"


@pytest.mark.slow
def test_only_the_columns_asked_for_are_looked_at(folder, stays):
    Path("twice.csv").write_text("a,a,b\n1,2,3\n4,5,6\n")
    read = ("domain", "--new", "d.toml", "--force", "--domain-from-data")
    succeeds(*read, "twice.csv", "--columns", "b")
    assert Domain.load("d.toml").names == ("b",)
    succeeds(*read, "stays.csv", "--columns", "left,cost", "--drop", "left")
    assert Domain.load("d.toml").names == ("cost",)
    shown = succeeds(*read, "stays.csv", "--drop", "left", "--drop", "note")
    assert "Left as comments, each with the reason: patient_id, stay_id." in shown
    succeeds(*read, "stays.csv", "--columns", "patient_id", "--keep", "patient_id")
    assert Domain.load("d.toml").sizes == (200,)


def test_columns_whose_names_hold_commas_are_asked_for(folder):
    rows = "".join(f"{i % 2},{i % 3},{i}\n" for i in range(40))
    Path("t.csv").write_text('"pay, net",pay,age\n' + rows)
    read = ("domain", "--new", "d.toml", "--force", "--domain-from-data", "t.csv")
    succeeds(*read, "--columns", "age,pay, net")
    assert Domain.load("d.toml").names == ("age", "pay, net")
    succeeds(*read, "--columns", "age,pay, net", "--drop", "pay, net")
    assert Domain.load("d.toml").names == ("age",)
    fails(folder, *read, "--columns", "age,pay, gross", match="Received 'gross'")


@pytest.mark.slow
def test_what_was_read_is_what_a_release_reads(folder, stays):
    asked = ("--columns", "admitted,cost")
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "stays.csv", *asked)
    checked = Path("d.toml").read_text().replace("from_data = true", "")
    Path("d.toml").write_text(checked)
    succeeds("dp", "stays.csv", "-o", "o.csv", "--epsilon", 9, "--domain", "d.toml")
    released = pd.read_csv("o.csv")
    dates = pd.to_datetime(released["admitted"], format="%Y-%m-%d")
    assert dates.between("2023-01-01", "2023-12-31").all()


@pytest.mark.slow
def test_a_release_for_trial_leaves_such_columns_out(folder, stays):
    given = ("dp", "stays.csv", "-o", "o.csv", "--epsilon", 9, "--domain-from-data")
    result = run(*given)
    assert result.exit_code == 0
    assert "left out: patient_id, stay_id." in result.stderr
    released = pd.read_csv("o.csv")
    assert list(released.columns) == ["admitted", "left", "cost", "note"]
    assert pd.to_datetime(released["left"], format="%d/%m/%Y").dt.year.eq(2023).all()


def test_another_separator_is_said(folder):
    Path("semi.csv").write_text(TABLE.replace(",", ";"))
    read = ("domain", "--new", "d.toml", "--domain-from-data", "semi.csv")
    succeeds(*read, "--delimiter", ";")
    assert Domain.load("d.toml").names == ("age", "job")


@pytest.mark.parametrize(
    "arguments, match",
    [
        ((), "--columns age,sex"),
        (("--columns", " , "), "--columns age,sex"),
        (("--domain-from-data", "none.csv"), "no such file"),
        (("--domain-from-data", "people.csv", "--columns", "jobs"), "'job'"),
        (("--domain-from-data", "people.csv", "--drop", "jobs"), "'job'"),
    ],
)
def test_errors_leave_nothing_behind(folder, arguments, match):
    fails(folder, "domain", "--new", "domain.toml", *arguments, match=match)


def test_the_table_is_not_replaced(folder):
    fails(
        folder,
        *("domain", "--new", "people.csv", "--force"),
        *("--domain-from-data", "people.csv"),
        match="apart from its source",
    )


@pytest.mark.slow
def test_a_table_of_another_country_is_released_as_it_is_written(folder):
    rows = (
        f"{1 + i % 28:02d}.{1 + i % 12:02d}.{1950 + i % 60};{i % 24:02d}:{i % 60:02d};"
        f"1.{i:03d},50 €;{i % 101} %\n"
        for i in range(300)
    )
    Path("amt.csv").write_text("geboren;um;lohn;anteil\n" + "".join(rows))
    given = ("--delimiter", ";")
    succeeds("domain", "--new", "d.toml", "--domain-from-data", "amt.csv", *given)
    assert [c.format for c in Domain.load("d.toml").columns] == [
        *("%d.%m.%Y", "hh:mm", "# € comma thousands .2f", "# %")
    ]
    checked = Path("d.toml").read_text().replace("from_data = true", "")
    Path("d.toml").write_text(checked)
    asked = ("--given", "geboren<1980-01-01,um>=12:00", "--epsilon", 9, "--rows", 50)
    domain = ("--domain", "d.toml", *given)
    succeeds("dp", "amt.csv", "-o", "o.csv", *asked, *domain)
    released = pd.read_csv("o.csv", sep=";")
    for name, layout in {
        "geboren": r"[0-3]\d\.[01]\d\.19[5-7]\d",
        "um": r"(1[2-9]|2[0-3]):[0-5]\d",
        "lohn": r"1\.\d{3},\d\d €",
        "anteil": r"\d+ %",
    }.items():
        assert released[name].str.fullmatch(layout).all()
    without = ("--epsilon", 9, *domain[:2])
    fails(folder, "dp", "amt.csv", "-o", "q.csv", *without, match="say delimiter=';'")


def test_numbers_that_may_be_missing_are_told(folder, rng):
    ages = rng.integers(0, 100, 300)
    coded = np.where(rng.random(300) < 0.1, 999, ages)
    two = np.where(rng.random(300) < 0.1, 998, coded)
    slips = [*ages[:-1], 1962]
    x = rng.integers(0, 9, 300)
    pd.DataFrame({"age": coded, "two": two, "slips": slips, "x": x}).to_csv(
        "a.csv", index=False
    )
    shown = succeeds("domain", "--new", "d.toml", "--domain-from-data", "a.csv")
    assert "age: 999 is declared as the mark of a missing value" in shown
    assert "two: numbers that may stand for a missing value: 998, 999." in shown
    assert "slips: numbers far from all others, counted in the nearest" in shown
    assert "interval: 1962." in shown and "x:" not in shown
    epsilon = ("--epsilon", 1, "--domain", "d.toml", "--quiet")
    assert run("dp", "a.csv", "-o", "o.csv", *epsilon).exit_code == 0


def test_two_numbers_of_decimal_commas_are_read_again(folder):
    rows = "".join(f"{i % 7};{i % 2},0\n" for i in range(400))
    Path("t.csv").write_text("age;flag\n" + rows)
    read = ("--domain-from-data", "t.csv", "--delimiter", ";")
    succeeds("domain", "--new", "d.toml", *read)
    checked = Path("d.toml").read_text().replace("from_data = true", "")
    Path("d.toml").write_text(checked)
    asked = ("--delimiter", ";", "--epsilon", 9, "--domain", "d.toml")
    succeeds("dp", "t.csv", "-o", "o.csv", *asked)
    released = pd.read_csv("o.csv", sep=";", dtype=str)
    assert set(released["flag"]) == {"0,0", "1,0"}
