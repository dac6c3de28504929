import json
import zipfile

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.parts.folded.folding import (
    fold,
    schema_with_spelt,
    with_spelt,
)
from coclust_synth.tables.parts.folded.spelt import Spelt, find_spelt
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.relations import Nested
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
    assert all(own.made is not None for own in found(frame))


def test_texts_that_all_come_back_stay_as_they_are():
    frame = results()
    frame["x"] = (frame["x"] // 100).where(frame["x"].notna())
    text = frame["x"].map(lambda x: f"{x:.0f}").where(frame["x"].notna(), "NOT DONE")
    frame["text"] = text
    fewest = text.value_counts().drop("NOT DONE").min()
    assert found(frame, rare=fewest) == ()
    assert found(frame, rare=fewest + 1) == (OWN,)


@pytest.mark.slow
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


def test_texts_whose_decimals_end_in_zeros_have_a_label_of_their_own(rng):
    """A laboratory writes 11.0 of what it measures in tenths, and 11 of the others."""
    x = rng.integers(100, 160, 400) / 10
    in_tenths = rng.random(400) < 0.5
    x = np.where(in_tenths, x, np.round(x))
    text = [f"{a:.1f}" if b else f"{a:.0f}" for a, b in zip(x, in_tenths, strict=True)]
    frame = pd.DataFrame({"x": x, "text": text})
    schema = infer_schema(frame).keep("text")
    (own,) = found = find_spelt(TableValues(frame), schema, 10, 20)
    assert own == Spelt("text", "x", decimals=(1,))
    assert Spelt.from_dict(own.to_dict()) == own
    values, folded = fold(TableValues(frame), schema, found)
    assert folded["text"].categories == ("= x", "= x, decimals: 1")
    assert (values.frame["text"] == "= x, decimals: 1").tolist() == in_tenths.tolist()
    pd.testing.assert_frame_equal(with_spelt(values.frame, found), frame)
    # A number of more decimals keeps them: the text says what the number does.
    drawn = pd.DataFrame({"x": [7.25, 8.0, 9.0], "text": [*[own.labels[1]] * 2, "= x"]})
    assert own.spelt_out(drawn)["text"].tolist() == ["7.25", "8.0", "9"]


@pytest.mark.slow
def test_rows_are_drawn_with_their_numbers(tmp_path):
    frame = results(1000)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    synthesizer.fit(frame, infer_schema(frame).keep("text"))
    assert synthesizer.model_.spelt == (OWN,)
    drawn = synthesizer.sample()
    spells = OWN.spells(drawn) >= 0
    assert set(drawn["text"][~spells].dropna()) == {"NOT DONE"}
    assert abs(spells.mean() - 0.9) < 0.02
    assert (drawn["x"].isna() == ~spells).mean() > 0.98
    synthesizer.save(tmp_path / "rows.model")
    again = CoclusterSynthesizer.load(tmp_path / "rows.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(), drawn)


def measured(n=600, seed=0):
    """Results below a limit, amounts that are not known, days that are none."""
    rng = np.random.default_rng(seed)
    x = rng.lognormal(1, 1, n)
    days = pd.Timestamp("2015-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    result = pd.Series(x).map("{:.2f}".format).mask(x < 0.6, "<0.60")
    amount = pd.Series(1000 * x).map("${:,.2f}".format)
    return pd.DataFrame(
        {
            "result": result.mask(np.arange(n) % 50 == 0),
            "amount": amount.mask(rng.random(n) < 0.05, "unknown"),
            "seen": pd.Series(days.strftime("%d.%m.%Y")).mask(x > 9, "never"),
        }
    )


@pytest.mark.slow
def test_numbers_and_days_among_words_are_made_columns():
    frame = measured()
    own = found(frame)
    kinds = {spelt.column: (spelt.made.kind, spelt.made.format) for spelt in own}
    assert kinds == {
        "result": ("real", ".2f"),
        "amount": ("real", "$# thousands .2f"),
        "seen": ("datetime", "%d.%m.%Y"),
    }
    assert [Spelt.from_dict(json.loads(json.dumps(s.to_dict()))) for s in own] == [*own]
    values, schema = fold(TableValues(frame), infer_schema(frame).keep(*frame), own)
    assert schema["result"].categories == ("<0.60", "= result (number)")
    assert (
        values.frame["result (number)"].notna().sum()
        == (frame["result"].notna() & (frame["result"] != "<0.60")).sum()
    )
    back = with_spelt(values.frame, own)
    pd.testing.assert_frame_equal(back, frame)
    assert schema_with_spelt(back, schema, own).names == ("result", "amount", "seen")


def test_a_mark_of_what_is_missing_is_one_more_word_beside_others():
    frame = pd.DataFrame({"bonus": [*map(str, range(0, 5000, 50)), "-", "gym, food"]})
    own = found(frame, k=10)
    values, schema = fold(TableValues(frame), infer_schema(frame).keep("bonus"), own)
    assert schema["bonus"].categories == ("-", "gym, food", "= bonus (number)")
    assert schema["bonus (number)"].kind == "integer"
    pd.testing.assert_frame_equal(with_spelt(values.frame, own), frame)


@pytest.mark.parametrize("mark", ["-", "#N/A", "none", "1e400", "00000"])
def test_what_stands_for_nothing_among_numbers_is_a_word(mark):
    amount = [*map(str, range(100, 400)), *[mark] * 40, *["ask"] * 40]
    frame = pd.DataFrame({"amount": amount})
    (own,) = found(frame)
    values, schema = fold(
        TableValues(frame), infer_schema(frame).keep("amount"), (own,)
    )
    assert schema["amount (number)"].kind == "integer"
    assert {*schema["amount"].categories} == {mark, "ask", "= amount (number)"}
    assert values.frame["amount (number)"].isna().sum() == 80
    pd.testing.assert_frame_equal(with_spelt(values.frame, [own]), frame)


@pytest.mark.slow
def test_columns_that_are_made_are_of_many_and_left_where_a_rule_is_stated():
    frame = measured()
    assert not found(frame, k=700)
    assert not found(frame.head(15), k=10)
    rule = Nested("result", "amount")
    assert {own.column for own in found(frame, rules=[rule])} == {"seen"}
    assert {own.column for own in found(frame, but=("seen",))} == {"result", "amount"}


@pytest.mark.slow
@pytest.mark.parametrize("persons", [False, True])
def test_numbers_among_words_are_drawn_and_words_as_often(persons, tmp_path):
    frame = measured(900)
    if persons:
        frame["who"] = np.arange(900) // 3
    schema = infer_schema(frame)
    schema = schema.keep(*(n for n in schema.undecided if n != "who"))
    person_id = "who" if persons else None
    model = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id=person_id
    ).fit(frame, schema)
    model.save(tmp_path / "m")
    drawn = model.sample(900)
    pd.testing.assert_frame_equal(
        CoclusterSynthesizer.load(tmp_path / "m", random_state=0).sample(900), drawn
    )
    assert {*drawn} == {*frame}
    assert not any((drawn[name] == "(other)").any() for name in measured(20))
    for name, word in (("result", "<0.60"), ("amount", "unknown"), ("seen", "never")):
        share = (frame[name] == word).mean()
        assert (drawn[name] == word).mean() == pytest.approx(share, abs=0.03)
    numbers = [
        pd.to_numeric(own["result"], errors="coerce").mean() for own in (frame, drawn)
    ]
    assert numbers[1] == pytest.approx(numbers[0], rel=0.1)
    assert model.model_.count_broken(drawn) is not None


@pytest.mark.slow
def test_no_end_of_numbers_among_words_is_in_a_model(tmp_path):
    frame = measured()[["result"]]
    frame.loc[7, "result"] = "98765.43"
    schema = infer_schema(frame).keep("result")
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    model.fit(frame, schema).save(tmp_path / "m")
    (own,) = model.model_.spelt
    assert own.made.bounds is None
    with zipfile.ZipFile(tmp_path / "m") as saved:
        content = b"".join(map(saved.read, saved.namelist()))
    assert b"result (number)" in content and b"98765" not in content
