"""What the labels of a k-anonymous table lost, as `losses` counts it."""

from collections.abc import Mapping

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
from coclust_synth.evaluation.generalisation.recoding import release_precision
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

MAX_ORDER = 6


def loss_figures(
    released: GeneralizedTable,
    real: pd.DataFrame,
    *,
    k: int,
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None,
) -> Figures:
    """Losses of a generalised table, and its distances with labels spread evenly.

    Parameters
    ----------
    released : GeneralizedTable
    real : DataFrame
        With original values that are leaves.
    k : int
        That sizes of classes are counted in: the rows of the smallest of the release;
        0 if it has none.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Those that PREC counts levels of.

    Raises
    ------
    SchemaError
        If a leaf is no value of its hierarchy.
    """
    found: Figures = {
        ("information_loss_set", ()): Figure(information_loss(released)),
        ("information_loss_range", ()): Figure(information_loss(released, "range")),
        ("arx_loss", ()): Figure(arx_loss(released)),
        ("discernibility", ()): Figure(float(discernability(released))),
        ("completeness", ()): Figure(completeness(released)),
        ("precision", ()): _precision(released, hierarchies or {}),
    }
    if k:
        found["average_class_size", ()] = Figure(
            average_class_size(released, k), note=f"of k = {k} as reached"
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


def _precision(released, hierarchies):
    named = [name for name in released.names if name in hierarchies]
    if not named:
        return Figure(np.nan, note="not measured: it takes hierarchies (--hierarchies)")
    value = release_precision(released, hierarchies)
    return Figure(value, note=f"of {', '.join(named)}")
