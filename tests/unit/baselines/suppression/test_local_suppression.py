"""Local suppression: what is counted, what it costs, and the twins of its kernels."""

import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from naive import suppression as naive

from coclust_synth import LocalSuppression
from coclust_synth.baselines.suppression import _agreeing_kernels, _kernels, search
from coclust_synth.baselines.suppression.search import column_sets
from coclust_synth.exceptions import (
    CoclustSynthError,
    DataWarning,
    ParameterError,
    SchemaError,
)
from coclust_synth.tables.people.people import Persons


def drawn(seed, n, sizes):
    """Codes of a table in the order of its values, of skewed columns."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.geometric(2 / s, n).clip(max=s) - 1 for s in sizes])
    return codes[np.lexsort(codes.T[::-1])]


def as_frame(codes):
    """A table of texts."""
    names = [f"c{j}" for j in range(codes.shape[1])]
    return pd.DataFrame(codes, columns=names).astype(str).map(lambda v: f"v{v}")


def cells(found, codes):
    return np.where(found, -1, codes).tolist()


@pytest.fixture(scope="module")
def table():
    return as_frame(drawn(1, 120, (3, 4, 12, 5)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("with_persons", [False, True])
def test_the_search_is_that_of_its_twin(seed, with_persons):
    codes = drawn(seed, 24, (3, 4, 6))
    weights = np.array([[1, 1, 1], [1, 0.5, 0.25]][seed % 2], dtype=float)
    n = len(codes)
    people = np.random.default_rng(seed).integers(0, n // 2, n)
    people = np.unique(people, return_inverse=True)[1] if with_persons else np.arange(n)
    persons = Persons("who", people)
    masks = column_sets(codes, 3, weights)
    hidden = np.zeros(codes.shape, dtype=bool)
    choices = search._choices(codes, hidden, np.arange(3), masks, weights, persons, 3)
    found = []
    for own in (_kernels, naive):
        mask = np.full(n, len(masks) - 1)
        size = np.zeros(len(choices.mask_of), dtype=np.int64)
        size[-1] = persons.n
        used = np.zeros(len(masks), dtype=np.int64)
        used[-1] = 1
        n_passes = own.improve(choices, _kernels.Release(mask, size, used), 20)
        found.append((n_passes, mask.tolist(), size.tolist(), used.tolist()))
    assert found[0] == found[1]
    assert found[0][1] != [len(masks) - 1] * n


@pytest.mark.slow
def test_it_is_never_below_the_fewest_cells_and_near_them():
    found, fewest = [], []
    for seed in range(10):
        codes = drawn(seed, 7, (3, 4))
        found.append(int(search.suppressed_cells(codes, 2, np.ones(2)).sum()))
        fewest.append(naive.fewest_cells([*map(tuple, codes.tolist())], 2))
    assert all(np.array(found) >= fewest)
    assert sum(found) <= 1.25 * sum(fewest)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 5])
def test_the_rule_of_sdcmicro_is_that_of_its_twin(seed, k):
    codes = drawn(seed, 40, (3, 8, 4))
    order = np.array([1, 2, 0])
    seen = codes.astype(np.int64)
    ones = np.ones(len(codes), dtype=np.int64)
    counts = _agreeing_kernels.count_agreeing(seen, seen, ones)
    log = _agreeing_kernels.suppress_risky(seen, counts, k, order)
    rows, expected = naive.sdcmicro_rule(codes.tolist(), k, order.tolist())
    assert seen.tolist() == rows and log.tolist() == [list(cell) for cell in expected]
    assert counts.tolist() == [naive.agreeing(row, rows) for row in rows]
    _agreeing_kernels.restore_cells(seen, counts, k, log[::-1])
    assert seen.tolist() == naive.given_back(rows, k, expected[::-1])
    assert counts.tolist() == [naive.agreeing(row, rows) for row in rows]
    assert counts.min() >= k


@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_fewer_cells_than_by_the_rules_of_sdcmicro(k, seed):
    """Under both readings of a suppressed cell, its own and that of a value."""
    codes = drawn(seed, 80, (3, 4, 15, 5))
    order = np.argsort(-codes.max(axis=0), kind="stable")
    own = search.suppressed_cells(codes, k, np.ones(4)).sum()
    rule = naive.own_value_rule(codes.tolist(), k, order.tolist())
    assert all(rule.count(row) >= k for row in rule)
    assert 0 < own <= sum(row.count(-1) for row in rule)
    any_ = search.cells_until_agreeing(codes, k, np.ones(4)).sum()
    rule, _ = naive.sdcmicro_rule(codes.tolist(), k, order.tolist())
    assert 0 < any_ <= sum(row.count(-1) for row in rule)


@pytest.mark.slow
def test_k_is_counted_in_what_is_released(table):
    anonymizer = LocalSuppression(4).fit(table)
    released = anonymizer.release_.to_frame()
    sizes = released.value_counts()
    assert sizes.min() == anonymizer.k_by_set_["c0", "c1", "c2", "c3"] >= 4
    n_stars = (released == "*").sum().to_dict()
    assert n_stars == anonymizer.n_suppressed_ and sum(n_stars.values()) > 0
    # Every cell is the value that was there, or suppressed.
    assert anonymizer.report_.covered_cells == 1
    fits = [
        sum(((released == row) | (released == "*")).all(axis=1))
        for _, row in table.iterrows()
    ]
    assert min(fits) >= 4 and anonymizer.fewest_fitting_ is None
    pairs = LocalSuppression(4, key_sets=[2]).fit(table)
    released = pairs.release_.to_frame()
    fits = [
        sum(((released == row) | (released == "*")).all(axis=1))
        for _, row in table.iterrows()
    ]
    assert pairs.fewest_fitting_ == min(fits) < 4


def test_the_order_of_the_rows_makes_no_difference(table):
    shuffled = table.sample(frac=1, random_state=0)
    first, second = (
        LocalSuppression(4).fit_transform(own).to_frame() for own in (table, shuffled)
    )
    pd.testing.assert_frame_equal(first, second)


def test_importance_moves_suppression_to_other_columns(table):
    def suppressed(importance):
        return LocalSuppression(4, importance=importance).fit(table).n_suppressed_

    spared = suppressed({"c2": 1, "c0": 5, "c1": 5, "c3": 5})
    given_up = suppressed({"c2": 5, "c0": 1, "c1": 1, "c3": 1})
    assert spared["c2"] < given_up["c2"]
    assert spared["c0"] > given_up["c0"]
    assert suppressed(["c2", "c0"]) == suppressed({"c2": 1, "c0": 2, "c1": 3, "c3": 3})


def test_each_set_of_keys_is_k_anonymous(table):
    anonymizer = LocalSuppression(4, key_sets=[2, ["c0", "c1", "c3"]]).fit(table)
    released = anonymizer.release_.to_frame()
    pairs = list(combinations(released.columns, 2))
    assert list(anonymizer.k_by_set_) == [*pairs, ("c0", "c1", "c3")]
    for names, reached in anonymizer.k_by_set_.items():
        assert released[list(names)].value_counts().min() == reached >= 4
    whole = LocalSuppression(4).fit(table)
    fewer = sum(anonymizer.n_suppressed_.values())
    assert 0 < fewer < sum(whole.n_suppressed_.values())


def test_persons_are_counted_where_rows_are_theirs():
    table = as_frame(drawn(2, 150, (3, 4, 8)))
    table["who"] = np.arange(150) // 3
    anonymizer = LocalSuppression(5, person_id="who").fit(table)
    assert anonymizer.report_.smallest_class_persons >= 5
    assert min(anonymizer.k_by_set_.values()) >= 5
    rows = LocalSuppression(5, quasi_identifiers=["c0", "c1", "c2"]).fit(table)
    assert sum(rows.n_suppressed_.values()) < sum(anonymizer.n_suppressed_.values())
    halves = LocalSuppression(5, person_id="who", key_sets=[["c0"], ["c2"]]).fit(table)
    assert min(halves.k_by_set_.values()) >= 5


def test_sdcmicros_reading_is_not_k_anonymity(table):
    anonymizer = LocalSuppression(4, suppressed_as="any").fit(table)
    released = anonymizer.release_.to_frame()
    rows = released.to_numpy()
    agree = ((rows[:, None] == rows) | (rows[:, None] == "*") | (rows == "*")).all(2)
    assert min(anonymizer.k_by_set_.values()) == agree.sum(axis=1).min() >= 4
    assert anonymizer.fewest_fitting_ < 4
    assert sum(anonymizer.n_suppressed_.values()) > 0
    pairs = LocalSuppression(4, suppressed_as="any", key_sets=[2]).fit(table)
    assert min(pairs.k_by_set_.values()) >= 4 and len(pairs.k_by_set_) == 6


def test_missing_values_are_values_and_constant_columns_stay():
    table = pd.DataFrame({"a": [1, 1, None, None, 2], "b": [*"xxxxx"]})
    with pytest.warns(DataWarning, match="Received one value"):
        released = LocalSuppression(2).fit_transform(table).to_frame()
    left = {"1.0", "missing"} & set(released["a"])
    assert len(left) == 1 and released["a"].value_counts().to_dict() == {
        "*": 3,
        left.pop(): 2,
    }
    assert set(released["b"]) == {"x"}


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"importance": {"c0": 0}}, ParameterError, "numbers above 0"),
        ({"importance": {"c0": True}}, ParameterError, "numbers above 0"),
        ({"importance": "c0"}, ParameterError, "a list of columns"),
        ({"importance": ["c0", "c0"]}, ParameterError, "each column once"),
        ({"importance": ["pet"]}, SchemaError, "Received 'pet'"),
        ({"key_sets": []}, ParameterError, "Expected key_sets"),
        ({"key_sets": [0]}, ParameterError, "sets of 1 to 4"),
        ({"key_sets": [5]}, ParameterError, "sets of 1 to 4"),
        ({"key_sets": ["c0"]}, ParameterError, "Put the names in a list"),
        ({"key_sets": [["pet"]]}, SchemaError, "Received 'pet'"),
        ({"suppressed_as": "none"}, ParameterError, "suppressed_as"),
        ({"k": 121}, ParameterError, "Choose a smaller k"),
    ],
)
def test_what_cannot_be_asked_is_refused(table, options, error, said):
    with pytest.raises(error, match=re.escape(said)) as caught:
        LocalSuppression(**{"k": 3} | options).fit(table)
    assert isinstance(caught.value, CoclustSynthError)


def test_sdcmicros_reading_has_no_persons(table):
    with pytest.raises(ParameterError, match="Leave one of them out"):
        LocalSuppression(3, suppressed_as="any", person_id="c0").fit(table)
