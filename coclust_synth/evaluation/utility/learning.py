"""What can be learnt from a release: models of each column, tested on the holdout.

Each column in turn is told from all others, by a model that learns on the release and
by the same that learns on the real table, and both are tested on rows that neither has
seen. A column has at most three classes: its two commonest values and the rest, or the
thirds of a number. Two models: gradient boosting on the values, naive Bayes on parts.
AUC is that of each class against the others, weighed by how many have it; ACC the share
of rows told right. Intervals are of the rows that are tested on, by the delete-a-group
jackknife: what the same models would tell of others.

Boosting also tells released rows from real ones. From rows that the release was made
without, .5 is best. From those that it was made from, a value below .5 means copying:
see `coclust_synth.evaluation.telling_apart.real_vs_synthetic`.

References
----------
C. Esteban, S. L. Hyland and G. Rätsch, "Real-valued (medical) time series generation
with recurrent conditional GANs", 2017: train on synthetic, test on real.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding, some_rows
from coclust_synth.evaluation.comparing.scores import (
    N_GROUPS,
    Figure,
    Figures,
    Key,
    Setting,
    around,
    group_of,
    mean_of,
    of_auc,
    reach,
)
from coclust_synth.evaluation.telling_apart.auc import auc
from coclust_synth.evaluation.telling_apart.real_vs_synthetic import (
    real_vs_synthetic_auc,
)

_MAX_CLASSES = 3
_MAX_ROWS = 5000  # that are learnt from, and that are tested on
_ROUNDS, _LEAVES = 30, 15  # trees of each class, in boosting
_MAX_CATEGORIES = 255  # of a categorical variable, in scikit-learn's boosting
_MIN_ROWS = 20
_STREAM = 3
_APART_ROWS = 10_000
_LEAST_APART = 10
_APART_STREAM = 4


class Told(NamedTuple):
    """How well a model tells a column; both in [0, 1]."""

    auc: float
    accuracy: float


def class_of_parts(coding: Coding, real: CodedRows, k: int) -> NDArray[np.int64]:
    """At most three classes of a column, one for each of its parts.

    Of numbers runs of parts with about as many real rows, of others the two commonest
    parts and the rest.
    """
    counts = np.bincount(real.parts[:, k], minlength=int(coding.n_parts[k]))
    if coding.is_number[k]:
        middle = (np.cumsum(counts) - counts / 2) / counts.sum()
        return np.minimum(_MAX_CLASSES * middle, _MAX_CLASSES - 1).astype(np.int64)
    rank = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
    return np.minimum(rank, _MAX_CLASSES - 1)


@threadpool_limits.wrap(limits=1, user_api="openmp")  # their number changes rounding
def learning_figures(setting: Setting, rows: CodedRows) -> Figures:
    """What models learn from some rows of each column, tested on the holdout.

    Parameters
    ----------
    setting : Setting
        With a holdout.
    rows : CodedRows
        What is learnt from.

    Returns
    -------
    dict
        ``boosting_auc``, ``boosting_accuracy``, ``bayes_auc`` and ``bayes_accuracy`` of
        each column that has two classes in the holdout, and their means.
    """
    coding, rng = setting.coding, setting.rng(_STREAM)
    test = some_rows(setting.holdout, _MAX_ROWS, rng)
    learnt = some_rows(rows, _MAX_ROWS, rng)
    found: dict[Key, float] = {}
    left_out: dict[Key, list[float]] = {}
    if len(coding.names) < 2 or min(test.n, learnt.n) < _MIN_ROWS:
        return {}
    models = {"bayes": _bayes, "boosting": _boosting}
    for k, name in enumerate(coding.names):
        classes = class_of_parts(coding, setting.real, k)
        answers = classes[test.parts[:, k]]
        if len(np.unique(answers)) < 2:
            continue
        given = classes[learnt.parts[:, k]]
        others = np.delete(np.arange(len(coding.names)), k)
        for model, tell in models.items():
            chances = tell(coding, learnt, test, given, others)
            told = score_chances(chances, answers)
            without = []
            if setting.intervals and test.n >= 2 * N_GROUPS:
                without = _without_groups(chances, answers)
            for of, measure in enumerate(("auc", "accuracy")):
                found[f"{model}_{measure}", (name,)] = told[of]
                left_out[f"{model}_{measure}", (name,)] = [own[of] for own in without]
    return _figures(found, left_out)


def score_chances(chances: NDArray[np.float64], answers: NDArray[np.integer]) -> Told:
    """AUC and ACC of chances of each class.

    Parameters
    ----------
    chances : ndarray of shape (n, n_classes)
    answers : ndarray of shape (n,)
        From 0 to n_classes - 1, two of them at least.

    Examples
    --------
    >>> score_chances(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 1]))
    Told(auc=1.0, accuracy=1.0)
    """
    counts = np.bincount(answers, minlength=chances.shape[1])
    there = np.flatnonzero((counts > 0) & (counts < len(answers)))
    areas = [auc(chances[answers == c, c], chances[answers != c, c]) for c in there]
    right = float((chances.argmax(axis=1) == answers).mean())
    return Told(float(np.average(areas, weights=counts[there])), right)


def _without_groups(chances, answers):
    """The same without each group of the rows that are tested on.

    A group that holds all rows of all classes but one is left in.
    """
    groups = group_of(len(answers))
    found = []
    for group in range(N_GROUPS):
        kept = groups != group
        if len(np.unique(answers[kept])) < 2:
            kept[:] = True
        found.append(score_chances(chances[kept], answers[kept]))
    return found


def _figures(found, left_out):
    """Figures of each column and their means, with intervals where there are any."""
    measures: dict[str, list[Key]] = {}
    for key in found:
        measures.setdefault(key[0], []).append(key)
    told = {key: _figure(value, left_out[key]) for key, value in found.items()}
    for measure, keys in measures.items():
        value = float(np.mean([found[key] for key in keys]))
        without = np.mean([left_out[key] for key in keys], axis=0)
        note = mean_of(len(keys), "column")
        told[f"mean_{measure}", ()] = _figure(value, without)._replace(note=note)
    return told


def _figure(value, without):
    if not len(without):
        return Figure(value)
    (half,) = reach(np.reshape(without, (N_GROUPS, 1)))
    return around(Figure(value), half, most=1.0)


def _in_full(chances, classes):
    """Chances of all classes, of a model that knows some."""
    full = np.zeros((len(chances), _MAX_CLASSES))
    full[:, classes] = chances
    return full


def _bayes(coding, learnt, test, given, others):
    from sklearn.naive_bayes import CategoricalNB

    model = CategoricalNB(min_categories=coding.n_parts[others])
    model.fit(learnt.parts[:, others], given)
    return _in_full(model.predict_proba(test.parts[:, others]), model.classes_)


def _boosting(coding, learnt, test, given, others):
    from sklearn.ensemble import HistGradientBoostingClassifier

    if len(np.unique(given)) < 2:
        return _in_full(np.ones((test.n, 1)), given[:1])
    listed = ~coding.is_number[others]
    highest = np.maximum(learnt.exact.max(axis=0), test.exact.max(axis=0))[others]
    model = HistGradientBoostingClassifier(
        max_iter=_ROUNDS,
        max_leaf_nodes=_LEAVES,
        categorical_features=listed & (highest < _MAX_CATEGORIES),
        early_stopping=False,
        random_state=0,
    )
    features = _features(learnt, listed, others)
    # A column without any value tells nothing, and boosting refuses it.
    told = ~np.isnan(features).all(axis=0)
    features[:, ~told] = 0
    asked = np.where(told, _features(test, listed, others), 0)
    model.fit(features, given)
    return _in_full(model.predict_proba(asked), model.classes_)


def _features(rows, listed, columns):
    codes = np.where(rows.exact < 0, np.nan, rows.exact)[:, columns]
    return np.where(listed, codes, rows.numbers[:, columns])


def apart_figures(setting: Setting, rows: CodedRows) -> Figures:
    """How well released rows are told from training rows, and from the holdout's."""
    found: Figures = {}
    real = {"training": setting.real, "holdout": setting.holdout}
    for name, own in real.items():
        if own is None or min(own.n, rows.n) < _LEAST_APART:
            continue
        rng = setting.rng(_APART_STREAM)
        exact = (some_rows(of, _APART_ROWS, rng).exact for of in (own, rows))
        area = real_vs_synthetic_auc(*exact, random_state=setting.seed)
        found[f"told_from_{name}", ()] = of_auc(area)
    return found
