"""Totals that one individual carries: a stand-in often has less.

The largest numbers are drawn from a law of several individuals, or not at all. Where
one has much of the total of its column, the total falls, which those who hand it out
must know.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from coclust_synth.tables.column import Column

# Of the mean of a column, or of all that its individuals have.
_SEEN = 0.1


def carried_by_one(
    columns: Iterable[Column],
    real: pd.DataFrame,
    released: pd.DataFrame,
    individuals: np.ndarray | None = None,
) -> list[str]:
    """Columns whose total has fallen by more than a tenth, and of which one has more.

    Which individual it is that has more than a tenth, and how much, is not told.

    Parameters
    ----------
    columns : iterable of Column
        Of the real table; those of numbers that both have are looked at.
    real, released : DataFrame
        Typed, of any numbers of rows: the mean of a row is what is compared.
    individuals : ndarray of int64, shape (n,), optional
        Number of the individual of each real row; by default each is one of its own.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> real = pd.DataFrame({"x": [1.0, 2.0, 3.0, 94.0], "y": [3.0, 2.5, 2.0, 1.0]})
    >>> columns = infer_schema(real).columns
    >>> carried_by_one(columns, real, real.assign(x=2.0))
    ['x']
    """
    names = []
    for column in columns:
        if column.kind not in ("integer", "real") or column.name not in released:
            continue
        own, drawn = (
            np.nan_to_num(frame[column.name].to_numpy(np.float64, na_value=np.nan))
            for frame in (real, released)
        )
        size = np.abs(own)
        of_each = size if individuals is None else np.bincount(individuals, size)
        means = [abs(numbers.sum()) / max(len(numbers), 1) for numbers in (own, drawn)]
        has_fallen = means[1] < (1 - _SEEN) * means[0]
        if has_fallen and of_each.max(initial=0.0) > _SEEN * size.sum():
            names.append(column.name)
    return names
