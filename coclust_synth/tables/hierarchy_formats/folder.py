"""The hierarchies of a folder for the columns of a table."""

import os
from pathlib import Path

import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchies.columns import match_column
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import check_names
from coclust_synth.tables.hierarchy_formats.arx import read_arx
from coclust_synth.tables.hierarchy_formats.own import read_json
from coclust_synth.tables.hierarchy_formats.own_toml import read_toml
from coclust_synth.tables.schema import Schema


def read_hierarchies(
    folder: str | os.PathLike[str], frame: pd.DataFrame, schema: Schema
) -> dict[str, GeneralizationHierarchy]:
    """Read ``<column>`` or ``<anything>_hierarchy_<column>`` of ``.toml`` and others.

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


def _file_of(folder, name):
    for suffix in (".toml", ".json", ".csv"):
        paths = [
            path
            for path in sorted(Path(folder).glob(f"*{suffix}"))
            if path.stem == name or path.stem.endswith(f"_hierarchy_{name}")
        ]
        if len(paths) > 1:
            raise SchemaError(
                f"Expected one hierarchy of {name!r} in {str(folder)!r}. Received "
                f"{paths[0].name!r} and {paths[1].name!r}. Remove one of the files."
            )
        if paths:
            return paths[0]
    return None
