"""Grids to look at, of any size, made up in no time."""

import numpy as np

from coclust_synth.reports.view.grid import ViewedDimension, ViewedGrid


def made_up(n_rows, n_columns, *, seed=0):
    """A band of many observations in a sea of few, merged at random."""
    rng = np.random.default_rng(seed)
    angle = np.arange(n_rows)[:, None] / n_rows - np.arange(n_columns) / n_columns
    counts = rng.poisson(2 * np.exp(1.2 * np.cos(2 * np.pi * angle)))
    counts[0, 0] += 1
    cells = np.argwhere(counts > 0)
    shape = (n_rows, n_columns)
    merges = _merges(shape, rng)
    return ViewedGrid(
        "made-up.khcj",
        tuple(_dimension(axis, counts, rng) for axis in (0, 1)),
        cells,
        counts[tuple(cells.T)],
        merges,
        np.linspace(1, 0, len(merges) + 1) ** 0.3,
        1e6,
        2e6,
    )


def _merges(shape, rng):
    runs, made, merges = [list(range(n)) for n in shape], list(shape), []
    while max(map(len, runs)) > 1:
        axis = int(len(runs[1]) > len(runs[0]))
        place = int(rng.integers(len(runs[axis]) - 1))
        left, right = runs[axis][place : place + 2]
        runs[axis][place : place + 2] = [made[axis]]
        made[axis] += 1
        merges.append((axis, left, right))
    return tuple(merges)


def _dimension(axis, counts, rng):
    letter, totals = "xy"[axis], counts.sum(axis=1 - axis)
    n = len(totals)
    return ViewedDimension(
        letter,
        "categorical",
        tuple(f"{{{letter}{i}, {letter}{i}b}}" for i in range(n)),
        totals,
        rng.random(n),
        tuple((f"{letter}{i}", f"{letter}{i}b") for i in range(n)),
        tuple((int(total - total // 3), int(total // 3)) for total in totals),
        ((1.0, 0.5),) * n,
        (2,) * n,
        tuple(f"{'AB'[axis]}{i + 1}" for i in range(n - 1)),
    )
