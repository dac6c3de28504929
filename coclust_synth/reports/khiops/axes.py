"""The axes of a co-clustering report of Khiops: its dimensions, learnt parts of
variables among them, and names of parts.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from coclust_synth.modl.criterion.terms import Dimension
from coclust_synth.modl.criterion.variable_parts import InnerVariable
from coclust_synth.modl.data_grid.data_grid import Records
from coclust_synth.modl.learnt.grid import VariablePartsGrid
from coclust_synth.reports.khiops.report import Interval, ReportDimension, ValueGroup
from coclust_synth.tables.parts.parts import IntervalParts

MISSING = "Missing"  # name of the part of missing numbers

_MAX_NAMED = 3  # values in the name of a cluster
_QUOTED = frozenset(",'{}")  # characters for which the name quotes a value
# Digits of numbers in the names of intervals: those of Khiops, or all of them where
# two bounds would read the same.
_DIGITS, _ALL_DIGITS = 10, 17
_INSTANCES, _VARIABLES = "Instance index", "Variables"  # as Khiops names them


@dataclass(frozen=True)
class CategoricalAxis:
    """The texts of a categorical dimension of a report.

    Attributes
    ----------
    name : str
    values : sequence of str
        Each value of the records, all different.
    """

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class NumericAxis:
    """The bounds of a numeric dimension of a report.

    Attributes
    ----------
    name : str
    edges : sequence of float
        Lowest value, upper end of each interval, the last being the highest value.
        Empty where all values are missing.
    with_missing : bool, default=False
        Whether missing values are a part, the first one, before the intervals.
        Otherwise, if there are any, they are in the first interval.
    """

    name: str
    edges: tuple[float, ...]
    with_missing: bool = False


@dataclass(frozen=True)
class PartsAxis:
    """The variables whose parts are the values of a dimension of a report.

    Attributes
    ----------
    name : str
    variables : sequence of ReportDimension
        The values of the records are their parts, one variable after the other.
    """

    name: str
    variables: tuple[ReportDimension, ...]

    @cached_property
    def values(self):
        """Name of each part."""
        return tuple(p.name for variable in self.variables for p in variable.parts)


def line_numbers(n_rows):
    """Names that Khiops gives to the rows of a file: its header is line 1."""
    return tuple(map(str, range(2, n_rows + 2)))


def intervals(axis):
    """The intervals of a numeric dimension, that of missing values first."""
    edges = list(axis.edges)
    parts = [Interval(MISSING, ())] if axis.with_missing else []
    cuts = edges[1:-1]
    are_told_apart = len({f"{cut:.{_DIGITS}g}" for cut in cuts}) == len(cuts)
    digits = _DIGITS if are_told_apart else _ALL_DIGITS
    for i, bounds in enumerate(pairwise(edges)):
        left = "-inf" if i == 0 else f"{bounds[0]:.{digits}g}"
        right = "+inf[" if i == len(edges) - 2 else f"{bounds[1]:.{digits}g}]"
        parts.append(Interval(f"]{left},{right}", bounds))
    return parts


def values_name(values, *, quote=True):
    """Name of a cluster of values: the first of them.

    Parameters
    ----------
    values : sequence of str
    quote : bool, default=True
        Whether to quote values that would be misread.
    """
    shown = [
        "'" + value.replace("'", "''") + "'"
        if quote and _QUOTED & set(value)
        else value
        for value in values[:_MAX_NAMED]
    ]
    if len(values) > _MAX_NAMED:
        shown.append("...")
    return "{" + ", ".join(shown) + "}"


def default_group(groups):
    """The group of the least frequent value; of several, of the last by name."""
    least = min(min(group.frequencies) for group in groups)
    last = {
        max(
            value
            for value, frequency in zip(group.values, group.frequencies, strict=True)
            if frequency == least
        ): i
        for i, group in enumerate(groups)
        if least in group.frequencies
    }
    return last[max(last)]


def learnt_parts(model, table, codes, ids):
    """Records, grid and axes of a co-clustering whose parts were learnt.

    Parameters
    ----------
    model : MODLCoclustering
    table : TableValues of n rows
        What it was fitted on.
    codes : ndarray of int, shape (n, d)
        Part of each cell, numbered within its variable; -1 where missing.
    ids : tuple of str, or None
        Names of the individuals; by default the lines of a file.

    Returns
    -------
    records : Records
        Parts are numbered as in the report: variables by name.
    grid : VariablePartsGrid
    axes : tuple of CategoricalAxis and PartsAxis
    """
    coding, n_individuals = model.coding_, len(codes)
    first = np.cumsum([0, *coding.n_parts_per_variable])
    # Parts of the model in the order of the report, and what they are there.
    order, variables, inner, category_totals = [], [], [], []
    for name in sorted(coding.names):
        k = coding.names.index(name)
        parts, present = coding.parts[k], codes[:, k] >= 0
        totals = np.bincount(codes[present, k], minlength=parts.n_parts)
        if isinstance(parts, IntervalParts):
            numbers, _ = table.read(coding.schema[name])
            edges = _edges(parts, numbers[present], codes[present, k])
            variable = _of_intervals(name, edges, n_individuals)
            place = np.arange(parts.n_parts)
        else:
            has_missing = bool(table.frame[name].isna().any())
            variable, place = _of_groups(name, parts, has_missing)
            category_totals.append(np.array(parts.rows))
        variables.append(variable)
        order.append(first[k] + place)
        inner.append(inner_variable(variable, totals[place]))
    order = np.concatenate(order)
    individual, part = observations(codes, coding)
    records = Records(
        np.column_stack([individual, np.argsort(order)[part]]),
        np.ones(len(part), dtype=np.int64),
        (model.row_labels_, model.column_labels_[order]),
        (False, False),
    )
    grid = VariablePartsGrid.of_instances(records, inner, category_totals)
    instances = CategoricalAxis("id", ids)
    if ids is None:
        instances = CategoricalAxis(_INSTANCES, line_numbers(n_individuals))
    return records, grid, (instances, PartsAxis(_VARIABLES, tuple(variables)))


def observations(codes, coding):
    """Individual and part of each observation of a coded table.

    Parameters
    ----------
    codes : ndarray of int, shape (n, d)
    coding : TableCoding

    Returns
    -------
    individual, part : ndarray of int64, shape (number of codes that are not -1,)
        Parts in the global order of the coding.
    """
    individual, variable = np.nonzero(codes >= 0)
    first = np.cumsum([0, *coding.n_parts_per_variable[:-1]])
    return individual, codes[individual, variable] + first[variable]


def inner_variable(variable, totals):
    """How a variable of a report is cut, from the observations of its parts.

    Parameters
    ----------
    variable : ReportDimension
    totals : ndarray of int64, shape (J,)

    Returns
    -------
    InnerVariable
    """
    sizes = None
    if not variable.is_numeric:
        sizes = np.array([len(group.values) for group in variable.parts])
    return InnerVariable(Dimension(totals, sizes), variable.n_values)


def _edges(parts, numbers, codes):
    """Lowest number, upper ends of the intervals, highest number."""
    if len(numbers) == 0 or not parts.laws:
        return ()
    highest = np.full(parts.n_parts, -np.inf)
    np.maximum.at(highest, codes, numbers)
    # A number can lie beyond the end of its interval by a rounding error.
    ends = np.maximum(parts.edges[1:-1], highest[:-1])
    return (float(numbers.min()), *ends.tolist(), float(numbers.max()))


def _of_intervals(name, edges, n_individuals):
    axis = NumericAxis(name, edges, with_missing=not edges)
    parts = tuple(Interval(f"{name} {p.name}", p.bounds) for p in intervals(axis))
    return ReportDimension(
        name=name,
        is_numeric=True,
        initial_parts=len(parts),
        n_values=n_individuals,
        parts=parts,
        minimum=edges[0] if edges else None,
        maximum=edges[-1] if edges else None,
    )


def _of_groups(name, parts, has_missing):
    """A categorical variable, and the number in `parts` of each of its groups."""
    single = parts.single
    texts = [single.categories[code] for code in single.seen]
    texts += [""] * single.with_missing
    members = [[] for _ in range(parts.n_parts)]
    for text, rows, group in zip(texts, parts.rows, parts.group, strict=True):
        members[group].append((-rows, text))
    groups = []
    for of_group in map(sorted, members):
        values = tuple(text for _, text in of_group)
        frequencies = tuple(-rows for rows, _ in of_group)
        groups.append(ValueGroup(f"{name} {values_name(values)}", values, frequencies))
    place = sorted(
        range(len(groups)),
        key=lambda g: (-sum(groups[g].frequencies), groups[g].values[0]),
    )
    groups = tuple(groups[g] for g in place)
    variable = ReportDimension(
        name=name,
        is_numeric=False,
        initial_parts=len(groups),
        n_values=single.n_parts + has_missing,
        parts=groups,
        default_group=default_group(groups),
    )
    return variable, np.array(place)
