"""The projection against the conditions that only the nearest point meets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coclust_synth.generators.draws import project_to_simplex


@given(st.lists(st.integers(-50, 200), min_size=1, max_size=30), st.integers(1, 3000))
def test_one_shift_for_all_that_stays_above_zero(values, total):
    values = np.array(values)
    projected = project_to_simplex(values, total)
    assert projected.sum() == pytest.approx(total)
    assert (projected >= 0).all()
    kept = projected > 0
    shifts = values[kept] - projected[kept]
    assert np.ptp(shifts) < 1e-9
    assert (values[~kept] <= shifts[0] + 1e-9).all()
