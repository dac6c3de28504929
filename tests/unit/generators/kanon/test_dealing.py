"""Classes that are dealt so as to be alike in their sensitive values."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import HybridKAnonymizer, check_release
from coclust_synth.evaluation import information_loss
from coclust_synth.generators.kanon.classes.forming import class_problem
from coclust_synth.generators.kanon.dealing import Deal, runs_of_values
from coclust_synth.privacy import TCloseness
from coclust_synth.privacy.models.sensitive import SensitiveModel
from coclust_synth.tables.rows import DistinctRows


def deal_of(values, *, weight=None, k=2, seed=0):
    """Records of one row, or of `weight` rows, that have two columns and a value."""
    rng = np.random.default_rng(seed)
    values = np.asarray(values)
    weight = np.ones(len(values), np.int64) if weight is None else weight
    codes = np.column_stack([np.arange(len(values)), rng.integers(0, 3, len(values))])
    codes[:, 1] += len(values)
    records = DistinctRows(codes, weight, np.array([len(values), 3]))
    problem = class_problem(
        records, k, is_interval=np.zeros(2, bool), is_truthful=np.ones(2, bool)
    )
    of_row = np.repeat(np.arange(len(values)), weight)
    n_values = int(values.max()) + 1
    model = SensitiveModel.of(TCloseness(0.9), "s", values[of_row], n_values, None)
    return Deal(problem, [model], of_row, "both")


@pytest.mark.parametrize("n_classes", [2, 3, 7, 20])
def test_each_class_gets_its_share_of_each_value(n_classes):
    values = np.random.default_rng(1).permutation(np.repeat([0, 1, 2], [150, 40, 10]))
    label = deal_of(values).classes(n_classes)
    assert np.unique(label).tolist() == list(range(n_classes))
    for value, n in ((0, 150), (1, 40), (2, 10)):
        held = np.bincount(label[values == value], minlength=n_classes)
        assert held.min() >= np.floor(n / n_classes)
        assert held.max() <= np.ceil(n / n_classes)


def test_rare_values_are_dealt_in_runs_of_their_order():
    rows = np.array([1.0, 1, 1, 40, 1, 1, 1, 1, 1])
    assert runs_of_values(rows, 4).tolist() == [1, 1, 1, 0, 1, 2, 2, 2, 2]
    values = np.repeat(np.arange(9), rows.astype(int))
    label = deal_of(values, k=1).classes(4)
    rare = values != 3
    assert np.bincount(label[rare], minlength=4).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("seed", range(5))
def test_every_class_holds_k_rows(seed):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 9, 60)
    deal = deal_of(rng.integers(0, 4, 60), weight=weight, k=6, seed=seed)
    for n_classes in (2, 5, 20, 40):
        label = deal.classes(n_classes)
        rows = np.bincount(label, weight)
        assert rows.min() >= 6 and rows.sum() == weight.sum()
        assert len(rows) <= n_classes


@pytest.mark.slow
def test_values_that_go_with_the_keys_are_no_end_of_classes(rng):
    """Merging near classes until they hold leaves four, dealing 37."""
    size = rng.normal(size=1200)
    town = np.digitize(size, [-1.2, -0.6, 0, 0.6, 1.2])
    people = pd.DataFrame(
        {"size": (1000 * size).round().astype(int), "town": [f"t{i}" for i in town]}
    )
    people["weight"] = people["size"] + rng.integers(-50, 50, 1200)
    anonymizer = HybridKAnonymizer(
        k=3,
        quasi_identifiers=["size", "weight"],
        sensitive=["town"],
        models=[(None, TCloseness(0.2))],
        n_iterations=2,
        random_state=0,
    )
    released = anonymizer.fit_transform(people)
    checked = check_release(
        released.to_frame(),
        released.names,
        ["town"],
        k=3,
        models=[(None, TCloseness(0.2))],
    )
    assert checked.holds
    assert len(anonymizer.report_.classes) > 25


class Tried(HybridKAnonymizer):
    """What was tried of dealt classes is kept."""

    def _dealt(self, *problem):
        self.tried = super()._dealt(*problem)
        return self.tried


@pytest.mark.slow
def test_of_all_numbers_of_classes_the_least_loss_is_released():
    """More classes can lose more, and still more of them less again."""
    rng = np.random.default_rng(29)
    size = rng.normal(size=120)
    people = pd.DataFrame(
        {
            "size": (5 * size).round().astype(int),
            "town": [f"t{i}" for i in np.digitize(size, [-1, 1])],
            "job": rng.integers(0, 3, 120).astype(str),
        }
    )
    anonymizer = Tried(
        k=3,
        quasi_identifiers=["size", "job"],
        sensitive=["town"],
        models=[(None, TCloseness(0.15))],
        n_iterations=1,
        random_state=0,
    )
    released = anonymizer.fit_transform(people)
    losses = [held.loss for held in anonymizer.tried]
    assert losses[2] > losses[1] > min(losses) + 0.1
    assert information_loss(released) <= min(losses) + 1e-9
