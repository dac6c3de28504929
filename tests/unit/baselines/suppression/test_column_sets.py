"""Sets of columns that local suppression chooses from."""

from itertools import product

import numpy as np
import pytest

from coclust_synth.baselines.suppression import search as module
from coclust_synth.baselines.suppression.search import (
    column_sets,
    smallest_class,
    suppressed_cells,
)


def as_sets(found):
    return [{*np.flatnonzero(own).tolist()} for own in found]


def test_all_sets_of_few_columns_by_cost():
    seen = np.random.default_rng(0).integers(0, [2, 3, 9], (20, 3))
    found = column_sets(seen, 2, np.ones(3))
    assert as_sets(found)[:4] == [set(), {2}, {1}, {0}]
    assert sorted(map(tuple, found.tolist())) == sorted(
        product([False, True], repeat=3)
    )


def test_those_of_many_columns_are_where_near_rows_differ():
    seen = np.zeros((6, 40), dtype=int)
    seen[:, 39] = [0, 0, 0, 1, 1, 1]
    seen[1, 4] = seen[2, 7] = 1
    seen[4, 5] = seen[5, 6] = 1
    found = as_sets(column_sets(seen, 3, np.ones(40)))
    assert found[-1] == set(range(40))
    assert {4, 7} in found and {5, 6} in found
    suppressed = suppressed_cells(seen, 3, np.ones(40))
    assert suppressed.sum() == 12


def test_cells_that_are_suppressed_already_are_in_the_sets_of_their_rows():
    seen = np.random.default_rng(1).integers(0, 2, (8, 40))
    seen[:3, 0] = -1
    for row in range(3):
        sets = as_sets(column_sets(seen[[row, 3, 4]], 2, np.ones(40)))
        assert any(0 in own and len(own) < 40 for own in sets)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_grown_sets_do_as_well_as_all(monkeypatch, seed, k):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.5, (90, 8)) - 1, 3)
    n_cells = []
    for most in (2**16, 2**7):
        monkeypatch.setattr(module, "_MAX_SETS", most)
        found = suppressed_cells(codes, k, np.ones(8))
        assert smallest_class(codes, found) >= k
        n_cells.append(int(found.sum()))
    assert n_cells[1] <= 1.1 * n_cells[0]
