"""A co-clustering as pictures show it: a level of few clusters, in order, described.

Clusters are in the order of their dendrogram, so that each node is a run of them. A
cluster of parts is told by its parts, the most typical first; one of individuals by the
parts that say most of it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.plain.composition import cluster_composition
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.synthesizer import CoclusterSynthesizer
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.importance import typicalities
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.tables.parts.coding import TableCoding

INDIVIDUALS, PARTS = 0, 1
_N_TYPICAL = 4  # parts that a cluster is described by, at most
# Parts of clusters that differ by less are the same people's (total variation).
_SAME = 0.05
_SIDES = {"individuals": INDIVIDUALS, "parts": PARTS}


class TypicalPart(NamedTuple):
    """A part that says much of a cluster of individuals.

    Attributes
    ----------
    label : str
        ``column=part``.
    share, overall : float
        Of the rows of the cluster, and of all, that have it.
    """

    label: str
    share: float
    overall: float


class Tree(NamedTuple):
    """The merges of one side of a level, down to one cluster.

    Attributes
    ----------
    merges : tuple of (int, int)
        Nodes that are joined: those below J are the clusters, from left to right; the
        i-th merge makes node J + i.
    kept : tuple of float
        Share of the best grid's information that is kept after each.
    steps : tuple of int
        Which of the merges of both sides each is, from 0.
    """

    merges: tuple[tuple[int, int], ...]
    kept: tuple[float, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class ShownGrid:
    """A level of a co-clustering, of I clusters of individuals and J of parts.

    Attributes
    ----------
    cells : ndarray of int64, shape (I, J)
        Observations.
    individuals : ndarray of int64, shape (I,)
        In each cluster.
    parts : tuple of J tuple of str
        Labels of the parts of each cluster, the most typical first.
    frequencies : tuple of J tuple of int
        Rows that have each of them.
    typicalities : tuple of J tuple of float
        Of each of them, in [0, 1].
    typical : tuple of I tuple of TypicalPart
    trees : (Tree, Tree)
        Of individuals and of parts.
    information : float
        Share of the best grid's information that the level keeps.
    finest : (int, int)
        Clusters of the grid that it is a level of.
    unit : {"individuals", "persons", "rows"}
        Rows where each is one of several of a person, and the clusters are of rows.
    """

    cells: NDArray[np.int64]
    individuals: NDArray[np.int64]
    parts: tuple[tuple[str, ...], ...]
    frequencies: tuple[tuple[int, ...], ...]
    typicalities: tuple[tuple[float, ...], ...]
    typical: tuple[tuple[TypicalPart, ...], ...]
    trees: tuple[Tree, Tree]
    information: float
    finest: tuple[int, int]
    unit: str

    def names(self, side: int) -> list[str]:
        """A short name for each cluster of a side."""
        if side == INDIVIDUALS:
            shares = self.individuals / self.individuals.sum()
            return [f"{i}: {share:.1%}" for i, share in enumerate(shares, 1)]
        return [named(own) for own in self.parts]


class _Clusters(NamedTuple):
    """What a model knows of its clusters.

    Attributes
    ----------
    dendrogram : Dendrogram
    coding : TableCoding
    part_clusters : ndarray of int64, shape (V,)
    counts : ndarray of float64, shape (J_1, V)
        Rows of each cluster that have each part.
    unit : str
    """

    dendrogram: Dendrogram
    coding: TableCoding
    part_clusters: np.ndarray
    counts: np.ndarray
    unit: str


def coclustering_of_model(model: Any) -> MODLCoclustering | PlainModel:
    """The co-clustering of a fitted model.

    Parameters
    ----------
    model : MODLCoclustering, PlainModel or estimator
        Of the last one ``coclustering_``, or ``model_`` if it was loaded.

    Raises
    ------
    ParameterError
        If it has none.
    """
    for name in ("coclustering_", "model_"):
        model = getattr(model, name, model)
    is_fitted = hasattr(model, "dendrogram_")
    if isinstance(model, PlainModel) or (
        isinstance(model, MODLCoclustering) and is_fitted
    ):
        return model
    raise ParameterError(
        "Expected a fitted MODLCoclustering, or a model that was made from one. "
        f"Received an object of type {type(model).__name__}, which is not. Fit it, or "
        "give the co-clustering."
    )


def side_of(side: str) -> int:
    """The number of a side by its name."""
    if side not in _SIDES:
        raise ParameterError(
            f"Expected a side from {', '.join(map(repr, _SIDES))}. Received {side!r}. "
            "Choose one of them."
        )
    return _SIDES[side]


def shown_grid(model: Any, n_clusters: tuple[int, int] = (24, 24)) -> ShownGrid:
    """The finest level of a co-clustering of at most so many clusters.

    Parameters
    ----------
    model : MODLCoclustering, PlainModel or estimator
        See `coclustering_of_model`.
    n_clusters : (int, int), default=(24, 24)
        Of individuals and of parts.

    Returns
    -------
    ShownGrid

    Raises
    ------
    ParameterError
        If there is no fitted co-clustering, or a number is below 1.
    """
    known = _known(coclustering_of_model(model))
    if getattr(model, "person_id", None) is not None:
        of_persons = isinstance(model, CoclusterSynthesizer)
        known = known._replace(unit="persons" if of_persons else "rows")
    dendrogram = known.dendrogram
    step = dendrogram.step_at(n_clusters=n_clusters)
    level = dendrogram.level(step)
    above = dendrogram.from_step(step)
    orders, trees = zip(*(_ordered(above, side) for side in (0, 1)), strict=True)
    counts = np.zeros((len(level.row_sizes), known.counts.shape[1]))
    np.add.at(counts, level.row_map, known.counts)
    part_clusters = level.column_map[known.part_clusters]
    labels = np.array(known.coding.part_labels, dtype=object)
    typical = typicality(counts, part_clusters)
    total = counts.sum(axis=0)
    members = []
    for cluster in orders[PARTS]:
        own = np.flatnonzero(part_clusters == cluster)
        members.append(own[np.lexsort((-total[own], -typical[own].round(9)))])
    frequencies = np.rint(total).astype(np.int64)
    return ShownGrid(
        level.cells[np.ix_(*orders)],
        level.row_sizes[orders[INDIVIDUALS]],
        tuple(tuple(labels[own].tolist()) for own in members),
        tuple(tuple(frequencies[own].tolist()) for own in members),
        tuple(tuple(typical[own].tolist()) for own in members),
        _described(counts[orders[INDIVIDUALS]], known.coding),
        trees,
        float(dendrogram.information[step]),
        dendrogram.cells.shape,
        known.unit,
    )


def named(parts: tuple[str, ...], most: int = 2) -> str:
    """The first of some parts, and how many more there are."""
    more = f" +{len(parts) - most}" if len(parts) > most else ""
    return ", ".join(parts[:most]) + more


def _known(model):
    if isinstance(model, PlainModel):
        counts = cluster_composition(model)
        if counts is None:  # as rows are drawn from the grid
            shares = model.part_probabilities(marginals="grid")
            counts = shares * model.cluster_rows[:, None]
        unit = "persons" if model.by_person else "individuals"
        return _Clusters(
            model.dendrogram, model.coding, model.part_clusters, counts, unit
        )
    dendrogram = model.dendrogram_
    rows = dendrogram.contingency.sides[0]
    counts = np.zeros((len(dendrogram.row_sizes), len(model.column_labels_)))
    clusters = np.repeat(dendrogram.grid.row_labels, np.diff(rows.indptr))
    np.add.at(counts, (clusters, rows.opposite), rows.count)
    best = dendrogram.from_step(0)
    return _Clusters(best, model.coding_, model.column_labels_, counts, "individuals")


def _ordered(dendrogram, side):
    """Clusters of a side in the order of the tree, and the tree; large ones first."""
    totals = dendrogram.cells.sum(axis=1 - side).tolist()
    runs = {i: [i] for i in range(len(totals))}
    steps = np.flatnonzero(dendrogram.merges[:, 0] == side)
    pairs = []
    for left, right in dendrogram.children(side).tolist():
        if totals[right] > totals[left]:
            left, right = right, left
        totals.append(totals[left] + totals[right])
        runs[len(totals) - 1] = runs.pop(left) + runs.pop(right)
        pairs.append((left, right))
    (order,) = runs.values()
    place = {cluster: i for i, cluster in enumerate(order)}
    merges = [tuple(place.get(node, node) for node in pair) for pair in pairs]
    kept = dendrogram.information[steps + 1]
    return np.array(order), Tree(
        tuple(merges), tuple(kept.tolist()), tuple(steps.tolist())
    )


def typicality(
    counts: NDArray[np.float64], part_clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Of each part in its cluster, in [0, 1].

    Parameters
    ----------
    counts : ndarray of float64, shape (I, V)
        Rows of each cluster of individuals that have each part.
    part_clusters : ndarray of int64, shape (V,)

    Returns
    -------
    ndarray of shape (V,)
        See `coclust_synth.modl.data_grid.importance.typicalities`.
    """
    codes = np.argwhere(counts > 0)
    records = Records(
        codes,
        np.maximum(np.rint(counts[tuple(codes.T)]), 1).astype(np.int64),
        (np.arange(len(counts)), part_clusters),
        (False, False),
    )
    return typicalities(records, DataGrid.from_records(records), PARTS)


def _described(counts, coding):
    """The parts that say most of each cluster, none that says what another one does."""
    labels, sizes = coding.part_labels, coding.n_parts_per_variable
    column = np.repeat(np.arange(len(sizes)), sizes)
    rows = counts.sum(axis=1, keepdims=True) / len(sizes)
    shares = counts / np.maximum(rows, 1)
    overall = counts.sum(axis=0) / max(rows.sum(), 1)
    says = rel_entr(shares, overall)
    profiles = counts / np.maximum(counts.sum(axis=0), 1)
    told = []
    for own, share in zip(says, shares, strict=True):
        chosen: list[int] = []
        for part in np.argsort(-own, kind="stable"):
            if own[part] <= 0 or len(chosen) == _N_TYPICAL:
                break
            apart = abs(profiles[:, chosen] - profiles[:, [part]]).sum(axis=0) / 2
            if _is_new(column[part], column[chosen], apart):
                chosen.append(int(part))
        told.append(
            tuple(
                TypicalPart(labels[v], float(share[v]), float(overall[v]))
                for v in chosen
            )
        )
    return tuple(told)


def _is_new(column, columns, apart):
    """Whether a part tells more than others: of another column, and of other people."""
    return column not in columns and (apart > _SAME).all()
