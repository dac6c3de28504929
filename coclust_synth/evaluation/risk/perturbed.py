"""How near perturbed values are to the true ones of the same rows, and what they lose.

All of it compares rows with themselves, in the same order: it is about the real table,
and as confidential.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Figures,
    mean_of,
    of_mean,
    of_share,
)
from coclust_synth.evaluation.distances.margins import margin_distances
from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.tables.column import LISTED_KINDS, Column
from coclust_synth.tables.values.numbers import below_1, numbers_of, origin_of

_PERCENTS = range(1, 11)
_PARTS = 10  # of numbers, in the distances of margins
_MAX_ASKED = 1000  # rows that are looked for
_MAX_CELLS = 2**24
_STREAM = 9
_SQUARED = 400  # exponent of two from which sums of squares may be infinite


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
    il1s : float or None
        See `standardised_changes`, of which it is the mean; None too where all true
        numbers are the same.
    """

    name: str
    changed: float
    total_variation: float
    interval_disclosure: float | None
    il1s: float | None


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
        own = _by_row(real[column.name], released[column.name], column)
        found.append(
            PerturbedColumn(
                column.name,
                float(own["changed_cells"].mean()),
                float(alone[column.name]),
                *(
                    float(own[name].mean()) if name in own else None
                    for name in ("interval_disclosure", "il1s")
                ),
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
    return float(_near_by_rank(real, released).mean())


def _near_by_rank(real, released):
    """Of each row the share of the intervals that its true number lies in."""
    ranked = np.sort(released)
    n = len(ranked)
    first = np.searchsorted(ranked, released, side="left")
    last = np.searchsorted(ranked, released, side="right") - 1
    hits = np.zeros(n)
    for percent in _PERCENTS:
        away = n * percent // 100
        low = ranked[np.maximum(first - away, 0)]
        high = ranked[np.minimum(last + away, n - 1)]
        hits += (low <= real) & (real <= high)
    return hits / len(_PERCENTS)


def standardised_changes(real: ArrayLike, released: ArrayLike) -> NDArray[np.float64]:
    """What each number was changed by, in units of what two rows differ by.

    The change over the root of 2 times the standard deviation of the true numbers:
    that of the difference of two rows. The mean is the information loss IL1s [1]_.
    (sdcMicro's `dUtility` multiplies by the root of 2: its figure is twice this one.)

    Parameters
    ----------
    real, released : array-like of shape (n,), float
        Of the same rows; without missing ones.

    Returns
    -------
    ndarray of float64, shape (n,)
        0 for numbers as they are; on average about .8 for normal numbers of other rows.
        nan if all true numbers are the same.

    References
    ----------
    .. [1] J. M. Mateo-Sanz, F. Sebé and J. Domingo-Ferrer, "Outlier protection in
       continuous microdata masking", in Privacy in statistical databases, 2004.

    Examples
    --------
    >>> standardised_changes([1.0, 2, 3], [1.0, 3, 2]).round(3).tolist()
    [0.0, 0.707, 0.707]
    """
    real, released = np.asarray(real, dtype=float), np.asarray(released, dtype=float)
    spread = float(np.std(real, ddof=1)) if len(real) > 1 else 0.0
    return np.abs(released - real) / (math.sqrt(2) * (spread or math.nan))


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
    chances = _chances_linked(real, released)
    return float(chances.sum() / len(chances))


def _chances_linked(real, released):
    """Chance that each row that is looked for is found."""
    n = len(real)
    asked = np.unique(np.linspace(0, n - 1, min(n, _MAX_ASKED)).astype(np.int64))
    step, found = max(1, _MAX_CELLS // released.size), []
    for start in range(0, len(asked), step):
        own = asked[start : start + step]
        apart = np.zeros((len(own), n))
        for true, given in zip(real[own].T, released.T, strict=True):
            apart += (true[:, np.newaxis] - given) ** 2
        nearest = apart.min(axis=1)
        ties = (apart <= nearest[:, np.newaxis]).sum(axis=1)
        is_own = apart[np.arange(len(own)), own] <= nearest
        found.append(is_own / ties)
    return np.concatenate(found)


# --- as figures of an evaluation ------------------------------------------------


def check_row_by_row(tables: AlikeTables, changed: Sequence[str]) -> None:
    """Refuse tables whose rows cannot be the same ones.

    Raises
    ------
    TableError
        If there are more or fewer of them.
    ParameterError
        If a changed column is not compared.
    """
    n_rows = [len(own) for own in (tables.real, tables.released)]
    if changed and n_rows[0] != n_rows[1]:
        raise TableError(
            f"Expected a release of the {n_rows[0]:,} rows of the real table, in their "
            f"order. Received {n_rows[1]:,}. Give the table that it was made from."
        )
    unknown = [name for name in changed if name not in tables.schema.names]
    if unknown:
        raise ParameterError(
            f"Expected changed columns among those compared: "
            f"{', '.join(map(repr, tables.schema.names))}. Received "
            f"{', '.join(map(repr, unknown))}. Keep them, or leave them out."
        )


def perturbed_figures(
    tables: AlikeTables, changed: Sequence[str], seed: int
) -> dict[str, Figures]:
    """What a perturbation of rows hides and loses, beside values of anybody.

    Parameters
    ----------
    tables : AlikeTables
        The released rows are the real ones, in the same order.
    changed : sequence of str
        Columns that were perturbed.
    seed : int

    Returns
    -------
    dict of str to Figures
        ``released``, and ``independent``: the released values of each changed column
        in an order at random.
    """
    rng = np.random.default_rng([seed, _STREAM])
    drawn = tables.released.assign(
        **{
            name: tables.released[name]
            .iloc[rng.permutation(len(tables.released))]
            .set_axis(tables.released.index)
            for name in changed
        }
    )
    columns = [column for column in tables.schema.columns if column.name in changed]
    return {
        place: _figures(tables.real, released, columns)
        for place, released in (("released", tables.released), ("independent", drawn))
    }


def _figures(real: pd.DataFrame, released: pd.DataFrame, columns) -> Figures:
    of_column: dict[str, Mapping] = {
        c.name: _by_row(real[c.name], released[c.name], c) for c in columns
    }
    found: Figures = {}
    for measure in ("changed_cells", "interval_disclosure", "il1s"):
        own = {c: by[measure] for c, by in of_column.items() if measure in by}
        for name, values in own.items():
            is_share = measure == "changed_cells"
            found[measure, (name,)] = (
                of_share(float(values.sum()), len(values))
                if is_share
                else of_mean(values)
            )
        if own:
            means = [float(values.mean()) for values in own.values()]
            note = f"{mean_of(len(own), 'column')}: {', '.join(own)}"
            found[f"mean_{measure}", ()] = Figure(float(np.mean(means)), note=note)
    chances = _chances_linked(*(_features(t, real, columns) for t in (real, released)))
    note = f"by {', '.join(c.name for c in columns)}; one in {len(real):,} by chance"
    found["linked_rows", ()] = of_share(float(chances.sum()), len(chances), note)
    return found


# --- columns as numbers ---------------------------------------------------------


def _numbers(true, given, column):
    """Numbers or dates of two tables, nan where missing; None of other kinds.

    Both are from the same origin and in the same unit, which doubles hold.
    """
    if column.kind in LISTED_KINDS:
        return None
    origin = origin_of(true, column)
    before, after = (numbers_of(own, column, origin) for own in (true, given))
    small, exponent = below_1(before)
    if exponent <= _SQUARED:
        return before, after
    return small, np.ldexp(after, -exponent)


def _codes(before, after, column):
    """Parts of the values of both tables; missing is one of them."""
    pair = _numbers(before, after, column)
    if pair is None:
        codes, _ = pd.factorize(pd.concat([before, after]))
        return codes[: len(before)] + 1, codes[len(before) :] + 1
    edges = np.nanquantile(pair[0], np.arange(1, _PARTS) / _PARTS)
    return tuple(
        np.where(np.isnan(own), 0, np.searchsorted(edges, own) + 1) for own in pair
    )


def _features(table, real, columns):
    """Rows as points: numbers by their spread, others apart by 1, as missing is."""
    found = []
    for column in columns:
        pair = _numbers(real[column.name], table[column.name], column)
        if pair is None:
            levels = pd.unique(real[column.name].dropna())
            codes = pd.Categorical(table[column.name], categories=levels).codes
            # Two points of the same length, at a right angle, are 1 apart.
            hot = np.eye(len(levels) + 1)[codes] / np.sqrt(2)
            found += list(hot.T)
            continue
        true, numbers = pair
        spread = np.nanstd(true) or 1.0
        absent = np.isnan(numbers)
        found += [np.where(absent, 0, (numbers - np.nanmean(true)) / spread), absent]
    return np.column_stack(found).astype(np.float64)


def _by_row(true, given, column):
    """Figures of a column as one number of each row, by their names."""
    differs = (true != given).fillna(True) & ~(true.isna() & given.isna())
    found = {"changed_cells": differs.to_numpy(dtype=float)}
    pair = _numbers(true, given, column)
    present = False if pair is None else ~np.isnan(pair).any(axis=0)
    if np.any(present):
        before, after = (own[present] for own in pair)
        found["interval_disclosure"] = _near_by_rank(before, after)
        changes = standardised_changes(before, after)
        if not np.isnan(changes).any():
            found["il1s"] = changes
    return found


def _correlation_error(real, released, columns, is_changed):
    """Mean change of correlations, of pairs of which one column was changed."""
    own = [
        (column, changed)
        for column, changed in zip(columns, is_changed, strict=True)
        if column.kind in ("integer", "real")
    ]
    if len(own) < 2 or not any(changed for _, changed in own):
        return None
    pairs = {c.name: _numbers(real[c.name], released[c.name], c) for c, _ in own}
    both = [
        pd.DataFrame({name: pair[place] for name, pair in pairs.items()}).corr()
        for place in (0, 1)
    ]
    changes = np.abs(both[0].to_numpy() - both[1].to_numpy())
    asked = np.triu(np.logical_or.outer(*[[c for _, c in own]] * 2), k=1)
    changes = changes[asked]
    known = changes[~np.isnan(changes)]
    return float(known.mean()) if len(known) else None
