"""Classes for which privacy models hold: those that fail are merged, or suppressed.

Of the classes that fail, the smallest is merged first: among the `_N_NEIGHBOURS`
classes that cost the objective least (see `kanon.classes.forming`) with the first for
which the merged class holds, or else with the one of least cost. It goes on until all
hold; the table as one class is the end of it.
"""

import numpy as np
from scipy import sparse

from coclust_synth.exceptions import ParameterError
from coclust_synth.generators.kanon.classes._class_kernels import empty_classes, fill
from coclust_synth.generators.kanon.classes._merge_kernels import absorb, merge_gains
from coclust_synth.generators.kanon.classes.forming import numbered

_N_NEIGHBOURS = 32


def enforce(problem, formed, models, record_of_row, *, max_suppressed=0):
    """Merge or suppress classes until every model holds for all.

    Parameters
    ----------
    problem : Problem
    formed : RecordClasses
        Those that stay as they are keep their covers.
    models : sequence of SensitiveModel or PresenceModel
    record_of_row : ndarray of int64, shape (n,)
    max_suppressed : int
        Rows that may be suppressed: those of the smallest classes that fail, all
        together a class of k rows or more for which the models hold too.

    Returns
    -------
    classes : RecordClasses
    suppressed : ndarray of bool, shape (N,)
        Records that are in no class: their labels are to be passed over.

    Raises
    ------
    ParameterError
        If a model does not even hold for the whole table as one class.
    """
    classes = empty_classes(problem, formed.label, len(formed.kept))
    fill(problem, classes)
    state = _Counts(classes, models, record_of_row, len(formed.label))
    fails = ~state.hold(np.arange(len(classes.size)))
    suppressed = _suppressible(classes, state, fails, problem.k, max_suppressed)
    is_suppressed = np.isin(classes.label, suppressed)
    fails[suppressed] = False
    live = classes
    if len(suppressed):
        # Classes that are suppressed are nobody's neighbours.
        live = classes._replace(size=classes.size.copy())
        live.size[suppressed] = 0
        state.classes = live
    while fails.any():
        smallest = np.where(fails, live.size, np.iinfo(np.int64).max).argmin()
        gains = merge_gains(problem, live, smallest)
        others = _largest(gains, _N_NEIGHBOURS)
        if not len(others):
            raise ParameterError(
                "Expected models that the table can satisfy. Received "
                f"{state.failing(smallest)}; the whole table as one class does not "
                "satisfy it. Ask for less, or leave the model out."
            )
        together = state.hold_merged(smallest, others)
        other = others[together.argmax()] if together.any() else others[0]
        absorb(problem, live, smallest, other)
        state.merge(smallest, other)
        fails[smallest] = False
        fails[other] = not state.hold(np.array([other]))[0]
    as_formed = [len(own) == 1 for own in state.made_of]
    live.kept[as_formed] = formed.kept[as_formed]
    if is_suppressed.any():
        live.label[is_suppressed] = live.label[~is_suppressed][0]
    return numbered(live), is_suppressed


def _largest(gains, number):
    """Positions of the largest finite gains, the largest first."""
    places = np.flatnonzero(np.isfinite(gains))
    if len(places) > number:
        places = places[np.argpartition(-gains[places], number)[:number]]
    return places[np.argsort(-gains[places], kind="stable")]


class _Counts:
    """What the models read of the classes, kept up while classes merge."""

    def __init__(self, classes, models, record_of_row, n_records):
        self.classes = classes
        self.models = models
        self.counts = []
        shape = (len(classes.size), n_records)
        gather = sparse.coo_array(
            (np.ones(n_records, np.int64), (classes.label, np.arange(n_records))), shape
        ).tocsr()
        for model in models:
            self.counts.append(gather @ model.by_record(record_of_row, n_records))
        # Classes at the start that each class is made of.
        self.made_of = [[own] for own in range(len(classes.size))]

    def hold(self, chosen):
        """Whether all models hold for each of some classes."""
        kept, sizes = self.classes.kept[chosen], self.classes.size[chosen]
        return self._hold([self.made_of[own] for own in chosen], kept, sizes)

    def hold_merged(self, own, others):
        """The same for one class merged with each of some others."""
        made_of = [self.made_of[own] + self.made_of[other] for other in others]
        kept = self.classes.kept[own] | self.classes.kept[others]
        return self._hold(
            made_of, kept, self.classes.size[own] + self.classes.size[others]
        )

    def hold_together(self, chosen):
        """Whether all models hold for some classes as one, under a cover of all."""
        made_of = [[start for own in chosen for start in self.made_of[own]]]
        kept = np.ones((1, self.classes.kept.shape[1]), dtype=bool)
        return self._hold(made_of, kept, self.classes.size[chosen].sum(keepdims=True))[
            0
        ]

    def failing(self, own):
        """The models that do not hold for a class, as text."""
        made_of, of_class = [self.made_of[own]], np.array([own])
        kept, sizes = self.classes.kept[of_class], self.classes.size[of_class]
        return ", ".join(
            str(model.model)
            for model, counts in zip(self.models, self.counts, strict=True)
            if not model.holds(self._gather(made_of) @ counts, kept, sizes)[0]
        )

    def merge(self, own, other):
        self.made_of[other] += self.made_of[own]

    def _hold(self, made_of, kept, sizes):
        hold = np.ones(len(made_of), dtype=bool)
        gather = self._gather(made_of)
        for model, counts in zip(self.models, self.counts, strict=True):
            hold &= model.holds(gather @ counts, kept, sizes)
        return hold

    def _gather(self, made_of):
        columns = np.concatenate(made_of)
        starts = np.append(0, np.cumsum([len(own) for own in made_of]))
        ones = np.ones(len(columns), np.int64)
        shape = (len(made_of), self.counts[0].shape[0] if self.counts else 0)
        return sparse.csr_array((ones, columns, starts), shape=shape)


def _suppressible(classes, state, fails, k, limit):
    """Classes to suppress: the smallest that fail, as many as the limit allows.

    Fewer, the largest first, until they hold together: a reader sees them as one class.
    Those left must hold together too, since merging can do no better.
    """
    failing = np.flatnonzero(fails)
    failing = failing[np.argsort(classes.size[failing], kind="stable")]
    n_chosen = int((np.cumsum(classes.size[failing]) <= limit).sum())
    chosen = failing[:n_chosen]
    if n_chosen == len(classes.size):
        return chosen[:0]
    while len(chosen):
        left = np.delete(np.arange(len(classes.size)), chosen)
        if (
            classes.size[chosen].sum() >= k
            and state.hold_together(chosen)
            and state.hold_together(left)
        ):
            return chosen
        chosen = chosen[:-1]
    return chosen
