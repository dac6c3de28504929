"""What the estimators take, as a typed table."""

import numpy as np
import pandas as pd


def to_frame(X):
    """A table with texts for column names and rows numbered from 0.

    Parameters
    ----------
    X : DataFrame or array-like, shape (n, d)

    Returns
    -------
    DataFrame
        Columns of arrays are named x0, x1, ..., as in scikit-learn; those of arrays of
        objects have the type of their values.
    """
    if isinstance(X, pd.DataFrame):
        return X.rename(columns=str).reset_index(drop=True)
    if isinstance(X, list):
        X = np.array(X, dtype=object)
    return pd.DataFrame(X).add_prefix("x").infer_objects()
