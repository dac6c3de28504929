"""Boxes of records, which classes may begin from."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth.evaluation import information_loss, mean_joint_hellinger
from coclust_synth.generators.kanon.classes import forming, starting
from coclust_synth.generators.kanon.classes._cut_kernels import best_cut, cut_boxes
from coclust_synth.generators.kanon.classes.costs import cut_worth
from coclust_synth.generators.kanon.classes.forming import class_problem
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.rows import collapse
from tests.naive import classes as naive

TOGETHER = np.zeros(0, np.int64)


class Cutting:
    """A made-up table, and what it is cut into boxes by."""

    def __init__(self, codes, n_leaves, k, *, kinds="ooo", persons=None):
        """`kinds`: o for ordered leaves, s for others, i for intervals."""
        self.codes, self.k, self.kinds, self.persons = codes, k, kinds, persons
        self.records, self.inverse = collapse(codes, n_leaves)
        self.problem = class_problem(
            self.records,
            k,
            is_interval=np.array([own == "i" for own in kinds]),
            is_truthful=np.ones(len(kinds), bool),
            is_ordered=np.array([own != "s" for own in kinds]),
            record_of_row=self.inverse,
            persons=persons,
        )
        self.worth = cut_worth(self.problem, "both")

    def boxes(self, k, rank=TOGETHER):
        label = np.zeros(len(self.records.counts), np.int64)
        n_boxes = cut_boxes(self.problem, self.worth, k, rank, label)
        assert sorted({*label.tolist()}) == list(range(n_boxes))
        return label[self.inverse]


def random_table(seed, kinds):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.3, (120, 3)) - 1, 5)
    codes[:, 0] = (codes[:, 0] + 3) % 6
    who = np.append(np.arange(50), rng.integers(0, 50, 70))
    persons = Persons("who", who) if seed % 2 else None
    return Cutting(codes, [6, 6, 6], 7, kinds=kinds, persons=persons)


@pytest.mark.parametrize("dealt", [False, True])
@pytest.mark.parametrize("kinds", ["ooo", "osi", "sss"])
@pytest.mark.parametrize("seed", range(4))
def test_the_best_cut_is_that_of_all_cuts(seed, kinds, dealt):
    table = random_table(seed, kinds)
    members = np.arange(len(table.records.counts))
    rank = np.random.default_rng(seed).permutation(members) if dealt else TOGETHER
    order, n_low = best_cut(table.problem, table.worth, table.k, rank, members)
    low = np.isin(table.inverse, order[:n_low])
    rows = [tuple(row) for row in table.codes.tolist()]
    who = range(len(rows)) if table.persons is None else table.persons.codes.tolist()
    share = (table.worth[:, 1:] - 1).tolist()
    of_row = (
        {
            row: place
            for row, place in zip(rows, rank[table.inverse].tolist(), strict=True)
        }
        if dealt
        else None
    )
    cuts = naive.cuts(rows, list(who), kinds, table.k, share, of_row)
    sides = [rows[i] for i in np.flatnonzero(low)]
    assert sorted(order) == list(members)
    assert n_low and naive.worth_of_rows(sides, kinds, share) + naive.worth_of_rows(
        [rows[i] for i in np.flatnonzero(~low)], kinds, share
    ) == pytest.approx(max(cuts), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_boxes_hold_the_persons_and_cannot_be_cut(seed):
    table = random_table(seed, "osi")
    found = table.boxes(table.k)
    who = np.arange(120) if table.persons is None else table.persons.codes
    share = (table.worth[:, 1:] - 1).tolist()
    assert found.max() > 2
    for own in range(found.max() + 1):
        rows = [tuple(row) for row in table.codes[found == own].tolist()]
        assert len({*who[found == own]}) >= table.k
        cuts = naive.cuts(rows, who[found == own].tolist(), "osi", table.k, share)
        assert cuts == []


def test_the_most_frequent_value_is_a_box():
    """A median in the order of the values would part it from neighbours alone."""
    codes = np.repeat([[0], [1], [2], [3], [4]], [3, 3, 60, 2, 4], axis=0)
    found = Cutting(codes, [5], 10, kinds="s").boxes(10)
    assert len({*found}) == 2
    assert len({*found[codes[:, 0] == 2], *found[:1]}) == 2


def rare_values(n=900):
    """Four columns, of one value in 85 % of the rows, and one of five."""
    rng = np.random.default_rng(0)
    codes = (rng.random((n, 5)) < 0.15).astype(np.int64)
    codes[:, 4] = rng.integers(0, 5, n)
    return Cutting(codes, [2, 2, 2, 2, 5], 200, kinds="sssso")


def test_rows_of_rare_values_are_dealt_a_box_that_spares_the_others():
    """No value but the commonest is that of k rows: no cut between two of them is."""
    table = rare_values()
    rank = starting._by_rarity(table.problem)
    rare = (table.problem.leaves[:, :4] % 2).sum(axis=1)
    assert np.all(np.diff(rare[np.argsort(rank)]) >= 0)
    widths = []
    for own in (TOGETHER, rank):
        found = table.boxes(table.k, own)
        assert np.bincount(found).min() >= table.k
        boxes = [table.codes[found == box, :4] for box in found]
        widths.append(np.mean([np.ptp(box, axis=0).mean() for box in boxes]))
    assert widths[0] == 1 and widths[1] < 0.8


def test_boxes_of_labels_that_leave_rare_values_out_keep_values_together():
    problem = rare_values().problem
    clusters = np.zeros(len(problem.weight), np.int64)
    found = [
        starting.first_labels(own, clusters, "both")
        for own in (problem, problem._replace(is_truthful=np.zeros(5, bool)))
    ]
    boxes = rare_values().boxes(200)
    held = [
        any(np.array_equal(boxes, r) for r in rows)
        for rows in (
            [label[rare_values().inverse] for label in starts] for starts in found
        )
    ]
    assert held == [False, True]


@pytest.mark.slow
@pytest.mark.parametrize("truthful", [False, True])
def test_classes_begin_from_boxes_where_these_lose_less(monkeypatch, truthful):
    rng, n = np.random.default_rng(0), 1500
    table = pd.DataFrame({"tenure": rng.integers(0, 60, n)})
    for share in (0.2, 0.4, 0.6):
        table[f"has {share}"] = rng.random(n) < share
    table["pay"] = 20 + table["tenure"] // 2 + rng.integers(0, 30, n)

    def figures():
        anonymizer = HybridKAnonymizer(
            k=20, truthful=truthful, n_iterations=2, random_state=0
        )
        release = anonymizer.fit(table).release_
        assert release.class_sizes.min() >= 20
        return information_loss(release), mean_joint_hellinger(table, release)

    chosen = figures()

    def from_clusters(problem, clusters, objective):
        worth = starting.cut_worth(problem, objective)
        return [starting._first_classes(problem, clusters, worth)]

    monkeypatch.setattr(forming, "first_labels", from_clusters)
    clusters_alone = figures()
    assert chosen[0] < 0.8 * clusters_alone[0]
    assert chosen[1] < 1.02 * clusters_alone[1]


@pytest.mark.parametrize("few", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_all_starts_hold_k_persons_and_boxes_of_k_are_one(seed, few, monkeypatch):
    table = random_table(seed, "osi")
    monkeypatch.setattr(starting, "are_few", lambda problem: few)
    clusters = np.zeros(len(table.records.counts), np.int64)
    starts = starting.first_labels(table.problem, clusters, "both")
    of_rows = [label[table.inverse] for label in starts]
    if not few:
        boxes = table.boxes(table.k, starting._by_rarity(table.problem))
        assert any(np.array_equal(boxes, label) for label in of_rows)
    who = range(len(table.codes)) if table.persons is None else table.persons.codes
    for label in of_rows:
        pairs = pd.DataFrame({"class": label, "person": who})
        assert pairs.groupby("class")["person"].nunique().min() >= table.k


@pytest.mark.slow
def test_classes_begin_from_boxes_of_k_where_these_lose_less(monkeypatch):
    rng, n = np.random.default_rng(0), 1200
    table = pd.DataFrame(
        {"age": rng.integers(20, 60, n), "sex": rng.integers(0, 2, n).astype(str)}
    )
    table["year"] = 2000 + rng.integers(0, 6, n)

    def figures():
        anonymizer = HybridKAnonymizer(k=5, n_iterations=2, random_state=0)
        release = anonymizer.fit(table).release_
        return information_loss(release), mean_joint_hellinger(table, release)

    chosen, starts = figures(), starting.first_labels
    monkeypatch.setattr(forming, "first_labels", lambda *own: starts(*own)[1:])
    others = figures()
    assert chosen[0] < 0.95 * others[0]
    assert chosen[1] < 0.9 * others[1]


def skewed(seed, n=600):
    """Rows of one column of many values, one of some, and three of two."""
    rng = np.random.default_rng(seed)
    many = np.minimum(rng.geometric(0.15, n) - 1, 19)
    two = [rng.random(n) < share for share in (0.3, 0.4, 0.5)]
    codes = np.column_stack([many, rng.integers(0, 8, n), *two]).astype(np.int64)
    return Cutting(codes, [20, 8, 2, 2, 2], 60, kinds="ooooo")


def formed_costs(problem):
    clusters = np.zeros(len(problem.weight), np.int64)
    forms = forming.class_forms(problem, clusters, seed=0)
    return [forming.end_cost(problem, own, "both") for own in forms]


@pytest.mark.slow
def test_where_classes_are_few_what_costs_least_at_the_end_comes_first(monkeypatch):
    tables = [skewed(seed).problem for seed in (2, 4, 5)]
    found = [formed_costs(problem) for problem in tables]
    for costs in found:
        assert len(costs) > 3 and costs == sorted(costs)
    for module in (forming, starting):
        monkeypatch.setattr(module, "are_few", lambda problem: False)
    begun_best = [formed_costs(problem)[0] for problem in tables]
    assert np.mean([costs[0] for costs in found]) < 0.97 * np.mean(begun_best)


@pytest.mark.parametrize(
    ("k", "looks", "few"), [(3, 200, False), (4, 200, True), (4, 100, False)]
)
def test_classes_are_few_where_trying_more_costs_little(k, looks, few, monkeypatch):
    """Of 121 persons there are 40 classes of three, and 30 of four."""
    table = Cutting(np.arange(121)[:, np.newaxis], [121], k, kinds="o")
    monkeypatch.setattr(starting, "_MAX_LOOKS", looks)
    assert starting.are_few(table.problem) == few
    perturbing = table.problem._replace(is_truthful=np.zeros(1, bool))
    assert not starting.are_few(perturbing)
