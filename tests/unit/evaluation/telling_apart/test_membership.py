import numpy as np
import pytest
from naive import telling_apart as naive

from coclust_synth.evaluation.telling_apart._kernels import nearest_distances
from coclust_synth.evaluation.telling_apart.membership import membership_auc
from coclust_synth.exceptions import ParameterError, SchemaError, TableError


def table(seed, n, sizes=(3, 4, 6, 2)):
    """Random codes, some of them missing."""
    rng = np.random.default_rng(seed)
    return rng.integers(-1, sizes, size=(n, len(sizes)))


# --- against the naive twin ----------------------------------------------


@pytest.mark.parametrize("n_references", [0, 1, 3, 60])
@pytest.mark.parametrize("seed", range(5))
def test_distances_are_those_of_the_naive_twin(seed, n_references):
    rows, references = table(seed, 40), table(seed + 50, n_references)
    found = nearest_distances(rows.astype(np.int32), references.astype(np.int32))
    assert found.tolist() == naive.nearest_distances(rows.tolist(), references.tolist())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_area_is_that_of_the_naive_twin(seed):
    n = np.random.default_rng(seed).integers(20, 90, size=3)
    training, holdout, synthetic = (table(seed + 99 * k, n[k]) for k in range(3))
    found = membership_auc(training, holdout, synthetic)
    expected = naive.membership_auc(training, holdout, synthetic)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


# --- values worked by hand -----------------------------------------------


def test_area_worked_by_hand():
    # Members (0, 0), (1, 1) at distances 0, 1; (2, 2) is held by two individuals.
    # Others (0, 3), (3, 3) at distances 1, 2, since (2, 2) is in the training part.
    # Above: (0, 0) both; (1, 1) ties with one, is nearer than the other: 3.5 of 4.
    training = np.array([[0, 0], [1, 1], [2, 2], [2, 2]])
    holdout = np.array([[0, 3], [3, 3], [2, 2]])
    synthetic = np.array([[0, 0], [0, 0], [1, 2]])
    found = membership_auc(training, holdout, synthetic)
    assert found.value == 3.5 / 4
    assert found[3:] == (2, 2)


def test_rows_repeated_in_the_holdout_count_each_time():
    # Both members are at distance 1; others three times at 2, once at 0.
    training = np.array([[0, 0], [1, 1]])
    holdout = np.array([[0, 1], [0, 1], [0, 1], [1, 0]])
    found = membership_auc(training, holdout, np.array([[1, 0]]))
    assert found.n_negatives == 4
    assert found.value == 3 / 4


# --- what the area is ------------------------------------------------------


def test_only_equality_of_codes_and_distinct_synthetic_rows_matter():
    training, holdout, synthetic = table(0, 60), table(1, 50), table(2, 40)
    expected = membership_auc(training, holdout, synthetic)
    rng = np.random.default_rng(3)
    new_code = np.append(rng.permutation(6), 6)  # -1 becomes 6
    renamed = [new_code[codes] for codes in (training, holdout, synthetic)]
    assert membership_auc(*renamed) == expected
    shuffled = [rng.permutation(c)[:, ::-1] for c in (training, holdout, synthetic)]
    assert membership_auc(*shuffled) == expected
    assert membership_auc(training, holdout, np.repeat(synthetic, 3, axis=0)) == (
        expected
    )


def test_codes_of_any_integer_type_count_the_same():
    tables = [table(seed, 50) + 1 for seed in range(3)]
    expected = membership_auc(*tables)
    for dtype in (np.int8, np.uint8, np.int32, np.uint64):
        found = membership_auc(tables[0].astype(dtype), tables[1], tables[2])
        assert found == expected


def test_the_training_part_itself_gives_every_member_away():
    training, holdout = table(0, 100), table(1, 100)
    assert membership_auc(training, holdout, training).value == 1


# --- errors ---------------------------------------------------------------

CODES = np.arange(12).reshape(4, 3)


@pytest.mark.parametrize(
    "training, holdout, synthetic, error, match",
    [
        (
            CODES / 2,
            CODES,
            CODES,
            ParameterError,
            r"training table\. .*float64. Encode",
        ),
        (
            CODES,
            CODES[0],
            CODES,
            ParameterError,
            r"holdout table. Received shape \(3,\)",
        ),
        (CODES, CODES, CODES[:, :1], ParameterError, "3 columns .* and 1 in the synth"),
        (
            CODES,
            CODES + 9,
            CODES[:0],
            TableError,
            r"synthetic table. Received shape \(0, 3",
        ),
        (
            CODES,
            CODES - 2,
            CODES,
            SchemaError,
            "variable 0. Received -2 to 7 in the holdout",
        ),
        (
            np.repeat(CODES, 2, axis=0),
            CODES,
            CODES,
            TableError,
            "at least 2 unique rows in the training table. Received 0. Compare on more",
        ),
        (
            CODES,
            CODES,
            CODES,
            TableError,
            "holdout table that the training table lacks. Received 0",
        ),
    ],
)
def test_arguments_are_checked(training, holdout, synthetic, error, match):
    with pytest.raises(error, match=match):
        membership_auc(training, holdout, synthetic)
