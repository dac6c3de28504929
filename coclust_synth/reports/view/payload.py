"""A grid in the bytes that the script of a page reads, small enough for one file.

A length, a JSON object and the cells, compressed by gzip. Cells are a column for each
dimension and one of counts, as differences of 7 bits a byte: those of a cell and of the
one before it are small, and compress well.
"""

import gzip
import json
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from coclust_synth.reports.view.grid import ViewedDimension, ViewedGrid

#: Most typical values that each part keeps, where all of them have no room.
_FEWER_VALUES = (1000, 100, 20)
_DIGITS = 4  # of shares


def fitted_payload(
    grid: ViewedGrid, names: Mapping[str, Mapping[str, str]], max_bytes: int
) -> tuple[bytes, ViewedGrid]:
    """The bytes of a grid, of less of it where all has no room.

    First the least typical values go, then the finest levels.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        See `payload`.
    max_bytes : int

    Returns
    -------
    bytes
    ViewedGrid
        What is in them: of the same or a coarser finest level.
    """
    n_values = None
    data = payload(grid, names)
    for n_values in _FEWER_VALUES:
        if len(data) <= max_bytes:
            return data, grid
        data = payload(grid, names, n_values=n_values)
    while len(data) > max_bytes and grid.merges:
        # What is left of the bytes goes with the square of the parts at most.
        share = (max_bytes / len(data)) ** 0.5
        grid = grid.coarser(max(int(len(grid.merges) * (1 - share)), 1))
        data = payload(grid, names, n_values=n_values)
    return data, grid


def payload(
    grid: ViewedGrid,
    names: Mapping[str, Mapping[str, str]],
    *,
    n_values: int | None = None,
) -> bytes:
    """The bytes of a grid.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        Names that a reader has given to nodes, by dimension and name of the node.
    n_values : int, optional
        Values of each part to tell, the first ones; by default all.

    Returns
    -------
    bytes
        The same for the same grid and names.
    """
    content = {
        "name": grid.name,
        "cost": grid.cost,
        "null_cost": grid.null_cost,
        "best_step": grid.best_step,
        "main": grid.main,
        "n_cells": len(grid.counts),
        "merges": grid.merges,
        "levels": grid.levels.round(6).tolist(),
        "dimensions": [_dimension(own, n_values) for own in grid.dimensions],
        "names": {own.name: _names(own, names) for own in grid.dimensions},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    data = text.encode("utf-8", "replace")
    columns = [*grid.cells.T, grid.counts]
    cells = b"".join(_varints(np.diff(column, prepend=0)) for column in columns)
    return gzip.compress(len(data).to_bytes(4, "little") + data + cells, mtime=0)


def _dimension(dimension: ViewedDimension, n_values):
    return {
        "name": dimension.name,
        "kind": dimension.kind,
        "nodes": dimension.nodes,
        "frequencies": dimension.frequencies.tolist(),
        "interests": dimension.interests.round(_DIGITS).tolist(),
        "sizes": dimension.sizes,
        "values": [own[:n_values] for own in dimension.values],
        "value_frequencies": [own[:n_values] for own in dimension.value_frequencies],
        "typicalities": [
            [None if own is None else round(own, _DIGITS) for own in of_part[:n_values]]
            for of_part in dimension.typicalities
        ],
    }


def _names(dimension, names):
    """Those of nodes that are there: some have no room."""
    given = names.get(dimension.name, {})
    return {node: given[node] for node in dimension.nodes if node in given}


def _varints(numbers: NDArray[np.int64]) -> bytes:
    """Whole numbers of either sign, 7 bits a byte, the lowest first.

    2 n stands for n, and 2 n - 1 for -n; the high bit says that more is to come.
    """
    left = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers)
    columns, more = [], np.ones(len(left), dtype=bool)
    there = []
    while more.any():
        there.append(more)
        low, left = left & 0x7F, left >> 7
        more = left > 0
        columns.append(low | (more << 7))
    if not columns:
        return b""
    # A row for each number, of as many bytes as it takes.
    table, kept = np.column_stack(columns), np.column_stack(there)
    return table[kept].astype(np.uint8).tobytes()
