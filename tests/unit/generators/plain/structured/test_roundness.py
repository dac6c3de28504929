"""How round numbers are goes with a category."""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.roundness import Roundness, coarsest
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.grains import Grains
from coclust_synth.tables.parts.atoms import AtomParts


def payments(n=4000, seed=0):
    """Cash in tens, transfers in whole numbers, cards in cents."""
    rng = np.random.default_rng(seed)
    how = rng.choice(["card", "cash", "transfer"], n)
    amount = np.exp(rng.normal(4, 1, n))
    cents = np.select(
        [how == "cash", how == "transfer"],
        [np.maximum(np.round(amount / 10), 1) * 1000, np.maximum(amount // 1, 1) * 100],
        np.round(amount * 100),
    )
    amount = cents.astype(np.int64) / 100
    return pd.DataFrame({"how": how, "amount": amount, "age": rng.integers(9, 90, n)})


def shares(frame):
    """Share of multiples of ten, and of one, of each kind of payment."""
    cents = (frame["amount"].dropna() * 100).round().astype(np.int64)
    return {
        how: tuple((own % step == 0).mean() for step in (1000, 100))
        for how, own in cents.groupby(frame["how"])
    }


@pytest.mark.parametrize("columns", [["how", "amount"], ["age", "amount", "how"]])
def test_a_category_keeps_its_steps_wherever_it_stands(columns):
    frame = payments()[columns]
    structure = learnt(frame)
    steps = Fraction(1, 100), Fraction(1), Fraction(10)
    assert structure.features == (Roundness(columns.index("amount"), steps),)
    real, drawn = shares(frame), shares(drawn_from(structure))
    assert drawn["cash"] == (1, 1)
    assert drawn["transfer"][1] == 1
    assert abs(drawn["transfer"][0] - real["transfer"][0]) < 0.03
    assert abs(drawn["card"][1] - real["card"][1]) < 0.02


def test_digits_of_one_person_are_no_step():
    frame = payments()
    frame.loc[np.flatnonzero(frame["how"] == "card")[0], "amount"] = 54.77313
    structure = learnt(frame)
    assert structure.features[0].steps[0] == Fraction(1, 100)
    cents = drawn_from(structure)["amount"] * 100
    assert np.abs(cents - cents.round()).max() < 1e-6


def test_digits_of_few_do_not_go_with_what_else_few_have():
    rng = np.random.default_rng(0)
    frame = payments().assign(age=rng.choice([1.0, 2.0, 3.0], 4000))
    frame["amount"] = np.round(np.exp(rng.normal(4, 1, 4000)), 2)
    frame.loc[:15, "amount"] += 0.00313 + np.arange(16) / 1e5
    frame.loc[:15, "age"] = np.nan
    assert not learnt(frame).features


@pytest.mark.slow
def test_amounts_stay_where_they_are():
    frame = payments()
    drawn = drawn_from(learnt(frame))
    for how, own in frame.groupby("how")["amount"]:
        of_drawn = drawn["amount"][drawn["how"] == how]
        for q in (0.1, 0.5, 0.9):
            assert abs(of_drawn.quantile(q) / own.quantile(q) - 1) < 0.15


@pytest.mark.slow
def test_missing_amounts_go_with_their_category():
    frame = payments()
    is_lost = np.random.default_rng(1).random(len(frame)) < 0.3
    frame.loc[is_lost & (frame["how"] == "cash"), "amount"] = np.nan
    drawn = drawn_from(learnt(frame))
    missing = drawn["amount"].isna().groupby(drawn["how"]).mean()
    assert abs(missing["cash"] - 0.3) < 0.05
    assert missing["card"] == missing["transfer"] == 0
    assert shares(drawn)["cash"] == (1, 1)


def test_whole_numbers_that_some_guess():
    rng, n = np.random.default_rng(2), 4000
    how = rng.choice(["asked", "guessed"], n)
    minutes = rng.integers(1, 400, n)
    minutes = np.where(how == "guessed", minutes // 5 * 5 + 5, minutes)
    frame = pd.DataFrame({"how": how, "minutes": minutes})
    structure = learnt(frame)
    assert structure.features == (Roundness(1, (Fraction(1), Fraction(5))),)
    drawn = drawn_from(structure)
    is_five = drawn["minutes"] % 5 == 0
    assert is_five[drawn["how"] == "guessed"].all()
    assert abs(is_five[drawn["how"] == "asked"].mean() - 0.2) < 0.03


@pytest.mark.slow
def test_what_tells_a_number_tells_how_round_it_is():
    """Of short calls few are round, of those of five minutes all are: 0.15 or 0.40."""
    rng, n = np.random.default_rng(0), 2500
    seconds = np.ceil(np.exp(rng.normal(4.2, 1, n))).astype(np.int64)
    zone = rng.choice(["home", "near", "far"], n, p=[0.84, 0.1, 0.06])
    cents = pd.Series(zone).map({"home": 3, "near": 8, "far": 45}) * -(-seconds // 60)
    frame = pd.DataFrame({"seconds": seconds, "cost": cents / 100, "zone": zone})
    structure = learnt(frame)
    assert structure.features == (Roundness(1, (Fraction(1, 100), Fraction(1, 20))),)
    drawn = drawn_from(structure, n)
    assert abs((drawn["zone"] == "far").mean() - (zone == "far").mean()) < 0.005
    assert abs(drawn["cost"].mean() / frame["cost"].mean() - 1) < 0.02


@pytest.mark.slow
def test_a_few_other_payments_leave_the_step():
    frame = payments()
    cash = np.flatnonzero(frame["how"] == "cash")
    frame.loc[cash[:3], "amount"] = [12.34, 56.7, 89.01]
    assert len(learnt(frame).features) == 1
    frame.loc[cash[:30], "amount"] += 0.01
    (feature,) = learnt(frame).features
    assert Fraction(10) not in feature.steps


@pytest.mark.slow
def test_no_step_is_found_where_categories_say_nothing(rng):
    for _ in range(20):
        n = 600
        frame = pd.DataFrame(
            {
                "a": rng.choice(["x", "y", "z"], n),
                "b": rng.exponential(50, n).round(rng.integers(0, 3)),
                "c": rng.integers(1, 40, n) * rng.choice([1, 5], n),
            }
        )
        assert learnt(frame).features == ()


def test_one_amount_of_a_category_is_no_step():
    rng, n = np.random.default_rng(0), 2000
    kind = rng.choice(["free", "paid"], n)
    fee = np.where(kind == "free", 0, rng.exponential(50, n).round(2))
    assert learnt(pd.DataFrame({"kind": kind, "fee": fee})).features == ()


def test_which_atoms_hold_which_steps():
    ruler = SteppedRuler(1)
    lows, highs = np.array([0, 3, 5, 6, 20]), np.array([0, 4, 5, 19, 20])
    law = np.full(5, 0.5)
    atoms = AtomParts(ruler, lows, highs, law, law, True, Grains(ruler))
    feature = Roundness(0, (Fraction(1), Fraction(5), Fraction(10)))
    expected = [
        [False, True, False, True, False, False],
        [False, False, True, True, False, False],
        [True, False, False, True, True, False],
        [False, False, False, False, False, True],
    ]
    assert feature.allowed(atoms).tolist() == expected


@pytest.mark.slow
def test_which_atoms_hold_steps_as_if_each_value_were_looked_at():
    rng = np.random.default_rng(3)
    ruler = SteppedRuler(0.1, whole=False)
    steps = Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(10)
    feature = Roundness(0, steps)
    for _ in range(50):
        ends = np.unique(rng.integers(-300, 300, 8)) / 10
        lows, highs = ends[:-1], ends[:-1].copy()
        wide = rng.random(len(lows)) < 0.6
        highs[wide] = ruler.snap(ends[1:][wide] - 0.1)
        law = np.full(len(lows), 0.5)
        atoms = AtomParts(ruler, lows, highs, law, law, False, Grains(ruler))
        heaps = {low for low, high in zip(lows, highs, strict=True) if low == high}
        for i, (low, high) in enumerate(zip(lows, highs, strict=True)):
            values = np.arange(round(low * 10), round(high * 10) + 1) / 10
            if low < high:
                values = np.array([v for v in values if v not in heaps])
            held = set(coarsest(values, steps, ruler).tolist()) if len(values) else {}
            allowed = np.flatnonzero(feature.allowed(atoms)[:-1, i])
            assert set(allowed.tolist()) == set(held)


@pytest.mark.slow
def test_saved_ones_draw_the_same_way(tmp_path):
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=2, random_state=0)
    path = tmp_path / "payments.model"
    synthesizer.fit(payments(2000)).save(path)
    again = CoclusterSynthesizer.load(path, random_state=0)
    assert again.sample().equals(synthesizer.sample())


@pytest.mark.slow
def test_steps_are_checked_where_they_are_read():
    structure = learnt(payments())
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    assert Structure.from_dict(content, arrays).features == structure.features
    for steps in ([], ["0", "1"], ["2", "1"], ["2", "3"]):
        damaged = content | {"features": [{"column": 1, "steps": steps}]}
        with pytest.raises(ValueError):
            Structure.from_dict(damaged, arrays)
