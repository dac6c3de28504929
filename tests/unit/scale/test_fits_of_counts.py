"""A plain model that is fitted to counts is that of the rows, and k is of all rows."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.sources import as_folder, odd_table

from coclust_synth import CoclusterSynthesizer, MODLCoclustering
from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.generators.plain import counted
from coclust_synth.modl.counted import learn_counts
from coclust_synth.modl.search import two_sides
from coclust_synth.modl.search.two_sides import search_grid
from coclust_synth.scale import FrameSource, frame_source, open_source
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.rare.pools import Pooled
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.parquet import ParquetFolder, frame_of_arrow
from coclust_synth.tables.rows import collapse
from coclust_synth.tables.table import TableValues

FAST = {"n_iterations": 2, "random_state": 0}


def places(n=3_000):
    """Towns that are nested in states, some of them rare, and rare numbers."""
    rng = np.random.default_rng(1)
    town = rng.zipf(1.3, n).clip(max=400)
    state = town % 7
    return pd.DataFrame(
        {
            "town": [f"t{t}" if t % 11 else None for t in town],
            "state": [f"s{s}" for s in state],
            "grade": rng.choice([1, 2, 3, 7, 50], n, p=[0.5, 0.3, 0.19, 0.005, 0.005]),
            "wage": np.round(rng.lognormal(7 + state / 7, 0.5, n), 2),
        }
    )


def saved(synthesizer, path):
    synthesizer.save(path, force=True)
    return path.read_bytes()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return as_folder(odd_table(600), tmp_path_factory.mktemp("fits") / "table")


@pytest.mark.slow
@pytest.mark.parametrize("within", ["independent", "trees"])
def test_the_model_of_counts_is_that_of_the_rows(folder, within, tmp_path):
    frame = frame_of_arrow(ParquetFolder.open(folder).read())
    memory = open_source(folder, "memory")
    schema = memory.schema(memory.schema().keep("written"))
    models = [
        CoclusterSynthesizer(within=within, **FAST).fit(table, schema)
        for table in (frame, memory, folder)
    ]
    rows, *others = [saved(each, tmp_path / "model") for each in models]
    assert others == [rows, rows]
    assert models[1].rules_ == models[0].rules_ and models[1].k_ == models[0].k_


def test_far_numbers_are_released_as_those_of_rows(tmp_path):
    frame = places(600).assign(age=np.arange(600) % 77 + 18)[["state", "age"]]
    frame.loc[[5, 50], "age"] = 1000
    one = CoclusterSynthesizer(**FAST).fit(frame)
    other = CoclusterSynthesizer(**FAST).fit(FrameSource(frame))
    assert one.pooled_ == other.pooled_ == (Pooled("age", 1, 2),)
    assert saved(one, tmp_path / "model") == saved(other, tmp_path / "model")


@pytest.mark.slow
def test_rare_values_are_put_together_as_they_are_of_rows(tmp_path):
    frame = places()
    one = CoclusterSynthesizer(**FAST).fit(frame)
    other = CoclusterSynthesizer(**FAST).fit(FrameSource(frame))
    assert [each.column for each in one.pooled_] == ["town", "grade"]
    assert other.pooled_ == one.pooled_
    assert [pool.parent for pool in one.model_.coding.pools] == ["state"]
    assert saved(one, tmp_path / "model") == saved(other, tmp_path / "model")


@pytest.mark.slow
def test_clusters_of_a_thinned_search_hold_k_of_all_rows(monkeypatch, tmp_path):
    frame = places(8_000)
    monkeypatch.setattr(counted, "SAMPLE_ROWS", 2_000)
    monkeypatch.setattr(counted, "MAX_FIT_ROWS", 1_500)
    ibis = pytest.importorskip("ibis")
    table = ibis.duckdb.connect().create_table("people", pa.Table.from_pandas(frame))
    for within in ("independent", "trees"):
        found = CoclusterSynthesizer(k=150, within=within, **FAST).fit(table)
        model = found.model_
        assert model.n_rows == 8_000 and model.smallest_cluster >= 150
        assert model.part_counts.sum() == 4 * 8_000
        drawn = found.sample(500)
        assert set(drawn.columns) == set(frame.columns)
        path = tmp_path / within
        found.save(path)
        again = CoclusterSynthesizer.load(path).sample(500, random_state=0)
        pd.testing.assert_frame_equal(again, drawn)
    leaves = [drawn.tree.leaves for drawn in model.structure.columns]
    assert model.structure.cluster_rows.sum() == 2_000 and len(leaves) == 4


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
@pytest.mark.parametrize("within", ["independent", "trees"])
def test_more_different_rows_than_the_driver_holds(within, monkeypatch, tmp_path):
    """Clusters of a sample, in which all rows are counted batch by batch."""
    table = pa.Table.from_pandas(places(8_000))
    folder = as_folder(table, tmp_path / "table")
    monkeypatch.setattr(counted, "SAMPLE_ROWS", 2_000)
    monkeypatch.setattr(frame_source, "_BATCH_ROWS", 1_000)
    options = {"k": 150, "within": within, **FAST}
    whole = CoclusterSynthesizer(**options).fit(folder)
    monkeypatch.setattr(counted, "MAX_PROFILES", 100)
    models = []
    for engine in ("memory", "duckdb"):
        found = CoclusterSynthesizer(**options).fit(open_source(folder, engine))
        models.append(saved(found, tmp_path / engine))
    assert models[0] == models[1]
    model, clusters = found.model_, found.coclustering_
    assert model.n_rows == 8_000 and model.smallest_cluster >= 150
    np.testing.assert_array_equal(model.part_counts, whole.model_.part_counts)
    assert clusters.grid_.row_sizes.sum() == 8_000
    assert len(clusters.row_labels_) < 2_000
    gains = [own.null_cost_ - own.cost_ for own in (clusters, whole.coclustering_)]
    assert clusters.null_cost_ == pytest.approx(whole.coclustering_.null_cost_)
    assert gains[0] > 0.8 * gains[1]
    assert set(found.sample(500).columns) == set(table.column_names)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM people WHERE grade = 7",
        "INSERT INTO people VALUES (NULL, 's1', 1, 900)",
        "UPDATE people SET state = 's9' WHERE grade = 7",
    ],
)
def test_a_table_that_changes_is_not_counted_in_batches(change):
    ibis = pytest.importorskip("ibis")
    table = ibis.duckdb.connect().create_table(
        "people", pa.Table.from_pandas(places(500).fillna({"town": "t0"}))
    )
    source = open_source(table)
    rows, coding, coded = learn_counts(source, None)
    table.get_backend().raw_sql(change)
    with pytest.raises(TableError, match="table has changed meanwhile"):
        MODLCoclustering(**FAST).fit_batches(rows, coding, source, coded)


@pytest.mark.slow
def test_a_thinned_search_labels_and_counts_all_rows():
    frame = places(6_000)
    source = FrameSource(frame)
    full = CoclusterSynthesizer(**FAST).fit(source).coclustering_
    rows = full.dendrogram_.contingency.sides[0]
    model = MODLCoclustering(**FAST)
    coding = full.coding_
    codes = coding.encode(frame, strict=False)
    coded, _ = collapse(codes, coding.n_parts_per_variable)
    model.fit_counts(coded, coding, max_rows=2_000)
    assert len(model.row_labels_) == len(coded.counts) <= len(rows.size)
    sizes = np.bincount(model.row_labels_, coded.counts)
    np.testing.assert_array_equal(sizes, model.grid_.row_sizes)
    assert model.grid_.cells.sum() == 4 * 6_000
    assert model.cost_ < model.null_cost_


@pytest.mark.slow
@pytest.mark.parametrize(("max_rows", "seen"), [(2_000, 600), (400, 400)])
def test_a_search_of_some_rows_sees_no_more_than_that(max_rows, seen, monkeypatch):
    frame, sizes = places(6_000), []
    monkeypatch.setattr(two_sides, "_N_ROWS", 600)

    def search(contingency, **budget):
        sizes.append(int(contingency.sides[0].size.sum()))
        return search_grid(contingency, **budget)

    monkeypatch.setattr(two_sides, "search_grid", search)
    coding = TableCoding.learn(frame, infer_schema(frame))
    rows, _ = coding.distinct_rows(TableValues(frame))
    MODLCoclustering(**FAST).fit_counts(rows, coding, max_rows=max_rows)
    MODLCoclustering(**FAST).fit_counts(rows, coding, max_rows=6_000)
    assert sizes[0] == pytest.approx(seen, rel=0.2)
    assert sizes[1] == 6_000


@pytest.mark.parametrize(
    "option", [{"person_id": "town"}, {"parts": "learnt"}, {"hierarchies": {}}]
)
def test_what_needs_rows_is_refused(option):
    with pytest.raises(ParameterError, match="engine counts"):
        CoclusterSynthesizer(**option).fit(FrameSource(places(100)))


def test_undecided_columns_and_a_large_k_are_refused():
    frame = places(200).assign(id=[f"x{i:04d}" for i in range(200)])
    with pytest.raises(SchemaError, match="'id'"):
        CoclusterSynthesizer(**FAST).fit(FrameSource(frame))
    with pytest.raises(ParameterError, match="k"):
        CoclusterSynthesizer(k=201, **FAST).fit(FrameSource(places(200)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
def test_keys_that_are_not_all_seen_are_refused(monkeypatch, tmp_path):
    frame = places(2_500).assign(code=[f"AB-{i:05d}" for i in range(2_500)])
    folder = as_folder(pa.Table.from_pandas(frame), tmp_path / "table")
    monkeypatch.setattr(counted, "SAMPLE_ROWS", 2_000)
    schema = infer_schema(frame).as_key("code")
    with pytest.raises(ParameterError, match=r"more than 2,000 rows.*'code'"):
        CoclusterSynthesizer(k=150, **FAST).fit(open_source(folder, "memory"), schema)
