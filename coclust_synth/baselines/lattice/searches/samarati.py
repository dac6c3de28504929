"""Samarati's search: the lowest height of a lattice at which a node is feasible.

References
----------
.. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE
   Transactions on Knowledge and Data Engineering 13(6), 2001.
"""

import math

from coclust_synth.baselines.lattice.nodes.problem import LatticeProblem, LatticeResult


def samarati(problem: LatticeProblem) -> LatticeResult:
    """The best of the feasible nodes whose sum of levels is least.

    What rows and different values ask can be met at a height wherever it can below,
    which bisection finds the end of. Other models can hold for a node and not for one
    above, where rows may be suppressed or persons have several: from there the heights
    are looked at one by one. The metric only chooses among the nodes of the height
    found, hence the bound is that of the original values.

    Parameters
    ----------
    problem : LatticeProblem
        Of `lattice.MAX_NODES` nodes, at most; its top must be feasible.

    Raises
    ------
    ParameterError
        If the lattice is larger.
    """
    lattice = problem.lattice
    lattice.check_size()
    looked_at = {}

    def look(height):
        """What the nodes of a height say, each looked at once."""
        if height not in looked_at:
            looked_at[height] = {
                node: problem.check(node) for node in lattice.of_height(height)
            }
        return looked_at[height]

    low, high = 0, sum(lattice.top)
    while low < high:
        height = (low + high) // 2
        if all(check.fails_below for check in look(height).values()):
            low = height + 1
        else:
            high = height
    while not (scores := _feasible(look(low))):
        low += 1
    node = min(scores, key=scores.get)
    checks = sum(map(len, looked_at.values()))
    return LatticeResult(node, scores[node], problem.least_bound(), checks)


def _feasible(checks):
    """Scores of the feasible nodes."""
    return {n: own.score for n, own in checks.items() if math.isfinite(own.score)}
