"""Distances between margins, from their formulas: one set of variables at a time."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations


def margin_distances(real, synthetic, *, orders=(1, 2, 3)):
    """(variables, total variation, Hellinger) of each set, by increasing order."""
    sets = [
        variables
        for order in sorted(orders)
        for variables in combinations(range(len(real[0])), order)
    ]
    return [(v, *distances(_margin(real, v), _margin(synthetic, v))) for v in sets]


def distances(p, q):
    """Total variation and Hellinger distance of two dicts of shares."""
    values = set(p) | set(q)
    total_variation = sum(abs(p.get(v, 0) - q.get(v, 0)) for v in values) / 2
    squares = [(math.sqrt(p.get(v, 0)) - math.sqrt(q.get(v, 0))) ** 2 for v in values]
    return float(total_variation), math.sqrt(math.fsum(squares)) / math.sqrt(2)


def _margin(rows, variables):
    counts = Counter(tuple(int(row[k]) for k in variables) for row in rows)
    return {value: Fraction(n, len(rows)) for value, n in counts.items()}
