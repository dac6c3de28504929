"""Every estimator tells of which columns its fit was, as those of scikit-learn do."""

import pandas as pd
import pytest

from coclust_synth import (
    AnatomyReleaser,
    CoclusterSynthesizer,
    DPCocGen,
    HybridKAnonymizer,
    MDAVAnonymizer,
    MODLCoclustering,
    MODLDataGrid,
)
from coclust_synth.baselines import RankSwapping, Slicing

TABLE = pd.DataFrame(
    {"age": [*range(40)] * 2, "job": ["a", "b"] * 40, "ill": [*range(20)] * 4}
)
FAST = {"n_iterations": 1, "random_state": 0}


@pytest.mark.parametrize(
    "estimator",
    [
        MODLCoclustering(**FAST),
        MODLDataGrid(**FAST),
        CoclusterSynthesizer(k=10, **FAST),
        HybridKAnonymizer(2, quasi_identifiers=["age"], **FAST),
        MDAVAnonymizer(2, quasi_identifiers=["age"]),
        AnatomyReleaser(2, sensitive=["job"]),
        RankSwapping(["age"], random_state=0),
        Slicing([["ill"]], random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_fit_tells_the_columns_of_its_table(estimator):
    fitted = estimator.fit(TABLE)
    assert fitted.feature_names_in_.tolist() == ["age", "job", "ill"]
    assert fitted.n_features_in_ == 3


def test_a_private_fit_tells_the_columns_of_its_domain():
    fitted = DPCocGen(1.0, {"job": ["a", "b"]}).fit(TABLE)
    assert fitted.feature_names_in_.tolist() == ["job"] and fitted.n_features_in_ == 1
