"""What is asked, and told by columns counted together, of how much columns depend."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from support.private_noise import repeat_noise, silence_noise

from coclust_synth.generators.dp.adaptive import known
from coclust_synth.generators.dp.adaptive.budget import (
    Known,
    are_columns_enough,
    error_of_columns,
)
from coclust_synth.generators.dp.adaptive.known import (
    APART,
    learn_dependence,
    measure_apart,
)
from coclust_synth.generators.dp.adaptive.margins import Margins
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.privacy.noise.scores import dependent_rows
from coclust_synth.tables.domain.rows import DomainRows


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


def test_noise_is_not_taken_for_dependence(rng):
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
def test_groups_that_tell_much_leave_more_to_the_rounds(monkeypatch, rng):
    """Of so few rows the dependence is not asked."""
    silence_noise(monkeypatch)
    monkeypatch.setattr(known, "is_tested", lambda *_: False)
    frames = [
        pd.DataFrame(np.array(["no", "yes"])[answers(700, 12, share, rng)])
        for share in (0.0, 0.9)
    ]
    (usual, left), (first, more) = (spent_on(frame.add_prefix("q")) for frame in frames)
    assert usual[0] == pytest.approx(first[0])
    assert (first[1:] < 0.9 * usual[1:]).all()
    assert more > 1.3 * left


# whether single columns are enough


def apart(codes, monkeypatch, n_rows=50.0):
    """The mean score, of what noisy columns of so many rows expect."""
    seen = []

    def noisy(ledger, counts, **options):
        seen.append((counts, options))
        return np.array(counts)

    monkeypatch.setattr(PrivacyLedger, "noisy_counts", noisy)
    counts = [np.array([20.0, 10.0, 20.0]), np.array([25.0, 25.0]), np.full(4, 12.5)]
    margins = Margins([(0,), (1,), (2,)], counts, [1.0] * 3, n_rows)
    pairs = [(0, 1), (0, 2), (1, 2)]
    told = measure_apart(DomainRows.of(codes), margins, pairs, PrivacyLedger(1.0))
    ((of_one,), options), *none = seen
    assert not none and "l1_sensitivity" not in options  # 1
    assert told == of_one / 2 / n_rows
    return of_one


def test_how_far_pairs_are_apart_changes_by_one_with_a_row(monkeypatch, rng):
    codes = np.column_stack([rng.integers(0, size, 60) for size in (3, 2, 4)])
    codes[:, 1] = codes[:, 0] > 0
    changes = [
        apart(codes, monkeypatch) - apart(np.delete(codes, i, 0), monkeypatch)
        for i in range(60)
    ]
    assert {0} != set(changes) <= {-1, 0, 1}


@pytest.mark.parametrize("goes_with", [0.0, 0.9])
def test_columns_that_are_enough_get_the_whole_budget(goes_with, monkeypatch, rng):
    repeat_noise(monkeypatch)
    codes = rng.integers(0, 5, (10_000, 8))
    same = rng.random((10_000, 4)) < goes_with
    codes[:, 4:] = np.where(same, codes[:, :4], codes[:, 4:])
    frame = pd.DataFrame(codes, columns=[*"abcdefgh"])
    domain = {name: [*range(5)] for name in frame}
    ledger = DPCocGen(0.1, domain).fit(frame).ledger_
    asked = [entry.what for entry in ledger.entries]
    assert asked[0] == "rows" and APART in asked and ledger.remaining == 0
    assert ("values of a, finer" in asked) == (goes_with == 0)
    assert any(what.startswith("choice") for what in asked) == (goes_with > 0)
    planned = [query.what for query in DPCocGen(0.1, domain).plan(10_000).queries]
    assert APART in planned and planned[0] == "rows"


@pytest.mark.parametrize("n_columns, most", [(5, 4), (37, 12)])
def test_of_many_columns_some_that_depend_much_are_enough_for_rounds(n_columns, most):
    ledger, table = PrivacyLedger(1.0), Known((5,) * n_columns, 500 * n_columns)
    error = error_of_columns(table, ledger)
    are_enough = [
        are_columns_enough(times * error, table, ledger) for times in range(20)
    ]
    assert are_enough == [times < most for times in range(20)]
