"""Compiled kernels that divide records among classes by the joint distribution itself.

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
_MIN_FALL = 1e-9  # of the logarithm of the cost, that a move must bring
_N_GIVERS = 24  # records that rows are taken from, at most, that are looked at
_MOST_CLASSES = 4  # that a move changes
_MOST_FALSE = 1  # values of a record that a class it joins may lack


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
def _open(joint, trial, own):
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
def _put(trial, place, leaves, rows):
    """Put rows of a record into a class, or take them away; the cover stays."""
    for leaf in leaves:
        trial.counts[place, leaf] += rows
    trial.size[place] += rows


@kernel
def _take(problem, trial, place, record, rows, every):
    """Put rows of a record into a class and its values into the cover.

    Those of labels that may be false only if asked.
    """
    leaves, kept = problem.leaves[record], trial.kept[place]
    _put(trial, place, leaves, rows)
    for j in range(len(leaves)):
        if every or problem.is_truthful[j]:
            kept[leaves[j]] = True
    _close(problem.starts, problem.is_interval, kept)


@kernel
def _narrow(starts, is_interval, kept, counts):
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
    _close(starts, is_interval, kept)


@kernel
def _close(starts, is_interval, kept):
    """Fill what lies between the leaves of intervals."""
    for j in range(len(starts) - 1):
        if is_interval[j]:
            present = np.flatnonzero(kept[starts[j] : starts[j + 1]])
            if len(present):
                first = starts[j] + present[0]
                kept[first : starts[j] + present[-1] + 1] = True


@kernel
def _weigh(problem, joint, trial, first):
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
def _judge(problem, joint, trial, first, share):
    """Fall of the logarithm of the cost; the classes from one on have changed."""
    _weigh(problem, joint, trial, first)
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
def _do(problem, joint, trial, founded):
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


# --- moves --------------------------------------------------------------------


@kernel
def divide_once(problem, joint, trial, order, n_classes, share):
    """Look at each light record once, and at each cover; returns classes and moves.

    A record of fewer than k rows joins another class, or founds one with rows of a
    record of more than k, whichever costs least. Rows of such a record also fill up
    the class that it leaves, if k rows do not stay there. Then each value of a label
    that may be false is taken into it, or out of it, where that costs less.

    Parameters
    ----------
    problem : Problem
    joint : Joint
        With room for a class and two gifts more for each record of `order`.
    trial : Trial
    order : ndarray of int64
        The records of fewer than k rows.
    n_classes : int
    share : float
        s of the cost, in [0, 1].

    Returns
    -------
    n_classes : int
    n_moves : int
    """
    n_moves = 0
    rich = np.flatnonzero(problem.weight > problem.k)  # these give rows
    best = np.zeros(joint.kept.shape[1], np.bool_)
    for record in order:
        own, rows = joint.label[record], problem.weight[record]
        need, left = problem.k - rows, joint.size[own] - rows
        lacks = max(problem.k - left, 0) if left else 0
        most, target, who = _MIN_FALL, -1, -1
        filler = _filler(problem, joint, rich, record, lacks)
        if lacks and filler < 0:
            continue
        n_left = _leave(problem, joint, trial, record, filler, lacks)
        for giver in _givers(problem, joint, rich, record, need):
            taken = need + (lacks if giver == filler else 0)
            if not _can_give(problem, joint, giver, taken, record, filler, lacks):
                continue
            trial.n[0] = n_left  # the record has left already, once for all
            place = _found(problem, joint, trial, record, giver, need)
            fall = _judge(problem, joint, trial, place, share)
            if place < n_left:
                _leave(problem, joint, trial, record, filler, lacks)
            if fall > most:
                most, target, who = fall, n_classes, giver
        for other in range(n_classes):
            if other == own or joint.size[other] == 0:
                continue
            n_false = 0
            for leaf in problem.leaves[record]:
                n_false += not joint.kept[other, leaf]
            if n_false > _MOST_FALSE:
                continue
            for every in range(1 + (n_false > 0)):
                trial.n[0] = n_left
                place = _join(problem, joint, trial, record, other, every == 1)
                fall = _judge(problem, joint, trial, place, share)
                if fall > most:
                    most, target, who = fall, other, -1
                    best[:] = trial.kept[place]
                if place < n_left:
                    _leave(problem, joint, trial, record, filler, lacks)
        if target < 0:
            continue
        n_moves += 1
        trial.n[0] = n_left
        if who >= 0:
            _found(problem, joint, trial, record, who, need)
            _give(joint, who, target, need)
            n_classes += 1
        else:
            place = _join(problem, joint, trial, record, target, False)
            trial.kept[place] = best
        if lacks:
            _give(joint, filler, own, lacks)
        _weigh(problem, joint, trial, 0)
        _do(problem, joint, trial, target)
        joint.label[record] = target
    for own in range(n_classes):
        if joint.size[own]:
            n_moves += _choose_cover(problem, joint, trial, own, share)
    return n_classes, n_moves


@kernel
def _give(joint, giver, target, rows):
    gift = joint.n_gifts[0]
    joint.gifts[gift, 0], joint.gifts[gift, 1] = giver, target
    joint.gifts[gift, 2] = rows
    joint.n_gifts[0] += 1
    joint.rows[giver] -= rows


@kernel
def _can_give(problem, joint, giver, rows, record, filler, lacks):
    """Whether a record's class bears that it gives rows while another record leaves."""
    own = joint.label[giver]
    left = joint.size[own] - rows
    if own == joint.label[record]:
        left -= problem.weight[record] - lacks
    if filler >= 0 and filler != giver and joint.label[filler] == own:
        left -= lacks
    return joint.rows[giver] > rows and left >= problem.k


@kernel
def _filler(problem, joint, rich, record, lacks):
    """A record, of the rich ones, that can fill up the class that a record leaves.

    The one that shares most values with its cover; -1 for none, or if nothing lacks.
    """
    own, most, found = joint.label[record], -1.0, -1
    for other in rich if lacks else rich[:0]:
        of = joint.label[other]
        left = joint.size[of] - lacks
        if of != own and joint.rows[other] > lacks and left >= problem.k:
            same = -1 / (1.0 + joint.rows[other])
            for leaf in problem.leaves[other]:
                same += joint.kept[own, leaf]
            if same > most:
                most, found = same, other
    return found


@kernel
def _givers(problem, joint, rich, record, need):
    """Those of the rich records that a record is nearest to, first of equals first."""
    near = np.zeros(_N_GIVERS)
    found = np.zeros(_N_GIVERS, np.int64)
    for other in rich:
        if joint.rows[other] <= need:
            continue
        n_same = 0
        for j in range(problem.leaves.shape[1]):
            n_same += problem.leaves[other, j] == problem.leaves[record, j]
        same = n_same - 1 / (1.0 + joint.rows[other])
        if same > near[-1]:
            place = _N_GIVERS - 1
            while place and same > near[place - 1]:
                near[place], found[place] = near[place - 1], found[place - 1]
                place -= 1
            near[place], found[place] = same, other
    return found[near > 0]


@kernel
def _leave(problem, joint, trial, record, filler, lacks):
    """Take a record out of its class, and fill this up; returns how many change."""
    trial.n[0] = 0
    place = _open(joint, trial, joint.label[record])
    _put(trial, place, problem.leaves[record], -problem.weight[record])
    if lacks:
        _take(problem, trial, place, filler, lacks, True)
    kept, counts = trial.kept[place], trial.counts[place]
    _narrow(problem.starts, problem.is_interval, kept, counts)
    if lacks:
        place = _open(joint, trial, joint.label[filler])
        _put(trial, place, problem.leaves[filler], -lacks)
    _weigh(problem, joint, trial, 0)
    return trial.n[0]


@kernel
def _found(problem, joint, trial, record, giver, need):
    """Found a class of a record and rows of a giver; returns the first that changes."""
    founded = place = _open(joint, trial, -1)
    _take(problem, trial, place, record, problem.weight[record], True)
    _take(problem, trial, place, giver, need, True)
    place = _open(joint, trial, joint.label[giver])
    _put(trial, place, problem.leaves[giver], -need)
    return min(place, founded)


@kernel
def _join(problem, joint, trial, record, other, every):
    """Have a record join a class; returns the place of this."""
    place = _open(joint, trial, other)
    _take(problem, trial, place, record, problem.weight[record], every)
    return place


@kernel
def _choose_cover(problem, joint, trial, own, share):
    """Take values into a cover or out of it; returns how many."""
    n_changed = 0
    for j in range(len(problem.starts) - 1):
        if problem.is_truthful[j]:
            continue
        lo, hi = problem.starts[j], problem.starts[j + 1]
        for leaf in range(lo, hi):
            is_kept = joint.kept[own, leaf]
            if not is_kept and joint.counts[own, leaf] == 0:
                continue
            if is_kept and joint.kept[own, lo:hi].sum() == 1:
                continue
            trial.n[0] = 0
            place = _open(joint, trial, own)
            trial.kept[place, leaf] = not is_kept
            _close(problem.starts, problem.is_interval, trial.kept[place])
            if _judge(problem, joint, trial, 0, share) > _MIN_FALL:
                _do(problem, joint, trial, own)
                n_changed += 1
    return n_changed
