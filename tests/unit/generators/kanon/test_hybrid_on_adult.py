"""k-anonymous tables of UCI Adult, whose classes are counted by pandas."""

import pytest
from support.anonymizers import COCLUSTERED
from support.releases import class_sizes
from support.shared import ADULT, needed

from coclust_synth import MODLCoclustering, read_table
from coclust_synth.evaluation.distances.hellinger import mean_joint_hellinger

pytestmark = pytest.mark.slow

EIGHT = (
    "sex age race marital_status education native_country workclass occupation"
).split()


@pytest.fixture(scope="module")
def adult():
    return read_table(needed(ADULT))


def fitted(adult, names):
    frame, schema = adult
    schema = schema.keep(*names).drop(*(n for n in schema.names if n not in names))
    model = MODLCoclustering(binning="heaped", n_iterations=4, random_state=0)
    return model.fit(frame[list(schema.kept.names)], schema=schema.kept)


@pytest.fixture(scope="module")
def model(adult):
    return fitted(adult, EIGHT)


def released(adult, model, k, names=EIGHT, *, method="hybrid", **options):
    frame, schema = adult
    return COCLUSTERED[method](
        k, quasi_identifiers=names, model=model, random_state=0, **options
    ).fit_transform(frame, schema)


@pytest.mark.parametrize("k", [2, 5, 10, 50, 100, 872, 964, 48_842])
def test_classes_hold_k(adult, model, k):
    release = released(adult, model, k)
    sizes = class_sizes(release, EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


@pytest.mark.parametrize("k", [9000, 20_000])
def test_classes_hold_a_k_larger_than_a_block(adult, model, k):
    sizes = class_sizes(released(adult, model, k), EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


@pytest.mark.parametrize("method", ["coc", "coc_hg"])
@pytest.mark.parametrize("k", [10, 964])
def test_classes_of_the_thesis_hold_k(adult, model, k, method):
    sizes = class_sizes(released(adult, model, k, method=method), EIGHT)
    assert sizes.min() >= k and sizes.sum() == 48_842


def test_refined_classes_are_closer_than_those_of_the_thesis(adult, model):
    frame, _ = adult
    refined, thesis = (
        mean_joint_hellinger(frame, released(adult, model, 10, method=method))
        for method in ("hybrid", "coc")
    )
    assert refined < thesis


def test_all_fifteen_columns(adult):
    frame, _ = adult
    names = list(frame.columns)
    sizes = class_sizes(released(adult, fitted(adult, names), 964, names), names)
    assert sizes.min() >= 964 and sizes.sum() == 48_842
