"""Names that readers give to clusters: what the script of a page saves and loads."""

import os
from pathlib import Path

from coclust_synth.exceptions import ParameterError
from coclust_synth.reports.view.grid import ViewedGrid
from coclust_synth.tables.literals import parse_json

FORMAT = "coclust_synth cluster names"
FORMAT_VERSION = 1


def read_names(path: str | os.PathLike, grid: ViewedGrid) -> dict[str, dict[str, str]]:
    """Read the names of clusters of a grid.

    Parameters
    ----------
    path : path
        A JSON file that the page of a grid saved.
    grid : ViewedGrid
        It must be of this grid.

    Returns
    -------
    dict of str to dict of str to str
        By dimension and name of the node in the report.

    Raises
    ------
    ParameterError
        If it is none, or names clusters that the grid does not have.
    """
    path = Path(path)
    where = f"Expected a file of names that a page saved in {str(path)!r}."
    try:
        content = parse_json(path.read_bytes().decode("utf-8"))
    except (OSError, ValueError) as error:
        received = getattr(error, "strerror", None) or "something that is no JSON"
        raise ParameterError(
            f"{where} Received: {received}. Save the names again."
        ) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ParameterError(
            f"{where} Received a file of another kind. Check the path."
        )
    if content.get("format_version") != FORMAT_VERSION:
        raise ParameterError(
            f"{where} Received format version {content.get('format_version')!r}; this "
            f"is version {FORMAT_VERSION}. Save the names again."
        )
    return check_names(content.get("dimensions"), grid)


def check_names(names, grid: ViewedGrid) -> dict[str, dict[str, str]]:
    """Refuse names of clusters that a grid does not have.

    Parameters
    ----------
    names : mapping of str to mapping of str to str
    grid : ViewedGrid

    Returns
    -------
    dict of str to dict of str to str

    Raises
    ------
    ParameterError
    """
    nodes = {dimension.name: set(dimension.nodes) for dimension in grid.dimensions}
    try:
        found = {name: dict(given) for name, given in dict(names).items()}
    except (TypeError, ValueError):
        raise ParameterError(
            "Expected names by dimension and cluster. Received something else. Save "
            "the names again."
        ) from None
    for name, given in found.items():
        if name not in nodes:
            raise ParameterError(
                f"Expected names of the clusters of {', '.join(map(repr, nodes))}. "
                f"Received some of {name!r}. Give the names of this grid."
            )
        for node, text in given.items():
            if node not in nodes[name] or not isinstance(text, str):
                raise ParameterError(
                    f"Expected texts for clusters of {name!r}. Received {text!r} for "
                    f"{node!r}. Give the names of this grid."
                )
    return found
