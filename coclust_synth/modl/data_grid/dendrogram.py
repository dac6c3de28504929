"""The dendrogram of a grid of d dimensions: successive merges down to one cell."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from coclust_synth.modl.data_grid.data_grid import DataGrid, Records
from coclust_synth.modl.data_grid.merges import greedy_merges
from coclust_synth.modl.data_grid.state import DataGridCostTables, DataGridState
from coclust_synth.tables.showing import Shown


@dataclass(frozen=True, eq=False, repr=False)
class DataGridDendrogram(Shown):
    """From a grid, the merge of least cost increase over all dimensions, repeatedly.

    Attributes
    ----------
    merges : ndarray of int64, shape (m, 3)
        Each (dimension, kept, absorbed), kept < absorbed: a part keeps the number of
        the lowest numbered part of the grid in it. m is the sum of J_k - 1.
    costs : ndarray of float64, shape (m + 1,)
        Cost of the grid and after each merge (nats).
    """

    merges: np.ndarray
    costs: np.ndarray

    @classmethod
    def from_records(cls, records: Records) -> Self:
        """The dendrogram of the grid of partitioned records.

        Parameters
        ----------
        records : Records
        """
        state = DataGridState(DataGridCostTables(records), records.labels)
        merges, _ = greedy_merges(state, stop_at_rise=False)
        grid = DataGrid.from_records(records)
        costs = [grid.cost, *(coarser.cost for coarser in grid.after(merges))]
        merges = np.array(merges, dtype=np.int64).reshape(-1, 3)
        return cls(merges, np.array(costs))

    def _told(self):
        return {
            "merges": len(self.merges),
            "cost": f"{self.costs[0]:.2f} nats",
        }
