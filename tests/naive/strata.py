"""Slow twin of the kernel of systematic draws, `tables.draws._strata_kernels`."""


def deal(group, shuffled, start):
    """Points and order, group after group."""
    points, order = [None] * len(group), []
    for g in sorted(set(group)):
        own = [i for i in shuffled if group[i] == g]
        order += own
        for place, i in enumerate(own):
            points[i] = (place + start[g]) / len(own)
    return points, order
