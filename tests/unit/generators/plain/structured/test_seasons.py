"""Months of the next rows of persons, beside how long after the last ones they come."""

import numpy as np
import pandas as pd
import pytest
from support import panels

from coclust_synth.generators.plain.model import PlainModel
from coclust_synth.generators.plain.structured.dates.seasons import (
    learn_seasons,
    weights_of_days,
)
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import month
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import count_values

DAYS = SteppedRuler(1, unit="D")
FIRST = np.datetime64("2015-01-01")


def orders(weights, n=500, seed=0, until=1200):
    """Orders that are some months apart, as likely as the weight of their month."""
    rng = np.random.default_rng(seed)
    days = np.arange(until)
    of_days = weights_of_days(weights, days + FIRST.astype(int))
    who, when = [], []
    for person in range(n):
        day, gap = rng.integers(0, 300), rng.uniform(40, 300)
        while day < until:
            who.append(person)
            when.append(day)
            chance = of_days[day + 1 :] * np.exp(-(days[day + 1 :] - day) / gap)
            if rng.random() < np.exp(-(until - day) / gap) or not chance.sum():
                break
            day = rng.choice(days[day + 1 :], p=chance / chance.sum())
    return pd.DataFrame(
        {
            "who": who,
            "ordered": pd.Series(FIRST + np.array(when)).astype("datetime64[us]"),
            "paid": rng.integers(1, 60, len(who)),
        }
    )


BUSY = (0.2, 0.2, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.6, 0.6, 1.0, 1.0)


def months_of_later(table):
    later = table[table["who"].duplicated()]
    return later["ordered"].dt.month.value_counts(normalize=True).sort_index()


def gaps(table):
    return table.groupby("who")["ordered"].diff().dropna().dt.days


@pytest.fixture(scope="module")
def table():
    return orders(BUSY)


@pytest.fixture(scope="module")
def model(table):
    return panels.fitted(table, "who")


def seasons_of(model):
    later = model.model_.structure.later
    drawn = {later.coding.names[own.column]: own.seasons for own in later.columns}
    return drawn.pop("ordered"), drawn


@pytest.mark.slow
def test_later_orders_come_in_the_busy_months(table, model):
    drawn = model.sample(4 * len(table))
    off = months_of_later(drawn).sub(months_of_later(table), fill_value=0)
    assert off.abs().sum() / 2 < 0.05  # .15 of distances alone
    for share in (0.1, 0.25, 0.5, 0.75, 0.9):
        own, real = (gaps(t).quantile(share) for t in (drawn, table))
        assert own == pytest.approx(real, rel=0.12, abs=3)


@pytest.mark.slow
def test_weights_are_those_by_which_months_are_likelier(model):
    """But for what leaves say of distances from the months of the rows before."""
    own, others = seasons_of(model)
    assert own[11] == 1 and sorted(own)[:2] == [*own[:2]]
    assert np.corrcoef(own, BUSY)[0, 1] > 0.75
    assert not any(others.values())


@pytest.mark.slow
def test_orders_of_all_months_have_no_seasons():
    table = orders(())
    assert seasons_of(panels.fitted(table, "who"))[0] == ()


@pytest.mark.slow
def test_a_saved_model_has_the_same_seasons(model, tmp_path):
    model.save(tmp_path / "m")
    loaded = PlainModel.load(tmp_path / "m")
    later, own = loaded.structure.later, seasons_of(model)[0]
    assert own and own in [drawn.seasons for drawn in later.columns]


def learnt(dates, base, who, some=slice(None)):
    """Seasons of some rows, beside the distances of all."""
    distances = learn_atoms(
        count_values(dates - base, np.zeros(len(dates), dtype=bool)), None, DAYS
    )
    codes = distances.encode(dates - base, np.zeros(len(dates), dtype=bool))
    code, rows = np.unique(codes, return_counts=True)
    n = len(code)
    leaves = Leaves(
        np.array([0, n, 2 * n]),
        np.tile(code, 2).astype(np.int32),
        np.tile(rows, 2).astype(np.int64),
    )
    leaf = np.zeros(len(dates), dtype=np.int64)
    of_rows = dates[some], base[some]
    return learn_seasons(*of_rows, distances, leaf[some], leaves, DAYS, who[some])


def test_months_that_few_persons_have_share_a_weight(rng):
    """A dozen persons each come in March and in April, and nobody in the last two."""
    base = FIRST.astype(int) + rng.integers(0, 365, 8000)
    dates = base + rng.integers(1, 300, 8000)
    months = month(dates)
    rows = rng.random(8000) < np.array([*BUSY[:10], 0, 0])[months]
    for at in (2, 3):
        rows[months == at] = np.cumsum(months == at)[months == at] <= 12
    own = learnt(dates[rows], base[rows], np.arange(rows.sum()))
    assert len({own[at] for at in (2, 3, 10, 11)}) == 1
    assert own[2] < min(own[at] for at in range(12) if at not in (2, 3, 10, 11))


@pytest.mark.slow
def test_months_that_few_persons_have_together_say_nothing(rng):
    """Of nineteen who come in March or April it is as if they were not there."""
    base = FIRST.astype(int) + rng.integers(0, 365, 8000)
    dates = base + rng.integers(1, 300, 8000)
    months = month(dates)
    is_few = (months == 2) | (months == 3)
    is_few &= np.cumsum(is_few) <= 19
    of_months = np.array([*BUSY[:2], 0, 0, *BUSY[4:]])
    rows = is_few | (rng.random(8000) < of_months[months])
    dates, base, is_few = dates[rows], base[rows], is_few[rows]
    who = np.arange(len(dates))
    own, without = (learnt(dates, base, who, of) for of in (slice(None), ~is_few))
    assert own and own == without


def test_a_season_of_few_persons_is_chance(rng):
    """Rows of one person go together: thirty persons have all of their orders alike."""
    base = FIRST.astype(int) + rng.integers(0, 30, 600)
    alike = rng.integers(10, 300, 30)[np.arange(600) % 30]
    dates = base + alike + rng.integers(0, 5, 600)
    assert learnt(dates, base, np.arange(600) % 30) == ()
