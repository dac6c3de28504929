"""Models enforced on random tables, and looked for again in what is released."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.anonymizers import COCLUSTERED
from support.examples import examples
from support.releases import class_sizes, released_sets

from coclust_synth import DataWarning
from coclust_synth.evaluation.checking.privacy_check import check_release
from coclust_synth.exceptions import ParameterError
from coclust_synth.privacy import (
    AlphaK,
    DeltaPresence,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.reading.infer import infer_schema
from coclust_synth.tables.schema import Schema

NAMES = ["job", "age"]
MODELS = st.one_of(
    st.builds(DistinctLDiversity, st.integers(1, 5)),
    st.builds(EntropyLDiversity, st.floats(1, 4)),
    st.builds(RecursiveLDiversity, st.floats(0.3, 4), st.integers(1, 4)),
    st.builds(TCloseness, st.floats(0, 0.5)),
    st.builds(TCloseness, st.floats(0, 0.5), st.just("ordered")),
    st.builds(AlphaK, st.floats(0.2, 0.9)),
)
METHODS = st.sampled_from(
    [
        {},
        {"truthful": True},
        {"intervals": True},
        {"method": "coc"},
        {"method": "coc_hg"},
    ]
)


def people(rng, n):
    group = rng.integers(0, 4, n)
    return pd.DataFrame(
        {
            "job": np.array(list("abcdefgh"))[group * 2 + rng.integers(0, 2, n)],
            "age": 20 + 5 * group + rng.integers(0, 4, n),
            "grade": np.clip(group + rng.integers(-1, 3, n), 0, 4),
            "ill": np.where(rng.random(n) < 0.3, "flu", np.array(list("wxyz"))[group]),
        }
    )


def anonymized(table, k, *, method="hybrid", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        schema = infer_schema(table)
        columns = (replace(c, treatment="keep", reason="") for c in schema.columns)
        schema = Schema(tuple(columns), schema.delimiter)
        return COCLUSTERED[method](
            k, quasi_identifiers=NAMES, n_iterations=1, random_state=0, **options
        ).fit(table, schema)


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return people(rng, draw(st.integers(20, 120)))


def reachable(model, column, table):
    """Whether the table as one class holds a model, by the check of releases."""
    one = table.assign(job="*", age="*")
    try:
        return check_release(one, NAMES, [column], models=[(column, model)]).holds
    except ParameterError:  # an l above the number of values
        return False


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(120))
@given(tables(), MODELS, METHODS, st.integers(2, 12), st.sampled_from([0, 0.1, 0.4]))
def test_the_release_holds_the_model_or_it_is_refused(table, model, method, k, share):
    column = "grade" if getattr(model, "distance", "") == "ordered" else "ill"
    options = dict(
        sensitive=["grade", "ill"],
        models=[(column, model)],
        max_suppressed=share,
        **method,
    )
    if not reachable(model, column, table):
        with pytest.raises(ParameterError) as caught:
            anonymized(table, k, **options)
        message = str(caught.value)
        assert str(model) in message and repr(column) in message
        assert f"{model.measure} = " in message
        return
    anonymizer = anonymized(table, k, **options)
    frame = anonymizer.release_.to_frame()
    check = check_release(
        frame, NAMES, ["grade", "ill"], k=k, models=[(column, model)], original=table
    )
    assert check.holds, check.at_risk
    assert len(frame) == len(table)
    assert sorted(frame["ill"]) == sorted(table["ill"])
    # What is suppressed is little, a class of k, and holds too.
    suppressed = anonymizer.classes_ < 0
    n_suppressed = anonymizer.report_.n_suppressed
    assert n_suppressed == suppressed.sum() <= share * len(table)
    assert n_suppressed == 0 or n_suppressed >= k
    assert anonymizer.report_.classes["size"].min() >= k
    if n_suppressed:
        starred = frame[(frame[NAMES] == "*").all(axis=1)]
        assert len(starred) >= n_suppressed
    before = anonymized(table, k, sensitive=["grade", "ill"], **method)
    first = check_release(
        before.release_.to_frame(), NAMES, [column], models=[(column, model)]
    )
    if first.holds and len(np.unique(before.classes_)) == len(first.sizes):
        # Nothing fails: nothing is merged or suppressed.
        assert n_suppressed == 0
        pd.testing.assert_frame_equal(before.release_.to_frame(), frame)


@pytest.mark.slow
def test_models_on_each_sensitive_column():
    table = people(np.random.default_rng(0), 150)
    anonymizer = anonymized(
        table,
        5,
        sensitive=["grade", "ill"],
        models=[(None, DistinctLDiversity(3)), ("ill", AlphaK(0.6))],
    )
    check = check_release(
        anonymizer.release_.to_frame(),
        NAMES,
        ["grade", "ill"],
        models=[(None, DistinctLDiversity(3)), ("ill", AlphaK(0.6))],
    )
    assert check.holds and len(check.models) == 3
    alone = anonymized(table, 5, sensitive=["grade", "ill"])
    before = check_release(
        alone.release_.to_frame(), NAMES, ["grade", "ill"], models=[(None, AlphaK(0.6))]
    )
    assert not before.holds  # so that something was done
    assert len(check.sizes) < len(before.sizes)


def test_rows_are_suppressed_rather_than_merged():
    """Two classes of one disease each are suppressed together where that is allowed."""
    pets = np.repeat(list("abcd"), [20, 20, 5, 5])
    ills = np.array(["x", "y"] * 20 + ["x"] * 5 + ["y"] * 5)
    table = pd.DataFrame(
        {"job": pets, "age": np.repeat([20, 21, 22, 23], [20, 20, 5, 5]), "ill": ills}
    )
    options = dict(sensitive=["ill"], models=[("ill", DistinctLDiversity(2))])
    merged = anonymized(table, 5, **options)
    assert merged.report_.n_suppressed == 0
    suppressed = anonymized(table, 5, max_suppressed=0.2, **options)
    sizes = class_sizes(suppressed.release_, NAMES)
    assert sizes.to_dict() == {("*", "*"): 10, ("a", "20"): 20, ("b", "21"): 20}
    assert suppressed.release_.suppressed.sum() == 10
    assert suppressed.classes_.tolist()[-10:] == [-1] * 10
    # One row less than they hold together is not enough for both, and one holds not.
    less = anonymized(table, 5, max_suppressed=0.19, **options)
    assert less.report_.n_suppressed == 0


def test_suppression_leaves_rows_that_can_hold():
    """Here the classes that fail would leave a class that fails alone."""
    table = pd.DataFrame(
        {
            "job": list("aabbccccc"),
            "age": [20, 20, 30, 30, 40, 40, 40, 40, 40],
            "ill": list("xxyyxxxxx"),
        }
    )
    anonymizer = anonymized(
        table,
        2,
        sensitive=["ill"],
        models=[("ill", DistinctLDiversity(2))],
        max_suppressed=0.45,
    )
    frame = anonymizer.release_.to_frame()
    assert (frame.groupby(NAMES)["ill"].nunique() >= 2).all()


# delta-presence


def shares(release, population):
    """Rows released of the people of each label, by sets."""
    sets = released_sets(release)
    found = []
    for labels, size in class_sizes(release, NAMES).items():
        under = np.all(
            [
                population[name].isin(sets[name][label])
                for name, label in zip(NAMES, labels, strict=True)
            ],
            axis=0,
        )
        people = max(int(under.sum()), 1)
        found.append(min(size, people) / people)
    return found


@pytest.mark.slow
@settings(deadline=None, max_examples=examples(50))
@given(
    st.integers(0, 2**32 - 1),
    METHODS,
    st.floats(0, 0.5),
    st.floats(0.5, 1),
    st.sampled_from([0, 0.3]),
)
def test_shares_released_are_within_bounds_or_refused(seed, method, low, high, share):
    rng = np.random.default_rng(seed)
    population = people(rng, 160)
    table = population.iloc[rng.permutation(160)[:80]]
    model = DeltaPresence(low, high)
    try:
        release = anonymized(
            table,
            4,
            models=[(None, model)],
            population=population,
            max_suppressed=share,
            **method,
        ).release_
    except ParameterError as error:
        assert str(model) in str(error)
    else:
        assert class_sizes(release, NAMES).min() >= 4
        of_labels = shares(release, population)
        assert low <= min(of_labels) and max(of_labels) <= high


@pytest.mark.slow
def test_presence_merges_classes(rng):
    """Classes with all their people are merged with others until some are missing."""
    population = people(rng, 300)
    table = population[(population["job"] != "a") | (rng.random(300) < 0.3)]
    plain = anonymized(table, 5).release_
    assert max(shares(plain, population)) == 1
    model = DeltaPresence(0, 0.97)
    bounded = anonymized(
        table, 5, models=[(None, model)], population=population
    ).release_
    assert max(shares(bounded, population)) <= 0.97
    assert 1 < len(bounded.class_sizes) < len(plain.class_sizes)
