"""A table fits the schema that was found in it, however its cells are written."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coclust_synth.tables.reading.infer import parse_text
from coclust_synth.tables.schema import Schema

DAYS = [str(np.datetime64("2020-01-01") + day) for day in (0, 40, 300, 700)]
KINDS = {
    "integers": ["0", "7", "39", "5120"],
    "reals": ["0.50", "12.25", "103.10"],
    "signed": ["+7", "-12", "+45"],
    "thousands": ["1,250", "40,000", "12,800,000"],
    "blanks as thousands": ["1 250", "40 000", "980"],
    "decimal commas": ["1.250,50", "40,25"],
    "money": ["$60,000", "$1,250", "$9,400"],
    "shares": ["12.5%", "3.0%", "99.9%"],
    "units": ["12 kg", "80 kg", "71 kg"],
    "in brackets": ["(12.50)", "3.75", "(0.25)"],
    "powers": ["1.25E+06", "3.40E+05"],
    "dates": DAYS,
    "days first": ["31.12.2020", "01.02.2021", "17.05.2019"],
    "digits": ["20201231", "20210201", "20190517"],
    "instants": [f"{day}T12:30:00Z" for day in DAYS],
    "times": ["08:30", "23:59", "12:15"],
    "booleans": ["true", "false"],
    "booleans of R": ["TRUE", "FALSE"],
    "booleans of Python": ["True", "False"],
    "mixed booleans": ["true", "False", "TRUE"],
    "codes": ["39", "7", "M"],
    "two codes": ["0", "1"],
    "zeros in front": ["00501", "10027", "02139"],
    "ranges": ["18-25", "26-40"],
    "lists": ["Bus;Train", "Bus", "Train;Walk"],
    "texts": ["red", "green", "blue"],
}
BLANKS = st.sampled_from(["", "", " ", "  ", "\t", "\u00a0"])
MARKS = ["", " ", "NA", "NA ", " ?", "-", ".", "None", "null", "#N/A", r"\N"]


@st.composite
def cells(draw):
    """Cells of one kind, with blanks around some or all, and marks of missing ones."""
    values = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    sides = st.tuples(BLANKS, BLANKS)
    around = draw(st.lists(sides, min_size=1, max_size=3))
    marks = draw(st.lists(st.sampled_from(MARKS), max_size=2))
    own = [
        before + values[i % len(values)] + behind
        for i in range(30)
        for before, behind in [around[i % len(around)]]
    ]
    for i, mark in enumerate(marks):
        own[i :: 5 + i] = [mark] * len(own[i :: 5 + i])
    return own


def fits_its_own_schema(own):
    table = pd.DataFrame({"own": own, "other": ["a", "b", "c"] * 10}, dtype=str)
    found = parse_text(table)
    again = parse_text(table, Schema.from_toml(found.schema.to_toml()))
    pd.testing.assert_frame_equal(again.frame, found.frame)
    return again.schema == found.schema


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "booleans" in kind])
def test_booleans_with_blanks_around_them_fit_their_own_schema(kind):
    """They were read without the blanks, and then looked up with them."""
    own = [f" {value}" if value[0] in "fF" else value for value in KINDS[kind]] * 30
    assert fits_its_own_schema(own[:30])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@settings(deadline=None, max_examples=300)
@given(cells())
def test_a_table_fits_the_schema_that_was_found_in_it(own):
    assert fits_its_own_schema(own)
