"""The values of several variables that parts are made of, and who has them."""

from dataclasses import dataclass

import numpy as np

from coclust_synth.modl.grid.grid import Contingency
from coclust_synth.tables.rows import DistinctRows


@dataclass(frozen=True, eq=False)
class ValueTable:
    """A table whose variables are to be cut into parts.

    Attributes
    ----------
    rows : DistinctRows
        Its distinct rows. The values of a numeric variable are numbered in increasing
        order; -1 is a missing value, of which there is no observation.
    numeric : ndarray of bool, shape (d,)
        Whether the parts of a variable are intervals of its values, or groups.
    n_values : ndarray of int64, shape (d,)
        What the prior of its parts counts: of a numeric variable the instances, of a
        categorical one the categories, missing being one.
    """

    rows: DistinctRows
    numeric: np.ndarray
    n_values: np.ndarray

    @property
    def n_per_variable(self):
        """Values of each variable, shape (d,)."""
        return self.rows.n_parts_per_variable

    @property
    def n_variables(self):
        """Number of variables, d."""
        return len(self.numeric)

    @property
    def first(self):
        """First value of each variable, then the number of all, shape (d + 1,)."""
        return np.append(self.rows.offsets, self.rows.n_parts)

    @property
    def variable(self):
        """Variable of each value, shape (V,)."""
        return np.repeat(np.arange(self.n_variables), self.n_per_variable)

    def contingency(self):
        """Instances x values."""
        return Contingency.from_distinct_rows(self.rows)
