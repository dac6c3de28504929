"""Junction trees against the whole joint distribution, on small random graphs."""

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import log_linear
from naive import triangulation as naive
from support.examples import examples

from coclust_synth.generators.log_linear._kernels import eliminate
from coclust_synth.generators.log_linear.evaluation import Evaluation
from coclust_synth.generators.log_linear.fit import LogLinearModel, Measurement
from coclust_synth.generators.log_linear.junction_tree import JunctionTree, adjacency
from coclust_synth.generators.log_linear.margins import TreeMargins


@st.composite
def graphs(draw):
    """Sizes of some variables, and groups of them that cover all."""
    n = draw(st.integers(1, 6))
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)))
    group = st.sets(st.integers(0, n - 1), min_size=1, max_size=3)
    groups = draw(st.lists(group.map(sorted).map(tuple), max_size=7))
    return sizes, [*groups, *((v,) for v in range(n))]


def random_factors(tree, rng):
    """A factor for each clique; some of their cells never occur."""
    for clique in tree.cliques:
        factor = rng.random(tree.shape(clique)) + 0.1
        factor[rng.random(factor.shape) < 0.15] = 0.0
        factor[(0,) * factor.ndim] = 1.0  # so that something does
        yield factor


def spread(array, variables, n):
    """An array over some variables, along all of them."""
    shape = [1] * n
    for v, size in zip(variables, array.shape, strict=True):
        shape[v] = size
    return array.reshape(shape)


def dense(tree, factors):
    """The normalised product of the factors, over all variables."""
    joint = np.ones(tree.sizes)
    for clique, factor in zip(tree.cliques, factors, strict=True):
        joint = joint * spread(factor, clique, len(tree.sizes))
    return joint / joint.sum()


def margin(joint, variables):
    others = tuple(v for v in range(joint.ndim) if v not in variables)
    return joint.sum(axis=others)


@settings(max_examples=examples(60))
@given(graphs())
def test_cliques_are_those_of_the_slow_twin(graph):
    sizes, groups = graph
    n = len(sizes)
    adjacent, log_sizes = adjacency(n, groups), np.log(np.array(sizes))
    cliques, is_maximal = eliminate(adjacent, log_sizes)
    found = [set(np.flatnonzero(clique)) for clique in cliques]
    assert found == naive.eliminate(n, groups, sizes)
    maximal = [c for c, kept in zip(found, is_maximal, strict=True) if kept]
    assert not any(a < b for a in maximal for b in found)
    assert all(any(c <= m for m in maximal) for c in found)


@settings(max_examples=examples(60))
@given(graphs(), st.integers(0, 2**32 - 1))
def test_cells_with_more_groups_are_those_of_their_tree(graph, seed):
    sizes, groups = graph
    rng = np.random.default_rng(seed)
    more = [
        tuple(sorted(rng.permutation(len(sizes))[: rng.integers(1, 4)].tolist()))
        for _ in range(3)
    ]
    tree = JunctionTree(sizes, groups)
    assert tree.n_cells == naive.cells(len(sizes), groups, sizes)
    # The same graph as that of the groups: what a tree adds to it is not kept.
    for group, cells in zip(more, tree.cells_with(more), strict=True):
        assert cells == pytest.approx(
            naive.cells(len(sizes), [*groups, group], sizes), rel=1e-9
        )


@settings(max_examples=examples(60))
@given(graphs())
def test_separators_are_what_a_clique_shares_with_all_before_it(graph):
    tree = JunctionTree(*graph)
    seen = set(tree.cliques[0])
    for i in range(1, len(tree.cliques)):
        parent, shared = tree.parents[i], set(tree.separators[i])
        assert 0 <= parent < i
        assert shared == set(tree.cliques[i]) & seen
        assert shared <= set(tree.cliques[parent])
        seen |= set(tree.cliques[i])
    for group in graph[1]:
        assert set(group) <= set(tree.cliques[tree.home(group)])


@settings(max_examples=examples(80))
@given(graphs(), st.integers(0, 2**32 - 1))
def test_calibrated_margins_are_those_of_the_joint(graph, seed):
    tree = JunctionTree(*graph)
    rng = np.random.default_rng(seed)
    factors = list(random_factors(tree, rng))
    joint, beliefs = dense(tree, factors), tree.calibrate(factors)
    for clique, belief in zip(tree.cliques, beliefs, strict=True):
        np.testing.assert_allclose(belief, margin(joint, clique), atol=1e-12)
    margins = TreeMargins(tree, beliefs)
    for _ in range(5):
        targets, left = [], rng.permutation(len(tree.sizes)).tolist()
        while left and len(targets) < 5:
            size = int(rng.integers(1, 3))
            target, left = tuple(sorted(left[:size])), left[size:]
            if tree.home(target) >= 0:
                targets.append(target)
        if targets:
            order = [v for target in targets for v in target]
            expected = margin(joint, order)
            expected = expected.transpose([sorted(order).index(v) for v in order])
            shape = [prod(tree.shape(target)) for target in targets]
            found = margins.margin(targets)
            np.testing.assert_allclose(found, expected.reshape(shape), atol=1e-12)


def random_labels(n_cells, rng):
    """Of cells, of which some are counted together."""
    labels = rng.integers(0, max(n_cells - 1, 1), n_cells)
    return np.unique(labels, return_inverse=True)[1]


@settings(max_examples=examples(80))
@given(graphs(), st.integers(0, 2**32 - 1))
def test_a_model_is_evaluated_as_its_slow_twin(graph, seed):
    sizes, groups = graph
    rng = np.random.default_rng(seed)
    n_cells = [prod(sizes[v] for v in group) for group in groups]
    labels = [random_labels(n, rng) for n in n_cells]
    logs = [rng.normal(0, 2, of.max() + 1) for of in labels]
    supports = [
        (group, rng.random(n) < 0.8) for group, n in zip(groups, n_cells, strict=True)
    ]
    for _, possible in supports:
        possible[0] = True
    tree = JunctionTree(sizes, groups)
    evaluation = Evaluation(tree, groups, labels, [len(of) for of in logs], supports)
    measured = list(zip(groups, labels, logs, strict=True))
    joint, margins = log_linear.evaluate(sizes, measured, supports)
    joint = np.array([*joint.values()]).reshape(sizes)
    for _ in range(2):  # nothing of an evaluation is left to the next
        evaluation.margins(np.zeros(sum(map(len, logs))))
        found = evaluation.margins(np.concatenate(logs))
        np.testing.assert_allclose(found, np.concatenate(margins), atol=1e-12)
        for clique, belief in zip(tree.cliques, evaluation.beliefs(), strict=True):
            np.testing.assert_allclose(belief, margin(joint, clique), atol=1e-12)


@settings(max_examples=examples(25))
@given(graphs(), st.integers(0, 2**32 - 1))
def test_a_model_of_exact_counts_has_their_margins(graph, seed):
    sizes, groups = graph
    rng = np.random.default_rng(seed)
    joint = rng.random(sizes) + 0.2
    joint *= 1000 / joint.sum()
    measurements = []
    for group in groups:
        shape = [sizes[v] for v in group]
        labels = random_labels(prod(shape), rng)
        counts = np.bincount(labels, margin(joint, group).ravel())
        variance = rng.uniform(0.5, 2.0, len(counts))
        measurements.append(Measurement(group, labels, counts, variance))
    model = LogLinearModel(sizes, measurements).fit(1000.0, [], 2000)
    for measurement in measurements:
        home = model.tree.home(measurement.variables)
        clique = model.tree.cliques[home]
        belief = spread(model.beliefs[home], range(len(clique)), len(clique))
        places = [clique.index(v) for v in measurement.variables]
        found = np.bincount(measurement.labels, margin(belief, places).ravel())
        np.testing.assert_allclose(1000 * found, measurement.counts, atol=5.0)


def test_cliques_that_have_nothing_in_common_still_have_a_model():
    """Noise says of the second variable that it is 0 in one, and 1 in the other."""
    counts, variance = np.zeros(4), np.ones(4)
    both = [Measurement(v, np.arange(4), counts, variance) for v in ((0, 1), (1, 2))]
    logs = [np.array([0.0, -1e4, 0.0, -1e4]), np.array([-1e4, -1e4, 0.0, 0.0])]
    model = LogLinearModel((2, 2, 2), both).fit(10.0, logs, 0)
    for belief in model.beliefs:
        assert belief.sum() == pytest.approx(1) and belief.min() >= 0
