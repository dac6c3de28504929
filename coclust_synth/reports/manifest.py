"""What goes with a released table: a record of what it is and how it was made.

The manifest of a differentially private table is another one, which tells nothing of
the real rows: see `coclust_synth.reports.private_release`. This one is of releases
without such a guarantee. It names no value of the table and no figure that compares it
with the real one; it has the seed, since nothing that is promised rests on it.
"""

import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from coclust_synth._version import __version__
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.schema import Schema

FORMAT, VERSION = "coclust_synth release", 1
NO_GUARANTEE = (
    "No formal guarantee: nothing bounds what the release tells of a person. Its laws "
    "are estimated from the real rows."
)
_LIBRARIES = ("numpy", "pandas", "scikit-learn")
# Arguments that are tables, models or functions, and not settings.
_NO_SETTINGS = ("callback", "model", "hierarchies", "population", "n_jobs")


def release_manifest(
    files: Mapping[str, bytes],
    command: str,
    what: str,
    estimator: Any,
    schema: Schema,
    *,
    guarantee: str,
    stages: Sequence[str],
    release: Mapping[str, Any],
) -> dict[str, Any]:
    """The manifest of a release without differential privacy, JSON compatible.

    Parameters
    ----------
    files : mapping of str to bytes
        Names and contents, that of the table first.
    command, what : str
        How it was asked for, and what its rows are.
    estimator : object
        With `get_params`, as those of this package.
    schema : Schema
        Of the real table: names, kinds, roles and treatments are told, no values.
    guarantee : str
        In a sentence or two; that there is none, if there is none.
    stages : sequence of str
        What looked at the real rows.
    release : mapping
        ``rows``, ``columns``, and what else the release tells of itself.
    """
    parameters = {
        name: value if isinstance(value, str | int | float | None) else str(value)
        for name, value in estimator.get_params(deep=False).items()
        if name not in _NO_SETTINGS
    }
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "guarantee": guarantee,
        "method": {
            "command": command,
            "what": what,
            "estimator": type(estimator).__name__,
            "parameters": parameters,
        },
        "stages_that_saw_real_rows": list(stages),
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "role": column.role,
                "treatment": column.treatment,
            }
            for column in schema.columns
        ],
        "release": dict(release),
        "files": [
            {"file": name, "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in files.items()
        ],
        "software": {
            "coclust_synth": __version__,
            "python": sys.version.split()[0],
            **{name: version(name) for name in _LIBRARIES},
        },
        "date": release_date(),
    }


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
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        known = content.get("format") == FORMAT or {"budget", "unit"} <= {*content}
    except (ValueError, AttributeError, RecursionError, OSError) as error:
        content, known = repr(error), False
    if not known:
        raise ParameterError(
            f"Expected the manifest of a release in {str(path)!r}. Received something "
            f"else ({str(content)[:80]}). Move it away, or put the right one there."
        )
    if content.get("format_version", VERSION) != VERSION:
        raise ParameterError(
            f"Expected a manifest of format version {VERSION}. Received version "
            f"{content['format_version']!r}. Install the coclust_synth that wrote it."
        )
    return content
