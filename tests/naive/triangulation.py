"""Triangulation by sets: out goes the variable whose clique has fewest cells."""

import math


def eliminate(n, groups, sizes):
    """Cliques in the order in which variables go out."""
    neighbours = {v: set() for v in range(n)}
    for group in groups:
        for v in group:
            neighbours[v] |= set(group) - {v}
    cliques, left = [], set(range(n))
    while left:
        cells = {v: math.prod(sizes[u] for u in neighbours[v] | {v}) for v in left}
        out = min(left, key=lambda v: (cells[v], v))
        cliques.append(neighbours[out] | {out})
        left.remove(out)
        for v in neighbours.pop(out):
            neighbours[v] |= cliques[-1]
            neighbours[v] -= {v, out}
    return cliques


def cells(n, groups, sizes):
    """Of all cliques that are part of no other."""
    cliques = {frozenset(clique) for clique in eliminate(n, groups, sizes)}
    maximal = [c for c in cliques if not any(c < other for other in cliques)]
    return sum(math.prod(sizes[v] for v in clique) for clique in maximal)
