"""Compiled kernel of even rows: arrays in, arrays out, input checked.

===========  ==================================================  ============
symbol       meaning                                             shape
===========  ==================================================  ============
codes        rows; the last column is the cell that `given` is   (n, v + 1)
             indexed by
j            column to fill, of s values
order        rows, as they get a value                           (n,)
given        share of each value in rows of a cell               (cells, s)
ends         its cumulative sums, the last possible one 1        (cells, s)
points       uniform, for the values that a row may get          (n, k)
members      columns of each table, -1 for none                  (t, 2)
sizes        values of each column of `codes`                    (v + 1,)
starts       first of its cells in `owed`, for each table        (t,)
owed         rows expected so far less those drawn: of the       (any,)
             cells of the members by the values of j
===========  ==================================================  ============
"""

import numpy as np

from coclust_synth._jit import kernel


@kernel
def fill_evenly(codes, j, order, given, ends, points, members, sizes, starts, owed):
    """Give each row one of a few values drawn for it: that of which most is owed.

    `codes` and `owed` are changed in place.
    """
    n_tables, n_values = len(members), given.shape[1]
    first = np.empty(n_tables, dtype=np.int64)
    needs = np.empty(n_values)
    for row in order:
        share = given[codes[row, -1]]
        needs[:] = 0.0
        for t in range(n_tables):
            cell = 0
            for u in members[t]:
                if u >= 0:
                    cell = cell * sizes[u] + codes[row, u]
            first[t] = starts[t] + cell * n_values
            for b in range(n_values):
                needs[b] += owed[first[t] + b]
                owed[first[t] + b] += share[b]
        best = -1
        for point in points[row]:
            b = np.searchsorted(ends[codes[row, -1]], point, side="right")
            if best < 0 or needs[b] > needs[best]:
                best = b
        codes[row, j] = best
        for t in range(n_tables):
            owed[first[t] + best] -= 1.0
