"""A co-clustering that a release is made from: the one given, or a new one."""

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.grid.grid import Grid
from coclust_synth.modl.grid.individuals import individuals
from coclust_synth.modl.search.clock import SEARCH_SHARE
from coclust_synth.modl.search.grid_dendrogram import GridDendrogram


def is_fitted(model) -> bool:
    """Whether an object is a MODLCoclustering that was fitted."""
    return isinstance(model, MODLCoclustering) and hasattr(model, "dendrogram_")


def check_given(model):
    """Refuse what is no fitted MODLCoclustering, where one is given.

    Raises
    ------
    ParameterError
    """
    if model is not None and not is_fitted(model):
        raise ParameterError(
            "Expected a fitted MODLCoclustering. Received an object of type "
            f"{type(model).__name__}, which is not. Fit one to the table, or leave it "
            "out."
        )


def fit_in_time(values, schema, clock, persons=None, **options) -> MODLCoclustering:
    """Fit a co-clustering in the first share of the time that there is.

    Parameters
    ----------
    values : TableValues of n rows
    schema : Schema
        Complete; the columns that it keeps are co-clustered.
    clock : Clock
        Of what the search is a part of, and leaves a share of the time to; it notes
        "search" where the time did not last for that.
    persons : Persons, optional
        As of `MODLCoclustering.fit`.
    **options
        Of `MODLCoclustering`.

    Returns
    -------
    MODLCoclustering
    """
    schema = schema.kept
    seconds = clock.first(SEARCH_SHARE).seconds_left()
    model = MODLCoclustering(time_limit=seconds, **options)
    model.fit_values(values, schema, persons)
    if model.stopped_by_ == "time" and "search" not in clock.cut_short:
        clock.cut_short.append("search")
    return model


def coclustering_of(values, schema, model, clock, **options) -> MODLCoclustering:
    """The co-clustering of the quasi-identifiers of a table.

    Parameters
    ----------
    values : TableValues of n rows
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
        return fit_in_time(values, schema, clock, binning="heaped", **options)
    check_model(model, names, len(values))
    return model


def clusters_of(model, table, coding, released, persons=None, *, seed):
    """The clusters of a fitted co-clustering, for other parts of the same table.

    Individuals who have the same parts are in the cluster where most of their rows
    are, a part in that of most of its values; parts of values that the model left out
    are a cluster for each column.

    Parameters
    ----------
    model : MODLCoclustering
        Fitted to the n rows of `table`, or to their persons; see `check_model`.
    table : TableValues of n rows
    coding : TableCoding
        The other parts, V in all.
    released : TableValues of n rows
        The same rows, as `coding` reads them.
    persons : Persons, optional
        Whose rows they are; by default each row is an individual.
    seed : int or SeedSequence
        Of splits of the clusters.

    Returns
    -------
    GridDendrogram
        Of the individuals and the other parts.
    """
    clusters = model.row_labels_
    if persons is not None and len(clusters) == persons.n:
        clusters = clusters[persons.codes]
    contingency, row_of_each = individuals(released, coding, persons)
    rows = row_of_each if persons is None else row_of_each[persons.codes]
    row_labels = _commonest(rows, clusters)

    places = [model.coding_.names.index(name) for name in coding.names]
    known = model.coding_.encode(table, strict=False)[:, places]
    theirs = known + _first_parts(model.coding_)[places]
    parts = coding.encode(released) + _first_parts(coding)
    there = known >= 0
    n_parts = coding.n_parts_per_variable
    column_labels = -1 - np.repeat(np.arange(len(n_parts)), n_parts)
    labels = _commonest(parts[there], model.column_labels_[theirs[there]])
    column_labels[np.unique(parts[there])] = labels
    grid = Grid.from_labels(contingency, row_labels, column_labels)
    return GridDendrogram.from_grid(contingency, grid, seed=seed, rows=row_of_each)


def _first_parts(coding):
    """The number of the first part of each column."""
    n_parts = coding.n_parts_per_variable
    return np.cumsum(n_parts) - n_parts


def _commonest(groups, labels):
    """The label that is most frequent in each group, the lowest of equal ones."""
    pairs, counts = np.unique(
        np.column_stack([groups, labels]), axis=0, return_counts=True
    )
    order = np.lexsort((pairs[:, 1], -counts, pairs[:, 0]))
    first = np.unique(pairs[order, 0], return_index=True)[1]
    return pairs[order[first], 1]


def check_model(model, names, n_rows, persons=None) -> None:
    """Refuse a fitted co-clustering of other columns, or of another number of rows.

    Parameters
    ----------
    model : MODLCoclustering
    names : sequence of str
        Columns that it must have.
    n_rows : int
    persons : Persons, optional
        Whose rows they are, where it can have been fitted to these.

    Raises
    ------
    ParameterError
    """
    check_columns(model.coding_, names)
    of_persons = persons is not None and len(model.row_labels_) == persons.n
    if not of_persons and len(model.row_labels_) != n_rows:
        raise ParameterError(
            "Expected a model that was fitted to this table, of "
            f"{n_rows} rows. Received one of {len(model.row_labels_)}. "
            "Fit it again."
        )


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
