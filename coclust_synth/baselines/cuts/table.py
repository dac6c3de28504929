"""The distinct rows of a table, and what is asked of the classes that they form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from coclust_synth.baselines.cuts.tree import ColumnTree
from coclust_synth.privacy.models.sensitive import SensitiveModel
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.rows import collapse


class Cuts(NamedTuple):
    """What a search found.

    Attributes
    ----------
    nodes : list of d ndarray of int64, shape (n_leaves,)
        The cut of each column: the node that each leaf is released as.
    steps : list of (int, int)
        Column, and node whose children replaced it or that replaced its children, in
        the order in which it was so.
    classes : ndarray of int64, shape (n_distinct,)
        Class of each distinct row, from 0 without gaps.
    """

    nodes: list
    steps: list
    classes: np.ndarray


@dataclass(frozen=True, eq=False)
class CutTable:
    """The distinct rows of a table, D of them, and the models of their classes.

    Attributes
    ----------
    trees : tuple of d ColumnTree
    codes : ndarray of int64, shape (d, D)
        Leaf of each distinct row.
    sizes : ndarray of int64, shape (D,)
        Rows that are equal to it, itself among them.
    inverse : ndarray of int64, shape (n,)
        Distinct row of each row.
    models : tuple of SensitiveModel
        What is asked of classes beside k rows.
    counts : tuple of csr_array of int64, shape (D, n_codes)
        Rows that hold each code of a model.
    """

    trees: tuple[ColumnTree, ...]
    codes: np.ndarray
    sizes: np.ndarray
    inverse: np.ndarray
    models: tuple[SensitiveModel, ...]
    counts: tuple[sparse.csr_array, ...]

    @classmethod
    def of(
        cls,
        leaf_codes: Sequence[np.ndarray],
        hierarchies: Sequence[GeneralizationHierarchy],
        models: Sequence[SensitiveModel] = (),
    ) -> "CutTable":
        """Gather equal rows.

        Parameters
        ----------
        leaf_codes : sequence of d ndarray of int, shape (n,)
            Leaf of each cell, by column.
        hierarchies : sequence of d GeneralizationHierarchy
        models : sequence of SensitiveModel
        """
        rows, inverse = collapse(
            np.column_stack(leaf_codes), [h.n_leaves for h in hierarchies]
        )
        codes = (rows.codes - rows.offsets).T.astype(np.int64)
        counts = tuple(own.by_record(inverse, len(rows.counts)) for own in models)
        trees = tuple(map(ColumnTree.of, hierarchies))
        return cls(trees, codes, rows.counts, inverse, tuple(models), counts)

    @property
    def is_monotone(self) -> bool:
        """Whether classes hold the models that are merged from such as do."""
        return all(own.is_monotone for own in self.models)

    def hold(self, classes: np.ndarray, rows=slice(None)) -> bool:
        """Whether all classes of some distinct rows hold the models.

        Parameters
        ----------
        classes : ndarray of int64, shape (m,)
            Class of each, from 0 without gaps.
        rows : slice or ndarray of bool, optional
            Which distinct rows; by default all.
        """
        if not self.models:
            return True
        ones, places = np.ones(len(classes), dtype=np.int64), np.arange(len(classes))
        shape = (int(classes.max()) + 1, len(classes))
        members = sparse.coo_array((ones, (classes, places)), shape=shape).tocsr()
        return all(
            bool(np.all(own.holds((members @ counts[rows]).tocsr())))
            for own, counts in zip(self.models, self.counts, strict=True)
        )
