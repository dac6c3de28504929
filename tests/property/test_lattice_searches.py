"""Searches of the generalisation lattice against every node tried."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import lattice as naive
from support.examples import examples
from support.lattice_worlds import METRICS, MODELS, reachable, worlds

from coclust_synth.baselines.lattice import branch_and_bound as branch_and_bound_module
from coclust_synth.baselines.lattice.branch_and_bound import branch_and_bound
from coclust_synth.baselines.lattice.problem import Feasibility, LatticeProblem
from coclust_synth.baselines.lattice.published import (
    datafly,
    flash,
    incognito,
    samarati,
)
from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.privacy.models.sensitive import sensitive_models

ENOUGH = 10**6


class Case:
    """A random world, what is asked of it, and the naive score of its nodes."""

    def __init__(self, draw):
        self.world = draw(worlds())
        n = len(self.world.rows)
        self.k = draw(st.integers(1, min(n, 5)))
        self.limit = draw(st.sampled_from([0, 1, 2, n // 3, n]))
        asked = reachable(
            self.world, draw(st.lists(st.sampled_from(MODELS), max_size=2))
        )
        self.twins = [twin for _, twin in asked]
        asked = [("ill", own) for own, _ in asked]
        self.models = sensitive_models(self.world.frame, ["ill"], asked)

    def scores(self, metrics):
        return naive.feasible_scores(
            metrics,
            self.world.rows,
            self.world.lines,
            self.k,
            self.limit,
            self.world.sensitive,
            self.twins,
        )

    def problem(self, metric):
        table = self.world.table(self.models)
        feasibility = Feasibility(self.k, self.models, self.limit)
        return LatticeProblem(table, feasibility, QUALITY[metric](table))


cases = st.composite(Case)()


def close(score):
    return pytest.approx(float(score), rel=1e-9, abs=1e-9)


@pytest.mark.slow
@settings(max_examples=examples(100), deadline=None)
@given(cases, st.sampled_from([1, 16]))
def test_incognito_and_branch_and_bound_find_the_optimum_of_flash(case, dive):
    expected = case.scores(METRICS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(branch_and_bound_module, "_DIVE_EVERY", dive)
        for metric in METRICS:
            best = min(expected[metric].values())
            by_flash = flash(case.problem(metric))
            for found in (
                incognito(case.problem(metric)),
                branch_and_bound(case.problem(metric), max_checks=ENOUGH),
            ):
                assert found.score == close(best)
                assert expected[metric][found.node] == close(best)
                assert found.bound == found.score == by_flash.score
                assert sum(found.node) == sum(by_flash.node)


@pytest.mark.slow
@settings(max_examples=examples(80), deadline=None)
@given(cases, st.sampled_from(METRICS), st.integers(1, 40))
def test_any_budget_gives_a_feasible_node_and_a_bound_below_the_optimum(
    case, metric, max_checks
):
    scores = case.scores([metric])[metric]
    found = branch_and_bound(case.problem(metric), max_checks=max_checks)
    assert scores[found.node] == close(found.score)
    assert found.bound <= float(min(scores.values())) * (1 + 1e-9) + 1e-9
    assert found.bound <= found.score
    assert 1 <= found.checks <= max_checks
    assert branch_and_bound(case.problem(metric), max_checks=max_checks) == found


@settings(max_examples=examples(30), deadline=None)
@given(cases, st.sampled_from(METRICS))
def test_no_time_leaves_the_top(case, metric):
    found = branch_and_bound(case.problem(metric), max_checks=ENOUGH, time_limit=1e-9)
    assert found.node == case.problem(metric).lattice.top and found.checks == 1


@settings(max_examples=examples(80), deadline=None)
@given(cases, st.sampled_from(METRICS))
def test_samarati_takes_the_best_node_of_the_lowest_feasible_height(case, metric):
    problem = case.problem(metric)
    scores = case.scores([metric])[metric]
    height = min(map(sum, scores))
    lowest = {node: own for node, own in scores.items() if sum(node) == height}
    found = samarati(problem)
    assert found.score == close(min(lowest.values()))
    assert lowest[found.node] == close(found.score)
    assert found.bound <= float(min(scores.values())) * (1 + 1e-9) + 1e-9


@settings(max_examples=examples(80), deadline=None)
@given(cases)
def test_datafly_generalises_the_column_of_most_values(case):
    """Its path is followed again, from the labels of the rows."""
    scores = case.scores(["precision"])["precision"]
    world = case.world
    node = [0] * len(world.lines)
    checks = 1
    while tuple(node) not in scores:
        labels = zip(*naive.generalize(world.rows, world.lines, node), strict=True)
        heights = [len(next(iter(own.values()))) - 1 for own in world.lines]
        counts = [
            len(set(own)) if level < height else 0
            for own, level, height in zip(labels, node, heights, strict=True)
        ]
        node[counts.index(max(counts))] += 1
        checks += 1
    found = datafly(case.problem("precision"))
    assert found.node == tuple(node) and found.checks == checks
    assert found.score == close(scores[found.node])
    assert found.bound <= found.score and math.isfinite(found.score)
    assert found.bound <= float(min(scores.values())) + 1e-9


@settings(max_examples=examples(50), deadline=None)
@given(worlds())
def test_nodes_of_a_height_are_those_whose_levels_add_up_to_it(world):
    lattice = world.table().lattice
    nodes = [tuple(node) for node in lattice.nodes().tolist()]
    for height in range(sum(lattice.top) + 2):
        found = list(lattice.of_height(height))
        assert sorted(found) == sorted(own for own in nodes if sum(own) == height)
