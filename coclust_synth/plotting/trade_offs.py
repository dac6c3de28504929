"""What another k or epsilon would have given."""

from typing import TYPE_CHECKING

import numpy as np

from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.plotting.axes import faint, own_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARKERS = "osD^v"


def plot_trade_off(curve: TradeOff, *, ax: "Axes | None" = None) -> "Axes":
    """Draw figures of releases by the k or epsilon that they are asked for.

    Parameters
    ----------
    curve : TradeOff
        See `coclust_synth.evaluation.trade_offs`.
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A line for each figure, with its 95 % interval where it has one; the chosen
        point is on the upright line, and dashes are what the release is compared with.

    Examples
    --------
    >>> from coclust_synth import CoclusterSynthesizer
    >>> from coclust_synth.evaluation.trade_offs import plain_trade_offs
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = CoclusterSynthesizer(k=10, n_iterations=2, random_state=0).fit(table)
    >>> (curve,) = plain_trade_offs(model, table)
    >>> plot_trade_off(curve).get_xlabel()
    'k'
    """
    ax = own_axes(ax, (5.2, 3.2))
    ax.axvline(curve.chosen, color=faint(), linewidth=1)
    ax.annotate(
        f"{curve.parameter} = {curve.chosen:,g}",
        (curve.chosen, 1),
        xycoords=("data", "axes fraction"),
        xytext=(3, 2),
        textcoords="offset points",
    )
    for i, (name, figures) in enumerate(curve.lines.items()):
        values = np.array([figure.value for figure in figures])
        low, high = (
            np.array([getattr(figure, end) for figure in figures])
            for end in ("low", "high")
        )
        ax.errorbar(
            curve.values,
            values,
            yerr=None if np.isnan(low).all() else [values - low, high - values],
            color=f"C{i % 4}",
            marker=_MARKERS[i % len(_MARKERS)],
            markersize=5,
            label=name,
        )
    for name, value in curve.references.items():
        ax.axhline(value, color=faint(), linewidth=1, linestyle="--")
        ax.annotate(
            name,
            (1, value),
            xycoords=("axes fraction", "data"),
            xytext=(0, 2),
            textcoords="offset points",
            ha="right",
            fontsize=8,
        )
    ax.set_xscale("log")
    ticks = [f"{value:,g}" for value in curve.values]
    ax.set_xticks(curve.values, ticks)
    ax.minorticks_off()
    ax.set_xlabel(curve.parameter)
    ax.set_ylabel(curve.unit)
    if len(curve.lines) > 1:
        ax.legend(frameon=False, fontsize=8)
    return ax
