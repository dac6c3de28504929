"""The trees of the parts of a co-clustering report of Khiops."""

from dataclasses import dataclass

from coclust_synth.reports.khiops.axes import MISSING
from coclust_synth.reports.khiops.report import Interval, Node, ValueGroup


@dataclass(eq=False)
class _Branch:
    """A node of a tree that is being built; ties are broken by its `text`."""

    name: str
    text: str
    frequency: int
    interest: float
    first_part: int
    step: int | None = None
    children: tuple = ()


class Tree:
    """The merges of one dimension, as a tree of its parts.

    Parameters
    ----------
    parts : sequence of ValueGroup or of Interval
    totals, interest : sequence of int and of float
        Observations and interest of each.
    """

    def __init__(self, parts, totals, interest):
        self.is_numeric = isinstance(parts[0], Interval)
        self.branches = [
            _Branch(part.name, _text(part), int(total), float(share), i)
            for i, (part, total, share) in enumerate(
                zip(parts, totals, interest, strict=True)
            )
        ]

    def merge(self, kept, absorbed, step, name):
        """Put two branches together under a name, which intervals do not need."""
        pair = self.branches[kept], self.branches[absorbed]
        left, right = sorted(pair, key=lambda branch: branch.first_part)
        if self.is_numeric:
            name = _union_name(left.name, right.name)
        frequency = left.frequency + right.frequency
        weighted = left.frequency * left.interest + right.frequency * right.interest
        self.branches[kept] = _Branch(
            name, name, frequency, weighted / frequency, left.first_part, step, pair
        )
        self.branches[absorbed] = None

    def number(self, levels, n_parts):
        """Order of the parts, and the nodes of the report.

        Parameters
        ----------
        levels : list of float
            Level after each merge of all dimensions.
        n_parts : int
            Parts of the best grid, summed over the dimensions.

        Returns
        -------
        order : list of int
            The parts from left to right.
        nodes : tuple of Node
            Leaves first.
        """
        order, leaves, inner = [], [], []
        for rank, (branch, parent) in enumerate(self._infix(), start=1):
            is_leaf = not branch.children
            if is_leaf:
                order.append(branch.first_part)
            (leaves if is_leaf else inner).append(
                Node(
                    name=branch.name,
                    parent=parent,
                    frequency=branch.frequency,
                    interest=branch.interest,
                    level=1.0 if is_leaf else levels[branch.step],
                    rank=rank,
                    hierarchical_rank=(
                        n_parts if is_leaf else n_parts - branch.step - 1
                    ),
                    is_leaf=is_leaf,
                )
            )
        return order, (*leaves, *inner)

    def _infix(self):
        """Branches with the names of their parents, from left to right."""
        root = next(branch for branch in self.branches if branch is not None)
        # A stack, since a tree of merges can be as deep as it has parts.
        stack = [(root, "", False)]
        while stack:
            branch, parent, is_open = stack.pop()
            if is_open or not branch.children:
                yield branch, parent
                continue
            left, right = sorted(branch.children, key=self._place)
            stack.append((right, branch.name, False))
            stack.append((branch, parent, True))
            stack.append((left, branch.name, False))

    def _place(self, branch):
        if self.is_numeric:
            return branch.first_part
        # Rounding must not break ties.
        return (-round(branch.interest, 9), -branch.frequency, branch.text)


def _text(part):
    """What tells a part from others of equal interest and frequency."""
    return part.values[0] if isinstance(part, ValueGroup) else part.name


def _union_name(left, right):
    """Name of two neighbours together, ``*`` where missing values are in it."""
    if left == MISSING:
        return f"*{right}"
    return f"{left.split(',')[0]},{right.split(',')[1]}"


def merge_name(k, n_left):
    """Name of a merge of dimension `k` that `n_left` others are to follow."""
    return f"{_letters(k)}{n_left + 1}"


def _letters(k):
    """A, B, ..., Z, AA, AB, ...: the names of dimensions in those of nodes."""
    letters = ""
    k += 1
    while k > 0:
        k, rest = divmod(k - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
