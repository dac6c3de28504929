"""The axes of a co-clustering report of Khiops: its dimensions, and names of parts."""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from coclust_synth.reports.khiops.report import Interval, ReportDimension

MISSING = "Missing"  # name of the part of missing numbers

_MAX_NAMED = 3  # values in the name of a cluster
_QUOTED = frozenset(",'{}")  # characters for which the name quotes a value
# Digits of numbers in the names of intervals: those of Khiops, or all of them where
# two bounds would read the same.
_DIGITS, _ALL_DIGITS = 10, 17


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
