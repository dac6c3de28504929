"""k-anonymous tables of UCI Adult, whose classes are counted by pandas."""

from functools import cache, partial

import pytest
from support.anonymizers import COCLUSTERED
from support.releases import class_sizes
from support.shared import ADULT, needed

from coclust_synth import MODLCoclustering, read_table
from coclust_synth.evaluation.distances.hellinger import mean_joint_hellinger
from coclust_synth.generators.kanon.classes import sweeping

pytestmark = pytest.mark.slow

EIGHT = (
    "sex age race marital_status education native_country workclass occupation"
).split()


@pytest.fixture(scope="module")
def adult():
    return read_table(needed(ADULT))


@pytest.fixture
def few_sweeps(monkeypatch):
    """One sweep where others would add to it: k holds after each of them."""
    monkeypatch.setattr(sweeping, "_MIN_RISE", 1.0)


def fitted(adult, names, n_iterations=4):
    frame, schema = adult
    schema = schema.keep(*names).drop(*(n for n in schema.names if n not in names))
    model = MODLCoclustering(
        binning="heaped", n_iterations=n_iterations, random_state=0
    )
    return model.fit(frame[list(schema.kept.names)], schema=schema.kept)


@pytest.fixture(scope="module")
def model(adult):
    return fitted(adult, EIGHT)


def released(adult, model, k, names=EIGHT, method="hybrid"):
    return COCLUSTERED[method](
        k, quasi_identifiers=names, model=model, random_state=0
    ).fit_transform(*adult)


@pytest.fixture(scope="module")
def of_eight(adult, model):
    """Releases of eight columns by k and method, each made once."""
    return cache(partial(released, adult, model, names=EIGHT))


@pytest.mark.parametrize("k", [10, 964, 48_842])
def test_classes_hold_k(of_eight, k):
    sizes = class_sizes(of_eight(k, method="hybrid"), EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


@pytest.mark.parametrize("k", [2, 100, 20_000])
def test_so_do_classes_of_few_sweeps(adult, model, few_sweeps, k):
    """Of the smallest, of 488 of them, and of two, none of which is within a block."""
    sizes = class_sizes(released(adult, model, k), EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


@pytest.mark.parametrize("method", ["coc", "coc_hg"])
@pytest.mark.parametrize("k", [10, 964])
def test_classes_of_the_thesis_hold_k(of_eight, k, method):
    sizes = class_sizes(of_eight(k, method=method), EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


def test_refined_classes_are_closer_than_those_of_the_thesis(adult, of_eight):
    frame, _ = adult
    refined, thesis = (
        mean_joint_hellinger(frame, of_eight(10, method=method))
        for method in ("hybrid", "coc")
    )
    assert refined < thesis


def test_all_fifteen_columns(adult, few_sweeps):
    names = list(adult[0].columns)
    model = fitted(adult, names, n_iterations=1)
    sizes = class_sizes(released(adult, model, 964, names), names)
    assert sizes.min() >= 964 and sizes.sum() == 48_842
