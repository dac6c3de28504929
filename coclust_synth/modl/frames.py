"""What the estimators take: tables, and seeds."""

from numbers import Integral

import numpy as np
import pandas as pd

from coclust_synth.tables.reading.native import as_pandas
from coclust_synth.validation import seed_sequence


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
    X = as_pandas(X)
    if isinstance(X, pd.DataFrame):
        return X.rename(columns=str).reset_index(drop=True)
    if isinstance(X, list):
        X = np.array(X, dtype=object)
    return pd.DataFrame(X).add_prefix("x").infer_objects()


def search_seed(random_state):
    """The seed of a search and of the splits after it.

    Parameters
    ----------
    random_state : int, SeedSequence, Generator or None

    Returns
    -------
    int or SeedSequence
        Of a whole number below 2^32 the one that scikit-learn's random state of that
        seed, which takes no larger one, draws first.

    Raises
    ------
    ParameterError
    """
    seed = seed_sequence("random_state", random_state)
    if isinstance(random_state, Integral) and random_state < 2**32:
        return np.random.RandomState(random_state).randint(2**31 - 1)
    return seed
