"""Compiled kernels that cut variables into parts, the instance clusters held fixed.

One table is worked on: the observations of each value of every variable in each
cluster of instances. A value belongs to a part, a part to a cluster of parts.

===============  =========================================================  ===========
symbol           meaning                                                    shape
===============  =========================================================  ===========
counts, total    observations of value v, by instance cluster and in all    (V, L), (V,)
first            values ``first[k]`` to ``first[k + 1]`` are variable k's   (d+1,)
numeric          whether parts of variable k are intervals of its values    (d,)
part             part of value v                                            (V,)
cluster          cluster of part p                                          (V,)
p_size, p_total  values and observations of part p; 0 is a free number      (V,)
n_parts          parts of variable k                                        (d,)
cells            observations of (part cluster, instance cluster)           (J, L)
c_size, c_total  parts and observations of each part cluster                (J,)
===============  =========================================================  ===========

A cluster of no part is empty: it costs nothing, and a move can open the first of them.
"""

import math
from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.modl.criterion._kernels import (
    cell_counts_prior,
    log2_star_of,
    log_constant_of,
    log_partitions,
)
from coclust_synth.modl.grid._kernels import TOLERANCE, cell_merge_cost


class Values(NamedTuple):
    """The values of all variables: see the head of this module."""

    counts: np.ndarray
    total: np.ndarray
    first: np.ndarray
    numeric: np.ndarray


class Parts(NamedTuple):
    """The parts and their clusters, all changed in place by the kernels."""

    part: np.ndarray
    cluster: np.ndarray
    p_size: np.ndarray
    p_total: np.ndarray
    n_parts: np.ndarray
    cells: np.ndarray
    c_size: np.ndarray
    c_total: np.ndarray


class PartsPriors(NamedTuple):
    """Tables of the priors (nats).

    inner : (d, .) prior of the parts of variable k, by their number. log2_star,
    log_constant : as in `PartitionPriors`. log_fact : ln n!.
    """

    inner: np.ndarray
    log2_star: np.ndarray
    log_constant: np.ndarray
    log_fact: np.ndarray
    n_observations: int


class _Chunk(NamedTuple):
    """Values that leave a part together."""

    variable: int
    source: int  # their part
    size: int  # values
    n: int  # observations
    is_whole: bool  # whether these are all values of the part


@kernel
def structure_cost(n_parts, n_clusters, n_opposite, priors):
    """Terms that depend on the numbers of parts and clusters alone."""
    cost = cell_counts_prior(priors.n_observations, float(n_clusters) * n_opposite)
    if n_clusters > 1:
        cost += log_constant_of(n_parts - 1, priors)
        cost += math.log(2.0) * log2_star_of(n_clusters - 1, priors)
        cost += log_partitions(n_parts, n_clusters, priors.log_fact)
    return cost


@kernel
def _structure_changes(parts, priors, changes):
    """What (-1, 0, 1) parts and (-1, 0, 1) clusters more would cost.

    In place: changes (3, 3); inf where there cannot be so many.
    """
    t = parts.n_parts.sum()
    j = (parts.c_size > 0).sum()
    n_opposite = parts.cells.shape[1]
    here = structure_cost(t, j, n_opposite, priors)
    for dt in range(-1, 2):
        for dj in range(-1, 2):
            changes[dt + 1, dj + 1] = math.inf
            if 1 <= j + dj <= t + dt and t + dt <= len(parts.part):
                cost = structure_cost(t + dt, j + dj, n_opposite, priors)
                changes[dt + 1, dj + 1] = cost - here


@kernel
def _sizes_cost(m, n, log_fact):
    """ln (n+m-1)! - ln (m-1)!, 0 where there is nothing."""
    return log_fact[n + m - 1] - log_fact[m - 1] if m > 0 else 0.0


@kernel
def _part_cost(m, n, log_fact):
    """What a part of m categories costs: their shares of its n observations."""
    return _sizes_cost(m, n, log_fact) - log_fact[n] if m > 0 else 0.0


@kernel
def _move_cost(values, parts, priors, structure, chunk, cells_cost, target, b):
    """Change of cost if a chunk goes to part `target`, or to a new part (-1), in b.

    cells_cost : what the cells of the two clusters change.
    """
    log_fact = priors.log_fact
    k, p = chunk.variable, chunk.source
    a = parts.cluster[p]
    da = -1 if chunk.is_whole else 0
    db = 1 if target < 0 else 0
    m_a, n_a = parts.c_size[a], parts.c_total[a]
    dj = 0
    cost = -_sizes_cost(m_a, n_a, log_fact)
    if a == b:
        cost += _sizes_cost(m_a + da + db, n_a, log_fact)
    else:
        m_b, n_b = parts.c_size[b], parts.c_total[b]
        cost += cells_cost
        cost += _sizes_cost(m_a + da, n_a - chunk.n, log_fact)
        cost += _sizes_cost(m_b + db, n_b + chunk.n, log_fact)
        cost -= _sizes_cost(m_b, n_b, log_fact)
        dj = (1 if m_b == 0 else 0) - (1 if m_a + da == 0 else 0)
    if not values.numeric[k]:
        m, n = parts.p_size[p], parts.p_total[p]
        cost += _part_cost(m - chunk.size, n - chunk.n, log_fact)
        cost -= _part_cost(m, n, log_fact)
        m, n = (0, 0) if target < 0 else (parts.p_size[target], parts.p_total[target])
        cost += _part_cost(m + chunk.size, n + chunk.n, log_fact)
        cost -= _part_cost(m, n, log_fact)
    n_parts = parts.n_parts[k]
    cost += priors.inner[k, n_parts + da + db] - priors.inner[k, n_parts]
    return cost + structure[da + db + 1, dj + 1]


@kernel
def _cells_costs(parts, x, source, first_empty, log_fact, costs):
    """What the cells change if counts x go from the cluster of part `source` to b.

    In place: costs (J,), by b; inf where b is empty, but for the first.
    """
    cells = parts.cells
    a = parts.cluster[source]
    leave = 0.0
    for g in range(len(x)):
        if x[g] > 0:
            leave += log_fact[cells[a, g]] - log_fact[cells[a, g] - x[g]]
    for b in range(len(cells)):
        costs[b] = math.inf
        if b == a:
            costs[b] = 0.0
        elif parts.c_size[b] > 0 or b == first_empty:
            cost = leave
            for g in range(len(x)):
                if x[g] > 0:
                    cost += log_fact[cells[b, g]] - log_fact[cells[b, g] + x[g]]
            costs[b] = cost


@kernel
def _first_empty(sizes):
    for b in range(len(sizes)):
        if sizes[b] == 0:
            return b
    return -1


@kernel
def _best_target(values, parts, priors, structure, chunk, x, targets, best, costs):
    """The cheapest place for a chunk: one of `targets`, or a new part anywhere.

    Returns (change, part or -1, cluster), `best` if none is cheaper by a tolerance.
    """
    first_empty = _first_empty(parts.c_size)
    _cells_costs(parts, x, chunk.source, first_empty, priors.log_fact, costs)
    a = parts.cluster[chunk.source]
    for q in targets:
        b = parts.cluster[q]
        cost = _move_cost(values, parts, priors, structure, chunk, costs[b], q, b)
        if cost < best[0] - TOLERANCE:
            best = (cost, q, b)
    for b in range(len(costs)):
        # A part that goes as a whole to where it is does not move.
        if costs[b] < math.inf and not (b == a and chunk.is_whole):
            cost = _move_cost(values, parts, priors, structure, chunk, costs[b], -1, b)
            if cost < best[0] - TOLERANCE:
                best = (cost, -1, b)
    return best


@kernel
def _move(parts, chunk, members, x, target, b):
    """Put values into part `target`, or into a new part of cluster b (-1)."""
    p = chunk.source
    a = parts.cluster[p]
    parts.p_size[p] -= chunk.size
    parts.p_total[p] -= chunk.n
    if chunk.is_whole:
        parts.n_parts[chunk.variable] -= 1
        parts.c_size[a] -= 1
    if target < 0:
        target = _first_empty(parts.p_size)
        parts.cluster[target] = b
        parts.n_parts[chunk.variable] += 1
        parts.c_size[b] += 1
    parts.p_size[target] += chunk.size
    parts.p_total[target] += chunk.n
    for v in members:
        parts.part[v] = target
    parts.cells[a] -= x
    parts.cells[b] += x
    parts.c_total[a] -= chunk.n
    parts.c_total[b] += chunk.n


@kernel
def sweep_parts(order, values, parts, priors):
    """Move each value, end of an interval or whole part to its best place.

    A place is another part of the variable (for intervals, a neighbour) or a new part
    of any cluster, the first empty one included. Variables and categories are looked
    at as they come in `order` (V,), a permutation of the values.
    In place: parts. Returns the change of cost (nats, <= 0).
    """
    change = 0.0
    done = np.zeros(len(values.numeric), np.bool_)
    structure = np.empty((3, 3))
    _structure_changes(parts, priors, structure)
    for v in order:
        k = np.searchsorted(values.first, v, side="right") - 1
        if not values.numeric[k]:
            change += _sweep_category(v, k, values, parts, priors, structure)
        elif not done[k]:
            done[k] = True
            change += _sweep_intervals(k, values, parts, priors, structure)
    return change


@kernel
def _sweep_category(v, k, values, parts, priors, structure):
    """Move one category, then the part whose first it is.

    In place: parts, structure (see `_structure_changes`).
    """
    first, last = values.first[k], values.first[k + 1]
    costs = np.empty(len(parts.cells))
    change = 0.0
    for whole in range(2):
        p = parts.part[v]
        members = np.flatnonzero(parts.part[first:last] == p) + first
        if whole == 0:
            members = np.array([v])
        elif len(members) == 1 or members[0] != v:
            break  # looked at already, or when its first category comes
        x = np.zeros(values.counts.shape[1], np.int64)
        for w in members:
            x += values.counts[w]
        chunk = _Chunk(k, p, len(members), x.sum(), parts.p_size[p] == len(members))
        targets = _others(parts.part[first:last], p, len(parts.part))
        cost, q, b = _best_target(
            values, parts, priors, structure, chunk, x, targets, (0.0, -1, -1), costs
        )
        if b >= 0:
            _move(parts, chunk, members, x, q, b)
            _structure_changes(parts, priors, structure)
            change += cost
    return change


@kernel
def _others(part, p, n):
    """The different ones of parts 0..n-1 but p, increasing."""
    is_there = np.zeros(n, np.bool_)
    for q in part:
        is_there[q] = True
    is_there[p] = False
    return np.flatnonzero(is_there)


@kernel
def _sweep_intervals(k, values, parts, priors, structure):
    """Move each end of each interval, or the whole of it.

    In place: parts, structure (see `_structure_changes`).
    """
    first, last = values.first[k], values.first[k + 1]
    n_opposite = values.counts.shape[1]
    costs = np.empty(len(parts.cells))
    change = 0.0
    lo = first
    while lo < last:
        p = parts.part[lo]
        hi = lo + 1
        while hi < last and parts.part[hi] == p:
            hi += 1
        best = (0.0, -1, -1)
        best_lo, best_hi = lo, lo
        for at_end in range(2):
            x = np.zeros(n_opposite, np.int64)
            n = 0
            for size in range(1, hi - lo + 1 - at_end):
                v = hi - size if at_end else lo + size - 1
                x += values.counts[v]
                n += values.total[v]
                is_whole = size == hi - lo
                # The part before, the part after, or both for a whole interval.
                from_lo = lo - 1 if lo > first and not at_end else lo
                to_hi = hi + 1 if hi < last and (at_end or is_whole) else hi
                targets = np.concatenate((parts.part[from_lo:lo], parts.part[hi:to_hi]))
                chunk = _Chunk(k, p, size, n, is_whole)
                found = _best_target(
                    values, parts, priors, structure, chunk, x, targets, best, costs
                )
                if found[0] < best[0]:
                    best = found
                    best_lo, best_hi = (v, hi) if at_end else (lo, v + 1)
        if best[2] >= 0:
            members = np.arange(best_lo, best_hi)
            x = values.counts[best_lo:best_hi].sum(axis=0)
            chunk = _Chunk(k, p, len(members), x.sum(), len(members) == hi - lo)
            _move(parts, chunk, members, x, best[1], best[2])
            change += best[0]
            _structure_changes(parts, priors, structure)
            if hi < last and parts.part[hi] == parts.part[best_lo]:
                hi = best_lo  # what the next interval begins with now
        lo = hi
    return change


@kernel
def join_neighbours(values, priors):
    """Join neighbouring values of numeric variables into intervals, best pair first.

    Each value starts as a part, and cluster, of its own; two parts are joined while
    this lowers the terms of values and cells and the prior of the variable's parts:
    the price of a cluster is left to the merges that follow. Returns the part of each
    value, numbered by its first value.
    """
    counts = values.counts.copy()
    total = values.total.copy()
    n = len(total)
    variable = np.empty(n, np.int64)
    n_parts = np.empty(len(values.numeric), np.int64)
    for k in range(len(n_parts)):
        variable[values.first[k] : values.first[k + 1]] = k
        n_parts[k] = values.first[k + 1] - values.first[k]
    after = np.arange(1, n + 1)  # next part; n if it is of another variable
    before = np.arange(-1, n - 1)
    costs = np.full(n, math.inf)  # of joining a part with the next one
    for v in range(n - 1):
        if variable[v] == variable[v + 1] and values.numeric[variable[v]]:
            costs[v] = _interval_merge_cost(counts, total, v, v + 1, priors.log_fact)
    part = np.arange(n)
    while True:
        best, lowest = -1, 0.0
        for v in range(n):
            if costs[v] < math.inf:
                k = variable[v]
                inner = priors.inner[k, n_parts[k] - 1] - priors.inner[k, n_parts[k]]
                if costs[v] + inner < lowest - TOLERANCE:
                    best, lowest = v, costs[v] + inner
        if best < 0:
            break
        other = after[best]
        counts[best] += counts[other]
        total[best] += total[other]
        n_parts[variable[best]] -= 1
        after[best] = after[other]
        if after[other] < n:
            before[after[other]] = best
        joins_on = costs[other] < math.inf
        costs[other] = math.inf
        costs[best] = math.inf
        if joins_on:
            costs[best] = _interval_merge_cost(
                counts, total, best, after[best], priors.log_fact
            )
        left = before[best]
        if left >= 0 and costs[left] < math.inf:
            costs[left] = _interval_merge_cost(
                counts, total, left, best, priors.log_fact
            )
        part[other] = best
    for v in range(n):
        part[v] = part[part[v]]
    return part


@kernel
def _interval_merge_cost(counts, total, a, b, log_fact):
    """Change of the terms of values and cells if parts a and b are joined."""
    cost = log_fact[total[a] + total[b]] - log_fact[total[a]] - log_fact[total[b]]
    for g in range(counts.shape[1]):
        x, y = counts[a, g], counts[b, g]
        if x > 0 and y > 0:
            cost += cell_merge_cost(x, y, log_fact)
    return cost
