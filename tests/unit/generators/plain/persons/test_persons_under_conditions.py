"""Whole persons of a model, all of whose rows meet conditions."""

import numpy as np
import pandas as pd
import pytest
from support import panels

from coclust_synth import (
    CoclusterSynthesizer,
    DataWarning,
    ParameterError,
    infer_schema,
)


def visits(n=600, seed=0):
    """Visits of patients, who stay in a clinic mostly; few of a sort, c, come often."""
    rng = np.random.default_rng(seed)
    n_each = np.minimum(rng.geometric(0.4, n), 8)
    sort = rng.choice(["a", "b"], n)
    sort[:24], n_each[:24] = "c", 20
    who = np.repeat(np.arange(n), n_each)
    place = pd.Series(who).groupby(who).cumcount().to_numpy()
    clinic = rng.choice(["east", "west"], n)[who]
    moved = rng.random(len(who)) < 0.1
    clinic[moved] = rng.choice(["east", "west"], moved.sum())
    day = rng.integers(0, 500, n)[who] + 30 * place + rng.integers(0, 20, len(who))
    paid = rng.integers(1, 9, len(who)) * 10
    return pd.DataFrame(
        {
            "patient": 7000 + who,
            "sort": sort[who],
            "sex": rng.choice(["F", "M"], n)[who],
            "visits": n_each[who],
            "visit": place + 1,
            "day": pd.Series(np.datetime64("2021-01-01") + day).astype(
                "datetime64[us]"
            ),
            "clinic": clinic,
            "stay": 1000 + np.arange(len(who)) // 2 + who * 1000,
            "paid": paid,
            "due": paid + rng.integers(0, 5, len(who)) * 10,
        }
    )


@pytest.fixture(scope="module")
def table():
    return visits().drop(columns="stay")


@pytest.fixture(scope="module")
def model(table):
    return panels.fitted(table, "patient")


def whole(drawn):
    """But for the last person of those drawn."""
    return drawn[drawn["patient"] != drawn["patient"].iloc[-1]]


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"given": "sort=a"},
        {"given": "clinic=east"},
        {"where": "due <= paid + 20"},
        {"given": "sort=a", "where": "due <= paid + 20"},
    ],
)
def test_persons_are_whole_and_all_of_their_rows_meet_the_conditions(model, asked):
    drawn = model.sample(400, **asked)
    assert len(drawn) == 400
    if asked.get("given"):
        name, value = asked["given"].split("=")
        assert (drawn[name] == value).all()
    if "where" in asked:
        assert (drawn["due"] <= drawn["paid"] + 20).all()
    ids = drawn["patient"].unique().tolist()
    assert ids == list(range(10_001, 10_001 + len(ids)))
    by = drawn.groupby("patient")
    assert (drawn["visit"] == by.cumcount() + 1).all()
    assert by["day"].is_monotonic_increasing.all()
    some = whole(drawn)
    assert (some["visits"] == some.groupby("patient")["visit"].transform("size")).all()
    assert (by["sort"].nunique() == 1).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "is_met"),
    [
        ("sort=b", lambda t: t["sort"] == "b"),
        ("clinic=west", lambda t: t["clinic"] == "west"),
        ("sort=b,paid>10", lambda t: (t["sort"] == "b") & (t["paid"] > 10)),
    ],
)
def test_persons_are_as_those_of_many_who_meet_the_conditions(model, asked, is_met):
    every, drawn = (
        model.sample(60_000, random_state=1),
        model.sample(15_000, given=asked),
    )
    met = every[is_met(every).groupby(every["patient"]).transform("all")]

    def means(t):
        of_each = t.groupby("patient").agg(
            n=("visit", "size"), paid=("paid", "mean"), last=("day", "max")
        )
        return [
            of_each["n"].mean(),
            of_each["paid"].mean() / 10,
            (of_each["last"] - np.datetime64("2021-01-01")).dt.days.mean() / 100,
            (t["clinic"] == "west").mean(),
        ]

    np.testing.assert_allclose(means(drawn), means(met), atol=0.12)


@pytest.mark.slow
def test_it_is_persons_who_support_conditions_not_rows(model, table):
    """A dozen persons have a tenth of all rows."""
    few = table[(table["sort"] == "c") & (table["sex"] == "F")]
    assert len(few) / len(table) > 0.07 and few["patient"].nunique() < 20
    with pytest.raises(ParameterError, match=r"by the model, about 1\d of 600 meet"):
        model.sample(50, given="sort=c,sex=F")


@pytest.mark.slow
def test_a_refusal_says_what_is_asked_of_all_rows(model):
    with pytest.raises(
        ParameterError, match=r"All rows of a person .* row to row: 'paid'"
    ):
        model.sample(50, given="sort=a,paid=10,visits>=4")


@pytest.mark.slow
def test_a_refusal_names_columns_of_the_table_not_what_is_drawn_beside_them(table):
    """Numbers among words are drawn as numbers of their own."""
    points = np.random.default_rng(1).integers(0, 400, len(table)).astype(str)
    texts = pd.Series(points).where(np.arange(len(table)) % 20 > 0, "n.a.")
    scored = table[["patient", "sort", "sex", "clinic"]].assign(score=texts)
    schema = infer_schema(scored).keep("score")
    model = CoclusterSynthesizer(
        k=20, person_id="patient", n_iterations=1, random_state=0
    ).fit(scored, schema)
    (spelt,) = model.model_.spelt
    assert spelt.number not in schema.names
    with pytest.raises(ParameterError, match=r"row to row: 'score'\.$"):
        model.sample(50, given="score>398")


@pytest.mark.slow
def test_so_many_rows_of_each_value_that_persons_have(model):
    drawn = model.sample(n_per="sort=90", given="visits>1")
    assert drawn["visits"].min() > 1
    counts = drawn["sort"].value_counts().to_dict()
    assert counts == {"a": 90, "b": 90, "c": 90}
    assert (drawn.groupby("patient")["sort"].nunique() == 1).all()
    some = drawn.groupby("patient").agg(
        n=("visit", "size"), of=("visits", "first"), sort=("sort", "first")
    )
    # Of each value the last person has what rows are missing.
    assert (some["n"] != some["of"]).sum() <= some["sort"].nunique()


@pytest.mark.slow
def test_rows_of_each_value_of_what_differs_within_persons_are_refused(model):
    with pytest.raises(ParameterError, match=r"same in all rows .* 'clinic', which"):
        model.sample(n_per="clinic=10")


@pytest.mark.slow
def test_rows_of_persons_of_one_row_each_are_of_any_value(table):
    one = table[table["visit"] == 1].drop(columns=["visit", "visits"])
    drawn = panels.fitted(one, "patient").sample(n_per="clinic=30")
    assert drawn["clinic"].value_counts().to_dict() == {"east": 30, "west": 30}


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"given": "patient=7001"},
        {"where": "paid <= patient"},
        {"where": "patient - 7000 < 30, due <= paid + 20"},
        {"n_per": "patient=5"},
    ],
)
def test_conditions_on_the_persons_are_refused_as_such(model, asked):
    with pytest.raises(ParameterError, match="key 'patient', which is made anew"):
        model.sample(**asked)


@pytest.mark.slow
def test_so_many_rows_of_each_number_that_stays(model):
    with pytest.warns(DataWarning, match=r"Column 'visits': .* left out"):
        drawn = model.sample(n_per="visits=60", given="sort=a")
    counts = drawn["visits"].value_counts()
    assert (counts == 60).all() and len(counts) >= 3
    assert (drawn["sort"] == "a").all()


@pytest.mark.slow
def test_keys_in_persons_are_whole_and_named_in_sequence():
    table = visits()
    schema = infer_schema(table).as_key("stay")
    options = {"k": 20, "person_id": "patient", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    drawn = model.sample(300, given="clinic=east")
    assert (drawn["clinic"] == "east").all()
    assert (drawn.groupby("stay")["patient"].nunique() == 1).all()
    stays = drawn["stay"].unique()
    assert (np.diff(stays) == 1).all() and not {*stays} & {*table["stay"]}
    for asked in ({"n_per": "stay=5"}, {"given": "stay=7"}):
        with pytest.raises(ParameterError, match="key 'stay', which is made anew"):
            model.sample(**asked)


@pytest.mark.slow
def test_the_same_seed_draws_the_same_persons_also_from_a_saved_model(model, tmp_path):
    asked = {"given": "clinic=east", "n": 80}
    drawn = model.sample(**asked, random_state=3)
    model.save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m")
    pd.testing.assert_frame_equal(loaded.sample(**asked, random_state=3), drawn)
    assert not model.sample(**asked, random_state=4).equals(drawn)
