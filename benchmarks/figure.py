"""CPU seconds to Khiops's cost and to our best, for all cases in one chart.

usage: python -m benchmarks.figure [DIR]

Draws ``figure.png`` of a benchmark again from its ``traces.csv``, by default that of
``benchmarks/results``.
"""

import argparse
import math
import sys
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory

from benchmarks.results import read_outcomes

_OURS, _KHIOPS = "#0072b2", "#d55e00"
_WIDTH, _ROW, _MARGINS = 10.0, 0.5, 1.3  # inches
_BAND = 0.36  # of a row, above and below its middle
_RIGHT = 1.015  # where the last column of words begins, of the axes' width


def cost_figure(outcomes):
    """A row for each case, with marks at the CPU seconds of each run.

    A filled circle is where one of our seeds reached the lowest cost known of Khiops,
    an open one where it reached its own last improvement, a square where Khiops
    reached its cost. Faint lines are costs above the lowest one of all runs, from the
    first grid on (top of the row) down to it (bottom), by logarithm.

    Parameters
    ----------
    outcomes : list of Outcome

    Returns
    -------
    Figure
    """
    size = (_WIDTH, _ROW * len(outcomes) + _MARGINS)
    figure = Figure(figsize=size, layout="constrained")
    place = figure.subplots()
    for row, outcome in enumerate(outcomes):
        _draw_traces(place, row, outcome)
        _draw_marks(place, row, outcome)
    titles = [textwrap.fill(outcome.case.title, 38) for outcome in outcomes]
    place.set_yticks(range(len(titles)), titles)
    place.set_ylim(len(titles) - 0.5, -1.3)
    place.tick_params(axis="y", length=0)
    place.set_xscale("log")
    place.xaxis.set_major_formatter(lambda x, _: f"{x:,g}")
    place.set_xlabel("CPU seconds")
    place.grid(axis="x", alpha=0.25)
    place.spines[["top", "right", "left"]].set_visible(False)
    _explain(place)
    return figure


def _draw_traces(place, row, outcome):
    """How the costs of all runs fell, within the band of a row."""
    # The null model comes first: it would leave all that follows at the bottom.
    runs = [(run, run.points[1:], _OURS, "-") for run in outcome.ours]
    if outcome.khiops is not None:
        runs.append((outcome.khiops, outcome.khiops.points, _KHIOPS, "--"))
    runs = [(run, points, *style) for run, points, *style in runs if points]
    costs = [cost for _, points, *_ in runs for _, cost in points]
    if not costs:
        return
    lowest, span = min(costs), math.log1p(max(costs) - min(costs)) or 1.0
    for run, points, colour, line in runs:
        seconds, reached = np.transpose([*points, (run.cpu_seconds, points[-1][1])])
        heights = row + _BAND - 2 * _BAND * np.log1p(reached - lowest) / span
        place.step(
            seconds,
            heights,
            line,
            where="post",
            color=colour,
            alpha=0.5,
            linewidth=0.9,
            zorder=1,
        )


def _draw_marks(place, row, outcome):
    cost, theirs = khiops_best(outcome)
    ours = [run.seconds_to(cost) for run in outcome.ours]
    ends = [run.last_seconds for run in outcome.ours]
    place.plot(ends, [row] * len(ends), "o", ms=6, mec=_OURS, mfc="white", mew=1.3)
    reached = [at for at in ours if at < math.inf]
    place.plot(reached, [row] * len(reached), "o", ms=7, color=_OURS, zorder=3)
    place.plot(theirs, row, "s", ms=7, color=_KHIOPS, zorder=3)
    middle = outcome.our_seconds_to(cost)
    told = "no grid of Khiops" if math.isnan(cost) else "not known"
    if not math.isnan(theirs):
        told = "not reached" if math.isinf(middle) else f"{theirs / middle:,.0f}"
    at = blended_transform_factory(place.transAxes, place.transData)
    place.text(_RIGHT, row, told, transform=at, va="center")


def khiops_best(outcome):
    """The lowest cost known of Khiops, and the CPU seconds that it took.

    Of the run here and the published one; where both end alike, the sooner one.

    Parameters
    ----------
    outcome : Outcome

    Returns
    -------
    cost, cpu_seconds : float
        (nats); nan where there is none.
    """
    here, published = outcome.khiops, outcome.case.published
    known = []
    if published is not None:
        known.append((published.cost, published.cpu_seconds or math.nan))
    if here is not None and here.points:
        known.append((here.cost, here.last_seconds))
    if not known:
        return math.nan, math.nan
    cost = min(cost for cost, _ in known)
    # A run that ends less than half a nat above did as well.
    times = [at for one, at in known if one - cost < 0.5 and not math.isnan(at)]
    return cost, min(times, default=math.nan)


def _explain(place):
    """What the marks are, and the words at the right, above the first row."""
    low, high = np.log10(place.get_xlim())
    for share, colour, style, text in (
        (0.02, _OURS, {"marker": "o"}, "ours, at the\ncost of Khiops"),
        (0.37, _OURS, {"marker": "o", "mfc": "white"}, "ours, at\nits best"),
        (
            0.64,
            _KHIOPS,
            {"marker": "s"},
            "Khiops, at its best\n(of runs here and before)",
        ),
    ):
        x = 10 ** (low + share * (high - low))
        place.plot(x, -0.85, ls="", ms=7, color=colour, **style)
        place.annotate(
            text,
            (x, -0.85),
            (8, 0),
            textcoords="offset points",
            va="center",
            color=colour,
        )
    at = blended_transform_factory(place.transAxes, place.transData)
    place.text(_RIGHT, -0.85, "times\nsooner", transform=at, va="center")


def main(arguments=None):
    """Draw from the command line; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.figure", description="Draw a benchmark's figure."
    )
    results = Path(__file__).resolve().parent / "results"
    parser.add_argument("folder", nargs="?", type=Path, default=results, metavar="DIR")
    folder = parser.parse_args(arguments).folder
    traces = folder / "traces.csv"
    if not traces.is_file():
        print(f"Error: Expected traces.csv in {folder}. Found none.", file=sys.stderr)
        return 2
    draw(read_outcomes(pd.read_csv(traces)), folder)
    return 0


def draw(outcomes, folder):
    """Write ``figure.png``."""
    cost_figure(outcomes).savefig(folder / "figure.png", dpi=110)


if __name__ == "__main__":
    sys.exit(main())
