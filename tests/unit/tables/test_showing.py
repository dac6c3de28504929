"""How results read: short, escaped, and without rows of people."""

import numpy as np
import pandas as pd
import pytest
from support.evaluations import people

from coclust_synth import (
    CoclusterSynthesizer,
    GeneralizationHierarchy,
    HybridKAnonymizer,
    MODLCoclustering,
    MODLDataGrid,
    check_release,
    coclustering_report,
    infer_schema,
)
from coclust_synth.evaluation import compare_hierarchies, household_risk
from coclust_synth.evaluation.telling_apart.auc import AUC
from coclust_synth.evaluation.telling_apart.audit import Audit
from coclust_synth.evaluation.telling_apart.nearest_rows import Membership
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.reading.table import as_table

SECRET = "<b>Ms Only & Alone</b>"
REAL = people(80).assign(name=SECRET)[["age", "ward", "drug", "name"]]


@pytest.fixture(scope="module")
def results():
    """Results of all kinds, of a table whose every row holds a secret."""
    table = REAL.assign(name=[f"{SECRET}{i}" for i in range(80)])
    known = infer_schema(table).keep("name")
    two = table[["ward", "drug"]]
    model = MODLCoclustering(n_iterations=1, random_state=0).fit(two)
    grid = MODLDataGrid(n_iterations=1, random_state=0).fit(two)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    synthesizer.fit(table[["age", "ward"]])
    anonymizer = HybridKAnonymizer(k=5, n_iterations=1, random_state=0)
    released = anonymizer.fit_transform(table[["age", "ward"]])
    lines = [(name, "*") for name in ("a", "b", SECRET)]
    tree = GeneralizationHierarchy.from_lines("x", lines)
    auc = AUC(0.51, 0.4, 0.6, 20, 20)
    homes = Persons("home", np.arange(80) // 2)
    return [
        known,
        as_table(table, known),
        model.coding_,
        model.grid_,
        model.dendrogram_,
        model.dendrogram_.contingency,
        grid.grid_,
        grid.dendrogram_,
        coclustering_report(model, two),
        synthesizer.model_,
        released,
        released["age"],
        tree,
        compare_hierarchies(tree, tree),
        check_release(table, ["ward"], ["drug"], k=3),
        household_risk(np.zeros(80, dtype=int), homes, None),
        homes,
        Audit(20, Membership(auc, auc), {}, {SECRET: 0.5}),
    ]


@pytest.mark.slow
def test_every_result_is_a_line_without_arrays_or_rows(results):
    for result in results:
        text = repr(result)
        assert text.startswith(f"<{type(result).__name__}: ") and text.endswith(">")
        assert len(text) < 300 and "\n" not in text and "array(" not in text
        assert "Only" not in text
        if hasattr(result, "_repr_html_"):
            page = result._repr_html_()
            assert page.startswith(f"<table><caption>{type(result).__name__}<")
            assert "Only" not in page


def test_what_is_told_is_right(results):
    told = {type(result).__name__: repr(result) for result in results}
    assert told["Table"] == "<Table: rows 80, columns 4>"
    assert told["PrivacyCheck"].startswith(
        "<PrivacyCheck: quasi-identifiers ward, rows 80, classes 3, k "
    )
    assert "models 1 of 1 hold" in told["PrivacyCheck"]
    assert told["Schema"] == "<Schema: columns 4, kinds 1 integer, 3 categorical>"
    assert "nodes by level 3 1" in told["GeneralizationHierarchy"]
    assert told["Persons"] == "<Persons: column home, rows 80, persons 40>"
    assert told["HouseholdRisk"].startswith("<HouseholdRisk: households 40, smallest ")


def test_values_that_are_shown_are_escaped():
    members = np.eye(2, dtype=bool)
    column = GeneralizedColumn.from_members(
        "<i>x", ("<script>", "b"), False, members, np.array([0, 1, 1])
    )
    page = GeneralizedTable((column,))._repr_html_()
    # A release shows its first rows, which it publishes.
    assert "&lt;script&gt;" in page and "<script>" not in page
    assert "&lt;i&gt;x" in page and "<i>" not in page
    schema = infer_schema(pd.DataFrame({"<i>x": [1, 2]}))
    assert "<i>" not in schema._repr_html_() and "&lt;i&gt;x" in schema._repr_html_()


def test_long_facts_are_cut():
    frame = pd.DataFrame({f"column number {i}": [1, 1] for i in range(40)})
    text = repr(check_release(frame, list(frame)))
    assert " ..." in text and len(text) < 150
