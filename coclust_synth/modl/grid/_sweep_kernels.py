"""Compiled kernels that move values between clusters of a grid: see `_kernels`."""

import math
from typing import NamedTuple

import numpy as np

from coclust_synth._jit import inlined_kernel, kernel
from coclust_synth.modl.criterion._kernels import LOG_FACT_STEP
from coclust_synth.modl.grid._kernels import TOLERANCE, n_nonempty

# Gains of a cell are kept ready for a value that brings 1 .. N_GAINS observations.
N_GAINS = 4
# Steps of ln n! in a nat. Costs below 2^30 of them are 32-bit whole numbers.
_STEPS = 1.0 / LOG_FACT_STEP
_NEVER = np.int32(2**31 - 1)
_MOST_SMALL_COST = 2.0**30 * LOG_FACT_STEP
# Rows of candidates are filled up to a multiple of this, for whole vectors of them.
_LANES = 32


class _Candidates(NamedTuple):
    """The clusters that the values of a sweep may go to, and what is known of them.

    Costs are counted in steps of `log_fact`: whole numbers, so that sums of them are
    exact, and those of most values fit into 32 bits.

    number : (k,) of each candidate. position : (J,) where an own cluster is among them,
    k if nowhere. gains : (N_GAINS * L, k') what the cell (g, candidate) gains from
    c observations more, in row (c - 1) L + g; k' > k, rounded up. single_n :
    observations of a single value of the usual kind. joins : (N_GAINS, k') size terms
    of 1, 2, ... of these that join. most_small : values and observations, together, of
    which 32 bits hold the cost. small_costs, large_costs : (k',) what the value in turn
    would cost. rows : (L,) those of `gains` that it adds up.
    """

    number: np.ndarray
    position: np.ndarray
    gains: np.ndarray
    single_n: int
    joins: np.ndarray
    most_small: int
    small_costs: np.ndarray
    large_costs: np.ndarray
    rows: np.ndarray
    touched: np.ndarray
    gathered: np.ndarray


class _Value(NamedTuple):
    """The value in turn: its cluster, how many values it is, and its observations.

    n_touched : opposite clusters that it meets, the first ones that are ``touched``.
    """

    cluster: int
    w: int
    n: int
    n_touched: int


@inlined_kernel
def _set_gains(gains, n_opposite, g, j, m, log_fact):
    """What cell (g, j) of m observations gains from 1, 2, ... more."""
    for c in range(N_GAINS):
        gain = (log_fact[m + c + 1] - log_fact[m]) * _STEPS
        gains[c * n_opposite + g, j] = np.int32(gain)


@inlined_kernel
def _set_joins(joins, j, m, n, single_n, most_small, log_fact):
    """Size terms of 1, 2, ... values that join candidate j of m values."""
    for w in range(1, N_GAINS + 1):
        if m > 0 and w * (single_n + 1) <= most_small:
            cost = _join_cost(m, n, w, w * single_n, log_fact) * _STEPS
            joins[w - 1, j] = np.int32(cost)
        else:
            joins[w - 1, j] = _NEVER


@kernel
def sweep(
    values,
    candidates,
    side,
    label,
    opposite_label,
    clusters,
    log_fact,
    priors,
    margin,
    min_size,
):
    """Move each of `values` in turn to its best cluster among `candidates`.

    No cluster goes below `min_size` values, and none is emptied where there is a
    catch-all; the catch-all stays the same, even where another outgrows it.
    In place: label, clusters, and margin (n,), what the best move of each value would
    cost (nats; 0 where it moved). Returns the change of cost (nats, <= 0).
    """
    c_size = clusters.c_size
    ready = _candidates(values, candidates, side, clusters, log_fact)
    touched, gathered = ready.touched, ready.gathered
    catch_all, n_kept = priors.catch_all, priors.n_kept
    n_clusters = n_nonempty(c_size)
    emptied = math.inf
    change = 0.0
    for i in values:
        n_touched = _gather(i, side, opposite_label, touched, gathered)
        a, w = label[i], side.size[i]
        value = _Value(a, w, side.total[i], n_touched)
        left, join, place = 0.0, 0.0, len(candidates)
        if catch_all >= 0:
            here = priors.by_kept[n_kept]
            if a == catch_all:
                left = priors.by_kept[n_kept + w] - here
            else:
                join = priors.by_kept[n_kept - w] - here
                place = ready.position[catch_all]
        if w + value.n <= ready.most_small:
            costs = ready.small_costs
            best, cost = _best_join(
                value, costs, _NEVER, place, join, clusters, ready, log_fact
            )
        else:
            large_costs = ready.large_costs
            best, cost = _best_join(
                value, large_costs, math.inf, place, join, clusters, ready, log_fact
            )
        if catch_all < 0:
            emptied = priors.by_number[n_clusters - 1] - priors.by_number[n_clusters]
        left = _leave_cost(left, emptied, value, clusters, ready, log_fact)
        margin[i] = cost + left
        if margin[i] < -TOLERANCE and c_size[a] - w >= min_size:
            margin[i] = 0.0
            change += cost + left
            if c_size[a] == w:
                n_clusters -= 1
            if a == catch_all:
                n_kept += w
            if candidates[best] == catch_all:
                n_kept -= w
            label[i] = candidates[best]
            _move(value, best, clusters, ready, log_fact)
        for s in range(n_touched):
            gathered[touched[s]] = 0
    return change


@inlined_kernel
def _candidates(values, number, side, clusters, log_fact):
    """What is known of the candidates before the first value."""
    cells, c_size, c_total = clusters
    n_opposite, n_own = cells.shape
    # The usual kind of value is one individual.
    usual = values[0]
    for i in values:
        if side.size[i] == 1:
            usual = i
            break
    single_n = side.total[usual] // side.size[usual]
    log_most = math.log(c_total.sum() + c_size.sum() + 2.0)
    most_small = np.int64(_MOST_SMALL_COST / log_most)
    position = np.full(n_own, len(number), np.int64)
    width = (len(number) // _LANES + 1) * _LANES
    gains = np.zeros((N_GAINS * n_opposite, width), np.int32)
    joins = np.full((N_GAINS, width), _NEVER)
    for j in range(len(number)):
        b = number[j]
        position[b] = j
        for g in range(n_opposite):
            _set_gains(gains, n_opposite, g, j, cells[g, b], log_fact)
        _set_joins(joins, j, c_size[b], c_total[b], single_n, most_small, log_fact)
    return _Candidates(
        number,
        position,
        gains,
        single_n,
        joins,
        most_small,
        np.empty(width, np.int32),
        np.empty(width),
        np.empty(n_opposite, np.int64),
        np.empty(n_opposite, np.uint64),
        np.zeros(n_opposite, np.int64),
    )


@inlined_kernel
def _gather(i, side, opposite_label, touched, gathered):
    """Gather the observations of value i by opposite cluster; returns `n_touched`."""
    opposite, count = side.opposite, side.count
    n_touched = 0
    # Unsigned, as a negative index would have to be looked for in this innermost loop.
    for e in range(np.uint64(side.indptr[i]), np.uint64(side.indptr[i + 1])):
        g = np.uint64(opposite_label[opposite[e]])
        if gathered[g] == 0:
            touched[n_touched] = g
            n_touched += 1
        gathered[g] += count[e]
    return n_touched


@inlined_kernel
def _best_join(value, costs, never, place, join, clusters, ready, log_fact):
    """The candidate where a value costs least, the first of equal ones, and its cost.

    costs : (k',) of int32 or float64, overwritten. never : the cost of what cannot be,
    less gains of its cells: more than half of it. The candidate at `place`, if there is
    one, costs `join` nats more.
    """
    _join_costs(value, costs, never, clusters, ready, log_fact)
    # The value's own cluster and `place` are left out, not overwritten: a vector of
    # costs that is read just after one of them is written has to wait.
    own = ready.position[value.cluster]
    lowest = never
    for j in range(len(costs)):
        cost = never if j == own or j == place else costs[j]
        lowest = min(lowest, cost)
    best, cost = 0, math.inf
    if lowest < never / 2:
        cost = lowest * LOG_FACT_STEP
        while costs[best] != lowest or best == own or best == place:
            best += 1
    there = costs[place] * LOG_FACT_STEP + join
    if place < len(ready.number) and (there < cost or (there == cost and place < best)):
        return place, there
    return best, cost


@inlined_kernel
def _join_costs(value, costs, never, clusters, ready, log_fact):
    """What a value costs in each candidate: size terms, then a term a touched cell.

    Terms are added four at a time; they are exact in any order.
    """
    number, gains, rows = ready.number, ready.gains, ready.rows
    w, n = value.w, value.n
    if w <= N_GAINS and n == w * ready.single_n and w + n <= ready.most_small:
        join = ready.joins[w - 1]
        for j in range(len(costs)):
            costs[j] = join[j]
    else:
        costs[:] = never
        for j in range(len(number)):
            m = clusters.c_size[number[j]]
            if m > 0:
                t = clusters.c_total[number[j]]
                costs[j] = _join_cost(m, t, w, n, log_fact) * _STEPS
    n_rows = 0
    for s in range(value.n_touched):
        g = ready.touched[s]
        c = ready.gathered[g]
        if c <= N_GAINS:
            rows[n_rows] = (c - 1) * len(clusters.cells) + np.int64(g)
            n_rows += 1
        else:
            for j in range(len(number)):
                m = clusters.cells[g, number[j]]
                costs[j] -= (log_fact[m + c] - log_fact[m]) * _STEPS
    s = 0
    while s + 4 <= n_rows:
        one, two = gains[rows[s]], gains[rows[s + 1]]
        three, four = gains[rows[s + 2]], gains[rows[s + 3]]
        for j in range(len(costs)):
            costs[j] -= (one[j] + two[j]) + (three[j] + four[j])
        s += 4
    while s < n_rows:
        one = gains[rows[s]]
        for j in range(len(costs)):
            costs[j] -= one[j]
        s += 1


@inlined_kernel
def _leave_cost(cost, emptied, value, clusters, ready, log_fact):
    """What the cluster of a value gains from its leaving, added to `cost`."""
    cells, c_size, c_total = clusters
    touched, gathered = ready.touched, ready.gathered
    a, w, n = value.cluster, value.w, value.n
    m = c_size[a]
    t = c_total[a] + m - 1
    cost += log_fact[m - 1] - log_fact[t]
    cost += log_fact[t - n - w] - log_fact[m - w - 1] if m > w else emptied
    for s in range(value.n_touched):
        g = touched[s]
        m = cells[g, a]
        cost += log_fact[m] - log_fact[m - gathered[g]]
    return cost


@inlined_kernel
def _move(value, best, clusters, ready, log_fact):
    """Put a value into the candidate at `best`; in place: clusters, ready."""
    cells, c_size, c_total = clusters
    gains, joins, single_n = ready.gains, ready.joins, ready.single_n
    most = ready.most_small
    touched, gathered = ready.touched, ready.gathered
    a, b = value.cluster, ready.number[best]
    place = ready.position[a]
    c_size[a] -= value.w
    c_total[a] -= value.n
    c_size[b] += value.w
    c_total[b] += value.n
    _set_joins(joins, best, c_size[b], c_total[b], single_n, most, log_fact)
    # The place of clusters that are no candidates stays one that nothing joins.
    if place < len(ready.number):
        _set_joins(joins, place, c_size[a], c_total[a], single_n, most, log_fact)
    for s in range(value.n_touched):
        g = np.int64(touched[s])
        c = gathered[g]
        cells[g, a] -= c
        cells[g, b] += c
        _set_gains(gains, len(cells), g, best, cells[g, b], log_fact)
        _set_gains(gains, len(cells), g, place, cells[g, a], log_fact)


@kernel
def likeliest_clusters(side, opposite_label, prior, likelihood):
    """Own cluster of each value where it is likeliest, the first of equal ones.

    prior : (J,) float32, ln of the share of the values. likelihood : (L, J) float32, ln
    of the share of a cluster's observations that each opposite cluster has. What is
    likeliest by less than rounding is so by chance of it.
    """
    n_own = len(prior)
    label = np.empty(len(side.size), np.int32)
    log_share = np.empty(n_own, np.float32)
    for i in range(len(label)):
        size = np.float32(side.size[i])
        for j in range(n_own):
            log_share[j] = size * prior[j]
        e, end = np.uint64(side.indptr[i]), np.uint64(side.indptr[i + 1])
        # Four observations at a time: sums in memory are read and written less often.
        while e + 4 <= end:
            a = np.float32(side.count[e])
            b = np.float32(side.count[e + 1])
            c = np.float32(side.count[e + 2])
            d = np.float32(side.count[e + 3])
            of_a = likelihood[opposite_label[side.opposite[e]]]
            of_b = likelihood[opposite_label[side.opposite[e + 1]]]
            of_c = likelihood[opposite_label[side.opposite[e + 2]]]
            of_d = likelihood[opposite_label[side.opposite[e + 3]]]
            for j in range(n_own):
                two = a * of_a[j] + b * of_b[j]
                log_share[j] += two + (c * of_c[j] + d * of_d[j])
            e += np.uint64(4)
        while e < end:
            a = np.float32(side.count[e])
            of_a = likelihood[opposite_label[side.opposite[e]]]
            for j in range(n_own):
                log_share[j] += a * of_a[j]
            e += np.uint64(1)
        best = 0
        for j in range(1, n_own):
            if log_share[j] > log_share[best]:
                best = j
        label[i] = best
    return label


@inlined_kernel
def _join_cost(m, n, w, k, log_fact):
    """Size terms of w values of k observations that join m values of n; m > 0."""
    if m == 0:
        return math.inf
    t = n + m - 1
    return log_fact[t + k + w] - log_fact[t] - log_fact[m + w - 1] + log_fact[m - 1]
