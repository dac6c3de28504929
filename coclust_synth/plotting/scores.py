"""Figures of an evaluation, beside what they could be or along another k or epsilon."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coclust_synth.evaluation.evaluation_result import Evaluation, Score
from coclust_synth.evaluation.measures import MEASURES, ORDERS
from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.exceptions import ParameterError
from coclust_synth.plotting.axes import MARKS, faint, own_axes, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The figure of risk that is drawn, the first that was measured, and its best.
RISKS = {
    "membership_isolated": 0.5,
    "membership_distance": 0.5,
    "uniques_reproduced": 0.0,
}
_BESIDE_PAIRS = 2.2  # inches for the names of columns


def plot_pairs(evaluation: Evaluation, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how far the pairs of columns of a release are from the real ones.

    Parameters
    ----------
    evaluation : Evaluation
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A heat map of total variation, of single columns on its diagonal.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.evaluation import evaluate
    >>> real = pd.DataFrame({"x": list("aabb") * 9, "y": list("cdcd") * 9})
    >>> plot_pairs(evaluate(real, real[:20])).get_xticklabels()[1].get_text()
    'y'
    """
    names, pairs = list(evaluation.details.columns), evaluation.details.pairs
    d = len(names)
    size = pairs_size(d)
    ax = own_axes(ax, size)
    picture = ax.imshow(pairs, cmap="magma_r", vmin=0, vmax=max(pairs.max(), 1e-9))
    letters = max(4.0, min(9.0, 0.6 * 72 * (size[1] - _BESIDE_PAIRS) / d))
    texts = [shortened(name) for name in names]
    ax.set_xticks(range(d), texts, rotation=90, fontsize=letters, parse_math=False)
    ax.set_yticks(range(d), texts, fontsize=letters, parse_math=False)
    ax.tick_params(length=0)
    bar = ax.figure.colorbar(picture, ax=ax, shrink=0.7)
    bar.set_label("total variation")
    bar.outline.set_visible(False)  # type: ignore[operator]
    return ax


def pairs_size(n_columns: int) -> tuple[float, float]:
    """Width and height of the figure of so many columns, in inches."""
    height = min(_BESIDE_PAIRS + 0.24 * n_columns, 12.0)
    return height + 0.8, height


def plot_distances(evaluation: Evaluation, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the distances of sets of one column, of two, and so on.

    Parameters
    ----------
    evaluation : Evaluation
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Total variation by the number of columns, of the release and of what it is
        compared with.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.evaluation import evaluate
    >>> real = pd.DataFrame({"x": list("aabb") * 9, "y": list("cdcd") * 9})
    >>> plot_distances(evaluate(real, real[:20])).get_ylabel()
    'total variation'
    """
    ax = own_axes(ax, (5.2, 3.0))
    whole = _of_the_whole(evaluation)
    names = [f"mean_total_variation_{order}" for order in ORDERS]
    scores = [whole[name] for name in names if name in whole]
    orders = list(range(1, len(scores) + 1))
    for values, mark in _marked(scores).values():
        ax.plot(orders, values, markersize=5, **mark)
    ax.set_xticks(orders)
    ax.set_xlabel("columns in a set")
    ax.set_ylabel("total variation")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False)
    return ax


def plot_scores(
    scores: Sequence[Score], *, best: float | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw figures of one unit beside what else has which, and their intervals.

    Parameters
    ----------
    scores : sequence of Score
        Of an `Evaluation`.
    best : float, optional
        Where a line is drawn.
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A line for each score, the first on top.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.evaluation import evaluate
    >>> real = pd.DataFrame({"x": list("aabb") * 9, "y": list("cdcd") * 9})
    >>> scores = evaluate(real, real[:20]).of_columns("total_variation")
    >>> [tick.get_text() for tick in plot_scores(scores).get_yticklabels()]
    ['Total variation of a column: x', 'Total variation of a column: y']
    """
    ax = own_axes(ax, (6.4, 0.9 + 0.42 * len(scores)))
    if best is not None:
        ax.axvline(best, color=faint(), linewidth=1)
    rows = list(range(len(scores)))[::-1]
    for field, (values, mark) in reversed(_marked(scores).items()):
        size = 7 if field == "value" else 5
        ax.plot(values, rows, linestyle="none", markersize=size, **mark)
    for row, score in zip(rows, scores, strict=True):
        ax.plot([score.low, score.high], [row, row], color="C0", linewidth=2)
    titles = [
        ": ".join([MEASURES[s.name].title, *filter(None, [", ".join(s.columns)])])
        for s in scores
    ]
    ax.set_yticks(rows, titles, parse_math=False)
    ax.set_ylim(-0.6, len(scores) - 0.4)
    ax.tick_params(axis="y", length=0)
    ax.legend(
        frameon=False, fontsize=8, ncols=2, loc="lower right", bbox_to_anchor=(1, 1)
    )
    return ax


def plot_risk_utility(evaluation: Evaluation, *, ax: "Axes | None" = None) -> "Axes":
    """Draw where a release is between use and risk, beside what it is compared with.

    Parameters
    ----------
    evaluation : Evaluation
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        To the left what is near the real rows, by the total variation of pairs of
        columns (of single ones where there is one); below what tells little of who was
        learnt from: membership of isolated rows with a holdout, unique rows reproduced
        without one.

    Raises
    ------
    ParameterError
        If neither was measured.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth.evaluation import evaluate
    >>> real = pd.DataFrame({"x": [*"aabb" * 9, "e"], "y": [*"cdcd" * 9, "c"]})
    >>> plot_risk_utility(evaluate(real, real[:20])).get_ylabel()
    'Unique rows reproduced'
    """
    whole = _of_the_whole(evaluation)
    distances = [whole.get(f"mean_total_variation_{order}") for order in (2, 1)]
    distance = next(score for score in distances if score is not None)
    found = [(whole[name], best) for name, best in RISKS.items() if name in whole]
    if not found:
        raise ParameterError(
            "Expected an evaluation with a figure of risk. Received one without "
            f"{', '.join(RISKS)}. Evaluate a release of more rows."
        )
    risk, best = found[0]
    ax = own_axes(ax, (5.2, 3.4))
    ax.axhline(best, color=faint(), linewidth=1)
    for field, mark in MARKS.items():
        x, y = getattr(distance, field), getattr(risk, field)
        if not np.isnan([x, y]).any():
            size = 9 if field == "value" else 6
            ax.plot(x, y, linestyle="none", markersize=size, **mark._asdict())
    ax.plot([distance.value] * 2, [risk.low, risk.high], color="C0", linewidth=2)
    ax.set_xlim(left=0)
    ax.set_xlabel(MEASURES[distance.name].title)
    ax.set_ylabel(MEASURES[risk.name].title)
    ax.legend(frameon=False, fontsize=8)
    return ax


def _marked(scores):
    """By name what some score has: that of each, and the mark that it is drawn by."""
    found = {}
    for field, mark in MARKS.items():
        values = [getattr(score, field) for score in scores]
        if not np.isnan(values).all():
            found[field] = values, mark._asdict()
    return found


def _of_the_whole(evaluation):
    return {s.name: s for s in evaluation.scores if not s.columns and s.is_measured}


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
