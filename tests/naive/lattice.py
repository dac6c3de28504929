"""Optimal generalisation along hierarchies, by looking at every node, row by row.

A table is a list of tuples of texts, a hierarchy a dict from value to its labels from
level 0 to the root.
"""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

TENTH = 10**10


def generalize(rows, hierarchies, node):
    """The rows with each value replaced by its label on the level of its column."""
    return [
        tuple(h[v][level] for h, v, level in zip(hierarchies, row, node, strict=True))
        for row in rows
    ]


def suppressed_rows(labels, k, sensitive, models):
    """Whether each row is in a class below k, or in which a model does not hold.

    Models are functions of the counts of each sensitive value in the class, and in the
    whole table.
    """
    values = sorted(set(sensitive))
    total = [sensitive.count(v) for v in values]
    fails = {}
    for own in set(labels):
        of_class = [
            s for s, label in zip(sensitive, labels, strict=True) if label == own
        ]
        counts = [of_class.count(v) for v in values]
        fails[own] = len(of_class) < k or not all(m(counts, total) for m in models)
    return [fails[label] for label in labels]


def score(metric, rows, hierarchies, node, labels, suppressed):
    """The metric of a node from its formula; exact but for logarithms and roots."""
    n, n_suppressed = len(rows), sum(suppressed)
    if metric in ("dm", "class_size"):
        kept = Counter(
            label for label, out in zip(labels, suppressed, strict=True) if not out
        )
        if metric == "dm":
            return sum(c * c for c in kept.values()) + n * n_suppressed
        return Fraction(n, len(kept) + (n_suppressed > 0))
    columns = [
        _COLUMN[metric](
            [row[i] for row in rows],
            [label[i] for label in labels],
            suppressed,
            hierarchy,
            node[i],
        )
        for i, hierarchy in enumerate(hierarchies)
    ]
    d = len(columns)
    if metric == "loss":
        return math.prod(1 + float(x) for x in columns) ** (1 / d) - 1
    return sum(columns) / (1 if "entropy" in metric else d)


def _loss(values, labels, suppressed, hierarchy, level):
    n, n_leaves = len(values), len(hierarchy)
    if n_leaves == 1:
        return Fraction(0)
    shares = Fraction(0)
    for label, out in zip(labels, suppressed, strict=True):
        lines = sum(line[level] == label for line in hierarchy.values())
        shares += 1 if out else Fraction(lines, n_leaves)
    least = Fraction(n, n_leaves)
    loss = max((shares - least) / (n - least), Fraction(0))
    return Fraction(math.floor(loss * TENTH), TENTH)


def _precision(values, labels, suppressed, hierarchy, level):
    height = len(next(iter(hierarchy.values()))) - 1
    share = Fraction(level, height) if height else Fraction(0)
    out = Fraction(sum(suppressed), len(suppressed))
    return (1 - out) * share + out


def _entropy(values, labels, suppressed, hierarchy, level):
    f, g = Counter(values), Counter(labels)
    bits = -math.fsum(
        math.log2(f[v] / g[label]) for v, label in zip(values, labels, strict=True)
    )
    lost = Counter(label for label, out in zip(labels, suppressed, strict=True) if out)
    return bits - math.fsum(c * math.log2(c / lost.total()) for c in lost.values())


def _normalized(values, labels, suppressed, hierarchy, level):
    n = len(values)
    own = -math.fsum(f * math.log2(f / n) for f in Counter(values).values())
    bits = _entropy(values, labels, suppressed, hierarchy, level)
    return bits / own if own else 0.0


_COLUMN = {
    "loss": _loss,
    "loss_arithmetic": _loss,
    "precision": _precision,
    "entropy": _entropy,
    "normalized_entropy": _normalized,
}


def feasible_scores(metrics, rows, hierarchies, k, limit, sensitive, models):
    """For each metric the score of every feasible node, by node."""
    levels = [range(len(next(iter(h.values())))) for h in hierarchies]
    found = {metric: {} for metric in metrics}
    for node in product(*levels):
        labels = generalize(rows, hierarchies, node)
        suppressed = suppressed_rows(labels, k, sensitive, models)
        if sum(suppressed) <= limit:
            for metric in metrics:
                found[metric][node] = score(
                    metric, rows, hierarchies, node, labels, suppressed
                )
    return found


# --- twins of the kernels -----------------------------------------------------


def roll_up(codes, rows, sizes, levels, nodes, most_keys):
    merged, first, label = {}, [], []
    for row, size in zip(rows.tolist(), sizes.tolist(), strict=True):
        own = tuple(
            int(nodes[place + codes[j, row]])
            for j, (place, _) in enumerate(levels.tolist())
        )
        if own not in merged:
            merged[own] = 0
            first.append(row)
        merged[own] += size
        label.append(list(merged).index(own))
    return first, list(merged.values()), label


def merge_counts(counts, label, n_classes):
    """Of tables of counts with a row for each class."""
    merged = [[0] * len(counts[0])] * n_classes
    for row, own in zip(counts, label, strict=True):
        merged[own] = [a + b for a, b in zip(merged[own], row, strict=True)]
    return merged


def is_open(node, tags, lower, rank, best):
    return tags[node] == 0 and (lower[node], rank[node]) < tuple(best)


def next_open(order, start, tags, lower, rank, best):
    found = [
        place
        for place, node in enumerate(order)
        if place >= start and is_open(node, tags, lower, rank, best)
    ]
    return min(found, default=len(order))


def climb(node, strides, shape, tags, guide):
    path = [node]
    while True:
        successors = [
            path[-1] + stride
            for stride, size in zip(strides, shape, strict=True)
            if path[-1] // stride % size + 1 < size
        ]
        unknown = [other for other in successors if tags[other] == 0]
        if not unknown:
            return path
        path.append(min(unknown, key=lambda other: guide[other]))


def add_node(bits, places, node, number):
    for place, level in zip(places, node, strict=True):
        for own in range(level + 1):
            words = bits[place + own].tolist()
            words[number // 64] += 2 ** (number % 64)
            bits[place + own] = words


def any_above(bits, places, n_words):
    return any(
        all(int(bits[place, number // 64]) >> number % 64 & 1 for place in places)
        for number in range(64 * n_words)
    )
