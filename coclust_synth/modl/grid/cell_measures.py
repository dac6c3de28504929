"""What each cell of a grid says of its two dimensions: the figures behind its colours.

Boulle (2011) reads a grid by the mutual information of its cells, Guigoures, Boulle and
Rossi (2012) also by their contrast.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def cell_information(cells: ArrayLike) -> NDArray[np.float64]:
    """What each cell adds to the mutual information of the rows and columns of a table.

    p_ij ln (p_ij / (p_i. p_.j)), negative where a cell holds less than if both were
    independent, and 0 where it is empty.

    Parameters
    ----------
    cells : array-like of int, shape (J_1, J_2)
        Observations of each cell.

    Returns
    -------
    ndarray of float64, shape (J_1, J_2)
        In nats. The sum is the mutual information.

    Examples
    --------
    >>> cell_information([[2, 0], [0, 2]]).sum().round(3)  # ln 2
    np.float64(0.693)
    """
    cells = np.asarray(cells, dtype=np.float64)
    shares = cells / max(cells.sum(), 1.0)
    found = np.zeros(cells.shape)
    return np.multiply(shares, cell_contrast(cells), out=found, where=cells > 0)


def cell_contrast(cells: ArrayLike) -> NDArray[np.float64]:
    """How much more each cell of a table holds than if its dimensions were independent.

    ln (p_ij / (p_i. p_.j)): 0 as expected, ln 2 where it holds twice as much. Small
    cells can stand out by chance, which `cell_information` does not let them.

    Parameters
    ----------
    cells : array-like of int, shape (J_1, J_2)
        Observations of each cell.

    Returns
    -------
    ndarray of float64, shape (J_1, J_2)
        In nats; -inf where a cell is empty, 0 where its row or column is.

    Examples
    --------
    >>> np.exp(cell_contrast([[3, 1], [1, 3]]))
    array([[1.5, 0.5],
           [0.5, 1.5]])
    """
    cells = np.asarray(cells, dtype=np.float64)
    expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / max(cells.sum(), 1.0)
    ratio = np.divide(cells, expected, out=np.ones(cells.shape), where=expected > 0)
    with np.errstate(divide="ignore"):
        return np.log(ratio)
