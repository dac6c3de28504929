"""Rows that get the value of which most is owed, from the words of the rule."""

from collections import defaultdict


def fill_evenly(codes, j, order, given, points, members):
    """Values of a column, row by row: `codes` are lists, whose last is the cell.

    Returns
    -------
    list of int
        In the order of the rows of `codes`.
    """
    values = range(len(given[0]))
    expected, made = defaultdict(float), defaultdict(int)
    found = [None] * len(codes)
    for row in order:
        share = given[codes[row][-1]]
        beside = [
            (t, *(codes[row][u] for u in columns if u >= 0))
            for t, columns in enumerate(members)
        ]
        owed = [sum(expected[c, b] - made[c, b] for c in beside) for b in values]
        drawn = [_value(share, point) for point in points[row]]
        found[row] = max(drawn, key=lambda b: (round(owed[b], 9), -drawn.index(b)))
        for cell in beside:
            made[cell, found[row]] += 1
            for b in values:
                expected[cell, b] += share[b]
    return found


def _value(share, point):
    """The value that a point in [0, 1) falls on, of lengths one after the other."""
    for b, length in enumerate(share):
        if point < length:
            return b
        point -= length
    return max(b for b, length in enumerate(share) if length > 0)
