"""Parquet files of columns that are known by their categories.

Texts of a few categories are spelt out in a table and looked up again where a file is
written, cell by cell. A table that has their codes instead is written from these: the
same bytes, for a third of the work.
"""

import base64
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from coclust_synth.tables.schema import LISTED_KINDS
from coclust_synth.tables.values.dtypes import pandas_dtype
from coclust_synth.tables.writing import parquet_table

# Dtype of texts that are held as codes.
_CODED = "category"
# Before pyarrow 20 a file cannot tell of other types than those it was written from.
_CAN_TELL = hasattr(pq.ParquetWriter, "add_key_value_metadata")


def with_codes(schema):
    """The same schema, whose listed texts are held as codes of their categories.

    Parameters
    ----------
    schema : Schema

    Returns
    -------
    Schema
    """
    columns = [
        replace(column, dtype=_CODED) if _is_text(column) else column
        for column in schema.columns
    ]
    return replace(schema, columns=tuple(columns))


def coded_bytes(frame, schema):
    """The Parquet file that `table_bytes` gives of a table whose texts are spelt out.

    Parameters
    ----------
    frame : DataFrame
        With the dtypes of ``with_codes(schema)``.
    schema : Schema

    Returns
    -------
    bytes
    """
    coded = {name: frame[name] for name in frame.columns if _is_text(schema[name])}
    nothing = np.zeros(len(frame), dtype=np.int64)
    blank = {
        name: pd.array([None], dtype=schema[name].dtype).take(nothing) for name in coded
    }
    spelt = table = parquet_table(frame.assign(**blank))
    for name, series in coded.items():
        at = spelt.column_names.index(name)
        listed = _by_appearance(series.cat, spelt.schema.field(at).type)
        table = table.set_column(at, name, listed)
    content = io.BytesIO()
    # The file tells of the types of texts, not of codes.
    with pq.ParquetWriter(content, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        told = base64.b64encode(spelt.schema.serialize().to_pybytes())
        writer.add_key_value_metadata({**spelt.schema.metadata, "ARROW:schema": told})
    return content.getvalue()


def _by_appearance(cells, dtype):
    """Cells as codes of categories, which are numbered as they appear, as in a file."""
    codes = cells.codes.to_numpy()
    seen = pd.unique(codes)
    seen = seen[seen >= 0]
    number = np.full(len(cells.categories) + 1, -1, dtype=np.int32)  # -1 for missing
    number[seen] = np.arange(len(seen), dtype=np.int32)
    codes = number[codes]
    listed = pa.array(cells.categories.to_numpy()[seen], type=dtype)
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), listed)


def _is_text(column):
    """Whether cells of a column are texts of a list, and can be held as codes."""
    if column.kind not in LISTED_KINDS or column.dtype.startswith(_CODED):
        return False
    return _CAN_TELL and isinstance(pandas_dtype(column.dtype, column), pd.StringDtype)
