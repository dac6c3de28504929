"""What all searches have in common: they are traced, and can be stopped."""

import sys
import time
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from coclust_synth.modl.data_grid import search as of_data_grids
from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.search import search_data_grid
from coclust_synth.modl.grid.grid import Contingency, Grid
from coclust_synth.modl.learnt.coding import ValueTable
from coclust_synth.modl.learnt.search import search_parts
from coclust_synth.modl.learnt.state import PartsCostTables, PartsState
from coclust_synth.modl.search.two_sides import search_grid
from coclust_synth.tables.rows import collapse


class Case(NamedTuple):
    search: partial
    null_cost: float
    n_dimensions: int


def grid_case():
    """A table of several levels of blocks, with more rows than start alone (256)."""
    rng = np.random.default_rng(5)
    mean = rng.gamma(0.4, 1.0, (7, 6))[rng.integers(0, 7, 300)]
    counts = rng.poisson(mean[:, rng.integers(0, 6, 20)])
    contingency = Contingency.from_matrix(counts, rng.integers(1, 3, 300))
    null_cost = Grid.null(contingency).cost
    return Case(partial(search_grid, contingency), null_cost, 2)


def coded_people():
    """Codes of two numbers and two categories; three of them tell of three groups."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 900)
    columns = (
        rng.integers(0, 40, 900) + 40 * group,
        rng.integers(0, 5, 900) * 3 + group,
        rng.integers(0, 6, 900),
        np.where(rng.random(900) < 0.9, group, 0),
    )
    return np.column_stack([np.unique(c, return_inverse=True)[1] for c in columns])


def data_grid_case():
    codes = coded_people()
    labels = tuple(np.arange(n) for n in codes.max(axis=0) + 1)
    counts = np.ones(len(codes), dtype=np.int64)
    records = Records(codes, counts, labels, (True, False, False, True))
    null_cost = DataGrid.from_records(records).null().cost
    return Case(partial(search_data_grid, records), null_cost, 4)


def parts_case():
    codes = coded_people()
    n_levels = codes.max(axis=0) + 1
    numeric = np.array([True, False, False, True])
    n_values = np.where(numeric, len(codes), n_levels)
    table = ValueTable(collapse(codes, n_levels)[0], numeric, n_values)
    null_cost = PartsState.null(PartsCostTables(table)).cost()
    return Case(partial(search_parts, table), null_cost, 2)


@pytest.fixture(scope="module", params=[grid_case, data_grid_case, parts_case])
def case(request):
    return request.param()


def points(result):
    return [(point.iteration, point.cost) for point in result.trace]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 7, np.random.SeedSequence(12)])
def test_equal_seeds_give_equal_traces(case, seed):
    one, two = (case.search(n_iterations=6, seed=seed) for _ in range(2))
    assert points(one) == points(two)
    assert one.grid.cost == two.grid.cost


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_any_number_of_jobs_finds_the_same(case, n_jobs, monkeypatch):
    monkeypatch.setattr(of_data_grids, "_MAX_LIGHT", 0)
    one, many = (case.search(n_iterations=10, seed=4, n_jobs=n) for n in (1, n_jobs))
    assert points(one) == points(many)
    assert one.grid.cost == many.grid.cost


def test_light_iterations_need_no_workers(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    assert data_grid_case().search(n_iterations=2, n_jobs=2).n_iterations == 2
    with pytest.raises(ImportError):
        grid_case().search(n_iterations=1, n_jobs=2)


@pytest.mark.slow
def test_more_iterations_go_on_from_fewer(case):
    results = [case.search(n_iterations=n, seed=3) for n in (1, 2, 5, 9)]
    for shorter, longer in pairwise(results):
        assert longer.grid.cost <= shorter.grid.cost
        assert points(longer)[: len(shorter.trace)] == points(shorter)


@pytest.mark.slow
def test_the_trace_goes_from_the_null_grid_to_the_best(case):
    seen = []
    result = case.search(
        n_iterations=9, seed=1, callback=lambda *args: seen.append(args)
    )
    trace = result.trace
    assert (result.n_iterations, result.stopped_by) == (9, "iterations")
    assert (trace[0].iteration, trace[0].shape) == (0, (1,) * case.n_dimensions)
    assert trace[0].cost == pytest.approx(case.null_cost, rel=1e-13)
    assert trace[-1].cost == pytest.approx(result.grid.cost, rel=1e-13)
    assert trace[-1].shape == result.grid.shape
    assert len(trace) > 1
    for before, after in pairwise(trace):
        assert after.cost < before.cost
        assert after.seconds >= before.seconds
        assert after.cpu_seconds >= before.cpu_seconds
        assert after.iteration >= before.iteration
    assert [iteration for iteration, _ in seen] == list(range(1, 10))
    for iteration, point in seen:
        assert point == [p for p in trace if p.iteration <= iteration][-1]


@pytest.mark.slow
def test_a_time_limit_stops_the_search(case):
    case.search(n_iterations=3)  # compiled, if it was not
    start = time.perf_counter()
    result = case.search(n_iterations=10**9, time_limit=0.1)
    assert time.perf_counter() - start < 5.0
    assert result.stopped_by == "time" and result.n_iterations < 10**9
    assert result.grid.cost <= case.null_cost * (1.0 + 1e-13)
    assert result.trace[-1].cost == pytest.approx(result.grid.cost, rel=1e-13)


def test_without_time_there_is_the_grid_of_the_first_iteration(case):
    result = case.search(n_iterations=5, time_limit=0.0)
    assert (result.stopped_by, result.n_iterations) == ("time", 1)
    assert points(result) == points(case.search(n_iterations=1))
    assert result.grid.cost < case.null_cost


def test_an_ample_time_limit_changes_nothing(case):
    limited = case.search(n_iterations=4, time_limit=1e6)
    assert limited.stopped_by == "iterations"
    assert points(limited) == points(case.search(n_iterations=4))


def test_ctrl_c_gives_the_best_so_far(case):
    def interrupt(iteration, best):
        if iteration == 4:
            raise KeyboardInterrupt

    result = case.search(n_iterations=1000, seed=2, callback=interrupt)
    complete = case.search(n_iterations=4, seed=2)
    assert (result.stopped_by, result.n_iterations) == ("user", 4)
    assert result.grid.cost == complete.grid.cost < case.null_cost


def test_other_errors_of_the_callback_are_not_hidden(case):
    def fail(iteration, best):
        raise RuntimeError("no room for the report")

    with pytest.raises(RuntimeError, match="no room for the report"):
        case.search(n_iterations=2, callback=fail)
