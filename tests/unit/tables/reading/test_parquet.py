""""""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from coclust_synth.tables.reading.parquet import ParquetFolder


@pytest.mark.parametrize("texts", [pa.string(), pa.large_string()])
def test_rows_that_are_taken_have_the_types_of_the_files(texts, tmp_path):
    town = pa.array(["Oslo", None, "Bergen", "Oslo"] * 5, texts)
    table = pa.table({"town": town, "age": np.arange(20)})
    for i in range(2):
        part = table.slice(10 * i, 10)
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=4)
    folder = ParquetFolder.open(tmp_path)
    assert folder.read() == table
    at = np.array([0, 1, 3, 9, 10, 19])
    assert folder.take(at, ["age", "town"]) == table.take(at).select(["age", "town"])
    listed = []

    class Watched(pq.ParquetFile):
        def read_row_group(self, *args, **options):
            part = super().read_row_group(*args, **options)
            listed.append(pa.types.is_dictionary(part.schema.field("town").type))
            return part

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pq, "ParquetFile", Watched)
        folder.take(at)
    assert all(listed) and len(listed) == 4
