"""Tables whose dates have habits that change with time."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import CoclusterSynthesizer


@pytest.fixture(scope="module")
def openings():
    rng = np.random.default_rng(0)
    days = pd.date_range("1960-01-01", "2009-12-31")
    old, new = days[days.year < 1980], days[days.year >= 1980]
    opened = np.append(rng.choice(old[old.day == 1], 300), rng.choice(new, 1200))
    return pd.DataFrame({"opened": opened, "size": rng.integers(10, 500, 1500)})


def firsts(drawn):
    """Shares of openings on the first of a month, until 1978 and since 1982."""
    of = drawn["opened"].dt
    sides = of.year < 1978, of.year >= 1982
    return [float((of.day == 1)[side].mean()) for side in sides]


@pytest.mark.slow
def test_firsts_of_months_until_one_year(openings, tmp_path):
    synthesizer = CoclusterSynthesizer(k=20, n_iterations=1, random_state=0)
    path = synthesizer.fit(openings).save(tmp_path / "of.model")
    before, since = firsts(synthesizer.sample(3000))
    assert before > 0.9 and since < 0.06
    again = CoclusterSynthesizer.load(tmp_path / "of.model", random_state=1)
    before, since = firsts(again.sample(3000))
    assert before > 0.9 and since < 0.06, path
    # Of eras that are too few for k nothing of their own is told.
    before, _ = firsts(again.sample(3000, k=700))
    assert before < 0.5


@pytest.mark.slow
def test_persons_have_eras_of_k_persons(openings):
    of_three = openings.assign(who=np.append(np.arange(300) % 3, np.arange(1200) + 3))
    alone = openings.assign(who=np.arange(1500))
    before = []
    for frame in (of_three, alone):
        synthesizer = CoclusterSynthesizer(
            k=20, n_iterations=1, random_state=0, person_id="who"
        )
        drawn = synthesizer.fit(frame).sample()
        before.append(firsts(drawn)[0])
    assert not before[0] > 0.5 and before[1] > 0.9
