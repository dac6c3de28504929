import json
from datetime import date

import numpy as np
import pandas as pd
import pytest

from coclust_synth.exceptions import (
    CoclustSynthError,
    ModelFileError,
    OutputError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.tables.generalized.sidecar import sidecar_path
from coclust_synth.tables.generalized.table import (
    GeneralizedColumn,
    GeneralizedTable,
    spread,
)
from coclust_synth.tables.reading.infer import infer_schema

AGES = (17, 18, 19, 30, None)
JOBS = ("clerk", "nurse", "?", "cook, chef", None)


def of_sets(name, leaves, ordered, sets, codes, labels=None):
    members = [[leaf in chosen for leaf in leaves] for chosen in sets]
    return GeneralizedColumn.from_members(name, leaves, ordered, members, codes, labels)


@pytest.fixture
def age():
    sets = [(17,), (18, 19), AGES, (19, 30, None), (18, 19), (30,)]
    return of_sets("age", AGES, True, sets, [1, 4, 2, 0, 3, 1])


@pytest.fixture
def job():
    sets = [("clerk", "?"), (None,), JOBS, ("cook, chef",)]
    return of_sets("job", JOBS, False, sets, [0, 0, 2, 1, 3, 0])


@pytest.fixture
def others():
    return pd.DataFrame(
        {
            "class": ["x", "y", "x", None, "y", "x"],
            "weight": [1.5, 2.25, 3, np.nan, 1e-9, 6],
            "zip": ["00501", "00501", "10001", "10001", "2", "00501"],
        }
    )


@pytest.fixture
def table(age, job, others):
    return GeneralizedTable(
        (age, job), others, ("class", "age", "weight", "job", "zip"), np.arange(6) == 2
    )


def assert_same(found, expected):
    assert found.order == expected.order and found.names == expected.names
    assert found.suppressed.tolist() == expected.suppressed.tolist()
    pd.testing.assert_frame_equal(
        found.others, expected.others, check_column_type=False
    )
    for ours, theirs in zip(found.columns, expected.columns, strict=True):
        assert ours.leaves == theirs.leaves
        assert list(map(type, ours.leaves)) == list(map(type, theirs.leaves))
        assert ours.ordered == theirs.ordered and ours.labels == theirs.labels
        assert ours.members.tolist() == theirs.members.tolist()
        assert ours.codes.tolist() == theirs.codes.tolist()


# --- columns --------------------------------------------------------------


def test_equal_sets_become_one_label_and_unused_ones_none(age):
    # Of six sets two are equal and one is of no row.
    assert sorted(age.labels) == ["*", "17", "[18, 19]", "{[19, 30], missing}"]
    assert [age.labels[code] for code in age.codes] == [
        *("[18, 19]", "[18, 19]", "*", "17", "{[19, 30], missing}", "[18, 19]")
    ]
    sets = [
        {leaf for leaf, is_in in zip(AGES, row, strict=True) if is_in}
        for row in age.members
    ]
    assert sets[age.codes[0]] == {18, 19} and sets[age.codes[4]] == {19, 30, None}
    assert age.sizes[age.codes].tolist() == [2, 2, 5, 1, 3, 2]
    assert age.is_all.tolist() == [False, False, True, False, False, False]


def test_labels_can_be_given():
    found = of_sets("a", "xyz", False, ["xy", "z", "xy"], [0, 1, 2], ["low", "z", "2"])
    assert [found.labels[code] for code in found.codes] == ["low", "z", "low"]


def test_columns_are_frozen(age):
    for array in (age.members, age.codes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    codes = np.array([0, 0])
    column = GeneralizedColumn("a", ("x",), False, [[True]], ("x",), codes)
    codes[0] = 7
    assert column.codes.tolist() == [0, 0] and column.codes.dtype == np.int32


def test_leaves_of_numpy_become_plain():
    leaves = [np.int64(1), np.float64(2.5)]
    column = GeneralizedColumn("a", leaves, True, [[True, False]], ("1",), [0])
    assert column.leaves == (1, 2.5)
    assert list(map(type, column.leaves)) == [int, float]


@pytest.mark.parametrize(
    "values, expected",
    [
        ([30, 17, 17], [3, 0, 0]),
        (pd.array([18, None], dtype="Int64"), [1, 4]),
        ([19.0, np.nan], [2, 4]),
        (pd.Categorical([19, 17], categories=[5, 17, 19]), [2, 0]),
    ],
)
def test_values_are_found_among_the_leaves(age, values, expected):
    assert age.leaf_codes(pd.Series(values)).tolist() == expected


@pytest.mark.parametrize("values", [["17"], [20], [17.5], ["missing"]])
def test_values_that_are_no_leaf_are_refused(age, values):
    with pytest.raises(SchemaError, match=r"'age': .* 5 leaves, 17, .*Received .*Comp"):
        age.leaf_codes(pd.Series(values))


def test_a_missing_value_must_be_a_leaf():
    column = GeneralizedColumn("a", ("x",), False, [[True]], ("x",), [0])
    with pytest.raises(SchemaError, match="1 leaves"):
        column.leaf_codes(pd.Series(["x", None]))


def test_labels_are_spread_evenly_over_their_leaves(age):
    found = spread(age)[age.codes]
    assert found[0].tolist() == [0, 1 / 2, 1 / 2, 0, 0]
    assert found[4].tolist() == [0, 0, 1 / 3, 1 / 3, 1 / 3]
    np.testing.assert_allclose(found.sum(axis=1), 1)


GOOD = {
    "leaves": ("x", "y"),
    "members": [[True, False], [True, True]],
    "labels": ("x", "*"),
    "codes": [0, 1],
}


@pytest.mark.parametrize(
    "changed, error, match",
    [
        ({"leaves": ()}, SchemaError, "Received none. List"),
        ({"leaves": ("x", "x")}, SchemaError, "Received 'x' more than once"),
        ({"leaves": (None, "x")}, SchemaError, "None for missing at the end"),
        ({"leaves": ("x", np.nan)}, SchemaError, "Received nan"),
        ({"leaves": (1, float("inf"))}, SchemaError, "Received inf"),
        ({"leaves": ("x", {1})}, SchemaError, "Received {1}"),
        ({"leaves": ("x", "y", "z")}, SchemaError, r"shape \(n, 3\).*\(2, 2\)\. Give"),
        ({"members": [[True, False]]}, SchemaError, "of the 1 rows.* Received 2. Give"),
        ({"members": [True, False]}, SchemaError, r"Received \(2,\)\. Give"),
        ({"members": [[1, 0], [0, 0]]}, SchemaError, "Received 1 that stand for none"),
        ({"members": [[1, 0], [1, 0]]}, SchemaError, "that are equal. Merge"),
        ({"labels": ("x", "x")}, SchemaError, "Received 'x', 'x'. Rename"),
        ({"labels": ("x", 5)}, SchemaError, "Received 'x', 5. Rename"),
        ({"codes": [0, 2]}, ParameterError, "from 0 to 1. Received 0 to 2. Number"),
        ({"codes": [-1, 0]}, ParameterError, "Received -1 to 0"),
        ({"codes": [0.5]}, ParameterError, r"Received shape \(1,\) and dtype float64"),
    ],
)
def test_columns_are_checked(changed, error, match):
    GeneralizedColumn(name="a", ordered=False, **GOOD)
    with pytest.raises(error, match=f"Column 'a': expected.*{match}"):
        GeneralizedColumn(name="a", ordered=False, **(GOOD | changed))


@pytest.mark.parametrize(
    "leaves, sets, codes, labels, match",
    [
        ("xy", [[1, 1]], [1], None, "from 0 to 0. Received 1 to 1"),
        ("xy", [[0, 0]], [0], None, "Received 1 that stand for none"),
        ("xy", [[0, 0, 1]], [0], None, r"shape \(n, 2\).*\(1, 3\)"),
        ("xx", [[1, 1]], [0], None, "Received 'x' more than once"),
        ("xy", [[1, 1], [0, 1]], [0], ["*"], "of the 2 rows.* Received 1. Give"),
        ("xy", [[1, 1], [0, 1]], [0, 1], ["*", "*"], "Received '\\*', '\\*'"),
    ],
)
def test_sets_are_checked(leaves, sets, codes, labels, match):
    with pytest.raises(CoclustSynthError, match=f"Column 'a': expected.*{match}"):
        of_members = GeneralizedColumn.from_members
        of_members("a", leaves, False, np.array(sets), codes, labels)


# --- tables ---------------------------------------------------------------


def test_the_released_table_has_texts_in_the_order_asked(table, others):
    frame = table.to_frame()
    assert list(frame.columns) == ["class", "age", "weight", "job", "zip"]
    assert frame["age"].tolist()[:4] == ["[18, 19]", "[18, 19]", "*", "17"]
    assert frame["job"].tolist() == [
        *("{clerk, ?}", "{clerk, ?}", "*", "missing", "cook, chef", "{clerk, ?}")
    ]
    pd.testing.assert_frame_equal(frame[list(others.columns)], others)
    assert GeneralizedTable(table.columns).to_frame().shape == (6, 2)


def test_rows_of_equal_labels_are_one_class(table):
    frame = table.to_frame()
    expected = frame.groupby(["age", "job"])["age"].transform("size")
    assert table.class_sizes[table.class_codes].tolist() == expected.tolist()
    assert sorted(table.class_sizes) == [1, 1, 1, 3]


def test_rows_can_be_permuted(table):
    order = np.array([3, 2, 5, 0, 1, 4])
    found = table.take(order)
    expected = table.to_frame().iloc[order].reset_index(drop=True)
    pd.testing.assert_frame_equal(found.to_frame(), expected)
    assert found.suppressed.tolist() == table.suppressed[order].tolist()
    for column in found.columns:
        assert not column.codes.flags.writeable
    for wrong in ([0, 1], [0, 0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 6]):
        with pytest.raises(ParameterError, match=r"positions 0 to 5.*Give a perm"):
            table.take(wrong)


@pytest.mark.slow
def test_drawn_cells_are_leaves_of_their_labels(table, age):
    drawn = [table.draw(seed) for seed in range(200)]
    assert list(drawn[0].columns) == list(table.order)
    ages = np.array([age.leaf_codes(frame["age"]) for frame in drawn])
    assert age.members[age.codes, ages].all()
    # Every leaf of every label comes, and none for more than twice its share.
    for row, code in enumerate(age.codes):
        counts = np.bincount(ages[:, row], minlength=5)
        assert ((counts > 0) == age.members[code]).all()
        assert counts.max() < 2 * 200 / age.sizes[code] or age.sizes[code] == 1
    pd.testing.assert_frame_equal(table.draw(3), drawn[3])


def test_what_stands_for_all_is_suppressed_as_soon_as_one_is(age, job):
    codes = [list(age.labels).index("*")] * 2 + [0]
    everything = [GeneralizedColumn("a", AGES, True, age.members, age.labels, codes)]
    one = GeneralizedTable(everything, suppressed=np.array([True, False, False]))
    assert one.suppressed.tolist() == [True, True, codes[2] == codes[0]]
    assert not GeneralizedTable(everything).suppressed.any()


def test_suppressed_rows_are_starred_whatever_all_leaves_are_called(others, tmp_path):
    job = of_sets("job", ("a", "b", "*"), False, ["a", "*", "ab*"], [0, 1, 2], None)
    work = of_sets("work", (1, 2), True, [(1,), (1, 2)], [0, 1, 1], ["1", "any"])
    land = of_sets("land", ("FR",), False, [["FR"]], [0, 0, 0])
    table = GeneralizedTable(
        (job, work, land), others[:3], suppressed=np.arange(3) == 2
    )
    assert table.to_frame()[["job", "work", "land"]].values.tolist() == [
        ["a", "1", "FR"],
        ["* (2)", "any", "FR"],
        ["*", "*", "*"],
    ]
    labels = [column["labels"] for column in table.sidecar()["columns"]]
    assert labels[0] == {"a": ["a"], "*": ["a", "b", "*"], "* (2)": ["*"]}
    assert labels[1] == {"1": [[1, 1]], "any": [[1, 2]], "*": [[1, 2]]}
    assert labels[2] == {"FR": ["FR"], "*": ["FR"]}
    table.save(tmp_path / "t.parquet")
    assert_same(GeneralizedTable.load(tmp_path / "t.parquet"), table)


@pytest.mark.parametrize(
    "change, error, match",
    [
        (lambda a, j, o: ((), o), TableError, "Received 0 columns"),
        (lambda a, j, o: ((a, j), o[:4]), TableError, "of 6 rows.* 4 rows of other"),
        (lambda a, j, o: ((a, a), o), SchemaError, "names each column once, of 'age'"),
        (lambda a, j, o: ((a,), o, ("age",)), SchemaError, "Received 'age'. Name"),
        (
            lambda a, j, o: ((a,), o[["zip"]], ("age", "age")),
            SchemaError,
            "Received 'age', 'age'",
        ),
        (
            lambda a, j, o: ((a, j), o, None, np.ones(6, dtype=bool)),
            SchemaError,
            "Received 5 suppressed rows with others",
        ),
        (
            lambda a, j, o: ((a, j), o, None, [True]),
            TableError,
            r"the 6 rows.*dtype bool, shape \(1,\)",
        ),
    ],
)
def test_tables_are_checked(age, job, others, change, error, match):
    with pytest.raises(error, match=match):
        GeneralizedTable(*change(age, job, others))


def test_unknown_columns_are_named(table, age):
    assert table["age"] is age
    with pytest.raises(SchemaError, match=r"'jop'\. Did you mean 'job'"):
        table["jop"]


# --- sidecars and files ---------------------------------------------------


def test_a_release_is_read_back_from_its_frame_and_sidecar(table):
    sidecar = json.loads(json.dumps(table.sidecar()))
    assert_same(
        GeneralizedTable.from_frame_and_sidecar(table.to_frame(), sidecar), table
    )
    assert sidecar["format_version"] == 1
    age = sidecar["columns"][0]
    assert age["leaves"] == [17, 18, 19, 30, None] and age["ordered"] is True
    assert age["labels"]["{[19, 30], missing}"] == [[19, 30], [None, None]]


@pytest.mark.parametrize("name", ["r.csv", "r.tsv.gz", "r.parquet"])
def test_a_release_is_read_back_from_its_files(table, tmp_path, name):
    table.save(tmp_path / name)
    assert {f.name for f in tmp_path.iterdir()} == {name, "r.labels.json"}
    found = GeneralizedTable.load(tmp_path / name)
    assert_same(found, table)
    before = {f.name: f.read_bytes() for f in tmp_path.iterdir()}
    found.save(tmp_path / name, force=True)
    assert {f.name: f.read_bytes() for f in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    "leaves",
    [
        (0.1, 1.0, 1e300),
        (-5, 0, 2**62),
        (date(2024, 1, 31), date(2024, 2, 1)),
        (pd.Timestamp("2024-01-31 12:30"), pd.Timestamp("2024-02-01")),
        (False, True),
        ("NA", "", " a", "1", "nan", None),
        (1, "1", "[1, 1]"),
    ],
)
def test_leaves_of_any_type_are_read_back(tmp_path, leaves):
    n = len(leaves)
    members = [*np.eye(n, dtype=bool), np.arange(n) < 2]
    codes = np.arange(n + 1)
    column = GeneralizedColumn.from_members("a", leaves, False, members, codes)
    table = GeneralizedTable([column])
    table.save(tmp_path / "r.csv")
    assert_same(GeneralizedTable.load(tmp_path / "r.csv"), table)


def test_labels_that_read_as_numbers_are_found(tmp_path):
    column = of_sets("a", (1, 2), True, [(1,), (2,)], [0, 1, 1])
    table = GeneralizedTable([column], pd.DataFrame({"b": list("xyx")}))
    table.save(tmp_path / "r.csv")
    frame = pd.read_csv(tmp_path / "r.csv")
    assert frame["a"].dtype == np.int64
    assert_same(GeneralizedTable.from_frame_and_sidecar(frame, table.sidecar()), table)


def test_other_columns_are_written_as_a_schema_says(table, others, tmp_path):
    schema = infer_schema(others)
    table.save(tmp_path / "r.csv", schema)
    assert_same(GeneralizedTable.load(tmp_path / "r.csv", schema), table)


def test_tables_of_constant_columns_are_read_without_a_warning(tmp_path):
    column = of_sets("a", (1, 2), True, [(1, 2)], [0, 0, 0])
    table = GeneralizedTable([column], pd.DataFrame({"b": ["x"] * 3}))
    table.save(tmp_path / "r.csv")
    assert (
        GeneralizedTable.load(tmp_path / "r.csv").to_frame()["a"].tolist() == ["*"] * 3
    )


@pytest.mark.parametrize("there", ["r.csv", "r.labels.json", "r.manifest.json"])
def test_files_that_exist_are_replaced_by_force_only(table, tmp_path, there):
    (tmp_path / there).write_text("kept")
    with pytest.raises(OutputError, match=rf"{there}', which exists\. Give --force"):
        table.save(tmp_path / "r.csv")
    assert [f.read_text() for f in tmp_path.iterdir()] == ["kept"]
    table.save(tmp_path / "r.csv", force=True)
    assert_same(GeneralizedTable.load(tmp_path / "r.csv"), table)
    # That of another release would seem to be of this one.
    assert not (tmp_path / "r.manifest.json").exists()


def test_nothing_is_left_where_a_table_cannot_be_written(table, tmp_path):
    mixed = pd.DataFrame({"b": pd.Series([1, "x", 2, 3, 4, 5], dtype=object)})
    with pytest.raises(TableError, match="Parquet"):
        GeneralizedTable(table.columns, mixed).save(tmp_path / "r.parquet")
    assert list(tmp_path.iterdir()) == []


def test_sidecars_are_named_after_their_table():
    assert sidecar_path("there/people.2024.csv.gz").name == "people.2024.labels.json"
    with pytest.raises(ParameterError, match="to end with"):
        sidecar_path("people.json")


@pytest.mark.parametrize(
    "change, match",
    [
        (lambda s: s.update(format="other"), "Received 'other'. Give"),
        (lambda s: s.update(format_version=2), "version 1. Received version 2, writt"),
        (lambda s: s.pop("columns"), "KeyError: 'columns'"),
        (lambda s: s.pop("others"), "KeyError: 'others'"),
        (lambda s: s.update(others=[1]), "TypeError: a name of others"),
        (lambda s: s.update(suppressed_rows="1"), "suppressed_rows that is no number"),
        (lambda s: s.update(suppressed_rows=4), "the 4 suppressed.*of 1 rows without"),
        (lambda s: s["columns"].append(3), "TypeError"),
        (lambda s: s["columns"][0].pop("leaves"), "KeyError: 'leaves'"),
        (lambda s: s["columns"][0].update(ordered=1), "ordered 1"),
        (lambda s: s["columns"][0].update(labels=[]), "AttributeError"),
        (lambda s: s["columns"][0].update(leaves=[[1]]), "TypeError"),
        (lambda s: s["columns"][0].update(leaves=[{"x": 1}]), "expected a value"),
        (
            lambda s: s["columns"][0]["labels"].update({"17": [[17, 99]]}),
            r"'age': expected the label '17' .* 5 leaves.*Received 99\. Give",
        ),
        (lambda s: s["columns"][0]["labels"].update({"17": []}), "Received none. Give"),
    ],
)
def test_sidecars_are_checked(table, change, match):
    sidecar = json.loads(json.dumps(table.sidecar()))
    change(sidecar)
    with pytest.raises(ModelFileError, match=match):
        GeneralizedTable.from_frame_and_sidecar(table.to_frame(), sidecar)


def test_labels_without_an_entry_are_refused(table, tmp_path):
    sidecar = table.sidecar()
    del sidecar["columns"][0]["labels"]["17"]
    with pytest.raises(
        SchemaError, match=r"'age': .*3 labels.*Received '17', of which"
    ):
        GeneralizedTable.from_frame_and_sidecar(table.to_frame(), sidecar)
    table.save(tmp_path / "r.csv")
    (tmp_path / "r.labels.json").write_text(json.dumps(sidecar))
    with pytest.raises(SchemaError, match=r"'age': .*Received '17'"):
        GeneralizedTable.load(tmp_path / "r.csv")
    blank = table.to_frame().assign(job=None)
    with pytest.raises(SchemaError, match="'job': expected one of its 4 labels"):
        GeneralizedTable.from_frame_and_sidecar(blank, table.sidecar())


def test_tables_of_other_columns_are_refused(table):
    frame = table.to_frame()
    for other in (frame.drop(columns="zip"), frame.rename(columns={"age": "Age"})):
        with pytest.raises(
            SchemaError, match=r"'age', 'job', 'class'.* Give the table"
        ):
            GeneralizedTable.from_frame_and_sidecar(other, table.sidecar())


@pytest.mark.parametrize("content", ["", '{"format": "coclust', "[1]", "5", "\xff"])
def test_damaged_sidecars_are_refused(table, tmp_path, content):
    table.save(tmp_path / "r.csv")
    (tmp_path / "r.labels.json").write_text(content, encoding="latin1")
    with pytest.raises(ModelFileError, match=r"Expected.* Received.*(Fetch|Give)"):
        GeneralizedTable.load(tmp_path / "r.csv")


def test_a_table_without_its_sidecar_is_refused(table, tmp_path):
    table.save(tmp_path / "r.csv")
    (tmp_path / "r.labels.json").unlink()
    with pytest.raises(ModelFileError, match=r"r\.labels\.json.*No such file.*Put"):
        GeneralizedTable.load(tmp_path / "r.csv")
