"""Curves of releases by what they are asked for."""

import numpy as np
import pytest
from support.evaluations import people

from coclust_synth import CoclusterSynthesizer, Domain, DPCocGen, MondrianAnonymizer
from coclust_synth.evaluation import information_loss, trade_offs
from coclust_synth.evaluation.trade_offs import (
    class_trade_off,
    plain_trade_offs,
    private_trade_off,
)
from coclust_synth.plotting import plot_trade_off

REAL = people(200, 0)[["age", "ward", "drug"]]


@pytest.mark.slow
def test_plain_tables_by_k():
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=3, random_state=0)
    asked = []
    curve, risk = plain_trade_offs(
        synthesizer.fit(REAL),
        REAL,
        people(150, 1)[["age", "ward", "drug"]],
        callback=lambda what, done, n: asked.append((what, done, n)),
    )
    assert curve.values == (8, 20, 40, 100) and curve.chosen == 20
    assert asked[1] == ("k = 20", 1, 4)
    assert curve.title == "Total variation, sets of 3 columns"
    (distances,) = curve.lines.values()
    copy, independent = curve.references.values()
    assert copy < independent
    assert copy / 3 < distances[0].value < independent * 1.5
    assert risk.title == "Membership of isolated rows"
    (members,) = risk.lines.values()
    assert all(0 < m.low < m.value < m.high < 1 for m in members)
    ax = plot_trade_off(risk)
    assert list(ax.get_xticks()) == [8, 20, 40, 100]
    assert ax.texts[0].get_text() == "k = 20"


@pytest.mark.slow
def test_plain_tables_with_texts_in_patterns_by_k(monkeypatch):
    monkeypatch.setattr(trade_offs, "LADDER_OF_K", (2,))
    age = REAL["age"].astype(int)
    sizes = [f"{a} x {b} cm" for a, b in enumerate(age + 100)]
    real = REAL.assign(size=sizes)
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    (curve,) = plain_trade_offs(synthesizer.fit(real), real)
    assert synthesizer.model_.spelt and curve.values == (20, 40)


def test_loss_rises_with_k():
    anonymizer = MondrianAnonymizer(5, quasi_identifiers=["age", "ward"]).fit(REAL)
    curve = class_trade_off(anonymizer, REAL)
    assert curve.values == (2, 5, 10, 25, 50)
    frame = curve.to_frame()
    losses = frame["information loss, by sets"]
    assert losses[5] == information_loss(anonymizer.release_)
    assert (np.diff(losses) > 0).all()
    assert (frame["Hellinger distance of pairs"] > 0).all()
    one = MondrianAnonymizer(5, quasi_identifiers=["age"]).fit(REAL)
    assert list(class_trade_off(one, REAL).lines) == ["information loss, by sets"]


def test_expected_errors_fall_with_epsilon():
    domain = Domain.from_dict(
        {"sex": ["F", "M"], "age": {"low": 0, "high": 99, "bins": 9}}
    )
    curve = private_trade_off(
        lambda epsilon: DPCocGen(epsilon=epsilon, domain=domain).plan(5000), 1.2345
    )
    assert curve.values == (0.123, 0.37, 1.2345, 3.7, 12.3)
    frame = curve.to_frame()
    assert len(frame.columns) >= 1
    assert (np.diff(frame, axis=0) <= 0).all()
