"""Parts of a column of which somebody has many rows."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import DataWarning
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.spreads import divide
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.values.columns import to_values

N, HEAVY = 400, 120


def visits():
    """Visits of 400 persons; the first one has 120 more, before all others."""
    rng = np.random.default_rng(0)
    person = np.append(np.arange(N), np.zeros(HEAVY, dtype=int))
    day = np.append(rng.integers(5000, 9000, N), np.arange(1000, 1000 + HEAVY))
    dates = pd.Timestamp("1990-01-01") + pd.to_timedelta(day, unit="D")
    price = np.where(rng.random(len(day)) < 0.1, np.nan, day * 0.25)
    often = np.where(rng.random(len(day)) < 0.3, 5000.0, day)
    return pd.DataFrame({"came": dates, "price": price, "often": often}), person


def of_atoms(table, person):
    """The persons of each atom of each column, and the atoms."""
    persons, schema = Persons("who", person), infer_schema(table)
    coding = TableCoding.learn(table, schema, binning="atoms", persons=persons)
    for column, parts in zip(schema.columns, coding.parts, strict=True):
        values, missing = to_values(table[column.name], column)
        codes = np.where(missing, -1, parts.encode(values, missing))
        yield persons.count(codes)[np.unique(codes[~missing])], parts, values[~missing]


def test_each_atom_is_of_twenty_persons_or_of_missing_values():
    for n_persons, parts, values in of_atoms(*visits()):
        assert n_persons.min() >= 20
        assert parts.n_parts > 8
        codes = parts.encode(values, np.zeros(len(values), dtype=bool))
        drawn, _ = parts.draw(codes, np.random.default_rng(0))
        # Somebody's days count as those of one person in twenty do: no sample of rows.
        low, middle = values.min(), np.median(values)
        assert (values < np.median(drawn)).mean() == pytest.approx(0.5, abs=0.05)
        assert (drawn < (low + middle) / 2).sum() <= 8 < HEAVY
        assert drawn.min() > low + 0.05 * (middle - low) > low + HEAVY / 4


def in_intervals(table, person, **options):
    """The intervals of each column, and its values and their persons."""
    persons, schema = Persons("who", person), infer_schema(table)
    schema = schema.keep(*schema.names)
    coding = TableCoding.learn(table, schema, persons=persons, **options)
    for column, parts in zip(schema.columns, coding.parts, strict=True):
        values, missing = to_values(table[column.name], column)
        yield parts, values[~missing], Persons("who", person[~missing])


@pytest.mark.parametrize("binning", ["heaped", "quantile", "width"])
def test_no_run_of_an_interval_is_of_fewer_than_twenty_persons(binning):
    """Amounts of somebody with many rows lie where hardly anybody else has any."""
    for parts, values, persons in in_intervals(*visits(), binning=binning):
        none = np.zeros(len(values), dtype=bool)
        n_persons = persons.count(parts.encode(values, none))
        lows = np.append(parts.edges[0], parts.ruler.above(parts.edges[1:-1]))
        n_runs = 0
        for law, n, *ends in zip(
            parts.laws, n_persons, lows, parts.edges[1:], strict=True
        ):
            if n < 20:
                # Where the user cuts, an interval of few is one run from end to end.
                assert binning != "heaped" or len(parts.laws) == 1
                assert [*law.lows, *law.highs] == ends
                continue
            n_runs += len(law.lows)
            for low, high in zip(law.lows, law.highs, strict=True):
                inside = (values >= low) & (values <= high)
                assert persons.count(np.where(inside, 0, -1))[0] >= 20
            assert law.rows.min() >= 20
        assert n_runs > 8


def test_runs_of_panels_have_the_rows_that_they_have():
    """Amounts of one person lie beside each other: each counts, far out as well."""
    rng = np.random.default_rng(0)
    person = np.repeat(np.arange(500), 8)
    amount = np.round(20 * rng.normal(size=500)[person] + rng.normal(size=4000), 3)
    table = pd.DataFrame({"amount": amount})
    ((parts, values, _),) = in_intervals(table, person, bins=2)
    codes = parts.encode(values, np.zeros(4000, dtype=bool))
    drawn, _ = parts.draw(codes, rng)
    # Of the last twenty persons the amounts are one run.
    for share in (0.1, 0.3, 0.7, 0.9):
        at = np.quantile(amount, share)
        assert np.mean(drawn <= at) == pytest.approx(share, abs=0.01)
    assert np.std(drawn) == pytest.approx(np.std(amount), rel=0.3)
    n_values = len(table.assign(who=person).drop_duplicates())
    assert sum(law.rows.sum() for law in parts.laws) == n_values


def test_intervals_of_one_person_or_none():
    table = pd.DataFrame({"paid": np.arange(60.0), "none": np.full(60, np.nan)})
    one = np.zeros(60, dtype=int)
    with pytest.warns(DataWarning, match="none"):
        (paid, *_), (none, *_) = in_intervals(table, one)
    assert none.n_parts == 1 and none.with_missing
    (law,) = paid.laws
    assert (law.lows.tolist(), law.highs.tolist()) == ([0], [59])
    cuts = {"paid": [9.5, 49.5]}
    ((paid, *_),) = in_intervals(table[["paid"]], one, cuts=cuts)
    assert [law.lows.tolist() for law in paid.laws] == [[0], [10], [50]]


def test_values_of_few_persons_are_one_run():
    table, person = visits()
    few = table.iloc[-HEAVY - 1 :].drop(columns="often")
    for n_persons, parts, values in of_atoms(few, person[-HEAVY - 1 :] * 0):
        assert len(n_persons) == 1 and parts.n_parts - parts.with_missing == 1
        drawn, _ = parts.draw(np.zeros(999, dtype=int), np.random.default_rng(0))
        assert drawn.mean() == pytest.approx(values.mean(), rel=0.05)


@pytest.mark.parametrize("n", [19, 20])
def test_of_what_fewer_than_twenty_persons_have_no_atom_tells(n, rng):
    """Prices of a list, and odd amounts of few persons with many rows."""
    person = np.append(np.repeat(np.arange(500), 4), np.repeat(np.arange(n), 50))
    price = np.append(
        rng.choice([10.0, 20.0, 30.0], 2000), rng.normal(5e4, 1e4, 50 * n)
    )
    ((n_persons, parts, _),) = of_atoms(pd.DataFrame({"price": price}), person)
    assert n_persons.min() >= 20
    assert (parts.highs.max() > 4e4) == (n == 20)


def test_nobody_makes_a_heap_alone(rng):
    """Fifteen persons have odd amounts, and one of them the same in 500 rows."""
    person = np.append(np.arange(15), np.full(500, 7))
    price = np.append(rng.uniform(10, 2000, 15).round(2), np.full(500, 777.25))
    ((n_persons, parts, _),) = of_atoms(pd.DataFrame({"price": price}), person)
    assert n_persons.tolist() == [15]
    assert (parts.lows < parts.highs).all()


def test_each_run_is_of_twenty_persons_where_each_has_one_row():
    """Ages of few values, of which one is that of many."""
    rng = np.random.default_rng(26)
    age = np.where(rng.random(1500) < 0.3, 40, rng.integers(18, 90, 1500))
    table, person = pd.DataFrame({"age": age}), np.arange(1500)
    ((n_persons, _, _),) = of_atoms(table, person)
    assert n_persons.min() >= 20


@pytest.mark.slow
def test_tails_are_kept_where_nobody_has_far_more_rows_than_others(rng):
    """Weights of 120 persons, forty each, which differ more than those of one do."""
    person, off = np.repeat(np.arange(120), 40), []
    for _ in range(4):
        weight = (rng.normal(75, 15, 120)[person] + rng.normal(0, 5, 4800)).round(1)
        ((_, parts, values),) = of_atoms(pd.DataFrame({"weight": weight}), person)
        codes = parts.encode(values, np.zeros(len(values), dtype=bool))
        drawn, _ = parts.draw(codes, np.random.default_rng(0))
        high = np.quantile(drawn, 0.99) - np.quantile(values, 0.99)
        off.append(high / values.std())
    assert abs(np.mean(off)) < 0.1


@pytest.mark.parametrize("by_many", [False, True])
def test_a_weekday_that_one_person_has_often_is_no_habit(by_many, rng):
    """All come on weekdays, and one of 300 persons, or many, on Sundays."""
    days = pd.date_range("2000-01-01", "2009-12-31")
    weekdays, sundays = days[days.day_of_week < 5], days[days.day_of_week == 6]
    came = rng.choice(weekdays, 900), rng.choice(sundays, 60, replace=False)
    others = rng.integers(0, 300, 60) if by_many else np.full(60, 300)
    table = pd.DataFrame({"came": np.concatenate(came)})
    ((_, parts, _),) = of_atoms(table, np.append(np.arange(900) // 3, others))
    *_, saturdays, of_sundays = parts.grains.weekdays
    assert (of_sundays > 1.5 * saturdays) == by_many


@pytest.mark.slow
@pytest.mark.parametrize("by_many", [False, True])
def test_nor_is_it_one_beside_days_that_many_have(by_many, rng):
    """Most come on weekdays that 20 persons have, 17 once on each day of the week.

    Eight more Sundays are of eight others, or of one person.
    """
    days = pd.date_range("2000-01-01", "2009-12-31")
    of_week = [rng.permutation(days[days.day_of_week == i]) for i in range(7)]
    many = np.repeat(np.concatenate([own[:60] for own in of_week[:5]]), 30)
    few = np.concatenate([own[60:77] for own in of_week])
    came = np.concatenate([many, few, of_week[6][77:85]])
    others = np.arange(4000, 4008) if by_many else np.full(8, 4000)
    person = np.concatenate(
        [np.arange(9000) % 3000, 3000 + np.arange(len(few)), others]
    )
    ((_, parts, _),) = of_atoms(pd.DataFrame({"came": came}), person)
    *_, saturdays, of_sundays = parts.calendar.weekdays
    assert (of_sundays > saturdays) == by_many


def visits_of(n_special, digits, special, rng):
    """Twelve amounts of each of 120 persons, those of the first with other digits."""
    person = np.repeat(np.arange(120), 12)
    amount = np.round(rng.lognormal(6, 0.6, len(person)), digits)
    return np.where(person < n_special, special(amount), amount), person


def drawn_of(amount, person):
    table = pd.DataFrame({"amount": amount})
    ((_, parts, values),) = of_atoms(table, person)
    codes = parts.encode(np.tile(values, 5), np.zeros(5 * len(values), dtype=bool))
    return parts.draw(codes, np.random.default_rng(0))[0]


@pytest.mark.parametrize(("n", "is_told"), [(15, False), (60, True)])
def test_last_digits_of_fewer_than_twenty_persons_are_not_told(n, is_told, rng):
    """Fifteen persons have 180 amounts in .37, an eighth of all."""
    drawn = drawn_of(*visits_of(n, 2, lambda x: np.floor(x) + 0.37, rng))
    share = np.mean(np.rint(100 * drawn) % 100 == 37)
    assert share == pytest.approx(n / 120 if is_told else 0.01, abs=0.03)


@pytest.mark.parametrize(("n", "is_told"), [(15, False), (60, True)])
def test_how_round_numbers_of_fewer_than_twenty_persons_are_is_not_told(
    n, is_told, rng
):
    drawn = drawn_of(*visits_of(n, 0, lambda x: np.rint(x / 50) * 50, rng))
    by_chance = 1 / 50
    share = np.mean(drawn % 50 == 0)
    told = n / 120 + (1 - n / 120) * by_chance
    assert share == pytest.approx(told if is_told else by_chance, abs=0.03)


@pytest.mark.parametrize(("n", "is_told"), [(5, False), (60, True)])
def test_digits_of_fewer_than_twenty_persons_are_not_drawn(n, is_told, rng):
    """Five persons have 60 amounts in cents, a twenty-fourth of all."""
    drawn = drawn_of(*visits_of(n, 0, lambda x: x + 0.37, rng))
    assert (drawn % 1 != 0).any() == is_told


def test_numbers_of_visits_beyond_those_of_many_are_told_with_the_last_of_many():
    """16 of 128 persons came three to eight times, and nobody was drawn with three."""
    n_visits = np.repeat([1, 2, 3, 4, 5, 6, 8], [84, 28, 8, 5, 1, 1, 1])
    person = np.repeat(np.arange(128), n_visits)
    visit = np.concatenate([np.arange(1, n + 1) for n in n_visits])
    [(n_persons, parts, values)] = of_atoms(pd.DataFrame({"visit": visit}), person)
    assert parts.labels == ("1", "2 to 4") and n_persons.tolist() == [128, 44]
    codes = parts.encode(values, np.zeros(len(values), dtype=bool))
    drawn, _ = parts.draw(codes, np.random.default_rng(0))
    assert set(drawn) == {1, 2, 3, 4}
    # Amounts of as few would tell what nobody else has.
    paid = np.array([0, 100, 200, 1733, 2619, 4125, 5310, 6404, 7001])[visit]
    [(_, parts, _)] = of_atoms(pd.DataFrame({"paid": paid}), person)
    assert parts.labels == ("100", "200")


@pytest.mark.parametrize("far", [50, 300, 900, 50_000])
def test_what_one_person_has_further_out_than_others_tells_nothing(far):
    """20 persons have doses that few have, and one of them a far one, or five times."""
    own = {0: 600, 10: 600, 20: 600, 30: 11, 40: 8}
    values = np.repeat([*own], [*own.values()])
    person = np.concatenate([np.arange(n) for n in own.values()])
    table = pd.DataFrame({"dose": [*values, *[far] * 5]})
    [(_, parts, _)] = of_atoms(table, np.append(person, [3] * 5))
    assert parts.labels == ("0", "10", "20 to 40")
    [(_, without, _)] = of_atoms(table[:-5], person)
    assert parts.labels == without.labels
    for one, other in zip(
        parts.spreads.values(), without.spreads.values(), strict=True
    ):
        assert one.values.tolist() == other.values.tolist()
        assert one.shares.tolist() == other.shares.tolist()


def test_numbers_of_few_persons_have_no_law_with_one_that_as_few_have():
    """Fifteen persons have 200 twice each, and twelve what is beyond it."""
    many = [(who, value) for who in range(300) for value in (0, 10)]
    few = [(who, 200) for who in range(15)] * 2
    few += [(who, value) for who in range(50, 62) for value in (350, 351)]
    person, values = np.array(many + few).T
    counts = ColumnCounts(*np.unique(values, return_counts=True))
    ruler, holders = SteppedRuler(1), Holders(values, person)
    assert divide(counts, ruler, holders) == ([], [])
