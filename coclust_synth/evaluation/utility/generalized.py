"""What the labels of a k-anonymous table lost, as `losses` counts it.

Intervals leave out whole classes, whose rows have their labels together, and suppressed
rows one by one; see `coclust_synth.evaluation.comparing.scores`. Discernibility,
which grows with the rows, and the distances have none.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from coclust_synth.evaluation.comparing.scores import (
    N_GROUPS,
    Figure,
    Figures,
    around,
    group_of,
    mean_of,
    reach,
)
from coclust_synth.evaluation.distances.hellinger import joint_hellinger_distances
from coclust_synth.evaluation.generalisation.hierarchies import release_precision
from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    completeness,
    discernability,
    information_loss,
)
from coclust_synth.tables.generalized.table import GeneralizedTable
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy

MAX_ORDER = 6
_CENTRES = "not measured: cells are centres of classes, and not sets of values"
_NO_LEVELS = "not measured: it needs hierarchies (--hierarchies)"


def loss_figures(
    released: GeneralizedTable,
    real: pd.DataFrame,
    *,
    k: int,
    is_reached: bool = False,
    of_centres: bool = False,
    hierarchies: Mapping[str, GeneralizationHierarchy] | None = None,
) -> Figures:
    """Losses of a generalised table, and its distances with labels spread evenly.

    Parameters
    ----------
    released : GeneralizedTable
    real : DataFrame
        With original values that are leaves.
    k : int
        That sizes of classes are counted in, as it was asked for; 0 if not at all.
    is_reached : bool, default=False
        Whether it is the rows of the smallest class, and noted as such.
    of_centres : bool, default=False
        Whether each cell is the mean, the median or the mode of its class: it stands
        for one value, which need not be that of its row, so that how many values
        labels stand for tells of no loss.
    hierarchies : mapping of column name to GeneralizationHierarchy, optional
        Those that PREC counts levels of.

    Raises
    ------
    SchemaError
        If a leaf is no value of its hierarchy.
    """
    measures, notes = _measures(released, k, hierarchies or {})
    if is_reached and k:
        notes["average_class_size"] += " as reached"
    parts = _without_each_group(released)
    found: Figures = {("discernibility", ()): Figure(float(discernability(released)))}
    for key, measure in measures.items():
        figure = Figure(measure(released), note=notes.get(key[0], ""))
        if parts:
            half = float(reach([measure(part) for part in parts]))
            most = np.inf if key[0] == "average_class_size" else 1.0
            figure = around(figure, half, most)
        found[key] = figure
    if of_centres:
        lost = "information_loss_set", "information_loss_range", "arx_loss", "precision"
        found |= {(name, ()): Figure(np.nan, note=_CENTRES) for name in lost}
    if ("precision", ()) not in found:
        found["precision", ()] = Figure(np.nan, note=_NO_LEVELS)
    orders = range(1, min(len(released.names), MAX_ORDER) + 1)
    distances = joint_hellinger_distances(real, released, orders)
    for order, values in distances.groupby("order")["hellinger"]:
        found[f"spread_hellinger_{order}", ()] = Figure(
            float(np.mean(values)), note=mean_of(len(values), "set")
        )
    return found


def _measures(released, k, hierarchies):
    """Each figure as a function of some of the rows, and what is noted of some."""
    measures = {
        ("information_loss_set", ()): information_loss,
        ("information_loss_range", ()): partial(information_loss, ordered="range"),
        ("arx_loss", ()): arx_loss,
        ("completeness", ()): completeness,
    }
    notes = {}
    named = [name for name in released.names if name in hierarchies]
    if named:
        measures["precision", ()] = partial(release_precision, hierarchies=hierarchies)
        notes["precision"] = f"of {', '.join(named)}"
    if k:
        measures["average_class_size", ()] = partial(average_class_size, k=k)
        notes["average_class_size"] = f"of k = {k}"
    for name in released.others.columns:
        measures["classification_metric", (str(name),)] = partial(
            classification_metric, target=name
        )
    return measures, notes


def _without_each_group(released):
    """The table without each group of its classes; none if they are few."""
    units, suppressed = released.class_codes.copy(), released.suppressed
    units[suppressed] = units.max() + 1 + np.arange(suppressed.sum())
    _, units = np.unique(units, return_inverse=True)
    n = int(units.max()) + 1
    if n < 2 * N_GROUPS:
        return []
    groups = group_of(n)[units]
    return [_rows_of(released, groups != group) for group in range(N_GROUPS)]


def _rows_of(released, kept):
    """Some rows of the table, of the same leaves."""
    rows = np.flatnonzero(kept)
    return GeneralizedTable(
        tuple(column.take(rows) for column in released.columns),
        released.others.iloc[rows],
        released.order,
        released.suppressed[rows],
    )
