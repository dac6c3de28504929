"""What must hold for the report of every model."""

import pytest

from coclust_synth import report_costs


def check_costs(report, table, model):
    """The costs of a report, and those of its table, are those of the model."""
    costs = report_costs(report, table)
    for of_best in (costs.best.total, report.summary.cost):
        assert of_best == pytest.approx(model.cost_, rel=1e-12)
    for of_null in (costs.null.total, report.summary.null_cost):
        assert of_null == pytest.approx(model.null_cost_, rel=1e-12)


def levels_of_merges(report):
    """Level after each merge, in their order."""
    levels = {
        node.hierarchical_rank: node.level
        for dimension in report.dimensions
        for node in dimension.hierarchy
        if not node.is_leaf
    }
    return [levels[rank] for rank in sorted(levels, reverse=True)]


def check_levels(report, model):
    """The levels of a report are the costs of the model's dendrogram."""
    gain = model.null_cost_ - model.cost_
    levels = (model.null_cost_ - model.dendrogram_.costs[1:]) / gain
    assert levels_of_merges(report) == pytest.approx(levels.tolist(), abs=1e-9)
