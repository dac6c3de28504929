"""Compiled kernels of what classes release, and of what moves of records would change.

The released table has ``size / product of the widths`` rows of each combination of
values that a class's cover has. A cell is a distinct row of the table, held by `weight`
rows; what the release has beside the cells adds nothing to the Bhattacharyya
coefficient, sum of ``sqrt(weight * released)`` over the cells, by n.

========  =================================================================  =========
symbol    meaning                                                            shape
========  =================================================================  =========
holding   the cells that hold each leaf, bits of words                       (V, N/64)
cells     the cells in the cover of each class                               (C, N/64)
density   rows of each of its cells in the released table                    (C,)
lost      rows of each class that are lost, see `_lost`                      (C,)
released  rows of each cell in the released table                            (N,)
label     class of each record; of a record of many rows, that of most       (N,)
rows      rows of each record that are in that class                         (N,)
gifts     rows of records in classes that are not theirs: the record, the    (G, 3)
          class, and how many
n_gifts   number of them                                                     (1,)
total     sum of the coefficient, rows that are lost, rows of all            (3,)
========  =================================================================  =========

`counts`, `kept` and `size` are as in
`coclust_synth.generators.kanon.classes._class_kernels`.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel

_BIT = np.uint64(1)
_MOST_CLASSES = 4  # that a move changes


class Joint(NamedTuple):
    """Classes and what is released of them; see the head of this module."""

    holding: np.ndarray
    cells: np.ndarray
    density: np.ndarray
    lost: np.ndarray
    released: np.ndarray
    label: np.ndarray
    rows: np.ndarray
    gifts: np.ndarray
    n_gifts: np.ndarray
    counts: np.ndarray
    kept: np.ndarray
    size: np.ndarray
    total: np.ndarray


class Trial(NamedTuple):
    """A move that is looked at: covers before and after it of up to four classes.

    n : of the classes, shape (1,). own : the classes, shape (4,). cells, density,
    lost : cells of the covers before and after, rows of each cell and rows that are
    lost, (8, N/64), (8,) and (8,), the latter two before with a minus. kept, counts,
    size : after the move, (4, V) and (4,).
    """

    n: np.ndarray
    own: np.ndarray
    cells: np.ndarray
    density: np.ndarray
    lost: np.ndarray
    kept: np.ndarray
    counts: np.ndarray
    size: np.ndarray


def empty_trial(joint):
    """Arrays for a trial of some classes."""
    n_leaves, n_words = joint.holding.shape
    return Trial(
        np.zeros(1, np.int64),
        np.zeros(_MOST_CLASSES, np.int64),
        np.zeros((2 * _MOST_CLASSES, n_words), np.uint64),
        np.zeros(2 * _MOST_CLASSES),
        np.zeros(2 * _MOST_CLASSES),
        np.zeros((_MOST_CLASSES, n_leaves), np.bool_),
        np.zeros((_MOST_CLASSES, n_leaves), np.int64),
        np.zeros(_MOST_CLASSES, np.int64),
    )


@kernel
def fill_joint(problem, joint):
    """Lay the covers of the classes over the cells."""
    for record in range(len(problem.weight)):
        for leaf in problem.leaves[record]:
            joint.holding[leaf, record >> 6] |= _BIT << np.uint64(record & 63)
    lost = 0.0
    for own in range(len(joint.size)):
        if joint.size[own] == 0:
            continue
        kept, size = joint.kept[own], joint.size[own]
        _covered(problem.starts, joint.holding, kept, joint.cells[own])
        joint.density[own] = size / _n_combinations(problem.starts, kept)
        for record in range(len(problem.weight)):
            if joint.cells[own, record >> 6] >> np.uint64(record & 63) & _BIT:
                joint.released[record] += joint.density[own]
        joint.lost[own] = _lost(problem.starts, joint.counts[own], kept, size)
        lost += joint.lost[own]
    joint.total[0] = np.sqrt(problem.weight * joint.released).sum()
    joint.total[1], joint.total[2] = lost, problem.weight.sum()


@kernel
def _covered(starts, holding, kept, cells):
    """The cells all of whose values are in a cover."""
    held = np.empty_like(cells)
    cells[:] = ~np.uint64(0)
    for j in range(len(starts) - 1):
        held[:] = np.uint64(0)
        for leaf in range(starts[j], starts[j + 1]):
            if kept[leaf]:
                for word in range(len(cells)):
                    held[word] |= holding[leaf, word]
        for word in range(len(cells)):
            cells[word] &= held[word]


@kernel
def _n_combinations(starts, kept):
    n = 1.0
    for j in range(len(starts) - 1):
        n *= kept[starts[j] : starts[j + 1]].sum()
    return n


@kernel
def _lost(starts, counts, kept, size):
    """Rows times the mean share that their cells stand for, 1 where they are false."""
    d = len(starts) - 1
    lost = 0.0
    for j in range(d):
        lo, hi = starts[j], starts[j + 1]
        true, width = 0, 0
        for leaf in range(lo, hi):
            if kept[leaf]:
                width += 1
                true += counts[leaf]
        lost += size - true + true * (width - 1) / max(hi - lo - 1, 1)
    return lost / d


@kernel
def log_cost(coefficient, lost, n, share):
    """Logarithm of H^(1 - s) l^s; half a row at least is lost, or not given back."""
    far = np.sqrt(max(n - coefficient, 0.5) / n)
    return (1 - share) * np.log(far) + share * np.log(max(lost, 0.5) / n)


# --- a move that is looked at -------------------------------------------------
# What is called for each class of a move takes the arrays that it reads: a call counts
# a reference to every array of a tuple that it is handed, dearer than what it does.


@kernel
def open_class(joint, trial, own):
    """The place of a class in a trial, as it is now; -1 for a class to found."""
    for place in range(trial.n[0]):
        if trial.own[place] == own and own >= 0:
            return place
    place = trial.n[0]
    trial.n[0] += 1
    trial.own[place] = own
    if own < 0:
        trial.kept[place], trial.counts[place], trial.size[place] = False, 0, 0
        trial.density[2 * place] = trial.lost[2 * place] = 0.0
        trial.cells[2 * place] = np.uint64(0)
    else:
        trial.kept[place], trial.counts[place] = joint.kept[own], joint.counts[own]
        trial.size[place] = joint.size[own]
        trial.cells[2 * place] = joint.cells[own]
        trial.density[2 * place] = -joint.density[own]
        trial.lost[2 * place] = -joint.lost[own]
    return place


@kernel
def put(trial, place, leaves, rows):
    """Put rows of a record into a class, or take them away; the cover stays."""
    for leaf in leaves:
        trial.counts[place, leaf] += rows
    trial.size[place] += rows


@kernel
def take(problem, trial, place, record, rows, every):
    """Put rows of a record into a class and its values into the cover.

    Those of labels that may be false only if asked.
    """
    leaves, kept = problem.leaves[record], trial.kept[place]
    put(trial, place, leaves, rows)
    for j in range(len(leaves)):
        if every or problem.is_truthful[j]:
            kept[leaves[j]] = True
    close_intervals(problem.starts, problem.is_interval, kept)


@kernel
def narrow(starts, is_interval, kept, counts):
    """Leave out of a cover what no row holds; at need it has all that are held."""
    for j in range(len(starts) - 1):
        lo, hi = starts[j], starts[j + 1]
        some = False
        for leaf in range(lo, hi):
            kept[leaf] &= counts[leaf] > 0
            some |= kept[leaf]
        if not some:
            for leaf in range(lo, hi):
                kept[leaf] = counts[leaf] > 0
    close_intervals(starts, is_interval, kept)


@kernel
def close_intervals(starts, is_interval, kept):
    """Fill what lies between the leaves of intervals."""
    for j in range(len(starts) - 1):
        if is_interval[j]:
            present = np.flatnonzero(kept[starts[j] : starts[j + 1]])
            if len(present):
                first = starts[j] + present[0]
                kept[first : starts[j] + present[-1] + 1] = True


@kernel
def weigh(problem, joint, trial, first):
    """What the classes of a trial release and lose, from one on, as they come to be."""
    for place in range(first, trial.n[0]):
        own, kept, after = trial.own[place], trial.kept[place], 2 * place + 1
        if trial.size[place] == 0:
            trial.cells[after] = np.uint64(0)
            trial.density[after] = trial.lost[after] = 0.0
            continue
        if own >= 0 and _are_equal(kept, joint.kept[own]):
            trial.cells[after] = trial.cells[2 * place]
        else:
            _covered(problem.starts, joint.holding, kept, trial.cells[after])
        size = trial.size[place]
        trial.density[after] = size / _n_combinations(problem.starts, kept)
        trial.lost[after] = _lost(problem.starts, trial.counts[place], kept, size)


@kernel
def _are_equal(one, other):
    for leaf in range(len(one)):
        if one[leaf] != other[leaf]:
            return False
    return True


@kernel
def judge(problem, joint, trial, first, share):
    """Fall of the logarithm of the cost; the classes from one on have changed."""
    weigh(problem, joint, trial, first)
    lost = joint.total[1]
    for cover in range(2 * trial.n[0]):
        lost += trial.lost[cover]
    n_covers, n = 2 * trial.n[0], joint.total[2]
    cells, density = trial.cells[:n_covers], trial.density
    coefficient = joint.total[0]
    coefficient += _more(problem.weight, joint.released, cells, density, False)
    before = log_cost(joint.total[0], joint.total[1], n, share)
    return before - log_cost(coefficient, lost, n, share)


@kernel
def _more(weight, released, cells, density, is_done):
    """What the coefficient gains by a trial; changes what is released if it is done."""
    more = 0.0
    n_covers = len(cells)
    for word in range(cells.shape[1]):
        some = np.uint64(0)
        for cover in range(n_covers):
            some |= cells[cover, word]
        position = 0
        while some:
            while not some & np.uint64(0xFF):
                some >>= np.uint64(8)
                position += 8
            if some & _BIT:
                record = word * 64 + position
                rows = released[record]
                for cover in range(n_covers):
                    if cells[cover, word] >> np.uint64(position) & _BIT:
                        rows += density[cover]
                rows = max(rows, 0.0)
                more += np.sqrt(weight[record] * rows)
                more -= np.sqrt(weight[record] * released[record])
                if is_done:
                    released[record] = rows
            some >>= _BIT
            position += 1
    return more


@kernel
def carry_out(problem, joint, trial, founded):
    """Do what a trial says; the class that it founds gets a number."""
    for place in range(trial.n[0]):
        own = trial.own[place] if trial.own[place] >= 0 else founded
        joint.kept[own], joint.counts[own] = trial.kept[place], trial.counts[place]
        joint.size[own] = trial.size[place]
        joint.cells[own] = trial.cells[2 * place + 1]
        joint.density[own] = trial.density[2 * place + 1]
        joint.lost[own] = trial.lost[2 * place + 1]
        joint.total[1] += trial.lost[2 * place]
        joint.total[1] += trial.lost[2 * place + 1]
    cells, density = trial.cells[: 2 * trial.n[0]], trial.density
    joint.total[0] += _more(problem.weight, joint.released, cells, density, True)
