"""The co-clustering that a release was made from, as a section of its page."""

from base64 import b64encode
from functools import partial
from typing import Any

import numpy as np

from coclust_synth.modl.grid.cell_measures import cell_contrast, cell_information
from coclust_synth.plotting.clusters import (
    INDIVIDUALS,
    PARTS,
    ShownGrid,
    TypicalPart,
    coclustering_of_model,
    named,
    shown_grid,
)
from coclust_synth.plotting.grids import (
    dendrogram_size,
    grid_size,
    plot_dendrogram,
    plot_grid,
    plot_trace,
)
from coclust_synth.reports.html.rendering import Section, page_figure, rendered
from coclust_synth.reports.view.page import payload, script, template_text
from coclust_synth.reports.view.sources import grid_of_shown

_CLUSTERS = (40, 40)  # what a screen has room for, and letters to read
_MAX_PARTS = 12  # of a cluster that are named


def coclustering_section(model: Any) -> Section:
    """The grid of a model, its dendrograms, its clusters in words, and its search.

    Parameters
    ----------
    model : MODLCoclustering, PlainModel or estimator
        See `coclust_synth.plotting.plot_grid`.
    """
    known = coclustering_of_model(model)
    grid = shown_grid(model, _CLUSTERS)
    cells = list(_cells(grid)) if min(grid.cells.shape) > 1 else []
    content = rendered(
        "coclustering.html.j2",
        grid=grid,
        # That of a model is cut where its clusters hold k.
        is_best=hasattr(known, "trace_") or known.dendrogram.information[0] == 1,
        kept=f"{grid.information:.1%}",
        figures=_figures(grid) if cells else [],
        trace=_trace(known) if cells and hasattr(known, "trace_") else None,
        cells=cells,
        individuals=list(_individuals(grid)),
        parts=list(_parts(grid)),
        data=_data(grid) if cells else "",
        style=template_text("view.css") if cells else "",
        script=f"{script()}\n{template_text('start.js')}" if cells else "",
    )
    return Section("coclustering", "The co-clustering", content)


def _figures(grid: ShownGrid) -> list:
    figures = [
        page_figure(
            "The grid",
            partial(plot_grid, grid),
            grid_size(grid),
            "Across stand the clusters of people, down those of parts, which are "
            "values or intervals of the table's columns; a cluster of parts is named "
            "by its most typical ones. Red: these people have these parts more often "
            "than by chance; blue: less often; pale: about as often. The tables "
            "below give the names in full.",
        )
    ]
    for side, text in ((PARTS, "parts"), (INDIVIDUALS, "individuals")):
        figures.append(
            page_figure(
                f"How clusters of {grid.unit if side == INDIVIDUALS else text} come "
                "together",
                partial(plot_dendrogram, grid, text),
                dendrogram_size(grid.cells.shape[side]),
                "The further to the right two clusters are joined, the more they "
                "differ. A larger k asks for larger clusters, and joins them from "
                "the left on.",
            )
        )
    return figures


def _trace(model):
    return page_figure(
        "The search",
        partial(plot_trace, model),
        (5.2, 3.0),
        "The cost is the length of a description of the table by the grid; lower is "
        "better. If the line is flat long before the end, more iterations would have "
        "changed little.",
    )


def _cells(grid, n=12):
    """The cells that say most, in words."""
    information = cell_information(grid.cells)
    times = np.exp(cell_contrast(grid.cells))
    total = information.sum()
    for place in np.argsort(-abs(information), axis=None, kind="stable")[:n]:
        i, j = np.unravel_index(place, grid.cells.shape)
        yield {
            "who": int(i) + 1,
            "what": named(grid.parts[j], 4),
            "n": f"{int(grid.cells[i, j]):,}",
            "times": f"{times[i, j]:.2f}",
            "share": f"{information[i, j] / total:+.1%}",
        }


def _individuals(grid):
    total = grid.individuals.sum()
    for i, (n, typical) in enumerate(
        zip(grid.individuals, grid.typical, strict=True), 1
    ):
        yield {
            "number": i,
            "n": int(n),
            "share": f"{n / total:.1%} ({int(n):,})",
            "typical": "; ".join(map(_told, typical)) or "as all",
        }


def _told(part: TypicalPart) -> str:
    return f"{part.label} ({part.share:.0%} of them, {part.overall:.0%} of all)"


def _parts(grid):
    totals = grid.cells.sum(axis=0)
    for own, total in zip(grid.parts, totals, strict=True):
        yield {
            "parts": named(own, _MAX_PARTS),
            "n": len(own),
            "share": f"{total / totals.sum():.1%}",
        }


def _data(grid):
    """What the script of `view` folds and unfolds."""
    return b64encode(payload(grid_of_shown(grid), {})).decode()
