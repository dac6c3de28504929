"""A grid of instances x variable parts, with its non-empty cells only."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from coclust_synth.modl.criterion.terms import Dimension
from coclust_synth.modl.criterion.variable_parts import (
    InnerVariable,
    VariablePartsTerms,
    variable_parts_cost_terms,
)
from coclust_synth.modl.data_grid.data_grid import DataGrid


@dataclass(frozen=True, eq=False, repr=False)
class VariablePartsGrid(DataGrid):
    """A grid of two dimensions: instances, and the parts of variables.

    Attributes
    ----------
    inner : tuple of InnerVariable
        How the variables are cut into the parts; the grids that `coarser` and `after`
        give keep them.
    """

    inner: tuple[InnerVariable, ...]

    @classmethod
    def of_instances(cls, records, inner, category_totals):
        """The grid of partitioned observations.

        Parameters
        ----------
        records : Records
            Instance and part of each observation, both categorical.
        inner : sequence of InnerVariable
        category_totals : sequence of ndarray of int64
            Observations of each category, for each variable that is not numeric.
        """
        grid = DataGrid.from_records(records)
        values = np.concatenate([records.value_totals(0), *category_totals])
        log_fact_values = float(gammaln(values + 1.0).sum())
        return cls(
            grid.cells, grid.counts, grid.dimensions, log_fact_values, tuple(inner)
        )

    @cached_property
    def terms(self) -> VariablePartsTerms:
        """The cost, term by term (nats)."""
        return variable_parts_cost_terms(
            self.counts, *self.dimensions, self.inner, self.log_fact_values
        )

    def null(self):
        """The grid of one cell, in which each variable is one part."""
        grid = super().null()
        instances, parts = grid.dimensions
        variables = Dimension(parts.totals, np.array([len(self.inner)]))
        inner = tuple(map(_uncut, self.inner))
        return replace(grid, dimensions=(instances, variables), inner=inner)


def _uncut(variable):
    """A variable whose only part is the whole of it."""
    parts = variable.parts
    total = np.array([parts.totals.sum()])
    sizes = None if parts.is_numeric else np.array([parts.sizes.sum()])
    return InnerVariable(Dimension(total, sizes), variable.n_values)
