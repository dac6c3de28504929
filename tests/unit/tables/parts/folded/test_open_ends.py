"""Missing cells beside a date that stands for none: two things, of one column."""

import json

import numpy as np
import pandas as pd
import pytest
from support.commands import succeeds

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.exceptions import DataWarning, ParameterError
from coclust_synth.scale import FrameSource
from coclust_synth.tables.parts.folded.folding import (
    find_foldings,
    fold,
    folding_of,
    in_words,
    with_spelt,
)
from coclust_synth.tables.parts.no_dates import with_no_dates
from coclust_synth.tables.reading.table import read_table
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.writing import table_bytes

NEVER = "9999-12-31"
FAR = np.datetime64(NEVER)


def registry(n=900, missing=0.06, seed=3):
    """What began and ended, is open, or ended nobody knows when, and a word for it."""
    rng = np.random.default_rng(seed)
    begin = np.datetime64("2010-01-01") + rng.integers(0, 3000, n)
    end = begin + rng.integers(1, 400, n)
    which = rng.choice(3, n, p=[0.7 - missing, 0.3, missing])
    end = np.where(which == 1, FAR, end)
    end[which == 2] = np.datetime64("NaT")
    table = pd.DataFrame({"begin": begin, "end": end}).astype("M8[s]")
    words = np.array(["closed", "open", "unknown"])[which]
    return table.assign(state=pd.Series(words, dtype="str"))


def spells(n=400, seed=0):
    """Persons with spells one after the other: only last ones are open."""
    rng = np.random.default_rng(seed)
    n_each = rng.integers(1, 5, n)
    person, is_last = np.repeat(np.arange(n), n_each), np.zeros(n_each.sum(), bool)
    is_last[np.cumsum(n_each) - 1] = True
    start = np.cumsum(rng.integers(30, 300, n_each.sum()))
    start -= np.repeat(start[np.append(0, np.cumsum(n_each)[:-1])], n_each)
    begin = (
        np.datetime64("2010-01-01") + start + np.repeat(rng.integers(0, 99, n), n_each)
    )
    end = begin + rng.integers(1, 30, len(begin))
    end[is_last & np.repeat(rng.random(n) < 0.7, n_each)] = FAR
    end[rng.random(len(end)) < 0.08] = np.datetime64("NaT")
    table = pd.DataFrame({"begin": begin, "end": end}).astype("M8[s]")
    return table.assign(person=person)


def shares(table):
    """Of open ones, and of missing ones."""
    return (table["end"] == FAR).mean(), table["end"].isna().mean()


def model(**more):
    return CoclusterSynthesizer(n_iterations=4, random_state=0, **more)


@pytest.fixture(scope="module")
def fitted():
    return model().fit(registry())


@pytest.fixture(scope="module")
def fitted_to_spells():
    return model(person_id="person").fit(spells())


def as_days(dates):
    return (
        dates.astype(object)
        .where(dates.isna(), dates.dt.date)
        .where(dates.notna(), None)
    )


def as_texts(dates):
    return dates.dt.strftime("%d.%m.%Y").astype("str")


@pytest.mark.parametrize("form", [lambda own: own, as_days, as_texts])
def test_a_column_is_made_that_says_which_of_the_two_a_cell_is(form):
    table = registry(300)
    table["end"] = form(table["end"])
    values = TableValues(table)
    schema = with_no_dates(values, infer_schema(table))
    (own,) = foldings = find_foldings(values, schema, 10, 10)
    folded, inside = fold(values, schema, foldings)
    is_open, lacks = table["state"] == "open", table["state"] == "unknown"
    (made,) = own.numbers
    told = folded.frame[made].value_counts().to_dict()
    assert told == {NEVER: is_open.sum(), "missing": lacks.sum()}
    _, none = folded.read(inside["end"])
    assert (none == (is_open | lacks)).all() and inside["end"] == schema["end"]
    pd.testing.assert_frame_equal(with_spelt(folded.frame, foldings), table)
    assert folding_of(json.loads(json.dumps(own.to_dict()))) == own


def test_none_is_made_where_one_of_the_two_is_not_there():
    for missing, table in ((0, registry(300, missing=0)), (6, registry(300))):
        table["end"] = (
            table["end"].where(table["end"] != FAR) if missing else table["end"]
        )
        values = TableValues(table)
        schema = with_no_dates(values, infer_schema(table))
        assert not find_foldings(values, schema, 10, 10)


@pytest.mark.slow
def test_one_missing_cell_does_not_hide_the_date_that_stands_for_none():
    table = registry(missing=0)
    table.loc[5, "end"] = pd.NaT
    drawn = model().fit(table).sample()["end"]
    assert (drawn[drawn != FAR].dropna() < np.datetime64("2030-01-01")).all()
    assert (drawn == FAR).sum() == pytest.approx((table["end"] == FAR).sum(), abs=30)


@pytest.mark.slow
@pytest.mark.parametrize("n_missing", [1, 9])
def test_of_missing_ones_that_few_have_nothing_is_told(n_missing):
    table = registry(6000, missing=0)
    kinds = np.random.default_rng(1).choice([*"123"], len(table))
    table["state"] += pd.Series(kinds, dtype="str")
    few = np.flatnonzero(table["state"] == "open1")[:n_missing]
    table.loc[few, "end"] = pd.NaT
    structure = model().fit(table).model_.structure
    told = [rule.relation for rule in structure.rules.all]
    values = {
        v for rule in told for pair in getattr(rule, "values", ()) or () for v in pair
    }
    assert "missing" not in values and [*structure.schema.names] == [*table]


@pytest.mark.slow
def test_of_a_stated_date_that_few_have_nothing_is_told(recwarn):
    table = registry(3000, missing=0)
    schema = with_no_dates(TableValues(table), infer_schema(table))
    open_ones = np.flatnonzero(table["end"] == FAR)
    for n_far in (1, 0):
        table.loc[open_ones[n_far:], "end"] = pd.NaT
        drawn = model().fit(table, schema).sample()
        assert shares(drawn) == (0, pytest.approx(len(open_ones) / 3000, abs=0.01))
        assert drawn["end"].max() < np.datetime64("2030-01-01")
    assert not any("(none)" in str(own.message) for own in recwarn)


@pytest.mark.slow
def test_both_come_back_in_their_own_share_beside_what_goes_with_them(fitted):
    table, drawn = registry(), fitted.sample()
    assert drawn.dtypes.to_dict() == table.dtypes.to_dict()
    assert shares(drawn) == pytest.approx(shares(table), abs=0.01)
    assert ((drawn["end"] == FAR) == (drawn["state"] == "open")).all()
    assert (drawn["end"].isna() == (drawn["state"] == "unknown")).all()


@pytest.mark.slow
def test_of_few_missing_ones_no_leaf_is_and_the_word_still_goes_with_them():
    table = registry(1800, missing=0.02)
    own = model().fit(table)
    drawn = own.sample()
    assert table["end"].isna().sum() < own.k_
    assert (drawn["end"].isna() == (drawn["state"] == "unknown")).all()


@pytest.mark.slow
def test_of_persons_only_last_rows_are_open(fitted_to_spells):
    table, drawn = spells(), fitted_to_spells.sample()
    assert shares(drawn) == pytest.approx(shares(table), abs=0.015)
    is_last = ~drawn["person"].duplicated(keep="last")
    assert not (drawn["end"] == FAR)[~is_last].any()
    told = fitted_to_spells.model_.structure.told_by_row_before
    told = in_words(told, fitted_to_spells.model_.spelt)
    assert told == (f"end is {NEVER} in the last row of a person only",)


@pytest.mark.slow
def test_nothing_is_told_of_the_column_that_is_made(fitted, fitted_to_spells, tmp_path):
    for each in (fitted, fitted_to_spells):
        (own,) = each.model_.spelt
        made = own.made.name
        assert made in each.model_.drawn_schema.names
        assert made not in each.model_.schema.names
        assert made not in each.model_.coding.names
        assert made not in each.coclustering_.coding_.names
        assert not any(made in rule.relation.columns for rule in each.rules_)
        assert made not in [*each.sample(5)]
        each.save(tmp_path / "m.model", force=True)
        again = CoclusterSynthesizer.load(tmp_path / "m.model", random_state=0)
        pd.testing.assert_frame_equal(again.sample(), each.sample())


@pytest.mark.slow
def test_texts_of_rows_are_about_the_dates(fitted_to_spells):
    spelt = fitted_to_spells.model_.spelt
    (made,), last = spelt[0].numbers, "in the last row of a person only"
    said = [f"{made} = missing {last}, {made} is missing in no last row of a person"]
    assert in_words(said, spelt) == (f"end is missing {last}",)
    said = [f"end is {NEVER} {last}, kind = a {last}", f"{made} told by x"]
    assert in_words(said, spelt) == (
        f"end is {NEVER} or missing {last}, kind = a {last}",
    )


@pytest.mark.parametrize(
    "names", [("end, of it",), ("end", "weekend"), ("end", "week end")]
)
def test_texts_of_columns_with_names_in_names_are_their_own(names):
    table = spells().drop(columns="person")
    table = pd.DataFrame({name: table["end"] for name in names})
    values = TableValues(table)
    schema = with_no_dates(values, infer_schema(table))
    spelt = find_foldings(values, schema, 10, 10)
    last = "in the last row of a person only"
    said = [f"{own.made.name} = {NEVER} {last}" for own in spelt]
    assert in_words(said, spelt) == tuple(f"{n} is {NEVER} {last}" for n in names)
    said = [f"{name} is {NEVER} {last}" for name in names]
    either = tuple(f"{n} is {NEVER} or missing {last}" for n in names)
    assert in_words(said, spelt) == either


@pytest.mark.slow
def test_conditions_are_about_dates_as_they_are_released(fitted, fitted_to_spells):
    for each in (fitted, fitted_to_spells):
        after = each.sample(300, where="end > 2012-01-01")
        table = registry() if each is fitted else spells()
        expected = table[table["end"] > np.datetime64("2012-01-01")]
        assert (after["end"] > np.datetime64("2012-01-01")).all()
        assert shares(after) == pytest.approx(shares(expected), abs=0.1)
        assert shares(each.sample(50, given=f"end={NEVER}")) == (1, 0)
        assert shares(each.sample(50, where="end <= begin + 40")) == (0, 0)
    assert shares(fitted.sample(50, given="end=")) == (0, 1)
    # Of spells the last one of a person alone has no end.
    with pytest.raises(
        ParameterError, match="columns in them differ from row to row: 'end'"
    ):
        fitted_to_spells.sample(50, given="end=")
    with pytest.warns(DataWarning, match="'unknown' .1 value., which is left out"):
        of_each = fitted.sample(n_per="state=40", given="end>2012-01-01")
    assert of_each["state"].value_counts().to_dict() == {"closed": 40, "open": 40}


@pytest.mark.slow
@pytest.mark.parametrize("rows", [registry, spells])
def test_a_schema_that_was_inspected_changes_nothing(rows, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows().to_csv("t.csv", index=False, date_format="%Y-%m-%d")
    of = ("t.csv", *(("--person-id", "person") if rows is spells else ()))
    told = succeeds("inspect", *of, "-o", "schema.toml")
    told += succeeds("inspect", *of, "--json")
    asked = ("synth", *of, "--iterations", "4", "-o")
    told += succeeds(*asked, "a.csv")
    told += succeeds(*asked, "b.csv", "--schema", "schema.toml")
    files = {name: (tmp_path / name).read_text() for name in ("a.csv", "b.csv")}
    assert files["a.csv"] == files["b.csv"]
    told += (tmp_path / "schema.toml").read_text()
    told += (tmp_path / "a.manifest.json").read_text()
    assert f'no_date = "{NEVER}"' in told and 'kind = "order"' in told
    assert "(none)" not in told


@pytest.mark.slow
def test_a_schema_of_a_year_without_missing_cells_is_one_of_the_next(tmp_path):
    table = registry().drop(columns="state")
    first = table.dropna().reset_index(drop=True)
    schema = with_no_dates(TableValues(first), infer_schema(first))
    assert schema["end"].no_date == NEVER
    table.to_csv(tmp_path / "t.csv", index=False, date_format="%Y-%m-%d")
    read = read_table(tmp_path / "t.csv", schema)
    again = table_bytes(read.frame, "t.csv", read.schema)
    assert again == (tmp_path / "t.csv").read_bytes()
    drawn = model().fit(read).sample()
    assert shares(drawn) == pytest.approx(shares(table), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("is_counted", [False, True])
def test_where_none_is_made_both_are_as_the_table_has_them(is_counted):
    table, within = registry(), "trees" if is_counted else "independent"
    schema = with_no_dates(TableValues(table), infer_schema(table))
    rows = FrameSource(table) if is_counted else table
    drawn = model(within=within).fit(rows, schema).sample()
    assert shares(drawn) == pytest.approx(shares(table), abs=0.01)
