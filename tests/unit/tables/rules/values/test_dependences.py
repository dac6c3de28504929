"""Columns that others tell together, value by value."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.exceptions import DataWarning, SchemaError
from coclust_synth.tables.relations import Dependence, Fit, Nested
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.measured import count_broken
from coclust_synth.tables.rules.values.dependences import (
    broken_by,
    find_dependences,
    learn_lookup,
)
from coclust_synth.tables.rules.values.lookup import Lookup

ROUTE = Dependence(("origin", "dest"), "distance")


def flights(n=3000, seed=0):
    """Flights whose distance is that of their route; few fly some of the routes."""
    rng = np.random.default_rng(seed)
    origin, dest = rng.choice(["A", "B", "C"], n), rng.choice(list("klmnopq"), n)
    rare = (origin == "C") & (dest == "q")
    dest[rare & (np.cumsum(rare) > 12)] = "k"
    distances = rng.permutation(900)[:21] + 100
    place = 7 * np.unique(origin, return_inverse=True)[1]
    place += np.unique(dest, return_inverse=True)[1]
    return pd.DataFrame(
        {
            "origin": origin,
            "dest": dest,
            "delay": np.round(rng.exponential(20, n)),
            "distance": distances[place],
        }
    )


def found(columns, fits=(), k=20, persons=None):
    return find_dependences(evidence_of(columns, persons), dict(fits), k)


@pytest.fixture(scope="module")
def evidence():
    return evidence_of(flights())


def test_two_columns_tell_a_third(evidence):
    assert find_dependences(evidence, {}, 20) == [ROUTE]
    rules = rules_of(evidence, None, 20)
    rule = next(rule for rule in rules.all if rule.relation == ROUTE)
    assert str(rule) == "origin, dest -> distance"
    # The 12 of the rarest route are about it, but what they fly is not told.
    assert (rule.rows, rule.individuals, rule.broken) == (3000, 2988, 0)
    again = rules_of(evidence, rules.relations, 20)
    assert again.all == rules.all
    assert again.lookup("distance").to_dict() == rules.lookup("distance").to_dict()
    assert rules.lookup("dest") is None


def test_three_columns_tell_a_fourth(rng):
    bits = rng.integers(0, 3, (4000, 3))
    names = np.array([f"n{i}" for i in rng.permutation(27)])
    columns = {name: bits[:, j].astype(str) for j, name in enumerate("abc")}
    columns["told"] = names[bits @ [9, 3, 1]]
    assert [r for r in found(columns) if r.target == "told"] == [
        Dependence(("a", "b", "c"), "told")
    ]


@pytest.mark.slow
def test_what_one_column_tells_is_not_told_by_two():
    table = flights()
    table["region"] = table["dest"].map(dict(zip("klmnopq", "xxyyyzz", strict=True)))
    assert found(table) == [ROUTE]
    rules = rules_of(evidence_of(table), None, 20)
    assert Nested("dest", "region") in rules.relations


def test_a_number_that_is_told_alone_is_told_value_by_value(rng):
    age = rng.integers(20, 90, 5000)
    table = {"age": age, "premium": rng.permutation(1000)[age]}
    rules = rules_of(evidence_of(table), None, 20)
    assert rules.relations == (Dependence(("age",), "premium"),)


def postcodes(n=6000, seed=0):
    """Codes of which several, one after the other, are of a city."""
    rng = np.random.default_rng(seed)
    code = 10_000 + 37 * rng.integers(0, 30, n) + rng.integers(0, 3, n)
    city = np.array([f"city{i}" for i in rng.permutation(30)])[(code - 10_000) // 37]
    return {"code": code, "city": city, "fee": np.round(rng.exponential(20, n), 2)}


def test_intervals_of_numbers_tell_categories():
    assert found(postcodes()) == [Dependence(("code",), "city")]


def test_numbers_of_no_order_or_that_others_tell_tell_no_category():
    """Some amount happens to be of one city; a fee of what is bought."""
    table = postcodes()
    mixed = np.random.default_rng(1).permutation(1200)[table["code"] - 10_000]
    assert found(table | {"code": mixed}) == []
    told = {"code": Fit("code", ("fee",), (1.0,), 0.0, False)}
    assert found(table, told) == []


def test_exact_fits_are_left_and_near_ones_give_way():
    near = Fit("distance", ("delay",), (1.0,), 0.0, False, about=True)
    assert found(flights(), {"distance": near}) == [ROUTE]
    exact = Fit("distance", ("delay",), (1.0,), 0.0, False)
    assert "distance" not in {
        each.target for each in found(flights(), [("distance", exact)])
    }


def test_no_column_is_told_from_itself():
    back = Fit("origin", ("distance",), (1.0,), 0.0, False)
    assert ROUTE not in found(flights(), {"origin": back})


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t, rng: t.assign(distance=rng.permutation(t["distance"])),
        # One of the rows of every hundred has another distance.
        lambda t, rng: t.assign(distance=t["distance"] + (rng.random(len(t)) < 0.01)),
        # The same for nearly all.
        lambda t, rng: t.assign(distance=(rng.random(len(t)) < 0.001) * 1),
        lambda t, rng: t.head(150),
    ],
)
def test_what_chance_or_few_rows_do_is_no_dependence(spoil):
    assert found(spoil(flights(), np.random.default_rng(0))) == []


def test_a_column_that_tells_nothing_beside_the_other_is_left_out():
    table = flights()
    table["distance"] = np.where(np.arange(3000) % 400 == 0, 7, 9)
    assert found(table) == []


def test_rows_of_a_person_are_one():
    table = flights(60)
    table = pd.concat([table] * 40, ignore_index=True)
    assert found(table) == [ROUTE]
    assert found(table, persons=np.tile(np.arange(60), 40)) == []


def test_only_values_that_twenty_have_are_told(evidence):
    lookup, names = learn_lookup(evidence, ROUTE), evidence.coding.names
    own = evidence.codes[:, [names.index(name) for name in ROUTE.parents]]
    table = pd.DataFrame(own).assign(code=evidence.codes[:, names.index("distance")])
    counts = table.value_counts()
    expected = {key[:2]: key[2] for key, n in counts.items() if n >= 20}
    assert len(expected) == 20 == len(lookup.keys)
    told = [expected.get(tuple(key), -1) for key in own.tolist()]
    np.testing.assert_array_equal(lookup.told(own), told)
    assert lookup.told(np.array([[-1, 0], [0, 99]])).tolist() == [-1, -1]


def test_rows_of_other_tables_that_break_it_are_counted(evidence):
    rules = rules_of(evidence, (ROUTE,), 20)
    other = flights()
    at = np.flatnonzero((other["origin"] == "A") & (other["dest"] == "l"))[:5]
    other.loc[at, "distance"] = other["distance"].max()
    rare = np.flatnonzero((other["origin"] == "C") & (other["dest"] == "q"))[:2]
    other.loc[rare, "distance"] = other["distance"].max()
    drawn = evidence.of_drawn(other, evidence.coding, evidence.of_codes)
    assert count_broken(rules, drawn) == [7]
    broken, known, is_told = broken_by(rules.lookups[0], drawn)
    assert np.flatnonzero(broken).tolist() == sorted([*at, *rare])
    assert known.all() and (~is_told).sum() == 12


def test_rows_of_other_tables_may_miss_what_this_one_has(evidence):
    rules, other = rules_of(evidence, (ROUTE,), 20), flights()
    other.loc[other["origin"] == "C", "origin"] = None
    other.loc[:9, "dest"] = None
    drawn = evidence.of_drawn(other, evidence.coding, evidence.of_codes)
    broken = broken_by(rules.lookups[0], drawn)[0]
    lacks = other[["origin", "dest"]].isna().any(axis=1)
    usual = other.groupby(["origin", "dest"], dropna=False)["distance"]
    usual = usual.transform(lambda own: own.mode()[0])
    differs = lacks & (other["distance"] != usual)
    assert 0 < differs.sum() < lacks.sum()
    assert not broken[~differs].any()


@pytest.mark.slow
def test_pooled_values_go_with_any():
    table = flights()
    table.loc[:15, "dest"] = list("rstu") * 4
    evidence = evidence_of(table)
    assert rules_of(evidence, None, 20).told["distance"] == ROUTE
    assert not broken_by(learn_lookup(evidence, ROUTE), evidence)[1][:16].any()


def test_one_that_does_not_hold_or_is_of_few_is_refused_or_left_out(evidence):
    with pytest.raises(SchemaError, match=r"at most 0.5%.*'dest -> distance', which"):
        rules_of(evidence, (Dependence(("dest",), "distance"),), 20)
    with pytest.warns(DataWarning, match="describe 2989 individuals"):
        assert rules_of(evidence, (ROUTE,), 2989).all == ()


def test_keys_beyond_one_whole_number_are_found_too(rng):
    keys = np.unique(rng.integers(0, 4, (40, 9)), axis=0).astype(np.int32)
    codes = rng.integers(0, 9, len(keys)).astype(np.int32)
    asked = np.vstack([keys[::-1], rng.integers(-1, 6, (300, 9))])
    known = {tuple(key): code for key, code in zip(keys.tolist(), codes, strict=True)}
    expected = [known.get(tuple(key), -1) for key in asked.tolist()]
    columns = tuple("abcdefghi")
    assert Lookup(columns, "y", keys, codes).told(asked).tolist() == expected

    # 2^8 codes in each column: 2^72 combinations.
    wide = np.vstack([keys, np.full((1, 9), 255, np.int32)])
    lookup = Lookup(columns, "y", wide, np.append(codes, np.int32(3)))
    assert lookup.told(asked).tolist() == expected
    assert lookup.told(np.full((1, 9), 255)).tolist() == [3]


def test_a_lookup_comes_back_from_json(evidence):
    lookup = learn_lookup(evidence, ROUTE)
    data = json.loads(json.dumps(lookup.to_dict()))
    assert Lookup.from_dict(data).to_dict() == lookup.to_dict()
    with pytest.raises(ValueError, match="lookups"):
        Lookup.from_dict(data | {"codes": data["codes"][1:]})


def test_a_value_is_told_whose_code_stands_for_several():
    """Who has two claims is one of few: their code is that of one claim, too."""
    claims = np.repeat([0, 1, 2], [3000, 450, 15])
    paid = np.where(claims == 1, 100 * (1 + np.arange(3465) % 5), 900 * (claims == 2))
    evidence = evidence_of({"paid": paid, "claims": claims})
    parts = evidence.coding.parts[1]
    assert parts.lows[-1] < parts.highs[-1]
    lookup = learn_lookup(evidence, Dependence(("paid",), "claims"))
    told = lookup.numbers(lookup.keys)
    is_none = np.isnan(told)
    assert (lookup.codes[is_none] == 0).all() and set(told[~is_none]) == {1.0}
    again = Lookup.from_dict(json.loads(json.dumps(lookup.to_dict())))
    np.testing.assert_array_equal(again.numbers(lookup.keys), told)
