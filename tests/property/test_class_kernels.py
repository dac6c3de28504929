"""Classes of records on random small tables: their kernels and slow twins."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from naive import classes as naive
from support.examples import examples

from coclust_synth.generators.kanon.classes._class_kernels import (
    _candidates,
    _gain_with,
    _gain_without,
    empty_classes,
    fill,
    move,
    refresh,
    sweep,
)
from coclust_synth.generators.kanon.classes._cut_kernels import grow
from coclust_synth.generators.kanon.classes._merge_kernels import (
    absorb,
    covered_weight,
    merge_gains,
)
from coclust_synth.generators.kanon.classes._person_kernels import only_owners
from coclust_synth.generators.kanon.classes.costs import OBJECTIVES, cut_worth
from coclust_synth.generators.kanon.classes.forming import (
    class_forms,
    class_problem,
    cover_classes,
    form_classes,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse

EXACT = dict(rel=1e-11, abs=1e-9)


class World:
    """Records, the problem made of them, and classes given by a label each."""

    def __init__(
        self, codes, n_leaves, k, is_interval, truthful, label=None, repeats=None
    ):
        self.records, self.inverse = collapse(codes, n_leaves)
        self.k, self.truthful = k, truthful
        self.is_interval = np.array(is_interval)
        self.problem = class_problem(
            self.records,
            k,
            is_interval=self.is_interval,
            is_truthful=np.full(len(n_leaves), truthful),
            repeats=None if repeats is None else np.array(repeats),
        )
        repeats = np.ones(len(n_leaves)) if repeats is None else repeats
        self.influences = [naive.influence(own, k) for own in repeats]
        self.e = naive.exponent(k, truthful)
        starts = self.problem.starts.tolist()
        self.domains = [list(range(a, b)) for a, b in pairwise(starts)]
        n_records = len(self.records.counts)
        if label is None:
            label = np.zeros(n_records, dtype=np.int64)
        self.label = np.asarray(label)[:n_records]
        self.n_classes = int(self.label.max()) + 1

    def filled(self):
        classes = empty_classes(self.problem, self.label, self.n_classes)
        fill(self.problem, classes)
        return classes

    def rows(self, label, own):
        """The rows of a class, each as its leaves."""
        rows = []
        for leaves, weight, of in zip(
            self.problem.leaves.tolist(), self.problem.weight, label, strict=True
        ):
            if of == own:
                rows += [tuple(leaves)] * int(weight)
        return rows

    def cover(self, kept):
        return [{v for v in domain if kept[v]} for domain in self.domains]

    def best_fit(self, rows):
        if not rows:
            return 0.0
        return naive.best_fit(
            rows, self.domains, self.is_interval, self.k, self.truthful, self.influences
        )


@st.composite
def worlds(draw, max_classes=4, truthful=None):
    n_leaves = draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    n = draw(st.integers(2, 24))
    columns = [
        draw(arrays(np.int64, n, elements=st.integers(0, size - 1)))
        for size in n_leaves
    ]
    d = len(n_leaves)
    return World(
        np.column_stack(columns),
        n_leaves,
        draw(st.integers(2, n)),
        draw(st.lists(st.booleans(), min_size=d, max_size=d)),
        draw(st.booleans()) if truthful is None else truthful,
        draw(arrays(np.int64, n, elements=st.integers(0, max_classes - 1))),
        draw(st.lists(st.sampled_from([0.02, 0.3, 1.0]), min_size=d, max_size=d)),
    )


def assert_consistent(world, classes):
    """All arrays are those that filling anew with the same labels gives."""
    fresh = empty_classes(world.problem, classes.label, len(classes.size))
    fill(world.problem, fresh)
    used = fresh.size > 0
    for name in ("label", "counts", "kept", "holders", "size", "persons"):
        np.testing.assert_array_equal(getattr(classes, name), getattr(fresh, name))
    np.testing.assert_allclose(classes.fit, fresh.fit, rtol=1e-12)
    for name in ("width", "mass"):
        np.testing.assert_allclose(
            getattr(classes, name)[used], getattr(fresh, name)[used], rtol=1e-12
        )
    for name in ("low", "high"):
        np.testing.assert_array_equal(
            getattr(classes, name)[used][:, world.is_interval],
            getattr(fresh, name)[used][:, world.is_interval],
        )
    for own in range(len(classes.size)):
        chained, record, before = [], classes.first[own], -1
        while record >= 0:
            assert classes.previous[record] == before
            chained.append(int(record))
            before, record = record, classes.next[record]
        assert sorted(chained) == np.flatnonzero(classes.label == own).tolist()


# Covers and the objective


@pytest.mark.slow
@settings(deadline=None)
@given(worlds())
def test_covers_are_the_best_of_all(world):
    classes = world.filled()
    for own in range(world.n_classes):
        rows = world.rows(world.label, own)
        assert classes.size[own] == len(rows)
        assert classes.fit[own] == pytest.approx(world.best_fit(rows), **EXACT)
        cover = world.cover(classes.kept[own])
        if not rows:
            assert not any(cover)
            continue
        pairs = list(zip(naive.counts_of(rows), cover, strict=True))
        assert classes.fit[own] == pytest.approx(
            naive.fit(pairs, len(rows), world.e, world.influences), **EXACT
        )
        for j, (counts, values) in enumerate(pairs):
            assert classes.width[own, j] == len(values)
            assert classes.mass[own, j] == pytest.approx(
                math.fsum(counts[v] ** world.e for v in values), **EXACT
            )
            if world.is_interval[j]:
                assert values == naive.hull(values)
                assert (classes.low[own, j], classes.high[own, j]) == (
                    min(values),
                    max(values),
                )
                assert counts[min(values)] and counts[max(values)]
            else:
                assert all(counts[v] for v in values)
            if world.truthful:
                assert set(counts) <= values


@settings(deadline=None)
@given(worlds())
def test_words_of_holders_are_the_covers(world):
    classes = world.filled()
    for own in range(world.n_classes):
        bits = classes.holders[:, own >> 6] >> np.uint64(own & 63)
        np.testing.assert_array_equal(bits & np.uint64(1), classes.kept[own])


def test_the_objective_of_a_class_by_hand():
    """Four rows aab, abc, ..: worth n (1 + b_1) (1 + b_2) with e = 1 for k = 2."""
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 2]])
    world = World(codes, [2, 3], 2, [False, False], False)
    assert world.e == pytest.approx(0.5 + 1 / (3 * math.log(2)))
    e = world.e
    one = max(0.75**e, (0.75**e + 0.25**e) / math.sqrt(2))
    two = max(
        0.5**e, (0.5**e + 0.25**e) / math.sqrt(2), (0.5**e + 2 * 0.25**e) / math.sqrt(3)
    )
    assert world.filled().fit[0] == pytest.approx(4 * (1 + one) * (1 + two))


# What a move changes


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.data())
def test_a_record_that_leaves(world, data):
    classes = world.filled()
    record = data.draw(st.integers(0, len(world.label) - 1))
    own = int(world.label[record])
    label = world.label.copy()
    label[record] = -1
    rows = world.rows(label, own)
    gain = _gain_without(world.problem, classes, record, own)
    before = classes.fit[own]
    cover = world.cover(classes.kept[own])
    expected = (
        naive.fit_without(rows, cover, world.is_interval, world.e, world.influences)
        if rows
        else 0.0
    )
    assert gain == pytest.approx(expected - before, **EXACT)
    assert gain <= world.best_fit(rows) - before + 1e-9
    if world.truthful:
        assert gain == pytest.approx(world.best_fit(rows) - before, **EXACT)


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.data())
def test_a_record_that_joins(world, data):
    classes = world.filled()
    record = data.draw(st.integers(0, len(world.label) - 1))
    other = data.draw(st.sampled_from(np.unique(world.label).tolist()))
    assume(other != world.label[record])
    label = world.label.copy()
    label[record] = other
    rows = world.rows(label, other)
    gain = _gain_with(world.problem, classes, record, other)
    before = classes.fit[other]
    expected = naive.fit_with(
        rows,
        world.problem.leaves[record].tolist(),
        world.cover(classes.kept[other]),
        world.is_interval,
        world.e,
        world.truthful,
        world.influences,
    )
    assert gain == pytest.approx(expected - before, **EXACT)
    assert gain <= world.best_fit(rows) - before + 1e-9
    if world.truthful:
        assert gain == pytest.approx(world.best_fit(rows) - before, **EXACT)


@settings(deadline=None)
@given(worlds(), st.data())
def test_classes_that_merge(world, data):
    classes = world.filled()
    own = data.draw(st.sampled_from(np.unique(world.label).tolist()))
    gains = merge_gains(world.problem, classes, own)
    for other in range(world.n_classes):
        if other == own or not classes.size[other]:
            assert gains[other] == -np.inf
            continue
        rows = world.rows(world.label, own) + world.rows(world.label, other)
        before = classes.fit[own] + classes.fit[other]
        expected = naive.fit_merged(
            rows,
            world.cover(classes.kept[own]),
            world.cover(classes.kept[other]),
            world.is_interval,
            world.e,
            world.influences,
        )
        assert gains[other] == pytest.approx(expected - before, **EXACT)
        assert gains[other] <= world.best_fit(rows) - before + 1e-9
        if world.truthful:
            assert gains[other] == pytest.approx(world.best_fit(rows) - before, **EXACT)


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.data())
def test_moved_and_absorbed_records_are_counted(world, data):
    classes = world.filled()
    labels = st.integers(0, world.n_classes - 1)
    for record in range(0, len(world.label), 2):
        own, target = int(classes.label[record]), data.draw(labels)
        move(world.problem, classes, record, target)
        refresh(world.problem, classes, own)
        refresh(world.problem, classes, target)
    assert_consistent(world, classes)
    own, other = data.draw(labels), data.draw(labels)
    assume(own != other)
    absorb(world.problem, classes, own, other)
    assert classes.size[own] == 0 and classes.size.sum() == world.records.counts.sum()
    assert_consistent(world, classes)


# Candidates


@pytest.mark.parametrize("n_classes", [3, 64, 65, 150])
@pytest.mark.parametrize("room", [4, 16, 64])
def test_candidates_share_most_values(n_classes, room):
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, 5, (600, 5))
    label = rng.integers(0, n_classes, 600)
    world = World(codes, [5] * 5, 2, [False, True, False, True, False], False, label)
    classes = world.filled()
    absorb(world.problem, classes, 1, 0)
    found = np.empty(room, np.int64)
    for record in range(0, len(world.label), 37):
        n_found = _candidates(world.problem, classes, record, found)
        shared = [
            int(kept[world.problem.leaves[record]].sum()) if size else None
            for kept, size in zip(classes.kept, classes.size, strict=True)
        ]
        assert found[:n_found].tolist() == naive.candidates(shared, room)


# Another table under the covers


@settings(deadline=None)
@given(
    arrays(bool, (3, 6)),
    arrays(np.int64, (7, 2), elements=st.integers(-1, 5)),
    arrays(np.int64, 7, elements=st.integers(1, 9)),
)
def test_weight_of_the_rows_under_a_cover(kept, codes, weight):
    expected = [
        sum(
            int(w)
            for row, w in zip(codes.tolist(), weight, strict=True)
            if all(leaf >= 0 and own[leaf] for leaf in row)
        )
        for own in kept
    ]
    assert covered_weight(kept, codes, weight).tolist() == expected


# Sweeps


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 64]))
def test_sweeps_raise_the_objective_and_keep_k(world, seed, room):
    sizes = np.bincount(world.label, world.problem.weight)
    assume((sizes[sizes > 0] >= world.k).all())
    classes = world.filled()
    rng = np.random.default_rng(seed)
    objective = classes.fit.sum()
    for _ in range(3):
        n_moved = sweep(world.problem, classes, rng.permutation(len(world.label)), room)
        assert (n_moved > 0) == (classes.fit.sum() > objective)
        assert classes.fit.sum() >= objective
        objective = classes.fit.sum()
        assert (classes.size[classes.size > 0] >= world.k).all()
        assert classes.size.sum() == world.records.counts.sum()
        assert_consistent(world, classes)


def test_sweeps_look_at_candidates_where_classes_are_many(rng):
    """More classes than room, so that records, and exchanges, go through the bits."""
    codes = rng.integers(0, 6, (900, 4))
    world = World(codes, [6] * 4, 3, [False, True, False, False], False)
    label = np.empty(len(world.label), np.int64)
    n = grow(
        world.problem, cut_worth(world.problem, "both"), np.arange(len(label)), label, 0
    )
    assert n > 128
    world.label, world.n_classes = label, n
    classes = world.filled()
    before = classes.fit.sum()
    assert sweep(world.problem, classes, rng.permutation(len(label)), 8) > 20
    assert classes.fit.sum() > before
    assert (classes.size[classes.size > 0] >= 3).all()
    assert_consistent(world, classes)


# First classes


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.integers(0, 5))
def test_grown_classes_hold_k_and_not_much_more(world, n_before):
    members = np.flatnonzero(world.label == world.label[0])
    weight = world.problem.weight
    assume(weight[members].sum() >= world.k)
    label = np.full(len(world.label), -1)
    n_after = grow(
        world.problem, cut_worth(world.problem, "loss"), members, label, n_before
    )
    assert (label[np.setdiff1d(np.arange(len(label)), members)] == -1).all()
    sizes = np.bincount(label[members], weight[members])
    assert len(sizes) == n_after and (sizes[:n_before] == 0).all()
    assert (sizes[n_before:] >= world.k).all()
    assert (sizes[n_before:] < 2 * world.k + weight[members].max()).all()


@settings(deadline=None)
@given(worlds(), st.sampled_from(OBJECTIVES))
def test_grown_classes_are_those_of_the_slow_twin(world, objective):
    assert_grown(world.problem, objective)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_record_that_joins_is_the_best_of_many(rng, objective):
    """Of many variables, the first of which may be worth little and the others much."""
    world = World(
        rng.integers(0, 6, (200, 5)), [6] * 5, 7, [True, False, True, False, False], 0
    )
    assert assert_grown(world.problem, objective) > 20


def assert_grown(problem, objective):
    worth = cut_worth(problem, objective)
    label = np.full(len(problem.weight), -1)
    n_classes = grow(problem, worth, np.arange(len(label)), label, 0)
    expected = np.full(len(label), -1)
    classes = naive.grown(
        list(map(tuple, problem.leaves.tolist())),
        problem.weight.tolist(),
        problem.is_interval.tolist(),
        problem.k,
        worth.tolist(),
    )
    for own, members in enumerate(classes):
        expected[members] = own
    np.testing.assert_array_equal(label, expected)
    assert n_classes == len(classes)
    return n_classes


@pytest.mark.slow
@settings(deadline=None)
@given(worlds(), st.integers(0, 2**32 - 1))
def test_formed_classes(world, seed):
    sizes = np.bincount(world.label, world.problem.weight)
    clusters = np.where(sizes[world.label] < world.k, sizes.argmax(), world.label)
    sizes = np.bincount(clusters, world.problem.weight)
    assume((sizes[sizes > 0] >= world.k).all())
    nearest = {"seed": seed, "objective": "distance"}
    formed = form_classes(world.problem, clusters, **nearest)
    again = form_classes(world.problem, clusters, **nearest)
    np.testing.assert_array_equal(formed.label, again.label)
    np.testing.assert_array_equal(formed.kept, again.kept)
    sizes = np.bincount(formed.label, world.problem.weight)
    assert len(sizes) == len(formed.kept) and (sizes >= world.k).all()
    first = form_classes(world.problem, clusters, **nearest, max_sweeps=0)
    for classes in (formed, first):
        fresh = cover_classes(world.problem, classes.label)
        np.testing.assert_array_equal(fresh.label, classes.label)
        np.testing.assert_array_equal(fresh.kept, classes.kept)

    def objective(classes):
        return sum(
            world.best_fit(world.rows(classes.label, own))
            for own in range(len(classes.kept))
        )

    best = max(map(objective, class_forms(world.problem, clusters, **nearest)))
    assert best >= objective(first) - 1e-9
    if not world.truthful:  # true ones are judged as the released table is
        assert objective(formed) >= objective(first) - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_exchanges_of_records_of_unequal_weight_keep_k(seed):
    """Classes of k rows or little more, whose records can only be exchanged."""
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.4, (1500, 3)) - 1, 7)
    world = World(codes, [8] * 3, 30, [False, True, False], False)
    members = np.flatnonzero(world.problem.weight < 30)
    world.problem = world.problem._replace(
        leaves=world.problem.leaves[members], weight=world.problem.weight[members]
    )
    world.label = np.empty(len(members), np.int64)
    shuffled = rng.permutation(len(members))
    world.n_classes = grow(
        world.problem, cut_worth(world.problem, "both"), shuffled, world.label, 0
    )
    classes = world.filled()
    for _ in range(4):
        sweep(world.problem, classes, rng.permutation(len(members)), 64)
        assert (classes.size[classes.size > 0] >= 30).all()
        assert_consistent(world, classes)


# Persons


def random_owners(rng, n_persons):
    """A world whose rows are those of some persons, and who they are."""
    n = int(rng.integers(n_persons, 5 * n_persons))
    codes = rng.integers(0, 4, (n, 2))
    persons = np.concatenate([np.arange(n_persons), rng.integers(0, n_persons, n)])
    return codes, Persons("who", rng.permutation(persons[:n]))


@settings(deadline=None, max_examples=examples(60))
@given(st.integers(0, 2**32 - 1), st.integers(4, 20))
def test_classes_hold_k_persons_at_every_step(seed, n_persons):
    rng = np.random.default_rng(seed)
    codes, persons = random_owners(rng, n_persons)
    records, inverse = collapse(codes, [4, 4])
    k = int(rng.integers(1, n_persons + 1))
    problem = class_problem(
        records,
        k,
        is_interval=np.array([False, True]),
        is_truthful=np.zeros(2, bool),
        record_of_row=inverse,
        persons=persons,
    )

    def counted(label):
        return naive.persons_of_classes(label[inverse], persons.codes)

    n_records = len(records.counts)
    label = np.zeros(n_records, dtype=np.int64)
    n_classes = grow(
        problem, cut_worth(problem, "both"), np.arange(n_records), label, 0
    )
    assert sorted(counted(label)) == list(range(n_classes))
    assert min(counted(label).values()) >= k
    classes = empty_classes(problem, label, n_classes)
    fill(problem, classes)
    for own in range(n_classes):
        for record in rng.permutation(n_records)[:3]:
            joined = label.copy()
            joined[record] = own
            alone = label.copy()
            alone[record] = -1
            without = counted(alone).get(own, 0)
            assert only_owners(problem, label, record, own) == (
                counted(joined)[own] - without
            )
    sweep(problem, classes, rng.permutation(n_records), 64)
    found = counted(classes.label)
    assert {own: int(classes.persons[own]) for own in found} == found
    assert min(found.values()) >= k
    formed = form_classes(problem, np.zeros(n_records, dtype=np.int64), seed=0)
    assert min(counted(formed.label).values()) >= k
