"""Numbers of a column, changed and put back as it has them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from coclust_synth.tables.column import Column
from coclust_synth.tables.values.columns import to_values
from coclust_synth.tables.values.series import from_values

# A sum of decimals is off by so many of a double's last digits: 0.1 + 0.2 is 0.3.
_LOST = 2
_HELD = 2**53  # doubles hold all integers up to here, and not the next
_WIDEST = 2**62  # of numbers that are counted from their lowest, in 64 bits
_LOW_BITS = 2**32 - 1


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
    # Infinities are near none; the largest float has no next one.
    with np.errstate(invalid="ignore", over="ignore"):
        return np.abs(rounded - values) <= _LOST * np.spacing(np.abs(values))


def rounded_to(values: NDArray[Any], decimals: int) -> NDArray[Any]:
    """Numbers of so many decimals; those that doubles hold none of are as they are.

    The largest float times ten is none.

    Examples
    --------
    >>> rounded_to(np.array([1.26, 1e308]), 1).tolist()
    [1.3, 1e+308]
    """
    may = np.abs(values) < _HELD
    return np.where(may, np.round(np.where(may, values, 0), decimals), values)


def log_choose(n: float, k: float) -> float:
    """Logarithm of how many ways there are to choose k of n, in nats.

    Examples
    --------
    >>> round(np.exp(log_choose(5, 2)))
    10
    """
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def below_1(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
    """Numbers over a power of two, and its exponent: all their squares are finite.

    Examples
    --------
    >>> below_1(np.array([-6.0, np.nan, 1]))
    (array([-0.75 ,    nan,  0.125]), 3)
    """
    exponent = int(np.frexp(np.nanmax(np.abs(values), initial=0))[1])
    return np.ldexp(values, -exponent), exponent


def are_wide(values: NDArray[Any]) -> bool:
    """Whether there are integers so large that doubles do not tell all of them apart.

    Examples
    --------
    >>> are_wide(np.array([2**53])), are_wide(np.array([3, 2**53 + 1]))
    (False, True)
    """
    if values.dtype.kind != "i" or not len(values):
        return False
    return max(-int(values.min()), int(values.max())) > _HELD


def less(values: NDArray[np.int64], origin: Any) -> NDArray[np.float64]:
    """Integers less others, as doubles: those that are nearest to the differences.

    Parameters
    ----------
    values : ndarray of shape (n,), int64
    origin : int, or ndarray of shape (n,), int64

    Examples
    --------
    >>> less(np.array([2**62 + 5, -(2**63)]), 2**62 + 2).tolist()
    [3.0, -1.3835058055282164e+19]
    """
    origin = np.asarray(origin, dtype=np.int64)
    high = ((values >> 32) - (origin >> 32)).astype(np.float64)
    return high * 2.0**32 + ((values & _LOW_BITS) - (origin & _LOW_BITS))


def origin_of(series: pd.Series, column: Column) -> int:
    """What to count the numbers of a column from, so that doubles hold them.

    Parameters
    ----------
    series : Series of n values
    column : Column

    Returns
    -------
    int
        An even one: halves round to the same integers. The lowest integer, or the one
        before it, of integers of which some are beyond 2**53, and which are less than
        2**62 apart; 0 of all others.

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> clocks = pd.Series([17 * 10**17 + 3, 17 * 10**17 + 8] * 9, name="at")
    >>> origin_of(clocks, infer_schema(clocks.to_frame())["at"])
    1700000000000000002
    """
    if column.kind != "integer":
        return 0
    values, missing = to_values(series, replace(column, bounds=None))
    present = values[~missing]
    if not are_wide(present):
        return 0
    low, high = int(present.min()), int(present.max())
    return 0 if high - low >= _WIDEST else low - low % 2


def numbers_of(
    series: pd.Series, column: Column, origin: int = 0
) -> NDArray[np.float64]:
    """The numbers of a column, or its dates as numbers; nan where missing.

    Parameters
    ----------
    series : Series of n values
    column : Column
        Of kind integer, real or datetime; its bounds are not looked at.
    origin : int, default=0
        What integers are counted from: see `origin_of`.

    Returns
    -------
    ndarray of shape (n,), float64
    """
    values, missing = to_values(series, replace(column, bounds=None))
    if origin:
        values = less(values, origin)
    return np.where(missing, np.nan, values)


def with_numbers(
    series: pd.Series,
    column: Column,
    numbers: NDArray[np.float64] | NDArray[np.int64],
    origin: int = 0,
) -> pd.Series:
    """A column with other numbers, rounded as it is, of its type.

    Parameters
    ----------
    series : Series of n values
    column : Column
        Of kind integer or real.
    numbers : ndarray of shape (n,), float64 or int64
        Those where the column has none are not read: missing stays missing.
    origin : int, default=0
        What integers are counted from; the sums must fit in 64 bits.

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
    rounded = rounded if digits is None else rounded_to(rounded, digits)
    if column.kind == "integer":
        rounded = rounded.astype(np.int64) + np.where(missing, 0, origin)
    return from_values(rounded, missing, column).set_axis(series.index)
