from math import sqrt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from naive import distances as naive_margins

from coclust_synth.evaluation.distances import margins
from coclust_synth.evaluation.distances.margins import (
    margin_distances,
    mean_margin_distances,
    table_margin_distances,
)
from coclust_synth.exceptions import ParameterError, SchemaError, TableError

MEASURES = ["total_variation", "hellinger"]


def table(seed, n, sizes, missing=0.1):
    """Skewed random codes, some of them missing."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.binomial(v - 1, rng.random(), n) for v in sizes])
    return np.where(rng.random(codes.shape) < missing, -1, codes)


def column(*codes):
    return np.array(codes)[:, np.newaxis]


# --- against the naive twin ----------------------------------------------


@pytest.mark.parametrize("few_cells", [1, 10, 2**17])
@pytest.mark.parametrize("seed", range(8))
def test_distances_are_those_of_the_naive_twin(monkeypatch, seed, few_cells):
    monkeypatch.setattr(margins, "_FEW_CELLS", few_cells)
    monkeypatch.setattr(margins, "_CELLS_PER_ROW", 0)
    sizes = np.random.default_rng(seed).integers(1, 9, size=5)
    real, synthetic = table(seed, 40 + seed, sizes), table(seed + 50, 25, sizes)
    found = margin_distances(real, synthetic, orders=(1, 2, 3, 5))
    expected = naive_margins.margin_distances(real, synthetic, orders=(1, 2, 3, 5))
    assert list(found["variables"]) == [row[0] for row in expected]
    assert list(found["order"]) == [len(row[0]) for row in expected]
    np.testing.assert_allclose(
        found[MEASURES], [row[1:] for row in expected], rtol=1e-12, atol=1e-15
    )


@pytest.mark.parametrize("largest", [50, 10**6, 2**31 - 1])
def test_joint_values_too_many_to_list_are_counted(largest, rng):
    real, synthetic = (rng.integers(0, largest, size=(60, 4)) for _ in range(2))
    synthetic[:20] = real[:20]
    found = margin_distances(real, synthetic, orders=(4,))
    np.testing.assert_allclose(
        found[MEASURES],
        [
            row[1:]
            for row in naive_margins.margin_distances(real, synthetic, orders=[4])
        ],
    )


# --- values worked by hand -----------------------------------------------


def test_distances_of_two_coins():
    # p = (3/4, 1/4), q = (1/4, 3/4): TV = (1/2 + 1/2) / 2, and
    # H² = ((√3 - 1) / 2)² = (4 - 2√3) / 4.
    found = margin_distances(column(0, 0, 0, 1), column(1, 1, 0, 1), orders=(1,))
    assert found["total_variation"].tolist() == [0.5]
    assert found["hellinger"].tolist() == pytest.approx([sqrt(1 - sqrt(3) / 2)])


def test_distances_of_tables_of_different_lengths():
    # p = (1/2, 1/2, 0), q = (1/3, 1/3, 1/3): TV = 1/3, H² = 1 - 2 / √6.
    found = margin_distances(column(0, 1), column(0, 1, 2), orders=(1,))
    assert found["total_variation"].tolist() == pytest.approx([1 / 3])
    assert found["hellinger"].tolist() == pytest.approx([sqrt(1 - 2 / sqrt(6))])


def test_only_the_order_of_a_dependence_sees_it():
    # The third variable is the exclusive or of the others, or its opposite.
    real = np.array([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]])
    synthetic = real ^ [0, 0, 1]
    means = mean_margin_distances(margin_distances(real, synthetic))
    assert means == {
        1: {"n_sets": 3, "total_variation": 0, "hellinger": 0},
        2: {"n_sets": 3, "total_variation": 0, "hellinger": 0},
        3: {"n_sets": 1, "total_variation": 1, "hellinger": 1},
    }


def test_missing_is_a_value():
    found = margin_distances(column(0, -1), column(0, 0), orders=(1,))
    assert found["total_variation"].tolist() == [0.5]


# --- what distances are ---------------------------------------------------


def test_equal_shares_are_at_distance_zero():
    real = table(0, 30, [3, 4, 5])
    synthetic = np.random.default_rng(1).permutation(np.repeat(real, 7, axis=0))
    assert (margin_distances(real, synthetic)[MEASURES] == 0).all(axis=None)


@pytest.mark.parametrize("seed", range(20))
def test_margins_without_a_common_value_are_at_distance_one(seed):
    sizes = [3, 7, 11]
    real, synthetic = table(seed, 97, sizes, 0), table(seed + 50, 53, sizes, 0)
    found = margin_distances(2 * real, 2 * synthetic + 1)[MEASURES]
    np.testing.assert_allclose(found, 1)
    assert (found <= 1).all(axis=None)


@pytest.mark.parametrize("seed", range(5))
def test_distances_are_symmetric_and_bound_each_other(seed):
    sizes = [2, 3, 6, 20]
    real, synthetic = table(seed, 60, sizes), table(seed + 50, 90, sizes)
    there = margin_distances(real, synthetic, orders=(1, 2, 3, 4))
    back = margin_distances(synthetic, real, orders=(1, 2, 3, 4))
    pd.testing.assert_frame_equal(there, back, check_exact=True)
    tv, h = there["total_variation"], there["hellinger"]
    assert (h**2 <= tv + 1e-12).all() and (tv <= h * np.sqrt(2 - h**2) + 1e-12).all()


def test_a_larger_set_is_at_least_as_far():
    sizes = [2, 3, 6, 20]
    found = margin_distances(table(0, 60, sizes), table(1, 90, sizes))
    distance = dict(zip(found["variables"], found[MEASURES].to_numpy(), strict=True))
    for larger in found["variables"]:
        for smaller in found["variables"]:
            if set(smaller) < set(larger):
                assert (distance[smaller] <= distance[larger] + 1e-12).all()


def test_codes_of_any_integer_type_count_the_same():
    real, synthetic = table(0, 50, [4, 5], 0), table(1, 40, [4, 5], 0)
    expected = margin_distances(real, synthetic, orders=(1, 2))
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        found = margin_distances(real.astype(dtype), synthetic, orders=(1, 2))
        pd.testing.assert_frame_equal(found, expected, check_exact=True)


# --- tables ---------------------------------------------------------------


def test_tables_are_compared_in_a_coding():
    coding = SimpleNamespace(
        names=("sex", "age"),
        encode=lambda frame: np.column_stack(
            [frame["sex"] == "f", frame["age"] >= 50]
        ).astype(np.int32),
    )
    real = pd.DataFrame({"sex": ["f", "m"], "age": [20, 70]})
    synthetic = pd.DataFrame({"age": [30, 40, 60, 99], "sex": ["m", "m", "f", "m"]})
    found = table_margin_distances(real, synthetic, coding, orders=(2, 1))
    assert found["variables"].tolist() == [("sex",), ("age",), ("sex", "age")]
    assert found["order"].tolist() == [1, 1, 2]
    assert found["total_variation"].tolist() == [0.25, 0, 0.75]


# --- errors ---------------------------------------------------------------

CODES = np.zeros((4, 3), dtype=np.int32)


@pytest.mark.parametrize(
    "real, synthetic, options, error, match",
    [
        (CODES, CODES[:, :1], {}, ParameterError, "3 columns .* and 1 in.* Keep"),
        (
            CODES,
            CODES,
            {"orders": (1, 4)},
            ParameterError,
            r"1 to 3, .*Received \(1, 4\)\.",
        ),
        (CODES[:, :2], CODES[:, :2], {}, ParameterError, r"instance orders=\(1, 2\)"),
        (
            CODES,
            CODES,
            {"orders": (0,)},
            ParameterError,
            r"Received \(0,\)\. Leave out",
        ),
        (CODES, CODES, {"orders": ()}, ParameterError, r"Received \(\)\. Leave out"),
        (CODES, CODES, {"orders": 2}, ParameterError, r"Received 2\. Leave out"),
        (
            CODES[:0],
            CODES,
            {},
            TableError,
            r"in the real table. Received shape \(0, 3\)",
        ),
        (CODES, CODES[:0], {}, TableError, "in the synthetic table. Received shape"),
        (CODES[:, :0], CODES[:, :0], {}, TableError, "at least one row and one column"),
        (CODES / 2, CODES, {}, ParameterError, "dtype float64. Encode the table"),
        (
            CODES,
            CODES[0],
            {},
            ParameterError,
            r"synthetic table. Received shape \(3,\)",
        ),
        (
            CODES,
            CODES,
            {"names": "a"},
            ParameterError,
            "Expected 3 names.*Received 1. Give",
        ),
        (
            CODES - 2,
            CODES,
            {},
            SchemaError,
            r"from -1 \(missing\) in variable 0. Received",
        ),
        (
            CODES,
            CODES - [0, 3, 0],
            {"names": ["age", "sex", "class"]},
            SchemaError,
            "variable 'sex'. Received -3 to -3 in the synthetic table. Encode",
        ),
    ],
)
def test_arguments_are_checked(real, synthetic, options, error, match):
    with pytest.raises(error, match=match):
        margin_distances(real, synthetic, **options)
