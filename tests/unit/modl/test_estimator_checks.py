"""The checks that scikit-learn runs on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from coclust_synth import MODLCoclustering, MODLDataGrid


@parametrize_with_checks([MODLCoclustering(n_iterations=2, random_state=0)])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [
        MODLCoclustering(parts="learnt", n_iterations=2, random_state=0),
        MODLDataGrid(n_iterations=2, random_state=0),
    ]
)
def test_scikit_learn_check_of_others(estimator, check):
    check(estimator)
