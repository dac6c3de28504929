"""Dates that stand for none: far from all others, and held by many."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, MondrianAnonymizer, infer_schema
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.column import Column
from coclust_synth.tables.parts.no_dates import with_no_dates
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values

NEVER = "9999-12-31"


def ends(n_far, far=NEVER, n=100):
    """Days of 2020, and some of one that is far from these."""
    days = np.datetime64("2020-01-01") + np.arange(n)
    days = np.append(days, np.full(n_far, np.datetime64(far)))
    return pd.DataFrame({"end": pd.Series(days).astype("datetime64[s]")})


def found(table, persons=None):
    schema = infer_schema(table)
    return with_no_dates(TableValues(table), schema, persons)["end"]


@pytest.mark.parametrize("far", [NEVER, "2099-01-01", "1900-01-01"])
def test_a_date_far_from_all_others_stands_for_none(far):
    column = found(ends(20, far))
    assert column.no_date == far
    assert column.bounds == ("2020-01-01", "2020-04-09")


def test_no_date_of_few_or_near_the_others_does():
    assert found(ends(19)).no_date is None
    assert found(ends(20, "2020-06-01")).no_date is None
    assert found(ends(500, n=19)).no_date is None


def test_the_last_of_a_few_waves_is_a_date():
    waves = np.array(["2020-01-01", "2020-02-01", "2021-01-01"], dtype="M8[s]")
    assert found(pd.DataFrame({"end": waves.repeat(40)})).no_date is None


def test_it_is_one_of_persons_not_of_rows():
    table = ends(60)
    one = Persons("who", np.append(np.arange(100), np.full(60, 5)))
    assert found(table, one).no_date is None
    some = Persons("who", np.append(np.arange(100), np.arange(60) // 3))
    assert found(table, some).no_date == NEVER


def test_what_a_schema_says_stays():
    schema = infer_schema(ends(20, "2019-01-01"))
    (own,) = schema.columns
    said = Column(**{**vars(own), "no_date": "2019-01-01"})
    schema = type(schema)((said,))
    values = TableValues(ends(20, "2019-01-01"))
    assert with_no_dates(values, schema) == schema


def test_it_is_read_as_missing_and_written_for_it():
    table = ends(2)
    column = found(ends(20))
    values, missing = to_values(table["end"], column)
    assert missing.tolist() == [False] * 100 + [True] * 2
    assert not values[missing].any()
    pd.testing.assert_series_equal(from_values(values, missing, column), table["end"])


def test_it_is_found_beside_missing_ones():
    lacking = pd.concat([ends(20), pd.DataFrame({"end": [pd.NaT]})])
    lacking = lacking.reset_index(drop=True)
    assert found(lacking).no_date == NEVER
    assert found(lacking[1:]).bounds == ("2020-01-02", "2020-04-09")
    one = Persons("who", np.append(np.arange(100), np.full(21, 5)))
    assert found(lacking, one).no_date is None


@pytest.mark.parametrize("kind, text", [("integer", NEVER), ("datetime", "never")])
def test_others_are_refused(kind, text):
    with pytest.raises(SchemaError, match="`no_date` to be an ISO date"):
        Column(name="end", kind=kind, no_date=text)


@pytest.fixture(scope="module")
def spells():
    """Addresses, one after the other; of most persons the last one is open."""
    rng = np.random.default_rng(3)
    n_each = np.minimum(rng.geometric(0.4, 600), 12)
    person, n = np.repeat(np.arange(600), n_each), n_each.sum()
    is_last = np.append(np.diff(person) > 0, True)
    days = np.exp(rng.normal(5.5, 0.9, n)).astype(int) + 1
    until = np.cumsum(days)
    before = np.repeat((until - days)[np.append(True, is_last[:-1])], n_each)
    start = np.repeat(rng.integers(14_600, 18_200, 600), n_each)
    begin = start + until - days - before
    is_open = is_last & np.repeat(rng.random(600) < 0.7, n_each)
    far = np.datetime64(NEVER).astype(int)
    end = np.where(is_open, far, begin + days - 1)
    kinds = pd.Series(rng.choice(["rent", "own"], n), dtype="str")
    columns = {"person": person, "begin": begin, "end": end}
    table = pd.DataFrame(columns).assign(kind=kinds)
    for name in ("begin", "end"):
        table[name] = table[name].to_numpy().astype("M8[D]").astype("M8[s]")
    return table


@pytest.fixture(scope="module")
def fitted(spells):
    model = CoclusterSynthesizer(person_id="person", n_iterations=8, random_state=0)
    return model.fit(spells)


@pytest.fixture(scope="module")
def drawn(fitted):
    return fitted.sample()


@pytest.mark.slow
def test_the_end_of_what_goes_on_is_that_date_and_no_other_is_as_far(spells, drawn):
    is_open = drawn["end"] == np.datetime64(NEVER)
    assert (drawn["end"][~is_open] < np.datetime64("2060-01-01")).all()
    is_last = ~drawn["person"].duplicated(keep="last")
    assert not is_open[~is_last].any()
    share = (spells["end"] == np.datetime64(NEVER)).sum() / 600
    assert is_open[is_last].mean() == pytest.approx(share, abs=0.02)
    gaps = drawn.groupby("person")["begin"].shift(-1) - drawn["end"]
    assert (gaps[~is_last] == np.timedelta64(1, "D")).all()


@pytest.mark.slow
def test_it_is_told_as_itself(fitted):
    told = fitted.model_.structure.told_by_row_before
    assert f"end is {NEVER} in the last row of a person only" in told


def test_rules_tell_it_as_itself():
    table = ends(200)
    kinds = np.random.default_rng(0).choice([*"abc"], len(table))
    table["kind"] = np.where(table["end"] == np.datetime64(NEVER), None, kinds)
    schema = with_no_dates(TableValues(table), infer_schema(table))
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    told = [str(rule.relation) for rule in model.fit(table, schema).rules_]
    assert told == [f"end ({NEVER}), kind: missing in the same rows"]


def test_classes_of_rows_have_it_as_any_date():
    table = ends(20).assign(age=np.arange(120) % 7)
    schema = with_no_dates(TableValues(table), infer_schema(table))
    assert schema["end"].no_date == NEVER
    own, plain = (
        MondrianAnonymizer(k=5).fit_transform(table, schema=schema),
        MondrianAnonymizer(k=5).fit_transform(table),
    )
    pd.testing.assert_frame_equal(own.to_frame(), plain.to_frame())


@pytest.mark.slow
def test_conditions_are_about_the_date_itself(spells):
    model = CoclusterSynthesizer(n_iterations=8, random_state=0)
    model.fit(spells.drop(columns="person"))
    drawn = model.sample(50, where="end>2050-01-01")
    assert (drawn["end"] == np.datetime64(NEVER)).all()
    drawn = model.sample(50, given=f"end={NEVER}")
    assert (drawn["end"] == np.datetime64(NEVER)).all()
