"""What releases of a budget in rho give away, from events on neighbouring tables.

A release of rho-zCDP has a Renyi divergence of at most rho times its order between
neighbouring tables, so a Kullback-Leibler divergence of rho at most, and so has every
event of it: a lower bound on that of an event is one on rho. An assertion on a right
release fails by chance once in 10^9 times at most (ALPHA); the same audits find bugs
that are planted, which they miss as seldom.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from support.audit import ALPHA, least_epsilon

from coclust_synth.baselines.private import aim, mst
from coclust_synth.baselines.private.aim import AIMSynthesizer
from coclust_synth.baselines.private.mst import MSTSynthesizer
from coclust_synth.privacy.noise import ledger as module
from coclust_synth.tables.domain.domain import Domain

EPSILON, DELTA = 8.0, 1e-6


def least_rho(with_row, without):
    """Lower confidence bound on rho; see `support.audit.least_epsilon`."""
    n = len(with_row)
    low = stats.beta.ppf(ALPHA / 2, with_row.sum(), n - with_row.sum() + 1)
    high = stats.beta.ppf(1 - ALPHA / 2, without.sum() + 1, n - without.sum())
    if not low > high:
        return 0.0
    return special.kl_div([low, 1 - low], [high, 1 - high]).sum()


def multiply(monkeypatch, factor):
    """Gaussian noise of so many times the rho that the ledger says."""
    right = module.discrete_gaussian

    def draw(values, *, sensitivity, rho):
        return right(values, sensitivity=sensitivity, rho=factor * rho)

    monkeypatch.setattr(module, "discrete_gaussian", draw)


# Many values of one column, each with as many rows as the others: those of one release
# are as good as so many releases of a table of one value. The other columns have one
# value, so that their pairs with it count it again; the tree is given, and the budget
# of its choice goes to the pairs.
N_VALUES, N_ROWS = 12_000, 25
QUERIES = "values of a", "counts of a × b", "counts of a × c"


def counts_of_mst(n_rows):
    """The noisy counts of each value in three queries, and what these cost."""
    sizes = {"low": 1, "high": N_VALUES, "bins": N_VALUES}
    domain = Domain.from_dict({"a": sizes, "b": ["x"], "c": ["x"]})
    frame = pd.DataFrame({"a": np.repeat(np.arange(1, N_VALUES + 1), n_rows)})
    seen = {}
    right = module.PrivacyLedger.noisy_counts

    def noisy(self, counts, *, cost, what, **options):
        seen[what] = right(self, counts, cost=cost, what=what, **options)
        return seen[what]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module.PrivacyLedger, "noisy_counts", noisy)
        patched.setattr(mst, "_spanning_tree", lambda *args: [(0, 1), (0, 2)])
        patched.setattr(mst, "_FIRST_FIT", 1)
        patched.setattr(mst, "_LAST_FIT", 1)
        generator = MSTSynthesizer(EPSILON, domain, delta=DELTA)
        generator.fit(frame.assign(b="x", c="x"))
    costs = {entry.what: entry.rho for entry in generator.ledger_.entries}
    assert all(len(seen[what]) == N_VALUES for what in QUERIES)  # none is rare
    return [seen[what] for what in QUERIES], [costs[what] for what in QUERIES]


def audit_of_mst():
    """Bounds on the rho of each query, and of all together; and what they cost."""
    with_row, costs = counts_of_mst(N_ROWS)
    without, _ = counts_of_mst(N_ROWS - 1)
    bounds = [
        least_rho(more >= N_ROWS, less >= N_ROWS)
        for more, less in zip(with_row, without, strict=True)
    ]
    more, less = (np.array(counts).mean(axis=0) for counts in (with_row, without))
    middle = N_ROWS - 0.5
    return bounds, least_rho(more > middle, less > middle), costs


@pytest.mark.slow
@pytest.mark.noise
def test_counts_give_away_what_they_cost():
    """A good part of it is seen, and nothing more: one event shows two thirds."""
    bounds, whole, costs = audit_of_mst()
    for bound, cost in zip(bounds, costs, strict=True):
        assert 0.1 * cost < bound <= cost
    assert 0.3 * sum(costs) < whole <= sum(costs)


@pytest.mark.slow
@pytest.mark.noise
def test_half_the_noise_is_caught(monkeypatch):
    multiply(monkeypatch, 4)
    bounds, whole, costs = audit_of_mst()
    assert all(bound > cost for bound, cost in zip(bounds, costs, strict=True))
    assert whole > sum(costs)


@pytest.mark.slow
@pytest.mark.noise
def test_a_budget_spent_on_every_query_is_caught(monkeypatch):
    right = module.discrete_gaussian
    rho = module.PrivacyLedger(EPSILON, delta=DELTA).rho
    monkeypatch.setattr(
        module, "discrete_gaussian", lambda v, **law: right(v, **law | {"rho": rho})
    )
    _, whole, _ = audit_of_mst()
    assert whole > rho


# What the choice gives away: two pairs that hang together alike, but for a row that is
# replaced. A choice is the exponential mechanism of an epsilon of sqrt(8 rho).

N_CHOICES = 300
ABC = Domain.from_dict({name: ["0", "1"] for name in "abc"})


class Asked(Exception):
    """What a fit asks of its first choice."""


def first_choices(method, frame, monkeypatch):
    """Whether a and b are what is first chosen, each time that it is asked."""
    half = len(frame) // 2

    def ask(self, scores, *, cost, **options):
        raise Asked(scores, options | {"cost": cost})

    with monkeypatch.context() as patched:
        patched.setattr(
            module, "discrete_gaussian", lambda v, **law: (np.array([half, half]), 1.0)
        )
        patched.setattr(module.PrivacyLedger, "exponential", ask)
        with pytest.raises(Asked) as asked:
            method(EPSILON, ABC, delta=DELTA, neighbours="replace").fit(frame)
    scores, options = asked.value.args
    a_and_b = len(scores) - 3  # pairs are the last three, in order
    ledger = module.PrivacyLedger(1000.0, delta=DELTA, neighbours="replace")
    found = [ledger.exponential(scores, **options) == a_and_b for _ in range(N_CHOICES)]
    return np.array(found), (8 * options["cost"]) ** 0.5


def audited_choice(method, monkeypatch):
    odd = [(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)]
    rows = [(0, 0, 0), (1, 1, 1)] * 500 + odd * 50
    tables = (
        pd.DataFrame([*rows, last], columns=list("abc")).astype(str)
        for last in ((0, 1, 0), (0, 0, 1))
    )
    monkeypatch.setattr(aim, "_ORDER", 2)
    (without, epsilon), (with_row, _) = (
        first_choices(method, table, monkeypatch) for table in tables
    )
    return least_epsilon(with_row, without), epsilon


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("method", [MSTSynthesizer, AIMSynthesizer])
def test_a_choice_gives_away_no_more_than_it_costs(method, monkeypatch):
    bound, epsilon = audited_choice(method, monkeypatch)
    assert bound <= epsilon


@pytest.mark.parametrize("method", [MSTSynthesizer, AIMSynthesizer])
def test_a_choice_without_noise_is_caught(method, monkeypatch):
    monkeypatch.setattr(
        module,
        "gumbel_max",
        lambda scores, *, sensitivity, rho: (int(np.argmax(scores)), 1.0),
    )
    bound, epsilon = audited_choice(method, monkeypatch)
    assert bound > epsilon


# The whole of it, from a table to the rows of a release: 30 people, or 29. With the
# noise of 100 times the rho, 30 rows or more come in .97 of 600 releases of MST and in
# .93 of AIM's (short fits cost some), and without the row in none of 1,500: taken for
# .93, .89 and .0001, 300 and 375 releases miss it less than once in 10^9 times.

N_RELEASES = {MSTSynthesizer: 300, AIMSynthesizer: 375}
SMALL = Domain.from_dict({"a": ["x", "y"], "b": ["u", "v"]})


def audit_rows(method, n_releases, monkeypatch):
    for own in (aim, mst):  # short fits, which are post-processing
        monkeypatch.setattr(own, "_FIRST_FIT", 10)
        monkeypatch.setattr(own, "_LAST_FIT", 20)
    monkeypatch.setattr(aim, "_FIT", 5)
    frame = pd.DataFrame({"a": ["x"] * 30, "b": ["u"] * 30})
    counts = [
        np.array(
            [
                (
                    method(EPSILON, SMALL, delta=DELTA).fit(table).sample()["a"] == "x"
                ).sum()
                for _ in range(n_releases)
            ]
        )
        for table in (frame, frame.iloc[:-1])
    ]
    rho = module.PrivacyLedger(EPSILON, delta=DELTA).rho
    return least_rho(*(count >= 30 for count in counts)), rho


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("method", [MSTSynthesizer, AIMSynthesizer])
def test_released_rows_give_away_no_more_than_rho(method, monkeypatch):
    bound, rho = audit_rows(method, N_RELEASES[method], monkeypatch)
    assert bound <= rho


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("method", [MSTSynthesizer, AIMSynthesizer])
def test_released_rows_show_the_noise_of_another_rho(method, monkeypatch):
    multiply(monkeypatch, 100)
    bound, rho = audit_rows(method, N_RELEASES[method], monkeypatch)
    assert bound > rho
