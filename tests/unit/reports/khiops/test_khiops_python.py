"""khiops-python, the reader of Khiops itself, reads the reports of all our models."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    MODLCoclustering,
    MODLDataGrid,
    coclustering_report,
    data_grid_report,
    write_khiops_report,
)
from coclust_synth.reports.khiops.files import report_to_dict

# Of that package, where it is not set up.
pytestmark = pytest.mark.filterwarnings("ignore")


def people(n=120):
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, n)
    table = pd.DataFrame(
        {
            "sex": np.array(["f", "m"])[group],
            "job, or none": np.array(["it's", "{b}", "c", "d"])[
                2 * group + rng.integers(0, 2, n)
            ],
            "age": 20.0 + 30 * group + rng.integers(0, 20, n),
            "coin": rng.random(n) < 0.5,
        }
    )
    table.loc[rng.random(n) < 0.1, "job, or none"] = None
    return table


def fixed_parts():
    model = MODLCoclustering(n_iterations=5, random_state=0).fit(people())
    return coclustering_report(model, people())


def learnt_parts():
    model = MODLCoclustering(parts="learnt", n_iterations=3, random_state=0)
    return coclustering_report(model.fit(people()), people())


def data_grid():
    # It cannot read a part of missing numbers, not even in reports of Khiops.
    model = MODLDataGrid(n_iterations=5, random_state=0).fit(people())
    return data_grid_report(model, people())


def wide_data_grid():
    """More dimensions than Khiops itself takes."""
    table = pd.concat([people().add_suffix(str(i)) for i in range(3)], axis=1)
    model = MODLDataGrid(n_iterations=3, random_state=0).fit(table)
    return data_grid_report(model, table)


@pytest.mark.parametrize("make", [fixed_parts, learnt_parts, data_grid, wide_data_grid])
def test_khiops_python_reads_our_reports(make, tmp_path):
    core = pytest.importorskip(
        "khiops.core", reason="needs khiops-python: pip install 'coclust-synth[khiops]'"
    )
    ours = make()
    write_khiops_report(ours, tmp_path / "report.khcj")
    results = core.read_coclustering_results_file(str(tmp_path / "report.khcj"))
    theirs = results.coclustering_report
    assert theirs.cost == float(f"{ours.summary.cost:.10g}")
    assert theirs.instance_number == ours.summary.instances
    assert len(theirs.cells) == ours.summary.cells
    for dimension, expected in zip(theirs.dimensions, ours.dimensions, strict=True):
        assert dimension.name == expected.name
        assert len(dimension.parts) == len(expected.parts) > 0
        names = {node.name: node for node in expected.hierarchy}
        assert len(dimension.clusters) == len(names)
        for cluster in dimension.clusters:
            node = names[cluster.name]
            assert cluster.parent_cluster_name == node.parent
            assert cluster.rank == node.rank
            assert cluster.hierarchical_rank == node.hierarchical_rank
    # Their own writer gives our content back.
    content = report_to_dict(ours)["coclusteringReport"]
    assert theirs.to_dict() == content
