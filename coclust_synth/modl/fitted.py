"""A co-clustering of the quasi-identifiers of a table: the one given, or a new one."""

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.search.clock import SEARCH_SHARE
from coclust_synth.validation import (
    check_integer,
    check_jobs,
    check_seconds,
    check_seed,
)


def is_fitted(model) -> bool:
    """Whether an object is a MODLCoclustering that was fitted."""
    return isinstance(model, MODLCoclustering) and hasattr(model, "dendrogram_")


def check_search(bins, n_iterations, time_limit, n_jobs, random_state) -> None:
    """Refuse arguments of a co-clustering that cannot be used, before reading.

    Raises
    ------
    ParameterError
    """
    check_integer("bins", bins, minimum=1)
    check_integer("n_iterations", n_iterations, minimum=1)
    check_seconds("time_limit", time_limit)
    check_jobs("n_jobs", n_jobs)
    check_seed("random_state", random_state)


def coclustering_of(frame, schema, model, clock, **options) -> MODLCoclustering:
    """The co-clustering of some columns.

    Parameters
    ----------
    frame : DataFrame of n rows
    schema : Schema
        Complete; the columns that it keeps are co-clustered.
    model : MODLCoclustering or None
        One that was fitted to these rows, of these columns or more; None fits one.
    clock : Clock
        Of what the search is a part of, and leaves a share of the time to.
    **options
        Of `MODLCoclustering`, for that.

    Returns
    -------
    MODLCoclustering

    Raises
    ------
    ParameterError
        If the model lacks a column, or was fitted to another number of rows.
    """
    names = schema.kept.names
    if model is None:
        seconds = clock.first(SEARCH_SHARE).time_limit
        model = MODLCoclustering(binning="heaped", time_limit=seconds, **options)
        model.fit(frame[list(names)], schema=schema.kept)
        if model.stopped_by_ == "time":
            clock.cut_short.append("search")
        return model
    check_columns(model.coding_, names)
    if len(model.row_labels_) != len(frame):
        raise ParameterError(
            "Expected a model that was fitted to this table, of "
            f"{len(frame)} rows. Received one of {len(model.row_labels_)}. "
            "Fit it again."
        )
    return model


def check_columns(coding, names) -> None:
    """Refuse the coding of a model that lacks some columns.

    Raises
    ------
    ParameterError
    """
    lacking = [name for name in names if name not in coding.names]
    if lacking:
        raise ParameterError(
            "Expected a model of the quasi-identifiers "
            f"{', '.join(map(repr, names))}. Received one without "
            f"{', '.join(map(repr, lacking))}. Fit it on a table that has them."
        )
