"""What the clusters of a model's grid are made of, as far as the model tells."""

import numpy as np

from coclust_synth.generators.draws import allot
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.persons.persons import PersonStructure
from coclust_synth.generators.plain.structured.drawing.rows import draw_rows

# Rows, or persons, that are drawn where the counts are not in the file: shares of a
# cluster of a tenth of them are within .02.
_N_DRAWN = 20_000
_SEED = 0


def cluster_composition(model: PlainModel) -> np.ndarray | None:
    """Rows of each cluster of individuals that have each part.

    The counts of the model where it holds them. Otherwise they are those of rows that
    are drawn from it, always the same ones, and so tell nothing of the table that the
    model does not.

    Parameters
    ----------
    model : PlainModel

    Returns
    -------
    ndarray of float64, shape (J_1, V), or None
        In rows of the table. None where rows are drawn from the grid alone, which takes
        all parts of a cluster for alike, and of files that do not say in which cluster
        of the grid rows are drawn.
    """
    if model.cluster_parts is not None:
        return model.cluster_parts.astype(np.float64)
    if model.structure is None or model.structure_clusters is None:
        return None
    clusters, codes = _drawn(model)
    n_parts = model.coding.n_parts_per_variable
    counts = np.zeros((len(model.dendrogram.row_sizes), int(n_parts.sum())))
    for own, first in zip(codes.T, np.cumsum(n_parts) - n_parts, strict=True):
        known = own >= 0
        np.add.at(counts, (clusters[known], own[known] + first), 1.0)
    drawn = np.bincount(clusters, minlength=len(counts))
    return counts * (model.cluster_rows / np.maximum(drawn, 1))[:, None]


def _drawn(model):
    """The cluster of the grid, and the parts, of each row that is drawn."""
    rng, structure = np.random.default_rng(_SEED), model.structure
    by_person = isinstance(structure, PersonStructure)
    sizes = (structure.first if by_person else structure).cluster_rows
    drawn = np.maximum(allot(sizes, _N_DRAWN, rng), 1)
    clusters = np.repeat(np.arange(len(sizes)), drawn)
    if by_person:
        frame, whose = structure.draw_persons(clusters, rng)
        clusters = clusters[whose]
    else:
        frame = draw_rows(structure, clusters, rng)
    codes = model.coding.encode(frame, strict=False)
    return model.structure_clusters[clusters], codes
