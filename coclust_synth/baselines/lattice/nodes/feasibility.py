"""Which classes of a node must be suppressed, and whether that is allowed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coclust_synth.baselines.lattice.nodes.table import NodeClasses
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
