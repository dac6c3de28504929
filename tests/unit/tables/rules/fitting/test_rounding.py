"""Which rows a sum misses, by the digits of its columns."""

import numpy as np

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.rounding import misses_the_finest


def test_a_moment_is_missed_by_minutes():
    """A millionth of the days since 1970, as of single precision, is half an hour."""
    minutes = SteppedRuler(60, unit="s")
    start = np.array([19_000.25, 19_000.5])
    numbers = {"start": start, "wait": np.array([10.0, 20.0])}
    numbers["end"] = start + numbers["wait"] / 1440 + np.array([0, 10 / 1440])
    rulers = {"start": minutes, "end": minutes, "wait": SteppedRuler(1)}
    fit = Fit("end", ("start", "wait"), (1.0, 1 / 1440), 0.0)
    assert misses_the_finest(fit, numbers, rulers).tolist() == [False, True]
