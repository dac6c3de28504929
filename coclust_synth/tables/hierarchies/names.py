"""Names of the groups of a generalisation hierarchy: short, readable, all different."""

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.hierarchies.hierarchy import ROOT, GeneralizationHierarchy
from coclust_synth.tables.labels import distinct_name
from coclust_synth.tables.values.columns import examples

_MAX_NAMED = 3  # values in the name of a group
_MAX_LENGTH = 30  # characters of one of them
# What a name lists, and how many more there are.
_RUN = re.compile(r"\[[^\]]*\]")
_MORE = re.compile(r", \.\.\.\+([0-9]+)$")


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


def spells(label: str, texts: Iterable[str]) -> bool:
    """Whether the name of a group lists one of some values, or is one.

    Parameters
    ----------
    label : str
    texts : iterable of str
        Values; a name has long ones cut short.

    Returns
    -------
    bool

    Examples
    --------
    >>> spells("{bishop of Nice, cook, ...+9}", ["bishop of Nice"])
    True
    >>> spells("clergy", ["bishop of Nice", "cook"])
    False
    """
    if label[:1] not in "{[":
        return label in {*texts}
    listed = "|".join(re.escape(_shown(text)) for text in texts)
    return re.search(rf"(?:[{{\[]|, )(?:{listed})(?:[}}\]]|, )", label) is not None


def check_names(hierarchy: GeneralizationHierarchy) -> None:
    """Refuse groups named as sets or runs of values that are not theirs.

    A released label is taken for what it reads: who moves a value of ``{a, b}`` renames
    it. What is not made of the hierarchy's values is a name like any other.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
        Of a file, perhaps edited; leaves of ordered columns in their order.

    Raises
    ------
    SchemaError
        Naming the group and its values.
    """
    texts = hierarchy.labels[0]
    leaf_of = {_shown(text): leaf for leaf, text in enumerate(texts)}
    if len(leaf_of) < len(texts):  # cut short, so that some are shown alike
        return
    for level in range(1, hierarchy.height + 1):
        nodes = hierarchy.node_of(level)
        for node, label in enumerate(hierarchy.labels[level]):
            members = np.flatnonzero(nodes == node)
            if label in leaf_of:
                continue
            if not _reads_true(label, members, leaf_of, hierarchy.ordered):
                listed = [texts[leaf] for leaf in members]
                raise SchemaError(
                    f"Hierarchy of {hierarchy.name!r}: expected a group that is named "
                    f"by its values to hold these. Received {label!r}, of "
                    f"{examples(listed)}. Rename the group, or correct its values."
                )


def _reads_true(label, members, leaf_of, ordered):
    """Whether a label is that of the members, or none that is made of leaves."""
    is_set = label[:1] == "{" and label[-1:] == "}"
    if not is_set and not (ordered and _RUN.fullmatch(label)):
        return True
    told = label[1:-1] if is_set else label
    more = _MORE.search(told)
    if more:
        told = told[: more.start()]
    n_more = int(more[1]) if more else 0
    n_things = len(members) - n_more
    if ordered:
        n_things = 1 + int((np.diff(members) > 1).sum()) - n_more
    readings = list(_readings(told, leaf_of, ordered))
    return not readings or any(
        len(named) == n_things
        and (more or len(set().union(*named)) == len(members))
        and set().union(*named) <= {*members.tolist()}
        for named in readings
    )


def _readings(listed, leaf_of, ordered):
    """What a list may stand for, as sets of leaves; values can have commas too."""
    pieces = listed.split(", ")
    # Of one value, or of the two ends of a run.
    most = (1 + max(value.count(", ") for value in leaf_of)) * (2 if ordered else 1)
    begun = [(0, [])]
    while begun:
        start, named = begun.pop()
        if start == len(pieces):
            yield named
        for end in range(start + 1, min(start + most, len(pieces)) + 1):
            leaves = _leaves_of(", ".join(pieces[start:end]), leaf_of, ordered)
            if leaves is not None:
                begun.append((end, [*named, leaves]))


def _leaves_of(piece, leaf_of, ordered):
    """The leaves that a piece of a name stands for; None if it is none."""
    if piece in leaf_of:
        return {leaf_of[piece]}
    if ordered and _RUN.fullmatch(piece):
        for comma in re.finditer(", ", piece):
            first, last = piece[1 : comma.start()], piece[comma.end() : -1]
            if first in leaf_of and last in leaf_of:
                return {*range(leaf_of[first], leaf_of[last] + 1)}
    return None


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
