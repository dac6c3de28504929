"""What the experiments measure of drawn tables, and rows that nothing was fitted for.

Everything is measured over the parts of one coding, which the training part alone
determines; tables are its codes here.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
)
from coclust_synth.evaluation.telling_apart.membership import membership_auc
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)


def distances_by_order(train, draws, orders):
    """Mean distances between margins of the training part and of drawn tables.

    Parameters
    ----------
    train : ndarray of int, shape (n, d)
    draws : list of ndarray of int, shape (m, d)
    orders : list of int

    Returns
    -------
    dict of int to dict
        For each order ``total_variation``, ``total_variation_sd`` over draws, and
        ``hellinger``.
    """
    means = [
        mean_margin_distances(margin_distances(train, drawn, orders=orders))
        for drawn in draws
    ]
    found = {}
    for order in orders:
        variations = [mean[order]["total_variation"] for mean in means]
        hellingers = [mean[order]["hellinger"] for mean in means]
        found[order] = {
            **_mean_and_sd("total_variation", variations),
            "hellinger": round(float(np.mean(hellingers)), 7),
        }
    return found


def areas(train, pairs, seeds):
    """Mean areas under the ROC curve of two ways to tell rows.

    Parameters
    ----------
    train : ndarray of int, shape (n, d)
    pairs : list of (holdout, drawn), two ndarrays of int, shapes (h, d), (m, d)
    seeds : list of SeedSequence
        One for each pair.

    Returns
    -------
    dict
        ``real_vs_synthetic_auc``, against the holdout, and ``membership_auc``, and
        their standard deviations over pairs, ``_sd``.
    """
    told = [
        real_vs_synthetic_auc(holdout, drawn, random_state=seed).value
        for (holdout, drawn), seed in zip(pairs, seeds, strict=True)
    ]
    members = [membership_auc(train, holdout, drawn).value for holdout, drawn in pairs]
    return {
        **_mean_and_sd("real_vs_synthetic_auc", told),
        **_mean_and_sd("membership_auc", members),
    }


@dataclass(frozen=True)
class Reference:
    """Rows to compare a method with.

    Attributes
    ----------
    method : str
    draws : list of ndarray of int, shape (m, d)
        What margins are those of.
    pairs : list of (holdout, drawn)
        What areas are those of.
    """

    method: str
    draws: list
    pairs: list


def references(train, holdout, n_draws, rng):
    """Fresh real rows, a bootstrap copy and independent columns, `n_draws` of each.

    Fresh rows are the holdout. For the areas they are a random half of it, judged with
    the other half: no row stands on both sides.
    """
    halves = [np.array_split(rng.permutation(holdout), 2) for _ in range(n_draws)]
    copies = [_drawn_again(train, rng) for _ in range(n_draws)]
    independent = [
        np.column_stack([_drawn_again(column, rng) for column in train.T])
        for _ in range(n_draws)
    ]
    return [
        Reference("fresh real rows", [holdout], halves),
        Reference("bootstrap copy", copies, [(holdout, drawn) for drawn in copies]),
        Reference(
            "independent columns",
            independent,
            [(holdout, drawn) for drawn in independent],
        ),
    ]


def _drawn_again(rows, rng):
    return rows[rng.integers(0, len(rows), len(rows))]


def _mean_and_sd(name, values):
    return {
        name: round(float(np.mean(values)), 7),
        f"{name}_sd": round(float(np.std(values)), 7),
    }
