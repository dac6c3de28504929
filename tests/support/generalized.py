"""Small generalised tables at random, and what their cells stand for."""

import numpy as np

from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable


def random_release(rng, n_rows, n_leaves, n_sets=4, suppress=False):
    """A table of integer leaves: 0, 1, ... in each column."""
    columns = []
    suppressed = np.zeros(n_rows, dtype=bool)
    if suppress:
        suppressed = rng.random(n_rows) < 0.3
    for k, n in enumerate(n_leaves):
        members = rng.random((n_sets, n)) < rng.uniform(0.2, 0.8)
        members[np.arange(n_sets), rng.integers(0, n, n_sets)] = True
        members = np.vstack([members, np.ones(n, dtype=bool)])
        codes = np.where(suppressed, n_sets, rng.integers(0, n_sets, n_rows))
        columns.append(
            GeneralizedColumn.from_members(f"v{k}", range(n), True, members, codes)
        )
    return GeneralizedTable(columns, suppressed=suppressed)


def cell_sets(released):
    """The leaves of each cell: a tuple of frozensets for each row."""
    of_columns = [
        [
            frozenset(
                leaf
                for leaf, is_in in zip(c.leaves, c.members[code], strict=True)
                if is_in
            )
            for code in c.codes
        ]
        for c in released.columns
    ]
    return list(zip(*of_columns, strict=True))
