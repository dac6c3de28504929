"""Engines that count a table say what the table in memory says."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.sources import as_folder, odd_table

from coclust_synth import CoclusterSynthesizer
from coclust_synth.exceptions import DataWarning, ParameterError, TableError
from coclust_synth.generators.plain import counted
from coclust_synth.scale import CountSource, ValueCodes, open_source
from coclust_synth.scale.row_keys import key_columns, rows_of_keys
from coclust_synth.scale.source import TooManyRowsError
from coclust_synth.tables.parts.parts import build_parts
from coclust_synth.tables.reading.infer import conform
from coclust_synth.tables.rows import collapse


def coded_columns(source, schema):
    """The fixed parts of all columns, for the values of a source."""
    found = []
    for column in schema.columns:
        counts = source.column_counts(column)
        parts = build_parts(counts, column)
        codes = parts.encode(counts.values, np.zeros(len(counts.values), bool))
        missing = parts.n_parts - 1 if parts.with_missing else -1
        found.append(ValueCodes(column, codes, missing, parts.n_parts))
    return found


def decided(source):
    schema = source.schema()
    return source.schema(schema.keep(*schema.names))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return as_folder(odd_table(4_000), tmp_path_factory.mktemp("odd") / "table")


def same_answers(memory, engine):
    assert isinstance(engine, CountSource)
    assert engine.n_rows == memory.n_rows
    schema = decided(memory)
    assert decided(engine) == schema
    for column in schema.columns:
        one, other = memory.column_counts(column), engine.column_counts(column)
        np.testing.assert_array_equal(one.values, other.values)
        assert not (np.signbit(other.values) & (other.values == 0)).any()
        np.testing.assert_array_equal(one.counts, other.counts)
        assert one.n_missing == other.n_missing
    coded = coded_columns(memory, schema)
    one, other = memory.profiles(coded), engine.profiles(coded)
    np.testing.assert_array_equal(one.codes, other.codes)
    np.testing.assert_array_equal(one.counts, other.counts)
    # Spark's workers are sent what is called: no function of this file.
    of_rows = [
        np.concatenate(list(source.map_codes(lambda codes: codes, coded)))
        for source in (memory, engine)
    ]
    in_order = [codes[np.lexsort(codes.T)] for codes in of_rows]
    np.testing.assert_array_equal(*in_order)
    assert of_rows[0].shape == (memory.n_rows, len(coded))
    with pytest.raises(TooManyRowsError, match="at most 7 different coded rows"):
        engine.profiles(coded, limit=7)
    with pytest.raises(TooManyRowsError, match="at most 7 different coded rows"):
        memory.profiles(coded, limit=7)
    seed = np.random.SeedSequence(3)
    drawn = memory.sample(500, seed), engine.sample(500, seed)
    pd.testing.assert_frame_equal(drawn[0].frame, drawn[1].frame)
    assert drawn[0].schema == drawn[1].schema and len(drawn[0].frame) == 500


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
@pytest.mark.parametrize("engine", ["duckdb"])
def test_an_engine_counts_what_memory_counts(folder, engine):
    same_answers(open_source(folder, "memory"), open_source(folder, engine))


of_spark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@of_spark
@pytest.mark.slow  # starts Spark
def test_spark_counts_what_memory_counts(tmp_path, spark, monkeypatch):
    path = as_folder(odd_table(20_000), tmp_path / "table")
    memory, engine = open_source(path, "memory"), open_source(path, "spark")
    same_answers(memory, engine)
    # What is fitted is the same to the byte.
    schema = decided(memory)
    for max_profiles in (10**6, 100):  # then Spark's workers put rows in clusters
        monkeypatch.setattr(counted, "MAX_PROFILES", max_profiles)
        saved = []
        for source in (memory, engine):
            found = CoclusterSynthesizer(n_iterations=1, random_state=0)
            found.fit(source, schema).save(tmp_path / "model", force=True)
            saved.append((tmp_path / "model").read_bytes())
        assert saved[0] == saved[1]
    # Labels are joined, and persons bounded.
    coded = coded_columns(memory, schema)[:2]
    rows = memory.profiles(coded)
    labels = pa.table({"class": np.arange(len(rows.counts))})
    folder = tmp_path / "joined"
    folder.mkdir()
    engine.write_joined(coded, rows, labels, folder, columns=["age"])
    sizes = np.bincount(pq.read_table(folder)["class"].to_numpy())
    np.testing.assert_array_equal(sizes, rows.counts)
    kept = engine.bounded("age", 5)
    counts = kept.column_counts(schema["age"])
    assert set(counts.counts) == {5} and kept.n_rows == 5 * len(counts.values)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
@pytest.mark.slow  # 200,000 rows of 15 columns
def test_a_large_table_is_counted_alike(tmp_path):
    path = as_folder(odd_table(200_000), tmp_path / "table")
    memory = open_source(path, "memory")
    same_answers(memory, open_source(path, "duckdb", memory="1GB", temp=tmp_path))


@pytest.mark.slow
def test_numbers_that_have_none_between_them_are_cut():
    """The mean of two neighbours is one of them, which may be the higher."""
    numbers = [np.nextafter(0.1, 1)]
    for _ in range(3):
        numbers.append(np.nextafter(numbers[-1], 1))
    frame = pd.DataFrame({"x": [*numbers, *numbers, 5e-324, 1e-323]})
    source = open_source(_ibis_table(frame))
    (column,) = source.schema().columns
    values = source.column_counts(column).values
    rows = source.profiles([ValueCodes(column, np.arange(len(values)), -1, 6)])
    assert rows.counts.tolist() == [1, 1, 2, 2, 2, 2]


@pytest.mark.slow
def test_the_schema_is_that_of_the_table(folder):
    """What is found from counts is what `conform` finds from the rows."""
    table = open_source(folder, "memory").sample(10**6, np.random.SeedSequence(0))
    assert open_source(folder, "duckdb").schema() == conform(table.frame, None).schema


@pytest.mark.slow
def test_a_declared_schema_is_completed(folder):
    memory, engine = open_source(folder, "memory"), open_source(folder, "duckdb")
    schema = memory.schema().drop("town", "written").keep("age")
    assert engine.schema(schema) == memory.schema(schema)
    rows = engine.sample(100, np.random.SeedSequence(1))
    assert "town" not in rows.frame and "town" not in rows.schema.names


def test_a_column_of_one_value_is_told():
    frame = pd.DataFrame({"same": [1] * 30, "other": range(30)})
    table = _ibis_table(frame)
    for engine in ("memory", "duckdb"):
        source = open_source(frame if engine == "memory" else table, engine)
        with pytest.warns(DataWarning, match="'same'"):
            source.schema()


def test_a_column_of_files_that_holds_nothing_is_kept(tmp_path):
    table = pa.table({"age": [31, 52, 31, 40], "note": pa.nulls(4)})
    folder = as_folder(table, tmp_path / "table")
    source = open_source(folder, "duckdb")
    with pytest.warns(DataWarning, match="'note'"):
        assert source.schema()["note"].kind == "integer"
    rows = source.sample(4, np.random.SeedSequence(0)).frame
    assert rows["note"].isna().all() and len(rows) == 4


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_labels_are_joined_to_each_row(folder, engine, tmp_path):
    source = open_source(folder, engine)
    coded = coded_columns(source, decided(source))[:5]
    rows = source.profiles(coded)
    labels = pa.table(
        {"class": np.arange(len(rows.counts)), "said": ["x"] * len(rows.counts)}
    )
    source.write_joined(coded, rows, labels, tmp_path, columns=["age", "town"])
    written = pq.read_table(tmp_path)
    assert written.column_names == ["age", "town", "class", "said"]
    sizes = np.bincount(written["class"].to_numpy())
    np.testing.assert_array_equal(sizes, rows.counts)
    ages = pq.read_table(folder)["age"]
    assert sorted(written["age"].to_pylist()) == sorted(ages.to_pylist())


def _ibis_table(frame):
    ibis = pytest.importorskip("ibis")
    return ibis.duckdb.connect().create_table("people", pa.Table.from_pandas(frame))


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_at_most_so_many_rows_of_a_person(engine, rng):
    frame = pd.DataFrame({"who": rng.integers(0, 50, 1_000), "row": range(1_000)})
    table = frame if engine == "memory" else _ibis_table(frame)
    source = open_source(table, engine).bounded("who", 3)
    kept = source.sample(10**6, np.random.SeedSequence(0)).frame
    again = source.sample(10**6, np.random.SeedSequence(0)).frame
    assert sorted(kept["row"]) == sorted(again["row"])  # drawn once
    assert kept.groupby("who").size().tolist() == [3] * 50
    assert set(kept["row"]) != set(frame.groupby("who").head(3)["row"])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_blanks_around_a_name_make_no_other_person(engine):
    frame = pd.DataFrame({"who": ["a", " a", "a ", "b"] * 5, "row": range(20)})
    table = frame if engine == "memory" else _ibis_table(frame)
    kept = open_source(table, engine).bounded("who", 2)
    assert kept.n_rows == 4
    odd = frame.assign(who=frame["who"].replace(" a", "\u2003a\xa0\x1c"))
    table = odd if engine == "memory" else _ibis_table(odd)
    assert open_source(table, engine).bounded("who", 2).n_rows == 4
    blank = frame.assign(who=frame["who"].replace("b", "  "))
    table = blank if engine == "memory" else _ibis_table(blank)
    with pytest.raises(TableError, match=r"rows that do not \(how many is not shown"):
        open_source(table, engine).bounded("who", 2)


def test_a_row_without_a_person_is_refused():
    frame = pd.DataFrame({"who": ["a", None, "b"], "row": [1, 2, 3]})
    for source in (open_source(frame, "memory"), open_source(_ibis_table(frame))):
        with pytest.raises(
            TableError, match=r"rows that do not \(how many is not shown"
        ):
            source.bounded("who", 1)
        with pytest.raises(TableError, match="'whom'"):
            source.bounded("whom", 1)


@pytest.mark.slow
def test_a_table_that_changes_is_refused():
    frame = pd.DataFrame({"sex": ["F", "M"] * 20, "age": range(40)})
    table = _ibis_table(frame)
    source = open_source(table)
    coded = coded_columns(source, decided(source))
    source.profiles(coded)
    table.get_backend().raw_sql("INSERT INTO people VALUES ('F', 1)")
    with pytest.raises(TableError, match="table has changed meanwhile"):
        source.profiles(coded)


def test_a_table_without_files_is_sampled_by_its_engine():
    frame = pd.DataFrame({"row": range(20_000)})
    source = open_source(_ibis_table(frame))
    rows = source.sample(5_000, np.random.SeedSequence(0)).frame["row"]
    assert len(set(rows)) == 5_000 and abs(rows.mean() / 10_000 - 1) < 0.05


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_batches_hold_all_rows(folder, engine):
    source = open_source(folder, engine)
    counted = source.map_arrow(
        lambda batch: (batch.num_rows, batch.num_columns), ["age"]
    )
    rows, columns = zip(*counted, strict=True)
    assert sum(rows) == 4_000 and set(columns) == {1}


def test_a_table_of_a_duckdb_file_is_read(tmp_path):
    ibis = pytest.importorskip("ibis")
    path = tmp_path / "base.duckdb"
    base = ibis.duckdb.connect(path)
    base.create_table("people", pa.table({"age": [30, 40, 30]}))
    base.disconnect()
    source = open_source(f"{path}::people")
    counts = source.column_counts(source.schema()["age"])
    assert counts.counts.tolist() == [2, 1]
    with pytest.raises(TableError, match="'nobody'"):
        open_source(f"{path}::nobody")
    with pytest.raises(TableError, match="no such file"):
        open_source(f"{tmp_path}/other.duckdb::people")


def test_what_is_no_source_is_refused(tmp_path, folder):
    with pytest.raises(ParameterError, match="engine"):
        open_source(folder, "sqlite")
    with pytest.raises(TableError, match="not there"):
        open_source(tmp_path / "nothing")
    with pytest.raises(TableError, match="Parquet files in the folder"):
        open_source(tmp_path)
    (tmp_path / "people.csv").write_text("age\n1\n")
    with pytest.raises(ParameterError, match="Convert it"):
        open_source(tmp_path / "people.csv")
    with pytest.raises(ParameterError, match="4GB"):
        open_source(folder, memory="much")
    with pytest.raises(ParameterError, match="temporary files"):
        open_source(folder, temp=tmp_path / "none")
    with pytest.raises(ParameterError, match="Received memory and temp"):
        open_source(folder, "memory", memory="1GB", temp=tmp_path)
    with pytest.raises(ParameterError, match="Leave out --memory, or choose duckdb"):
        open_source(folder, "spark", memory="1GB")
    pq.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"age": ["1"]}), tmp_path / "b.parquet")
    with pytest.raises(TableError, match="'age' of string instead of int64 in"):
        open_source(tmp_path)
    pq.write_table(pa.table({"years": [1]}), tmp_path / "b.parquet")
    with pytest.raises(TableError, match="no 'age', 'years' too in"):
        open_source(tmp_path)
    pq.write_table(pa.table({"age": [1], "town": ["x"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"town": ["x"], "age": [1]}), tmp_path / "b.parquet")
    with pytest.raises(TableError, match="another order in"):
        open_source(tmp_path)


def test_an_engine_that_fails_is_told(tmp_path):
    path = as_folder(odd_table(300), tmp_path / "table")
    source = open_source(path, "duckdb")
    for file in path.iterdir():
        file.write_bytes(b"no table any more")
    with pytest.raises(TableError, match="Received from it"):
        source.schema()


def test_keys_hold_rows_of_many_columns(rng):
    n_codes = [2**20, 2**30, 5, 2**40, 3]
    codes = np.column_stack([rng.integers(-1, n, 300) for n in n_codes])
    codes = codes.clip(max=2**31 - 2)[rng.integers(0, 300, 900)]
    groups = key_columns(n_codes)
    assert [k for group in groups for k in group] == list(range(5)) and len(groups) > 1
    expected = collapse(codes[:, :3], n_codes[:3])[0]
    keys = []
    for group in key_columns(n_codes[:3]):
        key = np.zeros(len(codes), dtype=np.int64)
        for k in group:
            key = key * (n_codes[k] + 1) + codes[:, k] + 1
        keys.append(key)
    distinct, counts = np.unique(np.column_stack(keys), axis=0, return_counts=True)
    at = rng.permutation(len(counts))
    found = rows_of_keys(list(distinct[at].T), counts[at], n_codes[:3])
    np.testing.assert_array_equal(found.codes, expected.codes)
    np.testing.assert_array_equal(found.counts, expected.counts)
