"""How many rows a table and a model are apart, with an exact sensitivity."""

import numpy as np

_UNITS = 16  # of a row, in which expected counts are whole numbers
_MOST = 2.0**61  # units that all cells together are expected to have


def rows_apart(counts, expected):
    """Rows by which counts differ from expected ones, rounded down.

    An exact count of the data, to which noise must be added.

    Parameters
    ----------
    counts : ndarray of int64, shape (m,)
        Rows of each cell: of the data.
    expected : ndarray of float64, shape (m,)
        By a model, which knows noisy counts only.

    Returns
    -------
    int

    Notes
    -----
    It is floor(sum_r abs(16 x_r - m_r) / 16), with m_r the expected count in sixteenths
    of a row, a whole number. A row more changes one x_r by 1, so the sum by 16 at most,
    and what is rounded down by 1 at most: whole numbers all along, in which nothing is
    rounded by the data. Where noise makes the m_r so large that their sum would not fit
    into 64 bits, each is held at its share of what does.
    """
    most = _MOST / max(len(expected), 1)
    expected = np.rint(np.clip(_UNITS * expected, 0.0, most)).astype(np.int64)
    return int(np.abs(_UNITS * counts - expected).sum()) // _UNITS
