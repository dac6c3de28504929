import math

import numpy as np
import pytest

from benchmarks.cases import Case, Published
from benchmarks.markdown import results_markdown
from benchmarks.results import Outcome, case_table, seed_table, trace_table
from benchmarks.runs import Run


def stopped(*points, at=20.0, seed=0):
    return Run(points, at, is_finished=False, seed=seed)


@pytest.fixture
def outcome():
    """Three seeds, of which two reach the 90 of Khiops."""
    ours = [
        stopped((0.0, 100.0), (2.0, 92.0), (5.0, 90.0), seed=0),
        stopped((0.0, 100.0), (0.5, 89.0), seed=1),
        stopped((0.0, 100.0), (0.1, 95.0), at=11.0, seed=2),
    ]
    case = Case("a case", None, Published(88.0, 1000.0, is_finished=False))
    theirs = Run(((40.0, 94.0), (80.0, 90.0)), 80.0, is_finished=True)
    return Outcome("case", case, 100.0, ours, theirs)


def test_cost_after_is_the_lowest_so_far():
    run = stopped((0.0, 100.0), (2.0, 92.0), (5.0, 90.0))
    assert [run.cost_after(t) for t in (1, 2, 4.9, 5, 20)] == [100, 92, 92, 90, 90]
    assert run.cost == 90 and run.last_seconds == 5


def test_nothing_is_said_beyond_a_run_that_was_stopped():
    assert math.isnan(stopped((0.0, 100.0)).cost_after(20.1))
    assert Run(((1.0, 7.0),), 2.0, is_finished=True).cost_after(60) == 7
    nothing = stopped()
    assert math.isnan(nothing.cost) and math.isnan(nothing.last_seconds)
    assert math.isnan(nothing.cost_after(1)) and math.isinf(nothing.seconds_to(1e9))


def test_seconds_to_a_cost():
    run = stopped((0.0, 5959.386818), (1.0, 5647.9), (2.0, 5647.855077074))
    assert run.seconds_to(5700) == 1
    assert run.seconds_to(5647.855077) == 2  # as Khiops prints it
    assert math.isinf(run.seconds_to(5647.855076))


def test_cases_are_medians_over_seeds(outcome):
    (row,) = case_table([outcome]).to_dict("records")
    assert row["null_cost"] == 100
    assert [row[f"after_{t}"] for t in (1, 3)] == [95, 92]
    assert np.isnan(row["after_12"])  # not all seeds went so far
    assert row["khiops_cost"] == 90 and row["khiops_cpu_seconds"] == 80
    assert row["khiops_our_seconds"] == 5 and row["khiops_ratio"] == 16
    assert row["published_cost"] == 88 and row["published_cpu_seconds"] == 1000
    assert math.isinf(row["published_our_seconds"])
    assert math.isnan(row["published_ratio"])


def test_seeds_are_rows(outcome):
    rows = seed_table([outcome])
    assert rows["seed"].tolist() == [0, 1, 2]
    assert rows["after_3"].tolist() == [92, 89, 95]
    assert rows["seconds_to_khiops"].tolist() == [5, 0.5, math.inf]


def test_traces_hold_every_improvement(outcome):
    rows = trace_table([outcome])
    assert rows.groupby("program").size().to_dict() == {"coclust_synth": 7, "khiops": 2}
    assert rows.loc[rows["program"] == "khiops", "cost"].tolist() == [94, 90]
    assert rows.loc[rows["program"] == "khiops", "seed"].isna().all()


def test_markdown_says_what_was_stopped_or_not_reached(outcome):
    alone = Outcome("alone", Case("no peer", None), 100.0, outcome.ours)
    nothing = Outcome("nothing", Case("too long", None), 100.0, outcome.ours, stopped())
    text = results_markdown([outcome, alone, nothing])
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[2] == (
        "| a case | 100.0 | 95.0 | 92.0 | 90.0 | 80 | 5 | 16 "
        "| 88.0 † | 1,000 | not reached |  |"
    )
    assert lines[3] == "| no peer | 100.0 | 95.0 | 92.0 |  |  |  |  |  |  |  |  |"
    assert lines[4].startswith("| too long | 100.0 | 95.0 | 92.0 | none † |  |  |  |")
    assert "| a case | 2 | 95.0 | 95.0 | not reached |" in lines
    assert {line.count("|") for line in lines[:5]} == {13}
