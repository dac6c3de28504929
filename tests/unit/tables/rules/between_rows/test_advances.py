"""What advances with what rows of a person are in the order of: ages, years of work."""

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.relations import Age, Fit
from coclust_synth.tables.relations.days import completed_months, completed_years
from coclust_synth.tables.rules.between_rows.advances import find_advances

YEAR = 365.25


def start(name):
    return f"{name} start"


def visits(n=300, seed=0):
    """Six visits of each person, of three years, and what goes with them or not."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), 6)
    day = 17_000 + rng.integers(0, 1100, len(person))
    born = np.repeat(rng.integers(-20_000, 10_000, n), 6)
    months = day // 30
    return person, {
        "day": day.astype("datetime64[D]").astype("datetime64[us]"),
        "age": np.round((day - born) / YEAR, 1),
        "years": completed_years(born, day),
        "to_end": completed_months(day, born + 40_000),
        "weeks": (day - born) // 7,
        "month": months,
        "left": np.repeat(rng.integers(500, 900, n), 6) - months,
        "seen": np.repeat(rng.integers(0, 2, n), 6) | (day > 17_500),
        "pain": rng.integers(0, 5, len(person)),
    }


def found(person, columns, base="day", told=(), k=20):
    evidence = evidence_of(columns, person)
    names = [name for name in columns if name != base]
    told = {fit.target: fit for fit in told}
    found = find_advances(evidence, names, base, start, told, k)
    return {own.rule.target: own for own in found}


@pytest.fixture(scope="module")
def of_visits():
    return found(*visits())


@pytest.mark.parametrize(("name", "rate"), [("age", 1 / YEAR), ("weeks", 1 / 7)])
def test_numbers_advance_at_the_simplest_rate(of_visits, name, rate):
    """By day; that of years is simpler than 1 / 365."""
    fit = Fit(name, ("day", start(name)), (rate, -1.0), 0.0)
    assert of_visits[name].rule == fit


def test_a_number_of_any_decimals_advances_by_a_year(rng):
    person, year = np.repeat(np.arange(100), 4), rng.integers(2000, 2020, 400)
    age = year - np.repeat(rng.uniform(1930, 1990, 100), 4)
    own = found(person, {"year": year, "age": age}, "year")["age"]
    assert own.rule == Fit("age", ("year", start("age")), (1.0, -1.0), 0.0)


def test_complete_years_and_months_are_of_the_calendar(of_visits):
    rule = of_visits["years"].rule
    assert rule == Age("years", start("years"), "day", "years")
    rule = of_visits["to_end"].rule
    assert rule == Age("to_end", "day", start("to_end"), "months")


def test_a_number_that_falls_advances_backwards():
    person, columns = visits()
    assert found(person, columns, "month")["left"].rule.coefficients == (-1, 1)


def test_what_counts_rows_is_left():
    """A number of a visit beside its year would be one more each year."""
    person, visit = np.divmod(np.arange(1800), 6)
    columns = {"year": person % 7 + visit, "visit": visit}
    assert not found(person, columns, "year")


def test_what_changes_once_or_by_chance_does_not_advance(of_visits):
    """Who was seen once is seen ever after: a slow enough advance would say so too."""
    assert not {"seen", "pain"} & {*of_visits}


def test_the_start_of_each_person_tells_the_number_in_all_rows(of_visits):
    person, columns = visits()
    day = columns["day"].astype("datetime64[D]").astype(int)
    for name, digits in (("age", 1), ("weeks", 0), ("years", 0), ("to_end", 0)):
        own = of_visits[name]
        numbers = {"day": day, start(name): own.starts[person]}
        told = np.round(own.rule.predict(numbers), digits)
        assert (np.abs(told - columns[name]) > 1e-9).mean() < 0.005


@pytest.mark.slow
def test_few_persons_may_have_others():
    person, columns = visits()
    columns["age"][person == 3] = np.arange(6)
    assert "age" in found(person, columns)
    columns["age"][person < 3] = 0.5 * np.arange(18)
    assert "age" not in found(person, columns)


@pytest.mark.slow
def test_rows_that_lack_one_say_nothing():
    person, columns = visits()
    columns["age"][(person == 5) | (np.arange(len(person)) % 4 == 0)] = np.nan
    starts = found(person, columns)["age"].starts
    assert np.flatnonzero(np.isnan(starts)).tolist() == [5]


def test_what_the_row_tells_or_what_tells_the_order_is_left():
    person, columns = visits()
    told = Fit("age", ("years",), (1.0,), 0.0), Fit("month", ("left",), (1.0,), 0.0)
    assert {*found(person, columns, "month", told)}.isdisjoint({"age", "left"})


@pytest.mark.slow
def test_what_nobody_changes_by_two_steps_is_no_advance():
    person, columns = visits()
    assert "years" in found(person, columns)
    assert "years" not in found(person, columns, k=len(person))


def test_what_all_persons_have_alike_is_chance():
    """The number of the year is no one's."""
    person, columns = visits()
    year = columns["day"].astype("datetime64[Y]").astype(int)
    assert "year" not in found(person, columns | {"year": year})
