"""The table that comes with the package."""

from importlib.resources import files
from pathlib import Path


def bundled_table() -> Path:
    """Path of the bundled table: a synthetic stand-in for UCI Adult.

    48,842 rows x 15 columns, made by this package; ``synthetic_adult.md`` beside it
    says how, and cites the source.

    Returns
    -------
    Path
    """
    return Path(str(files("coclust_synth.tables") / "data" / "synthetic_adult.parquet"))
