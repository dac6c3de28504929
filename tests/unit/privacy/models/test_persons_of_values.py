"""Persons of classes counted for one of their values, against the definition."""

import numpy as np
import pytest
from naive import privacy as naive

from coclust_synth.privacy import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.privacy.classes import count_matrix
from coclust_synth.privacy.models.sensitive import PersonValues, SensitiveModel
from coclust_synth.tables.people.people import Persons


def coded(person):
    return Persons("who", np.unique(person, return_inverse=True)[1])


def counts_of(person, value, classes):
    """Pairs of a table, and how often each class has each."""
    own = PersonValues.of(coded(person), value, int(value.max()) + 1)
    shape = (int(classes.max()) + 1, own.n_codes)
    return own, count_matrix(classes, own.codes, shape)


@pytest.mark.parametrize("seed", range(20))
def test_each_person_counts_for_the_commonest_value_held(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    person = rng.integers(0, rng.integers(1, n + 1), n)
    value = np.minimum(rng.geometric(rng.choice([0.1, 0.5]), n), 30) - 1
    classes = np.unique(rng.integers(0, 8, n), return_inverse=True)[1]
    own, counts = counts_of(person, value, classes)
    once, held = own.once(counts).toarray(), own.held(counts).toarray()
    for c in range(len(once)):
        of_class = [
            {*value[(classes == c) & (person == p)]}
            for p in np.unique(person[classes == c])
        ]
        expected = naive.counted_once(of_class, range(own.n_values))
        assert once[c].tolist() == expected
        assert sum(expected) == len(of_class)
        assert held[c].max() == max(expected)


def test_persons_of_one_row_each_are_rows():
    value, classes = np.array([0, 1, 1, 3]), np.array([0, 0, 0, 1])
    own, counts = counts_of(np.arange(4), value, classes)
    rows = count_matrix(classes, value, (2, 4)).toarray()
    assert own.once(counts).toarray().tolist() == rows.tolist()


@pytest.mark.parametrize(
    "model",
    [
        DistinctLDiversity(2),
        EntropyLDiversity(1.01),
        RecursiveLDiversity(1e6, 2),
        AlphaK(0.99),
    ],
)
def test_a_value_that_all_persons_of_a_class_hold_breaks_every_model(model):
    """Three persons of three values each, of which one is that of all."""
    person = np.repeat(np.arange(6), 3)
    value = np.array([0, 1, 2, 0, 3, 4, 0, 5, 6] * 2)
    value[9:] = [1, 2, 3, 1, 4, 5, 0, 6, 2]
    classes = np.repeat([0, 1], 9)
    own = SensitiveModel.of(model, "ill", value, 7, coded(person))
    counts = own.by_record(classes, 2)
    assert own.holds(counts).tolist() == [False, True]
    assert not own.grows and not own.is_monotone
    by_row = SensitiveModel.of(model, "ill", value, 7, None)
    assert by_row.holds(by_row.by_record(classes, 2)).all()


def test_distances_are_of_all_values_of_a_person():
    person, value = np.array([0, 0, 1]), np.array([0, 1, 0])
    own = PersonValues.of(coded(person), value, 2)
    assert own.total(TCloseness(1)).tolist() == [2, 1]
    assert own.total(AlphaK(1)).tolist() == [2, 0]


@pytest.mark.parametrize("seed", range(10))
def test_classes_that_share_nobody_have_no_larger_share_together(seed):
    rng = np.random.default_rng(seed)
    person, value = rng.integers(0, 40, 120), rng.integers(0, 5, 120)
    classes = person % 8
    own, counts = counts_of(person, value, classes)
    merged = counts[0::2] + counts[1::2]
    for model in (AlphaK(1), DistinctLDiversity(2)):
        apart = model.values(own.once(counts), None).reshape(-1, 2)
        together = model.values(own.once(merged), None)
        if model.more_is_better:
            apart, together = np.minimum(apart, 2), np.minimum(together, 2)
            assert (together >= apart.min(axis=1)).all()
        else:
            assert (together <= apart.max(axis=1)).all()
