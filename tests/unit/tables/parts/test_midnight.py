"""Times of a day that cluster around midnight."""

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.generators.plain.persons.known.person_levels import learn_level
from coclust_synth.generators.plain.trees.trees import grow_tree

N, ROWS = 120, 8


def bedtimes(middle=0, spread=60, n=N, seed=0):
    """Minutes after a time of day at which persons go to bed, who keep to theirs."""
    rng = np.random.default_rng(seed)
    own = np.repeat(rng.normal(0, spread, n), ROWS)
    minutes = np.rint(own + rng.normal(0, 10, n * ROWS)).astype(int)
    clock = (middle + minutes) % 1440
    texts = [f"{m // 60:02}:{m % 60:02}" for m in clock]
    return np.repeat(np.arange(n), ROWS), minutes, pd.DataFrame({"bed": texts})


def coded(middle, spread=60):
    who, minutes, table = bedtimes(middle, spread)
    return evidence_of(table.assign(x=minutes), persons=who), minutes.reshape(N, ROWS)


def test_the_order_of_times_around_midnight_begins_where_there_are_none():
    evidence, _ = coded(0)
    lows = evidence.coding.parts[0].lows / 3600
    assert 2 < lows[evidence.first_code("bed")] < 23
    assert evidence.first_code("x") == 0


@pytest.mark.parametrize("middle, spread", [(720, 60), (0, 5000)])
def test_that_of_others_does_not(middle, spread):
    assert coded(middle, spread)[0].first_code("bed") == 0


def test_no_run_is_of_the_evening_and_the_morning():
    parts = coded(0)[0].coding.parts[0]
    assert (parts.highs - parts.lows).max() < 3 * 3600


@pytest.mark.slow
def test_levels_are_places_in_this_order():
    evidence, minutes = coded(0)
    _, held = learn_level(evidence, "bed").held
    assert np.corrcoef(held, minutes.mean(axis=1))[0, 1] > 0.95


def test_trees_ask_and_are_grown_for_codes_in_this_order(rng):
    place = rng.integers(0, 12, 900)
    target = (place + rng.integers(0, 4, 900)) % 12
    sizes = np.array([12])

    def grown(shift):
        codes = ((place + shift) % 12).astype(np.int32)[:, None]
        own = ((target + shift) % 12).astype(np.int32)
        options = {"k": 20, "starts": np.array([shift])}
        tree = grow_tree(own, (12, 12, shift), [0], codes, sizes, sizes, **options)
        return tree.leaf_of(codes)

    np.testing.assert_array_equal(grown(5), grown(0))
    assert len(np.unique(grown(5))) > 3
