"""Compiled kernels that move records between classes, or divide them among these.

The arrays are as in `coclust_synth.generators.kanon.classes.dividing._joint_kernels`.
"""

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.kanon.classes.dividing._joint_kernels import (
    carry_out,
    close_intervals,
    judge,
    narrow,
    open_class,
    put,
    take,
    weigh,
)

_MIN_FALL = 1e-9  # of the logarithm of the cost, that a move must bring
_N_GIVERS = 24  # records that rows are taken from, at most, that are looked at
_MOST_FALSE = 1  # values of a record that a class it joins may lack


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
            fall = judge(problem, joint, trial, place, share)
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
                fall = judge(problem, joint, trial, place, share)
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
        weigh(problem, joint, trial, 0)
        carry_out(problem, joint, trial, target)
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
    place = open_class(joint, trial, joint.label[record])
    put(trial, place, problem.leaves[record], -problem.weight[record])
    if lacks:
        take(problem, trial, place, filler, lacks, True)
    kept, counts = trial.kept[place], trial.counts[place]
    narrow(problem.starts, problem.is_interval, kept, counts)
    if lacks:
        place = open_class(joint, trial, joint.label[filler])
        put(trial, place, problem.leaves[filler], -lacks)
    weigh(problem, joint, trial, 0)
    return trial.n[0]


@kernel
def _found(problem, joint, trial, record, giver, need):
    """Found a class of a record and rows of a giver; returns the first that changes."""
    founded = place = open_class(joint, trial, -1)
    take(problem, trial, place, record, problem.weight[record], True)
    take(problem, trial, place, giver, need, True)
    place = open_class(joint, trial, joint.label[giver])
    put(trial, place, problem.leaves[giver], -need)
    return min(place, founded)


@kernel
def _join(problem, joint, trial, record, other, every):
    """Have a record join a class; returns the place of this."""
    place = open_class(joint, trial, other)
    take(problem, trial, place, record, problem.weight[record], every)
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
            place = open_class(joint, trial, own)
            trial.kept[place, leaf] = not is_kept
            close_intervals(problem.starts, problem.is_interval, trial.kept[place])
            if judge(problem, joint, trial, 0, share) > _MIN_FALL:
                carry_out(problem, joint, trial, own)
                n_changed += 1
    return n_changed
