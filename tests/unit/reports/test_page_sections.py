"""The sections of a page that tell of a model: what they say, and their markup."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from coclust_synth import MODLCoclustering
from coclust_synth.evaluation.comparing.scores import Figure
from coclust_synth.evaluation.trade_offs import TradeOff
from coclust_synth.reports.html.coclustering import coclustering_section
from coclust_synth.reports.html.trade_offs import trade_off_section

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


def test_clusters_are_told_in_words(content):
    assert "which keeps 100.0% of its information" in content
    assert "work=clerk (100% of them, 33% of all)" in content
    assert content.count("<figure>") == 4  # the grid, two trees, the search
    assert "3.00" in content  # times chance


def test_the_data_of_the_script_cannot_end_it(content):
    (data,) = re.findall(
        r'<script type="application/json" id="grid-data">(.*?)</script>', content
    )
    told = json.loads(data)
    assert sum(map(sum, told["cells"])) == TABLE.size
    assert "work=</script>" in str(told["names"])
    assert [len(merges) + 1 for merges in told["merges"]] == list(
        map(len, told["names"])
    )
    assert "</script>" not in content.replace(f"{data}</script>", "")


def test_a_table_without_structure_says_so():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame({name: rng.choice(list("ab"), 60) for name in "xy"})
    model = MODLCoclustering(n_iterations=2, random_state=0).fit(noise)
    content = coclustering_section(model).content
    assert "No clusters were found" in content and "grid-data" not in content


def test_a_trade_off_has_its_figures_as_a_table():
    lines = {"loss": (Figure(0.25), Figure(np.nan), Figure(0.5))}
    curve = TradeOff("k", 5, (2, 5, 10), "Loss by k", "share", lines, {})
    section = trade_off_section([curve], "How it was made.")
    assert section.title == "Another k"
    cells = re.findall(r"<td>(.*?)</td>", section.content)
    assert cells == ["0.250", "–", "0.500"]
    assert "<strong>5 (the release)</strong>" in section.content
