"""Trees and rules of small tables, and rows that are drawn from them."""

import numpy as np

from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.tables.rules.found import rules_of
from support.evidence import evidence_of


def learnt(frame, k=20, persons=None):
    """What hangs together in a table whose rows, or persons, are all in one cluster."""
    evidence = evidence_of(frame, persons)
    clusters = np.zeros(len(frame), dtype=np.int64)
    return learn_structure(evidence, rules_of(evidence, None, k), clusters, k)


def drawn_from(structure, n=4000, seed=1):
    """So many rows of its cluster."""
    clusters = np.zeros(n, dtype=np.int64)
    return draw_rows(structure, clusters, np.random.default_rng(seed))
