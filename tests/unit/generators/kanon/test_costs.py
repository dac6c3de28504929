"""What classes cost, where a column is coded by groups of its values."""

import numpy as np
import pandas as pd
import pytest

from coclust_synth import infer_schema
from coclust_synth.evaluation import information_loss, mean_joint_hellinger
from coclust_synth.generators.kanon.classes import forming, starting
from coclust_synth.generators.kanon.classes.costs import width_shares
from coclust_synth.generators.kanon.classes.forming import class_problem
from coclust_synth.generators.kanon.hybrid import HybridKAnonymizer
from coclust_synth.tables.generalized.leaf_coding import LeafCoding
from coclust_synth.tables.rows import collapse
from tests.naive import classes as naive


@pytest.mark.parametrize("g", [1, 2, 4])
@pytest.mark.parametrize("rows", [1, 3, 5])
@pytest.mark.parametrize("m", [1, 2, 4])
def test_labels_list_the_values_of_their_rows(m, rows, g):
    records, _ = collapse(np.arange(5)[:, np.newaxis], [5])
    problem = class_problem(
        records,
        2,
        is_interval=np.zeros(1, bool),
        is_truthful=np.ones(1, bool),
        repeats=np.array([1 / g]),
    )
    kept = np.arange(5)[np.newaxis] < m
    found = width_shares(problem, kept, np.array([m * rows]))
    listed = naive.listed_values(m, g, rows)
    assert found[0, 0] == pytest.approx((listed - 1) / (5 * g - 1), abs=1e-12)


def visits(n=3000):
    """Days that hardly anybody shares, and towns that go with nothing."""
    rng = np.random.default_rng(0)
    days = pd.Timestamp("1930-01-01") + pd.to_timedelta(
        rng.integers(0, 30000, n), unit="D"
    )
    towns = np.minimum(rng.geometric(0.02, n), 200)
    smokes, sex = rng.choice(["no", "yes", "?"], n), rng.choice(["f", "m"], n)
    table = {"born": days, "town": [f"t{own}" for own in towns]}
    return pd.DataFrame(table | {"smokes": smokes, "sex": sex})


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 50, 300])
def test_the_loss_of_classes_is_that_of_their_labels(k):
    table = visits()
    coding = LeafCoding.learn(table, infer_schema(table))
    problem = class_problem(
        coding.records,
        k,
        is_interval=np.zeros(4, bool),
        is_truthful=np.ones(4, bool),
        repeats=coding.repeats,
    )
    n_records = len(coding.records.counts)
    classes = forming.form_classes(
        problem, np.zeros(n_records, np.int64), seed=0, max_sweeps=1
    )
    of_row = classes.label[coding.inverse]
    held = coding.held_sets(classes.kept, of_row, intervals=False)
    true = np.mean(
        [
            (members.sum(axis=1)[sets][of_row] - 1).mean() / (members.shape[1] - 1)
            for members, sets in held
        ]
    )
    found = forming.mean_loss(problem, classes, np.zeros(n_records, bool))
    assert found == pytest.approx(true, rel=0.03)


@pytest.mark.slow
def test_what_begins_best_is_best_where_values_are_many(monkeypatch):
    table, starts = visits(), starting.first_labels

    def measures():
        anonymizer = HybridKAnonymizer(k=50, n_iterations=2, random_state=0)
        released = anonymizer.fit(table).release_
        return information_loss(released), mean_joint_hellinger(table, released)

    loss, distance = measures()
    monkeypatch.setattr(forming, "first_labels", lambda *own: starts(*own)[1:])
    other = measures()
    assert loss < other[0] and distance < other[1]
