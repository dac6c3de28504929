"""Compiled kernels that merge classes, and lay their covers over another table.

Symbols are those of `coclust_synth.generators.kanon.classes._class_kernels`.
"""

import numpy as np

from coclust_synth._jit import kernel
from coclust_synth.generators.kanon.classes._class_kernels import move, refresh


@kernel
def merge_gains(problem, classes, own):
    """Change of the objective when a class joins each other one, shape (C,).

    The cover is the union of both, or the interval of it. -inf for an empty class and
    for the class itself.
    """
    gains = np.full(len(classes.size), -np.inf)
    d = problem.leaves.shape[1]
    mine, kept = classes.counts[own], classes.kept[own]
    held = np.flatnonzero((mine > 0) | kept)
    ends = np.searchsorted(held, problem.starts)
    for other in range(len(classes.size)):
        if other == own or classes.size[other] == 0:
            continue
        size = classes.size[own] + classes.size[other]
        fit, scale = float(size), 1 / problem.power[size]
        theirs = classes.counts[other]
        for j in range(d):
            width, mass = classes.width[other, j], classes.mass[other, j]
            if problem.is_interval[j]:
                low = min(classes.low[own, j], classes.low[other, j])
                high = max(classes.high[own, j], classes.high[other, j])
                width = high - low + 1
                for leaf in range(low, high + 1):
                    if classes.kept[other, leaf]:
                        mass -= problem.power[theirs[leaf]]
                    mass += problem.power[mine[leaf] + theirs[leaf]]
            else:
                for leaf in held[ends[j] : ends[j + 1]]:
                    if classes.kept[other, leaf]:
                        mass -= problem.power[theirs[leaf]]
                    elif kept[leaf]:
                        width += 1
                    else:
                        continue
                    mass += problem.power[mine[leaf] + theirs[leaf]]
            fit *= 1 + problem.influence[j] * mass * scale * problem.root[width]
        gains[other] = fit - classes.fit[own] - classes.fit[other]
    return gains


@kernel
def absorb(problem, classes, own, other):
    """Put all records of a class into another one."""
    while classes.first[own] >= 0:
        move(problem, classes, classes.first[own], other)
    refresh(problem, classes, own)
    refresh(problem, classes, other)


@kernel
def covered_weight(kept, codes, weight):
    """Weight of the rows of another table that lie in each cover, shape (C,).

    Parameters
    ----------
    kept : ndarray of bool, shape (C, V)
    codes : ndarray of int64, shape (m, d)
        Leaves, numbered over all variables; -1 for one that is none.
    weight : ndarray of int64, shape (m,)
    """
    total = np.zeros(len(kept), np.int64)
    for own in range(len(kept)):
        for i in range(len(codes)):
            inside = True
            for j in range(codes.shape[1]):
                if codes[i, j] < 0 or not kept[own, codes[i, j]]:
                    inside = False
                    break
            if inside:
                total[own] += weight[i]
    return total
