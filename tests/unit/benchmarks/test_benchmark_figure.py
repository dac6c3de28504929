import math
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from benchmarks import figure
from benchmarks.cases import CASES, Published
from benchmarks.results import Outcome, read_outcomes, trace_table
from benchmarks.runs import Run

RESULTS = Path(figure.__file__).parent / "results"


def test_traces_are_read_as_they_were_written():
    traces = pd.read_csv(RESULTS / "traces.csv")
    outcomes = read_outcomes(traces)
    assert len(outcomes) == traces["case"].nunique() == 14
    again = trace_table(outcomes)
    pd.testing.assert_frame_equal(again, traces.astype({"seed": "Int64"}))


@pytest.mark.parametrize(
    ("published", "here", "best"),
    [
        (None, None, (math.nan, math.nan)),
        ((50.0, 9.0), None, (50.0, 9.0)),
        ((50.0, 9.0), (60.0, 1.0), (50.0, 9.0)),
        ((50.0, None), (60.0, 1.0), (50.0, math.nan)),
        ((50.0, None), (50.000001, 1.0), (50.0, 1.0)),
        ((50.0, 9.0), (40.0, 20.0), (40.0, 20.0)),
    ],
)
def test_the_best_of_khiops_is_the_lowest_cost_known(published, here, best):
    case = CASES["iris_data_grid"]
    case = replace(case, published=published and Published(*published))
    theirs = here and Run(((here[1], here[0]),), 30.0, True)
    outcome = Outcome("iris_data_grid", case, 100.0, [], theirs)
    assert figure.khiops_best(outcome) == pytest.approx(best, nan_ok=True)


@pytest.mark.slow
def test_all_cases_are_in_one_chart_drawn_from_the_traces():
    traces = pd.read_csv(RESULTS / "traces.csv")
    chart = figure.cost_figure(read_outcomes(traces))
    (place,) = chart.axes
    assert len(place.get_yticklabels()) == 14
    texts = [text.get_text() for text in place.texts]
    assert "385" in texts and "no grid of Khiops" in texts


def test_a_search_that_is_cut_short_is_told():
    found_nothing = Run(((0.1, 2000.0),), 0.2, False, seed=0)
    slow = Run(((0.1, 2000.0), (0.5, 1500.0)), 1.0, False, seed=0)
    case = CASES["iris_id_part"]
    case = replace(case, published=Published(1000.0, 9.0))
    outcomes = [Outcome("a", case, 2000.0, [run]) for run in (found_nothing, slow)]
    (place,) = figure.cost_figure(outcomes).axes
    texts = [text.get_text() for text in place.texts]
    assert texts.count("not reached") == 2


@pytest.mark.slow
def test_the_command_draws_again(tmp_path, capsys):
    assert figure.main([str(tmp_path)]) == 2
    assert "Expected traces.csv" in capsys.readouterr().err
    shutil.copy(RESULTS / "traces.csv", tmp_path)
    assert figure.main([str(tmp_path)]) == 0
    assert (tmp_path / "figure.png").stat().st_size > 10_000
