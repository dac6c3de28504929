"""A lower bound on epsilon from releases of neighbouring tables, and planted bugs."""

import numpy as np
from scipy import stats

from coclust_synth.privacy.noise import ledger as module

#: Chance that a right release is found guilty, at most.
ALPHA = 1e-9


def least_epsilon(with_row, without):
    """Lower confidence bound on epsilon, from one event on neighbouring tables.

    P(event with) <= e^epsilon P(event without), and likewise of the complement; each
    probability is bounded by Clopper and Pearson at ALPHA / 4.

    Parameters
    ----------
    with_row, without : ndarray of bool, shape (n,)
        Whether it came about in independent releases of each table.
    """
    n = len(with_row)
    bounds = []
    for more, less in ((with_row, without), (~without, ~with_row)):
        low = stats.beta.ppf(ALPHA / 4, more.sum(), n - more.sum() + 1)
        high = stats.beta.ppf(1 - ALPHA / 4, less.sum() + 1, n - less.sum())
        bounds.append(np.log(low / high))
    return max(bounds)


def plant(monkeypatch, wrong_epsilon):
    """Noise for another epsilon than what the ledger says.

    Parameters
    ----------
    wrong_epsilon : callable
        Of the number of the draw in a fit of one ledger, and its right epsilon.
    """
    right, spend = module.discrete_laplace, module.PrivacyLedger._spend
    query = [0]

    def counted(self, *args, **kwargs):
        query[0] = len(self.entries)
        return spend(self, *args, **kwargs)

    def draw(values, *, sensitivity, epsilon):
        wrong = wrong_epsilon(query[0], epsilon)
        return right(values, sensitivity=sensitivity, epsilon=wrong)

    monkeypatch.setattr(module.PrivacyLedger, "_spend", counted)
    monkeypatch.setattr(module, "discrete_laplace", draw)


def halve_noise(monkeypatch, query=0):
    """Noise of half the scale in one query."""
    plant(monkeypatch, lambda k, epsilon: 2 * epsilon if k == query else epsilon)
