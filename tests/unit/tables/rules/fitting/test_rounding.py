"""Which rows a sum misses, by the digits of its columns."""

import numpy as np

from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fitting.rounding import is_off_grid, misses_the_finest


def test_a_moment_is_missed_by_minutes():
    """A millionth of the days since 1970, as of single precision, is half an hour."""
    minutes = SteppedRuler(60, unit="s")
    start = np.array([19_000.25, 19_000.5])
    numbers = {"start": start, "wait": np.array([10.0, 20.0])}
    numbers["end"] = start + numbers["wait"] / 1440 + np.array([0, 10 / 1440])
    rulers = {"start": minutes, "end": minutes, "wait": SteppedRuler(1)}
    fit = Fit("end", ("start", "wait"), (1.0, 1 / 1440), 0.0)
    assert misses_the_finest(fit, numbers, rulers).tolist() == [False, True]


def test_the_last_digits_of_single_precision_are_no_steps(rng):
    """Fees in seven digits, and by how much they rose, in more decimals."""
    before = rng.uniform(2, 15, 500).astype(np.float32)
    rose = (rng.normal(0, 0.8, 500)).astype(np.float32)
    after = (before + rose).astype(np.float64)
    numbers = {"before": before.astype(float), "rose": after - before, "after": after}
    fine, finer = (SteppedRuler(10.0**-d, whole=False) for d in (8, 9))
    rulers = {"before": fine, "rose": finer, "after": fine}
    fit = Fit("after", ("before", "rose"), (1.0, 1.0), 0.0)
    assert not is_off_grid(fit, numbers, rulers)


def test_whole_fives_are_steps_however_large_they_are(rng):
    price = np.round(rng.uniform(1e7, 9e7, 500), 2)
    total = np.ceil(price / 5) * 5 + 5
    numbers = {"price": price, "total": total, "rest": np.round(total - price, 2)}
    cents = SteppedRuler(0.01, whole=False)
    rulers = {"price": cents, "total": SteppedRuler(5), "rest": cents}
    fit = Fit("total", ("price", "rest"), (1.0, 1.0), 0.0)
    assert is_off_grid(fit, numbers, rulers)
