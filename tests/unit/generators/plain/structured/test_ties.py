"""Columns that are often all that others leave of a sum, or one of the others."""

import json

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured.structure import Structure


@pytest.fixture
def late(rng):
    """Flights that are late for one of three reasons, for two, or for all."""
    total = rng.integers(1, 200, 4000).astype(float)
    shares = rng.random((4000, 3)) * (rng.random((4000, 3)) < 0.6)
    shares[shares.sum(axis=1) == 0, 0] = 1
    parts = total[:, None] * shares / shares.sum(axis=1)[:, None]
    carrier, weather = np.round(parts[:, :2].T, 2)
    crew = np.round(total - carrier - weather, 2)
    return pd.DataFrame(
        {"total": total, "carrier": carrier, "weather": weather, "crew": crew}
    )


@pytest.mark.slow
def test_what_a_sum_leaves_is_nothing_of_as_many_rows(late):
    structure = learnt(late)
    told = [each.fit.target for each in structure.columns if each.fit is not None]
    ties = [str(each.equals) for each in structure.columns if each.equals is not None]
    assert (told, ties) == (["carrier"], ["total", "crew = total - weather"])
    data = json.loads(json.dumps(structure.to_dict()))
    drawn = drawn_from(structure)
    assert drawn.equals(drawn_from(Structure.from_dict(data, structure.arrays())))
    for name in ("carrier", "weather", "crew"):
        share = (late[name] == 0).mean()
        assert (drawn[name] == 0).mean() == pytest.approx(share, abs=0.03)
        assert drawn[name].min() >= 0
    assert not any(structure.count_broken(drawn))
