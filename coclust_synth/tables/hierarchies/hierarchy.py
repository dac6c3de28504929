"""Generalisation hierarchies: the values of a column, and ever larger groups of them.

Level 0 is the values (the leaves), the last level is one root. Every node has one
parent on the next level; a node that is in no new group is there again, under the
same label.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.hierarchies.forms import (
    TreeNode,
    check_lines,
    parents_in_tree,
)
from coclust_synth.tables.showing import Shown
from coclust_synth.validation import check_integer, n_values

ROOT = "*"


@dataclass(frozen=True, eq=False, repr=False)
class GeneralizationHierarchy(Shown):
    """The groups that stand for the values of one column, level by level.

    Two hierarchies are equal if their names, leaves (with types), labels and parents
    are.

    Parameters
    ----------
    name : str
        The column.
    leaves : tuple
        Its values, all different. In an ordered column they increase. None stands for
        missing values; if there is one, it is the last.
    labels : tuple of tuple of str
        Name of each node, level by level; those of level 0 are the leaves as a text
        file has them. Different within a level.
    parents : tuple of ndarray of int64
        For each level but the last, the position on the next level of the parent of
        each node. Every node of the next level is the parent of at least one.
    ordered : bool, default=False
        Whether the column is numeric, a date, or ordinal.
    information : tuple of float, optional
        Share of what the values tell of other columns that each level keeps, in
        [0, 1].
    origin : str, optional
        Where the hierarchy came from. Origin and information are stored with the
        hierarchy, but equality does not look at them.

    Raises
    ------
    SchemaError
        If the arguments are not a hierarchy; the message names the column and what is
        wrong.

    Examples
    --------
    >>> work = GeneralizationHierarchy.from_lines(
    ...     "work",
    ...     [("cook", "food", "*"), ("baker", "food", "*"), ("smith", "metal", "*")],
    ... )
    >>> work.generalize(["smith", "cook"], 1).tolist()
    ['metal', 'food']
    >>> level, node = work.covering([0, 1])
    >>> work.labels[level][node]
    'food'
    """

    name: str
    leaves: tuple
    labels: tuple[tuple[str, ...], ...]
    parents: tuple[NDArray[np.int64], ...]
    ordered: bool = False
    information: tuple[float, ...] | None = None
    origin: str | None = None

    def __post_init__(self):
        if not self.leaves:
            self._fail("at least one value", "none", "Give the column's values")
        twice = _repeated(self.leaves)
        if twice:
            self._fail("different values", f"{twice[0]!r} twice", "Remove one")
        if None in self.leaves[:-1]:
            self._fail("missing values last", "them before others", "Put None last")
        sizes = [len(self.leaves), *(len(labels) for labels in self.labels[1:])]
        if [len(labels) for labels in self.labels] != sizes or sizes[-1] != 1:
            self._fail(
                "a label for each value, and one root on the last level",
                f"levels of {', '.join(str(len(level)) for level in self.labels)} "
                f"labels for {len(self.leaves)} values",
                f"Gather all nodes of the last level in one, {ROOT!r}",
            )
        for level, labels in enumerate(self.labels):
            others = [label for label in labels if not isinstance(label, str)]
            if others:
                self._fail(
                    f"texts as labels on level {level}", f"{others[0]!r}", "Quote it"
                )
            twice = _repeated(labels)
            if twice:
                self._fail(
                    f"different labels on level {level}",
                    f"{twice[0]!r} for two groups",
                    "Rename one of them",
                )
        if [len(parent) for parent in self.parents] != sizes[:-1] or any(
            set(parent.tolist()) != set(range(n))
            for parent, n in zip(self.parents, sizes[1:], strict=True)
        ):
            self._fail(
                "one parent on the next level for each node, and no other node there",
                "parents that are not so",
                "Number the nodes of each level from 0",
            )
        if self.information is not None and len(self.information) != len(sizes):
            self._fail(
                f"the information of each of {len(sizes)} levels",
                f"{len(self.information)} shares",
                "Leave it out where levels were changed",
            )

    def _fail(self, expected, received, advice):
        raise SchemaError(
            f"Hierarchy of {self.name!r}: expected {expected}. Received {received}. "
            f"{advice}."
        )

    def __eq__(self, other):
        if not isinstance(other, GeneralizationHierarchy):
            return NotImplemented
        return self._content() == other._content()

    __hash__ = None

    def _content(self):
        types = tuple(map(type, self.leaves))
        parents = [parent.tolist() for parent in self.parents]
        return self.name, self.ordered, types, self.leaves, self.labels, parents

    @classmethod
    def from_partitions(
        cls,
        name: str,
        leaves: Sequence[Any],
        partitions: Sequence[NDArray[np.integer]],
        labels: Sequence[Sequence[str]],
        *,
        ordered: bool = False,
    ) -> Self:
        """Build a hierarchy from the node of each leaf.

        Parameters
        ----------
        name, leaves, labels, ordered
            As for the class.
        partitions : sequence of ndarray of int, shape (n_leaves,)
            The node of each leaf, level by level. Those of a level are numbered from
            0, and each is a union of nodes of the level below.
        """
        parents = []
        for below, above in pairwise(partitions):
            parent = np.zeros(int(below.max()) + 1, dtype=np.int64)
            parent[below] = above
            parents.append(parent)
        texts = tuple(map(tuple, labels))
        return cls(name, tuple(leaves), texts, tuple(parents), ordered)

    @classmethod
    def from_lines(
        cls,
        name: str,
        lines: Sequence[Sequence[str]],
        *,
        numbers: Sequence[int] | None = None,
        leaves: Sequence[Any] | None = None,
        ordered: bool = False,
    ) -> Self:
        """Build a hierarchy from the path of each leaf to the root.

        Parameters
        ----------
        name : str
        lines : sequence of sequence of str
            For each leaf its labels from level 0 to the root. Numbers are read as
            their texts.
        numbers : sequence of int, optional
            Number of each line in its file, for messages; from 1 by default.
        leaves : tuple, optional
            Values of the leaves; by default the first of each line, as it is given.
        ordered : bool, default=False

        Raises
        ------
        SchemaError
            If lines differ in length, a leaf comes twice, a label has two parents, or
            there are two roots.
        """
        numbers = range(1, len(lines) + 1) if numbers is None else numbers
        check_lines(name, lines, numbers)
        levels = [
            np.array([str(label) for label in level], dtype=object)
            for level in zip(*lines, strict=True)
        ]
        coded = [pd.factorize(level) for level in levels]
        return cls.from_partitions(
            name,
            [line[0] for line in lines] if leaves is None else leaves,
            [codes for codes, _ in coded],
            [labels.tolist() for _, labels in coded],
            ordered=ordered,
        )

    @classmethod
    def from_tree(
        cls,
        name: str,
        leaves: Sequence[Any],
        tree: Sequence[TreeNode],
        *,
        ordered: bool = False,
    ) -> Self:
        """Build a hierarchy from its nodes, each given once; undoes `tree`.

        Parameters
        ----------
        name, leaves, ordered
            As for the class.
        tree : sequence of TreeNode
            The leaves, then the other nodes, children before their parents.

        Raises
        ------
        SchemaError
            If a node has two parents or is not above its children, or there are two
            roots.
        """
        parent = parents_in_tree(name, tree)
        height = max((node.level for node in tree), default=0)
        place, partitions, labels = np.arange(len(leaves)), [], []
        levels = np.array([node.level for node in tree])
        for level in range(height + 1):
            above = parent[place]
            place = np.where((above >= 0) & (levels[above] == level), above, place)
            codes, nodes = pd.factorize(place)
            partitions.append(codes)
            labels.append([tree[node].label for node in nodes])
        return cls.from_partitions(name, leaves, partitions, labels, ordered=ordered)

    @property
    def height(self) -> int:
        """Number of the last level, which is the root."""
        return len(self.parents)

    @property
    def n_leaves(self) -> int:
        """Number of values."""
        return len(self.leaves)

    def node_of(self, level: int) -> NDArray[np.int64]:
        """Node of each leaf on a level.

        Parameters
        ----------
        level : int
            From 0 to `height`.

        Returns
        -------
        ndarray of int64, shape (n_leaves,)
            Positions in ``labels[level]``.
        """
        check_integer("the level", level, minimum=0, maximum=self.height)
        node = np.arange(self.n_leaves)
        for parent in self.parents[:level]:
            node = parent[node]
        return node

    def leaf_codes(self, values: Iterable[Hashable]) -> NDArray[np.int64]:
        """Position of each value among the leaves.

        Parameters
        ----------
        values : Series or sequence
            Values of the column, of the type of the leaves; None, NaN, NA and NaT are
            missing.

        Returns
        -------
        ndarray of int64, shape (n,)

        Raises
        ------
        SchemaError
            If a value is no leaf.
        """
        series = values if isinstance(values, pd.Series) else pd.Series(values)
        codes, uniques = pd.factorize(series)
        index = {leaf: code for code, leaf in enumerate(self.leaves)}
        # Missing values have the code -1: the last place.
        uniques = [*uniques.tolist(), None] if (codes < 0).any() else uniques.tolist()
        unknown = [value for value in uniques if value not in index]
        if unknown:
            shown = ", ".join(map(repr, unknown[:5]))
            shown += ", ..." if len(unknown) > 5 else ""
            self._fail(
                f"values among its {self.n_leaves} leaves",
                f"{shown} ({n_values(len(unknown))})",
                "Add them to the hierarchy, or change them in the table",
            )
        return np.array([index[value] for value in uniques], dtype=np.int64)[codes]

    def generalize(self, values: Iterable[Hashable], level: int) -> NDArray[np.object_]:
        """Labels of values on a level.

        Parameters
        ----------
        values : Series or sequence
            As for `leaf_codes`.
        level : int
            From 0 to `height`.

        Returns
        -------
        ndarray of str objects, shape (n,)

        Raises
        ------
        SchemaError
            If a value is no leaf.
        """
        nodes = self.node_of(level)[self.leaf_codes(values)]
        return np.array(self.labels[level], dtype=object)[nodes]

    def nodes_of(self, values: Iterable[Hashable]) -> NDArray[np.int64]:
        """Node of each value on every level, as `TCloseness` reads them.

        Parameters
        ----------
        values : Series or sequence
            As for `leaf_codes`.

        Returns
        -------
        ndarray of int64, shape (height + 1, n)

        Raises
        ------
        SchemaError
            If a value is no leaf.
        """
        leaves = self.leaf_codes(values)
        return np.array([self.node_of(i)[leaves] for i in range(self.height + 1)])

    def covering(self, leaf_codes: Sequence[int]) -> tuple[int, int]:
        """The lowest node that some leaves are all under.

        Parameters
        ----------
        leaf_codes : sequence of int
            Positions of leaves, at least one.

        Returns
        -------
        level, node : int
            Its lowest level, and its position there.
        """
        nodes = np.unique(np.asarray(leaf_codes, dtype=np.int64))
        if not len(nodes) or nodes[0] < 0 or nodes[-1] >= self.n_leaves:
            raise ParameterError(
                f"Expected positions of leaves of {self.name!r}, from 0 to "
                f"{self.n_leaves - 1}. Received {list(leaf_codes)[:5]}. Give one or "
                "more of leaf_codes."
            )
        level = 0
        while len(nodes) > 1:
            nodes = np.unique(self.parents[level][nodes])
            level += 1
        return level, int(nodes[0])

    def tree(self) -> list[TreeNode]:
        """Every node once, for forms that have no levels.

        A node whose only child has its label is that child, one level on.

        Returns
        -------
        list of TreeNode
            The leaves in their order, then the other nodes, children before their
            parents; the root is the last.
        """
        tree = [TreeNode(label, 0, ()) for label in self.labels[0]]
        place = np.arange(len(tree))
        for level, parent in enumerate(self.parents, start=1):
            labels = self.labels[level]
            order = np.argsort(parent, kind="stable")
            starts = np.searchsorted(parent[order], np.arange(len(labels)))
            groups = np.split(place[order], starts[1:])
            place = np.empty(len(labels), dtype=np.int64)
            for node, (label, children) in enumerate(zip(labels, groups, strict=True)):
                if len(children) == 1 and tree[children[0]].label == label:
                    place[node] = children[0]
                    continue
                place[node] = len(tree)
                tree.append(TreeNode(label, level, tuple(children.tolist())))
        return tree

    def lines(self) -> list[tuple[str, ...]]:
        """The labels of each leaf from level 0 to the root; `from_lines` undoes it.

        Returns
        -------
        list of tuple of str
        """
        levels = [
            np.array(labels, dtype=object)[self.node_of(level)]
            for level, labels in enumerate(self.labels)
        ]
        return list(zip(*levels, strict=True))

    def _told(self):
        return {
            "column": self.name,
            "values": self.n_leaves,
            "nodes by level": [len(labels) for labels in self.labels],
        }


def _repeated(values):
    seen = set()
    return [value for value in values if value in seen or seen.add(value)]
