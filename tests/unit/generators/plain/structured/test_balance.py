import numpy as np
import pandas as pd
import pytest
from naive import balance as naive
from support.evidence import evidence_of

from coclust_synth.generators.plain.structured.drawing.rows import Drawing
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.leaves._kernels import balanced_rows
from coclust_synth.generators.plain.structured.leaves.balance import (
    balanced,
    expected_rows,
    without_ties,
)
from coclust_synth.generators.plain.trees.column_tree import count_codes
from coclust_synth.tables.conditions.parsing import parse_given
from coclust_synth.tables.rules.found import rules_of


@pytest.mark.parametrize("seed", range(20))
def test_the_kernel_does_what_its_slow_twin_does(seed):
    rng = np.random.default_rng(seed)
    n, n_leaves, n_codes = rng.integers([30, 2, 2], [300, 9, 12])
    leaf, own = rng.integers(0, n_leaves, n), rng.integers(0, n_codes, n)
    leaves = count_codes(
        np.append(leaf, np.arange(n_leaves)), np.append(own, own[:n_leaves]), n_leaves
    )
    traffic = rng.integers(0, 40, n_leaves)
    wanted = rng.random(own.max() + 1)
    wanted *= traffic.sum() / wanted.sum()
    asked = traffic, *leaves, wanted, rng.choice([0.5, 5.0]), 5, 2.0**16
    found = balanced_rows(*asked)
    # Sums in another order can differ in the last digit.
    np.testing.assert_allclose(found, naive.balanced_rows(*asked), atol=1, rtol=0)


def test_codes_of_which_too_few_would_come_are_likelier():
    """Two leaves of 100 rows, of which one gets three times as many as the other."""
    own = np.repeat([0, 1, 1, 0, 1], [60, 40, 0, 20, 80]).astype(np.int32)
    leaves = count_codes(np.repeat([0, 1], 100), own, 2)
    leaf = np.repeat([0, 1], [1000, 3000])
    rows = balanced(leaf, leaves).rows
    shares = rows[[0, 2]] / (rows[[0, 2]] + rows[[1, 3]])
    assert shares[0] > 0.6 and shares[1] > 0.2
    assert abs(shares @ [1000, 3000] - 0.4 * 4000) < 5


def test_what_limits_take_is_wanted_as_much_more():
    own = np.repeat([0, 1, 0, 1], [50, 50, 20, 80]).astype(np.int32)
    leaf = np.repeat([0, 1], 100)
    leaves = count_codes(leaf, own, 2)
    drawn = np.where((own == 0) & (leaf == 1), 1, own)  # 20 rows were to have 0
    rows = balanced(leaf, leaves, drawn).rows
    shares = rows[[0, 2]] / (rows[[0, 2]] + rows[[1, 3]])
    # 70 rows are to have the code, and 20 more are wanted.
    assert shares @ [100, 100] == pytest.approx(90, abs=4)


def test_leaves_that_get_what_they_had_stay_as_they_are():
    own = np.repeat([0, 1, 2, 1], [30, 20, 25, 25]).astype(np.int32)
    leaf = np.repeat([0, 1], 50)
    leaves = count_codes(leaf, own, 2)
    for times in (1, 7):
        found = balanced(np.repeat(leaf, times), leaves).rows
        assert found.tolist() == (leaves.rows * 2**16).tolist()


def test_a_few_rows_weigh_hardly_anything():
    leaves = count_codes(np.repeat([0, 1], 100), np.repeat([0, 1, 0], [50, 100, 50]), 2)
    rows = balanced(np.array([0]), leaves).rows
    assert abs(rows / leaves.rows / 2**16 - 1).max() < 0.02


def test_what_no_leaf_that_is_reached_holds_is_not_drawn_for():
    leaves = count_codes(np.repeat([0, 1], 100), np.repeat([0, 1], 100), 2)
    assert balanced(np.zeros(10**6, np.int64), leaves).rows.max() < 2**63 / 1000


@pytest.fixture(scope="module")
def structure():
    """Two columns that go along for whole runs of rows, of which a leaf tells half."""
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 40, (2, 4000))
    agrees = np.where(rng.random(4000) < 0.5, x, y)
    third = np.where(x == agrees, "same", np.where(x < agrees, "less", "more"))
    frame = pd.DataFrame({"x": x, "y": 2 * agrees + 100, "third": third})
    evidence = evidence_of(frame)
    clusters = np.zeros(len(frame), dtype=np.int64)
    return learn_structure(evidence, rules_of(evidence, (), 200), clusters, 200)


def drawn_codes(structure, is_balanced, conditions=()):
    drawing = Drawing(structure, np.zeros(4000, np.int64), np.random.default_rng(0))
    drawing.is_balanced &= is_balanced
    drawing.fill(conditions)
    return drawing


def test_a_column_has_the_distribution_of_the_table(structure):
    def missed(is_balanced):
        codes = drawn_codes(structure, is_balanced).codes[:, 2]
        leaves = structure.columns[-1].tree.leaves
        real = leaves.rows[leaves.indptr[-2] :]
        return np.abs(np.bincount(codes, minlength=len(real)) - real).max()

    assert missed(True) <= 15 < 30 < missed(False)


def test_rows_under_conditions_keep_theirs(structure):
    given = parse_given("x<20", structure.schema)
    assert drawn_codes(structure, True).is_balanced
    assert not drawn_codes(structure, True, given).is_balanced


def test_rows_after_others_make_up_for_what_limits_take():
    """As dates before the end of a table: half may have 3 at most, others get fewer."""
    rng, n = np.random.default_rng(0), 2000
    earlier = rng.integers(0, 10, n)
    number = np.clip(earlier + rng.integers(-3, 4, n), 0, 12)
    frame = {"before": earlier, "number": number}
    evidence, clusters = evidence_of(frame, np.arange(n)), np.zeros(n, dtype=np.int64)
    rows_before = ("before",), {"number": "before"}
    rules = rules_of(evidence, None, 20)
    structure = learn_structure(evidence, rules, clusters, 20, *rows_before)
    known = evidence.codes, {"before": earlier.astype(np.float64)}
    ends = np.full(n, -np.inf), np.where(earlier < 5, 3.0, np.inf)
    between = {"number": lambda numbers: ends}
    drawing = Drawing(structure, clusters, np.random.default_rng(0), *known, between)
    drawing.fill()
    drawn = drawing.numbers["number"]
    assert (drawn[earlier < 5] <= 3).all()
    assert (drawn[earlier >= 5] <= 3).sum() < 0.5 * (number[earlier >= 5] <= 3).sum()


@pytest.mark.parametrize("seed", range(5))
def test_rows_expected_of_leaves_are_their_shares_added_up(seed):
    rng = np.random.default_rng(seed)
    of_table, own = rng.integers(0, 4, 200), rng.integers(0, 6, 200)
    leaf = rng.integers(0, 4, 50)
    found = expected_rows(leaf, count_codes(of_table, own, 4), 7)
    expected = np.zeros(7)
    for each in leaf:
        expected += (
            np.bincount(own[of_table == each], minlength=7) / (of_table == each).sum()
        )
    np.testing.assert_allclose(found, expected)


def test_what_ties_bring_is_left_out_of_what_is_wanted():
    """Half of the rows of leaf 0 are tied, none of leaf 1."""
    leaves = count_codes(np.repeat([0, 1], 10), np.repeat([2, 0, 0, 1], 5), 2)
    leaf, other = np.repeat([0, 1], 20), np.zeros(40, dtype=int)
    wanted = without_ties(np.array([24.0, 16.0]), leaf, leaves, other)
    np.testing.assert_allclose(wanted, [14, 16, 10])
    # Where ties bring more than is wanted, others are drawn instead.
    wanted = without_ties(np.array([5.0, 35.0]), leaf, leaves, other)
    np.testing.assert_allclose(wanted, [0, 30, 10])


def test_what_comes_from_no_tie_is_wanted_as_often_as_before():
    """Ties bring one row too many of code 1, so that one of code 2 is short."""
    leaves = count_codes(np.zeros(4, dtype=int), np.array([3, 3, 0, 2]), 1)
    leaf, other = np.zeros(20, dtype=int), np.repeat([1, 2], [18, 2])
    wanted = without_ties(np.array([4.0, 8.0, 8.0]), leaf, leaves, other)
    np.testing.assert_allclose(wanted, [4, 0, 6, 10])
