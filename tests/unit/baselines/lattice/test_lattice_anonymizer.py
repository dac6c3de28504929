"""Global recoding: what it refuses, and the table that it releases."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.jobs import HIERARCHIES, JOB, TWO, people

from coclust_synth.baselines import class_labels
from coclust_synth.baselines.lattice import lattice as lattice_module
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    discernability,
)
from coclust_synth.exceptions import DataWarning, ParameterError, SchemaError
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy


def fitted(k=5, table=None, **options):
    options = {"hierarchies": TWO, "sensitive": ["ill"]} | options
    return LatticeAnonymizer(k, **options).fit(people() if table is None else table)


# --- bad input ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "Expected k to be a whole number from 2"),
        ({"k": 201}, "Expected k up to the number of rows, 200. Received 201"),
        ({"search": "guess"}, "Expected search to be one of 'flash'"),
        ({"max_checks": 0}, "Expected max_checks to be a whole number from 1"),
        ({"time_limit": -1}, "Expected time_limit to be a positive number of seconds"),
        ({"metric": "beauty"}, "Expected metric to be one of 'loss', 'loss_arithm"),
        ({"max_suppressed": 1.5}, "Expected max_suppressed to be a share"),
        ({"hierarchies": {}}, "quasi-identifier. Received none of 'job', 'sex'"),
        ({"hierarchies": JOB}, "quasi-identifier. Received none of 'sex'. Add them"),
        (
            {"quasi_identifiers": ["sex"]},
            "Received one of 'job'. Leave it out, or name it",
        ),
        (
            {"models": [(None, DeltaPresence(0, 0.5))]},
            "Received (0, 0.5)-presence, which is of a population",
        ),
        ({"models": DistinctLDiversity(2)}, "models as a list of (column or None"),
        ({"hierarchies": JOB["job"]}, "hierarchies as a mapping of column names"),
        ({"search": ["flash"]}, "Expected search to be one of"),
        (
            {"models": [("ill", DistinctLDiversity(4))]},
            "whole table as one class has distinct l = 3, and no merging of classes",
        ),
        (
            {"models": [("sex", DistinctLDiversity(2))]},
            "on one of the sensitive columns 'ill'. Received 'sex'",
        ),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(options, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        fitted(**options)


def test_a_value_that_is_no_leaf_is_refused():
    table = people().replace({"job": {"nurse": "doctor"}})
    with pytest.raises(SchemaError, match=re.escape("'doctor' (1 value). Add them")):
        fitted(table=table)


@pytest.mark.parametrize(
    ("search", "n_nodes"), [("flash", 6), ("samarati", 6), ("incognito", 12)]
)
def test_a_lattice_without_room_is_refused(search, n_nodes, monkeypatch):
    monkeypatch.setattr(lattice_module, "MAX_NODES", 5)
    message = f"Expected a lattice of at most 5 nodes. Received {n_nodes}, the product"
    with pytest.raises(ParameterError, match=message):
        fitted(search=search)


def test_more_labels_than_fit_in_memory_are_refused(monkeypatch):
    # Of the 5 leaves of job, 4 have rows.
    table = people()
    table = table[table["job"] != "welder"]
    monkeypatch.setattr(class_labels, "MAX_CELLS", 20)
    assert fitted(table=table).node_ == (0, 1)
    monkeypatch.setattr(class_labels, "MAX_CELLS", 19)
    with pytest.raises(ParameterError, match="'job', of 5 values and up to 4 labels"):
        fitted(table=table)


# --- the table that is released -----------------------------------------------


@pytest.mark.parametrize("metric", QUALITY)
@pytest.mark.parametrize("max_suppressed", [0, 0.05])
def test_rows_are_released_under_the_nodes_of_their_values(metric, max_suppressed):
    table = people()
    found = fitted(metric=metric, max_suppressed=max_suppressed)
    kept = found.classes_ >= 0
    assert (~kept).sum() == found.report_.n_suppressed <= 200 * max_suppressed
    labels = pd.DataFrame(
        {
            name: np.where(kept, TWO[name].generalize(table[name], level), "*")
            for name, level in zip(TWO, found.node_, strict=True)
        }
    )
    sizes = labels[kept].groupby(["job", "sex"]).size()
    assert sizes.min() >= 5 and sorted(sizes) == sorted(found.report_.classes["size"])
    assert labels[kept].groupby(found.classes_[kept]).nunique().max().max() == 1
    expected = pd.concat([labels, table["ill"]], axis=1)
    released = found.release_.to_frame().astype(str)
    assert sorted(map(tuple, released.to_numpy())) == sorted(
        map(tuple, expected.to_numpy())
    )
    of_release = {
        "loss": arx_loss,
        "loss_arithmetic": lambda r: arx_loss(r, aggregate="arithmetic"),
        "dm": discernability,
        "class_size": lambda r: average_class_size(r, 1),
    }
    if metric in of_release:
        score = of_release[metric](found.release_)
        assert found.score_ == pytest.approx(score, rel=1e-9, abs=1e-9)


def test_suppression_keeps_more_of_the_other_rows():
    assert fitted().score_ > fitted(max_suppressed=0.05).score_
    everything = fitted(max_suppressed=1.0)
    assert everything.score_ <= fitted(max_suppressed=0.05).score_


def test_every_class_that_is_kept_holds_the_models():
    table = people()
    table.loc[table["job"] == "nurse", "ill"] = "flu"
    plain = fitted(table=table, k=2, max_suppressed=0.05)
    models = [("ill", EntropyLDiversity(1.8))]
    diverse = fitted(table=table, k=2, max_suppressed=0.05, models=models)
    for found, holds in ((plain, False), (diverse, True)):
        kept = found.classes_ >= 0
        values = table["ill"][kept].groupby(found.classes_[kept])
        shares = values.value_counts(normalize=True)
        entropies = -(shares * np.log(shares)).groupby(level=0).sum()
        assert (np.exp(entropies) >= 1.8).all() == holds
    assert diverse.score_ > plain.score_


@pytest.mark.parametrize(
    "model",
    [
        AlphaK(0.6),
        EntropyLDiversity(1.95),
        RecursiveLDiversity(1.5, 2),
        TCloseness(0.1),
    ],
    ids=str,
)
def test_a_model_may_hold_below_a_node_where_it_fails(model):
    """Cooks hold it, and so does everybody; bakers are suppressed, or spoil food."""
    rows = [("cook", "flu", 3), ("cook", "cold", 3), ("baker", "flu", 2)]
    rows += [("smith", "flu", 9), ("smith", "cold", 11)]
    table = pd.DataFrame(
        [(job, ill) for job, ill, n in rows for _ in range(n)], columns=["job", "ill"]
    )
    options = {"k": 2, "table": table, "hierarchies": JOB, "models": [("ill", model)]}
    assert fitted(**options).node_ == (2,)
    found = fitted(max_suppressed=0.08, **options)
    assert found.node_ == (0,)
    assert set(table["job"][found.classes_ < 0]) == {"baker"}


@pytest.mark.slow
def test_of_equal_scores_the_lowest_sum_of_levels_is_taken():
    """Either column must go to the root; one needs two levels for it."""
    table = pd.DataFrame({"left": ["a", "a", "b", "b"], "right": ["a", "b", "a", "b"]})
    hierarchies = {
        "left": [("a", "a", "*"), ("b", "b", "*")],
        "right": [("a", "*"), ("b", "*")],
    }
    for names in (["left", "right"], ["right", "left"]):
        own = {
            name: GeneralizationHierarchy.from_lines(name, hierarchies[name])
            for name in names
        }
        for metric in ("loss", "loss_arithmetic", "precision", "dm", "entropy"):
            found = fitted(
                2, table[names], hierarchies=own, metric=metric, sensitive=None
            )
            assert dict(zip(names, found.node_, strict=True)) == {"left": 0, "right": 1}


def test_a_group_named_as_the_root_is_told_from_it():
    """Hierarchies of other tools have the root's label on all levels of a value."""
    lines = [("cook", "food", "*"), ("baker", "food", "*"), ("?", "*", "*")]
    job = GeneralizationHierarchy.from_lines("job", lines)
    table = pd.DataFrame({"job": ["cook", "baker", "?"] * 6, "sex": ["F"] * 18})
    table.loc[0, "sex"] = "M"
    found = fitted(
        k=6,
        table=table,
        hierarchies=TWO | {"job": job},
        max_suppressed=0.06,
        sensitive=None,
    )
    assert found.node_ == (1, 0) and found.report_.n_suppressed == 1
    rows = found.release_.to_frame().astype(str).value_counts().to_dict()
    assert rows == {("food", "F"): 11, ("* (2)", "F"): 6, ("*", "*"): 1}


def test_a_table_of_one_value_in_each_column_keeps_it():
    table = pd.DataFrame({"town": ["here"] * 4, "sex": ["F"] * 4})
    hierarchies = {name: HIERARCHIES[name] for name in ("town", "sex")}
    with pytest.warns(DataWarning):
        found = fitted(k=2, table=table, hierarchies=hierarchies, sensitive=None)
    assert found.node_ == (0, 0) and found.score_ == 0
    assert found.release_["town"].labels == ("here",)


def test_nodes_are_levels_of_the_quasi_identifiers_in_their_order():
    reversed_order = dict(reversed(TWO.items()))
    found = fitted(hierarchies=reversed_order, quasi_identifiers=["sex", "job"])
    assert found.roles_.quasi_identifiers == ("job", "sex")
    assert found.node_ == fitted().node_


@pytest.mark.slow
def test_columns_beyond_one_word_of_bits(rng):
    """40 columns of 17 values need 200 bits; one level each but for two."""
    names = [f"c{j}" for j in range(40)]
    values = [f"v{i}" for i in range(17)]
    lines = [[(v, "*") for v in values]] * 2 + [[("v0",)]] * 38
    lines[-1] = lines[0]
    hierarchies = {
        name: GeneralizationHierarchy.from_lines(name, own)
        for name, own in zip(names, lines, strict=True)
    }
    table = pd.DataFrame("v0", index=range(60), columns=names)
    for j in (0, 39):
        table[names[j]] = rng.choice(values[:3], 60)
    table["c1"] = rng.choice(values, 60)
    with pytest.warns(DataWarning):
        found = fitted(k=2, table=table, hierarchies=hierarchies, sensitive=None)
    assert found.node_ == (0, 1, *[0] * 38)
    assert found.report_.classes["size"].sum() == 60


def test_parameters_survive_cloning():
    anonymizer = LatticeAnonymizer(3, hierarchies=TWO, metric="dm", max_suppressed=0.1)
    assert clone(anonymizer).get_params() == anonymizer.get_params()


def test_the_order_of_rows_changes_nothing():
    table = people()
    shuffled = table.sample(frac=1, random_state=1)
    one = fitted(table=table, max_suppressed=0.02)
    other = fitted(table=shuffled, max_suppressed=0.02)
    assert (one.node_, one.score_, one.checks_) == (
        other.node_,
        other.score_,
        other.checks_,
    )
    pd.testing.assert_frame_equal(one.release_.to_frame(), other.release_.to_frame())
