"""What is told of a release before anything else, from its figures alone."""

import math

import numpy as np
import pandas as pd
import pytest

from coclust_synth.evaluation.comparing.alike import AlikeTables
from coclust_synth.evaluation.comparing.coded import code_tables
from coclust_synth.evaluation.evaluation_result import Facts, Score
from coclust_synth.evaluation.findings import find, find_unlike
from coclust_synth.evaluation.measures import MEASURES

NO_RULES = pd.DataFrame(columns=["rule", "real", "released"], dtype=float)


def scores(of_pairs, *, fresh, copy, independent):
    """Figures that tell nothing, but for the distances of pairs of columns."""
    told = dict.fromkeys(
        (
            "uniques_beyond_chance",
            "nearer_to_training",
            "membership_uniques",
            "membership_distance",
            "membership_isolated",
            "membership_density",
            "unseen_values",
            "mean_total_variation_1",
        ),
        Score("", "", (), 0.0, "", "", ceiling_bootstrap=0.0),
    )
    beside = {"floor_fresh": fresh, "ceiling_bootstrap": copy}
    told["mean_total_variation_2"] = Score(
        "", "", (), of_pairs, "", "", floor_independent=independent, **beside
    )
    return [
        own._replace(name=name, group=MEASURES[name].group)
        for name, own in told.items()
    ]


def facts(n_released, n_holdout=None):
    return Facts(240, n_released, n_holdout, {}, {}, False, 0)


@pytest.mark.parametrize(
    ("fresh", "n_released", "n_holdout", "is_told"),
    [(0.370, 240, 60, False), (math.nan, 240, None, False), (math.nan, 24, None, True)],
)
def test_sampling_error_is_not_taken_for_lost_dependence(
    fresh, n_released, n_holdout, is_told
):
    """As of 240 rows of columns that have nothing to do with each other.

    A copy of the rows shares their sampling error; other real rows would not, and are
    1.41 times as far where there are as many; where the release has a tenth of the
    rows, 1.05 times.
    """
    told = scores(0.196, fresh=fresh, copy=0.15, independent=0.217)
    found = find(told, NO_RULES, facts(n_released, n_holdout))
    assert [own.kind for own in found] == ["independent"] * is_told


@pytest.mark.parametrize(("fresh", "n_holdout"), [(math.nan, None), (0.09, 20)])
def test_lost_dependence_is_told_by_any_number_of_rows_kept_aside(fresh, n_holdout):
    """Few of them are as far as independent columns, by sampling alone."""
    told = scores(0.1, fresh=fresh, copy=0.02, independent=0.12)
    (found,) = find(told, NO_RULES, facts(240, n_holdout))
    assert found.kind == "independent"
    about = 0.02 * math.sqrt(2) if n_holdout is None else 0.09 * math.sqrt(2 / 13)
    assert (
        f"columns would be 0.120, and other real rows about {about:.3f}" in found.text
    )


def test_what_sampling_hides_is_not_told_as_lost():
    told = scores(0.18, fresh=math.nan, copy=0.116, independent=0.183)
    assert find(told, NO_RULES, facts(240)) == ()
    changed = [
        own._replace(value=0.05) if own.name == "mean_total_variation_1" else own
        for own in told
    ]
    (found,) = find(changed, NO_RULES, facts(240))
    assert found.kind == "columns"
    # By as little as sampling error is not known to, they have not.
    beside = [
        own._replace(ceiling_bootstrap=0.034)
        if own.name == "mean_total_variation_1"
        else own
        for own in changed
    ]
    assert find(beside, NO_RULES, facts(240)) == ()


def test_more_rows_without_a_value_than_chance_explains_are_told():
    told = scores(0.0, fresh=math.nan, copy=0.1, independent=0.2)
    notes = {"pay": (0.05, 0.044, 0.056), "age": (0.05, 0.03, 0.07)}
    told += [
        Score("missing_change", "utility", (name,), value, "", "", low, high, note="n")
        for name, (value, low, high) in notes.items()
    ]
    (found,) = find(told, NO_RULES, facts(240))
    assert found.kind == "missing"
    assert found.text == "The share of rows without a value has changed: pay (n)."


@pytest.mark.parametrize("is_sorted", [False, True])
def test_rows_kept_aside_that_are_no_random_ones_are_told(is_sorted, rng):
    year, x = rng.integers(0, 40, 600), rng.normal(size=600)
    table = pd.DataFrame({"year": np.sort(year) if is_sorted else year, "x": x})
    tables = AlikeTables.of(table[:450], table[:450], table[450:])
    coding, rows = code_tables(tables)
    found = find_unlike(coding, rows["real"], rows["holdout"])
    assert [own.kind for own in found] == ["holdout"] * is_sorted
    assert all("chance explains in 'year'." in own.text for own in found)
    assert find_unlike(coding, rows["real"], None) == ()
