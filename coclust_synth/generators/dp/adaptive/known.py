"""What is asked of a table before the rules decide on what to spend the rest."""

from itertools import combinations
from math import pi, sqrt

import numpy as np

from coclust_synth.generators.dp.adaptive.budget import (
    dependence_epsilon,
    rows_epsilon,
)
from coclust_synth.generators.dp.adaptive.candidates import MAX_PAIR
from coclust_synth.generators.dp.dense.blocks import dependence_scores
from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY

#: The query of the dependence, as the ledger has it.
DEPENDENCE = {
    "what": "mean dependence of two columns",
    "l1_sensitivity": DEPENDENCE_SENSITIVITY,
    "is_pure": True,
}


def measure_rows(rows, ledger):
    """The noisy number of rows, 1 at least, for a hundredth of epsilon at most.

    Its noise is Laplace's, so that a delta can be left once it is known.

    Parameters
    ----------
    rows : DomainRows
    ledger : PrivacyLedger

    Returns
    -------
    int
    """
    noisy = ledger.noisy_counts(
        [len(rows)], cost=rows_epsilon(ledger), what="rows", is_pure=True
    )
    return max(int(noisy[0]), 1)


def measured_pairs(sizes, workload):
    """Pairs of columns of which the dependence is asked: of few enough cells, and of
    the workload."""
    return [
        (a, b)
        for a, b in combinations(range(len(sizes)), 2)
        if sizes[a] * sizes[b] <= MAX_PAIR and workload.weight((a, b))
    ]


def measure_dependence(rows, known, ledger, workload):
    """How much columns depend on each other, for 2 % of epsilon at most.

    Parameters
    ----------
    rows : DomainRows
    known : Known
        With the rows by `measure_rows`.
    ledger : PrivacyLedger
        Noise is Laplace's, as that of the rows.
    workload : Workload
        Of the pairs that a set of it holds, and that are small enough to be measured.

    Returns
    -------
    Known
        With the dependence; as it was where that is not asked.

    Notes
    -----
    The score of a pair, `dependent_rows`, changes by 2 at most when a row comes or
    goes. So does the mean over pairs, and that mean rounded down.

    Taken away are the mean score of columns that have nothing to do with each other, if
    their values have equal rows, for which it is most, and the scale of the noise: what
    is left is rather too low than too high.
    """
    sizes, n_rows, _ = known
    pairs = measured_pairs(sizes, workload)
    cost = dependence_epsilon(n_rows, ledger)
    if not pairs or not cost:
        return known
    scores = dependence_scores(rows, sizes, pairs)
    (noisy,) = ledger.noisy_counts(
        [sum(scores.tolist()) // len(pairs)], cost=cost, **DEPENDENCE
    )
    chance = np.mean([sqrt(sizes[a] * sizes[b] * n_rows / (2 * pi)) for a, b in pairs])
    share = float(noisy - chance - ledger.entries[-1].scale) / n_rows
    return known._replace(dependence=min(max(share, 0.0), 1.0))
