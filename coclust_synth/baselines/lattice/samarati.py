"""Samarati's search: the lowest height of a lattice at which a node is feasible.

References
----------
.. [1] P. Samarati, "Protecting respondents' identities in microdata release", IEEE
   Transactions on Knowledge and Data Engineering 13(6), 2001.
"""

from coclust_synth.baselines.lattice.problem import LatticeProblem, LatticeResult
from coclust_synth.exceptions import ParameterError


def samarati(problem: LatticeProblem) -> LatticeResult:
    """The best of the feasible nodes whose sum of levels is least.

    A node above a feasible one is feasible, so that the heights are searched by
    bisection: the lower half where a node of the middle is feasible, else the upper
    half. The metric only chooses among the nodes of the height found, hence the bound
    is that of the original values.

    Parameters
    ----------
    problem : LatticeProblem
        Of `lattice.MAX_NODES` nodes, at most; its top must be feasible.

    Raises
    ------
    ParameterError
        If the lattice is larger, or there is a model that can hold for a node and not
        for one above: where rows may be suppressed, or persons have several.
    """
    problem.lattice.check_size()
    if not problem.feasibility.is_monotone:
        raise ParameterError(
            "Expected models that hold above a node where they hold: distinct "
            "l-diversity; others too where no rows are suppressed and each row is a "
            "person. Received others: the heights cannot be searched by halves. Use "
            'search="flash", or leave these models out.'
        )
    lattice = problem.lattice
    checks = 0
    low, high = 0, sum(lattice.top)
    found = {}
    while low <= high:
        height = (low + high) // 2
        scores = {}
        for node in lattice.of_height(height):
            checks += 1
            check = problem.check(node)
            if not check.fails_below:
                scores[node] = check.score
        if scores:
            found, high = scores, height - 1
        else:
            low = height + 1
    node = min(found, key=found.get)
    return LatticeResult(node, found[node], problem.least_bound(), checks)
