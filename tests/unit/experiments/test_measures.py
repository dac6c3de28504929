import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from experiments.measures import MEASURES, Asked, Drawn


@pytest.fixture
def asked():
    """A training part of 400 rows: the second column is the first, the third random."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (600, 1))
    rows = np.hstack([codes, codes, rng.integers(0, 5, (600, 1))])
    of = Asked(("a", "b", "c"), np.array([4, 4, 5]), rows[:400], ("bayes",), ("a", "c"))
    return of, rows[400:]


def measure(asked, name, drawn, holdout):
    seed = np.random.SeedSequence(0)
    return MEASURES[name](asked, Drawn(drawn, drawn, holdout), seed)


def test_distances_are_means_over_sets_of_columns(asked):
    of, holdout = asked
    moved = of.train.copy()
    moved[:, 2] = 0
    found = measure(of, "distances", moved, holdout)
    away = (of.train[:, 2] != 0).mean()
    assert found["total variation, 1", ""] == pytest.approx(away / 3)
    assert found["total variation, 2", ""] == pytest.approx(2 * away / 3)
    assert found["total variation, 3", ""] == pytest.approx(away)


def test_models_are_trained_on_draws_and_tested_on_the_holdout(asked):
    of, holdout = asked
    found = measure(of, "learning", of.train, holdout)
    assert found["AUC, bayes", "a"] == found["ACC, bayes", "a"] == 1
    assert found["AUC, bayes", "c"] == pytest.approx(0.5, abs=0.1)
    mean = (found["AUC, bayes", "a"] + found["AUC, bayes", "c"]) / 2
    assert found["AUC, bayes", "mean"] == pytest.approx(mean)
    only = of.train.copy()
    only[:, 0] = 2
    found = measure(of, "learning", only, holdout)
    assert found["AUC, bayes", "a"] == 0.5
    assert found["ACC, bayes", "a"] == (holdout[:, 0] == 2).mean()


def test_area_of_a_target_weighs_its_values(asked):
    of, holdout = asked
    scores = np.random.default_rng(1).dirichlet(np.ones(4), len(holdout))
    expected = roc_auc_score(
        holdout[:, 0], scores, multi_class="ovr", average="weighted"
    )
    from experiments import measures

    measures.CLASSIFIERS["random"] = lambda *of: scores
    try:
        found = measure(
            of._replace(classifiers=("random",), targets=("a",)),
            "learning",
            of.train,
            holdout,
        )
    finally:
        del measures.CLASSIFIERS["random"]
    assert found["AUC, random", "a"] == pytest.approx(expected)


@pytest.mark.parametrize("classifier", ["bayes", "boosting"])
def test_what_differs_is_told_apart(asked, classifier):
    of, holdout = asked
    of = of._replace(classifiers=(classifier,))
    key = f"told apart, {classifier}", ""
    other = of.train.copy()
    other[:, 2] = np.maximum(other[:, 2], 3)
    assert measure(of, "told apart", other, holdout)[key] > 0.7
    assert measure(of, "told apart", of.train, holdout)[key] < 0.65


def test_boosting_sees_what_naive_bayes_does_not(asked):
    of, holdout = asked
    of = of._replace(classifiers=("bayes", "boosting"))
    rng = np.random.default_rng(2)
    apart = np.column_stack([rng.permutation(column) for column in of.train.T])
    found = measure(of, "told apart", apart, holdout)
    assert found["told apart, bayes", ""] < 0.65
    assert found["told apart, boosting", ""] > 0.8


def test_copies_tell_who_is_there_and_nothing_new(asked, rng):
    rows = rng.integers(0, 30, (500, 3))
    of = Asked(("a", "b", "c"), np.full(3, 30), rows[:400], (), ())
    copied, fresh = rows[:400], rng.integers(0, 30, (400, 3))
    assert measure(of, "membership", copied, rows[400:])["membership", ""] == 1
    told = measure(of, "uniques", copied, rows[400:])
    assert told["uniques drawn", ""] == 1
    assert told["uniques drawn, of the holdout", ""] < 0.2
    assert measure(of, "protection", copied, rows[400:])["protection, rows", ""] == 0
    assert measure(of, "protection", fresh, rows[400:])["protection, rows", ""] > 0.9
