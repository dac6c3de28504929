"""Margins measured with Gaussian noise, and the log-linear model that they speak for.

What MST and AIM have in common: both choose margins, pay for them, and draw rows from
the distribution of largest entropy that is near all of them.
"""

from dataclasses import dataclass, field, replace
from math import prod

import numpy as np

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.domain_synthesizer import (
    DomainSynthesizer,
    check_budget,
    check_small_delta,
)
from coclust_synth.generators.log_linear.even_rows import draw_even_rows
from coclust_synth.generators.log_linear.fit import FittedMeasurements, Measurement
from coclust_synth.generators.log_linear.junction_tree import JunctionTree
from coclust_synth.generators.log_linear.margins import TreeMargins
from coclust_synth.privacy.noise.asked import LEAST_EPSILON
from coclust_synth.privacy.noise.scores import rows_apart
from coclust_synth.validation import check_number

_MAX_KEPT = 2**16  # cells: margins of more are counted again each time


@dataclass(frozen=True, eq=False)
class TreeModel:
    """A distribution of columns, learnt from noisy counts.

    Attributes
    ----------
    tree : JunctionTree
        Over the columns.
    beliefs : list of ndarray of float64
        Distribution of each clique.
    n_rows : int
        Noisy.
    """

    tree: JunctionTree
    beliefs: list
    n_rows: int

    def given(self, shares):
        """The model of rows whose values are allowed, and their share.

        Parameters
        ----------
        shares : list of ndarray of float64, shape (size,)
            What is allowed of each value of each column, in [0, 1].

        Returns
        -------
        model : TreeModel or None
            None where there is no such row.
        share : float
        """
        evidence = [((j,), share) for j, share in enumerate(shares)]
        beliefs, share = self.tree.given(self.beliefs, evidence)
        return (None if beliefs is None else replace(self, beliefs=beliefs)), share

    def draw(self, n, rng):
        """Codes of n rows, (n, d), in random order."""
        return rng.permutation(draw_even_rows(self.tree, self.beliefs, n, rng))


class NoisyMargins:
    """What was measured of a table so far, and the model of it.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
        The data.
    sizes : tuple of d int
        Values of each column.
    names : tuple of d str
    ledger : PrivacyLedger
        What measurements and choices are paid from.

    Attributes
    ----------
    measured : list of tuple of int
        Increasing columns of each margin, in order.
    """

    def __init__(self, codes, sizes, names, ledger):
        # Columns one behind the other, as they are read.
        self._codes = np.asfortranarray(codes)
        self._sizes, self._names = sizes, names
        self._ledger = ledger
        self._counts, self._fitted = {}, FittedMeasurements(sizes)

    @property
    def measured(self):
        """Columns of each margin that was measured, in order."""
        return [measurement.variables for measurement in self._fitted.measurements]

    @property
    def tree(self):
        """The junction tree of the model."""
        return self._fitted.model.tree

    def n_cells(self, columns):
        """Cells of a margin."""
        return prod(self._sizes[j] for j in columns)

    def measure(self, columns, cost):
        """Count the cells of some columns, increasing, with noise."""
        noisy = self._ledger.noisy_counts(
            self._true(columns),
            cost=cost,
            what="counts of " + " × ".join(self._names[j] for j in columns),
        )
        self.add(columns, noisy, self._ledger.entries[-1].variance)

    def add(self, columns, noisy, variance):
        """What was measured of some columns, increasing.

        Parameters
        ----------
        columns : tuple of int
        noisy : ndarray of shape (cells,)
        variance : float or ndarray of shape (cells,)
            Of the noise.
        """
        counts = np.asarray(noisy, dtype=np.float64)
        variance = np.broadcast_to(variance, counts.shape).astype(np.float64)
        labels = np.arange(len(counts))
        measurement = Measurement(columns, labels, counts, variance)
        self._fitted.measurements.append(measurement)

    def choose(self, candidates, scores, *, cost, sensitivity, what):
        """One of some margins, of about the highest score; see `exponential`."""
        chosen = self._ledger.exponential(
            scores, cost=cost, sensitivity=sensitivity, what=what
        )
        return candidates[chosen]

    def fit(self, n_evaluations):
        """Fit the model to all that was measured; each column must have been."""
        self._fitted.fit(n_evaluations)
        model = self._fitted.model
        self._margins = TreeMargins(model.tree, model.beliefs)

    def expected(self, columns):
        """Rows of each cell of a margin, by the model; shape (cells,)."""
        joint = self._margins.margin([(j,) for j in columns])
        return self._fitted.n_rows * joint.ravel()

    def rows_apart(self, columns):
        """Rows by which the model is wrong about a margin: of the data.

        Of sensitivity 1, see `coclust_synth.privacy.noise.scores`.
        """
        return rows_apart(self._true(columns), self.expected(columns))

    def model(self):
        """The model, without the data."""
        model = self._fitted.model
        return TreeModel(model.tree, model.beliefs, round(self._fitted.n_rows))

    def _true(self, columns):
        """Rows of each cell of a margin: of the data."""
        if columns in self._counts:
            return self._counts[columns]
        cells = np.zeros(len(self._codes), dtype=np.int64)
        for j in columns:
            cells = cells * self._sizes[j] + self._codes[:, j]
        counts = np.bincount(cells, minlength=self.n_cells(columns))
        if len(counts) <= _MAX_KEPT:
            self._counts[columns] = counts
        return counts


@dataclass(eq=False, repr=False, kw_only=True)
class MarginSynthesizer(DomainSynthesizer):
    """What MST and AIM are made with: a delta, as their noise is Gaussian."""

    delta: float = field()  # to be given: the base goes without
    large_delta: bool = False

    def _check_budget(self, least_share):
        """Refuse to go without a delta, or with a rho too small to be shared out.

        Parameters
        ----------
        least_share : float
            Of rho, that any query gets.

        Raises
        ------
        ParameterError
        """
        if self.delta is None:
            raise ParameterError(
                f"Expected a delta for {type(self).__name__}, whose noise is Gaussian "
                "and promises nothing without a delta. Received none. Give for "
                "instance 1e-9, far below one over the number of persons."
            )
        check_number("epsilon", self.epsilon, minimum=LEAST_EPSILON)
        check_small_delta(self.delta, self.large_delta)
        check_budget(self.epsilon, self.delta, least_share)
