"""Records of many rows that are divided among classes, where combinations are few.

Equal rows are one record, and move together: a record of two rows cannot have a class
with three of the five hundred rows next to it. Where records are of many rows each,
this is what a release is far by, and the whole joint distribution can be counted.
Classes that have settled then change by what the release itself costs, H^(1 - s) l^s:
H the Hellinger distance of the joint distribution of all columns, each label read as if
its values were equally likely; l the loss of `mean_loss` (see
`coclust_synth.generators.kanon.classes.forming`); s less than for what classes begin
with, since rows move for the distance first.

Each light record, of fewer than k rows, joins another class or founds one with rows of
a record of more than k, rows of which also fill up the class that it leaves, and labels
that may be false take values in or leave them out, while the cost falls: it is never
more than that of the classes that had settled.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.kanon.classes.dividing._joint_kernels import (
    Joint,
    empty_trial,
    fill_joint,
)
from coclust_synth.generators.kanon.classes.dividing._move_kernels import divide_once

_ROWS_EACH = 5  # rows of a record, in the mean, for their joint distribution to tell
_MOST_RECORDS = 5000  # each is tried with all classes, again and again
_MAX_ROUNDS = 3  # more of them gain next to nothing
_LOSS_SHARE = {"both": 0.4, "distance": 0.0, "loss": 0.8}  # s


@dataclass(frozen=True, eq=False)
class Pieces:
    """Records, those of which rows are in several classes once for each of these.

    Attributes
    ----------
    record : ndarray of int64, shape (M,)
        The record of each piece.
    weight : ndarray of int64, shape (M,)
        Its rows, 1 or more.
    label : ndarray of int64, shape (M,)
        Its class, from 0 without gaps.
    kept : ndarray of bool, shape (n_classes, V)
        Leaves of all variables in the cover of each class.
    """

    record: np.ndarray
    weight: np.ndarray
    label: np.ndarray
    kept: np.ndarray

    def of(self, problem):
        """A problem without owners, whose records are the pieces."""
        leaves = problem.leaves[self.record]
        return problem._replace(leaves=leaves, weight=self.weight)


def can_divide(problem):
    """Whether the joint distribution can be counted, and each row is a person.

    Parameters
    ----------
    problem : Problem

    Returns
    -------
    bool
        False too where leaves stand for several values: labels are then narrower.
    """
    n_records = len(problem.weight)
    return (
        not len(problem.owners.record_start)
        and bool(np.all(problem.group_values == 1))
        and n_records <= _MOST_RECORDS
        and problem.weight.sum() >= _ROWS_EACH * n_records
    )


def divide(problem, classes, *, objective, clock):
    """Divide records among classes while the release costs less.

    Parameters
    ----------
    problem : Problem
        One that `can_divide`.
    classes : RecordClasses
        Of k rows or more each.
    objective : {"both", "distance", "loss"}
    clock : Clock
        No round begins when its time is over; it notes "moves" then.

    Returns
    -------
    Pieces
        Their classes are of k rows or more.
    """
    weight = problem.weight
    light = np.flatnonzero(weight < problem.k)
    light = light[np.argsort(weight[light], kind="stable")]
    n_classes, share = len(classes.kept), _LOSS_SHARE[objective]
    joint = joint_of(problem, classes, _MAX_ROUNDS * len(light))
    trial = empty_trial(joint)
    for _ in range(_MAX_ROUNDS):
        if clock.ends("moves"):
            break
        n_classes, n_moves = divide_once(problem, joint, trial, light, n_classes, share)
        if not n_moves:
            break
    giver, target, given = joint.gifts[: joint.n_gifts[0]].T
    used = joint.size > 0
    return Pieces(
        np.append(np.arange(len(weight)), giver),
        np.append(joint.rows, given),
        (np.cumsum(used) - 1)[np.append(joint.label, target)],
        joint.kept[used],
    )


def joint_of(problem, classes, n_more):
    """Classes laid over the joint distribution, with room for so many classes more."""
    room = len(classes.kept) + n_more
    n_records, d = problem.leaves.shape
    n_words, n_leaves = (n_records + 63) // 64, int(problem.starts[-1])
    kept = np.zeros((room, n_leaves), dtype=bool)
    kept[: len(classes.kept)] = classes.kept
    counts = np.zeros((room, n_leaves), dtype=np.int64)
    cells = np.repeat(classes.label, d), problem.leaves.ravel()
    np.add.at(counts, cells, np.repeat(problem.weight, d))
    joint = Joint(
        np.zeros((n_leaves, n_words), np.uint64),
        np.zeros((room, n_words), np.uint64),
        np.zeros(room),
        np.zeros(room),
        np.zeros(n_records),
        classes.label.copy(),
        problem.weight.copy(),
        np.zeros((2 * n_more, 3), np.int64),
        np.zeros(1, np.int64),
        counts,
        kept,
        np.bincount(classes.label, problem.weight, room).astype(np.int64),
        np.zeros(3),
    )
    fill_joint(problem, joint)
    return joint
