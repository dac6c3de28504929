"""The number of each person from which a column advances, as it is drawn."""

import numpy as np
import pytest

from coclust_synth.generators.plain.persons.known.person_starts import learn_start
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.between_rows.advances import Advance

DAYS, HUNDREDTHS = SteppedRuler(1, unit="D"), SteppedRuler(0.01, whole=False)


@pytest.mark.parametrize("ruler", [DAYS, HUNDREDTHS])
def test_who_has_none_makes_nobodys_number_common(ruler):
    """Of 100 persons all have another one; 40 more have none."""
    own = ruler.snap(np.sort(np.random.default_rng(0).permutation(2000)[:100]) / 0.7)
    starts = np.append(own.astype(np.float64), np.full(40, np.nan))
    fit = Fit("age", ("day", "start"), (1.0, 1.0), 0.0)
    level = learn_start(Advance(fit, starts, ruler))
    assert (level.parts.lows < level.parts.highs).all()
    _, numbers = level.drawn
    np.testing.assert_array_equal(numbers[:100], own)
    assert len({*numbers[100:]}) == 1 and numbers[100] not in own
