"""What the cells of a table of counts say, from the formulas: a cell at a time."""

import math


def cell_information(cells):
    """p_ij ln (p_ij / (p_i. p_.j)) of each cell, 0 where it is empty."""
    n = sum(map(sum, cells))
    return [
        [
            count / n * contrast if count else 0.0
            for count, contrast in zip(*rows, strict=True)
        ]
        for rows in zip(cells, cell_contrast(cells), strict=True)
    ]


def cell_contrast(cells):
    """ln (n_ij n / (n_i. n_.j)) of each cell, -inf where only the cell is empty."""
    n = sum(map(sum, cells))
    columns = [sum(column) for column in zip(*cells, strict=True)]
    return [
        [
            _log_ratio(count * n, sum(row) * column)
            for count, column in zip(row, columns, strict=True)
        ]
        for row in cells
    ]


def _log_ratio(observed, expected):
    if expected == 0:
        return 0.0
    return math.log(observed / expected) if observed else -math.inf
