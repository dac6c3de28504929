"""Persons drawn once, and their rows one after the other."""

import json
import zipfile
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from support import panels

from coclust_synth import (
    CoclusterSynthesizer,
    ModelFileError,
    ParameterError,
    infer_schema,
)
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.persons import drawing
from coclust_synth.generators.plain.persons.known.known_before import COUNT, before
from coclust_synth.generators.plain.persons.learning.later_rows import solved
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.generators.plain.structured.drawing import rows as drawn_rows
from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.relations.days import completed_months
from coclust_synth.tables.values.series import from_values

fitted = partial(panels.fitted, person_id="patient")


def stays(n=900, seed=0):
    """Stays of patients: many have several, and stay in their ward."""
    rng = np.random.default_rng(seed)
    n_each = np.minimum(rng.geometric(0.45, n), 9)
    patient = np.repeat(rng.permutation(n) + 5000, n_each)
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, n)
    sex = rng.choice(["F", "M"], n)
    came = np.datetime64("2020-01-01") + rng.integers(0, 1000, len(patient))
    nights = rng.geometric(0.2, len(patient)) - 1
    ward = np.repeat(rng.choice(["eyes", "heart", "skin"], n), n_each)
    moved = rng.random(len(patient)) < 0.1
    ward[moved] = rng.choice(["eyes", "heart", "skin"], moved.sum())
    table = pd.DataFrame(
        {
            "born": pd.Series(np.repeat(born, n_each)).astype("datetime64[us]"),
            "patient": patient,
            "sex": np.repeat(sex, n_each),
            "came": pd.Series(came).astype("datetime64[us]"),
            "left": pd.Series(came + nights).astype("datetime64[us]"),
            "nights": nights,
            "ward": ward,
            "smoker": pd.Series(
                np.repeat(rng.choice(["yes", "no", None], n), n_each), dtype="str"
            ),
        }
    )
    order = rng.permutation(len(table))
    return table.iloc[order].reset_index(drop=True)


@pytest.fixture(scope="module")
def table():
    return stays()


@pytest.fixture(scope="module")
def model(table):
    return fitted(table)


@pytest.fixture(scope="module")
def drawn(model):
    return model.sample()


def gaps(table):
    table = table.sort_values(["patient", "came"], kind="stable")
    return table.groupby("patient")["came"].diff().dropna().dt.days


@pytest.mark.slow
def test_persons_are_no_key(table):
    schema = infer_schema(table).as_key("patient")
    synthesizer = CoclusterSynthesizer(person_id="patient", n_iterations=1)
    with pytest.raises(ParameterError, match="Received 'patient' as both"):
        synthesizer.fit(table, schema)


@pytest.mark.slow
def test_the_table_has_its_columns_and_persons_of_other_names(table, drawn):
    assert list(drawn) == list(table) and len(drawn) == len(table)
    assert drawn.dtypes.tolist() == table.dtypes.tolist()
    assert not set(drawn["patient"]) & set(table["patient"])
    ids = drawn["patient"].drop_duplicates().tolist()
    assert ids == list(range(10_001, 10_001 + len(ids)))
    assert len(ids) == pytest.approx(table["patient"].nunique(), rel=0.05)


@pytest.mark.slow
def test_what_stays_is_the_same_in_all_rows_of_a_person(model, drawn):
    structure = model.model_.structure
    assert structure.constants == ("born", "sex", "smoker")
    each = drawn.groupby("patient")[list(structure.constants)]
    assert (each.nunique(dropna=False) == 1).all(axis=None)
    assert drawn["ward"].groupby(drawn["patient"]).nunique().max() > 1


def test_persons_have_as_many_rows_and_stay_in_their_ward(table, drawn):
    shares = [
        t["patient"].value_counts().value_counts(normalize=True) for t in (table, drawn)
    ]
    assert shares[0].sub(shares[1], fill_value=0).abs().sum() / 2 < 0.05

    def stays_put(t):
        t = t.sort_values(["patient", "came"])
        earlier = t.groupby("patient")["ward"].shift()
        return (t["ward"] == earlier)[earlier.notna()].mean()

    assert stays_put(drawn) == pytest.approx(stays_put(table), abs=0.06)


def test_rows_are_in_order_and_as_far_apart(table, model, drawn):
    assert model.model_.structure.ordered_by == "came"
    steps = drawn.groupby("patient")["came"].diff().dropna()
    assert (steps >= pd.Timedelta(0)).all()
    quantiles = [gaps(t).quantile([0.1, 0.5, 0.9]).to_numpy() for t in (table, drawn)]
    np.testing.assert_allclose(quantiles[1], quantiles[0], rtol=0.2, atol=12)
    last = table["came"].max() - pd.Timedelta(days=20)
    late = [(t["came"] > last).mean() for t in (table, drawn)]
    assert late[1] < late[0] + 0.03


def test_rules_hold_in_first_rows_and_in_later_ones(drawn):
    assert ((drawn["left"] - drawn["came"]).dt.days == drawn["nights"]).all()
    assert (drawn["born"] <= drawn["came"]).all()


def test_a_fit_of_the_date_itself_is_solved_for_another_column():
    fit = Fit("came", ("left", "nights"), (1.0, -1.0), 0.0, False)
    told = solved(fit, {"came"})
    assert told == Fit("left", ("came", "nights"), (1.0, 1.0), 0.0, False)
    assert solved(fit, {"came", "left"}).target == "nights"
    assert solved(fit, {"came", "left", "nights"}) is None
    assert solved(replace(fit, about=True), {"came"}) == replace(told, about=True)
    assert solved(replace(fit, logarithms=True), {"came"}) is None
    numbers = {"came": np.array([5.0]), "left": np.array([9.0])}
    fit = Fit("came", ("left", "nights"), (1.0, -1.0), 3.0, False)
    # 5 = 9 - nights + 3
    assert solved(fit, {"came", "left"}).predict(numbers).tolist() == [7.0]


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 7, 400])
def test_any_number_of_rows(model, n):
    drawn = model.sample(n, random_state=n)
    assert len(drawn) == n
    pd.testing.assert_frame_equal(drawn, model.sample(n, random_state=n))


@pytest.mark.slow
def test_a_saved_model_draws_the_same_and_tells_nobody(table, model, drawn, tmp_path):
    model.save(tmp_path / "a.model")
    again = CoclusterSynthesizer.load(tmp_path / "a.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(), drawn)
    again.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.model") as file:
        text = file.read("model.json").decode()
    held = table.groupby("born")["patient"].nunique()
    alone = held.index[held < 20].strftime("%Y-%m-%d")
    assert not [day for day in alone if day in text]
    # The numbers of rows that fewer than 20 persons have are told in runs.
    first = json.loads(text)["structure"]["first"]
    names = [column["name"] for column in first["coding"]["schema"]["column"]]
    parts = first["coding"]["parts"][names.index("\0rows")]
    heaps = [v for v, w in zip(parts["lows"], parts["highs"], strict=True) if v == w]
    counts = table["patient"].value_counts().value_counts()
    assert heaps and all(counts[v] >= 20 for v in heaps)


def test_persons_of_whom_all_stays_are_saved(tmp_path):
    """Of later rows there is then nothing to draw."""
    person = np.repeat(np.arange(40), 3)
    table = pd.DataFrame({"patient": person, "sex": np.array([*"FM"])[person % 2]})
    model = fitted(table, k=5)
    assert not model.model_.structure.later.columns
    model.save(tmp_path / "a.model")
    again = CoclusterSynthesizer.load(tmp_path / "a.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(), model.sample())


def test_a_file_of_other_rows_is_refused(model, tmp_path):
    structure = replace(model.model_.structure, n_rows=5)
    replace(model.model_, structure=structure).save(tmp_path / "a.model")
    with pytest.raises(ModelFileError, match="do not fit together"):
        PlainModel.load(tmp_path / "a.model")


@pytest.mark.slow
def test_where_few_have_several_rows_all_are_drawn_with_one(table):
    several = table["patient"].duplicated(keep=False)
    few = table.loc[several, "patient"].unique()[:10]
    some = table[~several | table["patient"].isin(few)].reset_index(drop=True)
    structure = fitted(some).model_.structure
    assert isinstance(structure, PersonStructure) and structure.later is None
    assert structure.constants == ()
    drawn = fitted(some).sample(50)
    assert drawn["patient"].nunique() == 50


@pytest.mark.slow
def test_names_that_are_texts_and_no_dates(table):
    some = table.drop(columns=["came", "left", "born"])
    some["patient"] = "p" + some["patient"].astype(str)
    synthesizer = fitted(some)
    assert synthesizer.model_.structure.ordered_by is None
    drawn = synthesizer.sample(300)
    assert drawn["patient"].str.fullmatch(r"p51\d{3}").all()
    assert drawn.columns.tolist() == some.columns.tolist()


@pytest.mark.slow
def test_dates_can_be_missing(table):
    some = table.copy()
    some.loc[::7, "came"] = pd.NaT
    drawn = fitted(some).sample(500)
    assert 0.05 < drawn["came"].isna().mean() < 0.3


@pytest.mark.slow
def test_rows_under_conditions_are_of_persons_named_in_sequence(model):
    drawn = model.sample(300, given="ward=heart", where="nights >= 2")
    assert (drawn["ward"] == "heart").all() and drawn["nights"].min() >= 2
    ids = drawn["patient"].drop_duplicates().tolist()
    assert ids == list(range(10_001, 10_001 + len(ids))) and len(ids) < 300
    each = model.sample(n_per="sex=40")
    assert each["sex"].value_counts().to_dict() == {"F": 40, "M": 40}
    assert (each.groupby("patient")["sex"].nunique() == 1).all()


@pytest.mark.slow
def test_rows_are_in_order_beyond_the_last_date_of_the_table(model):
    """Where others tell the date, that of the row before can be anywhere."""
    later, n = model.model_.structure.later, 40
    names = later.coding.names
    numbers = {names[j]: np.zeros(n) for j in later.given if names[j] in later.scales}
    numbers[before("came")] = np.full(n, 30_000.0)
    codes = np.zeros((n, len(names)), dtype=np.int32)
    drawing = Drawing(
        later, np.zeros(n, dtype=int), np.random.default_rng(0), codes, numbers
    )
    drawing.fill()
    came = drawing.numbers["came"]
    assert (came[~np.isnan(came)] >= 30_000).all()


@pytest.mark.slow
def test_orders_hold_in_later_rows_where_no_date_orders_them(rng):
    """Without a column of dates the orders of all rows but the first were left out."""
    person = np.repeat(np.arange(200), 6)
    part = rng.gamma(2.0, 300.0, 1200).round()
    table = pd.DataFrame(
        {
            "who": person,
            "part": part,
            "total": part + rng.gamma(2.0, 300.0, 1200).round(),
        }
    )
    model = fitted(table, person_id="who")
    assert ("part", "total") in model.model_.structure.later.rules.bounds
    drawn = model.sample()
    assert (drawn["part"] <= drawn["total"]).all()


@pytest.mark.slow
def test_an_age_goes_with_the_year_of_the_row(rng):
    n, rows = 300, 3
    person = np.repeat(np.arange(n) + 5000, rows)
    year = 1990 + np.sort(rng.choice(9, (n, rows))).ravel()
    table = pd.DataFrame(
        {
            "patient": person,
            "year": year,
            "age": np.repeat(rng.integers(20, 70, n), rows) + year - 1990,
            "visits": rng.poisson(3, n * rows),
        }
    )
    drawn = fitted(table).sample()
    born = drawn["year"] - drawn["age"]
    assert (born.groupby(drawn["patient"]).nunique() == 1).all()
    assert (drawn.groupby("patient")["year"].nunique() > 1).mean() > 0.5


@pytest.mark.slow
def test_an_age_in_tenths_goes_with_the_date_of_the_row(rng):
    """Drawn anew where it changes, and left where it does not, it would leave it."""
    n, rows = 300, 4
    day = 17_000 + np.sort(rng.integers(0, 700, (n, rows))).ravel()
    born = np.repeat(rng.integers(-20_000, 10_000, n), rows)
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n) + 5000, rows),
            "came": day.astype("datetime64[D]").astype("datetime64[us]"),
            "age": np.round((day - born) / 365.25, 1),
            "pain": rng.integers(0, 5, n * rows),
        }
    )
    model = fitted(table)
    told = "age = came / 365.25 - a number of each person"
    assert told in model.model_.structure.told_by_row_before
    drawn = model.sample()
    assert not any(model.model_.count_broken(drawn))
    came = drawn["came"].to_numpy("datetime64[D]").astype(int)
    since = (drawn["age"] - came / 365.25).groupby(drawn["patient"])
    assert (since.max() - since.min()).max() < 0.1 + 1e-9
    ages = [
        t.drop_duplicates("patient")["age"].quantile([0.1, 0.9]) for t in (table, drawn)
    ]
    assert ages[0].tolist() == pytest.approx(ages[1].tolist(), abs=4)


@pytest.mark.slow
def test_months_of_a_contract_begin_with_none_and_go_on_by_the_calendar(rng):
    """As many as in the table are in their first month, though dates are runs."""
    n, rows = 300, 3
    since = rng.integers(16_000, 17_900, n)
    first = np.maximum(since, 16_800) + rng.integers(0, 40, n)
    apart = np.cumsum(rng.integers(5, 200, (n, rows)), axis=1)
    day = (first[:, None] + apart - apart[:, :1]).ravel()
    months = completed_months(np.repeat(since, rows), day)
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n) + 5000, rows),
            "read": day.astype("datetime64[D]").astype("datetime64[us]"),
            "tenure": pd.Series(months, dtype="Int64").mask(rng.random(len(day)) < 0.1),
        }
    )
    model = fitted(table)
    told = "tenure = months from a date of each person to read"
    assert told in model.model_.structure.told_by_row_before
    drawn = model.sample()
    assert not any(model.model_.count_broken(drawn))
    read = drawn["read"].to_numpy("datetime64[D]").astype(int)
    since = (drawn["tenure"].astype(float) - read / 30.4375).groupby(drawn["patient"])
    assert (since.max() - since.min()).max() < 1.1
    shares = [
        (t.drop_duplicates("patient")["tenure"] == 0).mean() for t in (table, drawn)
    ]
    assert shares[0] == pytest.approx(shares[1], abs=0.05) and shares[0] > 0.3


@pytest.mark.slow
def test_a_number_that_grows_is_told_by_its_distance_to_that_of_the_row_before(rng):
    n, rows = 300, 5
    first = np.repeat(rng.integers(0, 400, n), rows)
    week = first + np.cumsum(rng.choice([1, 2, 26], (n, rows)), axis=1).ravel()
    patient = np.repeat(np.arange(n) + 5000, rows)
    table = pd.DataFrame({"patient": patient, "week": week, "visits": week % 3})
    model = fitted(table)
    assert model.model_.structure.ordered_by == "week"
    apart = model.sample().groupby("patient")["week"].diff().dropna()
    shares = apart.value_counts(normalize=True)
    assert shares[[1, 2, 26]].sum() > 0.98 and shares[26] == pytest.approx(
        1 / 3, abs=0.04
    )


@pytest.mark.slow
def test_a_number_that_mostly_stays_is_that_of_the_row_before(rng):
    """A tree of what it was alone would give one person in ten another number."""
    n, rows = 400, 4
    score = np.repeat(rng.integers(0, 40, n), rows)
    score[rng.random(n * rows) < 0.01] += 1
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), rows),
            "score": score,
            "visits": rng.poisson(3, n * rows),
        }
    )

    def stays(table):
        return (table.groupby("patient")["score"].nunique() == 1).mean()

    assert stays(table) < 0.98
    assert abs(stays(fitted(table).sample()) - stays(table)) < 0.02


@pytest.mark.slow
def test_a_date_that_stays_for_some_rows_stays_though_it_is_near_another():
    """Six treatments a prescription, the first some days after its date."""
    rng, n, each = np.random.default_rng(0), 100, 12
    who, number = np.repeat(np.arange(n), each), np.tile(np.arange(each) % 6 + 1, n)
    steps = rng.integers(2, 8, n * each) + 30 * (number == 1)
    treated = np.repeat(rng.integers(0, 600, n), each)
    treated += steps.reshape(n, each).cumsum(axis=1).ravel()
    first = treated[number == 1] - rng.integers(1, 14, 2 * n)
    days = {"prescribed": np.repeat(first, 6), "treated": treated}
    dates = {
        k: pd.Timestamp("2022-01-01") + pd.to_timedelta(x, "D") for k, x in days.items()
    }
    table = pd.DataFrame({"patient": who, **dates, "number": number})

    def measured(table):
        same = table["patient"].eq(table["patient"].shift()) & table["number"].ne(1)
        stays = table["prescribed"].eq(table["prescribed"].shift())[same]
        wait = (table["treated"] - table["prescribed"]).dt.days[table["number"] == 1]
        return stays.mean(), wait.between(1, 13).mean()

    assert measured(table) == (1, 1)
    assert measured(fitted(table).sample()) == pytest.approx((1, 1), abs=0.03)


@pytest.mark.slow
def test_days_are_told_since_a_date_that_stays_and_not_the_date():
    rng, n, each = np.random.default_rng(0), 100, 12
    seen = rng.integers(0, 600, (n, 1)) + rng.integers(5, 60, (n, each)).cumsum(axis=1)
    begun = np.where(rng.random((n, each)) < 0.1, seen, -1)
    begun[:, 0] = seen[:, 0] - rng.integers(1, 300, n)
    begun = np.maximum.accumulate(begun, axis=1)
    first = pd.Timestamp("2022-01-01")
    dates = [first + pd.to_timedelta(x.ravel(), "D") for x in (begun, seen)]
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), each),
            "begun": dates[0],
            "seen": dates[1],
            "days": (seen - begun).ravel(),
        }
    )
    drawn = fitted(table).sample()
    assert ((drawn["seen"] - drawn["begun"]).dt.days == drawn["days"]).all()

    def stays(table):
        same = table["patient"].eq(table["patient"].shift())
        return table["begun"].eq(table["begun"].shift())[same].mean()

    assert stays(drawn) == pytest.approx(stays(table), abs=0.06)


@pytest.mark.slow
def test_a_text_that_mostly_stays_is_that_of_the_row_before(rng):
    """Of texts that few persons have, no leaf of k of them is of one alone."""
    n, rows = 600, 4
    place = np.repeat(rng.integers(0, 40, n), rows)
    moved = rng.random(n * rows) < 0.01
    place[moved] = rng.integers(0, 40, moved.sum())
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), rows),
            "place": [f"town {p}" if p else None for p in place],
            "visits": rng.poisson(3, n * rows),
        }
    )

    def stays(table):
        return (table.groupby("patient")["place"].nunique(dropna=False) == 1).mean()

    assert stays(table) < 0.98
    assert abs(stays(fitted(table).sample()) - stays(table)) < 0.03


@pytest.mark.slow
def test_the_number_of_rows_is_drawn_before_the_first_row(rng):
    """A rate is the person's mean in a single row, which hardly any drawn one is."""
    n_rows = rng.integers(1, 6, 600)
    person = np.repeat(np.arange(600), n_rows)
    rate = np.round(rng.uniform(2, 20, len(person)), 3)
    frame = pd.DataFrame({"person": person, "rate": rate})
    by_person = frame.groupby("person")["rate"]
    mean = by_person.transform("mean").round(3)
    frame["from_mean"] = (rate - mean).round(3)
    frame["from_first"] = (rate - by_person.transform("first")).round(3)
    frame["mean"], frame["first"] = mean, by_person.transform("first")
    synthesizer = CoclusterSynthesizer(
        k=20, person_id="person", n_iterations=1, random_state=0
    )
    drawn = synthesizer.fit(frame).sample()
    structure = synthesizer.model_.structure
    assert structure.constants == ("mean", "first")
    names = structure.first.coding.names
    order = [names[each.column] for each in structure.first.columns]
    assert order[:3] == ["mean", "first", COUNT]
    counts = drawn["person"].value_counts().value_counts()
    real = frame["person"].value_counts().value_counts()
    assert (counts - real).abs().max() <= 15


@pytest.mark.slow
def test_the_wage_of_last_year_is_that_of_the_row_before(rng):
    n, rows = 300, 5
    wage = rng.gamma(4.0, 500.0, (n, rows)).round()
    last = np.column_stack([np.full(n, np.nan), wage[:, :-1]])
    table = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), rows),
            "last": last.ravel(),
            "wage": wage.ravel(),
        }
    )
    drawn = fitted(table).sample()
    earlier = drawn.groupby("patient")["wage"].shift()
    assert (drawn["last"] == earlier)[earlier.notna()].all()
    assert drawn["last"].isna().mean() == pytest.approx(1 / rows, abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n_awake", [0, 3])
def test_a_place_that_hardly_anybody_leaves_is_come_to_as_often(n_awake, rng):
    """From all other places people go on; nothing stood for the last one."""
    go_on = {"home": ["ward", "home"], "ward": ["icu", "home"], "icu": ["ward", "home"]}
    rows, n_left = [], n_awake
    for patient in range(600):
        place, day = "home", int(rng.integers(300))
        for _ in range(8):
            to = rng.choice([*go_on[place], "death"], p=[0.5, 0.3, 0.2])
            rows.append((patient, day, place, to))
            day, place = day + int(rng.integers(1, 60)), to
            if to == "death":
                if not n_left:
                    break
                place, n_left = "home", n_left - 1
                rows.append((patient, day, "death", "home"))
                day += 1
    table = pd.DataFrame(rows, columns=["patient", "day", "from", "to"])
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(table["day"], unit="D")
    drawn = fitted(table).sample()
    earlier = drawn.groupby("patient")["to"].shift()
    follows = (drawn["from"] == earlier)[earlier.notna()]
    assert follows.mean() > 0.99
    shares = [(own["to"] == "death").mean() for own in (table, drawn)]
    assert abs(shares[0] - shares[1]) < 0.02
    ends = drawn.groupby("patient")["to"].last() == "death"
    real = table.groupby("patient")["to"].last() == "death"
    assert abs(ends.mean() - real.mean()) < 0.05


def to_the_end(n_first, n_last, n_back, n=600):
    """Moves of persons, some of whom come to an end, in the first row or later."""
    rng, rows = np.random.default_rng(0), []
    for patient in range(n):
        n_rows, place = rng.integers(2, 8), "home"
        is_first, is_last = patient < n_first, patient < n_first + n_last
        comes_back = is_last and patient >= n_first + n_last - n_back
        for day in range(1 if is_first else n_rows):
            to = rng.choice([*{"home", "ward", "icu", "desk"} - {place}])
            if is_first or (is_last and day == n_rows - 1 - comes_back):
                to = "end"
            rows.append((patient, day, place, to))
            place = to
    return pd.DataFrame(rows, columns=["patient", "day", "from", "to"])


@pytest.mark.slow
@pytest.mark.parametrize("k", [20, 100])
def test_nobody_goes_on_from_an_end_also_one_of_first_rows(k):
    """Six have one row: that many are a run, of 1 or 2, which no rule is about.

    Of fewer than k persons no rule is told at all.
    """
    table = to_the_end(6, 24, 4)
    model = fitted(table, k=k)
    told = "to = end in the last row of a person only"
    assert (told in model.model_.structure.told_by_row_before) is (k == 20)
    drawn = model.sample(3 * len(table))
    is_end = drawn["to"] == "end"
    assert 0.6 < is_end.mean() / (table["to"] == "end").mean() < 1.4
    assert not is_end[drawn["patient"].duplicated(keep="last")].any()
    assert is_end[~drawn["patient"].duplicated()].any()


@pytest.mark.slow
def test_a_last_place_is_drawn_where_20_persons_end_there():
    """Of 25 who come to it 16 do, and who goes on from it is moved."""
    assert "end" not in {*fitted(to_the_end(0, 25, 9)).sample(4000)["to"]}
    assert "end" in {*fitted(to_the_end(0, 36, 9)).sample(4000)["to"]}


@pytest.mark.slow
def test_who_moves_comes_from_where_they_were_also_where_values_are_rare(rng):
    places = np.array([f"W{i:02d}" for i in range(40)])
    rows = []
    for person in range(250):
        at = rng.geometric(0.12) % 40
        for day in np.cumsum(rng.integers(1, 90, 4)):
            to = rng.geometric(0.12) % 40
            to = (to + (to == at)) % 40
            rows.append((person, day, places[at], places[to]))
            at = to
    table = pd.DataFrame(rows, columns=["patient", "day", "from", "to"])
    model = fitted(table)
    drawn = model.sample()
    earlier = drawn.groupby("patient")["to"].shift()
    assert (drawn["from"] == earlier)[earlier.notna()].all()
    assert (drawn["from"] != drawn["to"]).all()
    assert (table["to"].value_counts() < 10).any()
    assert not drawn["to"].str.contains("other").any()
    structure = model.model_.structure
    assert "from = to of the row before" in structure.told_by_row_before


@pytest.mark.slow
def test_dates_of_a_row_stay_near_where_one_goes_with_the_season():
    """The month of a date whose tree is of its distance to the row before."""
    rng, n = np.random.default_rng(0), 700
    guest = np.repeat(np.arange(n), rng.integers(1, 7, n))
    came = np.datetime64("2022-01-01") + rng.integers(0, 1000, len(guest))
    season = 1 + np.cos(2 * np.pi * (came.astype("M8[M]").astype(int) % 12) / 12)
    table = pd.DataFrame(
        {
            "guest": guest,
            "booked": came - rng.geometric(1 / 45, len(guest)),
            "came": came,
            "rate": np.round(80 + 20 * season) + rng.integers(0, 5, len(guest)),
        }
    )
    table[["booked", "came"]] = table[["booked", "came"]].astype("datetime64[us]")
    drawn = fitted(table, person_id="guest").sample()
    later = drawn["guest"].duplicated()
    lead = (drawn["came"] - drawn["booked"]).dt.days[later]
    assert abs(lead.mean() - 45) < 12
    assert (lead > 200).mean() < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("has_cost", [True, False])
def test_lengths_of_stays_go_with_wards_and_costs_in_all_rows(has_cost):
    rng, n = np.random.default_rng(0), 900
    patient = np.repeat(np.arange(n), rng.integers(1, 6, n))
    came = np.datetime64("2022-01-01") + rng.integers(0, 1000, len(patient))
    ward = rng.choice(["eyes", "heart"], len(patient))
    days = np.round(rng.gamma(2, np.where(ward == "eyes", 1, 5))).astype(int)
    table = pd.DataFrame(
        {
            "patient": patient,
            "booked": came - rng.geometric(1 / 30, len(patient)),
            "came": came,
            "left": came + days,
            "ward": ward,
        }
    )
    dates = ["booked", "came", "left"]
    table[dates] = table[dates].astype("datetime64[us]")
    if has_cost:
        noise = rng.lognormal(0, 0.3, len(patient))
        table["cost"] = np.round((300 + 600 * days) * noise, 2)
    drawn = fitted(table, person_id="patient").sample()
    for rows in (drawn["patient"].duplicated(), ~drawn["patient"].duplicated()):
        own = drawn[rows]
        days = (own["left"] - own["came"]).dt.days
        of_ward = days.groupby(own["ward"]).mean()
        assert of_ward["eyes"] == pytest.approx(2, abs=0.7)
        assert of_ward["heart"] == pytest.approx(10, abs=2)
        assert (days >= 0).all()
        lead = (own["came"] - own["booked"]).dt.days
        assert lead.mean() == pytest.approx(30, abs=4)
        if has_cost:
            assert days.corr(own["cost"], method="spearman") > 0.8


def test_a_date_that_hardly_anybody_has_more_than_once():
    """All rows after a person's first lack it, and their distance has no number."""
    rng, n = np.random.default_rng(0), 120
    who = np.repeat(np.arange(n), 3)
    came = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        rng.integers(0, 900, 3 * n), "D"
    )
    has_one = (np.arange(3 * n) % 3 == 0) & (rng.random(3 * n) < 0.5)
    columns = {"who": who, "came": came, "kind": rng.choice(["a", "b"], 3 * n)}
    table = pd.DataFrame(columns)
    table["came"] = table["came"].where(has_one)
    drawn = fitted(table, person_id="who", k=5).sample()
    assert drawn["came"].isna().mean() == pytest.approx(1 - has_one.mean(), abs=0.05)
    assert drawn["came"].notna().groupby(drawn["who"]).sum().max() == 1


@pytest.mark.slow
def test_stays_do_not_overlap_where_none_do(rng):
    """In four of ten moves the next job begins on the day after the last one."""
    n_each = rng.geometric(0.4, 700)
    who = np.repeat(np.arange(700), n_each)
    lasted = rng.gamma(1.5, 300, len(who)).astype(int) + 1
    idle = np.where(rng.random(len(who)) < 0.4, 1, rng.integers(2, 200, len(who)))
    begun = pd.Series(lasted + idle).groupby(who).cumsum() - lasted
    begun += np.repeat(rng.integers(0, 2000, 700), n_each)
    came = pd.Timestamp("2005-01-01") + pd.to_timedelta(begun, "D")
    columns = {"who": who, "begun": came, "days": lasted}
    table = pd.DataFrame(columns | {"ended": came + pd.to_timedelta(lasted, "D")})
    drawn = fitted(table, person_id="who").sample()
    assert (drawn["ended"] - drawn["begun"]).dt.days.eq(drawn["days"]).all()
    ended = drawn.groupby("who")["ended"].shift()
    idle = (drawn["begun"] - ended).dt.days.dropna()
    assert (idle >= 0).all()
    assert (idle == 1).mean() == pytest.approx(0.4, abs=0.05)


@pytest.mark.slow
def accounts(n=300, seed=0):
    """Amounts by kind, the balance after and before each, and their sum so far."""
    rng = np.random.default_rng(seed)
    n_each = rng.integers(2, 12, n)
    who = np.repeat(np.arange(n), n_each)
    kind = rng.choice(["card", "pay", "rent"], len(who), p=[0.6, 0.2, 0.2])
    amount = np.select(
        [kind == "card", kind == "rent"],
        [-np.round(rng.gamma(1.2, 30, len(who)), 2), -rng.choice([550.0, 700.0])],
        np.round(rng.gamma(20, 110, len(who)), 2),
    )
    day = pd.Series(rng.integers(1, 20, len(who))).groupby(who).cumsum()
    total = pd.Series(amount).groupby(who).cumsum().round(2)
    opened = np.repeat(np.round(rng.gamma(2, 800, n), 2), n_each)
    columns = {
        "who": who,
        "day": pd.Timestamp("2022-01-01") + pd.to_timedelta(day, "D"),
        "kind": kind,
        "amount": amount,
        "balance": (opened + total).round(2),
        "total": total,
    }
    table = pd.DataFrame(columns)
    return table.assign(before=(table["balance"] - table["amount"]).round(2))


@pytest.mark.slow
def test_what_is_added_up_is_added_up_in_what_is_drawn(tmp_path):
    table = accounts()
    model = fitted(table, person_id="who")
    assert model.model_.structure.begins == ("total",)
    # What holds in first rows alone is no rule of the table.
    assert not any(str(rule).startswith("total =") for rule in model.rules_)
    model.save(tmp_path / "m")
    drawn = model.sample()
    again = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    pd.testing.assert_frame_equal(again.sample(len(drawn)), model.sample(len(drawn)))
    persons = drawn.groupby("who")
    earlier = persons["balance"].shift()
    for one, other in (
        (earlier + drawn["amount"], drawn["balance"]),
        (persons["total"].shift() + drawn["amount"], drawn["total"]),
        (persons["total"].first(), persons["amount"].first()),
        (drawn["before"] + drawn["amount"], drawn["balance"]),
        (earlier, drawn["before"]),
    ):
        assert (one - other).abs().max() < 0.006
    means = [own.groupby("kind")["amount"].mean() for own in (table, drawn)]
    assert means[1].to_numpy() == pytest.approx(means[0].to_numpy(), rel=0.15)


@pytest.mark.slow
def test_days_since_the_last_visit_and_which_it_is_are_told_in_later_rows():
    rng, n = np.random.default_rng(0), 200
    who = np.repeat(np.arange(n), 3)
    apart = rng.choice([7, 21, 28, 90], 3 * n) + rng.integers(0, 9, 3 * n)
    days = pd.Series(apart).groupby(who).cumsum() + np.repeat(rng.integers(0, 99, n), 3)
    table = pd.DataFrame({"who": who, "number": np.tile([1, 2, 3], n)})
    table["visit"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(days, "D")
    since = table.groupby("who")["visit"].diff().dt.days
    table["days_since"] = since.astype("Int64")
    model = fitted(table, person_id="who", k=10)
    assert model.model_.structure.told_by_row_before == (
        "days_since = visit - visit of the row before",
        "number = number of the row before + 1",
    )
    drawn = model.sample()
    since = drawn.groupby("who")["visit"].diff().dt.days
    assert since.astype("Int64").equals(drawn["days_since"])
    assert (drawn.groupby("who").cumcount() + 1).eq(drawn["number"]).all()


@pytest.mark.slow
def test_sums_so_far_come_before_what_nearly_tells_their_terms(rng):
    """The tax is about the share of a wage that tax so far is of wages so far."""
    who = np.repeat(np.arange(80), 6)
    bonus = np.where(rng.random(480) < 0.1, rng.gamma(2, 100, 480), 0)
    wage = (rng.lognormal(8, 0.3, 80)[who] + bonus).round(2)
    tax = ((wage - 900) * rng.choice([0.1, 0.2, 0.3], 80)[who]).round(2)
    table = pd.DataFrame({"who": who, "month": np.tile(np.arange(1, 7), 80)})
    table = table.assign(wage=wage, tax=tax, net=(0.8 * wage - tax).round(2))
    for name in ("wage", "tax"):
        table[f"{name} so far"] = table.groupby("who")[name].cumsum().round(2)
    drawn = fitted(table, person_id="who").sample()
    for name in ("wage", "tax"):
        off = drawn.groupby("who")[name].cumsum() - drawn[f"{name} so far"]
        assert off.abs().max() < 0.006


@pytest.mark.slow
def test_who_has_many_rows_leaves_time_for_those_to_come(tmp_path, rng):
    """Visits since a first one, few or many, at any time until the table ends."""
    n_each = np.minimum(1 + rng.lognormal(1.2, 1.1, 800).astype(int), 90)
    person = np.repeat(np.arange(800), n_each)
    first = rng.integers(0, 2500, 800)[person]
    day = (first + rng.random(len(person)) * (2920 - first)).astype(int)
    visited = pd.Series(np.datetime64("2012-01-01") + day).astype("datetime64[us]")
    table = pd.DataFrame({"who": person, "day": visited, "x": day % 5})
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=2, person_id="who", random_state=0
    ).fit(table)
    most = synthesizer.model_.structure.most_rooms
    assert 2 <= most <= 10
    synthesizer.model_.save(tmp_path / "model")
    assert PlainModel.load(tmp_path / "model").structure.most_rooms == most
    drawn = synthesizer.sample(random_state=1)
    late, gap = (
        [of(t) for t in (table.sort_values(["who", "day"]), drawn)]
        for of in (
            lambda t: (t["day"] > t["day"].max() - pd.Timedelta(days=7)).mean(),
            lambda t: t.groupby("who")["day"].diff().dt.days.median(),
        )
    )
    assert late[1] < 2 * late[0]
    assert gap[1] == pytest.approx(gap[0], rel=0.08)
    assert drawn.groupby("who").size().mean() == pytest.approx(6.3, abs=0.4)


@pytest.mark.slow
def test_there_is_no_bound_where_it_would_be_of_few(rng):
    """How far apart the rows of fewer than twenty persons are is not told."""
    n_each = np.where(np.arange(300) < 15, 30, 2)
    person = np.repeat(np.arange(300), n_each)
    table = pd.DataFrame({"who": person, "year": rng.integers(0, 900, len(person))})
    table = table.sort_values(["who", "year"]).drop_duplicates()
    table["year"] += np.arange(len(table)) % 2  # no wave
    model = fitted(table, person_id="who").model_
    assert model.structure.most_rooms == np.inf


@pytest.mark.slow
def test_a_long_stay_does_not_end_a_person_where_few_overlap(rng):
    """Three of a hundred last beyond the end of the table; others come meanwhile."""
    person = np.repeat(np.arange(400), rng.integers(5, 40, 400))
    came = rng.integers(0, 3000, len(person))
    table = pd.DataFrame({"who": person, "came": came}).sort_values(["who", "came"])
    table = table.drop_duplicates(ignore_index=True)
    after = table.groupby("who")["came"].shift(-1).fillna(3000) - table["came"]
    stay = np.minimum(after * rng.random(len(table)), 20).astype(int)
    is_long = rng.random(len(table)) < 0.03
    left = np.where(
        is_long, 3000 + rng.integers(0, 1000, len(table)), table["came"] + stay
    )
    start = np.datetime64("2010-01-01")
    table["left"] = pd.Series(start + left).astype("datetime64[us]")
    table["came"] = pd.Series(start + table["came"].to_numpy()).astype("datetime64[us]")
    drawn = fitted(table, person_id="who").sample(random_state=1)
    for t in (table, drawn):
        t["next"] = t.groupby("who")["came"].shift(-1)
        t["is_long"] = t["left"] >= "2018-03-20"
    real, ours = (t.groupby("who").size() for t in (table, drawn))
    assert ours.mean() == pytest.approx(real.mean(), rel=0.05)
    assert drawn.loc[drawn["is_long"], "next"].notna().mean() > 0.8
    overlaps = [(t["left"] > t["next"]).mean() for t in (table, drawn)]
    assert overlaps[1] == pytest.approx(overlaps[0], abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("more", [0, 1])
def test_a_household_has_as_many_rows_as_its_size_says(more, tmp_path, rng):
    """Or one more than it has children."""
    n_rows = rng.choice([1, 2, 3, 4, 5], 800, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    who = np.repeat(np.arange(800), n_rows)
    table = pd.DataFrame(
        {
            "who": who,
            "rooms": (n_rows + rng.integers(0, 3, 800))[who],
            "size": (n_rows - more)[who],
            "person": np.concatenate([np.arange(n) + 1 for n in n_rows]),
            "age": rng.integers(0, 90, len(who)),
        }
    )
    model = fitted(table, person_id="who")
    assert not any("\0" in str(rule) for rule in model.rules_)
    model.save(tmp_path / "m")
    model = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    drawn = model.sample(3000)
    # Of the last household as many rows are drawn as are missing.
    each = drawn[drawn["who"] != drawn["who"].iloc[-1]].groupby("who")
    assert (each.size() == each["size"].first() + more).all()
    assert (each["person"].max() == each.size()).all()
    shares = [np.bincount(own, minlength=6) / len(own) for own in (n_rows, each.size())]
    assert np.abs(shares[0] - shares[1]).max() < 0.02


@pytest.mark.slow
def test_columns_are_built_once_for_all_rows_of_persons(monkeypatch):
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(50), 120)
    score = rng.normal(0, 1, len(who)).round(1)
    table = pd.DataFrame(
        {"who": who, "score": score, "kind": rng.choice(["a", "b"], 6000)}
    )
    model = panels.fitted(table, "who")
    built = []

    def counted(values, missing, column):
        built.append(column.name)
        return from_values(values, missing, column)

    for module in (drawing, drawn_rows):
        monkeypatch.setattr(module, "from_values", counted)
    drawn = model.sample(6000, random_state=0)
    assert len(drawn) == 6000 and {*built} == {"score", "kind"}
    assert len(built) < 20
