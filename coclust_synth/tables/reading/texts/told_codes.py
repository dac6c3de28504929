"""Whole numbers that are codes, as a text tells them: the name of a suburb its code.

Taken for quantities, numbers between two codes would be drawn, and a rare one beside
any name. Only columns that are called a code, or an id, are asked for, see
`is_called_code`: of heights of stations, which names tell too, the mean says something.
"""

import numpy as np

# What a text tells may be another in such a share of the rows, as after slips, and is
# told of so many rows at least, by texts that so many have.
_SLIPS, _TOLD, _COMMON = 0.005, 0.5, 10
# Two numbers say which of two.
_SEVERAL = 3


def tells_codes(texts: np.ndarray, numbers: np.ndarray) -> bool:
    """Whether texts that many have tell the numbers beside them, of most rows.

    Parameters
    ----------
    texts : ndarray of int, shape (n,)
        Codes of the texts, from 0, of rows that have a number; below 0 without one.
    numbers : ndarray of int, shape (n,)
        Codes of the numbers, from 0.

    Returns
    -------
    bool

    Examples
    --------
    >>> suburbs = np.repeat(np.arange(30), 25)
    >>> tells_codes(suburbs, suburbs // 2), tells_codes(suburbs // 2, suburbs)
    (True, False)
    """
    rows_of_text = np.append(np.bincount(texts[texts >= 0]), 0)
    is_common = rows_of_text[texts] >= _COMMON
    n_common = np.count_nonzero(is_common)
    if n_common < max(_TOLD * len(texts), 1):
        return False
    n_numbers = int(numbers.max()) + 1
    if np.count_nonzero(np.bincount(numbers[is_common])) < _SEVERAL:
        return False
    pairs = texts[is_common].astype(np.int64) * n_numbers + numbers[is_common]
    pairs, rows = np.unique(pairs, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // n_numbers, prepend=-1))
    commonest = np.maximum.reduceat(rows, starts)
    return bool(n_common - commonest.sum() <= _SLIPS * n_common)
