"""Plans: they say what a fit does, from the domain and a number of rows alone."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from support.private_noise import forbid_noise, silence_concentrated, silence_noise

from coclust_synth.baselines.private import aim
from coclust_synth.baselines.private.aim import AIMSynthesizer
from coclust_synth.baselines.private.histograms.laplace import LaplaceHistogram
from coclust_synth.baselines.private.histograms.noise_first import NoiseFirst
from coclust_synth.baselines.private.histograms.privelet import Privelet
from coclust_synth.baselines.private.independent import IndependentMargins
from coclust_synth.baselines.private.mst import MSTSynthesizer
from coclust_synth.baselines.private.privbayes import PrivBayes
from coclust_synth.exceptions import DataWarning, NotFittedError, ParameterError
from coclust_synth.generators.dp.dpcocgen import DPCocGen
from coclust_synth.privacy.noise.ledger import PrivacyLedger
from coclust_synth.tables.domain.domain import Domain

DOMAIN = Domain.from_dict(
    {
        "age": {"low": 0, "high": 99, "bins": 20},
        "job": [f"job {i}" for i in range(12)],
        "sex": ["F", "M"],
    }
)


def people(n):
    rng = np.random.default_rng(0)
    age, job = rng.integers(0, 100, n), rng.integers(0, 12, n)
    sex = np.array(["F", "M"])[(age + 9 * job > 100).astype(int)]
    return pd.DataFrame({"age": age, "job": [f"job {i}" for i in job], "sex": sex})


@pytest.mark.parametrize(
    "options, n_rows, path",
    [
        ({"epsilon": 1.0, "variant": "adaptive"}, 4_000, "adaptive"),
        (
            {"epsilon": 3.0, "variant": "adaptive", "neighbours": "replace"},
            900,
            "adaptive",
        ),
        ({"epsilon": 1.0, "delta": 1e-9, "variant": "adaptive"}, 8_000, "adaptive"),
        ({"epsilon": 1.0, "delta": 1e-9}, 30, "margins"),
        ({"epsilon": 40.0, "delta": 1e-9}, 9_000, "histogram"),
        ({"epsilon": 1.0, "rows_per_person": 2}, 90, "margins"),
        (
            {
                "epsilon": 1.0,
                "delta": 1e-9,
                "rows_per_person": 3,
                "variant": "adaptive",
            },
            300,
            "margins",
        ),
        ({"epsilon": 1.0}, 40, "margins"),
        ({"epsilon": 1.0}, 2_000, "histogram"),
    ],
)
@pytest.mark.filterwarnings("ignore::coclust_synth.exceptions.DataWarning")
def test_a_fit_spends_what_the_plan_says(options, n_rows, path, monkeypatch):
    silence_noise(monkeypatch)
    silence_concentrated(monkeypatch)
    generator = DPCocGen(domain=DOMAIN, **options)
    plan = generator.plan(n_rows)
    assert plan.path == path
    ledger = generator.fit(people(n_rows)).ledger_

    def kind(what):
        return what.removesuffix("s").split(" of ")[0]

    made = sorted(
        (kind(e.what), e.mechanism, e.cost / ledger.total, e.scale)
        for e in ledger.entries
    )
    said = sorted(
        (kind(q.what), q.mechanism, q.share, q.scale)
        for q in plan.queries
        for _ in range(q.times)
    )
    assert [entry[:2] for entry in said] == [entry[:2] for entry in made]
    assert np.allclose(
        [entry[2:] for entry in said], [entry[2:] for entry in made], rtol=1e-9
    )
    n_values = {e.what: e.n_values for e in ledger.entries}
    for query in plan.queries:
        if query.what in n_values and query.n_values is not None:
            assert query.n_values == n_values[query.what]
    assert sum(q.times * q.share for q in plan.queries) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    "make, path",
    [
        (IndependentMargins, "margins"),
        (LaplaceHistogram, "histogram"),
        (PrivBayes, "network"),
        (partial(MSTSynthesizer, delta=1e-9), "tree"),
        (partial(AIMSynthesizer, delta=1e-9), "adaptive"),
        (partial(AIMSynthesizer, delta=1e-9, targets=["sex"]), "adaptive"),
    ],
)
@pytest.mark.parametrize("names", [["age", "job", "sex"], ["job"]])
def test_a_baseline_spends_what_its_plan_says(make, path, names, monkeypatch):
    """Each round of AIM teaches it something here, as its plan supposes."""
    silence_noise(monkeypatch)
    silence_concentrated(monkeypatch)
    monkeypatch.setattr(aim, "_FASTER", 1)
    for name in ("_FIRST_FIT", "_FIT", "_LAST_FIT"):
        monkeypatch.setattr(aim, name, 2)
    if names == ["job"] and "targets" in getattr(make, "keywords", {}):
        make = partial(AIMSynthesizer, delta=1e-9)
    generator = make(1.0, DOMAIN.select(names))
    plan = generator.plan(2000)
    assert plan.path == path and plan.least_rows is None
    ledger = generator.fit(people(2000)).ledger_
    made = sorted((e.mechanism, e.cost / ledger.total, e.scale) for e in ledger.entries)
    said = sorted(
        (q.mechanism, q.share, q.scale) for q in plan.queries for _ in range(q.times)
    )
    assert [entry[0] for entry in said] == [entry[0] for entry in made]
    assert np.allclose([e[1:] for e in said], [e[1:] for e in made], rtol=1e-9)
    assert sum(q.times * q.share for q in plan.queries) == pytest.approx(1, abs=1e-9)
    columns = [error for error in plan.errors if error.what in names]
    assert len(columns) in (0, 1, len(names))
    assert all(0 < error.error <= 1 for error in plan.errors)


def test_below_the_least_rows_only_columns_are_measured():
    generator = DPCocGen(1.0, DOMAIN, variant="adaptive")
    least = generator.plan(1).least_rows
    below, from_there = generator.plan(least - 1), generator.plan(least)
    assert (below.path, from_there.path) == ("margins", "adaptive")
    assert np.mean([error.error for error in below.errors]) == pytest.approx(0.056, 0.1)


@pytest.mark.parametrize(
    "n_columns, is_less", [(5, False), pytest.param(60, True, marks=pytest.mark.slow)]
)
def test_no_more_rows_are_asked_for_with_a_delta(n_columns, is_less):
    domain = {f"c{i}": [str(k) for k in range(20)] for i in range(n_columns)}
    without, with_delta = (
        DPCocGen(1.0, domain, delta=delta, variant="adaptive").plan(10_000).least_rows
        for delta in (None, 1e-9)
    )
    assert (with_delta < without) == is_less and with_delta <= without


@pytest.mark.parametrize(
    "options, n_rows",
    [
        ({}, 20_000),
        ({"variant": "adaptive"}, 20_000),
        ({"delta": 1e-9, "variant": "adaptive"}, 20_000),
    ],
)
def test_expected_errors_are_those_of_the_noise(options, n_rows):
    rng = np.random.default_rng(1)
    plan = DPCocGen(1.0, DOMAIN, **options).plan(n_rows)
    scales = {query.what: query.scale for query in plan.queries}
    draw = rng.laplace if plan.rho is None else rng.normal
    for error in plan.errors:
        summed, what = 1, f"values of {error.what}"
        if error.what.endswith("from all cells"):
            summed, what = DOMAIN.n_cells // error.cells, "cells of all columns"
        elif error.what.startswith(("typical", "largest")):
            what = "counts of a margin"
        noise = draw(0, scales[what], (100_000 // error.cells, error.cells, summed))
        found = np.abs(noise.sum(axis=2)).sum(axis=1).mean() / (2 * n_rows)
        assert error.error == pytest.approx(found, rel=0.1)


def test_pairs_and_triples_have_the_sizes_of_the_columns():
    plan = DPCocGen(1.0, DOMAIN, variant="adaptive").plan(20_000)
    cells = {error.what: error.cells for error in plan.errors}
    assert cells["largest pair"] == 20 * 12 and cells["largest triple"] == 20 * 10 * 2
    assert cells["typical pair"] < cells["largest pair"]
    whole = DPCocGen(1.0, DOMAIN).plan(20_000)
    cells = {error.what: error.cells for error in whole.errors}
    assert cells["typical pair, from all cells"] == 20 * 2


def test_histograms_whose_counts_become_none_say_so():
    (pair, *_) = LaplaceHistogram(1.0, DOMAIN).plan(20_000).errors
    assert pair.what.startswith("typical pair, from all cells (noise alone: farther")


def test_a_plan_spends_nothing_and_leaves_a_fit_as_it_was(monkeypatch):
    forbid_noise(monkeypatch)
    generator = DPCocGen(1.0, DOMAIN)
    before = dict(vars(generator))
    plan = generator.plan(5_000)
    assert vars(generator) == before
    frame = plan.to_frame()
    assert list(frame["what"][:2]) == ["rows", "values of age"]
    assert len(frame) == len(plan.to_dict()["queries"]) == len(plan.queries)


def test_one_column_gets_all_of_it():
    plan = DPCocGen(1.0, DOMAIN.select(["job"])).plan(100)
    assert [(q.what, q.share) for q in plan.queries] == [("values of job", 1.0)]
    assert plan.path == "margins"


@pytest.mark.parametrize(
    "options, n_rows, match",
    [
        ({"variant": "blocks"}, 100, "Received 'blocks', for which no plan"),
        ({"variant": "thesis"}, 100, "Received 'thesis', for which no plan"),
        ({}, 0, "expected_rows"),
        ({}, 10.5, "expected_rows"),
        ({"delta": 1e-5}, 100, "confirmation"),
        ({"epsilon": 1e-8}, 100, "epsilon"),
    ],
)
def test_what_cannot_be_planned_is_refused(options, n_rows, match):
    generator = DPCocGen(**{"epsilon": 1.0, "domain": DOMAIN, **options})
    with pytest.raises(ParameterError, match=match):
        generator.plan(n_rows)


@pytest.mark.parametrize("delta", [None, 1e-9])
def test_below_some_rows_a_release_is_mostly_noise(delta, monkeypatch):
    domain = {f"c{i}": [str(k) for k in range(10)] for i in range(6)}
    generator = DPCocGen(0.1, domain, delta=delta)
    rows = generator.plan(1).rows_of_noise
    below, from_there = generator.plan(rows - 1), generator.plan(rows)
    assert below.is_mostly_noise and not from_there.is_mostly_noise
    assert below.to_dict()["is_mostly_noise"] is True
    assert from_there.to_dict()["is_mostly_noise"] is False
    assert below.path == "margins" and rows < below.least_rows
    of_pairs = np.sqrt(2) * np.mean([error.error for error in below.errors])
    assert of_pairs == pytest.approx(0.3, rel=0.05)
    tenth = DPCocGen(1.0, domain, delta=delta).plan(1).rows_of_noise
    assert tenth == pytest.approx(rows / 10, rel=0.05)
    silence_noise(monkeypatch)
    silence_concentrated(monkeypatch)
    for unfitted in (generator, PrivBayes(1.0, domain)):
        with pytest.raises(NotFittedError):
            unfitted.rows_of_noise()
    frame = pd.DataFrame({name: ["0", "1"] * 20 for name in domain})
    with pytest.warns(DataWarning, match=f"pairs of columns .* about {rows:,} rows"):
        generator.fit(frame)
    assert generator.rows_of_noise() == generator.plan(40).rows_of_noise
    enough = DPCocGen(100.0, domain, delta=delta).fit(frame)  # warns of nothing
    assert enough.rows_of_noise() <= 40


@pytest.mark.parametrize(
    "method, of_columns",
    [
        (IndependentMargins, 1),
        (NoiseFirst, 1),
        (PrivBayes, 0.7),
        (partial(MSTSynthesizer, delta=1e-9), 1 / 3),
        (partial(AIMSynthesizer, delta=1e-9), 1 / 2),
    ],
)
def test_baselines_are_mostly_noise_by_what_they_spend(method, of_columns, monkeypatch):
    """On the values of the columns, in equal shares."""
    domain = {f"c{i}": [str(k) for k in range(2 + i)] for i in range(4)}
    generator = method(epsilon=0.2, domain=domain)
    below = generator.plan(1).rows_of_noise
    ledger = PrivacyLedger(0.2, delta=generator.delta)
    noise = ledger.count_noise(of_columns * ledger.total / 4)
    off = np.sqrt(2) * 3.5 / 2 * noise / below  # of 3.5 values on average
    assert off == pytest.approx(0.3, rel=0.05) and off <= 0.3
    assert generator.plan(below - 1).is_mostly_noise
    assert not generator.plan(below).is_mostly_noise
    silence_noise(monkeypatch)
    silence_concentrated(monkeypatch)
    frame = pd.DataFrame({name: ["0", "1"] * 20 for name in domain})
    with pytest.warns(DataWarning, match=f"pairs of columns .* about {below:,} rows"):
        generator.fit(frame)
    assert generator.rows_of_noise() == below
    method(epsilon=100.0, domain=domain).fit(frame)  # warns of nothing


def test_a_histogram_is_mostly_noise_by_sums_of_its_cells():
    domain = {f"c{i}": [str(k) for k in range(4)] for i in range(3)}
    below = LaplaceHistogram(0.1, domain).plan(1).rows_of_noise
    plan = LaplaceHistogram(0.1, domain).plan(below)
    of_pairs = plan.errors[
        0
    ].error  # of cells of the pairs, each of 4 values of a third
    assert not plan.is_mostly_noise and 0.3 < of_pairs < 0.6
    assert LaplaceHistogram(0.2, domain).plan(1).rows_of_noise == pytest.approx(
        below / 2, abs=1
    )


def test_of_some_methods_no_rule_tells_that_they_are_mostly_noise():
    domain = {name: [str(k) for k in range(4)] for name in "abc"}
    frame = pd.DataFrame({name: ["0", "1"] * 2 for name in "abc"})
    for generator in (
        LaplaceHistogram(0.01, domain, projection="clip"),
        Privelet(0.01, domain),
        DPCocGen(0.01, domain, variant="thesis"),
    ):
        generator.fit(frame)  # warns of nothing
        assert generator.rows_of_noise() is None
    assert Privelet(0.01, domain).plan(1).to_dict()["is_mostly_noise"] is None
