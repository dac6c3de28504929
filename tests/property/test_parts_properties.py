import json

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS, _windows, find_gaps, gather_runs
from coclust_synth.tables.parts.cuts import quantile_cuts
from coclust_synth.tables.parts.parts import parts_from_dict
from coclust_synth.tables.rows import ColumnCounts, count_values
from tests.support.parts import parts_of_counts

tied_integers = arrays(np.int64, st.integers(2, 80), elements=st.integers(-4, 12))
wide_integers = arrays(
    np.int64, st.integers(2, 80), elements=st.integers(-(10**9), 10**9)
)
reals = arrays(
    np.float64,
    st.integers(2, 80),
    elements=st.floats(-1e6, 1e6).map(lambda v: v if abs(v) > 1e-6 else 0.0),
)
tenths = arrays(np.int64, st.integers(2, 80), elements=st.integers(-30, 30)).map(
    lambda k: k / 10
)
columns = st.one_of(
    st.tuples(st.just("integer"), st.just(None), tied_integers | wide_integers),
    st.tuples(st.just("real"), st.just(None), reals | tenths),
    st.tuples(st.just("real"), st.just(0.1), tenths),
)


@settings(deadline=None)
@given(tied_integers | wide_integers | reals | tenths, st.integers(1, 12))
def test_quantile_cuts_are_those_of_pandas(values, bins):
    counts = count_values(values, np.zeros(len(values), dtype=bool))
    if len(counts.values) == 1:
        expected = np.zeros(len(values))
    else:
        # Small tables can have quantiles with no value between them: no part for us.
        codes = pd.qcut(values, bins, labels=False, duplicates="drop")
        expected = np.unique(codes, return_inverse=True)[1]
    ruler = ContinuousRuler() if values.dtype == float else SteppedRuler(1)
    cuts = quantile_cuts(counts, bins, ruler)
    np.testing.assert_array_equal(np.searchsorted(cuts, values), expected)


@settings(deadline=None)
@given(
    columns,
    st.sampled_from(["heaped", "quantile", "width"]),
    st.integers(1, 12),
    st.randoms(use_true_random=False),
)
def test_draws_stay_in_their_part_and_in_the_range(column, binning, bins, random):
    kind, step, values = column
    missing = np.zeros(len(values), dtype=bool)
    missing[:: random.randint(3, 9)] = True
    parts = parts_of_counts(
        count_values(values, missing), kind=kind, step=step, binning=binning, bins=bins
    )
    parts = parts_from_dict(json.loads(json.dumps(parts.to_dict())))
    codes = parts.encode(values, missing)
    drawn, drawn_missing = parts.draw(
        codes, np.random.default_rng(random.randint(0, 9))
    )

    np.testing.assert_array_equal(drawn_missing, missing)
    np.testing.assert_array_equal(parts.encode(drawn, missing), codes)
    assert drawn[~missing].min() >= values[~missing].min()
    assert drawn[~missing].max() <= values[~missing].max()
    assert len(set(parts.labels)) == parts.n_parts
    if binning != "width":
        assert set(codes) == set(range(parts.n_parts))
    if step == 0.1:
        np.testing.assert_array_equal(drawn, np.round(drawn, 1))


def naive_windows(rows):
    """Where runs may end, as (earliest, latest), with loops."""
    windows, start = [], 0
    while True:
        ends = [
            end
            for end in range(start, len(rows))
            if sum(rows[start : end + 1]) >= MIN_ROWS <= sum(rows[end + 1 :])
        ]
        if not ends:
            return windows
        few = [e for e in ends if sum(rows[start : e + 1]) <= 1.5 * MIN_ROWS]
        windows.append([ends[0], max(few, default=ends[0])])
        start = windows[-1][1] + 1


@settings(deadline=None)
@given(st.lists(st.integers(1, 19) | st.integers(1, 3), min_size=1, max_size=90))
def test_windows_are_those_of_the_naive_twin(rows):
    windows = np.column_stack(_windows(np.array(rows))).tolist()
    assert windows == naive_windows(rows)


def naive_gaps(values, rows):
    """Positions before wide gaps, with loops over individuals."""
    each = np.repeat(values, rows)
    found = []
    for i in range(len(values) - 1):
        n = sum(rows[: i + 1])
        if n < MIN_ROWS or len(each) - n < MIN_ROWS:
            continue
        gap = values[i + 1] - values[i]
        reaches = values[i] - each[n - MIN_ROWS], each[n + MIN_ROWS - 1] - values[i + 1]
        if gap > max(reaches) and gap > 5 * min(reaches):
            found.append(i)
    return found


STEPS = st.tuples(
    st.integers(1, 3) | st.sampled_from([20, 200, 5000]), st.integers(1, 19)
)


@settings(deadline=None)
@given(st.lists(STEPS, min_size=1, max_size=60), st.booleans())
def test_gaps_are_those_of_the_naive_twin_and_no_run_reaches_across(steps, whole):
    steps, rows = map(np.array, zip(*steps, strict=True))
    values = np.cumsum(steps) if whole else np.cumsum(steps) * 0.25
    gaps = find_gaps(values, rows)
    assert gaps.ends.tolist() == naive_gaps(values, rows)
    if rows.sum() < MIN_ROWS:
        return
    ruler = SteppedRuler(1) if whole else ContinuousRuler()
    counts, others = ColumnCounts(values, rows), np.arange(len(values))
    lows, highs, n = gather_runs(counts, others, values[0], values[-1], ruler)
    assert (n >= MIN_ROWS).all() and n.sum() == rows.sum()
    assert (lows <= highs).all() and (lows[1:] > highs[:-1]).all()
    of_value = np.searchsorted(highs, values)
    assert (lows[of_value] <= values).all()
    for end in gaps.ends:
        assert of_value[end] < of_value[end + 1]
