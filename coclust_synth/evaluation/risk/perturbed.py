"""How near perturbed values are to the true ones of the same rows, and what they lose.

All of it compares rows with themselves, in the same order: it is about the real table,
and as confidential.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from coclust_synth.evaluation.distances.margins import margin_distances
from coclust_synth.tables.numbers import numbers_of
from coclust_synth.tables.schema import LISTED_KINDS, Column

_PERCENTS = range(1, 11)
_PARTS = 10  # of numbers, in the distances of margins
_MAX_ASKED = 1000  # rows that are looked for
_MAX_CELLS = 2**24


class PerturbedColumn(NamedTuple):
    """What became of a column.

    Attributes
    ----------
    name : str
    changed : float
        Share of its cells that are released otherwise.
    total_variation : float
        Distance of its distribution from the real one, of numbers in ten parts.
    interval_disclosure : float or None
        See `interval_disclosure`; None for values without numbers.
    """

    name: str
    changed: float
    total_variation: float
    interval_disclosure: float | None


class PerturbedTable(NamedTuple):
    """What became of a table.

    Attributes
    ----------
    columns : tuple of PerturbedColumn
    linked, by_chance : float
        Share of the rows that somebody finds who knows the true values of the changed
        columns and takes the nearest released row; and of those that a draw finds.
    pair_distance : float or None
        Mean total variation of the pairs that have a changed column; None if there is
        no other column.
    correlation_error : float or None
        Mean absolute change of the correlations of changed numbers with all others;
        None where there are no two columns of numbers.
    """

    columns: tuple[PerturbedColumn, ...]
    linked: float
    by_chance: float
    pair_distance: float | None
    correlation_error: float | None


def compare_perturbed(
    real: pd.DataFrame,
    released: pd.DataFrame,
    columns: Sequence[Column],
    changed: Sequence[str],
) -> PerturbedTable:
    """Measure what a perturbation hides and loses.

    Parameters
    ----------
    real, released : DataFrame of n rows
        In the same order.
    columns : sequence of Column
        Those of the release, complete.
    changed : sequence of str
        Names of those that were perturbed, one at least.

    Returns
    -------
    PerturbedTable

    Examples
    --------
    >>> from coclust_synth import infer_schema
    >>> real = pd.DataFrame({"pay": range(100), "sex": ["F", "M"] * 50})
    >>> columns = infer_schema(real).columns
    >>> found = compare_perturbed(real, real, columns, ["pay"])
    >>> found.linked, found.by_chance, found.pair_distance
    (1.0, 0.01, 0.0)
    """
    coded = [_codes(real[c.name], released[c.name], c) for c in columns]
    before, after = (np.column_stack(own) for own in zip(*coded, strict=True))
    names = [column.name for column in columns]
    is_changed = np.isin(names, list(changed))
    orders = (1, 2) if len(names) > 1 else (1,)
    distances = margin_distances(before, after, orders=orders, names=names)
    alone = {
        of[0]: own
        for of, own in zip(distances.variables, distances.total_variation, strict=True)
        if len(of) == 1
    }
    pairs = [
        own
        for of, own in zip(distances.variables, distances.total_variation, strict=True)
        if len(of) == 2 and {*of} & {*changed}
    ]
    found = []
    for column in (c for c in columns if c.name in changed):
        true, given = real[column.name], released[column.name]
        differs = (true != given).fillna(True) & ~(true.isna() & given.isna())
        found.append(
            PerturbedColumn(
                column.name,
                float(differs.mean()),
                float(alone[column.name]),
                _interval_disclosure_of(true, given, column),
            )
        )
    own = [c for c, keep in zip(columns, is_changed, strict=True) if keep]
    return PerturbedTable(
        tuple(found),
        linked_share(*(_features(t, real, own) for t in (real, released))),
        1 / len(real),
        float(np.mean(pairs)) if pairs else None,
        _correlation_error(real, released, columns, is_changed),
    )


def interval_disclosure(real: ArrayLike, released: ArrayLike) -> float:
    """How often the true number is among those that rank near the released one.

    Around the released number of a row is the interval of the released numbers whose
    rank is at most p % of the rows away. The share of the rows whose true number lies
    in theirs, and of that the mean over p = 1, 2, ... 10: 1 for numbers as they are,
    about .1 for numbers that have nothing to do with the true ones.

    Parameters
    ----------
    real, released : array-like of shape (n,), float
        Of the same rows; without missing ones.

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    .. [1] J. Domingo-Ferrer and V. Torra, "A quantitative comparison of disclosure
       control methods for microdata", in Confidentiality, disclosure and data access,
       2001: rank-based interval disclosure.

    Examples
    --------
    >>> numbers = np.arange(1000.0)
    >>> drawn = np.random.default_rng(0).permutation(numbers)
    >>> interval_disclosure(numbers, numbers)
    1.0
    >>> round(interval_disclosure(numbers, drawn), 2)
    0.1
    """
    real, released = np.asarray(real, dtype=float), np.asarray(released, dtype=float)
    ranked = np.sort(released)
    n = len(ranked)
    first = np.searchsorted(ranked, released, side="left")
    last = np.searchsorted(ranked, released, side="right") - 1
    shares = []
    for percent in _PERCENTS:
        away = n * percent // 100
        low = ranked[np.maximum(first - away, 0)]
        high = ranked[np.minimum(last + away, n - 1)]
        shares.append(((low <= real) & (real <= high)).mean())
    return float(np.mean(shares))


def linked_share(real: NDArray[np.float64], released: NDArray[np.float64]) -> float:
    """How often the released row that is nearest to a true one is its own.

    Parameters
    ----------
    real, released : ndarray of float64, shape (n, d)
        Of the same rows, in units in which columns count alike.

    Returns
    -------
    float
        Of at most 1,000 rows, evenly spaced; a tie of m rows counts 1 / m.

    References
    ----------
    .. [1] D. Pagliuca and G. Seri, "Some results of individual ranking method on the
       system of enterprise accounts annual survey", 1999: distance-based linkage.

    Examples
    --------
    >>> linked_share(np.array([[0.0], [1], [2]]), np.array([[0.1], [1.1], [0.9]]))
    0.3333333333333333
    """
    n = len(real)
    asked = np.unique(np.linspace(0, n - 1, min(n, _MAX_ASKED)).astype(np.int64))
    step, found = max(1, _MAX_CELLS // released.size), 0.0
    for start in range(0, len(asked), step):
        own = asked[start : start + step]
        apart = np.zeros((len(own), n))
        for true, given in zip(real[own].T, released.T, strict=True):
            apart += (true[:, np.newaxis] - given) ** 2
        nearest = apart.min(axis=1)
        ties = (apart <= nearest[:, np.newaxis]).sum(axis=1)
        is_own = apart[np.arange(len(own)), own] <= nearest
        found += float((is_own / ties).sum())
    return found / len(asked)


# --- columns as numbers ---------------------------------------------------------


def _numbers(series, column):
    """The numbers or dates of a column, nan where missing; None of other kinds."""
    return None if column.kind in LISTED_KINDS else numbers_of(series, column)


def _codes(before, after, column):
    """Parts of the values of both tables; missing is one of them."""
    numbers = _numbers(before, column)
    if numbers is None:
        codes, _ = pd.factorize(pd.concat([before, after]))
        return codes[: len(before)] + 1, codes[len(before) :] + 1
    edges = np.nanquantile(numbers, np.arange(1, _PARTS) / _PARTS)
    return tuple(
        np.where(np.isnan(own), 0, np.searchsorted(edges, own) + 1)
        for own in (numbers, _numbers(after, column))
    )


def _features(table, real, columns):
    """Rows as points: numbers by their spread, others apart by 1, as missing is."""
    found = []
    for column in columns:
        numbers, true = _numbers(table[column.name], column), None
        if numbers is None:
            levels = pd.unique(real[column.name].dropna())
            codes = pd.Categorical(table[column.name], categories=levels).codes
            # Two points of the same length, at a right angle, are 1 apart.
            hot = np.eye(len(levels) + 1)[codes] / np.sqrt(2)
            found += list(hot.T)
            continue
        true = _numbers(real[column.name], column)
        spread = np.nanstd(true) or 1.0
        absent = np.isnan(numbers)
        found += [np.where(absent, 0, (numbers - np.nanmean(true)) / spread), absent]
    return np.column_stack(found).astype(np.float64)


def _interval_disclosure_of(before, after, column):
    pairs = [_numbers(own, column) for own in (before, after)]
    if pairs[0] is None:
        return None
    present = ~np.isnan(pairs).any(axis=0)
    if not present.any():
        return None
    return interval_disclosure(pairs[0][present], pairs[1][present])


def _correlation_error(real, released, columns, is_changed):
    """Mean change of correlations, of pairs of which one column was changed."""
    own = [
        (column, changed)
        for column, changed in zip(columns, is_changed, strict=True)
        if column.kind in ("integer", "real")
    ]
    if len(own) < 2 or not any(changed for _, changed in own):
        return None
    both = [
        pd.DataFrame({c.name: _numbers(table[c.name], c) for c, _ in own}).corr()
        for table in (real, released)
    ]
    changes = np.abs(both[0].to_numpy() - both[1].to_numpy())
    asked = np.triu(np.logical_or.outer(*[[c for _, c in own]] * 2), k=1)
    changes = changes[asked]
    known = changes[~np.isnan(changes)]
    return float(known.mean()) if len(known) else None
