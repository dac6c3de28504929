"""Figures of a page: inline SVG whose colours are those of the page, light or dark.

Matplotlib writes colours as numbers. Those here stand for variables of the style sheet,
which are put in their place; text stays text, and the same figure gives the same bytes.
"""

import io
import re
from collections.abc import Sequence
from functools import wraps
from typing import NamedTuple

import numpy as np

from coclust_synth.evaluation.evaluation_result import Score
from coclust_synth.evaluation.measures import HALF, MEASURES

# Of the style sheet; the numbers are of no importance but that they differ.
_INK, _FAINT, _OURS = "#010203", "#040506", "#070809"
_FRESH, _COPY, _INDEPENDENT, _PAPER = "#0a0b0c", "#0d0e0f", "#101112", "#131415"
_VARIABLES = {
    _INK: "var(--ink)",
    _FAINT: "var(--faint)",
    _OURS: "var(--ours)",
    _FRESH: "var(--fresh)",
    _COPY: "var(--copy)",
    _INDEPENDENT: "var(--independent)",
    _PAPER: "var(--paper)",
}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "coclust_synth",
    "font.family": "sans-serif",
    "font.size": 9,
    "text.parse_math": False,
    "text.color": _INK,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


class _Mark(NamedTuple):
    """How a kind of figure is drawn: never by its colour alone."""

    label: str
    color: str
    marker: str


_MARKS = {
    "value": _Mark("the release", _OURS, "o"),
    "floor_fresh": _Mark("rows kept aside", _FRESH, "D"),
    "ceiling_bootstrap": _Mark("copy of the real rows", _COPY, "s"),
    "floor_independent": _Mark("independent columns", _INDEPENDENT, "^"),
}


def _styled(draw):
    """Draw in the colours and letters of the page."""

    @wraps(draw)
    def drawn(*arguments, **options):
        # Here, not above: no other command has to wait for it to load.
        from matplotlib import rc_context

        with rc_context(_STYLE):
            return draw(*arguments, **options)

    return drawn


@_styled
def pairs_figure(names: Sequence[str], pairs: np.ndarray) -> str:
    """A heat map of the distances of pairs of columns.

    Parameters
    ----------
    names : sequence of d str
    pairs : ndarray of shape (d, d)
    """
    d = len(names)
    size = min(2.2 + 0.24 * d, 9.0)
    figure, axes = _axes((size + 0.8, size))
    picture = axes.imshow(pairs, cmap="magma_r", vmin=0, vmax=max(pairs.max(), 1e-9))
    letters = max(4.0, min(9.0, 330 / d))
    texts = [name if len(name) <= 22 else f"{name[:20]}…" for name in names]
    axes.set_xticks(range(d), texts, rotation=90, fontsize=letters)
    axes.set_yticks(range(d), texts, fontsize=letters)
    axes.tick_params(length=0)
    bar = figure.colorbar(picture, ax=axes, shrink=0.7)
    bar.set_label("total variation")
    bar.outline.set_visible(False)
    return _svg(figure, "pairs")


@_styled
def orders_figure(scores: Sequence[Score]) -> str:
    """Distances of sets of one column, of two, and so on, of all that is compared.

    Parameters
    ----------
    scores : sequence of Score
        One for each number of columns, from one on.
    """
    figure, axes = _axes((5.2, 3.0))
    orders = range(1, len(scores) + 1)
    for field, mark in _MARKS.items():
        values = [getattr(score, field) for score in scores]
        if not np.isnan(values).all():
            axes.plot(
                orders,
                values,
                marker=mark.marker,
                color=mark.color,
                label=mark.label,
                markersize=5,
            )
    axes.set_xticks(list(orders))
    axes.set_xlabel("columns in a set")
    axes.set_ylabel("total variation")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
    return _svg(figure, "orders")


@_styled
def dots_figure(scores: Sequence[Score], *, best: float, xlabel: str) -> str:
    """Figures of one unit beside what else has which, and their intervals.

    Parameters
    ----------
    scores : sequence of Score
    best : float
        Where a line is drawn.
    xlabel : str
    """
    figure, axes = _axes((6.4, 0.9 + 0.42 * len(scores)))
    axes.axvline(best, color=_FAINT, linewidth=1)
    rows = list(range(len(scores)))[::-1]
    for field, mark in reversed(_MARKS.items()):
        values = [getattr(score, field) for score in scores]
        axes.plot(
            values,
            rows,
            linestyle="none",
            marker=mark.marker,
            color=mark.color,
            label=mark.label,
            markersize=7 if field == "value" else 5,
        )
    for row, score in zip(rows, scores, strict=True):
        axes.plot([score.low, score.high], [row, row], color=_OURS, linewidth=2)
    axes.set_yticks(rows, [MEASURES[score.name].title for score in scores])
    axes.set_ylim(-0.6, len(scores) - 0.4)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(xlabel)
    figure.legend(loc="outside upper right", ncols=2, frameon=False, fontsize=8)
    return _svg(figure, xlabel)


def by_direction(scores: Sequence[Score]) -> tuple[list[Score], list[Score]]:
    """Those whose best is .5, and the others."""
    half = [score for score in scores if score.direction == HALF]
    return half, [score for score in scores if score.direction != HALF]


def _axes(size):
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots()


def _svg(figure, name):
    """The SVG element of a figure, in colours of the style sheet."""
    picture = io.StringIO()
    metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(picture, format="svg", transparent=True, metadata=metadata)
    text = picture.getvalue()
    text = text[text.index("<svg") :]
    # A page has several figures: what they refer to has the name of each before it.
    prefix = re.sub(r"\W+", "-", name)
    text = re.sub(r'(\bid="|url\(#|xlink:href="#)', rf"\g<1>{prefix}-", text)
    for number, variable in _VARIABLES.items():
        text = text.replace(number, variable)
    return text.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1)
