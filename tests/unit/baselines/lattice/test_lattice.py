"""The lattice's neighbours and parts, against the order of its nodes."""

import numpy as np
import pytest

from coclust_synth.baselines.lattice.lattice import Lattice


@pytest.mark.parametrize("heights", [(0,), (2,), (1, 0, 3), (2, 2, 1)])
def test_neighbours_and_parts_are_those_of_the_order(heights):
    lattice = Lattice(heights)
    nodes = [tuple(node) for node in lattice.nodes().tolist()]
    assert len(set(nodes)) == len(nodes) == lattice.n_nodes
    assert (nodes[0], nodes[-1]) == (lattice.bottom, lattice.top)

    def precedes(one, other):
        return all(a <= b for a, b in zip(one, other, strict=True))

    for node in nodes:
        above = {other for other in nodes if precedes(node, other)}
        below = {other for other in nodes if precedes(other, node)}
        for index, expected in ((lattice.above, above), (lattice.below, below)):
            inside = np.zeros(lattice.shape, dtype=bool)
            inside[index(node)] = True
            assert set(map(tuple, np.argwhere(inside).tolist())) == expected


def test_nodes_of_a_lattice_too_large_to_list_are_counted():
    assert Lattice((9,) * 40).n_nodes == 10**40
