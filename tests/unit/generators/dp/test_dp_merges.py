"""Parts by merges that are chosen on the data: what a choice sees, costs and tells."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.audit import least_epsilon
from support.private_noise import forbid_noise, silence_noise

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.dp import thesis
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise import ledger as ledger_module
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.tables.domain.domain import Domain

DOMAIN = Domain.from_dict(
    {
        "town": [f"town {i}" for i in range(8)],
        "age": {"low": 0, "high": 5, "bins": 6},
        "sex": ["F", "M"],
    }
)


def people(n=6_000, seed=0):
    """Towns 0 to 3, and ages 0 to 1 and 2 to 5, are alike."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    town = rng.integers(0, 4, n) + 4 * (rng.random(n) < np.where(sex, 0.9, 0.1))
    age = np.where(rng.random(n) < 0.4, rng.integers(0, 2, n), rng.integers(2, 6, n))
    age = np.where(town < 4, age, rng.integers(2, 6, n))
    return pd.DataFrame(
        {
            "town": [f"town {i}" for i in town],
            "age": age,
            "sex": np.array(["F", "M"])[sex],
        }
    )


def put_wrong(rows, values, others):
    """By the formula, of one part and each other column."""
    found = []
    for k in others:
        total = 0
        for u in {row[k] for row in rows}:
            x = {v: sum(r[0] == v and r[k] == u for r in rows) for v in values}
            total += sum(abs(len(values) * x[v] - sum(x.values())) for v in values)
        found.append(total // (2 * len(values)))
    return max(found)


def column_of(rows, is_numeric):
    codes = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return thesis._Column(thesis._rows_with_others(codes, (5, 3, 2), 0), is_numeric)


some_rows = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1)), max_size=25
)


@given(some_rows, st.booleans(), st.data())
def test_a_row_changes_what_each_merge_puts_wrong_by_one_at_most(
    rows, is_numeric, data
):
    more = data.draw(some_rows.filter(bool))[:1]
    column, changed = (column_of(r, is_numeric) for r in (rows, rows + more))
    while column.wrong:
        assert column.wrong.keys() == changed.wrong.keys()
        for pair, wrong in column.wrong.items():
            values = [v for part in pair for v in column.parts[part]]
            assert wrong == put_wrong(rows, values, [1, 2])
            assert abs(wrong - changed.wrong[pair]) <= 1
        pair = data.draw(st.sampled_from([*column.wrong]))
        column.merge(*pair)
        changed.merge(*pair)
    assert column.labels().tolist() == [0] * 5


@given(some_rows, st.booleans(), st.data())
def test_merges_are_of_any_two_groups_but_of_neighbouring_intervals(
    rows, is_numeric, data
):
    column = column_of(rows, is_numeric)
    for n_parts in (5, 4, 3, 2):
        starts = sorted(column.parts)
        possible = combinations(starts, 2)
        if is_numeric:
            possible = pairwise(starts)
        assert set(column.wrong) == set(possible)
        labels = column.labels()
        assert set(labels) == set(range(n_parts))
        assert not is_numeric or (np.diff(labels) >= 0).all()
        column.merge(*data.draw(st.sampled_from([*column.wrong])))


def test_without_noise_values_that_are_alike_are_merged(monkeypatch):
    monkeypatch.setattr(thesis, "_ROWS_OF_CELL", 700.0)  # 8 of them
    silence_noise(monkeypatch)
    generator = DPCocGen(2.0, DOMAIN, variant="thesis-merges").fit(people())
    town, age, sex = generator.model_.parts
    assert town.tolist() == [0] * 4 + [1] * 4
    assert age.tolist() == [0] * 2 + [1] * 4
    assert sex.tolist() == [0, 1]


@pytest.mark.noise
def test_what_is_spent_on_what(monkeypatch):
    """Some merge is made of fewer than 34,000 noisy rows, but for a chance of 1e-29."""
    monkeypatch.setattr(thesis, "_ROWS_OF_CELL", 100.0)
    generator = DPCocGen(0.4, DOMAIN, variant="thesis-merges", split=0.3).fit(people())
    rows, *choices, counts = generator.ledger_.entries
    assert (rows.what, rows.n_values) == ("rows", 1)
    assert rows.epsilon == pytest.approx(0.4 * 0.3 * 0.02)
    sizes = [int(part.max()) + 1 for part in generator.model_.parts]
    assert [c.what for c in choices] == [
        f"choice of merge {k + 1}" for k in range(16 - sum(sizes))
    ]
    # 28 pairs of towns, 5 of ages, 1 of sexes; a merge for each value but one each.
    assert choices[0].n_values == 34
    for choice in choices:
        assert choice.epsilon == pytest.approx(0.4 * 0.3 * 0.98 / 13)
        assert choice.sensitivity == 1
    assert counts.what == "coarse cells of town, age, sex"
    assert counts.n_values == np.prod(sizes)
    assert generator.ledger_.remaining == 0.0


def test_many_values_are_refused_before_anything_is_spent(monkeypatch):
    forbid_noise(monkeypatch)
    domain = {"a": {"low": 0, "high": 999, "bins": 300}, "b": [*map(str, range(201))]}
    with pytest.raises(ParameterError, match=r"500 values together.*Received 501"):
        DPCocGen(1.0, domain, variant="thesis-merges").fit(pd.DataFrame())


# what a choice gives away

N_CHOICES = 60  # without noise they show an epsilon of .8


def first_merges(codes, monkeypatch):
    """Whether the first of two possible merges is chosen first, and what it costs."""
    domain, found = Domain.from_dict({"a": {"low": 0, "high": 2, "bins": 3}}), []
    right = PrivacyLedger.exponential

    def choose(ledger, scores, **options):
        found.append(right(ledger, scores, **options))
        return found[-1]

    with monkeypatch.context() as patched:
        patched.setattr(PrivacyLedger, "exponential", choose)
        for _ in range(N_CHOICES):
            ledger = PrivacyLedger(2.0)
            thesis.choose_parts(codes, domain, [True], ledger, 1.0)
    return np.array(found[::2]) == 0, ledger.entries[1].epsilon


def audited_merge(monkeypatch):
    """Two merges that put equally many rows wrong, but for one row."""
    monkeypatch.setattr(thesis, "_ROWS_OF_CELL", 1e9)
    codes = np.repeat([0, 1], [40, 20])[:, None]  # 10 wrong in both merges
    with_row = np.vstack([codes, [[2]]])  # 9 in the second
    (without, cost), (more, _) = (
        first_merges(table, monkeypatch) for table in (codes, with_row)
    )
    return least_epsilon(without, more), cost


@pytest.mark.noise
def test_a_merge_gives_away_no_more_than_it_costs(monkeypatch):
    bound, cost = audited_merge(monkeypatch)
    assert bound <= cost == 0.49


@pytest.mark.noise
def test_a_merge_without_noise_is_caught(monkeypatch):
    def best(scores, *, sensitivity, epsilon):
        return int(np.argmax(scores)), 2 * sensitivity / epsilon

    monkeypatch.setattr(ledger_module, "noisy_max", best)
    bound, cost = audited_merge(monkeypatch)
    assert bound > cost
