"""Rank swapping, noise and means: numbers that are near the true ones.

References
----------
.. [1] R. A. Moore, "Controlled data-swapping techniques for masking public use
   microdata sets", U.S. Bureau of the Census, 1996: rank swapping, after the swapping
   of T. Dalenius and S. P. Reiss, 1982.
.. [2] R. Brand, "Microdata protection through noise addition", in Inference control in
   statistical databases, Springer, 2002: noise of the covariance of the data, and the
   transformation that gives the variance back.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from coclust_synth.baselines.perturbation.perturbation import Perturbation
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.classes import code_values
from coclust_synth.privacy.means import with_means
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.values.numbers import numbers_of, origin_of, with_numbers
from coclust_synth.validation import check_integer, check_number

_NUMBERS = ("integer", "real")


@dataclass(eq=False, repr=False, kw_only=True)
class RankSwapping(Perturbation):
    """Values change places with others of nearly their rank.

    Rows are taken by increasing value, equal ones in an order at random. Each that has
    not swapped yet swaps its value with that of a row at most `within` of the rows
    further on that has not either, all being equally likely. The values of a column
    stay the same; what goes with what is blurred, the more the larger `within`. Missing
    values stay where they are, and tell which rows they are.

    Parameters
    ----------
    columns : sequence of str
        Numeric, dates or ordinal; each is swapped by itself.
    within : float, default=0.05
        Farthest rank, as a share of the rows that have a value; in (0, 1].
    random_state
        As of `Perturbation`.

    Attributes
    ----------
    released_ : DataFrame

    References
    ----------
    Moore (1996).

    Examples
    --------
    >>> table = pd.DataFrame({"pay": [10, 20, 30, 40, 50, 60], "x": [0, 1] * 3})
    >>> RankSwapping(["pay"], within=0.2, random_state=0).fit_transform(table)[
    ...     "pay"].tolist()
    [20, 10, 40, 30, 60, 50]
    """

    within: float = 0.05

    kinds = ORDERED_KINDS

    def _check_options(self):
        check_number("within", self.within, above=0, maximum=1)

    def _change(self, frame, columns, rng):
        changed = {}
        for column in columns:
            series = frame[column.name]
            present = np.flatnonzero(series.notna().to_numpy())
            codes = code_values(_in_order(series, column)).codes[present]
            order = present[np.lexsort((rng.random(len(codes)), codes))]
            taken_from = np.arange(len(series))
            taken_from[order] = order[swapped_ranks(len(order), self.within, rng)]
            changed[column.name] = series.iloc[taken_from].set_axis(series.index)
        return changed


def _in_order(series, column):
    """The column, whose listed values have their order."""
    if column.kind != "ordinal":
        return series
    return series.astype(pd.CategoricalDtype(column.categories, ordered=True))


def swapped_ranks(n: int, within: float, rng: np.random.Generator) -> np.ndarray:
    """The rank whose value each rank gets: pairs that are near each other.

    Parameters
    ----------
    n : int
    within : float
        Farthest distance, as a share of n; one rank at least.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int64, shape (n,)
        Its own inverse. A rank that finds no other keeps its value.
    """
    farthest = max(1, int(within * n))
    partner, is_free = np.arange(n), np.ones(n, dtype=bool)
    for rank in range(n):
        if not is_free[rank]:
            continue
        others = np.flatnonzero(is_free[rank + 1 : rank + 1 + farthest])
        if len(others):
            other = rank + 1 + others[rng.integers(len(others))]
            partner[rank], partner[other] = other, rank
            is_free[other] = False
        is_free[rank] = False
    return partner


@dataclass(eq=False, repr=False, kw_only=True)
class NoiseAddition(Perturbation):
    """Numbers with normal noise.

    Numbers are rounded as their column is and can leave its range. Noise is
    **not** that of differential privacy, and bounds nothing. Missing values stay
    missing, and tell which rows they are.

    Parameters
    ----------
    columns : sequence of str
        Numeric.
    share : float, default=0.1
        Standard deviation of the noise, as a share of that of the column.
    correlated : bool, default=False
        Whether the noise of the columns has the correlations of the columns, by the
        rows that have all of them, and so leaves them as they are on average.
    keep_variance : bool, default=False
        Whether the numbers are then drawn towards their mean, by so much that variances
        stay on average.
    random_state
        As of `Perturbation`.

    Attributes
    ----------
    released_ : DataFrame

    References
    ----------
    Brand (2002).
    """

    share: float = 0.1
    correlated: bool = False
    keep_variance: bool = False

    kinds = _NUMBERS

    def _check_options(self):
        check_number("share", self.share, above=0)

    def _change(self, frame, columns, rng):
        origins = [origin_of(frame[c.name], c) for c in columns]
        numbers = np.column_stack(
            [
                numbers_of(frame[c.name], c, origin)
                for c, origin in zip(columns, origins, strict=True)
            ]
        )
        means, deviation = _means_and_deviations(numbers, columns)
        noise = rng.normal(size=numbers.shape)
        if self.correlated:
            noise = noise @ _root(numbers[~np.isnan(numbers).any(axis=1)], columns)
        with np.errstate(over="ignore"):
            changed = numbers + self.share * deviation * noise
        if self.keep_variance:
            changed = means + (changed - means) / np.sqrt(1 + self.share**2)
        if not _can_be_written(changed, columns, origins):
            raise ParameterError(
                "Expected noise after which numbers can be written. Received a share "
                f"of {self.share:g}, after which some are too large. Choose a smaller "
                "one."
            )
        return {
            column.name: with_numbers(frame[column.name], column, own, origin)
            for column, own, origin in zip(columns, changed.T, origins, strict=True)
        }


def _means_and_deviations(numbers, columns):
    """Mean and standard deviation of each column, which must be numbers themselves."""
    # Squares of numbers near zero are zero: these are taken times a power of two.
    largest = np.abs(np.nan_to_num(numbers)).max(axis=0, initial=0)
    times = -np.minimum(np.frexp(largest)[1], 0)
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.nanmean(numbers, axis=0)
        deviations = np.ldexp(np.nanstd(np.ldexp(numbers, times), axis=0), -times)
    for column, own, deviation in zip(columns, numbers.T, deviations, strict=True):
        if not (np.isnan(own).all() or np.isfinite(deviation)):
            raise ParameterError(
                f"Column {column.name!r}: expected numbers whose variance is a finite "
                f"number, for noise. Received numbers from {np.nanmin(own)} to "
                f"{np.nanmax(own)}. Correct them, swap them, or take logarithms."
            )
    return means, deviations


def _can_be_written(changed, columns, origins):
    """Whether reals are finite, and integers of 64 bits, also from their origin on."""
    for column, own, origin in zip(columns, np.rint(changed).T, origins, strict=True):
        low, high = -np.inf, np.inf
        if column.kind == "integer":
            low, high = max(0, -origin) - 2**63, min(0, -origin) + 2**63
        if ((own <= float(low)) | (own >= float(high))).any():
            return False
    return True


def _root(complete, columns):
    """A matrix by which independent normal numbers get the correlations of rows."""
    if len(complete) < 2 or not (complete.std(axis=0) > 0).all():
        raise ParameterError(
            "Expected columns that vary, and rows that have all of them, for "
            f"correlated noise. Received {len(complete)} such rows of "
            f"{', '.join(repr(c.name) for c in columns)}. Leave columns out, or add "
            "uncorrelated noise."
        )
    correlation = np.atleast_2d(np.corrcoef(complete, rowvar=False))
    values, vectors = np.linalg.eigh(correlation)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


class Microaggregation(Perturbation):
    """Numbers as means of groups of k near ones, each column by itself.

    See `coclust_synth.privacy.means`. Nothing is drawn.

    Parameters
    ----------
    columns : sequence of str
        Numeric.
    k : int, default=3
        Rows of each group, at least.

    Attributes
    ----------
    released_ : DataFrame

    Examples
    --------
    >>> table = pd.DataFrame({"pay": [10, 20, 30, 80, 90, 70], "x": [0, 1] * 3})
    >>> Microaggregation(["pay"], k=3).fit_transform(table)["pay"].tolist()
    [20, 20, 20, 80, 80, 80]
    """

    kinds = _NUMBERS

    def __init__(self, columns: Sequence[str], *, k: int = 3) -> None:
        super().__init__(columns)
        self.k = k

    def _check_options(self):
        check_integer("k", self.k, minimum=2)

    def _change(self, frame, columns, rng):
        names = [column.name for column in columns]
        how = dict.fromkeys(names, "means")
        changed = with_means(frame, Schema(tuple(columns)), how, self.k)
        return {name: changed[name] for name in names}
