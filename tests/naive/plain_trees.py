"""Slow twins of the kernels of trees, `plain.trees._tree_kernels`."""

from itertools import pairwise

from coclust_synth.generators.plain.trees._tree_kernels import GOLDEN, MAX_EXCHANGES


def ranked(codes, parents, ranks, first):
    return [
        [ranks[start + row[p]] for p, start in zip(parents, first, strict=True)]
        for row in codes
    ]


def leaves_of(features, feature, threshold, left, right):
    def leaf(row, node=0):
        if left[node] < 0:
            return node
        goes_left = row[feature[node]] <= threshold[node]
        return leaf(row, left[node] if goes_left else right[node])

    return [leaf(row) for row in features]


def _codes_of(leaf, leaves):
    first, last = leaves.indptr[leaf], leaves.indptr[leaf + 1]
    return [
        code
        for code, rows in zip(
            leaves.code[first:last], leaves.rows[first:last], strict=True
        )
        for _ in range(rows)
    ]


def pick(leaf, point, leaves):
    """The row of the leaf at that share of its rows, one after the other."""
    of_leaves = [_codes_of(each, leaves) for each in leaf]
    return [rows[int(p * len(rows))] for rows, p in zip(of_leaves, point, strict=True)]


def pick_evenly(leaf, shuffled, start, leaves):
    """The rows of a leaf, as they come, have the points 0, 1, ... of its own."""
    point, done = [None] * len(leaf), [0] * len(start)
    for i in shuffled:
        t = leaf[i]
        point[i] = (done[t] + start[t]) / list(leaf).count(t)
        done[t] += 1
    return pick(leaf, point, leaves)


def is_allowed(i, c, limits):
    return (
        limits.allowed[i][limits.group[c]]
        and limits.later[limits.combination[i]][c]
        and limits.low[c] <= limits.highest[i]
        and limits.high[c] >= limits.lowest[i]
    )


def pick_within(leaf, point, order, leaves, limits):
    found = pick(leaf, point, leaves)
    for i in order:
        own = [j for j in order if leaf[j] == leaf[i]]
        if is_allowed(i, found[i], limits):
            continue
        for t in range(1, min(len(own), MAX_EXCHANGES) + 1):
            j = own[(own.index(i) + int(t * GOLDEN * len(own))) % len(own)]
            if is_allowed(i, found[j], limits) and is_allowed(j, found[i], limits):
                found[i], found[j] = found[j], found[i]
                break

    everything = len(leaves.indptr) - 2
    for i, p in enumerate(point):
        if is_allowed(i, found[i], limits):
            continue
        found[i] = -1
        for candidates in (_codes_of(leaf[i], leaves), _codes_of(everything, leaves)):
            candidates = [c for c in candidates if is_allowed(i, c, limits)]
            if candidates:
                found[i] = candidates[int(p * len(candidates))]
                break
    return found


def exchanged(number, atom, order, lowest, highest):
    def may(i, value):
        return lowest[i] <= value <= highest[i]

    like = list(range(len(number)))
    for i in order:
        own = [j for j in order if atom[j] == atom[i] >= 0]
        if may(i, number[like[i]]):
            continue
        for t in range(1, min(len(own), MAX_EXCHANGES) + 1):
            j = own[(own.index(i) + int(t * GOLDEN * len(own))) % len(own)]
            if may(i, number[like[j]]) and may(j, number[like[i]]):
                like[i], like[j] = like[j], like[i]
                break
    return like


def grow(features, target, person, k, least):
    """Nodes as (feature, threshold, left, right), and the leaf of each row."""
    rows_of, nodes, leaf = [list(range(len(features)))], [], [0] * len(features)

    def spread(rows):
        columns = list(zip(*(target[i] for i in rows), strict=True))
        return sum(sum((x - sum(own) / len(own)) ** 2 for x in own) for own in columns)

    for rows in rows_of:
        squares = sum(x**2 for i in rows for x in target[i])
        best, found = 0.0, None
        for j in range(len(features[0])):
            values = sorted({int(features[i][j]) for i in rows})
            for one, two in pairwise(values):
                sides = (
                    [i for i in rows if features[i][j] <= one],
                    [i for i in rows if features[i][j] > one],
                )
                if min(len({int(person[i]) for i in side}) for side in sides) < k:
                    continue
                explained = spread(rows) - sum(map(spread, sides))
                # The first of those that are equal but for rounding.
                if explained > best + least * squares:
                    best, found = explained, (j, (one + two - 1) // 2, sides)
        if found is None:
            for i in rows:
                leaf[i] = len(nodes)
            nodes.append((-1, -1, -1, -1))
        else:
            j, cut, sides = found
            nodes.append((j, cut, len(rows_of), len(rows_of) + 1))
            rows_of.extend(sides)
    return nodes, leaf
