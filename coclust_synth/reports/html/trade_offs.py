"""Curves of what another k or epsilon would have given, as a section of a page."""

from collections.abc import Sequence
from functools import partial

from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.plotting.trade_offs import plot_trade_off
from coclust_synth.reports.headline import written
from coclust_synth.reports.html.figures import page_figure
from coclust_synth.reports.html.rendering import Section, rendered


def trade_off_section(curves: Sequence[TradeOff], how: str) -> Section:
    """Curves and their figures.

    Parameters
    ----------
    curves : sequence of TradeOff
        At least one.
    how : str
        How they were made, in a sentence or two.
    """
    shown = [
        (
            curve,
            page_figure(
                curve.title,
                partial(plot_trade_off, curve),
                (5.2, 3.2),
                f"The upright line is the {curve.parameter} of the release. Where a "
                "line is flat there, more protection costs little.",
            ),
        )
        for curve in curves
    ]
    content = rendered("trade_offs.html.j2", shown=shown, how=how, rows=_rows)
    name = "Another epsilon" if curves[0].parameter == "epsilon" else "Another k"
    return Section("trade", name, content)


def _rows(curve: TradeOff):
    """Value of the parameter, whether it is the chosen one, and figures."""
    for i, value in enumerate(curve.values):
        figures = [written(own[i].value) for own in curve.lines.values()]
        yield f"{value:,g}", value == curve.chosen, figures
