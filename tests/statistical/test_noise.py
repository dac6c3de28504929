"""The laws that noise is drawn by, and an audit of what a release gives away.

Draws cannot be seeded. Each check of a right draw fails by chance once in 10^9 times
(ALPHA; chi-square by its limit law). Each test shows that it would see noise of half
the scale, which it misses more rarely still.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from naive import noise as naive
from scipy import stats
from support.audit import ALPHA, halve_noise, least_epsilon

from coclust_synth.baselines.private.histograms.laplace import LaplaceHistogram
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.privacy.noise.sparse_noise import passing_empty_cells
from coclust_synth.tables.domain.domain import Domain


def fits(observed, probabilities):
    """Whether counts are of a law: chi-square over cells of 50 draws or more."""
    observed, probabilities = np.asarray(observed), np.asarray(probabilities)
    expected = observed.sum() * probabilities
    large = expected >= 50
    rest = [observed[~large].sum(), expected[~large].sum()]
    if rest[1] >= 50:
        observed = np.append(observed[large], rest[0])
        expected = np.append(expected[large], rest[1])
    else:
        observed, expected = observed[large], expected[large]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return stats.chi2.sf(statistic, len(expected) - 1) > ALPHA


def law(xs, scale):
    """The discrete Laplace law on a range, and what lies outside it."""
    inside = [naive.discrete_laplace(x, scale) for x in xs]
    return [*inside, 1 - sum(inside)]


def counted(values, xs):
    inside = np.bincount(values[np.isin(values, xs)] - xs[0], minlength=len(xs))
    return [*inside, len(values) - inside.sum()]


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize(
    "epsilon, sensitivity", [(2.0, 1), (1.0, 1), (0.3, 1), (1.0, 3)]
)
def test_counts_have_discrete_laplace_noise(epsilon, sensitivity):
    ledger = PrivacyLedger(epsilon)
    counts = np.full(40_000, 17)
    noise = (
        ledger.noisy_counts(
            counts, cost=epsilon, what="counts", l1_sensitivity=sensitivity
        )
        - 17
    )
    scale = sensitivity / epsilon
    xs = np.arange(-int(4 * scale) - 2, int(4 * scale) + 3)
    assert fits(counted(noise, xs), law(xs, scale))
    assert not fits(counted(noise, xs), law(xs, scale / 2))
    # Neighbouring cells draw on their own.
    pairs = np.sign(noise[::2]) * np.sign(noise[1::2])
    p_same = (1 - naive.discrete_laplace(0, scale)) ** 2 / 2
    same = stats.binomtest(int((pairs > 0).sum()), len(pairs), p_same)
    assert same.pvalue > ALPHA


@pytest.mark.slow
@pytest.mark.noise
def test_choices_are_those_of_permute_and_flip():
    scores, epsilon = [10, 8, 7, 10, 0], 1.0
    ledger = PrivacyLedger(2500.0)
    chosen = [
        ledger.exponential(scores, cost=epsilon, sensitivity=2, what="choice")
        for _ in range(2500)
    ]
    observed = np.bincount(chosen, minlength=5)
    right = naive.permute_and_flip(scores, epsilon=epsilon, sensitivity=2)
    assert fits(observed, right)
    assert not fits(
        observed, naive.permute_and_flip(scores, epsilon=epsilon, sensitivity=1)
    )
    # Pure epsilon: no neighbour makes a choice e^epsilon times as likely.
    for change in itertools.product((-2, 0, 2), repeat=5):
        other = naive.permute_and_flip(
            np.add(scores, change).tolist(), epsilon=epsilon, sensitivity=2
        )
        ratios = np.log(right) - np.log(other)
        assert np.abs(ratios).max() <= epsilon * (1 + 1e-9)


@pytest.mark.slow
@pytest.mark.noise
def test_choices_in_parts_cost_together_what_one_costs():
    parts, epsilon = [[3, 1, 4], [2, 5]], 1.0
    ledger = PrivacyLedger(2500.0)
    asked = {"cost": epsilon, "sensitivity": 2, "what": "choices"}
    chosen = [ledger.exponential_of_parts(parts, **asked) for _ in range(2500)]
    assert ledger.remaining == 0.0
    observed = np.bincount(np.ravel_multi_index(np.transpose(chosen), (3, 2)))
    right = _law_of_parts(parts, epsilon, 2)
    assert fits(observed, right) and not fits(
        observed, _law_of_parts(parts, epsilon, 1)
    )
    # A row changes one part by up to 2, or the rows of a person both by 1.
    for change in itertools.product((-2, -1, 0, 1, 2), repeat=5):
        of_part = [max(map(abs, part)) for part in (change[:3], change[3:])]
        if sum(of_part) <= 2:
            other = [np.add(parts[0], change[:3]), np.add(parts[1], change[3:])]
            ratios = np.log(right) - np.log(_law_of_parts(other, epsilon, 2))
            assert np.abs(ratios).max() <= epsilon * (1 + 1e-9)


def _law_of_parts(parts, epsilon, sensitivity):
    """Of the choices of all parts together."""
    laws = [
        naive.permute_and_flip(
            np.asarray(part).tolist(), epsilon=epsilon, sensitivity=sensitivity
        )
        for part in parts
    ]
    return np.outer(*laws).ravel()


@pytest.mark.noise
@pytest.mark.parametrize("scale, threshold", [(1.0, 2), (5.0, 12), (0.4, 1)])
def test_empty_cells_pass_as_in_the_full_histogram(scale, threshold):
    occupied = np.array([3, 50_000, 199_999])
    cells, noise = passing_empty_cells(
        occupied, 200_000, scale=scale, threshold=threshold
    )
    n_empty = 200_000 - 3

    def passes(scale):
        p = naive.tail(threshold, scale)
        return stats.binomtest(len(cells), n_empty, p).pvalue > ALPHA

    assert passes(scale) and not passes(scale / 2)
    assert (np.diff(cells) > 0).all() and not np.isin(cells, occupied).any()
    assert cells[0] >= 0 and cells[-1] < 200_000
    assert fits(np.bincount(cells // 10_000, minlength=20), np.full(20, 1 / 20))
    # Above the threshold: each value once more is exp(-1 / scale) times as likely.
    xs = np.arange(threshold, threshold + int(6 * scale) + 2)
    tail = naive.tail(threshold, scale)
    inside = np.array([naive.discrete_laplace(x, scale) / tail for x in xs])
    assert fits(counted(noise, xs), [*inside, 1 - inside.sum()])


@pytest.mark.slow
@pytest.mark.noise
def test_sparse_and_dense_histograms_have_one_law():
    """All that can pass of four cells, two of them empty: exact probabilities."""
    counts, scale, threshold = np.array([0, 3, 0, 1]), 2.0, 2
    passing = [naive.tail(threshold - count, scale) for count in counts]
    outcomes = list(itertools.product((0, 1), repeat=4))
    probabilities = [
        np.prod([p if one else 1 - p for p, one in zip(passing, outcome, strict=True)])
        for outcome in outcomes
    ]
    dense, sparse = np.zeros(16), np.zeros(16)
    ledger = PrivacyLedger(4000.0)
    cell = np.arange(4)
    noisy = ledger.noisy_counts(np.tile(counts, (4000, 1)), cost=0.5, what="dense")
    np.add.at(dense, ((noisy >= threshold) * 2 ** cell[::-1]).sum(axis=1), 1)
    for _ in range(1000):
        index, values = ledger.noisy_sparse_counts(
            [3, 1], [1, 3], 4, cost=0.5, what="sparse", threshold=threshold
        )
        assert (values >= threshold).all()
        sparse[(2 ** (3 - index)).sum()] += 1
    assert fits(dense, probabilities) and fits(sparse, probabilities)


def releases(epsilon, n_rows, n=1000):
    """What many releases of equal rows say of their cell.

    Clipping looks at each cell on its own, so the cells of one histogram of n cells
    with as many rows are as good as n releases of one.
    """
    domain = Domain.from_dict({"a": list(map(str, range(n)))})
    frame = pd.DataFrame({"a": list(domain["a"].categories) * n_rows})
    return LaplaceHistogram(epsilon, domain, projection="clip").fit(frame).counts_


def audit(epsilon, n_rows=40):
    with_row, without = (releases(epsilon, n) for n in (n_rows, n_rows - 1))
    return least_epsilon(with_row >= n_rows, without >= n_rows)


@pytest.mark.noise
def test_an_audit_of_releases_finds_no_more_than_epsilon():
    """It sees most of epsilon, and nothing forbidden."""
    assert 0.8 < audit(2.0) <= 2.0


@pytest.mark.noise
def test_an_audit_of_releases_catches_half_the_noise(monkeypatch):
    halve_noise(monkeypatch)
    assert audit(2.0) > 2.0
