"""Frames of other libraries: in as pandas, out as they came.

polars, pyarrow and what else narwhals knows as a frame in memory come in through
Arrow, and so do objects of the Arrow stream or the dataframe interchange protocol. A
column becomes what its declared type says, whatever its cells hold: whole numbers and
booleans have pandas' types with a missing value, whether one is missing or not, so that
no cell changes how another one is read. Estimators take arrays too.
"""

import warnings
from typing import Any, Protocol

import numpy as np
import pandas as pd

from coclust_synth.exceptions import TableError

_DECIMAL_DIGITS = 38  # as many as Parquet, DuckDB, Spark and polars hold


class FrameLike(Protocol):
    """A frame of another library; those of the older protocol come in too."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The frame, as a stream of Arrow."""


def as_pandas(table: Any) -> Any:
    """A frame of any library as a DataFrame; what is none comes back as it is.

    Parameters
    ----------
    table : object

    Returns
    -------
    DataFrame or object
        A DataFrame is given back itself.

    Raises
    ------
    TableError
        If it is a frame that does not convert.

    Examples
    --------
    >>> import pyarrow
    >>> as_pandas(pyarrow.table({"age": [30, None]}))["age"].dtype
    Int64Dtype()
    >>> as_pandas("people.csv")
    'people.csv'
    """
    if isinstance(table, pd.DataFrame) or not _is_frame(table):
        return table
    import pyarrow

    try:
        return _as_arrow(table).to_pandas(types_mapper=_pandas_dtypes().get)
    except (pyarrow.ArrowException, TypeError, RuntimeError) as error:
        raise TableError(
            "Expected a frame of columns. Received an object of type "
            f"{type(table).__name__}, which does not convert ({error}). Make it a "
            "DataFrame, for instance by pandas.DataFrame."
        ) from None


def library_of(table: Any) -> str | None:
    """The library of a frame, for `in_library`; None for pandas, and for no frame.

    Examples
    --------
    >>> import pyarrow
    >>> library_of(pyarrow.table({"age": [30]})), library_of("people.csv")
    ('pyarrow', None)
    """
    if isinstance(table, pd.DataFrame) or not _is_frame(table):
        return None
    known = _narwhals_frame(table)
    return None if known is None else str(known.implementation.value)


def in_library(frame: pd.DataFrame, library: str | None) -> Any:
    """A DataFrame as a frame of another library.

    Parameters
    ----------
    frame : DataFrame
    library : str or None
        As `library_of` says; None gives the DataFrame itself.

    Examples
    --------
    >>> in_library(pd.DataFrame({"age": [30]}), "pyarrow").schema.names
    ['age']
    """
    if library is None:
        return frame
    import narwhals

    arrow = arrow_table(frame).replace_schema_metadata(None)
    other = narwhals.from_arrow(arrow, backend=library)
    if library == "polars":  # whose categories have an order in this type alone
        other = other.with_columns(
            narwhals.col(name).cast(narwhals.Enum(list(column.cat.categories)))
            for name, column in frame.items()
            if isinstance(column.dtype, pd.CategoricalDtype) and column.cat.ordered
        )
    return other.to_native()


def arrow_table(frame: pd.DataFrame) -> Any:
    """A DataFrame in Arrow, its decimals of one type however many digits they have.

    Arrow gives objects the precision of the longest: parts of one table would differ.

    Examples
    --------
    >>> from decimal import Decimal
    >>> arrow_table(pd.DataFrame({"paid": [Decimal("1.50")]})).schema.field("paid").type
    Decimal128Type(decimal128(38, 2))
    """
    import pyarrow

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    fields = [
        field.with_type(pyarrow.decimal128(_DECIMAL_DIGITS, field.type.scale))
        if pyarrow.types.is_decimal(field.type) and frame[field.name].dtype == object
        else field
        for field in table.schema
    ]
    return table.cast(pyarrow.schema(fields, table.schema.metadata))


def _is_frame(table):
    """Whether it is of a library of frames, or of a protocol that these share."""
    if isinstance(table, str) or hasattr(table, "__fspath__"):
        return False
    protocols = ("__narwhals_dataframe__", "__arrow_c_stream__", "__dataframe__")
    return any(hasattr(table, name) for name in protocols)


def _narwhals_frame(table):
    import narwhals

    try:
        frame = narwhals.from_native(table, eager_only=True, pass_through=True)
    except narwhals.exceptions.DuplicateError:
        raise TableError(
            "Expected column names that are different. Received a frame of type "
            f"{type(table).__name__} that repeats one. Rename the columns."
        ) from None
    return frame if isinstance(frame, narwhals.DataFrame) else None


def _as_arrow(table):
    import pyarrow

    known = _narwhals_frame(table)
    if known is not None:
        return known.to_arrow()
    if hasattr(table, "__arrow_c_stream__"):
        return pyarrow.table(table)
    from pyarrow.interchange import from_dataframe

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of protocols that libraries leave behind
        return from_dataframe(table)


def _pandas_dtypes():
    import pyarrow

    names = [f"{sign}nt{bits}" for sign in ("I", "UI") for bits in (8, 16, 32, 64)]
    dtypes = {
        getattr(pyarrow, name.lower())(): pd.api.types.pandas_dtype(name)
        for name in names
    }
    return dtypes | {pyarrow.bool_(): pd.BooleanDtype()}


def to_frame(X):
    """A table with texts for column names and rows numbered from 0.

    Parameters
    ----------
    X : DataFrame or array-like, shape (n, d)

    Returns
    -------
    DataFrame
        Columns of arrays are named x0, x1, ..., as in scikit-learn; those of arrays of
        objects have the type of their values.
    """
    X = as_pandas(X)
    if isinstance(X, pd.DataFrame):
        return X.rename(columns=str).reset_index(drop=True)
    if isinstance(X, list):
        X = np.array(X, dtype=object)
    return pd.DataFrame(X).add_prefix("x").infer_objects()
