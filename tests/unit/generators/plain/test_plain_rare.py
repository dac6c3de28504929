"""What a plain model and its tables hold of values that few people have."""

import json
import re
import zipfile

import numpy as np
import pandas as pd
import pytest
from support.shared import SHARED, needed

from coclust_synth import (
    CoclusterSynthesizer,
    MODLCoclustering,
    ParameterError,
    SchemaError,
    infer_schema,
    read_table,
)
from coclust_synth.tables.column import Column
from coclust_synth.tables.schema import Schema

TABLES = SHARED / "data" / "tables"


def people(n=900, seed=0):
    rng = np.random.default_rng(seed)
    region = rng.integers(0, 4, n)
    town = region * 40 + np.minimum(rng.geometric(0.15, n), 39)
    born = np.datetime64("1930-01-01") + rng.integers(0, 30_000, n)
    return pd.DataFrame(
        {
            "region": np.array(["north", "east", "south", "west"])[region],
            "town": [f"town {t:03}" for t in town],
            "children": np.minimum(rng.geometric(0.5, n) - 1, 11),
            "born": born,
            "wage": np.round(rng.lognormal(7, 1, n), 2),
            "height": rng.normal(170, 10, n),
        }
    )


def fitted(table, schema=None, **options):
    schema = infer_schema(table) if schema is None else schema
    asked = {"within": "independent", "n_iterations": 2, "random_state": 0}
    options = asked | {"k": 20} | options
    schema = schema.keep(*schema.undecided)
    if options.pop("from_model", False):
        raw = MODLCoclustering(parts="learnt", n_iterations=1, random_state=0)
        options["model"] = raw.fit(table, schema=schema)
    return CoclusterSynthesizer(**options).fit(table, schema)


def rare_values(series, n):
    counts = series.value_counts()
    return counts.index[(counts > 0) & (counts < n)]


def numbers_in(content):
    if isinstance(content, dict):
        content = list(content.values())
    if isinstance(content, list):
        return [number for item in content for number in numbers_in(item)]
    is_number = isinstance(content, int | float) and not isinstance(content, bool)
    return [content] if is_number else []


# Parts that are learnt, and clusters of the table as it stood, tell no more of it.
EACH_WAY = pytest.mark.parametrize(
    "options",
    [{}, {"parts": "learnt"}, {"from_model": True}, {"within": "trees"}],
    ids=str,
)


@pytest.mark.slow
@EACH_WAY
def test_the_model_file_holds_no_rare_value(tmp_path, options):
    table = people()
    fitted(table, **options).save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as file:
        content = json.loads(file.read("model.json"))
    content = content.get("structure", content)["coding"]
    text = json.dumps(content, ensure_ascii=False)
    rare = rare_values(table["town"], 10)
    assert len(rare) > 20 and not [value for value in rare if value in text]
    assert "north (other)" in text
    # Numbers are looked for in the parts, where counts of rows are beside them.
    parts = dict(zip(table, content["parts"], strict=True))
    columns = {c["name"]: c for c in content["schema"]["column"]}
    for name in ("children", "wage", "height"):
        told = {
            key: parts[name][key]
            for key in ("edges", "lows", "highs")
            if key in parts[name]
        }
        told["laws"] = [law | {"rows": []} for law in parts[name].get("laws", ())]
        numbers = set(numbers_in(told)) | set(columns[name].get("bounds", ()))
        held = numbers & set(rare_values(table[name], 20))
        for atom, values, _ in parts[name].get("spreads", ()):
            # Numbers of children are told, by steps, that nobody has alone.
            own = set(values) & set(
                rare_values(table[name], 2 if name == "children" else 20)
            )
            assert not own, (name, atom)
        # By chance somebody's, as the cent after a round number can be.
        after = {round(number + 0.01, 2) for number in numbers}
        assert not {v for v in held - after if float(f"{v:.2g}") != v}, name
    days = re.findall(r"\d{4}-\d\d-\d\d", json.dumps([columns["born"], parts["born"]]))
    extremes = table["born"].agg(["min", "max"])
    assert not set(extremes) & set(pd.to_datetime(days))
    own_days = set((extremes - pd.Timestamp(0)).dt.days)
    assert not own_days & {
        *parts["born"].get("lows", ()),
        *parts["born"].get("highs", ()),
    }


@pytest.mark.slow
@EACH_WAY
def test_no_rare_value_is_drawn(options):
    table = people()
    drawn = fitted(table, **options).sample(5000)
    assert not set(rare_values(table["town"], 10)) & set(drawn["town"])
    # A number of children that is drawn nobody has alone.
    assert not set(rare_values(table["children"], 2)) & set(drawn["children"])
    if options.get("within") != "trees":  # where one number stands for all large ones
        told = set(rare_values(table["children"], 20)) & set(drawn["children"])
        assert len(told) <= 1
    if options.get("within") != "trees":  # whose ends are open
        assert drawn["wage"].max() < table["wage"].max()
        assert drawn["wage"].min() > table["wage"].min()
        assert drawn["born"].min() > table["born"].min()
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)
    regions = drawn["town"][drawn["town"].str.endswith("(other)")].unique()
    assert set(regions) <= {f"{r} (other)" for r in table["region"].unique()}


@pytest.mark.slow
def test_what_was_pooled_is_said():
    table = people()
    found = {one.column: one for one in fitted(table).pooled_}
    rare = rare_values(table["town"], 10)
    assert found["town"] == ("town", len(rare), table["town"].isin(rare).sum())
    assert set(found) == {"town", "children"}


@pytest.mark.slow
def test_public_columns_are_released_as_they_stand():
    table = people()
    columns = [
        Column(**{**vars(c), "public": c.name in ("town", "wage")})
        for c in infer_schema(table).columns
    ]
    synthesizer = fitted(table, Schema(tuple(columns)))
    schema = synthesizer.model_.coding.schema
    assert schema["town"].categories == tuple(sorted(set(table["town"])))
    assert schema["wage"].bounds == (table["wage"].min(), table["wage"].max())
    assert [one.column for one in synthesizer.pooled_] == ["children"]


@pytest.mark.slow
@pytest.mark.parametrize("k, rare", [(1, 1), (7, 7), (20, 10), (None, 10)])
def test_the_default_is_never_above_k(k, rare):
    assert fitted(people(240), k=k).rare_ == rare


def test_rare_out_of_range():
    table = people(240)
    for rare in (0, 2.5, True):
        with pytest.raises(ParameterError, match="rare"):
            fitted(table, rare=rare)
    with pytest.raises(
        ParameterError, match=r"Expected rare up to k, 20\. Received 21"
    ):
        fitted(table, rare=21)
    columns = [
        Column(**{**vars(c), "rare": 30 if c.name == "town" else None})
        for c in infer_schema(table).columns
    ]
    with pytest.raises(ParameterError, match="`rare` of column 'town' up to k"):
        fitted(table, Schema(tuple(columns)))


def test_undecided_columns_are_refused_still():
    table = people(240).assign(id=range(1000, 1240))
    with pytest.raises(SchemaError, match="'id'"):
        CoclusterSynthesizer(n_iterations=1).fit(table)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["titanic", "budgetfood"])
def test_singles_of_real_tables_do_not_come_back(name):
    path = TABLES / f"{name}.csv.gz"
    frame, schema = read_table(needed(path))
    names = ("Name", "Ticket", "Cabin", "PassengerId")
    schema = schema.drop(*(n for n in names if n in schema.names))
    some = np.random.default_rng(0).permutation(len(frame))[:3000]
    table = frame.iloc[some].reset_index(drop=True)
    drawn = fitted(table, schema, k=10).sample()
    n_single = 0
    for column in schema.kept.columns:
        values = table[column.name]
        if values.nunique() <= 20 or column.kind == "categorical":
            single = rare_values(values, 2)
            n_single += len(single)
            assert not set(single) & set(drawn[column.name]), column.name
    assert n_single
