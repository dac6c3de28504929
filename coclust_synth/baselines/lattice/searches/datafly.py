"""Datafly: generalise what has most values until few enough rows are too rare.

References
----------
.. [1] L. Sweeney, "Guaranteeing anonymity when sharing medical data, the Datafly
   system", AMIA 1997.
.. [2] L. Sweeney, "Achieving k-anonymity privacy protection using generalization and
   suppression", International Journal on Uncertainty, Fuzziness and Knowledge-based
   Systems 10(5), 2002.
"""

import numpy as np

from coclust_synth.baselines.lattice.nodes.problem import LatticeProblem, LatticeResult


def datafly(problem: LatticeProblem) -> LatticeResult:
    """The node that Datafly ends at; it looks at no metric.

    While the rows that must be suppressed are too many, the column with most different
    values goes one level up: of equals the first, of those below their root.

    Parameters
    ----------
    problem : LatticeProblem
        Its top must be feasible.
    """
    table = problem.table
    node = problem.lattice.bottom
    checks = 1
    while not np.isfinite(score := problem.check(node).score):
        leaves = table.leaf_codes(table.classes(node))
        n_values = [
            len(np.unique(own)) if level < height else 0
            for own, level, height in zip(
                leaves.T, node, problem.lattice.heights, strict=True
            )
        ]
        j = int(np.argmax(n_values))
        node = (*node[:j], node[j] + 1, *node[j + 1 :])
        checks += 1
    return LatticeResult(node, score, problem.least_bound(), checks)
