"""Slow twins of the kernels that cut variables into parts.

Every move is made on a copy, whose cost is counted anew; its change of cost is the
difference of two costs.
"""

import math

from naive.modl import (
    TOLERANCE,
    bounded_universal_code,
    cell_counts_prior,
    log_partitions,
)


def _variable(first, v):
    return max(k for k in range(len(first) - 1) if first[k] <= v)


def _cost(part, cluster, values, priors):
    """Every term that depends on the parts; `part` and `cluster` are lists."""
    log_fact = priors.log_fact
    used = sorted(set(part))
    clusters = sorted({cluster[p] for p in used})
    n_opposite = values.counts.shape[1]
    cost = cell_counts_prior(priors.n_observations, len(clusters) * n_opposite)
    if len(clusters) > 1:
        cost += bounded_universal_code(len(clusters) - 1, len(used) - 1)
        cost += log_partitions(len(used), len(clusters))
    for b in clusters:
        members = [v for v in range(len(part)) if cluster[part[v]] == b]
        m = len({part[v] for v in members})
        n = sum(int(values.total[v]) for v in members)
        cost += log_fact[n + m - 1] - log_fact[m - 1]
        for g in range(n_opposite):
            cost -= log_fact[sum(int(values.counts[v, g]) for v in members)]
    for k, is_numeric in enumerate(values.numeric):
        own = range(values.first[k], values.first[k + 1])
        parts = {part[v] for v in own}
        cost += priors.inner[k, len(parts)]
        if not is_numeric:
            for p in parts:
                members = [v for v in own if part[v] == p]
                m, n = len(members), sum(int(values.total[v]) for v in members)
                cost += log_fact[n + m - 1] - log_fact[m - 1] - log_fact[n]
    return cost


def _moved(part, cluster, members, target, b):
    part, cluster = list(part), list(cluster)
    left = {part[v] for v in range(len(part)) if v not in members}
    if target < 0:
        target = min(p for p in range(len(cluster)) if p not in left)
        cluster[target] = b
    for v in members:
        part[v] = target
    return part, cluster


def sweep_parts(order, values, parts, priors):
    part, cluster = list(map(int, parts.part)), list(map(int, parts.cluster))
    n_slots = len(parts.c_size)
    change = 0.0

    def try_chunks(chunks):
        """Make the best move of some chunks, (members, targets); its members."""
        nonlocal part, cluster, change
        here = _cost(part, cluster, values, priors)
        taken = {cluster[p] for p in part}
        empty = [b for b in range(n_slots) if b not in taken]
        best, best_model, best_members = 0.0, None, None
        for members, targets in chunks:
            own = cluster[part[members[0]]]
            whole = part.count(part[members[0]]) == len(members)
            places = [(q, cluster[q]) for q in targets]
            places += [
                (-1, b)
                for b in sorted(taken | set(empty[:1]))
                if not (whole and b == own)
            ]
            for target, b in places:
                model = _moved(part, cluster, members, target, b)
                if len(set(model[0])) > len(part):
                    continue
                delta = _cost(*model, values, priors) - here
                if delta < best - TOLERANCE:
                    best, best_model, best_members = delta, model, members
        if best_model is not None:
            part, cluster = best_model
            change += best
        return best_members

    done = set()
    for v in map(int, order):
        k = _variable(values.first, v)
        own = range(values.first[k], values.first[k + 1])
        if not values.numeric[k]:
            others = sorted({part[w] for w in own} - {part[v]})
            try_chunks([([v], others)])
            members = [w for w in own if part[w] == part[v]]
            if len(members) > 1 and members[0] == v:
                others = sorted({part[w] for w in own} - {part[v]})
                try_chunks([(members, others)])
            continue
        if k in done:
            continue
        done.add(k)
        lo = own[0]
        while lo <= own[-1]:
            interval = [w for w in own if part[w] == part[lo]]
            hi = interval[-1] + 1
            before = [part[lo - 1]] if lo > own[0] else []
            after = [part[hi]] if hi <= own[-1] else []
            n = len(interval)
            chunks = [(interval[:i], before) for i in range(1, n)]
            chunks += [(interval, before + after)]
            chunks += [(interval[-i:], after) for i in range(1, n)]
            members = try_chunks(chunks)
            if members and hi <= own[-1] and part[members[0]] == part[hi]:
                hi = members[0]
            lo = hi
    _write(part, cluster, values, parts)
    return change


def _write(part, cluster, values, parts):
    parts.part[:], parts.cluster[:] = part, cluster
    for array in (parts.p_size, parts.p_total, parts.n_parts):
        array[:] = 0
    for array in (parts.cells, parts.c_size, parts.c_total):
        array[:] = 0
    for v, p in enumerate(part):
        if parts.p_size[p] == 0:
            parts.n_parts[_variable(values.first, v)] += 1
            parts.c_size[cluster[p]] += 1
        parts.p_size[p] += 1
        parts.p_total[p] += values.total[v]
        parts.cells[cluster[p]] += values.counts[v]
        parts.c_total[cluster[p]] += values.total[v]


def join_neighbours(values, priors):
    log_fact = priors.log_fact
    n_variables = len(values.numeric)

    def cost(part):
        total = 0.0
        for k in range(n_variables):
            own = range(values.first[k], values.first[k + 1])
            total += priors.inner[k, len({part[v] for v in own})]
        for p in set(part):
            members = [v for v in range(len(part)) if part[v] == p]
            total += log_fact[sum(int(values.total[v]) for v in members)]
            for column in values.counts.T:
                total -= log_fact[sum(int(column[v]) for v in members)]
        return total

    part = list(range(len(values.total)))
    while True:
        best, best_part = 0.0, None
        for v in range(1, len(part)):
            k = _variable(values.first, v)
            if part[v] == v and values.numeric[k] and v > values.first[k]:
                joined = [part[v - 1] if p == v else p for p in part]
                delta = cost(joined) - cost(part)
                if delta < best - TOLERANCE:
                    best, best_part = delta, joined
        if best_part is None:
            return part
        part = best_part


def partitions(n):
    """All partitions of n values, as lists of labels."""
    if n == 0:
        yield []
        return
    for labels in partitions(n - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


def best_model(rows, numeric, cost):
    """The lowest cost of all models of a tiny table whose equal rows stay together.

    cost : function of (row labels, partitions, part labels) as
    `naive.grids.variable_parts_cost_terms` wants them.
    """
    columns = [sorted({row[k] for row in rows}) for k in range(len(numeric))]
    lowest = math.inf
    for model in _inner_partitions(columns, numeric):
        keys = []
        for k, partition in enumerate(model):
            n = len(partition) + 1 if numeric[k] else len(set(partition.values()))
            keys += [(k, p) for p in range(n)]
        for labels in partitions(len(keys)):
            part_labels = dict(zip(keys, labels, strict=True))
            for row_labels in partitions(len(rows)):
                lowest = min(lowest, cost(row_labels, model, part_labels))
    return lowest


def _inner_partitions(columns, numeric):
    if not columns:
        yield []
        return
    values = columns[0]
    if numeric[0]:
        options = [
            [v for i, v in enumerate(values[:-1]) if bits >> i & 1]
            for bits in range(2 ** (len(values) - 1))
        ]
    else:
        options = [
            dict(zip(values, labels, strict=True)) for labels in partitions(len(values))
        ]
    for option in options:
        for rest in _inner_partitions(columns[1:], numeric[1:]):
            yield [option, *rest]
