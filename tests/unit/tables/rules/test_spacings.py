"""How many bits it takes to tell numbers."""

import numpy as np
import pytest

from coclust_synth.tables.rules.spacings import nats_of_numbers


def nats(x, unit=1.0, group=None, person=None):
    group = np.zeros(len(x), dtype=np.int64) if group is None else group
    person = np.arange(len(x)) if person is None else person
    n_groups = int(group.max(initial=0)) + 1
    return nats_of_numbers(x, np.full(len(x), unit), group, n_groups, person)


@pytest.mark.parametrize("n", [20, 100, 2000])
def test_normal_numbers_take_what_their_law_says(n):
    """Whatever the size of the sample, but for the ends of small ones."""
    rng, times = np.random.default_rng(n), 200 if n < 2000 else 5
    samples = rng.normal(0, 5, (times, n)).round(1)
    found = [nats(x, 0.1)[0] for x in samples]
    expected = np.log(5 * np.sqrt(2 * np.pi * np.e) / 0.1)
    assert np.mean(found) == pytest.approx(expected, abs=0.2)


def test_what_many_have_is_told_by_how_many_do():
    x = np.repeat([0.0, 1.0, 7.0], [800, 150, 50])
    share = np.array([0.8, 0.15, 0.05])
    assert nats(x)[0] == pytest.approx(-(share @ np.log(share)), abs=0.01)
    some = np.append(np.zeros(900), np.random.default_rng(0).normal(0, 5, 100))
    rest = 0.1 * np.log(5 * np.sqrt(2 * np.pi * np.e) / 0.1)
    whether = -(0.9 * np.log(0.9) + 0.1 * np.log(0.1))
    assert nats(some, 0.1)[0] == pytest.approx(whether + rest, abs=0.05)


def test_groups_are_told_apart_and_each_person_counts_once(rng):
    x = np.append(rng.normal(0, 1, 500), rng.normal(0, np.e, 500))
    group = np.repeat([0, 2], 500)
    narrow, none, wide = nats(x, 0.001, group)
    assert wide - narrow == pytest.approx(1, abs=0.15)
    assert none == pytest.approx((narrow + wide) / 2)
    person = np.append(np.arange(500), np.arange(500))
    both, of = np.append(x[:500], np.zeros(500)), np.zeros(1000, dtype=np.int64)
    assert nats(both, 0.001, of, person)[0] == pytest.approx(narrow)
    assert nats(np.empty(0)).tolist() == [0]
