"""Commands on tables with texts that hold numbers in patterns."""

import json

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, succeeds

from coclust_synth.evaluation.telling_apart import audit

FAST = ("--k", "10", "--iterations", "1", "--force")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current directory, with a table of pressures and one of homes in it."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    n = 160
    low = rng.integers(50, 100, n)
    high = low + rng.integers(30, 60, n)
    places = zip(rng.uniform(40, 42, n), rng.uniform(70, 75, n), strict=True)
    rest = pd.DataFrame({"age": rng.integers(20, 80, n), "ill": [*"abcd"] * (n // 4)})
    pressures = [f"{a}/{b}" for a, b in zip(high, low, strict=True)]
    rest.assign(bp=pressures).to_csv("bp.csv", index=False)
    homes = [f"{a:.5f}° N, {b:.1f}° W" for a, b in places]
    rest.assign(home=homes).to_csv("home.csv", index=False)
    return tmp_path


@pytest.mark.slow
def test_a_release_of_the_rows_asks_for_a_decision(folder):
    for name, told in (("home", "looks like"), ("bp", "`fit` and `synth` draw anyway")):
        asked = (f"{name}.csv", "-o", "o.csv", "--k", "5", "--sensitive", "ill")
        fails(folder, "anonymize", *asked, match=(f"undecided: '{name}'", told))
    fails(folder, "synth", "home.csv", "-o", "o.csv", *FAST, match="undecided: 'home'")
    asked = ("bp.csv", "-o", "o.csv", *FAST, "--within", "independent")
    fails(folder, "synth", *asked, match="undecided: 'bp'")


@pytest.mark.slow
def test_drawn_pressures_need_none_nor_do_audits(folder, monkeypatch):
    monkeypatch.setattr(audit, "ALONG_K", (20,))
    shown = succeeds("inspect", "bp.csv", "-o", "schema.toml")
    assert "`fit` and `synth` draw anyway. Say --drop bp" in shown
    assert "bp has numbers in the pattern 0/0" in shown
    told = succeeds("synth", "bp.csv", "-o", "o.csv", *FAST, "--audit", "--json")
    assert [*json.loads(told)["audit"]["isolated_along_k"]] == ["10", "20"]
    succeeds("synth", "bp.csv", "-o", "p.csv", *FAST, "--schema", "schema.toml")
    assert (folder / "o.csv").read_bytes() == (folder / "p.csv").read_bytes()
    assert pd.read_csv("o.csv")["bp"].str.fullmatch("[0-9]+/[0-9]+").all()


@pytest.mark.slow
def test_the_demo_compares_labels_and_numbers(folder):
    found = json.loads(succeeds("demo", "bp.csv", "--iterations", 1, "--json"))
    assert 0 < found["mean_total_variation"]["1-way"] < 0.5
