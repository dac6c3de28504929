"""The area under a ROC curve and DeLong's interval, from all pairs of scores."""

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
