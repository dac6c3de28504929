"""Rows that share a value which tells most other columns, and rows of people."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.tables.people.together import Together


def find(table):
    schema = infer_schema(table)
    return Together.find(table, schema.keep(*schema.undecided).kept.columns)


def incidents(rng, n):
    """What is the same for all who were there."""
    moment = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        rng.integers(0, 10**8, n), "s"
    )
    return pd.DataFrame(
        {
            "moment": moment,
            "place": rng.integers(0, 40, n),
            "kind": rng.choice(["fight", "theft", "noise"], n),
            "officers": rng.integers(1, 5, n),
            "precinct": rng.integers(0, 6, n),
        }
    )


def present(rng, of, most=4):
    """Rows of who was there, each with what is theirs."""
    rows = of.loc[np.repeat(of.index, rng.integers(1, most + 1, len(of)))]
    own = {
        "age": rng.integers(18, 80, len(rows)),
        "sex": rng.choice([*"fm"], len(rows)),
    }
    return rows.assign(**own).sample(frac=1, random_state=0).reset_index(drop=True)


def test_rows_of_one_event_are_found(rng):
    of = incidents(rng, 700)
    rows = present(rng, of)
    found = find(rows)
    sizes = rows.moment.value_counts()
    assert (found.name, found.n_rows) == ("moment", len(rows))
    assert (found.n_different, found.n_shared) == (len(of), sizes[sizes > 1].sum())
    assert found.others == ("place", "kind", "officers", "precinct")
    assert found.n_others == 6
    # A row of each is no event of several; nor are few among many.
    assert find(present(rng, of, most=1)) is None
    assert find(pd.concat([present(rng, incidents(rng, 19_000), 1), rows])) is None


def test_slips_and_missing_cells_hide_no_event(rng):
    rows = present(rng, incidents(rng, 700))
    slips = rng.random(len(rows)) < 0.02
    rows["officers"] = rows.officers.where(~slips, 9)
    rows["moment"] = rows.moment.where(rng.random(len(rows)) < 0.7)
    rows["place"] = rows.place.where(rows.place < 30)
    found = find(rows)
    assert found.name == "moment" and found.n_rows == rows.moment.notna().sum()
    assert set(found.others) == {"place", "kind", "officers", "precinct"}


def test_rows_without_the_value_share_none(rng):
    """Half of the people were in no incident, and are alike in no column."""
    rows = present(rng, incidents(rng, 700), most=1)
    assert find(rows.assign(moment=rows.moment.where(rows.index % 2 == 0))) is None


@pytest.mark.parametrize("n_own, n_codes, is_told", [(3, 3, 0), (3, 4, 1), (7, 4, 0)])
def test_what_a_number_of_a_place_tells_is_no_person(rng, n_own, n_codes, is_told):
    """A town, a county, a region: most of few columns, and of many they are not."""
    place = rng.integers(0, 300, 2000)
    table = pd.DataFrame({"number": 10_000 + 7 * place})
    for i in range(n_codes):
        table[f"region {i}"] = place // (3 * 4**i)
    for i in range(n_own):
        table[f"answer {i}"] = rng.integers(0, 9, 2000)
    assert (find(table) is not None) is bool(is_told)
    for name in ("Latitude", "start_lng", "postcode"):
        assert find(table.rename(columns={"number": name})) is None


def test_what_is_told_of_others_is_no_person(rng):
    """A bonus of age, and of a gain that most do not have, and what is told of it."""
    n = 1000
    table = pd.DataFrame(
        {"age": rng.integers(18, 90, n), "sex": rng.choice([*"fm"], n)}
    )
    table["gain"] = np.where(rng.random(n) < 0.7, 0, rng.integers(1, 500, n))
    table["job"] = table.age // 20
    table["bonus"] = np.round(0.37 * table.gain + 12 * table.age / 7, 2)
    table["paid"] = table.gain + table.bonus
    table["tax"] = np.round(0.3 * table.paid, 2)
    assert find(table) is None


def test_numbers_that_many_have_tell_nobody(rng):
    """Ages are shared, and so are columns that tell each other, or nearly all rows."""
    table = pd.DataFrame({"age": rng.integers(18, 90, 1500)})
    for i in range(6):
        table[f"answer {i}"] = rng.integers(0, 4, 1500)
    assert find(table) is None
    spelt = table.assign(born=2026 - table.age, text=table.age.astype(str) + " years")
    assert find(spelt.assign(months=12 * spelt.age)) is None
    rare = {f"ill {i}": rng.random(1500) < 0.02 for i in range(12)}
    assert find(table[["age"]].assign(**rare)) is None


@pytest.mark.parametrize("n", [0, 1, 30])
def test_few_rows_have_none(rng, n):
    table = incidents(rng, 40).head(n)
    assert Together.find(table, infer_schema(incidents(rng, 40)).columns) is None
