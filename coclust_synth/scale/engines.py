"""Which engine reads a table, where it is, and how much memory it may take.

Tables of databases are named by the address of the base and the name of the table.
"""

from __future__ import annotations

import os
import re
import weakref
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.scale.frame_source import FrameSource
from coclust_synth.scale.source import CountSource
from coclust_synth.tables.reading.parquet import ParquetFolder, frame_of_arrow
from coclust_synth.validation import check_choice

if TYPE_CHECKING:
    import ibis


def is_base(table: object) -> bool:
    """Whether a table is given as a base with the name of one of its tables."""
    return isinstance(table, str | os.PathLike) and "::" in str(table)


def split_address(table: object) -> tuple[str, str]:
    """The base, and the name of the table in it."""
    # A path has had its double slashes made single.
    address = re.sub(r"^(\w{2,}):/(?!/)", r"\1://", str(table))
    base, _, name = address.rpartition("::")
    return base, name


def shown_table(table: object) -> str:
    """A table as it may be told: an address without its password and settings."""
    if not is_base(table):
        return str(table)
    base, name = split_address(table)
    return f"{_shown_base(base)}::{name}"


def _shown_base(base):
    # Up to the last sign, and before settings are looked for: a password may hold any.
    return re.sub(r"(?<=://)([^/@:]*):.*@", r"\1@", base).partition("?")[0]


def connect_base(base: str) -> ibis.BaseBackend:
    """What asks a base that ibis knows, by its address.

    Raises
    ------
    ParameterError
        If ibis knows no such base, what it asks it by is not installed, or the password
        is not written as in an address.
    TableError
        If the base does not answer, or lets nobody in. No message holds the password.
    """
    import ibis

    _check_password(base)
    shown, kind = _shown_base(base), base.partition("://")[0]
    try:
        return ibis.connect(base)
    except ImportError as error:
        raise ParameterError(
            f"Expected the package that reads {kind!r}. Received an environment "
            f"without {error.name!r}. Install it: pip install {_extra(kind)!r}."
        ) from None
    except ValueError:
        raise ParameterError(
            "Expected the address of a base that ibis knows, such as "
            f"postgres://HOST/BASE::TABLE. Received {shown!r}. Correct it, or write "
            "the table to a folder of Parquet files."
        ) from None
    except Exception as error:  # each base has errors of its own
        (reason, *_) = _without_password(str(error), base).strip().splitlines() or [""]
        raise TableError(
            f"Expected a base that answers in {shown!r}. Received: "
            f"{reason.rstrip('.')}. Check host, port, user and password."
        ) from None


def _extra(kind):
    if kind in ("postgres", "postgresql"):
        return "coclust-synth[postgres]"
    return f"ibis-framework[{kind}]"


def _check_password(base):
    """Refuse what would be read as host and port, and told by the base's own errors."""
    asked = re.search(r"://[^/@:]*:(.*)@", base)
    if asked is not None and set("/?#") & set(asked[1]):
        raise ParameterError(
            "Expected the signs / ? # of a password written as %2F %3F %23. Received "
            f"one of them unchanged, in the address of {_shown_base(base)!r}. Write "
            "it so, or give the password by PGPASSWORD or a file of the base."
        )


def _without_password(text, base):
    secret = urlsplit(base).password
    for own in filter(None, (secret, unquote(secret or ""))):
        text = text.replace(own, "***")
    return text


def named_table(connection: ibis.BaseBackend, name: str) -> ibis.Table:
    """A table of a base by its name, or by those of its schema and its own.

    A table whose own name has a dot comes first.

    Raises
    ------
    ibis.common.exceptions.TableNotFound
    """
    from ibis.common.exceptions import TableNotFound

    try:
        return connection.table(name)
    except TableNotFound:
        schema, dot, own = name.partition(".")
        if not dot:
            raise
        return connection.table(own, database=schema)


def readable(table: ibis.Table) -> ibis.Table:
    """A table whose cells can be handed over.

    What only its base knows (uuid, json, addresses, ranges, points) is read as the base
    writes it; a decimal number of no fixed precision, which may be NaN, as a float.
    """
    read = {}
    for name, kind in table.schema().items():
        if kind.is_decimal() and kind.precision is None:
            read[name] = table[name].cast("float64")
        elif _is_of_base(kind):
            read[name] = table[name].cast("string")
    return table.mutate(**read) if read else table


def _is_of_base(kind):
    is_text = kind.is_uuid() or kind.is_json() or kind.is_inet() or kind.is_macaddr()
    return is_text or kind.is_unknown() or kind.is_geospatial()


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
        If the engine is not known or not installed, or does not use an option, or the
        table is no such thing.
    TableError
        If there is no such table.
    """
    check_choice("engine", engine, ENGINES)
    _check_used(engine, memory=memory, temp=temp)
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


def _check_used(engine, **options):
    """Refuse an option that the engine does not use."""
    unused = {"memory": ("memory", "temp"), "spark": ("memory",)}.get(engine, ())
    said = [name for name in unused if options[name] is not None]
    if said:
        raise ParameterError(
            f"Expected options that the engine {engine!r} uses. Received "
            f"{' and '.join(said)}. Leave out {' and '.join(f'--{n}' for n in said)}, "
            "or choose duckdb."
        )


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
            f"Expected Parquet files for an engine to read. Received {str(path)!r}. "
            "Convert it, or leave out the engine."
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
            f"SCHEMA.TABLE. Received {name!r}, which is neither. Check the name "
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
            "Expected DuckDB to start with this memory, these temporary files and "
            f"this base. Received: {str(error).splitlines()[0]}. Correct them; memory "
            "is written such as 4GB."
        ) from None


def _spark():
    if find_spec("pyspark") is None:
        raise ParameterError(
            "Expected pyspark for the engine spark. Received an environment without "
            "it. Install it: pip install 'coclust-synth[spark]'."
        )
    from pyspark.sql import SparkSession

    try:
        session = SparkSession.builder.getOrCreate()
    except (RuntimeError, OSError) as error:
        raise ParameterError(
            "Expected Spark to start. Received: "
            f"{str(error).strip().splitlines()[0]}. Install Java, such as "
            "openjdk-17-jre-headless, or look into Spark's configuration."
        ) from None
    # Instants are those of UTC, whatever the machine's zone.
    session.conf.set("spark.sql.session.timeZone", "UTC")
    return _ibis().pyspark.connect(session)


def _ibis():
    if find_spec("ibis") is None:
        raise ParameterError(
            "Expected ibis, which the engines need. Received an environment without "
            "it. Install it: pip install 'coclust-synth[scale]'."
        )
    import ibis

    return ibis
