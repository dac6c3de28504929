"""Compiled kernel that counts each person of a class for one of several values.

Symbols: e, an entry, is a value that a person holds in a class, and there are E of
them; those of a class follow each other by person, and by value in `by_value`.
"""

import numpy as np

from coclust_synth._jit import kernel


@kernel
def count_once(class_start, person, value, by_value):
    """Persons of each value of each class, each for the commonest that they hold.

    As `PersonValues.once` says it. Equal values of `value` name a value in all
    classes; `by_value` has the entries of each class in the order of their values,
    int64, shape (E,). Counts only fall, so that one look at the values of a class in
    their order finds all those that as many persons hold.

    Gives values and counts, int64, shape (V,), and where those of each class start.
    """
    n = len(person)
    first = np.empty(n, np.int64)  # entry of the same person in the class
    counted = np.zeros(n, np.bool_)  # of the first entries
    group = np.empty(n, np.int64)  # of entries of one value in a class
    start = np.empty(n + 1, np.int64)  # of groups, in by_value
    left = np.zeros(n, np.int64)  # persons of a group who are not counted yet
    out_value, out_count = np.empty(n, np.int64), np.empty(n, np.int64)
    out_start = np.zeros(len(class_start), np.int64)
    n_out = 0
    for c in range(len(class_start) - 1):
        lo, hi = class_start[c], class_start[c + 1]
        n_groups = 0
        for e in range(lo, hi):
            is_same = e > lo and person[e] == person[e - 1]
            first[e] = first[e - 1] if is_same else e
            own = by_value[e]
            if e == lo or value[own] != value[by_value[e - 1]]:
                start[n_groups] = e
                left[n_groups] = 0
                n_groups += 1
            group[own] = n_groups - 1
            left[n_groups - 1] += 1
        start[n_groups] = hi
        most = left[:n_groups].max() if n_groups else 0
        while most > 0:
            below = 0
            for g in range(n_groups):
                if left[g] == most:
                    out_value[n_out], out_count[n_out] = value[by_value[start[g]]], most
                    n_out += 1
                    for i in range(start[g], start[g + 1]):
                        e = first[by_value[i]]
                        if counted[e]:
                            continue
                        counted[e] = True
                        j = e
                        while j < hi and first[j] == e:
                            left[group[j]] -= 1
                            j += 1
            for g in range(n_groups):
                below = max(below, left[g])
            most = below
        out_start[c + 1] = n_out
    return out_value[:n_out], out_count[:n_out], out_start
