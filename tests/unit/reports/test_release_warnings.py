"""What of a k-anonymous release is told before anything else."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    DistinctLDiversity,
    HybridKAnonymizer,
    MDAVAnonymizer,
    MondrianAnonymizer,
)
from coclust_synth.evaluation.trade_offs import class_trade_off
from coclust_synth.evaluation.utility.generalized import loss_figures
from coclust_synth.exceptions import DataWarning
from coclust_synth.reports.anonymized import anonymized_facts, release_warnings
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.k_anonymity import (
    counted_statement,
    k_anonymity_statement,
    not_protected,
)
from coclust_synth.reports.plain_release import pooled_warnings
from coclust_synth.tables.parts.rare.pools import Pooled
from coclust_synth.tables.reading.table import as_table

TABLE = pd.DataFrame(
    {
        "age": np.repeat([20, 40, 60], 6),
        "disease": ["flu"] * 6 + list("abcabc") + ["flu", "gout"] * 3,
        "person": [f"p{i // 2}" for i in range(18)],
    }
)
ROLES = {"quasi_identifiers": ["age"], "sensitive": ["disease"]}


def test_classes_that_share_a_value():
    table = TABLE.drop(columns="person")
    told = release_warnings(MondrianAnonymizer(6, **ROLES).fit(table))
    (shared,) = told
    assert shared.startswith("In 1 of 3 classes all rows have the same 'disease'")
    assert "of the 6 people" in shared
    diverse = MondrianAnonymizer(
        6, **ROLES, models=[("disease", DistinctLDiversity(2))]
    ).fit(table)
    assert release_warnings(diverse) == ()
    assert "with distinct 2-diversity of disease: " in k_anonymity_statement(diverse)


def test_kept_columns_that_tell_people_apart():
    table = TABLE.assign(pay=np.arange(18) // 2, town=list("uvw") * 6)
    other = {f"x{i}": np.arange(18) for i in range(6)}
    options = {"quasi_identifiers": ["age"], "others": "keep"}
    kept = table.drop(columns=["person", "disease"])
    with pytest.warns(DataWarning, match="however large k is"):
        anonymizer = MondrianAnonymizer(6, **options).fit(kept.assign(**other))
    (told,) = release_warnings(anonymizer)
    assert "'x0' (100% of them)" in told
    assert told.count("of them)") == 5
    assert "and 1 more. Whoever knows such a value finds the row" in told
    # Of pay nobody's rows are anybody else's, where rows are those of persons.
    assert release_warnings(MondrianAnonymizer(6, **options).fit(kept)) == ()
    persons = table.drop(columns="disease")
    with pytest.warns(DataWarning, match="however large k is"):
        anonymizer = MondrianAnonymizer(3, **options, person_id="person").fit(persons)
    assert "'pay' (100% of them)" in release_warnings(anonymizer)[0]


def test_rare_values_that_are_others_in_a_synthetic_release():
    pooled = [Pooled("sex", 1, 3), Pooled("town", 325, 2306), Pooled("job", 40, 600)]
    (told,) = pooled_warnings(pooled, 4887)
    assert "'town' 325 values of 2,306 rows (47%), 'job' 40 values of 600" in told
    assert "sex" not in told
    assert pooled_warnings(pooled[:1], 4887) == ()


def test_rows_of_persons():
    anonymizer = MondrianAnonymizer(3, **ROLES, person_id="person").fit(TABLE)
    shared, persons = release_warnings(anonymizer)
    assert "all persons have the same value of 'disease'" in shared
    assert shared.startswith("In 2 of 3 classes")
    assert "of one of the 6 persons in them also knows" in shared
    assert "the smallest class has 3 of them" in persons
    assert "at least that many persons" in k_anonymity_statement(anonymizer)
    assert "counted by persons" not in k_anonymity_statement(anonymizer)


def test_models_of_persons_say_how_they_count():
    models = [("disease", DistinctLDiversity(2))]
    own = {"models": models, "person_id": "person"}
    anonymizer = MondrianAnonymizer(3, **ROLES, **own).fit(TABLE)
    how = "counted by persons, each once in a class, for the commonest value that they"
    assert how in k_anonymity_statement(anonymizer)
    facts = anonymized_facts(anonymizer, as_table(TABLE))
    assert facts["models_counted"].startswith("by persons, each once in a class")
    rows = TABLE.drop(columns="person")
    of_rows = MondrianAnonymizer(3, **ROLES, models=models).fit(rows)
    assert anonymized_facts(of_rows, as_table(rows))["models_counted"] is None
    assert "counted by persons" not in k_anonymity_statement(of_rows)


def test_what_labels_do_not_stand_for_is_stated(rng):
    """By default rare values are left out of labels; `truthful` leaves none out."""
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, 300), "ward": rng.choice(list("abcdefgh"), 300)}
    )
    told = []
    for truthful in (False, True):
        anonymizer = HybridKAnonymizer(
            k=30, truthful=truthful, n_iterations=2, random_state=0
        ).fit(frame)
        assert (anonymizer.report_.n_perturbed > 0) != truthful
        told.append("A label need not stand for" in k_anonymity_statement(anonymizer))
    assert told == [True, False]
    for n_perturbed, said in ((0, False), (3, True)):
        counted = SimpleNamespace(
            smallest=5,
            n_perturbed=n_perturbed,
            roles=SimpleNamespace(quasi_identifiers=["age"]),
        )
        assert ("A label need not stand" in counted_statement(counted, 5)) == said


def test_rows_of_classes_that_share_a_sensitive_value_are_told():
    frame = pd.DataFrame(
        {
            "age": [30] * 4 + [50] * 4,
            "illness": ["flu"] * 4 + ["flu", "cold", "cold", "cold"],
            "drug": ["a"] * 4 + ["b"] * 4,
        }
    )
    asked = {"quasi_identifiers": ["age"], "sensitive": ["illness", "drug"]}
    table = as_table(frame)
    facts = anonymized_facts(MondrianAnonymizer(4, **asked).fit(table), table)
    assert facts["rows_of_one_value"] == {"illness": 4, "drug": 8}
    none = MondrianAnonymizer(4, quasi_identifiers=["age"]).fit(table)
    assert anonymized_facts(none, table)["rows_of_one_value"] is None


def test_values_that_all_persons_of_a_class_have_are_told():
    """Each of the first three has the flu beside something else, as rows differ."""
    frame = pd.DataFrame(
        {
            "who": list("aabbcc") + list("ddeeff"),
            "age": [30] * 6 + [50] * 6,
            "illness": "flu cut flu burn cold flu x y x y z z".split(),
        }
    )
    asked = {"quasi_identifiers": ["age"], "sensitive": ["illness"]}
    table = as_table(frame)
    anonymizer = MondrianAnonymizer(3, **asked, person_id="who").fit(table)
    facts = anonymized_facts(anonymizer, table)
    assert facts["rows_of_one_value"] == {"illness": 6}
    assert facts["persons_of_one_value"] == {"illness": 3}
    assert "of the 3 persons in them" in release_warnings(anonymizer)[0]
    models = [("illness", DistinctLDiversity(2))]
    diverse = MondrianAnonymizer(3, **asked, person_id="who", models=models).fit(table)
    assert anonymized_facts(diverse, table)["persons_of_one_value"] == {"illness": 0}
    assert len(diverse.release_.class_sizes) == 1
    rows = MondrianAnonymizer(3, **asked).fit(frame.drop(columns="who"))
    found = anonymized_facts(rows, as_table(frame.drop(columns="who")))
    assert found["persons_of_one_value"] is None


def test_shuffled_values_are_other_persons_values():
    """Rows of a class keep their values together, its persons do not."""
    own = {
        "models": [("disease", DistinctLDiversity(2))],
        "sensitive_values": "shuffle",
    }
    told = "values of other rows of their class, need not satisfy them"
    of_persons = MondrianAnonymizer(3, **ROLES, person_id="person", **own).fit(TABLE)
    assert told in k_anonymity_statement(of_persons)
    of_rows = MondrianAnonymizer(3, **ROLES, **own).fit(TABLE.drop(columns="person"))
    assert "need not satisfy" not in k_anonymity_statement(of_rows)


@pytest.mark.slow
def test_centres_of_classes_have_no_loss_of_labels():
    """They stand for one value each, which need not be that of their rows."""
    frame = pd.DataFrame({"age": [20, 21, 30, 34, 50, 59], "pet": list("aabbab")})
    table, facts = as_table(frame), {}
    for how in ("sets", "centroids"):
        anonymizer = MDAVAnonymizer(2, release=how).fit(table)
        facts[how] = anonymized_facts(anonymizer, table)
    assert "squared_error" not in facts["sets"]
    assert facts["sets"]["information_loss"] > 0
    own = facts["centroids"]
    assert own["information_loss"] is None and own["perturbed_rows"] == 5
    squares = 2 * (0.5**2 + 2**2 + 4.5**2)
    spread = ((frame["age"] - frame["age"].mean()) ** 2).sum()
    assert own["squared_error"] == anonymizer.squared_error_
    assert abs(own["squared_error"] - squares / spread) < 1e-12
    assert (
        "information loss"
        not in labels_section(anonymizer.release_, 2, of_centres=True).content.lower()
    )
    found = loss_figures(anonymizer.release_, frame, k=2, of_centres=True)
    assert "centres of classes" in found["information_loss_set", ()].note
    assert np.isnan(found["arx_loss", ()].value)
    (name, *_) = class_trade_off(anonymizer, table).lines
    assert name == "squared error, SSE / SST"
    told = not_protected(0, of_centres=True)
    assert len(told) == len(not_protected(0)) + 1
    assert "means can be nobody's" in told[3]
    of_persons = not_protected(1, of_persons=True)
    assert "all persons" in of_persons[0] and "unless a column" not in of_persons[-2]
    assert "several rows of a person" in of_persons[-2]
