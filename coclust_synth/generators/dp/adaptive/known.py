"""What is asked of a table before the rules decide on what to spend the rest."""

from itertools import combinations
from math import ceil, pi, sqrt

import numpy as np

from coclust_synth.generators.dp.adaptive.budget import (
    apart_epsilon,
    dependence_epsilon,
    is_tested,
    rows_epsilon,
)
from coclust_synth.generators.dp.adaptive.candidates import MAX_PAIR
from coclust_synth.generators.dp.dense.blocks import dependence_scores
from coclust_synth.privacy.noise.scores import DEPENDENCE_SENSITIVITY, rows_apart

#: The query of the dependence, as the ledger has it.
DEPENDENCE = {
    "what": "mean dependence of two columns",
    "l1_sensitivity": DEPENDENCE_SENSITIVITY,
    "is_pure": True,
}
#: The query of how far pairs are from columns of their own.
APART = "rows by which the farthest pairs are apart from independent columns"


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


def tested_pairs(known, ledger, workload):
    """Pairs by which it is tested whether single columns are enough; none where it is
    not. Columns of one value are in none: they depend on nothing."""
    if not is_tested(known, ledger):
        return []
    pairs = measured_pairs(known.sizes, workload)
    return [pair for pair in pairs if min(known.sizes[j] for j in pair) > 1]


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
        With the dependence, 0 where no pair is measured; as it was where that is not
        asked of so few rows.

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
    if not pairs:
        return known._replace(dependence=0.0)
    if not cost:
        return known
    scores = dependence_scores(rows, sizes, pairs)
    (noisy,) = ledger.noisy_counts(
        [sum(scores.tolist()) // len(pairs)], cost=cost, **DEPENDENCE
    )
    chance = np.mean([sqrt(sizes[a] * sizes[b] * n_rows / (2 * pi)) for a, b in pairs])
    share = float(noisy - chance - ledger.entries[-1].scale) / n_rows
    return known._replace(dependence=min(max(share, 0.0), 1.0))


def measure_apart(rows, margins, pairs, ledger):
    """How far the farthest pairs of columns are from what noisy columns expect.

    Parameters
    ----------
    rows : DomainRows
    margins : Margins
        Noisy.
    pairs : list of tuple of int
        At least one.
    ledger : PrivacyLedger

    Returns
    -------
    float
        Noisy total variation beyond chance, on average over half as many pairs as there
        are columns.

    Notes
    -----
    The score of a pair, `rows_apart`, changes by 1 at most when a row comes or goes,
    where that of `dependent_rows` may change by 2: what is expected is no count of the
    data. So does the score less a number that depends on noisy counts alone: that of
    columns that have nothing to do with each other, if their values have equal rows,
    for which it is most. Of numbers that change by 1 at most so many of the largest
    have a mean that does, and one rounded down to whole numbers that does.
    """
    n_rows = margins.n_rows
    columns = [counts for counts, _ in margins.of_columns()]
    scores = []
    for a, b in pairs:
        expected = np.outer(columns[a], columns[b]).ravel() / n_rows
        cells = rows.codes[:, a].astype(np.int64) * len(columns[b]) + rows.codes[:, b]
        chance = ceil(sqrt(2 * len(expected) * n_rows / pi))
        counts = rows.count(cells, len(expected))
        scores.append(rows_apart(counts, expected) - chance)
    most = sorted(scores, reverse=True)[: max(len(columns) // 2, 1)]
    mean = sum(most) // len(most)
    (noisy,) = ledger.noisy_counts([mean], cost=apart_epsilon(ledger), what=APART)
    return float(noisy) / 2 / n_rows


def learn_dependence(known, groups, counts, variances):
    """How much columns depend on each other, by what was counted together.

    No query of the data: of noisy counts.

    Parameters
    ----------
    known : Known
    groups : list of tuple of int
        In which columns are counted.
    counts : list of ndarray of float64
        Noisy, of the first groups, with an axis for each column.
    variances : list of float
        Of the noise of a count of each.

    Returns
    -------
    Known
        With the dependence of the pairs of these groups, in proportion to the columns
        that are in groups of several: of the others nothing is known. It is 0 where
        noise tells as much as half of the rows.

    Notes
    -----
    The score of a pair is that of `dependent_rows`, of counts that may be negative.
    What is taken away, as a root of squares, is the mean score of columns that have
    nothing to do with each other, with this noise, if their values have equal rows: for
    these it is most.
    """
    scores, chances = [], []
    for of_group, variance in zip(counts, variances, strict=False):
        for a, b in combinations(range(of_group.ndim), 2):
            others = tuple(k for k in range(of_group.ndim) if k not in (a, b))
            of_pair = of_group.sum(axis=others)
            n = max(float(of_pair.sum()), 1.0)
            expected = np.outer(of_pair.sum(axis=1), of_pair.sum(axis=0)) / n
            scores.append(np.abs(of_pair - expected).sum() / 2)
            of_cell = (n + variance * of_group.size) / of_pair.size
            chances.append(of_pair.size * sqrt(of_cell / (2 * pi)))
    chance = np.mean(chances)
    if chance > known.n_rows / 2:
        return known._replace(dependence=0.0)
    beyond = sqrt(max(np.mean(scores) ** 2 - chance**2, 0.0)) / known.n_rows
    together = sum(len(group) for group in groups if len(group) > 1)
    share = together / len(known.sizes)
    return known._replace(dependence=min(share * beyond, 1.0))
