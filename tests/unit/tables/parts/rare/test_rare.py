"""Categories that few hold: what they are released as, and that nothing tells them."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from support.examples import examples

from coclust_synth import SchemaError, infer_schema
from coclust_synth.tables.column import Column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.pools import Pool
from coclust_synth.tables.parts.rare.rare import pool_categories
from coclust_synth.tables.parts.rare.released import release_values
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues


def times(counts):
    """A column with each of some values so often."""
    return [value for value, n in counts.items() for _ in range(n)]


def released(table, rare=10, **fields):
    """What `release_values` makes of a table; `fields` are those of its columns."""
    frame = pd.DataFrame(table)
    schema = infer_schema(frame)
    schema = schema.keep(*schema.undecided)
    columns = [
        Column(**{**vars(column), **fields.get(column.name, {})})
        for column in schema.columns
    ]
    return release_values(frame, Schema(tuple(columns)), rare)


def counted(series):
    """How often each value is there that is."""
    counts = series.value_counts(dropna=False)
    return counts[counts > 0].to_dict()


PETS = GeneralizationHierarchy.from_lines(
    "pet",
    [
        ("cat", "felines", "mammals", "*"),
        ("lynx", "felines", "mammals", "*"),
        ("puma", "felines", "mammals", "*"),
        ("dog", "dog", "mammals", "*"),
        ("elk", "elk", "mammals", "*"),
        ("ox", "ox", "mammals", "*"),
        ("owl", "owl", "birds", "*"),
        ("emu", "emu", "birds", "*"),
    ],
)


def test_rare_texts_are_the_lowest_nodes_that_enough_hold():
    counts = {"cat": 30, "lynx": 6, "puma": 5, "dog": 4, "elk": 3, "ox": 3}
    counts |= {"owl": 9, "emu": 2}
    frame = pd.DataFrame({"pet": times(counts)})
    given = {"pet": PETS}
    found = release_values(frame, infer_schema(frame), 10, hierarchies=given)
    assert counted(found.frame["pet"]) == {
        "cat": 30,
        "felines": 11,
        "mammals": 10,
        "birds": 11,
    }
    assert [(p.values, p.rows) for p in found.pooled] == [(7, 32)]
    rare = ("lynx", "puma", "dog", "elk", "ox", "owl", "emu")
    assert not any(text in json.dumps(found.pools[0].to_dict()) for text in rare)


def test_what_no_node_gathers_is_a_group_of_its_own():
    counts = {"cat": 30, "lynx": 6, "puma": 5, "owl": 5, "dog": 5}
    frame = pd.DataFrame({"pet": times(counts)})
    given = {"pet": PETS}
    found = release_values(frame, infer_schema(frame), 10, hierarchies=given)
    assert counted(found.frame["pet"]) == {"cat": 30, "felines": 11, "(other)": 10}


@pytest.mark.parametrize("name", ["{lynx, puma}", "{cat, lynx, ...+1}", "[lynx, puma]"])
def test_a_node_that_lists_rare_values_is_no_name_of_them(name):
    lines = [
        (pet, name if pet in ("lynx", "puma") else pet, "animals", "*")
        for pet in PETS.leaves
    ]
    given = {"pet": GeneralizationHierarchy.from_lines("pet", lines)}
    frame = pd.DataFrame({"pet": times({"cat": 30, "lynx": 6, "puma": 5})})
    found = release_values(frame, infer_schema(frame), 10, hierarchies=given)
    assert counted(found.frame["pet"]) == {"cat": 30, "animals": 11}


def test_a_node_named_as_a_common_value_is_numbered():
    lines = [
        (pet, "cat" if pet in ("lynx", "puma") else pet, "*") for pet in PETS.leaves
    ]
    given = {"pet": GeneralizationHierarchy.from_lines("pet", lines)}
    frame = pd.DataFrame({"pet": times({"cat": 30, "lynx": 6, "puma": 5})})
    found = release_values(frame, infer_schema(frame), 10, hierarchies=given)
    assert counted(found.frame["pet"]) == {"cat": 30, "cat (2)": 11}


def test_rare_texts_are_one_group():
    found = released({"pet": times({"cat": 30, "dog": 10, "owl": 9, "elk": 1})})
    assert counted(found.frame["pet"]) == {"cat": 30, "dog": 10, "(other)": 10}
    assert found.schema["pet"].categories == ("cat", "dog", "(other)")
    assert found.pooled == (("pet", 2, 10),)


def test_a_group_of_too_few_is_the_commonest_value():
    found = released({"pet": times({"cat": 30, "dog": 11, "owl": 5, "elk": 4})})
    assert counted(found.frame["pet"]) == {"cat": 39, "dog": 11}
    assert found.schema["pet"].categories == ("cat", "dog")
    assert found.pooled == (("pet", 2, 9),)


def test_nothing_is_rare():
    found = released({"pet": times({"cat": 30, "dog": 10})})
    assert found.pools == found.pooled == ()


def test_missing_is_a_value_like_the_others():
    pets = [*times({"cat": 30, "owl": 8}), *[None] * 3]
    assert counted(released({"pet": pets}).frame["pet"]) == {"cat": 30, "(other)": 11}
    pets = [*times({"cat": 30, "dog": 20}), *[None] * 3]
    assert counted(released({"pet": pets}).frame["pet"]) == {"cat": 33, "dog": 20}
    pets = pd.Series([*times({"cat": 30, "owl": 3}), *[None] * 12])
    assert released({"pet": pets}).frame["pet"].isna().sum() == 12


def test_all_values_are_rare():
    names = [f"name {i}" for i in range(40)]
    assert counted(released({"name": names}).frame["name"]) == {"(other)": 40}
    few = pd.Series([*names[:4], *[None] * 30])
    assert released({"name": few}).frame["name"].isna().all()


@pytest.fixture
def nested():
    """Streets in towns: of the last town no street is common."""
    towns = {
        "A": {"A1": 40, "A2": 40, "A3": 6, "A4": 6},
        "B": {"B1": 50, "B2": 40, "B3": 4},
        "C": {f"C{i}": 2 for i in range(15)},
        "D": {"D1": 4, "D2": 4},
    }
    rows = [(t, s) for t, of in towns.items() for s, n in of.items() for _ in range(n)]
    return pd.DataFrame(rows, columns=["town", "street"])


def test_within_the_value_that_it_is_nested_in(nested):
    towns = nested["town"].replace("D", "B")
    found = released(nested.assign(town=towns))
    pairs = found.frame.value_counts().to_dict()
    assert pairs == {
        ("A", "A1"): 40,
        ("A", "A2"): 40,
        ("A", "A (other)"): 12,
        ("B", "B1"): 50,
        ("B", "B2"): 40,
        ("B", "B (other)"): 12,
        ("C", "C (other)"): 30,
    }


def test_a_parent_that_is_pooled_itself(nested):
    found = released(nested)
    # D has 8: too few for a name, it is released as the commonest town.
    assert counted(found.frame["town"]) == {"A": 92, "B": 102, "C": 30}
    assert found.schema["street"].categories == tuple(
        ["A1", "A2", "B1", "B2", "A (other)", "B (other)", "C (other)"]
    )


def test_groups_of_equal_columns_are_equal(nested):
    # A term and its code in a dictionary, which are often the same.
    found = released(nested.assign(coded=nested["street"]))
    assert (found.frame["coded"] == found.frame["street"]).all()
    assert "A (other)" in set(found.frame["coded"])


@pytest.mark.parametrize(
    ("n_same", "group"), [(8, "A (other)"), (4, "A (other) (other)")]
)
def test_a_group_has_the_name_of_another_where_most_are_the_same(nested, n_same, group):
    rare, coded = nested["street"].isin(["A3", "A4"]), nested["street"].copy()
    coded[rare.cumsum() > n_same] += "*"
    found = released(nested.assign(coded=coded))
    assert set(found.frame["street"][rare]) == {"A (other)"}
    assert set(found.frame["coded"][rare]) == {group}


@pytest.mark.parametrize(
    ("n_away", "groups"),
    [(5, {"A (other)", "B (other)", "C (other)"}), (8, {"(other)"})],
)
def test_most_rows_of_a_county_are_in_one_state(n_away, groups):
    """Counties of one name are in several states: of 30 rows of each, some."""
    state = np.repeat(["A", "B", "C"], 4 * 30 + 6 * 3)
    county = [
        f"{s}{i}" for s in "ABC" for i in np.repeat(range(10), [30] * 4 + [3] * 6)
    ]
    frame = pd.DataFrame({"county": county, "state": state})
    is_away = frame.groupby("county").cumcount() < n_away
    is_away &= frame["county"].str[1] < "4"
    frame.loc[is_away, "state"] = frame["state"].map({"A": "B", "B": "C", "C": "A"})
    found = released(frame).frame["county"]
    assert {own for own in found if "other" in own} == groups


def test_a_column_that_repeats_another_is_not_nested_in_it():
    """Who was born in a rare country does not get one of who lives in the same."""
    lives = np.repeat(["A", "B", "C"], 100)
    born = np.where(np.arange(300) % 100 < 82, lives, "X").astype(object)
    born[born == "X"] = [f"X{i % 14}" for i in range(54)]
    found = released(pd.DataFrame({"born": born, "lives": lives})).frame["born"]
    assert set(found) == {"A", "B", "C", "(other)"}


def test_too_few_in_a_parent_are_the_commonest_there(nested):
    nested = nested[nested["town"].isin(["A", "B"])].reset_index(drop=True)
    pairs = released(nested).frame.value_counts().to_dict()
    assert pairs[("A", "A (other)")] == 12
    assert pairs[("B", "B1")] == 54 and ("B", "(other)") not in pairs


def test_the_groups_name_is_no_missing_mark():
    found = released(
        {"pet": times({"cat": 30, "owl": 12, "elk": 1, "emu": 9})},
        pet={"missing": ("(other)",)},
    )
    assert found.schema["pet"].categories == ("cat", "owl", "(other) (2)")


def test_ordinal_values_join_the_nearest_common_one():
    order = ["none", "low", "mid", "high", "top"]
    counts = {"none": 3, "low": 20, "mid": 4, "high": 30, "top": 2}
    grades = pd.Series(pd.Categorical(times(counts), order, ordered=True))
    found = released({"grade": grades})
    # Two are as near to "mid": the commoner one has it.
    assert counted(found.frame["grade"]) == {"low": 23, "high": 36}
    assert found.frame["grade"].cat.categories.tolist() == ["low", "high"]
    assert found.frame["grade"].cat.ordered


def test_a_boolean_that_few_hold_is_the_other_one():
    found = released({"flag": [True] * 4 + [False] * 60})
    assert not found.frame["flag"].any() and found.frame["flag"].dtype == bool
    assert found.schema["flag"].categories == (False, True)
    assert found.pooled == (("flag", 1, 4),)


def test_categories_that_are_no_texts_get_no_new_name():
    codes = pd.Series(pd.Categorical(times({1: 30, 2: 12, 7: 6, 9: 6}), [1, 2, 7, 9]))
    found = released({"code": codes})
    assert counted(found.frame["code"]) == {1: 42, 2: 12}
    assert found.frame["code"].cat.categories.tolist() == [1, 2]
    few = pd.Series(pd.Categorical(range(30)))
    assert released({"code": few}).frame["code"].isna().all()


def test_values_that_nobody_holds_stay_in_the_list():
    listed = ["eel", "cat", "elk", "owl"]
    pets = pd.Categorical(times({"cat": 30, "owl": 12, "elk": 9}), listed)
    found = released({"pet": pd.Series(pets)})
    assert found.frame["pet"].cat.categories.tolist() == ["eel", "cat", "owl"]


def test_public_columns_and_a_columns_own_number():
    table = {"pet": times({"cat": 30, "dog": 15, "owl": 9, "elk": 2})}
    assert released(table, pet={"public": True}).pooled == ()
    assert released(table, pet={"rare": 2}).pooled == ()
    assert released(table, pet={"rare": 20}).pooled == (("pet", 3, 26),)


def test_persons_are_counted_where_rows_are_of_persons():
    pets = pd.DataFrame({"pet": times({"cat": 30, "owl": 30})})
    column = infer_schema(pets)["pet"]
    persons = Persons("who", np.array([*range(30), *[0] * 21, *range(9)]))
    coded, pool, pooled = pool_categories(
        TableValues(pets), column, 10, persons=persons
    )
    assert pooled.rows == 30 and coded.column.categories == ("cat",)
    assert pool.default == "cat"


@pytest.mark.parametrize("field", [{"rare": 0}, {"rare": True}, {"public": 1}])
def test_fields_of_a_column(field):
    with pytest.raises(SchemaError, match=next(iter(field))):
        Column(name="a", **field)


def test_a_schema_keeps_them():
    column = Column(name="a", kind="categorical", rare=25, public=True)
    schema = Schema((column,))
    assert Schema.from_toml(schema.to_toml()) == schema
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema


# New tables, and what is saved


def coding_of(found):
    return TableCoding.learn(found.frame, found.schema, pools=found.pools)


def test_new_tables_are_encoded(nested):
    found = released(nested)
    coding = coding_of(found)
    again = TableCoding.from_dict(json.loads(json.dumps(coding.to_dict())))
    np.testing.assert_array_equal(again.encode(nested), coding.encode(found.frame))
    new = pd.DataFrame({"town": ["A", "B", "Z"], "street": ["?", "B1", "A1"]})
    for strict in (True, False):
        codes = again.encode(new, strict=strict)
        labels = [parts.labels for parts in again.parts]
        named = [[of[c] for of, c in zip(labels, row, strict=True)] for row in codes]
        assert named == [["A", "A (other)"], ["B", "B1"], ["B", "A1"]]


def test_within_the_whole_number_that_it_is_nested_in():
    """Lists of four are all rare: they are together what lists of four are."""
    lists = {f"{i};{j}": (2, 20) for i in "abc" for j in "defg"}
    lists |= {f"{i};{j};x;y": (4, 2) for i in "abcdef" for j in "ghijk"}
    lists |= {"a": (1, 200), "b": (1, 4), "x;y;z": (3, 15), "k;l;m": (3, 4)}
    rows = [(text, own) for text, (own, n) in lists.items() for _ in range(n)]
    frame = pd.DataFrame(rows, columns=["codes", "count"])
    kind = {"kind": "integer", "categories": None, "bounds": (1, 4), "step": 1}
    found = released(frame, count=kind)
    (pool,) = found.pools
    assert pool.parent == "count"
    # Fewer than 20 have three codes: no number of theirs is told.
    assert pool.targets == {1: "a", 2: "a;d", 4: "4 (other)"}
    pairs = found.frame.value_counts().to_dict()
    assert pairs["4 (other)", 4] == 60 and pairs["a", 1] == 204
    coding = coding_of(found)
    again = TableCoding.from_dict(json.loads(json.dumps(coding.to_dict())))
    new = pd.DataFrame({"codes": ["?", "?", "a;d", "?"], "count": [4, 1, 2, 3]})
    codes = again.encode(new)[:, 0]
    labels = [again.parts[0].labels[code] for code in codes]
    assert labels == ["4 (other)", "a", "a;d", pool.default]


def test_a_column_without_rare_values_takes_no_other(nested):
    coding = coding_of(released({"pet": ["cat", "dog"] * 20}))
    with pytest.raises(SchemaError, match="'owl'"):
        coding.encode(pd.DataFrame({"pet": ["owl"]}))


def test_a_pool_must_fit_its_schema():
    schema = Schema((Column(name="a", kind="categorical", categories=("x",)),))
    Pool("a", None, {}, "x").check(schema)
    for pool in (
        Pool("b", None, {}, "x"),
        Pool("a", "b", {}, "x"),
        Pool("a", None, {}, "y"),
    ):
        with pytest.raises(SchemaError):
            pool.check(schema)


# Any table


@st.composite
def tables(draw):
    n = draw(st.integers(12, 60))
    outer = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    inner = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    holes = draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    nested = draw(st.booleans())
    child = [f"{o}{i}" if nested else f"{i}" for o, i in zip(outer, inner, strict=True)]
    return pd.DataFrame(
        {
            "outer": [f"v{o}" for o in outer],
            "child": pd.Series(child).mask(pd.Series(holes) == 0),
            "coded": pd.Categorical(inner),
            "ordered": pd.Categorical(outer, range(5), ordered=True),
            "flag": pd.Series(inner, dtype="Int64") == 0,
        }
    ), draw(st.integers(1, 10))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.DataWarning")
@settings(deadline=None, max_examples=examples(40), phases=[Phase.generate])
@given(tables())
def test_no_rare_value_is_left(drawn):
    table, rare = drawn
    found = released(table, rare)
    pd.testing.assert_index_equal(found.frame.columns, table.columns)
    for name in table:
        before, after = counted(table[name]), counted(found.frame[name])
        # A missing flag is neither equal to another nor different from it.
        was, now = (
            t[name].astype(object).where(t[name].notna(), None)
            for t in (table, found.frame)
        )
        rows = was.eq(now) | was.isna() & now.isna()
        kept = was.map(lambda v, n=before: n.get(v, rare) >= rare).astype(bool)
        # A common value is released as it is.
        assert rows[kept & was.notna()].all()
        if max(before.values()) >= rare or len(after) > 1:
            assert min(after.values()) >= rare
        for value, n in before.items():
            if n < rare and pd.notna(value) and len(after) > 1:
                assert value not in after
    codes = coding_of(found).encode(found.frame)
    again = coding_of(found).encode(table)
    unordered = [0, 1, 2, 4]
    np.testing.assert_array_equal(codes[:, unordered], again[:, unordered])


def test_codes_of_which_none_is_common_are_refused():
    codes = np.repeat(np.arange(40), 8)
    kind = {"kind": "categorical", "bounds": None, "step": None}
    fields = {"code": kind | {"categories": tuple(range(40))}}
    with pytest.raises(SchemaError, match="a category of 10 individuals"):
        released({"code": codes}, **fields)
    assert set(released({"code": codes}, rare=8, **fields).frame["code"]) == {
        *range(40)
    }
    texts = released({"code": codes.astype(str)}).frame["code"]
    assert set(texts) == {"(other)"}
    missing = released({"code": pd.array(codes, dtype="Int64")}, **fields)
    assert missing.frame["code"].isna().all()


def test_a_pair_of_few_is_no_target():
    """One code of another block, noted once in a block of rare ones."""
    block = np.repeat(np.arange(1, 5), 300)
    code = 100 * block + np.arange(1200) % 3
    code[900:] = 400 + np.arange(300) // 5
    code[950] = 101
    kind = {"kind": "categorical", "bounds": None, "step": None}
    fields = {
        "block": kind | {"categories": (1, 2, 3, 4)},
        "code": kind | {"categories": tuple(np.unique(code).tolist())},
    }
    (pool,) = released({"block": block, "code": code}, **fields).pools
    assert pool.name == "code" and 4 not in pool.targets


@pytest.mark.parametrize("public", [False, True])
def test_categories_of_rows_that_were_left_out_are_not_told(public):
    """A schema still has the disease of somebody who is left out of the table."""
    table = pd.DataFrame({"code": times({"flu": 30, "cold": 20, "kuru": 1})})
    column = {**vars(infer_schema(table)["code"]), "public": public}
    own = release_values(table[:-1], Schema((Column(**column),)), 10)
    assert ("kuru" in own.schema["code"].categories) == public
    coding = TableCoding.learn(own.values, own.schema)
    assert ("kuru" in json.dumps(coding.to_dict())) == public
    assert coding.parts[0].labels == ("cold", "flu")
