"""A co-clustering as pictures: its cells, its dendrograms, its search."""

from typing import TYPE_CHECKING, Any

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.grid.cell_measures import cell_information
from coclust_synth.plotting.axes import own_axes, plain_numbers, shortened
from coclust_synth.plotting.clusters import (
    INDIVIDUALS,
    PARTS,
    ShownGrid,
    coclustering_of_model,
    shown_grid,
    side_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST = 44  # letters of the name of a cluster
_SATURATED = 0.97  # share of the cells whose colours differ


def plot_grid(
    model: Any, *, n_clusters: tuple[int, int] = (24, 24), ax: "Axes | None" = None
) -> "Axes":
    """Draw the grid of a co-clustering: who goes with what.

    Parameters
    ----------
    model : MODLCoclustering, PlainModel or estimator
        Fitted; of an estimator its ``coclustering_``, or the model that it was loaded
        with. A `ShownGrid` is drawn as it is.
    n_clusters : (int, int), default=(24, 24)
        Clusters of individuals and of parts, at most: a finer grid is drawn at the
        level of its dendrogram that has no more.
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A column for each cluster of individuals and a line for each cluster of parts,
        both in the order of their dendrograms. The colour of a cell is what it adds to
        the mutual information of the two: above 0 where they meet more often than by
        chance, below 0 where less.

    Raises
    ------
    ParameterError
        If there is no fitted co-clustering, or a number is below 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MODLCoclustering
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLCoclustering(n_iterations=5, random_state=0).fit(table)
    >>> [tick.get_text() for tick in plot_grid(model).get_yticklabels()]
    ['a=x, b=u', 'a=y, b=v']
    """
    grid = _shown(model, n_clusters)
    ax = own_axes(ax, grid_size(grid))
    values = cell_information(grid.cells).T
    # A few cells can hold most of it; the others would all look the same.
    most = max(float(np.quantile(abs(values), _SATURATED)), 1e-12)
    picture = ax.imshow(values, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto")
    n_individuals, n_parts = grid.cells.shape
    letters = max(5.0, min(9.0, 260 / max(n_individuals, n_parts)))
    ax.set_xticks(
        range(n_individuals),
        grid.names(INDIVIDUALS),
        rotation=90,
        fontsize=letters,
        parse_math=False,
    )
    names = [shortened(name, _LONGEST) for name in grid.names(PARTS)]
    ax.set_yticks(range(n_parts), names, fontsize=letters, parse_math=False)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.set_xlabel(f"clusters of {grid.unit}, and their share")
    ax.set_ylabel("clusters of parts")
    bar = ax.figure.colorbar(picture, ax=ax, shrink=0.7, extend="both")
    bar.set_label("mutual information (nats)")
    bar.outline.set_visible(False)  # type: ignore[operator]
    return ax


def plot_dendrogram(
    model: Any,
    side: str = "parts",
    *,
    n_clusters: tuple[int, int] = (24, 24),
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw how the clusters of a co-clustering come together.

    Parameters
    ----------
    model, n_clusters, ax
        As of `plot_grid`, whose lines and columns are in the order drawn here.
    side : {"parts", "individuals"}, default="parts"

    Returns
    -------
    matplotlib.axes.Axes
        Clusters on the left. Each joint is where the merge is done, by the share of
        the best grid's information that is lost by then.

    Raises
    ------
    ParameterError
        If there is no fitted co-clustering or no such side, or a number is below 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MODLCoclustering
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLCoclustering(n_iterations=5, random_state=0).fit(table)
    >>> ax = plot_dendrogram(model, "individuals")
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['1: 50.0%', '2: 50.0%']
    """
    number = side_of(side)
    grid = _shown(model, n_clusters)
    names = grid.names(number)
    n_clusters_there = len(names)
    ax = own_axes(ax, dendrogram_size(n_clusters_there))
    tree = grid.trees[number]
    at = {i: (float(i), 1 - grid.information) for i in range(n_clusters_there)}
    line = {"color": "C0", "linewidth": 1.2, "solid_capstyle": "projecting"}
    for i, (pair, kept) in enumerate(zip(tree.merges, tree.kept, strict=True)):
        places, lost = [at[node] for node in pair], 1 - kept
        for place, before in places:
            ax.plot([before, lost], [place, place], **line)
        ends = [place for place, _ in places]
        ax.plot([lost, lost], [min(ends), max(ends)], **line)
        at[n_clusters_there + i] = (sum(ends) / 2, lost)
    ticks = [shortened(name, _LONGEST) for name in names]
    ax.set_yticks(range(n_clusters_there), ticks, parse_math=False)
    ax.set_ylim(n_clusters_there - 0.5, -0.5)
    ax.set_xlim(left=0, right=1.02)
    ax.set_xlabel("share of the information lost")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def plot_trace(model: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how the search of a co-clustering went.

    Parameters
    ----------
    model : MODLCoclustering or estimator
        Fitted; a model that was saved does not know its search.
    ax : matplotlib.axes.Axes, optional
        By default of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        How far the least cost found by each iteration is above that of the end, on
        a scale of powers of ten from 1 nat on.

    Raises
    ------
    ParameterError
        If the model was not searched for, but loaded.

    Examples
    --------
    >>> import pandas as pd
    >>> from coclust_synth import MODLCoclustering
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLCoclustering(n_iterations=5, random_state=0).fit(table)
    >>> plot_trace(model).get_xlabel()
    'iteration of the search'
    """
    model = coclustering_of_model(model)
    if not hasattr(model, "trace_"):
        raise ParameterError(
            "Expected a co-clustering that was fitted. Received a saved model, which "
            "does not know how its search went. Give the estimator that was fitted."
        )
    ax = own_axes(ax, (5.2, 3.0))
    iterations = [point.iteration for point in model.trace_]
    above = [point.cost - model.trace_[-1].cost for point in model.trace_]
    # The best stays the best until the search ends.
    iterations.append(max(model.n_iter_, iterations[-1]))
    above.append(0.0)
    ax.plot(iterations, above, drawstyle="steps-post", color="C0", marker=".")
    ax.set_yscale("symlog", linthresh=1)
    plain_numbers(ax.yaxis)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("iteration of the search")
    ax.set_ylabel("cost above the last one (nats)")
    return ax


def grid_size(grid: ShownGrid) -> tuple[float, float]:
    """Width and height of the figure of a grid, in inches."""
    n_individuals, n_parts = grid.cells.shape
    return 5.0 + 0.2 * n_individuals, 1.6 + 0.2 * n_parts


def dendrogram_size(n_clusters: int) -> tuple[float, float]:
    """Width and height of the figure of a dendrogram, in inches."""
    return 6.0, 1.0 + 0.2 * n_clusters


def _shown(model, n_clusters):
    return model if isinstance(model, ShownGrid) else shown_grid(model, n_clusters)
