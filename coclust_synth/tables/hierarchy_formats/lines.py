"""Hierarchies as lines of labels, leaf first and root last: CSV of ARX and of anjana.

ARX parts them by ``;``, and the file of an attribute is named
``<table>_hierarchy_<attribute>.csv``; anjana parts them by commas, and takes a column
of each level. Neither has a header.
"""

import csv
import io
import re
from pathlib import Path

import pandas as pd

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.files import read_declared
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.writing import csv_text

_BETWEEN = "_hierarchy_"
_CODES = {"/": "%2F", "\\": "%5C", "%": "%25"}
_MARKS = {code: mark for mark, code in _CODES.items()}
# A percent sign is spelt where it would be read as one of the codes.
_TO_CODE = re.compile(r"[/\\]|%(?=2F|5C|25)")
_CODE = re.compile("|".join(_MARKS))


def lines_to_csv(hierarchy, delimiter):
    """The lines of a hierarchy, leaf first and root last, as CSV without header."""
    return csv_text(hierarchy.lines(), delimiter)


def lines_from_csv(text, name, delimiter):
    """The hierarchy of a CSV without header, leaf first and root last.

    Raises
    ------
    SchemaError
        If this is no hierarchy; the message names the attribute and the line.
    """
    lines, numbers, number = [], [], 1
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for line in reader:
            if line:
                lines.append(tuple(line))
                numbers.append(number)
            number = reader.line_num + 1
    except csv.Error as error:
        raise SchemaError(
            f"Expected a hierarchy of {name!r} as lines of labels. Received one that "
            f"does not read, from line {number} on ({error}). Correct that line."
        ) from None
    return GeneralizationHierarchy.from_lines(name, lines, numbers=numbers)


def _read_lines(path, name, delimiter):
    text = read_declared(path, "a hierarchy", newline="")
    return lines_from_csv(text, name, delimiter)


def name_in_file(name):
    """A column as part of a file name: ``%2F`` for a slash, ``%5C`` for a backslash.

    A percent sign before what would then be such a code is ``%25``.

    Examples
    --------
    >>> name_in_file("State / Province")
    'State %2F Province'
    >>> name_in_file("100 % of a%2Fb")
    '100 % of a%252Fb'
    """
    return _TO_CODE.sub(lambda found: _CODES[found[0]], name)


def read_arx(path, name=None):
    """Read a hierarchy of ARX.

    Parameters
    ----------
    path : path
    name : str, optional
        The attribute; by default what follows ``_hierarchy_`` in the file's name, read
        as `name_in_file` spells it.

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
        name = _CODE.sub(lambda found: _MARKS[found[0]], name)
    return _read_lines(path, name, ";")


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
    return _read_lines(path, name, ",")
