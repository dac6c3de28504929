"""Texts that hold numbers are compared by their numbers."""

import json

import numpy as np
import pandas as pd
import pytest
from support.evaluations import make_quick, pressures

from coclust_synth import MondrianAnonymizer
from coclust_synth.evaluation import Evaluation, evaluate
from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.unfolded import Unfolded
from coclust_synth.evaluation.risk.scenario import Scenario
from coclust_synth.exceptions import DataWarning
from coclust_synth.plotting import plot_columns
from coclust_synth.reports.html.headline import story
from coclust_synth.reports.html.page import evaluation_page
from coclust_synth.tables.reading.table import as_table

MADE = ("bp (number 1)", "bp (number 2)", "dose (number 1)")
REAL, RELEASED = pressures(400), pressures(400, seed=1)


def unfolded(released=RELEASED, **but):
    real = as_table(REAL).keep("bp", "dose")
    return Unfolded.of(AlikeTables.of(real, released, REAL[:9]), real, **but)


@pytest.mark.slow
def test_numbers_of_all_tables_are_beside_their_texts():
    found = unfolded()
    names = ("age", "bp", *MADE[:2], "dose", MADE[2])
    assert found.tables.schema.names == names
    assert found.made == {"bp": MADE[:2], "dose": MADE[2:]}
    kinds = {own.name: own.kind for own in found.tables.schema.columns}
    assert (kinds["bp"], kinds[MADE[0]], kinds[MADE[2]]) == (
        "categorical",
        "integer",
        "real",
    )
    for name, frame in (("real", REAL), ("released", RELEASED), ("holdout", REAL[:9])):
        own = found.tables.frames[name]
        assert tuple(own.columns) == names
        is_word = (frame["bp"] == "refused").to_numpy()
        assert (own["bp"] == np.where(is_word, "refused", "0/0")).all()
        high = frame["bp"].str.partition("/")[0].where(~is_word).astype(float)
        np.testing.assert_array_equal(own[MADE[0]].astype(float), high)
    assert [*found.with_made(["dose", "age"])] == ["dose", MADE[2], "age"]


@pytest.mark.slow
def test_what_no_pattern_of_the_real_table_has_is_a_text_as_it_is():
    odd = RELEASED.assign(bp=["120 over 80", "12/8/3", *RELEASED["bp"][2:]])
    own = unfolded(odd).tables.released[:3]
    assert own["bp"].tolist()[:2] == ["120 over 80", "12/8/3"]
    assert own[MADE[0]].isna().tolist()[:2] == [True, True]


def test_thousands_and_millions_are_numbers_in_full():
    texts = [f"${i / 7:.1f}M" for i in range(1, 80)] + [f"${i}K" for i in range(90)]
    real = as_table(pd.DataFrame({"earned": texts, "x": [1, 2, 3] * 56 + [1]}))
    released = pd.DataFrame({"earned": ["$2.3M", "$56K", "$7", None], "x": [1] * 4})
    tables = AlikeTables.of(real.keep("earned"), released)
    own = Unfolded.of(tables, real.keep("earned")).tables.released
    assert own["earned"].tolist()[:3] == ["$0.0M", "$0K", "$7"]
    numbers = own["earned (number 1)"]
    assert numbers.tolist()[:2] == [2_300_000, 56_000] and numbers[2:].isna().all()


def test_texts_of_one_pattern_are_their_numbers_alone():
    kept = REAL["bp"] != "refused"
    real = as_table(REAL[kept][["age", "bp"]].reset_index(drop=True)).keep("bp")
    odd = RELEASED[:3].assign(bp=["120/80", None, "refused"])[["age", "bp"]]
    found = Unfolded.of(AlikeTables.of(real, odd), real)
    assert found.tables.schema.names == ("age", *MADE[:2])
    assert found.tables.released[MADE[0]].isna().tolist() == [False, True, True]
    assert found.with_made(["bp"]) == [*MADE[:2]]


def test_texts_stay_where_they_are_asked_to():
    found = unfolded(but={"bp"})
    assert found.made == {"dose": MADE[2:]}
    pd.testing.assert_series_equal(found.tables.real["bp"], REAL["bp"].astype(object))


@pytest.mark.slow
def test_a_release_of_other_numbers_is_near(monkeypatch):
    make_quick(monkeypatch, trees=5)
    found = evaluate(REAL, RELEASED)
    assert found["unseen_values"].value == 0
    assert found["total_variation", "bp"].value < 0.05
    assert {*MADE} <= {*found.facts.columns} and found.facts.n_columns == 3
    rules = found.details.rules["rule"].tolist()
    assert "bp (number 2) <= bp (number 1)" in rules
    assert not any(rule.startswith("bp, bp (number") for rule in rules)
    again = Evaluation.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.facts == found.facts
    page = evaluation_page(again, story("out.csv", again.facts, None, ()))
    assert "3 columns compared, texts by the numbers in them too;" in page


@pytest.mark.slow
def test_labels_of_texts_are_not_taken_apart(monkeypatch):
    make_quick(monkeypatch, trees=5)
    names = ["age", "dose"]
    anonymizer = MondrianAnonymizer(20, quasi_identifiers=names, others="keep")
    with pytest.warns(DataWarning, match="have a value of their own: 'bp'"):
        release = anonymizer.fit_transform(as_table(REAL).keep("bp"))
    assert evaluate(REAL, release).facts.made == {"bp": MADE[:2]}


@pytest.mark.slow
def test_pictures_have_the_numbers():
    titles = [ax.get_title() for ax in plot_columns(REAL, RELEASED)]
    assert titles == ["age", "bp", *MADE[:2], "dose", MADE[2]]


def test_lists_are_compared_by_their_items():
    items, draw = ("bus", "car", "train", "tram", "walk"), np.random.default_rng(0)
    ticked = draw.random((2, 400, 5)) < 0.4
    texts = [[", ".join(np.array(items)[r]) or None for r in own] for own in ticked]
    real, released = (
        pd.DataFrame({"by": own, "n": np.arange(400) % 7}) for own in texts
    )
    tables = AlikeTables.of(real, released)
    own = Unfolded.of(tables, as_table(real).keep("by")).tables
    assert own.schema.names == ("by", *(f"by: {item}" for item in items), "n")
    has = (own.released["by: car"] == "yes").to_numpy()
    np.testing.assert_array_equal(has, ticked[1][:, items.index("car")])


@pytest.mark.slow
def test_items_of_few_persons_are_not_named():
    """Twenty rows have the odd one, all of two persons."""
    items = np.array(["bike", "bus", "car", "foot", "train", "tram"])
    ticked = np.random.default_rng(0).random((400, 6)) < 0.4
    who = np.repeat(np.arange(40), 10)
    odd = np.where(who < 2, "; canoe", "")
    by = [("; ".join(items[r]) or "bus") + o for r, o in zip(ticked, odd, strict=True)]
    real = pd.DataFrame({"who": who, "by": by, "n": np.arange(400) % 7})
    drawn = real.assign(by=np.roll(by, 7))
    rows, persons = (
        evaluate(real.drop(columns=but), drawn.drop(columns=but), scenario=scenario)
        for but, scenario in (
            (["who"], Scenario()),
            ([], Scenario(quasi_identifiers=["n"], person_id="who")),
        )
    )
    assert "by: canoe" in rows.facts.made["by"]
    assert {*rows.facts.made["by"]} - {*persons.facts.made["by"]} == {"by: canoe"}
