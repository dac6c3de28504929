"""What a private release would measure, and how exactly: plans that spend nothing."""

from dataclasses import asdict, dataclass
from itertools import combinations
from math import ceil, exp, lgamma, pi, prod, sqrt
from typing import Any, NamedTuple

import pandas as pd

# Noise that puts pairs of columns more than this off, before a model or a projection
# makes them nearer, is most of what is released. Of six tables of 300 or 2,000 of their
# rows and 5 to 19 columns, with epsilons at which just this is expected, pairs are
# then .24 (MST, `laplace`) to .30 off (PrivBayes, AIM) on average, .27 by DPCocGen
# and single columns; of three others, tried after, .26 to .36.
_MOSTLY = 0.3
_MOSTLY_NOISE = (
    "At this epsilon a release of so few rows is mostly noise: {} are expected to be "
    "off by about .3 of total variation, or more. With about {:,} rows or more they "
    "would be expected to be nearer. Declare fewer columns or values, or release "
    "nothing."
)
_BY_NOISY_ROWS = (
    " This follows from the noisy number of rows and the domain alone, and spends "
    "nothing."
)


class PlannedQuery(NamedTuple):
    """Queries of one kind that would be made.

    Attributes
    ----------
    what : str
    times : int
    share : float
        Of the budget, of each of them.
    scale : float
        Of the noise, in rows.
    n_values : int or None
        Noisy numbers of each, or choices at most; None where those before decide.
    mechanism : str
        The law of the noise.
    """

    what: str
    times: int
    share: float
    scale: float
    n_values: int | None
    mechanism: str


class PlannedError(NamedTuple):
    """What noise would make of a margin.

    Attributes
    ----------
    what : str
    cells : int
    error : float
        Expected total variation between the margin and its noisy counts, before what
        a model makes of them, which is nearer, or a histogram (see `clipped`); at most
        1.
    """

    what: str
    cells: int
    error: float


@dataclass(frozen=True)
class ReleasePlan:
    """What a private generator would measure of a table of about so many rows.

    Of a table of other rows the noisy number of them decides otherwise. Values of a
    column that are rare for the noise are gathered in a fit: what it measures has as
    many cells as here, or fewer.

    Attributes
    ----------
    epsilon : float
    delta : float
        0 if there is none.
    rho : float or None
        The budget where there is a delta.
    expected_rows : int
    path : {"margins", "adaptive", "histogram", "tree", "network"}
        What is measured: single columns, of which rows are then drawn on their own;
        chosen margins of several columns too; all cells of the domain, or of values
        that are gathered; pairs that form a tree; columns with their parents.
    least_rows : int or None
        Of DPCocGen: rows below which adaptive margins are those of single columns: by
        the fit's own rule, that noise of the whole budget would put these more than
        .056 of total variation off on average, or with a delta somewhat less.
    rows_of_noise : int or None
        Rows below which the release is mostly noise: pairs of columns, or the values of
        a single one, are expected to be about .3 of total variation off, or more,
        whatever else is measured. None where no rule tells: of the thesis's variants,
        blocks, and histograms but for those of Laplace and of single columns.
    queries : tuple of PlannedQuery
        In order; their shares, as often as they are made, sum to 1.
    errors : tuple of PlannedError
        Of each column, and of pairs and triples of typical and of largest size; none
        where the choices before decide.
    """

    epsilon: float
    delta: float
    rho: float | None
    expected_rows: int
    path: str
    least_rows: int | None
    rows_of_noise: int | None
    queries: tuple[PlannedQuery, ...]
    errors: tuple[PlannedError, ...]

    @property
    def is_mostly_noise(self) -> bool:
        """Whether so few rows are expected that noise is most of what is released."""
        return self.rows_of_noise is not None and (
            self.expected_rows < self.rows_of_noise
        )

    def to_frame(self) -> pd.DataFrame:
        """The queries, one a row."""
        return pd.DataFrame(self.queries, columns=list(PlannedQuery._fields))

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON types, and whether it is mostly noise, if a rule tells."""
        has_rule = self.rows_of_noise is not None
        return asdict(self) | {
            "is_mostly_noise": self.is_mostly_noise if has_rule else None,
            "queries": [query._asdict() for query in self.queries],
            "errors": [error._asdict() for error in self.errors],
        }


def noise_planned(n_rows, n_columns):
    """That a release of columns of fewer rows than so many would be mostly noise."""
    what = "pairs of columns" if n_columns > 1 else "the values of the column"
    return _MOSTLY_NOISE.format(what, n_rows)


def noise_released(n_rows, n_columns):
    """The same of a release that was made."""
    return noise_planned(n_rows, n_columns) + _BY_NOISY_ROWS


def rows_of_noise(error, n_columns):
    """Rows below which a release is mostly noise.

    Its pairs would be expected more than `_MOSTLY` off even if nothing but the values
    of the columns were counted, and columns had nothing to do with each other: errors
    of two columns then add up as roots of squares do.

    Parameters
    ----------
    error : float
        Mean total variation of the columns of a table of one row, by their noise.
    n_columns : int

    Returns
    -------
    int
    """
    return ceil(sqrt(min(n_columns, 2)) * error / _MOSTLY)


def rows_of_noisy_columns(sizes, ledger, cost):
    """The same where each column is counted apart, for a cost."""
    noise = ledger.count_noise(cost)
    errors = [expected_variation(size, noise, 1) for size in sizes]
    return rows_of_noise(sum(errors) / len(errors), len(errors))


def make_plan(
    ledger, n_rows, path, queries, errors, least_rows=None, rows_of_noise=None
):
    """The plan of some queries and errors."""
    return ReleasePlan(
        ledger.epsilon,
        ledger.delta,
        ledger.rho,
        int(n_rows),
        path,
        least_rows,
        rows_of_noise,
        tuple(queries),
        tuple(errors),
    )


def _planned(ledger, entry, times):
    return PlannedQuery(
        entry.what,
        times,
        entry.cost / ledger.total,
        entry.scale,
        entry.n_values,
        entry.mechanism,
    )


def planned_counts(
    ledger, what, n_values, cost, times=1, *, l1_sensitivity=1, is_pure=False
):
    """Noisy counts that would be made so many times, of None where others decide."""
    entry = ledger.entry_of_counts(
        n_values or 1,
        cost=cost,
        what=what,
        l1_sensitivity=l1_sensitivity,
        is_pure=is_pure,
    )
    return _planned(ledger, entry, times)._replace(n_values=n_values)


def planned_choice(
    ledger, what, n_values, cost, sensitivity, times=1, *, of_parts=False
):
    """Choices that would be made so many times, of one part or of several at once."""
    entry = ledger.entry_of_choice(
        n_values or 1, cost=cost, sensitivity=sensitivity, what=what, of_parts=of_parts
    )
    return _planned(ledger, entry, times)._replace(n_values=n_values)


def planned_columns(domain, n_rows, ledger, costs, what="values of"):
    """Queries of each column, and their errors."""
    groups = [(j,) for j in range(len(domain.sizes))]
    return planned_groups(domain, n_rows, ledger, groups, costs, what)


def planned_groups(domain, n_rows, ledger, groups, costs, what="values of"):
    """Queries of groups of columns that are counted together, and the errors of each
    column, in order."""
    queries, errors = [], {}
    for group, cost in zip(groups, costs, strict=True):
        cells = prod(domain.sizes[j] for j in group)
        names = " × ".join(domain.names[j] for j in group)
        queries.append(planned_counts(ledger, f"{what} {names}", cells, cost))
        for j in group:
            size = domain.sizes[j]
            noise = ledger.count_noise(cost) * sqrt(cells / size)
            errors[j] = planned_error(domain.names[j], size, noise, n_rows)
    return queries, [errors[j] for j in sorted(errors)]


def planned_error(what, cells, noise, n_rows):
    """The expected error of a margin, by the mean noise of its counts."""
    return PlannedError(what, cells, min(expected_variation(cells, noise, n_rows), 1.0))


def merged(name):
    """A column of which values are counted together: how unlike they are, only the
    table says."""
    return f"{name} (noise alone: merged values are farther off)"


def clipped(error):
    """An error of counts of which those below zero become none.

    So noise of empty cells is above zero on average: most are, in a large domain, only
    the table says which.
    """
    return error._replace(
        what=f"{error.what} (noise alone: farther off where most cells are empty)"
    )


def planned_margins(what, cells, error):
    """Expected errors of a margin of the middle size, and of the largest.

    Parameters
    ----------
    what : str
    cells : list of int
        Of each margin.
    error : callable
        From cells to an expected error.
    """
    if not cells:
        return []
    cells = sorted(cells)
    ranks = {"typical": cells[(len(cells) - 1) // 2], "largest": cells[-1]}
    return [
        PlannedError(f"{rank} {what}", n, min(error(n), 1.0))
        for rank, n in ranks.items()
    ]


def planned_sums(domain, n_rows, scale):
    """Expected errors of margins that are sums of noisy counts of all cells."""
    errors = []

    def error(n_cells):
        noise = noise_of_sum(domain.n_cells / n_cells, scale)
        return expected_variation(n_cells, noise, n_rows)

    for order, name in ((2, "pair"), (3, "triple")):
        cells = cells_of_margins(domain.sizes, order)
        errors += planned_margins(f"{name}, from all cells", cells, error)
    return errors


def noise_of_sum(m, scale):
    """Mean size of the sum of m Laplace numbers.

    It is that of a - b, Gamma(m) both.
    """
    return 2 * exp(lgamma(m + 0.5) - lgamma(m)) / sqrt(pi) * scale


def planned_pairs(sizes, n_rows, noise):
    """Expected errors of pairs that are counted with noise of a mean size."""
    return planned_margins(
        "pair",
        cells_of_margins(sizes, 2),
        lambda n: expected_variation(n, noise, n_rows),
    )


def cells_of_margins(sizes, order):
    """Cells of each margin of a number of columns."""
    return [prod(chosen) for chosen in combinations(sizes, order)]


def expected_variation(n_cells, noise, n_rows):
    """Total variation by which noise of a mean size in each cell is wrong, about."""
    return n_cells * noise / (2 * n_rows)
