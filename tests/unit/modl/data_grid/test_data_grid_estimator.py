import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from coclust_synth import MODLDataGrid, ParameterError, TableError


def people(n=300, seed=0):
    """Three groups of people who differ in job, age and wage; a coin for each."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "job": np.array(["cook", "nurse", "smith"])[group],
            "age": 20 + 15 * group + rng.integers(0, 12, n),
            "coin": rng.random(n) < 0.5,
            "wage": np.round(100.0 * group + rng.normal(0, 10, n), 2),
        }
    )


def estimator(**options):
    return MODLDataGrid(n_iterations=6, random_state=0, **options)


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def fitted(table):
    return estimator().fit(table)


def test_partitions(fitted):
    partitions = fitted.partitions_
    assert list(partitions) == ["job", "age", "coin", "wage"]
    assert sorted(partitions["job"].groups) == [("cook",), ("nurse",), ("smith",)]
    assert partitions["coin"].groups == ((False, True),)
    assert partitions["age"].cuts.tolist() == [33.0, 48.0]
    assert len(partitions["wage"].cuts) == 2
    assert fitted.grid_.shape == (3, 3, 1, 3)


def test_what_is_learnt_fits_together(fitted, table):
    assert fitted.cost_ == fitted.grid_.cost == fitted.dendrogram_.costs[0]
    assert fitted.null_cost_ == fitted.grid_.null().cost == fitted.dendrogram_.costs[-1]
    assert fitted.level_ == 1.0 - fitted.cost_ / fitted.null_cost_ > 0.1
    assert fitted.records_.counts.sum() == len(table)
    assert len(fitted.dendrogram_.merges) == sum(fitted.grid_.shape) - 4
    assert fitted.trace_[-1].shape == fitted.grid_.shape
    assert fitted.n_iter_ == 6
    assert fitted.feature_names_in_.tolist() == list(table)


def test_transform_gives_the_cells(fitted, table):
    parts = fitted.transform(table)
    assert parts.dtype == np.int64 and parts.shape == table.shape
    cells, counts = np.unique(parts, axis=0, return_counts=True)
    np.testing.assert_array_equal(cells, fitted.grid_.cells)
    np.testing.assert_array_equal(counts, fitted.grid_.counts)
    for name, column in zip(table, parts.T, strict=True):
        np.testing.assert_array_equal(
            column, fitted.partitions_[name].index(table[name])
        )


def test_transform_of_values_not_seen(fitted):
    row = pd.DataFrame(
        {"job": ["pilot"], "age": [200], "coin": [True], "wage": [np.nan]}
    )
    assert fitted.transform(row).tolist() == [[0, 2, 0, 0]]


def test_frame_out(fitted, table):
    frame = clone(fitted).set_output(transform="pandas").fit_transform(table)
    assert list(frame) == list(table)
    np.testing.assert_array_equal(frame.to_numpy(), fitted.transform(table))


def test_frequencies_are_rows_repeated(table):
    short = table[["job", "coin"]].drop_duplicates()
    n = np.arange(1, len(short) + 1) * 20
    one = estimator().fit(short, frequencies=n)
    two = estimator().fit(short.loc[short.index.repeat(n)])
    assert one.cost_ == two.cost_
    np.testing.assert_array_equal(one.transform(short), two.transform(short))


def test_missing_values_are_a_part_like_others(table):
    holes = table.copy()
    holes.loc[holes["job"] == "cook", ["age", "job"]] = None
    fitted = estimator().fit(holes)
    assert fitted.partitions_["age"].cuts[0] == -np.inf
    assert (None,) in fitted.partitions_["job"].groups
    assert (fitted.transform(holes)[holes["age"].isna(), 1] == 0).all()


def test_numbers_can_be_categories(table):
    fitted = estimator(categorical_features=["age"]).fit(table)
    groups = fitted.partitions_["age"].groups
    assert sorted(age for group in groups for age in group) == sorted(set(table["age"]))
    assert fitted.grid_.dimensions[1].sizes.sum() == table["age"].nunique()


@pytest.mark.slow
def test_arrays_have_numbers_and_texts(table):
    array = table.to_numpy(dtype=object)
    fitted = estimator().fit(array)
    assert list(fitted.partitions_) == ["x0", "x1", "x2", "x3"]
    assert fitted.cost_ == estimator().fit(table).cost_
    again = estimator(categorical_features=["x1"]).fit(array)
    assert hasattr(again.partitions_["x1"], "groups")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"n_iterations": 0}, "n_iterations .* from 1.*Received 0"),
        ({"time_limit": 0}, "positive number of seconds"),
        ({"categorical_features": "age"}, r"Give for instance \['age'\]"),
        ({"categorical_features": ["aeg"]}, "Received 'aeg'. Choose among 'job'"),
    ],
)
def test_parameters_out_of_range(table, options, message):
    with pytest.raises(ParameterError, match=message):
        clone(estimator()).set_params(**options).fit(table)


def test_tables_that_cannot_be_modelled(table):
    with pytest.raises(TableError, match="two observations"):
        estimator().fit(table[:1])
    with pytest.raises(TableError, match="names that all differ"):
        estimator().fit(table[["job", "job"]])
    with pytest.raises(TableError, match="finite"):
        estimator().fit(pd.DataFrame({"a": [1.0, np.inf, 2.0]}))
    with pytest.raises(TableError, match="whole numbers"):
        estimator().fit(table, frequencies=np.full(len(table), 0.5))


def test_texts_where_the_fit_saw_numbers(fitted, table):
    with pytest.raises(TableError, match="'age': expected numbers"):
        fitted.transform(table.assign(age="old"))


def test_before_a_fit_there_is_nothing_to_transform(table):
    with pytest.raises(NotFittedError):
        MODLDataGrid().transform(table)


def test_a_fit_is_pickled(fitted, table):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(table), fitted.transform(table))


def test_the_callback_is_told(table):
    seen = []
    estimator(callback=lambda i, best: seen.append(i)).fit(table)
    assert seen == [1, 2, 3, 4, 5, 6]


def test_a_time_limit_cuts_the_search_short(table):
    fitted = clone(estimator()).set_params(n_iterations=10**6, time_limit=0.05)
    assert fitted.fit(table).n_iter_ < 10**6
