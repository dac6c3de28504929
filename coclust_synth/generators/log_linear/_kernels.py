"""Compiled kernels of triangulation: arrays in, arrays out, input checked.

===========  ==================================================  =======
symbol       meaning                                             shape
===========  ==================================================  =======
adjacent     whether two variables are measured together         (v, v)
log_sizes    logarithm of the number of values of a variable     (v,)
members      variables to connect, -1 behind the last            (m, k)
cliques      whether a variable is in a clique                   (v, v)
===========  ==================================================  =======
"""

import numpy as np

from coclust_synth._jit import kernel

_CLOSE = 1e-9  # of two logarithms: a tie, which the variable of lower index wins


@kernel
def eliminate(adjacent, log_sizes):
    """Cliques of a triangulation, and which of them no other contains.

    One variable after the other is taken out, the one whose clique with its neighbours
    has fewest cells; its neighbours become neighbours of each other.
    """
    n = len(log_sizes)
    adjacent = adjacent.copy()
    left = np.ones(n, dtype=np.bool_)
    cliques = np.zeros((n, n), dtype=np.bool_)
    is_maximal = np.ones(n, dtype=np.bool_)
    for step in range(n):
        best, best_weight = -1, np.inf
        for v in range(n):
            if left[v]:
                weight = log_sizes[v]
                for u in range(n):
                    if adjacent[v, u] and left[u] and u != v:
                        weight += log_sizes[u]
                if weight < best_weight - _CLOSE:
                    best, best_weight = v, weight
        left[best] = False
        clique = cliques[step]
        clique[best] = True
        for u in range(n):
            if left[u] and adjacent[best, u]:
                clique[u] = True
        for u in range(n):
            if clique[u]:
                for w in range(n):
                    if clique[w]:
                        adjacent[u, w] = True
        for earlier in range(step):
            if is_maximal[step] and _is_within(clique, cliques[earlier]):
                is_maximal[step] = False
    return cliques, is_maximal


@kernel
def cells_with(adjacent, log_sizes, members):
    """Cells of all cliques together, if the variables of a row were connected too."""
    cells = np.empty(len(members))
    for i in range(len(members)):
        more = adjacent.copy()
        for a in members[i]:
            for b in members[i]:
                if a >= 0 and b >= 0:
                    more[a, b] = True
        cliques, is_maximal = eliminate(more, log_sizes)
        total = 0.0
        for k in range(len(cliques)):
            if is_maximal[k]:
                total += np.exp(log_sizes[cliques[k]].sum())
        cells[i] = total
    return cells


@kernel
def _is_within(clique, other):
    for v in range(len(clique)):
        if clique[v] and not other[v]:
            return False
    return True
