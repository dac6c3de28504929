"""Intervals by the delete-a-group jackknife, and of what they are told."""

import numpy as np
import pandas as pd
import pytest
from support.evaluations import people

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import code_tables
from coclust_synth.evaluation.comparing.scores import (
    Figure,
    Setting,
    of_median,
    of_share,
    reach,
    with_interval,
)
from coclust_synth.evaluation.risk.classes import Whose, class_figures
from coclust_synth.evaluation.risk.copies import copy_figures
from coclust_synth.evaluation.utility import associations, learning
from coclust_synth.evaluation.utility.broken_rules import rule_figures
from coclust_synth.evaluation.utility.counts import number_figures
from coclust_synth.evaluation.utility.distances import distance_figures, set_distances
from coclust_synth.evaluation.utility.generalized import loss_figures
from coclust_synth.tables.generalized.column import GeneralizedColumn
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.table import as_table


@pytest.fixture(scope="module")
def setting_and_rows():
    tables = AlikeTables.of(as_table(people(300, 0)), people(200, 1), people(100, 2))
    coding, rows = code_tables(tables)
    setting = Setting(coding, rows["real"], rows["holdout"], 0, intervals=True)
    return setting, rows["released"]


def test_of_a_mean_it_is_the_error_of_means_of_groups():
    numbers = np.random.default_rng(0).normal(5, 1, 50)
    found = with_interval(Figure(numbers.mean()), 50, lambda kept: numbers[kept].mean())
    groups = numbers.reshape(5, 10).mean(axis=0)  # dealt out in turn
    error = groups.std(ddof=1) / np.sqrt(10)
    assert found.high - found.value == pytest.approx(2.262 * error)
    assert found.low == pytest.approx(2 * found.value - found.high)


def test_means_of_draws_are_covered():
    rng, n_covered = np.random.default_rng(1), 0
    for _ in range(300):
        numbers = rng.exponential(1.0, 80)
        found = with_interval(
            Figure(numbers.mean()), 80, lambda kept, own=numbers: own[kept].mean()
        )
        n_covered += found.low <= 1.0 <= found.high
    assert 0.9 <= n_covered / 300 <= 0.99


def test_few_rows_have_none_and_shares_stay_shares():
    assert np.isnan(with_interval(Figure(0.5), 19, np.mean).low)
    found = with_interval(
        Figure(0.99), 20, lambda kept: 0.8 + 0.01 * kept @ np.arange(20) / 10, most=1.0
    )
    assert found.high == 1.0 and found.low < 0.99
    assert reach(np.ones((10, 2))).tolist() == [0, 0]


@pytest.mark.slow
def test_associations_are_those_without_each_group(setting_and_rows):
    setting, rows = setting_and_rows
    found = associations.association_figures(setting, rows)
    real = associations.associations(setting.coding, setting.real)
    left_out = []
    for group in range(10):
        kept = rows.take(np.flatnonzero(np.arange(rows.n) % 10 != group))
        apart = abs(real - associations.associations(setting.coding, kept))
        left_out.append(apart[np.tril_indices(len(real), -1)].mean())
    error = np.sqrt(0.9 * np.square(left_out - np.mean(left_out)).sum())
    figure = found["mean_association_change", ()]
    assert figure.high - figure.value == pytest.approx(2.262 * error)
    without = associations.association_figures(setting._replace(intervals=False), rows)
    assert without["mean_association_change", ()].value == figure.value
    assert np.isnan(without["mean_association_change", ()].low)


def test_all_errors_of_numbers_and_all_protection_ratios_have_one(setting_and_rows):
    setting, rows = setting_and_rows
    found = number_figures(setting, rows) | copy_figures(setting, rows)
    told = {
        key: figure
        for key, figure in found.items()
        if key[0].endswith("_error") or key[0].startswith(("missing", "protection"))
    }
    assert len(told) == 4 * 2 + 2 + 6 + 3  # of two of four columns, dates, no total
    for key, figure in told.items():
        assert 0 <= figure.low <= figure.value <= figure.high, key


@pytest.mark.slow
def test_what_models_tell_has_that_of_the_rows_tested_on(setting_and_rows, monkeypatch):
    monkeypatch.setattr(learning, "_ROUNDS", 2)
    found = learning.learning_figures(*setting_and_rows)
    assert len(found) == 4 * (6 + 1)
    for key, figure in found.items():
        assert 0 <= figure.low <= figure.value <= figure.high <= 1, key
    columns = [f for (name, of), f in found.items() if name == "bayes_auc" and of]
    mean = found["mean_bayes_auc", ()]
    # A mean of columns is surer than they are.
    widths = [figure.high - figure.low for figure in columns]
    assert mean.high - mean.low < np.mean(widths)


def test_classes_stay_whole():
    sizes = np.random.default_rng(0).permutation(np.r_[[2] * 20, [8] * 20])
    classes = np.repeat(np.arange(40), sizes)
    found = class_figures(classes)["prosecutor_mean", ()]
    assert found.value == pytest.approx(40 / 200)
    # Classes over their rows, without every tenth class.
    left_out = [36 / sizes[np.arange(40) % 10 != g].sum() for g in range(10)]
    error = np.sqrt(0.9 * np.square(left_out - np.mean(left_out)).sum())
    assert found.high - found.value == pytest.approx(2.262 * error)
    even = class_figures(np.repeat(np.arange(40), 5))["prosecutor_mean", ()]
    assert (even.low, even.value, even.high) == pytest.approx((0.2, 0.2, 0.2))


def test_a_person_is_in_the_class_of_the_row_that_gives_the_person_away():
    classes = np.r_[np.repeat(np.arange(30), 8), np.arange(30, 60)]
    persons = Persons("who", np.r_[np.arange(240), np.arange(30)])
    found = class_figures(classes, Whose(persons))
    assert found["prosecutor_mean", ()].value == pytest.approx((30 + 210 / 8) / 240)
    assert found["prosecutor_at_risk", ()].value == 30 / 240
    assert 0 < found["prosecutor_at_risk", ()].low < 30 / 240


def test_mean_risks_of_households_have_that_of_the_classes(rng):
    classes = np.repeat(np.arange(60), rng.permutation(np.r_[[2] * 30, [8] * 30]))
    homes = Persons("home", np.arange(len(classes)))  # everybody lives alone
    found = class_figures(classes, Whose(households=homes))
    for name in ("mean", "at_risk"):
        alone = found[f"prosecutor_household_{name}", ()]
        assert alone == pytest.approx(found[f"prosecutor_{name}", ()])
        assert alone.low < alone.value < alone.high
    shared = Whose(households=Persons("home", np.arange(len(classes)) // 2))
    pairs = class_figures(classes, shared)["prosecutor_household_mean", ()]
    assert alone.value < pairs.low < pairs.value < pairs.high < 1
    assert np.isnan(found["prosecutor_household_largest", ()].low)


def test_distances_of_single_columns_are_those_without_each_group(setting_and_rows):
    setting, rows = setting_and_rows
    found = distance_figures(setting, rows)
    counted = []
    for group in range(10):
        kept = rows.take(np.flatnonzero(np.arange(rows.n) % 10 != group))
        own = (setting.real.parts, kept.parts)
        sets = [(j,) for j in range(len(setting.coding.names))]
        counted.append(set_distances(*own, setting.coding.n_parts, sets).hellinger)
    error = np.sqrt(0.9 * np.square(counted - np.mean(counted, axis=0)).sum(axis=0))
    for name, half in zip(setting.coding.names, 2.262 * error, strict=True):
        figure = found["hellinger", (name,)]
        assert figure.high - figure.value == pytest.approx(half)
        assert figure.low == pytest.approx(max(figure.value - half, 0))


@pytest.fixture(scope="module")
def labelled():
    """A release of 200 rows, of which 12 are suppressed, in 30 classes and more."""
    rng = np.random.default_rng(0)
    real = pd.DataFrame({"age": rng.integers(0, 40, 200), "job": rng.choice(4, 200)})
    members = np.vstack(
        [
            np.eye(40, dtype=bool),
            np.arange(40) // 20 == np.arange(2)[:, None],
            np.ones((1, 40), bool),
        ]
    )
    codes = np.where(real["age"] % 3 == 0, 40 + real["age"] // 20, real["age"])
    age = (members, np.r_[np.full(12, 42), codes[12:]])
    members = np.vstack([np.eye(4, dtype=bool), np.ones((1, 4), bool)])
    job = (members, np.r_[np.full(12, 4), real["job"][12:]])
    columns = [
        GeneralizedColumn.from_members(name, list(range(n)), True, *own)
        for name, n, own in (("age", 40, age), ("job", 4, job))
    ]
    others = pd.DataFrame({"smoker": rng.random(200) < 0.3})
    return GeneralizedTable(columns, others, suppressed=np.arange(200) < 12), real


def test_losses_of_labels_have_that_of_the_classes(labelled):
    released, real = labelled
    found = loss_figures(released, real, k=2)
    losses = [(c.sizes - 1) / (len(c.leaves) - 1) for c in released.columns]
    cells = np.array(
        [own[c.codes] for own, c in zip(losses, released.columns, strict=True)]
    )
    _, classes = np.unique(released.class_codes[12:], return_inverse=True)
    # The classes in turn, then the suppressed rows.
    units = np.r_[classes.max() + 1 + np.arange(12), classes]
    left_out = [cells[:, units % 10 != group].mean() for group in range(10)]
    error = np.sqrt(0.9 * np.square(left_out - np.mean(left_out)).sum())
    figure = found["information_loss_set", ()]
    assert figure.value == pytest.approx(cells.mean())
    assert figure.high - figure.value == pytest.approx(2.262 * error)
    for name in ("completeness", "arx_loss", "average_class_size"):
        own = found[name, ()]
        assert own.low < own.value < own.high, name
    metric = found["classification_metric", ("smoker",)]
    assert 0 < metric.low < metric.value < metric.high < 1
    assert np.isnan(found["discernibility", ()].low)


def test_medians_of_draws_are_covered():
    rng, n_covered = np.random.default_rng(2), 0
    for _ in range(400):
        found = of_median(rng.exponential(1.0, 60))
        n_covered += found.low <= np.log(2) <= found.high
    assert 0.91 <= n_covered / 400 <= 0.99  # fails for one seed in a thousand or fewer


def test_broken_rules_have_that_of_a_share():
    shares = {"real": 0.0, "released": 0.1, "fresh": np.nan, "independent": 0.3}
    rules = pd.DataFrame([{"rule": "a <= b", "columns": ("a", "b"), **shares}])
    found = rule_figures(rules, 50)["broken_rules", ("a", "b")]
    assert found["released"] == of_share(5, 50, "a <= b")
    unasked = rule_figures(rules.assign(released=np.nan), 0)
    assert np.isnan(unasked["broken_rules", ("a", "b")]["released"].value)
