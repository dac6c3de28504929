"""Mondrian from its description: one region at a time, by recursion.

Rows are tuples of values, None where missing. A column is ("ordered", values in order),
("nominal", values in order), each with None last if it is there, or ("tree", lines):
the labels of each value from itself to the root.
"""

import math
from collections import Counter


def regions(rows, columns, k, *, relaxed=False, target=None, holds=lambda ids: True):
    """Rows of each region, as a set of frozensets of positions.

    `target` is a list of texts or of numbers, one for each row.
    """
    columns = sorted(
        (len(content), j, kind, content) for j, (kind, content) in enumerate(columns)
    )
    axes = [_axis(j, kind, content, rows, target) for _, j, kind, content in columns]
    # Rows that tie in a column are in the order of the others.
    start = sorted(range(len(rows)), key=lambda i: [axis.key(i) for axis in axes])
    found, waiting = set(), [start]
    while waiting:
        ids = waiting.pop()
        if target is None:
            cuts = _by_width(ids, axes, k, relaxed)
        else:
            cuts = _by_purity(ids, axes, k, target)
        for pieces in cuts:
            if all(holds(piece) for piece in pieces):
                inside = [set(piece) for piece in pieces]
                waiting += [[i for i in ids if i in own] for own in inside]
                break
        else:
            found.add(frozenset(ids))
    return found


class _axis:
    def __init__(self, j, kind, content, rows, target):
        self.kind, self.content = kind, content
        self.values = [row[j] for row in rows]
        if kind == "tree":
            self.lines = {line[0]: line for line in content}
            self.order = sorted(
                self.lines,
                key=lambda leaf: [
                    [line[level] for line in content].index(self.lines[leaf][level])
                    for level in reversed(range(len(content[0])))
                ],
            )
        elif kind == "nominal":
            self.order = sorted(
                content, key=lambda v: (-self.weight(v, target), content.index(v))
            )
        else:
            self.order = list(content)

    def weight(self, value, target):
        ids = [i for i, v in enumerate(self.values) if v == value]
        if target is None:
            return len(ids)
        if isinstance(target[0], str):
            counts = Counter(target)
            top = min(counts, key=lambda v: (-counts[v], v))
            return sum(target[i] == top for i in ids) / len(ids)
        return round(sum(target[i] for i in ids) / len(ids), 9)

    def key(self, i):
        return self.order.index(self.values[i])

    def width(self, ids):
        values = {self.values[i] for i in ids}
        if len(values) == 1:
            return 0
        if self.kind == "tree":
            level = self.covering_level(values)
            node = self.lines[next(iter(values))][level]
            under = sum(line[level] == node for line in self.content)
            return (under - 1) / (len(self.content) - 1)
        if self.kind == "nominal":
            return (len(values) - 1) / (len(self.content) - 1)
        if None in values:
            return 1
        present = [value for value in self.content if value is not None]
        return (max(values) - min(values)) / (present[-1] - present[0])

    def covering_level(self, values):
        level = 0
        while len({self.lines[value][level] for value in values}) > 1:
            level += 1
        return level

    def children(self, ids):
        level = self.covering_level({self.values[i] for i in ids}) - 1
        pieces = {}
        for i in ids:
            pieces.setdefault(self.lines[self.values[i]][level], []).append(i)
        return list(pieces.values())


def _by_width(ids, axes, k, relaxed):
    for axis in sorted(axes, key=lambda axis: -axis.width(ids)):
        if axis.width(ids) == 0 or len(ids) < 2 * k:
            return
        if axis.kind == "tree":
            cuts = [axis.children(ids)]
        else:
            along = sorted(ids, key=axis.key)
            if relaxed:
                half = len(ids) // 2
                cuts = [[along[:half], along[half:]]]
            else:
                median = axis.key(along[(len(ids) - 1) // 2])
                before = [i for i in along if axis.key(i) < median]
                upto = [i for i in along if axis.key(i) <= median]
                cuts = [[own, along[len(own) :]] for own in (before, upto)]
                cuts.sort(
                    key=lambda two: (
                        -sum(len(own) // k for own in two),
                        -min(map(len, two)),
                    )
                )
        yield from (pieces for pieces in cuts if min(map(len, pieces)) >= k)


def _by_purity(ids, axes, k, target):
    best = []
    for axis in axes:
        if axis.width(ids) == 0:
            continue
        if axis.kind == "tree":
            cuts = [axis.children(ids)]
        else:
            along = sorted(ids, key=axis.key)
            cuts = [
                [along[:at], along[at:]]
                for at in range(1, len(along))
                if axis.key(along[at]) != axis.key(along[at - 1])
            ]
        cuts = [pieces for pieces in cuts if min(map(len, pieces)) >= k]
        if cuts:
            best.append(min(cuts, key=lambda cut: _badness(cut, target)))
    return sorted(best, key=lambda cut: _badness(cut, target))


def _badness(pieces, target):
    n = sum(map(len, pieces))
    total = sum(_impurity([target[i] for i in piece]) for piece in pieces)
    return round(total / n, 7), -min(map(len, pieces))


def _impurity(values):
    n = len(values)
    if isinstance(values[0], str):
        return -sum(c * math.log(c / n) for c in Counter(values).values())
    mean = sum(values) / n
    return sum((value - mean) ** 2 for value in values)
