"""Rows of persons of which several are of one claim, whose key is made anew."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from coclust_synth import (
    CoclusterSynthesizer,
    ParameterError,
    SchemaError,
    infer_schema,
)
from coclust_synth.generators.plain.persons.learning import person_table

DRUGS = np.array(["aspirin", "insulin", "statin", "xanax", "zinc"])


def claims(n=300, seed=0, most=2):
    """Each person takes one drug or some, of which one or more are on each claim."""
    rng, rows, number = np.random.default_rng(seed), [], 71_000
    for person in range(n):
        own = rng.choice(DRUGS, 1 + rng.integers(most), replace=False)
        day = np.datetime64("2022-01-01") + rng.integers(300)
        for _ in range(rng.integers(1, 5)):
            number, day = number + rng.integers(1, 4), day + rng.integers(10, 40)
            taken = own[rng.random(len(own)) < 0.7]
            for drug in taken if len(taken) else own[:1]:
                rows.append((f"P{person:03}", f"CL{number}", day, drug))
    names = ["who", "claim", "day", "drug"]
    table = pd.DataFrame(rows, columns=names)
    return table.astype({"day": "datetime64[us]"})


@pytest.fixture(scope="module")
def table():
    return claims()


@pytest.fixture(scope="module")
def model(table):
    schema = infer_schema(table).as_key("claim")
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    return CoclusterSynthesizer(**options).fit(table, schema)


@pytest.mark.slow
def test_claims_are_of_one_person_and_of_one_day(table, model):
    drawn = model.sample()
    assert list(drawn) == list(table) and len(drawn) == len(table)
    assert not set(drawn["claim"]) & set(table["claim"])
    assert drawn["claim"].str.fullmatch(r"CL7[0-9]{4}").all()
    each = drawn.groupby("claim")
    assert (each[["who", "day"]].nunique() == 1).all(axis=None)
    sizes = [t.groupby("claim").size().mean() for t in (table, drawn)]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)
    assert drawn.groupby("who")["day"].diff().dropna().min() >= pd.Timedelta(0)


@pytest.mark.slow
def test_no_rule_is_about_their_numbers():
    """Rows so far are as many as claims, or more."""
    table = claims(most=4)
    many = table.iloc[:9].assign(who="P999", claim=[f"CL8000{i}" for i in range(9)])
    table = pd.concat([table, many], ignore_index=True)
    table["line"] = table.groupby("claim").cumcount() + 1
    table["so_far"] = table.groupby("who").cumcount() + 1
    schema = infer_schema(table).as_key("claim")
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    assert any({*rule.relation.columns} == {"line", "so_far"} for rule in model.rules_)
    assert not any("claim" in rule.relation.columns for rule in model.rules_)
    assert "claim" not in {pooled.column for pooled in model.pooled_}
    assert len(model.model_.count_broken(model.sample())) == len(model.rules_)


@pytest.mark.slow
def test_what_is_told_from_what_stays_is_told_anew():
    """A rate of a claim, the hours of each row, and what is paid for these."""
    table, rng = claims(most=4), np.random.default_rng(0)
    each = table["claim"].rank(method="dense").astype(int).to_numpy()
    table["rate"] = (rng.integers(500, 5000, each.max() + 1) / 100)[each]
    table["hours"] = rng.integers(1, 40, len(table))
    table["paid"] = (table["rate"] * table["hours"]).round(2)
    table["line"] = table.groupby("claim").cumcount() + 1
    schema = infer_schema(table).as_key("claim")
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table, schema)
    drawn = model.sample()
    assert (drawn.groupby("claim")["rate"].nunique() == 1).all()
    off = (drawn["rate"] * drawn["hours"] - drawn["paid"]).abs()
    assert (off > 0.006).mean() < 0.01
    # No claim has more lines than one of the table.
    assert not drawn.duplicated(["claim", "line"]).any()
    assert drawn["line"].max() <= table["line"].max()
    met = model.sample(100, where="hours <= paid", random_state=0)
    assert (met["hours"] <= met["paid"]).all()


@pytest.mark.slow
def test_persons_keep_to_few_codes(monkeypatch):
    """To those they had before, not only in the row before; to each once a day."""
    tables = [claims(900, seed).drop(columns="claim") for seed in range(4)]

    def mean_codes(t):
        several = t[t.groupby("who")["who"].transform("size") > 2]
        return several.groupby("who")["drug"].nunique().mean()

    def drawn(table):
        options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
        drawn = CoclusterSynthesizer(**options).fit(table).sample()
        # Who takes but one comes on another day.
        assert drawn.duplicated(["who", "day", "drug"]).mean() < 0.004
        return mean_codes(drawn)

    def mean_error():
        return np.mean([abs(drawn(table) - mean_codes(table)) for table in tables])

    remembered = mean_error()
    monkeypatch.setattr(person_table, "_MOST_CODES", 0)
    assert remembered < 0.7 * mean_error()


@pytest.mark.slow
def test_conditions_are_on_no_key(model):
    for condition in ({"given": "claim=2"}, {"where": "claim > 1"}):
        with pytest.raises(ParameterError, match="on the key 'claim', which is made"):
            model.sample(10, **condition)


@pytest.mark.slow
def test_a_saved_model_draws_the_same_and_has_no_key(model, table, tmp_path):
    path = tmp_path / "a.model"
    model.save(path)
    again = CoclusterSynthesizer.load(path)
    drawn = [each.sample(50, random_state=3) for each in (model, again)]
    pd.testing.assert_frame_equal(*drawn)
    with zipfile.ZipFile(path) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert not any(key.encode() in content for key in table["claim"].unique())


@pytest.mark.slow
def test_rows_that_are_drawn_one_by_one_have_no_such_keys(table):
    schema = infer_schema(table).as_key("claim")
    independent = CoclusterSynthesizer(
        within="independent", person_id="who", n_iterations=1
    )
    with pytest.raises(SchemaError, match="differs in every row"):
        independent.fit(table, schema)
    of_rows = CoclusterSynthesizer(n_iterations=1)
    with pytest.raises(SchemaError, match="differs in every row"):
        of_rows.fit(table, schema.drop("who"))


@pytest.mark.slow
def test_groups_of_rare_values_break_no_rule():
    """Of `north (other)` it was told that the rule of towns and regions is broken."""
    rng, n = np.random.default_rng(0), 1500
    region = rng.integers(0, 8, n)
    # A rare town is in two regions of a land: groups are those of lands.
    town = np.where(rng.random(n) < 0.2, region, 8 + np.arange(n) // 4 * 2 + region % 2)
    land = np.where(region % 2, "north", "south")
    table = pd.DataFrame(
        {
            "who": np.arange(n) // 2,
            "town": np.char.add("T", town.astype(str)),
            "region": np.char.add("R", (region % 8).astype(str)),
            "land": land,
        }
    )
    options = {"k": 20, "person_id": "who", "n_iterations": 1, "random_state": 0}
    model = CoclusterSynthesizer(**options).fit(table)
    assert "town -> region" in map(str, model.rules_)
    drawn = model.sample(random_state=1)
    groups = drawn["town"].str.endswith("(other)")
    assert groups.sum() > 100
    assert drawn[groups].groupby("town")["region"].nunique().max() > 1
    assert not any(model.model_.count_broken(drawn))
