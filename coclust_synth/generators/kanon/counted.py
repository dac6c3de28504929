"""A k-anonymous release of a table that an engine counts: see `coclust_synth.scale`.

Classes are formed from the distinct rows and their counts, labels are joined to the
rows by the engine, and k is counted on the files that are then there: what changed
between the count and the join is found, and nothing is released.
"""

import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from coclust_synth.exceptions import ParameterError, TableError
from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.kanon.classes.forming import (
    RecordClasses,
    class_problem,
    form_classes,
)
from coclust_synth.generators.kanon.coclustered import check_memory
from coclust_synth.modl.estimator import MODLCoclustering
from coclust_synth.modl.search.clock import SEARCH_SHARE, Clock
from coclust_synth.scale.released import cells_of_values, rows_of_values
from coclust_synth.scale.source import CountSource, ValueCodes
from coclust_synth.tables.column import Column
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.leaf_coding import LeafCoding, leaf_groups
from coclust_synth.tables.generalized.sidecar import (
    LabelSets,
    sidecar_content,
    sidecar_text,
)
from coclust_synth.tables.hierarchies.columns import ColumnLeaves
from coclust_synth.tables.parts.coding import TableCoding
from coclust_synth.tables.people.people import check_k
from coclust_synth.tables.people.roles import Roles
from coclust_synth.tables.rows import DistinctRows, collapse
from coclust_synth.tables.schema import Schema
from coclust_synth.tables.table import TableValues
from coclust_synth.validation import check_integer

#: What the labels of a folder stand for; engines leave out files named so.
LABELS = "_labels.json"
# Distinct rows that classes are formed of at a time: each looks for the best class
# among all of them, which takes longer the more there are.
_MAX_RECORDS = 200_000


class CountedRelease(NamedTuple):
    """What was written, counted on the files.

    Attributes
    ----------
    n_rows, n_classes, smallest : int
        Rows, combinations of labels, and rows of the smallest of these.
    roles : Roles
    schema : Schema
        Complete, of the table.
    n_records : int
        Distinct rows of the table, in the quasi-identifiers. Confidential.
    n_perturbed : int
        Rows with a value that their label does not stand for. Confidential.
    cut_short : tuple of str
        What the time did not last for.
    """

    n_rows: int
    n_classes: int
    smallest: int
    roles: Roles
    schema: Schema
    n_records: int
    n_perturbed: int
    cut_short: tuple[str, ...]


def write_release(
    asked, source: CountSource, folder: Path, schema: Schema | None = None
) -> CountedRelease:
    """Write a k-anonymous release into an empty folder.

    Parameters
    ----------
    asked : HybridKAnonymizer
        Its arguments. Labels of numbers of more than 128 values are groups of them.
    source : CountSource
    folder : Path
        Exists, and is empty. Gets Parquet files and `LABELS`; not to be used where
        this raises.
    schema : Schema, optional
        What is known of the columns.

    Raises
    ------
    ParameterError, TableError, SchemaError
        Before the search; TableError also after it, where the files do not hold the
        rows that were counted, each in a class of k.
    """
    _check_known(asked)
    clock = Clock(asked.time_limit)
    schema = source.schema(_with_roles(asked, source, schema))
    roles = Roles.of(schema, asked.quasi_identifiers, asked.sensitive, asked.others)
    n = source.n_rows
    check_k(asked.k, n, None)
    coding, coded, parts = _counted(source, roles.quasi_schema(schema), asked.bins)
    check_memory(coding, asked.k)
    clusters = _clusters(asked, coding, parts, clock)
    formed = _form(asked, coding, clusters, clock)
    columns = _release_columns(coding, formed.kept)
    labels = pa.table(
        {
            c.name: pa.array(c.labels).take(pa.array(c.codes[formed.label]))
            for c in columns
        }
    )
    others = (*roles.sensitive, *roles.others)
    source.write_joined(
        coded, coding.records, labels, folder, columns=others, is_sorted=True
    )
    sizes = _count_written(folder, roles.quasi_identifiers)
    _check_written(sizes, n, asked.k)
    content = sidecar_content([LabelSets.of(c) for c in columns], others, 0)
    (folder / LABELS).write_text(sidecar_text(content), encoding="utf-8")
    is_true = formed.kept[formed.label[:, np.newaxis], coding.records.codes]
    return CountedRelease(
        n,
        len(sizes),
        int(sizes.min()),
        roles,
        schema,
        len(coding.records.counts),
        int(coding.records.counts[~is_true.all(axis=1)].sum()),
        tuple(clock.cut_short),
    )


def _check_known(asked):
    """Refuse what needs the rows in memory."""
    check_integer("k", asked.k, minimum=2)
    asked._check_options()
    refused = {
        "person_id": asked.person_id is not None,
        "models": bool(asked.models),
        "population": asked.population is not None,
        "max_suppressed": bool(asked.max_suppressed),
        "hierarchies": bool(asked.hierarchies),
        "model": asked.model is not None,
        "intervals": asked.intervals,
        "sensitive_values": asked.sensitive_values != "keep",
    }
    received = [name for name, is_asked in refused.items() if is_asked]
    if received:
        raise ParameterError(
            "Expected k-anonymity alone, and each row a person, for a table that an "
            f"engine counts. Received {', '.join(received)}. Leave it out, or read "
            "the table into memory, as a DataFrame."
        )


def _with_roles(asked, source, schema):
    """What is known of the columns; the named ones are judged as what they are."""
    if schema is None:
        schema = Schema(
            tuple(Column(name=name, treatment="undecided") for name in source.names)
        )
    named = {"quasi-identifier": asked.quasi_identifiers, "sensitive": asked.sensitive}
    for role, names in named.items():
        in_doubt = [name for name in names or () if name in schema.undecided]
        schema = schema.with_role(role, *in_doubt)
    return schema


def _counted(source, schema, bins):
    """Leaves of the columns, the distinct rows of their groups, and their parts."""
    columns, leaves, groups, coded, parts, codings = schema.columns, [], [], [], [], []
    for column in columns:
        counts = source.column_counts(column)
        own = ColumnLeaves.of_counts(counts, column)
        group = leaf_groups(own, column.kind)
        values = TableValues(cells_of_values(counts, column).to_frame())
        rows = rows_of_values(counts)
        learnt = TableCoding.learn(values, Schema((column,)), bins=bins, rows=rows)
        first = np.unique(group, return_index=True)[1]
        codes = np.append(group, -1).astype(np.int32)
        n, n_groups = len(counts.values), len(first)
        leaves.append(own)
        groups.append(group)
        coded.append(ValueCodes(column, codes[:n], int(codes[n]), n_groups))
        parts.append(learnt.encode(values)[first, 0])
        codings.append(learnt)
    records = source.profiles(coded)
    none = np.empty((0, len(columns)), np.int32), np.empty(0, np.int64)
    coding = LeafCoding(
        columns, tuple(leaves), tuple(groups), none[0], records, none[1]
    )
    of_all = TableCoding(schema, tuple(c.parts[0] for c in codings), ())
    return coding, coded, (of_all, parts)


def _clusters(asked, coding, parts, clock):
    """Cluster of each distinct row, of k rows or more each."""
    of_all, part_of_group = parts
    records = coding.records
    local = records.codes - records.offsets
    codes = [part[own] for part, own in zip(part_of_group, local.T, strict=True)]
    rows, inverse = collapse(np.column_stack(codes), of_all.n_parts_per_variable)
    counts = np.bincount(inverse, records.counts).astype(np.int64)
    rows = DistinctRows(rows.codes, counts, rows.n_parts_per_variable)
    model = MODLCoclustering(
        n_iterations=asked.n_iterations,
        time_limit=clock.first(SEARCH_SHARE).seconds_left(),
        n_jobs=asked.n_jobs,
        random_state=asked.random_state,
        callback=asked.callback,
    ).fit_counts(rows, of_all)
    if model.stopped_by_ == "time":
        clock.cut_short.append("search")
    best = model.dendrogram_.best()
    clustered = ClusteredRows(
        of_all,
        rows.codes - rows.offsets,
        best.row_labels,
        best.column_labels,
        best.dendrogram,
        weights=counts,
    )
    return clustered.uneven_cut(asked.k)[inverse]


def _form(asked, coding, clusters, clock):
    """Classes of the distinct rows, so many clusters at a time as memory bears."""
    records = coding.records
    label, kept, n_classes = np.empty(len(clusters), np.int64), [], 0
    for members in _blocks(clusters):
        own = DistinctRows(
            records.codes[members],
            records.counts[members],
            records.n_parts_per_variable,
        )
        problem = class_problem(
            own,
            asked.k,
            is_interval=np.zeros(len(coding.columns), dtype=bool),
            is_truthful=coding.is_grouped | asked.truthful,
            is_ordered=coding.is_ordered,
        )
        formed = form_classes(
            problem,
            clusters[members],
            seed=asked.random_state,
            objective=asked.objective,
            clock=clock,
        )
        label[members] = n_classes + formed.label
        n_classes += len(formed.kept)
        kept.append(formed.kept)
    return RecordClasses(label, np.concatenate(kept))


def _blocks(clusters):
    """Positions of the rows of whole clusters, `_MAX_RECORDS` at most if it can be.

    In increasing order, as those of a table in memory are.
    """
    sizes = np.bincount(clusters)
    order = np.argsort(clusters, kind="stable")
    start, n = 0, 0
    for size in sizes.tolist():
        if n and n + size > _MAX_RECORDS:
            yield np.sort(order[start : start + n])
            start, n = start + n, 0
        n += size
    yield np.sort(order[start : start + n])


def _release_columns(coding, kept):
    """The generalised columns, whose rows are the classes."""
    columns = []
    for j, (members, sets) in enumerate(coding.leaf_sets(kept)):
        own = coding.leaves[j]
        columns.append(
            GeneralizedColumn.from_members(
                coding.columns[j].name,
                own.leaves,
                coding.is_ordered[j],
                members,
                sets,
                None,
                own.texts,
            )
        )
    return columns


def _count_written(folder, names):
    """Rows of each combination of labels that the files have, shape (n_classes,)."""
    names, found = list(names), []
    for file in sorted(os.listdir(folder)):
        with pq.ParquetFile(folder / file, read_dictionary=names) as opened:
            for group in range(opened.num_row_groups):
                rows = opened.read_row_group(group, columns=names)
                counted = rows.group_by(names).aggregate([([], "count_all")])
                found.append(counted)
    counts = pa.concat_tables(found, promote_options="permissive").unify_dictionaries()
    summed = counts.group_by(names).aggregate([("count_all", "sum")])
    return summed["count_all_sum"].to_numpy()


def _check_written(sizes, n, k):
    """Refuse files that are not the rows that were counted, in classes of k."""
    if sizes.sum() != n or sizes.min(initial=n) < k:
        raise TableError(
            f"Expected files of the {n:,} rows that were counted, in classes of {k}. "
            f"Received {sizes.sum():,} rows, of which {sizes.min(initial=n):,} are in "
            "the smallest class: the table has changed meanwhile. Nothing was "
            "released. Begin again, on a copy that does not change."
        )
