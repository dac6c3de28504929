import json

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.parts.spelt import (
    Spelt,
    find_spelt,
    fold,
    schema_with_spelt,
    with_spelt,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.table import TableValues

OWN = Spelt("text", "x")


def results(n=400, seed=0):
    """Results of a laboratory: numbers, and texts that also say what was not done."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4 * n, n) / 4
    text = np.array([str(int(v)) if v == int(v) else repr(float(v)) for v in x])
    done = rng.random(n) < 0.9
    return pd.DataFrame(
        {
            "test": rng.choice(["a", "b", "c"], n),
            "x": np.where(done, x, np.nan),
            "text": np.where(done, text, "NOT DONE"),
        }
    )


def found(frame, *, rules=None, persons=None, rare=10, k=20, but=()):
    schema = infer_schema(frame).keep(*frame.columns)
    schema = schema if rules is None else schema.with_rules(*rules)
    values = TableValues(frame)
    return find_spelt(values, schema, rare, k, persons=persons, but=but)


def test_texts_that_spell_numbers_are_found():
    assert found(results()) == (OWN,)
    assert Spelt.from_dict(json.loads(json.dumps(OWN.to_dict()))) == OWN


@pytest.mark.parametrize(
    "write",
    [
        lambda text, rows: text.where(rows % 100 > 0, "7.25"),
        lambda text, rows: text.where(text == "NOT DONE", text + "0"),
        lambda text, rows: text.where(rows < 15, "NOT DONE"),
        lambda text, rows: text.where(rows % 2 == 0, text.str.replace("1", "2")),
        lambda text, rows: text.where(rows > 0, "= x"),
    ],
    ids=["others", "other digits", "of few", "half", "label"],
)
def test_others_are_not(write):
    frame = results()
    frame["text"] = write(frame["text"], np.arange(len(frame)))
    assert found(frame) == ()


def test_texts_that_all_come_back_stay_as_they_are():
    frame = results()
    frame["x"] = (frame["x"] // 100).where(frame["x"].notna())
    text = frame["x"].map(lambda x: f"{x:.0f}").where(frame["x"].notna(), "NOT DONE")
    frame["text"] = text
    fewest = text.value_counts().drop("NOT DONE").min()
    assert found(frame, rare=fewest) == ()
    assert found(frame, rare=fewest + 1) == (OWN,)


def test_a_stated_rule_is_about_the_texts_of_the_table():
    rule = {"kind": "nested", "code": "text", "label": "x"}
    about_others = {"kind": "nested", "code": "text", "label": "test"}
    frame = results()
    assert found(frame, rules=[about_others]) == (OWN,)
    assert found(frame, rules=[rule]) == ()
    never = {"kind": "never", "columns": ["text", "test"]}
    assert found(frame, rules=[never]) == (OWN,)
    assert found(frame, rules=[never | {"values": [["NOT DONE", "a"]]}]) == ()
    assert found(frame, but=["text"]) == ()


def test_individuals_are_persons():
    frame = results().assign(who=np.arange(400) % 15)
    assert found(frame.drop(columns="who"))
    assert not found(frame.drop(columns="who"), persons=Persons.of(frame, "who"))


@pytest.mark.parametrize("dtype", ["Int64", "float64", "Float64"])
def test_what_is_folded_comes_back(dtype):
    frame = results()
    frame["x"] = frame["x"].round()
    frame["text"] = [f"{v:.0f}" if v == v else "NOT DONE" for v in frame["x"]]
    frame.loc[3, "text"] = None
    frame["x"] = frame["x"].astype(dtype)
    schema = infer_schema(frame).keep("text")
    values, folded = fold(TableValues(frame), schema, (OWN,))
    assert set(folded["text"].categories) == {"NOT DONE", "= x"}
    assert set(values.frame["text"].dropna()) == {"NOT DONE", "= x"}
    pd.testing.assert_frame_equal(with_spelt(values.frame, (OWN,)), frame)
    coded = values.frame.astype({"text": "category"})
    again = with_spelt(coded, (OWN,))
    assert again["text"].dtype == "category"
    pd.testing.assert_frame_equal(again.astype({"text": frame["text"].dtype}), frame)
    again = schema_with_spelt(frame, folded, (OWN,))
    assert set(again["text"].categories) == set(frame["text"].dropna())


def test_a_label_without_a_number_is_missing():
    drawn = pd.DataFrame({"x": [1.5, np.nan], "text": ["= x", "= x"]})
    assert with_spelt(drawn, (OWN,))["text"].fillna("").tolist() == ["1.5", ""]


def test_rows_are_drawn_with_their_numbers(tmp_path):
    frame = results(1000)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    synthesizer.fit(frame, infer_schema(frame).keep("text"))
    assert synthesizer.model_.spelt == (OWN,)
    drawn = synthesizer.sample()
    spells = OWN.spells(drawn)
    assert set(drawn["text"][~spells].dropna()) == {"NOT DONE"}
    assert abs(spells.mean() - 0.9) < 0.02
    assert (drawn["x"].isna() == ~spells).mean() > 0.98
    synthesizer.save(tmp_path / "rows.model")
    again = CoclusterSynthesizer.load(tmp_path / "rows.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(), drawn)
