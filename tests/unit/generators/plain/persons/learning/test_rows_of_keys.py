"""Rows that are told from the row before of the same key: loans, contracts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.persons.known.key_rows import ALL_ROWS, ROWS_OF_KEYS
from coclust_synth.generators.plain.persons.learning.tables_of_keys import RowsOfKeys


def loans(n=150, seed=0, sizes=None):
    """What is paid back of the loans of customers, who have several at a time.

    Of so many rows, if `sizes` says how many those of a person have.
    """
    rng, rows, number = np.random.default_rng(seed), [], 71_000
    for person in range(n):
        sex = rng.choice(["F", "M"])
        for size in [None] * rng.integers(1, 4) if sizes is None else sizes():
            number, kind = number + rng.integers(1, 4), rng.choice(["car", "home"])
            owed, day = rng.integers(5, 60) * 100, rng.integers(0, 900)
            for i in range(rng.integers(1, 6) if size is None else size):
                paid = min(owed, rng.integers(1, 12) * 50) * (i > 0)
                owed, day = owed - paid, day + rng.integers(25, 40)
                rows.append((f"P{person:03}", number, kind, sex, day, paid, owed))
    names = ["who", "loan", "kind", "sex", "day", "paid", "owed"]
    table = pd.DataFrame(rows, columns=names).sort_values(["who", "day"])
    day = np.datetime64("2020-01-01") + table["day"].to_numpy()
    table = table.assign(day=day).astype({"day": "datetime64[us]"})
    return table.reset_index(drop=True)


@pytest.fixture(scope="module")
def table():
    return loans()


def fitted(table, k=20, schema=None):
    schema = infer_schema(table).as_key("loan") if schema is None else schema
    options = {"k": k, "person_id": "who", "n_iterations": 1, "random_state": 0}
    return CoclusterSynthesizer(**options).fit(table, schema)


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


def test_rows_are_told_from_the_one_before_of_the_same_key(table, model):
    drawn = model.sample()
    assert list(drawn) == list(table) and len(drawn) == len(table)
    assert not set(drawn["loan"]) & set(table["loan"])
    each = drawn.groupby("loan")
    earlier = each["owed"].shift()
    told = earlier - drawn["paid"] == drawn["owed"]
    assert told[earlier.notna()].all()
    assert (each[["who", "kind"]].nunique() == 1).all(axis=None)
    assert (drawn.groupby("who")["sex"].nunique() == 1).all()
    days = each["day"].diff().dropna().dt.days
    assert days.between(25, 39).mean() > 0.95
    for by, name in (("loan", "day"), ("who", "loan")):
        sizes = [t.groupby(by)[name].nunique().mean() for t in (table, drawn)]
        assert sizes[1] == pytest.approx(sizes[0], rel=0.08)


def test_what_is_kept_is_said_of_persons_and_of_keys(model):
    structure = model.model_.structure
    assert structure.lasting == ("sex",)
    told = "owed = owed of the row before of one loan - paid"
    assert told in structure.told_by_row_before
    assert not any("loan of" in said for said in structure.told_by_row_before)


@pytest.mark.slow
def test_all_keys_of_a_person_have_the_rows_that_the_person_has():
    table = loans(n=400, seed=1)
    table = table[table.groupby("who")["day"].transform("size") <= 6]
    drawn = fitted(table.reset_index(drop=True)).sample()
    real, own = (t["who"].value_counts().value_counts() for t in (table, drawn))
    assert own.index.max() == 6
    shares = pd.DataFrame({"real": real / real.sum(), "own": own / own.sum()})
    assert shares.fillna(0).diff(axis=1)["own"].abs().sum() / 2 < 0.05


@pytest.mark.slow
def test_last_keys_have_about_the_rows_of_others():
    rng = np.random.default_rng(6)

    def sizes():
        rate = rng.gamma(0.8)
        return 1 + rng.poisson(2.5 * rate, min(1 + rng.poisson(1.5 * rate), 20))

    table = loans(n=1000, seed=6, sizes=sizes)
    keys = (
        t.groupby(["who", "loan"], sort=False).size().reset_index(name="rows")
        for t in (table, fitted(table).sample())
    )
    spreads = [
        own["rows"][own["who"].ne(own["who"].shift(-1)) & own.duplicated("who")].std()
        for own in keys
    ]
    assert spreads[1] < 1.4 * spreads[0]


@pytest.mark.slow
def test_a_number_of_rows_of_one_person_is_not_told(table):
    more = loans(n=1, sizes=lambda: np.full(200, 3)).assign(who="P")
    more = more.assign(loan=more["loan"] + 100_000)
    structure = fitted(pd.concat([table, more], ignore_index=True)).model_.structure
    reached = np.sort(table["who"].value_counts())[-19]
    assert reached <= structure.first.ends_of(ALL_ROWS)[1] <= 2 * reached
    fewest, most = structure.later.ends_of(ROWS_OF_KEYS.rest)
    assert 1 <= fewest < most <= 2 * reached


@pytest.mark.slow
def test_a_column_that_tells_the_rows_of_a_key_stays_right():
    table = loans(n=300, seed=7)
    table["others"] = table.groupby("loan")["day"].transform("size") - 1
    model = fitted(table)
    structure, drawn = model.model_.structure, model.sample()
    assert ALL_ROWS not in structure.first.coding.names
    n_rows = drawn.groupby("loan")["day"].transform("size")
    assert (n_rows - 1 == drawn["others"]).mean() > 0.99
    assert not any("\0" in said for said in structure.told_by_row_before)


@pytest.mark.slow
def test_of_keys_that_have_as_many_rows_the_person_has_no_number():
    rng = np.random.default_rng(0)
    sizes = lambda: np.full(rng.integers(1, 5), rng.integers(1, 7))  # noqa: E731
    model = fitted(loans(n=150, sizes=sizes))
    assert ALL_ROWS not in model.model_.structure.first.coding.names
    drawn = model.sample()
    rows = drawn.groupby(["who", "loan"]).size().groupby("who")
    assert (rows.nunique() == 1).mean() > 0.99


@pytest.mark.slow
def test_individuals_are_persons_and_not_keys(table, monkeypatch):
    found, of_later = [], RowsOfKeys.evidence_of_later

    def noted(self):
        found.append(of_later.func(self))
        return found[-1]

    monkeypatch.setattr(RowsOfKeys, "evidence_of_later", property(noted))
    fitted(table)
    several = table[table.duplicated("loan")]["who"].nunique()
    assert found and {own.persons.n for own, _ in found} == {several}


@pytest.mark.slow
def test_a_saved_model_with_keys_draws_the_same(model, tmp_path):
    path = tmp_path / "loans.model"
    model.save(path)
    own, again = model.model_.structure, PlainModel.load(path).structure
    assert again.to_dict() == own.to_dict()
    arrays = again.arrays()
    assert arrays.keys() == own.arrays().keys()
    for name, array in own.arrays().items():
        np.testing.assert_array_equal(arrays[name], array)
    clusters = np.repeat(np.arange(len(own.first.cluster_rows)), 20)
    drawn = (
        each.draw_persons(clusters, np.random.default_rng(1))[0]
        for each in (own, again)
    )
    pd.testing.assert_frame_equal(*drawn)


@pytest.mark.slow
def test_rows_of_few_who_have_several_are_left_as_they_are(table):
    person = table["who"].str[1:].astype(int)
    first = table["loan"] == table.groupby("who")["loan"].transform("first")
    few = table[first | (person < 15)].reset_index(drop=True)
    assert fitted(few).model_.structure.within is None
    assert fitted(table, k=60).model_.structure.within is not None


def aged(loan, n=150):
    """Six rows a person, with their age, each of one of two loans."""
    rng = np.random.default_rng(0)
    year = 2000 + np.sort(rng.integers(0, 20, (n, 6))).ravel()
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), 6),
            "loan": 71_000 + 2 * np.repeat(np.arange(n), 6) + np.tile(loan, n),
            "year": year,
            "age": year - np.repeat(rng.integers(1940, 1980, n), 6),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "loan",
    [[0, 1, 0, 1, 0, 1], pytest.param([0, 0, 0, 1, 1, 1], marks=pytest.mark.slow)],
)
def test_an_age_is_told_of_persons_and_is_no_reason_to_draw_key_by_key(loan):
    model, follow = fitted(aged(loan)), loan[1] == 0
    assert (model.model_.structure.within is not None) == follow
    drawn = model.sample()
    born = drawn["year"] - drawn["age"]
    assert (born.groupby(drawn["who"]).nunique() == 1).all()


def orders(n=300, seed=0):
    """Lines of orders, what customers have spent in all, and how often sent back."""
    rng, rows, number = np.random.default_rng(seed), [], 5000
    for person in range(n):
        for _ in range(rng.integers(1, 5)):
            number, back = number + 1, rng.choice(["yes", "no"], p=[0.2, 0.8])
            day = np.datetime64("2020-01-01", "us") + np.timedelta64(
                int(rng.integers(900)), "D"
            )
            for _ in range(rng.integers(1, 6)):
                rows.append((f"P{person}", number, day, back, int(rng.integers(1, 40))))
    table = pd.DataFrame(rows, columns=["who", "loan", "day", "back", "paid"])
    by = table.who
    return table.assign(
        spent=table.paid.groupby(by).transform("sum"),
        n_back=(table.back == "yes").groupby(by).transform("sum"),
    )


@pytest.mark.slow
def test_totals_of_all_rows_are_those_of_what_is_drawn_key_by_key():
    table = orders()
    model = fitted(table)
    structure = model.model_.structure
    assert structure.within is not None
    assert "spent = sum of paid" in structure.told_by_row_before
    drawn = model.sample()
    assert (drawn.groupby("loan")[["who", "day", "back"]].nunique() == 1).all(axis=None)
    by = drawn.who
    n_back = (drawn.back == "yes").groupby(by).transform("sum")
    # The last person has as many rows as are missing.
    whole = by != by.iloc[-1]
    assert (drawn.n_back == n_back)[whole].all()
    assert (drawn.spent == drawn.paid.groupby(by).transform("sum"))[whole].mean() > 0.98
    spent = [t.groupby("who").spent.first().mean() for t in (table, drawn)]
    assert spent[1] == pytest.approx(spent[0], rel=0.15)


@pytest.mark.slow
def test_a_count_of_rows_that_are_drawn_key_by_key_has_its_public_bounds():
    table = orders()
    table = table[table.n_back <= 3]
    schema = infer_schema(table).as_key("loan")
    bounded = replace(schema["n_back"], bounds=(0, 3), public=True)
    columns = (bounded if own.name == "n_back" else own for own in schema.columns)
    model = fitted(table, schema=replace(schema, columns=tuple(columns)))
    assert model.model_.structure.within is not None
    assert model.sample()["n_back"].max() == 3


@pytest.mark.slow
def test_a_total_that_a_rule_binds_to_what_else_stays_is_kept_so():
    table = orders()
    # Told exactly, it is told anew from what was drawn.
    told = table.assign(points=table.spent * 2)
    assert fitted(told).model_.structure.within is not None
    more = np.random.default_rng(1).integers(0, 30, 300)
    table["limit"] = table.spent + more[table.who.str[1:].astype(int)]
    model = fitted(table)
    structure = model.model_.structure
    assert structure.within is None
    assert "spent = sum of paid" in structure.told_by_row_before
    drawn = model.sample().groupby("who").first()
    assert (drawn.spent <= drawn.limit).mean() > 0.99
