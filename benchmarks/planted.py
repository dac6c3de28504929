"""Tables of two variables whose grid is known."""

import numpy as np
import pandas as pd


def planted_table(n_observations, n_values, n_clusters, *, seed=1):
    """Draw observations of two variables from a planted grid.

    Each value belongs to one cluster, at random. Cells have gamma(0.3) weights: a few
    are full, most nearly empty. Inside a cluster values have weights of 1 + a Pareto
    law of exponent 1.5: some are frequent, most rare.

    Parameters
    ----------
    n_observations : int
    n_values : int
        Of each variable; some may have no observation.
    n_clusters : int
        Of each variable.
    seed : int, default=1

    Returns
    -------
    DataFrame, shape (n_observations, 2)
        Columns ``a`` and ``b``.
    """
    rng = np.random.default_rng(seed)
    clusters = [rng.integers(0, n_clusters, n_values) for _ in "ab"]
    cells = rng.gamma(0.3, 1, n_clusters**2)
    weights = [rng.pareto(1.5, n_values) + 1 for _ in "ab"]
    drawn = rng.choice(n_clusters**2, n_observations, p=cells / cells.sum())
    drawn = np.divmod(drawn, n_clusters)
    codes = np.empty((2, n_observations), dtype=np.int64)
    for cluster in range(n_clusters):
        for side in range(2):
            values = np.flatnonzero(clusters[side] == cluster)
            there = drawn[side] == cluster
            p = weights[side][values]
            codes[side, there] = rng.choice(values, there.sum(), p=p / p.sum())
    columns = {
        name: np.char.add(name, column.astype(str))
        for name, column in zip("ab", codes, strict=True)
    }
    return pd.DataFrame(columns)
