"""Columns that are a sum, or a code: a score of items, -9 where one of them lacks."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.parts.rare import MAX_BROKEN
from coclust_synth.tables.reading.missing_codes import missing_codes
from coclust_synth.tables.rules.sums.dependants import dependants
from coclust_synth.tables.rules.sums.digits import settle
from coclust_synth.tables.rules.sums.regressions import sample_of
from coclust_synth.tables.rules.sums.rounding import misses
from coclust_synth.tables.rules.sums.scales import MAX_LISTED, MIN_TOLD, Scale


class SumsOrCodes:
    """The search for sums that are a code for what is missing where a column holds it.

    Parameters
    ----------
    evidence : Evidence
    rulers : mapping of str to Ruler
        Of the columns that may be told or tell others; dates are left out.
    min_individuals : int
        Who have each code, and who have the sum, at least; never fewer than `MIN_ROWS`.
    """

    def __init__(self, evidence, rulers, min_individuals):
        names = [n for n in rulers if getattr(rulers[n], "unit", None) is None]
        self._evidence, self._rulers = evidence, rulers
        self._numbers = {name: evidence.numbers[name] for name in names}
        self._enough = max(MIN_ROWS, min_individuals)
        self._codes = {name: self._codes_of(own) for name, own in self._numbers.items()}
        self._tried = {}

    def best(self, targets, found):
        """The sum that one of some columns is, None where none is.

        Of those that are solved for each other, the one with the fewest taken off: the
        score, not one of its items.
        At most `MAX_BROKEN` of the rows differ, of all and of those in which no column
        of it holds a code, which are half of those that have the column and no code.

        Parameters
        ----------
        targets : iterable of str
            Columns that nothing tells yet.
        found : mapping of str to Relation
            What tells the others.

        Returns
        -------
        Fit or None
            No column depends on itself through others.
        """
        sums = []
        for target in sorted(t for t in targets if self._codes.get(t)):
            banned = dependants(target, found)
            fit = self._tried.get(target)
            if target not in self._tried or (fit and banned & set(fit.parents)):
                fit = self._tried[target] = self._searched(target, banned)
            sums += [] if fit is None else [fit]
        return min(
            sums, key=lambda fit: sum(c < 0 for c in fit.coefficients), default=None
        )

    def _codes_of(self, own):
        """Codes of a column that enough individuals hold."""
        codes = missing_codes(np.unique(own[~np.isnan(own)]))
        held = [self._evidence.n_of(own == code) for code in codes]
        return tuple(
            float(code)
            for code, n in zip(codes, held, strict=True)
            if n >= self._enough
        )

    def _searched(self, target, banned):
        """The sum that a column is, None where it is none."""
        codes, ruler = self._codes[target], self._rulers[target]
        numbers = {
            name: np.where(np.isin(own, codes), np.nan, own)
            for name, own in self._numbers.items()
        }
        own, sample = numbers[target], sample_of(numbers)
        if target not in sample:
            return None
        scale = Scale.of(target, ruler, sample, banned, logarithms=False)
        tried = scale.in_any_way()
        if not tried.is_exact:
            return None
        fit = settle(tried.fit, numbers, ruler)
        is_listed = len(np.unique(own[~np.isnan(own)])) <= MAX_LISTED
        if fit.about or (is_listed and not tried._replace(fit=fit).is_whole):
            return None
        fit = replace(fit, codes=codes)
        return fit if self._holds(fit, np.count_nonzero(~np.isnan(own))) else None

    def _holds(self, fit, n_rows):
        """Whether few rows break it, see `best`."""
        missed, known = misses(fit, self._numbers, self._rulers[fit.target])
        columns = [self._numbers[name] for name in fit.columns]
        is_sum = known & ~np.isin(columns, fit.codes).any(axis=0)
        told = is_sum & ~missed
        return (
            missed.sum() <= MAX_BROKEN * known.sum()
            and is_sum.sum() - told.sum() <= MAX_BROKEN * is_sum.sum()
            and told.sum() >= MIN_TOLD * n_rows
            and self._evidence.n_of(told) >= self._enough
        )
