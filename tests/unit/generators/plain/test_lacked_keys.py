"""Keys that some rows have none of: the case number of who was tried again."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.evaluation.telling_apart.audit import audit_synthesizer
from coclust_synth.exceptions import DataWarning, ParameterError, SchemaError
from coclust_synth.generators.plain.synthesizer import clusters_for_another_k
from coclust_synth.reports.plain_release import kept_rules
from coclust_synth.tables.people.nested_keys import find_nested_keys
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.values.keys import learn_keys


@pytest.fixture
def table(rng):
    n = 600
    again = rng.random(n) < 0.3
    cases = pd.Series([f"C-{7 * i:05d}" for i in range(n)]).where(again)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 60, n),
            "case": cases,
            "again": np.where(again, "yes", "no"),
        }
    )


def schema_of(table):
    return infer_schema(table).keep("age", "again").as_key("case")


@pytest.mark.parametrize("within", ["trees", "independent"])
def test_rows_lack_a_key_as_those_of_the_table_do(table, within, tmp_path):
    options = {"k": 20, "n_iterations": 2, "random_state": 0, "within": within}
    model = CoclusterSynthesizer(**options).fit(table, schema_of(table))
    drawn = model.sample()
    assert list(drawn) == list(table)
    has_one = drawn["case"].notna()
    assert has_one.mean() == pytest.approx(table["case"].notna().mean(), abs=0.03)
    made = drawn.loc[has_one, "case"]
    assert made.is_unique and not {*made} & {*table["case"].dropna()}
    assert made.tolist() == [f"C-1{i:04d}" for i in range(1, len(made) + 1)]
    if within == "trees":
        assert (has_one == (drawn["again"] == "yes")).all()
        assert not any(model.model_.count_broken(drawn))
        said = [rule["rule"] for rule in kept_rules(model.model_)]
        assert said == ["case, again: never a key with no, missing with yes"]
    path = tmp_path / "cases.model"
    model.save(path)
    again = CoclusterSynthesizer.load(path, random_state=0)
    pd.testing.assert_frame_equal(again.sample(), drawn)
    assert "case" not in model.model_.schema.names


def test_numbers_that_rows_lack_are_whole(table):
    table["case"] = pd.Series(range(5000, 5600), dtype="Int64").where(
        table["case"].notna()
    )
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    drawn = model.fit(table, schema_of(table)).sample()
    assert drawn["case"].dtype == table["case"].dtype
    assert drawn["case"].dropna().is_unique
    assert drawn["case"].isna().any()


def test_conditions_on_a_key_that_rows_lack_are_refused(table):
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    model.fit(table, schema_of(table))
    with pytest.raises(ParameterError, match="case"):
        model.sample(10, given="case=key")


def test_a_key_that_differs_in_rows_of_one_person_may_be_lacked(table):
    persons = Persons("who", np.arange(600) // 2)
    assert find_nested_keys(table, schema_of(table), persons, 20) == ()


def test_where_no_column_is_drawn_for_it_every_row_has_a_key(table):
    with pytest.raises(SchemaError, match=r"differs in every row.*table in memory"):
        learn_keys(table, schema_of(table))
    none = table.assign(case=pd.Series([None] * 600, dtype=object))
    with pytest.raises(SchemaError, match=r"none in 600 of.* in 599\. Drop it"):
        learn_keys(none, schema_of(table), may_lack=True)


@pytest.mark.parametrize("n", [2, 19])
def test_nothing_is_told_of_a_key_that_few_people_have(table, n, tmp_path):
    table["case"] = pd.Series([f"SMITH-{i:05d}" for i in range(n)]).reindex(range(600))
    model = CoclusterSynthesizer(k=5, n_iterations=1, random_state=0)
    with pytest.warns(DataWarning, match=f"'case', that 20 .* in {n} of the rows"):
        model.fit(table, schema_of(table))
    assert not model.pooled_
    drawn = model.sample()
    assert drawn["case"].isna().all()
    (key,) = model.model_.keys
    assert "SMITH" not in str(key.to_dict()) and not key.places
    path = tmp_path / "cases.model"
    model.save(path)
    again = CoclusterSynthesizer.load(path, random_state=0)
    pd.testing.assert_frame_equal(again.sample(), drawn)


def test_no_row_gets_a_key_that_fewer_have_than_are_asked_for(table):
    asked = {"k": 250, "rare": 250, "n_iterations": 1, "random_state": 0}
    with pytest.warns(DataWarning, match="as many as `rare` asks for"):
        drawn = CoclusterSynthesizer(**asked).fit(table, schema_of(table)).sample()
    assert table["case"].notna().sum() < 250 and drawn["case"].isna().all()


def test_rows_of_one_person_are_no_people(table):
    """Forty rows of a single person have a key."""
    table["who"] = np.maximum(np.arange(600) - 39, 0)
    table["case"] = pd.Series([f"SMITH-{i}" for i in range(40)]).reindex(range(600))
    model = CoclusterSynthesizer(k=5, n_iterations=1, random_state=0, person_id="who")
    with pytest.warns(DataWarning, match="that fewer have"):
        drawn = model.fit(table, schema_of(table).keep("who")).sample()
    assert drawn["case"].isna().all()
    assert "SMITH" not in str(model.model_.keys[0].to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("within", ["trees", "independent"])
def test_another_k_is_fitted_where_rows_lack_a_key(table, within):
    """The marks of a key are no column of clusters that are given."""
    options = {"k": 20, "n_iterations": 1, "random_state": 0, "within": within}
    model = CoclusterSynthesizer(**options).fit(table, schema_of(table))
    assert clusters_for_another_k(model) is None
    assert audit_synthesizer(model, table, schema_of(table)).along_k


def test_whole_numbers_that_rows_lack_stay_whole_beyond_their_type(table):
    cases = pd.Series(range(1, 601), dtype="Int64").where(table.index < 200)
    table["case"] = cases.astype("UInt8")
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    drawn = model.fit(table, schema_of(table)).sample()
    assert drawn["case"].dtype == "Int64"
    assert not {*drawn["case"].dropna()} & {*table["case"].dropna()}
