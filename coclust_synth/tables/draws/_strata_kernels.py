"""The compiled kernel of systematic draws."""

from coclust_synth._jit import kernel


@kernel
def deal(group, shuffled, size, first, start, points, order):
    """Give each row, as they come shuffled, the next place and point of its group.

    Parameters
    ----------
    group, shuffled : ndarray of int64, shape (n,)
        The group of each row; rows in random order.
    size, first : ndarray of int64, shape (g,)
        Of each group: its rows, and its first place.
    start : ndarray of float64, shape (g,)
        Its first point, times its rows, in [0, 1).
    points, order : ndarray of shape (n,), float64 and int64
        Filled.
    """
    done = size - size
    for i in shuffled:
        g = group[i]
        points[i] = (done[g] + start[g]) / size[g]
        order[first[g] + done[g]] = i
        done[g] += 1
