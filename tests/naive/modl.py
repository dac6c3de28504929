"""Slow twins of `coclust_synth.modl`: the criterion, and the moves and merges.

The first half works on raw material, a list of rows of counts with one label for
each row and column, and counts everything anew for every cost. The second half has
the names and signatures of the kernels; a change of cost is always the difference of
two costs of the whole grid. Numbers of partitions are exact integers.
"""

import math
from functools import cache

TOLERANCE = 1e-7  # smaller changes of cost are no changes, for the kernels as well

# Codes


def log2_star(n):
    total, term = 0.0, math.log2(n)
    while term > 0.0:
        total += term
        term = math.log2(term)
    return total


def universal_code(n):
    return math.log(2.86511) + math.log(2.0) * log2_star(n)


@cache
def log_bounded_constant(largest):
    return math.log(math.fsum(2.0 ** -log2_star(i) for i in range(1, largest + 1)))


def bounded_universal_code(n, largest):
    return log_bounded_constant(largest) + math.log(2.0) * log2_star(n)


@cache
def stirling_row(n_values, most):
    """S(V, 0), ..., S(V, J), J the least of V and most.

    By S(V, j) = j S(V-1, j) + S(V-1, j-1).
    """
    row = [1]
    for v in range(1, n_values + 1):
        row = [
            (j * row[j] if j < len(row) else 0) + (row[j - 1] if j > 0 else 0)
            for j in range(min(v, most) + 1)
        ]
    return row


def n_partitions(n_values, n_clusters):
    """B(V, J), an exact integer."""
    return sum(stirling_row(n_values, n_clusters))


@cache
def log_partitions(n_values, n_clusters):
    return math.log(n_partitions(n_values, n_clusters))


# The cost of a grid, from raw counts


def log_fact(n):
    return math.lgamma(n + 1)


def plain_partition_prior(n_values, n_clusters):
    if n_clusters == 1:
        return 0.0
    total = bounded_universal_code(n_clusters - 1, n_values - 1)
    total += log_partitions(n_values, n_clusters)
    if n_values > 7:
        total += math.log(2.0)
    return total


def catch_all_partition_prior(n_values, n_clusters, largest):
    if n_values <= 7 or n_clusters < 3:
        return math.inf
    q = n_values - largest
    return (
        math.log(2.0)
        + bounded_universal_code(q - 1, n_values - 2)
        + (q * math.log(n_values) - log_fact(q))
        + bounded_universal_code(n_clusters - 2, q - 1)
        + log_partitions(q, n_clusters - 1)
    )


def partition_prior(n_values, n_clusters, largest):
    return min(
        plain_partition_prior(n_values, n_clusters),
        catch_all_partition_prior(n_values, n_clusters, largest),
    )


def family_prior(n_split):
    if n_split == 0:
        return math.log(2.0)
    return math.log(2.0) + universal_code(n_split) - log_fact(n_split)


def cell_counts_prior(n_observations, n_cells):
    if n_cells >= 2**30:
        return n_observations * math.log(n_cells)
    return log_fact(n_observations + n_cells - 1) - log_fact(n_cells - 1)


def expand(counts, weights, row_labels):
    """Repeat each row, and its label, as many times as its weight says."""
    rows, labels = [], []
    for row, weight, label in zip(counts, weights, row_labels, strict=True):
        for _ in range(weight):
            rows.append(list(row))
            labels.append(label)
    return rows, labels


def cost_terms(counts, row_labels, column_labels, *, prior="cheaper"):
    """The named terms of the cost of a grid.

    Parameters
    ----------
    counts : list of lists of int
        One row of counts for each value of the first variable.
    row_labels, column_labels : sequence
        Cluster of each row and column.
    prior : {"plain", "catch-all", "cheaper"}
        Prior of the partitions, of each variable on its own if "cheaper".
    """
    variables = (
        ([sum(row) for row in counts], row_labels),
        ([sum(row[j] for row in counts) for j in range(len(counts[0]))], column_labels),
    )
    cells = {}
    for i, row in enumerate(counts):
        for j, n in enumerate(row):
            key = (row_labels[i], column_labels[j])
            cells[key] = cells.get(key, 0) + int(n)
    n_observations = sum(cells.values())
    partitions = value_counts = 0.0
    n_split = 0
    for totals, labels in variables:
        clusters = {}
        for n, label in zip(totals, labels, strict=True):
            clusters.setdefault(label, []).append(int(n))
        largest = max(len(members) for members in clusters.values())
        arguments = len(totals), len(clusters)
        if prior == "plain":
            partitions += plain_partition_prior(*arguments)
        elif prior == "catch-all":
            partitions += catch_all_partition_prior(*arguments, largest)
        else:
            partitions += partition_prior(*arguments, largest)
        n_split += len(clusters) > 1
        for members in clusters.values():
            m, n = len(members), sum(members)
            value_counts += log_fact(n + m - 1) - log_fact(m - 1)
            for n_v in members:
                value_counts -= log_fact(n_v)
    return {
        "family": family_prior(n_split),
        "cell_counts": cell_counts_prior(n_observations, len(cells)),
        "partitions": partitions,
        "value_counts": value_counts,
        "cells": -sum(log_fact(n) for n in cells.values()),
    }


def cost(counts, row_labels, column_labels, *, prior="cheaper"):
    terms = cost_terms(counts, row_labels, column_labels, prior=prior)
    return math.fsum(terms.values())


def null_cost(counts):
    return cost(counts, [0] * len(counts), [0] * len(counts[0]))


def merge_change(counts, labels, side, kept, absorbed, *, prior="cheaper"):
    """Change of cost when two clusters of one side become one."""
    after = [list(labels[0]), list(labels[1])]
    after[side] = [kept if label == absorbed else label for label in after[side]]
    return cost(counts, *after, prior=prior) - cost(counts, *labels, prior=prior)


def insertion_cost(counts, labels, row, cluster):
    """Change of cost when a new row of counts goes to a row cluster."""
    after = [*map(list, counts), list(row)]
    before = cost(counts, *labels)
    return cost(after, [*labels[0], cluster], labels[1]) - before


# All grids of a tiny table


def partitions(n):
    """All partitions of n values, as labels that grow by at most 1."""
    if n == 0:
        yield ()
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield (*labels, label)


def best_grid(counts):
    """The lowest cost of all grids, and the labels of rows and columns."""
    columns = list(partitions(len(counts[0])))
    return min(
        (cost(counts, rows, labels), rows, labels)
        for rows in partitions(len(counts))
        for labels in columns
    )


# Twins of the kernels: cells are (opposite cluster, own cluster)


def log_fact_table(n):
    """ln 0!, ..., ln (n-1)!, in whole multiples of 2^-20: their sums are exact."""
    return [round(log_fact(i) * 2**20) / 2**20 for i in range(n)]


def _sizes_cost(c_size, c_total, log_fact):
    return sum(
        log_fact[n + m - 1] - log_fact[m - 1]
        for m, n in zip(c_size, c_total, strict=True)
        if m > 0
    )


def _cells_cost(cells, log_fact):
    return -sum(log_fact[n] for row in cells for n in row)


def _merged(cells, c_size, c_total, a, b):
    """Own clusters with b put into a: b is left empty."""
    cells, c_size, c_total = cells.copy(), c_size.copy(), c_total.copy()
    cells[:, a] += cells[:, b]
    c_size[a] += c_size[b]
    c_total[a] += c_total[b]
    cells[:, b] = c_size[b] = c_total[b] = 0
    return cells, c_size, c_total


def _n_clusters(c_size):
    return sum(1 for m in c_size if m > 0)


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
    min_size=0,
):
    indptr, opposite, count, size, total = side
    cells, c_size, c_total = clusters
    n_values = priors.n_kept + c_size[priors.catch_all]

    def prior():
        if priors.catch_all >= 0:
            return priors.by_kept[n_values - c_size[priors.catch_all]]
        return priors.by_number[_n_clusters(c_size)]

    def recount():
        cells[:], c_size[:], c_total[:] = 0, 0, 0
        for v in range(len(label)):
            c_size[label[v]] += size[v]
            c_total[label[v]] += total[v]
            for e in range(indptr[v], indptr[v + 1]):
                cells[opposite_label[opposite[e]], label[v]] += count[e]

    def measure():
        recount()
        values_and_cells = _sizes_cost(c_size, c_total, log_fact)
        values_and_cells += _cells_cost(cells, log_fact)
        return values_and_cells, prior()

    change = 0.0
    for i in values:
        old = int(label[i])
        here, here_prior = measure()
        empty = [m == 0 for m in c_size]
        best, best_delta, best_prior = old, math.inf, 0.0
        for b in candidates:
            if b != old and not empty[b]:
                label[i] = b
                there, there_prior = measure()
                delta, change_of_prior = there - here, there_prior - here_prior
                if priors.catch_all >= 0:
                    # This prior depends on the place, that of the number does not.
                    delta, change_of_prior = delta + change_of_prior, 0.0
                if delta < best_delta:
                    best, best_delta, best_prior = int(b), delta, change_of_prior
        margin[i] = best_delta + best_prior
        label[i] = old
        recount()
        if priors.catch_all >= 0 and c_size[old] == size[i]:
            margin[i] = math.inf
        if margin[i] < -TOLERANCE and c_size[old] - size[i] >= min_size:
            label[i] = best
            change += margin[i]
            margin[i] = 0.0
        recount()
    return change


def count_clusters(values, side, label, opposite_label, n_opposite, n_own):
    indptr, opposite, count, size, total = side
    cells = [[0] * n_own for _ in range(n_opposite)]
    c_size, c_total = [0] * n_own, [0] * n_own
    for i in values:
        c_size[label[i]] += size[i]
        c_total[label[i]] += total[i]
        for e in range(indptr[i], indptr[i + 1]):
            cells[opposite_label[opposite[e]]][label[i]] += count[e]
    return cells, c_size, c_total


def likeliest_clusters(side, opposite_label, prior, likelihood):
    labels = []
    for i in range(len(side.size)):
        best, most = 0, -math.inf
        for j in range(len(prior)):
            log_share = prior[j] * side.size[i]
            for e in range(side.indptr[i], side.indptr[i + 1]):
                g = opposite_label[side.opposite[e]]
                log_share += side.count[e] * likelihood[g][j]
            if log_share > most:
                best, most = j, log_share
        labels.append(best)
    return labels


def clusters_cost(clusters, log_fact):
    cells, c_size, c_total = clusters
    return _sizes_cost(c_size, c_total, log_fact) + _cells_cost(cells, log_fact)


def merge_costs(clusters, log_fact):
    cells, c_size, c_total = clusters
    before = _sizes_cost(c_size, c_total, log_fact) + _cells_cost(cells, log_fact)
    n_own = len(c_size)
    costs = [[math.inf] * n_own for _ in range(n_own)]
    for a in range(n_own):
        for b in range(a + 1, n_own):
            if c_size[a] > 0 and c_size[b] > 0:
                after, m, n = _merged(cells, c_size, c_total, a, b)
                costs[a][b] = (
                    _sizes_cost(m, n, log_fact) + _cells_cost(after, log_fact) - before
                )
    return costs


def _cheapest(costs, prior, best):
    """The first pair that costs less than `best`, (change, a, b), by more than 1e-7.

    `prior(a, b)` is what the merge changes beside `costs`.
    """
    for a in range(len(costs)):
        for b in range(a + 1, len(costs)):
            if costs[a][b] < math.inf:
                change = costs[a][b] + prior(a, b)
                if change < best[0] - TOLERANCE:
                    best = (change, a, b)
    return best


def merge_down(clusters, log_fact, n_clusters, by_number, most):
    cells, c_size, c_total = clusters
    target = list(range(len(c_size)))
    while _n_clusters(c_size) > n_clusters:
        costs = merge_costs(clusters, log_fact)
        cost, kept, absorbed = _cheapest(costs, lambda a, b: 0.0, (math.inf, -1, -1))
        left = _n_clusters(c_size)
        if cost + by_number[left - 1] - by_number[left] > most:
            break
        merged = _merged(cells, c_size, c_total, kept, absorbed)
        cells[:], c_size[:], c_total[:] = merged
        target = [kept if a == absorbed else a for a in target]
    return target


def merge_path(rows, columns, priors, log_fact, stop_at_rise):
    cells, size2, total2 = columns
    _, size1, total1 = rows

    def prior(own, opposite):
        j1, j2 = _n_clusters(own), _n_clusters(opposite)
        return (
            priors.family[(j1 > 1) + (j2 > 1)]
            + cell_counts_prior(priors.n_observations, j1 * j2)
            + partition_prior(sum(own), j1, max(own))
            + partition_prior(sum(opposite), j2, max(opposite))
        )

    def prior_change(own, opposite):
        own, opposite = list(map(int, own)), list(map(int, opposite))

        def change(a, b):
            after = own.copy()
            after[a], after[b] = after[a] + after[b], 0
            return prior(after, opposite) - prior(own, opposite)

        return change

    merges, changes = [], []
    while True:
        j1, j2 = _n_clusters(size1), _n_clusters(size2)
        if j1 == j2 == 1:
            break
        best, side = (math.inf, -1, -1), 0
        if j1 > 1:
            costs = merge_costs((cells.T, size1, total1), log_fact)
            best = _cheapest(costs, prior_change(size1, size2), best)
        if j2 > 1:
            costs = merge_costs(columns, log_fact)
            second = _cheapest(costs, prior_change(size2, size1), best)
            if second is not best:
                best, side = second, 1
        change, kept, absorbed = best
        if stop_at_rise and change > -TOLERANCE:
            break
        if side == 0:
            own, m, n = _merged(cells.T, size1, total1, kept, absorbed)
            cells[:], size1[:], total1[:] = own.T, m, n
        else:
            own, m, n = _merged(cells, size2, total2, kept, absorbed)
            cells[:], size2[:], total2[:] = own, m, n
        merges.append((side, kept, absorbed))
        changes.append(change)
    return merges, changes
