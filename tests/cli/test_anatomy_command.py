"""`anatomy`: the two tables that it releases, and how it fails."""

import json

import numpy as np
import pandas as pd
import pytest
from support.commands import fails, files_in, succeeds

ASKED = ("--qi", "age,town", "--sensitive", "disease")


def people(n=60):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, n),
            "town": rng.choice(list("ABC"), n),
            "disease": np.array(["flu", "cold", "cancer", "asthma"])[np.arange(n) % 4],
            "days": rng.integers(1, 30, n),
        }
    )


@pytest.mark.slow
@pytest.mark.noise
def test_the_two_tables(folder):
    given = ("anatomy", "people.csv", "-o", "out.csv", "--l", 3, *ASKED, "--json")
    told = json.loads(succeeds(*given))
    written = ["out.csv", "out.manifest.json", "out.sensitive.csv"]
    assert sorted(files_in(folder)) == [*written, "people.csv"]
    quasi, sensitive = pd.read_csv("out.csv"), pd.read_csv("out.sensitive.csv")
    assert list(quasi) == ["age", "town", "group"]
    assert list(sensitive) == ["group", "disease", "count"]
    table = people()
    columns = ["age", "town"]
    pd.testing.assert_frame_equal(
        quasi[columns].sort_values(columns, ignore_index=True),
        table[columns].sort_values(columns, ignore_index=True),
    )
    assert sorted(sensitive["disease"]) == sorted(table["disease"])
    sizes = quasi.groupby("group").size()
    assert (sensitive.groupby("group").size() == sizes).all() and sizes.min() >= 3
    assert (sensitive["count"] == 1).all()
    assert told["groups"] == len(sizes) == 20 and told["dropped"] == "days"
    assert succeeds(*given[:-1], "--force", "--quiet") == ""


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (("--l", 5, *ASKED), ("disease", "Choose l up to 4")),
        (("--l", 1, *ASKED), "from 2 on. Received 1"),
        (("--l", 3, "--sensitive", "most"), "No l fits, as these are more than half"),
        (("--l", 2, "--qi", "age"), "Expected one sensitive column"),
        (("--l", 2, "--sensitive", "ill"), "Received 'ill'"),
        (("--l", 2, "--sensitive", "disease,town"), "Expected one sensitive column"),
    ],
)
def test_a_bad_option(folder, options, match):
    most = np.where(np.arange(60) < 40, "often", "seldom")
    people().assign(most=most).to_csv("people.csv", index=False)
    fails(folder, "anatomy", "people.csv", "-o", "out.csv", *options, match=match)


def test_neither_table_is_replaced_without_force(folder):
    (folder / "out.sensitive.csv").write_text("mine")
    given = ("anatomy", "people.csv", "-o", "out.csv", "--l", 2, *ASKED)
    fails(folder, *given, match="out.sensitive.csv")


def test_an_empty_table(folder):
    people(0).to_csv("people.csv", index=False)
    given = ("anatomy", "people.csv", "-o", "out.csv", "--l", 2, *ASKED)
    fails(folder, *given, match="Received")
