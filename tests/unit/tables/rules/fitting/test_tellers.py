"""The columns that may tell another one, in the rows that have it."""

import numpy as np
import pytest

from coclust_synth.tables.rules.fitting.tellers import Tellers


@pytest.fixture
def sample(rng):
    x = rng.normal(0, 1, (400, 230))
    x[:, 1] = 3.0
    x[:2, 2] = np.nan
    x[:200, 3] = np.nan
    return {f"c{j}": column for j, column in enumerate(x.T)}


def test_columns_that_vary_and_few_rows_lack(sample):
    told = Tellers(sample).of(np.ones(400, dtype=bool), {"c0"}, logarithms=False)
    assert told.keys() == sample.keys() - {"c0", "c1", "c3"}
    assert told["c2"][:2].tolist() == [np.nanmedian(sample["c2"])] * 2


@pytest.mark.slow
def test_what_is_remembered_of_some_rows_is_what_others_would_find(rng, sample):
    tellers = Tellers(sample)
    asked = [rng.random(400) < share for share in (1, 0.5, 0.6, 0.7, 1, 0.5)]
    for known in asked:
        y, banned = rng.normal(0, 1, known.sum()), {f"c{rng.integers(230)}"}
        told = tellers.going_with(y, known, banned, logarithms=False)
        alone = Tellers(sample).going_with(y, known, banned, logarithms=False)
        assert [*told] == [*alone] and len(told) == 200
        for name, own in told.items():
            assert own.tolist() == alone[name].tolist()


def test_of_many_columns_those_that_go_least_with_the_target_are_left_out(sample):
    y = sample["c9"] + 0.5 * sample["c8"] + sample["c229"]
    told = Tellers(sample).going_with(y, np.ones(400, bool), (), logarithms=False)
    left_out = sample.keys() - told.keys() - {"c1", "c3"}
    go = {
        name: abs(np.corrcoef(np.nan_to_num(sample[name]), y)[0, 1])
        for name in told.keys() | left_out
    }
    assert {"c8", "c9", "c229"} <= told.keys() and len(left_out) == 28
    assert max(go[n] for n in left_out) <= min(go[n] for n in told)
