"""Generalisation hierarchies that a co-clustering of the table derives."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from coclust_synth.generators.derived.chosen import (
    BUILT_IN,
    chosen_hierarchies,
    kept_levels,
)
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.search.loop import DEFAULT_ITERATIONS
from coclust_synth.tables.column import ORDERED_KINDS
from coclust_synth.tables.generalized.leaf_coding import part_of_leaves
from coclust_synth.tables.hierarchies.columns import code_leaves
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from coclust_synth.tables.hierarchies.names import name_levels
from coclust_synth.tables.parts.parts import GroupParts, IntervalParts
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.reading.table import TableLike, as_table
from coclust_synth.tables.reading.texts.text import format_column
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.tables.values.series import from_values
from coclust_synth.validation import Seed, check_choice, check_integer

DEFAULT_LEVELS = 8


def derive_hierarchies(
    table: TableLike,
    schema: Schema | None = None,
    *,
    columns: Sequence[str] | None = None,
    bins: int = 10,
    max_levels: int | None = DEFAULT_LEVELS,
    built_in: str = "never",
    n_iterations: int = DEFAULT_ITERATIONS,
    random_state: Seed = None,
    n_jobs: int | None = None,
    callback: Callable[..., object] | None = None,
) -> dict[str, GeneralizationHierarchy]:
    """Derive a generalisation hierarchy for each column of a table.

    Individuals and parts (categories, intervals) are co-clustered by
    `MODLCoclustering`; see `model_hierarchies` for what follows. Values are grouped
    that similar people have, as far as the given columns show. Numbers, dates and
    ordinal values are grouped with neighbours only.

    A hierarchy protects nobody. It lists every value of its column, including rare ones
    and each distinct number, and its groups show something of the joint distribution of
    the columns. It is as confidential as the table until someone has looked at it.

    Parameters
    ----------
    table : DataFrame, path or Table
        At least two rows.
    schema : Schema, optional
        What is known of the columns; by default inferred.
    columns : sequence of str, optional
        Those that are co-clustered and get a hierarchy; by default all that the schema
        keeps.
    bins : int, default=10
        Intervals asked for in each numeric column, between quantiles; a value that more
        than 1 / `bins` of the rows hold is one of its own.
    max_levels : int or None, default=8
        Levels of a hierarchy at most, the values and the root among them, from 2 on:
        those that tell most (see `kept_levels`). None keeps all.
    built_in : {"never", "auto", "always"}, default="never"
        Whether calendars of dates, prefixes of codes and rounding ladders of numbers
        take the place of derived hierarchies: where they tell as much of the other
        columns, or wherever there is one.
    n_iterations, random_state, n_jobs, callback
        Those of `MODLCoclustering`.

    Returns
    -------
    dict of str to GeneralizationHierarchy
        By column, in the order of the table, with the share of information that each
        level keeps: see `coclust_synth.generators.derived.chosen`.

    Raises
    ------
    ParameterError, TableError, SchemaError
        Before the search starts.

    References
    ----------
    T. Benkhelif, "Publication de donnees personnelles respectueuse de la vie privee",
    PhD thesis, Universite de Nantes, 2018, chapter 4, section 3.

    Examples
    --------
    >>> table = pd.DataFrame({"pet": list("aabbcc") * 30, "food": list("xxxxyy") * 30})
    >>> pets = derive_hierarchies(table, n_iterations=3, random_state=0)["pet"]
    >>> pets.labels
    (('a', 'b', 'c'), ('{a, b}', 'c'), ('*',))
    """
    if max_levels is not None:
        check_integer("max_levels", max_levels, minimum=2)
    check_choice("built_in", built_in, BUILT_IN)
    table = as_table(table, schema).as_dates()
    schema = table.schema
    if columns is not None:
        schema = _only(schema.keep(*columns), columns)
    require_decided(schema)
    schema = schema.kept
    model = MODLCoclustering(
        binning="heaped",
        bins=bins,
        n_iterations=n_iterations,
        random_state=random_state,
        n_jobs=n_jobs,
        callback=callback,
    ).fit_values(table.values, schema)
    derived = model_hierarchies(
        table.values, model.coding_, model.dendrogram_, max_levels=max_levels
    )
    codes = model.coding_.encode(table.values)
    return chosen_hierarchies(
        derived,
        table.values,
        schema,
        dict(zip(model.coding_.names, codes.T, strict=True)),
        built_in=built_in,
        max_levels=max_levels,
    )


def _only(schema, names):
    return Schema(
        tuple(
            column if column.name in names else replace(column.open, treatment="drop")
            for column in schema.columns
        ),
        schema.delimiter,
    )


def model_hierarchies(table, coding, dendrogram, *, max_levels=None):
    """Derive the generalisation hierarchies that a fitted co-clustering implies.

    The part clusters are coarsened from single parts to one cluster. Each time two or
    more nodes of a variable meet in one cluster there is a new level, and on it a new
    node for them. Nodes of numeric, date and ordinal columns only meet if they are next
    to each other; others wait until the values between them have joined. The leaves are
    the values in the table; where a part holds several, the parts are the level above.
    The root is ``*``.

    Parameters
    ----------
    table : DataFrame or TableValues
        What the model was fitted to.
    coding : TableCoding
        Its parts: ``coding_`` of a `MODLCoclustering`.
    dendrogram : GridDendrogram
        ``dendrogram_`` of the same.
    max_levels : int, optional
        As of `derive_hierarchies`; by default all levels.

    Returns
    -------
    dict of str to GeneralizationHierarchy
        By column. Missing values are a leaf; in an ordered column, and where they are
        no part, they join the others in the root only.

    Raises
    ------
    SchemaError
        If a value belongs to no part.
    """
    n_parts = coding.n_parts_per_variable
    finest = dendrogram.cut(n_clusters=(len(dendrogram.row_sizes), int(n_parts.sum())))
    table = TableValues.of(table)
    return part_hierarchies(
        table,
        coding.schema,
        coding,
        coding.encode(table),
        finest.column_labels,
        finest.dendrogram.merges,
        costs=finest.dendrogram.costs,
        max_levels=max_levels,
    )


def part_hierarchies(
    table,
    schema,
    coding,
    part_codes,
    column_labels,
    merges,
    *,
    costs=None,
    max_levels=None,
):
    """The same from clusters of parts and the merges that coarsen them.

    Parameters
    ----------
    table : DataFrame or TableValues, of n rows
    schema : Schema
        Complete description of the columns whose hierarchies are wanted, in the table:
        a model's own may lack values that it holds to be rare.
    coding : TableCoding
        The parts of these columns, V in all, and perhaps of others.
    part_codes : ndarray of int, shape (n, number of columns of `coding`)
        Part of each cell, numbered within its column.
    column_labels : ndarray of int64, shape (V,)
        Cluster of each part.
    merges : ndarray of int64, shape (n_merges, 3)
        Those of a `Dendrogram` from these clusters on.
    costs : ndarray of shape (n_merges + 1,), optional
        Those of the `Dendrogram`, needed where `max_levels` is given.
    max_levels : int, optional
        As of `derive_hierarchies`; by default all levels.

    Returns
    -------
    dict of str to GeneralizationHierarchy
    """
    steps = np.flatnonzero(merges[:, 0] == 1)
    of_variables = np.split(column_labels, np.cumsum(coding.n_parts_per_variable)[:-1])
    columns, leaves, leaf_codes = code_leaves(table, schema)
    derived = {}
    for column, found, codes in zip(columns, leaves, leaf_codes.T, strict=True):
        place = coding.names.index(column.name)
        parts = coding.parts[place]
        leaf_parts = part_of_leaves(codes, part_codes[:, place], len(found.leaves))
        ordered = column.kind in ORDERED_KINDS
        apart = leaf_parts < 0
        if ordered:
            apart = apart | found.missing
        partitions, begun = partitions_of(
            leaf_parts, of_variables[place], merges, steps, apart, runs=ordered
        )
        if max_levels is not None:
            n_nodes = [int(nodes.max()) + 1 for nodes in partitions]
            kept = kept_levels(n_nodes, costs[begun], max_levels)
            partitions = [partitions[level] for level in kept]
        ends = None
        if column.kind == "datetime" and len(parts.edges):
            ends = _round_ends(parts, column, leaf_parts, found)
        labels = name_levels(
            partitions, found.texts, found.counts, ordered=ordered, ends=ends
        )
        derived[column.name] = GeneralizationHierarchy.from_partitions(
            column.name, found.leaves, partitions, labels, ordered=ordered
        )
    return derived


def _round_ends(parts, column, leaf_parts, leaves):
    """Names for the ends of runs of dates: of their intervals, not of anybody's dates.

    The cuts between intervals are round, and begin what follows, as a year does, but
    where no date is between two: then the cut is the earlier one. The first interval
    begins with a round date beyond all of the table, as near as an interval is long,
    and the last ends before one. Times of a day begin with midnight at the earliest.
    """
    ruler, edges, n = parts.ruler, parts.edges, len(parts.laws)
    length = (edges[-1:] - edges[:1]) // n + 2
    first = ruler.roundest(edges[:1] - length, edges[:1])
    if column.is_time:
        first = np.maximum(first, 0)  # no time is before midnight
    last = ruler.roundest(edges[-1:], edges[-1:] + length)
    cuts = edges[1:-1]
    held = np.isin(cuts, ruler.snap(leaves.values[~leaves.missing]))
    starts = np.append(first, np.where(held, ruler.above(cuts), cuts))
    stops = np.append(np.where(held, cuts, ruler.below(cuts)), ruler.below(last))
    column = replace(column, bounds=None)  # the two are beyond them
    named = []
    for values in (starts, stops):
        dates = from_values(values, np.zeros(n, dtype=bool), column)
        written = list(format_column(dates, column))
        named.append(
            [
                written[part] if 0 <= part < n else text
                for part, text in zip(leaf_parts.tolist(), leaves.texts, strict=True)
            ]
        )
    return named


def partitions_of(leaf_parts, clusters, merges, steps, apart, *, runs):
    """Node of each leaf, level by level, from single leaves to one root.

    Also the step of the hierarchy that each level begins with.

    Parameters
    ----------
    leaf_parts : ndarray of int, shape (n_leaves,)
        Part of each leaf, within the variable.
    clusters : ndarray of int, shape (n_parts,)
        Cluster of each part of the variable on the finest level.
    merges : ndarray of int, shape (n_merges, 3)
    steps : ndarray of int
        Positions of the merges of clusters of parts, in order.
    apart : ndarray of bool, shape (n_leaves,)
        Leaves that join others in the root only.
    runs : bool
        Whether a node is a run of leaves.
    """
    n_leaves = len(leaf_parts)
    partitions, begun = [np.arange(n_leaves)], [0]

    def add(groups, step=0):
        nodes = _nodes(np.where(apart, -1 - np.arange(n_leaves), groups), runs)
        if nodes.max() < partitions[-1].max():
            partitions.append(nodes)
            begun.append(step)

    add(leaf_parts)
    clusters = clusters.copy()
    add(clusters[leaf_parts])
    for step in steps.tolist():
        kept, absorbed = merges[step, 1:]
        joins = clusters == absorbed
        if joins.any():
            clusters[joins] = kept
            add(clusters[leaf_parts], step + 1)
    if len(partitions) == 1 or partitions[-1].max() > 0:
        partitions.append(np.zeros(n_leaves, dtype=np.int64))
        begun.append(len(merges))
    return partitions, begun


def _nodes(groups, runs):
    """Groups, or runs of one, numbered in the order of their first leaves."""
    if runs:
        return np.cumsum(np.append(0, groups[1:] != groups[:-1]))
    return pd.factorize(groups)[0]


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
