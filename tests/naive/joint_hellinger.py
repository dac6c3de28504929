"""Joint Hellinger distance of sets of values, from its formula: row by row."""

import math
from collections import Counter
from fractions import Fraction


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
