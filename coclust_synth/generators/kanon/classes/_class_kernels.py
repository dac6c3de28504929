"""Compiled kernels that form classes of records: arrays in, arrays out, input checked.

A record is a distinct row of leaf codes, held by `weight` rows; a class is a set of
records that are released under one cover: for each variable a set of leaves, or an
interval of them. V leaves in all, those of variable j from ``starts[j]`` on.

=============  ==============================================================  ======
symbol         meaning                                                         shape
=============  ==============================================================  ======
leaves         leaf of each variable of each record, numbered over all         (N, d)
counts         rows of a class that hold each leaf                             (C, V)
kept           whether a class's cover has a leaf                              (C, V)
holders        the same by leaf: bit c of its words for class c                (V, C/64)
width          leaves in each set of the cover                                 (C, d)
low, high      the first and the last of them                                  (C, d)
mass           sum of ``power[count]`` over the leaves that are kept           (C, d)
size, fit      rows of each class, and what it adds to the objective           (C,)
persons        persons who have rows of a class; without `owners` its rows      (C,)
first, next,   the records of each class, as linked lists                      (C,) (N,)
previous
changed        number of the move that changed a class last                    (C,)
looked         number of moves when a record was looked at last                (N,)
power, root    n^e, with e the exponent of `Problem`, and 1 / sqrt(m)          (.,)
influence      what a variable's coefficient counts for in the objective       (d,)
=============  ==============================================================  ======

The objective is written out in `coclust_synth.generators.kanon.classes.forming`.
"""

from typing import NamedTuple

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.kanon.classes._person_kernels import Owners, only_owners
from coclust_synth.generators.kanon.classes.persons import persons_by_label

_BIT = np.uint64(1)
_MIN_GAIN = 1e-7
_MAX_TRIED = 32  # records of a class that an exchange looks at
_N_BEST = 4  # classes that an exchange looks at


class Problem(NamedTuple):
    """What the classes are formed from; see the head of this module.

    is_interval : bool, by variable, whether its sets are intervals. is_truthful : bool,
    by variable, whether a cover has every leaf that its class holds. is_ordered : bool,
    by variable, whether boxes are cut in the order of its leaves. group_values :
    float64, by variable, values that a leaf stands for, as if equally likely. k :
    persons of a class, at least. owners : who they are; empty where each row is a
    person.
    """

    leaves: np.ndarray
    weight: np.ndarray
    starts: np.ndarray
    is_interval: np.ndarray
    is_truthful: np.ndarray
    is_ordered: np.ndarray
    power: np.ndarray
    root: np.ndarray
    influence: np.ndarray
    group_values: np.ndarray
    k: int
    owners: Owners


class Classes(NamedTuple):
    """The classes and their covers; see the head of this module."""

    label: np.ndarray
    counts: np.ndarray
    kept: np.ndarray
    holders: np.ndarray
    width: np.ndarray
    low: np.ndarray
    high: np.ndarray
    mass: np.ndarray
    size: np.ndarray
    persons: np.ndarray
    fit: np.ndarray
    first: np.ndarray
    next: np.ndarray
    previous: np.ndarray
    changed: np.ndarray
    looked: np.ndarray


def empty_classes(problem, label, n_classes):
    """Arrays of the classes that the labels say, for `fill` to fill."""
    n_records, d = problem.leaves.shape
    n_leaves = int(problem.starts[-1])
    return Classes(
        label.astype(np.int64),
        np.zeros((n_classes, n_leaves), np.int32),
        np.zeros((n_classes, n_leaves), np.bool_),
        np.zeros((n_leaves, (n_classes + 63) // 64), np.uint64),
        np.zeros((n_classes, d), np.int64),
        np.zeros((n_classes, d), np.int64),
        np.zeros((n_classes, d), np.int64),
        np.zeros((n_classes, d)),
        np.zeros(n_classes, np.int64),
        persons_by_label(problem, label, n_classes),
        np.zeros(n_classes),
        np.full(n_classes, -1, np.int64),
        np.full(n_records, -1, np.int64),
        np.full(n_records, -1, np.int64),
        np.zeros(n_classes, np.int64),
        np.full(n_records, -1, np.int64),
    )


@kernel
def fill(problem, classes):
    """Count the records of the classes and choose their covers."""
    for record in range(len(problem.weight)):
        _link(problem, classes, record, classes.label[record])
    for own in range(len(classes.size)):
        refresh(problem, classes, own)


@kernel
def _link(problem, classes, record, own):
    for j in range(problem.leaves.shape[1]):
        classes.counts[own, problem.leaves[record, j]] += problem.weight[record]
    classes.size[own] += problem.weight[record]
    head = classes.first[own]
    classes.next[record] = head
    classes.previous[record] = -1
    if head >= 0:
        classes.previous[head] = record
    classes.first[own] = record
    classes.label[record] = own


@kernel
def _unlink(problem, classes, record):
    own = classes.label[record]
    for j in range(problem.leaves.shape[1]):
        classes.counts[own, problem.leaves[record, j]] -= problem.weight[record]
    classes.size[own] -= problem.weight[record]
    before, after = classes.previous[record], classes.next[record]
    if before >= 0:
        classes.next[before] = after
    else:
        classes.first[own] = after
    if after >= 0:
        classes.previous[after] = before


@kernel
def move(problem, classes, record, target):
    """Put a record into another class; the covers are left as they are."""
    own, label = classes.label[record], classes.label
    classes.persons[own] -= only_owners(problem, label, record, own)
    classes.persons[target] += only_owners(problem, label, record, target)
    _unlink(problem, classes, record)
    _link(problem, classes, record, target)


# --- covers -------------------------------------------------------------------


@kernel
def _best_set(problem, counts, lo, hi, truthful, kept):
    """The leaves of one variable of largest coefficient: the most frequent ones."""
    order = np.argsort(-counts[lo:hi], kind="mergesort")
    mass, best, best_mass, width = 0.0, 0.0, 0.0, 0
    for i in range(hi - lo):
        count = counts[lo + order[i]]
        if count == 0:
            break
        mass += problem.power[count]
        coefficient = mass * problem.root[i + 1]
        if truthful or coefficient > best * (1 + 1e-12):
            best, best_mass, width = coefficient, mass, i + 1
    kept[lo:hi] = False
    for i in range(width):
        kept[lo + order[i]] = True
    return width, best_mass


@kernel
def _best_interval(problem, counts, lo, hi, truthful, kept):
    """The same where the leaves must be an interval."""
    present = np.flatnonzero(counts[lo:hi]) + lo
    best, best_mass, start, end = -1.0, 0.0, present[0], present[-1]
    for i in range(len(present)):
        mass = 0.0
        if truthful and i > 0:
            break
        for j in range(i, len(present)):
            mass += problem.power[counts[present[j]]]
            coefficient = mass * problem.root[present[j] - present[i] + 1]
            if truthful or coefficient > best * (1 + 1e-12):
                best, best_mass = coefficient, mass
                start, end = present[i], present[j]
    kept[lo:hi] = False
    kept[start : end + 1] = True
    return end - start + 1, best_mass


@kernel
def refresh(problem, classes, own):
    """Choose the cover of a class anew, and say what the class adds."""
    d = problem.leaves.shape[1]
    word, bit = own >> 6, _BIT << np.uint64(own & 63)
    size = classes.size[own]
    before = classes.kept[own].copy()
    kept = classes.kept[own]
    if size == 0:
        kept[:] = False
        classes.fit[own] = 0.0
    else:
        fit = float(size)
        for j in range(d):
            lo, hi = problem.starts[j], problem.starts[j + 1]
            counts, truthful = classes.counts[own], problem.is_truthful[j]
            if problem.is_interval[j]:
                width, mass = _best_interval(problem, counts, lo, hi, truthful, kept)
            else:
                width, mass = _best_set(problem, counts, lo, hi, truthful, kept)
            classes.width[own, j], classes.mass[own, j] = width, mass
            coefficient = mass / problem.power[size] * problem.root[width]
            fit *= 1 + problem.influence[j] * coefficient
            if problem.is_interval[j]:
                low = lo
                while not kept[low]:
                    low += 1
                classes.low[own, j], classes.high[own, j] = low, low + width - 1
        classes.fit[own] = fit
    for leaf in range(len(kept)):
        if before[leaf] != kept[leaf]:
            classes.holders[leaf, word] ^= bit


# --- what a move changes ------------------------------------------------------


@kernel
def _gain_without(problem, classes, record, own):
    """Change of the objective when a record leaves its class, covers but shrinking."""
    weight = problem.weight[record]
    size = classes.size[own] - weight
    if size == 0:
        return -classes.fit[own]
    fit, scale = float(size), 1 / problem.power[size]
    counts = classes.counts[own]
    for j in range(problem.leaves.shape[1]):
        leaf = problem.leaves[record, j]
        mass, width = classes.mass[own, j], classes.width[own, j]
        if classes.kept[own, leaf]:
            count = counts[leaf]
            mass += problem.power[count - weight] - problem.power[count]
            if count == weight and width > 1:
                if not problem.is_interval[j]:
                    width -= 1
                elif leaf == classes.low[own, j]:
                    while counts[leaf + 1] == 0:
                        leaf += 1
                    width = classes.high[own, j] - leaf
                elif leaf == classes.high[own, j]:
                    while counts[leaf - 1] == 0:
                        leaf -= 1
                    width = leaf - classes.low[own, j]
        fit *= 1 + problem.influence[j] * mass * scale * problem.root[width]
    return fit - classes.fit[own]


@kernel
def _gain_with(problem, classes, record, own):
    """Change of the objective when a record joins a class, covers but growing."""
    weight = problem.weight[record]
    size = classes.size[own] + weight
    fit, scale = float(size), 1 / problem.power[size]
    for j in range(problem.leaves.shape[1]):
        leaf = problem.leaves[record, j]
        count = classes.counts[own, leaf]
        mass, width = classes.mass[own, j], classes.width[own, j]
        if classes.kept[own, leaf]:
            mass += problem.power[count + weight] - problem.power[count]
        else:
            wider, more = width + 1, mass + problem.power[count + weight]
            if problem.is_interval[j]:
                # Not by min and max, nor of a row of counts: with more branches the
                # compiler counts references to all arrays, which is ten times as dear.
                first, last = classes.low[own, j], classes.high[own, j]
                if leaf < first:
                    wider, first, last = last - leaf + 1, leaf, first
                else:
                    wider, first, last = leaf - first + 1, last, leaf
                if not problem.is_truthful[j]:
                    for between in range(first + 1, last):
                        more += problem.power[classes.counts[own, between]]
            if problem.is_truthful[j] or more * problem.root[wider] > (
                mass * problem.root[width]
            ):
                mass, width = more, wider
        fit *= 1 + problem.influence[j] * mass * scale * problem.root[width]
    return fit - classes.fit[own]


@kernel
def _candidates(problem, classes, record, found):
    """Classes whose covers have most values of a record, at least a few of them.

    Counts the values by adding bits: `planes` are the digits of the counts of 64
    classes. All the classes of the largest counts are found, until they are as many as
    `found` has room for, but for one count's worth; returns their number.
    """
    d = problem.leaves.shape[1]
    n_words = classes.holders.shape[1]
    n_classes = len(classes.size)
    n_planes = 1
    while (1 << n_planes) <= d:
        n_planes += 1
    planes = np.zeros((n_words, n_planes), np.uint64)
    for word in range(n_words):
        for j in range(d):
            carry = classes.holders[problem.leaves[record, j], word]
            for digit in range(n_planes):
                if carry == 0:
                    break
                both = planes[word, digit] & carry
                planes[word, digit] ^= carry
                carry = both
    n_found, wanted = 0, len(found) // 4
    for n_values in range(d, -1, -1):
        for word in range(n_words):
            bits = ~np.uint64(0)
            for digit in range(n_planes):
                if (n_values >> digit) & 1:
                    bits &= planes[word, digit]
                else:
                    bits &= ~planes[word, digit]
            position = word * 64
            while bits:
                while not bits & np.uint64(0xFF):
                    bits >>= np.uint64(8)
                    position += 8
                if bits & _BIT and position < n_classes and classes.size[position]:
                    found[n_found] = position
                    n_found += 1
                    if n_found == len(found):
                        return n_found
                bits >>= _BIT
                position += 1
        if n_found >= wanted:
            break
    return n_found


@kernel
def _best_classes(problem, classes, record, found, n_found, best, gains):
    """The classes that gain most from a record, best first; returns their number.

    Where the record's own class has not changed since it was looked at, only classes
    that have are worth another look.
    """
    n_best, own = 0, classes.label[record]
    since = classes.looked[record]
    if classes.changed[own] > since:
        since = -1
    for i in range(n_found):
        other = found[i]
        if other == own or classes.size[other] == 0 or classes.changed[other] <= since:
            continue
        gain = _gain_with(problem, classes, record, other)
        if n_best == len(best):
            if gain <= gains[n_best - 1]:
                continue
            n_best -= 1
        place = n_best
        while place > 0 and gains[place - 1] < gain:
            gains[place], best[place] = gains[place - 1], best[place - 1]
            place -= 1
        gains[place], best[place] = gain, other
        n_best += 1
    return n_best


@kernel
def _best_exchange(problem, classes, record, loss, best, gains, n_best):
    """The class to put a record in, and the record to take for it: -1, -1 for none."""
    own, label, k = classes.label[record], classes.label, problem.k
    most, target, partner = _MIN_GAIN, -1, -1
    left = classes.persons[own] - only_owners(problem, label, record, own)
    for i in range(n_best):
        other = best[i]
        back, tried = classes.first[other], 0
        full = classes.persons[other] + only_owners(problem, label, record, other)
        while back >= 0 and tried < _MAX_TRIED:
            # At least so many: persons that both records have are passed over.
            n_other = full - only_owners(problem, label, back, other)
            n_own = left + only_owners(problem, label, back, own)
            if n_other >= k and n_own >= k:
                tried += 1
                gain = loss + gains[i]
                gain += _gain_without(problem, classes, back, other)
                gain += _gain_with(problem, classes, back, own)
                if gain > most:
                    most, target, partner = gain, other, back
            back = classes.next[back]
    return target, partner


@kernel
def sweep(problem, classes, order, room):
    """Look at each record once, and move or exchange it where that pays.

    A record leaves its class if k persons stay, or none; otherwise it is exchanged
    against one of another class.

    Parameters
    ----------
    order : ndarray of int64, shape (N,)
        The records, in the order to look at them.
    room : int
        Classes that are looked at for a record, at most.

    Returns
    -------
    int
        Records that were moved.
    """
    n_moved, now = 0, classes.changed.max()
    found = np.empty(room, np.int64)
    best, gains = np.empty(_N_BEST, np.int64), np.empty(_N_BEST)
    if len(classes.size) <= room:
        found[: len(classes.size)] = np.arange(len(classes.size))
    for record in order:
        n_found = len(classes.size)
        if n_found > room:
            n_found = _candidates(problem, classes, record, found)
        n_best = _best_classes(problem, classes, record, found, n_found, best, gains)
        classes.looked[record] = now
        if n_best == 0:
            continue
        own = classes.label[record]
        left = classes.persons[own]
        left -= only_owners(problem, classes.label, record, own)
        loss = _gain_without(problem, classes, record, own)
        target, partner = -1, -1
        if left == 0 or left >= problem.k:
            if loss + gains[0] > _MIN_GAIN:
                target = best[0]
        else:
            target, partner = _best_exchange(
                problem, classes, record, loss, best, gains, n_best
            )
        if target < 0:
            continue
        before = classes.fit[own] + classes.fit[target]
        _swap(problem, classes, record, target, partner, own)
        if classes.fit[own] + classes.fit[target] > before:
            n_moved += 1
            now += 1
            classes.changed[own] = classes.changed[target] = now
        else:  # the covers, chosen anew, gained less than the gains promised
            _swap(problem, classes, record, own, partner, target)
    return n_moved


@kernel
def _swap(problem, classes, record, target, partner, own):
    move(problem, classes, record, target)
    if partner >= 0:
        move(problem, classes, partner, own)
    refresh(problem, classes, own)
    refresh(problem, classes, target)
