"""Better nodes near those that pass: levels lowered while they can be."""

from coclust_synth.baselines.lattice.searches.checks import LatticeChecks

_DEPTH = 4  # levels below the best node at which descents rarely arrive


class LocalSearch:
    """Descents, and a search of the neighbourhood of the best node.

    Parameters
    ----------
    checks : LatticeChecks
    """

    def __init__(self, checks: LatticeChecks):
        self.checks = checks
        self.lattice = checks.problem.lattice
        self._known: dict = {}

    def descend(self, node, floor=None):
        """From a node that passes, lower a column by a level while the result passes.

        Of the columns the one of the best bound is lowered first.

        Parameters
        ----------
        node : tuple of int
        floor : tuple of int, optional
            Levels that columns stay on or above.
        """
        floor = floor or self.lattice.bottom
        blocked = set()
        while True:
            ways = [
                (self.checks.bound(other), j, other)
                for j, other in self._lowered(node, floor)
                if j not in blocked
            ]
            for _, j, other in sorted(ways):
                if self._passes(other):
                    node = other
                    break
                blocked.add(j)  # nor would it pass from further down
            else:
                return

    def improve(self):
        """Raise a column of the best node and descend in the others, while it helps."""
        better = True
        while better:
            before, node = self.checks.best, self.checks.node
            # Kept: what is looked at next is merged from it, not from the rows.
            self._passes(tuple(max(0, own - _DEPTH) for own in node))
            better = False
            for j, start in self._raised(node):
                bottom = self.lattice.bottom
                self.descend(start, (*bottom[:j], start[j], *bottom[j + 1 :]))
                if self.checks.best < before:
                    better = True
                    break

    def _lowered(self, node, floor):
        for j, level in enumerate(node):
            if level > floor[j]:
                yield j, (*node[:j], level - 1, *node[j + 1 :])

    def _raised(self, node):
        for j, level in enumerate(node):
            for own in range(level + 1, self.lattice.heights[j] + 1):
                yield j, (*node[:j], own, *node[j + 1 :])

    def _passes(self, node):
        if node not in self._known:
            fails = self.checks.is_known_to_fail(node)
            self._known[node] = not fails and self.checks.evaluate(node)[1]
        return self._known[node]
