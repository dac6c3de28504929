"""What goes with a released table: a record of what it is and how it was made.

The manifest of a differentially private table is another one, which tells nothing of
the real rows: see `coclust_synth.reports.private_release`. This one is of releases
without such a guarantee. It names no value of the table, but those of rules that drawn
rows keep, and no figure that compares it with the real one but how many rows it has; it
has the seed where nothing that is promised rests on it.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from coclust_synth._version import __version__
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.schema import Schema

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

FORMAT, VERSION = "coclust_synth release", 1
NO_GUARANTEE = (
    "No formal guarantee: nothing bounds what the release reveals about a person. Its "
    "distributions are estimated from the real rows."
)
_LIBRARIES = ("numpy", "pandas", "scikit-learn")
# Arguments that are tables, models or functions, and not settings.
_NO_SETTINGS = ("callback", "model", "hierarchies", "population", "n_jobs")


class Method(NamedTuple):
    """How a table was made.

    Attributes
    ----------
    command : str
        That was asked, and the method where it has several.
    what : str
        What the rows of the release are, in a few words.
    parameters : dict
        JSON compatible.
    """

    command: str
    what: str
    parameters: dict[str, Any]


def settings_of(estimator: "BaseEstimator") -> dict[str, Any]:
    """The arguments of an estimator that a manifest tells, as JSON types."""
    return {
        name: _as_json(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in _NO_SETTINGS
    }


def release_manifest(
    files: Mapping[str, bytes | Path],
    method: Method,
    schema: Schema,
    *,
    guarantee: str,
    not_protected: Sequence[str] = (),
    stages: Sequence[str],
    release: Mapping[str, Any],
    recoding: Sequence[Mapping[str, Any]] = (),
    treatments: Mapping[str, str] | None = None,
    source: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The manifest of a release without differential privacy, JSON compatible.

    Parameters
    ----------
    files : mapping of str to bytes or Path
        Names and contents, or where these lie; that of the table first.
    method : Method
    schema : Schema
        Of the real table: names, kinds, roles and treatments are told, no values; and
        which columns it calls public, whose domain is released as it stands.
    guarantee : str
        In a sentence or two; that there is none, if there is none. What a person is
        is told behind it, where the source says how many there are.
    not_protected : sequence of str, default=()
        What the guarantee, or its lack, leaves open, in a few plain sentences.
    stages : sequence of str
        What looked at the real rows.
    release : mapping
        ``rows``, ``columns``, and what else can be seen in the release.
    recoding : sequence of dict, default=()
        What was done to single columns of the real table before all else; see
        `coclust_synth.tables.recoding`.
    treatments : mapping of str to str, optional
        What was done to columns, by name: "label", "key" (made anew), "drawn", how
        sensitive values were replaced, or the method that changed them. Of others the
        schema says it: "keep" is as they are.
    source : mapping, optional
        What was read, as `table_source` gives it.
    """
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "guarantee": guarantee + _of_persons(source or {}),
        **({"not_protected": list(not_protected)} if not_protected else {}),
        "method": method._asdict(),
        **({"source": dict(source)} if source else {}),
        "stages_that_saw_real_rows": list(stages),
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "role": column.role,
                "treatment": (treatments or {}).get(column.name, column.treatment),
                **({"no_date": column.no_date} if column.no_date else {}),
                **({"public": True} if column.public else {}),
            }
            for column in schema.columns
        ],
        **({"recoding": list(recoding)} if recoding else {}),
        "release": dict(release),
        "files": [
            {"file": name, "sha256": file_digest(content)}
            for name, content in files.items()
        ],
        "software": software(),
        "date": release_date(),
    }


def table_source(
    table: object, rows: int | None = None, persons: int | None = None
) -> dict[str, Any]:
    """What a manifest tells of the table that a release was made of.

    Its hash is not told: who knows all of the table but one cell, or can list the few
    tables that there may be, would test each guess by it. How many rows and persons it
    has is told, which the release need not show; not so where rows were held back, nor
    with differential privacy.

    Parameters
    ----------
    table : Path or str
        Its name is told, without the folder or the address that it is at.
    rows, persons : int, optional
        How many may be known; persons where rows are those of persons.
    """
    name = str(table).rpartition("::")[2].replace("\\", "/").rstrip("/")
    told = {"table": name.rpartition("/")[2], "rows": rows, "persons": persons}
    return {what: own for what, own in told.items() if own is not None}


def _of_persons(source: Mapping[str, Any]) -> str:
    """What a person is in a guarantee, where rows are those of persons."""
    if "persons" not in source:
        return ""
    return (
        f" A person is each of the {source['persons']:,} that a column of the table "
        f"names, with all of their rows ({source['rows']:,} in all)."
    )


def software() -> dict[str, str]:
    """Versions of what a release was made with."""
    return {
        "coclust_synth": __version__,
        "python": sys.version.split()[0],
        **_versions(),
    }


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in _LIBRARIES}


def manifest_bytes(manifest: Mapping[str, Any]) -> bytes:
    """A manifest as its file."""
    text = json.dumps(manifest, ensure_ascii=False, indent=1, allow_nan=False)
    return f"{text}\n".encode()


def is_private(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest is that of a differentially private table."""
    return {"budget", "unit"} <= {*manifest}


def is_of_persons(manifest: Mapping[str, Any] | None) -> bool:
    """Whether a manifest says that rows are those of persons, who can have several."""
    if manifest is None:
        return False
    parameters = manifest.get("method", {}).get("parameters", {})
    told = manifest.get("source", {}).get("persons"), parameters.get("person_id")
    return told != (None, None)


def release_date() -> str:
    """The day of a release in UTC, or that of SOURCE_DATE_EPOCH if it is set.

    Examples
    --------
    >>> len(release_date())
    10
    """
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else None
    now = datetime.now(UTC)
    day = now if seconds is None else datetime.fromtimestamp(seconds, UTC)
    return day.date().isoformat()


def read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of a release; None where no file lies there.

    Parameters
    ----------
    path : Path

    Raises
    ------
    ParameterError
        If the file is no manifest of this package.
    """
    if not os.path.isfile(path):  # of a name that is too long, too
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = content.get("format") == FORMAT or is_private(content)
    except (ValueError, AttributeError, RecursionError, OSError) as error:
        content, known = repr(error), False
    if not known:
        raise ParameterError(
            f"Expected the manifest of a release in {str(path)!r}. Received something "
            f"else ({str(content)[:80]}). Choose another "
            "name for the table, or move it away."
        )
    if content.get("format_version", VERSION) != VERSION:
        raise ParameterError(
            f"Expected a manifest of format version {VERSION}. Received version "
            f"{content['format_version']!r}. Install the coclust_synth that wrote it."
        )
    return content


def digests_of(manifest: Mapping[str, Any]) -> set[str]:
    """The sha256 of each file that a manifest tells of.

    Parameters
    ----------
    manifest : mapping
        Of a release of any kind.
    """
    files = [*manifest.get("files", ()), manifest.get("release", {})]
    return {file["sha256"] for file in files if "sha256" in file}


def file_digest(content: bytes | Path) -> str:
    """The sha256 of a file, given its content or where it lies."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _as_json(value):
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, list | tuple):
        return [_as_json(one) for one in value]
    if isinstance(value, Mapping):
        return {str(name): _as_json(one) for name, one in value.items()}
    return str(value)
