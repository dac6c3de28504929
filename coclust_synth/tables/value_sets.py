"""Sets of the values of a column: how each reads, and how it weighs its values.

A generalised value is a set of original values, the leaves. Sets are the rows of a
bool array, leaves its columns; a leaf None stands for missing values and is the last.
"""

from collections.abc import Sequence

import numpy as np

from coclust_synth.tables.labels import distinct_labels

ALL = "*"
MAX_LENGTH = 60  # characters of a label before it is shortened


def leaf_texts(leaves: Sequence) -> tuple[str, ...]:
    """Text of each leaf, all different and none blank.

    Examples
    --------
    >>> leaf_texts((17, 18, None))
    ('17', '18', 'missing')
    """
    texts = [str(leaf) for leaf in leaves if leaf is not None]
    named = [text if text.strip() else repr(text) for text in texts]
    return distinct_labels(named, with_missing=len(texts) < len(leaves))


def set_labels(members: np.ndarray, leaves: Sequence, ordered: bool) -> tuple[str, ...]:
    """Text of each set of leaves, all different.

    Parameters
    ----------
    members : ndarray of shape (n_sets, n_leaves), bool
        Leaves of each set, at least one; sets are pairwise different.
    leaves : sequence
        Values, in order; None, if there, is the last.
    ordered : bool
        Whether consecutive leaves are written as their first and last.

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
    texts = leaf_texts(leaves)
    sizes = members.sum(axis=1)
    n_values = sum(leaf is not None for leaf in leaves)
    wide = np.flatnonzero(sizes > 1)
    written = [
        ALL
        if sizes[i] == len(leaves)
        else _join(_pieces(np.flatnonzero(members[i]), texts, n_values, ordered))
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


def _pieces(
    chosen: np.ndarray, texts: Sequence[str], n_values: int, ordered: bool
) -> list[tuple[str, int]]:
    """Texts of the runs of consecutive values, or of the leaves, and their lengths."""
    if not ordered:
        return [(texts[leaf], 1) for leaf in chosen]
    # Missing is next to no value.
    is_gap = (np.diff(chosen) > 1) | (chosen[1:] >= n_values)
    runs = np.split(chosen, np.flatnonzero(is_gap) + 1)
    return [(_run_text(texts[run[0]], texts[run[-1]]), len(run)) for run in runs]


def _run_text(first: str, last: str) -> str:
    return first if first == last else f"[{first}, {last}]"


def _join(pieces: list[tuple[str, int]]) -> str:
    if len(pieces) == 1:
        return pieces[0][0]
    whole = f"{{{', '.join(text for text, _ in pieces)}}}"
    if len(whole) <= MAX_LENGTH:
        return whole
    n_leaves = sum(length for _, length in pieces)
    shown, n_shown, size = [], 0, len(f"{{, +{n_leaves}}}")
    for text, length in pieces:
        size += len(text) + 2
        if shown and size > MAX_LENGTH:
            break
        shown.append(text)
        n_shown += length
    return f"{{{', '.join(shown)}, +{n_leaves - n_shown}}}"
