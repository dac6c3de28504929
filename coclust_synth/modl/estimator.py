"""The scikit-learn face of the co-clustering: thin, no algorithm inside."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, BiclusterMixin
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.modl.counted import (
    Places,
    code_counts,
    count_clusters,
    learn_counts,
    write_labels,
)
from coclust_synth.modl.grid.grid import Grid
from coclust_synth.modl.grid.individuals import cheapest_labels, individuals
from coclust_synth.modl.learnt.coding import learn_parts
from coclust_synth.modl.search.clock import Clock
from coclust_synth.modl.search.grid_dendrogram import GridDendrogram
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.modl.search.two_sides import search_grid, search_rows
from coclust_synth.scale.engines import is_engine_table, open_source
from coclust_synth.scale.source import CountSource, ValueCodes
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.reading.native import as_pandas, to_frame
from coclust_synth.tables.reading.table import read_table
from coclust_synth.tables.rows import DistinctRows, collapse
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.validation import (
    Seed,
    check_choice,
    check_fitted,
    check_integer,
    check_search,
    search_seed,
    set_feature_names,
)

PARTS = ("fixed", "learnt")
# Of more counted rows than this a search sees some, see `search_rows`.
MAX_FIT_ROWS = 400_000


@dataclass(eq=False, repr=False, kw_only=True)
class MODLCoclustering(BiclusterMixin, BaseEstimator):
    """Co-clustering of the individuals and the parts of a table by MODL.

    Each variable is cut into parts (one a category or an interval; missing is a part
    too), each individual has one part of each variable, and the grid of individual
    clusters x part clusters of least cost is searched. There is no number of clusters
    to choose. With ``parts="learnt"`` there is no number of parts either.

    Parameters
    ----------
    parts : {"fixed", "learnt"} or TableCoding, default="fixed"
        ``"fixed"``: categories, and the intervals of `binning`, `bins` and `cuts`.
        ``"learnt"``: intervals and groups of categories that the search finds with the
        clusters, for the cost of `variable_parts_cost_terms`; missing values are left
        out, and `binning`, `bins`, `cuts` and `keep_missing` are not used; nor are they
        with a coding, whose parts are taken.
    binning : {"quantile", "heaped", "width"}, default="quantile"
        Intervals of numeric variables. ``"quantile"``: the cuts of
        ``pandas.qcut(..., duplicates="drop")``.
    bins : int, default=10
        Intervals asked for in each numeric variable.
    cuts : mapping of variable name to sequence of float, optional
        Cut points to use instead for some numeric variables.
    keep_missing : bool, default=True
        Whether missing values are a part; otherwise they are left out.
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
    row_labels_ : ndarray of int64, shape (n,)
        Cluster of each individual.
    column_labels_ : ndarray of int64, shape (V,)
        Cluster of each part.
    part_names_ : ndarray of str, shape (V,)
        Text of each part, ``variable=part``: the columns of the co-clustering.
    coding_ : TableCoding
        The parts of each variable: which values each holds.
    rows_ : ndarray of bool, shape (J_1 * J_2, n)
        Individuals of each cell, cells in row-major order.
    columns_ : ndarray of bool, shape (J_1 * J_2, V)
        Parts of each cell: columns of the table individuals x parts, not of X.
    cost_, null_cost_ : float
        Cost of the grid found and of the grid of one cell (nats).
    level_ : float
        Share of the null cost that the grid removes, max(0, 1 - cost / null cost).
    children_ : tuple of two ndarray of int64, shapes (J_1 - 1, 2) and (J_2 - 1, 2)
        Merges of the individual clusters and of the part clusters down to one, in
        scikit-learn's encoding: row i joins two nodes into node J + i.
    dendrogram_ : GridDendrogram
        The same merges interleaved, with their costs. ``dendrogram_.cut`` gives coarser
        grids of it, and finer ones too, which are split when first asked for. Learnt
        parts stay as they are, except in one cell, where each variable is one part.
    grid_ : Grid
        Cells and cost, term by term; its rows are the distinct coded rows.
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
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLCoclustering(n_iterations=5, random_state=0).fit(table)
    >>> model.grid_.shape
    (2, 2)
    """

    parts: str = "fixed"
    binning: str = "quantile"
    bins: int = 10
    cuts: Mapping[str, Sequence[float]] | None = None
    keep_missing: bool = True
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
        return tags

    def fit(
        self,
        X: pd.DataFrame | ArrayLike,
        y: Any = None,
        schema: Schema | None = None,
        persons: Any = None,
    ) -> Self:
        """Search the best grid of a table.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, d), path, or what `open_source` takes
            At least two individuals. Every column is modelled, also one that looks
            like an identifier. A folder of Parquet files, a table of ibis or of a base,
            and a `CountSource` are counted where they are, see `fit_counts`: then
            ``row_labels_`` are of the distinct rows, and `predict_to` labels all.
        y : ignored
        schema : Schema, optional
            What is known of the columns, as `read_table` gives it; it keeps those of
            `X`, in their order. By default inferred.
        persons : Persons, optional
            Whose rows they are: individuals are then persons, each with the parts of
            all their rows. By default each row is an individual. Not for learnt parts.

        Returns
        -------
        MODLCoclustering
            Itself.

        Raises
        ------
        TableError, SchemaError, ParameterError
            All of them ValueError.
        """
        self._check_options(persons)
        if is_engine_table(X):
            return self._fit_source(open_source(X), schema, persons)
        if isinstance(X, str | os.PathLike):
            table = read_table(X, schema)
            complete = table.schema
            if schema is None:
                complete = complete.keep(*complete.names)
            return self.fit_values(table.values, complete, persons)
        frame = self._to_frame(X)
        return self._fit(TableValues(frame), _schema_of(frame, schema), persons)

    def fit_values(
        self, values: TableValues, schema: Schema, persons: Any = None
    ) -> Self:
        """Search the best grid of a table that was checked before; see `fit`.

        Parameters
        ----------
        values : TableValues
            Of the columns that `schema` keeps, and perhaps of others.
        schema : Schema
            Complete.
        persons : Persons, optional

        Returns
        -------
        MODLCoclustering
            Itself.
        """
        self._check_options(persons)
        names = list(schema.kept.names)
        validate_data(self, values.frame[names], skip_check_array=True)
        return self._fit(values, schema.kept, persons)

    def fit_counts(
        self, rows: DistinctRows, coding: TableCoding, *, max_rows: int = MAX_FIT_ROWS
    ) -> Self:
        """Search the best grid of coded rows that were counted elsewhere.

        Of more rows than `max_rows` the search sees about so many, and no more than
        about 200,000: each row with the same probability. All are then put in the
        cluster where they cost least and counted, and a few moves of the search are
        made with all of them; these come on top of `n_iterations`, and `trace_` does
        not tell of them.

        Parameters
        ----------
        rows : DistinctRows
            As `CountSource.profiles` gives them.
        coding : TableCoding
            What their codes mean; takes the place of `parts`.
        max_rows : int, default=400,000
            What a search of some rows finds of the gain over the null grid is measured
            in docs/scale.md.

        Returns
        -------
        MODLCoclustering
            Itself. ``row_labels_`` are of the distinct rows.
        """
        self._check_options(None)
        check_integer("max_rows", max_rows, minimum=1)
        options = self._search_options()
        contingency, result = search_rows(rows, max_rows, **options)
        self.coding_ = coding
        self.dendrogram_ = GridDendrogram.from_grid(
            contingency, result.grid, seed=options["seed"]
        )
        self._keep(result, result.grid.row_labels)
        self._describe()
        return self

    def fit_batches(
        self,
        rows: DistinctRows,
        coding: TableCoding,
        source: CountSource,
        coded: Sequence[ValueCodes],
    ) -> Self:
        """Search the best grid of some rows of a source that has too many profiles.

        All rows are then put in the cluster where they cost least, batch by batch, and
        counted: sizes and cells, and so k, are those of all rows. Clusters cannot be
        split any further: `dendrogram_` has each as one row.

        Parameters
        ----------
        rows : DistinctRows
            Of a sample of the source.
        coding : TableCoding
            What their codes mean; each row has a part of each variable.
        source : CountSource
        coded : sequence of ValueCodes
            The parts of its values.

        Returns
        -------
        MODLCoclustering
            Itself. ``row_labels_`` are of `rows`.

        Raises
        ------
        TableError
            If the table changed.
        """
        self.fit_counts(rows, coding)
        self._count_all(rows, source, coded)
        self._describe()
        return self

    def _count_all(self, rows, source, coded):
        """Replace the grid of some rows by that of all rows of a source."""
        places, labels = Places.of(self.grid_, rows)
        contingency = count_clusters(source, coded, places)
        own = np.arange(len(places.row_sizes))
        self.grid_ = Grid.from_labels(contingency, own, places.column_labels)
        self.dendrogram_ = GridDendrogram.from_grid(
            contingency, self.grid_, seed=self.dendrogram_.seed, rows=labels
        )
        self.row_labels_ = self.grid_.row_labels[labels]

    def _fit_source(self, source, schema, persons):
        if self.parts == "learnt" or persons is not None:
            raise ParameterError(
                "Expected fixed parts, or a coding, and each row an individual, for a "
                'table that an engine counts. Received parts="learnt", or persons. '
                "Leave it out, or read the table into memory, as a DataFrame."
            )
        if isinstance(self.parts, TableCoding):
            counted = code_counts(source, self.parts)
        else:
            counted = learn_counts(
                source,
                schema,
                binning=self.binning,
                bins=self.bins,
                cuts=self.cuts,
                keep_missing=self.keep_missing,
            )
        set_feature_names(self, counted.coding.names)
        return self.fit_counts(counted.rows, counted.coding)

    def predict_to(
        self, source: Any, out: str | os.PathLike[str], *, name: str = "cluster"
    ) -> None:
        """Write a table with the cluster of each of its rows, as a folder.

        The engine joins the clusters to the rows, in an order of its own. Each row is
        put where it would cost least as a new one, as `predict` does.

        Parameters
        ----------
        source : what `open_source` takes
            The columns of the fit, and others, which are written too. It must not
            change meanwhile.
        out : path
            A folder that is not there, or is empty. Gets Parquet files.
        name : str, default="cluster"
            Of the column of clusters, the last.

        Raises
        ------
        ParameterError
            If there is a column of that name, or rare values of the fit were put
            together.
        SchemaError
            If a column of the fit is not there, or is of another kind.
        TableError
            If the table changed, or has too many different rows. There is no folder
            then.
        OutputError
            If it cannot be written, or holds files.

        Warns
        -----
        DataWarning
            If there are categories that the fit has not seen.
        """
        check_fitted(self, "row_labels_")
        write_labels(open_source(source), self.coding_, self.grid_, out, name)

    def _check_options(self, persons):
        if not isinstance(self.parts, TableCoding):
            check_choice("parts", self.parts, PARTS)
        if self.parts == "learnt" and persons is not None:
            raise ParameterError(
                'Expected persons of several rows with parts="fixed", or a coding. '
                'Received them with parts="learnt". Learn the parts of the rows first, '
                "and give their coding_ as parts."
            )
        check_search(self.n_iterations, self.time_limit, self.n_jobs, self.random_state)

    def _search_options(self):
        """What a search may spend, its clock started."""
        return {
            "n_iterations": self.n_iterations,
            "seed": search_seed(self.random_state),
            "time_limit": Clock(self.time_limit),
            "n_jobs": self.n_jobs,
            "callback": self.callback,
        }

    def _fit(self, values, schema, persons):
        options = self._search_options()
        if isinstance(self.parts, TableCoding):
            self._fit_grid(values, self.parts, persons, options)
        elif self.parts == "learnt":
            self._fit_learnt(values, schema, options)
        else:
            self._fit_fixed(values, schema, persons, options)
        self._describe()
        return self

    def _describe(self):
        """What is told of the grid that was found."""
        self.column_labels_ = self.grid_.column_labels
        self.part_names_ = np.array(self.coding_.part_labels, dtype=object)
        self.cost_ = self.grid_.cost
        self.null_cost_ = self.dendrogram_.null_cost
        self.level_ = max(0.0, 1.0 - self.cost_ / self.null_cost_)
        self.children_ = tuple(self.dendrogram_.children(side) for side in (0, 1))

    def _fit_fixed(self, values, schema, persons, options):
        coding = TableCoding.learn(
            values,
            schema,
            binning=self.binning,
            bins=self.bins,
            cuts=self.cuts,
            keep_missing=self.keep_missing,
            persons=persons,
        )
        self._fit_grid(values, coding, persons, options)

    def _fit_grid(self, values, coding, persons, options):
        contingency, row_of_each = individuals(values, coding, persons)
        result = search_grid(contingency, **options)
        self.coding_ = coding
        self.dendrogram_ = GridDendrogram.from_grid(
            contingency, result.grid, seed=options["seed"], rows=row_of_each
        )
        self._keep(result, result.grid.row_labels[row_of_each])

    def _fit_learnt(self, values, schema, options):
        learnt = learn_parts(values, schema, **options)
        self.coding_ = learnt.coding
        self.dendrogram_ = learnt.dendrogram
        self._keep(learnt.search, learnt.row_labels)

    def _keep(self, result, row_labels):
        self.grid_ = result.grid
        self.trace_ = result.trace
        self.n_iter_ = result.n_iterations
        self.stopped_by_ = result.stopped_by
        self.row_labels_ = row_labels

    def fit_predict(
        self, X: pd.DataFrame | ArrayLike, y: Any = None
    ) -> NDArray[np.int64]:
        """Search the best grid of a table, and tell the cluster of each individual.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, d)
        y : ignored

        Returns
        -------
        ndarray of int64, shape (n,)
            ``row_labels_``.
        """
        return self.fit(X, y).row_labels_

    def predict(self, X: pd.DataFrame | ArrayLike) -> NDArray[np.int64]:
        """Cluster of new individuals: where each one costs least.

        Each is added to the grid on its own, as one more individual with its
        observations, all else held; of equal costs the first cluster counts. An
        individual of the fit is counted a second time here, so that a close call can
        differ from ``row_labels_``.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, d)
            The columns of the fit. Numbers beyond those of the fit belong to the first
            or last interval. A category that the fit has not seen, or a missing value
            where missing is no part, gives no observation.

        Returns
        -------
        ndarray of int64, shape (n,)
            As in ``row_labels_``.

        Raises
        ------
        SchemaError
            If a column is of another kind than that of the fit.

        Warns
        -----
        DataWarning
            If there are categories that the fit has not seen.
        """
        check_fitted(self, "row_labels_")
        frame = self._to_frame(X, reset=False).set_axis(self.coding_.names, axis=1)
        codes = self.coding_.encode(frame, strict=False)
        rows, inverse = collapse(codes, self.coding_.n_parts_per_variable)
        return cheapest_labels(self.grid_, rows)[inverse]

    @property
    def rows_(self) -> NDArray[np.bool_]:
        """Individuals of each cell, built when asked for."""
        check_fitted(self, "row_labels_")
        n_rows, n_columns = self.grid_.shape
        belongs = self.row_labels_ == np.arange(n_rows)[:, None]
        return np.repeat(belongs, n_columns, axis=0)

    @property
    def columns_(self) -> NDArray[np.bool_]:
        """Parts of each cell, built when asked for."""
        check_fitted(self, "column_labels_")
        n_rows, n_columns = self.grid_.shape
        belongs = self.column_labels_ == np.arange(n_columns)[:, None]
        return np.tile(belongs, (n_rows, 1))

    def _to_frame(self, X, *, reset=True):
        """X as a typed table; arrays get columns x0, x1, ... as in scikit-learn."""
        X = np.array(X, dtype=object) if isinstance(X, list) else as_pandas(X)
        if not isinstance(X, pd.DataFrame):
            X = check_array(
                X,
                dtype=None,
                ensure_all_finite="allow-nan",
                ensure_min_samples=2 if reset else 1,
            )
        validate_data(self, X, reset=reset, skip_check_array=True)
        return to_frame(X)


def _schema_of(frame, given):
    """The complete description of a table all of whose columns are kept."""
    if given is None:
        inferred = infer_schema(frame)
        return inferred.keep(*inferred.names)
    if given.kept.names != tuple(frame.columns):
        raise SchemaError(
            f"Expected a schema that keeps the columns "
            f"{', '.join(map(repr, frame.columns))}. Received one that keeps "
            f"{', '.join(map(repr, given.kept.names))}. Give the columns of "
            "schema.kept.names."
        )
    return given.kept
