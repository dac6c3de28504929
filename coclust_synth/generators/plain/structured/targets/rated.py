"""Columns that are drawn as rates of others, of trees of their own."""

from dataclasses import replace

import numpy as np

from coclust_synth.generators.plain.structured.leaves.rates import find_rates
from coclust_synth.generators.plain.structured.targets.codes import (
    code_sizes,
    own_codes,
)
from coclust_synth.generators.plain.structured.targets.order import order_of_drawing
from coclust_synth.generators.plain.trees.trees import grow_tree
from coclust_synth.tables.rules.evidence import Evidence
from coclust_synth.tables.rules.kept import Rules
from coclust_synth.tables.rules.measured import measured_numbers


def with_rates(evidence: Evidence, rules: Rules, k: int) -> Rules:
    """The rules of a table, and what is drawn as a rate of another column.

    Not of persons, of whom columns tell what their rows have.

    Parameters
    ----------
    evidence : Evidence
    rules : Rules
    k : int
        Individuals of each leaf, at least.

    Returns
    -------
    Rules
    """
    if evidence.persons is not None:
        return rules
    names, sizes = evidence.coding.names, code_sizes(evidence.coding)
    starts = np.array([evidence.first_code(name) for name in names])
    of_rows = evidence.codes, *sizes, k, None, starts

    def grown(rate):
        order = order_of_drawing(names, rules.told | {rate.target: rate})
        before = [*map(names.index, order[: order.index(rate.target)])]
        both = rules.fits, rules.fits | {rate.target: rate}
        owns = (own_codes(rate.target, evidence, of, ()) for of in both)
        return [grow_tree(own, of, before, *of_rows) for own, of, _ in owns]

    rates = find_rates(evidence, rules.told, grown, k)
    more = (measured_numbers(rate, evidence) for rate in rates)
    return replace(rules, all=(*rules.all, *more))
