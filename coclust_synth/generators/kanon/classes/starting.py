"""What classes begin with: clusters of a co-clustering, or boxes, cut into classes.

Boxes are cut one column after another, greedily: a cut that is worth most now can leave
what no good cut is left for. Among many classes that evens out, and moves of records
mend it. Where classes are few it decides what each label is, and no move of single
records undoes it; so boxes are then also cut for the loss alone, and for that with one
column counting for nothing, or thrice. Those that begin best are settled, and what
costs least then is the release.

A true label is wide as soon as its class holds one row of a rare value, and values of
fewer than k persons in all cannot be set apart by a cut between two values. So boxes of
k persons are, for true labels, cut between the rows of one value too, those that are
rare in all columns nearest to the rare values: one class of wide labels then holds what
is rare in several columns, and spares all others. (Larger boxes are cut into classes
anyway; to deal ties in them too made some releases worse.) Labels that leave rare
values out make good for all this themselves: there boxes keep rows of a value together.
"""

import numpy as np

from coclust_synth.generators.kanon.classes._cut_kernels import cut_boxes, grow
from coclust_synth.generators.kanon.classes.costs import as_released, cost_of, cut_worth
from coclust_synth.generators.kanon.classes.persons import persons_by_label
from coclust_synth.generators.kanon.classes.sweeping import filled_classes

_BLOCK = 8192  # records of a cluster that are cut into classes at a time
_BOX = 400  # persons of a box, or those of two classes, and of eight at most
_SAVED = 0.97  # of the cost of grown classes: moves save more of it than of boxes
_FEW = 40  # classes of k persons that there can be: each of them matters
_MAX_LOOKS = 300_000  # records by columns squared: what a cut of all looks at
_EMPHASES = (0, 3)  # times that a column counts
_TRIED = 8  # starts at most that are settled, where classes are few or models fail


def first_labels(problem, clusters, objective):
    """Classes to begin with, those first that will cost least.

    Parameters
    ----------
    problem : Problem
    clusters : ndarray of int64, shape (N,)
        Cluster of each record; each holds k persons or more.
    objective : {"both", "distance", "loss"}
        What the cost is of.

    Returns
    -------
    list of ndarray of int64, shape (N,)
        Class of each record, of k persons or more each; those of the least cost first.
    """
    worth = cut_worth(problem, objective)
    starts = [
        *_boxes(problem, worth),
        (_SAVED, _first_classes(problem, clusters, worth)),
    ]
    if are_few(problem):
        for other in _emphasised(cut_worth(problem, "loss")):
            starts += _boxes(problem, other)
    judged = as_released(problem)
    costs = [
        share * cost_of(judged, filled_classes(judged, own), objective)
        for share, own in starts
    ]
    _, order = np.unique(costs, return_index=True)  # what costs the same is the same
    return [starts[place][1] for place in order[:_TRIED]]


def are_few(problem):
    """Whether true labels are so few that several starts are worth settling."""
    n_records, d = problem.leaves.shape
    if not np.all(problem.is_truthful) or n_records * d**2 > _MAX_LOOKS:
        return False
    return _n_persons(problem, np.arange(n_records)) < _FEW * problem.k


def _emphasised(worth):
    """A worth as it is, and with each column counting for nothing, or more."""
    yield worth
    for j in range(len(worth)):
        for times in _EMPHASES:
            other = worth.copy()
            other[j] **= times
            yield other


def _boxes(problem, worth):
    """Boxes of k persons, and larger ones cut into classes, beside what they save."""
    k, n_records = problem.k, len(problem.weight)
    small, large = np.zeros(n_records, np.int64), np.zeros(n_records, np.int64)
    together = np.zeros(0, np.int64)
    dealt = _by_rarity(problem) if np.all(problem.is_truthful) else together
    cut_boxes(problem, worth, k, dealt, small)
    cut_boxes(problem, worth, min(max(_BOX, 2 * k), 8 * k), together, large)
    return (1.0, small), (_SAVED, _first_classes(problem, large, worth))


def _by_rarity(problem):
    """Place of each record: from frequent to rare values, (N,)."""
    rows = np.zeros(problem.starts[-1])
    np.add.at(rows, problem.leaves, problem.weight[:, np.newaxis])
    rarity = -np.log(rows[problem.leaves]).sum(axis=1)
    rank = np.empty(len(rarity), np.int64)
    rank[np.argsort(rarity, kind="stable")] = np.arange(len(rank))
    return rank


def _first_classes(problem, clusters, worth):
    """Clusters cut into classes of k persons; records of k or more are a class each."""
    label = np.full(len(clusters), -1, dtype=np.int64)
    by_record = persons_by_label(problem, np.arange(len(label)), len(label))
    n_classes = 0
    for members in _groups(clusters):
        heavy = members[by_record[members] >= problem.k]
        light = members[by_record[members] < problem.k]
        label[heavy] = n_classes + np.arange(len(heavy))
        if len(light) and _n_persons(problem, light) < problem.k:
            # Too few for a class of their own: with the equal rows that are fewest.
            label[light] = label[heavy[np.argmin(by_record[heavy])]]
            light = light[:0]
        n_classes += len(heavy)
        blocks = _blocks(light, problem.weight, problem.k)
        for block in _of_k_persons(problem, blocks):
            n_classes = grow(problem, worth, block, label, n_classes)
    return label


def _groups(labels):
    """Positions of each label, in increasing order."""
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(order, ends)


def _blocks(members, weight, k):
    """Records in blocks that can be cut in reasonable time, of k rows or more each.

    Each record is of fewer than k rows, so that a block lacks fewer than k of 2 k.
    """
    if not len(members):
        return []
    block = np.cumsum(weight[members]) // max(_BLOCK, 2 * k)
    blocks = [members[places] for places in _groups(block)]
    if len(blocks) > 1 and weight[blocks[-1]].sum() < k:
        blocks[-2:] = [np.concatenate(blocks[-2:])]
    return blocks


def _of_k_persons(problem, blocks):
    """The same records in blocks of k persons: short ones go with those that follow."""
    found, short = [], []
    for block in blocks:
        short.append(block)
        joined = np.concatenate(short)
        if _n_persons(problem, joined) >= problem.k:
            found.append(joined)
            short = []
    if short:
        found[-1] = np.concatenate([found[-1], *short])
    return found


def _n_persons(problem, members):
    """Persons who have some of the records."""
    return int(persons_by_label(problem, np.zeros_like(members), 1, members)[0])
