"""Slow twin of the kernel of dates after others, `structured._kernels`."""

import math

from naive.plain_trees import is_allowed


def pick_likely(leaf, point, leaves, limits, low, high, wanted, weights, hours):
    """`weights` of days from the start, and `hours`, are those of a calendar."""

    def likely(i, c):
        """Mean weight of the units that are on the weekday, one after the other."""
        if c >= len(low):
            return float(not wanted.known[i])
        if not wanted.known[i]:
            return 0.0
        own = []
        first = wanted.dates[i] + low[c]
        for value in range(first, wanted.dates[i] + high[c] + wanted.step):
            day, hour = value // wanted.unit, value % wanted.unit * 24 // wanted.unit
            if wanted.weekday[i] in (7, (day + 3) % 7):
                counts = wanted.hour[i] in (-1, hour)
                own.append(counts * weights[day - wanted.start] * hours[hour])
        return math.fsum(own) / len(own) if own else 0.0

    found = []
    for i, p in enumerate(point):
        first, last = leaves.indptr[leaf[i]], leaves.indptr[leaf[i] + 1]
        codes, rows = leaves.code[first:last], leaves.rows[first:last]
        shares = [
            n * likely(i, c) if is_allowed(i, c, limits) else 0.0
            for c, n in zip(codes, rows, strict=True)
        ]
        place, left = -1, p * math.fsum(shares)
        for k, share in enumerate(shares):
            if share > 0 and left >= 0:
                place, left = k, left - share
        found.append(int(codes[place]) if place >= 0 else -1)
    return found
