"""Compiled kernels that cut records into the first classes of k persons, or into boxes.

Boxes are cut where labels are then worth most, at any place that leaves enough persons
on both sides: between two leaves or, where ties are dealt, between two records of one
leaf, the rarest of which then fill up the side of other leaves. (Mondrian cuts the
widest variable at its median, "relaxed" between ties too: LeFevre, DeWitt and
Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006.) Symbols are those of
`coclust_synth.generators.kanon.classes._class_kernels`.
"""

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.kanon.classes._person_kernels import mark_owners, n_owners


@kernel
def grow(problem, worth, members, label, n_classes):
    """Cut some records into classes of k persons, one record at a time.

    Again and again the record farthest from the last one begins a class, and records
    whose truthful cover is worth most join it until it holds k persons. The last
    records, which k persons would not be left of, are a class too.

    Parameters
    ----------
    worth : ndarray of float64, shape (d, most leaves + 1)
        What a variable is worth by the width of its cover; that of a cover is their
        product.
    members : ndarray of int64
        The records, of k persons at least.
    label : ndarray of int64, shape (N,)
        Changed in place: the new classes are numbered from `n_classes`.

    Returns
    -------
    int
        Number of classes after.
    """
    k, d = problem.k, problem.leaves.shape[1]
    members = members.copy()
    n_left = len(members)
    n_persons = max(len(problem.owners.person_start) - 1, 0)
    mark, records_left = np.full(n_persons, -1), np.zeros(n_persons, np.int64)
    rows_left, persons_left = _count_left(problem, members, records_left)
    seen = np.zeros(problem.starts[-1], np.bool_)
    width, low, high = (
        np.ones(d, np.int64),
        np.zeros(d, np.int64),
        np.zeros(d, np.int64),
    )
    chosen, fits = np.empty(n_left, np.int64), np.empty(n_left)
    last, is_wider = -1, False
    while rows_left >= 2 * k:
        place = 0 if last < 0 else _farthest(problem, members, n_left, last)
        size, held, gone, n_chosen = 0, 0, 0, 0
        while held < k:
            if is_wider:
                _fit_all(problem, worth, members[:n_left], seen, width, low, high, fits)
            if n_chosen:
                place = _nearest(problem, members[:n_left], fits)
            record = members[place]
            is_wider = _widen(problem, record, n_chosen == 0, seen, width, low, high)
            size += problem.weight[record]
            new, last_of = mark_owners(problem, record, mark, n_classes, records_left)
            held += new
            gone += last_of
            chosen[n_chosen] = record
            n_chosen += 1
            n_left -= 1
            members[place], fits[place] = members[n_left], fits[n_left]
        if persons_left - gone < k:
            break
        last = chosen[0]
        for record in chosen[:n_chosen]:
            label[record] = n_classes
            for j in range(d):
                seen[problem.leaves[record, j]] = False
        n_classes += 1
        rows_left -= size
        persons_left -= gone
        n_chosen = 0
    else:
        n_chosen = 0
    # What is left is a class, with a class that would have left fewer than k persons.
    for record in chosen[:n_chosen]:
        label[record] = n_classes
    for record in members[:n_left]:
        label[record] = n_classes
    return n_classes + 1


@kernel
def _count_left(problem, members, records_left):
    """Rows and persons of some records, and in place the records of each person."""
    rows, persons = 0, 0
    for record in members:
        rows += problem.weight[record]
        persons += n_owners(problem, record)
    if len(records_left):
        for record in members:
            start, stop = problem.owners.record_start[record : record + 2]
            for person in problem.owners.of_record[start:stop]:
                records_left[person] += 1
        persons = np.count_nonzero(records_left)
    return rows, persons


@kernel
def _widen(problem, record, is_first, seen, width, low, high):
    """Put a record under the cover of a growing class, which it may begin; in place.

    Returns
    -------
    bool
        Whether that made the cover wider.
    """
    is_wider = is_first
    for j in range(problem.leaves.shape[1]):
        leaf = problem.leaves[record, j]
        before = width[j]
        if is_first:
            width[j], low[j], high[j] = 1, leaf, leaf
        elif problem.is_interval[j]:
            low[j], high[j] = min(low[j], leaf), max(high[j], leaf)
            width[j] = high[j] - low[j] + 1
        elif not seen[leaf]:
            width[j] += 1
        seen[leaf] = True
        is_wider |= width[j] > before
    return is_wider


@kernel
def _farthest(problem, members, n_left, last):
    """Place of the record that differs from another one in most variables."""
    place, most = 0, -1
    for i in range(n_left):
        n_different = 0
        for j in range(problem.leaves.shape[1]):
            n_different += problem.leaves[members[i], j] != problem.leaves[last, j]
        if n_different > most:
            most, place = n_different, i
    return place


@kernel
def _fit_all(problem, worth, members, seen, width, low, high, fits):
    """What the cover of a growing class is worth with each of some records; in place.

    The same until the cover gets wider, which it seldom does where classes are large.
    """
    for i in range(len(members)):
        fit = 1.0
        for j in range(problem.leaves.shape[1]):
            leaf = problem.leaves[members[i], j]
            if problem.is_interval[j]:
                fit *= worth[j, max(high[j], leaf) - min(low[j], leaf) + 1]
            else:
                fit *= worth[j, width[j] + (not seen[leaf])]
        fits[i] = fit


@kernel
def _nearest(problem, members, fits):
    """Place of the record that leaves the cover of a growing class worth most."""
    place, most = 0, -1.0
    for i in range(len(members)):
        if fits[i] > most or (
            fits[i] == most
            and problem.weight[members[i]] > problem.weight[members[place]]
        ):
            most, place = fits[i], i
    return place


@kernel
def cut_boxes(problem, worth, least, rank, label):
    """Cut all records into boxes of as many persons as are asked for, or more.

    Parameters
    ----------
    worth : ndarray of float64, shape (d, most leaves + 1)
        As of `grow`.
    least : int
        Persons of a box.
    rank : ndarray of int64, shape (N,)
        Places of the records, by which those of one leaf are dealt to both sides of a
        cut; empty to keep them together.
    label : ndarray of int64, shape (N,)
        Changed in place: the box of each record, from 0 without gaps.

    Returns
    -------
    int
        Number of boxes.
    """
    members = np.arange(len(label))
    starts, stops = np.zeros(len(label), np.int64), np.zeros(len(label), np.int64)
    stops[0] = len(label)
    n_open, n_boxes = 1, 0
    while n_open:
        n_open -= 1
        start, stop = starts[n_open], stops[n_open]
        order, n_low = best_cut(problem, worth, least, rank, members[start:stop])
        if n_low == 0:
            label[order] = n_boxes
            n_boxes += 1
            continue
        members[start:stop] = order
        starts[n_open], stops[n_open] = start, start + n_low
        starts[n_open + 1], stops[n_open + 1] = start + n_low, stop
        n_open += 2
    return n_boxes


@kernel
def best_cut(problem, worth, least, rank, members):
    """The cut of some records whose two covers are worth most, by rows.

    Leaves without an order are in that of their rows, the most frequent first.

    Returns
    -------
    order : ndarray of int64
        The records, those of the one side first.
    n_low : int
        How many these are; 0 if no cut leaves enough persons on both sides.
    """
    best, n_low, found = -1.0, 0, members.copy()
    for j in range(problem.leaves.shape[1]):
        place = _places(problem, members, j)
        if len(rank):
            place = place * len(rank) + rank[members]
        order = members[np.argsort(place, kind="mergesort")]
        if problem.leaves[order[0], j] == problem.leaves[order[-1], j]:
            continue
        low = _worth_up_to(problem, worth, least, order)
        high = _worth_up_to(problem, worth, least, order[::-1])[::-1]
        for i in range(1, len(order)):
            is_tie = problem.leaves[order[i - 1], j] == problem.leaves[order[i], j]
            if is_tie and not len(rank):
                continue
            if min(low[i - 1], high[i]) > 0 and low[i - 1] + high[i] > best:
                best, n_low, found = low[i - 1] + high[i], i, order
    return found, n_low


@kernel
def _places(problem, members, j):
    """Place of each record's leaf in the order of a variable's leaves."""
    first = problem.starts[j]
    if problem.is_ordered[j]:
        return problem.leaves[members, j] - first
    rows = np.zeros(problem.starts[j + 1] - first, np.int64)
    for record in members:
        rows[problem.leaves[record, j] - first] += problem.weight[record]
    place = np.empty(len(rows), np.int64)
    place[np.argsort(-rows, kind="mergesort")] = np.arange(len(rows))
    return place[problem.leaves[members, j] - first]


@kernel
def _worth_up_to(problem, worth, least, order):
    """What the records up to each are worth, by rows; 0 while they have few persons."""
    d = problem.leaves.shape[1]
    n_persons = max(len(problem.owners.person_start) - 1, 0)
    mark, unused = np.zeros(n_persons, np.int64), np.zeros(n_persons, np.int64)
    seen, width = np.zeros(problem.starts[-1], np.bool_), np.zeros(d, np.int64)
    low, high = np.full(d, problem.starts[-1]), np.full(d, -1)
    found, rows, persons = np.zeros(len(order)), 0, 0
    for i in range(len(order)):
        record = order[i]
        rows += problem.weight[record]
        persons += mark_owners(problem, record, mark, 1, unused)[0]
        own = float(rows)
        for j in range(d):
            leaf = problem.leaves[record, j]
            if problem.is_interval[j]:
                low[j], high[j] = min(low[j], leaf), max(high[j], leaf)
                width[j] = high[j] - low[j] + 1
            else:
                width[j] += not seen[leaf]
                seen[leaf] = True
            own *= worth[j, width[j]]
        if persons >= least:
            found[i] = own
    return found
