"""The adaptive variant: how columns are cut, what is measured, what choices cost."""

import math
from itertools import product
from math import prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit import least_epsilon
from support.private_noise import forbid_noise, silence_noise

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp.adaptive import adaptive, budget, candidates
from coclust_synth.generators.dp.adaptive.candidates import (
    Layout,
    count_cells,
    list_candidates,
    split_columns,
)
from coclust_synth.generators.dp.adaptive.columns import split_column
from coclust_synth.generators.dp.adaptive.known import APART, measure_dependence
from coclust_synth.generators.dp.adaptive.smooth import smooth_counts
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.generators.dp.workload import as_workload
from coclust_synth.generators.log_linear.junction_tree import JunctionTree
from coclust_synth.generators.log_linear.margins import TreeMargins
from coclust_synth.privacy.noise import ledger as ledger_module
from coclust_synth.privacy.noise.concentrated import rho_of
from coclust_synth.tables.domain.domain import Domain
from coclust_synth.tables.domain.rows import DomainRows

DOMAIN = Domain.from_dict(
    {
        "age": {"low": 0, "high": 99, "bins": 20},
        "pay": {"low": 0, "high": 99, "bins": 20},
        "job": [f"job {i}" for i in range(12)],
        "sex": ["F", "M"],
    }
)


def people(n=10_000, seed=0):
    """Pay goes with age and job, sex with nothing."""
    rng = np.random.default_rng(seed)
    age, job = rng.integers(0, 100, n), rng.integers(0, 12, n)
    pay = np.clip(age // 2 + 4 * job + rng.integers(-5, 6, n), 0, 99)
    return pd.DataFrame(
        {
            "age": age,
            "pay": pay,
            "job": [f"job {i}" for i in job],
            "sex": np.array(["F", "M"])[rng.integers(0, 2, n)],
        }
    )


# columns and candidates

counts_of_a_column = st.lists(
    st.one_of(st.just(0.0), st.floats(0, 1000)), min_size=1, max_size=30
).map(np.array)


@given(counts_of_a_column, st.booleans(), st.floats(0, 500), st.integers(2, 7))
def test_columns_are_split(counts, is_numeric, least, n_parts):
    column = split_column(counts, is_numeric, least, n_parts)
    totals = np.bincount(column.gathered, counts)
    assert len(totals) == column.n_values  # no gathered value without a value
    np.testing.assert_allclose(np.bincount(column.gathered, column.shares), 1.0)
    if is_numeric:
        assert set(np.diff(column.gathered)) <= {0, 1}
        assert set(np.diff(column.part)) <= {0, 1}
    assert (totals < least).sum() <= 1  # what is rare is gathered
    assert column.n_parts <= n_parts + 1
    assert set(column.part) == set(range(column.n_parts))
    cells = list(zip(column.part, column.rank, strict=True))
    assert len(set(cells)) == column.n_values
    for part, rank in product(range(column.n_parts), range(column.n_ranks)):
        value = column.values[part, rank]
        assert ((part, rank) in cells) == (value >= 0)
        assert value < 0 or cells[value] == (part, rank)


def test_rare_categories_are_gathered_in_runs_of_enough_rows():
    counts = np.array([900.0, 60, 50, 10, 800, 70, 40, 30])
    column = split_column(counts, False, 100.0, 4)
    assert column.gathered.tolist() == [0, 2, 2, 3, 1, 3, 3, 3]
    even = split_column(np.full(10, 100.0), False, 250.0, 4)
    assert even.gathered.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


@given(counts_of_a_column, st.booleans(), st.integers(0, 2**32 - 1))
def test_values_are_drawn_by_their_shares(counts, is_numeric, seed):
    column = split_column(counts, is_numeric, 100.0, 4)
    rng = np.random.default_rng(seed)
    gathered = rng.integers(0, column.n_values, 500)
    drawn = column.draw(gathered, rng)
    assert (column.gathered[drawn] == gathered).all()
    expected = (
        column.shares
        * np.bincount(gathered, minlength=column.n_values)[column.gathered]
    )
    found = np.bincount(drawn, minlength=len(counts))
    assert np.abs(found - expected).max() < 1 + 1e-6


@pytest.fixture(scope="module")
def layout():
    rng = np.random.default_rng(1)
    return Layout(
        [
            split_column(rng.random(size) * 100, is_numeric, 10.0, 3)
            for size, is_numeric in ((9, True), (8, False), (2, False), (5, True))
        ]
    )


def test_candidates_are_different_and_small(layout):
    found = list_candidates(layout, 40, 30)
    assert len(found) == len(set(found))
    for candidate in found:
        order = len(candidate.columns)
        assert prod(layout.shape(candidate)) <= (40 if order == 2 else 30)
        assert sum(candidate.by_value) <= (2 if order == 2 else 1)
    assert {len(candidate.columns) for candidate in found} == {2, 3}
    for j, by_value in ((0, True), (0, False), (2, False)):
        assert any((j, by_value) in zip(*c, strict=True) for c in found)
    # The values of sex are its parts.
    assert not any((2, True) in zip(*c, strict=True) for c in found)


def of_sizes(*sizes):
    counts = [np.ones(size) for size in sizes]
    return split_columns(counts, [False] * len(sizes), [0.0] * len(sizes), 216)


@pytest.mark.slow
def test_fours_and_fives_are_of_few_cells_and_not_too_many():
    found = list_candidates(of_sizes(2, 2, 2, 2, 2, 3, 3), 2_500, 216)
    assert {c.columns for c in found if len(c.columns) == 5} == {(0, 1, 2, 3, 4)}
    fours = {c.columns for c in found if len(c.columns) == 4}
    assert (0, 1, 2, 5) in fours and (0, 1, 5, 6) not in fours
    orders = [
        max(len(c.columns) for c in list_candidates(of_sizes(*[2] * d), 2_500, 216))
        for d in (20, 21, 28)
    ]
    assert orders == [5, 4, 3]


def test_columns_of_one_value_or_part_are_in_no_candidate():
    """The second is one part, the third one value."""
    skewed = np.array([960.0, 10, 10, 10, 10])
    columns = [
        split_column(np.full(3, 100.0), False, 0.0, 3),
        split_column(skewed, True, 5.0, 1),
        split_column(np.array([1.0, 2.0, 1.0]), False, 50.0, 3),
        split_column(np.full(4, 100.0), False, 0.0, 4),
    ]
    assert [(c.n_values, c.n_parts) for c in columns] == [
        (3, 3),
        (5, 1),
        (1, 1),
        (4, 4),
    ]
    found = {
        tuple(zip(*c, strict=True)) for c in list_candidates(Layout(columns), 99, 99)
    }
    alone, rare = (1, True), ((0, False), (3, False))
    assert found == {
        rare,
        (rare[0], alone),
        (alone, rare[1]),
        (rare[0], alone, rare[1]),
    }


def test_a_candidate_is_counted_expected_and_labelled_alike(layout):
    """Of rows, of the model that has their distribution, and cell by cell."""
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.integers(0, c.n_values, 300) for c in layout.columns])
    parts = np.column_stack(
        [c.part[values[:, j]] for j, c in enumerate(layout.columns)]
    )
    ranks = [c.rank[values[:, j]] for j, c in enumerate(layout.columns)]
    ranked = [r for r, c in zip(ranks, layout.columns, strict=True) if c.n_ranks > 1]
    codes = np.column_stack([parts, *ranked])
    assert (layout.gathered(codes) == values).all()
    assert len(layout.supports()) == len(layout.sizes) - 4
    tree = JunctionTree(layout.sizes, [tuple(range(len(layout.sizes)))])
    cells = np.ravel_multi_index(codes.T, layout.sizes)
    joint = np.bincount(cells, minlength=tree.n_cells) / 300
    beliefs = [joint.reshape(layout.sizes)]
    margins = TreeMargins(tree, beliefs)
    for candidate in list_candidates(layout, 2500, 216):
        shape = layout.shape(candidate)
        seen = [
            (values if by_value else parts)[:, j]
            for j, by_value in zip(*candidate, strict=True)
        ]
        expected = np.bincount(np.ravel_multi_index(seen, shape), minlength=prod(shape))
        counts = count_cells(candidate, values, parts, shape)
        assert counts.tolist() == expected.tolist()
        found = 300 * layout.expected(candidate, margins)
        np.testing.assert_allclose(found, expected, atol=1e-9)
        of_variables = tree.sums(beliefs, 0, layout.variables(candidate)).ravel()
        labels = layout.labels(candidate)
        labelled = 300 * np.bincount(labels, of_variables, prod(shape))
        np.testing.assert_allclose(labelled, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("delta", "expected"),
    [(None, [216, 800, 1_000, 216]), (1e-9, [216, 400, 500, 216])],
)
def test_triples_are_finer_where_the_noise_bears_it(delta, expected):
    """Of as many cells as .4 of the rows over the noise, from 216 to 1,000; with a
    delta as a fifth, to 500."""
    ledger = ledger_module.PrivacyLedger(1.0, delta=delta)
    noises = 100, 5, 1, np.inf
    cells = [budget.cells_of_triples(10_000, noise, ledger) for noise in noises]
    assert cells == expected


def test_a_column_has_as_many_parts_as_triples_bear():
    counts = [np.ones(20)]
    parts = [
        split_columns(counts, [True], [0.0], n).columns[0].n_parts
        for n in (216, 342, 343, 500, 1_000)
    ]
    assert parts == [6, 6, 7, 7, 10]


# columns of few values


@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_columns_of_few_values_are_counted_together(monkeypatch):
    """And what they have to do with each other is kept, where nothing else is."""
    silence_noise(monkeypatch)
    domain = {"age": {"low": 0, "high": 99, "bins": 20}, "sex": ["F", "M"]}
    domain["smokes"] = ["no", "yes"]
    frame = people(2_000).assign(
        smokes=lambda t: np.where(t["sex"] == "M", "yes", "no")
    )
    frame = frame[list(domain)]
    frame.loc[:20, "smokes"] = "yes"  # few, and not gathered
    generator = DPCocGen(0.01, domain, variant="adaptive").fit(frame)
    asked = [(entry.what, entry.n_values) for entry in generator.ledger_.entries[1:]]
    assert asked == [("values of sex × smokes", 4), ("values of age", 20)]
    drawn = generator.sample()
    found, expected = ((t["sex"] + t["smokes"]).value_counts() for t in (drawn, frame))
    assert (found - expected).abs().max() <= 20
    found, expected = (np.bincount(t["age"] // 5, minlength=20) for t in (drawn, frame))
    variance = generator.ledger_.entries[2].variance
    assert np.abs(found - smooth_counts(expected.astype(float), variance)).max() <= 20


# the ledger


@pytest.mark.noise
def test_what_is_measured():
    generator = DPCocGen(1.0, DOMAIN, variant="adaptive").fit(people())
    rows, dependence, *entries = generator.ledger_.entries
    assert (rows.what, rows.epsilon, rows.n_values) == ("rows", 0.01, 1)
    assert dependence.what == "mean dependence of two columns"
    assert (dependence.sensitivity, dependence.n_values) == (2, 1)
    # Noise of 5 % of the rows, of which about 10,000 were told.
    assert dependence.epsilon == pytest.approx(0.004, rel=0.2)
    assert [e.what for e in entries[:4]] == [f"values of {n}" for n in DOMAIN.names]
    shares = np.array([e.epsilon for e in entries[:4]])
    roots = np.sqrt(DOMAIN.sizes)  # of the sizes, for Laplace noise
    assert shares == pytest.approx(shares.sum() * roots / roots.sum())
    chosen = generator.model_.chosen
    choices = [e for e in entries[4:] if "max" in e.mechanism]
    counts = [e for e in entries[4:] if "max" not in e.mechanism]
    assert len(choices) == len(counts) == len(chosen) > 3
    assert all(e.what.startswith("choice of margin") for e in choices)
    for entry, candidate in zip(counts, chosen, strict=True):
        assert entry.n_values == prod(generator.model_.layout.shape(candidate))
        names = [
            DOMAIN.names[j] if by_value else f"parts of {DOMAIN.names[j]}"
            for j, by_value in zip(*candidate, strict=True)
        ]
        assert entry.what == "counts of " + " × ".join(names)
    per_round = 0.99 - dependence.epsilon - shares.sum()
    share = choices[0].epsilon / (choices[0].epsilon + counts[0].epsilon)
    assert sum(e.epsilon for e in choices) == pytest.approx(share * per_round)
    assert sum(e.epsilon for e in counts) == pytest.approx((1 - share) * per_round)
    # By the noisy number of rows, which is within some dozens of 10,000.
    asked = people().shape[0], generator.ledger_, per_round, len(chosen)
    assert share == pytest.approx(budget.choice_share(*asked), rel=0.05)


WIDE = Domain.from_dict(
    {
        "age": {"low": 0, "high": 199, "bins": 200},
        "pay": {"low": 0, "high": 199, "bins": 200},
        "job": [f"job {i}" for i in range(12)],
        "sex": ["F", "M"],
    }
)


@pytest.mark.noise
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
@pytest.mark.parametrize("n", [0, 5, 30])
def test_few_rows_are_drawn_from_the_margins_alone(n):
    """The noisy number of rows passes for enough with chance 3e-10.

    Of 414 values, 24,400 rows are enough; the noise is Laplace's, of scale 1,000.
    """
    least = budget.least_rows(WIDE.sizes, ledger_module.PrivacyLedger(0.1))
    assert 0.5 * np.exp((n - least) / 1000) < 3e-10
    generator = DPCocGen(0.1, WIDE, variant="adaptive").fit(people(n))
    assert generator.model_.chosen == []
    assert [e.what for e in generator.ledger_.entries] == [
        "rows",
        *(f"values of {name}" for name in WIDE.names),
    ]
    assert generator.ledger_.remaining == 0.0
    assert len(generator.sample(100)) == 100


@pytest.mark.parametrize("times", [1.001, 1.4, 1.8, 2.2])
def test_where_columns_are_far_off_little_is_left_to_as_few_rounds(times):
    """Columns are .056 off at the bar; a quarter is left where they are .03 off."""
    sizes, ledger = (10,) * 15, ledger_module.PrivacyLedger(1.0)
    n_rows = times * budget.least_rows(sizes, ledger)
    known = budget.Known(sizes, n_rows)
    left = 1 - budget.margin_costs(known, ledger, 1.0)[1].sum()
    assert left == pytest.approx(min(0.0075 * times / 0.056, 0.25))
    wanted = 0.009 * len(sizes) * np.sqrt(n_rows) * left / 0.25
    assert budget.count_rounds(known, ledger) == round(wanted)


@pytest.mark.parametrize(
    ("n_rows", "epsilon", "power", "factor"),
    [
        (5_000, 1.0, 1 / 3, 0.11),
        (40_000, 1.0, 2 / 3, 0.0095),
        (9_000, 3, 2 / 3, 0.0095),
    ],
)
def test_rounds_with_a_delta_grow_faster_where_noise_is_little(
    n_rows, epsilon, power, factor
):
    known = budget.Known((10,) * 10, n_rows)
    ledger = ledger_module.PrivacyLedger(epsilon, delta=1e-9)
    rows_per_noise = n_rows / ledger.count_noise(ledger.total)
    wanted = factor * 10 * rows_per_noise**power
    assert budget.count_rounds(known, ledger) == round(wanted) < 60
    assert budget.count_rounds(known._replace(n_rows=1e9), ledger) == 90


@pytest.mark.parametrize("delta", [None, 1e-9])
def test_with_a_delta_more_rounds_may_fill_more_cells(delta, monkeypatch):
    monkeypatch.setattr(adaptive, "_MAX_CELLS", 1)
    generator = DPCocGen(1.0, DOMAIN, variant="adaptive", delta=delta).fit(people())
    orders = {len(candidate.columns) for candidate in generator.model_.chosen}
    assert orders == {1} if delta is None else max(orders) > 1


def test_columns_that_tell_each_other_get_less_and_rounds_more():
    sizes, ledger = (10,) * 6, ledger_module.PrivacyLedger(0.3)
    weak, usual, strong, stronger = (
        budget.Known(sizes, 12_000, dependence) for dependence in (0, 0.15, 0.3, 0.6)
    )
    costs = [
        budget.margin_costs(known, ledger, 1.0)[1].sum()
        for known in (weak, usual, strong, stronger)
    ]
    assert costs[0] == costs[1] > costs[2] > costs[3]
    assert costs[2] / costs[0] == pytest.approx(2 ** (-2 / 3))
    assert costs[3] > 4 ** (-2 / 3) * costs[0]
    assert costs[3] == pytest.approx(0.2)
    rounds = [budget.count_rounds(known, ledger) for known in (weak, strong, stronger)]
    assert rounds == [3, 5, 6]
    few = weak._replace(n_rows=0.9 * budget.least_rows(sizes, ledger))
    assert budget.gets_columns_only(few, ledger)
    assert not budget.gets_columns_only(few._replace(dependence=0.3), ledger)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("delta", [None, 1e-9])
def test_dependence_is_asked_as_exactly_as_is_of_use(neighbours, delta):
    ledger = ledger_module.PrivacyLedger(1.0, delta=delta, neighbours=neighbours)
    change = ledger.sensitivity(2)
    # Noise of a tenth of the rows for a fiftieth of epsilon, or it is not asked.
    assert budget.dependence_epsilon(499 * change, ledger) == 0.0
    assert budget.dependence_epsilon(500 * change, ledger) == 0.02
    # Noise of a twentieth of the rows is enough.
    cost = budget.dependence_epsilon(50_000 * change, ledger)
    assert change / cost == pytest.approx(0.05 * 50_000 * change)
    assert budget.dependence_epsilon(1e15, ledger) == budget.LEAST_SHARE


# Two columns that say the same, and others that say nothing.
TWINS = Domain.from_dict({f"c{i}": [str(v) for v in range(6)] for i in range(4)})


def test_dependence_is_that_of_the_pairs_beyond_chance(monkeypatch, rng):
    silence_noise(monkeypatch)
    codes = rng.integers(0, 6, (20_000, 4))
    codes[:, 1] = codes[:, 0]
    rows, ledger = DomainRows.of(codes), ledger_module.PrivacyLedger(1.0)
    asked = as_workload(None, None, TWINS.names)
    known = measure_dependence(rows, budget.Known(TWINS.sizes, 20_000), ledger, asked)
    # One pair of six has 5/6 of its rows elsewhere than of independent columns; what is
    # taken away for chance is a little too much.
    (entry,) = ledger.entries
    most = 5 / 6 / 6 - entry.scale / 20_000
    assert most - 0.01 < known.dependence < most
    pair = as_workload([{"columns": ["c2", "c3"]}], None, TWINS.names)
    none = measure_dependence(rows, budget.Known(TWINS.sizes, 20_000), ledger, pair)
    assert none.dependence == 0.0 and len(ledger.entries) == 2


def test_dependence_is_not_asked_of_few_rows_or_large_pairs():
    ledger = ledger_module.PrivacyLedger(0.1)
    few = budget.Known(TWINS.sizes, 3.0)
    rows = DomainRows.of(np.zeros((3, 4), dtype=np.int64))
    asked = as_workload(None, None, TWINS.names)
    assert measure_dependence(rows, few, ledger, asked) == few
    large = budget.Known((60, 60), 10**6)
    none = measure_dependence(rows.select([0, 1]), large, ledger, asked)
    assert none == large._replace(dependence=0.0)
    assert ledger.entries == ()


@pytest.mark.slow
def test_columns_that_nearly_say_the_same_are_all_bound_together(monkeypatch, rng):
    """Six prices of a day, in tenths: where it is not asked, three rounds are made."""
    silence_noise(monkeypatch)
    price = rng.integers(0, 10, (12_000, 1))
    codes = np.clip(price + rng.integers(-1, 2, (12_000, 6)), 0, 9)
    domain = Domain.from_dict({f"c{i}": [str(v) for v in range(10)] for i in range(6)})
    frame = pd.DataFrame(codes.astype(str), columns=list(domain.names))
    generator = DPCocGen(0.3, domain).fit(frame)
    bound = {0}
    for _ in range(6):
        for candidate in generator.model_.chosen:
            if bound.intersection(candidate.columns):
                bound.update(candidate.columns)
    assert bound == set(range(6))


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("n_rows", [300, 2_000, 30_000])
def test_a_choice_gets_what_makes_choice_and_counts_least_wrong(delta, n_rows):
    """By trying all shares, with the noise that the ledger enters for each."""
    ledger = ledger_module.PrivacyLedger(1.0, delta=delta)
    left = 0.6 * ledger.total
    cells = min(n_rows / (5 * ledger.count_noise(left / 10)), 500)

    def wrong(share):
        choice = ledger.entry_of_choice(
            budget.N_COMPARED, cost=share * left / 10, sensitivity=1, what="choice"
        )
        counts = ledger.count_noise((1 - share) * left / 10)
        # Of so many exponential, or Gumbel, numbers the largest is about the logarithm.
        return np.log(budget.N_COMPARED) * choice.scale + cells * counts

    shares = np.linspace(0.02, 0.5, 4801)
    least = shares[np.argmin([wrong(share) for share in shares])]
    found = budget.choice_share(n_rows, ledger, left, 10)
    assert found == pytest.approx(least, abs=2e-4)


@pytest.mark.noise
def test_one_column_is_a_histogram():
    domain = DOMAIN.select(["job"])
    generator = DPCocGen(1.0, domain, variant="adaptive").fit(people(500))
    assert [e.epsilon for e in generator.ledger_.entries] == [1.0]


@pytest.mark.slow
def test_pairs_are_compared_as_often_as_fives(monkeypatch, rng):
    """Of 16 columns of two values there are 120 pairs and 4,368 fives."""
    silence_noise(monkeypatch)
    domain = {f"c{i}": ["no", "yes"] for i in range(16)}
    # They go with each other, so that single columns are not enough.
    codes = rng.integers(0, 2, (500, 1)) ^ (rng.random((500, 16)) < 0.1)
    frame = pd.DataFrame(np.array(["no", "yes"])[codes], columns=list(domain))
    compared, right = [], adaptive._Rounds._scores

    def scores(self, candidates, *rest):
        compared.append([len(candidate.columns) for candidate in candidates])
        return right(self, candidates, *rest)

    monkeypatch.setattr(adaptive._Rounds, "_scores", scores)
    DPCocGen(1.0, domain).fit(frame)
    assert sum(map(len, compared)) <= budget.N_COMPARED * len(compared)
    found = np.bincount(compared[0], minlength=6)[2:]
    assert (found > 60).all() and (found <= 130).all()


def test_columns_without_any_pair_small_enough_are_counted_twice(monkeypatch):
    monkeypatch.setattr(candidates, "list_candidates", lambda *_: [])
    silence_noise(monkeypatch)
    generator = DPCocGen(1.0, DOMAIN, variant="adaptive").fit(people())
    whats = [e.what for e in generator.ledger_.entries]
    assert whats[6:] == [f"counts of {name}" for name in DOMAIN.names]
    assert generator.ledger_.remaining == 0.0


@pytest.mark.slow
def test_without_noise_what_hangs_together_comes_back(monkeypatch):
    silence_noise(monkeypatch)
    frame = people()
    generator = DPCocGen(5.0, DOMAIN, variant="adaptive").fit(frame)
    real, drawn = (
        DOMAIN.encode(table) for table in (frame, generator.sample(random_state=0))
    )
    assert generator.n_rows_ == len(frame)
    for pair in ((0, 1), (1, 2), (0, 2), (2, 3)):
        sizes = [DOMAIN.sizes[j] for j in pair]
        a, b = (
            np.bincount(t[:, pair] @ [sizes[1], 1], minlength=prod(sizes))
            for t in (real, drawn)
        )
        assert np.abs(a - b).sum() / 2 / len(frame) < 0.05


# what the choice gives away

N_RELEASES = 60


def first_choices(frame, noisy, monkeypatch):
    """Whether the first margin chosen is that of a and b, in many releases.

    All other noisy numbers are those given, whatever the table.
    """
    domain = Domain.from_dict({name: ["0", "1"] for name in "abc"})
    found = []
    for _ in range(N_RELEASES):
        replies = iter(noisy)
        with monkeypatch.context() as patched:
            patched.setattr(
                ledger_module,
                "discrete_laplace",
                lambda values, *, sensitivity, epsilon, replies=replies: (
                    np.array(next(replies, values)),
                    sensitivity / epsilon,
                ),
            )
            generator = DPCocGen(
                1.0, domain, variant="adaptive", neighbours="replace"
            ).fit(frame)
        cost = generator.ledger_.entries[4].epsilon
        assert generator.ledger_.entries[4].what == "choice of margin 1"
        found.append(generator.model_.chosen[0].columns == (0, 1))
    return np.array(found), cost


def tables_of_a_tie():
    """Two pairs that hang together alike, but for the last row, which is replaced."""
    odd = [(0, 0, 1), (0, 1, 0), (1, 0, 1), (1, 1, 0)]
    rows = [(0, 0, 0), (1, 1, 1)] * 500 + odd * 50
    return (
        pd.DataFrame([*rows, last], columns=list("abc")).astype(str)
        for last in ((0, 1, 0), (0, 0, 1))
    )


def audited_choice(monkeypatch):
    frame, tipped = tables_of_a_tie()
    n = len(frame)
    noisy = [[n]] + [[n // 2, n // 2]] * 3
    monkeypatch.setattr(budget, "_MAX_TRIPLE", 1)
    # Each column apart.
    apart = [(0,), (1,), (2,)], np.ones(3)
    monkeypatch.setattr(budget, "group_columns", lambda *_: apart)
    (without, cost), (with_row, _) = (
        first_choices(table, noisy, monkeypatch) for table in (frame, tipped)
    )
    return least_epsilon(with_row, without), cost


@pytest.mark.slow
@pytest.mark.noise
def test_the_choice_gives_away_no_more_than_it_costs(monkeypatch):
    bound, cost = audited_choice(monkeypatch)
    assert bound <= cost


@pytest.mark.slow
def test_a_choice_without_noise_is_caught(monkeypatch):
    monkeypatch.setattr(
        ledger_module,
        "noisy_max",
        lambda scores, *, sensitivity, epsilon: (
            int(np.argmax(scores)),
            2 * sensitivity / epsilon,
        ),
    )
    bound, cost = audited_choice(monkeypatch)
    assert bound > cost


# with a delta


@pytest.mark.slow
@pytest.mark.noise
def test_a_ledger_of_rho():
    """Less noise of many columns: but for what is asked first, Gaussian's, Gumbel's."""
    generator = DPCocGen(1.0, DOMAIN, delta=1e-9, variant="adaptive").fit(people())
    ledger = generator.ledger_
    assert ledger.remaining == 0.0 and ledger.rho == rho_of(1.0, 1e-9)
    rows, dependence, *others = ledger.entries
    assert (rows.mechanism, rows.epsilon) == ("discrete Laplace", 0.01)
    assert dependence.mechanism == "discrete Laplace"
    assert dependence.rho == pytest.approx(dependence.epsilon**2 / 2)
    assert {e.mechanism for e in others} == {
        "discrete Gaussian",
        "noisy max, Gumbel noise",
    }
    assert all(e.epsilon is None and e.rho > 0 for e in others)
    of_values = [e.rho for e in others[:4]]
    powers = np.array(DOMAIN.sizes) ** (2 / 3)
    assert of_values == pytest.approx(sum(of_values) * powers / powers.sum())
    assert len(generator.sample()) == generator.n_rows_


@pytest.mark.noise
def test_few_columns_are_nearer_without_their_delta():
    """Laplace's noise is less, and all cells of a small domain can be counted."""
    domain = DOMAIN.select(["job", "sex"])
    ledger = DPCocGen(1.0, domain, delta=1e-9).fit(people()).ledger_
    assert (ledger.delta, ledger.rho, ledger.remaining) == (0.0, None, 0.0)
    pure, both = (DPCocGen(1.0, domain, delta=d).plan(900) for d in (None, 1e-9))
    assert both == pure and both.path == "histogram"


def shares_budget(query):
    """Whether a query is not one that is asked before, for little of epsilon."""
    return query.what.split()[0] in ("values", "choice", "counts")


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize(
    "sizes, are_grouped",
    [
        ([5] * 9, False),
        ([9] * 12, False),
        pytest.param([2] * 40, True, marks=pytest.mark.slow),
        ([2] * 18, True),
        ([2] * 12 + [9] * 2, False),
        ([300] * 3, False),
    ],
)
def test_a_delta_is_left_where_a_release_makes_few_queries(sizes, are_grouped, epsilon):
    """Laplace's noise is as their number, Gauss's as the root of it; of columns all in
    groups sums are read, which are off by its variance."""
    domain = {f"c{i}": [str(k) for k in range(n)] for i, n in enumerate(sizes)}
    of_sums = 2 / math.sqrt(math.pi) if are_grouped else 1
    found = []
    for n_rows in (100, 1_000, 10_000, 100_000, 1_000_000):
        without, plan = (
            DPCocGen(epsilon, domain, delta=delta).plan(n_rows)
            for delta in (None, 1e-9)
        )
        n_queries = sum(
            query.times for query in without.queries if shares_budget(query)
        )
        of_rho = math.sqrt(n_queries / (math.pi * rho_of(epsilon, 1e-9)))
        of_epsilon = of_sums * n_queries / epsilon
        is_left = without.path == "histogram" or of_epsilon <= of_rho
        assert (plan == without) == is_left == (plan.delta == 0.0)
        found.append(is_left)
    assert found == sorted(found, reverse=True) and not found[-1]


@pytest.mark.slow
def test_sums_of_laplace_noise_are_farther_off_than_one_of_it():
    """Beside Gauss's as much, by 2 / sqrt(pi): why fewer queries of columns in groups
    want a delta."""
    rng = np.random.default_rng(0)
    sums = rng.laplace(size=(100_000, 16)).sum(axis=1) / 4
    gauss = rng.normal(scale=math.sqrt(math.pi / 2), size=100_000)
    assert np.abs(gauss).mean() == pytest.approx(1, rel=0.01)
    assert np.abs(sums).mean() == pytest.approx(2 / math.sqrt(math.pi), rel=0.01)
    yes_or_no, nine = (
        DPCocGen(0.1, {f"c{i}": list("abcdefghi")[:n] for i in range(k)}, delta=1e-9)
        for k, n in ((16, 2), (11, 9))
    )
    plans = yes_or_no.plan(17_000), nine.plan(15_000)
    assert [plan.delta for plan in plans] == [1e-9, 0.0]
    yes_or_no.delta = None
    pure = yes_or_no.plan(17_000), plans[1]
    queries = [filter(shares_budget, plan.queries) for plan in pure]
    assert [sum(query.times for query in asked) for asked in queries] == [17, 17]


@pytest.mark.slow
def test_a_delta_is_left_where_single_columns_may_be_enough():
    """Fewer queries may follow: also of columns in groups, 15 at most here."""
    domain = {f"c{i}": ["no", "yes"] for i in range(20)}
    plan = DPCocGen(0.03, domain, delta=1e-9).plan(16_000)
    assert plan.delta == 0 and APART in [query.what for query in plan.queries]


@pytest.mark.slow
@pytest.mark.noise
def test_a_fit_leaves_its_delta_by_the_noisy_number_of_rows():
    domain = {name: ["0", "1", "2", "3", "4"] for name in "abcdefghi"}
    kept = []
    for n_rows in (500, 50_000):
        rng = np.random.default_rng(n_rows)
        frame = pd.DataFrame(
            {name: rng.integers(0, 5, n_rows).astype(str) for name in domain}
        )
        ledger = DPCocGen(1.0, domain, delta=1e-9).fit(frame).ledger_
        assert ledger.remaining == 0.0 and ledger.entries[0].what == "rows"
        kept.append(ledger.delta)
    assert kept == [0.0, 1e-9]


@pytest.mark.parametrize(
    "options, match",
    [
        *(
            ({"delta": delta}, "Expected (a )?delta")
            for delta in (0, 1, -1e-9, 1.5, float("nan"), "1e-9", True)
        ),
        ({"delta": 1e-5}, "at most 1e-06, or a confirmation"),
        ({"delta": 1e-9, "variant": "thesis"}, "no delta for the variant 'thesis'"),
        ({"delta": 1e-9, "variant": "blocks"}, "no delta for the variant 'blocks'"),
        (
            {"delta": 1e-300, "epsilon": 1e-3, "variant": "adaptive"},
            "a rho of at least",
        ),
    ],
)
def test_deltas_are_refused_before_anything_is_spent(options, match, monkeypatch):
    forbid_noise(monkeypatch)
    generator = DPCocGen(**{"epsilon": 1.0, "domain": DOMAIN} | options)
    with pytest.raises(ParameterError, match=match):
        generator.fit(people(10))
    assert not hasattr(generator, "ledger_")


@pytest.mark.noise
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_a_large_delta_can_be_meant():
    options = {"delta": 1e-5, "large_delta": True, "variant": "adaptive"}
    generator = DPCocGen(1.0, DOMAIN, **options).fit(people(100))
    assert generator.ledger_.delta == 1e-5
