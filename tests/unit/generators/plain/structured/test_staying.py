"""What stays from one row of a person to the next, and what changes with it."""

import numpy as np
import pandas as pd
import pytest
from support import panels

from coclust_synth.generators.plain.structured.staying import (
    Stayed,
    find_stays,
    of_most,
)


def test_values_stay_that_do_so_beyond_chance_and_beside_the_next_ones(rng):
    earlier = rng.integers(1, 200, 1000) / 4
    price = np.where(rng.random(1000) < 0.2, earlier, rng.integers(1, 200, 1000) / 4)
    stays = find_stays(price, earlier, 20)
    assert (stays == (price == earlier)).all()
    assert find_stays(price, earlier, 400) is None
    # Of those that have a price.
    price[:100], earlier[50:150] = np.nan, np.nan
    assert find_stays(price, earlier, 20) is not None
    counts = rng.poisson(np.repeat(rng.gamma(1, 2, 500), 2)).reshape(500, 2).T
    assert np.mean(counts[0] == counts[1]) > 0.25
    assert find_stays(*counts.astype(float), 20) is None
    mostly = np.where(rng.random((2, 1000)) < 0.9, 0, rng.integers(1, 9, (2, 1000)))
    assert find_stays(*mostly.astype(float), 20) is None
    town = rng.integers(0, 30, 1000)
    for share, is_found in ((0.6, True), (0.4, False)):
        own = np.where(rng.random(1000) < share, town, 30)
        assert (find_stays(own, town, 20) is not None) is is_found
    assert find_stays(np.empty(0), np.empty(0), 1) is None


def test_values_do_not_stay_where_only_the_commonest_one_does(rng):
    ill = (rng.random((2, 1000)) < 0.05).astype(np.int32)
    assert find_stays(*ill, 1) is None
    stays = ill[1] & (rng.random(1000) < 0.6)
    assert find_stays(np.maximum(stays, ill[0]), ill[1], 1) is not None
    paid = np.where(ill, rng.integers(1, 90, (2, 1000)), 0.0)
    paid[0] = np.where((ill[1] == 1) & (rng.random(1000) < 0.3), paid[1], paid[0])
    assert find_stays(*paid, 1) is None


def test_what_is_missing_twice_has_stayed():
    numbers = {"paid": np.array([1.0, 2.0, np.nan, np.nan])}
    numbers["before"] = np.array([1.0, np.nan, np.nan, 3.0])
    codes = np.array([[0, 0, 4, 4], [0, 0, 4, 5]]).T
    names = "paid", "before", "town", "town before"
    codes = np.column_stack([codes[:, :1] * 0, codes[:, :1] * 0, codes])
    own = Stayed(0, 1).codes(names, numbers, codes)
    assert own.tolist() == [1, 0, 1, 0]
    own = Stayed(2, 3)
    assert own.codes(names, numbers, codes).tolist() == [1, 1, 1, 0]
    assert Stayed.from_dict(own.to_dict()) == own


def moves(n=300, each=6, seed=0):
    """Flats of tenants: who moves has other rooms, and another rent."""
    rng = np.random.default_rng(seed)
    flat = (rng.random((n, each)) < 0.3).cumsum(axis=1) + 100 * np.arange(n)[:, None]
    _, flat = np.unique(flat, return_inverse=True)
    of_flat = rng.integers(0, 1 << 30, flat.max() + 1)[flat.ravel()]
    return pd.DataFrame(
        {
            "tenant": np.repeat(np.arange(n), each),
            "year": np.tile(np.arange(2000, 2000 + each), n),
            "rooms": of_flat % 4 + 1,
            "rent": 400 + of_flat // 7 % 40 * 10,
        }
    )


@pytest.mark.slow
def test_columns_change_together():
    table = moves()
    drawn = panels.fitted(table, "tenant").sample()
    both = []
    for own in (table, drawn):
        steps = own.groupby("tenant")[["rooms", "rent"]].diff().dropna() == 0
        both.append(steps.corr().iloc[0, 1])
    assert both[0] > 0.75
    assert both[1] > 0.65


def test_values_stay_in_rows_in_which_another_column_does(rng):
    town, same_day = rng.integers(0, 30, 1000), rng.random(1000) < 0.1
    own = np.where(same_day, town, rng.integers(0, 30, 1000))
    for earlier, now in ((town, own), (town / 4, own / 4)):
        assert find_stays(now, earlier, 20) is None
        assert (find_stays(now, earlier, 20, [same_day]) == (now == earlier)).all()
        assert find_stays(now, earlier, 200, [same_day]) is None
        # Nor in any rows, nor where it does as often in the others.
        assert find_stays(now, earlier, 20, [rng.random(1000) < 0.1]) is None
    likely = rng.random((2, 1000)) < 0.4
    likely[0] |= same_day & likely[1]
    codes = np.where(likely, 0, rng.integers(1, 30, (2, 1000)))
    assert find_stays(*codes, 20, [same_day]) is None


def visits(n=400, each=5, seed=0):
    """Visits of patients: two of one day are at one place, others hardly are."""
    rng = np.random.default_rng(seed)
    days = rng.integers(1, 90, (n, each)) * (rng.random((n, each)) < 0.8)
    new = (days > 0) | (np.arange(each) == 0)
    visit = (new.cumsum(axis=1) + each * np.arange(n)[:, None]).ravel()
    dates = np.datetime64("2020-01-01") + days.cumsum(axis=1).ravel()
    return pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), each),
            "date": dates.astype("datetime64[s]"),
            "place": np.char.mod("p%d", rng.integers(0, 60, visit.max() + 1)[visit]),
        }
    )


def same_place(table):
    """How many rows are of the place of the row before, of one day and of others."""
    last = table.groupby("patient")[["date", "place"]].shift()
    later, same_day = last.place.notna(), table.date == last.date
    is_same = table.place == last.place
    return is_same[later & same_day].mean(), is_same[later & ~same_day].mean()


@pytest.mark.slow
def test_rows_of_one_day_are_of_one_place():
    table = visits()
    of_day, others = same_place(table)
    assert of_day == 1
    assert others < 0.04
    of_day, others = same_place(panels.fitted(table, "patient").sample())
    assert of_day > 0.9
    assert others < 0.1


@pytest.mark.parametrize(("n_stay", "is_told"), [(19, False), (20, True), (24, True)])
def test_what_stays_with_another_column_does_so_with_most_persons(n_stay, is_told):
    person = np.repeat(np.arange(40), np.r_[400, np.full(39, 2)])
    stays, rows = person < n_stay, np.ones(len(person), dtype=bool)
    assert stays.mean() > 0.5

    def n_of(some):
        return len(np.unique(person[some]))

    assert bool(of_most([rows], stays, n_of, 10)) is is_told
    assert not of_most([rows], stays, n_of, n_stay + 1)
