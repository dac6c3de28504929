"""Dates of a person's next row, with the weekday and hour that go with others."""

import naive.following as naive
import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer
from coclust_synth.generators.plain.structured.dates import following
from coclust_synth.generators.plain.structured.dates.date_features import DateFeature
from coclust_synth.generators.plain.structured.leaves import _kernels as kernels
from coclust_synth.generators.plain.trees._tree_kernels import Leaves, Limits
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.rules.compared.numbers import NumberScale

DAY = np.timedelta64(1, "D")


def limits_of(n, n_codes, rng):
    return Limits(
        group=rng.integers(0, 2, n_codes).astype(np.int32),
        allowed=rng.random((n, 2)) < 0.8,
        later=np.ones((1, n_codes), dtype=bool),
        combination=np.zeros(n, dtype=np.int64),
        low=np.arange(float(n_codes)),
        high=np.arange(float(n_codes)),
        lowest=np.full(n, -np.inf),
        highest=np.where(rng.random(n) < 0.8, np.inf, 4.0),
    )


@pytest.mark.parametrize("seed", range(10))
def test_distances_are_picked_as_their_slow_twin_picks_them(seed):
    rng, n, n_codes = np.random.default_rng(seed), 60, 8
    unit, n_days = 48, 40
    low = np.sort(rng.integers(0, 600, n_codes - 1))
    high = low + rng.integers(0, 120, n_codes - 1)
    dates = rng.integers(0, 800, n)
    weights, hours = rng.integers(0, 3, n_days) / 2, rng.integers(0, 3, 24) / 2
    seasons = rng.integers(1, 5, n_days) / 4
    of_week = (np.arange(n_days) + 3) % 7 == np.arange(8)[:, None]
    of_week[7] = True
    wanted = kernels.Wanted(
        dates,
        rng.integers(0, 8, n),
        rng.integers(-1, 24, n),
        rng.random(n) < 0.9,
        unit,
        1,
        0,
        following._summed(of_week.astype(np.int64)),
        following._summed(of_week * weights),
        np.append(0.0, np.cumsum(hours)),
        np.append(0.0, np.cumsum(rng.integers(1, 9, 24) / 2)),
        np.append(0.0, np.cumsum(seasons)),
        low + (high - low) // 4,
        high - (high - low) // 4,
    )
    leaf = rng.integers(0, 3, n)
    codes = rng.integers(0, n_codes, 20).astype(np.int32)
    leaves = Leaves(np.array([0, 4, 9, 12, 20]), codes, rng.integers(1, 9, 20))
    points, limits = rng.random(n), limits_of(n, n_codes, rng)
    likely = naive.likely_of(low, high, wanted, weights, hours, seasons)
    rows = leaf, leaves, limits, low, high, wanted, n_codes, 3
    weight = kernels.evened(*rows)
    assert weight == pytest.approx(naive.evened(*rows, likely))
    assert np.ptp(weight) > 0.5
    drawn = leaf, points, leaves, limits
    picked = kernels.pick_likely(*drawn, low, high, wanted, weight)
    assert picked.tolist() == naive.pick_likely(*drawn, weight, likely)
    assert (picked < 0).any() and len(np.unique(picked)) > 3


def test_a_distance_of_many_stays_and_others_give_way(rng):
    """A week stays a week; of some months any weekday is as near."""
    values = np.array([7, *range(60, 100)])
    counts = ColumnCounts(values, np.append(40, np.ones(40, dtype=np.int64)))
    distances = learn_atoms(counts, None, SteppedRuler(1, unit="D"))
    monday = DateFeature(0, "weekday")
    dates = np.repeat(np.array([4, 5]), 100)  # a Monday and a Tuesday
    after = following.Following(
        distances,
        Calendar(SteppedRuler(1, unit="D")),
        dates,
        {monday: np.zeros(200, dtype=np.int32)},
    )
    n = distances.n_parts
    leaves = Leaves(
        np.array([0, n, 2 * n]),
        np.tile(np.arange(n, dtype=np.int32), 2),
        np.ones(2 * n, dtype=np.int64),
    )
    limits = limits_of(200, n, rng)._replace(
        allowed=np.ones((200, 2), dtype=bool), highest=np.full(200, np.inf)
    )
    codes = after.picked(np.zeros(200, np.int64), rng.random(200), leaves, limits)
    left = distances.draw(codes, rng)[0]
    new = after.moved(dates + left, codes, rng)
    assert ((new + 3) % 7 == 0).all()
    is_week = codes == distances.encode(np.array([7]), np.array([False]))[0]
    assert is_week[:100].any() and not is_week[100:].any()
    assert (new[is_week] - dates[is_week] == 7).all()
    assert (np.abs(new - dates - left) <= 3).all()


def visits(n=500, seed=0):
    """Firms come on workdays in the morning, others at weekends in the evening."""
    rng, rows = np.random.default_rng(seed), []
    for person in range(n):
        is_firm, day = person % 3 == 0, np.datetime64("2024-01-01") + rng.integers(60)
        for _ in range(1 + rng.poisson(5)):
            while np.is_busday(day) != is_firm:
                day += DAY
            hour = rng.integers(8, 12) if is_firm else rng.integers(17, 22)
            second = 3600 * hour + rng.integers(3600)
            what = rng.choice(["a", "b"])
            at = day.astype("M8[s]") + second
            rows.append((person, "firm" if is_firm else "home", at, what))
            day += DAY * int(1 + rng.exponential(8))
    return pd.DataFrame(rows, columns=["who", "kind", "at", "what"])


@pytest.mark.slow
def test_next_rows_keep_weekdays_hours_order_and_distances():
    frame = visits()
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=2, random_state=0, person_id="who"
    )
    new = synthesizer.fit(frame).sample()
    gaps = []
    for part in (frame, new):
        gap = part.groupby("who")["at"].diff().dt.total_seconds() / 86_400
        gaps.append(gap.dropna())
    assert (gaps[1] >= 0).all()
    quantiles = [gap.quantile([0.1, 0.25, 0.5, 0.75, 0.9]).to_numpy() for gap in gaps]
    assert (np.abs(quantiles[0] - quantiles[1]) < 1 + 0.15 * quantiles[0]).all()
    is_firm = new["kind"] == "firm"
    assert ((new["at"].dt.day_of_week < 5) == is_firm).mean() > 0.98
    assert ((new["at"].dt.hour < 13) == is_firm).mean() > 0.98


def calls(n=150, seed=0):
    """Who calls some hours or days after the last time does so in the morning."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 8)
    hour = rng.choice([8, 9, 10, 20], 8 * n, p=[0.4, 0.3, 0.2, 0.1])
    hours = 24 * rng.integers(0, 30, 8 * n) + hour
    at = pd.Timestamp("2024-01-01") + pd.to_timedelta(
        60 * hours + rng.integers(0, 60, 8 * n), "min"
    )
    return pd.DataFrame({"who": who, "at": at}).sort_values(["who", "at"])


@pytest.mark.slow
def test_hours_of_next_rows_are_those_of_the_table_and_distances_too():
    frame = calls()
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id="who"
    )
    new = synthesizer.fit(frame).sample()
    shares = [part["at"].dt.hour.value_counts(normalize=True) for part in (frame, new)]
    assert shares[1].loc[[8, 9, 10, 20]].sum() > 0.98
    assert (shares[1] - shares[0]).abs().max() < 0.03
    gaps = [
        part.groupby("who")["at"].diff().dt.total_seconds().dropna() / 3600
        for part in (frame, new)
    ]
    quantiles = [gap.quantile([0.1, 0.25, 0.5, 0.75]).to_numpy() for gap in gaps]
    assert (np.abs(quantiles[0] - quantiles[1]) < 1 + 0.1 * quantiles[0]).all()


@pytest.mark.slow
def test_parts_of_next_rows_are_saved(tmp_path):
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id="who"
    )
    synthesizer.fit(visits(200)).save(tmp_path / "visits.model")
    again = CoclusterSynthesizer.load(tmp_path / "visits.model", random_state=0)
    assert again.sample(300).equals(synthesizer.sample(300))


@pytest.mark.slow
def test_a_second_date_that_nothing_tells_has_its_own_weekdays(tmp_path):
    """It is drawn as it is, not as so many days after that of the row before."""
    frame, rng = visits(200), np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + DAY * rng.integers(0, 180, len(frame))
    paid = pd.Series(np.busday_offset(days, 0, roll="forward").astype("M8[s]"))
    frame["paid"] = paid.where(rng.random(len(frame)) < 0.6)
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id="who"
    )
    synthesizer.fit(frame).save(tmp_path / "visits.model")
    new = CoclusterSynthesizer.load(tmp_path / "visits.model", random_state=0).sample()
    assert 0.55 < new["paid"].notna().mean() < 0.65
    assert (new["paid"].dt.day_of_week.dropna() < 5).mean() > 0.98
    is_firm = new["kind"] == "firm"
    assert ((new["at"].dt.day_of_week < 5) == is_firm).mean() > 0.98


def stays(n=500, with_times=True, seed=0):
    """Stays that cost by how long they are, begin at any hour and end by day.

    A third are of one day; others end at no weekend.
    """
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(n), 1 + rng.poisson(2.5, n))
    m = len(who)
    days = np.where(rng.random(m) < 0.35, 0, 1 + rng.gamma(1.5, 4, m).astype(int))
    begins = np.cumsum(rng.integers(20, 150, m))
    begins -= begins[np.searchsorted(who, who)]
    begins += rng.integers(0, 300, n)[who]
    ends = begins + days
    # The first of 2018 is a Monday.
    ends += (days > 0) * np.array([0, 0, 0, 0, 0, 2, 1])[ends % 7]
    frame = pd.DataFrame({"who": who, "kind": np.where(days > 0, "ward", "day")})
    frame["cost"] = np.rint(300 + 200 * (ends - begins) * rng.normal(1, 0.2, m))
    came, left = (
        np.datetime64("2018-01-01") + begins,
        np.datetime64("2018-01-01") + ends,
    )
    if with_times:
        hours = np.clip(rng.normal(14, 2, m), 12, 20)
        came = came.astype("M8[s]") + np.where(
            days > 0, rng.integers(0, 86_400, m), 28_800
        )
        left = left.astype("M8[s]") + np.rint(hours * 3600).astype(int)
    frame["came"], frame["left"] = (
        pd.Series(own).astype("M8[s]") for own in (came, left)
    )
    return frame


@pytest.mark.slow
@pytest.mark.parametrize("with_times", [False, True])
def test_a_second_date_has_weekdays_hours_and_distances_of_its_own(
    with_times, tmp_path
):
    table = stays(with_times=with_times, seed=1)
    synthesizer = CoclusterSynthesizer(
        k=20, n_iterations=1, random_state=0, person_id="who"
    )
    synthesizer.fit(table).save(tmp_path / "stays.model")
    new = CoclusterSynthesizer.load(tmp_path / "stays.model", random_state=0).sample()
    later = new[new["who"].duplicated()]
    days = (later["left"].dt.normalize() - later["came"].dt.normalize()).dt.days
    is_day = later["kind"] == "day"
    assert (days[is_day] == 0).mean() > 0.95
    assert (days[~is_day] > 0).mean() > 0.95
    assert (later["left"].dt.day_of_week[~is_day] < 5).mean() > 0.86
    if with_times:
        first = new[~new["who"].duplicated()]
        for own in (first, later):
            assert (own["left"].dt.hour >= 12).mean() > 0.95


def test_weekdays_after_others_are_counted_from_these():
    names = ["at", "before"]
    days = {"at": np.array([4.0, 9.0, np.nan]), "before": np.array([2.0, 4.0, 4.0])}

    column = Column(name="at", kind="datetime", unit="D")
    scale = NumberScale(column, SteppedRuler(1, unit="D"))
    since = DateFeature(0, "weekday", since=1)
    codes = since.codes(names, days, {"at": scale, "before": scale})
    assert codes.tolist() == [2, 5, 7]
    assert DateFeature.from_dict(since.to_dict()) == since
    own = following.weekdays_after(np.array([2, 4, 4]), codes, scale.ruler)
    assert own.tolist() == [0, 5, 7]
