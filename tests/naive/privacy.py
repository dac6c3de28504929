"""Privacy models from their formulas: one class at a time, in exact fractions."""

import math
from collections import Counter
from fractions import Fraction

from scipy.optimize import linprog


def equivalence_classes(rows):
    """Class of each row, and the number of rows of each class, by equality of rows."""
    classes = list(dict.fromkeys(rows))
    sizes = Counter(rows)
    return [classes.index(row) for row in rows], [sizes[row] for row in classes]


def counted_once(held, values):
    """Persons of each value, each counted for the commonest value that they hold.

    `held` has the set of values of each person; of values that as many hold the first
    of `values` comes first.
    """
    left, counts = list(held), dict.fromkeys(values, 0)
    while left:
        holders = {value: sum(value in own for own in left) for value in values}
        commonest = max(values, key=holders.get)
        counts[commonest] = holders[commonest]
        left = [own for own in left if commonest not in own]
    return [counts[value] for value in values]


def distinct_l(counts):
    return len([n for n in counts if n > 0])


def entropy_l(counts):
    shares = [n / sum(counts) for n in counts if n > 0]
    return math.exp(-math.fsum(p * math.log(p) for p in shares))


def recursive_c(counts, l):  # noqa: E741
    """The c of which r_1 = c (r_l + ... + r_m); infinite without r_l."""
    r = sorted((n for n in counts if n > 0), reverse=True)
    tail = sum(r[l - 1 :])
    return Fraction(r[0], tail) if tail else math.inf


def largest_share(counts):
    return Fraction(max(counts), sum(counts))


def equal_distance(counts, total):
    p, q = _shares(counts), _shares(total)
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2


def ordered_distance(counts, total):
    p, q = _shares(counts), _shares(total)
    m = len(p)
    if m == 1:
        return Fraction(0)
    cumulated = [abs(sum(p[: i + 1]) - sum(q[: i + 1])) for i in range(m)]
    return sum(cumulated) / (m - 1)


def hierarchical_distance(counts, total, nodes):
    """Li, Li and Venkatasubramanian, ICDE 2007, section 4, from the leaves up.

    A node passes up what its children could not settle among themselves: the cost of
    a node of height h is h/H min(positive extra, negative extra) of its children.
    """
    height = len(nodes) - 1
    p, q = _shares(counts), _shares(total)
    extra = {nodes[0][i]: p[i] - q[i] for i in range(len(p))}
    cost = Fraction(0)
    for h in range(1, height + 1):
        parent = dict(zip(nodes[h - 1], nodes[h], strict=True))
        above = {}
        for node in set(nodes[h]):
            children = [e for child, e in extra.items() if parent[child] == node]
            positive = sum(e for e in children if e > 0)
            negative = -sum(e for e in children if e < 0)
            cost += Fraction(h, height) * min(positive, negative)
            above[node] = positive - negative
        extra = above
    return cost


def earth_movers_distance(counts, total, ground):
    """Least cost of moving the shares of a class onto those of the table, as a plan."""
    p, q = ([float(x) for x in _shares(c)] for c in (counts, total))
    m = len(p)
    leaving = [[float(k // m == i) for k in range(m * m)] for i in range(m)]
    arriving = [[float(k % m == j) for k in range(m * m)] for j in range(m)]
    costs = [float(ground(i, j)) for i in range(m) for j in range(m)]
    plan = linprog(costs, A_eq=leaving + arriving[:-1], b_eq=p + q[:-1])
    assert plan.success
    return plan.fun


def common_level(nodes, i, j):
    """Level of the lowest node above two values."""
    return next(h for h, level in enumerate(nodes) if level[i] == level[j])


def a_know(classes, total):
    n_rows = sum(map(sum, classes))
    return sum(sum(c) * equal_distance(c, total) for c in classes) / Fraction(n_rows)


def _shares(counts):
    return [Fraction(int(n), int(sum(counts))) for n in counts]
