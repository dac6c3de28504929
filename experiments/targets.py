"""What a model learnt from a release says of real rows."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from coclust_synth.evaluation.telling_apart.auc import auc_with_interval


def target_auc(domain, train, holdout, target):
    """Area under the ROC curve of boosting, trained on a release, tested on real rows.

    Parameters
    ----------
    domain : Domain
    train, holdout : ndarray of int, shape (n, d)
        Cells of released and of real rows.
    target : str
        Column to be told from all others.

    Returns
    -------
    float
        Of each value of the target against all others, weighted by its share of the
        holdout; 0.5 where the release has a single value. A value that it lacks scores
        0 everywhere, and two values are told equally well.
    """
    j = domain.names.index(target)
    categorical = [c.categories is not None for c in domain.columns]
    known = np.delete(train, j, axis=1), np.delete(holdout, j, axis=1)
    scores = np.zeros((len(holdout), domain.sizes[j]))
    values = np.unique(train[:, j])
    if len(values) > 1:
        boosting = HistGradientBoostingClassifier(
            categorical_features=np.delete(categorical, j), random_state=0
        ).fit(known[0], train[:, j])
        scores[:, boosting.classes_] = boosting.predict_proba(known[1])
    shares = np.bincount(holdout[:, j], minlength=domain.sizes[j]) / len(holdout)
    areas = [
        auc_with_interval(scores[holdout[:, j] == v, v], scores[holdout[:, j] != v, v])
        for v in range(domain.sizes[j])
        if 0 < shares[v] < 1
    ]
    return float(np.average([a.value for a in areas], weights=shares[shares > 0]))
