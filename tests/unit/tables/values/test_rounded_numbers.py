"""Numbers that are changed, and rounded as their column is."""

import numpy as np
import pandas as pd

from coclust_synth import infer_schema
from coclust_synth.tables.values.numbers import with_numbers


def test_the_largest_float_beside_cents_is_rounded_to_no_infinity():
    paid = pd.Series([1.25, 1.5, np.finfo(float).max], name="paid")
    changed = with_numbers(paid, infer_schema(paid.to_frame())["paid"], paid + 0.001)
    assert changed.tolist() == paid.tolist()
