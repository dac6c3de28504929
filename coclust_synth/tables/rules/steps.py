"""Columns that change from one row of a person to the next as another does."""

import numpy as np

from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rules.fits import dependants
from coclust_synth.tables.rules.orders import MAX_BROKEN

# Of the rows in which one of both changes, this share changes by the same.
_MOST = 0.99


def find_steps(evidence, names, before, told, min_individuals):
    """The columns that keep their distance from another: an age and a year.

    What one person's rows tell is that the two changed alike; that they always do is a
    statement about everybody, and one person can make it disappear.

    Parameters
    ----------
    evidence : Evidence
        Of rows after the first, with the columns of the row before beside their own.
    names : sequence of str
        Columns that may be told, or tell others: each from one of fewer values, or of
        as many and before it.
    before : callable
        From the name of a column to that of the row before.
    told : mapping of str to relation
        Columns that are told from others already.
    min_individuals : int
        In whose rows both change, at least.

    Returns
    -------
    list of Fit
        ``age = age before + year - year before``; no column depends on itself.
    """
    numbers = evidence.numbers
    steps = {
        name: numbers[name] - numbers[before(name)] for name in names if name in numbers
    }
    found, fits = dict(told), []
    fewest_first = sorted(steps, key=lambda name: len(np.unique(numbers[name])))
    for place, target in reversed(list(enumerate(fewest_first))):
        if target in found:
            continue
        banned = dependants(target, found)
        for base in fewest_first[:place]:
            is_alike = (base in evidence.dates) == (target in evidence.dates)
            if base in banned or not is_alike:
                continue
            if _change_alike(steps[target], steps[base], evidence, min_individuals):
                fit = Fit(
                    target,
                    (before(target), base, before(base)),
                    (1.0, 1.0, -1.0),
                    0.0,
                    False,
                )
                found[target] = fit
                fits.append(fit)
                break
    return fits


def _change_alike(step, other, evidence, min_individuals):
    """Whether nearly all rows where one column changes have the other's change."""
    known = ~np.isnan(step) & ~np.isnan(other)
    scale = np.maximum(np.abs(step), np.abs(other))
    # Differences of decimals are rounded.
    differ = known & (np.abs(step - other) > 1e-9 * np.maximum(scale, 1))
    changed = known & (scale > 0)
    alike = changed & ~differ
    return (
        differ.sum() <= MAX_BROKEN * known.sum()
        and alike.sum() >= _MOST * changed.sum()
        and evidence.n_of(alike) >= max(min_individuals, 1)
    )
