"""`anonymize` of a folder: counted by an engine, and again on the files."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.commands import fails, succeeds
from support.sources import as_folder, odd_table

from coclust_synth import HybridKAnonymizer
from coclust_synth.exceptions import OutputError, ParameterError, TableError
from coclust_synth.generators.kanon import counted
from coclust_synth.scale import FrameSource, open_source

QI = ["town", "kind", "age", "temperature", "born"]
OPTIONS = ["--qi", ",".join(QI), "--sensitive", "fee", "--iterations", "1", "--quiet"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    some = odd_table(900).select([*QI, "fee", "flag"])
    return as_folder(some, tmp_path_factory.mktemp("anonymize") / "table")


def released(folder):
    """The files of a release, and what its labels stand for, by column."""
    rows = pq.read_table(folder).to_pandas()
    content = json.loads((folder / counted.LABELS).read_text())
    return rows, {own["name"]: own for own in content["columns"]}


def anonymizer(k=20, **options):
    return HybridKAnonymizer(
        k,
        quasi_identifiers=QI,
        sensitive=["fee"],
        n_iterations=1,
        random_state=0,
        **options,
    )


@pytest.mark.slow
def test_classes_of_a_folder_are_those_of_the_table_in_memory(tmp_path, rng):
    """Where no column has so many values that its labels are those of groups."""
    codes = np.minimum(rng.geometric(0.3, (600, 3)) - 1, 6)
    table = pd.DataFrame(codes, columns=["a", "b", "c"]).assign(
        a=lambda some: (some["a"] + some["b"]).astype(str), fee=rng.random(600)
    )
    made = {"quasi_identifiers": ["a", "b", "c"], "random_state": 0, "n_iterations": 3}
    expected = HybridKAnonymizer(8, sensitive=["fee"], **made).fit_transform(table)
    folder = as_folder(pa.Table.from_pandas(table), tmp_path / "table")
    HybridKAnonymizer(8, sensitive=["fee"], **made).fit_write(folder, tmp_path / "out")
    found = pq.read_table(tmp_path / "out").to_pandas()
    rows = [
        sorted(map(tuple, own[["a", "b", "c", "fee"]].to_numpy().tolist()))
        for own in (found, expected.to_frame())
    ]
    assert rows[0] == rows[1]


@pytest.mark.slow
def test_a_folder_in_gives_a_folder_of_classes_of_k(table, tmp_path):
    output = tmp_path / "out"
    succeeds("anonymize", table, "-o", output, "--k", "20", *OPTIONS)
    rows, labels = released(output)
    assert sorted(rows.columns) == sorted([*QI, "fee"]) and len(rows) == 900
    sizes = rows.groupby(QI).size()
    assert sizes.min() >= 20
    manifest = json.loads((output / "_manifest.json").read_text())
    assert manifest["release"]["k"] == sizes.min()
    assert "counted on the files" in manifest["guarantee"]
    assert all(set(rows[name]) <= set(labels[name]["labels"]) for name in QI)
    fees = pq.read_table(table)["fee"].to_pylist()
    assert sorted(map(str, rows["fee"])) == sorted(map(str, fees))
    # In the order of the labels, which tells nothing of that of the table.
    order = rows[QI].apply(tuple, axis=1).tolist()
    assert order == sorted(order)


@pytest.mark.slow
def test_memory_and_an_engine_release_the_same(table, tmp_path):
    for engine in ("memory", "duckdb"):
        anonymizer().fit_write(open_source(table, engine), tmp_path / engine)
    own, other = (released(tmp_path / engine) for engine in ("memory", "duckdb"))
    names = sorted(own[0].columns)
    texts = (rows[names].astype("string").fillna("") for rows, _ in (own, other))
    np.testing.assert_array_equal(*(rows.sort_values(names).values for rows in texts))
    assert own[1] == other[1]


@pytest.mark.slow
def test_codes_that_are_named_need_no_other_word(tmp_path, rng):
    numbers = rng.choice(np.arange(100, 1000, 2), 1200)
    some = {"trade": [f"B{i}" for i in numbers], "size": rng.integers(0, 9, 1200)}
    table = as_folder(pa.table(some), tmp_path / "table")
    given = (table, "-o", tmp_path / "out", "--k", 5, "--quiet", "--iterations", "1")
    fails(tmp_path, "anonymize", *given, match="'trade' (looks like codes: ")
    succeeds("anonymize", *given, "--qi", "trade,size")
    assert pq.read_table(tmp_path / "out").column_names == ["trade", "size"]


def test_labels_of_truthful_classes_stand_for_their_values(tmp_path, rng):
    frame = pd.DataFrame(
        {"a": rng.integers(0, 500, 3_000), "b": rng.choice(list("xyz"), 3_000)}
    )
    frame["c"], frame["row"] = frame["a"] // 100, range(3_000)
    model = HybridKAnonymizer(
        50,
        quasi_identifiers=["a", "b", "c"],
        sensitive=["row"],
        truthful=True,
        n_iterations=1,
        random_state=0,
    )
    source = FrameSource(frame)
    found = model.fit_write(source, tmp_path / "out", source.schema().keep("row"))
    rows, labels = released(tmp_path / "out")
    assert found.n_perturbed == 0
    real = frame.set_index("row").loc[rows["row"]]
    for name in ("a", "b", "c"):
        own = labels[name]
        for value, label in zip(real[name], rows[name], strict=True):
            stands_for = own["labels"][label]
            if own["ordered"]:
                assert any(low <= value <= high for low, high in stands_for)
            else:
                assert value in stands_for


@pytest.mark.slow
def test_classes_are_formed_in_blocks_of_clusters(table, tmp_path, monkeypatch):
    monkeypatch.setattr(counted, "_MAX_RECORDS", 150)
    blocks = []
    form = counted.form_classes
    monkeypatch.setattr(
        counted,
        "form_classes",
        lambda problem, *args, **more: (
            blocks.append(len(problem.weight)) or form(problem, *args, **more)
        ),
    )
    found = anonymizer().fit_write(open_source(table, "memory"), tmp_path / "out")
    assert len(blocks) > 1 and sum(blocks) == found.n_records
    assert found.smallest >= 20


class Grows(FrameSource):
    """A table that gets a row more between the count and the join."""

    def write_joined(self, coded, rows, labels, folder, columns=(), **options):
        super().write_joined(coded, rows, labels, folder, columns, **options)
        file = folder / "part-00000.parquet"
        written = pq.read_table(file)
        pq.write_table(pa.concat_tables([written, written.slice(0, 1)]), file)


class Shrinks(FrameSource):
    """Rows that are among no profile are not joined."""

    def write_joined(self, coded, rows, labels, folder, columns=(), **options):
        super().write_joined(coded, rows, labels, folder, columns, **options)
        file = folder / "part-00000.parquet"
        pq.write_table(pq.read_table(file).slice(1), file)


@pytest.mark.slow
@pytest.mark.parametrize("source", [Grows, Shrinks])
def test_a_table_that_changed_meanwhile_is_refused(table, tmp_path, source):
    frame = pq.read_table(table).to_pandas()
    with pytest.raises(TableError, match="the table has changed meanwhile"):
        anonymizer().fit_write(source(frame), tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_row_added_to_a_base_between_count_and_join_is_found(table, tmp_path):
    ibis = pytest.importorskip("ibis")
    base = ibis.duckdb.connect()
    base.create_table("people", pq.read_table(table))
    source = open_source(base.table("people"))
    join = source.write_joined

    def added(*args, **options):
        base.raw_sql("INSERT INTO people SELECT * FROM people LIMIT 1")
        join(*args, **options)

    source.write_joined = added
    with pytest.raises(TableError, match=r"900 rows that were counted.*901 rows"):
        anonymizer().fit_write(source, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_classes_below_k_on_the_files_are_refused():
    with pytest.raises(TableError, match="in classes of 5"):
        counted._check_written(np.array([96, 4]), 100, 5)
    counted._check_written(np.array([95, 5]), 100, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--method", "flash"], "which needs the rows in memory"),
        (["--person-id", "flag"], "--person-id, which needs the rows in memory"),
        (["--suppression", ".1"], "--suppression, which needs the rows in memory"),
    ],
)
def test_what_needs_rows_in_memory_says_so(table, tmp_path, options, message):
    arguments = ("anonymize", table, "-o", tmp_path / "out", "--k", "5", *options)
    fails(tmp_path, *arguments, *OPTIONS, match=message.split())


@pytest.mark.slow
def test_arguments_that_need_rows_are_refused(table, tmp_path):
    for options in ({"person_id": "flag"}, {"sensitive_values": "means"}):
        with pytest.raises(ParameterError, match=next(iter(options))):
            anonymizer(**options).fit_write(open_source(table), tmp_path / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("kept")
    with pytest.raises(OutputError):
        anonymizer().fit_write(open_source(table), tmp_path / "out")
