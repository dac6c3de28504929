"""Figures from the rows of runs, and from nothing else.

usage: python -m experiments.figures [FOLDER ...]

Draws ``figure.png`` and ``figure.svg`` in each folder below that holds rows, by default
below ``experiments/results`` and ``experiments/published``.
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib
import pandas as pd

_HERE = Path(__file__).resolve().parent


def main(arguments=None):
    """Draw from the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.figures", description="Draw figures from rows."
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    args = parser.parse_args(arguments)
    above = args.folders or [_HERE / "results", _HERE / "published"]
    folders = sorted({path.parent for top in above for path in top.rglob("rows.csv")})
    if not folders:
        told = ", ".join(map(str, above))
        print(f"Error: Expected rows.csv below {told}. Found none.", file=sys.stderr)
        return 2
    for folder in folders:
        draw(folder)
        print(folder / "figure.png")
    return 0


def draw(folder):
    """Write ``figure.png`` and ``figure.svg`` of a run: the same bytes for equal rows.

    Parameters
    ----------
    folder : Path
        With ``rows.csv`` and ``environment.json``, which holds the config.
    """
    from experiments.configs import EXPERIMENTS  # which draw by this module's kin

    environment = json.loads((folder / "environment.json").read_text(encoding="utf-8"))
    config = environment["config"]
    rows = pd.read_csv(folder / "rows.csv")
    figure = EXPERIMENTS[config["experiment"]].figure(rows, config)
    with matplotlib.rc_context({"svg.hashsalt": "coclust_synth"}):
        figure.suptitle(_title(config["figure"]), fontsize="medium")
        figure.savefig(folder / "figure.svg", metadata={"Date": None})
        figure.savefig(folder / "figure.png", dpi=110)


def _title(figure):
    """What a figure is headed by: its number in the thesis, or what it shows."""
    return f"figure {figure} of the thesis" if figure[0].isdigit() else figure


if __name__ == "__main__":
    sys.exit(main())
