"""What is left of a column that others tell: that is what its tree is grown for."""

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.relations import Cases, Fit
from coclust_synth.tables.rules.fitting.rounding import differs, misses
from coclust_synth.tables.rules.near_dates import lone_dates

#: Logarithms of residuals are told to so many digits.
LOG_DIGITS = 6


def _middle_atom(parts, codes):
    """Mean of the atom that holds the median: the median may be one person's.

    0 where no row has a number, so that none is drawn either.
    """
    return float(parts.means[np.sort(codes)[len(codes) // 2]]) if len(codes) else 0.0


def _too_few_alone(fit, evidence):
    """Rows that have a date alone that another tells, where a run would be of fewer.

    As far as they are from what fills in nobody is from the other date.
    """
    none = np.zeros(len(evidence.codes), dtype=bool)
    if not (isinstance(fit, Fit) and fit.about and fit.target in evidence.dates):
        return none
    alone = lone_dates(fit, evidence)
    return alone if evidence.n_of(alone) < MIN_ROWS else none


def residuals_of(fit, evidence, parts):
    """What a fit leaves of a column: its atoms, their codes, and what fills in."""
    scale = evidence.scales[fit.target]
    numbers = evidence.numbers_of(fit)
    base, own = fit.predict(numbers), numbers[fit.target]
    missing = np.isnan(own) | _too_few_alone(fit, evidence)
    j = evidence.coding.names.index(fit.target)
    fill = _middle_atom(parts, evidence.codes[~missing, j]) / scale.per_day
    if isinstance(fit, Cases):
        fill = 0.0  # Where it says nothing, what is left is the column.
    if fit.draws_factor:
        base = np.where(np.isnan(base), fill, base)
        left, ruler = fit.factor(own, base), ContinuousRuler()
    elif fit.logarithms:
        # A little below the smallest step where there is no logarithm.
        smallest = getattr(parts.ruler, "step", None) or 1e-9
        fill = float(np.log(max(fill, smallest)))
        left = np.log(np.maximum(np.where(missing, 1.0, own), smallest / 2))
        left = np.round(left - np.where(np.isnan(base), fill, base), LOG_DIGITS)
        left = np.where(np.isneginf(base), 0.0, left)  # 0 is what is drawn
        if fit.slips:
            left = np.where(differs(fit, numbers, scale.ruler), left, 0.0)
        ruler = ContinuousRuler()
    else:
        ruler = scale.ruler
        base = np.where(np.isnan(base), fill, base)
        left = ruler.snap(evidence.values[fit.target] - scale.nearest(base))
    if not (fit.about or fit.draws_factor):
        # What rounding left of one row would be too much for another.
        missed, known = misses(fit, numbers, scale.ruler)
        left = np.where(known & ~missed, 0, left)
    atoms = evidence.learn_atoms(left, missing, ruler)
    codes = atoms.encode(left, missing)
    return {"fit": fit, "residuals": atoms, "fill": fill, "codes": codes}
