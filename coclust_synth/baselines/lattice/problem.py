"""The best feasible node of a lattice: what every search is given, and gives.

A node is feasible where few enough rows are in classes that must be suppressed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coclust_synth.baselines.lattice.quality import Quality
from coclust_synth.baselines.lattice.table import LatticeTable, NodeClasses
from coclust_synth.privacy.models.sensitive import SensitiveModel


class Verdict(NamedTuple):
    """What a node's classes say of it.

    Attributes
    ----------
    is_feasible : bool
        Whether the rows of failing classes are few enough to be suppressed.
    fails_below : bool
        Whether no node below this one can be feasible. Where it is False, it is False
        for all nodes above.
    failing : ndarray of bool, shape (n_classes,)
        Classes below k or without a model; not all of them are listed if `fails_below`.
    """

    is_feasible: bool
    fails_below: bool
    failing: np.ndarray


@dataclass(frozen=True, eq=False)
class Feasibility:
    """What is asked of the classes, and how many rows need not have it.

    A class that has k rows, or l different sensitive values, has them whatever it is
    merged with: the rows that fail grow fewer on the way up. The other models may fail
    for the merger of a class that holds with one that failed and was suppressed: if
    rows may be suppressed, they say nothing of other nodes. If none may, every model
    of `coclust_synth.privacy` is monotone, because mergers are of classes that hold;
    but counted by persons it is not, because classes can share some.

    Parameters
    ----------
    k : int
    models : sequence of SensitiveModel
        Their columns are those that `NodeClasses.counts` are of, in order.
    limit : int
        Rows that may be suppressed.
    """

    k: int
    models: Sequence[SensitiveModel]
    limit: int

    @property
    def is_monotone(self):
        """Whether all nodes above a feasible one are feasible."""
        return all(map(self._tells, self.models))

    def _tells(self, own):
        """Whether classes that fail a model fail it at all nodes below."""
        return own.grows or (self.limit == 0 and own.is_monotone)

    def judge(self, classes: NodeClasses) -> Verdict:
        """Look at the classes of a node."""
        sizes = classes.sizes
        failing = sizes < self.k
        asked = list(zip(self.models, classes.counts, strict=True))
        # Models that tell of nodes below come first.
        asked.sort(key=lambda pair: not self._tells(pair[0]))
        fails_below = int(sizes[failing].sum()) > self.limit
        for own, counts in asked:
            if fails_below:
                break
            failing = failing | ~own.holds(counts)
            if self._tells(own):
                fails_below = int(sizes[failing].sum()) > self.limit
        is_feasible = not fails_below and int(sizes[failing].sum()) <= self.limit
        return Verdict(is_feasible, fails_below, failing)


class Check(NamedTuple):
    """What looking at a node's classes tells.

    Attributes
    ----------
    score : float
        Infinite if the node is not feasible.
    fails_below : bool
        Whether neither it nor any node below is feasible; see `Verdict`.
    bound : float
        No node above has a lower score.
    """

    score: float
    fails_below: bool
    bound: float


class LatticeResult(NamedTuple):
    """What a search found.

    Attributes
    ----------
    node : tuple of int
        Of the lowest score; of several the one of the lowest sum of levels.
    score : float
    bound : float
        Proven: no feasible node has a lower score. Equal to `score` if that is the
        optimum.
    checks : int
        Nodes whose classes were looked at.
    """

    node: tuple[int, ...]
    score: float
    bound: float
    checks: int


@dataclass(frozen=True, eq=False)
class LatticeProblem:
    """A table, what is asked of its classes, and what is minimised.

    Attributes
    ----------
    table : LatticeTable
    feasibility : Feasibility
    quality : Quality
    """

    table: LatticeTable
    feasibility: Feasibility
    quality: Quality

    @property
    def lattice(self):
        """The nodes."""
        return self.table.lattice

    def least_bound(self) -> float:
        """A bound on the scores of all nodes, from that of the original values."""
        bottom = np.array([self.lattice.bottom])
        by_levels = float(self.quality.bounds(bottom)[0])
        return max(by_levels, self.quality.bound(self.table.rows))

    def check(self, node: tuple[int, ...]) -> Check:
        """Look at the classes of a node."""
        classes = self.table.classes(node)
        verdict = self.feasibility.judge(classes)
        score = np.inf
        if verdict.is_feasible:
            score = self.quality.score(classes, verdict.failing)
        return Check(score, verdict.fails_below, self.quality.bound(classes))
