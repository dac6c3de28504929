from itertools import combinations
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from naive import distances as naive
from support.generalized import cell_sets, random_release

from coclust_synth.evaluation.distances.hellinger import (
    joint_hellinger,
    joint_hellinger_distances,
    mean_joint_hellinger,
)
from coclust_synth.evaluation.distances.margins import margin_distances
from coclust_synth.exceptions import ParameterError, SchemaError, TableError
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable


def random_real(rng, n_rows, n_leaves):
    return pd.DataFrame(
        {f"v{k}": rng.integers(0, n, n_rows) for k, n in enumerate(n_leaves)}
    )


def of_sets(**columns):
    """A table from the sets of values of its cells, leaves being all that occur."""
    return GeneralizedTable(
        [
            GeneralizedColumn.from_members(
                name,
                leaves := sorted(set().union(*cells)),
                True,
                np.array([[leaf in cell for leaf in leaves] for cell in cells]),
                np.arange(len(cells)),
            )
            for name, cells in columns.items()
        ]
    )


def ungrouped(frame):
    return of_sets(**{n: [{v} for v in frame[n].tolist()] for n in frame.columns})


# --- against the naive twin ----------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(25))
def test_distances_are_those_of_the_naive_twin(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    n_leaves = rng.integers(1, 8, d).tolist()
    released = random_release(
        rng, int(rng.integers(1, 40)), n_leaves, suppress=seed % 3 == 0
    )
    real = random_real(rng, int(rng.integers(1, 60)), n_leaves)
    found = joint_hellinger_distances(real, released, orders=range(1, d + 1))
    sets = [s for r in range(1, d + 1) for s in combinations(range(d), r)]
    assert found["variables"].tolist() == [tuple(f"v{k}" for k in s) for s in sets]
    assert found["order"].tolist() == [len(s) for s in sets]
    rows, cells = list(real.itertuples(index=False, name=None)), cell_sets(released)
    expected = [
        naive.joint_hellinger(
            [tuple(row[k] for k in s) for row in rows],
            [tuple(cell[k] for k in s) for cell in cells],
        )
        for s in sets
    ]
    np.testing.assert_allclose(found["hellinger"], expected, rtol=1e-9, atol=1e-7)


def test_the_mean_and_single_sets_are_those_of_all_sets(rng):
    released, real = random_release(rng, 30, [3] * 8), random_real(rng, 30, [3] * 8)
    found = joint_hellinger_distances(real, released)
    assert len(found) == 238  # C(8, 2) + ... + C(8, 6)
    assert mean_joint_hellinger(real, released) == found["hellinger"].mean()
    for row in found.iloc[::17].itertuples():
        for variables in (row.variables, row.variables[::-1]):
            found_alone = joint_hellinger(real, released, variables)
            assert found_alone == pytest.approx(row.hellinger, rel=1e-12)


def test_orders_beyond_the_columns_have_no_set():
    rng = np.random.default_rng(1)
    released, real = random_release(rng, 20, [3, 4, 2]), random_real(rng, 9, [3, 4, 2])
    found = joint_hellinger_distances(real, released)
    assert found["order"].tolist() == [2, 2, 2, 3]
    chosen = joint_hellinger_distances(real, released, [3, 1], ["v2", "v0"])
    assert chosen["variables"].tolist() == [("v2",), ("v0",)]


# --- values worked by hand -----------------------------------------------


def test_a_set_is_spread_evenly_over_its_leaves():
    # p = (1, 0, 0), q = (1/4, 1/4, 1/2): H² = 1 - sqrt(1/4).
    released = of_sets(age=[{20, 30}, {40}])
    real = pd.DataFrame({"age": [20, 20, 20]})
    assert joint_hellinger(real, released) == pytest.approx(sqrt(1 / 2))


def test_two_sets_are_spread_over_their_product():
    # Each joint value has q = 1/4 and the two real ones have p = 1/2.
    released = of_sets(age=[{20, 30}, {20, 30}], sex=[{"f", "m"}, {"f", "m"}])
    real = pd.DataFrame({"sex": ["f", "m"], "age": [20, 30]})
    assert joint_hellinger(real, released) == pytest.approx(sqrt(1 - sqrt(1 / 2)))
    # Of one variable alone nothing is lost.
    assert joint_hellinger(real, released, ["sex"]) == 0


@pytest.mark.parametrize("seed", range(5))
def test_original_values_are_at_distance_zero(seed):
    rng = np.random.default_rng(seed)
    real = random_real(rng, 97, [3, 7, 2, 11])
    released = ungrouped(real.sample(frac=1, random_state=seed))
    assert (
        joint_hellinger_distances(real, released, range(1, 5))["hellinger"] == 0
    ).all()


def test_values_that_no_released_row_covers_are_at_distance_one():
    released = of_sets(a=[{0, 1}, {2}], b=[{0}, {1, 2}])
    real = pd.DataFrame({"a": [0, 1, 2], "b": [2, 1, 0]})
    assert joint_hellinger(real, released) == 1


def test_sets_of_one_leaf_are_compared_as_coded_tables_are():
    rng = np.random.default_rng(3)
    real, other = random_real(rng, 80, [3, 4, 5]), random_real(rng, 50, [3, 4, 5])
    other.iloc[:12] = 0, 0, 0
    other.iloc[12:17] = [[i % 3, i % 4, i] for i in range(5)]
    found = joint_hellinger_distances(real, ungrouped(other), (1, 2, 3))
    expected = margin_distances(real.to_numpy(), other.to_numpy())
    np.testing.assert_allclose(found["hellinger"], expected["hellinger"], rtol=1e-12)


def test_missing_is_a_value():
    column = GeneralizedColumn(
        "job", ("a", None), False, [[True, False], [True, True]], ("a", "*"), [0, 1]
    )
    real = pd.DataFrame({"job": ["a", None]})
    # p = (1/2, 1/2), q = (3/4, 1/4).
    assert joint_hellinger(real, GeneralizedTable([column])) == pytest.approx(
        sqrt(1 - sqrt(3 / 8) - sqrt(1 / 8))
    )


# --- errors ---------------------------------------------------------------


@pytest.mark.parametrize(
    "options, error, match",
    [
        ({"columns": ["v0", "w"]}, ParameterError, "Received 'w'. "),
        ({"columns": ["v0", "v0"]}, ParameterError, "Received 'v0', 'v0'. Name"),
        ({"columns": []}, ParameterError, "Received none. Name"),
        ({"orders": (0, 2)}, ParameterError, r"from 1 to 3.*Received \(0, 2\)\. Give"),
        ({"orders": (4,)}, ParameterError, r"Received \(4,\)\. Give"),
        ({"orders": 2.5}, ParameterError, r"Received 2\.5\. Give"),
    ],
)
def test_arguments_are_checked(options, error, match, rng):
    released, real = random_release(rng, 5, [2, 2, 2]), random_real(rng, 5, [2, 2, 2])
    with pytest.raises(error, match=match):
        joint_hellinger_distances(real, released, **options)


def test_real_tables_are_checked(rng):
    released, real = random_release(rng, 5, [2, 2]), random_real(rng, 5, [2, 2])
    with pytest.raises(TableError, match=r"Received none\. Check"):
        joint_hellinger(real[:0], released)
    with pytest.raises(ParameterError, match=r"columns 'v0'.*Received 'v1'"):
        joint_hellinger(real[["v0"]], released)
    with pytest.raises(
        SchemaError, match=r"'v1'.*2 leaves, 0, 1\. Received 7\. Compare"
    ):
        joint_hellinger(real.assign(v1=7), released)
    with pytest.raises(SchemaError, match="Received '0'"):
        joint_hellinger(real.assign(v0="0"), released)
