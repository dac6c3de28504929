"""What the labels of a k-anonymous table lost, as `losses` counts it."""

import numpy as np
import pandas as pd

from coclust_synth.evaluation.comparing.scores import Figure
from coclust_synth.evaluation.comparing.setting import Figures
from coclust_synth.evaluation.distances.hellinger import joint_hellinger_distances
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    completeness,
    discernability,
    information_loss,
)
from coclust_synth.tables.generalized.table import GeneralizedTable

MAX_ORDER = 6


def loss_figures(released: GeneralizedTable, real: pd.DataFrame) -> Figures:
    """Losses of a generalised table, and its distances with labels spread evenly.

    Parameters
    ----------
    released : GeneralizedTable
    real : DataFrame
        With original values that are leaves.
    """
    smallest = int(min(released.kept_class_sizes, default=0))
    found: Figures = {
        ("information_loss_set", ()): Figure(information_loss(released)),
        ("information_loss_range", ()): Figure(information_loss(released, "range")),
        ("arx_loss", ()): Figure(arx_loss(released)),
        ("discernibility", ()): Figure(float(discernability(released))),
        ("completeness", ()): Figure(completeness(released)),
        ("smallest_class", ()): Figure(float(smallest)),
    }
    if smallest:
        found["average_class_size", ()] = Figure(
            average_class_size(released, smallest), note=f"of k = {smallest} as reached"
        )
    for name in released.others.columns:
        found["classification_metric", (str(name),)] = Figure(
            classification_metric(released, name)
        )
    orders = range(1, min(len(released.names), MAX_ORDER) + 1)
    distances = joint_hellinger_distances(real, released, orders)
    for order, values in distances.groupby("order")["hellinger"]:
        found[f"spread_hellinger_{order}", ()] = Figure(
            float(np.mean(values)), note=f"mean of {len(values)} sets"
        )
    return found
