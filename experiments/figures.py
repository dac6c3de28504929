"""Figures from tidy rows, and from nothing else."""

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

_COLOURS = {"grid": "#0072b2", "cluster": "#d55e00"}
_LINES = {"grid": "-", "cluster": "--"}


def figure_along_k(rows):
    """Mean total variation along k: a panel for each order, a line for each marginals.

    Lines are means over seeds, points are seeds. The best grid, whose clusters have
    no size asked for, stands at the size of its smallest one, as an open point.

    Parameters
    ----------
    rows : DataFrame
        Of `experiments.plain_along_k`. Failures are left out.

    Returns
    -------
    Figure
    """
    rows = rows[rows["status"] == "ok"].copy()
    rows["best"] = rows["k"].astype(str) == "best"
    asked = pd.to_numeric(rows["k"], errors="coerce")  # neither "best" nor "n"
    rows["size"] = asked.fillna(rows["smallest_cluster"])
    orders = sorted(rows["order"].unique())
    figure = Figure(figsize=(3.2 * max(len(orders), 1) + 1, 3.2), layout="constrained")
    panels = figure.subplots(1, max(len(orders), 1), squeeze=False)[0]
    for panel, order in zip(panels, orders, strict=False):
        of_order = rows[rows["order"] == order]
        for marginals, some in of_order.groupby("marginals", sort=False):
            _draw_line(panel, some, marginals)
        panel.set_title(f"order {order}")
        panel.set_xscale("log")
        panel.set_ylim(bottom=0)
        panel.set_xlabel("individuals in each cluster, at least\n(open: best grid)")
        panel.grid(alpha=0.3)
    panels[0].set_ylabel("mean total variation")
    if orders:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, title="marginals", loc="outside right upper")
    return figure


def _draw_line(panel, rows, marginals):
    colour = _COLOURS.get(marginals, "black")
    means = rows.groupby("k")[["size", "total_variation"]].mean().sort_values("size")
    panel.plot(
        means["size"],
        means["total_variation"],
        _LINES.get(marginals, ":"),
        color=colour,
        label=marginals,
    )
    for best, some in rows.groupby("best"):
        panel.plot(
            some["size"],
            some["total_variation"],
            "o",
            color=colour,
            markersize=4,
            markerfacecolor="white" if best else colour,
        )


def write_figure(figure, folder):
    """Write ``figure.png`` and ``figure.svg``, the same bytes for the same figure."""
    with matplotlib.rc_context({"svg.hashsalt": "coclust_synth"}):
        figure.savefig(folder / "figure.svg", metadata={"Date": None})
        figure.savefig(folder / "figure.png", dpi=120)
