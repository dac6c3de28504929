"""Which engine reads a table, and how much memory it may take."""

from __future__ import annotations

import os
import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.scale.bases import (
    connect_base,
    is_base,
    named_table,
    readable,
    shown_table,
    split_address,
)
from coclust_synth.scale.frame_source import FrameSource
from coclust_synth.scale.source import CountSource
from coclust_synth.tables.reading.parquet_folder import ParquetFolder
from coclust_synth.tables.reading.table import frame_of_arrow
from coclust_synth.validation import check_choice

if TYPE_CHECKING:
    from coclust_synth.scale.ibis_source import IbisSource

ENGINES = ("memory", "duckdb", "spark")


def open_source(
    table: Any,
    engine: str = "duckdb",
    *,
    memory: str | None = None,
    temp: str | os.PathLike[str] | None = None,
) -> CountSource:
    """A table as something that counts can be asked of.

    Parameters
    ----------
    table : path, address, ibis.Table, DataFrame or CountSource
        A folder of Parquet files or one such file; ``FILE.duckdb::TABLE``; an address
        that ibis connects to with a table's name, ``postgres://HOST/BASE::TABLE``; or a
        table of ibis, which brings its engine.
    engine : {"duckdb", "spark", "memory"}, default="duckdb"
        What reads files. Spark is the session that is running, or a new one.
    memory : str, optional
        That DuckDB may take, such as ``"4GB"``; more goes to files in `temp`. By
        default four fifths of the machine's.
    temp : path, optional
        Folder of temporary files, for Spark one that all its machines see.

    Returns
    -------
    CountSource

    Raises
    ------
    ParameterError
        If the engine is not known or not installed, or the table is no such thing.
    TableError
        If there is no such table.
    """
    check_choice("engine", engine, ENGINES)
    if temp is not None and not os.path.isdir(temp):
        raise ParameterError(
            "Expected a folder for temporary files. Received "
            f"{str(temp)!r}, which is none. Create it, or choose another."
        )
    if isinstance(table, CountSource):
        return table
    if is_base(table):
        return _of_database(table, memory, temp)
    is_address = isinstance(table, str | os.PathLike)
    if engine == "memory":
        return FrameSource(_in_memory(table) if is_address else table)
    if is_address:
        folder = ParquetFolder.open(_existing(table))
        return _of_files(folder, engine, memory, temp)
    if type(table).__module__.startswith("ibis."):
        return _of_table(readable(table), temp=temp)
    return FrameSource(table)


def is_engine_table(table: Any) -> bool:
    """Whether a table is more than a frame or a file: see `open_source`."""
    if isinstance(table, str | os.PathLike):
        return is_base(table) or os.path.isdir(table)
    return isinstance(table, CountSource) or type(table).__module__.startswith("ibis.")


def _existing(table):
    path = Path(table)
    if not path.exists():
        raise TableError(
            f"Expected a folder of Parquet files, or one. Received {str(path)!r}, "
            "which is not there. Check the path."
        )
    if path.is_file() and path.suffix.lower() != ".parquet":
        raise ParameterError(
            "Expected Parquet files, where an engine reads them. Received "
            f"{str(path)!r}. Convert it, or leave out the engine."
        )
    return path


def _in_memory(table):
    path = Path(table)
    return frame_of_arrow(ParquetFolder.open(path).read()) if path.is_dir() else path


def _of_files(folder, engine, memory, temp):
    if engine == "spark":
        connection = _spark()
        names = [str(file.absolute()) for file in folder.files]
        session = connection._session
        view = f"coclust_synth_{id(folder)}"
        session.read.parquet(*names).createOrReplaceTempView(view)
        return _of_table(connection.table(view), folder=folder, temp=temp)
    connection = _duckdb(memory, temp)
    table = connection.read_parquet([str(file) for file in folder.files])
    return _of_table(table, folder=folder, temp=temp)


def _of_database(address, memory, temp):
    base, name = split_address(address)
    ibis = _ibis()
    if "://" in base:
        connection = connect_base(base)
    else:
        connection = _duckdb(memory, temp, _existing_base(base))
    try:
        found = named_table(connection, name)
    except ibis.common.exceptions.TableNotFound:
        connection.disconnect()
        raise TableError(
            f"Expected the name of a table, as in {shown_table(f'{base}::TABLE')}, or "
            f"SCHEMA.TABLE. Received {name!r}, which is none of it. Check the name "
            "behind the two colons."
        ) from None
    source = _of_table(readable(found), temp=temp)
    weakref.finalize(source, connection.disconnect)
    return source


def _existing_base(base):
    if not os.path.isfile(base):
        raise TableError(
            f"Expected a DuckDB file in {base!r}. Received no such file. Check the "
            "path in front of the two colons."
        )
    return base


def _of_table(table, *, folder=None, temp=None) -> IbisSource:
    _ibis()
    from coclust_synth.scale.ibis_source import IbisSource

    return IbisSource(table, folder=folder, temp=temp)


def _duckdb(memory, temp, base=None):
    import duckdb

    settings = {} if memory is None else {"memory_limit": memory}
    if temp is not None:
        settings["temp_directory"] = str(temp)
    try:
        if base is None:
            return _ibis().duckdb.connect(**settings)
        return _ibis().duckdb.connect(base, read_only=True, **settings)
    except duckdb.Error as error:
        raise ParameterError(
            "Expected a DuckDB that starts with this memory, these temporary files and "
            f"this base. Received: {str(error).splitlines()[0]}. Correct them; memory "
            "is written such as 4GB."
        ) from None


def _spark():
    if find_spec("pyspark") is None:
        raise ParameterError(
            "Expected pyspark, which the engine spark is. Received an environment "
            "without it. Install it: pip install 'coclust-synth[spark]'."
        )
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.getOrCreate()
    except (RuntimeError, OSError) as error:
        raise ParameterError(
            "Expected a Spark that starts. Received: "
            f"{str(error).strip().splitlines()[0]}. Install Java, such as "
            "openjdk-17-jre-headless, or look into Spark's configuration."
        ) from None
    # Instants are those of UTC, whatever the machine's zone.
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return _ibis().pyspark.connect(session)


def _ibis():
    if find_spec("ibis") is None:
        raise ParameterError(
            "Expected ibis, by which engines are asked. Received an environment "
            "without it. Install it: pip install 'coclust-synth[scale]'."
        )
    import ibis

    return ibis
