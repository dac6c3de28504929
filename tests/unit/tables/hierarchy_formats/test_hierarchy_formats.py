"""Files of hierarchies, read by readers of their own and by ours."""

import csv
import datetime
import json
import tomllib

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.hierarchies import hierarchy_lines
from support.shared import SHARED, needed

from coclust_synth import (
    GeneralizationHierarchy,
    OutputError,
    SchemaError,
    infer_schema,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables import read_hierarchies
from coclust_synth.tables.hierarchy_formats import (
    has_ranges,
    name_in_file,
    read_amnesia,
    read_amnesia_json,
    read_anjana,
    read_arx,
    read_arx_folder,
    read_json,
    read_toml,
    to_anjana,
    write_hierarchy,
)

ADULT = SHARED / "data" / "adult_hierarchies"

WORK = GeneralizationHierarchy.from_lines(
    "work place",
    [
        ("head cook", "food", "service", "*"),
        ("smith; black", "metal", "metal", "*"),
        ('"baker", says he', "food", "service", "*"),
        ("nurse", "nurse", "service", "*"),
    ],
)
AGES = GeneralizationHierarchy.from_partitions(
    "age",
    (17, 18, 25, 40, 90, None),
    [
        np.arange(6),
        np.array([0, 0, 1, 2, 2, 3]),
        np.array([0, 0, 0, 1, 1, 2]),
        np.zeros(6, int),
    ],
    [
        ["17", "18", "25", "40", "90", "?"],
        ["[17, 18]", "25", "[40, 90]", "?"],
        ["[17, 25]", "[40, 90]", "?"],
        ["*"],
    ],
    ordered=True,
)
FEW = settings(max_examples=examples(40), deadline=None)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("formats") / "file"


# Readers that share nothing with the package, after the formats' descriptions.


def paths_of(parent_of, leaves):
    """Labels above each leaf, nearest first."""
    paths = {}
    for leaf in leaves:
        path = [leaf]
        while path[-1] in parent_of:
            path.append(parent_of[path[-1]])
        paths[leaf] = path
    return paths


def without_repeats(line):
    return [label for i, label in enumerate(line) if i == 0 or label != line[i - 1]]


def independent_amnesia(text):
    head, *blocks = text.split("\n\n")
    kind, *fields = head.split("\n")
    fields = dict(field.split(" ") for field in fields)
    parent_of, level_of, n_blocks = {}, {}, 0
    for block in blocks:
        if block.strip():
            n_blocks += 1
        for line in filter(None, block.split("\n")):
            parent, has, *children = line.split(" ")
            assert has == "has" and children
            level_of[parent] = n_blocks
            for child in children:
                assert child not in parent_of
                parent_of[child] = parent
    return kind, fields, parent_of, level_of


# ARX and anjana


@pytest.mark.parametrize(
    ("format", "read", "delimiter"),
    [("arx", read_arx, ";"), ("anjana", read_anjana, ",")],
)
@FEW
@given(lines=hierarchy_lines())
def test_csv_has_a_line_for_each_leaf(format, read, delimiter, file, lines):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    write_hierarchy(hierarchy, file, format, force=True)
    with open(file, newline="") as text:
        assert [tuple(line) for line in csv.reader(text, delimiter=delimiter)] == lines
    assert read(file, "x") == hierarchy


@pytest.mark.parametrize(
    ("format", "read"), [("arx", read_arx), ("anjana", read_anjana)]
)
def test_values_of_two_lines_keep_how_these_end(format, read, tmp_path):
    """Lines that end in a return, too, were read as others: two values as one."""
    lines = [(f"one{end}two", "*") for end in ("\n", "\r\n", "\r")]
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    write_hierarchy(hierarchy, tmp_path / "x.csv", format)
    assert read(tmp_path / "x.csv") == hierarchy


def test_arx_quotes_as_arx_does(tmp_path):
    path = tmp_path / "people_hierarchy_work.csv"
    write_hierarchy(WORK, path, "arx")
    assert path.read_text() == (
        "head cook;food;service;*\n"
        '"smith; black";metal;metal;*\n'
        '"""baker"", says he";food;service;*\n'
        "nurse;nurse;service;*\n"
    )
    assert read_arx(path).name == "work"
    with pytest.raises(OutputError, match="exists"):
        write_hierarchy(WORK, path, "arx")


def test_a_folder_of_arx(tmp_path):
    with pytest.raises(SchemaError, match="Received none"):
        read_arx_folder(tmp_path)
    write_hierarchy(WORK, tmp_path / "people_hierarchy_work.csv", "arx")
    write_hierarchy(AGES, tmp_path / "people_hierarchy_age_at_work.csv", "arx")
    (tmp_path / "people.csv").touch()
    found = read_arx_folder(tmp_path)
    assert list(found) == ["age_at_work", "work"]
    assert found["age_at_work"].leaves == ("17", "18", "25", "40", "90", "?")
    marked = ["state / province", "a/b", "a%2Fb", "a%252Fb", "%%5C\\", "10 %"]
    for name in marked:
        named = f"t_hierarchy_{name_in_file(name)}.csv"
        write_hierarchy(WORK, tmp_path / named, "arx")
    assert {*marked} <= {*read_arx_folder(tmp_path)}
    (tmp_path / "other_hierarchy_work.csv").write_text("a;*\n")
    with pytest.raises(SchemaError, match="Received a second in 'people_hier"):
        read_arx_folder(tmp_path)


def test_files_may_be_named_after_their_columns_alone(tmp_path):
    frame = pd.DataFrame({"work": WORK.leaves, "age": range(4)})
    with pytest.raises(SchemaError, match="named <column> or <table>_hierarchy"):
        read_hierarchies(tmp_path, frame, infer_schema(frame))
    write_hierarchy(WORK, tmp_path / "work.csv", "arx")
    (tmp_path / "homework.csv").touch()
    found = read_hierarchies(tmp_path, frame, infer_schema(frame))
    assert found["work"].leaves == WORK.leaves and list(found) == ["work"]
    write_hierarchy(WORK, tmp_path / "people_hierarchy_work.csv", "arx")
    with pytest.raises(SchemaError, match="Expected one hierarchy of 'work'"):
        read_hierarchies(tmp_path, frame, infer_schema(frame))


def test_lines_of_files_are_numbered(tmp_path):
    path = tmp_path / "t_hierarchy_work.csv"
    path.write_text('a;"two\nlines";*\n\nb;*\n')
    with pytest.raises(SchemaError, match="'work': expected 3 labels on line 4"):
        read_arx(path)
    path.write_bytes(b"\xff;*\n")
    with pytest.raises(SchemaError, match="Received: "):
        read_arx(path)
    with pytest.raises(SchemaError, match="No such file"):
        read_arx(tmp_path / "no.csv")


@pytest.mark.parametrize(
    "name",
    "age education marital-status native-country occupation race salary-class sex "
    "workclass".split(),
)
def test_the_hierarchies_of_arx_for_adult(name, tmp_path):
    path = ADULT / f"adult_hierarchy_{name}.csv"
    hierarchy = read_arx(needed(path))
    assert hierarchy.name == name
    write_hierarchy(hierarchy, tmp_path / "again.csv", "arx")
    written = (tmp_path / "again.csv").read_text()
    assert written.splitlines() == path.read_text().splitlines()
    assert read_arx(tmp_path / "again.csv", name) == hierarchy


def test_all_of_adult_at_once():
    found = read_arx_folder(needed(ADULT))
    assert {name: h.height for name, h in found.items()} == {
        "age": 4,
        "education": 3,
        "marital-status": 2,
        "native-country": 2,
        "occupation": 2,
        "race": 1,
        "salary-class": 1,
        "sex": 1,
        "workclass": 2,
    }


def test_anjana_gets_a_series_for_each_level(tmp_path):
    numbers = GeneralizationHierarchy.from_lines(
        "n", [("17", "low", "*"), ("40", "high", "*")], leaves=(17, 40), ordered=True
    )
    levels = to_anjana(numbers)
    assert list(levels) == [0, 1, 2]
    assert levels[0].dtype == "int64" and levels[0].tolist() == [17, 40]
    assert levels[1].tolist() == ["low", "high"] and levels[2].tolist() == ["*", "*"]
    assert to_anjana(AGES, dtype="Int64")[0].dtype == "Int64"
    write_hierarchy(numbers, tmp_path / "n.csv", "anjana")
    as_read = dict(pd.read_csv(tmp_path / "n.csv", header=None))
    for level, labels in levels.items():
        assert as_read[level].tolist() == labels.tolist()
    assert as_read[0].dtype == levels[0].dtype


def test_anjana_anonymises_with_it():
    anonymity = pytest.importorskip("anjana.anonymity")
    table = pd.DataFrame(
        {"age": [17, 18, 25, 40, 90] * 2, "job": ["cook"] * 5 + ["smith"] * 5}
    )
    ages = GeneralizationHierarchy.from_lines(
        "age",
        [line for line in AGES.lines() if line[0] != "?"],
        leaves=AGES.leaves[:-1],
        ordered=True,
    )
    jobs = GeneralizationHierarchy.from_lines("job", [("cook", "*"), ("smith", "*")])
    released = anonymity.k_anonymity(
        table,
        [],
        ["age", "job"],
        4,
        0,
        {"age": to_anjana(ages), "job": to_anjana(jobs)},
    )
    assert len(released) == 10 and released.groupby(["age", "job"]).size().min() >= 4
    assert set(released["age"]) <= {label for level in ages.labels for label in level}


# Amnesia


@FEW
@given(lines=hierarchy_lines(st.text("abcé;,", min_size=1, max_size=4)))
def test_amnesia_texts(file, lines):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    write_hierarchy(hierarchy, file, "amnesia", force=True)
    kind, fields, parent_of, _ = independent_amnesia(file.read_text())
    height = str(hierarchy.height + 1)
    assert kind == "distinct"
    assert fields == {"name": "x", "type": "string", "height": height}
    paths = paths_of(parent_of, hierarchy.leaves)
    assert paths == {line[0]: without_repeats(line) for line in lines}
    again = read_amnesia(file)
    assert sorted(again.lines()) == sorted(lines)


def test_amnesia_labels_have_no_blanks_and_are_different(tmp_path):
    tree = GeneralizationHierarchy.from_lines(
        "my work",
        [("a b", "has", "*"), ("a_b", "a b", "*"), ("", "a b", "*")],
        leaves=("a b", "a_b", None),
    )
    write_hierarchy(tree, tmp_path / "t.txt", "amnesia")
    _, fields, parent_of, _ = independent_amnesia((tmp_path / "t.txt").read_text())
    assert fields["name"] == "my_work"
    assert not any(" " in label for label in [*parent_of, *parent_of.values()])
    assert "has" not in {*parent_of, *parent_of.values()}
    again = read_amnesia(tmp_path / "t.txt")
    assert [again.height, again.n_leaves] == [2, 3]
    assert len({*again.labels[0], *again.labels[1], *again.labels[2]}) == 6
    assert "NaN" in again.labels[0]


@FEW
@given(lines=hierarchy_lines())
def test_amnesia_json(file, lines):
    hierarchy = GeneralizationHierarchy.from_lines("my work", lines)
    write_hierarchy(hierarchy, file, "amnesia-json", force=True)
    content = json.loads(file.read_text())
    levels = [content.pop(f"level{i}") for i in range(1, hierarchy.height + 1)]
    assert content == {
        "hierType": "distinct",
        "name": "my work",
        "type": "string",
        "height": hierarchy.height + 1,
    }
    assert list(levels[0]) == ["*"]
    parent_of = {c: p for level in levels for p, of in level.items() for c in of}
    paths = paths_of(parent_of, hierarchy.leaves)
    assert paths == {line[0]: without_repeats(line) for line in lines}
    assert sorted(read_amnesia_json(file).lines()) == sorted(lines)


def test_ranges_of_amnesia(tmp_path):
    assert has_ranges(AGES)
    write_hierarchy(AGES, tmp_path / "age.txt", "amnesia-ranges")
    kind, fields, parent_of, level_of = independent_amnesia(
        (tmp_path / "age.txt").read_text()
    )
    assert kind == "range"
    assert fields == {"name": "age", "type": "int", "height": "3"}
    assert parent_of == {
        "17,25": "17,40",
        "25,40": "17,40",
        "17,40": "17,90",
        "40,90": "17,90",
        "NaN,NaN": "17,90",
    }
    assert level_of == {"17,40": 1, "17,90": 2}
    # The values that Amnesia finds in a range are those of one node.
    for label in set(parent_of) - {"NaN,NaN"}:
        low, high = map(float, label.split(","))
        inside = [
            code
            for code, leaf in enumerate(AGES.leaves[:-1])
            if low <= leaf and (leaf < high or high == 90)
        ]
        level, node = AGES.covering(inside)
        assert np.flatnonzero(AGES.node_of(level) == node).tolist() == inside
    again = read_amnesia(tmp_path / "age.txt")
    assert sorted(again.lines()) == [
        ("17,25", "17,40", "17,90"),
        ("25,40", "17,40", "17,90"),
        ("40,90", "40,90", "17,90"),
        ("NaN,NaN", "NaN,NaN", "17,90"),
    ]


def test_what_has_no_ranges(tmp_path):
    spread = GeneralizationHierarchy.from_lines(
        "n",
        [("1", "a", "*"), ("2", "b", "*"), ("3", "a", "*")],
        leaves=(1, 2, 3),
        ordered=True,
    )
    flat = GeneralizationHierarchy.from_lines(
        "n", [("1", "*"), ("2", "*")], leaves=(1, 2), ordered=True
    )
    joined = GeneralizationHierarchy.from_lines(
        "n", [("1", "a", "*"), ("", "a", "*")], leaves=(1, None), ordered=True
    )
    for hierarchy in (WORK, spread, flat, joined):
        assert not has_ranges(hierarchy)
        with pytest.raises(ParameterError, match="hierarchy of ranges of numbers"):
            write_hierarchy(hierarchy, tmp_path / "n.txt", "amnesia-ranges")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "does not begin with distinct"),
        ("distinct\nname x\n\n", "does not begin with distinct"),
        ("distinct\nname x\nheight 2\n\n* had a b\n", "'[*] had a b' on line 5"),
        ("distinct\nname x\nheight 2\n\n* has a\n* has b\n", "second group '[*]'"),
        ("distinct\nname x\nheight 2\n\ng has a\n\ng has b\n", "on levels 1 and 2"),
        ("distinct\nname x\nheight 3\n\ng has a\nh has b\n", "one root"),
        ("distinct\nname x\nheight 2\n\n* has a a\n", "one parent of 'a'"),
        ("distinct\nname x\nheight 2\n\n", "at least one value"),
    ],
)
def test_texts_that_are_none_of_amnesia(text, match, tmp_path):
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(SchemaError, match=match):
        read_amnesia(tmp_path / "t.txt")


@pytest.mark.parametrize("text", ["", "[]", '{"height": 2, "name": "x"}', '{"height"'])
def test_json_that_is_none_of_amnesia(text, tmp_path):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(SchemaError, match="JSON hierarchy of Amnesia"):
        read_amnesia_json(tmp_path / "t.json")


# Our own JSON


@FEW
@given(lines=hierarchy_lines())
def test_our_json(file, lines):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    write_hierarchy(hierarchy, file, "json", force=True)
    assert read_json(file) == hierarchy


def test_our_json_keeps_types(tmp_path):
    write_hierarchy(AGES, tmp_path / "age.json", "json")
    assert read_json(tmp_path / "age.json") == AGES
    days = (datetime.date(2024, 2, 29), datetime.date(2025, 1, 1))
    lines = [("29/2", "*"), ("1/1", "*")]
    dates = GeneralizationHierarchy.from_lines("d", lines, leaves=days, ordered=True)
    write_hierarchy(dates, tmp_path / "d.json", "json")
    assert read_json(tmp_path / "d.json") == dates


def test_names_are_edited_where_they_stand(tmp_path):
    path = tmp_path / "age.json"
    write_hierarchy(AGES, path, "json")
    text = path.read_text()
    assert text.count('"[40, 90]"') == 1
    path.write_text(text.replace("[40, 90]", "older").replace("[17, 25]", "younger"))
    edited = read_json(path)
    assert edited.labels[1] == ("[17, 18]", "25", "older", "?")
    assert edited.labels[2] == ("younger", "older", "?")
    assert edited.leaves == AGES.leaves
    path.write_text(text.replace("[40, 90]", "25"))
    with pytest.raises(SchemaError, match=r"level 1. Received '25' for two groups"):
        read_json(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"format_version": 1', '"format_version": 2'),
        ('"coclust_synth hierarchy"', '"other"'),
        ('"of": [0, 1]', '"of": [0, 99]'),
        ('"of": [0, 1]', '"of": 0'),
        ('"number": 0', '"number": 1'),
        ('"value": 17, ', ""),
        ("}", ""),
    ],
)
def test_json_that_is_none_of_ours(old, new, tmp_path):
    path = tmp_path / "age.json"
    write_hierarchy(AGES, path, "json")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(SchemaError, match="Expected a hierarchy of coclust_synth"):
        read_json(path)


# Our own TOML


@FEW
@given(lines=hierarchy_lines())
def test_our_toml(file, lines):
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    write_hierarchy(hierarchy, file, "toml", force=True)
    assert read_toml(file) == hierarchy
    content = tomllib.loads(file.read_text())
    assert content["values"] == [line[0] for line in lines]
    for level, groups in content.get("level", {}).items():
        named = {leaf: group for group, listed in groups.items() for leaf in listed}
        assert [line[int(level)] for line in lines] == [
            named.get(line[0], line[0]) for line in lines
        ]


def test_runs_of_numbers_are_written_by_their_ends(tmp_path):
    path = tmp_path / "age.toml"
    leaves = (*range(1, 8), None)
    above = np.array([0, 0, 0, 1, 0, 0, 2, 3])
    labels = [[*"1234567", "?"], ["odd", "even", "7", "none"], ["all"]]
    partitions = [np.arange(8), above, np.zeros(8, int)]
    ages = GeneralizationHierarchy.from_partitions(
        "age", leaves, partitions, labels, ordered=True
    )
    write_hierarchy(ages, path, "toml")
    run = """"odd" = [{ from = "1", to = "3" }, "5", "6"]\n"even" = ["4"]\n"""
    assert run + '"none" = ["?"]\n' in path.read_text()
    assert read_toml(path).lines() == ages.lines()


def test_a_hierarchy_of_one_value_needs_no_root(tmp_path):
    path = tmp_path / "one.toml"
    one = GeneralizationHierarchy.from_lines("x", [("a",)])
    write_hierarchy(one, path, "toml")
    assert read_toml(path) == one


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ('column = "job"', "column = 1", "name of its column"),
        ('column = "job"', 'columns = "job"', "also 'columns'"),
        ('root = "*"', "", "name of the root in `root`. Received None"),
        ('"cook", ', "3, ", "in quotes, as the table has them. Received 3"),
        ('"cook", ', '"baker", ', "each of `values` once. Received twice: 'baker'"),
        ("[level.2]", "[level.high]", "Received '1', 'high'"),
        ("[level.2]", "[level.1]", "TOML"),
        ('"food" = ["cook", "baker"]', '"food" = "cook"', "a list of values"),
        ('"food" = ["cook", "baker"]', '"food" = []', "a list of values"),
        ('"food" = ["cook", "baker"]', '"clerk" = ["cook"]', "the value 'clerk' is"),
        ('"food" = ["cook", "baker"]', '"food" = ["chef"]', "Received 'chef'"),
        ('"food" = ["cook", "baker"]', '"food" = [{ to = "cook" }]', "{ from, to }"),
        (
            '"food" = ["cook", "baker"]',
            '"food" = [{ from = "baker", to = "cook" }]',
            "Turn them round",
        ),
        (
            '"metal" = ["smith", "miner"]',
            '"metal" = ["smith", "miner", "cook"]',
            r"\[level.1\]: expected each value in one group. Received 'cook' in 'food' "
            "and in 'metal'",
        ),
        (
            '"hot" = ["cook", "baker", "smith", "miner"]',
            '"hot" = ["cook", "smith", "miner"]',
            r"values of 'food', \[level.1\], together on \[level.2\]. Received 'cook' "
            "in 'hot' and 'baker' in 'baker'",
        ),
    ],
)
def test_toml_that_is_no_hierarchy(old, new, match, tmp_path):
    path = tmp_path / "job.toml"
    food, metal = ("food", "hot", "*"), ("metal", "hot", "*")
    lines = [("cook", *food), ("baker", *food), ("smith", *metal), ("miner", *metal)]
    lines.append(("clerk", "clerk", "clerk", "*"))
    write_hierarchy(GeneralizationHierarchy.from_lines("job", lines), path, "toml")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(SchemaError, match=match):
        read_toml(path)
