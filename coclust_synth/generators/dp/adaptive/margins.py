"""The values of each column, of few together, and whether these are all there is.

Noisy counts are made counts again: those of values in order smooth, none below 0.
"""

from math import prod
from typing import NamedTuple

import numpy as np

from coclust_synth.generators.dp.adaptive.budget import (
    apart_epsilon,
    are_columns_enough,
    gets_columns_only,
    margin_costs,
)
from coclust_synth.generators.dp.adaptive.known import (
    learn_dependence,
    measure_apart,
    tested_pairs,
)
from coclust_synth.generators.dp.adaptive.smooth import smooth_column
from coclust_synth.generators.draws import project_to_simplex


class Margins(NamedTuple):
    """Noisy counts of the cells of groups of columns, made counts again.

    Those of a group have an axis for each of its columns; a variance is of the noise of
    one of them.
    """

    groups: list
    counts: list
    variances: list
    n_rows: float

    def of_columns(self):
        """Rows of the values of each column, and whether it is alone in its group."""
        found = {}
        for group, counts in zip(self.groups, self.counts, strict=True):
            for axis, j in enumerate(group):
                others = tuple(k for k in range(len(group)) if k != axis)
                found[j] = counts.sum(axis=others), len(group) == 1
        return [found[j] for j in range(len(found))]


def measure_margins(rows, domain, known, ledger, workload):
    """The values of each column, of few together, and what is then known.

    Where the dependence of the columns was not asked, what groups tell of it decides
    what those after them cost. Where single columns alone might do, the counts are
    drafts at first. By these it is asked how far pairs of columns are from what columns
    of their own would have; where it is little, the rest of the budget makes the counts
    finer.

    Returns
    -------
    margins : Margins
    known : Known
        With the number of rows by the margins.
    """
    pairs = tested_pairs(known, ledger, workload)
    left = ledger.remaining - (apart_epsilon(ledger) if pairs else 0.0)
    is_asked = known.dependence is not None
    groups, costs = margin_costs(known, ledger, left)
    _, finer_costs = margin_costs(known, ledger, left, is_all=True)
    counts, variances, drafts = [], [], []
    for i, group in enumerate(groups):
        is_last = gets_columns_only(known, ledger) and i + 1 == len(groups)
        shape = [domain.sizes[j] for j in group]
        cells = np.ravel_multi_index(rows.codes[:, group].T, shape)
        true = rows.count(cells, prod(shape))
        query = {
            "cost": ledger.remaining if is_last else costs[i],
            "what": "values of " + " × ".join(domain.names[j] for j in group),
        }
        if pairs:
            query["finer_cost"] = finer_costs[i]
            drafts.append(ledger.draft_counts(true, **query))
            noisy = drafts[-1].counts
        else:
            noisy = ledger.noisy_counts(true, **query)
        counts.append(noisy.reshape(shape))
        variances.append(ledger.entries[-1].variance)
        if not is_asked and len(group) > 1:
            known = learn_dependence(known, groups, counts, variances)
            costs = margin_costs(known, ledger, left)[1]
    margins = _as_margins(groups, counts, variances, domain)
    if pairs:
        apart = measure_apart(rows, margins, pairs, ledger)
        if are_columns_enough(apart, known._replace(n_rows=margins.n_rows), ledger):
            finer = map(ledger.finer_counts, drafts)
            counts = [of.reshape(c.shape) for of, c in zip(finer, counts, strict=True)]
            variances = [draft.finer_entry.variance for draft in drafts]
            margins = _as_margins(groups, counts, variances, domain)
    return margins, known._replace(n_rows=margins.n_rows)


def _as_margins(groups, noisy, variances, domain):
    """Noisy counts of groups, made counts of one number of rows."""
    weights = [1 / (v * c.size) for v, c in zip(variances, noisy, strict=True)]
    n_rows = np.average([of_group.sum() for of_group in noisy], weights=weights)
    n_rows = max(float(n_rows), 1.0)
    counts = []
    for group, of_group, variance in zip(groups, noisy, variances, strict=True):
        if len(group) == 1:
            of_group = smooth_column(of_group, domain.columns[group[0]], variance)
        projected = project_to_simplex(of_group.ravel(), n_rows)
        counts.append(projected.reshape(of_group.shape))
    return Margins(groups, counts, variances, n_rows)
