"""What can be worked out of saved parts: nobody's value, by simple arithmetic."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.rows import count_values
from tests.support.parts import parts_of_counts

INTEGERS, TENTHS = SteppedRuler(1), SteppedRuler(0.1, whole=False)


def lognormal_with_zeros(rng, n):
    return "real", np.where(rng.random(n) < 0.5, 0.0, rng.lognormal(10, 1, n))


def reals(rng, n):
    return "real", rng.normal(size=n)


def heaps_and_values_alone_between(rng, n):
    values = rng.choice([-1.5, 0.0, 10.0, 1e4], n)
    alone = rng.choice(n, max(n // 60, 1), replace=False)
    values[alone] = rng.choice([rng.uniform(0, 10), rng.uniform(10, 1e4)], len(alone))
    values[alone] += rng.random(len(alone))
    return "real", values


def near_a_heap(rng, n):
    return "real", np.where(rng.random(n) < 0.6, 10.0, 10 + rng.lognormal(-2, 2, n))


def wide_integers(rng, n):
    values = rng.integers(1, 10**9, n)
    return "integer", np.where(rng.random(n) < 0.3, 0, values)


COLUMNS = [
    lognormal_with_zeros,
    reals,
    heaps_and_values_alone_between,
    near_a_heap,
    wide_integers,
]


def parts_of(kind, values, **options):
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    return counts, parts_of_counts(counts, kind=kind, **options)


def told(parts):
    """Every number of the saved parts that is not a number of rows."""
    saved = json.loads(json.dumps(parts.to_dict()))
    ends = [end for law in saved["laws"] for end in law["lows"] + law["highs"]]
    return np.unique(saved["edges"] + ends)


def worked_out(known):
    """The numbers, and the sums, differences and mirror images of any two."""
    a, b = known[:, None], known[None, :]
    return np.unique(np.concatenate([known, *(a + b), *(a - b), *(2 * a - b)]))


def found(secrets, guesses, tolerance):
    """The secrets that a guess comes close to."""
    k = np.clip(np.searchsorted(guesses, secrets), 1, len(guesses) - 1)
    close = np.minimum(abs(secrets - guesses[k - 1]), abs(secrets - guesses[k]))
    return secrets[close <= tolerance]


def unique_values(counts):
    """Values of one individual, the lowest and the highest of the column left out."""
    return counts.values[1:-1][counts.counts[1:-1] == 1]


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 25, 60, 200, 500, 2000])
@pytest.mark.parametrize("column", COLUMNS)
def test_no_value_can_be_worked_out(column, n):
    for seed in range(5):
        kind, values = column(np.random.default_rng([seed, n]), n)
        counts, parts = parts_of(kind, values)
        known = np.union1d(told(parts), counts.values[counts.counts >= MIN_ROWS])
        tolerance = 1e-9 * np.ptp(values)
        secrets = unique_values(counts)
        assert len(secrets)
        assert not len(found(secrets, worked_out(known), tolerance))


@pytest.mark.parametrize("n, bins", [(10, 10), (60, 60), (200, 200)])
@pytest.mark.parametrize("column", [lognormal_with_zeros, reals, wide_integers])
def test_an_interval_each_does_not_tell_values_one_after_the_other(column, n, bins):
    # The lowest value is known; were edges halfway, each would tell the next value.
    kind, values = column(np.random.default_rng(n), n)
    counts, parts = parts_of(kind, values, binning="quantile", bins=bins)
    guess, guesses = counts.values[0], []
    for edge in parts.edges[1:-1]:
        guess = 2 * edge - guess
        guesses.append(guess)
    tolerance = 1e-9 * np.ptp(values)
    assert not len(found(unique_values(counts), np.sort(guesses), tolerance))
    # Nor is anybody's value an edge.
    assert not len(found(unique_values(counts), told(parts), tolerance))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 70)), max_size=25),
    st.integers(1, 30),
    st.sampled_from([("integer", None, 1), ("real", None, 0.7), ("real", 0.1, 0.1)]),
    st.integers(0, 100),
)
def test_no_heaped_part_holds_few(pairs, bins, kind, n_missing):
    kind, step, unit = kind
    rows = dict(pairs) or {0: 5}
    values = np.repeat(sorted(rows), [rows[k] for k in sorted(rows)])
    values = values if kind == "integer" else np.round(values * unit, 1)
    missing = np.arange(len(values) + n_missing) >= len(values)
    values = np.append(values, np.zeros(n_missing, dtype=values.dtype))
    counts = count_values(values, missing)
    parts = parts_of_counts(counts, kind=kind, step=step, bins=bins)
    codes = parts.encode(values, missing)
    sizes = np.bincount(codes[~missing], minlength=len(parts.laws))
    few = min(MIN_ROWS, counts.n_present)
    assert len(sizes) == len(parts.laws) <= max(bins, 2 * bins + 1)
    assert sizes.min() >= few
    for law, size in zip(parts.laws, sizes, strict=True):
        assert law.rows.min() >= few and law.rows.sum() == size
        assert (law.lows <= law.highs).all()
    assert told(parts)[0] == counts.values[0] and told(parts)[-1] == counts.values[-1]


# --- the roundest number ---------------------------------------------------


def naive_roundest(a, b):
    """The lowest multiple of the largest step in ]a, b[, numbers read as text."""
    if a < 0 < b:
        return 0
    a, b = Fraction(repr(a)), Fraction(repr(b))
    for power in range(20, -30, -1):
        for digit in (5, 2, 1):
            step = digit * Fraction(10) ** power
            multiple = (a // step + 1) * step
            if multiple < b:
                return multiple
    raise AssertionError(f"nothing found between {a} and {b}")


@settings(deadline=None)
@given(st.integers(-(10**6), 10**6), st.integers(2, 400) | st.integers(2, 10**6))
def test_the_roundest_is_that_of_the_naive_twin(a, gap):
    b = a + gap
    expected = naive_roundest(a, b)
    assert INTEGERS.roundest(a, b) == expected
    assert TENTHS.roundest(a / 10, b / 10) == int(expected) / 10
    assert ContinuousRuler().roundest(a, b) == expected
    assert INTEGERS.roundest(a, a + 1) == a


@settings(deadline=None)
@given(
    st.floats(1e-12, 1e12).flatmap(lambda v: st.sampled_from([v, -v])),
    st.floats(1e-9, 10),
)
def test_the_roundest_real_is_that_of_the_naive_twin(a, share):
    b = a + abs(a) * share
    cut = ContinuousRuler().roundest(a, b).item()
    # An end that is a few roundings past a round number can count as that number.
    tight = a + 1e-14 * abs(a), b - 1e-14 * abs(b)
    assert cut in (float(naive_roundest(a, b)), float(naive_roundest(*tight)))


@settings(deadline=None)
@given(st.floats(max_value=1e308, allow_infinity=False), st.integers(1, 300))
def test_reals_next_to_each_other_are_separated(a, steps):
    b = a
    for _ in range(steps):
        b = np.nextafter(b, np.inf)
    cut = ContinuousRuler().roundest(a, b)
    assert a <= cut < b
    assert a < cut or steps == 1
