"""Categories too many to be told apart: what they say of others is told."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer


def rides(n=4000, seed=0):
    """From zone to zone; those of borough A are the commonest, 40 of them.

    Half of the rides stay in their borough. Of few the zones are not known, most often
    neither of them.
    """
    rng = np.random.default_rng(seed)
    first = rng.choice(list("ABCD"), n, p=[0.7, 0.1, 0.1, 0.1])
    other = rng.choice(list("ABCD"), n, p=[0.7, 0.1, 0.1, 0.1])
    last = np.where(rng.random(n) < 0.5, first, other)
    table = pd.DataFrame({"hour": rng.integers(0, 24, n)})
    unknown = rng.random(n) < 0.012
    for name, boroughs in (("from", first), ("to", last)):
        n_zones = np.where(boroughs == "A", 40, 20)
        zones = [
            f"{b}{z}" for b, z in zip(boroughs, rng.integers(n_zones), strict=True)
        ]
        is_missing = unknown & (rng.random(n) < 0.9)
        table[f"{name}_zone"] = pd.Series(zones).mask(is_missing)
        table[f"{name}_borough"] = pd.Series(boroughs).mask(is_missing)
    return table


@pytest.fixture(scope="module")
def tables():
    table = rides()
    options = {"k": 20, "n_iterations": 1, "random_state": 0}
    return table, CoclusterSynthesizer(**options).fit(table).sample(20_000)


@pytest.mark.slow
def test_zones_lead_to_zones_of_boroughs(tables):
    def stay(table):
        known = table.dropna()
        outside = known[known["from_borough"] != "A"]
        return (outside["from_borough"] == outside["to_borough"]).mean()

    in_table, drawn = map(stay, tables)
    assert drawn == pytest.approx(in_table, abs=0.05)


@pytest.mark.slow
def test_zones_are_missing_together(tables):
    def together(table):
        missing = table[["from_zone", "to_zone"]].isna()
        return missing.all(axis=1).sum() / missing.any(axis=1).sum()

    in_table, drawn = map(together, tables)
    assert drawn == pytest.approx(in_table, abs=0.2)
