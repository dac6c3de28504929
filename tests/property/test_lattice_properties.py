"""The generalisation lattice on random small tables: kernels, and every node tried."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import lattice as naive
from scipy import sparse
from support.examples import examples
from support.lattice_worlds import METRICS, MODELS, reachable, worlds

from coclust_synth.baselines.lattice import _kernels as _lattice_kernels
from coclust_synth.baselines.lattice import table as lattice_table
from coclust_synth.baselines.lattice.checks import NodesAbove, NodesBelow
from coclust_synth.baselines.lattice.problem import Feasibility, LatticeProblem
from coclust_synth.baselines.lattice.published import flash
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.baselines.lattice.table import LatticeTable
from coclust_synth.privacy import AlphaK
from coclust_synth.privacy.models.sensitive import sensitive_models
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

EXACT = ("precision", "dm", "class_size")  # equal scores come out equal


@pytest.mark.slow
@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_flash_finds_what_looking_at_every_node_finds(data):
    world = data.draw(worlds())
    n = len(world.rows)
    k = data.draw(st.integers(1, min(n, 5)))
    limit = data.draw(st.sampled_from([0, 1, 2, n // 3, n]))
    asked = data.draw(st.lists(st.sampled_from(MODELS), max_size=2))
    asked = reachable(world, asked)
    models = sensitive_models(world.frame, ["ill"], [("ill", own) for own, _ in asked])
    expected = naive.feasible_scores(
        METRICS,
        world.rows,
        world.lines,
        k,
        limit,
        world.sensitive,
        [twin for _, twin in asked],
    )
    for metric in METRICS:
        table = world.table(models)
        problem = LatticeProblem(
            table, Feasibility(k, models, limit), QUALITY[metric](table)
        )
        found = flash(problem)
        scores = expected[metric]
        best = min(scores.values())
        assert found.score == pytest.approx(float(best), rel=1e-9, abs=1e-9)
        assert scores[found.node] == pytest.approx(float(best), rel=1e-9, abs=1e-9)
        assert found.bound == found.score
        assert 1 <= found.checks <= table.lattice.n_nodes
        if metric in EXACT:
            ties = [sum(node) for node, own in scores.items() if own == best]
            assert sum(found.node) == min(ties)


@pytest.mark.slow
@settings(max_examples=examples(60), deadline=None)
@given(worlds(), st.integers(1, 4), st.integers(0, 4))
def test_no_score_above_a_node_is_below_its_bounds(world, k, limit):
    """Bounds from levels and from classes, and what a check says of nodes below."""
    for metric in METRICS:
        table = world.table()
        quality = QUALITY[metric](table)
        problem = LatticeProblem(table, Feasibility(k, (), limit), quality)
        nodes = [tuple(node) for node in table.lattice.nodes().tolist()]
        checks = {node: problem.check(node) for node in nodes}
        bounds = dict(zip(nodes, quality.bounds(np.array(nodes)), strict=True))
        for low, high in product(nodes, nodes):
            if all(a <= b for a, b in zip(low, high, strict=True)):
                score = checks[high].score * (1 + 1e-12)
                assert bounds[low] <= bounds[high] * (1 + 1e-12)
                assert bounds[low] <= score and checks[low].bound <= score
                assert checks[low].fails_below or not checks[high].fails_below
                assert not checks[high].fails_below or math.isinf(checks[low].score)


@settings(max_examples=examples(60), deadline=None)
@given(worlds(max_columns=4), st.randoms(use_true_random=False))
def test_classes_are_the_equal_generalised_rows(world, random):
    """Whatever node was looked at before, and however few classes are kept."""
    models = sensitive_models(world.frame, ["ill"], [("ill", AlphaK(1))])
    table = world.table(models)
    nodes = [tuple(node) for node in table.lattice.nodes().tolist()]
    random.shuffle(nodes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice_table, "_MAX_KEPT", 3)
        for node in nodes[:12]:
            labels = naive.generalize(world.rows, world.lines, node)
            again, codes = table.class_codes(node)
            assert sorted(again.sizes) == sorted(table.classes(node).sizes)
            classes = table.classes(node)
            named = [
                tuple(
                    h.labels[level][h.node_of(level)[leaf]]
                    for h, level, leaf in zip(
                        world.hierarchies, node, leaves, strict=True
                    )
                )
                for leaves in table.leaf_codes(classes).tolist()
            ]
            assert sorted(named) == sorted(set(labels))
            ill = sorted(set(world.sensitive))
            for own, size, counts in zip(
                named, classes.sizes, classes.counts[0].toarray(), strict=True
            ):
                of_class = [
                    s
                    for s, label in zip(world.sensitive, labels, strict=True)
                    if label == own
                ]
                assert size == len(of_class)
                assert counts.tolist() == [of_class.count(v) for v in ill]
            for i, j in product(range(len(labels)), repeat=2):
                assert (codes[i] == codes[j]) == (labels[i] == labels[j])


@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 3, 40]), max_size=5),
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
)
def test_rolling_up_is_replacing_leaves_and_adding_equal_rows(n_nodes, n, seed):
    """Whether each number has a slot of its own or not, in one group or several."""
    rng = np.random.default_rng(seed)
    d, n_leaves = len(n_nodes), 6
    codes = rng.integers(0, n_leaves, (d, 40)).astype(np.uint8)
    rows = rng.permutation(40)[:n].astype(np.int32)
    sizes = rng.integers(1, 9, n)
    nodes = np.array([rng.integers(0, own, n_leaves) for own in n_nodes])
    levels = [(j * n_leaves, own) for j, own in enumerate(n_nodes)]
    levels = np.array(levels, dtype=np.int64).reshape(-1, 2)
    arguments = (codes, rows, sizes, levels, nodes.ravel().astype(np.uint32))
    for most_keys in (2**62, n * max(n_nodes, default=1)):
        found = _lattice_kernels.roll_up(*arguments, most_keys)
        expected = naive.roll_up(*arguments, most_keys)
        assert [own.tolist() for own in found] == list(expected)


@settings(max_examples=examples(100), deadline=None)
@given(
    st.integers(1, 12), st.integers(1, 5), st.integers(1, 6), st.integers(0, 2**32 - 1)
)
def test_counts_of_merged_classes_are_sums(n, n_classes, n_values, seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3, (n, n_values))
    label = rng.integers(0, n_classes, n).astype(np.int32)
    own = sparse.csr_array(counts)
    found = _lattice_kernels.merge_counts(
        own.indptr, own.indices, own.data, label, n_classes, n_values
    )
    starts, values, merged = found
    whole = sparse.csr_array((merged, values, starts), shape=(n_classes, n_values))
    assert whole.has_canonical_format and (merged > 0).all()
    expected = naive.merge_counts(counts.tolist(), label.tolist(), n_classes)
    assert whole.toarray().tolist() == expected


def test_nodes_whose_numbers_do_not_fit_a_word_are_told_apart():
    """Twelve columns of a hundred leaves: 10^24 combinations."""
    d, leaves = 12, 100
    lines = [(f"{leaf:02}", "*") for leaf in range(leaves)]
    hierarchy = GeneralizationHierarchy.from_lines("x", lines)
    rows = np.random.default_rng(0).integers(0, leaves, (40, d))
    rows[1] = rows[0]
    rows[2, 1:], rows[3, :-1] = rows[0, 1:], rows[0, :-1]
    table = LatticeTable(list(rows.T), [hierarchy] * d)
    assert sorted(table.rows.sizes) == [1] * 38 + [2]
    assert table.leaf_codes(table.rows).tolist() == np.delete(rows, 1, 0).tolist()
    _, codes = table.class_codes((0,) * (d - 1) + (1,))
    assert codes[3] == codes[1] == codes[0] and len(set(codes)) == 38


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.integers(0, 2**32 - 1))
def test_paths_and_open_nodes_are_those_of_the_twins(shape, seed):
    rng = np.random.default_rng(seed)
    shape = np.array(shape)
    n = int(shape.prod())
    strides = np.cumprod([1, *shape[:0:-1]])[::-1].copy()
    tags = (rng.random(n) < 0.4).astype(np.int8)
    lower = rng.integers(0, 3, n).astype(float)
    rank = np.indices(shape).sum(axis=0).ravel()
    best = rng.integers(0, 4, 2).astype(float)
    order, start = rng.permutation(n), int(rng.integers(0, n + 1))
    known = tags, lower, rank, best
    found = _lattice_kernels.next_open(order, start, *known)
    assert found == naive.next_open(order, start, *known)
    guide = rng.permutation(n).astype(float)
    path = _lattice_kernels.climb(order[0], strides, shape, tags, guide)
    assert path.tolist() == naive.climb(order[0], strides, shape, tags, guide)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_known_nodes_tell_of_those_below_and_above_and_of_no_others(heights, seed):
    rng = np.random.default_rng(seed)
    below, above = NodesBelow(heights), NodesAbove(heights)
    places = np.cumsum([0, *(height + 1 for height in heights[:-1])])
    bits = np.zeros((sum(heights) + len(heights), 2), dtype=np.uint64)
    expected = bits.copy()
    added = []
    for number in range(int(rng.integers(0, 70))):  # more than fit a word
        node = rng.integers(0, np.array(heights) + 1)
        added.append(node)
        below.add(node)
        above.add(node)
        _lattice_kernels.add_node(bits, places, node, number)
        naive.add_node(expected, places, node, number)
    assert bits.tolist() == expected.tolist()
    for _ in range(10):
        node = rng.integers(0, np.array(heights) + 1)
        found = _lattice_kernels.any_above(bits, places + node, 2)
        assert found == naive.any_above(bits, places + node, 2)
        assert found == any((own >= node).all() for own in added)
        assert (node in below) == found
        assert (node in above) == any((own <= node).all() for own in added)
