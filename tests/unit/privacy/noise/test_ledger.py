"""What the ledger adds up, refuses, and tells; the noise itself is in statistical/.

Tests hold whatever noise is drawn, or state their chance.
"""

import json
import pickle

import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise import ledger as module
from coclust_synth.privacy.noise.ledger import PrivacyLedger

ZEROS = np.zeros(4, dtype=np.int64)


@pytest.fixture
def no_noise(monkeypatch):
    """Any draw fails the test."""

    def drawn(*args, **kwargs):
        raise AssertionError("noise was drawn")

    for name in ("discrete_laplace", "noisy_max", "passing_empty_cells"):
        monkeypatch.setattr(module, name, drawn)


@pytest.mark.noise
def test_costs_add_up_to_the_total_exactly():
    ledger = PrivacyLedger(1.0)
    for _ in range(10):
        ledger.noisy_counts(ZEROS, cost=0.1, what="tenth")
    assert ledger.spent == 1.0 and ledger.remaining == 0.0
    with pytest.raises(ParameterError, match="what remains"):
        ledger.noisy_counts(ZEROS, cost=1e-9, what="more")
    assert len(ledger.entries) == 10


def test_what_rounding_allows_is_allowed_once(no_noise, monkeypatch):
    """1e-12 of the total, all costs together; small ones do not slip by."""
    monkeypatch.setattr(module, "discrete_laplace", lambda values, **_: (values, 1.0))
    ledger = PrivacyLedger(10_000.0)
    ledger.noisy_counts(ZEROS, cost=10_000, what="all")
    with pytest.raises(ParameterError, match="what remains"):
        for _ in range(100):
            ledger.noisy_counts(ZEROS, cost=1e-9, what="crumbs")
    assert ledger.spent <= 10_000 * (1 + 1e-12)


@pytest.mark.noise
def test_shares_of_what_remains_end_at_the_total():
    ledger = PrivacyLedger(0.7)
    for left in (3, 2, 1):
        ledger.noisy_counts(ZEROS, cost=ledger.remaining / left, what="third")
    assert ledger.spent == 0.7


@pytest.mark.noise
@pytest.mark.parametrize(
    "neighbours, rows, factor",
    [("add-remove", 1, 1), ("add-remove", 5, 5), ("replace", 1, 2), ("replace", 5, 10)],
)
def test_sensitivity_counts_all_rows_of_a_person(neighbours, rows, factor):
    ledger = PrivacyLedger(4, neighbours=neighbours, rows_per_person=rows)
    ledger.noisy_counts(ZEROS, cost=0.5, what="counts", l1_sensitivity=3)
    ledger.exponential([1, 2], cost=0.25, sensitivity=3, what="choice")
    ledger.noisy_sparse_counts(
        [3], [7], 10**9, cost=2, what="sparse", threshold=10**6, l1_sensitivity=3
    )
    counts, choice, sparse = ledger.entries
    for entry in ledger.entries:
        assert entry.sensitivity == ledger.sensitivity(3) == 3 * factor
    assert counts.scale == 3 * factor / 0.5
    assert choice.scale == 2 * 3 * factor / 0.25
    assert sparse.scale == 3 * factor / 2
    assert [e.n_values for e in ledger.entries] == [4, 2, 10**9]
    assert ledger.spent == 2.75 and ledger.remaining == 1.25


REFUSED = [
    ("what remains", lambda lg: lg.noisy_counts(ZEROS, cost=2, what="x")),
    ("epsilon", lambda lg: lg.noisy_counts(ZEROS, cost=0, what="x")),
    ("epsilon", lambda lg: lg.noisy_counts(ZEROS, cost=float("nan"), what="x")),
    ("epsilon", lambda lg: lg.noisy_counts(ZEROS, cost=True, what="x")),
    ("`what`", lambda lg: lg.noisy_counts(ZEROS, cost=0.1, what="")),
    ("astype", lambda lg: lg.noisy_counts([1.0, 2.0], cost=0.1, what="x")),
    (
        "sensitivity",
        lambda lg: lg.noisy_counts(ZEROS, cost=0.1, what="x", l1_sensitivity=0.5),
    ),
    (
        "floor real scores|astype",
        lambda lg: lg.exponential([0.5], cost=0.1, sensitivity=1, what="x"),
    ),
    ("at least one", lambda lg: lg.exponential([], cost=0.1, sensitivity=1, what="x")),
    (
        "at least one part",
        lambda lg: lg.exponential_of_parts([], cost=0.1, sensitivity=1, what="x"),
    ),
    (
        "at least one",
        lambda lg: lg.exponential_of_parts([[1], []], cost=0.1, sensitivity=1, what=""),
    ),
    ("what remains", lambda lg: sparse(lg, epsilon=1.5)),
    ("threshold", lambda lg: sparse(lg, threshold=0)),
    ("n_cells", lambda lg: sparse(lg, n_cells=2**63)),
    ("twice", lambda lg: sparse(lg, index=[5, 5])),
    ("outside", lambda lg: sparse(lg, index=[5, 100])),
    ("outside", lambda lg: sparse(lg, index=[-1, 5])),
    ("same number", lambda lg: sparse(lg, index=[5])),
]


def sparse(ledger, *, index=(1, 2), n_cells=100, epsilon=0.1, threshold=3):
    return ledger.noisy_sparse_counts(
        np.array(index), [4, 4], n_cells, cost=epsilon, what="x", threshold=threshold
    )


@pytest.mark.parametrize("match, spend", REFUSED)
def test_refusals_come_before_any_noise(no_noise, match, spend):
    ledger = PrivacyLedger(1.0)
    with pytest.raises(ParameterError, match=match) as refused:
        spend(ledger)
    assert ledger.entries == () and ledger.remaining == 1.0
    assert "Expected" in str(refused.value) and "Received" in str(refused.value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": float("inf")},
        {"epsilon": "1"},
        {"epsilon": 1, "neighbours": "bounded"},
        {"epsilon": 1, "rows_per_person": 0},
        {"epsilon": 1, "rows_per_person": 2**29 + 1},
    ],
)
def test_ledgers_that_mean_nothing_are_refused(arguments):
    with pytest.raises(ParameterError, match="Expected"):
        PrivacyLedger(**arguments)


@pytest.mark.noise
def test_the_most_that_a_person_changes_is_drawn_for():
    most = {"neighbours": "replace", "rows_per_person": 2**29}
    ledger = PrivacyLedger(1.0, **most)
    ledger.noisy_counts(ZEROS, cost=0.5, what="counts", l1_sensitivity=2**31)
    chosen = ledger.exponential([0, 1], cost=0.5, what="choice", sensitivity=2**31)
    assert chosen in (0, 1) and ledger.remaining == 0


def test_an_interrupted_draw_is_paid_for(monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "discrete_laplace", interrupted)
    ledger = PrivacyLedger(1.0)
    with pytest.raises(KeyboardInterrupt):
        ledger.noisy_counts(ZEROS, cost=0.4, what="counts")
    assert ledger.spent == 0.4


@pytest.mark.noise
def test_shapes_and_types_are_kept():
    ledger = PrivacyLedger(3.0)
    counts = np.arange(6, dtype=np.int16).reshape(2, 3)
    noisy = ledger.noisy_counts(counts, cost=1, what="counts")
    assert noisy.shape == (2, 3) and noisy.dtype == np.int64
    empty = ledger.noisy_counts([], cost=1, what="nothing")
    assert empty.shape == (0,) and empty.dtype == np.int64
    index, values = ledger.noisy_sparse_counts(
        [], [], 10, cost=1, what="empty", threshold=10**6
    )
    assert len(index) == len(values) == 0
    assert index.dtype == values.dtype == np.int64


@pytest.mark.noise
def test_with_hardly_any_noise_counts_come_back():
    """At epsilon = 200 one of these draws differs from 0 once in e^190 times."""
    ledger = PrivacyLedger(10_000)
    counts = np.array([5, 0, 12, -3, 2**40])
    noisy = ledger.noisy_counts(counts, cost=200, what="counts")
    assert (noisy == counts).all()
    assert ledger.exponential([3, 9, 4], cost=900, sensitivity=1, what="max") == 1
    parts = [[3, 9, 4], [2], [7, 1]]
    chosen = ledger.exponential_of_parts(parts, cost=900, sensitivity=1, what="max")
    entry = ledger.entries[-1]
    assert chosen == [1, 0, 0] and (entry.n_values, entry.epsilon) == (6, 900)
    index, values = ledger.noisy_sparse_counts(
        [70, 2, 30], [4, 9, 1], 10**12, cost=200, what="sparse", threshold=2
    )
    assert index.tolist() == [2, 70] and values.tolist() == [9, 4]


@pytest.mark.noise
def test_a_pickled_ledger_holds_no_data():
    pickles = []
    for counts in ([1, 2, 3], [700, 800, 900]):
        ledger = PrivacyLedger(1.0)
        ledger.noisy_counts(counts, cost=0.5, what="counts")
        ledger.exponential(counts, cost=0.25, sensitivity=1, what="choice")
        pickles.append(pickle.dumps(ledger))
    assert pickles[0] == pickles[1]
    again = pickle.loads(pickles[0])
    assert again.remaining == 0.25 and again.entries == ledger.entries


@pytest.mark.noise
def test_the_table_and_the_manifest_say_what_was_spent():
    ledger = PrivacyLedger(1.0, neighbours="replace")
    ledger.noisy_counts(ZEROS, cost=0.25, what="counts of sex")
    content = json.loads(json.dumps(ledger.to_dict()))
    assert content["epsilon"] == 1.0 and content["delta"] == 0.0
    assert content["neighbours"] == "replace" and content["spent"] == 0.25
    assert content["entries"] == [
        {
            "what": "counts of sex",
            "mechanism": "discrete Laplace",
            "sensitivity": 2,
            "epsilon": 0.25,
            "scale": 8.0,
            "n_values": 4,
        }
    ]
    text = str(ledger)
    assert "counts of sex" in text and "0.25 spent, 0.75 left" in text
    assert "replace" in text and "parallel" not in text


@pytest.mark.noise
@pytest.mark.parametrize("delta", [None, 1e-9])
def test_noise_is_as_wide_as_the_ledger_says(delta):
    """Half of it has a quarter of the variance, which chance moves by 6 %.

    By 50 %, eight deviations, in less than one of a million runs.
    """
    n, ledger = 1_500, PrivacyLedger(1.0, delta=delta)
    zeros, cells, many = np.zeros(n, int), np.arange(n), np.full(n, 10**6)
    noise = [ledger.noisy_counts(zeros, cost=ledger.total / 2, what="dense")]
    if delta is None:
        what = {"cost": ledger.remaining, "what": "sparse", "threshold": 1}
        _, counts = ledger.noisy_sparse_counts(cells, many, n, **what)
        noise.append(counts - many)
    for own, entry in zip(noise, ledger.entries, strict=True):
        assert own.var() == pytest.approx(entry.variance, rel=0.5)
