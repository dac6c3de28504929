"""The scikit-learn face of the grids of d dimensions: thin, no algorithm inside."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from coclust_synth.exceptions import TableError
from coclust_synth.modl.data_grid.fitting import fit_data_grid
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.tables.reading.native import as_pandas, to_frame
from coclust_synth.validation import Seed, check_fitted


@dataclass(eq=False, repr=False, kw_only=True)
class MODLDataGrid(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """The grid of least MODL cost over all columns of a table.

    Each column is partitioned, numbers in intervals and categories in groups, so that
    the counts of the cells of all columns together describe the table best. There is
    no number of parts to choose; a column of one part is one that the grid says
    nothing about.

    Parameters
    ----------
    categorical_features : "from_dtype" or list of str, default="from_dtype"
        Columns to take as categorical. ``"from_dtype"``: those that are not of
        numbers. A list: these as well; columns of arrays are named x0, x1, ...
    n_iterations : int, default=128
        Budget of the search: descents and V-cycles.
    time_limit : float, optional
        Seconds after which the search stops, on top of `n_iterations`, but not before
        its first iteration ends; the merges of the grid are done whole.
    n_jobs : int, optional
        Iterations of the search that run at a time, as joblib's `n_jobs`: threads, or
        what `joblib.parallel_config` says. The result is the same for any number.
    random_state : int, SeedSequence, Generator or None, default=None
        Pass an int or a SeedSequence for the same result at each fit.
    callback : callable, optional
        Called after each iteration with (iteration, TracePoint).

    Attributes
    ----------
    partitions_ : dict of column name to Intervals or Groups
        ``Intervals.cuts`` of a numeric column, where missing lies below all numbers;
        ``Groups.groups`` of a categorical one, where missing is None.
    cost_, null_cost_ : float
        Cost of the grid found and of the grid of one cell (nats).
    level_ : float
        Share of the null cost that the grid removes, max(0, 1 - cost / null cost).
    grid_ : DataGrid
        Cells and cost, term by term.
    records_ : Records
        Distinct rows, coded, and the part of each value.
    dendrogram_ : DataGridDendrogram
        Merges of the parts down to one cell, with their costs.
    trace_ : tuple of TracePoint
        Each improvement of the search.
    n_iter_ : int
        Iterations of the search that were done.
    stopped_by_ : str
        What ended the search: ``"iterations"``, ``"time"`` or, on Ctrl-C, ``"user"``.
    n_features_in_, feature_names_in_
        As in every estimator of scikit-learn.

    References
    ----------
    M. Boulle, "Data grid models for preparation and modeling in supervised learning",
    in Hands-On Pattern Recognition, 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": [1, 2, 8, 9] * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> model.partitions_["b"].cuts
    array([5.])
    >>> model.transform(table[:3])
    array([[0, 0],
           [0, 0],
           [1, 1]])
    """

    categorical_features: str | Sequence[str] = "from_dtype"
    n_iterations: int = DEFAULT_ITERATIONS
    time_limit: float | None = None
    n_jobs: int | None = None
    random_state: Seed = None
    callback: Callable[..., object] | None = None

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    def fit(
        self,
        X: pd.DataFrame | ArrayLike,
        y: Any = None,
        frequencies: ArrayLike | None = None,
    ) -> Self:
        """Search the best grid of a table.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, d)
        y : ignored
        frequencies : array-like of int, shape (n,), optional
            Observations that each row stands for, 0 or more; 1 by default. Memory
            grows with their sum, by 8 bytes an observation.

        Returns
        -------
        MODLDataGrid
            Itself.

        Raises
        ------
        TableError, ParameterError
            Both of them ValueError.
        """
        frame = self._to_frame(X, reset=True)
        found = fit_data_grid(frame, frequencies, **self.get_params(deep=False))
        for name, learnt in vars(found).items():
            setattr(self, name, learnt)
        return self

    def transform(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.int64]:
        """Part of each value of each column.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, d)
            A category that the fit has not seen goes to the group of most categories
            (the catch-all, if there is one), as in Khiops.

        Returns
        -------
        ndarray of int64, shape (n, d)
        """
        check_fitted(self, "partitions_")
        frame = self._to_frame(X, reset=False)
        columns = [
            partition.index(series)
            for partition, (_, series) in zip(
                self.partitions_.values(), frame.items(), strict=True
            )
        ]
        return np.column_stack(columns)

    def _to_frame(self, X, *, reset):
        """X as a table; arrays get columns x0, x1, ... as in scikit-learn."""
        X = as_pandas(X)
        if isinstance(X, pd.DataFrame):
            frame = to_frame(X)
            if frame.shape[1] == 0 or not frame.columns.is_unique:
                raise TableError(
                    "Expected columns with names that all differ. Received "
                    f"{list(frame.columns)}. Rename or remove some."
                )
            validate_data(self, X, skip_check_array=True, reset=reset)
            return frame
        X = validate_data(
            self,
            np.array(X, dtype=object) if isinstance(X, list) else X,
            dtype=None,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if reset else 1,
            reset=reset,
        )
        return to_frame(X)
