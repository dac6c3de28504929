"""Distances between the margins of sets of columns, and the cells that differ most.

See `coclust_synth.evaluation.distances.margins` for what the two distances are. Here
sets are listed once for all releases that are compared: all of one and two columns, and
of three to six at most a number of them, drawn at random.

Intervals are of the sampling error of the release: what another one of as many rows,
from the same generator, would have; see `coclust_synth.evaluation.comparing.scores`.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.evaluation.comparing.coded import CodedRows, Coding
from coclust_synth.evaluation.comparing.scores import (
    N_GROUPS,
    Figure,
    Figures,
    Setting,
    around,
    group_of,
    mean_of,
    reach,
)
from coclust_synth.evaluation.distances.margins import distances_of_shares

MAX_ORDER = 6
# Sets of each order that are looked at, if there are more of three columns or more.
_MAX_SETS = {3: 300, 4: 60, 5: 60, 6: 60}
_STREAM = 1
_N_CELLS = 15  # whose shares differ most
# Joint values are counted in an array while there are so many, or two for each row.
_FEW_CELLS = 2**17


class SetDistances(NamedTuple):
    """Distances of some sets of columns, each ndarray of shape (n_sets,)."""

    total_variation: NDArray[np.float64]
    hellinger: NDArray[np.float64]


def set_distances(
    real: NDArray[np.integer],
    other: NDArray[np.integer],
    n_parts: Sequence[int] | NDArray[np.integer],
    sets: Sequence[tuple[int, ...]],
) -> SetDistances:
    """Distances between the margins of two tables, for some sets of columns.

    Parameters
    ----------
    real : ndarray of shape (n, d), int
        Codes from 0 on.
    other : ndarray of shape (m, d), int
    n_parts : sequence of d int
        Codes of each column.
    sets : sequence of tuple of int
        Positions of columns.

    Returns
    -------
    SetDistances
        Both in [0, 1], 0 for equal margins.

    Examples
    --------
    >>> real, other = np.array([[0, 0], [1, 1]]), np.array([[0, 1], [1, 0]])
    >>> set_distances(real, other, [2, 2], [(0,), (0, 1)]).total_variation.tolist()
    [0.0, 1.0]
    """
    found = np.array([_distances(real, other, n_parts, own) for own in sets])
    return SetDistances(*found.reshape(-1, 2).T)


def sets_of_columns(d: int, order: int, rng: np.random.Generator) -> list:
    """Sets of so many of d columns: all, or some at random, in order."""
    n, most = comb(d, order), _MAX_SETS.get(order)
    if most is None or n <= most:
        return list(combinations(range(d), order))
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < most:
        chosen.add(tuple(sorted(rng.choice(d, order, replace=False).tolist())))
    return sorted(chosen)


def distance_figures(setting: Setting, rows: CodedRows) -> Figures:
    """Mean distances of sets of 1 to 6 columns, and those of each column."""
    coding = setting.coding
    found: Figures = {}
    d = len(coding.names)
    rng = setting.rng(_STREAM)
    for order in range(1, min(d, MAX_ORDER) + 1):
        sets = sets_of_columns(d, order, rng)
        codes = (setting.real.parts, rows.parts)
        distances = set_distances(*codes, coding.n_parts, sets)
        note = mean_of(comb(d, order), "set", len(sets))
        left_out = np.full((N_GROUPS, len(sets), 2), np.nan)  # no interval
        if setting.intervals and rows.n >= 2 * N_GROUPS:
            left_out = _left_out(*codes, coding.n_parts, sets)
        halves = reach(left_out)
        means = reach(left_out.mean(axis=1))
        for k, (name, values) in enumerate(distances._asdict().items()):
            mean = Figure(float(values.mean()), note=note)
            found[f"mean_{name}_{order}", ()] = around(mean, float(means[k]), 1.0)
            if order == 1:
                for j, column in enumerate(coding.names):
                    own = Figure(float(values[j]))
                    found[name, (column,)] = around(own, float(halves[j, k]), 1.0)
    return found


def pair_distances(
    coding: Coding, real: CodedRows, rows: CodedRows
) -> NDArray[np.float64]:
    """Total variation of each pair of columns, (d, d); on the diagonal of each one."""
    d = len(coding.names)
    pairs = [(i, j) for i in range(d) for j in range(i, d)]
    sets = [(i,) if i == j else (i, j) for i, j in pairs]
    values = set_distances(real.parts, rows.parts, coding.n_parts, sets)
    table = np.zeros((d, d))
    for (i, j), value in zip(pairs, values.total_variation, strict=True):
        table[i, j] = table[j, i] = value
    return table


def worst_cells(coding: Coding, real: CodedRows, rows: CodedRows) -> pd.DataFrame:
    """Joint values of two columns whose shares differ most.

    Parameters
    ----------
    coding : Coding
    real, rows : CodedRows

    Returns
    -------
    DataFrame
        ``columns``, ``values`` (both tuples of two texts), ``real``, ``released``
        (shares), by falling difference. At most 15, and two of a pair of columns.
    """
    found = []
    for i, j in combinations(range(len(coding.names)), 2):
        n_i, n_j = len(coding.labels[i]), len(coding.labels[j])
        p, q = (
            np.bincount(own.parts[:, i] * n_j + own.parts[:, j], minlength=n_i * n_j)
            / own.n
            for own in (real, rows)
        )
        for cell in np.argsort(-abs(p - q), kind="stable")[:2]:
            values = (coding.labels[i][cell // n_j], coding.labels[j][cell % n_j])
            names = (coding.names[i], coding.names[j])
            found.append((names, values, float(p[cell]), float(q[cell])))
    cells = pd.DataFrame(found, columns=["columns", "values", "real", "released"])
    off = -(cells["real"] - cells["released"]).abs()
    return cells.iloc[np.argsort(off, kind="stable")[:_N_CELLS]].reset_index(drop=True)


def _left_out(real, other, n_parts, sets):
    """Both distances of each set without each group, (N_GROUPS, n_sets, 2)."""
    groups = group_of(len(other))
    sizes = len(other) - np.bincount(groups, minlength=N_GROUPS)
    found = np.empty((N_GROUPS, len(sets), 2))
    for k, columns in enumerate(sets):
        of_real, of_other, n_cells = _cells(real, other, n_parts, columns)
        p = np.bincount(of_real, minlength=n_cells) / len(real)
        by_group = np.bincount(
            groups * n_cells + of_other, minlength=N_GROUPS * n_cells
        ).reshape(N_GROUPS, n_cells)
        others = by_group.sum(axis=0) - by_group
        for group, (counts, size) in enumerate(zip(others, sizes, strict=True)):
            found[group, k] = distances_of_shares(p, counts / size)
    return found


def _distances(real, other, n_parts, columns):
    """Total variation and Hellinger distance of one set."""
    of_real, of_other, n_cells = _cells(real, other, n_parts, columns)
    p = np.bincount(of_real, minlength=n_cells) / len(real)
    q = np.bincount(of_other, minlength=n_cells) / len(other)
    return distances_of_shares(p, q)


def _cells(real, other, n_parts, columns):
    """Joint value of each row of both tables, and how many there are at most."""
    n, n_rows = len(real), len(real) + len(other)
    cells, n_cells = np.zeros(n_rows, dtype=np.int64), 1
    most = max(_FEW_CELLS, 2 * n_rows)
    for k in columns:
        codes = np.concatenate([real[:, k], other[:, k]])
        cells, n_cells = cells * int(n_parts[k]) + codes, n_cells * int(n_parts[k])
        if n_cells > most:
            cells, distinct = pd.factorize(cells)
            n_cells = len(distinct)
    return cells[:n], cells[n:], n_cells
