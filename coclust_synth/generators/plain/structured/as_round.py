"""Numbers that others nearly tell, as round as those of the table.

What a fit leaves says nothing of how round the number is that comes of it: a price that
is nearly a tenth more than another one still ends in .99, and a bill in five cents.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.laws.grains import Grains, learn_grains
from coclust_synth.tables.laws.multiples import nearest_multiple, step_of
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.evidence import Evidence

# Rows are off by nearly as much where that differs by so many steps of the column.
_NEAR_STEPS = 5


def grains_beside(
    name: str,
    evidence: Evidence,
    residuals: AtomParts,
    leaves: Leaves,
    codes: NDArray[np.int32],
) -> Grains | None:
    """How round a column is in the rows where few share what a fit is off by.

    Parameters
    ----------
    name : str
    evidence : Evidence
    residuals : AtomParts
        What the fit leaves.
    leaves : Leaves
        Of it.
    codes : ndarray of int, shape (n,)
        Of it.

    Returns
    -------
    Grains or None
        None where they are as round as chance has it.
    """
    values, persons = evidence.values[name], evidence.persons
    others = ~_moving(residuals, leaves)[codes] | np.isnan(evidence.numbers[name])
    if persons is not None:
        once = persons.first_of_values(values, others)
        values, others = values[once], others[once]
    counts, ruler = count_values(values, others), evidence.scales[name].ruler
    grains = learn_grains(counts, np.zeros(len(counts.values), dtype=bool), ruler)
    return grains if grains.reach or grains.finest != ruler else None


def rounded(
    grains: Grains,
    of_all: Ruler,
    values: NDArray[Any],
    codes: NDArray[np.int64],
    leaf: NDArray[np.int64],
    leaves: Leaves,
    residuals: AtomParts,
    with_left: Callable[[NDArray[np.float64]], NDArray[Any]],
    rng: np.random.Generator,
) -> NDArray[Any]:
    """Numbers of which as many are round as in the table, moved to the nearest that is.

    Parameters
    ----------
    grains : Grains
    of_all : Ruler
        That all values of the column are on.
    values : ndarray, shape (n,)
    codes : ndarray of int, shape (n,)
        Of what a fit leaves.
    leaf : ndarray of int64, shape (n,)
    leaves : Leaves
    residuals : AtomParts
    with_left : callable
        The numbers of the rows, of what is left of each.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,)
        On the ruler. None moves beyond what the fit leaves in its leaf, and none moves
        where many are off by as much.
    """
    values = _nearest(values, of_all)
    first, last = (with_left(ends[leaf]) for ends in _ends_of(leaves, residuals))
    at, ruler = np.flatnonzero(_moving(residuals, leaves)[codes]), grains.finest
    own, reach = _nearest(values[at], ruler), ruler.up(grains.reach)
    low = ruler.up(np.maximum(own - reach, np.minimum(first[at], own)))
    high = ruler.down(np.minimum(own + reach, np.maximum(last[at], own)))
    values[at] = grains.rounded(own, low, high, values[:0], rng)
    return values


def _nearest(values, ruler):
    """The values of a ruler that are nearest to some, in another array."""
    step = step_of(ruler)
    return values.copy() if step is None else nearest_multiple(values, step, ruler)


def _moving(residuals, leaves):
    """Of each code, and then of missing and tied ones, whether its numbers may move.

    Where many are off by as much, say by exactly 5, they stay, unless as many others
    are off by nearly as much.
    """
    lows, highs, n = residuals.lows, residuals.highs, len(residuals.lows)
    of_all = slice(leaves.indptr[-2], leaves.indptr[-1])
    rows = np.bincount(leaves.code[of_all], leaves.rows[of_all], n)[:n]
    order = np.argsort(residuals.means, kind="stable")
    means = residuals.means[order]
    before = np.append(0.0, np.cumsum(rows[order]))
    near = _NEAR_STEPS * float(getattr(residuals.ruler, "step", 0))
    near_rows = before[np.searchsorted(means, highs + near, "right")]
    near_rows -= before[np.searchsorted(means, lows - near)]
    moves = (lows < highs) | (2 * rows < near_rows)
    return np.append(moves, [False, False])


def _ends_of(leaves, residuals):
    """The least and the most that each leaf leaves; 0 of a leaf without numbers."""
    known = leaves.code < len(residuals.lows)
    code = np.where(known, leaves.code, 0)
    for way, ends in ((1, residuals.lows), (-1, residuals.highs)):
        own = np.where(known, way * ends[code].astype(np.float64), np.inf)
        least = way * np.minimum.reduceat(own, leaves.indptr[:-1])
        yield np.where(np.isfinite(least), least, 0.0)
