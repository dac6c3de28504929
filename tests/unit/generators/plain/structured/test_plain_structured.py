"""`CoclusterSynthesizer(within="trees")`, from a table to rows and to a file."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    CoclusterSynthesizer,
    DataWarning,
    ModelFileError,
    MODLCoclustering,
    ParameterError,
    SchemaError,
    infer_schema,
)
from coclust_synth.generators.plain.structured.dates import drawn_dates
from coclust_synth.generators.plain.structured.drawing import limits


@pytest.fixture(scope="module")
def sales():
    """2,000 sales of 700 people: prices that add up, codes in groups."""
    rng = np.random.default_rng(0)
    n = 2000
    group = rng.integers(0, 4, n)
    codes = rng.integers(0, 5, n)
    net = np.round(rng.lognormal(3 + group / 4, 1, n), 2)
    tax = np.round(0.2 * net, 2)
    return pd.DataFrame(
        {
            "person": rng.integers(0, 700, n),
            "group": np.array(["food", "tools", "toys", "books"])[group],
            "code": [f"{g}{c}" for g, c in zip(group, codes, strict=True)],
            "net": net,
            "tax": tax,
            "gross": np.round(net + tax, 2),
            "paid": rng.choice(["cash", "card", None], n, p=[0.3, 0.6, 0.1]),
        }
    )


def synthesizer(**options):
    defaults = {"within": "trees", "k": 20, "n_iterations": 2, "random_state": 0}
    return CoclusterSynthesizer(**defaults | options)


@pytest.fixture(scope="module")
def table(sales):
    return sales.drop(columns="person")


@pytest.fixture(scope="module")
def fitted(table):
    return synthesizer().fit(table, infer_schema(table).keep(*table))


@pytest.mark.slow
def test_rules_hold_in_what_is_drawn(table, fitted):
    drawn = fitted.sample()
    assert drawn.shape == table.shape
    assert drawn.dtypes.astype(str).tolist() == table.dtypes.astype(str).tolist()
    assert (drawn["net"] + drawn["tax"] - drawn["gross"]).abs().max() < 0.011
    pairs = set(zip(table["group"], table["code"], strict=True))
    assert set(zip(drawn["group"], drawn["code"], strict=True)) <= pairs
    assert drawn["gross"].mean() == pytest.approx(table["gross"].mean(), rel=0.05)
    assert drawn["paid"].isna().mean() == pytest.approx(0.1, abs=0.02)


@pytest.mark.slow
def test_shares_of_an_amount_are_kept_with_what_tells_them(rng):
    insurer = rng.choice(["none", "public", "private", "mutual"], 3000)
    rates = {"none": 0, "public": 0.8, "private": 0.9, "mutual": 1}
    charge = np.round(rng.lognormal(6, 1, 3000), 2)
    paid = np.round(charge * np.array([rates[name] for name in insurer]), 2)
    columns = {"charge": charge, "paid": paid, "left": np.round(charge - paid, 2)}
    table = pd.DataFrame(columns | {"insurer": insurer})
    fitted = synthesizer().fit(table, infer_schema(table).keep(*table))
    drawn = fitted.sample()
    told = drawn["charge"] * drawn["insurer"].map(rates)
    assert ((drawn["paid"] - told).abs() < 0.011).mean() > 0.99
    assert (drawn["charge"] - drawn["paid"] - drawn["left"]).abs().max() < 0.011


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows(table, fitted):
    again = synthesizer().fit(table, infer_schema(table).keep(*table))
    one, two = (s.sample(500, random_state=3) for s in (fitted, again))
    pd.testing.assert_frame_equal(one, two)
    assert not one.equals(fitted.sample(500, random_state=4))


@pytest.mark.slow
def test_any_number_of_rows(fitted):
    assert [len(fitted.sample(n)) for n in (1, 7, 5000)] == [1, 7, 5000]


@pytest.mark.slow
def test_a_saved_model_draws_the_same(fitted, tmp_path):
    fitted.save(tmp_path / "sales.model")
    loaded = CoclusterSynthesizer.load(tmp_path / "sales.model", random_state=0)
    assert loaded.within == "trees"
    pd.testing.assert_frame_equal(loaded.sample(300), fitted.sample(300))
    loaded.save(tmp_path / "again.model")
    first, second = (
        (tmp_path / f).read_bytes() for f in ("sales.model", "again.model")
    )
    assert first == second


@pytest.mark.slow
def test_a_damaged_model_is_refused(fitted, tmp_path, monkeypatch):
    content = fitted.model_.structure.to_dict()
    content["columns"][2]["tree"]["parents"] = [99] * 3
    monkeypatch.setattr(type(fitted.model_.structure), "to_dict", lambda self: content)
    fitted.save(tmp_path / "broken.model")
    with pytest.raises(ModelFileError, match="do not fit together"):
        CoclusterSynthesizer.load(tmp_path / "broken.model")


@pytest.mark.slow
def test_leaves_and_clusters_are_of_k_persons(sales):
    fitted = synthesizer(person_id="person", k=30).fit(
        sales, infer_schema(sales).keep("net", "tax", "gross")
    )
    structure = fitted.model_.structure
    n_persons = sales["person"].nunique()
    assert len(fitted.sample()) == len(sales)
    assert structure.first.cluster_rows.sum() == n_persons
    assert structure.first.cluster_rows.min() >= 30
    for drawn in (*structure.first.columns, *structure.later.columns):
        tree, held = drawn.tree, np.diff(drawn.tree.leaves.indptr)[:-1] > 0
        rows = np.add.reduceat(
            np.append(tree.leaves.rows, 0), tree.leaves.indptr[:-2][held]
        )
        assert rows.min() >= 30


@pytest.mark.slow
def test_a_fitted_coclustering_gives_the_clusters(table):
    schema = infer_schema(table).keep(*table)
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(table, schema)
    drawn = synthesizer(model=model).fit(table, schema).sample(100)
    assert len(drawn) == 100


@pytest.mark.slow
def test_k_of_a_few_is_refused_before_any_search(table):
    with pytest.raises(ParameterError, match="Expected k of 5 or more"):
        synthesizer(k=4).fit(table)
    with pytest.raises(ParameterError, match="within"):
        synthesizer(within="forests").fit(table)


@pytest.mark.slow
def test_coarser_draws_are_from_larger_leaves(fitted, tmp_path):
    fitted.save(tmp_path / "m")
    loaded = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    for k in (100, 300):
        coarse = loaded.model_.coarsened(k).structure
        assert coarse.cluster_rows.min() >= k
        for tree in (drawn.tree for drawn in coarse.columns):
            held = np.diff(tree.leaves.indptr)[:-1] > 0
            starts = tree.leaves.indptr[:-2][held]
            rows = np.add.reduceat(np.append(tree.leaves.rows, 0), starts)
            assert rows[:-1].min(initial=k) >= k
        drawn = loaded.sample(500, k=k)
        pd.testing.assert_frame_equal(drawn, fitted.sample(500, k=k))


@pytest.mark.slow
def test_draws_at_the_own_k_of_a_model_are_those_without_one():
    """What leaves go along is left out of a coarser model alone."""
    rng = np.random.default_rng(0)
    one = rng.lognormal(size=800)
    frame = pd.DataFrame({"one": one, "two": one * rng.lognormal(0, 0.3, 800)}).round(3)
    fitted = synthesizer(k=60).fit(frame)
    assert any(drawn.inside for drawn in fitted.model_.structure.columns)
    pd.testing.assert_frame_equal(fitted.sample(500, k=60), fitted.sample(500))
    coarse = fitted.model_.coarsened(61).structure
    assert not any(drawn.inside for drawn in coarse.columns)


@pytest.mark.slow
def test_coarser_draws_of_persons_need_another_fit(sales):
    asked = synthesizer(k=30, person_id="person")
    fitted = asked.fit(sales, infer_schema(sales).keep("net", "tax", "gross"))
    with pytest.raises(ParameterError, match="Fit it again"):
        fitted.sample(10, k=100)


def test_hardly_any_rows():
    frame = pd.DataFrame({"a": [1, 2, 2], "b": ["x", None, "y"]})
    with pytest.warns(DataWarning, match="describes them and nobody else"):
        fitted = synthesizer(k=None).fit(frame, infer_schema(frame).keep("a", "b"))
    assert len(fitted.sample(20)) == 20


@pytest.mark.slow
def test_a_schema_says_which_rules_are_kept(table):
    rules = (
        {"kind": "sum", "target": "gross", "terms": {"net": 1, "tax": 1}},
        {"kind": "never", "columns": ["group", "paid"], "values": [["food", "bills"]]},
    )
    schema = infer_schema(table).keep(*table)
    model = synthesizer().fit(table, schema.with_rules(rules[0]))
    assert [str(rule) for rule in model.rules_] == ["gross = net + tax"]
    assert [rule.relation for rule in model.model_.structure.rules.all] == [
        rule.relation for rule in model.rules_
    ]
    assert synthesizer().fit(table, schema.with_rules()).rules_ == ()
    with pytest.raises(SchemaError, match=r"of 'paid'\. Received 'bills'"):
        schema.with_rules(*rules)


@pytest.mark.slow
def test_rules_that_do_not_hold_are_refused_before_the_search(table):
    rule = {"kind": "order", "columns": ["gross", "net"]}
    schema = infer_schema(table).keep(*table).with_rules(rule)
    model = synthesizer(callback=lambda *_: pytest.fail("the search began"))
    with pytest.raises(SchemaError, match=r"'gross <= net', which \d+ of 2000 rows"):
        model.fit(table, schema)


@pytest.mark.slow
def test_a_constant_stays_one(sales):
    table = sales[["group", "net"]].assign(year=2013, country="DK")
    with pytest.warns(DataWarning, match="'year', 'country'"):
        schema = infer_schema(table).keep(*table)
    with pytest.warns(DataWarning, match="'year', 'country'"):
        drawn = synthesizer().fit(table, schema).sample()
    assert set(drawn["year"]) == {2013}
    assert set(drawn["country"]) == {"DK"}


@pytest.mark.slow
@pytest.mark.parametrize("within", ["trees", "independent"])
def test_keys_are_made_anew(table, within, tmp_path):
    table = table.assign(id=[f"S-{7 * i:05d}" for i in range(len(table))])
    schema = infer_schema(table).keep(*table).as_key("id")
    model = synthesizer(within=within).fit(table, schema)
    drawn = model.sample(500)
    assert list(drawn) == list(table)
    # As none of the table's begins: none of them is made again.
    assert not table["id"].str.startswith("S-2").any()
    assert drawn["id"].tolist() == [f"S-2{i:04d}" for i in range(1, 501)]
    model.save(tmp_path / "sales.model")
    again = CoclusterSynthesizer.load(tmp_path / "sales.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(500), drawn)


@pytest.mark.slow
def test_the_largest_floats_are_drawn(rng):
    a, b = rng.random((2, 300)) * [[1e300], [8e307]]
    table = pd.DataFrame({"a": a, "b": b, "c": a + b, "d": rng.normal(size=300)})
    drawn = synthesizer(k=10).fit(table).sample()
    assert np.isfinite(drawn).all(axis=None)
    assert drawn["b"].median() == pytest.approx(np.median(b), rel=0.1)


def orders(n=2000, seed=0):
    """What is ordered and sent on working days; half of the customers come back."""
    rng = np.random.default_rng(seed)
    days = pd.date_range("2019-01-01", "2023-12-31")
    days = days[days.day_of_week < 5]
    place = rng.integers(0, len(days) - 60, n)
    return pd.DataFrame(
        {
            "customer": np.arange(n) // 2 * rng.integers(1, 3, n),
            "ordered": days[place],
            "sent": days[np.minimum(place + rng.geometric(0.3, n), len(days) - 1)],
            "item": rng.choice(list("abc"), n),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("person_id", [None, "customer"])
def test_dates_that_others_nearly_tell_keep_their_weekdays(person_id):
    table = orders()
    if person_id is None:
        table = table.drop(columns="customer")
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=2, person_id=person_id, random_state=0
    )
    drawn = synthesizer.fit(table).sample(random_state=1)
    for name in ("ordered", "sent"):
        assert (drawn[name].dt.day_of_week < 5).mean() > 0.995
    waits, own = ((t["sent"] - t["ordered"]).dt.days for t in (table, drawn))
    assert (own >= 0).all()
    assert abs(own.mean() - waits.mean()) < 0.3
    assert abs((own == 1).mean() - (waits == 1).mean()) < 0.03


@pytest.mark.slow
def test_rows_of_a_person_are_as_seldom_on_weekends(rng):
    """A date is told by that of the row before; few fall on a weekend, not none."""
    days = pd.date_range("2022-01-01", "2023-12-31")
    weights = np.where(days.day_of_week < 5, 1.0, 0.15)
    person = np.repeat(np.arange(300), rng.integers(4, 12, 300))
    dates = rng.choice(days, len(person), p=weights / weights.sum())
    table = pd.DataFrame(
        {"who": person, "day": dates, "x": rng.integers(0, 9, len(dates))}
    )
    drawn = (
        CoclusterSynthesizer(k=20, n_iterations=2, person_id="who", random_state=0)
        .fit(table)
        .sample(random_state=1)
    )
    real, ours = ((t["day"].dt.day_of_week > 4).mean() for t in (table, drawn))
    assert abs(ours - real) < 0.03


@pytest.mark.slow
def test_calendars_take_no_more_memory_than_they_may(monkeypatch):
    """Of very many distances between two dates none is forbidden."""
    table = orders().drop(columns="customer")
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(table)
    allowed, right = [], limits.left_on_calendar

    def spy(*arguments):
        allowed.append(right(*arguments)[1])
        return right(*arguments)

    monkeypatch.setattr(limits, "left_on_calendar", spy)
    synthesizer.sample(random_state=1)
    assert allowed and not all(of.all() for of in allowed)
    monkeypatch.setattr(drawn_dates, "_MAX_ALLOWED", 0)
    allowed.clear()
    drawn = synthesizer.sample(random_state=1)
    assert allowed and all(of.all() and of.shape[1] == 1 for of in allowed)
    assert (drawn["sent"].dt.day_of_week >= 5).mean() < 0.4


@pytest.mark.slow
def test_speeds_have_the_last_digits_of_the_table():
    """What a program multiplied is drawn, and written, as it is in the table."""
    rng = np.random.default_rng(3)
    knots = rng.poisson(8, 2000)
    table = pd.DataFrame({"knots": knots, "speed": knots * 1.15078})
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    drawn = synthesizer.sample(2000)
    often = table["speed"].value_counts().loc[lambda n: n >= 20].index
    assert any(round(x, 5) != x for x in often)
    of_often = drawn["speed"].round(5).isin(often.to_numpy().round(5))
    assert of_often.sum() > 1900 and drawn["speed"][of_often].isin(often).all()


@pytest.mark.slow
def test_a_centred_column_has_the_digits_of_the_table():
    """The mean that was taken off is told to few digits, the values of many to all."""
    rng = np.random.default_rng(5)
    score = np.round(rng.normal(6, 1, 2999), 1)
    table = pd.DataFrame({"score": score, "centred": score - score.mean()})
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    assert any(str(rule).startswith("centred = score") for rule in synthesizer.rules_)
    drawn = synthesizer.sample(3000)
    often = table["centred"].value_counts().loc[lambda n: n >= 20].index
    share = table["centred"].isin(often).mean()
    assert abs(drawn["centred"].isin(often).mean() - share) < 0.02
    off = drawn["score"] - score.mean() - drawn["centred"]
    assert off.abs().max() < 1e-4


@pytest.mark.slow
def test_whole_numbers_that_are_one_off_are_not_rounded():
    """The birthday is still to come for most: numbers with missing ones beside them."""
    rng = np.random.default_rng(6)
    year, born = rng.integers(1968, 1990, 3000), rng.integers(1940, 1956, 3000)
    age = (year - born - (rng.random(3000) < 0.8)).astype(np.float64)
    age[rng.random(3000) < 0.002] = np.nan
    table = pd.DataFrame({"year": year, "born": born, "age": age})
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    drawn = synthesizer.sample(3000)
    to_come = drawn["year"] - drawn["born"] - drawn["age"]
    assert set(to_come.dropna()) == {0.0, 1.0}
    assert abs(to_come.mean() - 0.8) < 0.03


@pytest.mark.slow
def test_last_digits_turn_no_order_round():
    """A gust that is the wind itself has the digits of the wind."""
    rng = np.random.default_rng(7)
    knots = rng.poisson(8, 3000)
    gust = knots + rng.poisson(0.3, 3000) * rng.integers(0, 9, 3000)
    table = pd.DataFrame({"wind": knots * 1.15078, "gust": np.round(gust * 1.15078, 5)})
    table["gust"] = np.maximum(table["gust"], table["wind"])
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    assert "wind <= gust" in map(str, synthesizer.rules_)
    drawn = synthesizer.sample(3000)
    assert (drawn["wind"] <= drawn["gust"]).all()


@pytest.mark.slow
def test_a_calendar_takes_nothing_from_what_most_dates_are_left(rng):
    """Nine of ten end on the day that they began: on Sundays too, though few begin."""
    weights = np.array([1, 1, 1, 1, 1, 0.3, 0.3])
    days = np.arange("2015-01-01", "2021-01-01", dtype="datetime64[D]")
    days = days.astype("datetime64[us]")
    of_day = weights[pd.DatetimeIndex(days).day_of_week]
    began = rng.choice(days, 6000, p=of_day / of_day.sum())
    apart = np.where(rng.random(6000) < 0.9, 0, 7 * rng.integers(1, 9, 6000))
    table = pd.DataFrame(
        {"began": began, "ended": began + apart * np.timedelta64(1, "D")}
    )
    drawn = (
        CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table).sample()
    )
    is_same = drawn["began"] == drawn["ended"]
    is_weekend = drawn["began"].dt.day_of_week > 4
    assert is_same.mean() == pytest.approx(0.9, abs=0.01)
    assert is_same[is_weekend].mean() == pytest.approx(0.9, abs=0.03)


@pytest.mark.slow
def test_what_others_tell_stays_within_the_first_value_that_many_have(rng):
    n = 1500
    birth = np.datetime64("1950-01-01") + rng.integers(0, 18_000, n)
    age = np.minimum(18 + rng.exponential(6, n), 70)
    wed = birth + np.ceil(age * 365.25).astype(int)
    completed = [
        w.year - b.year - ((w.month, w.day) < (b.month, b.day))
        for w, b in zip(wed.tolist(), birth.tolist(), strict=True)
    ]
    table = pd.DataFrame({"birth": birth, "wed": wed, "age": completed})
    table[["birth", "wed"]] = table[["birth", "wed"]].astype("datetime64[us]")
    assert (table["age"] == 18).sum() > 100 and table["age"].min() == 18
    fitted = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0).fit(table)
    assert any("years from" in str(rule) for rule in fitted.model_.structure.rules.all)
    drawn = fitted.sample(3000)
    assert drawn["age"].min() == 18


@pytest.mark.slow
def test_what_an_order_stops_is_as_frequent_where_a_fit_is_no_whole_number():
    rng = np.random.default_rng(0)
    days = np.where(rng.random(2000) < 0.35, 0, 1 + rng.gamma(1.5, 4, 2000).astype(int))
    came = np.datetime64("2018-01-01") + rng.integers(0, 900, 2000)
    table = pd.DataFrame(
        {
            "kind": np.where(days > 0, "ward", "day"),
            "cost": np.rint(300 + 200 * days * rng.normal(1, 0.2, 2000)),
            "came": came.astype("M8[s]"),
            "left": (came + days).astype("M8[s]"),
        }
    )
    fitted = synthesizer(k=20).fit(table)
    assert "left ~ came" in " ".join(map(str, fitted.model_.structure.rules.relations))
    drawn = fitted.sample(random_state=1)
    stayed = (drawn["left"] - drawn["came"]).dt.days
    assert (stayed[drawn["kind"] == "day"] == 0).mean() > 0.9
    assert (stayed[drawn["kind"] == "ward"] > 0).mean() > 0.9
