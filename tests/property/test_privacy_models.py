"""Every privacy model on random small tables: its formula, and what merging does."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import privacy as naive
from scipy import sparse
from support.examples import examples

from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.privacy.classes import equivalence_classes

cells = st.one_of(st.just(0), st.integers(0, 4), st.integers(0, 300))
count_matrices = (
    st.tuples(st.integers(1, 7), st.integers(1, 8))
    .flatmap(lambda shape: arrays(np.int64, shape, elements=cells))
    .filter(lambda counts: counts.sum(axis=1).all())
)


@st.composite
def hierarchies(draw, n_values):
    """Nodes of each value by level, under arbitrary names."""
    levels = [list(range(n_values))]
    for _ in range(draw(st.integers(0, 3))):
        n_nodes = max(levels[-1]) + 1
        parent = draw(
            st.lists(st.integers(0, n_nodes - 1), min_size=n_nodes, max_size=n_nodes)
        )
        _, parent = np.unique(parent, return_inverse=True)
        levels.append([int(parent[node]) for node in levels[-1]])
    names = draw(st.permutations(range(n_values)))
    return [[names[node] for node in level] for level in levels] + [[0] * n_values]


def twins(l, nodes):  # noqa: E741
    """Each model with its slow twin, which takes one class and the table."""
    return [
        (KAnonymity(1), lambda c, total: sum(c)),
        (DistinctLDiversity(1), lambda c, total: naive.distinct_l(c)),
        (EntropyLDiversity(1), lambda c, total: naive.entropy_l(c)),
        (RecursiveLDiversity(1, l), lambda c, total: naive.recursive_c(c, l)),
        (AlphaK(1), lambda c, total: naive.largest_share(c)),
        (TCloseness(1), naive.equal_distance),
        (TCloseness(1, "ordered"), naive.ordered_distance),
        (
            TCloseness(1, "hierarchical", nodes),
            lambda c, total: naive.hierarchical_distance(c, total, nodes),
        ),
    ]


@pytest.mark.slow
@settings(deadline=None)
@given(count_matrices, st.integers(1, 5), st.data())
def test_measures_are_those_of_the_naive_twins(counts, l, data):  # noqa: E741
    total = counts.sum(axis=0)
    nodes = data.draw(hierarchies(len(total)))
    for model, twin in twins(l, nodes):
        expected = [float(twin(row.tolist(), total.tolist())) for row in counts]
        found = model.values(counts, total)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
        same = model.values(sparse.csr_array(counts), total)
        np.testing.assert_array_equal(found, same)
        assert model.reachable(total) == pytest.approx(
            float(twin(total.tolist(), total.tolist())), rel=1e-12, abs=1e-13
        )


@settings(deadline=None, max_examples=examples(30))
@given(count_matrices, st.data())
def test_t_is_the_least_cost_of_moving_one_distribution_onto_the_other(counts, data):
    total = counts.sum(axis=0)
    m = len(total)
    nodes = data.draw(hierarchies(m))
    height = len(nodes) - 1
    grounds = [
        (TCloseness(1), lambda i, j: i != j),
        (TCloseness(1, "ordered"), lambda i, j: abs(i - j) / max(m - 1, 1)),
        (
            TCloseness(1, "hierarchical", nodes),
            lambda i, j: naive.common_level(nodes, i, j) / height,
        ),
    ]
    for model, ground in grounds:
        expected = naive.earth_movers_distance(counts[0], total, ground)
        assert model.values(counts[:1], total)[0] == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@settings(deadline=None)
@given(count_matrices, st.integers(1, 5), st.data())
def test_merging_classes_never_makes_the_worst_worse(counts, l, data):  # noqa: E741
    total = counts.sum(axis=0)
    group = data.draw(
        arrays(np.int64, len(counts), elements=st.integers(0, len(counts) - 1))
    )
    merged = np.stack([counts[group == g].sum(axis=0) for g in np.unique(group)])
    nodes = data.draw(hierarchies(len(total)))
    for model, _ in twins(l, nodes):
        fine, coarse, whole = (
            model.worst(model.values(matrix, total))
            for matrix in (counts, merged, total[np.newaxis])
        )
        ranked = np.array([fine, coarse, whole]) * (1 if model.more_is_better else -1)
        tolerance = 1e-9 * np.abs(ranked[np.isfinite(ranked)]).max(initial=0)
        assert ranked[0] <= ranked[1] + tolerance
        assert ranked[1] <= ranked[2] + tolerance


@given(
    st.lists(
        st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))),
        min_size=2,
        max_size=8,
    )
)
def test_a_sum_of_population_classes_has_a_share_between_theirs(classes):
    counts = np.array(classes)
    shares = DeltaPresence(0, 1).values(counts, counts.sum(axis=0))
    whole = DeltaPresence(0, 1).reachable(counts.sum(axis=0))
    assert shares.min() - 1e-12 <= whole <= shares.max() + 1e-12


cell_values = st.sampled_from(["a", "b", None, float("nan"), "nan", "*", ""])
tables = st.lists(
    st.tuples(cell_values, st.sampled_from([1, 2, None]), st.sampled_from("xyz")),
    min_size=2,
    max_size=30,
)


@settings(deadline=None)
@given(tables, st.integers(0, 2**32))
def test_a_table_is_checked_as_the_naive_twin_does(rows, seed):
    frame = pd.DataFrame(rows, columns=["place", "age", "disease"])
    frame.index = np.random.default_rng(seed).integers(0, 5, len(frame))
    keys = [tuple(None if x != x else x for x in row[:2]) for row in rows]
    codes, sizes = naive.equivalence_classes(keys)
    counts = [[0] * 3 for _ in sizes]
    for code, row in zip(codes, rows, strict=True):
        counts[code]["xyz".index(row[2])] += 1

    classes = equivalence_classes(frame, ["place", "age"])
    assert sorted(classes.sizes) == sorted(sizes)
    relabelled = dict(zip(codes, classes.codes, strict=True))
    assert [relabelled[code] for code in codes] == classes.codes.tolist()
    assert classes.codes[classes.first].tolist() == list(range(len(sizes)))

    check = check_release(frame, ["place", "age"], ["disease"])
    column = check.sensitive[0]
    total = np.sum(counts, axis=0)
    assert check.k == min(sizes)
    assert check.discernibility == sum(n * n for n in sizes)
    assert check.unique_share == sizes.count(1) / len(rows)
    assert column.distinct_l == min(map(naive.distinct_l, counts))
    assert column.entropy_l == pytest.approx(min(map(naive.entropy_l, counts)))
    for l, c in column.recursive_c.items():  # noqa: E741
        assert c == pytest.approx(float(max(naive.recursive_c(n, l) for n in counts)))
    assert column.t_equal == pytest.approx(
        float(max(naive.equal_distance(n, total) for n in counts)), abs=1e-12
    )
    assert column.a_know == pytest.approx(float(naive.a_know(counts, total)), abs=1e-12)
