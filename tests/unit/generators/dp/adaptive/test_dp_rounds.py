"""How many rounds there are, by what they tell."""

import numpy as np
import pandas as pd
import pytest
from support.private_noise import repeat_noise

from coclust_synth.generators.dp.adaptive import adaptive, budget
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise.ledger import PrivacyLedger

N_ROWS, N_COLUMNS = 12_000, 12


def tell_nothing(rng):
    """Rare answers, each by itself."""
    return (rng.random((N_ROWS, N_COLUMNS)) < 0.02).astype(int)


def tell_much(rng):
    """Each column is the one before, but for a tenth of the rows."""
    changes = rng.random((N_ROWS, N_COLUMNS)) < 0.1
    changes[:, 0] = rng.random(N_ROWS) < 0.5
    return np.cumsum(changes, axis=1) % 2


def costs_of_rounds(codes, monkeypatch, seed=0):
    """Epsilons of the counts of the rounds, of columns of yes and no."""
    repeat_noise(monkeypatch, seed)
    names = [f"c{j}" for j in range(N_COLUMNS)]
    frame = pd.DataFrame(np.array(["no", "yes"])[codes], columns=names)
    domain = {name: ["no", "yes"] for name in names}
    ledger = DPCocGen(1.0, domain, variant="adaptive").fit(frame).ledger_
    assert ledger.remaining == 0.0
    assert sum(e.epsilon for e in ledger.entries) == pytest.approx(1.0)
    return [e.epsilon for e in ledger.entries if e.what.startswith("counts of")]


@pytest.mark.parametrize(
    "n_left, told, expected",
    [(7, 1.5, 7), (7, 1.4, 4), (3, 1.0, 2), (2, 0.5, 2), (0, 0.5, 0)],
)
def test_a_round_that_tells_little_leaves_half_as_many(n_left, told, expected):
    of_epsilon, of_rho = PrivacyLedger(1.0), PrivacyLedger(1.0, delta=1e-9)
    assert budget.rounds_after(n_left, told, of_epsilon) == expected
    assert budget.rounds_after(n_left, told, of_rho) == n_left


@pytest.mark.slow
def test_columns_that_tell_nothing_get_fewer_rounds_each_of_more(monkeypatch, rng):
    known = budget.Known((2,) * N_COLUMNS, N_ROWS)
    assert budget.count_rounds(known, PrivacyLedger(1.0)) == 12
    codes, n_rounds, more = tell_nothing(rng), [], []
    for seed in range(8):
        costs = np.array(costs_of_rounds(codes, monkeypatch, seed))
        assert (costs[1:] >= costs[:-1] * (1 - 1e-9)).all()
        n_rounds.append(len(costs))
        more.append(costs[-1] / costs[0])
    # In single releases the noise of a round can look as if it told something.
    assert np.mean(n_rounds) < 11 and np.mean(more) > 1.4, (n_rounds, more)


def test_a_round_is_judged_by_the_model_before_it(monkeypatch, rng):
    told, right = [], adaptive.rounds_after

    def after(n_left, of_round, ledger):
        told.append(of_round)
        return right(n_left, of_round, ledger)

    monkeypatch.setattr(adaptive, "rounds_after", after)
    costs = costs_of_rounds(tell_much(rng), monkeypatch)
    assert min(told[:2]) > 30 and costs[3] == pytest.approx(costs[0])
    told.clear()
    costs_of_rounds(tell_nothing(rng), monkeypatch)
    assert 0.3 < min(told) < 1.5 and max(told) < 10
