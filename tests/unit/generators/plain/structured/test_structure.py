import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.structured.told_later import ranges_by_fits
from coclust_synth.tables.relations import Bill, Fit
from coclust_synth.tables.rules.found import rules_of


@pytest.fixture(scope="module")
def stays():
    """Stays of patients, and loans: dates in order, sums, codes nested, exclusions."""
    rng = np.random.default_rng(0)
    n = 3000
    admitted = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        rng.integers(0, 1500, n), unit="D"
    )
    stay = np.floor(rng.exponential(6, n)).astype(int)
    ward = rng.choice(["heart", "birth", "eyes"], n, p=[0.5, 0.3, 0.2])
    sex = np.where(rng.random(n) < 0.5, "F", "M")
    sex[ward == "birth"] = "F"
    doctor = np.char.add(ward, rng.integers(0, 4, n).astype(str))
    drugs = np.round(rng.exponential(80, n) * (1 + stay), 2)
    room = np.round(200.0 * stay, 2)
    lent = rng.integers(1, 40, n) * 100.0
    paid = np.where(rng.random(n) < 0.1, lent, np.round(lent * rng.random(n), 2))
    return pd.DataFrame(
        {
            "ward": ward,
            "doctor": doctor,
            "sex": sex,
            "admitted": admitted,
            "discharged": admitted + pd.to_timedelta(stay, unit="D"),
            "stay": stay,
            "drugs": drugs,
            "room": room,
            "bill": np.round(drugs + room, 2),
            "lent": lent,
            "paid": paid,
        }
    )


def learn(frame, k=20, clusters=None, persons=None, schema=None, stated=None):
    evidence = evidence_of(frame, persons, schema)
    if clusters is None:
        clusters = np.zeros(len(frame), dtype=np.int64)
    return learn_structure(evidence, rules_of(evidence, stated, k), clusters, k)


@pytest.fixture(scope="module")
def structure(stays):
    return learn(stays)


@pytest.fixture(scope="module")
def drawn(structure):
    clusters = np.zeros(6000, dtype=np.int64)
    return draw_rows(structure, clusters, np.random.default_rng(1))


@pytest.mark.slow
def test_rows_have_the_columns_and_types_of_the_table(stays, drawn):
    assert list(drawn) == list(stays)
    assert drawn.dtypes.astype(str).tolist() == stays.dtypes.astype(str).tolist()
    assert len(drawn) == 6000


def test_sums_and_differences_are_kept_exactly(drawn):
    days = (drawn["discharged"] - drawn["admitted"]).dt.days
    assert (days == drawn["stay"]).all()
    total = drawn["drugs"] + drawn["room"]
    assert (total - drawn["bill"]).abs().max() < 0.011


def test_orders_are_kept(drawn):
    assert (drawn["discharged"] >= drawn["admitted"]).all()
    assert (drawn["paid"] <= drawn["lent"]).all()


def test_codes_stay_in_what_they_are_nested_in(drawn):
    assert (drawn["doctor"].str[:-1] == drawn["ward"]).all()


def test_what_never_meets_is_kept_apart(drawn):
    assert not ((drawn["ward"] == "birth") & (drawn["sex"] == "M")).any()


def test_two_columns_are_equal_as_often_as_in_the_table(stays, drawn):
    real, made = ((t["paid"] == t["lent"]).mean() for t in (stays, drawn))
    assert made == pytest.approx(real, abs=0.02)


@pytest.mark.parametrize("name", ["stay", "drugs", "bill", "lent", "paid"])
def test_totals_and_spreads_are_near(stays, drawn, name):
    assert drawn[name].mean() == pytest.approx(stays[name].mean(), rel=0.05)
    assert drawn[name].std() == pytest.approx(stays[name].std(), rel=0.1)


def test_what_depends_on_another_still_does(stays, drawn):
    real, made = (t.groupby("ward")["sex"].value_counts(True) for t in (stays, drawn))
    assert (real - made.reindex(real.index)).abs().max() < 0.05


def test_it_comes_back_from_json_and_arrays(structure):
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    clusters = np.zeros(100, dtype=np.int64)
    one, two = (
        draw_rows(s, clusters, np.random.default_rng(7)) for s in (structure, again)
    )
    pd.testing.assert_frame_equal(one, two)


@pytest.mark.slow
def test_no_number_of_few_and_no_rare_text_is_written(stays, structure):
    frame = stays[["doctor", "drugs", "room", "bill", "lent", "paid"]].copy()
    frame.loc[frame.index[:3], "doctor"] = "dr Zachary"
    data = json.loads(json.dumps(learn(frame).to_dict()))
    assert "Zachary" not in json.dumps(data)
    parts = dict(zip(frame, data["coding"]["parts"], strict=True))
    for name in ("drugs", "bill", "paid"):
        values, counts = np.unique(stays[name], return_counts=True)
        ends = np.array([parts[name]["lows"], parts[name]["highs"]])
        # A round number can be somebody's by chance, as often as others around it.
        few = np.round(values[counts < 20] * 100).astype(int)
        cents = np.round(ends * 100).astype(int)
        by_chance = np.mean([np.isin(cents + d, few).mean() for d in range(5, 55)])
        assert np.isin(cents, few).mean() < by_chance + 0.04


@pytest.mark.slow
def test_each_leaf_describes_k_persons(stays):
    person = np.random.default_rng(0).integers(0, 700, len(stays))

    some = stays[["ward", "sex", "stay", "drugs", "lent"]]
    trees = [drawn.tree for drawn in learn(some, k=50, persons=person).columns]
    assert max(len(tree.left) for tree in trees) > 3
    for leaves in (tree.leaves for tree in trees):
        rows = np.diff(np.append(0, np.cumsum(leaves.rows))[leaves.indptr])
        assert rows[rows > 0].min() >= 50


def test_clusters_are_what_a_column_can_depend_on(stays):
    clusters = (stays["ward"] == "eyes").to_numpy().astype(np.int64)
    structure = learn(stays[["sex", "ward"]], clusters=clusters)
    made = draw_rows(structure, np.array([0, 1] * 500), np.random.default_rng(0))
    assert (made["ward"].iloc[1::2] == "eyes").all()
    assert not (made["ward"].iloc[::2] == "eyes").any()


def test_pieces_that_do_not_fit_are_refused(structure):
    data = json.loads(json.dumps(structure.to_dict()))
    arrays = structure.arrays()
    data["bins"][0] = data["bins"][0][:-1]
    with pytest.raises(ValueError, match="bins"):
        Structure.from_dict(data, arrays)
    data = json.loads(json.dumps(structure.to_dict()))
    data["combinations"].pop()
    with pytest.raises(ValueError, match="rules"):
        Structure.from_dict(data, arrays)
    data = json.loads(json.dumps(structure.to_dict()))
    data["columns"].pop()
    with pytest.raises(ValueError, match="columns"):
        Structure.from_dict(data, arrays)


@pytest.mark.slow
def test_rows_with_the_same_values_have_the_same_of_what_these_tell(rng):
    origin, dest = rng.integers(0, 3, 2400), rng.integers(0, 40, 2400)
    dest[origin == 2] //= 2
    table = pd.DataFrame(
        {
            "dest": np.char.add("d", dest.astype(str)),
            "distance": rng.permutation(900)[3 * dest + origin] / 2,
            "origin": np.char.add("o", origin.astype(str)),
            "stop": np.where(dest * origin % 7 == 0, "yes", "no"),
        }
    )
    learnt = learn(table)
    assert set(learnt.rules.told) == {"distance", "stop"}
    data = json.loads(json.dumps(learnt.to_dict()))
    learnt = Structure.from_dict(data, learnt.arrays())
    clusters = np.zeros(20_000, dtype=np.int64)
    drawn = draw_rows(learnt, clusters, np.random.default_rng(1))
    key = ["origin", "dest"]
    assert (drawn.groupby(key)[["distance", "stop"]].nunique() == 1).all(axis=None)
    rows, real = table.groupby(key).size(), table.groupby(key).first()
    made = drawn.groupby(key).first()
    common = rows.index[rows >= 20]
    assert len(set(made.index) - set(common)) > 5
    pd.testing.assert_frame_equal(made.loc[common], real.loc[common])
    assert learnt.count_broken(drawn) == [0] * len(learnt.rules.all)
    data["lookups"][0]["codes"][0] = 10_000
    with pytest.raises(ValueError, match="lookups"):
        Structure.from_dict(data, learnt.arrays())


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_what_is_told_later_keeps_its_own_rules(place, rng):
    """One carrier flies near, one far, and leaves are of too many people to tell."""
    origin, dest = rng.integers(0, 12, (2, 6000))
    kilometres = rng.permutation(144)[12 * origin + dest] % 9 * 100
    either = rng.choice(["near", "far"], 6000)
    carrier = np.select([kilometres < 300, kilometres > 500], ["near", "far"], either)
    table = pd.DataFrame(
        {
            "origin": np.char.add("o", origin.astype(str)),
            "dest": np.char.add("d", dest.astype(str)),
            "kilometres": kilometres,
        }
    )
    table.insert(place, "carrier", carrier)
    learnt = learn(table, k=400)
    assert {"carrier", "kilometres"} in [{*r.columns} for r in learnt.rules.relations]
    drawn = draw_rows(learnt, np.zeros(6000, np.int64), np.random.default_rng(1))
    assert not any(learnt.count_broken(drawn))


@pytest.mark.slow
def test_dates_some_hours_apart_stay_so(rng):
    went = pd.Timestamp("2023-01-01") + pd.to_timedelta(
        rng.integers(0, 8760, 3000), "h"
    )
    zoned = went.tz_localize("UTC").tz_convert("America/New_York").tz_localize(None)
    minutes = rng.integers(30, 600, 3000)
    table = pd.DataFrame(
        {
            "year": zoned.year,
            "month": zoned.month,
            "day": zoned.day,
            "hour": zoned.hour,
            "went": went,
            "came": went + pd.to_timedelta(minutes, "min"),
        }
    )
    drawn = draw_rows(learn(table), np.zeros(3000, dtype=np.int64), rng)
    length = (drawn["came"] - drawn["went"]).dt.total_seconds() / 60
    assert length.std() == pytest.approx(minutes.std(), rel=0.05)
    local = pd.to_datetime(drawn[["year", "month", "day", "hour"]], errors="coerce")
    apart = (drawn["went"] - local).dt.total_seconds() / 3600
    assert apart.isin([4, 5]).mean() > 0.98


def test_drawn_rows_that_break_rules_are_counted(structure, drawn):
    rules = list(map(str, structure.rules.all))
    assert set(structure.count_broken(drawn)) == {0}
    made = drawn.copy()
    made.loc[:4, ["ward", "doctor"]] = ["birth", "eyes0"]
    made.loc[:6, "discharged"] = made["admitted"] - pd.Timedelta(days=300)
    broken = dict(zip(rules, structure.count_broken(made), strict=True))
    assert broken["admitted <= discharged"] == 7
    assert broken["doctor -> ward"] == 5
    assert broken["ward, sex: never birth with M"] == (made["sex"][:5] == "M").sum()
    assert broken["paid <= lent"] == 0


def test_rules_are_told_in_words(structure):
    told = {str(rule) for rule in structure.rules.all}
    assert {"paid <= lent", "doctor -> ward"} <= told
    assert "ward, sex: never birth with M" in told
    assert any("stay" in rule and "=" in rule for rule in told)


def test_nothing_is_drawn_beyond_a_dtype_or_declared_bounds(rng):
    """An open end of 130 was written as -126 in an int8 column."""
    frame = pd.DataFrame({"a": rng.integers(90, 128, 600).astype("int8")})
    frame["b"] = rng.integers(0, 256, 600).astype("uint8")
    frame["c"] = rng.integers(0, 100, 600)
    schema = infer_schema(frame).keep(*frame)
    columns = tuple(
        replace(column, bounds=(-5, 105)) if column.name == "c" else column
        for column in schema.columns
    )
    structure = learn(frame, schema=replace(schema, columns=columns))
    drawn = draw_rows(structure, np.zeros(20_000, np.int64), np.random.default_rng(1))
    assert drawn["a"].min() >= 70
    assert 120 <= drawn["a"].max() <= 127
    assert drawn["b"].astype(int).mean() == pytest.approx(frame["b"].mean(), rel=0.02)
    assert drawn["c"].between(-5, 105).all()


@pytest.mark.slow
def test_an_order_leaves_room_for_what_is_drawn_between(rng):
    low, middle, high = np.sort(rng.integers(0, 1000, (3, 2000)), axis=0)
    frame = pd.DataFrame({"low": low, "high": high, "middle": middle})
    structure = learn(frame)
    assert {("low", "middle"), ("middle", "high")} == {
        order.columns for order in structure.rules.orders
    }
    made = draw_rows(structure, np.zeros(5000, np.int64), np.random.default_rng(0))
    assert (made["low"] <= made["middle"]).all()
    assert (made["middle"] <= made["high"]).all()


@pytest.mark.slow
def test_a_sum_is_kept_although_few_rows_break_an_order_with_it(rng):
    net, tax = rng.integers(100, 1000, (2, 3000))
    least = np.minimum(rng.integers(0, 900, 3000), net + tax)
    least[rng.random(3000) < 0.003] = 2500
    frame = pd.DataFrame({"net": net, "tax": tax, "least": least, "total": net + tax})
    structure = learn(frame)
    told = {str(rule) for rule in structure.rules.all}
    assert "least <= total" in told
    assert {"total = net + tax", "total = tax + net"} & told
    made = draw_rows(structure, np.zeros(20_000, np.int64), np.random.default_rng(0))
    assert (made["total"] == made["net"] + made["tax"]).all()


@pytest.mark.slow
def test_parts_of_dates_and_ages_are_kept(rng):
    days = rng.integers(-9000, 9000, 1500), rng.integers(18_000, 20_000, 1500)
    born, seen = (pd.Series(pd.to_datetime(of, unit="D")) for of in days)
    frame = pd.DataFrame({"month": seen.dt.month, "born": born, "seen": seen})
    before = seen.dt.strftime("%m%d") < born.dt.strftime("%m%d")
    frame["age"] = seen.dt.year - born.dt.year - before
    structure = learn(frame)
    told = {str(rule) for rule in structure.rules.all}
    assert {"month = month of seen", "age = years from born to seen"} <= told
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    made = draw_rows(again, np.zeros(5000, np.int64), np.random.default_rng(0))
    assert (made["month"] == made["seen"].dt.month).all()
    early = made["seen"].dt.strftime("%m%d") < made["born"].dt.strftime("%m%d")
    assert (made["age"] == made["seen"].dt.year - made["born"].dt.year - early).all()


def test_columns_that_are_equal_at_zero_only_are_not_tied(rng):
    """A limit of 46,000 was drawn as a number of accounts."""
    limit = np.where(rng.random(3000) < 0.3, 0, rng.integers(100, 50_000, 3000))
    accounts = np.where(limit == 0, 0, rng.integers(1, 9, 3000))
    frame = pd.DataFrame({"limit": limit, "accounts": accounts})
    structure = learn(frame)
    assert [each.equals for each in structure.columns] == [None, None]
    drawn = draw_rows(structure, np.zeros(3000, np.int64), np.random.default_rng(1))
    assert drawn["accounts"].max() <= 8


def test_a_tie_is_no_further_than_the_column_goes(rng):
    lent = rng.integers(1, 400, 4000) * 25
    paid = np.where(rng.random(4000) < 0.4, np.minimum(lent, 5000), 0)
    frame = pd.DataFrame({"lent": lent, "paid": np.where(lent > 5000, 0, paid)})
    structure = learn(frame)
    assert [each.equals for each in structure.columns] == [None, "lent"]
    drawn = draw_rows(structure, np.zeros(20_000, np.int64), np.random.default_rng(1))
    assert drawn["paid"].max() <= 5000


@pytest.mark.slow
def test_a_product_is_kept_to_its_last_digit(rng):
    """Roundings of small totals, drawn for large ones, were thousands of steps."""
    price = np.round(rng.lognormal(2, 1.5, 3000), 2)
    pieces = rng.integers(1, 400, 3000)
    total = np.round(price * pieces * 1.2, 2)
    frame = pd.DataFrame({"price": price, "pieces": pieces, "total": total})
    structure = learn(frame)
    (fit,) = structure.rules.fits.values()
    assert str(fit) == "total = 1.2 * price * pieces"
    made = draw_rows(structure, np.zeros(5000, np.int64), np.random.default_rng(0))
    assert (made["total"] - made["price"] * made["pieces"] * 1.2).abs().max() < 0.006


@pytest.mark.slow
def test_a_share_of_nothing_is_nothing(rng):
    pay = np.round(rng.lognormal(8, 1, 2000), 2)
    bonus = np.where(rng.random(2000) < 0.3, 0.0, np.round(rng.lognormal(5, 1, 2000)))
    structure = learn(pd.DataFrame({"pay": pay, "bonus": bonus, "share": bonus / pay}))
    assert len(structure.rules.fits) == 1
    made = draw_rows(structure, np.zeros(4000, np.int64), np.random.default_rng(0))
    assert 0.2 < (made["bonus"] == 0).mean() < 0.4
    assert ((made["bonus"] == 0) == (made["share"] == 0)).all()
    np.testing.assert_allclose(made["share"] * made["pay"], made["bonus"], rtol=1e-5)


def test_a_logarithm_is_that_of_the_number_drawn(rng):
    cost = np.where(rng.random(3000) < 0.2, 0.0, rng.lognormal(3, 1.5, 3000))
    logarithm = np.log(cost, out=np.full(3000, np.nan), where=cost > 0)
    structure = learn(pd.DataFrame({"log": logarithm, "cost": cost}))
    assert list(map(str, structure.rules.fits.values())) == ["log = log of cost"]
    made = draw_rows(structure, np.zeros(5000, np.int64), np.random.default_rng(0))
    assert (made["log"].isna() == (made["cost"] == 0)).all()
    known = made[made["cost"] > 0]
    np.testing.assert_allclose(known["log"], np.log(known["cost"]), atol=1e-8)


def test_a_function_has_the_digits_of_the_table(rng):
    """Seven of logarithms of single precision, not those of the step."""
    people = rng.integers(1, 31, 3000)
    logarithm = [float(f"{x:.7g}") for x in np.log(people)]
    structure = learn(pd.DataFrame({"people": people, "log": logarithm}))
    assert "log = log of people" in map(str, structure.rules.fits.values())
    made = draw_rows(structure, np.zeros(500, np.int64), np.random.default_rng(0))
    assert set(made["log"]) == set(logarithm)


@pytest.mark.slow
def test_what_fills_in_for_a_fit_is_the_number_of_no_one(rng):
    lent, rate = rng.lognormal(5, 1, 2001), rng.uniform(0.01, 0.2, 2001)
    owed = lent * rate
    rate[:8] = np.nan
    frame = pd.DataFrame({"lent": lent, "rate": rate, "owed": owed})
    (told,) = (each for each in learn(frame).columns if each.fit is not None)
    own = np.log(frame[told.fit.target].to_numpy())
    assert np.nanmin(np.abs(own - told.fill)) > 0
    assert np.nanquantile(own, 0.45) < told.fill < np.nanquantile(own, 0.55)


@pytest.mark.slow
def test_orders_hold_where_a_sum_lacks_a_term(rng):
    net, tax = np.round(rng.lognormal(3, 1, (2, 2000)), 2)
    frame = pd.DataFrame({"net": net, "tax": tax, "total": np.round(net + tax, 2)})
    frame.loc[rng.random(2000) < 0.3, "net"] = np.nan
    learnt = learn(frame)
    clusters = np.zeros(4000, dtype=np.int64)
    rows = draw_rows(learnt, clusters, np.random.default_rng(1))
    assert "tax <= total" in map(str, learnt.rules.all)
    assert learnt.count_broken(rows) == [0] * len(learnt.rules.all)
    lacks = frame["net"].isna(), rows["net"].isna()
    real, drawn = (t["total"][at] for t, at in zip((frame, rows), lacks, strict=True))
    assert drawn.median() == pytest.approx(real.median(), rel=0.15)


@pytest.mark.slow
def test_what_is_left_of_a_whole_is_no_less_than_anybody_has(rng):
    """Shares of a whole, each drawn on its own but for their sum."""
    parts = np.round(rng.dirichlet([3, 2, 2, 1], 1500), 3)
    frame = pd.DataFrame(parts[:, 1:], columns=["home", "car", "rest"])
    frame["food"] = np.round(1 - frame.sum(axis=1), 3)
    structure = learn(frame)
    (told,) = structure.rules.fits.values()
    rows = draw_rows(
        structure, np.zeros(4500, dtype=np.int64), np.random.default_rng(1)
    )
    own = rows[told.target].to_numpy()
    assert own == pytest.approx(told.predict(rows), abs=1e-9)
    real = frame[told.target]
    assert own.min() >= real.min() - 0.05 and own.min() >= 0
    assert own.max() <= real.max() + 0.05
    assert own.mean() == pytest.approx(real.mean(), rel=0.02)


def as_drawn(ends):
    """Ends of columns, and what rules may say of them: of steps of 0, the same."""

    def ends_of(name):
        return np.array(ends[name], dtype=float)

    return ends_of, lambda rule: ends_of(rule.target)


def test_what_is_rounded_to_an_end_leaves_it_to_others():
    """A congress, 80 to 113, is told from the year: half of the first one was lost."""
    congress = np.repeat(np.arange(80, 114), 60)
    year = 1787 + 2 * congress + np.tile([-0.8, 0.8], len(congress) // 2)
    structure = learn(pd.DataFrame({"congress": congress, "year": year}))
    (fit,) = structure.rules.fits.values()
    assert (fit.target, fit.about) == ("congress", False)
    rows = draw_rows(
        structure, np.zeros(len(congress), dtype=int), np.random.default_rng(1)
    )
    counts = rows["congress"].value_counts().reindex([80, 113], fill_value=0)
    assert counts.between(55, 65).all()


def test_ranges_that_sums_leave():
    rules = SimpleNamespace(
        fits={
            "left": Fit("left", ("all", "paid", "fee"), (1.0, -1.0, -2.0), 5.0, False),
            "about": Fit("about", ("paid",), (1.0,), 0.0, False, True),
        }
    )
    ends = {"left": (0, 100), "all": (0, 50), "paid": (0, 40), "fee": (1, 3)}

    def ranges(name, **numbers):
        numbers = {n: np.array(x, dtype=float) for n, x in numbers.items()}
        return [
            tuple(np.broadcast_to(end, 2).tolist() for end in found)
            for found in ranges_by_fits(rules, (), name, numbers, *as_drawn(ends))
        ]

    # left = 5 + all - paid - 2 fee, from 0 to 100.
    assert ranges("paid", all=[10, 20], fee=[1, 2]) == [([-87, -79], [13, 21])]
    assert ranges("all", paid=[10, 20], fee=[1, 2]) == [([7, 19], [107, 119])]
    assert ranges("fee", all=[10, 20], paid=[3, 4]) == [([-44, -39.5], [6, 10.5])]
    # A fee that is not drawn is from 1 to 3.
    assert ranges("paid", all=[10, 20]) == [([-91, -81], [13, 23])]
    assert ranges("fee", left=[1, 2]) == [] and ranges("other") == []
    ((low, high),) = ranges("paid", all=[np.nan, 20], fee=[1, 2])
    assert np.isnan([low[0], high[0]]).all() and [low[1], high[1]] == [-79, 21]


def test_ranges_that_products_leave():
    """A rank of 60 in a class of .1 hundred was 600 percent."""
    rank = Fit("percent", ("rank", "size"), (1.0, -1.0), 1.0, True)
    rules = SimpleNamespace(fits={"percent": rank})
    ends = {"percent": (0.5, 100), "rank": (1, 600), "size": (0.1, 9)}

    def ranges(name, **numbers):
        numbers = {n: np.array(x, dtype=float) for n, x in numbers.items()}
        (found,) = ranges_by_fits(rules, (), name, numbers, *as_drawn(ends))
        return [np.broadcast_to(end, 2) for end in found]

    assert ranges("rank", size=[0.1, 4])[0] == pytest.approx([0.05, 2])
    assert ranges("rank", size=[0.1, 4])[1] == pytest.approx([10, 400])
    assert ranges("size", rank=[100, 1])[0] == pytest.approx([1, 0.01])
    assert ranges("size", rank=[100, 1])[1] == pytest.approx([200, 2])
    # A size that is not drawn is from .1 to 9.
    assert ranges("rank")[1] == pytest.approx([900, 900])
    # Of a divisor that may be 0, nothing is said: there is no product.
    ends["size"] = 0, 9
    assert not np.isfinite(ranges("size", rank=[100, 1])).any()
    # Nor of what is over 0.
    low, high = ranges("rank", size=[0, 4])
    assert np.isnan([low[0], high[0]]).all() and high[1] == pytest.approx(400)
    # A factor that may be 0 says nothing where the product never is: it is missing.
    ends["rank"] = 0, 600
    assert not np.isfinite(ranges("rank", size=[0.1, 4])).any()


@pytest.mark.slow
@pytest.mark.parametrize("power", [1, -1])
def test_where_a_factor_is_0_there_may_be_no_product(power, rng):
    hours = np.where(rng.random(600) < 0.3, 0, rng.integers(1, 80, 600))
    cost = rng.integers(500, 1000, 600) * 1.0
    pay = np.where(hours > 0, cost * np.maximum(hours, 1.0) ** power, np.nan)
    frame = pd.DataFrame({"hours": hours, "cost": cost, "pay": pay})
    structure = learn(frame)
    assert any(fit.logarithms for fit in structure.rules.fits.values())
    rows = draw_rows(
        structure, np.zeros(2000, dtype=np.int64), np.random.default_rng(1)
    )
    none = rows["hours"] == 0
    assert none.mean() == pytest.approx((hours == 0).mean(), abs=0.05)
    assert rows["cost"][none].min() >= 500


@pytest.mark.slow
def test_a_share_of_nothing_is_0_as_in_the_table(rng):
    count = rng.integers(50, 3000, 1500) * (rng.random(1500) < 0.8)
    spent = rng.integers(500, 90_000, 1500) * 1.0
    share = np.where(count > 0, spent / np.maximum(count, 1), 0).round(2)
    structure = learn(pd.DataFrame({"count": count, "spent": spent, "share": share}))
    assert structure.rules.fits["share"].terms == {"spent": 1, "count": -1}
    rows = draw_rows(
        structure, np.zeros(2000, dtype=np.int64), np.random.default_rng(1)
    )
    none = rows["count"] == 0
    assert none.mean() == pytest.approx((count == 0).mean(), abs=0.05)
    np.testing.assert_array_equal(rows["share"] == 0, none)


@pytest.mark.slow
def test_a_quotient_stays_between_its_ends(rng):
    size = rng.integers(3, 900, 1500)
    rank = 1 + np.floor(size * rng.beta(1, 4, 1500))
    frame = pd.DataFrame({"size": size, "rank": rank, "percent": 100 * rank / size})
    structure = learn(frame)
    assert str(structure.rules.fits["percent"]).startswith("percent = 100 * ")
    rows = draw_rows(
        structure, np.zeros(4500, dtype=np.int64), np.random.default_rng(1)
    )
    real, own = frame["percent"], rows["percent"]
    assert own.max() <= real.max() and own.std() == pytest.approx(real.std(), rel=0.1)


@pytest.mark.slow
def test_a_quotient_that_many_have_is_theirs_to_the_last_digit(rng):
    """10 was 9.999999999999998: a logarithm of it was told."""
    hours, pay = rng.choice([20, 24, 36, 40], 1500), 10 * rng.integers(20, 41, 1500)
    frame = pd.DataFrame({"pay": pay, "hours": hours, "wage": pay / hours})
    structure = learn(frame)
    assert "wage" in structure.rules.fits
    rows = draw_rows(
        structure, np.zeros(1500, dtype=np.int64), np.random.default_rng(1)
    )
    near = np.abs(rows["wage"] - 10) < 1e-9
    assert near.sum() > 40 and (rows["wage"][near] == 10).all()


def test_ranges_that_bills_leave():
    pairs = ("n", "price"), ("kg", "rate")
    bill = Bill("due", pairs, (2.0, -1.0), ("fee", "n"), (1.0, 3.0), 5.0)
    ends = {"due": (0, 100), "n": (1, 9), "price": (1, 10), "kg": (-1, 2)}
    ends |= {"rate": (1, 4), "fee": (0, 3)}

    def ranges(name, **numbers):
        numbers = {n: np.array([x], dtype=float) for n, x in numbers.items()}
        rules = SimpleNamespace(fits={"due": bill})
        (found,) = ranges_by_fits(rules, (), name, numbers, *as_drawn(ends))
        assert not [*ranges_by_fits(rules, {"due"}, name, numbers, None, None)]
        return tuple(float(np.squeeze(end)) for end in found)

    # due = 5 + 2 n price - kg rate + fee + 3 n, from 0 to 100.
    drawn = {"n": 2, "price": 4, "kg": 1, "rate": 3}
    assert ranges("fee", **drawn) == (-24, 76)
    assert ranges("price", n=2, kg=1, rate=3, fee=2) == (-10 / 4, 90 / 4)
    assert ranges("n", price=4, kg=1, rate=3, fee=2) == (-4 / 11, 96 / 11)
    assert ranges("rate", n=2, price=4, kg=2, fee=0) == (-73 / 2, 27 / 2)
    # kg times rate, which are not drawn, is from -4 to 8.
    assert ranges("price", n=2, fee=2) == (-17 / 4, 95 / 4)
    assert np.isnan(ranges("price", fee=2)).all()
    assert np.isnan(ranges("rate", n=2, price=4, kg=0, fee=0)).all()


def test_what_is_missing_keeps_nothing_from_its_terms(rng):
    """Short ways are walked, and need no fuel."""
    walked = rng.random(3000) < 0.2
    km = np.where(walked, rng.integers(3, 14, 3000), rng.integers(15, 400, 3000)) / 10
    fuel = np.where(walked, np.nan, np.round(0.12 * km, 3))
    structure = learn(pd.DataFrame({"km": km, "fuel": fuel}))
    again = Structure.from_dict(structure.to_dict(), structure.arrays())
    assert again.unbound == structure.unbound == {"fuel"}
    rows = draw_rows(structure, np.zeros(3000, dtype=int), np.random.default_rng(1))
    assert (rows["km"] < 1.45).mean() == pytest.approx(walked.mean(), abs=0.01)
    assert (rows["fuel"].isna() == (rows["km"] < 1.45)).mean() > 0.99
    told = rows["fuel"] - 0.12 * rows["km"]
    assert told.abs().max() < 1e-9


@pytest.mark.slow
def test_a_day_is_not_before_its_own_hours(rng):
    """Of what is cancelled, a fifth is on the day on which it was booked."""
    booked = rng.integers(0, 500 * 1440, 3000)
    after = np.where(rng.random(3000) < 0.2, 0, rng.integers(1, 99, 3000))
    frame = pd.DataFrame(
        {
            "booked": booked.astype("M8[m]").astype("M8[s]"),
            "cancelled": (booked // 1440 + after).astype("M8[D]").astype("M8[s]"),
        }
    )
    for names in (["booked", "cancelled"], ["cancelled", "booked"]):
        structure = learn(frame[names])
        assert [str(order) for order in structure.rules.orders] == [
            "booked <= cancelled"
        ]
        rows = draw_rows(structure, np.zeros(3000, int), np.random.default_rng(1))
        days = (rows["cancelled"] - rows["booked"].dt.normalize()).dt.days
        assert days.min() == 0
        assert structure.count_broken(rows) == [None, 0]
        if names[0] == "booked":
            assert (days == 0).mean() == pytest.approx((after == 0).mean(), abs=0.03)


@pytest.mark.slow
def test_a_tie_is_with_what_many_have_although_few_of_the_column_do(rng):
    """Loans of 40,000 are paid back as others are, if fewer than make a value."""
    lent = 40 * rng.integers(20, 500, 4000)
    lent[:150] = 40_000
    is_paid = rng.random(4000) < 0.08
    paid = np.where(is_paid, lent, rng.integers(0, 800, 4000))
    structure = learn(pd.DataFrame({"lent": lent, "paid": paid}))
    assert [each.equals for each in structure.columns] == [None, "lent"]
    assert (paid == 40_000).sum() < 20
    drawn = draw_rows(structure, np.zeros(4000, np.int64), np.random.default_rng(1))
    assert abs((drawn["paid"] == 40_000).sum() - (paid == 40_000).sum()) <= 6
    assert abs(drawn["paid"].mean() / paid.mean() - 1) < 0.02


@pytest.mark.slow
def test_a_product_of_nothing_is_nothing_and_not_missing(rng):
    """Birds by the hour, of which in half of the years none was seen."""
    seen = np.where(rng.random(4000) < 0.5, 0, rng.geometric(0.02, 4000))
    hours = rng.integers(2, 60, 4000).astype(float)
    hours[rng.random(4000) < 0.2] = np.nan
    frame = pd.DataFrame({"seen": seen, "hours": hours, "by_hour": seen / hours})
    structure = learn(frame)
    fits = [each.fit for each in structure.columns if each.fit is not None]
    assert [(fit.target, fit.logarithms) for fit in fits] == [("by_hour", True)]
    drawn = draw_rows(structure, np.zeros(4000, np.int64), np.random.default_rng(1))
    assert (drawn["by_hour"].isna() == drawn["hours"].isna()).all()
    known = drawn.dropna()
    assert np.allclose(known["by_hour"], known["seen"] / known["hours"])
    assert abs((known["by_hour"] == 0).mean() - 0.5) < 0.03


@pytest.mark.slow
@pytest.mark.parametrize("is_single", [True, False])
def test_the_highest_logarithm_of_many_is_drawn_as_often(is_single, rng):
    """A constant of few digits says a little more than what 20 have, and none more."""
    rate = np.round(rng.uniform(20, 45, 506), 1)
    rate[:126], rate[126:131] = 66.6, 71.1
    log = np.round(np.log(rate * 10), 7)
    frame = pd.DataFrame({"rate": rate, "log": log})
    if is_single:  # no decimal steps
        frame = frame.astype(np.float32).astype(np.float64)
    frame["x"] = rate > 40
    synthesizer = CoclusterSynthesizer(k=20, random_state=0).fit(frame)
    assert [*synthesizer.model_.structure.rules.fits] == ["log"]
    drawn = synthesizer.sample(1000)
    is_highest = np.isclose(drawn["rate"], 66.6)
    assert is_highest.mean() == pytest.approx(0.25, abs=0.02)
    assert np.isclose(drawn["log"], np.log(drawn["rate"] * 10), atol=1e-4).all()


@pytest.mark.slow
def test_small_squares_are_those_of_their_own(rng):
    """Of numbers that reach far, what is near beside the middle one is another."""
    x = np.exp(rng.normal(5, 3, 3000))
    x[:300], x[300:600] = 0, 0.01
    x = np.round(x, 4)
    frame = pd.DataFrame({"x": x, "square": x**2, "z": rng.choice(["a", "b"], 3000)})
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(frame).sample(3000)
    small = drawn[(drawn["x"] > 0) & (drawn["x"] < 0.9)]
    assert len(small) > 20
    np.testing.assert_allclose(small["square"], small["x"] ** 2, rtol=1e-3)
