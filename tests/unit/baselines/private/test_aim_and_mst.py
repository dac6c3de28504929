"""AIM and MST: what they choose, what queries cost, what comes back without noise."""

import math
import tracemalloc
from inspect import signature
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from support.private_noise import forbid_noise, silence_concentrated

from coclust_synth.baselines.private import aim, mst
from coclust_synth.baselines.private.aim import AIMSynthesizer
from coclust_synth.baselines.private.mst import MSTSynthesizer
from coclust_synth.baselines.private.noisy_margins import NoisyMargins
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.privacy.noise.scores import rows_apart
from coclust_synth.tables.domain.domain import Domain

NAMES = list("abcde")
DOMAIN = Domain.from_dict({name: ["0", "1", "2", "3"] for name in NAMES})
BOTH = [MSTSynthesizer, AIMSynthesizer]


def chain(n=4000, seed=0):
    """Each column hangs on the one before it, but for e: the sum of a and c."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n, 5), dtype=np.int64)
    codes[:, 0] = rng.integers(0, 4, n)
    for j in (1, 2, 3):
        same = rng.random(n) < 0.8
        codes[:, j] = np.where(same, codes[:, j - 1], rng.integers(0, 4, n))
    codes[:, 2] = rng.integers(0, 4, n)
    codes[:, 4] = (codes[:, 0] + codes[:, 2]) % 4
    return pd.DataFrame(codes, columns=NAMES).astype(str)


def joint(frame, names):
    domain = DOMAIN.select(names)
    cells = domain.to_cells(domain.encode(frame))
    return np.bincount(cells, minlength=domain.n_cells) / len(frame)


def variation(frame, other, names):
    return np.abs(joint(frame, names) - joint(other, names)).sum() / 2


# the score


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20), st.data())
def test_a_row_more_changes_the_score_by_one_at_most(counts, data):
    counts = np.array(counts)
    expected = np.array(
        data.draw(
            st.lists(st.floats(0, 60), min_size=len(counts), max_size=len(counts))
        )
    )
    apart = rows_apart(counts, expected)
    assert abs(apart - np.abs(counts - expected).sum()) <= 1 + len(counts) / 32
    one_more = counts.copy()
    one_more[data.draw(st.integers(0, len(counts) - 1))] += 1
    assert abs(rows_apart(one_more, expected) - apart) <= 1


@pytest.mark.parametrize("huge", [1e17, 1e18, 1e300])
def test_expected_counts_that_fit_no_number_leave_the_sensitivity_as_it_is(huge):
    """As noise of a cost near nothing makes them: sums of 64 bits must not wrap."""
    for counts in ([3, 4], [0, 0, 0, 0], [7] * 100):
        counts = np.array(counts)
        expected = np.full(len(counts), huge)
        apart = rows_apart(counts, expected)
        counts[-1] += 1
        assert apart > 0 and abs(rows_apart(counts, expected) - apart) == 1


@pytest.mark.parametrize("method", [AIMSynthesizer, MSTSynthesizer])
def test_a_delta_is_to_be_given(method):
    delta = signature(method).parameters["delta"]
    assert delta.default is delta.empty


def test_expected_counts_of_any_margin_are_those_of_the_model():
    """Of a chain of pairs, against the joint distribution of all columns."""
    frame = chain(300)
    codes = DOMAIN.encode(frame).astype(np.int64)
    margins = NoisyMargins(codes, DOMAIN.sizes, NAMES, None)
    for pair in ((0, 1), (1, 3), (2, 4), (0, 4)):
        shape = [DOMAIN.sizes[j] for j in pair]
        cells = np.ravel_multi_index(codes[:, pair].T, shape)
        margins.add(pair, np.bincount(cells, minlength=16), 1.0)
    margins.fit(100)
    tree, beliefs = margins.tree, margins.model().beliefs
    whole = np.ones([4] * 5)
    for i, clique in enumerate(tree.cliques):
        belief = beliefs[i]
        shared = [k for k, v in enumerate(clique) if v not in tree.separators[i]]
        given = belief.sum(axis=tuple(shared), keepdims=True)
        along = [4 if v in clique else 1 for v in range(5)]
        whole = whole * (belief / (given if i else 1.0)).reshape(along)
    n = margins.expected((0,)).sum()
    for order in (1, 2, 3):
        for columns in combinations(range(5), order):
            others = tuple(j for j in range(5) if j not in columns)
            expected = n * whole.sum(axis=others).ravel()
            np.testing.assert_allclose(margins.expected(columns), expected, atol=1e-8)


def test_margins_of_many_cells_are_not_all_kept():
    """Fifteen pairs of 2 MB each, of which a model compares one at a time."""
    sizes = (512,) * 6
    codes = np.random.default_rng(0).integers(0, 512, (100, 6))
    margins = NoisyMargins(codes, sizes, "abcdef", None)
    for j in range(6):
        margins.add((j,), np.bincount(codes[:, j], minlength=512), 1.0)
    margins.fit(2)
    tracemalloc.start()
    for pair in combinations(range(6), 2):
        assert margins.rows_apart(pair) > 0
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 8e6


# the ledger


@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_whole_budget_is_spent_and_no_more(method, epsilon, short):
    ledger = method(epsilon, DOMAIN, delta=1e-9).fit(chain()).ledger_
    assert ledger.rho == rho_of(epsilon, 1e-9)
    assert math.fsum(e.rho for e in ledger.entries) == pytest.approx(
        ledger.rho, rel=1e-12
    )
    assert ledger.remaining == 0.0
    assert {e.mechanism for e in ledger.entries} == {
        "discrete Gaussian",
        "noisy max, Gumbel noise",
    }


@pytest.mark.noise
def test_mst_spends_a_third_on_each_step():
    generator = MSTSynthesizer(1.0, DOMAIN, delta=1e-9).fit(chain())
    rho, entries = generator.ledger_.rho, generator.ledger_.entries
    assert [e.what for e in entries] == [
        *(f"values of {name}" for name in NAMES),
        *(f"pair {i} of the tree" for i in (1, 2, 3, 4)),
        *(f"counts of {' × '.join(sorted(pair))}" for pair in generator.tree_),
    ]
    costs = [rho / 15] * 5 + [rho / 12] * 8
    assert [e.rho for e in entries] == pytest.approx(costs, rel=1e-9)
    for entry in entries:
        assert entry.sensitivity == 1
        assert entry.scale == pytest.approx(1 / math.sqrt(2 * entry.rho))
    assert [e.n_values for e in entries[5:9]] == sorted(
        (e.n_values for e in entries[5:9]), reverse=True
    )


@pytest.mark.noise
def test_rounds_of_aim_cost_the_same_or_four_times_as_much(short):
    generator = AIMSynthesizer(1.0, DOMAIN, delta=1e-9).fit(chain())
    rho, entries = generator.ledger_.rho, generator.ledger_.entries
    first = 0.9 * rho / (2 * 5)  # of 2 d rounds, see `short`
    assert [e.what for e in entries[:5]] == [f"counts of {name}" for name in NAMES]
    assert [e.rho for e in entries[:5]] == pytest.approx([first] * 5)
    choices, counts = entries[5::2], entries[6::2]
    assert len(choices) == len(counts) == len(generator.margins_)
    for k, (choice, count) in enumerate(zip(choices, counts, strict=True)):
        assert choice.what == f"choice of margin {k + 1}" and choice.sensitivity == 3
        assert count.what == "counts of " + " × ".join(generator.margins_[k])
        assert choice.rho == pytest.approx(count.rho / 9)
    ratios = [b.rho / a.rho for a, b in pairwise(counts[:-1])]
    assert all(
        ratio == pytest.approx(1) or ratio == pytest.approx(4) for ratio in ratios
    )


def test_a_round_that_learns_nothing_is_followed_by_larger_ones(short, monkeypatch):
    """Independent columns that are counted exactly: every round learns nothing."""
    silence_concentrated(monkeypatch)
    cells = np.array(list(np.ndindex(4, 4, 4, 4, 4)))
    frame = pd.DataFrame(np.repeat(cells, 3, axis=0), columns=NAMES).astype(str)
    monkeypatch.setattr(aim, "_ROUNDS", 16)
    ledger = AIMSynthesizer(1.0, DOMAIN, delta=1e-9).fit(frame).ledger_
    counts = [e.rho for e in ledger.entries[6::2]]
    first = 0.9 * ledger.rho / 80
    # Columns cost .9 of a part each. What 4.5 + 1 + 4 + 16 of 80 leave is less than two
    # rounds of 64: one round gets it.
    assert counts == pytest.approx([first, 4 * first, 16 * first, 54.5 * first])


@pytest.mark.noise
@pytest.mark.parametrize("method", BOTH)
def test_neighbours_and_rows_per_person_reach_the_ledger(method, short):
    options = {"neighbours": "replace", "rows_per_person": 3, "delta": 1e-9}
    ledger = method(1.0, DOMAIN, **options).fit(chain()).ledger_
    for entry in ledger.entries:
        weight = 3 if method is AIMSynthesizer and "max" in entry.mechanism else 1
        assert entry.sensitivity == 6 * weight


@pytest.mark.noise
@pytest.mark.parametrize("method", BOTH)
def test_one_column_gets_all_of_it(method):
    generator = method(1.0, DOMAIN.select(["a"]), delta=1e-9).fit(chain())
    assert [e.rho for e in generator.ledger_.entries] == [rho_of(1.0, 1e-9)]
    assert len(generator.sample(11)) == 11


# what is learnt


def test_the_tree_joins_what_hangs_together(monkeypatch):
    silence_concentrated(monkeypatch)
    frame = chain().drop(columns=["c", "e"])
    frame["d"] = chain(seed=1)["b"].where(chain(seed=2)["a"] < "2", frame["b"])
    generator = MSTSynthesizer(1.0, DOMAIN.select(["a", "b", "d"]), delta=1e-9).fit(
        frame
    )
    assert generator.tree_ == [("a", "b"), ("b", "d")]
    sample = generator.sample(random_state=0)
    assert generator.n_rows_ == len(frame)
    for pair in (["a", "b"], ["b", "d"]):
        assert variation(sample, frame, pair) < 0.01


@pytest.mark.noise
def test_pairs_that_hang_together_are_chosen_under_noise():
    """Scores of 9,000 rows and of some hundreds, noise of a scale of 20: e^-200."""
    generator = MSTSynthesizer(1.0, DOMAIN, delta=1e-9).fit(chain(8000))
    assert ("a", "b") in generator.tree_


def test_merged_values_are_drawn_by_what_was_counted(monkeypatch):
    """Values of few rows: none of them a cell of the pairs, all of them drawn."""
    silence_concentrated(monkeypatch)
    sizes = [600, 300, 12, 6, 0]
    domain = Domain.from_dict({"a": list("vwxyz"), "b": ["0", "1"]})
    frame = pd.DataFrame({"a": np.repeat(list("vwxyz"), sizes)})
    frame["b"] = np.arange(len(frame)) % 2
    generator = MSTSynthesizer(0.5, domain, delta=1e-9).fit(frame.astype(str))
    (pair,) = (e for e in generator.ledger_.entries if "×" in e.what)
    assert pair.n_values == 3 * 2
    found = generator.sample(random_state=0)["a"].value_counts()
    for value, size in zip("vwxyz", sizes, strict=True):
        assert abs(found.get(value, 0) - size) <= 2


def test_aim_finds_what_no_pair_tells(short, monkeypatch):
    """e is told by a and c together, by none of them alone."""
    silence_concentrated(monkeypatch)
    frame = chain()
    generator = AIMSynthesizer(1.0, DOMAIN, delta=1e-9).fit(frame)
    assert ("a", "c", "e") in generator.margins_[:3]
    sample = generator.sample(random_state=0)
    assert variation(sample, frame, ["a", "c", "e"]) < 0.03  # .75 of its columns
    assert variation(sample, frame, ["a", "b"]) < 0.02


@pytest.mark.parametrize("max_cells, largest", [(20, 1), (500, 3)])
def test_the_model_has_no_more_cells_than_allowed(
    max_cells, largest, short, monkeypatch
):
    silence_concentrated(monkeypatch)
    generator = AIMSynthesizer(1.0, DOMAIN, delta=1e-9, max_cells=max_cells).fit(
        chain()
    )
    assert generator.model_.tree.n_cells <= max_cells
    assert max(len(columns) for columns in generator.margins_) == largest


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.slow
@pytest.mark.noise
@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("n", [0, 1, 500])
def test_rows_are_of_the_domain_and_as_many_as_asked(method, n, short):
    generator = method(1.0, DOMAIN, delta=1e-9).fit(chain(500)[:n])
    sample = generator.sample(random_state=0)
    assert len(sample) == generator.n_rows_
    assert list(sample.columns) == NAMES
    DOMAIN.encode(sample)
    assert sample.equals(generator.sample(random_state=0))
    assert len(generator.sample(7)) == 7 and len(generator.sample(0)) == 0


@pytest.fixture
def short(monkeypatch):
    """Few rounds, and few evaluations of the model in each."""
    monkeypatch.setattr(aim, "_ROUNDS", 2)
    monkeypatch.setattr(aim, "_LAST_FIT", 50)


# what is refused


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize(
    "options, match",
    [
        ({"delta": None}, "Expected a delta for (AIM|MST)Synthesizer.*Received none"),
        ({"delta": 0}, "Expected delta"),
        ({"delta": 1e-5}, "at most 1e-06, or a confirmation"),
        ({"delta": 1e-300, "epsilon": 1e-4}, "a rho of at least"),
        ({"epsilon": 0}, "epsilon"),
        ({"domain": 5}, "Expected a domain"),
        ({"rows_per_person": 0}, "rows_per_person"),
    ],
)
def test_wrong_parameters_are_refused(method, options, match, monkeypatch):
    forbid_noise(monkeypatch)
    generator = method(**{"epsilon": 1.0, "domain": DOMAIN, "delta": 1e-9} | options)
    with pytest.raises(ParameterError, match=match):
        generator.fit(chain(10))
    assert not hasattr(generator, "ledger_")


def test_models_and_pairs_that_are_too_large_are_refused(monkeypatch):
    forbid_noise(monkeypatch)
    with pytest.raises(ParameterError, match="max_cells"):
        AIMSynthesizer(1.0, DOMAIN, delta=1e-9, max_cells=19).fit(chain(10))
    wide = {n: {"low": 1, "high": 10_000, "bins": 10_000} for n in "ab"}
    with pytest.raises(ParameterError, match="100,000,000"):
        MSTSynthesizer(1.0, wide, delta=1e-9).fit(pd.DataFrame({"a": [1], "b": [1]}))


@pytest.mark.parametrize("method", BOTH)
def test_estimators_can_be_cloned(method):
    generator = method(0.5, DOMAIN, delta=1e-9, rows_per_person=2)
    assert clone(generator).get_params() == generator.get_params()


def test_a_tree_takes_no_pair_twice():
    """Of the pairs that its edges join already none is a candidate."""
    margins = NoisyMargins(
        DOMAIN.encode(chain(50)).astype(np.int64),
        DOMAIN.sizes,
        NAMES,
        PrivacyLedger(5.0, delta=1e-9),
    )
    for j in range(5):
        margins.measure((j,), 0.01)
    margins.fit(5)
    edges = []

    def first(candidates, scores, **asked):
        joined = [{j} for j in range(5)]
        for edge in edges:
            both = [group for group in joined if group & {*edge}]
            joined = [g for g in joined if g not in both] + [set().union(*both)]
        apart = [
            p for p in combinations(range(5), 2) if not any({*p} <= g for g in joined)
        ]
        assert candidates == apart and len(scores) == len(apart)
        edges.append(candidates[-1])
        return candidates[-1]

    margins.choose = first
    assert len(mst._spanning_tree(margins, 5, 0.1)) == 4
