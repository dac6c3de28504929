"""Compiled kernels of the search in d dimensions: input already checked.

One dimension is worked on at a time. The cells that agree in all the others form a
*line*; lines are known by a key, the sum of one random 64-bit number for each of the
other dimensions' parts. Unequal lines have equal keys with a probability below 1e-6
for a million cells, and then only mislead the search: costs that are reported are
counted anew.

====================  =========================================================  ======
symbol                meaning                                                    shape
====================  =========================================================  ======
keys                  key of the line of each cell                               (c,)
part, count           part of each cell, and its observations                    (c,)
indptr, line, number  CSR: value i has ``number[e]`` observations in the line    (V+1,)
                      ``line[e]``, ``e`` from ``indptr[i]`` on
sizes, totals         values and observations of each part; a part of size 0     (J,)
                      is one that was merged into another
merges                change of cost of each merge of two parts a < b, priors    (J, J)
                      apart; inf where one of them has size 0
log_fact              ln n!, see `log_fact_table`                                (.,)
====================  =========================================================  ======
"""

import math

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.modl.grid._kernels import TOLERANCE, cell_merge_cost, size_merge_cost


@kernel
def number_keys(keys):
    """Give equal keys equal numbers, from 0 in the order they appear.

    Returns the numbers (c,) and how many there are.
    """
    n_slots = 4
    while n_slots < 2 * len(keys):
        n_slots *= 2
    owner = np.full(n_slots, -1, np.int64)
    number = np.empty(len(keys), np.int64)
    n_distinct = 0
    for i in range(len(keys)):
        slot = keys[i] & (n_slots - 1)
        while owner[slot] >= 0 and keys[owner[slot]] != keys[i]:
            slot = (slot + 1) & (n_slots - 1)
        if owner[slot] < 0:
            owner[slot] = i
            number[i] = n_distinct
            n_distinct += 1
        else:
            number[i] = number[owner[slot]]
    return number, n_distinct


@kernel
def _group(number, n_groups):
    """Positions of each number, one after the other: CSR (start, order)."""
    start = np.zeros(n_groups + 1, np.int64)
    for i in range(len(number)):
        start[number[i] + 1] += 1
    for g in range(n_groups):
        start[g + 1] += start[g]
    free = start[:-1].copy()
    order = np.empty(len(number), np.int64)
    for i in range(len(number)):
        order[free[number[i]]] = i
        free[number[i]] += 1
    return start, order


@kernel
def profiles(values, keys, count, n_values):
    """Observations of each value in the lines that hold more than one value.

    A line of a single value costs the same in every partition of the values.
    Returns indptr (V+1,), line and number (e,), and how many lines there are.
    """
    line, n_all = number_keys(keys)
    first = np.full(n_all, -1, np.int64)
    shared = np.full(n_all, -1, np.int32)
    n_lines = 0
    for i in range(len(values)):
        g = line[i]
        if first[g] < 0:
            first[g] = values[i]
        elif first[g] != values[i] and shared[g] < 0:
            shared[g] = n_lines
            n_lines += 1
    start, order = _group(values, n_values)
    indptr = np.zeros(n_values + 1, np.int64)
    lines = np.empty(len(values), np.int32)
    number = np.empty(len(values), np.int64)
    last = np.full(n_lines, -1, np.int64)
    n = 0
    for v in range(n_values):
        for s in range(start[v], start[v + 1]):
            g = shared[line[order[s]]]
            if g < 0:
                continue
            if last[g] < indptr[v]:
                last[g] = n
                lines[n] = g
                number[n] = 0
                n += 1
            number[last[g]] += count[order[s]]
        indptr[v + 1] = n
    return indptr, lines[:n], number[:n], n_lines


@kernel
def interval_costs(indptr, line, number, n_lines, totals, log_fact):
    """Cost of each interval of consecutive values, priors apart (nats).

    Returns an array (V+1, V+1): row e, column s < e is the interval of values s to
    e-1; inf elsewhere.
    """
    n_values = len(totals)
    costs = np.full((n_values + 1, n_values + 1), math.inf)
    cells = np.zeros(n_lines, np.int64)
    for s in range(n_values):
        cells[:] = 0
        total = 0
        gained = 0.0
        for v in range(s, n_values):
            total += totals[v]
            for e in range(indptr[v], indptr[v + 1]):
                m = cells[line[e]]
                cells[line[e]] = m + number[e]
                gained += log_fact[m + number[e]] - log_fact[m]
            costs[v + 1, s] = log_fact[total] - gained
    return costs


@kernel
def best_cuts(costs, prior):
    """The cuts of least cost, by dynamic programming.

    `costs` as `interval_costs` returns them; `prior` by number of intervals (J+1,),
    inf where a number is not allowed. Returns the first value of each interval and
    the cost, with the prior (nats).
    """
    n_values = len(costs) - 1
    n_most = min(len(prior) - 1, n_values)
    before = np.full((n_most + 1, n_values + 1), -1, np.int64)
    cost = costs[:, 0].copy()
    before[1, :] = 0
    n_best = 1
    lowest = cost[n_values] + prior[1]
    for j in range(2, n_most + 1):
        longer = np.full(n_values + 1, math.inf)
        for e in range(j, n_values + 1):
            for s in range(j - 1, e):
                c = cost[s] + costs[e, s]
                if c < longer[e] - TOLERANCE:
                    longer[e] = c
                    before[j, e] = s
        cost = longer
        if cost[n_values] + prior[j] < lowest - TOLERANCE:
            n_best = j
            lowest = cost[n_values] + prior[j]
    starts = np.empty(n_best, np.int64)
    e = n_values
    for j in range(n_best, 0, -1):
        e = before[j, e]
        starts[j - 1] = e
    return starts, lowest


@kernel
def _size_merge_cost(a, b, sizes, totals, is_numeric, log_fact):
    """Size terms of the merge of two parts."""
    if is_numeric:
        n, k = totals[a], totals[b]
        return log_fact[n + k] - log_fact[n] - log_fact[k]
    return size_merge_cost(sizes, totals, log_fact, a, b)


@kernel
def size_merge_costs(sizes, totals, is_numeric, log_fact):
    """`merges` as far as the sizes go, all parts there."""
    n_parts = len(sizes)
    merges = np.full((n_parts, n_parts), math.inf)
    for a in range(n_parts):
        for b in range(a + 1, n_parts):
            merges[a, b] = _size_merge_cost(a, b, sizes, totals, is_numeric, log_fact)
    return merges


@kernel
def add_cell_merge_costs(merges, keys, part, count, sign, log_fact):
    """Add to `merges`, or take away, what the given cells contribute; in place.

    The cells are all those of some lines, each once.
    """
    number, n_lines = number_keys(keys)
    start, order = _group(number, n_lines)
    for g in range(n_lines):
        for s in range(start[g], start[g + 1]):
            a, x = part[order[s]], count[order[s]]
            for t in range(s + 1, start[g + 1]):
                b, y = part[order[t]], count[order[t]]
                merges[min(a, b), max(a, b)] += sign * cell_merge_cost(x, y, log_fact)


@kernel
def absorb(
    merges, kept, absorbed, keys, part, count, sizes, totals, is_numeric, log_fact
):
    """Merge two parts of the dimension itself: its sizes, and `merges` of `kept`.

    The cells are all there are, with `absorbed` put into `kept` already.
    In place: merges, sizes, totals.
    """
    sizes[kept] += sizes[absorbed]
    totals[kept] += totals[absorbed]
    sizes[absorbed] = 0
    totals[absorbed] = 0
    for b in range(len(sizes)):
        merges[min(b, absorbed), max(b, absorbed)] = math.inf
        if b != kept and sizes[b] > 0:
            merges[min(b, kept), max(b, kept)] = _size_merge_cost(
                kept, b, sizes, totals, is_numeric, log_fact
            )
    number, n_lines = number_keys(keys)
    of_kept = np.zeros(n_lines, np.int64)
    for i in range(len(part)):
        if part[i] == kept:
            of_kept[number[i]] = count[i]
    for i in range(len(part)):
        x = of_kept[number[i]]
        b = part[i]
        if x > 0 and b != kept:
            merges[min(b, kept), max(b, kept)] += cell_merge_cost(x, count[i], log_fact)


@kernel
def best_neighbours(merges, sizes):
    """The merge of two neighbouring intervals that costs least, priors apart.

    Returns (kept, absorbed, change of cost).
    """
    kept, absorbed, change = -1, -1, math.inf
    a = -1
    for b in range(len(sizes)):
        if sizes[b] == 0:
            continue
        if a >= 0 and merges[a, b] < change - TOLERANCE:
            kept, absorbed, change = a, b, merges[a, b]
        a = b
    return kept, absorbed, change
