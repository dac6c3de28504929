import numpy as np
import pytest

from coclust_synth.generators.log_linear.fit import LogLinearModel, Measurement


def measured(variables, counts):
    cells = np.arange(len(counts))
    return Measurement(variables, cells, counts, np.full(len(counts), 100.0))


@pytest.mark.parametrize("seed", range(10))
def test_a_fit_that_has_nothing_to_gain_leaves_the_next_one_its_step(seed):
    """It was halved until rounding ended it, and all fits after it with it."""
    rng = np.random.default_rng(seed)
    joint = np.round(40_000 * rng.dirichlet(np.ones(12))).reshape(3, 4) + 1
    n_rows = joint.sum()
    # Noise: the two do not sum to the same.
    columns = [joint.sum(axis=i) + rng.normal(0, 10) for i in (1, 0)]
    alone = [measured((j,), counts) for j, counts in enumerate(columns)]
    logs, step = [np.log(counts) for counts in columns], None
    for _ in range(50):
        model = LogLinearModel((3, 4), alone).fit(n_rows, logs, 20, step)
        logs, step = model.logs, model.step
    both = LogLinearModel((3, 4), [*alone, measured((0, 1), joint.ravel())])
    fitted = both.fit(n_rows, logs, 200, step)
    (clique,) = fitted.tree.cliques
    assert clique == (0, 1)
    np.testing.assert_allclose(n_rows * fitted.beliefs[0], joint, atol=60)
