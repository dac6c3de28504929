from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth import ParameterError, derive_hierarchies
from coclust_synth.generators.derived.chosen import kept_levels


def test_all_levels_where_they_are_few():
    assert kept_levels([9, 4, 1], [0, 1, 2], 3) == [0, 1, 2]


def test_of_each_range_the_level_whose_merging_costs_most():
    n_nodes = list(range(300, 0, -1))
    costs = np.zeros(300)
    costs[n_nodes.index(40) + 1 :] += 5
    costs[n_nodes.index(4) + 1 :] += 9
    kept = [n_nodes[level] for level in kept_levels(n_nodes, costs, 4)]
    assert kept == [300, 40, 4, 1]


def test_one_range_only_still_gives_as_many_levels():
    n_nodes = [5000, *range(10, 0, -1)]
    kept = kept_levels(n_nodes, np.arange(11.0) ** 2, 8)
    assert len(kept) == 8


@given(st.sets(st.integers(2, 400), min_size=1, max_size=60), st.integers(2, 12))
def test_ends_are_kept_and_there_are_as_many_as_wanted(sizes, max_levels):
    n_nodes = [*sorted(sizes, reverse=True), 1]
    kept = kept_levels(n_nodes, np.arange(len(n_nodes)) / 7, max_levels)
    assert kept == sorted(set(kept)) and len(kept) == min(max_levels, len(n_nodes))
    assert (kept[0], kept[-1]) == (0, len(n_nodes) - 1)


def codes_and_gains(n=1500):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 5, n)
    return pd.DataFrame(
        {
            "code": [f"c{g}{i:02}" for g, i in zip(group, rng.integers(0, 24, n))],  # noqa: B905
            "group": np.array(list("abcde"))[group],
            "gain": np.where(rng.random(n) < 0.8, 0, rng.integers(1, 9000, n)),
        }
    )


@pytest.mark.slow
def test_levels_of_a_column_of_many_values():
    table = codes_and_gains()
    for levels in (2, 5, 8):
        found = derive_hierarchies(
            table, max_levels=levels, n_iterations=1, random_state=0
        )
        assert all(h.height <= levels - 1 for h in found.values())
    assert found["code"].height == 7
    every = derive_hierarchies(table, max_levels=None, n_iterations=1, random_state=0)
    assert every["code"].height > 7
    assert set(found["code"].labels[-2]) <= {
        n for of in every["code"].labels for n in of
    }


@pytest.mark.slow
def test_zeros_are_a_node_of_their_own():
    gain = derive_hierarchies(codes_and_gains(), n_iterations=1, random_state=0)["gain"]
    assert "0" in gain.labels[1] and len(gain.labels[1]) < 30


def test_too_few_levels():
    with pytest.raises(ParameterError, match="max_levels"):
        derive_hierarchies(codes_and_gains(60), max_levels=1)


def test_runs_of_dates_are_named_by_round_dates_of_nobody(rng):
    days = pd.date_range("1950-03-13", periods=9000)
    days = np.sort(rng.choice(days[~days.day.isin([1, 11, 21])], 400, replace=False))
    table = pd.DataFrame(
        {"born": days, "old": np.where(np.arange(400) < 200, "yes", "no")}
    )
    born = derive_hierarchies(table, n_iterations=1, random_state=0)["born"]
    runs = [label[1:-1].split(", ") for of in born.labels[1:-1] for label in of]
    assert len(runs) > 3
    for start, stop in runs:
        first, last = pd.Timestamp(start), pd.Timestamp(stop)
        after = last + pd.Timedelta("1D")  # the next run begins with a round date
        assert first < last and {first.day, after.day} <= {1, 11, 21}
        held = table["born"].between(first, last)
        assert held.sum() >= 20
    # Level by level they hold every value, with no gap that tells of nobody's date.
    for of in born.labels[1:-1]:
        ends = [label[1:-1].split(", ") for label in of]
        for (_, stop), (start, _) in pairwise(ends):
            assert pd.Timestamp(start) - pd.Timestamp(stop) == pd.Timedelta("1D")
    assert pd.Timestamp(runs[0][0]) < table["born"].min()
