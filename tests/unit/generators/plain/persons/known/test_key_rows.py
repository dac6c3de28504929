"""Between how many rows keys have, so that all are those of the person."""

import numpy as np

from coclust_synth.generators.plain.persons.known.key_rows import (
    ALL_ROWS,
    KEY_ROWS,
    ROWS_OF_KEYS,
    key_rows_between,
    rows_each,
)

KEYS = "keys to come"


def test_keys_can_have_all_rows_of_the_person_and_no_others():
    between = key_rows_between(KEYS, least=1.0, most=5.0, most_keys=3.0)
    known = {KEYS: np.array([1.0, 2.0, 3.0]), ALL_ROWS: np.array([4.0, 8.0, 3.0])}
    low, high = between[KEY_ROWS](known)
    assert (low.tolist(), high.tolist()) == ([4, 3, 1], [4, 7, 1])
    low, high = between[KEYS]({ALL_ROWS: np.array([4.0, 8.0, 11.0])})
    assert (low.tolist(), high.tolist()) == ([1, 2, 3], [4, 8, 11])
    low, high = between[ALL_ROWS]({KEYS: np.array([1.0, 3.0])})
    assert (low.tolist(), high.tolist()) == ([1, 3], [5, 15])


def test_after_the_first_key_it_is_the_rest():
    between = key_rows_between(KEYS, least=1.0, most=5.0)
    assert between.keys() == {KEY_ROWS}
    known = {KEYS: np.array([1.0, 2.0]), ROWS_OF_KEYS.rest: np.array([2.0, 9.0])}
    low, high = between[KEY_ROWS](known)
    assert (low.tolist(), high.tolist()) == ([2, 4], [2, 8])


def test_each_key_has_the_fewest_rows_that_one_can_have():
    between = key_rows_between(KEYS, least=2.0, most=5.0, most_keys=3.0)
    known = {KEYS: np.array([1.0, 2.0, 3.0]), ALL_ROWS: np.array([4.0, 8.0, 7.0])}
    low, high = between[KEY_ROWS](known)
    assert (low.tolist(), high.tolist()) == ([4, 3, 2], [4, 6, 3])
    low, high = between[KEYS]({ALL_ROWS: np.array([4.0, 7.0, 11.0])})
    assert (low.tolist(), high.tolist()) == ([1, 2, 3], [2, 3, 5])
    low, high = between[ALL_ROWS]({KEYS: np.array([1.0, 3.0])})
    assert (low.tolist(), high.tolist()) == ([2, 6], [5, 15])


def test_what_is_drawn_before_the_others_has_ends_of_its_own():
    between = key_rows_between(KEYS, least=1.0, most=5.0, most_keys=3.0)
    assert [between[name]({}) for name in between] == [(1, 5), (1, 3), (1, 15)]


def test_rows_of_each_key_are_the_mean_in_tenths():
    assert rows_each(np.array([7, 8, 3]), np.array([2, 3, 3])).tolist() == [35, 27, 10]
