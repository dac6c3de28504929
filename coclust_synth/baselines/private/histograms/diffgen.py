"""DiffGen: values specialized by choices on the data, for a class, and counted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import DomainSynthesizer, check_budget
from coclust_synth.generators.draws import allot, project_to_simplex
from coclust_synth.generators.release_plan import (
    make_plan,
    planned_choice,
    planned_counts,
)
from coclust_synth.tables.domain.column import DomainColumn
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.schema import unknown_column
from coclust_synth.validation import check_integer

_MAX_CELLS = 2**20
_OF_CHOICES = 0.5  # of epsilon


@dataclass(eq=False, repr=False, kw_only=True)
class DiffGen(DomainSynthesizer):
    r"""Rows drawn from noisy counts of generalized values, kept fine for a class.

    epsilon-differentially private for the table's persons (see `PrivacyLedger` for what
    that leaves out). All columns but the class begin as one value. Then the exponential
    mechanism chooses, `n_specializations` times, a value to be split: a category into
    its children in a hierarchy, a run of numbers in two where the mechanism chose to
    cut it. It prefers the value whose children's rows are most often of the largest
    class of their child. Half of epsilon is shared evenly by these choices; the other
    half counts the rows of each class in each combination of values, which is drawn
    evenly from the values of the domain inside. What is missing, or other, is a value
    of its own.

    **Sensitivity.** A row changes the largest class of one child by 1 at most: 1 for
    all scores. Both halves of a run of numbers share no row: their cuts are one query
    (`PrivacyLedger.exponential_of_parts`). Counts are of sensitivity 1.

    Parameters
    ----------
    epsilon : float
        Above 0.
    domain : Domain, path or mapping
    targets : sequence of one str
        The class; columns of a domain have none by themselves.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Of columns of categories, declared without the table. Others are specialized
        from all their categories to each of them at once.
    n_specializations : int, default=10
        As many values are split, at most: no value is split that would make more than
        2^20 combinations.
    neighbours : {"add-remove", "replace"}, default="add-remove"
    rows_per_person : int, default=1

    Attributes
    ----------
    values_ : dict of str to list of ndarray of int64
        Of each column, codes of the domain that are one value in the release.
    ledger_ : PrivacyLedger
        What is not spent where nothing is left to choose is spent on the counts.
    counts_ : ndarray of float64
        Expected rows of each combination, an axis for each column of the domain,
        projected to sum to the number of rows.
    n_rows_ : int
        Noisy number of rows.

    References
    ----------
    N. Mohammed, R. Chen, B. Fung, P. Yu, "Differentially private data release for data
    mining", KDD 2011, algorithm 1, with the score Max. Their other score, information
    gain, is never above its own sensitivity, so that noise alone would decide by it.

    Examples
    --------
    >>> import pandas as pd
    >>> age = np.arange(4000) % 100
    >>> table = pd.DataFrame({"age": age, "old": np.where(age < 60, "no", "yes")})
    >>> domain = {"age": {"low": 0, "high": 99, "bins": 100}, "old": ["no", "yes"]}
    >>> generator = DiffGen(2.0, domain, targets=["old"], n_specializations=1)
    >>> [len(codes) for codes in generator.fit(table).values_["old"]]
    [1, 1]
    >>> len(generator.values_["age"]), generator.ledger_.remaining
    (2, 0.0)
    """

    targets: Sequence[str] | None = None
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None
    n_specializations: int = 10

    def _check(self):
        names = self.domain_.names
        targets = self.targets
        if isinstance(targets, str) or targets is None or len(targets) != 1:
            raise ParameterError(
                "Expected one target, the class that values are kept fine for. "
                f"Received {targets!r}. Give one column in a list, or by --target."
            )
        for name in (*targets, *(self.hierarchies or ())):
            if name not in names:
                raise ParameterError(unknown_column(name, names))
        check_integer("n_specializations", self.n_specializations, minimum=1)
        self._check_cells([len(nodes) for nodes in self._tops()])
        check_budget(self.epsilon, None, 0.9 * _OF_CHOICES / self._n_choices())

    def _check_cells(self, shape):
        if prod(shape) > _MAX_CELLS:
            raise ParameterError(
                f"Expected at most {_MAX_CELLS:,} cells of the class and of what is "
                f"missing or other. Received {prod(shape):,}. Select fewer columns."
            )

    @property
    def _target(self):
        assert self.targets is not None
        return self.domain_.names.index(self.targets[0])

    def _tops(self):
        """What each column begins as; of the class, its values."""
        for j, column in enumerate(self.domain_.columns):
            hierarchy = (self.hierarchies or {}).get(column.name)
            codes = np.arange(column.size)
            if j == self._target:
                yield [Node(codes[c : c + 1]) for c in codes]
            else:
                # What is missing, or other, comes after the values.
                special = codes[column.n_values :]
                top = top_node(column, hierarchy)
                yield [top, *(Node(special[c : c + 1]) for c in range(len(special)))]

    def _numeric(self):
        """Columns of numbers that can be cut."""
        return [
            j
            for j, column in enumerate(self.domain_.columns)
            if column.is_numeric and column.n_values > 1 and j != self._target
        ]

    def _n_choices(self):
        """First cuts, values to specialize, and the cuts of all halves but the last."""
        n, n_numeric = self.n_specializations, len(self._numeric())
        return n_numeric + n + (n - 1 if n_numeric else 0)

    def _plan(self, n_rows, ledger):
        cost = _OF_CHOICES * ledger.total / self._n_choices()
        columns, n = self.domain_.columns, self.n_specializations
        queries = [
            planned_choice(
                ledger, _CUT.format(columns[j].name), columns[j].n_values - 1, cost, 1
            )
            for j in self._numeric()
        ]
        queries.append(planned_choice(ledger, _VALUE, None, cost, 1, n))
        if self._numeric() and n > 1:
            cuts = planned_choice(ledger, _CUTS, None, cost, 1, n - 1, of_parts=True)
            queries.append(cuts)
        left = (1 - _OF_CHOICES) * ledger.total
        queries.append(planned_counts(ledger, _COUNTS, None, left))
        return make_plan(ledger, n_rows, "histogram", queries, [])

    def _measure(self, codes, ledger):
        nodes = self._specialized(codes, ledger)
        shape = [len(of_column) for of_column in nodes]
        cells = np.zeros(len(codes), dtype=np.int64)
        for j, (of_column, size) in enumerate(
            zip(nodes, self.domain_.sizes, strict=True)
        ):
            node_of = np.empty(size, dtype=np.int64)
            for place, node in enumerate(of_column):
                node_of[node.codes] = place
            cells = cells * len(of_column) + node_of[codes[:, j]]
        noisy = ledger.noisy_counts(
            np.bincount(cells, minlength=prod(shape)),
            cost=ledger.remaining,
            what=_COUNTS,
        )
        n_rows = max(0, int(noisy.sum()))
        self.counts_ = project_to_simplex(noisy, max(n_rows, 1)).reshape(shape)
        self.values_ = {
            name: [node.codes for node in of_column]
            for name, of_column in zip(self.domain_.names, nodes, strict=True)
        }
        return n_rows

    def _specialized(self, codes, ledger):
        """Nodes of each column, after all choices."""
        nodes, counts = [*self._tops()], self._class_counts(codes)
        cost = _OF_CHOICES * ledger.total / self._n_choices()
        for j in self._numeric():
            chosen = ledger.exponential(
                cut_scores(counts[j], nodes[j][0]),
                cost=cost,
                sensitivity=1,
                what=_CUT.format(self.domain_.names[j]),
            )
            nodes[j][0] = nodes[j][0].cut(chosen + 1)
        for left in range(self.n_specializations, 0, -1):
            candidates = _candidates(nodes)
            if not candidates:
                break
            chosen = ledger.exponential(
                [majority_rows(counts[j], nodes[j][i]) for j, i in candidates],
                cost=cost,
                sensitivity=1,
                what=_VALUE,
            )
            j, i = candidates[chosen]
            children = list(nodes[j][i].children)
            if left > 1 and self.domain_.columns[j].is_numeric:
                children = _cut_halves(children, counts[j], cost, ledger)
            nodes[j][i : i + 1] = children
        return nodes

    def _class_counts(self, codes):
        """Rows of each value and class, for each column."""
        n_classes = self.domain_.sizes[self._target]
        return [
            np.bincount(
                codes[:, j].astype(np.int64) * n_classes + codes[:, self._target],
                minlength=size * n_classes,
            ).reshape(size, n_classes)
            for j, size in enumerate(self.domain_.sizes)
        ]

    def _draw(self, n, rng):
        cells = np.repeat(
            np.arange(self.counts_.size), allot(self.counts_.ravel(), n, rng)
        )
        drawn = np.unravel_index(rng.permutation(cells), self.counts_.shape)
        return np.column_stack(
            [
                _members(self.values_[name], chosen, rng)
                for name, chosen in zip(self.domain_.names, drawn, strict=True)
            ]
        ).astype(np.int32)


_CUT, _CUTS, _VALUE = "cut of {}", "cuts of halves", "value to specialize"
_COUNTS = "counts of generalized values"


def _candidates(nodes):
    """Places (column, node) of what can be split with room for all combinations."""
    n_cells = prod(len(of_column) for of_column in nodes)
    return [
        (j, i)
        for j, of_column in enumerate(nodes)
        for i, node in enumerate(of_column)
        if node.children
        and n_cells // len(of_column) * (len(of_column) - 1 + len(node.children))
        <= _MAX_CELLS
    ]


def _cut_halves(halves, counts, cost, ledger):
    """Halves of a run, those of several values with the cut that they would have."""
    long = [place for place, half in enumerate(halves) if len(half.codes) > 1]
    if long:
        chosen = ledger.exponential_of_parts(
            [cut_scores(counts, halves[place]) for place in long],
            cost=cost,
            sensitivity=1,
            what=_CUTS,
        )
        for place, cut in zip(long, chosen, strict=True):
            halves[place] = halves[place].cut(cut + 1)
    return halves


def _members(values, chosen, rng):
    """A code of each chosen value, all of them as likely."""
    sizes = np.array([len(codes) for codes in values])
    starts = np.cumsum(sizes) - sizes
    inside = (rng.random(len(chosen)) * sizes[chosen]).astype(np.int64)
    return np.concatenate(values)[starts[chosen] + inside]


class Node(NamedTuple):
    """Values that are one in a release, and what they would be split into.

    Attributes
    ----------
    codes : ndarray of int64
        Of the values, in the domain.
    children : tuple of Node
        Empty for a single value, and for a run of numbers whose cut is not chosen.
    """

    codes: NDArray[np.int64]
    children: tuple["Node", ...] = ()

    def cut(self, place: int) -> "Node":
        """This run of numbers, cut before one of its values."""
        return Node(self.codes, (Node(self.codes[:place]), Node(self.codes[place:])))


def top_node(
    column: DomainColumn, hierarchy: GeneralizationHierarchy | None = None
) -> Node:
    """All values of a column; of numbers, a run that is not cut yet.

    Parameters
    ----------
    column : DomainColumn
    hierarchy : GeneralizationHierarchy, optional
        Of a column of categories, all of which are leaves; by default all of them are
        the children of its root.

    Returns
    -------
    Node

    Raises
    ------
    SchemaError
        If a category is no leaf.
    """
    codes = np.arange(column.n_values, dtype=np.int64)
    if column.is_numeric or column.n_values == 1:
        return Node(codes)
    if hierarchy is None:
        return Node(codes, tuple(Node(codes[c : c + 1]) for c in codes.tolist()))
    assert column.categories is not None
    leaf = hierarchy.leaf_codes(column.categories)
    nodes: list[Node] = []
    for place, node in enumerate(hierarchy.tree()):
        if not node.children:
            nodes.append(Node(np.flatnonzero(leaf == place)))
            continue
        # Leaves that are no category are left out, and nodes of one child are it.
        inside = [nodes[child] for child in node.children if len(nodes[child].codes)]
        if len(inside) == 1:
            nodes.append(inside[0])
        else:
            gathered = np.concatenate([codes[:0], *(child.codes for child in inside)])
            nodes.append(Node(np.sort(gathered), tuple(inside)))
    return nodes[-1]


def majority_rows(counts: NDArray[np.int64], node: Node) -> int:
    """Rows of the largest class of each child, added up: the score Max.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_values, n_classes)
        Rows of each value and class.
    node : Node
        With children.

    Returns
    -------
    int
        A row changes it by 1 at most, and only where it has a value of the node.
    """
    return sum(int(counts[child.codes].sum(axis=0).max()) for child in node.children)


def cut_scores(counts: NDArray[np.int64], node: Node) -> NDArray[np.int64]:
    """The same of each way to cut a run of numbers.

    Parameters
    ----------
    counts : ndarray of int64, shape (n_values, n_classes)
    node : Node
        Of m values, from 2.

    Returns
    -------
    ndarray of int64, shape (m - 1,)
        Of the cuts after the first value, the second, and so on.
    """
    left = np.cumsum(counts[node.codes], axis=0)
    right = left[-1] - left
    return (left.max(axis=1) + right.max(axis=1))[:-1]
