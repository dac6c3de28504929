from collections import Counter

import numpy as np
import pytest

from coclust_synth.exceptions import ParameterError, SchemaError
from coclust_synth.tables.rows import collapse, count_values


def test_counts_are_of_present_values_only():
    counts = count_values(
        np.array([2.5, 9.0, 2.5, -1.0]), np.array([False, True, False, False])
    )
    assert counts.values.tolist() == [-1.0, 2.5]
    assert counts.counts.tolist() == [1, 2]
    assert (counts.n_missing, counts.n_present, counts.n_rows) == (1, 3, 4)


def test_counts_of_an_all_missing_column():
    counts = count_values(np.zeros(3, dtype=np.int64), np.ones(3, dtype=bool))
    assert (len(counts.values), counts.n_present, counts.n_missing) == (0, 0, 3)


# 3 columns fit in one key; 40 columns of 50 parts need several.
@pytest.mark.parametrize("n_parts", [[2, 3, 4], [1], [50] * 40])
@pytest.mark.parametrize("lowest", [0, -1])
def test_collapse_agrees_with_a_counter(n_parts, lowest, rng):
    few = rng.integers(lowest, n_parts, size=(30, len(n_parts)))
    codes = few[rng.integers(0, 30, size=200)]

    rows, inverse = collapse(codes, n_parts)

    expected = sorted(Counter(map(tuple, codes.tolist())).items())
    offsets = [sum(n_parts[:k]) for k in range(len(n_parts))]
    local = np.where(rows.codes < 0, -1, rows.codes - np.array(offsets, dtype=np.int32))
    assert [tuple(row) for row in local.tolist()] == [row for row, _ in expected]
    np.testing.assert_array_equal(local[inverse], codes)
    assert rows.counts.tolist() == [count for _, count in expected]
    assert rows.offsets.tolist() == offsets
    assert rows.n_parts == sum(n_parts)
    assert rows.n_individuals == 200
    assert rows.codes.dtype == np.int32


def test_collapse_of_no_rows():
    rows, inverse = collapse(np.zeros((0, 2), dtype=np.int32), [2, 3])
    assert rows.codes.shape == (0, 2)
    assert len(inverse) == rows.n_individuals == 0


def test_collapse_refuses_codes_that_are_no_parts():
    with pytest.raises(
        SchemaError, match=r"from -1 to 1 in variable 1\. Received 0 to 2"
    ):
        collapse(np.array([[0, 0], [0, 2]]), [1, 2])


def test_collapse_refuses_another_number_of_columns():
    with pytest.raises(
        ParameterError, match=r"shape \(n, 3\).*Received shape \(1, 2\)"
    ):
        collapse(np.array([[0, 0]]), [1, 2, 3])
