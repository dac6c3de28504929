"""Plain synthesizers of persons who have several rows."""

from coclust_synth import CoclusterSynthesizer


def fitted(table, person_id, **options):
    """Trees of the rows of persons, of k = 20, after a short search."""
    options = {"within": "trees", "k": 20, "person_id": person_id} | options
    return CoclusterSynthesizer(n_iterations=2, random_state=0, **options).fit(table)
