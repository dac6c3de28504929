"""Private generators whose fit was interrupted: budget gone, and no model there."""

from functools import partial

import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from coclust_synth import (
    AIMSynthesizer,
    DPCocGen,
    IndependentMargins,
    LaplaceHistogram,
    MSTSynthesizer,
    PrivBayes,
)
from coclust_synth.privacy.noise import ledger as module

TABLE = pd.DataFrame({"sex": ["F", "M"] * 200, "smokes": ["no", "yes"] * 200})
DOMAIN = {"sex": ["F", "M"], "smokes": ["no", "yes"]}


@pytest.mark.noise
@pytest.mark.parametrize(
    "make",
    [
        DPCocGen,
        partial(DPCocGen, variant="adaptive"),
        partial(DPCocGen, variant="thesis"),
        IndependentMargins,
        LaplaceHistogram,
        PrivBayes,
        partial(MSTSynthesizer, delta=1e-9),
        partial(AIMSynthesizer, delta=1e-9),
    ],
)
def test_nothing_is_drawn_after_a_fit_that_was_interrupted(make, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    generator = make(1.0, DOMAIN).fit(TABLE)
    check_is_fitted(generator)
    for name in ("discrete_laplace", "discrete_gaussian"):
        monkeypatch.setattr(module, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        generator.fit(TABLE)
    assert generator.ledger_.remaining < 1.0
    for use in (generator.sample, partial(check_is_fitted, generator)):
        with pytest.raises(NotFittedError):
            use()
