"""Cuts of hierarchies: what is refused, what is released, and what it tells."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from support.jobs import HIERARCHIES, JOB, LINES, TWO, people

from coclust_synth.baselines.cuts.anonymizer import CutAnonymizer
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.evaluation import check_release
from coclust_synth.exceptions import DataWarning, ParameterError, SchemaError
from coclust_synth.privacy import (
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    TCloseness,
)
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

SEARCHES = ("top_down", "bottom_up")


def fitted(search="top_down", k=5, table=None, **options):
    options = {"hierarchies": TWO, "sensitive": ["ill"]} | options
    anonymizer = CutAnonymizer(k, search=search, **options)
    return anonymizer.fit(people() if table is None else table)


# --- bad input ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "Expected k to be a whole number from 2"),
        ({"k": 201}, "Expected k up to the number of rows, 200. Received 201"),
        ({"search": "tds"}, "Expected search to be one of 'top_down', 'bottom_up'"),
        ({"hierarchies": None}, "quasi-identifier. Received none of 'job', 'sex'"),
        ({"hierarchies": JOB}, "quasi-identifier. Received none of 'sex'. Add them"),
        ({"hierarchies": JOB["job"]}, "hierarchies as a mapping of column names"),
        ({"quasi_identifiers": ["sex"]}, "Received one of 'job'. Leave it out"),
        ({"target": 3}, "Expected the target to be the name of a column. Received 3"),
        ({"target": "sex"}, "target that is no quasi-identifier. Received 'sex'"),
        ({"models": DistinctLDiversity(2)}, "models as a list of (column or None"),
        (
            {"models": [(None, DeltaPresence(0, 0.5))]},
            "Received (0, 0.5)-presence, which is of a population",
        ),
        (
            {"models": [("ill", DistinctLDiversity(4))]},
            "whole table as one class has distinct l = 3, and no merging of classes",
        ),
    ],
)
def test_parameters_that_cannot_be_used_are_refused(options, message):
    with pytest.raises(ParameterError, match=re.escape(message)):
        fitted(**options)


def test_a_target_or_a_value_that_is_not_there_is_refused():
    with pytest.raises(SchemaError, match="'pet'"):
        fitted(target="pet")
    table = people().replace({"job": {"nurse": "doctor"}})
    with pytest.raises(SchemaError, match=re.escape("'doctor' (1 value). Add them")):
        fitted(table=table)


def test_the_column_of_the_persons_is_no_target():
    table = people().assign(who=[f"p{i}" for i in range(200)])
    with pytest.raises(ParameterError, match="not the column of the persons"):
        fitted(table=table, target="who", person_id="who")


# --- the table that is released -----------------------------------------------


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("target", [None, "ill"])
@pytest.mark.parametrize("k", [2, 5, 40, 200])
def test_rows_are_released_under_the_nodes_of_the_cuts(search, target, k):
    table, found = people(), fitted(search, k, target=target)
    labels = {}
    for name, lines in LINES.items():
        if name not in TWO:
            continue
        # Exactly one node above each value is in the cut.
        of_value = {}
        for line in lines:
            (of_value[line[0]],) = {*line} & {*found.cuts_[name]}
        assert {*of_value.values()} == {*found.cuts_[name]}
        labels[name] = table[name].map(of_value)
    labels = pd.DataFrame(labels)
    expected = pd.concat([labels, table["ill"]], axis=1)
    released = found.release_.to_frame().astype(str)
    assert sorted(map(tuple, released.to_numpy())) == sorted(
        map(tuple, expected.to_numpy())
    )
    sizes = labels.groupby(["job", "sex"]).size()
    assert sizes.min() >= k and sorted(sizes) == sorted(found.report_.classes["size"])
    assert labels.groupby(found.classes_).nunique().max().max() == 1
    checked = check_release(found.release_.to_frame(), ["job", "sex"], ["ill"], k=k)
    assert checked.holds
    assert found.report_.covered_cells == 1 and found.report_.n_suppressed == 0


def test_a_column_can_have_nodes_of_several_levels():
    table = people()
    found = fitted(k=20, table=table[table["job"] != "nurse"])
    assert found.cuts_["job"] == ("cook", "baker", "care", "smith", "welder")
    # Nurses are few: they need company, and no level but the root gives it.
    lines = [(*line[:2], "care or metal", "*") for line in LINES["job"]]
    lines = [(a, b, c if b != "food" else "food", d) for a, b, c, d in lines]
    job = GeneralizationHierarchy.from_lines("job", lines)
    for search in SEARCHES:
        found = fitted(search, k=20, table=table, hierarchies=TWO | {"job": job})
        assert found.cuts_["job"] == ("cook", "baker", "care or metal")
    lattice = LatticeAnonymizer(20, hierarchies=TWO | {"job": job}, sensitive=["ill"])
    assert lattice.fit(table).release_["job"].labels == ("food", "care or metal")


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize(
    "model", [DistinctLDiversity(3), EntropyLDiversity(2), TCloseness(0.15)], ids=str
)
def test_every_class_holds_the_models(search, model):
    table = people()
    table.loc[table["job"] == "baker", "ill"] = "flu"
    names = ["job", "sex"]
    for models, holds in (((), False), ([("ill", model)], True)):
        found = fitted(search, 2, table, models=models)
        frame = found.release_.to_frame()
        checked = check_release(frame, names, ["ill"], k=2, models=[("ill", model)])
        assert checked.holds == holds
    # Steps upwards look at rows alone, and go on until the models hold.
    assert len(found.report_.classes) > (search == "top_down")


def test_groups_named_alike_on_two_levels_are_told_apart():
    """Hierarchies of other tools have the root's label on all levels of a value."""
    lines = [("cook", "food", "*"), ("baker", "food", "*"), ("?", "*", "*")]
    lines += [("food", "care", "*"), ("nurse", "care", "*")]
    job = GeneralizationHierarchy.from_lines("job", lines)
    table = pd.DataFrame({"job": ["cook", "baker", "?", "food", "nurse"] * 3})
    found = fitted(k=2, table=table.iloc[:-3], hierarchies={"job": job}, sensitive=None)
    assert found.cuts_ == {"job": ("cook", "baker", "?", "food", "nurse")}
    table = table.replace({"job": {"baker": "cook"}}).drop(index=[3, 8])
    table.loc[0, "job"] = "baker"
    found = fitted(k=2, table=table, hierarchies={"job": job}, sensitive=None)
    rows = found.release_.to_frame()["job"].value_counts().to_dict()
    assert found.cuts_ == {"job": ("food", "?", "care")}
    assert rows == {"food": 6, "?": 3, "care": 4}


def test_a_table_of_one_value_in_each_column_keeps_it():
    table = pd.DataFrame({"town": ["here"] * 4, "sex": ["F"] * 4})
    hierarchies = {name: HIERARCHIES[name] for name in ("town", "sex")}
    for search in SEARCHES:
        with pytest.warns(DataWarning):
            found = fitted(search, 2, table, hierarchies=hierarchies, sensitive=None)
        assert found.release_["town"].labels == ("here",)
        assert found.release_["sex"].labels == ("F",)


@pytest.mark.parametrize("search", SEARCHES)
def test_missing_values_are_a_value(search):
    lines = [("cook", "food", "*"), ("baker", "food", "*"), ("", "none", "*")]
    job = GeneralizationHierarchy.from_lines(
        "job", lines, leaves=["cook", "baker", None]
    )
    table = pd.DataFrame({"job": ["cook", "baker", None] * 4, "ill": ["a", "b"] * 6})
    found = fitted(search, 4, table, hierarchies={"job": job}, target="ill")
    assert found.report_.classes["size"].min() >= 4
    assert set(found.cuts_["job"]) <= {"cook", "baker", "food", "", "none"}


@pytest.mark.parametrize("search", SEARCHES)
def test_the_order_of_rows_changes_nothing(search):
    table = people()
    shuffled = table.sample(frac=1, random_state=1)
    for target in (None, "ill"):
        one, other = (fitted(search, 9, t, target=target) for t in (table, shuffled))
        assert (one.cuts_, one.steps_) == (other.cuts_, other.steps_)
        pd.testing.assert_frame_equal(
            one.release_.to_frame(), other.release_.to_frame()
        )


def test_parameters_survive_cloning():
    anonymizer = CutAnonymizer(3, hierarchies=TWO, search="bottom_up", target="ill")
    assert clone(anonymizer).get_params() == anonymizer.get_params()


# --- what it tells of the target ----------------------------------------------


def test_the_first_steps_on_the_table_of_the_paper():
    """Table 1 of Fung, Wang and Yu (2005), on education and sex with k = 4.

    InfoGain(any education) = .9597 - (16/34 .8960 + 18/34 .5033) = .2716 for a loss of
    18 rows, .2716 / 19 = .0143, against .1665 / 19 of sex. Of 16 and 18 rows then,
    secondary tells .3385 for 9 rows, university .1022 for 8, sex .1665 for 12.
    """
    rows = [
        *[("9th", "M", "N")] * 3,
        *[("10th", "M", "N")] * 4,
        *[("11th", "M", "Y")] * 2,
        *[("11th", "M", "N")] * 3,
        *[("12th", "F", "Y")] * 3,
        *[("12th", "F", "N")] * 1,
        *[("Bachelors", "F", "Y")] * 8,
        *[("Bachelors", "F", "N")] * 2,
        *[("Masters", "M", "Y")] * 4,
        *[("Masters", "F", "Y")] * 3,
        *[("Doctorate", "F", "Y")] * 1,
    ]
    table = pd.DataFrame(rows, columns=["education", "sex", "class"])
    lines = [
        ("9th", "Junior Sec.", "Secondary", "Any"),
        ("10th", "Junior Sec.", "Secondary", "Any"),
        ("11th", "Senior Sec.", "Secondary", "Any"),
        ("12th", "Senior Sec.", "Secondary", "Any"),
        ("Bachelors", "Bachelors", "University", "Any"),
        ("Masters", "Grad School", "University", "Any"),
        ("Doctorate", "Grad School", "University", "Any"),
    ]
    hierarchies = {
        "education": GeneralizationHierarchy.from_lines("education", lines),
        "sex": HIERARCHIES["sex"],
    }
    found = fitted(
        k=4, table=table, hierarchies=hierarchies, target="class", sensitive=["class"]
    )
    # Then of 7, 9 and 18: senior 4 and 5 rows, .9911 - 4/9 .8113 - 5/9 .9710 = .0911
    # for 3; university for none; sex leaves 4 of 7 M, 5 M, 4 F, 4 M and 14 F.
    assert found.steps_[:3] == (
        ("education", "Any"),
        ("education", "Secondary"),
        ("education", "University"),
    )
    # All of junior secondary say N: nothing is told by specialising it.
    assert "Junior Sec." in found.cuts_["education"]


def uncertainty(found, table, target):
    """Mean entropy of the target in the class of a row, in bits."""
    shares = table[target].groupby(found.classes_).value_counts(normalize=True)
    entropies = -(shares * np.log2(shares)).groupby(level=0).sum()
    sizes = pd.Series(found.classes_).value_counts()
    return (entropies * sizes).sum() / len(table)


@pytest.mark.parametrize("search", SEARCHES)
def test_the_target_is_told_where_datafly_loses_it(search, rng):
    """Ward a1 is all of the ill; Datafly generalises wards, which are most, first."""
    wards = [f"{group}{i}" for group in "abc" for i in range(3)]
    ward = np.repeat(wards, 40)
    room = rng.choice(["r1", "r2", "r3"], len(ward), p=[0.55, 0.43, 0.02])
    ill = np.where(ward == "a1", "yes", "no")
    table = pd.DataFrame({"ward": ward, "room": room, "ill": ill})
    hierarchies = {
        "ward": [(own, own[0], "*") for own in wards],
        "room": [(own, "*") for own in ("r1", "r2", "r3")],
    }
    hierarchies = {
        name: GeneralizationHierarchy.from_lines(name, lines)
        for name, lines in hierarchies.items()
    }
    options = {"hierarchies": hierarchies, "sensitive": ["ill"]}
    datafly = LatticeAnonymizer(5, search="datafly", **options).fit(table)
    found = CutAnonymizer(5, search=search, target="ill", **options).fit(table)
    assert uncertainty(datafly, table, "ill") > 0.2
    assert uncertainty(found, table, "ill") == 0
