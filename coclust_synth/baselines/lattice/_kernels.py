"""Compiled kernels of the generalisation lattice: arrays in, arrays out, checked input.

A class is known by one of its rows: the nodes of that row's leaves are those of all.
A row's nodes are one whole number, with a digit for each column. Columns whose numbers
do not fit a word are taken in groups: the numbers of one group are replaced by their
order of appearance, which is the first digit of the next group's.

=========  ==================================================================  ========
symbol     meaning                                                             shape
=========  ==================================================================  ========
codes      leaf of each distinct row, by column                                (d, R)
rows       a row of each class                                                 (C,)
sizes      rows of each class                                                  (C,)
levels     of each column at a node: place in `nodes`, number of nodes         (d, 2)
nodes      node of each leaf, by column and level                              (.,)
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

A set of nodes has a bit for each, in words; a row of words for each column and level.

=========  ==================================================================  ========
bits       nodes with the column on that level or above                        (., w)
places     row of a column's level 0; of a node's level in each column         (d,)
=========  ==================================================================  ========
"""

import numpy as np

from coclust_synth._jit import kernel

UNKNOWN = 0
WORD = 64  # bits

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
def _number(keys, n_keys, n_most):
    """Number keys by their order of appearance.

    Parameters
    ----------
    keys : ndarray of uint64, shape (C,)
    n_keys : int
        Keys are below it.
    n_most : int
        Different keys there can be, at most.

    Returns
    -------
    label : ndarray of int32, shape (C,)
    first : ndarray of int32, shape (n_different,)
        Where each key is first.
    """
    bits = _ONE
    while (1 << np.int64(bits)) < 2 * n_most:
        bits += _ONE
    last = np.int64((1 << np.int64(bits)) - 1)
    has_slot = n_keys <= last + 1  # every key one of its own
    slots = np.full(n_keys if has_slot else last + 1, -1, np.int32)
    label = np.empty(len(keys), np.int32)
    first = np.empty(n_most, np.int32)
    different = np.empty(n_most, np.uint64)
    n_different = 0
    for i in range(len(keys)):
        key = keys[i]
        if has_slot:
            slot = np.int64(key)
        else:
            mixed = _mix(_mix(np.uint64(0), key & _HALF), key >> _HALF_BITS)
            mixed = (mixed * _MULTIPLIER) & _HALF
            slot = np.int64(mixed >> (_HALF_BITS - bits))
        at = slots[slot]
        while at >= 0 and different[at] != key:
            slot = (slot + 1) & last
            at = slots[slot]
        if at < 0:
            at = n_different
            slots[slot] = at
            different[at] = key
            first[at] = i
            n_different += 1
        label[i] = at
    return label, first[:n_different]


@kernel
def roll_up(codes, rows, sizes, levels, nodes, most_keys):
    """Merge the classes whose rows have the same nodes.

    Parameters
    ----------
    codes : ndarray of unsigned int, shape (d, R)
    rows : ndarray of int32, shape (C,)
    sizes : ndarray of int64, shape (C,)
    levels : ndarray of int64, shape (d, 2)
    nodes : ndarray of uint32
    most_keys : int
        Numbers there can be of one group, at most; more than rows times nodes.

    Returns
    -------
    rows, sizes, label
    """
    n = len(rows)
    keys = np.zeros(n, np.uint64)
    n_keys = 1
    for j in range(len(levels)):
        place, n_nodes = levels[j]
        if n_nodes == 1:
            continue
        if n_keys > most_keys // n_nodes:
            label, _ = _number(keys, n_keys, n)
            keys[:] = label
            n_keys = n
        own, node_of, base = codes[j], nodes[place:], np.uint64(n_nodes)
        for i in range(n):
            # Unsigned, it is not tried for being counted from the end.
            node = node_of[own[np.uint32(rows[i])]]
            keys[i] = keys[i] * base + np.uint64(node)
        n_keys *= n_nodes
    label, first = _number(keys, n_keys, min(n, n_keys))
    merged = np.zeros(len(first), np.int64)
    for i in range(n):
        merged[label[i]] += sizes[i]
    return rows[first], merged, label


@kernel
def merge_counts(starts, values, counts, label, n_classes, n_values):
    """Add up what classes count of each value, where they are merged.

    Counts are sparse: those of class c are at ``starts[c]`` up to ``starts[c + 1]``.

    Parameters
    ----------
    starts : ndarray of int32, shape (C + 1,)
    values : ndarray of int32, shape (E,)
    counts : ndarray of int64, shape (E,)
    label : ndarray of int32, shape (C,)
    n_classes, n_values : int

    Returns
    -------
    starts, values, counts
        Of the merged classes, each with its values in order, once.
    """
    # By value first: each class is then given its values in order.
    place = np.zeros(n_values + 1, np.int32)
    for value in values:
        place[value + 1] += 1
    firsts = np.cumsum(place)
    place[:] = firsts
    entry_class = np.empty(len(values), np.int32)
    entry_count = np.empty(len(values), np.int64)
    for c in range(len(label)):
        for entry in range(starts[c], starts[c + 1]):
            at = place[values[entry]]
            place[values[entry]] += 1
            entry_class[at], entry_count[at] = label[c], counts[entry]
    last = np.full(n_classes, -1, np.int32)
    merged_starts = np.zeros(n_classes + 1, np.int32)
    for value in range(n_values):
        for c in entry_class[firsts[value] : firsts[value + 1]]:
            merged_starts[c + 1] += last[c] != value
            last[c] = value
    for c in range(n_classes):
        merged_starts[c + 1] += merged_starts[c]
    last[:] = -1
    place = merged_starts.copy()
    merged_values = np.empty(merged_starts[-1], np.int32)
    merged_counts = np.zeros(merged_starts[-1], np.int64)
    for value in range(n_values):
        for entry in range(firsts[value], firsts[value + 1]):
            c = entry_class[entry]
            if last[c] != value:
                last[c] = value
                merged_values[place[c]] = value
                place[c] += 1
            merged_counts[place[c] - 1] += entry_count[entry]
    return merged_starts, merged_values, merged_counts


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


@kernel
def add_node(bits, places, node, number):
    """Add a node to a set, in place; `number` is how many there are before."""
    word, bit = number // WORD, _ONE << np.uint64(number % WORD)
    for j in range(len(node)):
        for place in range(places[j], places[j] + node[j] + 1):
            bits[place, word] |= bit


@kernel
def any_above(bits, places, n_words):
    """Whether a set has a node that is on all the levels named, or above.

    The words filled last are looked at first: a search comes back to what it left.
    """
    for word in range(n_words - 1, -1, -1):
        left = bits[places[0], word]
        for j in range(1, len(places)):
            if left == 0:
                break
            left &= bits[places[j], word]
        if left != 0:
            return True
    return False
