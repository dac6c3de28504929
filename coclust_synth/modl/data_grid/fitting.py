"""From a table to its grid, without scikit-learn, which takes long to import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from numpy.typing import ArrayLike
from pandas.api import types

from coclust_synth.exceptions import ParameterError
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.dendrogram import DataGridDendrogram
from coclust_synth.modl.data_grid.observations import Groups, Intervals, count_records
from coclust_synth.modl.data_grid.search import search_data_grid
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS, TracePoint
from coclust_synth.validation import Seed, check_search, search_seed


@dataclass(frozen=True, eq=False)
class FittedDataGrid:
    """What is learnt of a table: the attributes of `MODLDataGrid`, which tells them."""

    records_: Records
    grid_: DataGrid
    trace_: tuple[TracePoint, ...]
    n_iter_: int
    stopped_by_: str
    dendrogram_: DataGridDendrogram
    partitions_: dict[str, Intervals | Groups]
    cost_: float
    null_cost_: float
    level_: float


def fit_data_grid(
    frame: pd.DataFrame,
    frequencies: ArrayLike | None = None,
    *,
    categorical_features: str | Sequence[str] = "from_dtype",
    n_iterations: int = DEFAULT_ITERATIONS,
    time_limit: float | None = None,
    n_jobs: int | None = None,
    random_state: Seed = None,
    callback: Callable[..., object] | None = None,
) -> FittedDataGrid:
    """Search the best grid of a table; the options are those of `MODLDataGrid`.

    Parameters
    ----------
    frame : DataFrame of n rows
        Its columns are named by texts that differ.
    frequencies : array-like of int, shape (n,), optional
        As of `MODLDataGrid.fit`.

    Returns
    -------
    FittedDataGrid

    Raises
    ------
    TableError, ParameterError
        Both of them ValueError.
    """
    check_search(n_iterations, time_limit, n_jobs, random_state)
    clock = Clock(time_limit)
    numeric = _are_numeric(frame, categorical_features)
    records, values = count_records(frame, numeric, frequencies)
    result = search_data_grid(
        records,
        n_iterations=n_iterations,
        seed=search_seed(random_state),
        time_limit=clock,
        n_jobs=n_jobs,
        callback=callback,
    )
    dendrogram = DataGridDendrogram.from_records(result.records)
    cost, null_cost = result.grid.cost, float(dendrogram.costs[-1])
    return FittedDataGrid(
        records_=result.records,
        grid_=result.grid,
        trace_=result.trace,
        n_iter_=result.n_iterations,
        stopped_by_=result.stopped_by,
        dendrogram_=dendrogram,
        partitions_={
            name: of_column.partition(labels)
            for name, of_column, labels in zip(
                frame.columns, values, result.records.labels, strict=True
            )
        },
        cost_=cost,
        null_cost_=null_cost,
        level_=max(0.0, 1.0 - cost / null_cost),
    )


def _are_numeric(frame, categorical_features):
    """Whether each column is one of numbers."""
    named = categorical_features
    if isinstance(named, str):
        if named != "from_dtype":
            raise ParameterError(
                'Expected categorical_features to be "from_dtype" or a list of '
                f"columns. Received {named!r}. Give for instance [{named!r}]."
            )
        named = []
    unknown = [name for name in named if name not in frame.columns]
    if unknown:
        raise ParameterError(
            "Expected categorical_features to name columns of the table. Received "
            f"{', '.join(map(repr, unknown))}. Choose among "
            f"{', '.join(map(repr, frame.columns))}."
        )
    return [
        types.is_numeric_dtype(dtype)
        and not types.is_bool_dtype(dtype)
        and name not in named
        for name, dtype in frame.dtypes.items()
    ]
