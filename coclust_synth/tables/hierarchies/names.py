"""Names of the groups of a generalisation hierarchy: short, readable, all different."""

from itertools import pairwise

import numpy as np

from coclust_synth.tables.hierarchies.hierarchy import ROOT
from coclust_synth.tables.labels import distinct_name

_MAX_NAMED = 3  # values in the name of a group
_MAX_LENGTH = 30  # characters of one of them


def name_levels(partitions, texts, counts, *, ordered, ends=None):
    """Labels for the nodes of every level.

    Leaves keep their texts, and a node that stays as it was its name. The last level,
    of one node, is ``*``. Names are different in the whole hierarchy: repeated ones
    are numbered.

    Parameters
    ----------
    partitions : sequence of ndarray of int, shape (n_leaves,)
        The node of each leaf, level by level, in the order of their first leaves.
    texts : list of str
        Of the leaves.
    counts : ndarray of int, shape (n_leaves,)
        Rows that hold each leaf: the most frequent are named.
    ordered : bool
        Whether runs of leaves are named by their ends.
    ends : (list of str, list of str), optional
        What a run is named by that begins, or ends, with each leaf; default, its text.

    Returns
    -------
    list of list of str

    Examples
    --------
    >>> work = name_levels(
    ...     [np.arange(4), np.array([0, 1, 1, 1]), np.zeros(4, int)],
    ...     ["cook", "smith", "farmer", "miner"], np.array([9, 2, 5, 1]), ordered=False
    ... )
    >>> work[1:]
    [['cook', '{farmer, smith, miner}'], ['*']]
    """
    shown = [_shown(text) for text in texts]
    ends = [list(map(_shown, side)) for side in ends or (texts, texts)]
    named = [list(texts)]
    taken = {*texts, ROOT}
    for below, above in pairwise(partitions[:-1]):
        order = np.argsort(above, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(above[order])) + 1)
        labels = []
        for members in groups:
            first = below[members[0]]
            if (below[members] == first).all():
                labels.append(named[-1][first])
                continue
            if ordered:
                name = _run_name(members, shown, *ends)
            else:
                name = _set_name(members, shown, counts)
            labels.append(distinct_name(name, taken))
        named.append(labels)
    return [*named, [ROOT]] if len(partitions) > 1 else named


def _shown(text):
    """A text as it stands in the name of a group."""
    text = " ".join(text.split()) or "missing"
    return text if len(text) <= _MAX_LENGTH else f"{text[: _MAX_LENGTH - 3]}..."


def _set_name(members, shown, counts):
    frequent = members[np.argsort(-counts[members], kind="stable")]
    return _listed([shown[leaf] for leaf in frequent[:_MAX_NAMED]], len(members))


def _run_name(members, shown, starts, stops):
    found = np.split(members, np.flatnonzero(np.diff(members) > 1) + 1)
    runs = [
        shown[run[0]] if len(run) == 1 else f"[{starts[run[0]]}, {stops[run[-1]]}]"
        for run in found
    ]
    return runs[0] if len(runs) == 1 else _listed(runs[:_MAX_NAMED], len(runs))


def _listed(first, n):
    """A set of n things, all of them or the first two and how many more."""
    if n > _MAX_NAMED:
        first = [*first[: _MAX_NAMED - 1], f"...+{n - _MAX_NAMED + 1}"]
    return f"{{{', '.join(first)}}}"
