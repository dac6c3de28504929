"""Generalisation hierarchies for people to look at: text trees and pictures."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.text import Text
from rich.tree import Tree

from coclust_synth.reports.console import print_tree
from coclust_synth.tables.files.outputs import check_writable, write_files
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = ("svg", "png")

_MAX_PRINTED = 30  # nodes of the lowest level that is shown
_MAX_DRAWN = 60
_LINE: dict[str, Any] = {
    "color": "#0072b2",
    "linewidth": 1.2,
    "solid_capstyle": "projecting",
}


class _Branch(NamedTuple):
    """A node as it is shown: its text, its level, and what it gathers."""

    text: str
    level: int
    children: list


def print_hierarchy(hierarchy):
    """Print a hierarchy as a tree of text, a long one from a higher level on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    """
    size = f"{hierarchy.n_leaves:,} values, height {hierarchy.height}"
    tree = Tree(Text(f"{hierarchy.name}: {size}"))
    todo = [(_shown(hierarchy, _MAX_PRINTED), tree)]
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
    # Here, not above: no other command has to wait for it to load.
    from matplotlib.figure import Figure

    figure = Figure(layout="constrained")
    axes = figure.subplots()
    tips = []

    def put(branch):
        """Draw what a branch gathers; where it stands itself."""
        if not branch.children:
            tips.append(branch.text)
            return len(tips) - 1
        places = [put(child) for child in branch.children]
        for child, at in zip(branch.children, places, strict=True):
            # A value that nothing joins begins where its label is, as the others do.
            start = child.level if child.children else left
            axes.plot([start, branch.level], [at, at], **_LINE)
        axes.plot([branch.level] * 2, [min(places), max(places)], **_LINE)
        return sum(places) / len(places)

    root = _shown(hierarchy, _MAX_DRAWN)
    left = _first_level(root)
    if not root.children:  # its values have nothing in between
        axes.plot([0, root.level], [0, 0], **_LINE)
    put(root)
    figure.set_size_inches(6.0, 1.2 + 0.24 * len(tips))
    axes.set_yticks(range(len(tips)), tips, parse_math=False)
    axes.set_ylim(len(tips) - 0.5, -0.5)
    axes.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    axes.set_xlabel("level")
    axes.set_title(hierarchy.name, parse_math=False)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def write_picture(hierarchy, path, *, force=False):
    """Write the picture of a hierarchy; the same hierarchy gives the same bytes.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    path : path
        Ends with ``.svg`` or ``.png``.
    force : bool, default=False
        Whether to replace a file that exists.

    Raises
    ------
    ParameterError
        If the path ends otherwise.
    OutputError
        If the file exists, or cannot be written.
    """
    kind = Path(path).suffix.lower().removeprefix(".")
    check_choice("the ending of a picture", kind, PICTURES)
    check_writable(path, force)
    from matplotlib import rc_context

    undated = {"Date": None} if kind == "svg" else {}
    picture = io.BytesIO()
    with rc_context({"svg.hashsalt": hierarchy.name}):
        draw_hierarchy(hierarchy).savefig(
            picture, format=kind, dpi=150, metadata=undated
        )
    write_files({path: picture.getvalue()})


def _first_level(branch):
    """The level that the drawing begins with: that of its long groups, or 0."""
    if not branch.children:
        return branch.level
    return max(map(_first_level, branch.children))


def _shown(hierarchy, max_nodes):
    """The root, down to the lowest level of at most so many nodes.

    What stands for several values there says for how many.
    """
    lowest = next(
        level for level, of in enumerate(hierarchy.labels) if len(of) <= max_nodes
    )
    n_leaves, branches = [], []
    for node in hierarchy.tree():
        children = [branches[child] for child in node.children]
        n_leaves.append(sum(n_leaves[child] for child in node.children) or 1)
        text = node.label or "missing"
        if 0 < node.level <= lowest:
            text, children = f"{text}  ({n_leaves[-1]:,} values)", []
        branches.append(_Branch(text, node.level, children))
    return branches[-1]
