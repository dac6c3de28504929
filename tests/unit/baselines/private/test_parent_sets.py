"""Parent sets against brute force."""

from hypothesis import given
from hypothesis import strategies as st
from naive import noise as naive

from coclust_synth.baselines.private.privbayes import maximal_parent_sets


@given(st.lists(st.integers(1, 6), max_size=5), st.floats(0, 300, allow_nan=False))
def test_parent_sets_are_all_maximal_ones(sizes, limit):
    named = list(enumerate(sizes))
    found = maximal_parent_sets(named, limit)
    assert len(set(found)) == len(found)
    # A product of quotients may round to just below 1: keep off the boundary.
    expected = naive.maximal_parent_sets(named, limit)
    if limit != int(limit):
        assert set(found) == set(expected)
