"""Pictures on matplotlib axes, of models, tables and what was measured.

Each function draws on the axes given as ``ax``, or on those of a new figure, and gives
them back. The pages of reports are made of the same pictures. Nothing of a picture is
protected: one of a model or of real rows is as confidential as these are.

tables        columns of two tables, classes of a k-anonymous one
hierarchies   values and what they are generalised to
scores        what an evaluation found
"""

from coclust_synth.plotting.hierarchies import plot_hierarchy
from coclust_synth.plotting.scores import (
    plot_distances,
    plot_pairs,
    plot_risk_utility,
    plot_scores,
)
from coclust_synth.plotting.tables import plot_class_sizes, plot_columns

__all__ = [
    "plot_class_sizes",
    "plot_columns",
    "plot_distances",
    "plot_hierarchy",
    "plot_pairs",
    "plot_risk_utility",
    "plot_scores",
]
