"""Files that are shared beside the repository; tests skip without them, and say so."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
ADULT = SHARED / "data" / "adult.csv.gz"


def needed(path):
    """The path, where there is such a file or folder."""
    if not path.exists():
        pytest.skip(f"no {path}: the shared folder is not beside the repository")
    return path
