"""Generalisation hierarchies for people to look at: text trees and pictures."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from coclust_synth.plotting.hierarchies import (
    hierarchy_size,
    plot_hierarchy,
    shown_branches,
)
from coclust_synth.reports.console import print_tree
from coclust_synth.tables.files import check_writable, write_files
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = ("svg", "png")
_MAX_PRINTED = 30  # nodes of the lowest level that is shown


def print_hierarchy(hierarchy):
    """Print a hierarchy as a tree of text, a long one from a higher level on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    """
    size = f"{hierarchy.n_leaves:,} values, height {hierarchy.height}"
    if hierarchy.origin is not None:
        size += f"; {hierarchy.origin}"
    if hierarchy.information is not None:
        levels = zip(hierarchy.labels, hierarchy.information, strict=True)
        told = ", ".join(f"{len(nodes):,} ({share:.0%})" for nodes, share in levels)
        size += f"; nodes and information kept, level by level: {told}"
    tree = Tree(Text(f"{hierarchy.name}: {size}"))
    todo = [(shown_branches(hierarchy, _MAX_PRINTED), tree)]
    while todo:
        branch, of = todo.pop()
        added = of.add(Text(branch.text))
        # The last in is the first out: children are added one after the other.
        todo += [(child, added) for child in reversed(branch.children)]
    print_tree(tree)


def draw_hierarchy(hierarchy: GeneralizationHierarchy) -> "Figure":
    """Draw a hierarchy: values on the left, levels to the right up to the root.

    A long one is drawn from a higher level on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=hierarchy_size(hierarchy), layout="constrained")
    plot_hierarchy(hierarchy, ax=figure.subplots())
    return figure


def write_picture(hierarchy, path):
    """Write the picture of a hierarchy; the same hierarchy gives the same bytes.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
        Ends with ``.svg`` or ``.png``.

    Raises
    ------
    ParameterError
        If the path ends otherwise.
    OutputError
        If the file exists, or cannot be written.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    check_choice("the ending of a picture", kind, PICTURES)
    check_writable(path)
    from matplotlib import rc_context

    undated = {"Date": None} if kind == "svg" else {}
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": hierarchy.name}):
        draw_hierarchy(hierarchy).savefig(
            picture, format=kind, dpi=150, metadata=undated
        )
    write_files({path: picture.getvalue()})
