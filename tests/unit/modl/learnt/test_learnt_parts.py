"""MODLCoclustering with learnt parts; what it shares is in `test_estimator`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from coclust_synth import MODLCoclustering
from coclust_synth.exceptions import DataWarning


def people(n=300, seed=0):
    """Two kinds of people, told apart by a number, a category and a truth value."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "age": np.where(
                group == 0, rng.integers(18, 40, n), rng.integers(40, 70, n)
            ),
            "job": np.array(list("abcdef"))[rng.integers(0, 3, n) + 3 * group],
            "member": group == 1,
        }
    ), group


def estimator(**options):
    options = {"n_iterations": 4, "random_state": 0} | options
    return MODLCoclustering(parts="learnt", **options)


@pytest.fixture(scope="module")
def fitted():
    return estimator().fit(people()[0])


def test_the_parts_are_those_that_tell_people_apart(fitted):
    assert fitted.part_names_.tolist() == [
        *("age=[18, 39]", "age=]39, 69]", "job={a, b, c}", "job={d, e, f}"),
        *("member=False", "member=True"),
    ]
    assert fitted.column_labels_.tolist() == [0, 1] * 3 or (
        fitted.column_labels_.tolist() == [1, 0] * 3
    )
    _, group = people()
    assert len(set(zip(fitted.row_labels_, group, strict=True))) == 2


def test_attributes(fitted):
    table, _ = people()
    codes = fitted.coding_.encode(table)
    starts = np.cumsum([0, *fitted.coding_.n_parts_per_variable[:-1]])
    cells = np.zeros(fitted.grid_.shape, dtype=np.int64)
    clusters = fitted.column_labels_[codes + starts]
    np.add.at(cells, (fitted.row_labels_[:, None], clusters), 1)
    np.testing.assert_array_equal(cells, fitted.grid_.cells)
    assert fitted.cost_ == fitted.grid_.cost == fitted.dendrogram_.costs[0]
    assert fitted.null_cost_ == fitted.dendrogram_.costs[-1] == fitted.trace_[0].cost
    assert fitted.level_ == 1.0 - fitted.cost_ / fitted.null_cost_ > 0.0
    assert [children.tolist() for children in fitted.children_] == [[[0, 1]]] * 2
    rows, columns = fitted.biclusters_
    assert rows.shape == (4, 300) and columns.shape == (4, 6)


def test_missing_values_are_left_out():
    table, _ = people()
    holes = table.astype(object).mask(
        np.random.default_rng(1).random(table.shape) < 0.1
    )
    fitted = estimator().fit(holes)
    assert fitted.grid_.cells.sum() == holes.notna().sum().sum() < holes.size
    assert not any("missing" in name for name in fitted.part_names_)
    assert fitted.grid_.shape == (2, 2)


def test_a_column_of_one_value_or_none_is_one_part():
    table, _ = people()
    table = table.assign(one=1, none=None)
    with pytest.warns(DataWarning, match="'one', 'none'"):
        fitted = estimator().fit(table)
    assert fitted.part_names_[-2:].tolist() == ["one={1}", "none=missing"]


def test_independent_columns_give_one_cell_and_whole_variables(rng):
    table = pd.DataFrame(
        {"a": rng.integers(0, 9, 60), "b": rng.choice(list("xyz"), 60)}
    )
    fitted = estimator().fit(table)
    assert fitted.grid_.shape == (1, 1) and fitted.level_ == 0.0
    assert fitted.part_names_.tolist() == ["a=[0, 8]", "b={x, y, z}"]
    assert fitted.cost_ == fitted.null_cost_
    assert [children.shape for children in fitted.children_] == [(0, 2), (0, 2)]


@settings(deadline=None, max_examples=examples(15))
@given(st.permutations(range(60)), st.sampled_from(["cube", "exp", "affine"]))
def test_order_of_rows_and_increasing_maps_change_nothing(order, name):
    table = people(60, seed=2)[0].astype({"age": float})
    maps = {
        "cube": lambda x: x**3,
        "exp": lambda x: np.exp(x / 10),
        "affine": lambda x: 2 * x - 100,
    }
    order = list(order)
    other = table.assign(age=maps[name](table["age"])).iloc[order]
    one, two = (estimator(n_iterations=2).fit(t) for t in (table, other))
    assert one.cost_ == two.cost_
    np.testing.assert_array_equal(one.row_labels_[order], two.row_labels_)
    np.testing.assert_array_equal(one.column_labels_, two.column_labels_)


@settings(deadline=None, max_examples=examples(15))
@given(st.permutations("abcdef"))
def test_names_of_categories_change_no_cost(names):
    table, _ = people(200, seed=3)
    renamed = table.assign(
        job=table["job"].map(dict(zip("abcdef", names, strict=True)))
    )
    one, two = (estimator().fit(t) for t in (table, renamed))
    assert one.null_cost_ == pytest.approx(two.null_cost_, rel=1e-12)
    assert one.cost_ == pytest.approx(two.cost_, rel=1e-12)
