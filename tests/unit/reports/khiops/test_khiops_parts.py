"""The report of a co-clustering of learnt parts."""

import numpy as np
import pandas as pd
import pytest
from support.reports import check_costs, check_levels

from coclust_synth import (
    MODLCoclustering,
    ParameterError,
    TableError,
    coclustering_report,
    read_khiops_report,
    report_costs,
    write_khiops_report,
)
from coclust_synth.exceptions import DataWarning
from coclust_synth.reports.khiops.files import report_to_dict


def people(n=200):
    """Two groups of people, told apart by three variables; some values are missing."""
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "wage": np.round(20.0 * group + rng.normal(0, 4, n), 1) * 0.1,
            "job": np.array(["it's", "{b}", "c, d", "e", "f", "g"])[
                rng.integers(0, 3, n) + 3 * group
            ],
            "Member": group == 1,
        }
    )
    return table.astype(object).mask(rng.random(table.shape) < 0.1).infer_objects()


def learn(table):
    model = MODLCoclustering(parts="learnt", n_iterations=4, random_state=0)
    return model.fit(table)


@pytest.fixture(scope="module")
def table():
    return people()


@pytest.fixture(scope="module")
def model(table):
    return learn(table)


@pytest.fixture(scope="module")
def report(model, table):
    return coclustering_report(model, table, database="people.csv")


def test_the_report_says_what_the_model_found(model, table, report):
    check_costs(report, table, model)
    assert report.summary.instances == table.notna().sum().sum() < table.size
    assert report.summary.database == "people.csv"
    instances, variables = report.dimensions
    assert (instances.name, variables.name) == ("Instance index", "Variables")
    assert instances.n_values == len(table)
    assert variables.n_values == len(model.part_names_)
    # Lines of a file, the first one its header.
    for group in instances.parts:
        labels = model.row_labels_[[int(line) - 2 for line in group.values]]
        assert len(set(labels)) == 1
        assert len(group.values) == model.grid_.row_sizes[labels[0]]


def test_variables_and_their_parts(report):
    variables = report.dimension("Variables")
    member, job, wage = variables.inner_variables
    assert (member.name, job.name, wage.name) == ("Member", "job", "wage")
    # Missing is a category that no part holds.
    assert (member.n_values, job.n_values, wage.n_values) == (3, 7, 200)
    assert {group.name for group in member.parts} == {"Member {True}", "Member {False}"}
    names = " ".join(group.name for group in job.parts)
    assert all(quoted in names for quoted in ("'it''s'", "'{b}'", "'c, d'"))
    low, high = wage.parts
    assert (low.name[:11], high.name[-6:]) == ("wage ]-inf,", ",+inf[")
    assert low.bounds[1] == high.bounds[0]
    totals = [sum(group.frequencies) for group in job.parts]
    assert totals == sorted(totals, reverse=True)
    assert all(sum(group.typicalities) == 0.0 for group in variables.parts)


def test_values_are_looked_up_in_the_clusters_of_the_model(model, table, report):
    codes = model.coding_.encode(table)
    first = np.cumsum([0, *model.coding_.n_parts_per_variable[:-1]])
    clusters = {}
    for k, name in enumerate(table):
        for value, code in zip(table[name], codes[:, k], strict=True):
            if code >= 0:
                label = model.column_labels_[first[k] + code]
                clusters.setdefault(label, set()).add(report.cluster_of(name, value))
    assert [len(names) for names in clusters.values()] == [1] * model.grid_.shape[1]
    with pytest.raises(ParameterError, match="'wage' that a part holds"):
        report.cluster_of("wage", None)


def test_the_dendrogram_has_the_costs_of_the_model(model, report):
    check_levels(report, model)


def test_individuals_can_have_names_of_their_own(model, table):
    ids = [f"p{i}" for i in range(len(table))]
    report = coclustering_report(model, table, ids=ids)
    assert report.dimensions[0].name == "id"
    check_costs(report, table.assign(id=ids), model)
    with pytest.raises(TableError, match="Received no '2' there"):
        report_costs(report, table)


def test_another_table_is_refused(model, table):
    for other in (table.iloc[:-1], table.iloc[::-1]):
        with pytest.raises(TableError, match="of 200 individuals that the model"):
            coclustering_report(model, other)


@pytest.mark.slow
def test_rows_without_values_and_columns_of_one_value_or_none(table):
    table = table.assign(one=1, uno="x", none=None, nan=np.nan)
    table.loc[3, ["wage", "job", "Member", "one", "uno"]] = None
    with pytest.warns(DataWarning, match="none, in 'one', 'uno', 'none', 'nan'"):
        model = learn(table)
    report = coclustering_report(model, table)
    check_costs(report, table, model)
    sizes = [len(v.parts) for v in report.dimension("Variables").inner_variables]
    assert sorted(sizes) == [1, 1, 1, 1, 2, 2, 2]
    assert report.cluster_of("none", None) == report.cluster_of("nan", None)


@pytest.mark.slow
def test_dates_are_numbers(table):
    days = np.where(table["Member"].eq(True), 40, 0) + np.arange(len(table)) % 30
    date = pd.Timestamp("1970-01-01") + pd.to_timedelta(days, "D")
    model = learn(table.assign(date=date))
    report = coclustering_report(model, table.assign(date=date))
    check_costs(report, table.assign(date=days), model)


def test_a_grid_of_one_cell(rng):
    table = pd.DataFrame({"a": rng.integers(0, 9, 60), "b": rng.choice(["u", "v"], 60)})
    model = learn(table)
    assert model.grid_.shape == (1, 1)
    report = coclustering_report(model, table)
    check_costs(report, table, model)
    assert [dimension.n_values for dimension in report.dimensions] == [60, 2]


def test_a_report_comes_back_from_its_file(report, table, model, tmp_path):
    path = tmp_path / "report.khcj"
    write_khiops_report(report, path)
    again = read_khiops_report(path)
    assert report_to_dict(again) == report_to_dict(report)
    assert again.dimensions[1].inner_variables == report.dimensions[1].inner_variables
    assert report_costs(again, table).best.total == pytest.approx(model.cost_)
