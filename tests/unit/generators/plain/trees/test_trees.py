import numpy as np
import pandas as pd
import pytest
from naive import plain_trees as naive
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured.leaves._kernels import exchanged
from coclust_synth.generators.plain.trees import _growth_kernels as growth
from coclust_synth.generators.plain.trees import _tree_kernels as kernels
from coclust_synth.generators.plain.trees.coarser import Merged, coarser_tree
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.people.people import Persons


def grown(seed, n=600, k=20, **kwargs):
    """A tree for a column of eight codes, on ordered, unordered and useless columns."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack(
        [rng.integers(0, 12, n), rng.integers(0, 5, n), rng.integers(0, 3, n)]
    ).astype(np.int32)
    own = (codes[:, 0] // 3 + 4 * (codes[:, 1] == 2) * (rng.random(n) < 0.8)).astype(
        np.int32
    )
    tree = grow_tree(
        own,
        (8, kwargs.pop("n_ordered", 0)),
        [0, 1, 2],
        codes,
        np.array([12, 5, 3]),
        np.array([11, 0, 0]),
        k,
        **kwargs,
    )
    return tree, codes, own


@pytest.mark.parametrize("n_ordered", [0, 7, 8])
@pytest.mark.parametrize("seed", range(5))
def test_leaves_describe_k_rows_and_count_them_all(seed, n_ordered):
    tree, codes, own = grown(seed, n_ordered=n_ordered)
    leaf = tree.leaf_of(codes)
    _, held = np.unique(leaf, return_counts=True)
    assert held.min() >= 20
    indptr, code, rows = tree.leaves
    for t in np.unique(leaf):
        expected = np.bincount(own[leaf == t], minlength=8)
        found = np.zeros(8, dtype=int)
        found[code[indptr[t] : indptr[t + 1]]] = rows[indptr[t] : indptr[t + 1]]
        np.testing.assert_array_equal(found, expected)
    whole = np.zeros(8, dtype=int)
    whole[code[indptr[-2] :]] = rows[indptr[-2] :]
    np.testing.assert_array_equal(whole, np.bincount(own, minlength=8))


def test_what_depends_is_split_on():
    tree, _, _ = grown(0)
    assert {0, 1} <= set(tree.parents)
    assert len(np.unique(tree.leaf_of(grown(0)[1]))) > 8


def test_categories_that_hold_most_rows_are_told_apart_also_where_they_are_many():
    """Of eighty zones as common as each other each station has two."""
    zone = (np.arange(8000) % 80).astype(np.int32)
    station = zone[:, None] // 2
    tree = grow_tree(zone, (80, 0), [0], station, np.array([40]), np.array([0]), 20)
    leaf = tree.leaf_of(station)
    zones = [len(np.unique(zone[leaf == t])) for t in np.unique(leaf)]
    assert np.mean(zones) < 2.5


@pytest.mark.parametrize("of_persons", [False, True])
def test_numbers_that_tell_a_column_in_no_order_are_asked_along_it(of_persons):
    """The size of a school tells which one it is, and so how many pupils are poor."""
    rng = np.random.default_rng(4)
    size, other = rng.integers(0, 40, 2000), rng.integers(0, 6, 2000)
    poor = rng.permutation(40)[size]
    codes = np.column_stack([size, other]).astype(np.int32)
    sizes = np.array([40, 6])
    persons = Persons("who", np.arange(2000)) if of_persons else None
    tree = grow_tree(
        poor.astype(np.int32), (40, 40), [0, 1], codes, sizes, sizes, 20, persons
    )
    leaf = tree.leaf_of(codes)
    schools = [len(np.unique(size[leaf == t])) for t in np.unique(leaf)]
    # A school of less than twenty pupils is beside another.
    assert np.mean(schools) < 1.5
    assert not (np.diff(tree.ranks[tree.parents.index(0)]) > 0).all()


def test_numbers_that_tell_nothing_stay_in_their_order():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 40, (2000, 2)).astype(np.int32)
    near = np.minimum(codes[:, 0] + rng.integers(0, 8, 2000), 39).astype(np.int32)
    sizes = np.array([40, 40])
    tree = grow_tree(near, (40, 40), [0, 1], codes, sizes, sizes, 20)
    assert all((np.diff(ranks) > 0).all() for ranks in tree.ranks)


@pytest.mark.parametrize("seed", range(20))
def test_trees_of_persons_are_those_of_their_slow_twin(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 80)), int(rng.integers(1, 6))
    features = rng.integers(-1, 6, (n, 3)).astype(np.int32)
    person = np.append(np.arange(10), rng.integers(0, 10, n - 10))
    # Targets of many digits: no two splits are equally good by chance.
    target = rng.random((n, 2)) + (features[:, :1] > 2)
    nodes, leaf = growth.grow(features, target, person, k)
    asked = features, target.tolist(), person, k, growth.LEAST
    expected, of_rows = naive.grow(*asked)
    np.testing.assert_array_equal(np.column_stack(nodes), expected)
    assert leaf.tolist() == of_rows
    assert leaf.tolist() == kernels.leaves_of(features, *nodes).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_leaves_describe_k_persons_where_they_have_several_rows(seed):
    person = np.random.default_rng(seed + 100).integers(0, 150, 600)
    person = np.unique(person, return_inverse=True)[1]
    tree, codes, _ = grown(seed, k=30, persons=Persons("who", person))
    leaf = tree.leaf_of(codes)
    assert all(len(np.unique(person[leaf == t])) >= 30 for t in np.unique(leaf))
    assert len(np.unique(leaf)) > 1
    tree.check(8, [12, 5, 3])
    indptr, _, rows = tree.leaves
    for t in np.unique(leaf):
        assert rows[indptr[t] : indptr[t + 1]].sum() == (leaf == t).sum()


def test_a_split_that_leaves_too_few_persons_gives_way_to_the_next():
    """Where one person is far from all others, the next best split is made."""
    person = np.repeat(np.arange(40), 10)
    features = np.column_stack([person == 0, person % 2]).astype(np.int32)
    target = np.where(person == 0, 100.0, person % 2)[:, None]
    nodes, leaf = growth.grow(features, target, person, 5)
    assert nodes[0].tolist() == [1, -1, -1]
    assert np.bincount(leaf).tolist() == [0, 200, 200]


def test_a_column_without_parents_is_one_leaf():
    own = np.array([0, 1, 1, 2], dtype=np.int32)
    none = np.array([], dtype=int)
    tree = grow_tree(own, (3, 0), [], np.empty((4, 0), np.int32), none, none, 2)
    assert tree.leaf_of(np.empty((2, 0), np.int32)).tolist() == [0, 0]
    assert tree.leaves.rows.tolist() == [1, 2, 1, 1, 2, 1]


@pytest.mark.parametrize("seed", range(10))
def test_kernels_do_what_their_slow_twins_do(seed):
    tree, codes, _ = grown(seed, n=200)
    rng = np.random.default_rng(seed)
    ranks = np.column_stack(
        [rank[codes[:, p]] for p, rank in zip(tree.parents, tree.ranks, strict=True)]
    )
    nodes = tree.feature, tree.threshold, tree.left, tree.right
    of_parents = np.array(tree.parents), np.concatenate(tree.ranks)
    first = np.cumsum([0, *map(len, tree.ranks[:-1])])
    asked = kernels.ranked(codes, *of_parents, first)
    assert asked.tolist() == naive.ranked(codes, *of_parents, first) == ranks.tolist()
    leaf = kernels.leaves_of(ranks.astype(np.int32), *nodes)
    assert leaf.tolist() == naive.leaves_of(ranks, *nodes)
    points = rng.random(200)
    picked = kernels.pick(leaf, points, tree.leaves)
    assert picked.tolist() == naive.pick(leaf, points, tree.leaves)
    shuffled, start = rng.permutation(200), rng.random(len(tree.left))
    size = np.bincount(leaf, minlength=len(start))
    picked = kernels.pick_evenly(leaf, shuffled, size, start, tree.leaves)
    assert picked.tolist() == naive.pick_evenly(leaf, shuffled, start, tree.leaves)
    limits = kernels.Limits(
        group=rng.integers(0, 3, 8).astype(np.int32),
        allowed=rng.random((200, 3)) < 0.6,
        later=rng.random((5, 8)) < 0.8,
        combination=rng.integers(0, 5, 200),
        low=np.arange(8.0),
        high=np.arange(8.0) + 1,
        lowest=rng.integers(-3, 8, 200).astype(float),
        highest=np.where(rng.random(200) < 0.5, np.inf, 4.0),
    )
    order = np.lexsort((rng.random(200), leaf))
    drawn = leaf, points, order, tree.leaves, limits
    picked = kernels.pick_within(*drawn)
    assert picked.tolist() == naive.pick_within(*drawn)
    assert (picked < 0).any()


def test_rows_exchange_what_they_may_not_have():
    """A leaf keeps its distribution where some order of its codes is allowed."""
    leaf, points = np.zeros(60, dtype=np.int64), (np.arange(60) + 0.5) / 60
    rows = np.array([20, 20, 20, 20, 20, 20])
    codes = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)
    leaves = kernels.Leaves(np.array([0, 3, 6]), codes, rows)
    limits = kernels.Limits(
        group=np.zeros(3, dtype=np.int32),
        allowed=np.ones((60, 1), dtype=bool),
        later=np.ones((1, 3), dtype=bool),
        combination=np.zeros(60, dtype=np.int64),
        low=np.arange(3.0),
        high=np.arange(3.0),
        lowest=np.full(60, -np.inf),
        highest=np.repeat([2.0, 1.0], 30),
    )
    order = np.random.default_rng(0).permutation(60)
    picked = kernels.pick_within(leaf, points, order, leaves, limits)
    assert np.bincount(picked).tolist() == [20, 20, 20]
    assert (picked[30:] < 2).all()


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_an_atom_exchange_values_as_their_slow_twin_does(seed):
    rng = np.random.default_rng(seed)
    number, atom = rng.integers(0, 9, 120).astype(float), rng.integers(-1, 4, 120)
    lowest = np.where(rng.random(120) < 0.5, -np.inf, rng.integers(0, 5, 120))
    highest = np.where(rng.random(120) < 0.5, np.inf, rng.integers(4, 9, 120))
    order = np.argsort(atom, kind="stable")
    like = exchanged(number, atom, order, lowest, highest)
    assert like.tolist() == naive.exchanged(number, atom, order, lowest, highest)
    np.testing.assert_array_equal(np.sort(like), np.arange(120))
    np.testing.assert_array_equal(atom[like], atom)
    outside = (number < lowest) | (number > highest)
    left = (number[like] < lowest) | (number[like] > highest)
    assert left.sum() < outside.sum() / 2
    np.testing.assert_array_equal(like[atom < 0], np.flatnonzero(atom < 0))


def test_trees_come_back_from_their_arrays():
    trees = [grown(seed)[0] for seed in range(3)]
    codes = grown(0)[1]
    again = ColumnTree.parted([t.shape() for t in trees], ColumnTree.joined(trees))
    for one, two in zip(trees, again, strict=True):
        two.check(8, [12, 5, 3])
        np.testing.assert_array_equal(one.leaf_of(codes), two.leaf_of(codes))
        for ours, theirs in zip(one.leaves, two.leaves, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("name", ["feature", "left", "right"])
def test_nodes_out_of_range_are_refused(name):
    tree, _, _ = grown(0)
    array = getattr(tree, name).copy()
    array[0] = 10_000
    broken = ColumnTree(**{**vars(tree), name: array})
    with pytest.raises(ValueError, match="tree"):
        broken.check(8, [12, 5, 3])
    with pytest.raises(ValueError, match="tree"):
        tree.check(3, [12, 5, 3])


MERGED = np.array([0, 1, 2, 3, 3])  # the last two of five clusters become one


def merged(codes, cluster_of=MERGED):
    """The second column plays the cluster."""
    return Merged.of(cluster_of, np.bincount(codes[:, 1], minlength=5))


def counts_of_leaves(tree):
    """Rows of each code in each node, (T, 8); of all rows in the last."""
    counts = np.zeros((len(tree.left) + 1, 8), dtype=int)
    node = np.repeat(np.arange(len(counts)), np.diff(tree.leaves.indptr))
    counts[node, tree.leaves.code] = tree.leaves.rows
    return counts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [20, 60, 150, 300, 600])
def test_a_coarser_tree_knows_nothing_finer(seed, k):
    tree, codes, own = grown(seed)
    coarser = coarser_tree(tree, k, 1, merged(codes))
    coarser.check(8, [12, 4, 3])
    counts, is_leaf = counts_of_leaves(coarser), coarser.left < 0
    assert counts[:-1][is_leaf].sum(axis=1).min() >= k
    assert not counts[:-1][~is_leaf].any()
    # Each row is described once, and the column keeps its distribution.
    whole = np.bincount(own, minlength=8).tolist()
    assert counts[:-1].sum(axis=0).tolist() == counts[-1].tolist() == whole
    assert is_leaf.sum() <= (tree.left < 0).sum()
    assert (k < 600) or is_leaf.sum() == 1
    # Every leaf is met by some row of merged clusters.
    every = np.array([(a, b, c) for a in range(12) for b in range(4) for c in range(3)])
    assert set(coarser.leaf_of(every)) == set(np.flatnonzero(is_leaf))


@pytest.mark.parametrize("seed", range(5))
def test_a_merged_cluster_goes_where_its_largest_went(seed):
    tree, codes, _ = grown(seed)
    leader = merged(codes).leader
    coarser = coarser_tree(tree, 1, 1, merged(codes))
    new, followed = codes.copy(), codes.copy()
    new[:, 1] = MERGED[codes[:, 1]]
    followed[:, 1] = leader[new[:, 1]]
    found, expected = coarser.leaf_of(new), tree.leaf_of(followed)
    pairs = np.unique(np.column_stack([found, expected]), axis=0)
    assert len(pairs) == len(np.unique(found)) == len(np.unique(expected))
    same = coarser_tree(tree, 1, 1, merged(codes, np.arange(5)))
    np.testing.assert_array_equal(same.leaf_of(codes), tree.leaf_of(codes))


def test_rows_of_too_small_a_side_are_spread_over_the_other():
    """4 rows leave a split; leaves of 60 and 36 rows take them, of either code some."""
    int32 = np.int32
    tree = ColumnTree(
        (0,),
        (np.arange(3, dtype=int32),),
        *np.array(
            [
                [0, -1, 0, -1, -1],
                [0, 0, 1, 0, 0],
                [1, -1, 3, -1, -1],
                [2, -1, 4, -1, -1],
            ],
            dtype=int32,
        ),
        kernels.Leaves(
            np.array([0, 0, 2, 2, 3, 4, 8]),
            np.array([0, 1, 2, 3, 0, 1, 2, 3], dtype=int32),
            np.array([2, 2, 60, 36, 2, 2, 60, 36]),
        ),
    )
    tree.check(4, [3])
    coarser = coarser_tree(
        tree, 5, 1, Merged.of(np.zeros(1, dtype=int), np.array([100]))
    )
    leaf = coarser.leaf_of(np.array([[0], [1], [2]], dtype=int32))
    assert leaf[0] == leaf[1] != leaf[2]
    counts = counts_of_leaves(coarser)[leaf[1:]]
    assert counts[:, 2:4].tolist() == [[60, 0], [0, 36]]
    assert counts[:, :2].sum(axis=0).tolist() == [2, 2]
    assert sorted(counts[:, :2].sum(axis=1).tolist()) in ([1, 3], [2, 2])


def streets(n_each=15, seed=0):
    """Eighty streets, each of one of two towns and of cheap or dear homes."""
    rng = np.random.default_rng(seed)
    street = np.repeat(np.arange(80), n_each)
    town = np.where(rng.random(len(street)) < 0.97, street % 2, 1 - street % 2)
    dear = np.where(
        rng.random(len(street)) < 0.92, street // 2 % 2, 1 - street // 2 % 2
    )
    kind = np.char.add(np.array(["A", "B"])[town], np.array(["-", "+"])[dear])
    return pd.DataFrame({"street": np.char.add("s", street.astype(str)), "kind": kind})


def shares_that_are_right(table):
    """Rows whose kind is of the town of their street, and of its price."""
    street = table["street"].str[1:].astype(int)
    town, price = table["kind"].str[0], table["kind"].str[1]
    is_town = town == np.array(["A", "B"])[street % 2]
    return is_town.mean(), (price == np.array(["-", "+"])[street // 2 % 2]).mean()


@pytest.mark.parametrize("seed", range(2))
def test_categories_fewer_than_k_have_are_put_together_in_two_orders(seed):
    """In one order streets of a town are beside each other, cheap ones and dear."""
    table = streets(seed=seed)
    drawn = drawn_from(learnt(table, k=200))
    of_table = shares_that_are_right(table)
    assert shares_that_are_right(drawn) == pytest.approx(of_table, abs=0.03)
