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

from coclust_synth.generators.log_linear.junction_tree import JunctionTree

_FIRST_STEP = 4.0
_SUFFICIENT = 0.3  # of the descent that the gradient promises
_SHORTER, _LONGER = 0.5, 1.4
_CONVERGED = 1e-4  # relative change of the loss
_NOISE = 0.3  # standard deviations that stand for a count at or below 0
# Below the highest of a clique: cells that noise puts far apart in two cliques keep a
# share in both, so that there is always a cell that both have.
_LEAST_LOG = -80.0


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
        self._homes = [self.tree.home(group) for group in groups]
        self._labels = [
            m.labels[self.tree.labels(home, m.variables)]
            for m, home in zip(measurements, self._homes, strict=True)
        ]
        self._possible = [
            np.ones(self.tree.shape(clique)) for clique in self.tree.cliques
        ]
        for group, possible in supports:
            home = self.tree.home(group)
            along = self.tree.along(group, self.tree.cliques[home])
            self._possible[home] *= possible.reshape(along)

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
        weights = [1.0 / m.variance for m in self.measurements]
        counts = [m.counts for m in self.measurements]
        logs = list(logs)
        logs += [np.zeros(len(y)) for y in counts[len(logs) :]]
        steepest = max(float(w.max()) for w in weights)
        step = step or _FIRST_STEP / (n_rows**2 * steepest)
        beliefs, margins = self._evaluate(logs)
        loss = _loss(n_rows, margins, counts, weights)
        left = n_iterations
        while left > 0:
            slopes = [
                n_rows * w * (n_rows * p - y)
                for p, y, w in zip(margins, counts, weights, strict=True)
            ]
            tried = step
            while left > 0:
                moved = [a - tried * g for a, g in zip(logs, slopes, strict=True)]
                moved = [a - a.mean() for a in moved]
                found, others = self._evaluate(moved)
                left -= 1
                lower = loss - _loss(n_rows, others, counts, weights)
                promised = sum(
                    float(g @ (p - q))
                    for g, p, q in zip(slopes, margins, others, strict=True)
                )
                if lower >= _SUFFICIENT * promised:
                    break
                tried *= _SHORTER
            if not lower > 0:
                break
            logs, beliefs, margins = moved, found, others
            loss -= lower
            if lower < _CONVERGED * max(loss, 1.0):
                break
            # Not of moves that gain nothing, which no step is short enough for: the
            # next fit would begin with it, and end there.
            step = tried * _LONGER
        self.logs, self.beliefs, self.step = logs, beliefs, step
        return self

    def _evaluate(self, logs):
        """Beliefs of the cliques, and the margin of each measurement."""
        tree = self.tree
        sums = [np.zeros(possible.size) for possible in self._possible]
        for values, home, labels in zip(logs, self._homes, self._labels, strict=True):
            sums[home] += values[labels]
        factors = [
            np.exp(np.maximum(total - total.max(), _LEAST_LOG)).reshape(possible.shape)
            * possible
            for total, possible in zip(sums, self._possible, strict=True)
        ]
        beliefs = tree.calibrate(factors)
        margins = [
            np.bincount(labels, beliefs[home].ravel(), len(m.counts))
            for m, home, labels in zip(
                self.measurements, self._homes, self._labels, strict=True
            )
        ]
        return beliefs, margins


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


def _loss(n_rows, margins, counts, weights):
    return 0.5 * sum(
        float(w @ (n_rows * p - y) ** 2)
        for p, y, w in zip(margins, counts, weights, strict=True)
    )
