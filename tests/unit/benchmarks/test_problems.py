import numpy as np
import pandas as pd
import pytest

from benchmarks import tables
from benchmarks.cases import CASES
from benchmarks.planted import planted_table
from benchmarks.problems import id_by_part, two_variables
from coclust_synth import TableError
from coclust_synth.modl.grid.grid import Contingency


def null_cost(problem):
    trace = problem.search(n_iterations=1, seed=0, time_limit=None).trace
    return f"{trace[0].cost:.10g}"


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("iris_id_part", "5959.386818"),
        ("iris_variable_parts", "7699.399272"),
        ("iris_data_grid", "1379.668177"),
    ],
)
def test_null_costs_of_iris_are_those_of_khiops(name, cost):
    assert null_cost(CASES[name].build()) == cost


@pytest.mark.slow
def test_khiops_reads_the_table_that_we_search():
    """A grid of the two columns id and part is that of the distinct rows."""
    frame = tables.mushroom_like(200)
    problem = id_by_part(frame, bins=10)
    assert problem.table.shape == (200 * 23, 2)
    assert null_cost(problem) == null_cost(two_variables(problem.table))
    first = problem.table.iloc[:23]
    assert first["id"].unique().tolist() == ["0"]
    assert first["part"].tolist() == [f"{k}={v}" for k, v in frame.iloc[0].items()]


def test_parts_of_drawn_rows_are_those_of_the_whole_table():
    whole = pd.DataFrame({"x": np.arange(100.0), "y": list("ab") * 50})
    drawn = tables.drawn_again(whole, 30, seed=1)
    problem = id_by_part(drawn, bins=2, learn_from=whole)
    assert set(problem.table["part"]) == {"x=[0, 49]", "x=]49, 99]", "y=a", "y=b"}
    assert problem.table["id"].nunique() == 30
    (contingency,) = problem.search.args
    assert isinstance(contingency, Contingency) and contingency.n_observations == 60


def test_planted_table_has_its_shape():
    table = planted_table(10_000, 500, 8)
    assert table.shape == (10_000, 2)
    # What the recipe gave when Khiops was measured on it.
    assert table.nunique().tolist() == [470, 496]
    assert len(table.drop_duplicates()) == 7006
    pd.testing.assert_frame_equal(table, planted_table(10_000, 500, 8))
    assert not table.equals(planted_table(10_000, 500, 8, seed=2))


def test_mushroom_like_table_has_its_shape():
    table = tables.mushroom_like()
    assert table.shape == (8416, 23)
    assert table.nunique().between(1, 12).all() and table.nunique().sum() > 100
    assert table.duplicated().sum() < 8416 / 2


def test_adult_in_equal_widths():
    adult = pd.DataFrame({name: ["x"] * 3 for name in tables.FIVE})
    adult["age"] = [17, 31, 90]
    assert tables.with_equal_widths(adult)["age"].tolist() == ["bin0", "bin1", "bin9"]


@pytest.mark.parametrize("content", [None, "age,sex\n1,2\n"])
def test_another_table_than_adult_is_refused(tmp_path, content):
    if content:
        (tmp_path / "adult.csv").write_text(content, encoding="utf-8")
    with pytest.raises(TableError, match=r"Expected .*UCI Adult"):
        tables.read_adult(tmp_path / "adult.csv")
