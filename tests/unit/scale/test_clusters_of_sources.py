"""A co-clustering of what an engine counts, and the cluster of each of its rows."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from support.sources import as_folder, odd_table

from coclust_synth import CoclusterSynthesizer, HybridKAnonymizer, MODLCoclustering
from coclust_synth.exceptions import (
    DataWarning,
    OutputError,
    ParameterError,
    SchemaError,
)
from coclust_synth.scale import open_source
from coclust_synth.tables.reading.parquet import ParquetFolder, frame_of_arrow

COLUMNS = ["town", "kind", "flag", "age", "temperature", "born"]
FAST = {"n_iterations": 1, "random_state": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    some = odd_table(3_000).select(COLUMNS)
    return as_folder(some, tmp_path_factory.mktemp("clusters") / "table")


@pytest.fixture(scope="module")
def frame(folder):
    return frame_of_arrow(ParquetFolder.open(folder).read())


@pytest.fixture(scope="module")
def fitted(folder):
    return MODLCoclustering(**FAST).fit(folder)


@pytest.mark.slow
def test_a_folder_and_a_file_are_fitted_as_their_rows(folder, frame, fitted, tmp_path):
    of_rows = MODLCoclustering(**FAST).fit(frame)
    frame.to_parquet(tmp_path / "rows.parquet")
    of_file = MODLCoclustering(**FAST).fit(tmp_path / "rows.parquet")
    np.testing.assert_array_equal(of_file.row_labels_, of_rows.row_labels_)
    for found in (fitted, MODLCoclustering(**FAST).fit(open_source(folder, "memory"))):
        assert found.part_names_.tolist() == of_rows.part_names_.tolist()
        assert found.cost_ == of_rows.cost_ < of_rows.null_cost_
        assert found.feature_names_in_.tolist() == COLUMNS
    by_parts = MODLCoclustering(parts=fitted.coding_, **FAST).fit(folder)
    assert by_parts.cost_ == fitted.cost_


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_each_row_is_written_with_its_cluster(engine, folder, fitted, tmp_path):
    fitted.predict_to(open_source(folder, engine), tmp_path / "out", name="group")
    written = pq.read_table(tmp_path / "out")
    assert written.column_names == [*COLUMNS, "group"] and len(written) == 3_000
    own = frame_of_arrow(written.drop_columns("group"))
    expected = fitted.predict(own)
    np.testing.assert_array_equal(written["group"].to_numpy(), expected)
    assert len(set(expected)) == fitted.grid_.shape[0] > 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of ibis's use of DuckDB
def test_other_rows_are_told_what_the_fit_knows(fitted, tmp_path):
    """Numbers beyond those of the fit, towns that it has not seen, another order."""
    some = odd_table(300, seed=3).select([*COLUMNS[::-1], "small"]).to_pandas()
    some["age"] += 30
    some.loc[:20, "town"] = "Bonn"
    table = tmp_path / "table"
    table.mkdir()
    some.to_parquet(table / "a.parquet")
    with pytest.warns(DataWarning, match="Bonn"):
        fitted.predict_to(table, tmp_path / "out")
    written = pq.read_table(tmp_path / "out").to_pandas()
    with pytest.warns(DataWarning, match="Bonn"):
        expected = fitted.predict(written[COLUMNS])
    np.testing.assert_array_equal(written["cluster"], expected)


@pytest.mark.slow
def test_what_cannot_be_labelled_is_refused(folder, fitted, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ParameterError, match="'age'"):
        fitted.predict_to(folder, out, name="age")
    few = as_folder(odd_table(50).select(COLUMNS[1:]), tmp_path / "few")
    with pytest.raises(SchemaError, match="'town'"):
        fitted.predict_to(few, out)
    assert not out.exists()
    out.mkdir()
    (out / "own").write_text("")
    with pytest.raises(OutputError, match="1 files"):
        fitted.predict_to(folder, out)
    with pytest.raises(ParameterError, match="engine counts"):
        MODLCoclustering(parts="learnt").fit(folder)


def test_rare_values_put_together_are_refused(tmp_path):
    town = np.array(["a", "b", *[f"t{i}" for i in range(20)]]).repeat(
        [60, 60, *[1] * 20]
    )
    frame = pd.DataFrame({"town": town, "age": range(140)})
    found = CoclusterSynthesizer(k=30, rare=10, **FAST).fit(frame).coclustering_
    with pytest.raises(
        ParameterError, match="put together by other columns, in 'town'"
    ):
        found.predict_to(frame, tmp_path / "out")


@pytest.mark.slow
def test_a_folder_is_released_without_opening_it_first(folder, tmp_path):
    release = HybridKAnonymizer(20, **FAST).fit_write(folder, tmp_path / "out")
    assert release.n_rows == 3_000 and release.smallest >= 20
