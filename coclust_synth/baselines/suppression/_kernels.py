"""Local search for the cells to suppress: classes are opened and closed.

A row can be released under masks, sets of columns in which it reads ``*``; under each
it is in one class, the rows that read the same there. A release is a mask for each row,
so that every class in use has k persons.

    mask    mask of each row                                        (n,)
    size    persons that are released in each class                 (F,)
    used    classes of each mask that somebody is released in       (M,)
    cost    of a mask: what the cells that it suppresses are worth  (M,), increasing
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import inlined_kernel, kernel

_EPS = 1e-9  # costs are sums of a few numbers: what differs less is equal


class Choices(NamedTuple):
    """What the rows can be released as; classes in the order of their masks' cost.

    Attributes
    ----------
    cost : ndarray of float64, shape (M,)
    class_of : ndarray of int32, shape (M, n)
        Class of each row under each mask; -1 where the mask shows a cell of the row
        that is suppressed already.
    mask_of : ndarray of int32, shape (F,)
        Mask of each class.
    start, rows : ndarray of int64 (F + 1,), of int32
        Rows that can be in class f: ``rows[start[f]:start[f + 1]]``.
    person, person_start, person_rows : ndarray of int64 (n,), (P + 1,), (n,)
        Person of each row, and the rows of each.
    k : int
    """

    cost: np.ndarray
    class_of: np.ndarray
    mask_of: np.ndarray
    start: np.ndarray
    rows: np.ndarray
    person: np.ndarray
    person_start: np.ndarray
    person_rows: np.ndarray
    k: int


class Release(NamedTuple):
    """What the rows are released as; changed in place.

    Attributes
    ----------
    mask : ndarray of int64, shape (n,)
    size : ndarray of int64, shape (F,)
    used : ndarray of int64, shape (M,)
        Most masks have no class in use, and are passed over without a look at it.
    """

    mask: np.ndarray
    size: np.ndarray
    used: np.ndarray


@kernel
def improve(choices, release, max_passes):
    """Open and close classes as long as that saves cells; in place.

    Parameters
    ----------
    choices : Choices
    release : Release
        Of every class in use, k persons.
    max_passes : int

    Returns
    -------
    int
        Passes that were made.
    """
    n, n_classes = len(release.mask), len(choices.mask_of)
    log = np.empty((4 * n, 2), dtype=np.int64)
    for n_passes in range(max_passes):
        gained = False
        for f in range(n_classes):
            if choices.start[f + 1] - choices.start[f] >= choices.k:
                gained |= _opened(choices, release, f, False, log)
                gained |= _opened(choices, release, f, True, log)
        for f in range(n_classes):
            gained |= _closed(choices, release, f, log)
        if not gained:
            return n_passes + 1
    return max_passes


@kernel
def _opened(choices, release, f, closing, log):
    """Take into a class all rows that lose fewer cells there, if that saves some.

    Other rows fill up what lacks to k. Classes that these leave with fewer than k
    persons get some back and spare none for filling up or, if `closing`, are closed.
    """
    own, k = choices.mask_of[f], choices.k
    cost, class_of = choices.cost, choices.class_of
    mask, size = release.mask, release.size
    n_log, delta, n_broken = 0, 0.0, 0
    for i in choices.rows[choices.start[f] : choices.start[f + 1]]:
        if cost[mask[i]] > cost[own] + _EPS:
            delta += cost[own] - cost[mask[i]]
            n_log = _move(choices, release, i, own, log, n_log)
    if not closing:
        for e in range(n_log):
            i, before = log[e]
            if 0 < size[class_of[before, i]] < k:
                delta -= cost[own] - cost[before]
                n_log = _move(choices, release, i, before, log, n_log)
    if delta < -_EPS and 0 < size[f] < k:
        n_log, more = _filled(choices, release, f, closing, log, n_log)
        delta += more
    if closing:
        for e in range(n_log):
            left = class_of[log[e, 1], log[e, 0]]
            if delta < -_EPS and 0 < size[left] < k:
                n_broken += 1
                n_log, more = _emptied(choices, release, left, log, n_log)
                delta += more
    if delta < -_EPS and (n_broken or not closing):
        return True
    _undo(choices, release, log, n_log)
    return False


@kernel
def _closed(choices, release, f, log):
    """Release the rows of a class in others, if that saves cells."""
    if release.size[f] == 0:
        return False
    n_log, delta = _emptied(choices, release, f, log, 0)
    if delta < -_EPS:
        return True
    _undo(choices, release, log, n_log)
    return False


@kernel
def _emptied(choices, release, f, log, n_log):
    """Move each row of a class to its cheapest other class of k persons or more.

    Returns the length of the log and the change of cost, infinite where a row has no
    such class.
    """
    own, cost, delta = choices.mask_of[f], choices.cost, 0.0
    mask, size = release.mask, release.size
    for i in choices.rows[choices.start[f] : choices.start[f + 1]]:
        if mask[i] != own:
            continue
        for m in range(len(cost)):
            if release.used[m] == 0:
                continue
            g = choices.class_of[m, i]
            if g >= 0 and g != f and size[g] >= choices.k:
                delta += cost[m] - cost[own]
                n_log = _move(choices, release, i, m, log, n_log)
                break
        else:
            return n_log, np.inf
    return n_log, delta


@kernel
def _filled(choices, release, f, closing, log, n_log):
    """Bring rows into a class until it has k persons, those that lose least first.

    From classes of more than k unless `closing`.
    """
    own, cost, delta = choices.mask_of[f], choices.cost, 0.0
    mask, size = release.mask, release.size
    rows = choices.rows[choices.start[f] : choices.start[f + 1]]
    for e in np.argsort(-cost[mask[rows]], kind="mergesort"):
        i = rows[e]
        if size[f] >= choices.k:
            break
        spares = closing or size[choices.class_of[mask[i], i]] > choices.k
        if mask[i] != own and spares:
            delta += cost[own] - cost[mask[i]]
            n_log = _move(choices, release, i, own, log, n_log)
    return n_log, delta if size[f] >= choices.k else np.inf


@kernel
def _undo(choices, release, log, n_log):
    for e in range(n_log - 1, -1, -1):
        _move(choices, release, log[e, 0], log[e, 1], log, -1)


@inlined_kernel
def _move(choices, release, i, new, log, n_log):
    """Give a row another mask, and note the one that it had unless `n_log` is -1.

    Returns the length of the log.
    """
    mask, size = release.mask, release.size
    before = mask[i]
    left, entered = choices.class_of[before, i], choices.class_of[new, i]
    in_left = in_entered = False
    p = choices.person[i]
    for j in choices.person_rows[choices.person_start[p] : choices.person_start[p + 1]]:
        if j != i:
            other = choices.class_of[mask[j], j]
            in_left |= other == left
            in_entered |= other == entered
    if not in_left:
        size[left] -= 1
        release.used[before] -= size[left] == 0
    if not in_entered:
        release.used[new] += size[entered] == 0
        size[entered] += 1
    mask[i] = new
    if n_log >= 0:
        log[n_log, 0], log[n_log, 1] = i, before
    return n_log + 1
