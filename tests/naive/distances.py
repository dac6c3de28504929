"""Distances between tables, from their formulas: row by row, margin by margin."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations


def joint_hellinger(real, released):
    """Distance of real rows, tuples of values, to released rows, tuples of sets."""
    p = {v: Fraction(n, len(real)) for v, n in Counter(real).items()}
    q = {v: sum(_share(v, row) for row in released) / len(released) for v in p}
    return math.sqrt(max(0, 1 - math.fsum(math.sqrt(p[v] * q[v]) for v in p)))


def _share(values, row):
    """Part of a released row that is at some joint values."""
    share = Fraction(1)
    for value, group in zip(values, row, strict=True):
        share *= Fraction(value in group, len(group))
    return share


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
