"""Slow twins of the kernels of the search in d dimensions, from the formulas.

A change of cost is always the difference of two sums over whole parts and cells.
"""

import math
from itertools import combinations, pairwise

import numpy as np

from naive.modl import TOLERANCE


def number_keys(keys):
    number = {}
    return [number.setdefault(int(key), len(number)) for key in keys], len(number)


def profiles(values, keys, count, n_values):
    """Counts by value and key, of the keys that several values have."""
    counts, holders = {}, {}
    for v, key, n in zip(values, keys, count, strict=True):
        counts[int(v), int(key)] = counts.get((int(v), int(key)), 0) + int(n)
        holders.setdefault(int(key), set()).add(int(v))
    return {
        (v, key): n for (v, key), n in counts.items() if len(holders[key]) > 1
    }, sum(len(values_of_key) > 1 for values_of_key in holders.values())


def interval_costs(indptr, line, number, n_lines, totals, log_fact):
    n_values = len(totals)
    costs = np.full((n_values + 1, n_values + 1), math.inf)
    for s, e in combinations(range(n_values + 1), 2):
        cells = [0] * n_lines
        for i in range(indptr[s], indptr[e]):
            cells[line[i]] += number[i]
        costs[e, s] = log_fact[sum(totals[s:e])] - sum(log_fact[n] for n in cells)
    return costs


def best_cuts(costs, prior):
    """By trying all partitions; the cost alone, as ties can be cut otherwise."""
    n_values = len(costs) - 1
    lowest = math.inf
    for j in range(1, min(len(prior) - 1, n_values) + 1):
        for inner in combinations(range(1, n_values), j - 1):
            ends = [0, *inner, n_values]
            cost = sum(costs[e, s] for s, e in pairwise(ends))
            lowest = min(lowest, cost + prior[j])
    return lowest


def _parts_cost(sizes, totals, is_numeric, log_fact):
    cost = 0.0
    for m, n in zip(sizes, totals, strict=True):
        if m > 0:
            cost += log_fact[n] if is_numeric else log_fact[n + m - 1] - log_fact[m - 1]
    return cost


def _cells_cost(keys, part, count, log_fact):
    cells = {}
    for key, a, n in zip(keys, part, count, strict=True):
        cells[int(key), int(a)] = cells.get((int(key), int(a)), 0) + int(n)
    return -sum(log_fact[n] for n in cells.values())


def _merged(values, a, b):
    values = [int(v) for v in values]
    values[a], values[b] = values[a] + values[b], 0
    return values


def _pairs(sizes):
    return combinations([a for a, m in enumerate(sizes) if m > 0], 2)


def size_merge_costs(sizes, totals, is_numeric, log_fact):
    costs = np.full((len(sizes), len(sizes)), math.inf)
    for a, b in _pairs(sizes):
        after = _merged(sizes, a, b), _merged(totals, a, b)
        costs[a, b] = _parts_cost(*after, is_numeric, log_fact)
        costs[a, b] -= _parts_cost(sizes, totals, is_numeric, log_fact)
    return costs


def add_cell_merge_costs(merges, keys, part, count, sign, log_fact):
    before = _cells_cost(keys, part, count, log_fact)
    for a, b in combinations(range(len(merges)), 2):
        together = [a if p == b else p for p in part]
        after = _cells_cost(keys, together, count, log_fact)
        merges[a, b] += sign * (after - before)


def absorb(
    merges, kept, absorbed, keys, part, count, sizes, totals, is_numeric, log_fact
):
    sizes[:] = _merged(sizes, kept, absorbed)
    totals[:] = _merged(totals, kept, absorbed)
    merges[:] = size_merge_costs(sizes, totals, is_numeric, log_fact)
    add_cell_merge_costs(merges, keys, part, count, 1.0, log_fact)


def best_neighbours(merges, sizes):
    alive = [a for a, m in enumerate(sizes) if m > 0]
    best = (-1, -1, math.inf)
    for a, b in pairwise(alive):
        if merges[a, b] < best[2] - TOLERANCE:
            best = (a, b, merges[a, b])
    return best
