"""Figures from tidy rows, and from nothing else."""

from itertools import product

import matplotlib
import pandas as pd
from matplotlib.figure import Figure

_COLOURS = {"grid": "#0072b2", "cluster": "#d55e00"}
_LINES = {"grid": "-", "cluster": "--"}
_REFERENCES = {
    "fresh real rows": ("#009e73", ":"),
    "bootstrap copy": ("#cc79a7", "-."),
    "independent columns": ("#666666", (0, (1, 3))),
}
_AREAS = {
    "real_vs_synthetic_auc": "real or synthetic, AUC of boosting",
    "membership_auc": "member or not, AUC of the nearest row",
}
_OF_RELEASES = {
    "loss_set": "information loss (sets)",
    "hellinger": "joint Hellinger distance, 2 to 6 variables",
    "c_avg": "average class size / k",
    "dm": "discernability metric",
    "cm": "classification metric",
    "covered_cells": "cells whose label stands for their value",
    "cpu_seconds": "CPU seconds, without the co-clustering",
}
_OF_PRIVATE_RELEASES = {
    "hellinger": "Hellinger distance, joint",
    "total_variation_1": "total variation, one column",
    "total_variation_2": "total variation, two columns",
    "total_variation_3": "total variation, three columns",
    "query_error": "count queries, relative error",
    "auc_sex": "AUC of sex, trained on the release",
    "auc_relationship": "AUC of relationship",
    "auc_class": "AUC of class",
    "cpu_seconds": "CPU seconds",
}
_LOGARITHMIC = ("c_avg", "dm", "cpu_seconds")
_METHOD_COLOURS = ("#0072b2", "#56b4e9", "#009e73", "#d55e00", "#cc79a7", "#666666")
_METHOD_LINES = ("-", "--", ":")


def figure_along_k(rows):
    """What is measured along k: a panel for each measure, a line for each marginals.

    Lines are means over seeds, points are seeds. The best grid, whose clusters have
    no size asked for, stands at the size of its smallest one, as an open point. Rows
    that nothing was fitted for are level lines.

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
    measures = [("total_variation", f"total variation, order {o}", o) for o in orders]
    # Areas belong to no order: the rows of all orders repeat them.
    measures += [(*area, orders[0]) for area in _AREAS.items() if orders]
    n_columns = max(len(orders), 1)
    n_rows = -(-max(len(measures), 1) // n_columns)
    figure = Figure(figsize=(3.6 * n_columns + 1.6, 3.2 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, (measure, title, order) in zip(panels, measures, strict=False):
        of_order = rows[rows["order"] == order]
        for marginals, some in of_order.groupby("marginals", sort=False):
            _draw_line(panel, some, measure, marginals)
        for method, (colour, line) in _REFERENCES.items():
            values = of_order.loc[of_order["method"] == method, measure]
            if len(values):
                panel.axhline(values.mean(), color=colour, linestyle=line, label=method)
        panel.set_title(title, fontsize="medium")
        panel.set_xscale("log")
        if measure == "total_variation":
            panel.set_ylim(bottom=0)
        panel.set_xlabel("individuals in each cluster, at least\n(open: best grid)")
        panel.grid(alpha=0.3)
    for panel in panels[len(measures) :]:
        panel.set_axis_off()
    if measures:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper")
    return figure


def _draw_line(panel, rows, measure, marginals):
    colour = _COLOURS.get(marginals, "black")
    means = rows.groupby("k")[["size", measure]].mean().sort_values("size")
    panel.plot(
        means["size"],
        means[measure],
        _LINES.get(marginals, ":"),
        color=colour,
        label=f'marginals="{marginals}"',
    )
    for best, some in rows.groupby("best"):
        panel.plot(
            some["size"],
            some[measure],
            "o",
            color=colour,
            markersize=4,
            markerfacecolor="white" if best else colour,
        )


def figure_of_releases(rows):
    """What k-anonymous tables are worth along k: a panel a measure, a line a method.

    Lines are means over seeds, points are seeds. A measure that no row has is left out.

    Parameters
    ----------
    rows : DataFrame
        Of `experiments.k_anonymity`. Failures are left out.

    Returns
    -------
    Figure
    """
    return _panels_of_methods(rows, _OF_RELEASES, "k", _draw_seeds, width=11)


def _draw_seeds(panel, rows, measure, style, label):
    line, colour = style
    means = rows.groupby("k")[measure].mean()
    panel.plot(means.index, means, line, color=colour, label=label)
    panel.plot(rows["k"], rows[measure], "o", color=colour, markersize=3)
    if measure in _LOGARITHMIC:
        panel.set_yscale("log")


def figure_of_private_releases(rows):
    """What private tables are worth along epsilon: a panel a measure, a line a method.

    Points are means over releases, bars their standard deviations. Rows without an
    epsilon, of what protects nothing, are level lines. A measure that no row has is
    left out.

    Parameters
    ----------
    rows : DataFrame
        Of `experiments.private`. Failures are left out.

    Returns
    -------
    Figure
    """
    titles = _OF_PRIVATE_RELEASES
    return _panels_of_methods(rows, titles, "epsilon", _draw_releases, width=12)


def _draw_releases(panel, rows, measure, style, label):
    line, colour = style
    if rows["epsilon"].isna().all():
        level = rows[measure].mean()
        panel.axhline(level, color="black", linestyle=":", label=label)
        return
    panel.errorbar(
        rows["epsilon"],
        rows[measure],
        rows[f"{measure}_sd"],
        color=colour,
        linestyle=line,
        marker="o",
        markersize=3,
        label=label,
    )


def _panels_of_methods(rows, titles, along, draw, *, width):
    """A panel for each measure that a row has, in which each method is drawn."""
    rows = rows[rows["status"] == "ok"]
    measures = [name for name in titles if rows[name].notna().any()]
    n_panels = max(len(measures), 1)
    figure = Figure(figsize=(width, 3.2 * -(-n_panels // 3)), layout="constrained")
    panels = figure.subplots(-(-n_panels // 3), 3, squeeze=False).ravel()
    for panel, measure in zip(panels, measures, strict=False):
        methods = rows.groupby("method", sort=False)
        styles = product(_METHOD_LINES, _METHOD_COLOURS)
        for (method, some), style in zip(methods, styles, strict=False):
            draw(panel, some, measure, style, method)
        panel.set_title(titles[measure], fontsize="medium")
        panel.set_xscale("log")
        if not measure.startswith("auc_") and panel.get_yscale() == "linear":
            panel.set_ylim(bottom=0)
        panel.set_xlabel(along)
        panel.grid(alpha=0.3)
    for panel in panels[len(measures) :]:
        panel.set_axis_off()
    if measures:
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper")
    return figure


def write_figure(figure, folder):
    """Write ``figure.png`` and ``figure.svg``, the same bytes for the same figure."""
    with matplotlib.rc_context({"svg.hashsalt": "coclust_synth"}):
        figure.savefig(folder / "figure.svg", metadata={"Date": None})
        figure.savefig(folder / "figure.png", dpi=120)
