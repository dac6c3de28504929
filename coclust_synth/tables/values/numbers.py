"""Numbers of a column, changed and put back as it has them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from coclust_synth.tables.schema import Column
from coclust_synth.tables.values.columns import from_values, to_values

# A sum of decimals is off by so many of a double's last digits: 0.1 + 0.2 is 0.3.
_LOST = 2


def are_near(values: NDArray[Any], rounded: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether numbers are others but for the last digits, which doubles lose.

    Parameters
    ----------
    values, rounded : ndarray of shape (n,), float64

    Returns
    -------
    ndarray of shape (n,), bool

    Examples
    --------
    >>> are_near(np.array([0.1 + 0.2, 0.3001]), np.array([0.3, 0.3])).tolist()
    [True, False]
    """
    with np.errstate(invalid="ignore"):  # infinities are near none
        return np.abs(rounded - values) <= _LOST * np.spacing(np.abs(values))


def log_choose(n: float, k: float) -> float:
    """Logarithm of how many ways there are to choose k of n, in nats.

    Examples
    --------
    >>> round(np.exp(log_choose(5, 2)))
    10
    """
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def numbers_of(series: pd.Series, column: Column) -> NDArray[np.float64]:
    """The numbers of a column, or its dates as numbers; nan where missing.

    Parameters
    ----------
    series : Series of n values
    column : Column
        Of kind integer, real or datetime; its bounds are not looked at.

    Returns
    -------
    ndarray of shape (n,), float64
    """
    values, missing = to_values(series, replace(column, bounds=None))
    return np.where(missing, np.nan, values)


def with_numbers(
    series: pd.Series, column: Column, numbers: NDArray[np.float64]
) -> pd.Series:
    """A column with other numbers, rounded as it is, of its type.

    Parameters
    ----------
    series : Series of n values
    column : Column
        Of kind integer or real.
    numbers : ndarray of shape (n,), float64
        Those where the column has none are not read: missing stays missing.

    Returns
    -------
    Series

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> ages = pd.Series([30, None, 41, 30], dtype="Int64", name="age")
    >>> column = infer_schema(ages.to_frame())["age"]
    >>> with_numbers(ages, column, np.array([29.6, 7, 40, 31])).tolist()
    [30, <NA>, 40, 31]
    """
    missing = series.isna().to_numpy(dtype=bool)
    digits = 0 if column.kind == "integer" else column.decimals
    rounded = np.where(missing, 0, numbers)
    rounded = rounded if digits is None else rounded.round(digits)
    if column.kind == "integer":
        rounded = rounded.astype(np.int64)
    return from_values(rounded, missing, column).set_axis(series.index)
