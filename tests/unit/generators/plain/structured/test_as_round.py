"""Numbers that others nearly tell are as round as those of the table."""

import json

import numpy as np
import pandas as pd
import pytest
from support.structures import drawn_from, learnt

from coclust_synth.generators.plain.structured.structure import Structure

N, ENDS = 2000, (0.05, 0.25, 0.75, 0.95)


def measured():
    """A body mass index of which half is told to one decimal."""
    rng = np.random.default_rng(0)
    height = rng.normal(170, 10, N).round(1)
    weight = np.exp(rng.normal(4.3, 0.2, N)).round(1)
    index = weight / (height / 100) ** 2
    index = np.where(rng.random(N) < 0.5, index.round(1), index.round(2))
    return pd.DataFrame({"weight": weight, "height": height, "index": index})


def charged():
    """What was paid in all is some cents off so many months, all in five cents."""
    rng = np.random.default_rng(1)
    month = rng.integers(300, 2400, N) / 20
    months = rng.integers(1, 73, N)
    paid = np.round(month * months * rng.normal(1, 0.02, N) * 20) / 20
    return pd.DataFrame({"months": months, "month": month, "paid": paid})


def indexed():
    """An index of two results, nearly all whole numbers: some need no rounding."""
    rng = np.random.default_rng(4)
    first, second = rng.integers(40, 300, N), rng.choice([0.6, 0.8, 1.25, 2.0], N)
    exact = first / second
    off = np.where(exact % 1 == 0, 0, rng.normal(0, 2, N))
    index = np.round(exact + off)
    index[:9] += 0.1
    return pd.DataFrame({"first": first, "second": second, "index": index})


def priced():
    """Prices are a third above what a thing costs, most in .99."""
    rng = np.random.default_rng(2)
    cost = np.exp(rng.normal(4, 1, N)).round(2)
    price = 1.3 * cost + rng.normal(0, 0.4, N) + 2
    price = np.where(rng.random(N) < 0.7, np.ceil(price) - 0.01, price.round(2))
    return pd.DataFrame({"cost": cost, "price": price})


def share(frame, name, step, last=0):
    """Of the values of a column, how many are so many steps and a rest, in cents."""
    cents = (frame[name] * 100).round().astype(np.int64)
    return float((cents % step == last).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "name", "step", "last"),
    [
        (measured, "index", 10, 0),
        (charged, "paid", 5, 0),
        (indexed, "index", 100, 0),
        (priced, "price", 100, 99),
    ],
)
def test_a_number_that_others_nearly_tell_is_as_round(table, name, step, last):
    frame = table()
    structure = learnt(frame)
    assert [fit.about for fit in structure.rules.fits.values()] == [True]
    drawn = drawn_from(structure)
    off = share(drawn, name, step, last) - share(frame, name, step, last)
    assert abs(off) < 0.06
    (fit,) = structure.rules.fits.values()

    def left(frame):
        base = fit.predict({n: frame[n].to_numpy() for n in fit.columns})
        own = frame[name].to_numpy()
        return np.quantile(np.log(own) - base if fit.logarithms else own - base, ENDS)

    assert np.abs(left(drawn) - left(frame)).max() < 0.2 * np.ptp(left(frame))


@pytest.mark.slow
def test_how_round_they_are_is_saved():
    structure = learnt(measured())
    content, arrays = json.loads(json.dumps(structure.to_dict())), structure.arrays()
    again = Structure.from_dict(content, arrays)
    assert drawn_from(again).equals(drawn_from(structure))
    (grains,) = [drawn.grains for drawn in again.columns if drawn.grains]
    assert grains.shares and grains.reach > 0
    # Models that were saved before draw what is left alone.
    for drawn in content["columns"]:
        drawn.pop("grains", None)
    plain = drawn_from(Structure.from_dict(content, arrays))
    assert share(plain, "index", 10) < 0.2


@pytest.mark.slow
def test_what_is_as_round_as_chance_has_it_stays():
    frame = measured()
    frame["index"] = (frame["weight"] / (frame["height"] / 100) ** 2).round(2)
    frame["index"] += np.random.default_rng(3).choice([-0.03, 0.0, 0.03], N)
    frame["index"] = frame["index"].round(2)
    assert all(drawn.grains is None for drawn in learnt(frame).columns)


@pytest.mark.slow
def test_a_mean_halfway_is_rounded_as_that_of_many():
    """Of forty states half of the means end in 5, and all were rounded up."""
    rng = np.random.default_rng(3)
    first, second = rng.permutation(900)[:80].reshape(2, 40) + 100
    of_states = {"first": first, "second": second, "mean": (first + second + 1) // 2}
    state = rng.integers(0, 40, N)
    columns = {n: own[state] / 1000 for n, own in of_states.items()}
    frame = pd.DataFrame({"state": np.char.mod("s%02d", state)} | columns)
    drawn = drawn_from(learnt(frame))
    assert drawn["mean"].isin(frame["mean"]).all()


def test_what_orders_move_gets_no_digits_of_one_person():
    rng = np.random.default_rng(0)
    low, room = rng.gamma(4, 10, N).round(2), rng.exponential(3, N)
    ends = {"low": low, "high": (low + room).round(2)}
    frame = pd.DataFrame(ends | {"mid": (low + room * rng.random(N)).round(2)})
    frame["mid"] = frame["mid"].clip(upper=frame["high"])
    has_room = frame["high"] - frame["mid"] > 1
    frame.loc[has_room.idxmax(), "mid"] += 0.00313
    cents = drawn_from(learnt(frame))["mid"] * 100
    assert np.abs(cents - cents.round()).max() < 1e-6
