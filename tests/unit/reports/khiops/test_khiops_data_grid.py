"""The report of a grid of the columns of a table."""

import numpy as np
import pandas as pd
import pytest
from support.reports import check_costs, check_levels

from coclust_synth import (
    MODLDataGrid,
    ParameterError,
    TableError,
    data_grid_report,
    read_khiops_report,
    report_costs,
    write_khiops_report,
)
from coclust_synth.reports.khiops.files import report_to_dict


def people(n=240):
    """Three groups of people who differ in job and age; a coin and a date for each."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, n)
    return pd.DataFrame(
        {
            "job": np.array(["cook", "it's", "a, b"])[group],
            "age": 20 + 15 * group + rng.integers(0, 12, n),
            "coin": rng.random(n) < 0.5,
            "start": pd.Timestamp("2020-01-01") + pd.to_timedelta(group, "D"),
        }
    )


def learn(table, frequencies=None, **options):
    model = MODLDataGrid(n_iterations=6, random_state=0, **options)
    return model.fit(table, frequencies=frequencies)


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def model(table):
    return learn(table)


@pytest.fixture(scope="module")
def report(model, table):
    return data_grid_report(model, table, database="people.csv")


def test_the_report_says_what_the_model_found(model, table, report):
    check_costs(report, table, model)
    assert report.summary.database == "people.csv"
    assert [dimension.name for dimension in report.dimensions] == list(table)
    assert tuple(len(d.parts) for d in report.dimensions) == model.grid_.shape
    job, age, coin, start = report.dimensions
    assert {group.name for group in job.parts} == {"{cook}", "{'it''s'}", "{'a, b'}"}
    assert [part.name for part in age.parts] == ["]-inf,33]", "]33,48]", "]48,+inf["]
    assert [part.bounds[0] for part in age.parts] == [20, 33, 48]
    assert [group.name for group in coin.parts] == ["{False, True}"]
    assert start.parts[0].values[0].startswith("2020-01-0")


def test_parts_are_those_that_transform_gives(model, table, report):
    parts = model.transform(table)
    for axis, dimension in enumerate(report.dimensions):
        values = table[dimension.name].astype(str)
        found = [dimension.cluster_of(value) for value in values]
        pairs = set(zip(found, parts[:, axis], strict=True))
        assert len(pairs) == model.grid_.shape[axis]


def test_the_dendrogram_has_the_costs_of_the_model(model, report):
    check_levels(report, model)


def test_frequencies_are_a_column_of_the_table(table):
    counted = table.assign(n=np.arange(len(table)) % 3)
    counted.loc[0, "job"] = "none has it"  # for its frequency is 0
    model = learn(table.assign(job=counted["job"]), counted["n"])
    report = data_grid_report(model, counted, frequency="n")
    assert report.summary.frequency_variable == "n"
    assert report.summary.instances == counted["n"].sum()
    check_costs(report, counted, model)
    with pytest.raises(ParameterError, match="Choose among 'job', 'age'"):
        data_grid_report(model, counted, frequency="N")
    with pytest.raises(TableError, match="with the column of its frequencies"):
        data_grid_report(model, counted.drop(columns="n"))


def test_missing_values_are_values_like_others(table):
    holes = table.assign(age=table["age"].astype(float), nothing=np.nan)
    holes.loc[holes["job"] == "cook", ["age", "job"]] = None
    model = learn(holes)
    report = data_grid_report(model, holes)
    check_costs(report, holes, model)
    assert report.cluster_of("age", None) == "Missing"
    assert report.cluster_of("job", None) == "{}"
    assert [part.name for part in report.dimension("nothing").parts] == ["Missing"]


def test_missing_numbers_among_the_lowest(table):
    holes = table.assign(age=table["age"].astype(float))
    holes.loc[(holes["job"] == "cook") & (holes.index % 2 == 0), "age"] = None
    model = learn(holes)
    report = data_grid_report(model, holes)
    check_costs(report, holes, model)
    assert report.cluster_of("age", None) == report.cluster_of("age", 0)


def test_numbers_that_are_categories(table):
    model = learn(table, categorical_features=["age"])
    report = data_grid_report(model, table)
    assert not report.dimension("age").is_numeric
    check_costs(report, table, model)


def test_more_columns_than_khiops_takes(table):
    wide = pd.concat([table["job"].rename(f"job{i}") for i in range(12)], axis=1)
    model = learn(wide)
    report = data_grid_report(model, wide)
    assert len(report.dimensions) == 12
    check_costs(report, wide, model)


def test_arrays_have_columns_named_by_their_number(table):
    array = table[["job", "age"]].to_numpy(dtype=object)
    model = learn(array)
    report = data_grid_report(model, array)
    check_costs(report, table.set_axis(["x0", "x1", "x2", "x3"], axis=1), model)


def test_tables_that_cannot_be_described(model, table):
    for other in (table[:-1], table.iloc[:, ::-1], table.assign(age=7)):
        with pytest.raises(TableError, match="Expected the table that the model"):
            data_grid_report(model, other)
    mixed = table.assign(job=[1, "1"] * 120)
    with pytest.raises(TableError, match="'job': expected categories whose texts"):
        data_grid_report(learn(mixed), mixed)


def test_a_report_comes_back_from_its_file(report, table, model, tmp_path):
    path = tmp_path / "report.khcj.gz"
    write_khiops_report(report, path)
    again = read_khiops_report(path)
    assert report_to_dict(again) == report_to_dict(report)
    assert report_costs(again, table).best.total == pytest.approx(model.cost_)
