import numpy as np
import pandas as pd
import pytest
from support.evidence import columns_of, evidence_of

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.relations import AroundClock, Fit
from coclust_synth.tables.rules.found import rules_of
from coclust_synth.tables.rules.sums.around_clock import find_around_clock


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def clock(minutes):
    hours, left = np.divmod(np.asarray(minutes, dtype=int) % 1440, 60)
    pairs = zip(hours, left, strict=True)
    return [f"{hour:02d}:{minute:02d}" for hour, minute in pairs]


def flights(rng, n=1000):
    """Half of them leave in the evening, and some of these arrive after midnight."""
    depart, minutes = rng.integers(600, 1440, n), rng.integers(40, 400, n)
    columns = {"arrive": clock(depart + minutes), "depart": clock(depart)}
    return columns | {"minutes": minutes}


def found(columns, told=(), k=20, persons=None):
    evidence = evidence_of(columns, persons)
    return find_around_clock(columns_of(evidence, k), told)


def test_the_arrival_after_midnight_is_found(rng):
    columns = flights(rng)
    rule = AroundClock("arrive", ("depart", "minutes"), (1.0, 1 / 1440))
    assert found(columns) == [rule]
    assert found(columns, [rule]) == []
    assert str(rule) == "arrive = depart + minutes / 1440, around the clock"
    rules = rules_of(evidence_of(columns), None, 20).relations
    assert rules == (rule,)


def test_what_is_rounded_is_told_from_both_times(rng):
    bed, minutes = rng.integers(1260, 1560, 1000), rng.integers(240, 600, 1000)
    columns = {"bed": clock(bed), "wake": clock(bed + minutes)}
    columns["slept"] = (minutes / 60).round(1)
    terms = ("bed", "wake"), (-24.0, 24.0)
    assert found(columns) == [AroundClock("slept", *terms, period=24.0)]


@pytest.mark.slow
def test_breaks_dates_and_times_that_are_lengths(rng):
    begin, worked = rng.integers(0, 1440, 1000), rng.integers(60, 500, 1000)
    pause = rng.choice([0, 30, 45], 1000)
    day = np.datetime64("2024-01-01T00:00") + 1440 * rng.integers(0, 300, 1000)
    columns = {
        "end": clock(begin + worked + pause),
        "from": day + begin,
        "worked": clock(worked),
        "pause": pause,
    }
    (rule,) = found(columns)
    assert str(rule) == "end = from + worked + pause / 1440, around the clock"


@pytest.mark.parametrize("n_broken, n_found", [(5, 1), (6, 0)])
def test_few_rows_differ(rng, n_broken, n_found):
    columns = flights(rng)
    columns["minutes"][:n_broken] += 7
    assert len(found(columns)) == n_found


@pytest.mark.parametrize("k, n_found", [(100, 1), (300, 0)])
def test_k_arrive_after_midnight(rng, k, n_found):
    assert len(found(flights(rng), k=k)) == n_found


def test_a_sum_that_needs_no_midnight_is_none(rng):
    depart, minutes = rng.integers(0, 600, 1000), rng.integers(40, 400, 1000)
    columns = {"arrive": clock(depart + minutes), "depart": clock(depart)}
    assert found(columns | {"minutes": minutes}) == []


@pytest.mark.slow
def test_independent_times_have_none(rng):
    for _ in range(20):
        times = {name: clock(rng.integers(0, 1440, 300)) for name in "abc"}
        assert found(times | {"minutes": rng.integers(0, 400, 300)}) == []


def test_what_is_rounded_to_midnight_is_told():
    rule = AroundClock("end", ("begin", "hours"), (1.0, 1 / 24))
    numbers = {"begin": np.array([0.75, 0.5]), "hours": np.array([6.0, np.nan])}
    np.testing.assert_allclose(rule.predict(numbers), [0.0, np.nan], atol=1e-9)
    assert rule.nearest(np.array([0.0]), np.array([0.9999]))[0] < 0


@pytest.mark.slow
def test_rows_that_are_drawn_keep_it(rng):
    table = pd.DataFrame(flights(rng, 2000))
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(table).sample(2000)

    def minutes_of(times):
        of = times.str.split(":", expand=True).astype(int)
        return 60 * of[0] + of[1]

    told = (minutes_of(drawn["depart"]) + drawn["minutes"]) % 1440
    np.testing.assert_array_equal(told, minutes_of(drawn["arrive"]))


def arrivals(rng, n=1500):
    """Arrivals of a year, and the times at which patients were seen and left."""
    arrived = np.datetime64("2024-01-01T00:00") + rng.integers(0, 360 * 1440, n)
    minute, waits = arrived.astype(int) % 1440, rng.gamma(2, 12, n).astype(int)
    stays = rng.integers(20, 300, n)
    columns = {"arrived": arrived, "seen": clock(minute + waits)}
    return columns | {"left": clock(minute + stays), "stays": stays}


@pytest.mark.slow
def test_times_beside_a_moment_are_told_from_it(rng):
    """No midnight is needed, as the day is that of the moment in all rows."""
    columns = arrivals(rng)
    left = AroundClock("left", ("arrived", "stays"), (1.0, 1 / 1440))
    seen = AroundClock("seen", ("arrived",), (1.0,), about=True)
    assert found(columns) == [left, seen]
    columns["seen"] = rng.permutation(columns["seen"])
    assert found(columns) == [left]


def test_when_somebody_is_seen_is_soon_after_the_arrival(rng):
    frame = pd.DataFrame(arrivals(rng)).drop(columns=["left", "stays"])
    model = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0).fit(frame)
    drawn = model.sample(1500)
    minutes = drawn["arrived"].dt.hour * 60 + drawn["arrived"].dt.minute
    seen = pd.to_timedelta(drawn["seen"].astype(str).str[:5] + ":00")
    waits = (seen.dt.total_seconds() / 60 - minutes) % 1440
    assert (waits < 150).all() and waits.mean() == pytest.approx(24, abs=2)


def test_a_length_is_no_time_of_a_moment(rng):
    """Told from the clocks of both ends it would be any, as these are drawn apart."""
    columns = arrivals(rng)
    start = columns.pop("arrived")
    length = columns.pop("stays").astype("m8[m]")
    columns = {
        "start": start,
        "end": start + length,
        "length": clock(length.astype(int)),
    }
    assert found(columns) == []
    relations = rules_of(evidence_of(columns), None, 20).relations
    assert Fit("end", ("start", "length"), (1.0, 1.0), 0.0) in relations
