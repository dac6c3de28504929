"""Generalisation hierarchies as pictures."""

from typing import TYPE_CHECKING, Any, NamedTuple

from coclust_synth.plotting.axes import own_axes
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.validation import n_values

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MAX_DRAWN = 60
_LINE: dict[str, Any] = {
    "color": "C0",
    "linewidth": 1.2,
    "solid_capstyle": "projecting",
}


class Branch(NamedTuple):
    """A node as it is shown: its text, its level, and what it gathers."""

    text: str
    level: int
    children: "list[Branch]"


def plot_hierarchy(
    hierarchy: GeneralizationHierarchy, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw a hierarchy: values on the left, levels to the right up to the root.

    A long one is drawn from a higher level on.

    Parameters
    ----------
    hierarchy : GeneralizationHierarchy
    ax : matplotlib.axes.Axes, optional
        By default of a new figure, as high as the values need.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from coclust_synth import GeneralizationHierarchy
    >>> hierarchy = GeneralizationHierarchy.from_lines(
    ...     "work",
    ...     [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")],
    ... )
    >>> plot_hierarchy(hierarchy).get_title()
    'work'
    """
    root = shown_branches(hierarchy, _MAX_DRAWN)
    ax = own_axes(ax, hierarchy_size(hierarchy))
    left = _first_level(root)
    tips: list[str] = []

    def put(branch):
        """Draw what a branch gathers; where it stands itself."""
        if not branch.children:
            tips.append(branch.text)
            return len(tips) - 1
        places = [put(child) for child in branch.children]
        for child, at in zip(branch.children, places, strict=True):
            # A value that nothing joins begins where its label is, as the others do.
            start = child.level if child.children else left
            ax.plot([start, branch.level], [at, at], **_LINE)
        ax.plot([branch.level] * 2, [min(places), max(places)], **_LINE)
        return sum(places) / len(places)

    if not root.children:  # its values have nothing in between
        ax.plot([0, root.level], [0, 0], **_LINE)
    put(root)
    ax.set_yticks(range(len(tips)), tips, parse_math=False)
    ax.set_ylim(len(tips) - 0.5, -0.5)
    ax.xaxis.get_major_locator().set_params(integer=True)  # type: ignore[call-arg]
    ax.set_xlabel("level")
    ax.set_title(hierarchy.name, parse_math=False)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def hierarchy_size(hierarchy: GeneralizationHierarchy) -> tuple[float, float]:
    """Width and height of a figure that a hierarchy is drawn in, in inches."""
    return 6.0, 1.2 + 0.24 * _n_tips(shown_branches(hierarchy, _MAX_DRAWN))


def shown_branches(hierarchy: GeneralizationHierarchy, max_nodes: int) -> Branch:
    """The root, down to the lowest level of at most so many nodes.

    What stands for several values there says for how many.
    """
    lowest = next(
        level for level, of in enumerate(hierarchy.labels) if len(of) <= max_nodes
    )
    n_leaves: list[int] = []
    branches: list[Branch] = []
    for node in hierarchy.tree():
        children = [branches[child] for child in node.children]
        n_leaves.append(sum(n_leaves[child] for child in node.children) or 1)
        text = node.label or "missing"
        if 0 < node.level <= lowest:
            text, children = f"{text}  ({n_values(n_leaves[-1])})", []
        branches.append(Branch(text, node.level, children))
    return branches[-1]


def _n_tips(branch):
    return sum(map(_n_tips, branch.children)) or 1


def _first_level(branch):
    """The level that the drawing begins with: that of its long groups, or 0."""
    if not branch.children:
        return branch.level
    return max(map(_first_level, branch.children))
