"""Counts that are made finer later: both laws, and what they cost together."""

import numpy as np
import pytest
from naive import noise as naive
from scipy import stats
from support.audit import ALPHA
from support.private_noise import forbid_noise, silence_noise

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise.drafts import choose_finer, share_of_finer
from coclust_synth.privacy.noise.ledger import PrivacyLedger

XS = np.arange(-400, 401)
SCALES = [(2.0, 1.0), (3.0, 2.9), (6.0, 0.5), (0.7, 0.1), (20.0, 4.0)]


def drafted(scale, finer_scale, share):
    """Law of a draft, and of both: rows are finer counts, columns the draft."""
    fine = [naive.discrete_laplace(x, finer_scale) for x in XS]
    more = np.array([naive.discrete_laplace(x, scale) for x in range(-800, 801)])
    moved = more[XS[np.newaxis, :] - XS[:, np.newaxis] + 800]
    both = (share * np.eye(len(XS)) + (1 - share) * moved) * np.array(fine)[:, None]
    return both.sum(axis=0), both


@pytest.mark.parametrize("scale, finer_scale", SCALES)
def test_a_draft_has_noise_of_its_own_scale(scale, finer_scale):
    share = share_of_finer(scale, finer_scale)
    assert 0 < share < 1
    law, _ = drafted(scale, finer_scale, share)
    expected = [naive.discrete_laplace(x, scale) for x in XS]
    np.testing.assert_allclose(law, expected, rtol=1e-6, atol=1e-11)


@pytest.mark.parametrize("scale, finer_scale", SCALES)
def test_a_row_is_hidden_by_the_draft_and_by_both(scale, finer_scale):
    share = share_of_finer(scale, finer_scale)
    for drawn in (share, 0.99 * share, 0.0):
        law, both = drafted(scale, finer_scale, drawn)
        inside = slice(300, 501)  # the rest is cut off
        assert loss(law[inside], law[299:500]) <= 1 / scale + 1e-6
        # The same numbers come out of tables of a row more, whose noise is one less.
        joint, other = both[inside, inside], both[299:500, 299:500]
        seen = (joint > 1e-200) & (other > 1e-200)
        assert loss(joint[seen], other[seen]) <= 1 / finer_scale + 1e-6
    law, _ = drafted(scale, finer_scale, 1.0)
    assert loss(law[390:411], law[389:410]) > 1 / scale + 1e-3  # seen, if it were more


def loss(law, other):
    law, other = (np.maximum(part, 1e-250) for part in (law, other))
    return np.abs(np.log(law) - np.log(other))[(law > 1e-14) & (other > 1e-14)].max()


def test_both_together_cost_what_finer_counts_do(monkeypatch):
    silence_noise(monkeypatch)
    ledger = PrivacyLedger(1.0, rows_per_person=2)
    draft = ledger.draft_counts([[3, 4]], cost=0.25, finer_cost=0.75, what="jobs")
    assert draft.counts.tolist() == [[3, 4]]
    assert ledger.spent == 0.25 and ledger.entries[0].scale == 8.0
    assert ledger.finer_counts(draft).tolist() == [[3, 4]]
    entry = ledger.entries[1]
    assert (entry.what, entry.mechanism) == ("jobs, finer", "discrete Laplace, finer")
    assert entry.epsilon == 0.5 and entry.scale == 2 / 0.75
    assert ledger.spent == 0.75


def test_what_is_no_draft_is_refused_before_any_noise(monkeypatch):
    silence_noise(monkeypatch)
    draft = PrivacyLedger(0.5).draft_counts([1], cost=0.1, finer_cost=0.2, what="a")
    forbid_noise(monkeypatch)
    ledger = PrivacyLedger(1.0)
    with pytest.raises(ParameterError, match="Received one of another"):
        ledger.finer_counts(draft)
    with pytest.raises(ParameterError, match="Expected epsilon"):
        ledger.draft_counts([1], cost=0.2, finer_cost=0.2, what="a")
    with pytest.raises(ParameterError, match="Measure the counts twice"):
        of_rho = PrivacyLedger(1.0, delta=1e-9)
        of_rho.draft_counts([1], cost=0.01, finer_cost=0.02, what="a")
    with pytest.raises(ParameterError, match="at most what remains"):
        ledger.draft_counts([1], cost=1.5, finer_cost=2.0, what="a")
    assert ledger.spent == 0


def test_a_draft_is_that_of_one_ledger_though_others_look_alike(monkeypatch):
    silence_noise(monkeypatch)
    of_one, other = PrivacyLedger(1.0), PrivacyLedger(1.0)
    query = {"cost": 0.1, "finer_cost": 0.2, "what": "a"}
    draft, _ = of_one.draft_counts([1], **query), other.draft_counts([1], **query)
    with pytest.raises(ParameterError, match="Received one of another"):
        other.finer_counts(draft)
    assert of_one.finer_counts(draft).tolist() == [1]


def test_finer_counts_above_the_budget_are_refused():
    ledger = PrivacyLedger(1.0)
    draft = ledger.draft_counts([1], cost=0.5, finer_cost=0.9, what="a")
    ledger.noisy_counts([1], cost=0.4, what="b")
    with pytest.raises(ParameterError, match="at most what remains"):
        ledger.finer_counts(draft)
    assert ledger.spent == 0.9


@pytest.mark.slow
@pytest.mark.noise
def test_drafts_are_drawn_by_their_laws():
    ledger = PrivacyLedger(2.0)
    counts = np.full(20_000, 17)
    draft = ledger.draft_counts(counts, cost=0.5, finer_cost=1.0, what="counts")
    for noisy, scale in ((draft.counts, 2.0), (ledger.finer_counts(draft), 1.0)):
        probabilities = [naive.discrete_laplace(x, scale) for x in range(-6, 7)]
        inside = [(noisy == 17 + x).sum() for x in range(-6, 7)]
        expected = 20_000 * np.array([*probabilities, 1 - sum(probabilities)])
        observed = np.array([*inside, 20_000 - sum(inside)])
        statistic = ((observed - expected) ** 2 / expected).sum()
        assert stats.chi2.sf(statistic, 13) > ALPHA
    # Not independent draws: more cells are equal.
    same = (draft.counts == draft.finer).mean()
    assert same > share_of_finer(2.0, 1.0) + 0.1


@pytest.mark.noise
@pytest.mark.parametrize("share", [0.0, 0.25, 1 - 1e-12])
def test_cells_are_chosen_by_chance(share):
    n_chosen = int(choose_finer(10_000, share).sum())
    assert stats.binomtest(n_chosen, 10_000, share).pvalue > ALPHA
