"""Generalisation hierarchies for people to look at: text trees and pictures."""

import io
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from coclust_synth.exceptions import DataWarning
from coclust_synth.plotting.hierarchies import (
    hierarchy_size,
    plot_hierarchy,
    shown_branches,
)
from coclust_synth.reports.console import one_line, print_tree
from coclust_synth.tables.files import check_writable, write_files
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import check_choice

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PICTURES = ("svg", "png")
_MISSING = re.compile(r"Glyph (\d+) .* missing from font", re.DOTALL)
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
    tree = Tree(Text(one_line(f"{hierarchy.name}: {size}")))
    todo = [(shown_branches(hierarchy, _MAX_PRINTED), tree)]
    while todo:
        branch, of = todo.pop()
        added = of.add(Text(one_line(branch.text)))
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
    with rc_context({"svg.hashsalt": hierarchy.name}), _told_signs(hierarchy.name):
        draw_hierarchy(hierarchy).savefig(
            picture, format=kind, dpi=150, metadata=undated
        )
    write_files({path: picture.getvalue()})


@contextmanager
def _told_signs(name):
    """Tell in one warning of all signs that the font of a picture has not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    found = [_MISSING.match(str(own.message)) for own in caught]
    signs = sorted({chr(int(own[1])) for own in found if own})
    if signs:
        warnings.warn(
            "Expected texts that the font of a picture can show. Received "
            f"{', '.join(map(repr, signs))} in column {name!r}, drawn as boxes. Read "
            "these texts in the file of the hierarchy.",
            DataWarning,
            stacklevel=4,
        )
    for own, is_sign in zip(caught, found, strict=True):
        if not is_sign:
            warnings.warn(own.message, stacklevel=4)
