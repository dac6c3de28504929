"""What columns that were counted together tell of how much all depend on each other."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from support.private_noise import silence_noise

from coclust_synth.generators.dp.adaptive.budget import Known
from coclust_synth.generators.dp.adaptive.known import learn_dependence
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise.scores import dependent_rows


def answers(n, n_columns, share, rng):
    """Yes or no to each question; those who follow a party answer all alike."""
    party = rng.integers(0, 2, (n, 1))
    own = rng.integers(0, 2, (n, n_columns))
    return np.where(rng.random((n, 1)) < share, party, own)


def counts_of(codes):
    """Rows of each cell of columns of two values."""
    return np.histogramdd(codes, bins=[[-0.5, 0.5, 1.5]] * codes.shape[1])[0]


@pytest.mark.parametrize("n_apart", [0, 4])
def test_exact_counts_tell_the_scores_beyond_chance(n_apart):
    codes = answers(2_000, 4, 0.6, np.random.default_rng(0))
    groups = [(0, 1, 2, 3), *[(4 + j,) for j in range(n_apart)]]
    known = Known((2,) * (4 + n_apart), 2_000)
    found = learn_dependence(known, groups, [counts_of(codes)], [0.0]).dependence
    pairs = combinations(range(4), 2)
    scores = [dependent_rows(counts_of(codes[:, pair]).astype(int)) for pair in pairs]
    chance = 2 * 2 * np.sqrt(2_000 / 4 / (2 * np.pi))
    exact = np.sqrt(np.mean(scores) ** 2 - chance**2) / 2_000
    # Of columns that are counted alone nothing is told.
    assert found == pytest.approx(exact * 4 / (4 + n_apart), rel=0.01)
    assert 0.1 < exact < 0.4


def noisy_dependence(codes, scale, rng):
    known = Known((2,) * 4, len(codes))
    counts = counts_of(codes) + rng.laplace(0, scale, (2,) * 4)
    return learn_dependence(known, [(0, 1, 2, 3)], [counts], [2 * scale**2]).dependence


def test_noise_is_not_taken_for_dependence():
    rng = np.random.default_rng(0)
    alone = [answers(1_000, 4, 0.0, rng) for _ in range(100)]
    few = [noisy_dependence(codes[:100], 30.0, rng) for codes in alone]
    assert not any(few)  # of so few rows noise tells as much
    found = np.array([noisy_dependence(codes, 30.0, rng) for codes in alone])
    assert (found > 0).sum() <= 10 and (found > 0.15).sum() <= 2
    together = [answers(1_000, 4, 0.8, rng) for _ in range(20)]
    found = np.array([noisy_dependence(codes, 30.0, rng) for codes in together])
    assert abs(found.mean() - 0.4) < 0.03  # half of .8


def spent_on(frame):
    """Epsilon of each group of columns, and of the rounds together."""
    domain = {name: ["no", "yes"] for name in frame}
    generator = DPCocGen(0.3, domain, variant="adaptive").fit(frame)
    entries = generator.ledger_.entries
    assert sum(entry.epsilon for entry in entries) == pytest.approx(0.3)
    values = [e.epsilon for e in entries if e.what.startswith("values of")]
    return np.array(values), 0.3 - entries[0].epsilon - sum(values)


@pytest.mark.slow
def test_groups_that_tell_much_leave_more_to_the_rounds(monkeypatch):
    """Of so few rows the dependence is not asked."""
    silence_noise(monkeypatch)
    rng = np.random.default_rng(0)
    frames = [
        pd.DataFrame(np.array(["no", "yes"])[answers(700, 12, share, rng)])
        for share in (0.0, 0.9)
    ]
    (usual, left), (first, more) = (spent_on(frame.add_prefix("q")) for frame in frames)
    assert usual[0] == pytest.approx(first[0])
    assert (first[1:] < 0.9 * usual[1:]).all()
    assert more > 1.3 * left
