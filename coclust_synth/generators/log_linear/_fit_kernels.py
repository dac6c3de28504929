"""Compiled kernel of the fit: arrays in, arrays out, input checked.

A model is evaluated by steps on tables that lie behind each other in one array. A step
is a row of `steps`: what is done, where it reads, where it writes, and three numbers.

========  =================================================================
step      what it does to a table
========  =================================================================
GATHER    adds the value of the label of each cell; first label, cells
ADD       adds a smaller table, along an axis; cells before, on, behind it
MULTIPLY  multiplies by it
SUM       sums a larger table over an axis; cells before, on, behind it
LIFT      subtracts the highest cell, and lifts those far below; cells
FILL      sets all cells to 1; cells
PASS      multiplies by another one, its highest cell made 1; cells
RATIO     divides another one by it, 0 by 0 being 0; cells
NORM      divides by the sum; cells
COUNT     adds each cell to the value of its label; first label, cells
========  =================================================================

===========  ==================================================  ============
symbol       meaning                                             shape
===========  ==================================================  ============
steps        see above                                           (any, 6)
tables       all tables, behind each other                       (cells,)
values       of labels: read by GATHER, written by COUNT         (any,)
labels       of the cells of tables                              (any,)
lowest       what LIFT lifts cells to, but those at -infinity
===========  ==================================================  ============
"""

import numpy as np

from coclust_synth._jit import kernel

#: What is done in a step.
GATHER, ADD, MULTIPLY, SUM, LIFT, FILL, PASS, RATIO, NORM, COUNT = range(10)

_LANES = 8


@kernel
def run_steps(steps, tables, values, labels, lowest):
    """Do the steps, one after the other: `tables` and `values` are changed in place."""
    for i in range(len(steps)):
        kind, source, target, a, b, c = steps[i]
        if kind == ADD or kind == MULTIPLY:
            _spread(kind, tables[source:], tables[target:], a, b, c)
        elif kind == SUM:
            _sum(tables[source:], tables[target:], a, b, c)
        elif kind == GATHER:
            for k in range(b):
                tables[target + k] += values[source + labels[a + k]]
        elif kind == COUNT:
            for k in range(b):
                values[target + labels[a + k]] += tables[source + k]
        else:
            _change(kind, tables[source:], tables[target:], a, lowest)


@kernel
def _spread(kind, smaller, larger, before, size, behind):
    """A smaller table along an axis of a larger one."""
    for p in range(before):
        if behind == 1:
            one, line = smaller[p], larger[p * size : (p + 1) * size]
            for s in range(size):
                line[s] = line[s] + one if kind == ADD else line[s] * one
        else:
            own = smaller[p * behind : (p + 1) * behind]
            for s in range(p * size, (p + 1) * size):
                line = larger[s * behind : (s + 1) * behind]
                if kind == ADD:
                    for q in range(behind):
                        line[q] += own[q]
                else:
                    for q in range(behind):
                        line[q] *= own[q]


@kernel
def _sum(larger, smaller, before, size, behind):
    """Sums of a larger table over an axis."""
    for p in range(before):
        if behind == 1:
            total = 0.0
            for value in larger[p * size : (p + 1) * size]:
                total += value
            smaller[p] = total
        else:
            own = smaller[p * behind : (p + 1) * behind]
            own[:] = 0.0
            for s in range(p * size, (p + 1) * size):
                line = larger[s * behind : (s + 1) * behind]
                for q in range(behind):
                    own[q] += line[q]


@kernel
def _change(kind, source, table, n_cells, lowest):
    """A table by itself, or by another one of its shape."""
    if kind == FILL:
        table[:n_cells] = 1.0
    elif kind == LIFT:
        cells = table[:n_cells]
        highest = _highest(cells)
        for k in range(n_cells):
            below = cells[k] - highest
            lifted = below if below > lowest else lowest
            cells[k] = below if below == -np.inf else lifted
    elif kind == PASS:
        highest = _highest(source[:n_cells])
        for k in range(n_cells):
            table[k] *= source[k] / highest
    elif kind == RATIO:
        for k in range(n_cells):
            table[k] = source[k] / table[k] if table[k] > 0 else 0.0
    else:
        total = table[:n_cells].sum()
        for k in range(n_cells):
            table[k] /= total


@kernel
def _highest(cells):
    """The highest cell, by lanes that do not wait for each other."""
    lanes = np.full(_LANES, -np.inf)
    in_lanes = len(cells) // _LANES * _LANES
    for first in range(0, in_lanes, _LANES):
        for lane in range(_LANES):
            value = cells[first + lane]
            lanes[lane] = value if value > lanes[lane] else lanes[lane]
    highest = -np.inf
    for value in lanes:
        highest = max(highest, value)
    for value in cells[in_lanes:]:
        highest = max(highest, value)
    return highest
