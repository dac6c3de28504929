"""Slow twins for grids of any number of dimensions, and for variable parts.

Raw material: a list of observations, each a tuple of values, one a variable; and a
partition of each variable, which is a dict from value to part for a categorical one
and a list of cut points for a numeric one. Everything is counted anew for every cost.
"""

import math
from collections import Counter
from itertools import combinations, pairwise, product

from naive.modl import (
    TOLERANCE,
    bounded_universal_code,
    catch_all_partition_prior,
    cell_counts_prior,
    family_prior,
    log_fact,
    log_partitions,
    partition_prior,
    partitions,
    plain_partition_prior,
)


def part_of(value, partition):
    if isinstance(partition, dict):
        return partition[value]
    return sum(value > cut for cut in partition)


def n_parts(partition):
    if isinstance(partition, dict):
        return len(set(partition.values()))
    return len(partition) + 1


def grid_cost_terms(observations, partitions):
    n_cells = math.prod(map(n_parts, partitions))
    cells = Counter(
        tuple(map(part_of, observation, partitions)) for observation in observations
    )
    priors = value_counts = 0.0
    for axis, partition in enumerate(partitions):
        values = Counter(observation[axis] for observation in observations)
        totals = Counter()
        for value, n in values.items():
            totals[part_of(value, partition)] += n
        if isinstance(partition, dict):
            sizes = Counter(partition.values())
            priors += partition_prior(len(partition), len(sizes), max(sizes.values()))
            for part, m in sizes.items():
                value_counts += log_fact(totals[part] + m - 1) - log_fact(m - 1)
            value_counts -= sum(map(log_fact, values.values()))
        else:
            if partition:
                priors += bounded_universal_code(len(partition), len(observations) - 1)
            value_counts += sum(map(log_fact, totals.values()))
    return {
        "family": family_prior(sum(n_parts(p) > 1 for p in partitions)),
        "cell_counts": cell_counts_prior(len(observations), n_cells),
        "partitions": priors,
        "value_counts": value_counts,
        "cells": -sum(map(log_fact, cells.values())),
    }


def grid_cost(observations, partitions):
    return math.fsum(grid_cost_terms(observations, partitions).values())


def variable_parts_cost_terms(rows, row_labels, partitions, part_labels, n_values):
    """Terms of the cost of instances x variable parts.

    Parameters
    ----------
    rows : list of tuples
        One an instance; None where a value is missing.
    row_labels : list
        Cluster of each.
    partitions : list
        One a variable.
    part_labels : dict of (variable, part) to cluster
    n_values : list of int
        What the number of parts of each variable is bounded by.
    """
    cells, instances, parts = Counter(), Counter(), Counter()
    values = [Counter() for _ in partitions]
    for i, row in enumerate(rows):
        for k, value in enumerate(row):
            if value is not None:
                part = (k, part_of(value, partitions[k]))
                cells[row_labels[i], part_labels[part]] += 1
                instances[i] += 1
                parts[part] += 1
                values[k][value] += 1
    n_row_clusters = len(set(row_labels))
    n_part_clusters = len(set(part_labels.values()))
    priors = 0.0
    if n_row_clusters > 1:
        largest = max(Counter(row_labels).values())
        priors += partition_prior(len(rows), n_row_clusters, largest)
    if n_part_clusters > 1:
        priors += bounded_universal_code(n_part_clusters - 1, len(part_labels) - 1)
        priors += log_partitions(len(part_labels), n_part_clusters)
    value_counts = inner = 0.0
    for label, m in Counter(row_labels).items():
        n = sum(instances[i] for i in range(len(rows)) if row_labels[i] == label)
        value_counts += log_fact(n + m - 1) - log_fact(m - 1)
    for label, m in Counter(part_labels.values()).items():
        n = sum(parts[part] for part in part_labels if part_labels[part] == label)
        value_counts += log_fact(n + m - 1) - log_fact(m - 1)
    value_counts -= sum(map(log_fact, instances.values()))
    for k, partition in enumerate(partitions):
        inner += bounded_universal_code(n_parts(partition), n_values[k])
        if isinstance(partition, dict):
            inner += log_partitions(n_values[k], n_parts(partition))
            for part, m in Counter(partition.values()).items():
                n = parts[k, part]
                inner += log_fact(n + m - 1) - log_fact(m - 1) - log_fact(n)
            value_counts -= sum(map(log_fact, values[k].values()))
    if n_row_clusters == n_part_clusters == 1 and len(part_labels) == len(partitions):
        inner = 0.0
    return {
        "family": math.log(2.0),
        "cell_counts": cell_counts_prior(
            sum(cells.values()), n_row_clusters * n_part_clusters
        ),
        "partitions": priors,
        "value_counts": value_counts,
        "cells": -sum(map(log_fact, cells.values())),
        "inner_variables": inner,
    }


# Importance


def _values_and_cells(observations, partitions):
    terms = grid_cost_terms(observations, partitions)
    return terms["value_counts"] + terms["cells"]


def _relative(costs):
    costs = {key: max(cost, 0.0) for key, cost in costs.items()}
    top = max(costs.values())
    return {key: cost / top if top > TOLERANCE else 1.0 for key, cost in costs.items()}


def interests(observations, partitions, axis):
    """Interest of each part of a categorical or numeric dimension, by part."""
    partition = partitions[axis]
    before = _values_and_cells(observations, partitions)
    costs = dict.fromkeys(range(n_parts(partition)), 0.0)
    for a, b in combinations(range(n_parts(partition)), 2):
        if isinstance(partition, dict):
            merged = {v: a if part == b else part for v, part in partition.items()}
        elif b == a + 1:
            merged = partition[:a] + partition[b:]
        else:
            continue
        after = [*partitions[:axis], merged, *partitions[axis + 1 :]]
        change = _values_and_cells(observations, after) - before
        costs[a] += change
        costs[b] += change
    return _relative(costs)


def typicalities(observations, partitions, axis):
    """Typicality of each value of a categorical dimension, by value."""
    partition = partitions[axis]
    sizes = Counter(partition.values())
    before = _values_and_cells(observations, partitions)
    n_values, n_clusters = len(partition), len(sizes)
    if n_clusters == 1:
        return dict.fromkeys(partition, 0.0)
    plain = plain_partition_prior(n_values, n_clusters)
    catch_all = catch_all_partition_prior(n_values, n_clusters, max(sizes.values()))
    costs = {}
    for value, own in partition.items():
        costs[value] = 0.0
        for other in sizes:
            if other == own:
                continue
            after = partition | {value: other}
            after_sizes = Counter(after.values())
            moved = [*partitions[:axis], after, *partitions[axis + 1 :]]
            prior = plain_partition_prior(n_values, len(after_sizes))
            if catch_all < plain and len(after_sizes) > 2:
                prior = catch_all_partition_prior(
                    n_values, len(after_sizes), max(after_sizes.values())
                )
            costs[value] += _values_and_cells(observations, moved) - before
            costs[value] += prior - min(plain, catch_all)
    typicality = {}
    for part in sizes:
        members = {v: cost for v, cost in costs.items() if partition[v] == part}
        typicality |= _relative(members)
    return typicality


# All grids of a tiny table


def all_partitions(observations, axis, is_numeric):
    """All partitions of one variable, as this module writes them."""
    values = sorted({observation[axis] for observation in observations})
    if not is_numeric:
        for labels in partitions(len(values)):
            yield dict(zip(values, labels, strict=True))
        return
    cuts = [(low + high) / 2 for low, high in pairwise(values)]
    for n_cuts in range(len(cuts) + 1):
        for chosen in combinations(cuts, n_cuts):
            yield list(chosen)


def least_cost(observations, numeric):
    """The lowest cost of all grids."""
    axes = [
        list(all_partitions(observations, axis, is_numeric))
        for axis, is_numeric in enumerate(numeric)
    ]
    return min(grid_cost(observations, grid) for grid in product(*axes))
