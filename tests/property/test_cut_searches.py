"""Cuts of random hierarchies against every step tried row by row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import cuts as naive
from support.examples import examples
from support.lattice_worlds import MODELS, reachable, worlds

from coclust_synth.baselines.cuts.searches import bottom_up, top_down
from coclust_synth.baselines.cuts.table import CutTable
from coclust_synth.baselines.cuts.worth import information, loss
from coclust_synth.privacy.classes import count_matrix
from coclust_synth.privacy.models.sensitive import sensitive_models

SEARCHES = {
    "top_down": (top_down, naive.top_down),
    "bottom_up": (bottom_up, naive.bottom_up),
}


class Case:
    """A random world, what is asked of it, and a target or none."""

    def __init__(self, draw):
        self.world = draw(worlds())
        n = len(self.world.rows)
        self.k = draw(st.integers(1, min(n, 5)))
        asked = reachable(
            self.world, draw(st.lists(st.sampled_from(MODELS), max_size=2))
        )
        self.twins = [twin for _, twin in asked]
        asked = [("ill", own) for own, _ in asked]
        self.models = sensitive_models(self.world.frame, ["ill"], asked)
        values = st.lists(st.integers(0, 2), min_size=n, max_size=n)
        self.target = draw(st.one_of(st.none(), values))

    def codes(self):
        return [
            np.array([h.leaves.index(row[j]) for row in self.world.rows])
            for j, h in enumerate(self.world.hierarchies)
        ]

    def table(self):
        return CutTable.of(self.codes(), self.world.hierarchies, self.models)

    def worth(self, table):
        pairs = zip(table.trees, self.codes(), strict=True)
        if self.target is None:
            return [loss(t, np.bincount(c, minlength=t.n_leaves)) for t, c in pairs]
        target = np.array(self.target)
        return [
            information(tree, count_matrix(c, target, (tree.n_leaves, 3)))
            for tree, c in pairs
        ]


cases = st.composite(Case)()


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
@settings(max_examples=examples(300), deadline=None)
@given(cases)
def test_each_step_is_the_best_of_all(name, case):
    search, twin = SEARCHES[name]
    world, table = case.world, case.table()
    found = search(table, case.worth(table), case.k)
    cuts, steps = twin(
        world.rows, world.lines, case.k, case.target, world.sensitive, case.twins
    )
    assert [(j, table.trees[j].labels[node]) for j, node in found.steps] == [
        (j, label) for j, (_, label) in steps
    ]
    for tree, hierarchy, nodes, cut in zip(
        table.trees, world.hierarchies, found.nodes, cuts, strict=True
    ):
        for leaf, node in zip(hierarchy.leaves, nodes.tolist(), strict=True):
            under = {hierarchy.leaves[i] for i in np.flatnonzero(nodes == node)}
            assert (under, tree.labels[node]) == cut[leaf]
    members = found.classes[table.inverse]
    expected = naive.classes(world.rows, cuts)
    assert sorted(map(sorted, expected)) == sorted(
        np.flatnonzero(members == own).tolist() for own in range(members.max() + 1)
    )


@pytest.mark.slow
@settings(max_examples=examples(200), deadline=None)
@given(cases)
def test_what_the_children_of_a_node_tell(case):
    world, table = case.world, case.table()
    for j, (tree, own) in enumerate(zip(table.trees, case.worth(table), strict=True)):
        above = naive.paths(world.lines[j])
        for node in range(tree.n_nodes):
            leaves = np.flatnonzero((tree.path == node).any(axis=0))
            under = frozenset(world.hierarchies[j].leaves[i] for i in leaves)
            if not tree.n_children[node]:
                assert own.amounts[node] == 0
                continue
            expected = naive.worth(
                world.rows, j, above, (under, tree.labels[node]), case.target
            )
            assert own.amounts[node] == pytest.approx(expected, abs=1e-11)
