"""The optimal node of a lattice of any size, by boxes of nodes; it can stop early.

A box is the nodes between a lowest and a highest one. What is known of the nodes above
and below a node, and of their scores, makes it smaller, until nothing is left:

- the highest level of a column goes down to the last at which the bound of the lowest
  node, with the column on that level, is better than the best score;
- the lowest level of a column goes up to the first at which the highest node, with the
  column on that level, can be feasible. Where the highest node has many columns at the
  root this is Incognito's subset property: what is not feasible for some columns alone
  is not feasible whatever the others are. Nodes seen in other boxes often tell.

A box that cannot be made smaller is split in two. The one of the lowest bound is
next, so that the lowest bound of those left is a bound on all feasible nodes. Nodes
that pass are made better by a local search before.

References
----------
.. [1] A. H. Land and A. G. Doig, "An automatic method of solving discrete programming
   problems", Econometrica 28(3), 1960.
.. [2] K. LeFevre, D. J. DeWitt and R. Ramakrishnan, "Incognito: efficient full-domain
   k-anonymity", SIGMOD 2005: the subset property.
"""

import heapq
from itertools import count
from typing import NamedTuple

import numpy as np

from coclust_synth.baselines.lattice.checks import (
    BudgetSpent,
    LatticeChecks,
    LazyClasses,
)
from coclust_synth.baselines.lattice.problem import LatticeProblem, LatticeResult

# Share of the rise of the bound along a column that goes to the lower half of a box.
# Of .2, .35, .5, .65, .8 and .95 on Adult's 9 and 15 columns, .65 took fewest boxes.
_SPLIT = 0.65
# Steps from one descent within a box to the next: every 16, descents took a quarter of
# the time that it takes to prove the optimum of Adult's 15 columns.
_DIVE_EVERY = 256
_DEPTH = 4  # levels below the best node at which descents rarely arrive


def branch_and_bound(
    problem: LatticeProblem, *, max_checks: int, time_limit: float | None = None
) -> LatticeResult:
    """The feasible node of the lowest score, or the best one that a budget allows.

    It is proven that no feasible node has a score below the result's `bound`; if the
    search has finished that is the score, and of nodes with that score this one has
    the lowest sum of levels.

    Parameters
    ----------
    problem : LatticeProblem
        Its top must be feasible.
    max_checks : int
        Nodes whose classes are formed, at most; at least 1. Equal budgets give equal
        results.
    time_limit : float, optional
        Seconds of search, at most. Where it is what ends the search, the result
        depends on the machine.
    """
    return _BranchAndBound(LatticeChecks(problem, max_checks, time_limit)).search()


class _Box(NamedTuple):
    bound: tuple[float, int]  # score and sum of levels that no node is better than
    number: int
    low: tuple[int, ...]
    high: tuple[int, ...]  # passes
    stale: bool  # whether `high` is lower than when `low` was last raised


class _BranchAndBound:
    def __init__(self, checks):
        self.checks = checks
        self.quality = checks.problem.quality
        self.lattice = checks.problem.lattice
        self.local = LocalSearch(checks)
        self.numbers = count()
        self.boxes = []
        bottom = self.lattice.bottom
        self._push(checks.bound(bottom), bottom, self.lattice.top, stale=True)

    def search(self):
        checks = self.checks
        try:
            self.local.descend(self.lattice.top)
            self.local.improve()
            for step in count():
                before = checks.best
                if not self.boxes or self.boxes[0].bound >= checks.best:
                    break
                if step % _DIVE_EVERY == 0:
                    self.local.descend(self.boxes[0].high, self.boxes[0].low)
                self._shrink_or_split()
                if checks.best < before:
                    self.local.improve()
        except BudgetSpent:
            pass
        score = checks.best[0]
        bound = min(score, self.boxes[0].bound[0]) if self.boxes else score
        return LatticeResult(checks.node, score, bound, checks.n)

    def _push(self, bound, low, high, stale):
        box = _Box(bound, next(self.numbers), low, high, stale)
        heapq.heappush(self.boxes, box)

    def _shrink_or_split(self):
        """Replace the first box by a smaller one, by two, or by none.

        It stays the first until all is known, so that the bound holds at any time.
        """
        box = self.boxes[0]
        smaller = self._shrunk(box)
        heapq.heappop(self.boxes)
        if smaller is None:
            return
        bound, low, high = smaller
        if low != box.low:
            self._push(bound, low, high, stale=False)
        else:
            self._split(bound, low, high)

    def _shrunk(self, box):
        """Bound, lowest and highest node of what is left of a box; None if nothing."""
        low, high = box.low, self._cut(box.low, box.high)
        if high is None:
            return None
        is_cut = high != box.high
        if not (box.stale or is_cut or low == high):
            return box.bound, low, high
        bound, below = box.bound, None
        if not self.checks.is_known_to_fail(low):
            classes, passes = self.checks.evaluate(low)
            below = LazyClasses(self.checks.problem.table, low, classes=classes)
            bound = max(bound, (self._bound(classes, high), sum(low)))
            if bound >= self.checks.best:
                return None
            if passes and low != high:
                return bound, low, high
        if low == high or (is_cut and not self.checks.passes(high, below)[1]):
            return None
        raised = list(low)
        self._raise(_open(low, high), low, below, high, raised)
        low = tuple(raised)
        return max(bound, self.checks.bound(low)), low, high

    def _bound(self, classes, high):
        """Bound of a box from the classes of its lowest node; 0 if levels tell more.

        Rows in classes below k at the highest node are suppressed at every node of the
        box. Other rows cost no less there than in their classes at the lowest node.
        """
        bound = self.quality.bound(classes)
        feasibility = self.checks.problem.feasibility
        if bound == 0 or feasibility.limit == 0:
            return bound
        merged, label = self.checks.problem.table.rolled_up(classes, high)
        return self.quality.score(classes, (merged.sizes < feasibility.k)[label])

    def _profile(self, low, high):
        """Bounds of the lowest node with one column higher, column after column.

        Returns
        -------
        bounds, step : ndarray, shape (m,)
            The first of each column is that of the lowest node, step 0.
        start : ndarray of int, shape (d,)
            Where each column is first.
        """
        sizes = np.array(high) - low + 1
        stop = np.cumsum(sizes)
        start = stop - sizes
        column = np.repeat(np.arange(len(low)), sizes)
        place = np.arange(stop[-1])
        step = place - start[column]
        nodes = np.tile(low, (len(place), 1))
        nodes[place, column] += step
        return self.quality.bounds(nodes), step, start

    def _cut(self, low, high):
        """The highest node of a box less those that cannot be best; None if all are."""
        score, rank = self.checks.best
        bounds, step, start = self._profile(low, high)
        better = (bounds < score) | ((bounds == score) & (step < rank - sum(low)))
        if not better[0]:
            return None
        last = np.maximum.reduceat(np.where(better, step, 0), start)
        return tuple((low + last).tolist())

    def _raise(self, columns, base, below, high, raised):
        """Raise columns to the first level at which the highest node passes.

        The highest node with these columns on their lowest levels, `base`, does not
        pass; what a half of them does tells which half to blame. Classes of nodes above
        it are merged from `below`.
        """
        if len(columns) == 1:
            (j,) = columns
            first, last = base[j] + 1, high[j]
            while first < last:
                middle = (first + last) // 2
                node = (*high[:j], middle, *high[j + 1 :])
                if self.checks.passes(node, below)[1]:
                    last = middle
                else:
                    first = middle + 1
            raised[j] = first
            return
        half = len(columns) // 2
        for own, others in (
            (columns[:half], columns[half:]),
            (columns[half:], columns[:half]),
        ):
            node = list(base)
            for j in others:
                node[j] = high[j]
            classes, passes = self.checks.passes(tuple(node), below)
            if not passes:
                self._raise(own, classes.node, classes, high, raised)

    def _split(self, bound, low, high):
        """Split a box along the column whose levels matter most."""
        bounds, _, start = self._profile(low, high)
        of_column = np.split(bounds, start[1:])
        j = max(
            _open(low, high),
            key=lambda j: (of_column[j][-1] - of_column[j][0], len(of_column[j])),
        )
        bounds = of_column[j]
        most = bounds[0] + _SPLIT * (bounds[-1] - bounds[0])
        last = low[j] + int(np.flatnonzero(bounds[:-1] <= most)[-1])
        lower = (*high[:j], last, *high[j + 1 :])
        upper = (*low[:j], last + 1, *low[j + 1 :])
        self._push(bound, low, lower, stale=True)
        self._push(max(bound, self.checks.bound(upper)), upper, high, stale=False)


def _open(low, high):
    """Columns in which a box has several levels."""
    return [j for j, level in enumerate(low) if level < high[j]]


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
