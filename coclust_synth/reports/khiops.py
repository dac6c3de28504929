"""What a co-clustering report of Khiops holds.

Files are read and written by `khiops_files`, costs computed again by `khiops_costs`,
reports of our own co-clusterings built by `khiops_build`.
"""

from dataclasses import dataclass, field

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
        Starts with ``*`` where missing values are in it too.
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
        Of a numeric dimension.
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


@dataclass(frozen=True)
class CoclusteringReport:
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
    """

    summary: Summary
    dimensions: tuple[ReportDimension, ...]
    cell_parts: tuple[tuple[int, ...], ...]
    cell_frequencies: tuple[int, ...]
    short_description: str = ""
    version: str = FORMAT_VERSION
    encoding: str | None = field(default=None, repr=False)

    @property
    def has_variable_parts(self):
        """Whether this is a report of instances x variable parts."""
        return any(dimension.inner_variables for dimension in self.dimensions)
