"""The file beside a generalised table: which original values each label stands for.

A label such as ``{Private, Local-gov, +3}`` does not say all; the sidecar does, in
JSON::

    {"format": "coclust_synth generalised table", "format_version": 1, ...
     "suppressed_rows": 0,
     "others": ["class"],
     "columns": [{"name": "age", "ordered": true, "leaves": [17, 18, 19, null],
                  "labels": {"[17, 19]": [[17, 19]], "missing": [[null, null]]}},
                 {"name": "sex", "ordered": false, "leaves": ["F", "M"],
                  "labels": {"*": ["F", "M"]}}]}

A label of an ordered column stands for runs of leaves, [first, last]; one of another
column for a list of leaves. It publishes the values that the columns can take,
`leaves`, and how many rows are suppressed; nothing about a row that the table does not
hold.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coclust_synth._version import __version__
from coclust_synth.exceptions import ModelFileError, SchemaError
from coclust_synth.tables.literals import decode, encode, read_json
from coclust_synth.tables.reading.table import table_suffix
from coclust_synth.tables.values.columns import examples

FORMAT = "coclust_synth generalised table"
VERSION = 1


class LabelSets(NamedTuple):
    """The labels of a column, and the leaves that each stands for.

    `members` is bool, of shape (len(labels), len(leaves)). Beside ``*``, which
    suppressed rows read, another label may stand for all leaves.
    """

    name: str
    leaves: tuple
    ordered: bool
    members: np.ndarray
    labels: tuple[str, ...]

    @classmethod
    def of(cls, column) -> "LabelSets":
        """Those of a GeneralizedColumn."""
        return cls(*(getattr(column, field) for field in cls._fields))


def sidecar_path(path: str | os.PathLike) -> Path:
    """Name of the sidecar of a table file.

    Examples
    --------
    >>> sidecar_path("people.csv.gz").name
    'people.labels.json'
    """
    return _beside(path, ".labels.json")


def manifest_path(path: str | os.PathLike) -> Path:
    """Name of the manifest of a table file, which commands write beside it."""
    return _beside(path, ".manifest.json")


def _beside(path, ending):
    path = Path(path)
    return path.with_name(path.name[: -len(table_suffix(path))] + ending)


def sidecar_content(
    columns: Sequence[LabelSets], others: Sequence[str], n_suppressed: int
) -> dict:
    """What a sidecar holds, as JSON types.

    Parameters
    ----------
    columns : sequence of LabelSets
    others : sequence of str
        Names of the columns that are not generalised.
    n_suppressed : int
        Number of suppressed rows.
    """
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "written_by": f"coclust_synth {__version__}",
        "suppressed_rows": n_suppressed,
        "others": list(others),
        "columns": [_column_to_dict(column) for column in columns],
    }


def sidecar_text(content: dict) -> str:
    """The text of a sidecar file."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def read_sidecar(path: str | os.PathLike) -> dict:
    """Read the content of a sidecar; `label_sets` checks what is in it.

    Raises
    ------
    ModelFileError
        If there is no such file, or it is truncated or no JSON.
    """
    advice = "Put the file that was released with the table beside it."
    return read_json(path, "the labels of a generalised table", advice)


def label_sets(content: dict) -> list[LabelSets]:
    """The labels of each generalised column, checked.

    Parameters
    ----------
    content : dict
        As `sidecar_content` gives it.

    Raises
    ------
    ModelFileError
        If it is of another kind or version, lacks something, or has a label that
        stands for values which are no leaves of its column.
    """
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else content
        raise ModelFileError(
            f"Expected the labels of a generalised table (format {FORMAT!r}). Received "
            f"{found!r}. Give the file that was released with the table."
        )
    if content.get("format_version") != VERSION:
        raise ModelFileError(
            f"Expected labels of format version {VERSION}. Received version "
            f"{content.get('format_version')}, written by {content.get('written_by')}. "
            "Install the coclust_synth that wrote it."
        )
    try:
        if not all(isinstance(name, str) for name in content["others"]):
            raise TypeError("a name of others that is no text")
        if not isinstance(content["suppressed_rows"], int):
            raise TypeError("suppressed_rows that is no number")
        return [_column_from_dict(column) for column in content["columns"]]
    except (KeyError, TypeError, ValueError, AttributeError, SchemaError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(
            "Expected the leaves and the labels of each generalised column. Received "
            f"a content that does not read ({type(error).__name__}: {error}). Give "
            "the file as it was released."
        ) from None


def _column_to_dict(column: LabelSets) -> dict:
    leaves = [encode(leaf) for leaf in column.leaves]
    return {
        "name": column.name,
        "ordered": column.ordered,
        "leaves": leaves,
        "labels": {
            label: _stands_for(row, leaves, column.ordered)
            for label, row in zip(column.labels, column.members, strict=True)
        },
    }


def _stands_for(row: np.ndarray, leaves: list, ordered: bool) -> list:
    chosen = np.flatnonzero(row)
    if not ordered:
        return [leaves[i] for i in chosen]
    # Missing is next to no value.
    last_value = len(leaves) - 1 - (leaves[-1] is None)
    is_last = (np.diff(chosen) > 1) | (chosen[:-1] == last_value)
    ends = np.append(np.flatnonzero(is_last), len(chosen) - 1)
    starts = np.append(0, ends[:-1] + 1)
    return [
        [leaves[chosen[start]], leaves[chosen[end]]]
        for start, end in zip(starts, ends, strict=True)
    ]


def _column_from_dict(column: dict) -> LabelSets:
    name, ordered = column["name"], column["ordered"]
    if not isinstance(name, str) or not isinstance(ordered, bool):
        raise TypeError(f"name {name!r}, ordered {ordered!r}")
    leaves = tuple(decode(leaf, f"Column {name!r}") for leaf in column["leaves"])
    place = {leaf: i for i, leaf in enumerate(leaves)}
    labels = column["labels"]
    members = np.zeros((len(labels), len(leaves)), dtype=bool)
    for row, (label, values) in zip(members, labels.items(), strict=True):
        named = [v for run in values for v in run] if ordered else values
        named = [decode(value, f"Column {name!r}") for value in named]
        unknown = [value for value in named if value not in place]
        if unknown or not values:
            raise ModelFileError(
                f"Column {name!r}: expected the label {label!r} to stand for some of "
                f"the {len(leaves)} leaves of the column. Received "
                f"{examples(unknown) if unknown else 'none'}. Give the file as it was "
                "released."
            )
        places = [place[value] for value in named]
        if not ordered:
            row[places] = True
            continue
        for first, last in zip(places[::2], places[1::2], strict=True):
            if first > last:
                raise ValueError(f"a run of {label!r} that ends before it starts")
            row[first : last + 1] = True
    return LabelSets(name, leaves, ordered, members, tuple(labels))
