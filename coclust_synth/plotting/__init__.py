"""Pictures on matplotlib axes, of models, tables and what was measured.

Each function draws on the axes given as ``ax``, or on those of a new figure, and gives
them back. The pages of reports are made of the same pictures. Nothing of a picture is
protected: one of a model or of real rows is as confidential as these are.

grids         a co-clustering: its cells, its dendrograms, the cost of its search;
              clusters has what they show
tables        columns of two tables, classes of a k-anonymous one
hierarchies   values and what they are generalised to
scores        what an evaluation found
trade_offs    what another k or epsilon would have given
"""

from coclust_synth.plotting.clusters import ShownGrid, TypicalPart, shown_grid
from coclust_synth.plotting.grids import plot_dendrogram, plot_grid, plot_trace
from coclust_synth.plotting.hierarchies import plot_hierarchy
from coclust_synth.plotting.scores import (
    plot_distances,
    plot_pairs,
    plot_risk_utility,
    plot_scores,
)
from coclust_synth.plotting.tables import plot_class_sizes, plot_columns
from coclust_synth.plotting.trade_offs import plot_trade_off

__all__ = [
    "ShownGrid",
    "TypicalPart",
    "plot_class_sizes",
    "plot_columns",
    "plot_dendrogram",
    "plot_distances",
    "plot_grid",
    "plot_hierarchy",
    "plot_pairs",
    "plot_risk_utility",
    "plot_scores",
    "plot_trace",
    "plot_trade_off",
    "shown_grid",
]
