"""Classes of at least k individuals, formed for the table that is released of them.

All rows of a class are released under one cover: a set of leaves (original values) for
each variable, read as if each leaf were equally likely. With c_v rows of value v among
the n rows of a class, and m leaves in its set, the set is worth

    b = sum over its leaves v of (c_v / n)^e / sqrt(m),     e = 1/2 + 1 / (3 ln k)

With e = 1/2 this is the Bhattacharyya coefficient of the class's values and the even
spread over the set, 1 where both are the same; with e = 1 it is what one row of the
class is worth on average, where each row is different in the other variables. Classes
of few rows are near the second, large ones near the first. The objective is

    sum over the classes of n * product over the variables of (1 + b)

The product adds up all sets of variables, each with the product of its coefficients:
an approximation, variables taken as independent inside a class, of how well the
released table gives the joint distributions back: 1 - H^2, H the Hellinger distance.

Classes begin as the clusters of individuals of a co-clustering, or as boxes (see
`cut_boxes`), cut into classes of k rows, or as boxes of k rows; records (equal rows
together) then change classes while the objective rises. Rows of a cluster go together
in most variables, those of a box share labels in all, and what clusters leave over
widens the labels of its class in several variables. All are cut, and records move
between the classes that will cost less, see
`coclust_synth.generators.kanon.classes.costs`, s as there. At the end
large classes are cut anew, see `coclust_synth.generators.kanon.classes.sweeping`, and
where records are few, of many rows each, rows of one go to several classes, see
`coclust_synth.generators.kanon.classes.dividing`.

The cut goes by the covers alone, m of M leaves. Under 1 + 1 / sqrt(m) a class sooner
mixes both values of a binary variable than it widens one of many values by a few, which
no change of single records undoes; so labels that stand for a small share of a column's
values count too: 1 + (1 - s) / sqrt(m) + s (1 - (m - 1) / (M - 1)).
A column of very many values is coded by groups of neighbouring ones, but released as
the values that a class holds: of k rows of one group these are about
m = 1 + (k - 1) (1 - r) values, r the chance that two rows of a group have the same, and
k at most. Between one group and k of them the true coefficient goes from 1 / sqrt(m) to
1 / sqrt(k), a share w of the way from 1 that b goes; for dates of birth, all different,
it stays where it is. The factor of such a variable is 1 + b (1 + w) / 2: half for what
the label stands for, half for values that are near each other, which coarser statistics
need. (With all of it for the former, dates spread over the whole range.)

No step leaves a class with fewer than k rows. Where persons can have several rows, k is
of persons everywhere: rows of the same ones count once.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.kanon.classes._class_kernels import Problem
from coclust_synth.generators.kanon.classes.costs import (
    as_released,
    cost_of,
    width_shares,
)
from coclust_synth.generators.kanon.classes.persons import record_owners
from coclust_synth.generators.kanon.classes.starting import are_few, first_labels
from coclust_synth.generators.kanon.classes.sweeping import (
    filled_classes,
    recut,
    settle,
)
from coclust_synth.modl.search.clock import Clock

MAX_SWEEPS = 8


def class_problem(
    records,
    k,
    *,
    is_interval,
    is_truthful,
    is_ordered=None,
    repeats=None,
    record_of_row=None,
    persons=None,
):
    """What classes of some records are formed from.

    Parameters
    ----------
    records : DistinctRows
        Codes of leaves; none of them -1.
    k : int
        Persons of a class, at least; from 1 to their number.
    is_interval : ndarray of bool, shape (d,)
        Variables whose sets are intervals of leaves.
    is_truthful : ndarray of bool, shape (d,)
        Variables whose set, for a class, has all values of its rows; otherwise those
        that make b largest, and what other rows hold is not in the cover.
    is_ordered : ndarray of bool, shape (d,), optional
        Variables whose leaves are in an order that boxes are cut along; by default all.
    repeats : ndarray of float64, shape (d,), optional
        Where leaves stand for groups of values, the chance that two rows of a group
        have the same value, above 0 and at most 1; by default 1.
    record_of_row : ndarray of int64, shape (n,), optional
        With `persons` only.
    persons : Persons, optional
        Of the rows; by default each row is a person.

    Returns
    -------
    Problem
    """
    n = records.n_individuals
    n_leaves = records.n_parts_per_variable
    repeats = np.ones(len(n_leaves)) if repeats is None else repeats
    exponent = min(1.0, 0.5 + 1 / (3 * np.log(max(k, 2))))
    if np.all(is_truthful):
        exponent = 1.0
    with np.errstate(divide="ignore"):
        root = np.arange(int(n_leaves.max()) + 1) ** -0.5
    return Problem(
        records.codes.astype(np.int64),
        records.counts,
        np.append(0, np.cumsum(n_leaves)),
        np.asarray(is_interval, dtype=bool),
        np.asarray(is_truthful, dtype=bool),
        np.ones(len(n_leaves), bool) if is_ordered is None else np.asarray(is_ordered),
        np.arange(n + 1) ** exponent,
        root,
        _influence(repeats, k),
        1 / repeats,
        k,
        record_owners(record_of_row, persons, len(records.counts)),
    )


def _influence(repeats, k):
    """What coefficients of groups count for; see the head of this module."""
    of_k_values = max(k, 2) ** -0.5
    n_values = 1 + (max(k, 2) - 1) * (1 - repeats)
    reach = (n_values**-0.5 - of_k_values) / (1 - of_k_values)
    return (1 + reach) / 2


@dataclass(frozen=True, eq=False)
class RecordClasses:
    """Classes of records and their covers.

    Attributes
    ----------
    label : ndarray of int64, shape (N,)
        Class of each record, from 0 without gaps.
    kept : ndarray of bool, shape (n_classes, V)
        Leaves of all variables in the cover of each class.
    """

    label: np.ndarray
    kept: np.ndarray


def form_classes(problem, clusters, **options):
    """Form classes of at least k persons, those of `class_forms` that come first.

    Parameters
    ----------
    problem, clusters, **options
        As of `class_forms`.

    Returns
    -------
    RecordClasses
    """
    return next(class_forms(problem, clusters, **options))


def class_forms(
    problem, clusters, *, seed, objective="both", max_sweeps=MAX_SWEEPS, clock=None
):
    """Classes that begin as the clusters or as boxes; what begins best comes first.

    Where true labels are few, what costs least once records have moved comes first.

    Parameters
    ----------
    problem : Problem
    clusters : ndarray of int64, shape (N,)
        Cluster of each record to begin with; each holds k persons or more.
    seed : int or numpy.random.SeedSequence
        Of the orders in which records are looked at.
    objective : {"both", "distance", "loss"}, default="both"
        What the cost is of that classes begin with and are cut anew by.
    max_sweeps : int
    clock : Clock, optional
        No sweep begins when its time is over; it notes "moves" then.

    Yields
    ------
    RecordClasses
    """
    clock = Clock(None) if clock is None else clock
    settled = (
        _settled(problem, label, seed, objective, max_sweeps, clock)
        for label in first_labels(problem, clusters, objective)
    )
    if are_few(problem):
        settled = sorted(settled, key=lambda own: end_cost(problem, own, objective))
    yield from map(numbered, settled)


def end_cost(problem, classes, objective):
    """What classes cost in the released table, once records have moved."""
    problem = as_released(problem)
    return cost_of(problem, filled_classes(problem, classes.label), objective)


def _settled(problem, label, seed, objective, max_sweeps, clock):
    """Classes whose records have moved while that is worth it, cut anew where it is."""
    rng = np.random.default_rng(seed)
    classes = filled_classes(problem, label)
    settle(problem, classes, rng, max_sweeps, clock)
    label = recut(problem, classes, objective, rng, clock) if max_sweeps else None
    if label is None:
        return classes
    anew = filled_classes(problem, label)
    settle(problem, anew, rng, max_sweeps, clock)
    found = classes, anew
    return min(found, key=lambda own: cost_of(problem, own, objective))


def cover_classes(problem, label):
    """The covers of given classes of records; see the head of this module."""
    return numbered(filled_classes(problem, label))


def mean_loss(problem, classes, suppressed):
    """Mean share of a variable's leaves that a cell stands for, 1 if it is not true.

    Parameters
    ----------
    problem : Problem
    classes : RecordClasses
    suppressed : ndarray of bool, shape (N,)

    Returns
    -------
    float
        (m - 1) / (M - 1) of the m values of a set, of M, and 1 for a cell that is
        suppressed, or whose value is not in the set: in [0, 1].
    """
    size = np.bincount(classes.label, problem.weight, len(classes.kept))
    of_class = width_shares(problem, classes.kept, size)
    is_true = classes.kept[classes.label[:, np.newaxis], problem.leaves]
    is_true &= ~suppressed[:, np.newaxis]
    lost = np.where(is_true, of_class[classes.label], 1.0)
    return float(np.average(lost.mean(axis=1), weights=problem.weight))


def numbered(classes):
    """Classes without the empty ones."""
    used = classes.size > 0
    return RecordClasses((np.cumsum(used) - 1)[classes.label], classes.kept[used])
