"""k-anonymous tables of random small tables, read back from what is released."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.anonymizers import COCLUSTERED
from support.examples import examples
from support.releases import (
    class_sizes,
    covered,
    labels_by_row,
    mixed_table,
    released_sets,
)

from coclust_synth import DataWarning, MODLCoclustering
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.schema import Schema

NAMES = ["job", "age", "pay", "away", "day", "size"]
METHODS = [
    {"method": "hybrid"},
    {"method": "hybrid", "truthful": True},
    {"method": "hybrid", "intervals": True},
    {"method": "hybrid", "truthful": True, "intervals": True},
    {"method": "coc"},
    {"method": "coc_hg"},
]


def schema_of(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        schema = infer_schema(table)
    return Schema(
        tuple(
            replace(c, role="other", treatment="keep", reason="")
            for c in schema.columns
        ),
        schema.delimiter,
    )


def anonymized(table, k, *, method="hybrid", **options):
    options = {"n_iterations": 1, "random_state": 0} | options
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return COCLUSTERED[method](k, **options).fit(table, schema_of(table))


@st.composite
def cases(draw, methods=METHODS):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 60))
    table = mixed_table(rng, n)
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, unique=True))
    names = [name for name in NAMES if name in names]
    table.index = rng.integers(0, 5, n)
    return table, names, draw(st.integers(2, n)), draw(st.sampled_from(methods))


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(60))
@given(cases())
def test_classes_hold_k_and_stand_for_what_they_say(case):
    table, names, k, method = case
    anonymizer = anonymized(
        table, k, quasi_identifiers=names, sensitive=["pin"], others="keep", **method
    )
    release = anonymizer.release_
    frame = release.to_frame()
    assert list(frame) == [c for c in table.columns]
    assert len(frame) == len(table)
    assert class_sizes(release, names).min() >= k
    # Values that are kept are those of their rows, all of them together.
    kept = [name for name in table if name not in names]
    left = frame.set_index("pin")[kept[:-1]]
    right = table.set_index("pin")[kept[:-1]].loc[left.index]
    pd.testing.assert_frame_equal(left, right, check_categorical=False)
    # Rows of one class have the same labels, and classes hold k too.
    of_class = pd.Series(labels_by_row(table, release, "pin")).groupby(
        anonymizer.classes_
    )
    assert of_class.nunique().max() == 1
    assert of_class.size().min() >= k
    # What the report counts is what the labels say.
    inside = covered(table, release, "pin")
    report = anonymizer.report_
    assert report.n_suppressed == 0
    assert report.classes["size"].tolist() == of_class.size().tolist()
    assert report.covered_cells == pytest.approx(inside.to_numpy().mean())
    perturbed = (~inside.all(axis=1)).groupby(anonymizer.classes_).sum()
    assert report.classes["perturbed"].tolist() == perturbed.tolist()
    if method.get("truthful"):
        assert inside.to_numpy().all()
    if method.get("intervals"):
        for name in set(names) - {"job", "away"}:
            leaves = list(release[name].leaves)
            for values in released_sets(release)[name].values():
                places = sorted(leaves.index(value) for value in values)
                assert places == list(range(places[0], places[-1] + 1))


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(40))
@given(cases(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_tells_nothing(case, seed):
    table, names, k, method = case
    options = dict(quasi_identifiers=names, sensitive=["ill"], **method)
    release = anonymized(table, k, **options).release_
    other = table.iloc[np.random.default_rng(seed).permutation(len(table))]
    again = anonymized(other, k, **options).release_
    pd.testing.assert_frame_equal(release.to_frame(), again.to_frame())
    assert release.sidecar() == again.sidecar()
    codes = [column.codes for column in release.columns]
    keys = [*codes, pd.factorize(release.others["ill"], sort=True)[0]]
    assert np.lexsort(keys[::-1]).tolist() == list(range(len(table)))


@pytest.mark.slow
@pytest.mark.noise
@settings(deadline=None, max_examples=examples(30))
@given(cases(), st.sampled_from(["shuffle", "class", "table"]))
def test_sensitive_values_that_are_drawn(case, how):
    table, names, k, method = case
    table = table.rename(columns={"pin": "row"}).assign(pin=np.arange(len(table)))
    anonymizer = anonymized(
        table,
        k,
        quasi_identifiers=names,
        sensitive=["ill", "row"],
        sensitive_values=how,
        others="keep",
        **method,
    )
    # `pin`, which is no sensitive column, tells the row.
    frame = anonymizer.release_.to_frame().set_index("pin").loc[table["pin"]]
    for name in ("ill", "row"):
        given_values = table[name].reset_index(drop=True).groupby(anonymizer.classes_)
        found = frame[name].reset_index(drop=True).groupby(anonymizer.classes_)
        for (_, before), (_, after) in zip(given_values, found, strict=True):
            if how == "shuffle":
                assert sorted(before) == sorted(after)
            elif how == "class":
                assert set(after) <= set(before)
            else:
                assert set(after) <= set(table[name])


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(25))
@given(cases(methods=METHODS[:4]), st.integers(0, 3))
def test_a_model_of_other_rows_or_of_the_same(case, seed):
    """Saved models, fitted elsewhere, only say where classes begin."""
    from coclust_synth import CoclusterSynthesizer

    table, names, k, method = case
    elsewhere = mixed_table(np.random.default_rng(seed), 80)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        fitted = CoclusterSynthesizer(k=5, n_iterations=1, random_state=0).fit(
            elsewhere[names], schema_of(elsewhere[names])
        )
    release = anonymized(
        table, k, quasi_identifiers=names, model=fitted.model_, **method
    ).release_
    assert class_sizes(release, names).min() >= k
    assert release.n_rows == len(table)


@pytest.mark.noise
def test_shuffling_unlinks_sensitive_columns(rng):
    """Two columns that are equal are not, once shuffled; within classes they are the
    same values. Of at most 10 classes one row each stays equal on average: 40 of 200
    once in 10^12 times."""
    table = mixed_table(rng, 200).assign(again=lambda t: t["pin"])
    anonymizer = anonymized(
        table,
        20,
        quasi_identifiers=["job", "age"],
        sensitive=["pin", "again"],
        sensitive_values={"pin": "shuffle", "again": "shuffle"},
    )
    frame = anonymizer.release_.to_frame()
    assert (frame["pin"] == frame["again"]).mean() < 0.2
    assert sorted(frame["pin"]) == sorted(frame["again"]) == sorted(table["pin"])


@pytest.mark.slow
def test_equal_seeds_give_equal_files(tmp_path):
    table = mixed_table(np.random.default_rng(1), 150)
    written = []
    for i, jobs in enumerate([1, 1, 2]):
        release = anonymized(
            table,
            7,
            quasi_identifiers=NAMES,
            sensitive=["ill"],
            sensitive_values="shuffle",
            n_iterations=3,
            random_state=5,
            n_jobs=jobs,
        ).release_
        release.save(tmp_path / f"{i}.csv")
        written.append(
            [(tmp_path / f"{i}{end}").read_bytes() for end in (".csv", ".labels.json")]
        )
    assert written[0] == written[1] == written[2]


@pytest.mark.slow
def test_a_fitted_model_spares_the_search(monkeypatch):
    """It gives what fitting gives, and nothing is searched."""
    table = mixed_table(np.random.default_rng(2), 120)[["job", "age", "away"]]
    fresh = anonymized(table, 10, n_iterations=3).release_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        model = MODLCoclustering(binning="heaped", n_iterations=3, random_state=0).fit(
            table, schema=schema_of(table)
        )

    def fail(*_, **__):
        raise AssertionError("a search")

    monkeypatch.setattr(MODLCoclustering, "fit", fail)
    again = anonymized(table, 10, model=model).release_
    pd.testing.assert_frame_equal(fresh.to_frame(), again.to_frame())
