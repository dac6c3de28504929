"""Checks that are common to all estimators."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import sklearn.exceptions
from sklearn.utils.validation import check_is_fitted

import coclust_synth
from coclust_synth import NotFittedError, ParameterError
from coclust_synth.validation import (
    check_number,
    check_seconds,
    check_seed,
    check_share,
    seed_sequence,
)

TABLE = pd.DataFrame({"a": ["x", "y"] * 10})
UNFITTED = {
    "synthesizer": lambda: coclust_synth.CoclusterSynthesizer(k=5),
    "private": lambda: coclust_synth.DPCocGen(1.0, {"a": ["x", "y"]}),
    "laplace": lambda: coclust_synth.LaplaceHistogram(1.0, {"a": ["x", "y"]}),
    "privbayes": lambda: coclust_synth.PrivBayes(1.0, {"a": ["x", "y"]}),
    "mst": lambda: coclust_synth.MSTSynthesizer(1.0, {"a": ["x", "y"]}, delta=1e-9),
    "aim": lambda: coclust_synth.AIMSynthesizer(1.0, {"a": ["x", "y"]}, delta=1e-9),
    "coclustering": coclust_synth.MODLCoclustering,
    "grid": coclust_synth.MODLDataGrid,
}
USES = {
    "sample": ("synthesizer", lambda model: model.sample()),
    "save": ("synthesizer", lambda model: model.save("never")),
    "private sample": ("private", lambda model: model.sample()),
    "laplace sample": ("laplace", lambda model: model.sample()),
    "privbayes sample": ("privbayes", lambda model: model.sample()),
    "mst sample": ("mst", lambda model: model.sample()),
    "aim sample": ("aim", lambda model: model.sample()),
    "predict": ("coclustering", lambda model: model.predict(TABLE)),
    "rows": ("coclustering", lambda model: model.rows_),
    "columns": ("coclustering", lambda model: model.columns_),
    "transform": ("grid", lambda model: model.transform(TABLE)),
    "report": (
        "coclustering",
        lambda model: coclust_synth.coclustering_report(model, TABLE),
    ),
    "grid report": ("grid", lambda model: coclust_synth.data_grid_report(model, TABLE)),
}


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        (1.2444444444444446e-05, "from 0.00001245."),
        (0.1 + 0.2, "from 0.3001."),
        (0.25, "from 0.25."),
        (1, "from 1."),
    ],
)
def test_a_limit_is_told_with_few_digits_that_are_in_the_range(limit, told):
    with pytest.raises(ParameterError, match="a number " + re.escape(told)):
        check_number("epsilon", limit * 0.9, minimum=limit)
    check_number("epsilon", float(told.removeprefix("from ")[:-1]), minimum=limit)


@pytest.mark.parametrize("use", USES)
def test_before_a_fit(use):
    name, call = USES[use]
    model = UNFITTED[name]()
    with pytest.raises(sklearn.exceptions.NotFittedError):
        check_is_fitted(model)
    with pytest.raises(NotFittedError, match=f"fitted {type(model).__name__}") as error:
        call(model)
    assert isinstance(error.value, ParameterError)
    assert isinstance(error.value, sklearn.exceptions.NotFittedError)
    assert type(pickle.loads(pickle.dumps(error.value))) is NotFittedError


def test_after_a_fit():
    fitted = coclust_synth.MODLDataGrid(n_iterations=1).fit(
        TABLE.assign(b=np.arange(20))
    )
    check_is_fitted(fitted)


@pytest.mark.parametrize(
    "value", [-1, 0.5, True, "0", [1, 2], np.random.RandomState(0), object()]
)
def test_what_no_random_numbers_are_drawn_from(value):
    for check in (check_seed, seed_sequence):
        with pytest.raises(ParameterError, match=r"random_state.*Received.*Give"):
            check("random_state", value)


@pytest.mark.parametrize("value", [True, "1", -1, float("nan")])
def test_what_is_no_number(value):
    for check in (check_share, check_seconds):
        with pytest.raises(ParameterError, match=r"Expected it to.*Received.*Give"):
            check("it", value)
    with pytest.raises(ParameterError, match=r"Expected it to.*Received.*Choose"):
        check_number("it", value, minimum=0)


def test_seeds_of_each_kind():
    def draw(value):
        return np.random.default_rng(seed_sequence("random_state", value)).random()

    by_number = np.random.default_rng(3).random()
    assert draw(3) == draw(np.int64(3)) == draw(np.random.SeedSequence(3)) == by_number
    generator = np.random.default_rng(3)
    first = draw(generator)
    assert draw(generator) != first == draw(np.random.default_rng(3))
    assert draw(None) != draw(None)
