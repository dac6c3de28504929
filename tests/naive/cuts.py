"""Cuts of hierarchies by the two searches, row by row and from the formulas.

A table is a list of tuples of texts, a hierarchy a dict from value to its labels from
level 0 to the root. A node is the set of its leaves with its label, a cut a dict from
leaf to node.
"""

import math
from collections import Counter
from fractions import Fraction

SAME = 1e-9


def paths(hierarchy):
    """The nodes above each leaf, the leaf first, each once."""
    found = {}
    for leaf, line in hierarchy.items():
        nodes = [
            (frozenset(v for v, own in hierarchy.items() if own[i] == label), label)
            for i, label in enumerate(line)
        ]
        # A leaf and a group of it alone under its text are one node.
        found[leaf] = [n for i, n in enumerate(nodes) if i == 0 or n != nodes[i - 1]]
    return found


def child_of(path, node):
    """The node below one on a path."""
    return path[path.index(node) - 1]


def is_leaf(path, node):
    return path[0] == node


def entropy(values):
    counts = Counter(values).values()
    return -sum(c / len(values) * math.log2(c / len(values)) for c in counts)


def information_gain(rows, j, path, node, target):
    """InfoGain of a node whose leaves are replaced by its children."""
    under = [i for i, row in enumerate(rows) if row[j] in node[0]]
    if not under:
        return 0.0
    kept = 0.0
    children = {child_of(path[rows[i][j]], node) for i in under}
    for child in children:
        own = [target[i] for i in under if child_of(path[rows[i][j]], node) == child]
        kept += len(own) / len(under) * entropy(own)
    return max(round(entropy([target[i] for i in under]) - kept, 12), 0.0)


def column_loss(rows, j, n_leaves, cut):
    """Mean share of the values of a column, beside its own, that a cell stands for."""
    if n_leaves == 1:
        return Fraction(0)
    return sum(Fraction(len(cut[r[j]][0]) - 1, n_leaves - 1) for r in rows) / len(rows)


def loss_of(rows, j, path, node):
    """What the loss of a column grows by where the children of a node become it."""
    children = {leaf: child_of(path[leaf], node) for leaf in node[0]}
    whole = {leaf: (frozenset([leaf]), "") for leaf in path}
    return column_loss(
        rows, j, len(path), whole | dict.fromkeys(node[0], node)
    ) - column_loss(rows, j, len(path), whole | children)


def worth(rows, j, path, node, target):
    if target is None:
        return float(loss_of(rows, j, path, node))
    return information_gain(rows, j, path, node, target)


def classes(rows, cuts):
    """Rows of each class, by their nodes."""
    found = {}
    for i, row in enumerate(rows):
        key = tuple(cut[value] for cut, value in zip(cuts, row, strict=True))
        found.setdefault(key, []).append(i)
    return list(found.values())


def least(rows, cuts):
    return min(map(len, classes(rows, cuts)))


def holds(rows, cuts, k, sensitive, models):
    """Whether each class has k rows, and all models by its counts and the table's."""
    values = sorted(set(sensitive))
    total = [sensitive.count(v) for v in values]
    for own in classes(rows, cuts):
        held = [sensitive[i] for i in own]
        counts = [held.count(v) for v in values]
        if len(own) < k or not all(m(counts, total) for m in models):
            return False
    return True


def top_down(rows, hierarchies, k, target, sensitive, models):
    """The cuts and the steps of top-down specialisation."""
    above = [paths(h) for h in hierarchies]
    cuts = [{leaf: path[leaf][-1] for leaf in path} for path in above]
    steps = []
    while True:
        found = []
        for j, cut in enumerate(cuts):
            for node in dict.fromkeys(cut.values()):
                under = [i for i, row in enumerate(rows) if row[j] in node[0]]
                seen = under if target is None else {target[i] for i in under}
                if len(seen) < (1 if target is None else 2):
                    continue
                if is_leaf(above[j][next(iter(node[0]))], node):
                    continue
                children = {leaf: child_of(above[j][leaf], node) for leaf in node[0]}
                after = [*cuts[:j], cut | children, *cuts[j + 1 :]]
                if holds(rows, after, k, sensitive, models):
                    lost = least(rows, cuts) - least(rows, after)
                    gain = worth(rows, j, above[j], node, target)
                    found.append((gain / (lost + 1), j, node, after))
        if not found:
            return cuts, steps
        best = max(score for score, *_ in found)
        _, j, node, cuts = next(f for f in found if f[0] >= best * (1 - SAME))
        steps.append((j, node))


def bottom_up(rows, hierarchies, k, target, sensitive, models):
    """The cuts and the steps of bottom-up generalisation."""
    above = [paths(h) for h in hierarchies]
    cuts = [{leaf: path[leaf][0] for leaf in path} for path in above]
    steps = []
    while not holds(rows, cuts, k, sensitive, models):
        found = []
        for j, cut in enumerate(cuts):
            nodes = {node for path in above[j].values() for node in path}
            place = {leaf: i for i, leaf in enumerate(above[j])}
            for node in sorted(nodes, key=lambda n: min(place[leaf] for leaf in n[0])):
                if is_leaf(above[j][next(iter(node[0]))], node):
                    continue
                children = {leaf: child_of(above[j][leaf], node) for leaf in node[0]}
                if any(cut[leaf] != child for leaf, child in children.items()):
                    continue
                after = [*cuts[:j], cut | dict.fromkeys(node[0], node), *cuts[j + 1 :]]
                gained = least(rows, after) - least(rows, cuts)
                loss = worth(rows, j, above[j], node, target)
                found.append((loss, gained, j, node, after))
        critical = [(f[0] / f[1], *f[2:]) for f in found if f[1] > 0]
        ranked = critical or [(f[0], *f[2:]) for f in found]
        best = min(score for score, *_ in ranked)
        _, j, node, cuts = next(f for f in ranked if f[0] <= best * (1 + SAME))
        steps.append((j, node))
    return cuts, steps
