"""Columns of few values: totals, how they spread, and nobody's own value."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth import CoclusterSynthesizer
from coclust_synth.tables.draws.rulers import ContinuousRuler, SteppedRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.atoms import AtomParts, learn_atoms
from coclust_synth.tables.parts.spreads import divide, likeliest
from coclust_synth.tables.rows import ColumnCounts
from tests.naive.spreads import likeliest_shares

INTEGERS = SteppedRuler(1)


def counts_of(rows):
    values = sorted(rows)
    return ColumnCounts(np.array(values), np.array([rows[value] for value in values]))


def learnt(rows, ruler=INTEGERS):
    counts = counts_of(rows)
    atoms = learn_atoms(counts, None, ruler, spread=True)
    values = np.repeat(counts.values, counts.counts)
    return atoms, values, atoms.encode(values, np.zeros(len(values), bool))


def drawn_from(atoms, codes, n=200):
    rng = np.random.default_rng(0)
    return np.concatenate([atoms.draw(codes, rng)[0] for _ in range(n)])


CHILDREN = {0: 678, 1: 118, 2: 80, 3: 5, 4: 4, 5: 5, 6: 1}
SIBLINGS = {0: 608, 1: 209, 2: 28, 3: 16, 4: 18, 5: 5, 8: 7}
DEBTS = {0: 975, 1: 165, 2: 48, 3: 18, 4: 7, 5: 5, 6: 1, 7: 1, 52: 1}
SCHOOL = {0: 2, 4: 3, 6: 6, 7: 4, 8: 22, 9: 17, 10: 30, 12: 198, 16: 68, 17: 12, 18: 19}
WINDS = {-28: 3, -26: 1, -24: 4, -22: 10, -20: 33, -19: 36, 0: 500}


@pytest.mark.parametrize("rows", [CHILDREN, SIBLINGS, DEBTS, SCHOOL, WINDS])
def test_rare_last_values_keep_total_spread_and_tail(rows):
    """All were drawn as one value: deviations were short by an eighth to a half."""
    atoms, values, codes = learnt(rows)
    drawn = drawn_from(atoms, codes)
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.01 * values.std())
    assert drawn.std() == pytest.approx(values.std(), rel=0.03)
    np.testing.assert_array_equal(
        atoms.encode(drawn, np.zeros(len(drawn), bool)), np.tile(codes, 200)
    )
    alone = [value for value, n in rows.items() if n == 1]
    assert not np.isin(drawn, alone).any()
    assert np.bincount(codes).min() >= MIN_ROWS


def test_a_group_of_which_one_value_is_shared_is_drawn_as_that_one():
    atoms, _, codes = learnt({0: 90, 4: 19, 5: 1, 6: 1, 8: 40})
    assert atoms.labels == ("0", "3 to 7", "8")
    assert set(drawn_from(atoms, codes)) == {0, 4, 8}


def test_too_few_beyond_the_last_value_of_many_are_told_with_those_who_have_it():
    atoms, _, codes = learnt(CHILDREN)
    assert atoms.labels == ("0", "1", "2 to 5")
    assert np.bincount(codes).tolist() == [678, 118, 95]
    # Fewer than a category needs join it, and leave nothing.
    few, _, codes = learnt({0: 900, 1: 122, 2: 3, 6: 2, 9: 1})
    assert few.labels == ("0", "1") and np.bincount(codes).tolist() == [900, 128]


def test_a_far_value_of_one_person_is_told_by_a_round_number():
    atoms, _, codes = learnt(DEBTS)
    far = np.unique(drawn_from(atoms, codes))[-1]
    assert far == 40


ARRESTS = {0: 1970, 1: 559, 2: 121, 3: 42, 4: 12, 5: 13, 6: 4, 7: 1, 9: 1, 10: 1, 12: 1}
SCHOOLING = {2: 1, 3: 1, 4: 1, 5: 2, 6: 9, 7: 7, 8: 40, 12: 400}


@pytest.mark.parametrize(("rows", "atom", "last"), [(ARRESTS, 4, 8), (SCHOOLING, 0, 5)])
def test_the_mean_of_a_tail_is_that_of_the_table(rows, atom, last):
    """Where small numbers had none between them, or no law has both moments.

    31 of the 33 who were arrested four times or more were drawn with six arrests.
    """
    atoms, values, codes = learnt(rows)
    drawn = drawn_from(atoms, codes[codes == atom])
    assert drawn.mean() == pytest.approx(values[codes == atom].mean(), abs=0.01)
    assert last in drawn


FEES = {0: 900, 1500: 300, 1734: 4, 2610: 5, 2999: 6, 4125: 4, 8000: 1}


@pytest.mark.parametrize("ruler", [INTEGERS, ContinuousRuler()])
@pytest.mark.parametrize("n_of_last", [1, 9])
def test_amounts_that_few_have_are_neither_told_nor_drawn(ruler, n_of_last):
    rows = {ruler.dtype(value): n for value, n in FEES.items()}
    rows[ruler.dtype(8000)] = n_of_last
    atoms, values, codes = learnt(rows, ruler)
    drawn = drawn_from(atoms, codes, 20)
    of_few = [value for value, n in rows.items() if n < MIN_ROWS]
    told = [spread.values for spread in atoms.spreads.values()]
    ends = np.concatenate([atoms.lows, atoms.highs, *told])
    assert not np.isin(ends, of_few).any()
    assert np.isin(drawn, of_few).mean() < 0.001  # by chance, between two ends
    assert drawn.mean() == pytest.approx(values.mean(), rel=0.02)


def test_no_run_reaches_across_most_of_a_column():
    """The rows of 30 were put between 2 and 29, as those of 0 and 1 were with them."""
    rows = {0: 2, 1: 16} | {n: 100 for n in range(2, 30)} | {30: 18, 31: 14, 32: 8}
    atoms, values, codes = learnt(rows)
    assert atoms.labels[0] == "0 to 2" and atoms.labels[-1].startswith("30 to ")
    drawn = drawn_from(atoms, codes, 20)
    assert (drawn >= 30).mean() == pytest.approx((values >= 30).mean(), rel=0.01)


def test_a_column_of_two_sides_has_one_tail_at_a_heap():
    tails, others = divide(counts_of({-2: 6, -1: 6, 0: 90, 1: 7, 2: 7}), INTEGERS)
    assert [tail.heap for tail in tails] == [2] and not others
    assert tails[0].spread.values.tolist() == [-2, -1, 0]


def test_all_values_are_others_where_nothing_is_common():
    tails, [others] = divide(counts_of(dict.fromkeys(range(30), 3)), INTEGERS)
    assert not tails and others.tolist() == list(range(30))


@given(
    st.dictionaries(st.integers(-50, 400), st.integers(1, 19), min_size=3, max_size=19),
    st.sampled_from([INTEGERS, ContinuousRuler()]),
)
def test_the_law_is_the_likeliest_of_its_moments(rows, ruler):
    rows[0] = MIN_ROWS
    counts = counts_of({ruler.dtype(value): n for value, n in rows.items()})
    own = np.arange(len(rows))
    spread = likeliest(counts, own, ruler)
    alone = counts.values[counts.counts == 1]
    assert not np.isin(spread.values, alone).any()
    assert (np.diff(spread.values) > 0).all() and (spread.shares > 0).all()
    values = np.repeat(counts.values, counts.counts)
    expected = likeliest_shares(spread.values, values)
    if expected is not None and len(spread.values) > 2:
        np.testing.assert_allclose(spread.shares, expected, atol=0.02)


@pytest.mark.parametrize(
    "rows",
    [{0: 5000, 1: 10, 50: 5}, {0: 4000, 1: 1000, 2: 8, 40: 4}, {-60: 3, -1: 9, 0: 900}],
)
def test_few_far_values_leave_a_heap_and_what_is_near_it_as_they_are(rows):
    """A tenth of 5,000 rows were drawn as the 1 that ten of them have."""
    atoms, values, codes = learnt(rows)
    drawn = drawn_from(atoms, codes, 20)
    for value in rows:
        share = (values == value).mean()
        assert (drawn == value).mean() == pytest.approx(share, abs=5e-4)


@pytest.mark.parametrize("unit", [1e-300, 1e290])
def test_numbers_without_squares(unit):
    rows = {value * unit: n for value, n in DEBTS.items()}
    atoms, values, codes = learnt(rows, ContinuousRuler())
    drawn = drawn_from(atoms, codes, 20)
    assert np.isfinite(drawn).all()
    assert drawn.mean() / unit == pytest.approx(values.mean() / unit, rel=0.1)


@pytest.mark.slow
def test_they_come_back_from_their_dictionary():
    atoms, _, codes = learnt(SIBLINGS)
    again = AtomParts.from_dict(atoms.to_dict())
    np.testing.assert_array_equal(drawn_from(again, codes), drawn_from(atoms, codes))


@pytest.mark.slow
def test_rows_that_are_drawn_keep_them(rng):
    n = sum(CHILDREN.values())
    children = rng.permutation(np.repeat(list(CHILDREN), list(CHILDREN.values())))
    fare = 10.0 * (children + rng.integers(1, 4, n))
    frame = pd.DataFrame({"children": children, "fare": fare})
    drawn = CoclusterSynthesizer(k=20, random_state=0).fit(frame).sample(n)
    assert drawn["children"].std() == pytest.approx(frame["children"].std(), rel=0.05)
    assert drawn["children"].mean() == pytest.approx(children.mean(), rel=0.03)
    assert 6 not in set(drawn["children"])


@pytest.mark.slow
def test_a_larger_group_that_is_asked_for_stays_one(rng):
    children = rng.permutation(np.repeat(list(CHILDREN), list(CHILDREN.values())))
    frame = pd.DataFrame({"children": children, "x": rng.integers(0, 2, len(children))})
    model = CoclusterSynthesizer(k=40, rare=40, random_state=0).fit(frame)
    assert set(model.sample(2000)["children"]) == {0, 1, 2}
