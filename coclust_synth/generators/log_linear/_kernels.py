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
    weights = np.empty(n)  # logarithms of the cells of each clique to come
    for v in range(n):
        weights[v] = _weight(v, adjacent, left, log_sizes)
    cliques = np.zeros((n, n), dtype=np.bool_)
    is_maximal = np.ones(n, dtype=np.bool_)
    members = np.empty(n, dtype=np.int64)
    for step in range(n):
        best, best_weight = -1, np.inf
        for v in range(n):
            if left[v] and weights[v] < best_weight - _CLOSE:
                best, best_weight = v, weights[v]
        left[best] = False
        clique = cliques[step]
        clique[best] = True
        n_members = 0
        for u in range(n):
            if left[u] and adjacent[best, u]:
                clique[u] = True
                members[n_members] = u
                n_members += 1
        for u in members[:n_members]:
            for w in members[:n_members]:
                adjacent[u, w] = True
        for u in members[:n_members]:
            weights[u] = _weight(u, adjacent, left, log_sizes)
        for earlier in range(step):
            if cliques[earlier, best] and _is_within(clique, cliques[earlier]):
                is_maximal[step] = False
                break
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
                weight = 0.0
                for v in range(len(log_sizes)):
                    if cliques[k, v]:
                        weight += log_sizes[v]
                total += np.exp(weight)
        cells[i] = total
    return cells


@kernel
def _weight(v, adjacent, left, log_sizes):
    """Logarithm of the cells of a variable with its neighbours that are left."""
    weight = log_sizes[v]
    for u in range(len(left)):
        if left[u] and adjacent[v, u] and u != v:
            weight += log_sizes[u]
    return weight


@kernel
def _is_within(clique, other):
    for v in range(len(clique)):
        if clique[v] and not other[v]:
            return False
    return True
