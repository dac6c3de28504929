"""The benchmark of MDAV on small tables in place of the real ones."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.microaggregation import PUBLISHED, loss, main


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    for name in PUBLISHED:
        frame = pd.DataFrame(rng.normal(size=(50, 2)), columns=["a", "b"])
        frame.assign(MONTH=1).to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def test_prints_losses_and_times(folder, capsys):
    arguments = ["--casc", str(folder), "--rows", "60", "--iterations", "2"]
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("|")[1:-1] for line in lines if line]
    cells = [[cell.strip() for cell in row] for row in rows]
    measured = [own for own in cells if own[0] in PUBLISHED]
    assert len(measured) == 12 and cells[-1][0] == "Gaussian, 60 x 6"
    for own in measured:
        assert float(own[5]) <= float(own[2]) + 5e-4
    assert [own[3] for own in measured[:2]] == ["5.692186", "7.494700"]


def test_loss_is_the_share_within_groups():
    values = np.array([[-1.0], [1.0], [-1.0], [1.0]])
    assert loss(values, np.array([0, 1, 0, 1])) == 0
    assert loss(values, np.array([0, 0, 1, 1])) == 100


def test_tells_of_a_table_that_is_not_there(tmp_path, capsys):
    assert main(["--casc", str(tmp_path)]) == 2
    assert "census.csv" in capsys.readouterr().err
