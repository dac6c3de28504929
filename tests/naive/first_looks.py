"""Slow twins of first looks: rows next to each other, and pairs of columns."""

from itertools import combinations

from coclust_synth.tables.rules.values.combinations import exclusions, nested
from coclust_synth.tables.rules.values.pairs import Pair


def neighbours(rows, key):
    """Pairs of a row and the last one before it that has its key."""
    pairs = []
    for i, row in enumerate(rows):
        before = [other for other in rows[:i] if key[other] == key[row]]
        if before:
            pairs.append((before[-1], row))
    return pairs


def count_changes(key, values):
    """Neighbours that differ, of each column of rows of values."""
    pairs = neighbours(range(len(key)), key)
    n_columns = len(values[0])
    return [
        sum(values[a][c] != values[b][c] for a, b in pairs) for c in range(n_columns)
    ]


def told_by(columns, labels, single, few, share):
    """Whether some columns tell each one, of columns of labels; None of few rows."""
    rows = range(len(labels[0]))
    rows = [row for row in rows if all(single[c][row] for c in columns)]
    key = {row: tuple(labels[c][row] for c in columns) for row in rows}
    pairs = neighbours(rows, key)
    if len(pairs) < few:
        return None

    def n_broken(own, is_one):
        return sum(own[a] != own[b] and is_one[a] and is_one[b] for a, b in pairs)

    most = share * len(pairs) + 2
    columns = zip(labels, single, strict=True)
    return [n_broken(*column) <= most for column in columns]


def find_combinations(evidence, k):
    """All pairs of columns, each counted and tried in full."""
    found = []
    pairs = combinations(range(len(evidence.n_bins)), 2)
    for first, second in sorted(pairs, key=lambda pair: pair[::-1]):
        pair = Pair.of(first, second, evidence)
        rule = nested(pair, k) or nested(pair.turned, k) or exclusions(pair, k)
        found += [] if rule is None else [rule]
    return found
