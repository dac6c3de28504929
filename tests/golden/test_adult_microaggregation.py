"""MDAV-generic on eight columns of UCI Adult: the size and the width of its classes."""

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from support.shared import ADULT, needed

from coclust_synth.baselines.mdav.anonymizer import MDAVAnonymizer
from coclust_synth.evaluation.generalisation.losses import information_loss
from coclust_synth.tables.generalized.table import GeneralizedTable

pytestmark = pytest.mark.slow

EIGHT = [
    "sex",
    "age",
    "race",
    "marital_status",
    "education",
    "native_country",
    "workclass",
    "occupation",
]


@pytest.fixture(scope="module")
def adult():
    return pd.read_csv(needed(ADULT), keep_default_na=False)


def fit(adult, k, **options):
    return MDAVAnonymizer(
        k, quasi_identifiers=EIGHT, sensitive=["class"], **options
    ).fit(adult)


@pytest.fixture(scope="module")
def plain(adult):
    """Fits of the table as it is by k, each made once."""
    return cache(partial(fit, adult))


@pytest.mark.parametrize("k", [5, 10, 50, 872, 964])
def test_classes_are_hardly_larger_than_k(adult, plain, k):
    fitted = plain(k)
    sizes = np.bincount(fitted.classes_)
    assert sizes.min() == k == fitted.release_.class_sizes.min()
    # All but the last fewer than k rows are in classes of k.
    assert len(sizes) == len(adult) // k
    assert fitted.report_.covered_cells == 1


EDUCATION = [
    *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th"),
    *("HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters"),
    *("Prof-school", "Doctorate"),
]


# Losses known of MDAV-generic: of ages by range, of other columns by sets.
@pytest.mark.parametrize(("k", "known"), [(5, 0.024), (10, 0.048)])
def test_classes_are_as_narrow_as_those_known(adult, k, known):
    by_rank = pd.Categorical(adult["education"], EDUCATION, ordered=True)
    fitted = fit(adult.assign(education=by_rank), k, scale="range")
    columns = tuple(
        replace(column, ordered=column.name == "age")
        for column in fitted.release_.columns
    )
    loss = information_loss(GeneralizedTable(columns), "range")
    assert round(loss, 3) <= known
    assert len(np.unique(fitted.classes_)) == len(adult) // k


def test_improved_classes_are_narrower(adult, plain):
    improved = fit(adult, 10, improve=True, n_iterations=12)
    assert improved.release_.class_sizes.min() >= 10
    losses = [information_loss(own.release_, "range") for own in (improved, plain(10))]
    assert losses[0] < min(0.048, 0.8 * losses[1])
