import pytest

from coclust_synth.modl.grid.grid import lowest_along

MERGES = [(0, 0, 2), (1, 0, 1), (0, 0, 1)]


@pytest.mark.parametrize(
    ("changes", "change", "targets"),
    [
        ([-1.0, -2.0, -3.0], -6.0, [[0, 0, 0], [0, 0]]),
        ([-1.0, 4.0, -5.0], -2.0, [[0, 0, 0], [0, 0]]),
        ([-1.0, 4.0, -2.0], -1.0, [[0, 1, 0], [0, 1]]),
        ([1.0, 4.0, 2.0], 0.0, [[0, 1, 2], [0, 1]]),
    ],
)
def test_merges_up_to_the_lowest_cost(changes, change, targets):
    found, parts = lowest_along(MERGES, changes, (3, 2))
    assert (found, [target.tolist() for target in parts]) == (change, targets)


def test_no_merges():
    change, targets = lowest_along([], [], (1,))
    assert (change, targets[0].tolist()) == (0.0, [0])
