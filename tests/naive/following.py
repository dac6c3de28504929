"""Slow twin of the kernel of dates after others, `structured.leaves._kernels`."""

import math

from naive.plain_trees import is_allowed


def likely_of(low, high, wanted, weights, hours, seasons):
    """`weights` of days from the start, and `hours`, are those of a calendar.

    `seasons` are weights of the same days.
    """

    def likely(i, c):
        """Weight of the units on the weekday, beside what they usually have."""
        if c >= len(low):
            return float(not wanted.known[i])
        if not wanted.known[i]:
            return 0.0
        own, usual = [], []
        first = wanted.dates[i] + low[c]
        for value in range(first, wanted.dates[i] + high[c] + wanted.step):
            day, hour = value // wanted.unit, value % wanted.unit * 24 // wanted.unit
            if wanted.weekday[i] in (7, (day + 3) % 7):
                counts = wanted.hour[i] in (-1, hour)
                own.append(counts * weights[day - wanted.start] * hours[hour])
                usual.append(wanted.usual[hour + 1] - wanted.usual[hour])
        if not own:
            return 0.0
        ends = wanted.nearest[c], wanted.farthest[c]
        first, last = ((wanted.dates[i] + end) // wanted.unit for end in ends)
        near = [seasons[day - wanted.start] for day in range(first, last + 1)]
        return math.fsum(own) / math.fsum(usual) * math.fsum(near) / len(near)

    return likely


def evened(leaf, leaves, limits, low, high, wanted, n_codes, n_rounds, likely):
    """`likely` is what `likely_of` gives."""
    weight = [1.0] * n_codes
    for _ in range(n_rounds):
        usual, expected = [0.0] * n_codes, [0.0] * n_codes
        for i, own_leaf in enumerate(leaf):
            entries = range(leaves.indptr[own_leaf], leaves.indptr[own_leaf + 1])
            may_be = {
                e: float(leaves.rows[e])
                for e in entries
                if (leaves.code[e] < len(low)) == wanted.known[i]
                and is_allowed(i, leaves.code[e], limits)
            }
            reached = {
                e: n * weight[leaves.code[e]] * likely(i, leaves.code[e])
                for e, n in may_be.items()
            }
            if not any(reached.values()):
                continue
            for e, n in may_be.items():
                usual[leaves.code[e]] += n / math.fsum(may_be.values())
                expected[leaves.code[e]] += reached[e] / math.fsum(reached.values())
        for c in range(n_codes):
            if expected[c] > 0:
                weight[c] *= (usual[c] + 1) / (expected[c] + 1)
    return weight


def pick_likely(leaf, point, leaves, limits, weight, likely):
    """`likely` is what `likely_of` gives."""
    found = []
    for i, p in enumerate(point):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        codes, rows = leaves.code[first:last], leaves.rows[first:last]
        shares = [
            n * weight[c] * likely(i, c) if is_allowed(i, c, limits) else 0.0
            for c, n in zip(codes, rows, strict=True)
        ]
        place, left = -1, p * math.fsum(shares)
        for k, share in enumerate(shares):
            if share > 0 and left >= 0:
                place, left = k, left - share
        found.append(int(codes[place]) if place >= 0 else -1)
    return found
