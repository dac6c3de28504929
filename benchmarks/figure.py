"""Cost against CPU seconds."""

import numpy as np
from matplotlib.figure import Figure

_OURS, _KHIOPS, _PUBLISHED = "#0072b2", "#d55e00", "#666666"
_N_COLUMNS = 3
_FIRST_SECONDS = 0.003


def cost_figure(outcomes):
    """A panel for each case: a line for each of our seeds, and one for Khiops.

    A line starts at the first grid, and goes on to the end of its run.

    Parameters
    ----------
    outcomes : list of Outcome

    Returns
    -------
    Figure
    """
    n_rows = -(-len(outcomes) // _N_COLUMNS)
    figure = Figure(figsize=(4.2 * _N_COLUMNS, 3.1 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, _N_COLUMNS, squeeze=False).ravel()
    for panel, outcome in zip(panels, outcomes, strict=False):
        _draw(panel, outcome)
    for panel in panels[len(outcomes) :]:
        panel.set_axis_off()
    labels = {}
    for panel in panels:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            labels.setdefault(label, handle)
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncols=3)
    return figure


def _draw(panel, outcome):
    for run in outcome.ours:
        # The null model comes first: it would hide all that follows.
        _draw_run(panel, run, run.points[1:], _OURS, "coclust_synth, each seed")
    if outcome.khiops is not None:
        run = outcome.khiops
        _draw_run(panel, run, run.points, _KHIOPS, "Khiops 11, here", marker=".")
    if outcome.case.published is not None:
        published = outcome.case.published
        panel.axhline(
            published.cost,
            color=_PUBLISHED,
            linestyle=":",
            label="Khiops 11.0.1 to its end, November 2026",
        )
        if published.cpu_seconds is not None:
            panel.plot(published.cpu_seconds, published.cost, "*", color=_PUBLISHED)
    panel.set_title(outcome.case.title, fontsize="small")
    panel.set_xscale("log")
    panel.set_xlabel("CPU seconds")
    panel.set_ylabel("cost (nats)")
    panel.ticklabel_format(axis="y", useOffset=False, style="plain")
    panel.tick_params(labelsize="small")
    panel.grid(alpha=0.3)


def _draw_run(panel, run, points, colour, label, **options):
    if not points:
        return
    seconds, costs = np.transpose([*points, (run.cpu_seconds, points[-1][1])])
    panel.step(
        np.maximum(seconds, _FIRST_SECONDS),
        costs,
        where="post",
        color=colour,
        label=label,
        **options,
    )
