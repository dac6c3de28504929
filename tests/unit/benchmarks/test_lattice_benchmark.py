"""The benchmark of the lattice on made-up tables: what it prints, and its columns."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import lattice
from benchmarks.tables import FIVE, NINE


def made_up(n=300):
    rng = np.random.default_rng(0)
    names = sorted({*NINE, *FIVE})
    table = pd.DataFrame({name: rng.choice(["a", "b", "c"], n) for name in names})
    table["age"] = rng.integers(20, 25, n)
    table.loc[:5, "occupation"] = "?"
    return table


@pytest.mark.slow
def test_both_tables_are_printed(tmp_path, capsys):
    adult = made_up()
    adult.to_csv(tmp_path / "adult.csv", index=False)
    theirs = adult.rename(columns=lambda name: name.replace("_", "-"))
    theirs = theirs.replace({"occupation": {"?": "a"}})
    theirs.to_csv(tmp_path / "table.csv", sep=";", index=False)
    for name in [name.replace("_", "-") for name in NINE]:
        lines = [f"{value};*" for value in sorted(theirs[name].unique())]
        path = tmp_path / f"adult_hierarchy_{name}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scores = {
        "qi_order": ["age sex", "age sex"],
        "k": [150, 150],
        "suppression_limit": [0.0, 0.0],
        "abs_suppression_limit": [0, 0],
        "metric": ["loss_gm", "loss_gm"],
        "node": ["1 1", "0 0"],
        "warm_cpu_ms": [10.0, None],
        "checks": [3, 3],
    }
    pd.DataFrame(scores).to_csv(tmp_path / "scores.csv", index=False)
    files = {"reference": "scores", "table": "table", "adult": "adult"}
    arguments = [f"--{name}={tmp_path / file}.csv" for name, file in files.items()]
    arguments += [f"--hierarchies={tmp_path}", "--runs=1"]
    assert lattice.main(arguments) == 0
    printed = capsys.readouterr().out
    assert printed.count("True") == 1 and "False" not in printed
    assert " 300 " in printed and "3000 " in printed


def test_files_that_are_not_there_are_an_error(tmp_path, capsys):
    names = ("reference", "table", "hierarchies", "adult")
    arguments = [f"--{name}={tmp_path / name}" for name in names]
    assert lattice.main(arguments) == 2
    assert "Error: Expected files named" in capsys.readouterr().err
