"""Numbers and dates that few hold: nobody's own value, and nobody's extreme."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from coclust_synth import infer_schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare.rare_numbers import pool_numbers, released_ends
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import ColumnCounts, count_values
from coclust_synth.tables.table import TableValues

INTEGERS, CENTS = SteppedRuler(1), SteppedRuler(0.01, whole=False)


def pooled(values, rare=10, **fields):
    frame = pd.DataFrame({"a": values})
    column = infer_schema(frame).keep("a")["a"]
    column = Column(**{**vars(column), **fields})
    return pool_numbers(TableValues(frame), column, rare)


def counted(series):
    return series.value_counts().to_dict()


def test_a_value_that_one_person_has_is_not_given_away():
    children = np.repeat([0, 1, 2, 3, 5, 6, 11], [500, 200, 90, 30, 3, 2, 1])
    series, column, told = pooled(children)
    assert counted(series) == {0: 500, 1: 200, 2: 90, 3: 36}
    assert column.bounds == (0, 3) and told == ("a", 3, 6)
    assert series.dtype == children.dtype


def test_rare_values_join_the_nearest_common_one():
    series, _, told = pooled(np.repeat([1.5, 2.0, 3.0, 3.5], [40, 5, 3, 30]))
    assert counted(series) == {1.5: 45, 3.5: 33} and told == ("a", 2, 8)
    # Of two as near, the commoner.
    assert counted(pooled(np.repeat([1, 2, 3], [30, 4, 50]))[0]) == {1: 30, 3: 54}


def test_rare_values_beyond_the_common_ones_are_released_as_their_mean():
    """All were the nearest common value: a total was a quarter too small."""
    siblings = np.repeat([0, 1, 2, 3, 4, 5, 8], [500, 200, 40, 16, 18, 5, 7])
    series, column, told = pooled(siblings)
    assert counted(series) == {0: 500, 1: 200, 2: 40, 4: 46}
    assert column.bounds == (0, 4) and told == ("a", 4, 46)
    # Nobody's own value: 6, the nearest to the mean, is one person's.
    liens = np.repeat([0, 4, 5, 6, 8, 9], [900, 5, 7, 1, 9, 6])
    assert counted(pooled(liens)[0]) == {0: 900, 7: 28}
    # In groups of twenty, in order; between common values the nearest one stands.
    many = np.repeat([0, 1, 2, 3, 9, 11, 12, 13, 14], [9, 14, 12, 12, 50, 8, 9, 9, 15])
    assert counted(pooled(many)[0]) == {1: 23, 2: 24, 9: 50, 13: 41}
    gap = np.repeat([0, 4, 6, 10], [50, 15, 15, 50])
    assert counted(pooled(gap)[0]) == {0: 65, 10: 65}


def test_dates_of_a_short_list():
    days = pd.to_datetime(["2024-01-01", "2024-02-01", "2024-02-03"])
    series, column, _ = pooled(np.repeat(days, [30, 30, 2]))
    assert counted(series) == {days[0]: 30, days[1]: 32}
    assert column.bounds == ("2024-01-01", "2024-02-01")


def test_persons_are_counted_where_rows_are_of_persons():
    # One person has 30 of the highest wages, and 25 rows of the value 7.
    wages = np.concatenate([np.arange(1000, 3000), np.arange(9000, 9030)])
    persons = Persons("who", np.append(np.arange(2000), np.zeros(30, int)))
    frame = pd.DataFrame({"a": wages})
    column = infer_schema(frame).keep("a")["a"]
    _, column, _ = pool_numbers(TableValues(frame), column, 10, persons=persons)
    assert column.bounds[1] < 3100
    children = pd.DataFrame({"a": np.repeat([1, 2, 7], [40, 40, 25])})
    column = infer_schema(children)["a"]
    persons = Persons("who", np.append(np.arange(80), np.zeros(25, int)))
    series, _, _ = pool_numbers(TableValues(children), column, 10, persons=persons)
    assert counted(series) == {1: 40, 2: 65}


def test_missing_values_stay():
    series, _, _ = pooled(pd.Series([1.0, 2.0] * 30 + [np.nan] * 3 + [9.0]))
    assert series.isna().sum() == 3 and counted(series) == {1.0: 30, 2.0: 31}


def test_what_the_schema_says_comes_first():
    children = np.repeat([0, 1, 2], [500, 200, 25])
    assert pooled(children)[2] is None
    assert counted(pooled(children, rare=30)[0]) == {0: 500, 1: 225}
    series, column, told = pooled(np.arange(500), bounds=(0, 1000))
    assert series.max() == 499 and column.bounds == (0, 1000) and told is None


def test_ends_of_wages(rng):
    wages = np.round(rng.lognormal(7, 1, 2000), 2)
    series, column, _ = pooled(wages)
    assert column.bounds[0] > wages.min() and column.bounds[1] < wages.max()
    assert series.min() == column.bounds[0] and series.max() == column.bounds[1]
    assert len(f"{column.bounds[1]:g}".rstrip("0")) <= 2
    beyond = (wages < column.bounds[0]).sum(), (wages > column.bounds[1]).sum()
    assert max(beyond) < MIN_ROWS // 2
    inside = (wages > column.bounds[0]) & (wages < column.bounds[1])
    np.testing.assert_array_equal(series[inside], wages[inside])


def test_ends_of_dates_are_those_of_the_calendar(rng):
    days = pd.Timestamp("1931-05-17") + pd.to_timedelta(rng.integers(0, 9000, 900), "D")
    _, column, _ = pooled(days)
    assert {end[-2:] for end in column.bounds} <= {"01", "11", "21"}
    assert "1931-05-17" < column.bounds[0] < "1932-06-01"


def test_an_end_that_many_share_is_told():
    values = np.concatenate([[0] * 400, np.arange(1, 400), [999] * 20])
    assert pooled(values)[1].bounds == (0, 999)


def test_ends_of_a_narrow_type_are_held_by_it():
    values = np.random.default_rng(0).normal(0.1, 0.01, 400).astype("float32")
    series, column, _ = pooled(values)
    assert series.dtype == np.float32
    assert column.bounds == (series.min(), series.max())


@pytest.mark.parametrize("values", [[7], [7] * 5, [1, 2], [3, 3, 9], list(range(15))])
def test_columns_of_few_values(values):
    counts = count_values(np.array(values), np.zeros(len(values), bool))
    low, high = released_ends(counts, counts, INTEGERS)
    assert min(values) <= low <= high <= max(values)


@settings(deadline=None, phases=[Phase.generate])
@given(
    st.lists(st.tuples(st.integers(-900, 900), st.integers(1, 30)), min_size=21),
    st.sampled_from([(INTEGERS, 1), (CENTS, 0.07), (ContinuousRuler(), 0.123)]),
)
def test_an_end_describes_enough_people(pairs, kind):
    ruler, unit = kind
    rows = dict(pairs)
    values = np.round(np.array(sorted(rows)) * unit, 3)
    counts = ColumnCounts(
        values if unit != 1 else values.astype(int),
        np.array([rows[k] for k in sorted(rows)]),
    )
    few = min(MIN_ROWS, counts.n_present)
    low, high = released_ends(counts, counts, ruler)
    assert low <= high
    for end, sign in ((low, 1), (high, -1)):
        held = ruler.snap(counts.values) * sign
        n_extreme = counts.counts[held == held.min()].sum()
        assert held.min() < end * sign or n_extreme >= few or few < MIN_ROWS
        # As many individuals are there or beyond it, or up to the next value.
        last = np.sort(np.repeat(held, counts.counts))[few - 1]
        after = min(held[held > last], default=np.inf)
        assert end * sign < after or end * sign == last or few < MIN_ROWS
