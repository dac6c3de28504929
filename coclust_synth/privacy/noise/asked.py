"""What a ledger may be asked: checks, before any noise is drawn or anything spent."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coclust_synth.exceptions import ParameterError
from coclust_synth.validation import check_number

#: Least cost of a query: noise of less would not be told from that of nothing.
LEAST_EPSILON = 1e-9
#: Most that a row changes what a query tells.
MAX_SENSITIVITY = 2**31


def check_delta(delta: float) -> None:
    """Refuse a delta that is no probability between 0 and 1."""
    check_number("delta", delta, above=0, maximum=1)
    if delta == 1:
        raise ParameterError(
            "Expected a delta below 1. Received 1, which promises nothing. Give for "
            "instance 1e-9."
        )


def check_cost(unit: str, cost: float) -> None:
    check_number(unit, cost, minimum=LEAST_EPSILON)


def whole_numbers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    """An array of int64 from whole numbers, or an error that shows none of them."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer) or array.dtype == np.uint64:
        raise ParameterError(
            f"Expected {name} to be whole numbers of at most 64 bits, signed. Received "
            f"an array of {array.dtype}. Convert them by astype(numpy.int64)."
        )
    return array.astype(np.int64)


def whole_scores(scores: ArrayLike) -> NDArray[np.int64]:
    """Whole numbers in one dimension, at least one."""
    array = whole_numbers("scores", scores)
    if array.ndim != 1 or not len(array):
        raise ParameterError(
            "Expected scores in one dimension, at least one. Received an array of "
            f"shape {array.shape}. Give one score for each choice."
        )
    return array


def checked_cells(index, counts, n_cells, order):
    """Cells in increasing order with their counts."""
    if index.ndim != 1 or index.shape != counts.shape:
        raise ParameterError(
            "Expected one count for each cell, in one dimension. Received arrays of "
            f"shapes {index.shape} and {counts.shape}. Give the same number of both."
        )
    index, counts = index[order], counts[order]
    inside = not len(index) or (index[0] >= 0 and index[-1] < n_cells)
    if not inside or (np.diff(index) == 0).any():
        raise ParameterError(
            f"Expected different cells from 0 to {n_cells - 1}. Received some outside, "
            "or twice. Count each cell once, for instance by numpy.unique."
        )
    return index, counts
