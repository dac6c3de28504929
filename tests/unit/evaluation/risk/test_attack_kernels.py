"""The kernels of the attacks beside their slow twins."""

import numpy as np
import pytest
from naive import attacks as naive

from coclust_synth.evaluation.risk._kernels import (
    Places,
    count_within,
    kth_distances,
    link_chances,
    nearest_rows,
    right_guesses,
)

FULL, TOLERANCE = 8, 2


def drawn(seed, n, p, q):
    rng = np.random.default_rng(seed)
    ranked = rng.integers(-1, 5, (n, p)) * (FULL // 4)
    return Places(ranked.astype(np.int32), rng.integers(0, 3, (n, q), dtype=np.int32))


@pytest.mark.parametrize(("p", "q"), [(2, 2), (0, 3), (3, 0)])
@pytest.mark.parametrize("seed", range(4))
def test_kernels_are_their_twins(seed, p, q):
    rows, references = drawn(seed, 9, p, q), drawn(seed + 100, 13, p, q)
    found = nearest_rows(rows, references, FULL)
    assert list(zip(*map(list, found), strict=True)) == naive.nearest_rows(
        rows, references, FULL
    )
    for k in (1, 3, 13):
        found = kth_distances(rows, references, k, FULL)
        assert found.tolist() == naive.kth_distances(rows, references, k, FULL)
    radii = np.random.default_rng(seed).integers(0, 3 * FULL, 9)
    found = count_within(rows, references, radii, FULL)
    assert found.tolist() == naive.count_within(rows, references, radii, FULL)
    found = right_guesses(rows, references, FULL, TOLERANCE)
    twin = naive.right_guesses(rows, references, FULL, TOLERANCE)
    assert found.tolist() == twin


@pytest.mark.parametrize("seed", range(4))
def test_links_are_their_twins(seed):
    sides = [drawn(seed, 9, 1, 2), drawn(seed + 100, 13, 1, 2)]
    sides += [drawn(seed + 200, 9, 2, 0), drawn(seed + 300, 13, 2, 0)]
    assert link_chances(*sides, FULL).tolist() == naive.link_chances(*sides, FULL)


def test_nobody_is_near_where_nobody_is():
    distances, first, ties = nearest_rows(drawn(0, 2, 1, 1), drawn(0, 0, 1, 1), FULL)
    assert distances.tolist() == [np.iinfo(np.int64).max] * 2
    assert first.tolist() == [-1, -1]
    assert ties.tolist() == [0, 0]
