import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.values.keys import (
    Key,
    learn_keys,
    person_key,
    schema_with_keys,
    with_keys,
)

# A digit and two letters, of which one may be before it.
ENDS = [
    own for i in range(10) for c in "KLMNOPQRST" for own in (f"{i}{c}{c}", f"{c}{i}{c}")
]


def key_of(values, dtype=None):
    frame = pd.DataFrame(
        {"a": range(len(values)), "id": pd.Series(values, dtype=dtype)}
    )
    (key,) = learn_keys(frame, infer_schema(frame).keep("a").as_key("id"))
    assert key.position == 1
    return key


@pytest.mark.parametrize(
    "values, made",
    [
        ([3, 1, 2], [11, 12, 13]),
        ([0, 4, 7, 12], [101, 102, 103]),
        ([734, 812, 299], [101, 102, 103]),
        ([-12, 17, 33], [101, 102, 103]),
        ([*range(100_000, 100_090)], [100_101, 100_102]),
        ([7.0, 9.0, 11.0], [101.0, 102.0, 103.0]),
        (["AB-00123", "AB-71000", "AB-00009"], ["AB-10001", "AB-10002", "AB-10003"]),
        (["EMP-00001", "EMP-00017", "EMP-03000"], ["EMP-10001", "EMP-10002"]),
        (["2021-017", "2023-231"], ["2020-001", "2020-002"]),
        (["+491736", "+491792"], ["+491701", "+491702"]),
        (["7590-VHV", "5575-GNV", "3668-QPY"], ["0000-AAB", "0000-AAC"]),
        (["x9f", "x0a", "x4e"], ["x1b", "x1c", "x1d"]),
        ([f"{i:03d}-{i % 3}" for i in range(60)], ["101-0", "102-1", "103-2", "104-0"]),
        ([f"{i}/{19 + i % 2}" for i in range(40)], ["101/19", "102/20", "103/19"]),
        ([f"{i}/{i % 4}" for i in range(40)], ["1", "2"]),
        (["user7", "user12", "user1"], ["user101", "user102", "user103"]),
        (["ann@x.org", "bob@yy.org", "c@x.org"], ["1", "2", "3"]),
        (["1", "b", "22x"], ["11", "12"]),
        (["K" + "9" * 18, "K1"], ["K" + "1" * 19, "K" + "1" * 18 + "2"]),
    ],
)
def test_keys_are_counted_in_the_pattern_of_the_tables(values, made):
    key = key_of(values)
    assert key.make(len(made)).tolist() == made
    again = Key.from_dict(json.loads(json.dumps(key.to_dict())))
    assert again == key
    assert key.make(3).dtype == pd.Series(values).dtype


@pytest.mark.parametrize(
    "values",
    [
        [f"EMP-{number:05d}" for number in range(1, 301)],
        [f"EMP-{number:05d}" for number in range(99_700, 100_000)],
        [f"{2000 + number % 9}/{number:02d}" for number in range(1, 100)],
        [f"K{number}" for number in range(300)],
        [str(number) for number in [*range(150), *range(10**17, 10**17 + 150)]],
        [*range(1, 301)],
        [*range(10**17, 10**17 + 300)],
        [*range(10**18, 10**18 + 300), 2**63 - 1],
        pd.array([*range(30_000, 30_300)], dtype="Int16"),
        pd.array([*range(300)], dtype="uint16"),
    ],
)
def test_no_key_of_the_table_is_made(values):
    made = key_of(values).make(3_000)
    assert made.is_unique
    assert not {*made.tolist()} & {*pd.Series(values).tolist()}
    assert made.equals(key_of(values).make(3_000))


@pytest.mark.parametrize(
    "letters, pattern",
    [
        ("0123456789abcdef-", "[0-9a-f]{4}-[0-9a-f]{7}"),
        ("0123456789ABCDEF-", "[0-9A-F]{4}-[0-9A-F]{7}"),
        ("0123456789abcdefABCDEF-", "[0-9a-fA-F]{4}-[0-9a-fA-F]{7}"),
        ("BCDFGHJKLMNPQRSTVWXYZ0123456789-", "[A-Z0-9]{4}-[A-Z0-9]{7}"),
        ("0123456789-", "[0-9]{4}-[0-9]{7}"),
    ],
)
def test_keys_of_any_characters_are_as_long(letters, pattern, rng):
    """Though each place holds any of them."""
    drawn = ["".join(own) for own in rng.choice([*letters[:-1]], (500, 11))]
    texts = [f"{text[:4]}-{text[4:]}" for text in drawn]
    made = key_of(texts).make(2_000)
    assert made.is_unique and not {*made} & {*texts}
    assert made.str.fullmatch(pattern).all()


def test_what_is_around_numbers_is_of_twenty_persons():
    texts = [f"{'AB' if i < 80 else 'XY'}{i:04d}" for i in range(100)]
    assert {text[:2] for text in key_of(texts).make(40)} == {"AB", "XY"}
    assert {text[:2] for text in key_of(texts[:99]).make(40)} == {"AB"}
    frame = pd.DataFrame({"a": range(100), "id": texts})
    schema = infer_schema(frame).keep("a").as_key("id")
    (key,) = learn_keys(frame, schema, np.arange(100) // 2)
    assert {text[:2] for text in key.make(40)} == {"AB"}
    assert "XY" not in json.dumps(key.to_dict())


@pytest.mark.parametrize(
    "usual, odd",
    [
        ("EMP-{:05d}", "unknown"),
        ("EMP-{:05d}", "EMP-00017b"),
        ("C{:05d}X", "M1"),
        ("{:08d}-a", "12"),
        ("{:04x}-{:06x}", "test"),
    ],
)
def test_keys_of_few_of_another_form_do_not_say_how_they_are(usual, odd):
    # As many as slips are; of twenty persons, or of more than a twentieth, all say it.
    keys = [usual.format(i, 7919 * i) for i in range(1, 500)]
    others = [f"{odd}{'.' * i}" for i in range(20)]
    made = key_of(keys).make(1).item()
    assert key_of([*keys, odd]).make(1).item() == made
    assert key_of([*keys, *others]).make(1).item() != made
    assert key_of([*keys[:30], *others[:2]]).make(1).item() != made


@pytest.mark.parametrize(
    "usual, odd",
    [
        # All there are of two places: those that are made have three, as this one has.
        ([f"{i:02x}" for i in range(256)], "1a0"),
        ([f"K{i}" for i in range(300)], "K1a"),
        # Letters or digits in two places: none begins with C but this one.
        ([c + own for c in "AB" for own in ENDS], "CAAA"),
    ],
)
def test_no_key_of_another_form_is_made_either(usual, odd):
    made = key_of([*usual, odd]).make(10_000).tolist()
    assert len(set(made)) == 10_000
    assert not set(made) & {*usual, odd}


def test_keys_go_on_after_those_made_before():
    key = key_of([f"{i:03d}-{i % 3}" for i in range(60)])
    whole, rest = key.make(30).tolist(), key.make(20, 10).tolist()
    assert whole[10:] == rest


def test_keys_that_were_saved_before_have_what_they_begin_with():
    key = key_of(["user7", "user12"])
    saved = key.to_dict() | {"prefix": "user"}
    del saved["around"]
    assert Key.from_dict(saved) == key


def test_no_key_of_the_table_is_kept(rng):
    texts = [f"K{number:07d}" for number in rng.choice(10**7, 500, replace=False)]
    saved = json.dumps(key_of(texts).to_dict())
    assert not any(text in saved for text in texts)


@pytest.mark.parametrize("n", [10, 11, 1500])
def test_more_rows_than_the_pattern_has_are_different_all_the_same(n):
    texts = key_of(["A1", "A2", "A7"]).make(n).tolist()
    assert len(set(texts)) == n
    assert texts[0] == "A11"


@pytest.mark.parametrize(
    "values, match",
    [
        ([1, 2, 2], "that of another row in 1"),
        (["a", None, "c"], "none in 1 of the rows"),
        ([1.5, 2.25, 3.0], "kind real"),
        (pd.to_datetime([1, 2, 3], unit="D"), "kind datetime"),
    ],
)
def test_what_is_no_key_is_refused(values, match):
    with pytest.raises(SchemaError, match=match):
        key_of(values)


def test_a_type_that_cannot_hold_them():
    key = key_of([1, 2, 3], "int8")
    assert key.make(117).dtype == "int8"
    with pytest.raises(ParameterError, match="int8"):
        key.make(118)
    assert key_of([100, 101, 102], "int8").make(3).tolist() == [1001, 1002, 1003]


def test_keys_are_in_their_places():
    frame = pd.DataFrame({"k": ["A1", "A2"], "x": [1, 5], "n": [10, 11], "y": [2, 9]})
    schema = infer_schema(frame).as_key("k", "n")
    assert schema.kept.names == ("x", "y")
    keys = learn_keys(frame, schema)
    made = with_keys(frame[["x", "y"]], keys)
    assert list(made) == list(frame)
    assert schema_with_keys(made, schema.kept, keys).names == tuple(frame)
    assert "A1" not in schema.to_toml()


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([104, 9, 999], [1001, 1002]),
        ([-50, 7], [11, 12]),
        ([1, 2, 3], [11, 12]),
        (["p017", "p231"], ["p101", "p102"]),
        (["a", "b", "cc"], ["1", "2"]),
        (["x9", "x10", "x100"], ["x1001", "x1002"]),
        ([1.5, 22.5], ["101.5", "102.5"]),
        # No month has the number 00, and no day 31 February.
        ([pd.Timestamp("2016-01-01 00:47"), pd.Timestamp("2016-02-29 13:00")], [1, 2]),
        ([f"2016-{month:02d}-17" for month in range(1, 13)], [1, 2]),
    ],
)
def test_persons_are_named_by_none_of_their_names(ids, expected):
    who = [*ids, ids[0]]
    sex = ["F", "M", *"F" * (len(who) - 2)]
    table = pd.DataFrame({"age": range(len(who)), "who": who, "sex": sex})
    schema = infer_schema(table).keep("age", "sex").drop("who")
    key = person_key(table, schema, "who")
    made = key.make(300)
    assert made.head(2).tolist() == expected
    assert made.is_unique and not set(made.astype(str)) & set(map(str, ids))
    assert Key.from_dict(key.to_dict()) == key
    frame = key.moved(table[["age", "sex"]].assign(who=made[: len(table)]))
    assert list(frame) == ["age", "who", "sex"]


def applications(n=300, seed=0):
    """Keys of a year, a code of a place, and a number: 23-07-0001."""
    rng = np.random.default_rng(seed)
    applied = pd.Timestamp("2021-01-01") + pd.to_timedelta(
        rng.integers(0, 1000, n), "D"
    )
    place = rng.choice(["07", "11", "12"], n)
    pairs = enumerate(zip(applied, place, strict=True))
    keys = [f"{d:%y}-{p}-{i:04d}" for i, (d, p) in pairs]
    return pd.DataFrame(
        {"id": keys, "age": range(n), "applied": applied, "place": place}
    )


@pytest.mark.slow
@pytest.mark.parametrize("n_others, is_repeated", [(0, True), (1, True), (9, False)])
def test_keys_repeat_what_those_of_the_table_do(n_others, is_repeated):
    frame = applications()
    frame.loc[frame.index[:n_others], "place"] = "13"
    schema = infer_schema(frame).keep("age", "applied", "place").as_key("id")
    (key,) = learn_keys(frame, schema)
    assert Key.from_dict(json.loads(json.dumps(key.to_dict()))) == key
    rows = pd.DataFrame({"applied": pd.to_datetime(["2029-05-01"] * 3 + [None])})
    rows["place"] = ["99", "07", "(other)", "07"]
    made = with_keys(rows.assign(age=1), [key])["id"]
    assert made.is_unique and not made.isin(frame["id"]).any()
    assert made[:2].str[:6].eq(["29-99-", "29-07-"]).all() == is_repeated
    # What no key would repeat is that of others, in turn.
    assert made[2:].str[:6].isin(frame["id"].str[:6]).all()


def test_keys_repeat_no_column_that_is_left_out():
    frame = applications()
    schema = infer_schema(frame).keep("age", "applied").drop("place").as_key("id")
    (key,) = learn_keys(frame, schema)
    assert key.repeats is None


def test_keys_repeat_codes_that_few_have_each():
    """Those of sixty places, of seven rows each, and of one with a long code."""
    place = (100 + np.arange(400) % 60).astype(str).astype(object)
    place[7] = "987654321"
    keys = [f"{own}-{i:05d}" for i, own in enumerate(place)]
    frame = pd.DataFrame({"place": place, "id": keys})
    (key,) = learn_keys(frame, infer_schema(frame).keep("place").as_key("id"))
    assert "987654321" not in json.dumps(key.to_dict()) and key.to_dict()["repeats"]
    assert '"longest": 3' in json.dumps(key.to_dict())
    made = with_keys(frame[["place"]], [key])["id"]
    told = made.str.split("-").str[0]
    assert (told == frame["place"]).sum() == 399 and made.is_unique
    assert not made.isin(keys).any()


def test_twenty_persons_say_what_keys_repeat():
    """Rows of one person do not."""
    frame = pd.DataFrame({"year": [*range(2000, 2030)] * 2})
    frame["id"] = [f"{year}-{i:03d}" for i, year in enumerate(frame["year"])]
    column, frame = infer_schema(frame).as_key("id")["id"], frame.astype(str)
    for whose, is_repeated in ((np.arange(60), True), (np.arange(60) // 4, False)):
        own = Key.learn(frame["id"], column, 1, whose, frame[["year"]])
        assert (own.repeats is not None) == is_repeated
