"""MDAV's groups against those of a scan of all records in every step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coclust_synth.baselines.mdav._kernels import MDAVRecords, convex_median, median
from coclust_synth.baselines.mdav.groups import END_RULES, group_records, mdav_groups
from coclust_synth.exceptions import ParameterError
from tests.naive import mdav as naive

ROW_COUNTS = st.integers(2, 60)


def naive_labels(rows, k, end_rule, **options):
    label = np.empty(len(rows), dtype=np.int64)
    for group, members in enumerate(naive.mdav(rows, k, end_rule, **options)):
        label[members] = group
    return label.tolist()


@st.composite
def tables(draw, elements):
    shape = draw(ROW_COUNTS), draw(st.integers(1, 4))
    values = draw(arrays(np.float64, shape, elements=elements))
    return values, draw(st.integers(2, min(len(values), 12)))


@settings(deadline=None)
@given(tables(st.integers(-2, 2)), st.sampled_from(END_RULES))
def test_groups_of_tied_numbers_are_those_of_the_text(table, end_rule):
    values, k = table
    rows = [(row, (), ()) for row in values.tolist()]
    found = mdav_groups(values, k, end_rule=end_rule).tolist()
    assert found == naive_labels(rows, k, end_rule)


# Rounded: a sum of 106 bits is exact for numbers of magnitudes that are not too unlike.
@pytest.mark.slow
@settings(deadline=None)
@given(
    tables(st.floats(-1e3, 1e3).map(lambda x: round(x, 9))), st.sampled_from(END_RULES)
)
def test_groups_of_numbers_are_those_of_the_text(table, end_rule):
    values, k = table
    rows = [(row, (), ()) for row in values.tolist()]
    found = mdav_groups(values, k, end_rule=end_rule).tolist()
    assert found == naive_labels(rows, k, end_rule)


@settings(deadline=None)
@given(st.data(), st.sampled_from(END_RULES), st.booleans())
def test_groups_of_mixed_rows_are_those_of_the_text(data, end_rule, convex):
    n, n_categories = data.draw(ROW_COUNTS), (5, 3)
    numbers = data.draw(arrays(np.float64, (n, 2), elements=st.integers(0, 3)))
    ranks = [data.draw(arrays(np.int64, n, elements=st.integers(0, 4)))]
    names = [data.draw(arrays(np.int64, n, elements=st.integers(0, 2)))]
    k = data.draw(st.integers(2, min(n, 12)))
    numbers = numbers / 3
    records = MDAVRecords(
        np.column_stack([numbers, ranks[0] / 5, names[0]]),
        np.column_stack([*ranks, *names]),
        np.array(n_categories),
        np.array([0, 5, 8]),
        2,
        3,
        convex,
    )
    rows = list(
        zip(
            numbers.tolist(),
            zip(*ranks, strict=True),
            zip(*names, strict=True),
            strict=True,
        )
    )
    expected = naive_labels(rows, k, end_rule, n_categories=(5,), convex=convex)
    assert group_records(records, k, end_rule).tolist() == expected


@pytest.mark.slow
@pytest.mark.parametrize("n", [1_000, 1_003])
@pytest.mark.parametrize("end_rule", END_RULES)
def test_groups_of_a_larger_table_are_those_of_the_text(n, end_rule):
    # Of more than a few leaves, so that the tree is pruned and planted anew.
    rng = np.random.default_rng(n)
    values = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 3, n)])
    values[: n // 2] = values[n // 2 : 2 * (n // 2)]
    rows = [(row, (), ()) for row in values.tolist()]
    found = mdav_groups(values, 4, end_rule=end_rule).tolist()
    assert found == naive_labels(rows, 4, end_rule)


def test_groups_far_from_the_origin_are_the_same():
    values = np.random.default_rng(3).integers(-8, 8, (400, 3)).astype(float)
    moved = values + 2.0**40
    np.testing.assert_array_equal(mdav_groups(values, 3), mdav_groups(moved, 3))


def test_equal_records_are_grouped_in_their_order():
    expected = np.repeat(np.arange(10_000), 2)
    np.testing.assert_array_equal(mdav_groups(np.ones((20_000, 1)), 2), expected)


@pytest.mark.parametrize(
    ("n", "k", "end_rule", "sizes"),
    [
        (11, 3, "literature", [3, 3, 5]),
        (11, 3, "sdcmicro", [3, 3, 5]),
        (10, 4, "literature", [4, 6]),
        (10, 4, "sdcmicro", [4, 6]),
        (7, 4, "literature", [7]),
        (7, 4, "sdcmicro", [7]),
        (12, 4, "literature", [4, 4, 4]),
        (12, 4, "sdcmicro", [4, 4, 4]),
    ],
)
def test_sizes_follow_the_end_rule(n, k, end_rule, sizes):
    label = mdav_groups(np.arange(n)[:, np.newaxis] ** 2.0, k, end_rule=end_rule)
    assert sorted(np.bincount(label).tolist()) == sizes


def test_medians_are_those_of_the_paper():
    tally = np.bincount([1, 2, 7], minlength=8)
    assert median(tally) == 2
    assert convex_median(tally) == 4


@settings(deadline=None)
@given(arrays(np.int64, st.integers(1, 8), elements=st.integers(0, 4)))
def test_medians_of_counts_are_those_of_lists(tally):
    tally[0] += not tally.any()
    ranks = np.repeat(np.arange(len(tally)), tally).tolist()
    assert median(tally) == naive.median(ranks, len(tally))
    assert convex_median(tally) == naive.median(ranks, len(tally), convex=True)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0], [np.nan]], "1 that are NaN or infinite"),
        ([[1.0], [np.inf]], "1 that are NaN or infinite"),
        ([[-1e200], [1e200]], "differ by 2e[+]200"),
        ([[1.0]], r"shape \(1, 1\)"),
        (np.empty((0, 2)), r"shape \(0, 2\)"),
        (np.empty((4, 0)), r"shape \(4, 0\)"),
        ([1.0, 2.0, 3.0], r"shape \(3,\)"),
        ([["a"], ["b"]], "that are numbers"),
    ],
)
def test_refuses_what_cannot_be_grouped(values, message):
    with pytest.raises(ParameterError, match=message):
        mdav_groups(values, 2)


@pytest.mark.parametrize(
    ("k", "options"), [(1, {}), (4, {}), (2.0, {}), (2, {"end_rule": "first"})]
)
def test_refuses_options_that_do_not_fit(k, options):
    with pytest.raises(ParameterError, match="Expected"):
        mdav_groups(np.zeros((3, 1)), k, **options)
