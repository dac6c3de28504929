"""Who is told by near rows and by scores, from the definitions: all pairs."""

import math
from fractions import Fraction


def auc_with_interval(positives, negatives):
    """(value, low, high, number of positives, number of negatives)."""
    m, n = len(positives), len(negatives)
    v = [Fraction(sum(_above(x, y) for y in negatives), n) for x in positives]
    w = [Fraction(sum(_above(x, y) for x in positives), m) for y in negatives]
    value = sum(v) / m
    variance = _variance(v) / m + _variance(w) / n
    reach = 1.959963984540054 * math.sqrt(variance)  # 97.5 % of the normal law
    low, high = max(float(value) - reach, 0.0), min(float(value) + reach, 1.0)
    return float(value), low, high, m, n


def _above(x, y):
    return Fraction(1) if x > y else Fraction(1, 2) if x == y else Fraction(0)


def _variance(values):
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)


def nearest_distances(rows, references):
    return [min((hamming(a, b) for b in references), default=len(a)) for a in rows]


def hamming(a, b):
    return sum(x != y for x, y in zip(a, b, strict=True))


def membership_auc(training, holdout, synthetic):
    training, holdout, synthetic = (
        [tuple(map(int, row)) for row in table]
        for table in (training, holdout, synthetic)
    )
    members = [row for row in training if training.count(row) == 1]
    others = [row for row in holdout if row not in training]
    return auc_with_interval(
        [-distance for distance in nearest_distances(members, synthetic)],
        [-distance for distance in nearest_distances(others, synthetic)],
    )


def nearest_others(rows, references):
    found = []
    for x, a, i in zip(*rows, strict=True):
        distances = [
            sum(abs(u - v) for u, v in zip(x, y, strict=True))
            + sum(u != v for u, v in zip(a, b, strict=True))
            for y, b, j in zip(*references, strict=True)
            if i < 0 or i != j
        ]
        found.append(min(distances, default=math.inf))
    return found
