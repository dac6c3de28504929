"""Hierarchies of anjana: a column of each level, and comma CSV without header."""

from pathlib import Path

import pandas as pd

from coclust_synth.tables.hierarchy_formats.texts import (
    lines_from_csv,
    lines_to_csv,
    read_text,
    write_text,
)


def to_anjana(hierarchy, *, dtype=None):
    """The columns that anjana takes as the hierarchy of an attribute.

    anjana looks values up by ``==``, and so never finds a missing one: put a mark in
    its place before, in the table and in level 0.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    dtype : optional
        That of the attribute in the table; by default what pandas infers of the
        leaves.

    Returns
    -------
    dict of int to Series
        Level 0 holds the leaves, the others their labels on that level.
    """
    levels = {0: pd.Series(list(hierarchy.leaves), dtype=dtype)}
    for level, labels in enumerate(hierarchy.labels[1:], start=1):
        nodes = hierarchy.node_of(level)
        levels[level] = pd.Series([labels[node] for node in nodes])
    return levels


def write_anjana(hierarchy, path, *, force=False):
    """Write a hierarchy for ``dict(pandas.read_csv(path, header=None))``.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists, or cannot be written.
    """
    write_text(lines_to_csv(hierarchy, ","), path, force=force)


def read_anjana(path, name=None):
    """Read a hierarchy of anjana.

    Parameters
    ----------
    path : path
    name : str, optional
        The attribute; by default the name of the file.

    Returns
    -------
    GeneralizationHierarchy
        Its leaves are texts, in the order of the lines.

    Raises
    ------
    SchemaError
        If the file cannot be read, or holds no hierarchy.
    """
    name = Path(path).stem if name is None else name
    return lines_from_csv(read_text(path), name, ",")
