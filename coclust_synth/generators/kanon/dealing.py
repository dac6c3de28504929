"""Classes that are alike in their sensitive values: rows are dealt to them in turn.

A model that asks each class to be as the table is (t-closeness), or to hold many values
evenly, fails in most classes of near rows where the sensitive values go with the
quasi-identifiers, and merging near ones ends with few. So classes are also formed the
other way round: each gets its share of the rows of every sensitive value, and of these
the ones that are near each other, which lie side by side in the order of boxes. Values
of fewer rows than half as many as there are classes are dealt together, in their order.

References
----------
J. Soria-Comas, J. Domingo-Ferrer, D. Sanchez, S. Martinez, "t-closeness through
microaggregation: strict privacy with enhanced utility preservation", IEEE TKDE 27 (11),
2015, algorithm 3, "t-closeness first": one row of each of as many sets of sensitive
values as a class has rows.
"""

from collections.abc import Sequence

import numpy as np

from coclust_synth.generators.kanon.classes._cut_kernels import cut_boxes
from coclust_synth.generators.kanon.classes.costs import cut_worth
from coclust_synth.privacy.models.sensitive import SensitiveModel

_GOLDEN = (5**0.5 - 1) / 2  # multiples of it are spread evenly modulo 1
_TOGETHER = np.zeros(0, np.int64)  # rows of one value stay in one box


class Deal:
    """Records in the order in which they are dealt.

    Parameters
    ----------
    problem : Problem
        Each row of its records is an individual.
    models : sequence of SensitiveModel
        Of its rows.
    record_of_row : ndarray of int64, shape (n,)
    objective : {"both", "distance", "loss"}
        What boxes are cut by.
    """

    def __init__(
        self,
        problem,
        models: Sequence[SensitiveModel],
        record_of_row: np.ndarray,
        objective: str,
    ):
        self._k, self._weight = problem.k, problem.weight
        box = np.zeros(len(problem.weight), np.int64)
        cut_boxes(problem, cut_worth(problem, objective), problem.k, _TOGETHER, box)
        # Of a record of several rows the first one decides.
        row = np.unique(record_of_row, return_index=True)[1]
        codes = np.column_stack([model.codes[row] for model in models])
        self._value = np.unique(codes, axis=0, return_inverse=True)[1].ravel()
        self._place = np.lexsort((np.arange(len(box)), box))
        self._rows_of_value = np.bincount(self._value, self._weight)

    def classes(self, n_classes: int) -> np.ndarray:
        """Class of each record, (N,): about `n_classes`, of k rows or more each."""
        run = runs_of_values(self._rows_of_value, n_classes)[self._value]
        order = self._place[np.argsort(run[self._place], kind="stable")]
        weight = self._weight[order]
        n_rows = np.bincount(run, self._weight)
        before = (np.cumsum(n_rows) - n_rows)[run[order]]
        # Places among the rows of a run, in [0, 1), each run from a point of its own:
        # what one class gets for another by rounding evens out over the runs.
        begin = (run[order] * _GOLDEN) % 1
        place = (np.cumsum(weight) - weight - before + begin * weight) / n_rows[
            run[order]
        ]
        label = np.empty(len(order), np.int64)
        label[order] = place * n_classes
        return self._of_k_rows(label, n_classes)

    def _of_k_rows(self, label, n_classes):
        """Classes of fewer than k rows go to the next one, the last to that before."""
        size = np.bincount(label, self._weight, n_classes)
        number, short, n_found = np.empty(n_classes, np.int64), 0.0, 0
        for own in range(n_classes):
            number[own] = n_found
            short += size[own]
            if short >= self._k:
                n_found, short = n_found + 1, 0.0
        return np.minimum(number, n_found - 1)[label]


def runs_of_values(rows, least):
    """Values of half as many rows as `least` alone, others in runs of `least` rows.

    Parameters
    ----------
    rows : ndarray of float64, shape (n_values,)
        Of each value.
    least : int

    Returns
    -------
    ndarray of int64, shape (n_values,)
        Run of each value, from 0. The last one may be of fewer rows.

    Examples
    --------
    >>> runs_of_values(np.array([9.0, 1.0, 1.0, 2.0, 1.0, 1.0]), 3).tolist()
    [0, 2, 2, 1, 2, 3]
    """
    run = np.empty(len(rows), np.int64)
    alone = 2 * rows >= least
    n_runs = int(alone.sum())
    run[alone] = np.arange(n_runs)
    held = 0.0
    for value in np.flatnonzero(~alone):
        run[value] = n_runs
        held += rows[value]
        if held >= least:
            n_runs, held = n_runs + 1, 0.0
    return run
