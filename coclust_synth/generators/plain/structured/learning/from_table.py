"""A structure, learnt from a table."""

import numpy as np

from coclust_synth.generators.plain.structured.learning.learning import Learning
from coclust_synth.generators.plain.structured.learning.reach import find_reach
from coclust_synth.generators.plain.structured.structure import Structure


def learn_structure(
    evidence,
    rules,
    clusters,
    k,
    given=(),
    earlier=None,
    listed=(),
    only_for=None,
    order=None,
):
    """Grow a tree for each column of a table.

    Parameters
    ----------
    evidence : Evidence
        The table, in atoms.
    rules : Rules
        Of the table.
    clusters : ndarray of int64, shape (n,)
        Cluster of each individual, of k at least.
    k : int
        Individuals of each leaf, at least.
    given : sequence of str, default=()
        Columns that others depend on, and that are known when they are drawn.
    earlier : mapping of str to str, optional
        Of columns, that of `given` with their value of the row before; empty for
        first rows of persons.
    listed : collection of str, default=()
        Numbers that are codes: their order says nothing.
    only_for : mapping of str to str, optional
        Of columns of `given`, the only one that depends on each.
    order : sequence of str, optional
        Columns in the order in which they are drawn, but after what they are told
        from; by default that of the table.

    Returns
    -------
    Structure
    """
    of_rows = given, earlier, listed, only_for, order
    learning = Learning(evidence, rules, clusters, k, *of_rows)
    columns = tuple(learning.columns())
    drawn = [each.column for each in columns]
    return Structure(
        evidence.coding,
        columns,
        rules,
        evidence.of_codes,
        np.bincount(clusters),
        learning.given,
        features=learning.asked.features,
        distances=learning.asked.distances,
        stayed=learning.asked.stays,
        reach=find_reach(evidence, rules.tables, clusters, drawn),
    )
