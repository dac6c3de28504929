"""Numbers that are far from all others, and may be slips."""

import numpy as np
import pytest

from coclust_synth.tables.reading.texts.codes import far_numbers

AGES = np.arange(18.0, 95)


@pytest.mark.parametrize(
    ("more", "rows", "far"),
    [
        ([1000], 1, [1000]),
        ([-400], 1, [-400]),
        ([1962, 1963, 1970], 6, [1962, 1963, 1970]),
        ([110], 1, []),  # old, and no farther than the others are long
        ([5000, 10**6, 10**9], 1, [5000, 10**6, 10**9]),  # each beyond all before
        ([999], 1, []),  # told as one that may be a code
        ([1000], 20, []),
    ],
)
def test_few_numbers_that_are_far_from_all_others(more, rows, far):
    values = np.sort(np.append(AGES, more))
    counts = np.where(np.isin(values, AGES), 9, rows)
    assert far_numbers(values, counts) == far


def test_amounts_have_no_end():
    amounts = np.geomspace(1, 10**6, 300)
    assert far_numbers(np.append(amounts, 10**7), np.full(301, 3)) == []


def test_integers_whose_distance_has_no_64_bits():
    values = np.append(np.arange(100) - 2**62 - 100, 2**62)
    assert far_numbers(values, np.full(101, 9)) == [2**62]


def test_the_lowest_integer_has_no_negative():
    values = np.append(-(2**63), np.arange(100))
    assert far_numbers(values, np.full(101, 9)) == [-(2**63)]
