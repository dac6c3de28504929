"""What a private release would measure, with which noise: from the domain alone.

The rules are those of the fit, with an expected number of rows for the noisy one. No
table is opened, no noise drawn, nothing spent.
"""

from dataclasses import asdict, dataclass
from itertools import combinations
from math import ceil, exp, lgamma, pi, prod, sqrt
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coclust_synth.generators.dp.adaptive import (
    N_COMPARED,
    count_rounds,
    expected_variation,
    gets_columns_only,
    least_rows,
    margin_costs,
    round_costs,
    rows_cost,
    split_columns,
    weighed_candidates,
)
from coclust_synth.generators.dp.split import choose_split
from coclust_synth.privacy.noise.ledger import LedgerEntry


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
        a model makes of them, which is nearer; in [0, 1].
    """

    what: str
    cells: int
    error: float


@dataclass(frozen=True)
class ReleasePlan:
    """What `DPCocGen` would measure of a table of about so many rows.

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
    path : {"margins", "adaptive", "histogram"}
        What is measured: single columns, of which rows are then drawn on their own;
        margins of two and three columns too; all cells of the domain.
    least_rows : int
        Rows below which adaptive margins are those of single columns: by the fit's own
        rule, that noise of the whole budget would put these more than .05 of total
        variation off on average, or with a delta somewhat less.
    queries : tuple of PlannedQuery
        In order; their shares, as often as they are made, sum to 1.
    errors : tuple of PlannedError
        Of each column, and of pairs and triples of typical and of largest size.
    """

    epsilon: float
    delta: float
    rho: float | None
    expected_rows: int
    path: str
    least_rows: int
    queries: tuple[PlannedQuery, ...]
    errors: tuple[PlannedError, ...]

    def to_frame(self) -> pd.DataFrame:
        """The queries, one a row."""
        return pd.DataFrame(self.queries, columns=list(PlannedQuery._fields))

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON types."""
        return asdict(self) | {
            "queries": [query._asdict() for query in self.queries],
            "errors": [error._asdict() for error in self.errors],
        }


def plan_release(domain, n_rows, ledger, is_dense, workload):
    """The queries of a fit, and their expected errors.

    Parameters
    ----------
    domain : Domain
    n_rows : int
        Expected.
    ledger : PrivacyLedger
        Nothing spent; it stays so.
    is_dense : bool
        Whether cells of the whole domain are counted.
    workload : Workload

    Returns
    -------
    ReleasePlan
    """
    queries, left = [], ledger.total
    if len(domain.sizes) > 1:
        cost = rows_cost(ledger)
        queries.append(_counted(ledger, "rows", 1, cost))
        left -= cost
    if is_dense:
        path, more, errors = _plan_histogram(domain, n_rows, ledger, left)
    else:
        path, more, errors = _plan_margins(domain, n_rows, ledger, left, workload)
    return ReleasePlan(
        ledger.epsilon,
        ledger.delta,
        ledger.rho,
        int(n_rows),
        path,
        ceil(least_rows(domain.sizes, ledger)),
        (*queries, *more),
        tuple(errors),
    )


def _plan_margins(domain, n_rows, ledger, left, workload):
    """Single columns, then adaptive margins where these are worth it."""
    sizes = domain.sizes
    costs = margin_costs(sizes, n_rows, ledger, left).tolist()
    queries, errors = _plan_columns(domain, n_rows, ledger, costs)
    if gets_columns_only(sizes, n_rows, ledger):
        return "margins", queries, errors
    n_rounds = count_rounds(len(sizes), n_rows, ledger)
    per_choice, per_count = round_costs(left - sum(costs), n_rounds)
    weights, cells = _cells_of_candidates(domain, workload)
    choice = ledger.entry_of_choice(
        min(len(weights), N_COMPARED),
        cost=per_choice,
        sensitivity=max(weights.values(), default=1),
        what="choice of a margin",
    )
    queries.append(_query(ledger, choice, times=n_rounds))
    counts = _counted(ledger, "counts of a margin", 1, per_count, times=n_rounds)
    queries.append(counts._replace(n_values=None))
    noise = ledger.count_noise(per_count)
    for order, name in ((2, "pair"), (3, "triple")):
        errors += _of_sizes(
            name, cells[order], lambda n: expected_variation(n, noise, n_rows)
        )
    return "adaptive", queries, errors


def _plan_histogram(domain, n_rows, ledger, left):
    """Single columns, all cells, and coarse cells that these decide."""
    sizes = domain.sizes
    split = choose_split(left, sizes)
    costs = [split.margin] * len(sizes)
    queries, errors = _plan_columns(domain, n_rows, ledger, costs)
    histogram = ledger.entry_of_counts(
        domain.n_cells, cost=split.histogram, what="cells of all columns"
    )
    grid = _counted(ledger, "coarse cells of all columns", 1, split.grid)
    queries += [_query(ledger, histogram), grid._replace(n_values=None)]

    def error(n_cells):
        """Of a margin whose cells are sums of m: the mean of |a - b|, Gamma(m) both."""
        m = domain.n_cells / n_cells
        mean = 2 * exp(lgamma(m + 0.5) - lgamma(m)) / sqrt(pi) * histogram.scale
        return expected_variation(n_cells, mean, n_rows)

    for order, name in ((2, "pair"), (3, "triple")):
        cells = _cells_of_margins(sizes, order)
        errors += _of_sizes(f"{name}, from all cells", cells, error)
    return "histogram", queries, errors


def _plan_columns(domain, n_rows, ledger, costs):
    queries, errors = [], []
    for name, size, cost in zip(domain.names, domain.sizes, costs, strict=True):
        queries.append(_counted(ledger, f"values of {name}", size, cost))
        error = expected_variation(size, ledger.count_noise(cost), n_rows)
        errors.append(PlannedError(name, size, min(error, 1.0)))
    return queries, errors


def _counted(ledger, what, n_values, cost, times=1):
    entry = ledger.entry_of_counts(n_values, cost=cost, what=what)
    return _query(ledger, entry, times)


def _query(ledger, entry: LedgerEntry, times=1):
    return PlannedQuery(
        entry.what,
        times,
        entry.cost / ledger.total,
        entry.scale,
        entry.n_values,
        entry.mechanism,
    )


def _cells_of_candidates(domain, workload):
    """Weights of the candidates of columns none of whose values is rare, and their
    cells by order."""
    even = [np.ones(size) for size in domain.sizes]
    numeric = [column.categories is None for column in domain.columns]
    layout = split_columns(even, numeric, 0.0)
    candidates, weights = weighed_candidates(layout, workload)
    cells = {2: [], 3: []}
    for candidate in candidates:
        cells[len(candidate.columns)].append(prod(layout.shape(candidate)))
    return weights, cells


def _cells_of_margins(sizes, order):
    return [prod(chosen) for chosen in combinations(sizes, order)]


def _of_sizes(what, cells, error):
    """Expected errors of a margin of the middle size, and of the largest."""
    if not cells:
        return []
    cells = sorted(cells)
    ranks = {"typical": cells[(len(cells) - 1) // 2], "largest": cells[-1]}
    return [
        PlannedError(f"{rank} {what}", n, min(error(n), 1.0))
        for rank, n in ranks.items()
    ]
