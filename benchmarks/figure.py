"""Cost against CPU seconds."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

_OURS, _KHIOPS, _PUBLISHED = "#0072b2", "#d55e00", "#666666"
_N_COLUMNS = 3


def cost_figure(outcomes):
    """A panel for each case: a line for each of our seeds, and one for Khiops.

    A line starts at the first grid, and goes on to the end of its run. Costs are those
    above the lowest one of all, on a scale that is linear up to 1 nat.

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
    published, khiops = outcome.case.published, outcome.khiops
    runs = [*outcome.ours, *([khiops] if khiops and khiops.points else [])]
    costs = [run.cost for run in runs] + ([published.cost] if published else [])
    lowest = min(costs)
    for run in outcome.ours:
        # The null model comes first: it would hide all that follows.
        _draw_run(
            panel, run, run.points[1:], lowest, color=_OURS, label="coclust_synth"
        )
    if khiops is not None:
        options = {"color": _KHIOPS, "marker": ".", "label": "Khiops 11, here"}
        _draw_run(panel, khiops, khiops.points, lowest, **options)
    if published is not None:
        options = {"color": _PUBLISHED, "label": "Khiops 11, November 2026"}
        panel.axhline(published.cost - lowest, linestyle=":", **options)
        if published.cpu_seconds is not None:
            end = published.cpu_seconds, published.cost - lowest
            panel.plot(*end, "*", color=_PUBLISHED)
    panel.set_title(outcome.case.title, fontsize="small")
    panel.set_xscale("log")
    panel.xaxis.set_minor_formatter(NullFormatter())
    panel.set_yscale("symlog", linthresh=1)
    panel.set_ylim(-0.3, 3 * panel.get_ylim()[1])
    panel.set_xlabel("CPU seconds")
    panel.set_ylabel(f"nats above {lowest:,.1f}", fontsize="small")
    panel.tick_params(labelsize="small")
    panel.grid(alpha=0.3)


def _draw_run(panel, run, points, lowest, **options):
    if points:
        seconds, costs = np.transpose([*points, (run.cpu_seconds, points[-1][1])])
        panel.step(seconds, costs - lowest, where="post", **options)
