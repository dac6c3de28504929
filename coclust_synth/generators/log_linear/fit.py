"""A log-linear model whose margins are near noisy counts.

The model is the distribution of largest entropy with the margins that it has: a product
of a factor for each cell of each measurement. The factors minimise the squares of what
its margins differ from the noisy counts, over the variance of their noise, by mirror
descent: a step along the gradient in the logarithms of the factors, whose length is
halved until it descends enough.

All of this is post-processing of noisy counts: nothing is spent.

References
----------
R. McKenna, D. Sheldon, G. Miklau, "Graphical-model based estimation and inference for
differential privacy", ICML 2019, algorithm 1.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.log_linear.evaluation import Evaluation
from coclust_synth.generators.log_linear.junction_tree import JunctionTree

_FIRST_STEP = 4.0
_SUFFICIENT = 0.3  # of the descent that the gradient promises
_SHORTER, _LONGER = 0.5, 1.4
_CONVERGED = 1e-4  # relative change of the loss
_NOISE = 0.3  # standard deviations that stand for a count at or below 0


@dataclass(frozen=True, eq=False)
class Measurement:
    """Noisy counts of cells that are made of those of some variables.

    Attributes
    ----------
    variables : tuple of int
        Increasing.
    labels : ndarray of int64, shape (cells of the variables,)
        Count that each cell of the variables belongs to, in C order.
    counts : ndarray of float64, shape (m,)
        Noisy: can be negative.
    variance : ndarray of float64, shape (m,)
        Of the noise.
    """

    variables: tuple
    labels: np.ndarray
    counts: np.ndarray
    variance: np.ndarray


class LogLinearModel:
    """A distribution over a junction tree, fitted to measurements.

    Parameters
    ----------
    sizes : tuple of v int
        Values of each variable.
    measurements : list of Measurement
        Each variable is in one at least.
    supports : sequence of (tuple of int, ndarray of bool)
        Cells of some variables, of which those that are false never occur.

    Attributes
    ----------
    tree : JunctionTree
    beliefs : list of ndarray of float64
        Distribution of each clique, once fitted.
    logs : list of ndarray of float64
        Of the factors of each measurement.
    """

    def __init__(self, sizes, measurements, supports=()):
        self.measurements = measurements
        groups = [m.variables for m in measurements]
        self.tree = JunctionTree(sizes, [*groups, *(group for group, _ in supports)])
        labels, n_labels = [m.labels for m in measurements], self._n_counts()
        self._of = Evaluation(self.tree, groups, labels, n_labels, supports)

    def fit(self, n_rows, logs, n_iterations, step=None):
        """Fit the factors.

        Parameters
        ----------
        n_rows : float
            That the counts are of.
        logs : sequence of ndarray
            To start from, for the first measurements; 0 for the others.
        n_iterations : int
            Evaluations of the model, at most.
        step : float, optional
            Length of the first step.

        Returns
        -------
        self
        """
        evaluate, n_counts = self._of.margins, self._n_counts()
        starts = np.cumsum([0, *n_counts[:-1]])
        counts = np.concatenate([m.counts for m in self.measurements])
        weights = 1.0 / np.concatenate([m.variance for m in self.measurements])
        logs = np.concatenate([*logs, np.zeros(len(counts) - sum(map(len, logs)))])
        step = step or _FIRST_STEP / (n_rows**2 * weights.max())
        margins = evaluate(logs)
        off = n_rows * margins - counts
        loss = 0.5 * float(weights @ off**2)
        left, is_kept = n_iterations, True
        while left > 0:
            slopes = n_rows * weights * off
            tried = step
            while left > 0:
                moved = logs - tried * slopes
                means = np.add.reduceat(moved, starts) / n_counts
                moved -= np.repeat(means, n_counts)
                others = evaluate(moved)
                left -= 1
                others_off = n_rows * others - counts
                lower = loss - 0.5 * float(weights @ others_off**2)
                if lower >= _SUFFICIENT * float(slopes @ (margins - others)):
                    break
                tried *= _SHORTER
            is_kept = lower > 0
            if not is_kept:
                break
            logs, margins, off = moved, others, others_off
            loss -= lower
            if lower < _CONVERGED * max(loss, 1.0):
                break
            # Not of moves that gain nothing, which no step is short enough for: the
            # next fit would begin with it, and end there.
            step = tried * _LONGER
        if not is_kept:
            evaluate(logs)
        self.beliefs = self._of.beliefs()
        self.logs, self.step = np.split(logs, starts[1:]), step
        return self

    def _n_counts(self):
        return [len(m.counts) for m in self.measurements]


class FittedMeasurements:
    """Noisy counts as they come, and the model that all of them speak for.

    Parameters
    ----------
    sizes, supports
        As of `LogLinearModel`.

    Attributes
    ----------
    measurements : list of Measurement
    n_rows : float
        That the counts are of, 1 at least.
    model : LogLinearModel
        Of the last fit.
    """

    def __init__(self, sizes, supports=()):
        self._sizes, self._supports = sizes, supports
        self.measurements, self.n_rows, self.model = [], None, None

    def fit(self, n_iterations, n_rows=None):
        """Fit a model to all measurements, from where the one before ended.

        Parameters
        ----------
        n_iterations : int
            Evaluations of the model, at most.
        n_rows : float, optional
            By default the mean of the sums of the measurements, the more exact ones
            counting more.
        """
        if n_rows is None:
            totals = [m.counts.sum() for m in self.measurements]
            weights = [1.0 / m.variance.sum() for m in self.measurements]
            n_rows = max(float(np.average(totals, weights=weights)), 1.0)
        if self.model is None:
            step, logs = (
                None,
                [
                    np.log(np.maximum(m.counts, _NOISE * np.sqrt(m.variance)))
                    for m in self.measurements
                ],
            )
        else:
            step, logs = self.model.step, self.model.logs
        model = LogLinearModel(self._sizes, self.measurements, self._supports)
        self.n_rows, self.model = n_rows, model.fit(n_rows, logs, n_iterations, step)
