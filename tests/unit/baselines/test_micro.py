"""MICRO: the most frequent part of each column in each cluster, counted by hand."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from support.releases import class_sizes, labels_by_row, mixed_table, released_sets

from coclust_synth import MODLCoclustering, infer_schema
from coclust_synth.baselines.micro import MicroAnonymizer
from coclust_synth.exceptions import CoclustSynthError

QI = ["job", "age", "pay", "away", "day", "size"]


@pytest.fixture(scope="module")
def table():
    return mixed_table(np.random.default_rng(0), 300)


@pytest.fixture(scope="module")
def model(table):
    return MODLCoclustering(n_iterations=3, random_state=0).fit(table[QI])


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 20, 100, 300])
def test_labels_are_the_most_frequent_parts(table, model, k):
    anonymizer = MicroAnonymizer(
        k, model=model, quasi_identifiers=QI, sensitive=["pin"]
    ).fit(table, infer_schema(table).keep("pin"))
    clusters = model.dendrogram_.cut(k=k).row_labels
    parts = model.coding_.encode(table)
    sets = released_sets(anonymizer.release_)
    labels = labels_by_row(table[[*QI, "pin"]], anonymizer.release_, "pin")
    for row, cluster in enumerate(clusters):
        inside = np.flatnonzero(clusters == cluster)
        for j, name in enumerate(anonymizer.release_.names[: len(QI)]):
            assert name == QI[j]
            counts = Counter(parts[inside, j].tolist())
            top = min(counts, key=lambda part: (-counts[part], part))
            values = table[name].astype(object)[parts[:, j] == top]
            leaves = {None if pd.isna(value) else value for value in values}
            assert sets[name][labels[row][j]] == leaves
    assert class_sizes(anonymizer.release_, QI).min() >= k


@pytest.mark.slow
def test_it_fits_the_model_that_is_given(table):
    options = dict(bins=4, n_iterations=2, random_state=3)
    model = MODLCoclustering(binning="heaped", **options).fit(table[QI])
    names = dict(quasi_identifiers=QI, sensitive=["ill"])
    fitted = MicroAnonymizer(20, **options, **names).fit_transform(table)
    given = MicroAnonymizer(20, model=model, **names).fit_transform(table)
    pd.testing.assert_frame_equal(fitted.to_frame(), given.to_frame())


def test_missing_values_that_are_no_part_have_a_label():
    """Learnt parts leave missing values out: where most are, it is what is released."""
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 200)
    table = pd.DataFrame(
        {
            "one": np.where(group == 0, None, rng.choice(["p", "q"], 200)),
            "two": np.where(group == 0, "a", "b"),
            "three": np.where(group == 0, "c", "d"),
        }
    )
    model = MODLCoclustering(parts="learnt", n_iterations=3, random_state=0).fit(table)
    release = MicroAnonymizer(50, model=model).fit_transform(table)
    frame = release.to_frame()
    assert set(frame.loc[frame["two"] == "a", "one"]) == {"missing"}
    assert "missing" not in set(frame.loc[frame["two"] == "b", "one"])


def test_rows_of_other_parts_are_reported_as_perturbed():
    table = pd.DataFrame({"x": list("aaaab"), "y": list("uuuuu"), "z": list("mmnnn")})
    with pytest.warns(UserWarning, match="at least two values"):
        anonymizer = MicroAnonymizer(5, n_iterations=1, random_state=0).fit(table)
    assert set(anonymizer.release_.to_frame().agg("".join, axis=1)) == {"aun"}
    assert anonymizer.report_.n_perturbed == 3  # two of m, one of b
    assert anonymizer.report_.covered_cells == 12 / 15


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(k=1), "k to be a whole number from 2"),
        (dict(k=301), "number of rows, 300"),
        (dict(bins=0), "bins to be a whole number from 1"),
        (dict(n_iterations=0), "n_iterations"),
        (dict(time_limit=0), "time_limit"),
        (dict(n_jobs=0), "n_jobs"),
        (dict(random_state=-1), "random_state"),
        (dict(model="saved.model"), "Expected a fitted MODLCoclustering"),
        (dict(model=MODLCoclustering()), "Expected a fitted MODLCoclustering"),
        (dict(sensitive=["job"]), "either a quasi-identifier or sensitive"),
        (dict(quasi_identifiers=["jobs"]), "Did you mean 'job'"),
    ],
)
def test_bad_input_is_refused(table, options, message):
    options = dict(k=5, quasi_identifiers=QI, sensitive=["ill"]) | options
    with pytest.raises(CoclustSynthError, match=re.escape(message)):
        MicroAnonymizer(**options).fit(table)


def test_models_of_other_tables_are_refused(table, model):
    with pytest.raises(CoclustSynthError, match="Received one of 300"):
        MicroAnonymizer(5, model=model, quasi_identifiers=QI).fit(table[:200])
    with pytest.raises(CoclustSynthError, match="Received one without 'ill'"):
        MicroAnonymizer(5, model=model, quasi_identifiers=["ill"]).fit(table)
