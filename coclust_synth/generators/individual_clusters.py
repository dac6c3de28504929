"""Clusters of at least k individuals: cuts of the dendrogram of a co-clustering.

An even cut is one level of the sequence of merges, both dimensions together: what the
thesis does, and what limits k to the sizes that the levels happen to have. An uneven
cut goes down each branch of the tree of individuals on its own, as far as both of its
clusters hold k. Where persons can have several rows, k is of persons.
"""

from dataclasses import dataclass, replace

import numpy as np

from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.modl.grid.individuals import cheapest_clusters
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.people.people import Persons
from coclust_synth.validation import check_integer


@dataclass(frozen=True, eq=False)
class ClusteredRows:
    """The rows of a table in the clusters of a co-clustering.

    Attributes
    ----------
    coding : TableCoding
        The parts of the columns, V in all.
    part_codes : ndarray of int32, shape (n, d)
        Part of each cell, numbered within its column.
    row_labels : ndarray of int64, shape (n,)
        Cluster of each individual.
    column_labels : ndarray of int64, shape (V,)
        Cluster of each part.
    dendrogram : Dendrogram
        From these clusters on.
    persons : Persons or None
        Whose rows they are; None where each row is a person.
    weights : ndarray of int64, shape (n,), or None
        Individuals whom each row stands for, without `persons`; None for one.
    """

    coding: TableCoding
    part_codes: np.ndarray
    row_labels: np.ndarray
    column_labels: np.ndarray
    dendrogram: Dendrogram
    persons: Persons | None = None
    weights: np.ndarray | None = None

    @classmethod
    def of_cut(cls, table, coding, cut, persons=None):
        """The rows that a model was fitted to, in the clusters of a cut."""
        codes = coding.encode(table)
        labels = cut.row_labels, cut.column_labels
        return cls(coding, codes, *labels, cut.dendrogram, persons)

    @classmethod
    def of_model(cls, table, model, persons=None):
        """The rows of a table in the clusters of a saved model.

        Each row belongs to the cluster where it costs least.

        Parameters
        ----------
        table : DataFrame or TableValues
        model : PlainModel
        persons : Persons, optional

        Raises
        ------
        SchemaError
            If a column of the model is not there or of another kind.
        """
        codes = model.coding.encode(table, strict=False)
        offsets = np.cumsum(model.coding.n_parts_per_variable)
        offsets -= model.coding.n_parts_per_variable
        clusters = np.where(codes >= 0, model.part_clusters[codes + offsets], -1)
        # Equal rows are looked at once.
        distinct, inverse = np.unique(clusters, axis=0, return_inverse=True)
        dendrogram = model.dendrogram
        labels = cheapest_clusters(dendrogram.cells, dendrogram.row_sizes, distinct)
        return cls(
            model.coding,
            codes,
            labels[inverse.ravel()],
            model.part_clusters,
            dendrogram,
            persons,
        )

    @property
    def row_sizes(self):
        """Persons of each cluster, shape (J_1,), int64."""
        n_clusters = len(self.dendrogram.row_sizes)
        if self.persons is None:
            sizes = np.bincount(self.row_labels, self.weights, n_clusters)
            return sizes.astype(np.int64)
        found = self.persons.count(self.row_labels)
        return np.pad(found, (0, n_clusters - len(found)))

    @property
    def n_persons(self):
        """Persons of the table."""
        if self.weights is not None:
            return int(self.weights.sum())
        return len(self.row_labels) if self.persons is None else self.persons.n

    def _shared(self):
        """Persons that the clusters of each merge of rows share, in their order."""
        merges = self.dendrogram.merges
        merges = merges[merges[:, 0] == 0, 1:]
        if self.persons is None:
            return [0] * len(merges)
        members = [set() for _ in self.dendrogram.row_sizes]
        for label, person in zip(
            self.row_labels.tolist(), self.persons.codes.tolist(), strict=True
        ):
            members[label].add(person)
        shared = []
        for kept, absorbed in merges.tolist():
            small, large = sorted((members[kept], members[absorbed]), key=len)
            shared.append(len(small & large))
            large |= small  # the larger one grows: n log n in all
            members[kept] = large
        return shared

    def even_cut(self, k):
        """The finest level whose clusters that hold individuals all hold k.

        Returns
        -------
        ClusteredRows

        Raises
        ------
        ParameterError
            If k is below 1 or above the number of persons.
        """
        check_integer("k", k, minimum=1, maximum=self.n_persons)
        sizes, shared = self.row_sizes, iter(self._shared())
        step, merges = 0, self.dendrogram.merges
        while sizes[sizes > 0].min() < k:
            side, kept, absorbed = merges[step]
            if side == 0:
                sizes[kept] += sizes[absorbed] - next(shared)
                sizes[absorbed] = 0
            step += 1
        level = self.dendrogram.level(step)
        return replace(
            self,
            row_labels=level.row_map[self.row_labels],
            column_labels=level.column_map[self.column_labels],
            dendrogram=self.dendrogram.from_step(step),
        )

    def uneven_cut(self, k):
        """Clusters of at least k, the finest that the tree of individuals has.

        From the root down, a cluster is cut in two as long as both hold k, or one of
        them nobody.

        Returns
        -------
        ndarray of int64, shape (n,)
            Cluster of each individual, from 0 without gaps.

        Raises
        ------
        ParameterError
            If k is below 1 or above the number of persons.
        """
        cluster, _ = self._cut_nodes(k)
        return np.unique(cluster[self.row_labels], return_inverse=True)[1]

    def uneven_merges(self, k):
        """How the clusters of `uneven_cut` become one.

        Returns
        -------
        ndarray of int64, shape (C - 1, 2)
            The two clusters of each merge; what comes of them is numbered on from C.
        """
        cluster, children = self._cut_nodes(k)
        n_leaves = len(cluster) - len(children)
        kept = np.unique(cluster[self.row_labels]).tolist()
        number = {node: i for i, node in enumerate(kept)}
        merges = []
        for node, pair in enumerate(children.tolist(), n_leaves):
            # Of others, one side is inside a cluster, or holds nobody.
            sides = [number[child] for child in pair if child in number]
            if len(sides) == 2:
                merges.append(sides)
                number[node] = len(kept) + len(merges) - 1
            elif sides:
                number[node] = sides[0]
        return np.array(merges, dtype=np.int64).reshape(-1, 2)

    def _cut_nodes(self, k):
        """Of each node of the tree of individuals its cluster; and the tree."""
        check_integer("k", k, minimum=1, maximum=self.n_persons)
        sizes = list(self.row_sizes)
        children = self.dendrogram.children(0)
        n_leaves = len(sizes)
        for (left, right), both in zip(children, self._shared(), strict=True):
            sizes.append(sizes[left] + sizes[right] - both)
        cluster = np.zeros(len(sizes), dtype=np.int64)
        cluster[-1] = len(sizes) - 1
        for node in range(len(sizes) - 1, n_leaves - 1, -1):
            pair = children[node - n_leaves]
            is_cut = cluster[node] == node and all(
                sizes[child] >= k or sizes[child] == 0 for child in pair
            )
            cluster[pair] = pair if is_cut else cluster[node]
        return cluster, children

    def part_counts(self):
        """Individuals of each cluster who have each cluster of parts, (J_1, J_2)."""
        offsets = np.cumsum(self.coding.n_parts_per_variable)
        offsets -= self.coding.n_parts_per_variable
        shape = (len(self.dendrogram.row_sizes), len(self.dendrogram.column_sizes))
        counts = np.zeros(shape, dtype=np.int64)
        for codes, offset in zip(self.part_codes.T, offsets, strict=True):
            known = codes >= 0
            clusters = self.column_labels[codes[known] + offset]
            np.add.at(counts, (self.row_labels[known], clusters), 1)
        return counts


def record_clusters(row_labels, coding, k, persons=None):
    """Cluster of each record; clusters of fewer than k persons join the largest.

    Equal rows are in one cluster, but for values that are grouped in `coding` alone.

    Parameters
    ----------
    row_labels : ndarray of int64, shape (n,)
    coding : LeafCoding
    k : int
    persons : Persons, optional

    Returns
    -------
    ndarray of int64, shape (N,)
    """
    first = np.empty(len(coding.records.counts), dtype=np.int64)
    first[coding.inverse[::-1]] = np.arange(len(row_labels))[::-1]
    label = np.unique(row_labels[first], return_inverse=True)[1]
    if persons is None:
        sizes = np.bincount(label, coding.records.counts)
    else:
        sizes = persons.count(label[coding.inverse])
    return np.where(sizes[label] < k, sizes.argmax(), label)
