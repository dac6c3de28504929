"""Classes of k persons, whatever the method, counted again from the released labels."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import privacy as naive
from support.examples import examples
from support.visits import NAMES, hierarchies, visits

from coclust_synth import COCAnonymizer, COCHGAnonymizer, DataWarning
from coclust_synth.baselines.cuts.anonymizer import CutAnonymizer
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.baselines.mondrian.anonymizer import MondrianAnonymizer
from coclust_synth.baselines.suppression.anonymizer import LocalSuppression
from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.individual_clusters import ClusteredRows
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.modl.grid.dendrogram import Dendrogram
from coclust_synth.privacy import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.infer import infer_schema

HYBRID = partial(HybridKAnonymizer, n_iterations=1, random_state=0)
LATTICE = partial(LatticeAnonymizer, hierarchies=hierarchies())
CUTS = partial(CutAnonymizer, hierarchies=hierarchies())
METHODS = {
    "hybrid": HYBRID,
    "truthful": partial(HYBRID, truthful=True),
    "intervals": partial(HYBRID, intervals=True),
    "coc": partial(COCAnonymizer, n_iterations=1, random_state=0),
    "coc_hg": partial(COCHGAnonymizer, n_iterations=1, random_state=0),
    "flash": LATTICE,
    "branch_and_bound": partial(LATTICE, search="branch_and_bound"),
    "incognito": partial(LATTICE, search="incognito"),
    "samarati": partial(LATTICE, search="samarati"),
    "datafly": partial(LATTICE, search="datafly", max_suppressed=0.1),
    "tds": CUTS,
    "tds for a target": partial(CUTS, target="ill"),
    "bug": partial(CUTS, search="bottom_up"),
    "bug for a target": partial(CUTS, search="bottom_up", target="ill"),
    "mondrian": MondrianAnonymizer,
    "relaxed": partial(MondrianAnonymizer, relaxed=True),
    "infogain": partial(MondrianAnonymizer, split="infogain", target="ill"),
    "mdav": MDAVAnonymizer,
    "centroids": partial(MDAVAnonymizer, release="centroids", end_rule="sdcmicro"),
    "improved": partial(MDAVAnonymizer, improve=True, n_iterations=2),
    "suppress": LocalSuppression,
    "micro": partial(MicroAnonymizer, n_iterations=1, random_state=0),
}
ENFORCING = ["hybrid", "coc", "flash", "branch_and_bound", "tds", "bug", "mondrian"]
UNSUPPRESSED = ["tds", "bug", "mondrian"]


def fitted(method, table, k, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return METHODS[method](
            k=k,
            quasi_identifiers=NAMES,
            sensitive=["ill", "pin"],
            person_id="who",
            **options,
        ).fit(table, infer_schema(table).keep("pin"))


def released(table, anonymizer):
    """The labels of each row, beside its person and what it says, by `pin`."""
    labels = anonymizer.release_.to_frame().set_index("pin")
    labels = labels[NAMES].astype(str).add_suffix(" label")
    joined = table.join(labels, on="pin")
    return joined[anonymizer.classes_ >= 0], [f"{name} label" for name in NAMES]


TABLES = st.builds(
    lambda seed, n: visits(np.random.default_rng(seed), n),
    st.integers(0, 2**32 - 1),
    st.integers(6, 60),
)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None, max_examples=examples(6))
@given(TABLES, st.data())
def test_every_class_holds_k_persons(method, table, data):
    n_persons = table["who"].nunique()
    k = data.draw(st.integers(2, min(n_persons, 12)))
    anonymizer = fitted(method, table, k)
    assert "who" not in anonymizer.release_.to_frame()
    by_class = (
        table["who"].groupby(anonymizer.classes_).nunique().drop(-1, errors="ignore")
    )
    assert by_class.min() >= k
    assert anonymizer.report_.classes["persons"].tolist() == by_class.tolist()
    seen, names = released(table, anonymizer)
    by_label = seen.groupby(names)["who"].nunique()
    assert anonymizer.report_.smallest_class_persons == by_label.min()
    assert anonymizer.report_.n_persons == n_persons
    assert len(anonymizer.release_.to_frame()) == len(table)


def test_rows_alone_would_not_do():
    """The same table without the column of the persons has classes of fewer than k."""
    table = visits(np.random.default_rng(0), 60)
    anonymizer = HYBRID(8, quasi_identifiers=NAMES).fit(table.drop(columns="who"))
    assert table["who"].groupby(anonymizer.classes_).nunique().min() < 8
    assert anonymizer.report_.smallest_class_persons is None


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_rows_of_one_person_each_are_as_without(method):
    table = visits(np.random.default_rng(1), 40).drop_duplicates("who")
    options = dict(quasi_identifiers=NAMES, sensitive=["ill"])
    by_person = METHODS[method](k=4, person_id="who", **options).fit(table)
    by_row = METHODS[method](k=4, **options).fit(table.drop(columns="who"))
    np.testing.assert_array_equal(by_person.classes_, by_row.classes_)
    pd.testing.assert_frame_equal(
        by_person.release_.to_frame(), by_row.release_.to_frame()
    )


@pytest.mark.parametrize(
    "method", ["hybrid", "flash", "mondrian", "mdav", "suppress", "micro"]
)
def test_one_person_of_half_the_rows(method):
    table = visits(np.random.default_rng(2), 30)
    table.loc[table.index[::2], "who"] = "p000"
    k = table["who"].nunique() // 2
    anonymizer = fitted(method, table, k)
    assert table["who"].groupby(anonymizer.classes_).nunique().min() >= k
    with pytest.raises(ParameterError, match="up to the number of persons"):
        fitted(method, table, table["who"].nunique() + 1)


# Models


def by_persons(group, values):
    """Persons of a class who hold each value, for one each and for all, by sets."""
    held = [len({*group.loc[group["ill"] == value, "who"]}) for value in values]
    return naive.counted_once(group.groupby("who")["ill"].agg(set), values), held


def holds(model, counts, total):
    """Whether a class holds a model, from the definitions."""
    once, held = counts
    if isinstance(model, AlphaK):
        return max(held) / sum(once) <= model.alpha
    if isinstance(model, DistinctLDiversity):
        return naive.distinct_l(once) >= model.l
    if isinstance(model, EntropyLDiversity):
        return naive.entropy_l(once) >= model.l * (1 - 1e-9)
    if isinstance(model, RecursiveLDiversity):
        return naive.recursive_c(once, model.l) < model.c
    return naive.equal_distance(held, total) <= model.t + 1e-9


MODELS = st.one_of(
    st.builds(DistinctLDiversity, st.integers(2, 3)),
    st.builds(EntropyLDiversity, st.floats(1, 3)),
    st.builds(RecursiveLDiversity, st.floats(0.5, 4), st.integers(1, 3)),
    st.builds(TCloseness, st.floats(0.05, 0.5)),
    st.builds(AlphaK, st.floats(0.3, 0.9)),
)


@pytest.mark.parametrize("method", ENFORCING)
@settings(deadline=None, max_examples=examples(8))
@given(TABLES, MODELS, st.sampled_from([0, 0.2]))
def test_models_are_of_persons(method, table, model, share):
    values = sorted(table["ill"].unique())
    whole = by_persons(table, values)
    options = {"models": [("ill", model)]}
    if method not in UNSUPPRESSED:
        options["max_suppressed"] = share
    if not holds(model, whole, whole[1]):
        with pytest.raises(ParameterError, match="the whole table as one class"):
            fitted(method, table, 3, **options)
        return
    anonymizer = fitted(method, table, 3, **options)
    seen, _ = released(table, anonymizer)
    for _, group in seen.groupby(anonymizer.classes_[anonymizer.classes_ >= 0]):
        counts = by_persons(group, values)
        assert sum(counts[0]) >= 3
        assert holds(model, counts, whole[1])


# Cuts of a dendrogram


@settings(deadline=None, max_examples=examples(40))
@given(st.integers(0, 2**32 - 1))
def test_cuts_count_persons(seed):
    rng = np.random.default_rng(seed)
    n_clusters, n_columns, n = 6, 2, 30
    labels = np.concatenate([np.arange(n_clusters), rng.integers(0, n_clusters, n)])
    persons = Persons(
        "who", np.unique(rng.integers(0, 12, len(labels)), return_inverse=True)[1]
    )
    live, merges = list(range(n_clusters)), []
    while len(live) > 1:
        kept, absorbed = sorted(rng.choice(live, 2, replace=False).tolist())
        live.remove(absorbed)
        merges.append((0, kept, absorbed))
    merges.append((1, 0, 1))
    dendrogram = Dendrogram(
        cells=np.ones((n_clusters, n_columns), np.int64),
        row_sizes=np.bincount(labels),
        column_sizes=np.ones(n_columns, np.int64),
        merges=np.array(merges),
        costs=np.arange(len(merges) + 1.0),
        best_cost=0.0,
    )
    rows = ClusteredRows(None, None, labels, np.arange(n_columns), dendrogram, persons)
    k = int(rng.integers(1, persons.n + 1))

    def fewest(own):
        return pd.Series(persons.codes).groupby(own).nunique().min()

    uneven = rows.uneven_cut(k)
    assert fewest(uneven) >= k
    # The finest level of the sequence of merges that has k persons everywhere.
    own = labels.copy()
    for _, kept, absorbed in [(0, 0, 0), *merges]:
        own[own == absorbed] = kept
        if fewest(own) >= k:
            break
    even = rows.even_cut(k).row_labels
    assert len(np.unique(even)) == len(np.unique(own))
    assert (pd.crosstab(even, own) > 0).sum().tolist() == [1] * len(np.unique(own))
