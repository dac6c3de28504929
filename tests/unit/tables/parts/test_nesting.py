import numpy as np

from coclust_synth.tables.parts.rare.rare import agreeing, finest_parent


def none_missing(codes):
    return np.zeros(len(codes), dtype=bool)


def test_the_finest_of_those_that_it_is_nested_in():
    street = np.repeat(np.arange(24), 10)
    town, region = street // 3, street // 12
    found = finest_parent(street, none_missing(street), [region, town, street])
    assert found == 1


def test_few_rows_may_disagree():
    street = np.repeat(np.arange(24), 10)
    town = street // 3
    region = street // 12
    town[0] = 5  # .4 % of the rows
    assert finest_parent(street, none_missing(street), [region, town]) == 1
    town[10] = 5
    assert finest_parent(street, none_missing(street), [region, town]) == 0
    missing = none_missing(street)
    missing[0] = True
    assert finest_parent(street, missing, [region, town]) == 1


def test_more_may_where_it_is_nested_in_nothing_else():
    # Towns of the same name are in two states.
    town = np.repeat(np.arange(24), 10)
    state = town // 3
    state[0:100:10] = 7  # 4.2 % of the rows
    assert finest_parent(town, none_missing(town), [state]) == 0
    state[1:100:10] = 7
    assert finest_parent(town, none_missing(town), [state]) is None


def test_a_value_that_nearly_all_have_is_no_town(rng):
    street = rng.integers(0, 60, 6000)
    is_there = (rng.random(6000) < 0.003).astype(int)
    assert finest_parent(street, none_missing(street), [is_there]) is None


def test_rows_that_agree_are_those_of_the_commonest(rng):
    codes, above = rng.integers(0, 9, 200), rng.integers(0, 4, 200)
    rows = rng.integers(1, 5, 200)
    for weights, own in (None, np.ones(200)), (rows, rows):
        expected = [
            max(np.bincount(above[codes == c], own[codes == c])) for c in range(9)
        ]
        assert agreeing(codes, above, weights).tolist() == expected


def test_values_of_one_row_each_are_nested_in_nothing():
    name = np.arange(500)
    assert finest_parent(name, none_missing(name), [name % 2]) is None


def test_chance_is_no_nesting():
    # Two rows of each of 15 values: half of all pairs agree, all of them in 2 ** -15.
    code, coin = np.repeat(np.arange(15), 2), np.repeat(np.arange(15) % 2, 2)
    assert finest_parent(code, none_missing(code), [coin]) is None
    code, coin = np.repeat(np.arange(40), 2), np.repeat(np.arange(40) % 2, 2)
    assert finest_parent(code, none_missing(code), [coin]) == 0


def test_a_constant_column_and_no_rows():
    code = np.repeat(np.arange(4), 50)
    assert finest_parent(code, none_missing(code), [np.zeros(200, int)]) is None
    assert finest_parent(code, np.ones(200, bool), [code]) is None


def test_many_rows_of_each_value():
    """Chances below any floating number, without a warning."""
    code = np.repeat(np.arange(4), 5000)
    assert finest_parent(code, none_missing(code), [code // 2]) == 0
