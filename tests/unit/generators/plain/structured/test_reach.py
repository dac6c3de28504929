"""Clusters keep what they have of later columns, where rules would take it."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support.evidence import evidence_of

from coclust_synth.generators.plain.structured.drawing.rows import draw_rows
from coclust_synth.generators.plain.structured.drawn import Drawn
from coclust_synth.generators.plain.structured.learning.from_table import (
    learn_structure,
)
from coclust_synth.generators.plain.structured.learning.reach import find_reach
from coclust_synth.generators.plain.structured.structure import Structure
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.generators.plain.trees.coarser import coarser_reach
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.tables.rules.found import rules_of

K = 20


@pytest.fixture(scope="module")
def loans():
    """Debts, and a second income: of half of the clusters, and of all high debts."""
    rng = np.random.default_rng(0)
    n = 4000
    clusters = rng.integers(0, 20, n)
    is_joint = clusters < 3
    debts = np.where(
        is_joint, rng.integers(20, 60, n), np.round(39 * rng.random(n) ** 0.3)
    ).astype(int)
    second = np.where(is_joint, rng.integers(10, 90, n) * 1000.0, np.nan)
    return pd.DataFrame({"debts": debts, "second": second}), clusters


def learn(loans):
    frame, clusters = loans
    evidence = evidence_of(frame)
    rules = rules_of(evidence, None, K)
    return evidence, rules, learn_structure(evidence, rules, clusters, K)


def one_leaf_for_all(structure):
    """A structure whose first tree does not ask for the cluster."""
    first = structure.columns[0].tree
    nodes = {
        "feature": np.array([-1], dtype=np.int32),
        "threshold": np.array([-1], dtype=np.int32),
        "left": np.array([-1], dtype=np.int32),
        "right": np.array([-1], dtype=np.int32),
    }
    indptr, code, rows = first.leaves
    own = slice(indptr[-2], indptr[-1])
    n = own.stop - own.start
    leaves = Leaves(
        np.array([0, n, 2 * n]), np.tile(code[own], 2), np.tile(rows[own], 2)
    )
    tree = ColumnTree(parents=(), ranks=(), leaves=leaves, **nodes)
    columns = (Drawn(structure.columns[0].column, tree), *structure.columns[1:])
    return replace(structure, columns=columns)


def test_reach_is_what_each_pair_of_bins_says(loans):
    evidence, rules, structure = learn(loans)
    clusters = loans[1]
    debts, second = evidence.bins.T
    table = rules.tables[1, 0]
    for cluster in range(20):
        held = {*second[clusters == cluster]}
        for own in range(evidence.n_bins[0]):
            may = any(table[other, own] for other in held)
            assert structure.reach[0][cluster, own] == may
    assert set(structure.reach) == {0}
    assert not structure.reach[0].all()
    # What the rows of a cluster have is in its reach.
    assert structure.reach[0][clusters, debts].all()


def test_nothing_is_out_of_reach_without_rules_or_of_the_last_column(loans):
    evidence, rules, _ = learn(loans)
    assert find_reach(evidence, {}, loans[1], [0, 1]) == {}
    assert set(find_reach(evidence, rules.tables, loans[1], [1, 0])) <= {1}


def test_a_cluster_without_rows_reaches_all(loans):
    """As of rows after the first where nobody of a cluster has several."""
    evidence, rules, _ = learn(loans)
    clusters = loans[1]
    moved = np.where(clusters >= 3, clusters + 1, clusters)
    reach = find_reach(evidence, rules.tables, moved, [0, 1])
    before = find_reach(evidence, rules.tables, clusters, [0, 1])
    assert reach[0][3].all()
    assert (np.delete(reach[0], 3, axis=0) == before[0]).all()


def test_a_cluster_gets_no_value_for_a_rule_that_none_of_its_own_has(loans):
    _, _, structure = learn(loans)
    structure = one_leaf_for_all(structure)
    frame, clusters = loans
    drawn = draw_rows(structure, clusters, np.random.default_rng(1))
    alone = clusters >= 3
    assert drawn["second"].isna().sum() == frame["second"].isna().sum()
    assert not drawn["debts"][alone].between(40, 56).any()
    without = replace(structure, reach={})
    drawn = draw_rows(without, clusters, np.random.default_rng(1))
    assert drawn["debts"][alone].between(40, 56).sum() > 100


@pytest.mark.slow
def test_a_row_without_a_code_in_reach_gets_one_that_rules_allow(loans):
    _, _, structure = learn(loans)
    nothing = {0: np.zeros_like(structure.reach[0])}
    closed = replace(structure, reach=nothing)
    drawn = draw_rows(closed, loans[1], np.random.default_rng(1))
    assert not (drawn["second"].isna() & (drawn["debts"] >= 40)).any()


def test_reach_is_saved(loans):
    _, _, structure = learn(loans)
    data, arrays = structure.to_dict(), structure.arrays()
    again = Structure.from_dict(json.loads(json.dumps(data)), arrays)
    assert (again.reach[0] == structure.reach[0]).all()
    del data["reach"]  # as in models that were saved before
    assert Structure.from_dict(json.loads(json.dumps(data)), arrays).reach == {}


@pytest.mark.parametrize("reach", [{"0": ["1"]}, {"1": ["01"] * 20}, {"9": ["1"]}])
def test_a_reach_that_does_not_fit_is_refused(loans, reach):
    _, _, structure = learn(loans)
    data = json.loads(json.dumps(structure.to_dict() | {"reach": reach}))
    with pytest.raises(ValueError, match="reach"):
        Structure.from_dict(data, structure.arrays())


def test_merged_clusters_reach_what_one_of_them_does():
    may = np.array([[True, False, False], [False, False, True], [True, True, True]])
    merged = coarser_reach({4: may}, np.array([0, 0, 1]))
    assert merged[4].tolist() == [[True, False, True], [True, True, True]]
