"""Columns of two tables side by side, and classes of a k-anonymous one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import code_tables
from coclust_synth.evaluation.comparing.unfolded import Unfolded
from coclust_synth.exceptions import SchemaError
from coclust_synth.plotting.axes import faint, own_axes, plain_numbers, shortened
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.reading.settling import settle_patterns
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.schema import unknown_column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_PARTS = 20
_ACROSS = 3  # columns drawn beside each other


def plot_columns(
    real: TableLike,
    released: TableLike | GeneralizedTable,
    *,
    columns: Sequence[str] | None = None,
    axes: "Sequence[Axes] | None" = None,
) -> "np.ndarray":
    """Draw what each column holds, in the real table and in a release.

    Parameters
    ----------
    real : DataFrame, path or Table
    released : DataFrame, path, Table or GeneralizedTable
        With columns of the real table. Values of a k-anonymous table are drawn from
        its labels, with seed 0.
    columns : sequence of str, optional
        Which ones, numbers in texts among them (``bp (number 1)``); by default all that
        can be compared, as `evaluate` does it.
    axes : sequence of matplotlib.axes.Axes, optional
        One for each column; by default of a new figure.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        Shares of the rows in each part of a column, of many the most frequent ones.
        Exact figures of the real rows: as confidential as these are.

    Raises
    ------
    SchemaError
        If a column cannot be compared, or the tables do not fit each other.
    TableError, ParameterError
        If a table cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> real = pd.DataFrame({"x": list("aabb") * 9, "y": list("cdcd") * 9})
    >>> [ax.get_title() for ax in plot_columns(real, real[:20])]
    ['x', 'y']
    """
    table, as_they_are = settle_patterns(as_table(real)), ()
    if isinstance(released, GeneralizedTable):
        released, as_they_are = released.draw(0), released.names
    tables = AlikeTables.of(table, released)
    coding, rows = code_tables(Unfolded.of(tables, table, as_they_are).tables)
    names = coding.names if columns is None else tuple(columns)
    for name in names:
        if name not in coding.names:
            raise SchemaError(unknown_column(name, coding.names))
    if axes is None:
        axes = _new_axes(len(names))
    for name, ax in zip(names, axes, strict=True):
        k = coding.names.index(name)
        labels = coding.labels[k]
        shares = [
            np.bincount(own.parts[:, k], minlength=len(labels)) / own.n
            for own in (rows["real"], rows["released"])
        ]
        _draw_shares(ax, labels, *shares)
        ax.set_title(name, parse_math=False)
    return np.array(axes, dtype=object)


def plot_class_sizes(
    released: GeneralizedTable, k: int | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw how many rows are in classes of which size.

    Parameters
    ----------
    released : GeneralizedTable
    k : int, optional
        That was asked for, where a line is drawn.
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Rows by the size of their class; suppressed rows are left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MondrianAnonymizer
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 4, "food": list("xxxxyy") * 4})
    >>> released = MondrianAnonymizer(4).fit_transform(table)
    >>> int(sum(bar.get_height() for bar in plot_class_sizes(released, 4).patches))
    24
    """
    ax = own_axes(ax, (5.2, 3.0))
    sizes = released.kept_class_sizes
    if len(sizes):
        ax.hist(sizes, bins=_edges(sizes), weights=sizes, color="C0")
    if k is not None:
        # Where the bar of classes of k rows begins: all that suffice are behind it.
        ax.axvline(k - 0.5, color=faint(), linewidth=1)
        ax.annotate(
            f"k = {k:,}",
            (k - 0.5, 1),
            xycoords=("data", "axes fraction"),
            xytext=(3, 2),
            textcoords="offset points",
        )
    if len(sizes) and sizes.max() > 20 * sizes.min():
        ax.set_xscale("log")
        plain_numbers(ax.xaxis)
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    ax.set_xlabel("rows in a class")
    ax.set_ylabel("rows of the release")
    return ax


def _edges(sizes):
    """Where bars begin and end: one for each size, or some of equal width or ratio."""
    low, high = int(sizes.min()), int(sizes.max())
    if high - low < 40:
        return np.arange(low, high + 2) - 0.5
    if high > 20 * low:
        return np.geomspace(low - 0.5, high + 0.5, 31)
    return np.linspace(low - 0.5, high + 0.5, 31)


def _new_axes(n):
    from matplotlib import pyplot

    across = min(n, _ACROSS)
    down = -(-n // across)
    _, axes = pyplot.subplots(
        down,
        across,
        figsize=(3.4 * across, 2.6 * down),
        layout="constrained",
        squeeze=False,
    )
    for ax in axes.flat[n:]:
        ax.set_axis_off()
    return list(axes.flat[:n])


def _draw_shares(ax, labels, real, released):
    """Two bars for each part that either table has."""
    most = np.maximum(real, released)
    kept = np.flatnonzero(most > 0)
    if len(kept) > _MAX_PARTS:
        kept = np.sort(kept[np.argsort(-most[kept], kind="stable")[:_MAX_PARTS]])
    rows = np.arange(len(kept))[::-1]
    for offset, shares, color, label in (
        (0.2, real, "0.5", "real"),
        (-0.2, released, "C0", "released"),
    ):
        ax.barh(rows + offset, shares[kept], 0.4, color=color, label=label)
    texts = [shortened(str(labels[part])) for part in kept]
    ax.set_yticks(rows, texts, fontsize=7, parse_math=False)
    ax.set_xlabel("share of the rows")
    ax.legend(frameon=False, fontsize=7)
