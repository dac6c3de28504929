"""Two releases of overlapping people: worked examples, and the slow twin."""

import naive.two_releases as naive
import numpy as np
import pandas as pd
import pytest
from support.generalized import cell_sets, random_release
from support.people import people

from coclust_synth import MondrianAnonymizer, ParameterError
from coclust_synth.evaluation import check_two_releases
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable

ATTACKS = ("order", "values", "difference")


def left_of(check):
    return {own.name: own.left for own in check.attacks}


def released(sets, leaves, **others):
    """A release of one column, whose cells are these sets of its leaves."""
    members = [[leaf in own for leaf in leaves] for own in sets]
    codes = np.arange(len(sets))
    column = GeneralizedColumn.from_members("x", leaves, False, members, codes)
    return GeneralizedTable((column,), pd.DataFrame(others) if others else None)


def sweeney():
    """Twelve people, by race and by ZIP code, released twice."""
    zips = ("02138", "02139", "02141", "02142")
    races = ("Asian", "Black", "White")
    rows = [(race, code) for race in races for code in zips]

    def release(race_sets, zip_sets):
        columns = []
        for name, leaves, sets, at in (
            ("race", races, race_sets, 0),
            ("zip", zips, zip_sets, 1),
        ):
            members = [[leaf in own for leaf in leaves] for own in sets]
            codes = [
                next(i for i, own in enumerate(sets) if row[at] in own) for row in rows
            ]
            columns.append(
                GeneralizedColumn.from_members(name, leaves, False, members, codes)
            )
        return GeneralizedTable(tuple(columns))

    return (
        release([races], [[code] for code in zips]),
        release([[race] for race in races], [zips[:2], zips[2:]]),
    )


def test_two_tables_in_one_order_reveal_the_table_they_are_of():
    first, second = sweeney()
    check = check_two_releases(first, second)
    assert check.k == (3, 2) and check.n_rows == (12, 12)
    assert left_of(check) == {"order": 1, "values": None, "difference": None}
    assert check.left == 1 and check.asked == 2 and not check.holds
    # In orders of their own they do not.
    mixed = second.take(np.random.default_rng(1).permutation(12))
    check = check_two_releases(first, mixed)
    assert left_of(check)["order"] is None and check.left == 2 and check.holds
    assert not check_two_releases(first, mixed, k=3).holds
    # Of tables whose labels nobody says any two may fit.
    frames = first.to_frame(), second.to_frame()
    assert check_two_releases(*frames, ["race", "zip"]).left == 1


def test_a_column_of_both_links_the_rows_of_two_classes():
    """Who is in both first classes has the flu, as only this is in both."""
    first = released([{1, 2}] * 3, (1, 2), ill=["flu", "cold", "cough"])
    second = released([{2}] * 3, (1, 2), ill=["flu", "ache", "ache"])
    check = check_two_releases(first, second, sensitive=["ill"])
    assert check.linking == ("ill",) and check.values_left == {"ill": 1}
    assert left_of(check)["values"] == 1 and not check.holds
    apart = released([{1}] * 3, (1, 2), ill=["flu", "ache", "ache"])
    met = released([{2}] * 3, (1, 2), ill=["flu", "cold", "cough"])
    assert left_of(check_two_releases(met, apart))["values"] is None


def test_numbers_of_one_file_are_the_texts_of_another():
    first = released([{1}] * 3, (1, 2), code=[1, 2, 3])
    second = released([{1}] * 3, (1, 2), code=["1", "2", "x"])
    assert left_of(check_two_releases(first, second))["values"] == 2
    some = released([{1}] * 3, (1, 2), code=[1, 2, None])
    texts = released([{1}] * 3, (1, 2), code=["1", "2", None])
    assert left_of(check_two_releases(some, texts)) == {
        "order": 3,
        "values": 3,
        "difference": None,
    }
    flags = released([{1}] * 3, (1, 2), code=[True, False, True])
    words = released([{1}] * 3, (1, 2), code=["True", "False", "?"])
    assert left_of(check_two_releases(flags, words))["values"] == 2


def test_an_update_gives_away_who_is_new():
    first = released([{1}] * 3 + [{2}] * 3, (1, 2))
    second = released([{1}] * 4 + [{2}] * 6, (1, 2))
    check = check_two_releases(first, second)
    assert left_of(check) == {"order": None, "values": None, "difference": 1}
    assert not check.holds and check_two_releases(second, first).left == 1
    # Three new ones in each class that has some.
    more = released([{1}] * 3 + [{2}] * 6, (1, 2))
    assert check_two_releases(first, more).holds
    # A class that has fewer than before: not all of the people are in it.
    fewer = released([{1}] * 2 + [{2}] * 8, (1, 2))
    assert left_of(check_two_releases(first, fewer))["difference"] is None


@pytest.mark.parametrize("seed", range(24))
def test_the_figures_are_those_of_the_slow_twin(seed):
    rng = np.random.default_rng(seed)
    tables, values = [], []
    n = rng.integers(2, 9, 2)
    if seed % 3 == 0:
        n[1] = n[0]
    for size in n:
        table = random_release(rng, int(size), (3, 3), n_sets=2)
        values.append(rng.integers(0, 2, size).tolist())
        others = pd.DataFrame({"s": values[-1]})
        tables.append(GeneralizedTable(table.columns, others))
    if seed % 6 == 0:
        tables[1], values[1] = tables[0], values[0]
    check = check_two_releases(*tables)
    sets = [cell_sets(own) for own in tables]
    expected = {f: getattr(naive, f"by_{f}")(*sets, *values) for f in ATTACKS}
    assert left_of(check) == expected
    blind = [GeneralizedTable(own.columns) for own in tables]
    none = [[0] * len(own) for own in values]
    expected = {f: getattr(naive, f"by_{f}")(*sets, *none) for f in ATTACKS}
    assert left_of(check_two_releases(*blind)) == expected | {"values": None}


def test_suppressed_rows_are_left_out():
    ones = released([{1}] * 3 + [{1, 2}], (1, 2), s=[1, 1, 1, 2])
    suppressed = GeneralizedTable(
        ones.columns, ones.others, suppressed=np.array([0, 0, 0, 1], dtype=bool)
    )
    other = released([{1}] * 3, (1, 2), s=[1, 1, 2])
    assert left_of(check_two_releases(ones, other))["values"] == 1
    check = check_two_releases(suppressed, other)
    assert check.k == (3, 3) and left_of(check)["values"] == 2


def test_a_batch_that_keeps_the_rule_passes_against_what_it_completes():
    fitted = MondrianAnonymizer(8, quasi_identifiers=["age", "job"]).fit(people(200))
    batch = fitted.transform(people(400, seed=1))
    both = GeneralizedTable.from_frame_and_sidecar(
        pd.concat([fitted.release_.to_frame(), batch.to_frame()], ignore_index=True),
        batch.sidecar(),
    )
    assert check_two_releases(fitted.release_, both, k=8).holds
    one_less = both.take(np.arange(both.n_rows))
    grown = batch.to_frame().iloc[:1]
    one_more = GeneralizedTable.from_frame_and_sidecar(
        pd.concat([one_less.to_frame(), grown], ignore_index=True), batch.sidecar()
    )
    assert check_two_releases(both, one_more, k=8).left == 1


def test_what_cannot_be_compared_is_refused():
    first, second = sweeney()
    with pytest.raises(ParameterError, match="at least one quasi-identifier"):
        check_two_releases(first.to_frame(), second)
    with pytest.raises(ParameterError, match="age"):
        check_two_releases(first, second, ["age"])
    with pytest.raises(ParameterError, match="ill"):
        check_two_releases(first, second, sensitive=["ill"])
    with pytest.raises(ParameterError, match="k"):
        check_two_releases(first, second, k=0)
