"""How the parts of each column come together in a model, as hierarchies."""

import numpy as np

from coclust_synth.generators.derived.chosen import kept_levels
from coclust_synth.generators.derived.hierarchies import DEFAULT_LEVELS, partitions_of
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import name_levels
from coclust_synth.tables.parts.parts import GroupParts, IntervalParts


def hierarchies_of_parts(
    model: PlainModel, *, max_levels: int = DEFAULT_LEVELS
) -> dict[str, GeneralizationHierarchy]:
    """A hierarchy of the parts of each column, by the merges of the model's grid.

    As `model_hierarchies` derives them of a table, but that leaves are parts, of which
    the model tells: intervals, and categories or pools of rare ones.

    Parameters
    ----------
    model : PlainModel
    max_levels : int, default=8
        Levels of a hierarchy at most, the parts and the root among them.

    Returns
    -------
    dict of str to GeneralizationHierarchy
        By column.
    """
    merges, costs = model.dendrogram.merges, model.dendrogram.costs
    steps = np.flatnonzero(merges[:, 0] == 1)
    ends = np.cumsum(model.coding.n_parts_per_variable)[:-1]
    found = {}
    for column, parts, clusters, counts in zip(
        model.coding.schema.columns,
        model.coding.parts,
        np.split(model.part_clusters, ends),
        np.split(model.part_counts, ends),
        strict=True,
    ):
        texts = list(parts.labels)
        # Learnt groups are of values that need not be neighbours.
        ordered = column.kind in ORDERED_KINDS and not isinstance(parts, GroupParts)
        apart = np.zeros(len(texts), dtype=bool)
        if ordered and parts.with_missing:
            apart[-1] = True
        partitions, begun = partitions_of(
            np.arange(len(texts)), clusters, merges, steps, apart, runs=ordered
        )
        n_nodes = [int(nodes.max()) + 1 for nodes in partitions]
        kept = kept_levels(n_nodes, costs[begun], max_levels)
        partitions = [partitions[level] for level in kept]
        sides = _sides(texts) if isinstance(parts, IntervalParts) else None
        labels = name_levels(partitions, texts, counts, ordered=ordered, ends=sides)
        found[column.name] = GeneralizationHierarchy.from_partitions(
            column.name, texts, partitions, labels, ordered=ordered
        )
    return found


def _sides(texts):
    """Where each interval begins, and where it ends."""
    pairs = [text.strip("[]{}").split(", ") for text in texts]
    return [pair[0] for pair in pairs], [pair[-1] for pair in pairs]
