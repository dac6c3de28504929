"""Compiled kernels of the generalisation lattice: arrays in, arrays out, checked input.

Rows are packed: a field of bits for each column, in one or more 64-bit words, holds the
code of a leaf. In a class each field holds the first leaf of a node, `canon` of all its
leaves, so that one table of leaves generalises from any level.

=========  ==================================================================  ========
symbol     meaning                                                             shape
=========  ==================================================================  ========
keys       packed rows or classes                                              (C, W)
sizes      rows of each                                                        (C,)
fields     word, shift, mask of a column to generalise, and its place in       (m, 4)
           `canon`
canon      first leaf of the node of each leaf, by column and level            (.,)
label      class of each, in order of appearance                               (C,)
=========  ==================================================================  ========

A search's arrays have an entry for each node of the lattice, flattened.

=========  ==================================================================  ========
tags       what is known of each node: `UNKNOWN` or another number             (M,)
lower      least score that it and its successors can have                     (M,)
rank       sum of the levels of each node                                      (M,)
guide      how promising it is on a path; small is good                        (M,)
best       the best score so far, and the rank of its node                     (2,)
=========  ==================================================================  ========
"""

import numpy as np

from coclust_synth._jit import kernel

UNKNOWN = 0

# Half words, times less than 2^32, do not pass 64 bits: no kernel relies on overflow.
_HALF = np.uint64(2**32 - 1)
_HALF_BITS = np.uint64(32)
_MULTIPLIER = np.uint64(0x9E3779B1)  # the prime next to 2^32 / golden ratio
_FOLD = np.uint64(15)
_ONE = np.uint64(1)


@kernel
def _mix(mixed, half):
    """A hash of half a word after what came before it, in half a word."""
    mixed = ((mixed ^ half) * _MULTIPLIER) & _HALF
    return mixed ^ (mixed >> _FOLD)


@kernel
def roll_up(keys, sizes, fields, canon, n_most):
    """Generalise some columns of classes, and merge those that become equal.

    Parameters
    ----------
    keys : ndarray of uint64, shape (C, W)
    sizes : ndarray of int64, shape (C,)
    fields : ndarray of uint64, shape (m, 4)
    canon : ndarray of uint64
    n_most : int
        Classes there can be, at most.

    Returns
    -------
    keys, sizes, label
    """
    n, n_words = keys.shape
    n_most = min(n, n_most)
    bits = _ONE
    while (1 << np.int64(bits)) < 2 * n_most:
        bits += _ONE
    last = np.int64((1 << np.int64(bits)) - 1)
    slots = np.full(last + 1, -1, np.int32)
    merged = np.empty((n_most, n_words), np.uint64)
    merged_sizes = np.empty(n_most, np.int64)
    label = np.empty(n, np.int32)
    own = np.empty(n_words, np.uint64)
    n_merged = 0
    for i in range(n):
        for w in range(n_words):
            own[w] = keys[i, w]
        for j in range(len(fields)):
            word, shift = fields[j, 0], fields[j, 1]
            leaf = (own[word] >> shift) & fields[j, 2]
            own[word] ^= (leaf ^ canon[fields[j, 3] + leaf]) << shift
        mixed = np.uint64(0)
        for w in range(n_words):
            mixed = _mix(mixed, own[w] & _HALF)
            mixed = _mix(mixed, own[w] >> _HALF_BITS)
        mixed = (mixed * _MULTIPLIER) & _HALF
        slot = np.int64(mixed >> (_HALF_BITS - bits))
        while True:
            at = slots[slot]
            if at < 0:
                at = n_merged
                slots[slot] = at
                merged[at] = own
                merged_sizes[at] = sizes[i]
                n_merged += 1
                break
            w = 0
            while w < n_words and merged[at, w] == own[w]:
                w += 1
            if w == n_words:
                merged_sizes[at] += sizes[i]
                break
            slot = (slot + 1) & last
        label[i] = at
    return merged[:n_merged].copy(), merged_sizes[:n_merged].copy(), label


@kernel
def _is_open(node, tags, lower, rank, best):
    """Whether nothing is known of a node, and it can be better than the best one."""
    return tags[node] == UNKNOWN and (
        lower[node] < best[0] or (lower[node] == best[0] and rank[node] < best[1])
    )


@kernel
def next_open(order, start, tags, lower, rank, best):
    """Position in `order` of the first open node from `start` on, or its length."""
    while start < len(order) and not _is_open(order[start], tags, lower, rank, best):
        start += 1
    return start


@kernel
def climb(node, strides, shape, tags, guide):
    """The path of open nodes from one up, by the most promising successor.

    Parameters
    ----------
    node : int
    strides, shape : ndarray of int64, shape (d,)

    Returns
    -------
    ndarray of int64
        Nodes, each a successor of the one before.
    """
    path = [node]
    while True:
        found = np.int64(-1)
        for j in range(len(shape)):
            if (node // strides[j]) % shape[j] == shape[j] - 1:
                continue
            other = node + strides[j]
            if tags[other] == UNKNOWN and (found < 0 or guide[other] < guide[found]):
                found = other
        if found < 0:
            return np.array(path)
        path.append(found)
        node = found
