"""A table is read, completed and converted once, whatever a command does with it."""

import sys
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from support.commands import succeeds
from support.people import people

from coclust_synth import HybridKAnonymizer
from coclust_synth.privacy.models.presence import DeltaPresence
from coclust_synth.tables.reading import infer, text_files
from coclust_synth.tables.values import columns

RELEASE = ("anonymize", "-o", "out.csv", "--k", 6, "--qi", "age,job,town,sex")
ONE = ("--iterations", 1)
COMMANDS = {
    "synth": ("synth", "-o", "out.csv", "--k", 6, *ONE),
    "fit": ("fit", "-o", "out.model", "--k", 6, *ONE),
    "anatomy": ("anatomy", "-o", "out.csv", "--l", 2, "--sensitive", "disease"),
    "hierarchies": ("hierarchies", "-o", "out", *ONE),
    "cocluster": ("cocluster", "-o", "out.khcj", *ONE),
    "grid": ("grid", "-o", "out.khcj", "--drop", "age", "--drop", "days", *ONE),
    "mondrian": (*RELEASE, "--method", "mondrian"),
    "suppress": (*RELEASE, "--method", "suppress"),
} | {
    method: (*RELEASE, "--method", method, *ONE)
    for method in (
        "hybrid",
        "coc",
        "coc_hg",
        "flash",
        "incognito",
        "samarati",
        "datafly",
        "tds",
        "bug",
        "mdav",
        "micro",
    )
}


@pytest.fixture
def done(tmp_path, monkeypatch):
    """How often each file was opened, and each set of columns completed."""
    monkeypatch.chdir(tmp_path)
    done = Counter()
    complete, read = infer._complete, text_files._read_bytes

    def counted_complete(frame, *rest):
        done[frozenset(frame.columns)] += 1
        return complete(frame, *rest)

    def counted_read(path):
        done[path.name] += 1
        return read(path)

    monkeypatch.setattr(infer, "_complete", counted_complete)
    monkeypatch.setattr(text_files, "_read_bytes", counted_read)
    return done


@pytest.fixture
def converted(monkeypatch):
    """How often the cells of each column were made an array, by its name and them."""
    right, converted = columns.to_values, Counter()

    def counted(series, column):
        converted[column.name, tuple(series)] += 1
        return right(series, column)

    for module in [*sys.modules.values()]:
        if getattr(module, "to_values", None) is right:
            monkeypatch.setattr(module, "to_values", counted)
    return converted


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_reads_completes_and_converts_its_table_once(done, converted, name):
    given = people(60)
    given.to_csv("people.csv", index=False)
    command, *options = COMMANDS[name]
    succeeds(command, "people.csv", *options, "--quiet")
    assert done["people.csv"] == 1
    assert done[frozenset(given.columns)] == 1
    for column in given:
        assert converted[column, tuple(given[column])] == 1


def test_a_population_is_read_once(done):
    everybody = people(60)
    everybody["job"] = pd.factorize(everybody["job"])[0] + 100
    everybody.to_csv("everybody.csv", index=False)
    own = everybody.iloc[:40].assign(job=everybody["job"].astype(str))
    HybridKAnonymizer(
        5,
        quasi_identifiers=["job", "sex"],
        models=[(None, DeltaPresence(0.0, 1.0))],
        population="everybody.csv",
        n_iterations=1,
        random_state=0,
    ).fit(own)
    assert done["everybody.csv"] == 1


@pytest.mark.parametrize(
    "said", [("--drop", "one, many, far"), ("--columns", "sex,age")]
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_that_are_left_out_are_in_no_way(done, said, suffix):
    table = people().assign(one=1, many=[" 7", "8"] * 60, far=[np.inf, 7.5] * 60)
    getattr(table, f"to_{suffix}")(f"t.{suffix}", index=False)
    succeeds("inspect", f"t.{suffix}", *said)
