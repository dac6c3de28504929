"""What a private release would measure, with which noise: from the domain alone.

The rules are those of the fit, with an expected number of rows for the noisy one. No
table is opened, no noise drawn, nothing spent.
"""

from math import ceil, prod

import numpy as np

from coclust_synth.generators.dp.adaptive.budget import (
    N_COMPARED,
    apart_epsilon,
    cells_of_triples,
    choice_share,
    count_rounds,
    dependence_epsilon,
    gets_columns_only,
    least_error,
    least_rows,
    margin_costs,
    round_costs,
    rows_epsilon,
)
from coclust_synth.generators.dp.adaptive.candidates import (
    split_columns,
    weighed_candidates,
)
from coclust_synth.generators.dp.adaptive.known import (
    APART,
    DEPENDENCE,
    measured_pairs,
    tested_pairs,
)
from coclust_synth.generators.dp.dense.split import choose_split
from coclust_synth.generators.release_plan import (
    expected_variation,
    make_plan,
    planned_choice,
    planned_columns,
    planned_counts,
    planned_groups,
    planned_margins,
    planned_sums,
    rows_of_noise,
)


def plan_release(domain, known, ledger, is_dense, workload):
    """The queries of a fit, and their expected errors.

    Parameters
    ----------
    domain : Domain
    known : Known
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
    queries, left, n_rows = [], ledger.total, known.n_rows
    if len(domain.sizes) > 1:
        cost = rows_epsilon(ledger)
        queries.append(planned_counts(ledger, "rows", 1, cost, is_pure=True))
    is_asked = not (is_dense or tested_pairs(known, ledger, workload))
    cost = dependence_epsilon(n_rows, ledger)
    if cost and is_asked and measured_pairs(domain.sizes, workload):
        queries.append(planned_counts(ledger, n_values=1, cost=cost, **DEPENDENCE))
    left -= sum(query.share for query in queries) * ledger.total
    if is_dense:
        path, more, errors = _plan_histogram(domain, n_rows, ledger, left)
    else:
        path, more, errors = _plan_margins(domain, known, ledger, left, workload)
    least = ceil(least_rows(domain.sizes, ledger))
    noise = rows_of_noise(least_error(domain.sizes, ledger), len(domain.sizes))
    return make_plan(ledger, n_rows, path, [*queries, *more], errors, least, noise)


def _plan_margins(domain, known, ledger, left, workload):
    """Single columns, then adaptive margins where these are worth it."""
    n_rows, tests = known.n_rows, []
    if tested_pairs(known, ledger, workload):
        tests = [planned_counts(ledger, APART, 1, apart_epsilon(ledger))]
        left -= apart_epsilon(ledger)
    groups, costs = margin_costs(known, ledger, left)
    costs = costs.tolist()
    queries, errors = planned_groups(domain, n_rows, ledger, groups, costs)
    queries += tests
    if gets_columns_only(known, ledger):
        return "margins", queries, errors
    n_rounds = count_rounds(known, ledger)
    left -= sum(costs)
    of_choice = choice_share(n_rows, ledger, left, n_rounds)
    per_choice, per_count = round_costs(left, n_rounds, of_choice)
    noise = ledger.count_noise(per_count)
    max_triple = cells_of_triples(n_rows, noise, ledger)
    weights, cells = _cells_of_candidates(domain, workload, max_triple)
    queries.append(
        planned_choice(
            ledger,
            "choice of a margin",
            min(len(weights), N_COMPARED),
            per_choice,
            max(weights.values(), default=1),
            n_rounds,
        )
    )
    what = "counts of a margin"
    queries.append(planned_counts(ledger, what, None, per_count, n_rounds))
    for order, name in ((2, "pair"), (3, "triple")):
        errors += planned_margins(
            name, cells[order], lambda n: expected_variation(n, noise, n_rows)
        )
    return "adaptive", queries, errors


def _plan_histogram(domain, n_rows, ledger, left):
    """Single columns, all cells, and coarse cells that these decide."""
    sizes = domain.sizes
    split = choose_split(left, sizes)
    costs = [split.margin] * len(sizes)
    queries, errors = planned_columns(domain, n_rows, ledger, costs)
    queries += [
        planned_counts(ledger, "cells of all columns", domain.n_cells, split.histogram),
        planned_counts(ledger, "coarse cells of all columns", None, split.grid),
    ]
    errors += planned_sums(domain, n_rows, queries[-2].scale)
    return "histogram", queries, errors


def _cells_of_candidates(domain, workload, max_triple):
    """Weights of the candidates of columns none of whose values is rare, and the cells
    of those of two columns and of three."""
    even = [np.ones(size) for size in domain.sizes]
    numeric = [column.categories is None for column in domain.columns]
    layout = split_columns(even, numeric, [0.0] * len(even), max_triple)
    candidates, weights = weighed_candidates(layout, workload, max_triple)
    cells = {
        order: [prod(layout.shape(c)) for c in candidates if len(c.columns) == order]
        for order in (2, 3)
    }
    return weights, cells
