"""What of a k-anonymous release is told before anything else."""

import numpy as np
import pandas as pd

from coclust_synth import DistinctLDiversity, MondrianAnonymizer
from coclust_synth.reports.anonymized import k_anonymity_statement, release_warnings

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
    assert shared.startswith("In 1 of 3 classes all rows have the same disease")
    assert "of the 6 people" in shared
    diverse = MondrianAnonymizer(
        6, **ROLES, models=[("disease", DistinctLDiversity(2))]
    ).fit(table)
    assert release_warnings(diverse) == ()
    assert "with distinct 2-diversity of disease: " in k_anonymity_statement(diverse)


def test_rows_of_persons():
    anonymizer = MondrianAnonymizer(3, **ROLES, person_id="person").fit(TABLE)
    _, persons = release_warnings(anonymizer)
    assert "the smallest class has 3 of them" in persons
    assert "as many persons" in k_anonymity_statement(anonymizer)
