"""What the plain generator knows: the parameters of a grid, and nothing finer.

A model holds no row and no label of an individual. It holds the schema and the parts
with their laws (`coclust_synth.tables`), the counts of the grid's cells and of its
coarser levels, the number of individuals in each cluster, and the frequency of each
part; with ``marginals="cluster"`` also how often each part occurs in each cluster;
with ``within="trees"`` the trees and rules of a `Structure`, and in which cluster of
the grid each of its clusters is.
"""

from dataclasses import dataclass, fields, replace
from numbers import Integral

import numpy as np
import pandas as pd

from coclust_synth.exceptions import ModelFileError, ParameterError
from coclust_synth.generators.plain.archive import read_archive, write_archive
from coclust_synth.generators.plain.persons.persons import (
    LATER,
    WITHIN,
    PersonStructure,
)
from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees.coarser import coarser, merge_clusters
from coclust_synth.generators.plain.trees.column_tree import TREE_ARRAYS
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.parts.folded.folding import (
    Folding,
    folding_of,
    released_schema,
    with_spelt,
)
from coclust_synth.tables.showing import Shown
from coclust_synth.tables.values.keys import Key, with_keys
from coclust_synth.validation import check_integer

FORMAT = "coclust_synth plain model"
FORMAT_VERSION = 1

#: How clusters of at least k individuals are made of a grid.
CUTS = ("uneven", "even")

# Arrays of a model file: those of the dendrogram are in a folder, and these beside it.
_FOLDER = "hierarchy"
_MEMBERS = ("part_clusters", "part_counts", "cluster_parts", "structure_clusters")


@dataclass(frozen=True, eq=False, repr=False)
class PlainModel(Shown):
    """Everything that a plain synthetic table is drawn from.

    Attributes
    ----------
    coding : TableCoding
        The columns and their parts, V parts in all.
    dendrogram : Dendrogram
        The grid ``individuals x parts`` and its coarser levels.
    part_clusters : ndarray of int64, shape (V,)
        Cluster of each part in the finest grid.
    part_counts : ndarray of int64, shape (V,)
        Rows that have each part.
    cluster_parts : ndarray of int64, shape (J_1, V), or None
        Rows of each cluster of individuals of the finest grid that have each part.
    by_person : bool, default=False
        Whether individuals are persons who can have several rows; otherwise each row is
        one.
    structure : Structure or PersonStructure, optional
        What rows are drawn from where variables depend on each other in a cluster.
    k : int, optional
        Individuals that it was asked to tell of at least; by default as many as the
        smallest cluster has.
    keys : tuple of Key, default=()
        Of the columns that are made anew.
    cut : {"uneven", "even"}, default="even"
        How a coarser grid comes about: clusters of too few individuals are merged, or a
        level of the dendrogram is taken.
    recoding : tuple of dict, default=()
        What was done to the table by hand before it was read.
    structure_clusters : ndarray of int64, shape (C,), optional
        Cluster of the finest grid that each cluster of the structure is in.
    spelt : tuple of Folding, default=()
        Columns of texts that are drawn with labels, and spell the numbers of others.
    doubts : tuple of str, default=()
        What was seen in the table that who reads of drawn rows is to know, such as that
        several rows may be one person's.
    """

    coding: TableCoding
    dendrogram: Dendrogram
    part_clusters: np.ndarray
    part_counts: np.ndarray
    cluster_parts: np.ndarray | None = None
    by_person: bool = False
    structure: Structure | PersonStructure | None = None
    k: int | None = None
    keys: tuple[Key, ...] = ()
    cut: str = "even"
    recoding: tuple[dict, ...] = ()
    structure_clusters: np.ndarray | None = None
    spelt: tuple[Folding, ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def schema(self):
        """Schema of the rows that are released, keys and persons apart."""
        schema = released_schema(self.drawn_schema, self.spelt)
        return schema.drop(*(key.column.name for key in self.lacked_keys)).kept

    @property
    def drawn_schema(self):
        """The same, with columns of numbers that texts spell and no column has."""
        return self.coding.schema if self.structure is None else self.structure.schema

    @property
    def person_key(self):
        """Key of the persons who are drawn, None where rows are drawn one by one."""
        return getattr(self.structure, "ids", None)

    @property
    def nested(self):
        """Columns that are drawn as numbers in each person, and made anew."""
        return getattr(self.structure, "nested", ())

    @property
    def lacked_keys(self):
        """Keys that some rows are without: these are drawn with marks for them."""
        return tuple(key for key in self.keys if key.is_lacked)

    @property
    def all_keys(self):
        """Of all columns that are made anew, a tuple: that of the persons is last."""
        nested = (own.key for own in self.nested)
        return *self.keys, *nested, *filter(None, [self.person_key])

    @property
    def n_individuals(self):
        """Individuals of the table that the model was learnt from."""
        return int(self.dendrogram.row_sizes.sum())

    @property
    def cluster_rows(self):
        """Rows of the individuals of each cluster of the finest grid, shape (J_1,)."""
        return self.dendrogram.cells.sum(axis=1) // len(self.coding.parts)

    @property
    def n_rows(self):
        """Rows of the table that the model was learnt from."""
        return int(self.cluster_rows.sum())

    @property
    def smallest_cluster(self):
        """Individuals in the smallest cluster of the finest grid."""
        return int(self.dendrogram.row_sizes.min())

    @property
    def min_individuals(self):
        """Individuals that a condition on what is drawn must describe at least."""
        return self.smallest_cluster if self.k is None else self.k

    def count_broken(self, drawn):
        """How many drawn rows break each rule of the structure.

        Parameters
        ----------
        drawn : DataFrame
            As `sample` gives it.

        Returns
        -------
        list of int or None
            None of a fit that is about right; None for all without a structure.
        """
        if self.structure is None:
            return None
        for own in self.nested:
            drawn = own.numbered(drawn, self._persons_of(drawn))
        for own in self.spelt:
            drawn = own.folded(drawn)
        for own in self.lacked_keys:
            drawn = own.marked(drawn)
        return self.structure.count_broken(drawn, self.coding.pools)

    def finished(self, drawn):
        """Rows that were drawn, as they are released.

        Parameters
        ----------
        drawn : DataFrame of n rows
            Those of persons with the names of these.
        """
        frame = with_spelt(drawn, self.spelt)
        for own in self.nested:
            frame = own.named(frame, self._persons_of(frame))
        frame = with_keys(frame, self.keys)
        return frame if self.person_key is None else self.person_key.moved(frame)

    def _persons_of(self, frame):
        """Number of the person of each row."""
        return pd.factorize(frame[self.person_key.column.name])[0]

    def coarsened(self, k):
        """The model that holds the grid cut at k, as `cut` says, and nothing finer.

        Raises
        ------
        ParameterError
            If k is below that of the model, which tells nothing of fewer individuals,
            or above their number; if the model is one of persons.
        """
        structure, inside = self.structure, self.structure_clusters
        merged = getattr(structure, "cluster_merges", None)
        if structure is not None and merged is None:
            raise ParameterError(
                "Expected a model of rows that are individuals, to draw with a "
                f"larger k. Received one of persons, and k = {k}. Fit it again with "
                "that k."
            )
        own = self.k or 1  # one that was just built has none yet
        if isinstance(k, Integral) and 1 <= k < own:
            raise ParameterError(
                f"Expected k to be a whole number from {own} to {self.n_individuals}, "
                "as a model describes no fewer individuals than its own k. Received "
                f"{k}. Choose k in that range, or fit again with a smaller one."
            )
        check_integer("k", k, minimum=own, maximum=self.n_individuals)
        dendrogram = self.dendrogram
        if self.cut == "uneven":
            dendrogram, step = dendrogram.small_first(k)
        else:
            step = dendrogram.step_at(k=k)
        level = dendrogram.level(step)
        if structure is not None:
            if inside is not None:
                merges = structure.cluster_rows, merged
                gathered, _ = merge_clusters(*merges, k)
                first = np.unique(gathered, return_index=True)[1]
                inside = level.row_map[inside[first]]
            structure = coarser(structure, k) if k > own else structure
        cluster_parts = self.cluster_parts
        if cluster_parts is not None:
            shape = (len(level.row_sizes), cluster_parts.shape[1])
            gathered = np.zeros(shape, dtype=np.int64)
            np.add.at(gathered, level.row_map, cluster_parts)
            cluster_parts = gathered
        return PlainModel(
            self.coding,
            dendrogram.from_step(step),
            level.column_map[self.part_clusters],
            self.part_counts,
            cluster_parts,
            self.by_person,
            structure,
            k=max(k, self.min_individuals),
            keys=self.keys,
            cut=self.cut,
            recoding=self.recoding,
            structure_clusters=inside,
            spelt=self.spelt,
            doubts=self.doubts,
        )

    def part_probabilities(self, *, marginals):
        """Distribution of the parts of each variable in each cluster.

        Parameters
        ----------
        marginals : {"grid", "cluster"}
            ``"grid"``: equations 3.1-3.8 of Benkhelif (2018), P(v | C) proportional to
            n_v / N_g(v) x N_C,g(v) / N_C, with g(v) the part cluster of v.
            ``"cluster"``: the frequencies of the parts in the rows of C.

        Returns
        -------
        ndarray of float64, shape (J_1, V)
            Sums to 1 over the parts of each variable.
        """
        if marginals == "grid":
            cells = self.dendrogram.cells
            in_cluster = np.bincount(self.part_clusters, self.part_counts)
            # A part cluster without individuals has no share to give.
            share = self.part_counts / np.maximum(in_cluster, 1.0)[self.part_clusters]
            weights = cells[:, self.part_clusters] * share
        elif self.cluster_parts is None:
            raise ParameterError(
                'Expected a model that was fitted with marginals="cluster". Received '
                "one that holds no distribution of parts by cluster. Fit it again "
                'with marginals="cluster".'
            )
        else:
            weights = self.cluster_parts.astype(np.float64)
        starts = np.cumsum(self.coding.n_parts_per_variable)[:-1]
        of_variables = np.split(weights, starts, axis=1)
        return np.hstack([w / w.sum(axis=1, keepdims=True) for w in of_variables])

    def save(self, path, *, force=False):
        """Write the model to a file, whole or not at all.

        Raises
        ------
        OutputError
            If the file exists and `force` is false, or cannot be written.
        """
        content = {
            "coding": self.coding.to_dict(),
            "by_person": self.by_person,
            "k": self.min_individuals,
            "cut": self.cut,
            "keys": [key.to_dict() for key in self.keys],
            **({"recoding": list(self.recoding)} if self.recoding else {}),
            **({"spelt": [own.to_dict() for own in self.spelt]} if self.spelt else {}),
            **({"doubts": list(self.doubts)} if self.doubts else {}),
        }
        arrays = {
            f"{_FOLDER}/{field.name}": np.asarray(getattr(self.dendrogram, field.name))
            for field in fields(Dendrogram)
        }
        arrays["part_clusters"] = self.part_clusters
        arrays["part_counts"] = self.part_counts
        if self.cluster_parts is not None:
            arrays["cluster_parts"] = self.cluster_parts
        if self.structure_clusters is not None:
            arrays["structure_clusters"] = self.structure_clusters
        if self.structure is not None:
            content["structure"] = self.structure.to_dict()
            for name, array in self.structure.arrays().items():
                arrays[f"structure/{name}"] = array
        write_archive(path, FORMAT, FORMAT_VERSION, content, arrays, force=force)

    @classmethod
    def load(cls, path):
        """Read a model from a file.

        Raises
        ------
        ModelFileError
            If the file is missing, truncated, foreign, or of another format version.
        """
        of_dendrogram = {
            field.name: f"{_FOLDER}/{field.name}" for field in fields(Dendrogram)
        }
        trees = [of + name for of in ("", LATER, WITHIN) for name in TREE_ARRAYS]
        of_structure = {name: f"structure/{name}" for name in trees}
        members = [*of_dendrogram.values(), *_MEMBERS, *of_structure.values()]
        content, arrays = read_archive(path, FORMAT, FORMAT_VERSION, members)
        try:
            dendrogram = {
                name: arrays[member] for name, member in of_dendrogram.items()
            }
            model = cls(
                TableCoding.from_dict(content["coding"]),
                Dendrogram(**dendrogram),
                arrays["part_clusters"],
                arrays["part_counts"],
                arrays.get("cluster_parts"),
                # Models saved before persons were counted are of rows.
                bool(content.get("by_person", False)),
                k=content.get("k"),
                # As are all that were saved before there were others.
                cut=content.get("cut", "even"),
                # The first ones did not say where in the grid rows are drawn.
                structure_clusters=arrays.get("structure_clusters"),
            )
        except KeyError as error:
            raise ModelFileError(
                f"Expected a {FORMAT} in {str(path)!r}. Received one without {error}. "
                "Save the model again."
            ) from None
        try:
            if "structure" in content:
                trees = {n: arrays[k] for n, k in of_structure.items() if k in arrays}
                kind = PersonStructure if "first" in content["structure"] else Structure
                structure = kind.from_dict(content["structure"], trees)
                model = replace(model, structure=structure)
            keys = tuple(map(Key.from_dict, content.get("keys", ())))
            recoding = tuple(map(dict, content.get("recoding", ())))
            spelt = tuple(map(folding_of, content.get("spelt", ())))
            doubts = tuple(map(str, content.get("doubts", ())))
            told = {"recoding": recoding, "spelt": spelt, "doubts": doubts}
            model = replace(model, keys=keys, **told)
            fits = model._fits_together() and model._can_draw()
        except Exception:  # whatever a damaged file makes the pieces raise
            fits = False
        if not fits:
            raise ModelFileError(
                f"Expected a {FORMAT} in {str(path)!r}. Received pieces that do not "
                "fit together. Save the model again, or fit it again if another "
                "version saved it."
            )
        return model

    def _fits_together(self):
        """Whether the shapes, types and sums are those of a model."""
        n_parts = int(self.coding.n_parts_per_variable.sum())
        dendrogram = self.dendrogram
        if dendrogram.cells.ndim != 2:
            return False
        rows, columns = dendrogram.cells.shape
        expected = [
            (dendrogram.cells, (rows, columns)),
            (dendrogram.row_sizes, (rows,)),
            (dendrogram.column_sizes, (columns,)),
            (dendrogram.merges, (rows + columns - 2, 3)),
            (self.part_clusters, (n_parts,)),
            (self.part_counts, (n_parts,)),
        ]
        if self.cluster_parts is not None:
            expected.append((self.cluster_parts, (rows, n_parts)))
        for array, shape in expected:
            if array.shape != shape or array.dtype != np.int64 or (array < 0).any():
                return False
        if not self._fits_structure():
            return False
        if not (self.k is None or (type(self.k) is int and self.k >= 1)):
            return False
        if self.cut not in CUTS:
            return False
        n_variables = len(self.coding.parts)
        observations = dendrogram.cells.sum(axis=1)
        each_once = n_variables * dendrogram.row_sizes
        if self.by_person:
            is_whole = (observations % n_variables == 0) & (observations >= each_once)
        else:
            is_whole = observations == each_once
        return (
            is_whole.all()
            and dendrogram.costs.shape == (rows + columns - 1,)
            and np.shape(dendrogram.best_cost) == ()
            and np.isfinite([*dendrogram.costs, dendrogram.best_cost]).all()
            and n_variables == len(self.coding.schema.columns)
            and (self.part_clusters < columns).all()
            and (dendrogram.merges[:, 0] <= 1).all()
            and (dendrogram.merges[:, 1] < dendrogram.merges[:, 2]).all()
            and (dendrogram.merges[dendrogram.merges[:, 0] == 0, 1:] < rows).all()
            and (dendrogram.merges[dendrogram.merges[:, 0] == 1, 1:] < columns).all()
            and (dendrogram.row_sizes > 0).all()
            and self.part_counts.sum() == dendrogram.cells.sum()
        )

    def _fits_structure(self):
        """Whether each cluster of the structure is in one of the grid, of its size."""
        clusters = self.structure_clusters
        if clusters is None:
            return True
        structure = getattr(self.structure, "first", self.structure)
        sizes = self.dendrogram.row_sizes
        return (
            structure is not None
            and clusters.dtype == np.int64
            and clusters.shape == structure.cluster_rows.shape
            and (clusters >= 0).all()
            and (clusters < len(sizes)).all()
            and (
                np.bincount(clusters, structure.cluster_rows, len(sizes)) == sizes
            ).all()
        )

    def _can_draw(self):
        """Whether every part gives values, and every cluster probabilities."""
        marginals = "grid" if self.cluster_parts is None else "cluster"
        probabilities = self.part_probabilities(marginals=marginals)
        n_parts = self.coding.n_parts_per_variable
        each = np.arange(int(n_parts.max()))[:, None] % n_parts
        drawn = self.coding.decode(each, np.random.default_rng(0))
        self.dendrogram.level(len(self.dendrogram.merges))
        is_of_grid = self.structure is None
        self.finished(drawn if is_of_grid else self._draw_structure())
        return np.isfinite(probabilities).all() and len(drawn) == len(each)

    def _draw_structure(self):
        """Draw from it; raises an error of some kind where it cannot be."""
        structure, rng = self.structure, np.random.default_rng(0)
        if not isinstance(structure, PersonStructure):
            return draw_rows(structure, np.arange(len(structure.cluster_rows)), rng)
        if structure.n_rows != self.n_rows:
            raise ValueError("rows")
        return structure.draw(len(structure.first.cluster_rows), rng)

    def _told(self):
        return {
            "columns": len(self.coding.schema.columns),
            "parts": len(self.part_counts),
            "clusters of individuals": len(self.dendrogram.row_sizes),
            "individuals": int(self.dendrogram.row_sizes.sum()),
            "k": self.k,
        }
