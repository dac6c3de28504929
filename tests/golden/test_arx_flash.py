"""Flash against ARX 3.9.2: optimal nodes of Adult, proven there by exhaustion."""

import re

import numpy as np
import pandas as pd
import pytest
from support.shared import SHARED, needed

from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    discernability,
)
from coclust_synth.privacy import (
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.privacy.classes import code_values
from coclust_synth.tables.hierarchy_formats import read_arx_folder
from coclust_synth.tables.reading.table import as_table

pytestmark = pytest.mark.slow

METRICS = {
    "loss_gm": "loss",
    "loss_am": "loss_arithmetic",
    "precision_am": "precision",
    "dm": "dm",
    "aecs": "class_size",
    "entropy_sum": "entropy",
    "nentropy_sum": "normalized_entropy",
}
FROM_RELEASE = {
    "loss_gm": arx_loss,
    "loss_am": lambda release: arx_loss(release, aggregate="arithmetic"),
    "dm": discernability,
    "aecs": lambda release: average_class_size(release, 1),
}


def reference(name):
    path = SHARED / "reference" / name
    return pd.read_csv(needed(path))


@pytest.fixture(scope="module")
def adult():
    table = SHARED / "data" / "adult_arx_30162.csv.gz"
    needed(table)
    hierarchies = read_arx_folder(SHARED / "data" / "adult_hierarchies")
    frame = pd.read_csv(table, sep=";", dtype=str, na_filter=False)
    return as_table(frame), hierarchies  # read once, and released a hundred times


def anonymized(adult, line, k, **options):
    """The table released, and its node in the order of the reference."""
    table, hierarchies = adult
    names = line.qi_order.split()
    anonymizer = LatticeAnonymizer(
        k,
        hierarchies={name: hierarchies[name] for name in names},
        max_suppressed=line.suppression_limit,
        quasi_identifiers=names,
        **options,
    ).fit(table)
    level = dict(
        zip(anonymizer.roles_.quasi_identifiers, anonymizer.node_, strict=True)
    )
    return anonymizer, " ".join(str(level[name]) for name in names)


@pytest.mark.parametrize("metric", METRICS)
def test_nodes_and_scores_of_every_metric(adult, metric):
    lines = reference("flash_reference.csv")
    lines = lines[lines["metric"] == metric]
    assert len(lines) == 8
    for line in lines.itertuples():
        found, node = anonymized(adult, line, line.k, metric=METRICS[metric])
        assert node in line.optimal_nodes.split(" | ")
        assert found.score_ == pytest.approx(line.score, rel=1e-9, abs=1e-9)
        assert found.optimal_ and found.bound_ == found.score_
        if node == line.node:
            sizes = found.report_.classes["size"]
            assert found.report_.n_suppressed == line.suppressed_rows
            assert (len(sizes), sizes.min(), sizes.max()) == (
                line.n_classes,
                line.min_class,
                line.max_class,
            )
        if metric in FROM_RELEASE:
            released = FROM_RELEASE[metric](found.release_)
            assert released == pytest.approx(line.score, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("search", ["branch_and_bound", "incognito"])
def test_other_exact_searches_prove_the_same_optimum(adult, search):
    lines = reference("flash_reference.csv")
    for line in lines[lines["metric"].eq("loss_gm")].itertuples():
        found, node = anonymized(adult, line, line.k, search=search)
        assert node in line.optimal_nodes.split(" | ")
        assert found.score_ == pytest.approx(line.score, rel=1e-9, abs=1e-9)
        assert found.optimal_


def models_of(text, adult):
    """The second model of a line such as ``k=5;recursive-c=4-l=3``."""
    _, _, asked = text.partition(";")
    numbers = [float(number) for number in re.findall(r"=([\d.]+)", asked)]
    if not asked:
        return []
    if asked.startswith("distinct"):
        return [(None, DistinctLDiversity(int(numbers[0])))]
    if asked.startswith("entropy-l(shannon)"):
        return [(None, EntropyLDiversity(numbers[0]))]
    if asked.startswith("recursive"):
        return [(None, RecursiveLDiversity(numbers[0], int(numbers[1])))]
    if asked.startswith("t-equal"):
        return [(None, TCloseness(numbers[0]))]
    table, hierarchies = adult
    values = code_values(table.frame["occupation"]).values
    nodes = hierarchies["occupation"].nodes_of(values)
    return [(None, TCloseness(numbers[0], "hierarchical", nodes))]


def test_nodes_and_scores_with_privacy_models(adult):
    lines = reference("privacy_models_reference.csv")
    # Grassberger's estimator of the entropy is not one of our models.
    lines = lines[~lines["privacy"].str.contains("grassberger")]
    assert len(lines) == 36
    n_verified = 0
    for line in lines.itertuples():
        models = models_of(line.privacy, adult)
        found, node = anonymized(
            adult, line, 5, models=models, sensitive=["occupation"]
        )
        assert node in line.tie_nodes.split(" | "), line.privacy
        if line.verified != "yes":
            continue
        n_verified += 1
        assert found.score_ == pytest.approx(line.score, rel=1e-9), line.privacy
        if node == line.node:
            sizes = found.report_.classes["size"]
            expected = line.suppressed, line.n_classes, line.min_class
            got = found.report_.n_suppressed, len(sizes), sizes.min()
            assert got == expected, line.privacy
    assert n_verified == 33


def test_the_six_rows_that_arx_rounds_away(adult):
    """A class of entropy ln 3: ARX's rounding suppresses it, the formula does not."""
    lines = reference("privacy_models_reference.csv")
    one = lines["privacy"].eq("k=5;entropy-l(shannon)=3.0")
    line = next(lines[one & lines["suppression_limit"].gt(0)].itertuples())
    models = models_of(line.privacy, adult)
    found, _ = anonymized(adult, line, 5, models=models, sensitive=["occupation"])
    assert found.report_.n_suppressed == line.suppressed - 6
    kept = found.classes_ >= 0
    ill, classes = adult[0].frame["occupation"][kept], found.classes_[kept]
    shares = ill.groupby(classes).value_counts(normalize=True)
    entropy = -(shares * np.log(shares)).groupby(level=0).sum()
    assert np.exp(entropy.min()) == pytest.approx(3, rel=1e-12)
