"""Records that change classes while that is worth it, and large classes cut anew.

Sweeps go on until they gain little. Records that move one by one, or are exchanged,
leave as many classes as there were: clusters of 1.5 k persons are as many classes of
1.5 k, whose labels are wider than k asks for. So large classes are cut anew, alone or
each with a near one, along one column after another where labels are then worth most,
as boxes are: two near classes that hold as many persons as three need. Their records
move between the new classes, and these are kept where all classes then cost less.
"""

import numpy as np

from coclust_synth.generators.kanon.classes._class_kernels import (
    empty_classes,
    fill,
    sweep,
)
from coclust_synth.generators.kanon.classes._cut_kernels import cut_boxes
from coclust_synth.generators.kanon.classes._merge_kernels import merge_gains
from coclust_synth.generators.kanon.classes.costs import cost, cut_worth, lost_rows
from coclust_synth.generators.kanon.classes.persons import problem_of

_MIN_RISE = 1e-3  # share of the objective that a sweep must add for another one
_ROOM = 64  # classes that are looked at for a record
_MOST = 64  # classes that are cut anew, the largest
_N_NEAR = 3  # classes that each is tried with
_MAX_SWEEPS = 4  # over the records of new classes
_MIN_FALL = 1e-3  # share of the cost that new classes must save all together


def filled_classes(problem, label):
    """Classes of records under their best covers."""
    classes = empty_classes(problem, label, int(label.max()) + 1)
    fill(problem, classes)
    return classes


def settle(problem, classes, rng, max_sweeps, clock):
    """Sweep over the records, in place, until a sweep adds little.

    Parameters
    ----------
    problem : Problem
    classes : Classes
        Filled.
    rng : numpy.random.Generator
        Of the orders in which records are looked at.
    max_sweeps : int
    clock : Clock
        No sweep begins when its time is over; it notes "moves" then.
    """
    objective = classes.fit.sum()
    for _ in range(max_sweeps):
        if clock.ends("moves"):
            break
        order = rng.permutation(len(classes.label))
        n_moved = sweep(problem, classes, order, _ROOM)
        before, objective = objective, classes.fit.sum()
        if n_moved == 0 or objective - before < _MIN_RISE * objective:
            break


def recut(problem, classes, objective, rng, clock):
    """Cut large classes anew where that costs less.

    Parameters
    ----------
    problem : Problem
    classes : Classes
        Filled.
    objective : {"both", "distance", "loss"}
    rng : numpy.random.Generator
    clock : Clock
        No class is cut when its time is over; it notes "moves" then.

    Returns
    -------
    ndarray of int64, shape (N,), or None
        Class of each record, of k persons or more each; None where next to nothing is
        saved.
    """
    worth, label = cut_worth(problem, objective), classes.label.copy()
    lost, is_open = lost_rows(problem, classes), classes.size > 0
    fit_now, lost_now, n_classes = classes.fit.sum(), lost.sum(), len(classes.size)
    together = np.zeros(0, dtype=np.int64)  # records of one leaf, in a cut
    before = now = cost(problem, fit_now, lost_now, objective)
    for own in _largest(problem, classes):
        if not is_open[own] or clock.ends("moves"):
            continue
        for group in _groups(problem, classes, own, is_open):
            members = np.flatnonzero(np.isin(classes.label, group))
            part = problem_of(problem, members)
            cut = np.zeros(len(members), dtype=np.int64)
            if cut_boxes(part, worth, problem.k, together, cut) == 1:
                continue
            new = filled_classes(part, cut)
            settle(part, new, rng, _MAX_SWEEPS, clock)
            fit = fit_now - classes.fit[group].sum() + new.fit.sum()
            loses = lost_now - lost[group].sum() + lost_rows(part, new).sum()
            after = cost(problem, fit, loses, objective)
            if after < now:
                label[members] = n_classes + new.label
                n_classes += len(new.size)
                is_open[group] = False
                fit_now, lost_now, now = fit, loses, after
                break
    if now > (1 - _MIN_FALL) * before:
        return None
    return np.unique(label, return_inverse=True)[1]


def _largest(problem, classes):
    """Classes that two of can be three, or that can be two: the largest first."""
    n_records = np.bincount(classes.label, minlength=len(classes.size))
    held = np.where(n_records > 1, classes.persons, 0)
    order = np.argsort(-held, kind="stable")[:_MOST]
    return order[2 * held[order] >= 3 * problem.k]


def _groups(problem, classes, own, is_open):
    """What a class is cut with, as arrays of classes: nothing, or a near class."""
    if classes.persons[own] >= 2 * problem.k:
        yield np.array([own])
    gains = merge_gains(problem, classes, own)
    gains[~is_open | (classes.persons[own] + classes.persons < 3 * problem.k)] = -np.inf
    for other in np.argsort(-gains, kind="stable")[:_N_NEAR]:
        if np.isfinite(gains[other]):
            yield np.array([own, other])
