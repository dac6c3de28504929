"""Compiled kernels of the optimiser: arrays in, arrays out, input already checked.

One side of the grid is worked on at a time; the other is held fixed. The kernels do
not know which side is rows and which is columns.

====================  =========================================================  ======
symbol                meaning                                                    shape
====================  =========================================================  ======
indptr, opposite,     CSR of this side: value i meets opposite value           (n+1,)
count                 ``opposite[e]`` in ``count[e]`` observations             (nnz,)
size, total           individuals and observations of value i                  (n,)
label                 cluster of value i                                       (n,)
cells                 observations of (opposite cluster, own cluster)          (L, J)
c_size, c_total       values and observations of each own cluster              (J,)
log_fact              ln n!, see `log_fact_table`                                (.,)
priors                `SizePriors`: terms of the sizes of the clusters alone
====================  =========================================================  ======

A cluster of size 0 is empty: it holds a number but costs nothing, and ``J`` of the
formulas counts the others.
"""

import math

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.modl.criterion._kernels import (
    cell_counts_prior,
    partition_prior,
    sizes_cost,
)

# A change of cost (nats) smaller than this is taken for rounding.
TOLERANCE = 1e-7


# Gains of a cell are kept ready for a value that brings 1 .. N_GAINS observations.
N_GAINS = 8


@kernel
def _set_gains(gains, g, j, m, log_fact):
    """What cell (g, j) of m observations gains from 1, 2, ... more."""
    for c in range(N_GAINS):
        gains[c, g, j] = log_fact[m + c + 1] - log_fact[m]


@kernel
def sweep(
    values,
    candidates,
    indptr,
    opposite,
    count,
    size,
    total,
    label,
    opposite_label,
    cells,
    c_size,
    c_total,
    log_fact,
    priors,
    margin,
    min_size,
):
    """Move each of `values` in turn to its best cluster among `candidates`.

    No cluster goes below `min_size` values, and none is emptied where there is a
    catch-all; the catch-all stays the same, even where another outgrows it.
    In place: label, cells, c_size, c_total, and margin (n,), what the best move of
    each value looked at would cost (nats; 0 where it moved). Returns the change of
    cost (nats, <= 0).
    """
    n_opposite, n_own = cells.shape
    n_candidates = len(candidates)
    gains = np.empty((N_GAINS, n_opposite, n_candidates))
    position = np.full(n_own, -1, np.int64)
    catch_all, n_kept = priors.catch_all, priors.n_kept
    n_clusters = 0
    for a in range(n_own):
        if c_size[a] > 0:
            n_clusters += 1
    for j in range(n_candidates):
        b = candidates[j]
        position[b] = j
        for g in range(n_opposite):
            _set_gains(gains, g, j, cells[g, b], log_fact)
    # Size terms of the usual kind of value, one individual, kept up to date.
    usual = values[0]
    for i in values:
        if size[i] == 1:
            usual = i
            break
    usual_w, usual_n = size[usual], total[usual]
    usual_delta = np.empty(n_candidates)
    for j in range(n_candidates):
        b = candidates[j]
        usual_delta[j] = _join_cost(c_size[b], c_total[b], usual_w, usual_n, log_fact)
    delta = np.empty(n_candidates)
    gathered = np.zeros(n_opposite, np.int64)
    touched = np.empty(n_opposite, np.int64)
    change = 0.0
    for i in values:
        a = label[i]
        w = size[i]
        n = total[i]
        emptied = c_size[a] == w
        # Observations of value i, gathered by opposite cluster.
        n_touched = 0
        for e in range(indptr[i], indptr[i + 1]):
            g = opposite_label[opposite[e]]
            if gathered[g] == 0:
                touched[n_touched] = g
                n_touched += 1
            gathered[g] += count[e]
        # What the clusters gain from i: size terms, then one term per touched cell.
        if w == usual_w and n == usual_n:
            for j in range(n_candidates):
                delta[j] = usual_delta[j]
        else:
            for j in range(n_candidates):
                b = candidates[j]
                delta[j] = _join_cost(c_size[b], c_total[b], w, n, log_fact)
        for s in range(n_touched):
            g = touched[s]
            c = gathered[g]
            if c <= N_GAINS:
                gain = gains[c - 1, g]
                for j in range(n_candidates):
                    delta[j] -= gain[j]
            else:
                for j in range(n_candidates):
                    m = cells[g, candidates[j]]
                    delta[j] -= log_fact[m + c] - log_fact[m]
        leave = 0.0
        if catch_all >= 0:
            here = priors.by_kept[n_kept]
            if a == catch_all:
                leave += priors.by_kept[n_kept + w] - here
            elif position[catch_all] >= 0:
                delta[position[catch_all]] += priors.by_kept[n_kept - w] - here
        if position[a] >= 0:
            delta[position[a]] = math.inf
        lowest = delta.min()
        best = 0
        while delta[best] > lowest:
            best += 1
        # What its own cluster gains from its leaving.
        m = c_size[a]
        t = c_total[a] + m - 1
        leave += log_fact[m - 1] - log_fact[t]
        if emptied and catch_all >= 0:
            leave = math.inf
        elif emptied:
            leave += priors.by_number[n_clusters - 1] - priors.by_number[n_clusters]
        else:
            leave += log_fact[t - n - w] - log_fact[m - w - 1]
        for s in range(n_touched):
            g = touched[s]
            m = cells[g, a]
            leave += log_fact[m] - log_fact[m - gathered[g]]
        margin[i] = delta[best] + leave
        if margin[i] < -TOLERANCE and c_size[a] - w >= min_size:
            margin[i] = 0.0
            b = candidates[best]
            change += delta[best] + leave
            if emptied:
                n_clusters -= 1
            if a == catch_all:
                n_kept += w
            if b == catch_all:
                n_kept -= w
            label[i] = b
            c_size[a] -= w
            c_total[a] -= n
            c_size[b] += w
            c_total[b] += n
            usual_delta[best] = _join_cost(
                c_size[b], c_total[b], usual_w, usual_n, log_fact
            )
            if position[a] >= 0:
                usual_delta[position[a]] = _join_cost(
                    c_size[a], c_total[a], usual_w, usual_n, log_fact
                )
            for s in range(n_touched):
                g = touched[s]
                c = gathered[g]
                cells[g, a] -= c
                cells[g, b] += c
                _set_gains(gains, g, best, cells[g, b], log_fact)
                if position[a] >= 0:
                    _set_gains(gains, g, position[a], cells[g, a], log_fact)
        for s in range(n_touched):
            gathered[touched[s]] = 0
    return change


@kernel
def count_clusters(
    values,
    indptr,
    opposite,
    count,
    size,
    total,
    label,
    opposite_label,
    n_opposite,
    n_own,
):
    """Cells, sizes and totals of the own clusters that some values make up.

    Returns cells (n_opposite, n_own), c_size and c_total (n_own,).
    """
    cells = np.zeros((n_opposite, n_own), np.int64)
    c_size = np.zeros(n_own, np.int64)
    c_total = np.zeros(n_own, np.int64)
    for i in values:
        a = label[i]
        c_size[a] += size[i]
        c_total[a] += total[i]
        for e in range(indptr[i], indptr[i + 1]):
            cells[opposite_label[opposite[e]], a] += count[e]
    return cells, c_size, c_total


@kernel
def clusters_cost(cells, c_size, c_total, log_fact):
    """Cost of own clusters, priors apart: their values and their cells."""
    cost = 0.0
    for a in range(len(c_size)):
        if c_size[a] > 0:
            cost += sizes_cost(c_size[a], c_total[a], log_fact)
            for g in range(cells.shape[0]):
                cost -= log_fact[cells[g, a]]
    return cost


@kernel
def _join_cost(m, n, w, k, log_fact):
    """Size terms of w values of k observations that join m values of n; m > 0."""
    if m == 0:
        return math.inf
    t = n + m - 1
    return log_fact[t + k + w] - log_fact[t] - log_fact[m + w - 1] + log_fact[m - 1]


@kernel
def merge_costs(cells, c_size, c_total, log_fact):
    """Change of cost of each merge of two own clusters, priors on J apart.

    Returns an upper triangle, shape (J, J); inf where a cluster is empty and below
    the diagonal.
    """
    n_own = cells.shape[1]
    costs = np.full((n_own, n_own), math.inf)
    for a in range(n_own):
        if c_size[a] == 0:
            continue
        for b in range(a + 1, n_own):
            if c_size[b] > 0:
                costs[a, b] = _merge_cost(cells, c_size, c_total, log_fact, a, b)
    return costs


@kernel
def merge_costs_of(cells, c_size, c_total, log_fact, a):
    """One row of `merge_costs`, below the diagonal too: merges with own cluster a."""
    n_own = cells.shape[1]
    costs = np.full(n_own, math.inf)
    for b in range(n_own):
        if b != a and c_size[a] > 0 and c_size[b] > 0:
            costs[b] = _merge_cost(cells, c_size, c_total, log_fact, a, b)
    return costs


@kernel
def _merge_cost(cells, c_size, c_total, log_fact, a, b):
    """Change of cost of the merge of own clusters a and b, priors on J apart."""
    total = sizes_cost(c_size[a] + c_size[b], c_total[a] + c_total[b], log_fact)
    total -= sizes_cost(c_size[a], c_total[a], log_fact)
    total -= sizes_cost(c_size[b], c_total[b], log_fact)
    for g in range(cells.shape[0]):
        x = cells[g, a]
        y = cells[g, b]
        if x > 0 and y > 0:
            total += log_fact[x] + log_fact[y] - log_fact[x + y]
    return total


@kernel
def best_merge(costs, c_size, j, priors, log_fact):
    """The merge of two own clusters that costs least, other priors apart.

    Returns (kept, absorbed, change of cost), with the change of the partition prior.
    """
    largest, second = 0, 0
    for size in c_size:
        if size > largest:
            largest, second = size, largest
        elif size > second:
            second = size
    here = partition_prior(j, largest, priors, log_fact)
    usual = partition_prior(j - 1, largest, priors, log_fact) - here
    # Of merged clusters that are larger, by how much; computed where it is asked for.
    of_larger = np.full(second + 1, math.nan)
    kept, absorbed, change = -1, -1, math.inf
    for a in range(len(c_size)):
        if c_size[a] == 0:
            continue
        for b in range(a + 1, len(c_size)):
            if c_size[b] == 0:
                continue
            prior = usual
            more = c_size[a] + c_size[b] - largest
            if more > 0:
                if math.isnan(of_larger[more]):
                    merged = partition_prior(j - 1, largest + more, priors, log_fact)
                    of_larger[more] = merged - here
                prior = of_larger[more]
            if costs[a, b] + prior < change - TOLERANCE:
                kept, absorbed, change = a, b, costs[a, b] + prior
    return kept, absorbed, change


@kernel
def merge_down(cells, c_size, c_total, log_fact, n_clusters, by_number, most):
    """Merge the cheapest pairs of own clusters until `n_clusters` are left.

    Or until the next merge would cost more than `most` (nats), with the change of
    `by_number`, the priors by number of clusters.
    In place: cells, c_size, c_total. Returns the cluster that each one went to.
    """
    n_opposite, n_own = cells.shape
    costs = merge_costs(cells, c_size, c_total, log_fact)
    target = np.arange(n_own)
    left = 0
    for a in range(n_own):
        if c_size[a] > 0:
            left += 1
    while left > n_clusters:
        kept, absorbed = -1, -1
        lowest = math.inf
        for a in range(n_own):
            for b in range(a + 1, n_own):
                if costs[a, b] < lowest - TOLERANCE:
                    kept, absorbed, lowest = a, b, costs[a, b]
        if lowest + by_number[left - 1] - by_number[left] > most:
            break
        for g in range(n_opposite):
            cells[g, kept] += cells[g, absorbed]
            cells[g, absorbed] = 0
        _absorb(cells, costs, c_size, c_total, kept, absorbed, log_fact)
        for a in range(n_own):
            if target[a] == absorbed:
                target[a] = kept
        left -= 1
    return target


@kernel
def _update_merge_costs(costs, cells, a, b, c_size, log_fact):
    """Correct the merge costs of this side before opposite clusters a, b merge.

    `cells` is (opposite, own), not yet merged. In place: costs.
    """
    n_own = cells.shape[1]
    for p in range(n_own):
        if c_size[p] == 0:
            continue
        xa, xb = cells[a, p], cells[b, p]
        own = log_fact[xa + xb] - log_fact[xa] - log_fact[xb]
        for q in range(p + 1, n_own):
            if c_size[q] == 0:
                continue
            ya, yb = cells[a, q], cells[b, q]
            costs[p, q] += (
                own
                + (log_fact[ya + yb] - log_fact[ya] - log_fact[yb])
                - (log_fact[xa + xb + ya + yb] - log_fact[xa + ya] - log_fact[xb + yb])
            )


@kernel
def merge_path(
    cells,
    size1,
    total1,
    size2,
    total2,
    log_fact,
    priors1,
    priors2,
    family,
    n_observations,
    stop_at_rise,
):
    """Greedy best merges over both sides, down to one cell or to the first rise.

    Parameters are the state of the grid, `cells` (J1, J2), all of it changed in
    place. Returns the merges (m, 3), each (side, kept, absorbed) with kept <
    absorbed, and the change of cost of each (m,).
    """
    n1, n2 = cells.shape
    costs1 = merge_costs(np.ascontiguousarray(cells.T), size1, total1, log_fact)
    costs2 = merge_costs(cells, size2, total2, log_fact)
    j1 = 0
    for a in range(n1):
        if size1[a] > 0:
            j1 += 1
    j2 = 0
    for a in range(n2):
        if size2[a] > 0:
            j2 += 1
    merges = np.empty((max(j1 + j2 - 2, 0), 3), np.int64)
    changes = np.empty(len(merges))
    n_merges = 0
    while j1 > 1 or j2 > 1:
        here = cell_counts_prior(n_observations, float(j1) * j2)
        side, kept, absorbed, change = 0, -1, -1, math.inf
        if j1 > 1:
            kept, absorbed, change = best_merge(costs1, size1, j1, priors1, log_fact)
            change += cell_counts_prior(n_observations, (j1 - 1.0) * j2) - here
            if j1 == 2:
                n_split = 2 if j2 > 1 else 1
                change += family[n_split - 1] - family[n_split]
        if j2 > 1:
            a, b, other = best_merge(costs2, size2, j2, priors2, log_fact)
            other += cell_counts_prior(n_observations, j1 * (j2 - 1.0)) - here
            if j2 == 2:
                n_split = 2 if j1 > 1 else 1
                other += family[n_split - 1] - family[n_split]
            if other < change - TOLERANCE:
                side, kept, absorbed, change = 1, a, b, other
        if stop_at_rise and change > -TOLERANCE:
            break
        merges[n_merges] = (side, kept, absorbed)
        changes[n_merges] = change
        n_merges += 1
        if side == 0:
            j1 -= 1
            _update_merge_costs(costs2, cells, kept, absorbed, size2, log_fact)
            for g in range(n2):
                cells[kept, g] += cells[absorbed, g]
                cells[absorbed, g] = 0
            own = np.ascontiguousarray(cells.T)
            _absorb(own, costs1, size1, total1, kept, absorbed, log_fact)
        else:
            j2 -= 1
            own = np.ascontiguousarray(cells.T)
            _update_merge_costs(costs1, own, kept, absorbed, size1, log_fact)
            for g in range(n1):
                cells[g, kept] += cells[g, absorbed]
                cells[g, absorbed] = 0
            _absorb(cells, costs2, size2, total2, kept, absorbed, log_fact)
    return merges[:n_merges], changes[:n_merges]


@kernel
def _absorb(cells, costs, c_size, c_total, kept, absorbed, log_fact):
    """Give the sizes of `absorbed` to `kept` and renew the merge costs of `kept`.

    `cells` (opposite, own) is merged already. In place: costs, c_size, c_total.
    """
    c_size[kept] += c_size[absorbed]
    c_total[kept] += c_total[absorbed]
    c_size[absorbed] = 0
    c_total[absorbed] = 0
    for b in range(len(c_size)):
        lo, hi = min(b, absorbed), max(b, absorbed)
        costs[lo, hi] = math.inf
    for b in range(len(c_size)):
        if b != kept and c_size[b] > 0:
            lo, hi = min(b, kept), max(b, kept)
            costs[lo, hi] = _merge_cost(cells, c_size, c_total, log_fact, lo, hi)
