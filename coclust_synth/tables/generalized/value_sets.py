"""Sets of the values of a column: how each reads, and how it weighs its values.

A generalised value is a set of original values, the leaves. Sets are the rows of a
bool array, leaves its columns; a leaf None stands for missing values and is the last.
"""

from collections.abc import Iterator, Sequence

import numpy as np

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
