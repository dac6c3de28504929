"""Distances to the nearest row of somebody else, from the definition: all pairs."""

import math


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
