from fractions import Fraction
from math import prod

import numpy as np
import pandas as pd
import pytest
from naive import information_loss as naive
from support.generalized import cell_sets, random_release

from coclust_synth.evaluation.generalisation.losses import (
    arx_loss,
    average_class_size,
    classification_metric,
    completeness,
    discernability,
    information_loss,
    precision,
)
from coclust_synth.exceptions import ParameterError
from coclust_synth.tables.generalized.table import GeneralizedColumn, GeneralizedTable


def column(name, leaves, ordered, sets, codes):
    members = [[leaf in cell for leaf in leaves] for cell in sets]
    return GeneralizedColumn.from_members(name, leaves, ordered, members, codes)


def of_classes(sizes, suppressed=0, **others):
    """A table of one column, a leaf for each class, then suppressed rows."""
    n = len(sizes)
    members = np.vstack([np.eye(n + 1, dtype=bool)[:n], np.ones(n + 1, dtype=bool)])
    codes = np.repeat(np.arange(n + 1), [*sizes, suppressed])
    made = GeneralizedColumn.from_members("a", range(n + 1), False, members, codes)
    return GeneralizedTable(
        [made], pd.DataFrame(others) if others else None, suppressed=codes == n
    )


# --- worked examples of the literature ------------------------------------


AGES = [28, 29, 21, 23, 49, 48, 47, 49, 31, 37, 36, 35]


def patients(ages, spans):
    """Twelve patients, 4-anonymous: age, postcode, sex and nationality generalised.

    ages are the leaves, spans the lowest and highest leaf of the three classes.
    """
    groups = np.repeat([0, 1, 2], 4)
    postcodes = (13053, 13068, 14850, 14853)
    nationalities = ("americaine", "indienne", "japonaise", "russe")
    return GeneralizedTable(
        [
            column(
                "postcode", postcodes, False, [postcodes[:2], postcodes[2:]], groups % 2
            ),
            column(
                "age",
                ages,
                True,
                [[a for a in ages if low <= a <= high] for low, high in spans],
                groups,
            ),
            column("sex", ("F", "H"), False, ["FH"], 0 * groups),
            column("nationality", nationalities, False, [nationalities], 0 * groups),
        ]
    )


def test_twelve_patients_by_the_bounds_of_intervals():
    # Ages in [21; 31[, [41; 50[, [31; 41[ out of [21; 50[, widths by these bounds.
    released = patients(range(21, 51), [(21, 31), (41, 50), (31, 41)])
    assert information_loss(released, ordered="range") == pytest.approx(
        2 / 3, rel=1e-15
    )
    assert average_class_size(released, 4) == 1
    assert discernability(released) == 48
    assert completeness(released) == 1


def test_twelve_patients_by_the_ages_that_occur():
    # Spans of 8, 2 and 6 years out of 28.
    released = patients(sorted(set(AGES)), [(21, 30), (41, 49), (31, 40)])
    expected = (Fraction(1, 3) + 1 + 1 + Fraction(8 + 2 + 6, 3 * 28)) / 4
    found = information_loss(released, ordered="range")
    assert found == pytest.approx(float(expected)) == pytest.approx(0.63095, abs=5e-6)


@pytest.mark.parametrize(
    "sizes, suppressed, expected",
    [
        ([1] * 8 + [2] * 2, 0, 16),
        ([1] * 12, 0, 12),
        ([12], 0, 144),
        ([3, 3, 3, 2], 0, 31),
        ([3, 3, 3, 2], 1, 43),  # Bayardo and Agrawal: 12 for the suppressed row
    ],
)
def test_discernability_of_class_sizes(sizes, suppressed, expected):
    assert discernability(of_classes(sizes, suppressed)) == expected


def test_completeness_counts_the_rows_that_are_kept():
    assert completeness(of_classes([95], suppressed=5)) == 0.95


# --- against the naive twins ----------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_measures_are_those_of_the_naive_twins(seed):
    rng = np.random.default_rng(seed)
    n_leaves = rng.integers(2, 7, 3).tolist()
    released = random_release(rng, 25, n_leaves, suppress=seed % 2 == 0)
    targets = rng.choice(["x", "y", None], 25)
    released = GeneralizedTable(
        released.columns, pd.DataFrame({"target": targets}), None, released.suppressed
    )
    rows = [
        None if out else cells
        for out, cells in zip(released.suppressed, cell_sets(released), strict=True)
    ]
    domains = [range(n) for n in n_leaves]
    larger = {"v1": n_leaves[1] + 5}
    sizes = [n_leaves[0], n_leaves[1] + 5, n_leaves[2]]
    of_columns = naive.arx_losses(rows, domains, sizes)
    kept = [row for row in rows if row is not None]
    n_classes = len(set(kept)) + (len(kept) < len(rows))
    for found, expected in (
        (information_loss(released), naive.set_loss(rows, domains)),
        (information_loss(released, "range"), naive.range_loss(rows, domains)),
        (arx_loss(released, larger, "arithmetic"), sum(of_columns) / 3),
        (
            arx_loss(released, larger),
            prod(float(1 + x) for x in of_columns) ** (1 / 3) - 1,
        ),
        (discernability(released), naive.discernability(rows)),
        (average_class_size(released, 3), Fraction(25, 3 * n_classes)),
        (
            classification_metric(released, "target"),
            naive.classification_metric(rows, targets.tolist()),
        ),
        (completeness(released), Fraction(len(kept), 25)),
    ):
        assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


# --- values worked by hand -----------------------------------------------


def test_original_values_lose_nothing_and_suppressed_ones_all():
    kept, gone = of_classes([2, 3]), of_classes([], suppressed=4, t=list("xxxy"))
    one = of_classes([2, 2, 2], suppressed=2)
    assert information_loss(kept) == arx_loss(kept) == 0
    assert completeness(gone) == 0 and average_class_size(gone, 2) == 2
    assert classification_metric(gone, "t") == 1
    assert information_loss(one) == 0.25
    # Shares 1/4 of six rows and 1 of two: (3.5 - 2) / (8 - 2).
    assert arx_loss(one) == pytest.approx(0.25)


def test_a_column_of_one_value_loses_nothing():
    released = GeneralizedTable([column("a", (5,), True, [[5]], [0, 0])])
    assert information_loss(released) == information_loss(released, "range") == 0
    assert arx_loss(released) == arx_loss(released, {"a": 100}) == 0


def test_ranges_of_ordinal_texts_are_of_ranks_and_missing_is_far():
    leaves = ("low", "mid", "high", "top", None)
    sets = [("low", "high"), ("top", None), (None,), ("mid", "high")]
    released = GeneralizedTable([column("a", leaves, True, sets, range(4))])
    # 2/3, 1, 0, 1/3 of the ranks; 1/4, 1/4, 0, 1/4 of the leaves.
    assert information_loss(released, "range") == pytest.approx(1 / 2)
    assert information_loss(released) == pytest.approx(3 / 16)


def test_of_a_tie_one_value_is_the_majority():
    released = of_classes([4, 3], suppressed=1, t=list("xxyy") + list("xyz") + ["x"])
    assert classification_metric(released, "t") == (2 + 2 + 1) / 8


def test_precision_is_the_mean_height_that_is_left():
    assert precision([[0, 0], [1, 0]], [2, 0]) == 1 - 0.5 / 4
    assert precision([[2, 3]], [2, 3]) == 0


# --- errors ---------------------------------------------------------------


@pytest.mark.parametrize(
    "measure, arguments, match",
    [
        (information_loss, ("rank",), "'set', 'range'. Received 'rank'"),
        (arx_loss, ({"b": 3},), "Received 'b'"),
        (arx_loss, ({"a": 2},), "domain size of 'a'.*from 3 on. Received 2. Choose"),
        (arx_loss, (None, "mean"), "'geometric', 'arithmetic'. Received 'mean'"),
        (average_class_size, (0,), "k to be a whole number from 1 on. Received 0"),
        (classification_metric, ("a",), "columns 't'. Received 'a'"),
    ],
)
def test_arguments_are_checked(measure, arguments, match):
    with pytest.raises(ParameterError, match=match):
        measure(of_classes([1, 1], t=["x", "y"]), *arguments)


@pytest.mark.parametrize(
    "levels, heights", [([0, 1], [1, 1]), ([[0, 1]], [1]), ([[2]], [1]), ([[-1]], [1])]
)
def test_levels_are_checked(levels, heights):
    with pytest.raises(ParameterError, match=r"from 0 to the height.*Give a level"):
        precision(levels, heights)
