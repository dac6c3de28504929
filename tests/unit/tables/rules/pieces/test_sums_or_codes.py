"""Scores of items, and codes where one of these lacks."""

import numpy as np
import pytest
from support.evidence import evidence_of

from coclust_synth.tables.rules.found import rules_of


@pytest.fixture
def items():
    """Answers of 1,000, some of which were refused, or asked of nobody at home."""
    rng = np.random.default_rng(0)
    items = np.clip(np.round(rng.normal(3, 1.2, (3, 1000))), 1, 5)
    items[rng.random(items.shape) < 0.02] = -9
    items[:, rng.random(1000) < 0.06] = -7
    return items


def score(items):
    score = items[0] + items[1] - items[2] + 6
    for code in (-7, -9):
        score[(items == code).any(axis=0)] = code
    return dict(zip("abc", items, strict=True)) | {"score": score}


def told(columns, k=20, persons=None):
    return rules_of(evidence_of(columns, persons), None, k).fits


def test_a_score_is_the_sum_of_its_items_or_the_code_that_one_has(items):
    (fit,) = told(score(items)).values()
    assert fit.codes == (-9, -7) and fit.constant == 6
    assert fit.terms == {"a": 1, "b": 1, "c": -1}
    assert str(fit) == "score = b + a - c + 6, or -9, -7 where one is"


@pytest.mark.slow
def test_a_mean_of_what_was_answered_hides_no_score(items):
    columns = score(items)
    answered = np.where(items < 0, np.nan, np.array([[1], [1], [-1]]) * items)
    answered[2] += 6
    is_any = ~np.isnan(answered).all(axis=0)
    mean = np.full(1000, -7.0)
    mean[is_any] = np.round(np.nanmean(answered[:, is_any], axis=0), 2)
    assert told(columns | {"mean": mean})["score"] == told(columns)["score"]


@pytest.mark.slow
def test_a_code_of_few_is_none(items):
    items[items == -9] = 1
    columns = score(items)
    persons = np.arange(1000)
    assert [fit.codes for fit in told(columns, persons=persons).values()] == [(-7,)]
    persons[columns["score"] == -7] %= 15
    assert not any(getattr(f, "codes", ()) for f in told(columns, 20, persons).values())


def test_a_score_that_has_its_code_for_other_reasons_is_none(items):
    columns = score(items)
    columns["score"][:20] = -9
    assert told(columns) == {}


@pytest.mark.slow
def test_columns_of_chance_have_none():
    rng = np.random.default_rng(0)
    for _ in range(30):
        columns = {f"n{j}": rng.integers(1, 4 + 9 * j, 400) for j in range(7)}
        for name, column in columns.items():
            columns[name] = np.where(rng.random(400) < 0.1, -9, column)
        assert told(columns) == {}
