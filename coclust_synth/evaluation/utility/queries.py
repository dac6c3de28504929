"""Count queries: how many rows meet a random conjunction, by the release.

A query picks one to three columns, and in each a random half of the parts, of numbers a
run of neighbouring ones. Its error is |a' - a| / max(a, 0.1 % of the rows), with a the
real count and a' that of the release, brought to the number of real rows.

References
----------
X. Xiao, G. Wang and J. Gehrke, "Differential privacy via wavelet transforms", IEEE TKDE
23(8), 2011: the sanity bound.
"""

import numpy as np
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import (
    Figures,
    Setting,
    of_mean,
    of_median,
)

N_QUERIES = 200
SANITY_BOUND = 0.001  # of the rows: a smaller real count does not divide an error
_MAX_COLUMNS = 3
_STREAM = 2


def draw_queries(
    coding: Coding, n: int, rng: np.random.Generator
) -> list[dict[int, NDArray[np.bool_]]]:
    """Random conjunctions: for each, the parts that it keeps of some columns."""
    d, queries = len(coding.names), []
    for _ in range(n):
        chosen = rng.choice(d, int(rng.integers(1, min(d, _MAX_COLUMNS) + 1)), False)
        query = {}
        for k in chosen.tolist():
            n_parts = int(coding.n_parts[k])
            half = max(1, n_parts // 2)
            kept = np.zeros(n_parts, dtype=bool)
            if coding.is_number[k]:
                start = int(rng.integers(0, n_parts - half + 1))
                kept[start : start + half] = True
            else:
                kept[rng.choice(n_parts, half, replace=False)] = True
            query[k] = kept
        queries.append(query)
    return queries


def query_errors(
    queries: list[dict[int, NDArray[np.bool_]]],
    real: NDArray[np.integer],
    other: NDArray[np.integer],
) -> NDArray[np.float64]:
    """Relative error of each query; codes of shape (n, d) and (m, d)."""
    counts = _counts(queries, real)
    scaled = _counts(queries, other) * (len(real) / len(other))
    return abs(scaled - counts) / np.maximum(counts, SANITY_BOUND * len(real))


def query_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Mean and median error of 200 queries."""
    queries = draw_queries(setting.coding, N_QUERIES, setting.rng(_STREAM))
    errors = query_errors(queries, setting.real.parts, rows.parts)
    mean = of_mean(errors)
    return {
        ("mean_query_error", ()): mean._replace(low=max(mean.low, 0.0)),
        ("median_query_error", ()): of_median(errors),
    }


def _counts(queries, codes):
    return np.array(
        [
            np.logical_and.reduce([kept[codes[:, k]] for k, kept in q.items()]).sum()
            for q in queries
        ]
    )
