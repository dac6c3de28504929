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


def entries_of(codes, monkeypatch, seed=0):
    """What a release of columns of yes and no spends."""
    repeat_noise(monkeypatch, seed)
    names = [f"c{j}" for j in range(N_COLUMNS)]
    frame = pd.DataFrame(np.array(["no", "yes"])[codes], columns=names)
    domain = {name: ["no", "yes"] for name in names}
    ledger = DPCocGen(1.0, domain, variant="adaptive").fit(frame).ledger_
    assert ledger.remaining == 0.0
    assert sum(e.epsilon for e in ledger.entries) == pytest.approx(1.0)
    return ledger.entries


def costs_of_rounds(codes, monkeypatch, seed=0):
    """Epsilons of the counts of the rounds."""
    entries = entries_of(codes, monkeypatch, seed)
    margins = {e.what.removeprefix("values of ") for e in entries}
    return [
        e.epsilon
        for e in entries
        if e.what.startswith("counts of")
        and e.what.removeprefix("counts of ") not in margins
    ]


def epsilons_of_columns(entries):
    """Of the groups of columns, each time that they are counted."""
    found = {}
    for entry in entries:
        how, _, what = entry.what.partition(" of ")
        if how == "values":
            found[what] = [entry.epsilon]
        elif what in found:
            found[what].append(entry.epsilon)
    return list(found.values())


@pytest.mark.slow
@pytest.mark.parametrize("bar, times", [(np.inf, {2}), (0.0, {1})])
def test_columns_are_counted_again_once_where_all_rounds_told_little(
    bar, times, monkeypatch, rng
):
    """For half of what is left when a round tells little, and no other time."""
    left = []

    def after(n_left, told, ledger):
        left.append(ledger.remaining)
        return min(n_left, max(n_left - 1, 1))

    monkeypatch.setattr(adaptive, "rounds_after", after)
    monkeypatch.setattr(adaptive, "TOLD_OF_ALL", bar)
    epsilons = epsilons_of_columns(entries_of(tell_nothing(rng), monkeypatch))
    assert {len(of_group) for of_group in epsilons} == times
    if times == {2}:
        share = sum(of_group[1] for of_group in epsilons)
        assert share == pytest.approx(left[0] / 2)


@pytest.mark.slow
def test_columns_that_have_little_in_common_are_counted_again(monkeypatch, rng):
    codes = tell_nothing(rng)
    times = [
        {len(of) for of in epsilons_of_columns(entries_of(codes, monkeypatch, seed))}
        for seed in range(6)
    ]
    assert all(of_release in ({1}, {2}) for of_release in times)
    assert {2} in times


@pytest.mark.slow
def test_columns_that_have_much_in_common_are_not(monkeypatch, rng):
    fewer = lambda n_left, *_: min(n_left, max(n_left - 1, 1))  # noqa: E731
    monkeypatch.setattr(adaptive, "rounds_after", fewer)
    entries = entries_of(tell_much(rng), monkeypatch)
    assert {len(of_group) for of_group in epsilons_of_columns(entries)} == {1}


@pytest.mark.slow
def test_columns_are_not_counted_again_for_next_to_nothing(monkeypatch, rng):
    monkeypatch.setattr(adaptive, "LEAST_SHARE", 0.5)
    entries = entries_of(tell_nothing(rng), monkeypatch)
    assert {len(of_group) for of_group in epsilons_of_columns(entries)} == {1}


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


@pytest.mark.slow
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
