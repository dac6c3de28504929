"""Random small tables with hierarchies, and models asked of them with their twins."""

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from naive import privacy as naive_privacy

from coclust_synth.baselines.lattice.quality import QUALITY
from coclust_synth.baselines.lattice.table import LatticeTable
from coclust_synth.privacy import (
    AlphaK,
    DistinctLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    TCloseness,
)
from coclust_synth.tables.hierarchies.hierarchy import GeneralizationHierarchy
from support.hierarchies import hierarchy_lines

METRICS = list(QUALITY)

MODELS = [
    (DistinctLDiversity(2), lambda c, t: naive_privacy.distinct_l(c) >= 2),
    (
        EntropyLDiversity(1.9),
        lambda c, t: naive_privacy.entropy_l(c) >= 1.9 * (1 - 1e-9),
    ),
    (RecursiveLDiversity(2, 2), lambda c, t: naive_privacy.recursive_c(c, 2) < 2),
    (AlphaK(0.6), lambda c, t: float(naive_privacy.largest_share(c)) <= 0.6),
    (TCloseness(0.2), lambda c, t: naive_privacy.equal_distance(c, t) <= 0.2 + 1e-9),
    (
        TCloseness(0.2, "ordered"),
        lambda c, t: naive_privacy.ordered_distance(c, t) <= 0.2 + 1e-9,
    ),
]


class World:
    """A table of texts with a hierarchy for each column, and a sensitive column."""

    def __init__(self, lines, rows, sensitive):
        self.rows, self.sensitive = rows, sensitive
        self.hierarchies = [
            GeneralizationHierarchy.from_lines(f"c{j}", own)
            for j, own in enumerate(lines)
        ]
        self.lines = [{line[0]: line for line in own} for own in lines]
        self.frame = pd.DataFrame({"ill": sensitive})

    def table(self, models=()):
        codes = [
            np.array([h.leaves.index(row[j]) for row in self.rows])
            for j, h in enumerate(self.hierarchies)
        ]
        values = [(own.codes, own.n_codes) for own in models]
        return LatticeTable(codes, self.hierarchies, values)


@st.composite
def worlds(draw, max_columns=3, max_rows=16):
    one_level = st.just([("only",)])
    lines = draw(
        st.lists(
            st.one_of(hierarchy_lines(max_leaves=5, max_height=3), one_level),
            min_size=1,
            max_size=max_columns,
        )
    )
    row = st.tuples(*(st.sampled_from([line[0] for line in own]) for own in lines))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    value = st.integers(0, 3)
    sensitive = draw(st.lists(value, min_size=len(rows), max_size=len(rows)))
    return World(lines, rows, sensitive)


def reachable(world, asked):
    """Those of some models that the whole table holds."""
    values = sorted(set(world.sensitive))
    total = [world.sensitive.count(v) for v in values]
    return [pair for pair in asked if pair[1](total, total)]
