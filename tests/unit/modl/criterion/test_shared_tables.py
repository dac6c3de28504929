"""Tables of priors that threads share, each of which makes them longer."""

import numpy as np

from coclust_synth.modl.criterion.lookup import PartitionTables, log_fact_table


def test_tables_that_another_thread_put_back_shorter_are_not_looked_up(monkeypatch):
    sizes, rest = np.array([60, *[1] * 11]), np.zeros(13)
    expected = PartitionTables(71, log_fact_table(100)).with_sizes(sizes, rest)
    shared = PartitionTables(71, log_fact_table(100))
    shorter, up_to = shared._priors, shared.up_to

    def overtaken(n_clusters):
        priors = up_to(n_clusters)
        shared._priors = shorter
        return priors

    monkeypatch.setattr(shared, "up_to", overtaken)
    found = shared.with_sizes(sizes, rest)
    for own, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(own, other)
