"""Rows of one person: what stays, what orders them, what changes with another."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit, Order
from coclust_synth.tables.rules.between_rows.lags import carrying, find_lags
from coclust_synth.tables.rules.between_rows.order import (
    find_end_of_rows,
    find_lasting,
    find_order_of_rows,
    order_of_rows,
)
from coclust_synth.tables.rules.between_rows.steps import (
    LaterRows,
    find_running,
    find_steps,
    not_in_circles,
)
from coclust_synth.tables.rules.compared.numbers import NumberScale

WHOLE = SimpleNamespace(kind="integer", unit=None)


def before(name):
    return f"{name} before"


def panel(n=600, seed=0):
    """Rows after the first, of two a person, each years after the one before."""
    rng = np.random.default_rng(seed)
    year, apart = rng.integers(1990, 2000, n), rng.integers(0, 5, n)
    age, pay = rng.integers(20, 60, n), rng.integers(0, 5000, n)
    return {
        "year": year + apart,
        before("year"): year,
        "age": age + apart,
        before("age"): age,
        "pay": rng.integers(0, 5000, n),
        before("pay"): pay,
    }


def steps_of(columns, k=20, told=(), dates=(), real=()):
    numbers = {name: np.asarray(x, dtype=float) for name, x in columns.items()}
    kinds = {name: "real" if name in real else "integer" for name in numbers}
    evidence = SimpleNamespace(
        numbers=numbers,
        are_alike=lambda one, other: (one in dates) == (other in dates),
        n_of=lambda rows: int(rows.sum()) // 2,
        coding=SimpleNamespace(
            schema={n: SimpleNamespace(kind=kind) for n, kind in kinds.items()}
        ),
    )
    names = ("year", "age", "pay")
    rows = LaterRows(evidence, names, before, k)
    return find_steps(rows, {fit.target: fit for fit in told})


AGE = Fit("age", ("age before", "year", "year before"), (1.0, 1.0, -1.0), 0.0, False)


def test_an_age_goes_with_the_year():
    """The year has fewer values, and tells the age; the pay goes with nothing."""
    assert steps_of(panel()) == [AGE]


def test_ages_of_seven_digits_are_rounded():
    """As single precision is written: 42.87748, a year later 43.87749."""
    columns, rng = panel(), np.random.default_rng(2)
    for name in ("age", before("age")):
        columns[name] = columns[name] + rng.choice([0.0, 1e-5], 600)
    assert steps_of(columns) == []  # whole numbers have no such rounding
    assert steps_of(columns, real={"age"}) == [AGE]
    columns["age"] = columns["age"] + rng.choice([0.0, 1e-3], 600)
    assert steps_of(columns, real={"age"}) == []


def test_what_is_missing_speaks_neither_for_nor_against():
    columns = panel() | {"age": np.where(np.arange(600) % 7, panel()["age"], np.nan)}
    assert steps_of(columns) == [AGE]


@pytest.mark.parametrize("wrong, found", [(2, [AGE]), (30, [])])
def test_few_rows_may_differ(wrong, found):
    columns = panel()
    columns["age"] = columns["age"] + (np.arange(600) < wrong)
    assert steps_of(columns) == found


def test_columns_that_hardly_change_are_not_alike_for_it():
    """Most rows change neither: all that count are those where one does."""
    rng = np.random.default_rng(1)
    columns = panel()
    for name in ("age", "pay"):
        moved = np.where(rng.random(600) < 0.002, 1, 0)
        columns[name] = columns[before(name)] + moved
    columns["year"] = columns["year before"] + np.eye(600, dtype=int)[0]
    assert steps_of(columns) == []


def test_fewer_than_k_individuals_tell_nothing():
    columns = panel()
    columns["year"] = np.where(np.arange(600) < 50, columns["year"], 0)
    columns["year before"] = np.where(np.arange(600) < 50, columns["year before"], 0)
    columns["age"] = np.where(
        np.arange(600) < 50, columns["age"], columns["age before"]
    )
    assert steps_of(columns, k=15) == [AGE]
    assert steps_of(columns, k=26) == []


def test_no_column_is_told_from_itself():
    columns = panel()
    years = {"year": columns["year"] + columns["age"]}
    years[before("year")] = columns["year before"] + columns["age before"]
    columns |= years | {"age": years["year"] - 7, "age before": years["year before"]}
    columns["age before"] = columns["age before"] - 7
    (only,) = steps_of(columns)
    assert (only.target, only.parents[1]) == ("age", "year")
    told = Fit("year", ("age",), (1.0,), 0.0, False)
    assert steps_of(columns, told=[told]) == []


def test_a_date_does_not_go_with_a_number():
    assert steps_of(panel(), dates=["year"]) == []


def waves(n=100, each=4):
    """A panel in the order of its waves, and of the years that these were in."""
    rng = np.random.default_rng(0)
    wave = np.tile(np.arange(each), n)
    columns = {
        "day": np.cumsum(rng.integers(1, 40, (n, each)), axis=1).ravel() + 0.0,
        "sex": np.repeat(rng.choice(["F", "M"], n), each),
        "year": 1990 + np.repeat(rng.integers(0, 9, n), each) + wave,
        "wave": wave,
        "weight": np.repeat(rng.choice([80.5, 91.25, np.nan], n), each),
        "children": np.sort(rng.integers(0, 4, (n, each)), axis=1).ravel(),
    }
    return columns, np.repeat(np.arange(n), each)


def test_what_stays_may_be_missing():
    columns, persons = waves()
    assert find_lasting(evidence_of(columns, persons), 1) == ("sex", "weight")


@pytest.mark.slow
def test_slips_of_few_persons_change_nothing_that_stays():
    columns, persons = waves(n=400)
    columns["sex"] = np.where(columns["sex"] == "F", "M", columns["sex"])
    columns["sex"][:400] = "F"
    columns["sex"][[5, 803]] = "M", "F"  # two of 400 persons
    columns["weight"][7] = 66.0
    assert find_lasting(evidence_of(columns, persons), 1) == ("sex", "weight")
    columns["sex"][1000] = "F"
    assert find_lasting(evidence_of(columns, persons), 1) == ("weight",)
    columns["weight"][[41, 42, 81, 122]] = 66.0, 66.0, 99.0, np.nan
    assert find_lasting(evidence_of(columns, persons), 1) == ()


@pytest.mark.slow
def test_rows_are_in_the_order_of_whole_numbers_that_grow():
    columns, persons = waves()

    def found(columns, persons=persons, orders=(), k=20):
        return find_order_of_rows(evidence_of(columns, persons), orders, k)

    assert found(columns) == "wave"
    del columns["wave"]
    assert found(columns) == "year"
    one_back = columns["year"].copy()
    one_back[1] = one_back[0]
    assert found(columns | {"year": one_back}) == "year"
    often = np.where(persons % 9 == 0, 1990, columns["year"])
    others = {"year": often, "day": -columns["day"]}
    assert found(columns | others) == "year"
    del columns["children"]
    often[::3] = 1990  # it falls
    assert found(columns | others) is None
    assert found({name: x[:40] for name, x in columns.items()}, persons[:40]) is None
    came = np.datetime64("2020-01-01") + columns["day"].astype("m8[D]")
    both = columns | {"left": came + np.timedelta64(2, "D"), "came": came}
    assert found(both) == "left"
    assert found(both, orders=[Order("came", "left")]) == "came"


def leaves(n=200, each=4, seed=0):
    """Absences, asked for some time before, by person in the order of their begin."""
    rng = np.random.default_rng(seed)
    began = np.cumsum(rng.integers(3, 60, (n, each)), axis=1).ravel()
    began = np.datetime64("2020-01-01") + began
    columns = {
        "asked": began - rng.integers(0, 90, n * each),
        "began": began,
        "ended": began + rng.integers(1, 3, n * each),
        "number": np.tile(np.arange(1, each + 1), n),
    }
    return columns, np.repeat(np.arange(n), each)


def order_of_dates(columns, persons, rows=slice(None), but=()):
    columns = {name: x[rows] for name, x in columns.items() if name not in but}
    orders = [Order("asked", "began"), Order("began", "ended"), Order("last", "began")]
    orders = [order for order in orders if {*order.columns} <= columns.keys()]
    evidence = evidence_of(columns, persons[rows])
    return find_order_of_rows(evidence, orders, 20)


@pytest.mark.slow
def test_rows_are_in_the_order_of_dates_that_they_stand_in_or_that_are_counted():
    columns, persons = leaves()
    assert order_of_dates(columns, persons) == "began"
    latest_first = slice(None, None, -1)
    assert order_of_dates(columns, persons, latest_first) == "began"
    anywhere = np.random.default_rng(1).permutation(len(persons))
    assert order_of_dates(columns, persons, anywhere) == "began"
    assert order_of_dates(columns, persons, anywhere, but="number") == "asked"
    when_asked = np.argsort(columns["asked"], kind="stable")
    assert order_of_dates(columns, persons, when_asked) == "began"
    assert order_of_dates(columns, persons, when_asked, but="number") == "asked"
    # What hardly changes is in any order, nearly.
    seldom = np.datetime64("2020-01-01") + (np.arange(len(persons)) % 4 > 2) * 1
    shuffled = {"asked": columns["asked"], "last": seldom}
    shuffled["asked"] = np.random.default_rng(2).permutation(columns["asked"])
    assert order_of_dates(shuffled, persons) == "asked"


def test_rows_that_a_column_counts_are_in_its_order_where_no_date_goes_with_it():
    """The head of a household stands first, and children follow as they may."""
    who = np.repeat(np.arange(100), 4)
    born = np.random.default_rng(0).integers(0, 20_000, 400)
    columns = {"born": np.datetime64("1950-01-01") + born}
    columns["member"] = np.tile([1, 2, 3, 4], 100)
    assert order_of_dates(columns, who) == "member"
    anywhere = np.random.default_rng(1).permutation(400)
    assert order_of_dates(columns, who, anywhere) == "member"
    assert order_of_dates(columns, who, but=("member",)) == "born"


def test_rows_are_in_no_order_of_dates_of_the_row_before():
    columns, persons = leaves()
    last = np.roll(columns["began"], 1)
    last[np.diff(persons, prepend=-1) > 0] = np.datetime64("NaT")
    columns = {"last": last, "began": columns["began"]}
    assert order_of_dates(columns, persons) == "began"
    anywhere = np.random.default_rng(1).permutation(len(persons))
    assert order_of_dates(columns, persons, anywhere) == "began"
    assert order_of_dates(columns, persons, but=("began",)) == "last"


@pytest.mark.slow
def test_rows_in_any_order_are_put_in_that_of_numbers_that_nobody_has_twice():
    columns, persons = waves(n=400)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(persons))
    columns = {name: x[order] for name, x in columns.items()}

    def found(columns, n=1600):
        columns = {name: x[:n] for name, x in columns.items()}
        evidence = evidence_of(columns, persons[order][:n])
        return find_order_of_rows(evidence, (), 20)

    assert found(columns) == "wave"
    del columns["wave"]
    assert found(columns) == "year"
    # Of so few rows so many would be alike by chance.
    assert found(columns, n=300) is None
    twice = np.where(persons[order] % 9 < 5, 1990, columns["year"])
    assert found(columns | {"year": twice}) is None


@pytest.mark.slow
def test_rows_in_any_order_are_put_in_that_of_numbers_that_mostly_count_on(rng):
    """A player has a season after the other, and in some of them two clubs."""
    persons = np.repeat(np.arange(200), 8)
    first = np.repeat(rng.integers(1900, 1990, 200), 8)
    seasons = {"games": rng.integers(1, 160, 1600), "stars": rng.integers(1, 6, 1600)}
    seasons["year"] = first + np.tile([0, 1, 1, 2, 3, 4, 4, 5], 200)
    anywhere = rng.permutation(1600)
    by_person = anywhere[np.argsort(persons[anywhere], kind="stable")]
    for rows in (anywhere, by_person):
        columns = {name: x[rows] for name, x in seasons.items()}
        evidence = evidence_of(columns, persons[rows])
        assert find_order_of_rows(evidence, (), 20) == "year"
        del columns["year"]
        evidence = evidence_of(columns, persons[rows])
        assert find_order_of_rows(evidence, (), 20) is None


def test_numbers_that_are_rarely_alike_by_chance_are_no_waves(rng):
    """Of 8,000 rows of 4,000 persons 13 pairs are alike, as chance has it."""
    persons = rng.permutation(np.repeat(np.arange(4000), 2))
    columns = {"score": rng.integers(0, 60, 8000)}
    alike = find_order_of_rows(evidence_of(columns, persons), (), 20)
    assert alike is None
    columns = {"score": rng.integers(0, 300, 8000)}
    assert find_order_of_rows(evidence_of(columns, persons), (), 20) is None


def test_rows_that_stand_together_stay_in_their_order(rng):
    bought = np.concatenate([rng.permutation(12)[:5] for _ in range(400)])
    persons = np.repeat(np.arange(400), 5)
    evidence = evidence_of({"product": bought}, persons)
    assert find_order_of_rows(evidence, (), 20) is None
    order = rng.permutation(2000)
    evidence = evidence_of({"product": bought[order]}, persons[order])
    assert find_order_of_rows(evidence, (), 20) == "product"


def test_the_next_row_comes_after_the_end_of_the_last_one(rng):
    began = rng.integers(0, 900, 500).astype(float)
    asked, ended = began + 1, began + 30
    columns = {before("began"): began, before("asked"): asked, before("ended"): ended}
    bounds = [("began", "asked"), ("began", "ended"), ("asked", "ended")]

    def found(apart, bounds=bounds, may_overlap=0.005, **others):
        numbers = columns | {"began": began + apart} | others
        evidence = SimpleNamespace(numbers=numbers)
        return find_end_of_rows(evidence, "began", bounds, before, may_overlap)

    assert found(30) == "ended"
    assert found(29) == "asked"
    assert found(0) == "began"
    assert found(30, bounds=bounds[:1]) == "asked"
    late = np.where(np.arange(500) < 2, 29, 30)
    assert found(late) == "ended"
    later = np.where(np.arange(500) < 20, 29, 30)
    assert [found(later, may_overlap=m) for m in (0.005, 0.05)] == ["asked", "ended"]
    for n_unknown, name in ((250, "ended"), (251, "asked")):
        of_some = np.where(np.arange(500) < n_unknown, np.nan, ended)
        assert found(30, **{before("ended"): of_some}) == name
        overlapping = np.where(np.arange(500) < 498, 30, 29)
        assert found(overlapping, **{before("ended"): of_some}) == "asked"


def running(columns, k=20, told=(), dates=()):
    numbers = {name: np.asarray(x, dtype=float) for name, x in columns.items()}
    evidence = SimpleNamespace(
        numbers=numbers,
        dates=dates,
        n_of=lambda rows: int(rows.sum()) // 2,
        scales={name: NumberScale(WHOLE, SteppedRuler(1)) for name in numbers},
    )
    names = [name for name in numbers if before(name) in numbers]
    rows = LaterRows(evidence, names, before, k)
    return find_running(rows, {fit.target: fit for fit in told})


def stock(n=600, seed=0):
    """What is in stock, and what came in and went out."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 90, n) for name in ("came", "went", "other")}
    columns |= {before(name): rng.integers(0, 90, n) for name in columns}
    columns[before("stock")] = rng.integers(100, 900, n)
    added = columns["came"] - columns["went"]
    return columns | {"stock": columns[before("stock")] + added}


def test_a_stock_is_that_of_the_row_before_and_what_came_and_went():
    (fit,) = running(stock())
    assert fit.target == "stock" and not fit.about and not fit.constant
    terms = dict(zip(fit.parents, fit.coefficients, strict=True))
    assert terms == {before("stock"): 1, "came": 1, "went": -1}


def test_what_is_added_may_be_that_of_the_row_before():
    columns = stock()
    columns["stock"] = columns[before("stock")] - columns[before("went")]
    (fit,) = running(columns)
    assert fit.parents == (before("stock"), before("went"))
    assert fit.coefficients == (1, -1)


def test_what_is_owed_is_drawn_and_tells_what_is_paid(rng):
    """Which is mostly the bill: from both, drawn, something would be owed by all."""
    columns = {"fee": rng.integers(900, 4500, 600)}
    columns["extra"] = np.where(rng.random(600) < 0.2, rng.integers(0, 900, 600), 0)
    columns["bill"] = columns["fee"] + columns["extra"]
    columns["tax"] = np.round(columns["bill"] * 19 / 119)
    columns[before("due")] = np.where(rng.random(600) < 0.05, columns["bill"], 0)
    columns["due"] = np.where(rng.random(600) < 0.05, columns["bill"], 0)
    columns["paid"] = columns[before("due")] + columns["bill"] - columns["due"]
    columns[before("paid")] = rng.permutation(columns["paid"])
    (fit,) = running(columns)
    assert fit.target == "paid"
    assert fit.terms == {"due": -1, before("due"): 1, "bill": 1}


def test_what_is_nearly_added_up_tells_nothing():
    columns = stock()
    columns["stock"] = columns["stock"] + (np.arange(600) % 50 == 0)
    assert running(columns) == []


def test_what_few_persons_add_up_tells_nothing():
    columns = stock()
    columns["came"][38:], columns["went"][38:] = 0, 0
    columns["stock"] = columns[before("stock")] + columns["came"] - columns["went"]
    assert running(columns, k=20) == []


@pytest.mark.slow
def test_what_is_told_exactly_is_not_added_up_but_what_is_told_nearly_is():
    told = Fit("stock", ("other",), (1.0,), 0.0, False)
    assert running(stock(), told=[told]) == []
    (fit,) = running(stock(), told=[replace(told, about=True)])
    assert fit.target == "stock"
    # Came is what the stock is told from: it cannot be told from the stock.
    came = Fit("came", ("stock",), (1.0,), 0.0, False)
    assert running(stock(), told=[came]) == []
    nearly = replace(came, about=True)
    assert running(stock(), told=[nearly]) == [fit]
    assert not_in_circles([nearly], [fit]) == []


def test_what_is_nearly_told_in_a_circle_is_left_out():
    def nearly(target, *parents):
        return Fit(target, parents, (1.0,) * len(parents), 0.0, False, about=True)

    total = Fit("total", (before("total"), "tax"), (1.0, 1.0), 0.0, False)
    net = replace(nearly("net", "tax"), about=False)
    wage = nearly("wage", "hours")
    told = [nearly("tax", "wage", "total"), net, wage, nearly("hours", "net")]
    assert not_in_circles(told, [total]) == [net, wage, nearly("hours", "net")]
    # From hours to the wage, and from this back to hours.
    told = [nearly("hours", "wage"), wage]
    assert not_in_circles(told, [total]) == told[:1]
    assert not_in_circles([nearly("total", "wage")], [total]) == []


def test_a_column_is_what_another_was_in_the_row_before():
    columns = panel()
    columns["last"] = np.where(
        columns[before("year")] > 1995, columns[before("pay")], np.nan
    )
    columns[before("last")] = np.random.default_rng(1).integers(0, 5000, 600)
    names = ("year", "age", "pay", "last")
    # Where it is missing while the other is not, it is not the other's.
    assert lags_of(columns, names) == []
    columns["last"] = columns[before("pay")]
    fit = Fit("last", (before("pay"),), (1.0,), 0.0, False)
    assert lags_of(columns, names) == [fit]
    assert lags_of(columns, names, k=601) == []
    assert lags_of(columns, names, told=("last",)) == []


@pytest.mark.slow
def test_the_next_row_begins_with_what_is_carried_on(rng):
    who, step = np.repeat(np.arange(100), 5), rng.permutation(500)
    came = np.where(rng.random(500) < 0.2, rng.integers(1, 90, 500), 0)
    so_far = np.array([own.cumsum() for own in came.reshape(100, 5)]).ravel()
    columns = {"step": np.tile(np.arange(5), 100), "came": came, "stock": so_far}
    columns |= {"before": so_far - came}
    columns = {name: own[step] for name, own in columns.items()}

    def of(k=20, persons=who[step]):
        return carrying(evidence_of(columns, persons), [], k)

    assert of()("stock", "before")
    assert not of()("before", "stock") and not of()("came", "before")
    assert not of(k=101)("stock", "before")
    assert not of(persons=None)("stock", "before")


def test_columns_that_hardly_change_are_no_lags_of_each_other(rng):
    one, two, earlier = (np.where(rng.random(600) < 0.001, 1.0, 0.0) for _ in range(3))
    columns = {"one": one, before("one"): earlier, "two": two, before("two"): earlier}
    assert lags_of(columns, ("one", "two")) == []


def lags_of(columns, names, k=20, told=(), find=find_lags, person=None):
    numbers = {name: np.asarray(x, dtype=float) for name, x in columns.items()}
    person = np.arange(len(numbers[names[0]])) if person is None else person
    evidence = SimpleNamespace(
        numbers=numbers,
        persons=SimpleNamespace(codes=person),
        are_alike=lambda one, other: True,
        n_of=lambda rows: int(rows.sum()),
    )
    return find(LaterRows(evidence, names, before, k), dict.fromkeys(told))


@pytest.mark.parametrize("falls", [False, True])
def test_rows_of_one_day_are_in_the_order_of_what_counts_them(falls):
    who = np.repeat(np.arange(60), 4)
    day, number = np.tile([5.0, 7, 7, 9], 60), np.tile([1, 2, 3, 4], 60)
    rows = np.random.default_rng(0).permutation(240)
    columns = {"day": day[rows], "number": (number[::-1] if falls else number)[rows]}
    evidence = evidence_of(columns, who[rows])
    order = order_of_rows(evidence, "day")
    assert (who[rows][order] == who).all() and (day[rows][order] == day).all()
    assert (columns["number"][order] == (number[::-1] if falls else number)).all()
    alone = evidence_of({"day": day[::-1].copy()}, who[::-1].copy())
    assert (order_of_rows(alone, "day") == np.arange(240)[::-1]).all()
    assert (order_of_rows(alone, None) == np.argsort(who[::-1], kind="stable")).all()
