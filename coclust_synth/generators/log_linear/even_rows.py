"""Rows of a junction tree, spread evenly: their margins are hardly off by chance.

Columns are drawn one after the other, each given those of its clique that were drawn
before. Were each row drawn on its own, margins of rows would be off those of the model
by chance, which is most of what is off where noise is little. So a row gets one of a
few values that are drawn for it: the one of which most rows are owed, in the column,
in its clique, and beside each of the columns before and each two of the last of them.
As what is owed to a value is only made up where it is drawn, each is drawn about as
often as the model says, rare ones too.

All of this is post-processing of a model: nothing is spent.
"""

from itertools import combinations

import numpy as np

from coclust_synth.generators.log_linear._row_kernels import fill_evenly

# Values drawn for a row: pairs and triples are hardly nearer with 16, or all.
_N_DRAWN = 8
# Columns drawn before, two of which are kept beside each other.
_MOST_OF_TRIPLES = 12
_MAX_CELLS = 20_000  # of a table of what is owed


def draw_even_rows(tree, beliefs, n, rng):
    """Rows of a distribution over a junction tree.

    Parameters
    ----------
    tree : JunctionTree
    beliefs : list of ndarray of float64
        Distribution of each clique, calibrated.
    n : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n, v)
        In no order that means anything.
    """
    codes = np.zeros((n, len(tree.sizes) + 1), dtype=np.int64)
    drawn = []
    for i, clique in enumerate(tree.cliques):
        known = [v for v in clique if v in drawn]
        for v in clique:
            if v not in known:
                own = tuple(sorted([*known, v]))
                joint = np.moveaxis(tree.sums(beliefs, i, own), own.index(v), -1)
                _fill(codes, v, sorted(known), joint, drawn, tree.sizes, rng)
                known.append(v)
                drawn.append(v)
    return codes[:, :-1]


def _fill(codes, v, known, joint, drawn, sizes, rng):
    """Draw a variable in all rows, given known ones: the first axes of the joint."""
    shares = joint.reshape(-1, sizes[v])
    total = shares.sum(axis=1, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    ends = shares.cumsum(axis=1)
    # Of the last value that is possible, whatever the sum is rounded to.
    ends[shares[:, ::-1].cumsum(axis=1)[:, ::-1] <= shares] = 1.0
    codes[:, -1] = 0
    for u in known:
        codes[:, -1] = codes[:, -1] * sizes[u] + codes[:, u]
    sizes = np.array([*sizes, len(shares)])
    members, n_cells = _tables(v, drawn, sizes)
    order, points = rng.permutation(len(codes)), rng.random((len(codes), _N_DRAWN))
    starts, owed = np.cumsum(n_cells) - n_cells, np.zeros(n_cells.sum())
    fill_evenly(codes, v, order, shares, ends, points, members, sizes, starts, owed)


def _tables(v, drawn, sizes):
    """Columns beside which a variable is kept even, -1 for none, and cells of each."""
    pairs = [(u, -1) for u in drawn]
    members = [*pairs, *combinations(drawn[-_MOST_OF_TRIPLES:], 2)]
    members = np.array([(-1, -1), (len(sizes) - 1, -1), *members])
    n_cells = np.where(members >= 0, sizes[members], 1).prod(axis=1) * sizes[v]
    is_kept = n_cells <= _MAX_CELLS
    is_kept[:2] = True
    return members[is_kept], n_cells[is_kept]
