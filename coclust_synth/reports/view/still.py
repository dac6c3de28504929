"""What a page shows of a grid without its script: a picture, a table, words."""

import io
from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.modl.grid.cell_measures import cell_contrast, cell_information
from coclust_synth.reports.view.grid import ViewedGrid

# What a page has room for, and a reader patience.
_MAX_DRAWN, _MAX_DESCRIBED, _MAX_TABLED = 300, 200, 10  # parts of a dimension
_WIDTH, _HEIGHT = 960, 600  # of a picture, in pixels, about
_MORE, _LESS = (190, 45, 30), (25, 95, 175)  # red, and blue
_MAX_VALUES, _MAX_BESIDE = 6, 3
_MAX_TEXT = 80  # characters of a value

Names = Mapping[str, Mapping[str, str]]


class Picture(NamedTuple):
    """A picture of the cells of two dimensions.

    Attributes
    ----------
    source : str
        A data URL.
    n_rows, n_columns : int
    """

    source: str
    n_rows: int
    n_columns: int


class Description(NamedTuple):
    """A cluster in words.

    Attributes
    ----------
    name : str
    frequency : int
        Observations.
    share : float
    holds : str
        Its first values; empty where they have no name.
    more : str
        Clusters of the other dimensions that it goes with, and how much more often
        than if both were independent.
    """

    name: str
    frequency: int
    share: float
    holds: str
    more: str


class CoarseTable(NamedTuple):
    """Observations of the clusters of a coarse level.

    Attributes
    ----------
    columns : list of str
    rows : list of (str, list of int)
    level : float
        Share of the information that is kept.
    """

    columns: list[str]
    rows: list[tuple[str, list[int]]]
    level: float


def picture(grid: ViewedGrid) -> Picture:
    """The picture of the best level: red cells hold more than expected, blue ones less.

    Parameters
    ----------
    grid : ViewedGrid
        Its main dimensions are drawn.
    """
    from matplotlib.image import imsave

    information = cell_information(_level(grid, _MAX_DRAWN).table(*grid.main))
    most = max(float(np.abs(information).max()), 1e-300)
    pixels = np.zeros((*information.shape, 4), dtype=np.uint8)
    pixels[..., :3] = np.where((information > 0)[..., None], _MORE, _LESS)
    # Of no information is transparent, which reads on light and on dark paper.
    pixels[..., 3] = np.round(255 * np.sqrt(np.abs(information) / most))
    n_rows, n_columns = information.shape
    pixels = pixels.repeat(max(_HEIGHT // n_rows, 1), axis=0)
    pixels = pixels.repeat(max(_WIDTH // n_columns, 1), axis=1)
    file = io.BytesIO()
    imsave(file, pixels, format="png", metadata={"Software": None})
    encoded = b64encode(file.getvalue()).decode()
    return Picture(f"data:image/png;base64,{encoded}", n_rows, n_columns)


def coarse_table(grid: ViewedGrid, names: Names) -> CoarseTable:
    """A level of few clusters, as a table of the main dimensions.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        Names given to nodes, by dimension and name of the node.
    """
    main = grid.main
    grid = _level(grid, _MAX_TABLED)
    labels = [_labels(grid, axis, names) for axis in main]
    counts = grid.table(*main).tolist()
    return CoarseTable(
        labels[1], list(zip(labels[0], counts, strict=True)), float(grid.levels[0])
    )


def descriptions(grid: ViewedGrid, names: Names) -> list[tuple[str, list[Description]]]:
    """The clusters of the best level in words, the largest first, by dimension.

    Parameters
    ----------
    grid : ViewedGrid
    names : mapping of str to mapping of str to str
        See `coarse_table`.
    """
    grid = _level(grid, _MAX_DESCRIBED)
    labels = [_labels(grid, axis, names) for axis in range(len(grid.dimensions))]
    found = []
    for axis, dimension in enumerate(grid.dimensions):
        beside = _beside(grid, axis, labels)
        described = [
            Description(
                labels[axis][part],
                int(dimension.frequencies[part]),
                float(dimension.frequencies[part] / grid.n_observations),
                _listed(dimension, part),
                beside[part],
            )
            for part in np.argsort(-dimension.frequencies, kind="stable")
        ]
        found.append((dimension.name, described))
    return found


def _level(grid, n_parts):
    """The best level, or a coarser one of few enough parts."""
    return grid.coarser(max(grid.best_step, grid.step_of_shape(n_parts)))


def _labels(grid, axis, names):
    """What the parts of a dimension are called."""
    dimension = grid.dimensions[axis]
    given = names.get(dimension.name, {})
    made = dimension.parts
    if dimension.kind == "categorical":
        made = [
            values_label(values) if values else name
            for values, name in zip(dimension.values, dimension.parts, strict=True)
        ]
    elif dimension.kind == "individuals":
        made = _individuals(grid, axis)
    return [
        given.get(node, own) for node, own in zip(dimension.parts, made, strict=True)
    ]


def values_label(values) -> str:
    """Name of a cluster of values: the first of them."""
    more = ["..."] if len(values) > 3 else []
    return "{" + ", ".join([*map(_short, values[:3]), *more]) + "}"


def _individuals(grid, axis):
    """Individuals are called by what they have most."""
    (other,) = {0, 1} - {axis}
    information = _information(grid, axis, other)
    words = [_short(values[0]) for values in grid.dimensions[other].values]
    found = []
    for name, row in zip(grid.dimensions[axis].parts, information, strict=True):
        most = [k for k in np.argsort(-row, kind="stable")[:2] if row[k] > 0]
        found.append(" · ".join(words[k] for k in most) or name)
    return found


def _information(grid, axis, other) -> NDArray[np.float64]:
    return cell_information(grid.table(axis, other))


def _beside(grid, axis, labels):
    """What each part of a dimension goes with, of all others."""
    others = [k for k in range(len(grid.dimensions)) if k != axis]
    information = np.hstack([_information(grid, axis, k) for k in others])
    contrast = np.hstack([cell_contrast(grid.table(axis, k)) for k in others])
    names = [label for k in others for label in labels[k]]
    found = []
    for of_part, ratio in zip(information, np.exp(contrast), strict=True):
        most = np.argsort(-of_part, kind="stable")[:_MAX_BESIDE]
        told = [f"{names[k]} ({ratio[k]:.1f} ×)" for k in most if of_part[k] > 0]
        found.append("; ".join(told))
    return found


def _listed(dimension, part):
    """The first values of a part, with what more there are."""
    values = dimension.values[part]
    if not values:
        return ""
    more = dimension.sizes[part] - len(values[:_MAX_VALUES])
    text = ", ".join(_short(value) or "(empty)" for value in values[:_MAX_VALUES])
    return f"{text} and {more:,} more" if more > 0 else text


def _short(value):
    return value if len(value) <= _MAX_TEXT else f"{value[: _MAX_TEXT - 1]}…"
