import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.tables.parts.folded.folding import (
    described,
    find_foldings,
    fold,
    folding_of,
    with_spelt,
)
from coclust_synth.tables.people.people import Persons
from coclust_synth.tables.table import TableValues

TOOLS = "Python", "R", "SQL", "Java", "Excel", "Stata", "SAS", "Julia"


def answers(n=600, seed=0):
    """What people use, some of it together, and how old they are."""
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 65, n)
    old = (age > 45)[:, None]
    shares = np.array([0.5, 0.4, 0.5, 0.2, 0.4, 0.2, 0.3, 0.1])
    ticked = draw.random((n, len(TOOLS))) < np.where(old, shares[::-1], shares)
    ticked[:, 3] |= ticked[:, 2] & (draw.random(n) < 0.6)
    ticked[~ticked.any(axis=1), 4] = True
    uses = [
        ", ".join(t for t, is_one in zip(TOOLS, row, strict=True) if is_one)
        for row in ticked
    ]
    return pd.DataFrame({"age": age, "uses": uses})


def found(frame, *, persons=None, rare=10, k=20, but=(), change=lambda schema: schema):
    schema = change(infer_schema(frame).keep(*frame.columns))
    values = TableValues(frame)
    return find_foldings(values, schema, rare, k, persons=persons, but=but)


def test_each_item_has_a_column():
    frame = answers()
    (own,) = found(frame)
    assert {*own.items} == {*TOOLS} and own.lists.separator == ", "
    assert own.numbers == tuple(f"uses: {item}" for item in own.items)
    assert str(own) == "uses lists some of 8 items"
    assert described(own) == {"column": "uses", "n_items": 8}
    assert folding_of(json.loads(json.dumps(own.to_dict()))) == own
    counts = frame["uses"].value_counts()
    assert {*own.common} == {*counts[counts >= 10].index}
    folded = own.folded(frame)
    assert (folded["uses"] == "= list").sum() == counts[counts < 10].sum()
    for item in TOOLS:
        has = frame["uses"].str.split(", ").map(lambda items, item=item: item in items)
        assert (folded[f"uses: {item}"] == np.where(has, "yes", "no")).all()


@pytest.mark.parametrize("dtype", ["str", "category"])
def test_what_is_folded_comes_back(dtype):
    frame = answers()
    frame.loc[::50, "uses"] = None
    (own,) = spelt = found(frame)
    own = replace(own, lengths=(1, len(TOOLS)))
    schema = infer_schema(frame).keep(*frame.columns)
    values, folded = fold(TableValues(frame), schema, spelt)
    assert folded["uses"].categories[-1] == "= list"
    rows = values.frame.astype({"uses": dtype})
    again = with_spelt(rows, [own])
    pd.testing.assert_frame_equal(again.astype(frame.dtypes), frame)


def test_rare_items_are_others_where_enough_people_have_one():
    frame = answers()
    for i, row in enumerate(range(0, 600, 20)):
        frame.loc[row, "uses"] += f", Tool {i}"
    (own,) = found(frame)
    assert own.items[-1] == "(other)" and len(own.items) == len(TOOLS) + 1
    folded = own.folded(frame)
    assert (folded["uses: (other)"] == "yes").sum() == 30
    again = replace(own, lengths=(1, 9)).spelt_out(folded)["uses"]
    assert again[::20].str.endswith(", (other)").all()
    frame = answers()
    frame.loc[:9, "uses"] += [f", Tool {i}" for i in range(10)]
    (own,) = found(frame)
    assert {*own.items} == {*TOOLS}
    assert not own.spelt_out(own.folded(frame))["uses"].str.contains("Tool").any()


def test_rows_with_too_few_or_too_many_items_list_those_of_the_likest_row():
    (own,) = found(answers())
    own = replace(own, lengths=(1, 3), common=())
    has = np.zeros((6, len(own.items)), dtype=bool)
    has[0, :2] = has[1, 2] = has[2, :4] = has[3, :2] = True  # 4, 5: none
    rows = pd.DataFrame(np.where(has, "yes", "no"), columns=[*own.numbers])
    texts = own.spelt_out(rows.assign(uses="= list"))["uses"]
    two, one = ", ".join(own.items[:2]), own.items[2]
    assert texts.tolist() == [two, one, two, two, one, one]
    none = pd.DataFrame("no", columns=[*own.numbers], index=[0]).assign(uses="= list")
    assert own.spelt_out(none)["uses"].isna().all()


def test_an_item_of_the_name_of_others_is_one_of_them():
    frame = answers()
    frame["uses"] = frame["uses"].str.replace("Excel", "(other)")
    (own,) = found(frame)
    assert {*own.items[:-1]} == {*TOOLS} - {"Excel"} and own.items[-1] == "(other)"
    again = replace(own, lengths=(1, 8)).spelt_out(own.folded(frame))["uses"]
    has = [rows.str.contains("(other)", regex=False) for rows in (frame["uses"], again)]
    assert has[0].equals(has[1])


def test_others_are_those_of_rare_texts():
    frame = answers()
    frame.loc[::6, "uses"] = "None of these"
    (own,) = found(frame)
    assert {*own.items} == {*TOOLS}


def test_no_rare_text_becomes_a_common_one():
    (own,) = found(answers())
    frame = pd.DataFrame({"uses": own.common})
    rows = own.folded(frame).assign(uses="= list")
    assert own.spelt_out(rows)["uses"].isna().all()
    assert own.folded(frame)["uses"].tolist() == [*own.common]
    rare = answers()["uses"][lambda uses: ~uses.isin(own.common)].iloc[:5]
    both = pd.concat([rows, own.folded(rare.to_frame())], ignore_index=True)
    drawn = own.spelt_out(both)["uses"]
    assert not drawn.isin(own.common).any()


def test_rows_that_follow_each_other_get_one_list():
    (own,) = found(answers())
    own = replace(own, lengths=(1, 3), common=())
    has = np.zeros((60, len(own.items)), dtype=bool)
    has[:30, 0] = has[30:, 1] = True
    has[::3] = has[1::3] = False  # two rows of each of twenty persons
    rows = pd.DataFrame(np.where(has, "yes", "no"), columns=[*own.numbers])
    texts = own.spelt_out(rows.assign(uses="= list"))["uses"].to_numpy()
    assert (texts[::3] == texts[1::3]).all()
    assert {*texts[::3]} == {*own.items[:2]}


def test_individuals_are_persons():
    frame = answers()
    few = Persons.of(pd.DataFrame({"id": np.arange(600) // 30}), "id")
    assert len(found(frame, persons=few, rare=20)) == 1
    assert found(frame, persons=few, rare=20, k=21) == ()


USES_GO_WITH_AGE = {"kind": "dependence", "columns": ["age"], "target": "uses"}


@pytest.mark.parametrize(
    "given",
    [
        {"but": ["uses"]},
        {"change": lambda own: own.with_rules(USES_GO_WITH_AGE)},
        {"change": lambda own: own.drop("uses")},
        {"frame": pd.concat([answers()] * 10, ignore_index=True)},
        {"frame": answers().assign(uses=[*answers()["uses"][:25], *["R"] * 575])},
    ],
    ids=["hierarchies", "stated rules", "dropped", "all common", "few"],
)
def test_columns_that_are_left_as_they_are(given):
    assert found(given.pop("frame", answers()), **given) == ()


def test_of_many_columns_those_are_taken_in_which_items_save_most():
    answered = np.arange(600) % 30
    wide = {f"q{i}": answers(seed=i)["uses"].where(answered >= i) for i in range(27)}
    taken = found(pd.DataFrame(wide))
    assert sum(len(own.items) for own in taken) == 200
    assert {own.column for own in taken} == {f"q{i}" for i in range(25)}


@pytest.mark.slow
def test_items_are_drawn_as_often_as_in_the_table_and_together(tmp_path):
    frame = answers(4000)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=5, random_state=0).fit(frame)
    drawn = synthesizer.sample(4000)
    assert list(drawn) == list(frame)
    real, own = (f["uses"].str.get_dummies(", ")[[*TOOLS]] for f in (frame, drawn))
    assert own.mean().to_numpy() == pytest.approx(real.mean().to_numpy(), abs=0.02)
    together = [f.T @ f / len(f) for f in (real, own)]
    assert np.abs(together[0] - together[1]).to_numpy().max() < 0.03
    sizes = [f.sum(axis=1) for f in (real, own)]
    assert sizes[1].min() >= 1 and sizes[1].max() <= sizes[0].max()
    old = [f["SAS"][t["age"] > 45].mean() for f, t in ((real, frame), (own, drawn))]
    assert old[1] == pytest.approx(old[0], abs=0.03)
    synthesizer.save(tmp_path / "a.model")
    again = CoclusterSynthesizer.load(tmp_path / "a.model", random_state=0)
    pd.testing.assert_frame_equal(again.sample(4000), drawn)


@pytest.mark.slow
def test_no_item_of_few_is_in_a_model(tmp_path):
    frame = answers()
    frame.loc[5, "uses"] += ", Secretool"
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    model.fit(frame).save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as saved:
        content = b"".join(map(saved.read, saved.namelist()))
    assert b"uses: Stata" in content and b"Secretool" not in content
