"""The best feasible node of a lattice: what every search is given, and gives."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coclust_synth.baselines.lattice.nodes.feasibility import Feasibility
from coclust_synth.baselines.lattice.nodes.quality import Quality
from coclust_synth.baselines.lattice.nodes.table import LatticeTable


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
