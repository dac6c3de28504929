"""An evaluation as a whole: what it flags, what it leaves out, what it refuses."""

import json
from html import escape

import numpy as np
import pandas as pd
import pytest
from support.evaluations import (
    first_screen,
    independent,
    make_quick,
    people,
    with_broken_order,
    with_copies,
)

from coclust_synth.evaluation import Evaluation, evaluate
from coclust_synth.evaluation.evaluating import check_against_holdout
from coclust_synth.evaluation.findings import find
from coclust_synth.evaluation.measures import MEASURES
from coclust_synth.exceptions import (
    ModelFileError,
    ParameterError,
    SchemaError,
    TableError,
)
from coclust_synth.reports import read_evaluation
from coclust_synth.reports.html import page as page_module
from coclust_synth.reports.html.evaluation_files import evaluation_json
from coclust_synth.reports.html.headline import story
from coclust_synth.reports.html.page import evaluation_page

REAL, HOLDOUT, FRESH = people(400, 0), people(200, 1), people(400, 2)


@pytest.fixture(scope="module", autouse=True)
def small_models():
    """Boosting of a few trees: what it learns is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        make_quick(patch, trees=5)
        yield


@pytest.fixture(scope="module")
def of_fresh():
    """As good and as safe as can be: other people of the same kind."""
    return evaluate(REAL, FRESH, HOLDOUT)


def kinds(evaluation):
    return [finding.kind for finding in evaluation.findings]


@pytest.mark.slow
def test_fresh_rows_raise_nothing(of_fresh):
    assert kinds(of_fresh) == []
    assert of_fresh["uniques_beyond_chance"].value == 0
    for name in ("told_from_holdout", "membership_distance", "nearer_to_training"):
        score = of_fresh[name]
        assert score.low - 0.05 <= 0.5 <= score.high + 0.05
    of_real = of_fresh["mean_boosting_auc_of_real"].value
    assert of_fresh["mean_boosting_auc"].value == pytest.approx(of_real, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("released", "kind"),
    [
        (with_copies(REAL, FRESH, 0.05), "copies"),
        (independent(REAL), "independent"),
        (with_broken_order(FRESH), "rules"),
        (FRESH.assign(age=FRESH["age"] + 30, cost=FRESH["cost"] * 3), "columns"),
    ],
    ids=["copies", "independent", "rules", "columns"],
)
def test_a_bad_release_is_told_on_the_first_screen(released, kind):
    found = evaluate(REAL, released, HOLDOUT)
    assert kind in kinds(found)
    text = " ".join(f.text for f in found.findings if f.kind == kind)
    if kind == "copies":
        assert found["uniques_beyond_chance"].value == pytest.approx(0.05, abs=0.01)
        assert f"{found['uniques_beyond_chance'].value:.1%}" in text
    if kind == "rules":
        assert "admitted <= left" in text
    if kind == "columns":
        assert "independent" not in kinds(found)
    page = evaluation_page(found, story("out.csv", found.facts, None))
    assert escape(text) in first_screen(page)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "area", "independent"),
    [
        ("membership_isolated", 0.6, 0.5),
        ("membership_isolated", 0.6, 0.6),
        ("told_from_training", 0.4, 0.5),
    ],
)
def test_an_attack_that_tells_as_much_without_copies_is_no_sign(
    of_fresh, name, area, independent
):
    """Rows with the table's own counts of values are below .5 without any copy."""
    scores = with_area(of_fresh.scores, name, area, independent)
    found = find(scores, of_fresh.details.rules, of_fresh.facts)
    is_sign = name != "told_from_training" and independent == 0.5
    assert [f.kind for f in found] == ["copies"] * is_sign


@pytest.mark.slow
def test_rows_taken_for_released_ones_are_told_beside_another_sign(of_fresh):
    scores = with_area(of_fresh.scores, "membership_isolated", 0.6, 0.5)
    for of_independent, is_told in ((0.5, True), (0.4, False)):
        both = with_area(scores, "told_from_training", 0.4, of_independent)
        (found,) = find(both, of_fresh.details.rules, of_fresh.facts)
        assert ("boosting takes the rows" in found.text) == is_told


def with_area(scores, name, area, independent):
    """Scores of which one has another area, and that for independent columns."""
    told = {"value": area, "low": area - 0.03, "high": area + 0.03}
    told |= {"floor_independent": independent, "floor_fresh": 0.49}
    return [s._replace(**told) if s.name == name else s for s in scores]


@pytest.mark.slow
def test_what_takes_its_place_is_told_beside(of_fresh):
    distance = of_fresh["mean_total_variation_2"]
    assert distance.ceiling_bootstrap < distance.value
    assert distance.value < distance.floor_fresh < distance.floor_independent
    unique = of_fresh["uniques_reproduced"]
    assert unique.ceiling_bootstrap == pytest.approx(1 - np.exp(-1), abs=0.04)
    assert unique.floor_independent == unique.floor_fresh == 0
    assert of_fresh["membership_distance"].ceiling_bootstrap > 0.75


@pytest.mark.slow
def test_every_figure_has_its_floors_and_ceilings(of_fresh):
    lacking = {
        score.name
        for score in of_fresh.scores
        if score.is_measured
        and np.isnan(
            [score.floor_fresh, score.ceiling_bootstrap, score.floor_independent]
        ).any()
    }
    # What the real table teaches is itself what the release is held against.
    assert {name for name in lacking if not name.endswith("_of_real")} == set()


@pytest.mark.slow
def test_without_a_holdout_scores_that_need_one_are_missing():
    found = evaluate(REAL, FRESH)
    for name, measure in MEASURES.items():
        if measure.needs_holdout and not measure.of_columns:
            assert not found[name].is_measured
            assert "made without" in found[name].note
    assert found["mean_total_variation_2"].is_measured
    assert found["uniques_reproduced"].is_measured
    assert np.isnan(found["mean_total_variation_2"].floor_fresh)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_figures():
    first, again = (evaluate(REAL[:40], FRESH[:40], HOLDOUT[:40]) for _ in range(2))
    pd.testing.assert_frame_equal(again.to_frame(), first.to_frame())


@pytest.mark.slow
def test_forms(of_fresh):
    frame = of_fresh.to_frame()
    assert list(frame)[:4] == ["name", "group", "columns", "value"]
    assert set(frame["name"]) <= set(MEASURES)
    assert not frame.duplicated(["name", "columns"]).any()
    content = json.loads(json.dumps(of_fresh.to_dict(), allow_nan=False))
    assert len(content["scores"]) == len(frame)
    assert "400 rows x 6 columns" in repr(of_fresh)
    assert of_fresh._repr_html_().count("<tr") > 20
    with pytest.raises(KeyError):
        of_fresh["no such"]


@pytest.mark.slow
def test_an_evaluation_reads_back_as_it_was_written(of_fresh, tmp_path, monkeypatch):
    # The first screen has no figures; the heat map is of rounded distances.
    monkeypatch.setattr(page_module, "_figures", lambda evaluation: [])
    path = tmp_path / "evaluation.json"
    told = story("out.csv", of_fresh.facts, None)
    path.write_bytes(evaluation_json(of_fresh, told))
    again = read_evaluation(path)
    pd.testing.assert_frame_equal(again.to_frame(), of_fresh.to_frame())
    assert again.facts == of_fresh.facts and again.findings == of_fresh.findings
    assert again.to_dict() == of_fresh.to_dict()
    pages = [evaluation_page(each, told) for each in (again, of_fresh)]
    assert first_screen(pages[0]) == first_screen(pages[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"format_version": 2}, "format version 1. Received version 2.*Evaluate"),
        (
            {"format": "coclust_synth release"},
            "an evaluation .*Received 'coclust_synth",
        ),
        ({"scores": [{}]}, "does not read.*KeyError"),
        ({"facts": {}}, "does not read"),
    ],
)
def test_an_evaluation_of_another_version_is_refused(of_fresh, change, match):
    with pytest.raises(ModelFileError, match=match):
        Evaluation.from_dict(of_fresh.to_dict() | change)


def test_files_that_are_no_evaluation_are_refused(tmp_path):
    with pytest.raises(ModelFileError, match="No such file"):
        read_evaluation(tmp_path / "none.json")
    (tmp_path / "cut.json").write_text('{"format": ')
    with pytest.raises(ModelFileError, match="truncated, or no JSON"):
        read_evaluation(tmp_path / "cut.json")
    with pytest.raises(ModelFileError, match="an evaluation"):
        Evaluation.from_dict([])


@pytest.mark.slow
def test_a_holdout_of_rows_learnt_from_is_refused():
    with pytest.raises(TableError, match=r"holdout .* made without"):
        evaluate(REAL, FRESH, REAL.sample(100, random_state=0))
    # One row in ten of it is enough, where no two people are alike.
    mixed = pd.concat([HOLDOUT[20:], REAL[:20]])
    with pytest.raises(TableError, match=r"about 0.0% .* 10.0% do"):
        evaluate(REAL, FRESH, mixed)


def test_a_holdout_may_share_rows_by_chance(rng):
    few = pd.DataFrame(rng.integers(0, 3, (600, 3)), columns=["x", "y", "z"])
    parts = few[:300], few[300:400], few[400:]
    alike = parts[2].merge(parts[0].drop_duplicates(), on=list(few))
    assert len(alike) == 200  # every one
    check_against_holdout(parts[0], parts[2])


def test_columns_of_the_release():
    with pytest.raises(SchemaError, match="also 'shoe'"):
        evaluate(REAL, FRESH.assign(shoe=1), HOLDOUT)
    with pytest.raises(SchemaError, match=r"holdout table .* without 'cost'"):
        evaluate(REAL, FRESH, HOLDOUT.drop(columns="cost"))
    with pytest.raises(TableError, match="no row"):
        evaluate(REAL, FRESH[:0], HOLDOUT)
    with pytest.raises(SchemaError, match=r"released table.*kind real.*--labels"):
        evaluate(REAL, FRESH.assign(cost="much"), HOLDOUT)
    with pytest.raises(ParameterError, match="random_state"):
        evaluate(REAL, FRESH, random_state=-1)


@pytest.mark.slow
def test_columns_that_are_not_released_are_named():
    real = REAL.assign(id=[f"p{i:05d}" for i in range(len(REAL))])
    found = evaluate(real, FRESH.drop(columns="drug")[::-1])
    assert found.facts.left_out == {"drug": "not released", "id": "not released"}
    assert list(found.facts.columns) == ["age", "ward", "admitted", "left", "cost"]


@pytest.mark.slow
def test_categories_that_the_real_table_lacks_are_told():
    released = FRESH.assign(ward=FRESH["ward"].where(FRESH.index % 10 > 0, "(other)"))
    found = evaluate(REAL, released)
    assert found["unseen_values"].value == pytest.approx(0.1 / 6)
    assert found["total_variation", "ward"].value > 0.09
    assert "values" in kinds(found)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 20])
def test_integers_that_no_double_holds_are_compared_as_they_are(step):
    real, low = REAL[["age", "ward"]].head(200), 17 * 10**17
    ages = real["age"].fillna(50).astype("int64") // step
    values = []
    for origin in (0, low):
        released = [ages // 2 + origin, ages.iloc[::-1].to_numpy() + origin]
        own = real.assign(age=ages + origin)
        found = [evaluate(own, real.assign(age=ages)) for ages in released]
        values.append([own["total_variation", "age"].value for own in found])
    assert values[0] == values[1] and values[0][0] > 0.2 and values[0][1] == 0
    decimals = evaluate(own, real.assign(age=(ages + low) / 3))
    assert decimals["total_variation", "age"].value > 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("real", "released"),
    [
        ({}, {"age": np.nan, "ward": None, "admitted": pd.NaT}),
        ({"more": np.nan}, {"more": np.nan}),
        ({}, {"cost": 1e300}),
        ({}, {"age": 30.5, "left": pd.Timestamp("2300-01-01 12:30")}),
    ],
    ids=["missing", "nothing", "far", "finer"],
)
@pytest.mark.filterwarnings("ignore:Expected columns of at least two values")
def test_odd_values_are_measured(real, released):
    holdout = HOLDOUT[:50].assign(**real)
    found = evaluate(REAL[:60].assign(**real), FRESH[:60].assign(**released), holdout)
    assert found["mean_total_variation_1"].value > (0 if real else 0.15)
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_real", "n_released", "n_holdout"), [(3, 3, 3), (60, 2, 60), (60, 60, 3)]
)
def test_few_rows_have_few_figures(n_real, n_released, n_holdout):
    tables = (REAL[:n_real], FRESH[:n_released], HOLDOUT[:n_holdout])
    found = evaluate(*tables)
    assert found["mean_total_variation_2"].is_measured
    assert not found["linkability"].is_measured
    assert "too few" in found["linkability"].note
