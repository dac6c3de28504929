"""Numbers that equal another column in many rows, where no rule binds them."""

import json

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured import equal
from coclust_synth.generators.plain.structured.drawing import codes, column
from coclust_synth.generators.plain.structured.drawing.limits import limits_of_rows
from coclust_synth.generators.plain.structured.equal import Equal
from coclust_synth.generators.plain.structured.structure import Structure


@pytest.fixture
def bills(rng):
    """What is owed and paid: all of it by one in four, mostly of the small bills."""
    owed = np.round(rng.lognormal(7, 1, 4000))
    paid = np.round(owed * rng.lognormal(-0.5, 1, 4000))
    is_small = owed < np.median(owed)
    in_full = rng.random(4000) < np.where(is_small, 0.4, 0.1)
    paid[in_full] = owed[in_full]
    paid[rng.random(4000) < 0.1] = 0
    return pd.DataFrame({"owed": owed, "paid": paid})


def equals(structure):
    return [own for own in structure.features if isinstance(own, Equal)]


@pytest.mark.slow
def test_as_many_rows_are_equal_where_as_many_were(bills):
    structure = learnt(bills)
    assert [(own.column, own.other) for own in equals(structure)] == [(1, 0)]
    drawn = drawn_from(structure)
    middle = bills["owed"].median()
    for small in (True, False):
        real, made = (
            (of["owed"] == of["paid"])[(of["owed"] < middle) == small].mean()
            for of in (bills, drawn)
        )
        assert made == pytest.approx(real, abs=0.02)
    for name in bills:
        assert drawn[name].mean() == pytest.approx(bills[name].mean(), rel=0.05)
    zeros = [(of["paid"] == 0).mean() for of in (bills, drawn)]
    assert zeros[1] == pytest.approx(zeros[0], abs=0.01)


@pytest.mark.slow
def test_each_run_is_of_k_individuals_who_have_both_equal(bills):
    (own,) = equals(learnt(bills, k=50))
    equal = bills["paid"][bills["paid"] == bills["owed"]]
    rows = np.bincount(np.searchsorted(own.starts, equal, side="right"))
    assert tuple(rows.tolist()) == own.rows
    assert min(rows) >= 50


@pytest.mark.slow
def test_limits_of_rows_are_asked_for_once_a_column(bills, monkeypatch):
    structure, asked = learnt(bills), []

    def counted(drawing, *args, **options):
        asked.append(drawing.name)
        return limits_of_rows(drawing, *args, **options)

    for module in (codes, column):
        monkeypatch.setattr(module, "limits_of_rows", counted)
    drawn_from(structure)
    assert sorted(asked) == ["owed", "paid"]


@pytest.mark.slow
def test_a_saved_model_draws_the_same(bills):
    structure = learnt(bills)
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    assert drawn_from(again).equals(drawn_from(structure))
    data["features"][0]["rows"].append(1)
    with pytest.raises(ValueError):
        Structure.from_dict(data, structure.arrays())


@pytest.fixture
def followed(rng):
    """Who entered a study when, and for how many days: six in ten up to its end."""
    entered = pd.Timestamp("2013-01-01") + pd.to_timedelta(
        rng.integers(0, 800, 4000), "D"
    )
    days = (pd.Timestamp("2016-04-01") - entered).days.to_numpy()
    left = rng.random(4000) < 0.4
    days = np.where(left, np.ceil(days * rng.random(4000)), days).astype(int)
    return pd.DataFrame({"entered": entered, "left": left.astype(int), "days": days})


@pytest.mark.slow
def test_days_from_a_date_to_a_fixed_one_are_so_as_often(followed):
    structure = learnt(followed)
    (own,) = equals(structure)
    assert (own.column, own.other, own.factor) == (2, 0, -1)
    assert own.constant == (pd.Timestamp("2016-04-01") - pd.Timestamp(0)).days
    drawn = drawn_from(structure)
    for left in (0, 1):
        real, made = (
            (of["entered"] + pd.to_timedelta(of["days"], "D") == "2016-04-01")[
                of["left"] == left
            ].mean()
            for of in (followed, drawn)
        )
        assert made == pytest.approx(real, abs=0.03)
    assert drawn["days"].mean() == pytest.approx(followed["days"].mean(), rel=0.03)


@pytest.mark.slow
def test_a_number_is_as_often_another_and_so_much(rng):
    """One in three pays what is owed and a fee."""
    owed = np.round(rng.lognormal(7, 1, 4000))
    paid = np.round(owed * rng.lognormal(-0.5, 1, 4000))
    paid = np.where(rng.random(4000) < 0.33, owed + 12, paid)
    frame = pd.DataFrame({"owed": owed, "paid": paid})
    structure = learnt(frame)
    assert [(own.factor, own.constant) for own in equals(structure)] == [(1, 12.0)]
    drawn = drawn_from(structure)
    assert (drawn["paid"] - drawn["owed"] == 12).mean() == pytest.approx(0.33, abs=0.02)
    assert not equals(learnt(frame + rng.random((4000, 2)).round(3)))


@pytest.mark.slow
def test_of_steps_that_it_has_not_a_number_is_none(rng):
    """Only half of the prices are tens, of which most are paid with a fee of 100."""
    price = np.where(rng.random(4000) < 0.5, 10, 1) * rng.integers(1, 500, 4000)
    with_fee = (price % 10 == 0) & (rng.random(4000) < 0.6)
    paid = np.where(with_fee, price + 100, 10 * rng.integers(1, 600, 4000))
    frame = pd.DataFrame({"price": price, "paid": paid})
    structure = learnt(frame)
    assert [(own.factor, own.constant) for own in equals(structure)] == [(1, 100.0)]
    drawn = drawn_from(structure)
    real, made = ((of["paid"] - of["price"] == 100).mean() for of in (frame, drawn))
    assert made == pytest.approx(real, abs=0.02)
    assert not (drawn["paid"] % 10).any()


@pytest.mark.slow
def test_a_saved_model_draws_days_to_a_fixed_date_the_same(followed):
    structure = learnt(followed)
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    assert drawn_from(again).equals(drawn_from(structure))
    (own,) = (each for each in data["features"] if "rows" in each)
    own["factor"] = 2
    with pytest.raises(ValueError):
        Structure.from_dict(data, structure.arrays())


def test_few_who_are_equal_are_none(bills, rng):
    more = bills["paid"] + rng.integers(1, 500, len(bills))
    paid = bills["paid"].where(bills["paid"] != bills["owed"], more)
    paid[:15] = bills["owed"][:15]
    assert not equals(learnt(bills.assign(paid=paid)))


@pytest.mark.slow
def test_small_counts_and_zeros_are_left_to_trees(rng):
    first = rng.poisson(1, 3000)
    second = np.where(rng.random(3000) < 0.6, first, rng.poisson(1, 3000))
    yes = (rng.random((3000, 2)) < 0.5).astype(int)
    cost = np.round(rng.lognormal(7, 1, (3000, 2)))
    cost[rng.random(3000) < 0.5] = 0
    frame = pd.DataFrame(
        {"first": first, "second": second, "yes": yes[:, 0], "no": yes[:, 1]}
    ).assign(cost=cost[:, 0], other=cost[:, 1])
    assert not equals(learnt(frame))


@pytest.mark.slow
def test_numbers_that_are_near_each_other_are_none(rng):
    wife = rng.integers(1000, 2000, 4000)
    husband = wife + rng.integers(-3, 4, 4000)
    assert not equals(learnt(pd.DataFrame({"wife": wife, "husband": husband})))


@pytest.mark.slow
def test_rows_of_one_person_count_as_one(rng):
    owed = np.round(rng.lognormal(7, 1, 3000))
    paid = np.round(rng.lognormal(7, 1, 3000))
    persons = np.minimum(np.arange(3000) // 60, 49)
    paid[persons < 12] = owed[persons < 12]
    frame = pd.DataFrame({"owed": owed, "paid": paid})
    assert equals(learnt(frame))
    assert not equals(learnt(frame, persons=persons))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_independent_columns_are_none(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 600))
    frame = pd.DataFrame(
        {
            f"c{i}": rng.integers(0, int(rng.integers(3, 60)), n)
            * int(rng.choice([1, 5]))
            for i in range(6)
        }
    )
    assert not equals(learnt(frame, k=2))


@pytest.mark.slow
def test_an_order_beside_is_kept(bills, rng):
    limit = bills[["owed", "paid"]].max(axis=1) + rng.integers(1, 500, 4000)
    structure = learnt(pd.concat([limit.rename("limit"), bills], axis=1))
    assert equals(structure)
    assert not any(structure.count_broken(drawn_from(structure)))


@pytest.mark.slow
def test_what_more_rows_equal_comes_before_what_an_order_ties(bills, rng):
    """One in ten pays up to a limit, which nobody passes."""
    limit = bills[["owed", "paid"]].max(axis=1) + rng.integers(1, 500, 4000)
    at_limit = (bills["paid"] != bills["owed"]) & (rng.random(4000) < 0.1)
    paid = bills["paid"].where(~at_limit, limit)
    frame = pd.DataFrame({"limit": limit, "owed": bills["owed"], "paid": paid})
    structure = learnt(frame)
    assert [(own.column, own.other) for own in equals(structure)] == [(2, 1)]
    drawn = drawn_from(structure)
    real, made = ((of["paid"] == of["owed"]).mean() for of in (frame, drawn))
    assert made == pytest.approx(real, abs=0.02)
    assert not any(structure.count_broken(drawn))


def days(rng, n, first, last):
    """Days of some years, as dates."""
    return pd.Timestamp("2013-01-01") + pd.to_timedelta(
        rng.integers(first, last, n), "D"
    )


@pytest.mark.slow
def test_a_date_is_as_often_another_that_no_order_ties_it_to(rng):
    """Six in ten report an accident on its day; all other days are wrong."""
    accident = days(rng, 4000, 0, 800)
    reported = pd.Series(days(rng, 4000, 0, 800))
    by_phone = rng.random(4000) < 0.5
    at_once = rng.random(4000) < np.where(by_phone, 0.8, 0.4)
    reported = reported.where(~at_once, accident)
    columns = {"phone": by_phone.astype(int), "accident": accident}
    frame = pd.DataFrame(columns | {"reported": reported})
    structure = learnt(frame)
    assert [(own.column, own.other) for own in equals(structure)] == [(2, 1)]
    drawn = drawn_from(structure)
    for phone in (0, 1):
        real, made = (
            (of["accident"] == of["reported"])[of["phone"] == phone].mean()
            for of in (frame, drawn)
        )
        assert made == pytest.approx(real, abs=0.03)
    apart = rng.permutation(4000)
    frame["accident"] = frame["accident"].to_numpy()[apart]
    assert not equals(learnt(frame))


@pytest.mark.slow
def test_a_date_that_is_no_other_keeps_what_goes_with_its_weekday(rng):
    """What is closed on Mondays is told; one in four is of the day of another."""
    opened = days(rng, 4000, 0, 800)
    closed = pd.Series(days(rng, 4000, 0, 1200))
    closed = closed.where(rng.random(4000) > 0.25, opened)
    is_monday = (closed.dt.day_of_week == 0).astype(int)
    columns = {"monday": is_monday, "opened": opened, "closed": closed}
    structure = learnt(pd.DataFrame(columns))
    assert [(own.column, own.other) for own in equals(structure)] == [(2, 1)]
    drawn = drawn_from(structure)
    is_other = drawn["closed"] == drawn["opened"]
    assert is_other.mean() == pytest.approx(0.25, abs=0.02)
    is_told = drawn["monday"] == (drawn["closed"].dt.day_of_week == 0)
    assert is_told[~is_other].mean() > 0.97


@pytest.fixture
def jailed(rng):
    """Days in custody: of the first arrest, or of the second of those who have one."""
    first = pd.Series(days(rng, 4000, 0, 800))
    second = first + pd.to_timedelta(rng.integers(1, 700, 4000), "D")
    again = rng.random(4000) < 0.4
    custody = first + pd.to_timedelta(rng.integers(1, 700, 4000), "D")
    which = rng.random(4000)
    custody = custody.where(which > 0.6, first)
    custody = custody.where(~again | (which < 0.5) | (which > 0.95), second)
    return pd.DataFrame(
        {"first": first, "second": second.where(again), "custody": custody}
    )


@pytest.mark.slow
def test_a_date_is_as_often_one_of_two_others(jailed):
    structure = learnt(jailed)
    (own,) = (own for own in equals(structure) if own.beside is not None)
    assert {own.column, own.other, own.beside} == {0, 1, 2}
    drawn = drawn_from(structure)
    for other in ("first", "second"):
        real, made = ((of["custody"] == of[other]).mean() for of in (jailed, drawn))
        assert real > 0.15
        assert made == pytest.approx(real, abs=0.03)
    assert drawn["custody"].notna().all()
    assert not any(structure.count_broken(drawn))


@pytest.mark.slow
def test_the_first_of_two_may_have_times_of_the_day(jailed, rng):
    """An order ties a day to that of a time, and a second one is its day in others."""
    at = jailed["first"] + pd.to_timedelta(rng.integers(0, 86_400, 4000), "s")
    frame = jailed.assign(first=at)
    structure = learnt(frame)
    found = [(own.column, own.other, own.beside) for own in equals(structure)]
    assert found == [(2, 1, 0)]
    drawn = drawn_from(structure)
    real, made = ((of["custody"] == of["second"]).mean() for of in (frame, drawn))
    assert made == pytest.approx(real, abs=0.03)
    real, made = (
        (of["custody"] == of["first"].dt.normalize()).mean() for of in (frame, drawn)
    )
    assert made == pytest.approx(real, abs=0.03)


@pytest.mark.slow
def test_a_second_date_is_not_the_first(rng):
    """Where two arrests are of one day, which is one row in eleven, custody is not."""
    first = days(rng, 6000, 0, 800)
    later = first + pd.to_timedelta(rng.integers(1, 700, 6000), "D")
    is_same, which = rng.random(6000) < 0.09, rng.random(6000)
    second = pd.Series(later).where(~is_same, first)
    custody = pd.Series(first + pd.to_timedelta(rng.integers(1, 700, 6000), "D"))
    custody = custody.where(is_same | (which > 0.4), first)
    custody = custody.where(is_same | (which < 0.4) | (which > 0.7), second)
    frame = pd.DataFrame({"first": first, "second": second, "custody": custody})
    structure = learnt(frame)
    (own,) = equals(structure)
    assert (own.column, own.other, own.beside) == (2, 1, 0)
    drawn = drawn_from(structure)
    of_one_day = drawn[drawn["first"] == drawn["second"]]
    assert len(of_one_day) > 300
    assert (of_one_day["custody"] == of_one_day["first"]).mean() < 0.02


@pytest.mark.slow
def test_a_date_is_no_other_that_it_may_not_be(rng):
    """No custody is after a release: it is of no later arrest, nor ends then."""
    first = days(rng, 6000, 0, 800)
    release, second = (
        first + pd.to_timedelta(rng.integers(1, 900, 6000), "D") for _ in range(2)
    )
    apart = np.floor((release - first).days * rng.random(6000))
    which = rng.random(6000)
    custody = pd.Series(first + pd.to_timedelta(apart, "D"))
    custody = custody.where(which > 0.4, first)
    at_second = (which > 0.4) & (which < 0.9) & (second <= release)
    custody = custody.where(~at_second, second)
    columns = {"first": first, "release": release, "second": second}
    frame = pd.DataFrame(columns | {"custody": custody})
    structure = learnt(frame)
    assert [own.other for own in equals(structure)] == [2]
    drawn = drawn_from(structure)
    assert not any(structure.count_broken(drawn))
    assert (frame["custody"] == frame["release"]).mean() < 0.002
    assert (drawn["custody"] == drawn["release"]).mean() < 0.01
    real, made = ((of["custody"] == of["second"]).mean() for of in (frame, drawn))
    assert made == pytest.approx(real, abs=0.02)


@pytest.mark.slow
def test_rows_of_the_second_are_k_individuals(jailed):
    custody, second = jailed["custody"], jailed["second"]
    later = custody + pd.to_timedelta(1000 + np.arange(4000) % 700, "D")
    is_it = (custody == second) & (custody != jailed["first"])
    few = is_it & (is_it.cumsum() > 15)
    few = jailed.assign(custody=custody.where(~few, later))
    assert all(own.beside is None for own in equals(learnt(few)))


@pytest.mark.slow
def test_a_saved_model_draws_one_of_two_the_same(jailed):
    structure = learnt(jailed)
    data = json.loads(json.dumps(structure.to_dict()))
    again = Structure.from_dict(data, structure.arrays())
    assert drawn_from(again).equals(drawn_from(structure))
    (own,) = (each for each in data["features"] if each.get("beside") is not None)
    own["beside"] = 3
    with pytest.raises(ValueError):
        Structure.from_dict(data, structure.arrays())


@pytest.mark.slow
def test_runs_are_not_those_of_one_person(rng):
    """One has half of all rows, and pays in full."""
    owed = np.round(rng.lognormal(7, 1, 6000))
    paid = np.round(owed * rng.uniform(0.1, 1.2, 6000))
    person = np.maximum(np.arange(6000) // 6 - 499, 0)
    in_full = (person == 0) | (rng.random(6000) < 0.3)
    paid[in_full] = owed[in_full]
    frame = pd.DataFrame({"owed": owed, "paid": paid})
    (own,) = equals(learnt(frame, persons=person))
    assert own.starts == ()
    assert own.rows == (len(np.unique(person[paid == owed])),)
    assert len(equals(learnt(frame))[0].starts) > 1


def test_fewer_than_20_who_are_equal_are_none_whatever_k_is(rng):
    owed = np.round(rng.lognormal(7, 1, 120))
    paid = np.round(owed * rng.uniform(0.1, 1.2, 120)) + 1
    for n, n_found in ((18, 0), (24, 1)):
        paid[:n] = owed[:n]
        frame = pd.DataFrame({"owed": owed, "paid": paid})
        assert len(equals(learnt(frame, k=5))) == n_found


@pytest.mark.slow
def test_whole_numbers_equal_those_of_decimals_as_often(rng):
    owed = np.round(rng.lognormal(7, 1, 3000), 1)
    is_whole = rng.random(3000) < 0.6
    owed[is_whole] = np.round(owed[is_whole])
    paid = np.round(owed * rng.uniform(0.1, 1.2, 3000))
    in_full = is_whole & (rng.random(3000) < 0.6)
    paid[in_full] = owed[in_full]
    frame = pd.DataFrame({"owed": owed, "paid": paid.astype(int)})
    structure = learnt(frame)
    assert equals(structure)
    real, made = (
        (of["owed"] == of["paid"]).mean() for of in (frame, drawn_from(structure))
    )
    assert made == pytest.approx(real, abs=0.04)


@pytest.mark.slow
def test_no_tree_is_grown_for_scores_that_many_share(rng, monkeypatch):
    level = rng.normal(0, 2, 3000)[:, None]
    scores = np.clip(np.round(5 + level + rng.normal(0, 0.4, (3000, 4))), 0, 9)
    frame = pd.DataFrame(scores.astype(int)).add_prefix("item")
    assert (frame["item0"] == frame["item1"]).mean() > 0.5
    monkeypatch.setattr(equal, "_by_chance", None)  # after a tree is grown
    assert not equals(learnt(frame))


@pytest.fixture
def schools(rng):
    """The school of pupils in three years, of which many lack some; few change it."""
    school = rng.integers(1, 61, 6000).astype(float)
    years = {}
    for name, changes in (("first", 0.0), ("third", 0.03), ("second", 0.03)):
        school = np.where(rng.random(6000) < changes, rng.integers(1, 61, 6000), school)
        years[name] = np.where(rng.random(6000) < 0.35, np.nan, school)
    return pd.DataFrame(years)


@pytest.mark.slow
def test_a_number_is_that_of_a_second_column_where_the_first_is_missing(schools):
    drawn = drawn_from(learnt(schools, k=100))
    for name in ("first", "third"):
        real, made = (
            (of[name] == of["second"])[of[["second", name]].notna().all(axis=1)].mean()
            for of in (schools, drawn)
        )
        assert real > 0.93
        assert made == pytest.approx(real, abs=0.04)


@pytest.mark.slow
def test_few_may_have_another_value(rng):
    """Fewer than k, and 20: what they have is drawn from leaves of k, as all values."""
    for n_others, n_found in ((100, 1), (20, 0)):
        school = rng.integers(1, 81, 6000)
        frame = pd.DataFrame({"first": school, "second": school}).astype(float)
        frame.loc[: n_others - 1, "second"] = rng.integers(1, 81, n_others)
        frame = frame.mask(rng.random((6000, 2)) < 0.3)
        structure = learnt(frame, k=300)
        assert len(equals(structure)) == n_found
        if n_found:
            known = (
                of[of.notna().all(axis=1)] for of in (frame, drawn_from(structure))
            )
            real, made = ((of["first"] != of["second"]).mean() for of in known)
            assert made == pytest.approx(real, abs=0.005)
