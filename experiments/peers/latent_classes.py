"""Latent class analysis by expectation-maximisation, over codes of parts.

A row is of one of K hidden classes, in which its columns are independent: a mixture of
products of categorical distributions. Synthetic rows draw a class, then each column. No
formal privacy guarantee.

References
----------
L. A. Goodman, "Exploratory latent structure analysis using both identifiable and
unidentifiable models", Biometrika 61, 1974.
"""

import numpy as np
from scipy.sparse import csr_matrix

from coclust_synth.tables.rows import collapse

_PRIOR = 0.01  # rows added to each value of each class, spread as in the table
_TOLERANCE = 1e-6  # gain of the mean log-likelihood (nats) below which it ends


class LatentClasses:
    """A mixture of K products of categorical distributions.

    Parameters
    ----------
    n_classes : int
    random_state : int
        Of the first shares of the classes in the rows.
    n_iterations : int, default=150

    Attributes
    ----------
    log_likelihood_ : float
        Mean over rows (nats), after `fit`.
    """

    def __init__(self, n_classes, random_state, n_iterations=150):
        self.n_classes = n_classes
        self.random_state = random_state
        self.n_iterations = n_iterations

    def fit(self, codes):
        """Learn the classes.

        Parameters
        ----------
        codes : ndarray of int, shape (n, d)
            From 0 in each column.
        """
        sizes = codes.max(axis=0) + 1
        self._starts = np.concatenate([[0], np.cumsum(sizes)])
        rows, _ = collapse(codes, list(sizes))
        weights = rows.counts.astype(float)
        marks = _marks(rows.codes, self._starts[-1])  # numbered over all columns
        overall = marks.T @ weights / weights.sum()
        rng = np.random.default_rng(self.random_state)
        shares = rng.dirichlet(np.full(self.n_classes, 0.1), len(weights))
        before = -np.inf
        for _ in range(self.n_iterations):
            self._maximise(marks, shares * weights[:, None], overall)
            joint = marks @ _logs(self._values.T) + _logs(self._classes)
            highest = joint.max(axis=1, keepdims=True)
            likelihood = np.exp(joint - highest).sum(axis=1, keepdims=True)
            shares = np.exp(joint - highest) / likelihood
            logs = (np.log(likelihood) + highest)[:, 0]
            self.log_likelihood_ = float(weights @ logs / weights.sum())
            if self.log_likelihood_ - before < _TOLERANCE:
                break
            before = self.log_likelihood_
        return self

    def _maximise(self, marks, held, overall):
        """Shares of the classes and of values in them, given rows held by each."""
        self._classes = held.sum(axis=0) / held.sum()
        values = (marks.T @ held).T + _PRIOR * overall
        in_class = held.sum(axis=0)[:, None] + _PRIOR
        self._values = values / in_class

    def sample(self, n, rng):
        """Codes of n rows, shape (n, d)."""
        classes = rng.choice(self.n_classes, n, p=self._classes)
        drawn = np.empty((n, len(self._starts) - 1), dtype=np.int64)
        for j, start in enumerate(self._starts[:-1]):
            law = self._values[:, start : self._starts[j + 1]].cumsum(axis=1)
            law /= law[:, -1:]
            drawn[:, j] = (rng.random(n)[:, None] > law[classes]).sum(axis=1)
        return drawn


def _logs(shares):
    """Logarithms, finite where a value occurs in no row."""
    return np.log(np.maximum(shares, 1e-300))


def _marks(columns, n_values):
    """1 where a row has a value, shape (rows, values)."""
    n, d = columns.shape
    ends = np.arange(0, n * d + 1, d)
    return csr_matrix((np.ones(n * d), columns.ravel(), ends), (n, n_values))
