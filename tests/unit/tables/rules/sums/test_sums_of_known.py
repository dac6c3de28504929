"""Sums of what is there: of what is missing nothing is added."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth import CoclusterSynthesizer, infer_schema
from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.relations import Fit, SumOfKnown, relation_from_dict
from coclust_synth.tables.rules.found import rules_of

TOTAL = SumOfKnown("total", ("net", "extra"), (1.0, 1.0), 0.0, ("extra",))
OF_ALL = Fit("total", ("extra", "net"), (1.0, 1.0), 0.0, False)
ITEMS = [f"q{i}" for i in range(1, 6)]


def bills(n=800, n_without=80, seed=0):
    """Prices in cents, extras of whole fives that some rows lack, and their sum."""
    rng = np.random.default_rng(seed)
    extra = 5.0 * rng.integers(1, 40, n)
    extra[:n_without] = np.nan
    table = pd.DataFrame({"net": np.round(rng.lognormal(6, 1, n), 2), "extra": extra})
    table = table.sample(frac=1, random_state=seed, ignore_index=True)
    total = table["net"] + table["extra"].fillna(0)
    return table.assign(total=np.round(total, 2))


def items(n=900, seed=0):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(1, 6, (n, 5)), columns=ITEMS)
    return table.mask(rng.random((n, 5)) < 0.1)


def told(table, k=20):
    rules = rules_of(evidence_of(table), None, k).told
    return [relation for relation in rules.values() if not relation.about]


def test_a_total_is_told_with_blanks_as_nothing_and_not_the_whole_fives():
    assert told(bills()) == [TOTAL]
    assert str(TOTAL) == "total = net + extra, extra 0 where missing"


def test_blanks_of_fewer_than_k_individuals_are_left_alone():
    assert told(bills(n_without=18)) == [OF_ALL]


@pytest.mark.slow
def test_where_blanks_are_other_numbers_they_are_left_alone():
    table = bills()
    lacks = table["extra"].isna()
    table.loc[lacks, "total"] += np.random.default_rng(1).integers(1, 40, lacks.sum())
    assert told(table) == [OF_ALL]


@pytest.mark.slow
def test_scores_are_sums_of_what_was_answered():
    table = items()
    score = SumOfKnown("score", tuple(ITEMS), (1.0,) * 5, 0.0, tuple(ITEMS))
    assert told(table.assign(score=table.sum(axis=1))) == [score]
    assert str(score) == "score = q1 + q2 + q3 + q4 + q5, each 0 where missing"
    rng = np.random.default_rng(2)
    assert told(table.assign(score=rng.permutation(table.sum(axis=1)))) == []


@pytest.mark.slow
@pytest.mark.parametrize("n_without", [80, 16])
def test_drawn_rows_keep_them(n_without, tmp_path):
    table = bills(n_without=n_without)
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(table)
    model.save(tmp_path / "m")
    drawn = CoclusterSynthesizer.load(tmp_path / "m", random_state=0).sample(600)
    off = (drawn["net"] + drawn["extra"].fillna(0) - drawn["total"]).abs() > 0.011
    assert not off[drawn["extra"].notna()].any()
    assert not (off.any() and n_without == 80)


@pytest.mark.slow
def test_words_in_the_place_of_numbers_are_no_numbers():
    table, rng = bills(), np.random.default_rng(1)
    lacks, extra = table["extra"].isna(), np.round(rng.lognormal(3, 1, 800), 2)
    table["total"] = np.round(table["net"] + np.where(lacks, 0, extra), 2)
    word = pd.Series(extra).map("{:.2f}".format).mask(lacks, "incl.")
    table["extra"] = word
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    drawn = model.fit(table, infer_schema(table).keep("extra")).sample(600)
    is_word = drawn["extra"] == "incl."
    assert 20 < is_word.sum() < 120
    extra = pd.to_numeric(drawn["extra"].mask(is_word, "0"))
    assert np.allclose(drawn["net"] + extra, drawn["total"])


@pytest.mark.parametrize("blank", [[], ["net", "net"], ["other"], 3])
def test_what_is_no_such_rule_is_refused(blank):
    content = TOTAL.to_dict()
    assert relation_from_dict(content) == TOTAL
    with pytest.raises(SchemaError, match="such as target = "):
        relation_from_dict(content | {"blank": blank})


@pytest.mark.slow
def test_rows_that_are_rounded_to_whole_fives_break_a_sum_of_cents(tmp_path):
    stated = (Fit("extra", ("total", "net"), (1.0, -1.0), 0.0, False),)
    table = bills(n_without=0)
    schema = replace(infer_schema(table), rules=stated)
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    model.fit(table, schema).save(tmp_path / "m")
    model = CoclusterSynthesizer.load(tmp_path / "m", random_state=0)
    drawn = model.sample(500)
    off = (drawn["total"] - drawn["net"] - drawn["extra"]).abs() > 0.016
    assert off.sum() > 100
    assert model.model_.count_broken(drawn) == [off.sum()]
    rounded = table.assign(total=5 * np.round((table["net"] + 7) / 5))
    rules = rules_of(evidence_of(rounded[["net", "total"]]), None, 20).all
    assert not any(rule.to_the_finest for rule in rules)
