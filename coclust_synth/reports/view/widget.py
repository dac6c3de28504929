"""A co-clustering in a notebook, by the same script as the page (`anywidget`)."""

import os
from collections.abc import Mapping
from functools import cache

import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.modl.data_grid.estimator import MODLDataGrid
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.reports.khiops.fitted import coclustering_report, data_grid_report
from coclust_synth.reports.khiops.report import CoclusteringReport
from coclust_synth.reports.view.grid import ViewedGrid
from coclust_synth.reports.view.names import check_names, read_names
from coclust_synth.reports.view.page import fitted_payload, script, template_text
from coclust_synth.reports.view.sources import grid_of_model, grid_of_report, read_grid
from coclust_synth.validation import check_fitted

_MAX_BYTES = 20_000_000  # of what a notebook keeps of a grid


def grid_widget(
    source: object,
    table: pd.DataFrame | None = None,
    *,
    names: Mapping[str, Mapping[str, str]] | str | os.PathLike | None = None,
):
    """Show a co-clustering in a notebook, to explore as in the page of `view`.

    Parameters
    ----------
    source : MODLCoclustering, MODLDataGrid, CoclusterSynthesizer, report or path
        What was fitted, a `CoclusteringReport`, or a file that `view` takes.
    table : DataFrame, optional
        What a MODLCoclustering or a MODLDataGrid was fitted on.
    names : mapping of str to mapping of str to str, or path, optional
        Names of clusters, by dimension and cluster, or a file of them that was saved.

    Returns
    -------
    anywidget.AnyWidget
        Its ``names`` are those that the reader gives; its ``grid`` is the data, as
        confidential as the table, which a saved notebook keeps.

    Raises
    ------
    ImportError
        If anywidget is not installed: ``pip install 'coclust-synth[notebook]'``.
    ParameterError
        If the source is something else, lacks its table, or has no such clusters.
    ModelFileError
        If a file is none, or has no grid.

    Examples
    --------
    >>> from coclust_synth import MODLDataGrid
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> grid_widget(model, table)  # doctest: +SKIP
    """
    kind = _widget_class()
    grid = _grid_of(source, table)
    if names is None:
        given = {}
    elif isinstance(names, Mapping):
        given = check_names(names, grid)
    else:
        given = read_names(names, grid)
    data, _ = fitted_payload(grid, given, _MAX_BYTES)
    return kind(grid=data, names=given)


@cache
def _widget_class():
    """The class, made where it is asked for: anywidget is an extra."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "Expected anywidget, which draws the grid in a notebook. Received an "
            "environment without it. Install it: pip install 'coclust-synth[notebook]'."
        ) from None

    class GridWidget(anywidget.AnyWidget):
        """A grid (`payload`), and the names that its reader gives."""

        _esm = f"{script()}\n{template_text('widget.js')}"
        _css = template_text("view.css")
        grid = traitlets.Bytes().tag(sync=True)
        names = traitlets.Dict().tag(sync=True)

    return GridWidget


def _grid_of(source, table) -> ViewedGrid:
    if isinstance(source, str | os.PathLike):
        return read_grid(source)
    if isinstance(source, CoclusteringReport):
        return grid_of_report(source)
    if isinstance(source, CoclusterSynthesizer):
        check_fitted(source, "model_")
        source = source.model_
    if isinstance(source, PlainModel):
        return grid_of_model(source, name="grid")
    for kind, report in (
        (MODLCoclustering, coclustering_report),
        (MODLDataGrid, data_grid_report),
    ):
        if isinstance(source, kind):
            if table is None:
                raise ParameterError(
                    f"Expected the table that the {kind.__name__} was fitted on. "
                    "Received none. Give it: grid_widget(model, table)."
                )
            return grid_of_report(report(source, table), name="grid")
    raise ParameterError(
        "Expected a fitted co-clustering, a report of one or a file. Received "
        f"{type(source).__name__}. Give for instance a MODLDataGrid and its table."
    )
