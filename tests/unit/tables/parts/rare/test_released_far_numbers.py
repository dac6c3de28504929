"""Numbers and dates that few have, far from all others, are released as their end."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.parts.rare.far_numbers import without_far_numbers
from coclust_synth.tables.parts.rare.pools import Pooled
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.table import TableValues

AGES = np.tile(np.arange(18, 95), 10)


def released_as(values, persons=None, rows=None, **fields):
    frame = pd.DataFrame({"a": values})
    column = replace(infer_schema(frame).keep("a")["a"], **fields)
    table = TableValues(frame)
    moved = without_far_numbers(table, [column], persons=persons, rows=rows)
    assert (moved[0] is table) == (not moved[1])
    return moved[0].frame["a"], moved[1].get("a")


def test_few_have_the_last_age_that_20_reach():
    values, told = released_as(np.append([1000, 1000, -500], AGES))
    assert values.tolist() == [93, 93, 19, *AGES]
    assert told == Pooled("a", 2, 3)
    assert values.dtype == AGES.dtype


def test_of_several_each_is_far_from_those_that_have_an_end():
    values, told = released_as(np.append([345_765, 1_237_540], AGES * 10))
    assert values.tolist() == [925, 925, *(AGES * 10)]
    assert told == Pooled("a", 2, 2)


@pytest.mark.parametrize(
    "values",
    [
        np.append(AGES, np.full(20, 1000)),
        np.geomspace(1, 10**7, 400).round(2),
        np.append(np.arange(19), 1000),
    ],
    ids=["as many as a law describes", "amounts", "a list"],
)
def test_others_stay_as_they_are(values):
    assert released_as(values)[1] is None


def test_what_the_schema_says_comes_first():
    values = np.append(AGES, 1000)
    assert released_as(values, bounds=(0, 2000))[1] is None
    assert released_as(values, public=True)[1] is None
    assert released_as(values, bounds=(18, 1000))[1] == Pooled("a", 1, 1)


def test_persons_are_counted_where_rows_are_of_persons():
    values = np.append(AGES, np.full(30, 1000))
    whose = np.append(np.arange(len(AGES)), np.full(30, len(AGES)))
    assert released_as(values, Persons("who", whose))[1] == Pooled("a", 1, 30)


@pytest.mark.filterwarnings("ignore:Expected columns of at least two")
def test_a_column_without_values_of_persons():
    values = np.full(60, np.nan)
    assert (
        released_as(values, Persons("who", np.arange(60) // 2), kind="real")[1] is None
    )


def test_the_end_of_many_persons_is_not_that_of_one_with_many_rows():
    values = np.append(np.append(AGES, 95), np.full(30, 96))
    whose = np.append(np.arange(len(AGES) + 1), np.full(30, len(AGES)))
    moved, told = released_as(
        np.append(values, 1000), Persons("who", np.append(whose, 0))
    )
    assert told == Pooled("a", 1, 1) and moved.iloc[-1] == 93


@pytest.mark.slow
def test_nobody_is_the_end_that_many_slips_are_released_as(rng):
    """Of 19 latitudes of 0 the one next to these became a value of 20, drawn so."""
    latitudes = np.unique(rng.uniform(51.1, 51.2, 2000).round(6))
    frame = pd.DataFrame({"latitude": np.append(np.zeros(19), latitudes)})
    frame["age"] = rng.integers(18, 65, len(frame))
    schema = infer_schema(frame).keep("latitude", "age")
    released = release_values(frame, schema, 10)
    assert released.pooled == (Pooled("latitude", 1, 19),)
    own = released.with_own_ends().frame["latitude"]
    assert latitudes[0] < own[0] < latitudes[20] and own[0] not in latitudes
    model = CoclusterSynthesizer(k=100, n_iterations=1, random_state=0)
    drawn = model.fit(frame, schema).sample(len(frame))["latitude"]
    assert latitudes[0] not in drawn.to_numpy()


def test_few_persons_with_several_far_values_each():
    values = np.append(AGES, np.tile([1000, 1001, 1002, 1003, 1004], 4))
    whose = np.append(np.arange(len(AGES)), np.repeat(np.arange(4), 5))
    assert released_as(values, Persons("who", whose))[1] == Pooled("a", 5, 20)
    whose = np.append(np.arange(len(AGES)), np.arange(20))
    assert released_as(values, Persons("who", whose))[1] is None


def test_rows_that_stand_for_several():
    values, rows = np.append(AGES, 1000), np.ones(len(AGES) + 1, dtype=np.int64)
    rows[-1] = 19
    assert released_as(values, rows=rows)[1] == Pooled("a", 1, 19)
    rows[-1] = 20
    assert released_as(values, rows=rows)[1] is None


def test_dates_and_missing_values():
    days = pd.Series(pd.date_range("2015-01-01", periods=900))
    days[3], days[5], days[7] = pd.Timestamp("1900-01-01"), pd.NaT, days[0]
    values, told = released_as(days)
    assert told == Pooled("a", 1, 1)
    assert values[3] == pd.Timestamp("2015-01-03") and values[5] is pd.NaT
    pd.testing.assert_series_equal(values.drop(3), days.drop(3), check_names=False)


@pytest.mark.slow
def test_nobody_is_drawn_between(rng):
    """Of 4,200 wages one was 251,378; ten drawn ones were above 15,000."""
    wages = rng.gamma(4, 1000, 4200).clip(800, 11_194).round()
    frame = pd.DataFrame({"wage": wages, "age": rng.integers(18, 65, 4200)})
    frame.loc[7, "wage"] = 251_378
    schema = infer_schema(frame).keep("wage", "age")
    assert release_values(frame, schema, 10).pooled == (Pooled("wage", 1, 1),)
    model = CoclusterSynthesizer(k=100, n_iterations=1, random_state=0)
    assert model.fit(frame, schema).sample(4200)["wage"].max() <= 11_194


def test_no_model_holds_them_as_the_ends_of_its_schema(rng):
    frame = pd.DataFrame({"a": np.append(AGES, 1000)})
    schema = infer_schema(frame).keep("a")
    assert schema["a"].bounds == (18, 1000)
    released = release_values(frame, schema, 10)
    assert released.schema["a"].bounds == (19, 93)
    assert released.with_own_ends().schema["a"].bounds is None
