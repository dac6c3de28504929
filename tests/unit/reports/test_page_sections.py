"""The sections of a page that tell of a model: what they say, and their markup."""

import gzip
import json
import re
from base64 import b64decode
from itertools import chain

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    CoclusterSynthesizer,
    Domain,
    GeneralizationHierarchy,
    IndependentMargins,
    MODLCoclustering,
    MondrianAnonymizer,
)
from coclust_synth.baselines.lattice.anonymizer import LatticeAnonymizer
from coclust_synth.evaluation.comparing.scores import Figure
from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.labels import labels_section
from coclust_synth.reports.html.rendering import page_figure
from coclust_synth.reports.html.sections import (
    budget_section,
    model_section,
    trade_off_section,
)
from coclust_synth.reports.private_release import private_manifest
from coclust_synth.reports.view.page import script, template_text

N = 60
TABLE = pd.DataFrame(
    {
        "work": np.repeat(["cook", "</script>", "clerk"], N),
        "tool": np.repeat(["knife", "hammer", "pen"], N),
        "shift": np.tile(["day", "night"], 3 * N // 2),
    }
)


@pytest.fixture(scope="module")
def content():
    model = MODLCoclustering(n_iterations=4, random_state=0).fit(TABLE)
    return coclustering_section(model).content


@pytest.mark.slow
def test_clusters_are_told_in_words(content):
    assert "clusters of individuals and" in content
    assert "shown is its level" not in content  # all of the best grid is
    assert "work=clerk (100% of them, 33% of all)" in content
    assert content.count("<figure>") == 4  # the grid, two trees, the search
    assert "3.00" in content  # times chance


@pytest.mark.slow
def test_the_grid_is_that_of_view(content):
    """Its data, in letters that cannot end a script, and its script and styles."""
    (data,) = re.findall(r'<script type="text/plain" id="grid">(.*?)</script>', content)
    bytes_ = gzip.decompress(b64decode(data))
    end = 4 + int.from_bytes(bytes_[:4], "little")
    told = json.loads(bytes_[4:end])
    individuals, parts = told["dimensions"]
    assert sum(individuals["frequencies"]) == TABLE.size == sum(parts["frequencies"])
    assert sum(individuals["sizes"]) == len(TABLE)
    assert "work=</script>" in chain(*parts["values"])
    assert len(told["merges"]) == len(individuals["nodes"] + parts["nodes"]) // 2 - 1
    assert told["levels"][0] == told["levels"][told["best_step"]] == 1.0
    for values, counts, typical in zip(
        *(parts[k] for k in ("values", "value_frequencies", "typicalities")),
        strict=True,
    ):
        assert len(values) == len(counts) == len(typical) and typical[0] <= 1
    assert script() in content and template_text("view.css") in content
    assert content.count("</script>") == 2


def test_a_table_without_structure_says_so(rng):
    noise = pd.DataFrame({name: rng.choice(list("ab"), 60) for name in "xy"})
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(noise)
    content = coclustering_section(model).content
    assert "No clusters were found" in content and 'id="grid"' not in content
    # Nothing else is told of one cluster: neither of whom, nor of its search.
    assert "<table" not in content and "<figure" not in content


@pytest.mark.slow
def test_labels_are_told_by_column():
    names = ["work", "shift"]
    anonymizer = MondrianAnonymizer(20, quasi_identifiers=names, others="keep")
    released = anonymizer.fit_transform(TABLE)
    content = labels_section(released, 20, report=anonymizer.report_).content
    rows = re.findall(r"<tr>(.*?)</tr>", content)
    told = {
        (cells := re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row))[0]: cells[1:]
        for row in rows
    }
    assert told["work"][:4] == ["3", "3", "1.0", "100.0%"]
    assert told["Average size of a class (C_AVG)"][0] == "1.500"
    assert told["Discernibility (DM)"][0] == f"{6 * 30**2:,}"
    assert told["Cells whose label stands for the value that was there"][0] == "100.00%"
    assert told["tool"] == ["0.000"]
    assert "suppressed rows are one class" not in content
    odd = pd.DataFrame({"work": ["cook"] * 60 + ["clerk"] * 57 + ["king"] * 3})
    tree = [(name, "*") for name in ("cook", "clerk", "king")]
    trees = {"work": GeneralizationHierarchy.from_lines("work", tree)}
    some = LatticeAnonymizer(40, hierarchies=trees, max_suppressed=0.05)
    released = some.fit_transform(odd)
    assert released.suppressed.sum() == 3
    content = labels_section(released, 40).content
    assert "suppressed rows are one class together" in content


def test_what_was_spent_is_told_query_by_query():
    tools = ["knife", "hammer", "pen"]
    domain = Domain.from_dict({"shift": ["day", "night"], "tool": tools})
    generator = IndependentMargins(epsilon=2, domain=domain).fit(TABLE)
    drawn = generator.sample(5)
    manifest = private_manifest(generator, drawn, "out.csv", b"")
    content = budget_section(manifest).content
    entries = generator.ledger_.entries
    assert content.count("<tr>") == len(entries) + 1
    for entry in entries:
        assert entry.what in content and f"<td>{entry.n_values:,}</td>" in content
    assert "epsilon 2 of 2" in content and "exp(2)" in content


@pytest.mark.slow
def test_a_trade_off_has_its_figures_as_a_table():
    lines = {"loss": (Figure(0.25), Figure(np.nan), Figure(0.5))}
    curve = TradeOff("k", 5, (2, 5, 10), "Loss by k", "share", lines, {})
    section = trade_off_section([curve], "How it was made.")
    assert section.title == "Another k"
    cells = re.findall(r"<td>(.*?)</td>", section.content)
    assert cells == ["0.250", "–", "0.500"]
    assert "<strong>5 (the release)</strong>" in section.content


def test_signs_that_a_browser_draws_are_no_warning():
    """Warnings are errors here: a name may hold signs that no font of ours has."""
    figure = page_figure("Towns", lambda ax: ax.set_title("\u540d"), (3.0, 2.0), "")
    assert "\u540d" in figure.svg


@pytest.mark.slow
def test_a_page_of_a_questionnaire_that_some_skip_is_one_rule(rng):
    answers = {name: rng.choice(["x", "y"], 400) for name in "abcd"}
    frame = pd.DataFrame(answers).astype(object)
    frame.loc[:80] = None
    frame["e"] = rng.choice(["x", "y"], 400)
    model = CoclusterSynthesizer(k=40, n_iterations=2, random_state=0).fit(frame)
    content = model_section(model.model_).content
    assert '<th scope="row">a, b, c, d: missing in the same rows</th>' in content
    assert content.count("missing in the same rows") == 1


@pytest.mark.slow
def test_the_grid_of_a_model_is_not_called_the_best_one():
    work = np.repeat(["cook", "smith", "clerk", "nurse"], N)
    frame = pd.DataFrame({"work": work, "tool": np.char.upper(work)})
    found = CoclusterSynthesizer(k=100, n_iterations=2, random_state=0).fit(frame)
    kept = found.model_.dendrogram.information[0]
    told = f", which keeps {kept:.1%} of the best grid's information."
    content = coclustering_section(found.model_).content
    assert 0 < kept < 1 and "The finest grid that the model holds has 2" in content
    assert told in content
