"""What pictures of an evaluation show."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from support.evaluations import make_quick, people

from coclust_synth import ParameterError
from coclust_synth.evaluation import Evaluation, evaluate
from coclust_synth.plotting import (
    plot_distances,
    plot_pairs,
    plot_risk_utility,
    plot_scores,
)


@pytest.fixture(scope="module")
def found():
    columns = ["age", "ward", "drug"]
    with pytest.MonkeyPatch.context() as patch:
        make_quick(patch)
        return evaluate(people(150, 0)[columns], people(150, 1)[columns])


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.slow
def test_axes_that_are_given_are_drawn_on(found):
    ax = Figure().subplots()
    assert plot_pairs(found, ax=ax) is ax


@pytest.mark.slow
def test_pairs_are_a_heat_map_of_all_columns(found):
    ax = plot_pairs(found)
    (picture,) = ax.images
    assert np.array_equal(picture.get_array(), found.details.pairs)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["age", "ward", "drug"]


@pytest.mark.slow
def test_distances_are_those_of_the_scores(found):
    ax = plot_distances(found)
    assert legend(ax) == ["the release", "copy of the real rows", "independent columns"]
    values = [found[f"mean_total_variation_{order}"].value for order in (1, 2, 3)]
    assert ax.lines[0].get_ydata().tolist() == values
    assert list(ax.get_xticks()) == [1, 2, 3]


@pytest.mark.slow
def test_scores_come_from_top_to_bottom_with_their_intervals(found):
    share = found["uniques_reproduced"]
    ax = plot_scores([share, *found.of_columns("total_variation")], best=0)
    assert ax.get_yticklabels()[0].get_text() == "Unique rows reproduced"
    assert ax.get_yticks()[0] == 3
    bars = [line.get_xdata() for line in ax.lines if len(line.get_xdata()) == 2]
    assert any(list(x) == [share.low, share.high] for x in bars)


@pytest.mark.slow
def test_use_and_risk_without_a_holdout(found):
    ax = plot_risk_utility(found)
    assert ax.get_xlabel() == "Total variation, sets of 2 columns"
    assert ax.get_ylabel() == "Unique rows reproduced"
    x, y = ax.lines[1].get_data()
    assert x[0] == found["mean_total_variation_2"].value
    assert y[0] == found["uniques_reproduced"].value
    few = Evaluation(found.scores[:6], found.facts, found.details, ())
    with pytest.raises(ParameterError, match="figure of risk"):
        plot_risk_utility(few)


def test_columns_whose_names_start_alike_are_told_apart():
    use = "How often do you care about the use of the comma?"
    debate = "How often do you care about the debate on the word?"
    real = pd.DataFrame({use: list("aabb") * 9, debate: list("cdcd") * 9})
    labels = [
        t.get_text() for t in plot_pairs(evaluate(real, real[:20])).get_xticklabels()
    ]
    assert labels == ["How often d…the comma?", "How often d… the word?"]
