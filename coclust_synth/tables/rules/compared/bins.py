"""Bins of columns, of which rules say what meets what."""

import numpy as np

from coclust_synth.tables.parts.atoms import AtomParts

# Where combinations of numbers are looked for: a heap of as many of the rows is a bin
# of its own, the others are gathered into bins of as many.
_HEAP_BIN, _RUN_BIN = 0.02, 0.06
# Values of a column that tells bands of another, at most, and rows of a first look.
_MAX_BANDS, _FIRST = 12, 1000


def code_bins(codes, parts, starts=()):
    """Bin of each code of a column: its own of a category, ranges of numbers.

    Parameters
    ----------
    codes : ndarray of int32, shape (n,)
    parts : Parts
    starts : collection of int, default=()
        Codes with which a bin begins in any case, see `band_starts`.

    Returns
    -------
    ndarray of int32, shape (n_parts,)
    """
    if not isinstance(parts, AtomParts):
        return np.arange(parts.n_parts, dtype=np.int32)
    rows, n = np.bincount(codes, minlength=parts.n_parts), len(codes)
    bins, last, held = np.zeros(parts.n_parts, dtype=np.int32), 0, 0
    for code in range(len(parts.lows)):
        if code in starts and held:
            last, held = last + 1, 0
        if rows[code] >= _HEAP_BIN * n:
            last += held > 0
            bins[code] = last
            last, held = last + 1, 0
            continue
        bins[code] = last
        held += rows[code]
        if held >= _RUN_BIN * n:
            last, held = last + 1, 0
    if parts.with_missing:
        bins[-1] = last + (held > 0)
    return bins


def band_starts(codes, all_parts):
    """Codes of numbers at which another column goes from one value to the next.

    A child is of less than 18 years: a bin that 18 is inside would leave both.

    Parameters
    ----------
    codes : ndarray of int32, shape (n, d)
    all_parts : sequence of Parts, d of them

    Returns
    -------
    list of set of int
        Of each column. The other one has few values, and of any two of them those of
        one are all at or below one code, those of the other at or above it.
    """
    few = [j for j, parts in enumerate(all_parts) if parts.n_parts <= _MAX_BANDS]
    first_look = slice(None, None, max(len(codes) // _FIRST, 1))
    starts = [set() for _ in all_parts]
    for j, parts in enumerate(all_parts):
        if not isinstance(parts, AtomParts) or parts.n_parts <= _MAX_BANDS:
            continue
        n = len(parts.lows)
        for c in few:
            if _bands(codes[first_look, j], codes[first_look, c], n) is not None:
                starts[j] |= _bands(codes[:, j], codes[:, c], n) or set()
    return starts


def _bands(codes, labels, n):
    """Where each label ends and the next begins; None where they overlap."""
    held = np.zeros((int(labels.max(initial=0)) + 1, n), dtype=bool)
    known = codes < n
    held[labels[known], codes[known]] = True
    held = held[held.any(axis=1)]
    first, last = held.argmax(axis=1), n - 1 - held[:, ::-1].argmax(axis=1)
    order = np.argsort(first, kind="stable")
    begins, ends = first[order][1:], last[order][:-1]
    if (ends > begins).any():
        return None
    return {*begins.tolist(), *(ends + 1).tolist()}
