"""A grid as one page that needs nothing else, no network and no library, and the bytes
that its script reads, small enough for one file.

A length, a JSON object and the cells, compressed by gzip. Cells are a column for each
dimension and one of counts, as differences of 7 bits a byte: those of a cell and of the
one before it are small, and compress well.
"""

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coclust_synth._version import __version__
from coclust_synth.reports.view.grid import ViewedDimension, ViewedGrid
from coclust_synth.reports.view.names import FORMAT, FORMAT_VERSION
from coclust_synth.reports.view.still import Names, coarse_table, descriptions, picture

#: Most typical values that each part keeps, where all of them have no room.
_FEWER_VALUES = (1000, 100, 20)
_DIGITS = 4  # of shares
#: What a page may have in all, and what is kept for saying that not all has room.
MAX_BYTES = 3_500_000
_MARGIN = 1_000

#: The script, whose files share one scope: what comes first is used by what follows.
_SCRIPT = (
    "colours.js",
    "hierarchy.js",
    "decode.js",
    "measures.js",
    "picture.js",
    "texts.js",
    "panel.js",
    "skeleton.js",
    "app.js",
    "controls.js",
    "files.js",
)


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


def grid_page(grid: ViewedGrid, names: Names) -> str:
    """The page of a grid, in HTML.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        Names given to nodes, by dimension and name of the node; see `read_names`.

    Returns
    -------
    str
        One file of at most `MAX_BYTES`; of what has no room, less is shown: see
        `fitted_payload`. The same grid and names give the same text.
    """
    # Here, not above: no other command has to wait for it to load.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("coclust_synth.reports.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("view.html.j2")
    content = _content(grid, names)
    around = len(_encoded(template.render(**content, data="")))
    # Four letters of base64 stand for three bytes.
    room = (MAX_BYTES - _MARGIN - around) * 3 // 4
    data, fitted = fitted_payload(grid, names, room)
    content["n_finer"] = len(grid.merges) - len(fitted.merges)
    page = template.render(**content, data=b64encode(data).decode())
    return _encoded(page).decode()


def _encoded(text):
    """As UTF-8, a question mark for bytes of reports that were not."""
    return text.encode("utf-8", "replace")


def script() -> str:
    """The script of the view, without what starts it."""
    said = {"NAMES_FORMAT": FORMAT, "NAMES_VERSION": FORMAT_VERSION}
    known = [f"const {name} = {json.dumps(own)};" for name, own in said.items()]
    return "\n".join([*known, *map(template_text, _SCRIPT)])


def template_text(name: str) -> str:
    """A file beside the templates."""
    folder = resources.files("coclust_synth.reports.view") / "templates"
    return (folder / name).read_text(encoding="utf-8")


def _content(grid: ViewedGrid, names: Names) -> dict[str, Any]:
    best = grid.coarser(grid.best_step)
    return {
        "version": __version__,
        "name": grid.name,
        "grid": grid,
        "best": best,
        "main": [grid.dimensions[axis].name for axis in grid.main],
        "gain": max(0.0, 1.0 - grid.cost / grid.null_cost) if grid.null_cost else 0.0,
        "picture": picture(grid),
        "coarse": coarse_table(grid, names),
        "described": descriptions(grid, names),
        "script": script(),
        "start": template_text("start.js"),
        "n_finer": 0,
    }
