import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import is_valid_linkage
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import consensus_score

from coclust_synth import (
    DataWarning,
    MODLCoclustering,
    ParameterError,
    Schema,
    SchemaError,
    TableError,
    infer_schema,
)
from coclust_synth.modl.criterion.terms import cost_terms
from coclust_synth.tables.people.people import Persons

JOBS = np.array(["cook", "nurse", "smith"])


def people(n=150, seed=0):
    """Three groups of people who differ in job, age and colour."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "job": JOBS[group],
            "age": 20 + 15 * group + rng.integers(0, 12, n),
            "colour": np.array(["red", "green", "blue"])[
                np.where(rng.random(n) < 0.9, group, rng.integers(0, 3, n))
            ],
            "wage": np.round(100.0 * group + rng.normal(0, 10, n), 2),
        }
    ), group


def estimator(**options):
    return MODLCoclustering(n_iterations=5, random_state=0, bins=5, **options)


@pytest.fixture(scope="module")
def table():
    return people()[0]


@pytest.fixture(scope="module")
def fitted(table):
    return estimator().fit(table)


# What is learnt


def test_the_groups_are_found(fitted):
    _, group = people()
    pairs = set(zip(fitted.row_labels_.tolist(), group.tolist(), strict=True))
    assert len(pairs) == 3 == fitted.grid_.shape[0]


def test_a_schema_gives_bounds_and_kinds(table):
    schema = infer_schema(table)
    wide = Schema(
        tuple(
            replace(column, bounds=(0, 120)) if column.name == "age" else column
            for column in schema.columns
        ),
        schema.delimiter,
    )
    fitted = estimator().fit(table, schema=wide)
    ages = [name for name in fitted.part_names_ if name.startswith("age=")]
    assert ages[0].startswith("age=[0, ") and ages[-1].endswith(", 120]")
    assert fitted.cost_ == estimator().fit(table).cost_
    with pytest.raises(SchemaError, match="that keeps 'job', 'colour', 'wage'"):
        estimator().fit(table, schema=schema.drop("age"))


def test_shapes(fitted, table):
    n, (j1, j2) = len(table), fitted.grid_.shape
    v = len(fitted.part_names_)
    assert v == 3 + 5 + 3 + 5
    assert fitted.row_labels_.shape == (n,) and fitted.column_labels_.shape == (v,)
    assert fitted.rows_.shape == (j1 * j2, n) and fitted.rows_.dtype == bool
    assert fitted.columns_.shape == (j1 * j2, v) and fitted.columns_.dtype == bool
    assert [c.shape for c in fitted.children_] == [(j1 - 1, 2), (j2 - 1, 2)]
    assert fitted.dendrogram_.cells.shape == (j1, j2)
    assert fitted.n_features_in_ == 4 and fitted.n_iter_ == 5
    assert fitted.feature_names_in_.tolist() == list(table)
    for labels, j in zip(
        (fitted.row_labels_, fitted.column_labels_), (j1, j2), strict=True
    ):
        assert set(labels.tolist()) == set(range(j)) and labels.dtype == np.int64


def test_parts_are_named_in_the_order_of_the_table(fitted, table):
    names = [name.partition("=")[0] for name in fitted.part_names_]
    assert list(dict.fromkeys(names)) == list(table)
    assert names == sorted(names, key=list(table).index)
    assert len(set(fitted.part_names_)) == len(names)
    assert fitted.part_names_[:3].tolist() == ["job=cook", "job=nurse", "job=smith"]
    of_age = [p for p in fitted.part_names_ if p.startswith("age=")]
    lows = [float(p[5:].split(",")[0]) for p in of_age]
    assert lows == sorted(lows)


def test_cells_count_the_individuals_of_the_labels(fitted, table):
    codes = fitted.coding_.encode(table)
    offsets = np.cumsum([0, *fitted.coding_.n_parts_per_variable[:-1]])
    cells = np.zeros(fitted.grid_.shape, dtype=np.int64)
    clusters = fitted.column_labels_[codes + offsets]
    np.add.at(cells, (fitted.row_labels_[:, None], clusters), 1)
    np.testing.assert_array_equal(cells, fitted.grid_.cells)
    assert cells.sum() == table.size
    np.testing.assert_array_equal(
        fitted.grid_.row_sizes, np.bincount(fitted.row_labels_)
    )


def test_people_of_equal_parts_are_together(fitted, table):
    codes = fitted.coding_.encode(table)
    _, row = np.unique(codes, axis=0, return_inverse=True)
    pairs = set(zip(row.tolist(), fitted.row_labels_.tolist(), strict=True))
    assert len(pairs) == row.max() + 1


def test_biclusters_are_those_of_scikit_learn(fitted):
    rows, columns = fitted.biclusters_
    n_rows, n_columns = fitted.grid_.shape
    for cell in range(n_rows * n_columns):
        i, j = divmod(cell, n_columns)
        own_rows, own_columns = fitted.get_indices(cell)
        np.testing.assert_array_equal(own_rows, np.flatnonzero(fitted.row_labels_ == i))
        np.testing.assert_array_equal(
            own_columns, np.flatnonzero(fitted.column_labels_ == j)
        )
        assert fitted.get_shape(cell) == (len(own_rows), len(own_columns))
    # Every individual and part is in the cells of its cluster, and in no other.
    assert (rows.sum(axis=0) == n_columns).all()
    assert (columns.sum(axis=0) == n_rows).all()
    assert consensus_score(fitted.biclusters_, fitted.biclusters_) == 1.0


def test_submatrices_of_the_individuals_by_parts_table(fitted, table):
    codes = fitted.coding_.encode(table)
    offsets = np.cumsum([0, *fitted.coding_.n_parts_per_variable[:-1]])
    counts = np.zeros((len(table), len(fitted.part_names_)), dtype=int)
    np.add.at(counts, (np.arange(len(table))[:, None], codes + offsets), 1)
    cells = [fitted.get_submatrix(c, counts).sum() for c in range(len(fitted.rows_))]
    assert cells == fitted.grid_.cells.ravel().tolist()


def test_costs_and_level(fitted):
    assert fitted.cost_ == fitted.grid_.cost == fitted.dendrogram_.costs[0]
    assert fitted.null_cost_ == fitted.dendrogram_.costs[-1]
    assert fitted.level_ == 1.0 - fitted.cost_ / fitted.null_cost_
    assert 0.0 < fitted.level_ < 1.0
    grid = fitted.grid_
    null = cost_terms(
        [[grid.cells.sum()]], [grid.row_sizes.sum()], [grid.column_sizes.sum()], 0.0
    )
    own = cost_terms(grid.cells, grid.row_sizes, grid.column_sizes, 0.0)
    difference = fitted.null_cost_ - fitted.cost_
    assert difference == pytest.approx(null.total - own.total, rel=1e-9)
    assert fitted.trace_[0].cost == pytest.approx(fitted.null_cost_)
    assert fitted.trace_[-1].cost == pytest.approx(fitted.cost_)


def test_children_are_trees(fitted):
    for children, j in zip(fitted.children_, fitted.grid_.shape, strict=True):
        sizes = np.ones(2 * j - 1)
        for i, pair in enumerate(children):
            sizes[j + i] = sizes[pair].sum()
        linkage = np.column_stack([children, np.arange(j - 1), sizes[j:]])
        assert is_valid_linkage(linkage.astype(float))


def test_independent_columns_give_one_cell(rng):
    table = pd.DataFrame(rng.integers(0, 3, (60, 3)), columns=list("abc"))
    fitted = estimator().fit(table)
    assert fitted.grid_.shape == (1, 1)
    assert not fitted.row_labels_.any() and not fitted.column_labels_.any()
    assert fitted.cost_ == fitted.null_cost_ and fitted.level_ == 0.0
    assert (
        fitted.rows_.all() and fitted.columns_.all() and fitted.rows_.shape == (1, 60)
    )
    assert [c.shape for c in fitted.children_] == [(0, 2), (0, 2)]


def test_the_dendrogram_is_cut_above_and_below_the_best_grid(fitted, table):
    n, smallest = len(table), fitted.grid_.row_sizes.min()
    best = fitted.dendrogram_.cut(k=smallest)
    np.testing.assert_array_equal(best.row_labels, fitted.row_labels_)
    assert fitted.dendrogram_.cut(k=n).dendrogram.cells.shape[0] == 1
    finer = fitted.dendrogram_.cut(k=10)
    assert np.bincount(finer.row_labels).min() >= 10
    assert len(finer.dendrogram.row_sizes) > fitted.grid_.shape[0]
    assert len(set(finer.column_labels)) == len(fitted.part_names_)
    # Every cluster is a part of one of the best grid.
    pairs = set(zip(finer.row_labels, fitted.row_labels_, strict=True))
    assert len(pairs) == len(finer.dendrogram.row_sizes)


def test_finer_cuts_are_those_of_the_seed_of_the_fit(fitted, table):
    again = estimator().fit(table).dendrogram_.cut(k=5)
    np.testing.assert_array_equal(
        again.row_labels, fitted.dendrogram_.cut(k=5).row_labels
    )


# New individuals


def test_individuals_of_the_table_are_found_in_their_clusters(fitted, table):
    assert (fitted.predict(table) == fitted.row_labels_).mean() > 0.95


def test_new_individuals_go_to_their_groups(fitted):
    _, group = people()
    new, new_group = people(80, seed=5)
    of_group = dict(zip(group.tolist(), fitted.row_labels_.tolist(), strict=True))
    expected = [of_group[g] for g in new_group.tolist()]
    predicted = fitted.predict(new)
    assert predicted.dtype == np.int64 and predicted.tolist() == expected


def test_what_is_unknown_of_a_new_individual_is_left_out(fitted):
    new, _ = people(30, seed=5)
    known = fitted.predict(new)
    with pytest.warns(DataWarning, match=r"'colour'.*'mauve' \(30 rows\)"):
        hidden = fitted.predict(new.assign(colour="mauve", wage=np.nan))
    np.testing.assert_array_equal(hidden, known)
    extreme = new.assign(age=np.where(new["age"] > 45, 10**6, new["age"]))
    np.testing.assert_array_equal(fitted.predict(extreme), known)


def test_someone_of_whom_nothing_is_known_has_a_cluster(fitted, table):
    nobody = pd.DataFrame({name: [None] for name in table}, dtype=object)
    (cluster,) = fitted.predict(nobody)
    # The one whose individuals have least observations each; here all have four.
    assert cluster == 0


@pytest.mark.slow
def test_each_new_individual_counts_alone(fitted):
    new, _ = people(40, seed=7)
    one_by_one = [fitted.predict(new.iloc[[i]]).item() for i in range(len(new))]
    assert fitted.predict(new).tolist() == one_by_one
    assert fitted.predict(new.iloc[::-1]).tolist() == one_by_one[::-1]


def test_arrays_are_predicted_as_they_were_fitted():
    table, _ = people(60)
    array = table[["age", "job"]].to_numpy(dtype=object)
    fitted = estimator().fit(array)
    named = estimator().fit(table[["age", "job"]])
    np.testing.assert_array_equal(
        fitted.predict(array), named.predict(table[["age", "job"]])
    )
    np.testing.assert_array_equal(fitted.predict(array.tolist()), fitted.predict(array))


def test_fit_predict_is_the_labels_of_the_fit(fitted, table):
    labels = estimator().fit_predict(table)
    np.testing.assert_array_equal(labels, fitted.row_labels_)


def test_tables_that_cannot_be_predicted(fitted, table):
    with pytest.raises(NotFittedError):
        MODLCoclustering().predict(table)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(table[["age", "job"]])
    with pytest.raises(SchemaError, match="'age'"):
        fitted.predict(table.assign(age="old"))
    with pytest.raises(TableError, match="infinite"):
        fitted.predict(table.assign(wage=np.inf))


# Kinds of tables


def test_texts_dates_and_booleans():
    table, group = people()
    table = table.assign(
        since=pd.Timestamp("2020-01-01") + pd.to_timedelta(400 * group, "D"),
        member=group == 1,
        size=pd.Categorical(
            np.array(["S", "M", "L"])[group], ["S", "M", "L"], ordered=True
        ),
    )
    fitted = estimator().fit(table)
    assert {"member=False", "member=True", "size=S", "job=cook"} < set(
        fitted.part_names_
    )
    assert fitted.grid_.shape[0] == 3


def test_an_array_has_columns_x0_x1():
    values = np.random.default_rng(0).normal(size=(40, 2))
    fitted = estimator().fit(values)
    names = {name.partition("=")[0] for name in fitted.part_names_}
    assert names == {"x0", "x1"} and not hasattr(fitted, "feature_names_in_")


def test_an_array_of_objects_is_typed():
    table, _ = people(60)
    one = estimator().fit(table[["age", "job"]].to_numpy(dtype=object))
    other = estimator().fit(table[["age", "job"]])
    np.testing.assert_array_equal(one.row_labels_, other.row_labels_)
    assert one.cost_ == other.cost_


def test_the_index_of_a_table_does_not_matter(table, fitted):
    again = estimator().fit(table.set_index(np.arange(len(table)) * 7 % 1000))
    np.testing.assert_array_equal(again.row_labels_, fitted.row_labels_)


def test_columns_like_identifiers_are_modelled():
    table = pd.DataFrame({"id": range(1000, 1100), "side": list("lr") * 50})
    fitted = estimator().fit(table)
    assert sum(name.startswith("id=") for name in fitted.part_names_) == 5


@pytest.fixture(scope="module")
def holes():
    table, _ = people()
    rng = np.random.default_rng(1)
    return table.mask(pd.DataFrame(rng.random(table.shape) < 0.1, columns=list(table)))


def test_missing_values_are_parts(holes):
    fitted = estimator().fit(holes)
    missing = [name for name in fitted.part_names_ if name.endswith("=missing")]
    assert missing == [f"{name}=missing" for name in holes]
    assert fitted.grid_.cells.sum() == holes.size


def test_missing_values_are_left_out(holes):
    fitted = estimator(keep_missing=False).fit(holes)
    assert not any(name.endswith("=missing") for name in fitted.part_names_)
    assert fitted.grid_.cells.sum() == holes.notna().sum().sum()
    assert fitted.row_labels_.shape == (len(holes),)


def test_without_missing_values_it_does_not_matter(table, fitted):
    again = estimator(keep_missing=False).fit(table)
    assert again.cost_ == fitted.cost_
    np.testing.assert_array_equal(again.row_labels_, fitted.row_labels_)


def test_someone_with_nothing_but_missing_values_has_a_cluster(holes):
    holes = holes.copy()
    holes.iloc[[3, 70]] = None
    fitted = estimator(keep_missing=False).fit(holes)
    assert fitted.row_labels_[3] == fitted.row_labels_[70] >= 0
    assert fitted.grid_.row_sizes.sum() == len(holes)


def test_a_constant_column_is_kept_with_a_warning():
    table = pd.DataFrame({"one": [1] * 40, "side": list("lr") * 20})
    with pytest.warns(DataWarning, match="'one'"):
        fitted = estimator().fit(table)
    assert fitted.part_names_.tolist() == ["one={1}", "side=l", "side=r"]


# Parameters


def seeds_of(kind):
    """Two that are alike."""
    make = {
        "number": lambda: 0,
        "large number": lambda: 2**40,
        "sequence": lambda: np.random.SeedSequence(5),
        "generator": lambda: np.random.default_rng(5),
    }[kind]
    return make(), make()


@pytest.mark.parametrize("kind", ["number", "large number", "sequence", "generator"])
def test_equal_seeds_give_equal_results(table, kind):
    one, two = (
        estimator().set_params(random_state=seed).fit(table) for seed in seeds_of(kind)
    )
    np.testing.assert_array_equal(one.row_labels_, two.row_labels_)
    np.testing.assert_array_equal(one.column_labels_, two.column_labels_)
    assert one.cost_ == two.cost_
    assert [(p.iteration, p.cost) for p in one.trace_] == [
        (p.iteration, p.cost) for p in two.trace_
    ]


def test_no_seed_is_another_one_each_time(table):
    unseeded = clone(estimator()).set_params(random_state=None)
    one, two = (unseeded.fit(table).dendrogram_.seed.entropy for _ in range(2))
    assert one != two


def test_a_seed_of_another_kind_is_refused(table):
    with pytest.raises(ParameterError, match="random_state"):
        estimator().set_params(random_state=np.random.RandomState(0)).fit(table)


def test_cuts_are_followed(table):
    fitted = estimator(cuts={"age": [30, 40]}).fit(table)
    ages = [name for name in fitted.part_names_ if name.startswith("age=")]
    low, high = table["age"].min(), table["age"].max()
    assert ages == [f"age=[{low}, 30]", "age=]30, 40]", f"age=]40, {high}]"]


def test_the_callback_is_told(table):
    seen = []
    estimator(callback=lambda i, best: seen.append((i, best.cost))).fit(table)
    assert [i for i, _ in seen] == [1, 2, 3, 4, 5]


def test_a_fit_is_pickled(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.row_labels_, fitted.row_labels_)
    np.testing.assert_array_equal(again.rows_, fitted.rows_)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"parts": "learned"}, ParameterError, "'fixed', 'learnt'. Received 'learned'"),
        ({"n_iterations": 0}, ParameterError, "n_iterations .* from 1.*Received 0"),
        ({"n_iterations": 2.0}, ParameterError, "whole number"),
        ({"time_limit": 0}, ParameterError, "positive number of seconds"),
        ({"bins": 0}, ParameterError, "bins of at least 1"),
        ({"binning": "tertile"}, ParameterError, "'tertile'"),
        ({"cuts": {"aeg": [3]}}, SchemaError, "Did you mean 'age'"),
        ({"cuts": {"job": [3]}}, SchemaError, "'job'"),
    ],
)
def test_parameters_out_of_range(table, options, error, message):
    with pytest.raises(error, match=message):
        clone(estimator()).set_params(**options).fit(table)


def test_tables_that_cannot_be_modelled(table):
    with pytest.raises(TableError, match="one row"):
        estimator().fit(table[:1])
    with pytest.raises(TableError, match="no column"):
        estimator().fit(table[[]])
    with pytest.raises(TableError, match="infinite"):
        estimator().fit(pd.DataFrame({"a": [1.0, np.inf, 2.0]}))


def test_before_a_fit_there_are_no_cells():
    for name in ("rows_", "columns_"):
        with pytest.raises(NotFittedError):
            getattr(MODLCoclustering(), name)


def test_a_time_limit_cuts_the_search_short(table):
    fitted = estimator(time_limit=0.05).set_params(n_iterations=10**6).fit(table)
    assert fitted.n_iter_ < 10**6


# Codings, persons and seeds that are given


def test_the_parts_of_a_coding_are_taken(table, fitted):
    given = estimator(parts=fitted.coding_).fit(table)
    assert given.coding_ is fitted.coding_
    np.testing.assert_array_equal(given.row_labels_, fitted.row_labels_)


def test_persons_are_the_individuals(table):
    who = np.arange(len(table)) // 2
    persons = Persons("who", who)
    model = estimator().fit(table, persons=persons)
    assert len(model.row_labels_) == persons.n == model.grid_.row_sizes.sum()
    with pytest.raises(ParameterError, match=r"persons.*learnt.*coding_ as parts"):
        MODLCoclustering(parts="learnt").fit(table, persons=persons)


@pytest.mark.slow
def test_seeds_of_each_kind(table):
    def labels(random_state):
        model = MODLCoclustering(n_iterations=2, random_state=random_state)
        return model.fit(table).trace_[-1].cost

    one, two = (labels(np.random.SeedSequence(4)) for _ in range(2))
    assert one == two == labels(np.random.SeedSequence(4))
    assert labels(np.random.default_rng(4)) == labels(np.random.default_rng(4))
    with pytest.raises(ParameterError, match="random_state to be a whole number"):
        labels(np.random.RandomState(0))
