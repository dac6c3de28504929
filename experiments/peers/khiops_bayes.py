"""Khiops's selective naive Bayes, where ``pip install khiops`` was run.

The classifier that the thesis judges with: naive Bayes with a choice of variables and
averaging of models (Boulle, 2007).
"""

import pandas as pd

from experiments.tasks import Skipped


def selective_bayes_chances(rows, answers, tested, _sizes):
    """Chance of each answer that occurs, shape (rows of `tested`, answers).

    Parameters
    ----------
    rows, tested : ndarray of int, shapes (n, d), (m, d)
        Codes, which are categories to it.
    answers : ndarray of int, shape (n,)

    Raises
    ------
    Skipped
        If Khiops is not installed, or its programs are not on the path.
    """
    try:
        from khiops.core.exceptions import KhiopsEnvironmentError
        from khiops.sklearn import KhiopsClassifier
    except ImportError:
        raise Skipped("Khiops is not installed: pip install khiops") from None
    names = [f"x{j}" for j in range(rows.shape[1])]
    learnt, asked = (
        pd.DataFrame(codes, columns=names).astype(str).astype(object)
        for codes in (rows, tested)
    )
    try:
        model = KhiopsClassifier(n_trees=0, n_features=0).fit(learnt, answers)
    except KhiopsEnvironmentError as error:
        raise Skipped(
            "Khiops is not where its library looks, activate the environment that it "
            f"is installed in: {error}"
        ) from None
    return model.predict_proba(asked)
