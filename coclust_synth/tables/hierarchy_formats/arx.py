"""Hierarchies of ARX: CSV without header, ``;``, leaf first and root last.

The file of an attribute is named ``<table>_hierarchy_<attribute>.csv``.
"""

from pathlib import Path

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchy_formats.texts import (
    lines_from_csv,
    lines_to_csv,
    read_text,
    write_text,
)

_BETWEEN = "_hierarchy_"


def write_arx(hierarchy, path, *, force=False):
    """Write a hierarchy as ARX does.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
        By custom ``<table>_hierarchy_<attribute>.csv``.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    OutputError
        If the file exists, or cannot be written.
    """
    write_text(lines_to_csv(hierarchy, ";"), path, force=force)


def read_arx(path, name=None):
    """Read a hierarchy of ARX.

    Parameters
    ----------
    path : path
    name : str, optional
        The attribute; by default what follows ``_hierarchy_`` in the file's name.

    Returns
    -------
    GeneralizationHierarchy
        Its leaves are texts, in the order of the lines.

    Raises
    ------
    SchemaError
        If the file cannot be read, or holds no hierarchy.
    """
    if name is None:
        name = Path(path).stem.split(_BETWEEN, 1)[-1]
    return lines_from_csv(read_text(path), name, ";")


def read_arx_folder(folder):
    """Read every ``<table>_hierarchy_<attribute>.csv`` of a folder.

    Returns
    -------
    dict of str to GeneralizationHierarchy
        By attribute, in alphabetical order.

    Raises
    ------
    SchemaError
        If there is none, two are of one attribute, or one is no hierarchy.
    """
    found = {}
    for path in sorted(Path(folder).glob(f"*{_BETWEEN}*.csv")):
        hierarchy = read_arx(path)
        if hierarchy.name in found:
            raise SchemaError(
                f"Expected one hierarchy of {hierarchy.name!r} in {str(folder)!r}. "
                f"Received a second in {path.name!r}. Remove one of the files."
            )
        found[hierarchy.name] = hierarchy
    if not found:
        raise SchemaError(
            f"Expected files named <table>{_BETWEEN}<attribute>.csv in "
            f"{str(folder)!r}. Received none. Check the path."
        )
    return found
