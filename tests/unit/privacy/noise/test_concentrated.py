"""Rho, epsilon and delta: the bound against its definition and OpenDP's."""

import math

import numpy as np
import opendp.prelude as dp
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise import ledger as module
from coclust_synth.privacy.noise.concentrated import delta_of, rho_of
from coclust_synth.privacy.noise.ledger import PrivacyLedger

PAIRS = [(1.0, 1e-9), (0.1, 1e-9), (3.0, 1e-6), (0.01, 1e-12), (10.0, 1e-5)]


@pytest.mark.parametrize("epsilon, delta", PAIRS)
def test_the_bound_is_the_least_over_all_orders(epsilon, delta):
    rho = rho_of(epsilon, delta)
    alphas = 1 + np.geomspace(1e-3, 1e5, 200_000)
    logs = (alphas - 1) * (alphas * rho - epsilon) + alphas * np.log1p(-1 / alphas)
    least = np.exp((logs - np.log(alphas - 1)).min())
    assert delta_of(rho, epsilon) == pytest.approx(least, rel=1e-6)
    assert delta_of(rho, epsilon) <= least * (1 + 1e-9)
    assert delta_of(rho, epsilon) <= delta < delta_of(rho * (1 + 1e-6), epsilon)
    # Never below what the simpler bound allows.
    assert rho + 2 * math.sqrt(rho * math.log(1 / delta)) >= epsilon


@pytest.mark.parametrize("epsilon, delta", PAIRS)
def test_opendp_agrees(epsilon, delta):
    dp.enable_features("contrib")
    rho = rho_of(epsilon, delta)
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")
    gaussian = dp.m.make_gaussian(*space, (1 / (2 * rho)) ** 0.5)
    profile = dp.c.make_zCDP_to_approxDP(gaussian).map(1.0)
    assert profile.epsilon(delta) == pytest.approx(epsilon, rel=1e-6)


def test_delta_falls_with_epsilon_and_grows_with_rho():
    deltas = [delta_of(0.01, epsilon) for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0)]
    assert deltas == sorted(deltas, reverse=True) and deltas[0] <= 1
    deltas = [delta_of(rho, 1.0) for rho in (1e-6, 1e-3, 0.1, 1.0, 100.0)]
    assert deltas == sorted(deltas) and deltas[-1] <= 1


@pytest.fixture
def drawn(monkeypatch):
    """What each draw was asked for, with no noise."""
    calls = []

    def draw(values, *, sensitivity, rho):
        calls.append((sensitivity, rho))
        return values, sensitivity / math.sqrt(2 * rho)

    def best(scores, *, sensitivity, rho):
        calls.append((sensitivity, rho))
        return int(np.argmax(scores)), sensitivity / math.sqrt(2 * rho)

    monkeypatch.setattr(module, "discrete_gaussian", draw)
    monkeypatch.setattr(module, "gumbel_max", best)
    return calls


def test_the_ledger_adds_rhos_up(drawn):
    ledger = PrivacyLedger(1.0, delta=1e-9, neighbours="replace", rows_per_person=3)
    assert ledger.total == ledger.rho == rho_of(1.0, 1e-9)
    ledger.noisy_counts([1, 2], cost=ledger.total / 4, what="counts")
    ledger.exponential([1, 2, 3], cost=ledger.total / 4, sensitivity=1, what="choice")
    ledger.noisy_counts([1], cost=ledger.remaining, what="rest")
    counts, choice, rest = ledger.entries
    assert drawn == [(e.sensitivity, e.rho) for e in ledger.entries]
    assert counts.sensitivity == choice.sensitivity == 6
    assert counts.scale == pytest.approx(6 / math.sqrt(2 * counts.rho))
    assert counts.variance == pytest.approx(counts.scale**2)
    # The exponential mechanism of epsilon: Gumbel noise of 2 sensitivities over it.
    assert choice.scale == pytest.approx(2 * 6 / math.sqrt(8 * choice.rho))
    assert rest.rho == pytest.approx(ledger.total / 2) and ledger.remaining == 0.0
    with pytest.raises(ParameterError, match="what remains of the budget, rho"):
        ledger.noisy_counts([1], cost=1e-9, what="more")
    told = ledger.to_dict()
    assert (told["epsilon"], told["delta"], told["rho"]) == (1.0, 1e-9, ledger.rho)
    assert "epsilon" not in told["entries"][0] and told["entries"][0]["rho"] > 0
    assert "rho" in str(ledger) and "delta 1e-09" in str(ledger)


def test_laplace_noise_is_paid_for_in_rho(drawn, monkeypatch):
    """Of an epsilon e, e^2 / 2; before Gaussian noise the delta can be left."""
    asked = []

    def draw(values, *, sensitivity, epsilon):
        asked.append((sensitivity, epsilon))
        return values, sensitivity / epsilon

    monkeypatch.setattr(module, "discrete_laplace", draw)
    ledger = PrivacyLedger(1.0, delta=1e-9, rows_per_person=3)
    ledger.noisy_counts([1, 2], cost=0.1, what="rows", is_pure=True)
    (rows,) = ledger.entries
    assert asked == [(3, 0.1)] and not drawn
    assert (rows.epsilon, rows.mechanism) == (0.1, "discrete Laplace")
    assert rows.rho == rows.cost == pytest.approx(0.1**2 / 2)
    assert rows.variance == pytest.approx(2 * 30**2)
    assert ledger.remaining == pytest.approx(ledger.total - 0.005)

    pure = ledger.without_delta()
    assert (pure.epsilon, pure.delta, pure.rho) == (1.0, 0.0, None)
    assert pure.remaining == 0.9 and pure.rows_per_person == 3
    assert "rho" not in pure.to_dict()["entries"][0]
    pure.noisy_counts([1], cost=0.9, what="rest")
    assert (len(ledger.entries), pure.remaining) == (1, 0.0)
    assert asked[1] == (3, 0.9)

    with pytest.raises(ParameterError, match="what remains of the budget, rho"):
        ledger.noisy_counts([1], cost=0.2, what="more", is_pure=True)
    ledger.noisy_counts([1], cost=0.001, what="counts")
    with pytest.raises(ParameterError, match="before Gaussian noise is drawn"):
        ledger.without_delta()


def test_sparse_counts_have_no_rho(drawn):
    ledger = PrivacyLedger(1.0, delta=1e-9)
    with pytest.raises(ParameterError, match="without delta for sparse counts"):
        ledger.noisy_sparse_counts([1], [1], 10, cost=0.01, what="x", threshold=3)
    assert not drawn and not ledger.entries


def test_a_ledger_without_delta_has_no_rho():
    ledger = PrivacyLedger(1.0)
    assert ledger.rho is None and ledger.delta == 0.0 and ledger.total == 1.0
    assert "rho" not in ledger.to_dict()


@pytest.mark.slow
@pytest.mark.noise
def test_gaussian_noise_has_its_variance():
    """Of 40,000 draws, within 8 standard errors: a chance below 1e-14."""
    ledger = PrivacyLedger(1.0, delta=1e-9)
    noise = ledger.noisy_counts(np.zeros(40_000, int), cost=0.005, what="x")
    expected = ledger.entries[0].variance
    assert expected == pytest.approx(100.0)
    assert abs(noise.var() / expected - 1) < 8 * math.sqrt(2 / 40_000)
    assert abs(noise.mean()) < 8 * math.sqrt(expected / 40_000)
    average = ledger.count_noise(0.005)
    assert abs(np.abs(noise).mean() / average - 1) < 8 * 0.76 / 200


@pytest.mark.slow
@pytest.mark.noise
def test_gumbel_noise_chooses_by_the_exponential_mechanism():
    """1,500 choices, within 8 standard errors: a chance below 1e-14."""
    n, cost = 1500, 0.02
    ledger = PrivacyLedger(200.0, delta=1e-5)  # enough for all of them
    chosen = [
        ledger.exponential([0, 5], cost=cost, sensitivity=1, what="x") for _ in range(n)
    ]
    odds = math.exp(math.sqrt(8 * cost) * 5 / 2)
    share = odds / (1 + odds)
    assert abs(np.mean(chosen) - share) < 8 * math.sqrt(share * (1 - share) / n)


@pytest.mark.noise
def test_choices_in_parts_are_paid_for_once():
    """At rho = 47 one of these is wrong once in e^290 times."""
    ledger = PrivacyLedger(100.0, delta=1e-5)
    parts, cost = [[0, 30], [40, 1, 2]], 0.9 * ledger.total
    asked = {"cost": cost, "sensitivity": 1, "what": "choices"}
    assert ledger.exponential_of_parts(parts, **asked) == [1, 0]
    (entry,) = ledger.entries
    assert entry.rho == cost and entry.epsilon is None
    assert entry.mechanism == "noisy max, Gumbel noise, in each part"
