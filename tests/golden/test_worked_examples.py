"""What the worked examples of the sources say that no other test repeats.

The other lines are tested where what they are about is: classes, diversity and
closeness of the twelve patients, the salaries, the virus, the diagnoses and the
diseases in ``test_privacy_check``; losses, discernibility and completeness in
``test_losses``; the grid of Iris, its probabilities, its classes and hierarchies in
``test_plain_model``, ``test_coc`` and ``test_derived_hierarchies``; medians in
``test_mdav_groups``.
"""

from itertools import product
from math import lgamma

import numpy as np
import pandas as pd
import pytest

from coclust_synth import DistinctLDiversity, Domain, PrivacyLedger, check_release
from coclust_synth.baselines.lattice.lattice import Lattice
from coclust_synth.generators.dp.thesis import count_coarse_cells
from coclust_synth.modl.criterion.terms import cost_terms
from coclust_synth.tables.generalized.table import GeneralizedColumn


def test_the_lattice_of_the_twelve_patients():
    # Postcodes on 3 levels, ages on 4, sex on 2, nationalities on 3.
    assert Lattice((2, 3, 1, 2)).n_nodes == 72


def test_at_most_a_hundred_classes_tell_two_things_of_a_rare_disease():
    def classes(n):
        # 10,000 people of whom 100 are ill: one to each class while there are any.
        of = np.concatenate([np.arange(100) % n, np.arange(9900) % n])
        ill = np.repeat(["+", "-"], [100, 9900])
        return pd.DataFrame({"class": of, "disease": ill})

    asked = [(None, DistinctLDiversity(2))]
    for n, holds in ((100, True), (101, False)):
        check = check_release(classes(n), ["class"], ["disease"], models=asked)
        assert len(check.sizes) == n and check.holds is holds


IRIS = np.array(
    [[150, 77, 0, 0, 0, 7, 16], [0, 9, 142, 32, 11, 39, 22], [0, 8, 2, 10, 145, 67, 13]]
)
# Flowers, and parts of variables, by what each has: 52 of ]4.299, 5.4] and so on.
FLOWERS, PARTS = [5] * 150, [52, 56, 42, 57, 51, 42, 50, 54, 46, 50, 52, 48, 50, 50, 50]
PARTS_OF = [3, 2, 3, 1, 3, 2, 1]  # parts in C1p .. C7p


def test_the_simplified_grid_of_iris_keeps_64_percent():
    log_fact_values = sum(lgamma(n + 1) for n in (*FLOWERS, *PARTS))

    def cost(cells, rows, columns):
        terms = cost_terms(
            np.asarray(cells), np.array(rows), np.array(columns), log_fact_values
        )
        return terms.total

    assert sum(PARTS) == IRIS.sum() == 750 and sum(PARTS_OF) == 15
    best = cost(IRIS, [50, 51, 49], PARTS_OF)
    null = cost([[750]], [150], [15])
    assert best == pytest.approx(5647.946991, abs=1e-6)
    assert null == pytest.approx(5959.386818, abs=1e-6)
    by_rows = np.array([IRIS[0], IRIS[1] + IRIS[2]])
    merged = np.add.reduceat(by_rows, [0, 2, 4], axis=1)
    assert merged.tolist() == [[227, 0, 23], [17, 186, 297]]
    coarse = cost(merged, [50, 100], [5, 4, 6])
    assert (null - coarse) / (null - best) == pytest.approx(0.64, abs=0.005)


@pytest.mark.parametrize("c", range(1, 7))
def test_the_generalisations_of_c_categories(c):
    members = np.array([s for s in product([False, True], repeat=c) if any(s)])
    column = GeneralizedColumn.from_members(
        "x", range(c), False, members, np.arange(len(members))
    )
    assert len(column.labels) == len(set(column.labels)) == 2**c - 1
    assert (column.sizes > 1).sum() == 2**c - c - 1


# --- sensitivity --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "sensitivity"), [(len, 1), (sum, 130)], ids=["count", "sum of ages"]
)
def test_the_sensitivity_of_a_count_and_of_a_sum_of_ages(query, sensitivity):
    # Ages from 0 to 130, one person more or less.
    people = [40, 67]
    changes = [abs(query([*people, age]) - query(people)) for age in range(131)]
    assert max(changes) == sensitivity
    ledger = PrivacyLedger(0.5, neighbours="add-remove")
    ledger.noisy_counts(
        [query(people)], cost=0.5, what="query", l1_sensitivity=sensitivity
    )
    entry = ledger.entries[-1]
    assert (entry.sensitivity, entry.scale) == (sensitivity, sensitivity / 0.5)
    replacing = PrivacyLedger(0.5, neighbours="replace")
    assert replacing.sensitivity(sensitivity) == 2 * sensitivity


class Exact:
    """A ledger without noise: what a query would be asked of."""

    remaining = 1.0

    def noisy_counts(self, counts, *, cost, what):
        return counts


def test_the_merged_histogram_of_nine_cells():
    counts = np.array([[10, 21, 37], [20, 0, 0], [53, 0, 0]])
    domain = Domain.from_dict({"x": ["a", "b", "c"], "y": ["d", "e", "f"]})
    codes = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)
    parts = [np.array([0, 1, 1]), np.array([0, 0, 1])]
    found = count_coarse_cells(codes, domain, parts, Exact())
    # 31 = 10 + 21, 37, 73 = 20 + 0 + 53 + 0, and a cell of 0.
    assert found.cells.tolist() == [0, 1, 2]
    assert found.counts.tolist() == [31, 37, 73]
    assert found.n_rows == counts.sum()
