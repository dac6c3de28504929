"""Sets of the values of a column: how they read and weigh, and what covers them.

A generalised value is a set of original values, the leaves. Sets are the rows of a
bool array, leaves its columns; a leaf None stands for missing values and is the last.
Nodes of hierarchies that cover sets of leaves label them.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.labels import distinct_labels

ALL = "*"
MISSING = "missing"
MAX_LENGTH = 60  # characters of a label before it is shortened


def leaf_texts(leaves: Sequence, texts: Sequence[str] | None = None) -> tuple[str, ...]:
    """Text of each leaf, all different and none blank.

    Parameters
    ----------
    leaves : sequence
    texts : sequence of str, optional
        How their file writes them; by default what ``str`` says.

    Examples
    --------
    >>> leaf_texts((17, 18, None))
    ('17', '18', 'missing')
    """
    if texts is None:
        texts = [MISSING if leaf is None else str(leaf) for leaf in leaves]
    blank = [MISSING if leaf is None else repr(leaf) for leaf in leaves]
    named = [
        text if text.strip() else other
        for text, other in zip(texts, blank, strict=True)
    ]
    return distinct_labels(named, with_missing=False)


def set_labels(
    members: np.ndarray,
    leaves: Sequence,
    ordered: bool,
    texts: Sequence[str] | None = None,
) -> tuple[str, ...]:
    """Text of each set of leaves, all different.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_leaves), bool
        Leaves of each set, at least one; sets are pairwise different.
    leaves : sequence
        Values, in order; None, if there, is the last.
    ordered : bool
        Whether consecutive leaves are written as their first and last.
    texts : sequence of str, optional
        Those of the leaves; see `leaf_texts`.

    Returns
    -------
    tuple of str
        ``*`` for all leaves. A text longer than `MAX_LENGTH` ends with the number of
        leaves that it leaves out. What would read like another set, or like a leaf
        that is not the set, is numbered.

    Examples
    --------
    >>> runs = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [0, 1, 1, 0]], dtype=bool)
    >>> set_labels(runs, (17, 18, 19, 30), ordered=True)
    ('17', '{[17, 18], 30}', '[18, 19]')
    >>> set_labels(runs, ("a", "b", "c", "d"), ordered=False)
    ('a', '{a, b, d}', '{b, c}')
    """
    texts = leaf_texts(leaves, texts)
    sizes = members.sum(axis=1)
    n_values = sum(leaf is not None for leaf in leaves)
    wide = np.flatnonzero(sizes > 1)
    written = [
        ALL
        if sizes[i] == len(leaves)
        else _join(
            _pieces(np.flatnonzero(members[i]), texts, n_values, ordered), sizes[i]
        )
        for i in wide
    ]
    # The texts of the leaves come first, so that only sets are numbered.
    written = distinct_labels([*texts, *written], with_missing=False)[len(texts) :]
    labels = [texts[leaf] for leaf in members.argmax(axis=1)]
    for i, label in zip(wide, written, strict=True):
        labels[i] = label
    return tuple(labels)


def uniform_weights(members: np.ndarray) -> np.ndarray:
    """Share of each leaf in each set, the same for all that the set holds.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_leaves), bool

    Returns
    -------
    ndarray of shape (n_sets, n_leaves), float64
        Rows sum to 1.
    """
    return members / members.sum(axis=1, keepdims=True)


def packed_sets(members: np.ndarray) -> np.ndarray:
    """Bytes of each set, equal for equal sets: they sort fast, as one value.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_leaves), bool
        One leaf or more.

    Returns
    -------
    ndarray of shape (n_sets,), void
        In the order of their first different leaf, a set that lacks it before one that
        has it.
    """
    packed = np.packbits(members, axis=1)
    return packed.view(np.dtype((np.void, packed.shape[1]))).ravel()


def _pieces(
    chosen: np.ndarray, texts: Sequence[str], n_values: int, ordered: bool
) -> Iterator[tuple[str, int]]:
    """Texts of the runs of consecutive values, or of the leaves, and their lengths."""
    ends = np.arange(1, len(chosen) + 1)
    if ordered:
        # Missing is next to no value.
        is_last = (np.diff(chosen) > 1) | (chosen[1:] >= n_values)
        ends = ends[np.append(is_last, True)]
    start = 0
    for end in ends:
        first, last = texts[chosen[start]], texts[chosen[end - 1]]
        yield (first if end - start == 1 else f"[{first}, {last}]"), end - start
        start = end


def _join(pieces: Iterator[tuple[str, int]], n_leaves: int) -> str:
    """Text of a set of n_leaves, from as many of its pieces as it takes."""
    shown = [next(pieces)]
    if shown[0][1] == n_leaves:
        return shown[0][0]
    length = len("{}") + len(shown[0][0])
    for text, n in pieces:
        length += len(", ") + len(text)
        shown.append((text, n))
        if length > MAX_LENGTH:
            break
    else:
        return f"{{{', '.join(text for text, _ in shown)}}}"
    while len(shown) > 1 and length + len(f", +{n_leaves}") > MAX_LENGTH:
        length -= len(", ") + len(shown.pop()[0])
    n_more = n_leaves - sum(n for _, n in shown)
    return f"{{{', '.join(text for text, _ in shown)}, +{n_more}}}"


def check_hierarchies(
    hierarchies: Mapping[str, GeneralizationHierarchy],
    frame: pd.DataFrame,
    names: tuple[str, ...],
) -> dict[str, GeneralizationHierarchy]:
    """Refuse hierarchies that are not of these columns, or lack a value of them.

    Parameters
    ----------
    hierarchies : mapping of column name to GeneralizationHierarchy
    frame : DataFrame
    names : tuple of str
        The columns that may have one, such as the quasi-identifiers.

    Returns
    -------
    dict
        The same.

    Raises
    ------
    ParameterError
        If this is no such mapping, or one is of another column.
    SchemaError
        If a value of the column is no leaf.
    """
    wrong = [hierarchies]
    if isinstance(hierarchies, Mapping):
        wrong = [
            own
            for own in hierarchies.values()
            if not isinstance(own, GeneralizationHierarchy)
        ]
    if wrong:
        raise ParameterError(
            "Expected hierarchies as a mapping of column names to "
            "GeneralizationHierarchy. Received an object of type "
            f"{type(wrong[0]).__name__}. Make them by from_lines, or read them."
        )
    given = dict(hierarchies)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ParameterError(
            f"Expected hierarchies of the columns {', '.join(map(repr, names))}. "
            f"Received one of {unknown[0]!r}. Leave it out, or name it among them."
        )
    for name, hierarchy in given.items():
        hierarchy.leaf_codes(frame[name])  # refuses a value that is no leaf
    return given


def hierarchies_of_all(
    hierarchies: Mapping[str, GeneralizationHierarchy] | None,
    frame: pd.DataFrame,
    names: tuple[str, ...],
) -> list[GeneralizationHierarchy]:
    """The hierarchies of quasi-identifiers, in their order, each of which has one.

    Parameters
    ----------
    hierarchies, frame, names
        As of `check_hierarchies`; None stands for no hierarchies.

    Raises
    ------
    ParameterError, SchemaError
        As `check_hierarchies` does, and ParameterError if a column has none.
    """
    given = {}
    if hierarchies is not None:
        given = check_hierarchies(hierarchies, frame, names)
    lacking = [name for name in names if name not in given]
    if lacking:
        raise ParameterError(
            "Expected a hierarchy for every quasi-identifier. Received none of "
            f"{', '.join(map(repr, lacking))}. Add them to hierarchies, or name "
            "other quasi-identifiers."
        )
    return [given[name] for name in names]


def leaves_in(members, leaves, hierarchy):
    """Sets of the leaves of a column as sets of those of its hierarchy.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_own)
    leaves : sequence of n_own values
    hierarchy : GeneralizationHierarchy
        Of m leaves, these among them.

    Returns
    -------
    ndarray of bool, shape (n_sets, m)
    """
    place = hierarchy.leaf_codes(pd.Series(list(leaves), dtype=object))
    found = np.zeros((len(members), hierarchy.n_leaves), dtype=bool)
    found[:, place] = members
    return found


def covering_nodes(members, hierarchy):
    """Lowest node that covers each set of leaves.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_leaves)
        Leaves of each set, at least one, in the order of those of the hierarchy.
    hierarchy : GeneralizationHierarchy

    Returns
    -------
    members : ndarray of bool, shape (n_sets, n_leaves)
        Leaves under the node of each set.
    labels : list of str
        Label of the node.
    """
    _, first, inverse = np.unique(
        packed_sets(members), return_index=True, return_inverse=True
    )
    distinct = members[first]
    covered, labels = np.empty_like(distinct), []
    for own, leaves in zip(covered, distinct, strict=True):
        level, node = hierarchy.covering(np.flatnonzero(leaves))
        own[:] = hierarchy.node_of(level) == node
        labels.append(hierarchy.labels[level][node])
    return covered[inverse], [labels[i] for i in inverse]


def named_once(members, labels):
    """The labels of sets of leaves, numbered where different sets have the same.

    The empty text, which hierarchies write for missing values, would read as a missing
    label.

    Parameters
    ----------
    members : ndarray of bool, shape (n_sets, n_leaves)
    labels : sequence of n_sets str

    Returns
    -------
    list of n_sets str
    """
    _, first, inverse = np.unique(
        packed_sets(members), return_index=True, return_inverse=True
    )
    texts = distinct_labels([labels[i] or MISSING for i in first], with_missing=False)
    return [texts[i] for i in inverse]
