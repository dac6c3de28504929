"""What a dependence tells of rows that are being drawn."""

from types import SimpleNamespace

import numpy as np

from coclust_synth.generators.plain.structured.telling import Telling


def test_rows_of_no_combination_keep_what_they_may_have():
    """Two rows, drawn again, of which none has the number that classes go by."""
    coding = SimpleNamespace(names=["age", "class"])
    missing = {"age": np.array([np.nan, np.nan])}
    codes = np.zeros((2, 2), dtype=np.int64)
    drawing = SimpleNamespace(n=2, codes=codes, coding=coding, numbers=missing)
    lookup = SimpleNamespace(
        target="class", columns=["age"], number="age", limits=(18.0,)
    )
    allowed = np.array([[True, False], [False, True]])
    kept = Telling(drawing, lookup).allowed_alike(allowed)
    np.testing.assert_array_equal(kept, allowed)
