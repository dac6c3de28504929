"""Hierarchies in files: one that is written, and those of a folder for a table."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.files import check_writable, write_files
from coclust_synth.tables.hierarchies.columns import match_column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import check_names
from coclust_synth.tables.hierarchy_formats.amnesia import (
    amnesia_json_text,
    amnesia_text,
)
from coclust_synth.tables.hierarchy_formats.lines import (
    lines_to_csv,
    name_in_file,
    read_arx,
)
from coclust_synth.tables.hierarchy_formats.own import (
    json_text,
    read_json,
    read_toml,
    toml_text,
)
from coclust_synth.tables.schema import Schema
from coclust_synth.validation import check_choice

_TEXTS: dict[str, Callable[..., str]] = {
    "arx": partial(lines_to_csv, delimiter=";"),
    "anjana": partial(lines_to_csv, delimiter=","),
    "amnesia": amnesia_text,
    "amnesia-ranges": partial(amnesia_text, ranges=True),
    "amnesia-json": amnesia_json_text,
    "json": json_text,
    "toml": toml_text,
}


def write_hierarchy(
    hierarchy: GeneralizationHierarchy,
    path: str | os.PathLike[str],
    format: str,
    *,
    force: bool = False,
) -> None:
    """Write a hierarchy to a file, whole or not at all.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
        Of ARX by custom ``<table>_hierarchy_<attribute>.csv``.
    format : {"arx", "anjana", "amnesia", "amnesia-ranges", "amnesia-json", "json", \
            "toml"}
        json and toml are our own. Of amnesia, distinct values or, where `has_ranges`,
        ranges. That of anjana is for ``dict(pandas.read_csv(path, header=None))``.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    ParameterError
        If there is no such format, or there are no ranges to write.
    OutputError
        If the file exists and `force` is false, or cannot be written.
    """
    check_choice("format", format, _TEXTS)
    check_writable(path, force)
    write_files({path: _TEXTS[format](hierarchy).encode("utf-8")})


def read_hierarchies(
    folder: str | os.PathLike[str], frame: pd.DataFrame, schema: Schema
) -> dict[str, GeneralizationHierarchy]:
    """Read ``<column>`` or ``<anything>_hierarchy_<column>`` of ``.toml`` and others.

    Of a slash in the name of a column the file's has ``%2F``, ``%5C`` of a backslash.

    Parameters
    ----------
    folder : path
        Files of our own ``.toml``, or else of our ``.json``, or else of ARX, ``.csv``.
    frame : DataFrame
    schema : Schema
        Complete.

    Returns
    -------
    dict of str to GeneralizationHierarchy
        For the columns that have a file, with leaves of their types.

    Raises
    ------
    SchemaError
        If there is no such folder, no column has a file, one has two of a kind, a file
        holds no hierarchy, a value of its column is no leaf, or a group is named by
        values that are not its own.
    """
    if not os.path.isdir(folder):
        raise SchemaError(
            f"Expected a folder of hierarchies. Received {str(folder)!r}, which is "
            "none. Check the path."
        )
    found = {}
    for column in schema.columns:
        if column.treatment == "drop":
            continue
        path = _file_of(folder, column.name)
        if path is None:
            continue
        if path.suffix == ".json":
            hierarchy = read_json(path)
            hierarchy.leaf_codes(frame[column.name])  # refuses a value that is no leaf
        else:
            is_own = path.suffix == ".toml"
            hierarchy = read_toml(path) if is_own else read_arx(path, column.name)
            hierarchy = match_column(hierarchy, frame[column.name], column)
        check_names(hierarchy)
        found[column.name] = hierarchy
    if not found:
        raise SchemaError(
            "Expected files named <column> or <table>_hierarchy_<column>, .toml, .json "
            f"or .csv, for some of the columns {', '.join(map(repr, schema.names))}, "
            f"in {str(folder)!r}. Received none. Check the path, and the names of the "
            "columns."
        )
    return found


def _file_of(folder, column):
    name = name_in_file(column)
    for suffix in (".toml", ".json", ".csv"):
        paths = [
            path
            for path in sorted(Path(folder).glob(f"*{suffix}"))
            if path.stem == name or path.stem.endswith(f"_hierarchy_{name}")
        ]
        if len(paths) > 1:
            raise SchemaError(
                f"Expected one hierarchy of {column!r} in {str(folder)!r}. Received "
                f"{paths[0].name!r} and {paths[1].name!r}. Remove one of the files."
            )
        if paths:
            return paths[0]
    return None
