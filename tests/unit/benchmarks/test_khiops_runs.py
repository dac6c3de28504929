import pytest

from benchmarks.cases import CASES
from benchmarks.khiops import improvements, is_installed, run_khiops, with_report

IMPROVED = "  {}\tWrite intermediate report table(1).khcj\tLevel: {}\tSize: 7*32\n"
LOG = (
    "Train variables coclustering model\n"
    "Database table.tsv : Read records: 439,578\n"
    + IMPROVED.format("0:01:31", "0.00609856")
    + IMPROVED.format("1:04:02", "0.00680138")
)


def test_the_way_of_khiops_is_read_from_its_log():
    done = {"seconds": 4000.0, "cpu_seconds": 2000.0}
    points = improvements(LOG, 1000.0, done)
    assert [at for at, _ in points] == [45.75, 1921.25]
    assert [cost for _, cost in points] == pytest.approx([993.90144, 993.19862])
    assert improvements("", 1000.0, done) == []


def test_nothing_is_improved_after_the_end():
    log = IMPROVED.format("0:00:00", "0.5")
    done = {"seconds": 0.3, "cpu_seconds": 0.2}
    assert improvements(log, 1000.0, done) == [(0.2, 500.0)]


def test_the_last_report_gives_the_cost_without_rounding():
    points = [(1.0, 90.0), (2.0, 79.999)]
    stopped = {"is_finished": False, "cpu_seconds": 9.0}
    assert with_report(points, 80.0, stopped) == [(1.0, 90.0), (2.0, 80.0)]
    assert with_report([], 80.0, stopped) == []
    finished = {"is_finished": True, "cpu_seconds": 9.0}
    assert with_report(points, 80.0, finished)[1:] == [(2.0, 80.0), (9.0, 80.0)]


@pytest.mark.skipif(not is_installed(), reason="the extra khiops is not installed")
@pytest.mark.parametrize("name", ["iris_data_grid", "iris_id_part"])
def test_khiops_gives_its_published_cost(name):
    case = CASES[name]
    problem = case.build()
    null_cost = problem.search(n_iterations=1, seed=0, time_limit=None).trace[0].cost
    run = run_khiops(problem, null_cost=null_cost, seconds=60)
    assert run.is_finished and run.cpu_seconds > 0
    assert run.cost == case.published.cost
