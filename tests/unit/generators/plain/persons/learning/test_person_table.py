"""What holds of the rows of a table by person."""

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.generators.plain.persons.learning.person_table import PersonTable
from coclust_synth.tables.relations.days import completed_years
from coclust_synth.tables.rules.found import rules_of


@pytest.mark.slow
def test_of_two_ages_that_nearly_tell_each_other_one_advances(rng):
    """With a number of each person each, they would be years apart."""
    n, rows = 200, 4
    person = np.repeat(np.arange(n), rows)
    day = 17_000 + rng.integers(0, 1100, n * rows)
    born = np.repeat(rng.integers(-20_000, 10_000, n), rows)
    since = np.repeat(rng.integers(13_000, 17_000, n), rows)
    columns = {
        "day": day.astype("datetime64[D]").astype("datetime64[us]"),
        "age": np.round((day - born) / 365.25, 1),
        "years": completed_years(born, day),
        "since": np.round((day - since) / 365.25, 1),
    }
    evidence = evidence_of(columns, person)
    table = PersonTable.of(evidence, rules_of(evidence, None, 20), 20)
    assert {*table.starts} == {"years", "since"}
