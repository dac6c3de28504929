"""The measures of information loss against ARX, on tables that it generalised."""

import numpy as np
import pandas as pd
import pytest
from support.shared import SHARED, needed

from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    completeness,
    discernability,
    precision,
)
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable

HEIGHTS = [1, 4, 1, 2, 3, 2, 2, 2, 1]  # of the hierarchies, in the order of the scores


@pytest.fixture(scope="module")
def arx():
    """ARX's scores, its table, and its hierarchies: a line of texts for each leaf."""
    scores = SHARED / "reference" / "flash_reference.csv"
    needed(scores)
    scores = pd.read_csv(scores)
    table = pd.read_csv(
        SHARED / "data" / "adult_arx_30162.csv.gz", sep=";", dtype=str, na_filter=False
    )
    names = scores["qi_order"][0].split()
    folder = SHARED / "data" / "adult_hierarchies"
    hierarchies = {
        name: pd.read_csv(
            folder / f"adult_hierarchy_{name}.csv",
            sep=";",
            header=None,
            dtype=str,
            na_filter=False,
        )
        for name in names
    }
    return scores, table, hierarchies


def recode(table, hierarchies, node, k):
    """The table at the levels of a node, rows of classes below k suppressed."""
    labels = pd.DataFrame(
        {
            name: table[name].map(dict(zip(lines[0], lines[level], strict=True)))
            for (name, lines), level in zip(hierarchies.items(), node, strict=True)
        }
    )
    sizes = labels.groupby(list(labels), sort=False)[labels.columns[0]].transform(
        "size"
    )
    suppressed = (sizes < k).to_numpy()
    columns = []
    for (name, lines), level in zip(hierarchies.items(), node, strict=True):
        groups, codes = np.unique([*lines[level]], return_inverse=True)
        members = codes == np.arange(len(groups))[:, np.newaxis]
        members = np.vstack([members, np.ones(len(lines), dtype=bool)])
        rows = np.searchsorted(groups, labels[name])
        rows[suppressed] = len(groups)
        columns.append(
            GeneralizedColumn.from_members(name, tuple(lines[0]), False, members, rows)
        )
    return GeneralizedTable(columns, suppressed=suppressed)


@pytest.mark.slow
def test_losses_are_those_of_arx(arx):
    scores, table, hierarchies = arx
    metrics = ["loss_gm", "loss_am", "dm", "aecs", "precision_am"]
    lines = scores[scores["metric"].isin(metrics) & scores["k"].isin([5, 872])]
    found, expected = [], []
    for line in lines.itertuples():
        node = [int(level) for level in line.node.split()]
        released = recode(table, hierarchies, node, line.k)
        levels = np.tile(node, (len(table), 1))
        levels[released.suppressed] = HEIGHTS
        found.append(
            {
                "loss_gm": lambda r: arx_loss(r),
                "loss_am": lambda r: arx_loss(r, aggregate="arithmetic"),
                "dm": discernability,
                "aecs": lambda r: average_class_size(r, 1),
                "precision_am": lambda r, levels=levels: 1 - precision(levels, HEIGHTS),
            }[line.metric](released)
        )
        expected.append(line.score)
        assert completeness(released) == 1 - line.suppressed_rows / len(table)
    assert len(found) >= 20
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
