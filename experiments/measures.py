"""What the experiments measure of drawn tables, over the parts of one coding.

The training part alone determines the coding; tables are its codes here. A measure has
a name and, where it is of a column, of which one. Draws are compared with the training
part, and told from the holdout.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import CategoricalNB
from threadpoolctl import threadpool_limits

from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
)
from coclust_synth.evaluation.risk.copies import protection_ratios, uniques_reproduced
from coclust_synth.evaluation.telling_apart.auc import auc_with_interval
from coclust_synth.evaluation.telling_apart.membership import membership_auc
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)
from coclust_synth.evaluation.utility.learning import score_chances
from experiments.peers.khiops_bayes import selective_bayes_chances

_ORDERS = (1, 2, 3)
_LEARNT = 0.7  # of the rows, where a model tells drawn rows from real ones
# Boosting of up to 42 classes: on more rows it takes minutes a column.
_BOOSTED_ROWS, _ROUNDS, _LEAVES = 10_000, 30, 15
_MAX_CATEGORIES = 255  # of a categorical variable, in scikit-learn's boosting


class Drawn(NamedTuple):
    """One table that a method drew, and who judges it.

    Attributes
    ----------
    codes : ndarray of int, shape (m, d)
    judged : ndarray of int, shape (l, d)
        The same, or as many of them as are told from the holdout.
    holdout : ndarray of int, shape (h, d)
    """

    codes: np.ndarray
    judged: np.ndarray
    holdout: np.ndarray


class Asked(NamedTuple):
    """What measures are taken with.

    Attributes
    ----------
    names : tuple of str
        The d columns.
    sizes : ndarray of int, shape (d,)
        Codes that each can have.
    train : ndarray of int, shape (n, d)
    classifiers : tuple of str
        Of `CLASSIFIERS`.
    targets : tuple of str
        Columns that models are trained to tell.
    """

    names: tuple
    sizes: np.ndarray
    train: np.ndarray
    classifiers: tuple
    targets: tuple


def distances(asked, drawn, _seed):
    """Mean total variation, over all sets of 1, 2 and 3 columns."""
    orders = [order for order in _ORDERS if order <= len(asked.names)]
    means = mean_margin_distances(
        margin_distances(asked.train, drawn.codes, orders=orders)
    )
    return {
        (f"total variation, {order}", ""): means[order]["total_variation"]
        for order in orders
    }


def told_apart(asked, drawn, seed):
    """AUC of each classifier that tells drawn rows from those of the holdout."""
    rng = np.random.default_rng(seed)
    n = min(len(drawn.judged), len(drawn.holdout))
    parts = [rng.permutation(t)[:n] for t in (drawn.holdout, drawn.judged)]
    n_learnt = int(_LEARNT * n)
    learnt = np.concatenate([part[:n_learnt] for part in parts])
    tested = np.concatenate([part[n_learnt:] for part in parts])
    answers = np.arange(2 * n_learnt) >= n_learnt
    found = {}
    for name in asked.classifiers:
        if name == "boosting":
            area = real_vs_synthetic_auc(drawn.holdout, drawn.judged, random_state=seed)
        else:
            tell = CLASSIFIERS[name]
            chances = tell(learnt, answers.astype(int), tested, asked.sizes)[:, 1]
            area = auc_with_interval(chances[n - n_learnt :], chances[: n - n_learnt])
        found[f"told apart, {name}", ""] = area.value
    return found


def membership(asked, drawn, _seed):
    """AUC of the nearest row: rows unique in the training part against the holdout."""
    area = membership_auc(asked.train, drawn.holdout, drawn.judged)
    return {("membership", ""): area.value}


def uniques(asked, drawn, _seed):
    """Unique rows of the training part that are drawn, and of the holdout."""
    members, others = uniques_reproduced(asked.train, drawn.holdout, drawn.judged)
    return {
        ("uniques drawn", ""): members.value,
        ("uniques drawn, of the holdout", ""): others.value,
    }


def protection(asked, drawn, _seed):
    """The thesis's ratio, in three readings: see `protection_ratios`."""
    ratios = protection_ratios(asked.train, drawn.codes)
    return {(f"protection, {name}", ""): value for name, value in ratios.items()}


def learning(asked, drawn, _seed):
    """AUC and ACC of models of each target, trained on draws, tested on the holdout.

    AUC is that of each value against the others, weighed by how many have it. Boosting
    learns from the first 10,000 rows, which are in random order.
    """
    found = {}
    for target in asked.targets:
        j = asked.names.index(target)
        others = np.delete(np.arange(len(asked.names)), j)
        for name in asked.classifiers:
            n_rows = _BOOSTED_ROWS if name == "boosting" else len(drawn.codes)
            rows = drawn.codes[:n_rows]
            chances = np.zeros((len(drawn.holdout), asked.sizes[j]))
            values = np.unique(rows[:, j])
            chances[:, values] = 1
            if len(values) > 1:
                chances[:, values] = CLASSIFIERS[name](
                    rows[:, others],
                    rows[:, j],
                    drawn.holdout[:, others],
                    asked.sizes[others],
                )
            told = score_chances(chances, drawn.holdout[:, j])
            found[f"AUC, {name}", target] = told.auc
            found[f"ACC, {name}", target] = told.accuracy
    for measure in sorted({measure for measure, _ in found}):
        values = [value for (name, _), value in found.items() if name == measure]
        found[measure, "mean"] = float(np.mean(values))
    return found


MEASURES: dict[str, Callable] = {
    "distances": distances,
    "told apart": told_apart,
    "membership": membership,
    "uniques": uniques,
    "protection": protection,
    "learning": learning,
}


def _bayes(rows, answers, tested, sizes):
    model = CategoricalNB(min_categories=sizes).fit(rows, answers)
    return model.predict_proba(tested)


def _boosting(rows, answers, tested, sizes):
    model = HistGradientBoostingClassifier(
        max_iter=_ROUNDS,
        max_leaf_nodes=_LEAVES,
        categorical_features=np.asarray(sizes) <= _MAX_CATEGORIES,
        early_stopping=False,
        random_state=0,
    )
    with threadpool_limits(1, user_api="openmp"):  # their number changes rounding
        return model.fit(rows, answers).predict_proba(tested)


# Rows, their answers, rows to tell and the codes of each column, to the chance of each
# answer that occurs.
CLASSIFIERS: dict[str, Callable] = {
    "bayes": _bayes,
    "boosting": _boosting,
    "khiops": selective_bayes_chances,
}
