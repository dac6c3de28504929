"""A plain model of a table that is known by counts: see `coclust_synth.scale`.

Parts, the co-clustering and how many rows each of its clusters has come from counts of
all rows. Trees and rules are learnt on a sample of them, in the clusters of all: a leaf
of k sampled rows describes k rows and more. A rule holds in the sample; of the other
rows a few can break it.
"""

from dataclasses import replace
from typing import NamedTuple

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.plain.fitting import (
    check_leaves,
    check_rare,
    clusters_inside,
    count_parts,
    cut_at,
    default_k,
    structure_of,
    warn_of_small,
)
from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.modl.estimator import MAX_FIT_ROWS, MODLCoclustering
from coclust_synth.modl.search.clock import SEARCH_SHARE, Clock
from coclust_synth.scale.released import ReleasedCounts
from coclust_synth.scale.row_keys import find_rows
from coclust_synth.scale.source import (
    MAX_PROFILES,
    CountSource,
    TooManyRowsError,
    changed_table,
)
from coclust_synth.tables.parts.no_dates import beside_missing_as_dates
from coclust_synth.tables.reading.settling import require_decided
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.values.keys import learn_keys
from coclust_synth.validation import check_integer, seed_sequence

# Rows that trees and rules are learnt on: 15 CPU s for nine columns of UCI Adult.
SAMPLE_ROWS = 400_000


class FittedCounts(NamedTuple):
    """What a fit of counts learnt, as the attributes of `CoclusterSynthesizer`."""

    model: PlainModel
    k: int
    rare: int
    pooled: tuple
    rules: tuple
    coclustering: MODLCoclustering
    cut_short: tuple


def fit_counts(asked, source: CountSource, schema=None) -> FittedCounts:
    """Learn a plain model of a source.

    Parameters
    ----------
    asked : CoclusterSynthesizer
        Its arguments, checked.
    source : CountSource
    schema : Schema, optional
        What is known of the columns.

    Raises
    ------
    ParameterError, TableError, SchemaError
        Before the search starts.
    """
    _check_known(asked)
    seed = seed_sequence("random_state", asked.random_state)
    clock, n = Clock(asked.time_limit), source.n_rows
    if asked.k is not None:
        check_integer("k", asked.k, minimum=1, maximum=n)
    k = default_k(n) if asked.k is None else asked.k
    if asked.within == "trees":
        check_leaves(k, n)
    schema = beside_missing_as_dates(
        source.schema(schema), lambda c: source.column_counts(c).n_missing > 0
    )
    require_decided(schema)
    _check_no_keys(schema, n)
    rare = check_rare(asked.rare, k, schema)
    sample = source.sample(SAMPLE_ROWS, seed)
    options = {"binning": asked.binning, "bins": asked.bins, "cuts": asked.cuts}
    released = ReleasedCounts.of(source, schema.kept, rare, sample, **options)
    model = MODLCoclustering(
        n_iterations=asked.n_iterations,
        time_limit=clock.first(SEARCH_SHARE).seconds_left(),
        n_jobs=asked.n_jobs,
        random_state=seed,
        callback=asked.callback,
    )
    profiles = _search(model, source, released, sample)
    if model.stopped_by_ == "time":
        clock.cut_short.append("search")
    keys, rules = learn_keys(sample.frame, schema), ()
    structure = inside = parts = None
    if asked.within == "trees":
        structure, cut, inside = _structure(model, profiles, released, sample, k, seed)
        rules = structure.rules.all
    else:
        cut = cut_at(model.dendrogram_, k, asked.cut, clock)
        if asked.marginals == "cluster":
            parts = count_parts(model.dendrogram_, cut.row_labels)
    plain = PlainModel(
        released.coding,
        cut.dendrogram,
        cut.column_labels,
        model.dendrogram_.contingency.sides[1].total,
        parts,
        structure=structure,
        k=k,
        keys=keys,
        cut=asked.cut if structure is None else "even",
        structure_clusters=inside,
    )
    warn_of_small(plain)
    cut_short = tuple(clock.cut_short)
    return FittedCounts(plain, k, rare, released.pooled, rules, model, cut_short)


def _check_no_keys(schema, n_rows):
    """Refuse keys of which not all are seen: some might be made again."""
    names = [repr(c.name) for c in schema.columns if c.treatment == "key"]
    if names and n_rows > SAMPLE_ROWS:
        raise ParameterError(
            f"Expected no keys of a table of more than {SAMPLE_ROWS:,} rows that an "
            "engine counts, as only a part of its keys is seen and a new one could "
            f"equal another of them. Received {', '.join(names)}. Drop them, and "
            "number the rows afterwards."
        )


def _search(model, source, released, sample):
    """Fit the co-clustering; returns the distinct rows that it has labels of.

    They are all there are, or, where these are too many, those of the sample.
    """
    try:
        profiles = source.profiles(released.coded, limit=MAX_PROFILES)
    except TooManyRowsError:
        profiles, _ = released.coding.distinct_rows(released.of_rows(sample).values)
        model.fit_batches(profiles, released.coding, source, released.coded)
    else:
        model.fit_counts(profiles, released.coding, max_rows=MAX_FIT_ROWS)
    return profiles


def _structure(model, profiles, released, sample, k, seed):
    """Trees of a sample, the cut of all rows, and in which cluster of it each is.

    The last is not told of less than all rows: the sizes would be others.
    """
    rows, coding = released.of_rows(sample), released.coding
    evidence = Evidence.of(rows)
    rules = rules_of(evidence, sample.schema.kept.rules, k)
    codes = coding.encode(rows.values)
    profile = find_rows(profiles, codes)
    if (profile < 0).any():
        raise changed_table(coding.names[0])
    best = model.dendrogram_.best()
    labels = best.row_labels[profile], best.column_labels
    clustered = ClusteredRows(coding, codes, *labels, best.dendrogram)
    learnt = evidence, rules, clustered, k, seed
    structure = structure_of(sample.frame, coding.schema, *learnt)
    cut, inside = best.coarser(model.dendrogram_.step_at(k=k)), None
    if len(profile) == model.dendrogram_.row_sizes.sum():
        of_rows = replace(cut, row_labels=cut.row_labels[profile])
        inside = clusters_inside(clustered, of_rows, k)
    return structure, cut, inside


def _check_known(asked):
    """Refuse what is learnt of rows in memory only."""
    refused = {
        "person_id": asked.person_id is not None,
        "model": asked.model is not None,
        "hierarchies": asked.hierarchies is not None,
        'parts="learnt"': asked.parts == "learnt",
    }
    received = [name for name, is_asked in refused.items() if is_asked]
    if received:
        raise ParameterError(
            "Expected each row to be an individual, and fixed parts, for a table "
            f"that an engine counts. Received {', '.join(received)}. Leave it out, or "
            "read the table into memory, as a DataFrame."
        )
