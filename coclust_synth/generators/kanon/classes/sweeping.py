"""Records that change classes while that is worth it: sweeps until they gain little."""

from coclust_synth.generators.kanon.classes._class_kernels import (
    empty_classes,
    fill,
    sweep,
)

_MIN_RISE = 1e-3  # share of the objective that a sweep must add for another one
_ROOM = 64  # classes that are looked at for a record


def filled_classes(problem, label):
    """Classes of records under their best covers."""
    classes = empty_classes(problem, label, int(label.max()) + 1)
    fill(problem, classes)
    return classes


def settle(problem, classes, rng, max_sweeps, clock):
    """Sweep over the records, in place, until a sweep adds little.

    Parameters
    ----------
    problem : Problem
    classes : Classes
        Filled.
    rng : numpy.random.Generator
        Of the orders in which records are looked at.
    max_sweeps : int
    clock : Clock
        No sweep begins when its time is over; it notes "moves" then.
    """
    objective = classes.fit.sum()
    for _ in range(max_sweeps):
        if clock.ends("moves"):
            break
        order = rng.permutation(len(classes.label))
        n_moved = sweep(problem, classes, order, _ROOM)
        before, objective = objective, classes.fit.sum()
        if n_moved == 0 or objective - before < _MIN_RISE * objective:
            break
