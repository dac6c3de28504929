"""What a co-clustering report of Khiops holds.

Files are read and written by `files`, costs computed again by `costs`, reports of our
own models built by `fitted`.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.showing import Shown

FORMAT_VERSION = "11.0.1"  # of the programs that write such reports


@dataclass(frozen=True)
class Summary:
    """The report in figures.

    Attributes
    ----------
    instances : int
        Observations.
    cells : int
        Cells that are not empty.
    null_cost, cost : float
        Of the grid of one cell and of the best grid (nats).
    level : float
        max(0, 1 - cost / null cost).
    initial_dimensions : int
        Dimensions asked for; those that say nothing are left out of a report.
    frequency_variable, dictionary, database : str
        Where the observations came from.
    sample_percentage, sampling_mode, selection_variable, selection_value
        Which of them were used.
    """

    instances: int
    cells: int
    null_cost: float
    cost: float
    level: float
    initial_dimensions: int
    frequency_variable: str = ""
    dictionary: str = ""
    database: str = ""
    sample_percentage: float = 100
    sampling_mode: str = "Include sample"
    selection_variable: str = ""
    selection_value: str = ""


@dataclass(frozen=True)
class ValueGroup:
    """A cluster of values.

    Attributes
    ----------
    name : str
    values : tuple of str
        The most typical first.
    frequencies : tuple of int
        Observations of each.
    typicalities : tuple of float, or None
        Of each, in [0, 1]; None inside a variable of variable parts.
    """

    name: str
    values: tuple[str, ...]
    frequencies: tuple[int, ...]
    typicalities: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Interval:
    """An interval ]lower, upper] of numbers.

    Attributes
    ----------
    name : str
    bounds : tuple of float
        (lower, upper), the lowest and highest value at the ends; empty where the part
        is that of missing values.
    """

    name: str
    bounds: tuple[float, ...]


@dataclass(frozen=True)
class Node:
    """A cluster of a dimension's hierarchy: a part of the partition, or a merge.

    Attributes
    ----------
    name : str
    parent : str
        Name of the node that it is merged into; empty for the root.
    frequency : int
        Observations.
    interest : float
        In [0, 1].
    level : float
        Share of the best grid's information left once the node has come to be.
    rank : int
        Place in the dimension's tree, left to right, from 1.
    hierarchical_rank : int
        Parts left, over all dimensions, once the node has come to be.
    is_leaf : bool
    """

    name: str
    parent: str
    frequency: int
    interest: float
    level: float
    rank: int
    hierarchical_rank: int
    is_leaf: bool


@dataclass(frozen=True)
class ReportDimension:
    """One dimension: its partition, and the hierarchy of its parts.

    Attributes
    ----------
    name : str
    is_numeric : bool
    initial_parts : int
        Parts of the best grid, of which a simplified report has fewer.
    n_values : int
    parts : tuple of ValueGroup or of Interval
    interest : float
    description : str
    minimum, maximum : float, optional
        Of a numeric dimension, unless all its values are missing.
    default_group : int, optional
        Index of the group where values that were never seen go.
    hierarchy : tuple of Node
        Leaves first. Empty inside a dimension of variable parts.
    inner_variables : tuple of ReportDimension
        Of a dimension of variable parts: the variables whose parts are its values.
    """

    name: str
    is_numeric: bool
    initial_parts: int
    n_values: int
    parts: tuple[ValueGroup, ...] | tuple[Interval, ...]
    interest: float = 1.0
    description: str = ""
    minimum: float | None = None
    maximum: float | None = None
    default_group: int | None = None
    hierarchy: tuple[Node, ...] = ()
    inner_variables: tuple["ReportDimension", ...] = ()

    def cluster_of(self, value):
        """Name of the part that holds a value.

        Parameters
        ----------
        value : str, or float for a numeric dimension
            A text that was never seen belongs to the default group, a number outside
            the bounds to the first or last interval. None, NaN and an empty text are
            missing.

        Returns
        -------
        str

        Raises
        ------
        ParameterError
            If no part holds it.
        """
        part = self._part_of(value)
        if part < 0:
            raise ParameterError(
                f"Expected a value of {self.name!r} that a part holds. Received "
                f"{value!r}. Choose one that the report knows."
            )
        return self.parts[part].name

    def _part_of(self, value):
        """Index of the part that holds a value, -1 if none does."""
        text = "" if pd.isna(value) else str(value)
        if not self.is_numeric:
            default = -1 if self.default_group is None else self.default_group
            return self._group_of.get(text, default)
        try:
            number = np.array([text or "nan"], dtype=np.float64)
        except ValueError:
            return -1
        return int(self.interval_indexes(number)[0])

    @cached_property
    def _group_of(self):
        groups = enumerate(self.parts)
        return {value: i for i, group in groups for value in group.values}

    def interval_indexes(self, numbers):
        """Part of each number of a numeric dimension.

        Parameters
        ----------
        numbers : ndarray of float64, shape (n,)
            NaN where missing.

        Returns
        -------
        ndarray of int64, shape (n,)
            Missing numbers lie below all others, in the first part; -1 inside a
            dimension of variable parts, where they have none.
        """
        has_missing_part = not self.parts[0].bounds
        upper = [part.bounds[1] for part in self.parts[has_missing_part:]]
        # Values belong to the interval that they are the upper bound of.
        indexes = np.searchsorted(upper[:-1], numbers) + has_missing_part
        is_inner = not self.hierarchy
        indexes[np.isnan(numbers)] = -1 if is_inner and not has_missing_part else 0
        return indexes

    def leaves(self, cluster):
        """Names of the parts that a node of the hierarchy puts together.

        Parameters
        ----------
        cluster : str
            Name of a node: a part, or a merge.

        Returns
        -------
        tuple of str
            In the order of the parts.

        Raises
        ------
        ParameterError
            If the hierarchy has no such node.
        """
        parents = {node.name: node.parent for node in self.hierarchy}
        if cluster not in parents:
            raise ParameterError(
                f"Expected a node of the hierarchy of {self.name!r}. Received "
                f"{cluster!r}. Choose the name of one."
            )

        def is_below(name):
            while name not in ("", cluster):
                name = parents[name]
            return name == cluster

        return tuple(part.name for part in self.parts if is_below(part.name))


@dataclass(frozen=True, repr=False)
class CoclusteringReport(Shown):
    """A co-clustering as Khiops describes it.

    Attributes
    ----------
    summary : Summary
    dimensions : tuple of ReportDimension
    cell_parts : tuple of tuple of int
        For each cell that is not empty, the part of each dimension.
    cell_frequencies : tuple of int
        Its observations, decreasing.
    short_description : str
    version : str
        Of the format.

    Examples
    --------
    >>> from coclust_synth import MODLDataGrid, data_grid_report
    >>> table = pd.DataFrame({"a": list("xxyy") * 50, "b": list("uuvv") * 50})
    >>> model = MODLDataGrid(n_iterations=5, random_state=0).fit(table)
    >>> report = data_grid_report(model, table)
    >>> [len(dimension.parts) for dimension in report.dimensions]
    [2, 2]
    """

    summary: Summary
    dimensions: tuple[ReportDimension, ...]
    cell_parts: tuple[tuple[int, ...], ...]
    cell_frequencies: tuple[int, ...]
    short_description: str = ""
    version: str = FORMAT_VERSION
    encoding: str | None = field(default=None, repr=False)

    @property
    def has_variable_parts(self) -> bool:
        """Whether this is a report of instances x variable parts."""
        return any(dimension.inner_variables for dimension in self.dimensions)

    def dimension(self, name: str) -> ReportDimension:
        """The dimension of a name.

        Raises
        ------
        ParameterError
            If there is none.
        """
        return self.dimensions[self._axis(name)]

    def cluster_of(self, variable: str, value: str | float) -> str:
        """Name of the cluster that holds a value.

        Parameters
        ----------
        variable : str
            A dimension, or a variable whose parts are the values of one.
        value : str or float
            See `ReportDimension.cluster_of`.

        Returns
        -------
        str

        Raises
        ------
        ParameterError
            If the report knows no such variable, or no part holds the value.
        """
        for dimension in self.dimensions:
            for inner in dimension.inner_variables:
                if inner.name == variable:
                    return dimension.cluster_of(inner.cluster_of(value))
        return self.dimension(variable).cluster_of(value)

    def cells_table(self) -> pd.DataFrame:
        """The cells that are not empty, by the names of their parts.

        Returns
        -------
        DataFrame
            A column for each dimension, and ``frequency`` (observations), which
            decreases.
        """
        names = [[part.name for part in d.parts] for d in self.dimensions]
        rows = [
            (*(names[axis][part] for axis, part in enumerate(parts)), frequency)
            for parts, frequency in zip(
                self.cell_parts, self.cell_frequencies, strict=True
            )
        ]
        columns = [*(d.name for d in self.dimensions), "frequency"]
        return pd.DataFrame(rows, columns=columns)

    def contingency_table(self, rows: str, columns: str) -> pd.DataFrame:
        """Observations of the parts of two dimensions, all others summed up.

        Parameters
        ----------
        rows, columns : str
            Names of the dimensions.

        Returns
        -------
        DataFrame of int64, shape (J_1, J_2)
            Labelled by the names of the parts, in their order.

        Raises
        ------
        ParameterError
            If there is no such dimension.
        """
        axes = self._axis(rows), self._axis(columns)
        names = [[part.name for part in self.dimensions[a].parts] for a in axes]
        counts = np.zeros([len(parts) for parts in names], dtype=np.int64)
        cells = np.array(self.cell_parts)[:, axes]
        np.add.at(counts, tuple(cells.T), np.array(self.cell_frequencies))
        return pd.DataFrame(
            counts,
            index=pd.Index(names[0], name=rows),
            columns=pd.Index(names[1], name=columns),
        )

    def _axis(self, name):
        names = [dimension.name for dimension in self.dimensions]
        if name not in names:
            raise ParameterError(
                f"Expected a dimension of the report, {', '.join(map(repr, names))}. "
                f"Received {name!r}. Choose one of them."
            )
        return names.index(name)

    def _told(self):
        return {
            "dimensions": ", ".join(own.name for own in self.dimensions),
            "parts": " x ".join(str(len(own.parts)) for own in self.dimensions),
            "non-empty cells": len(self.cell_frequencies),
        }
