"""Columns that are a sum, or a code: a score of items, -9 where one of them lacks."""

from dataclasses import replace

import numpy as np

from coclust_synth.tables.reading.texts.codes import missing_codes
from coclust_synth.tables.rules.fitting.exact import exact_sums
from coclust_synth.tables.rules.fitting.rounding import are_few, misses
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, MIN_TOLD, Tried
from coclust_synth.tables.rules.sums.search import Search


class SumsOrCodes(Search):
    """The search for sums that are a code for what is missing where a column holds it.

    Parameters
    ----------
    columns : Columns
        Enough individuals have each code, and enough have the sum.
    """

    def __init__(self, columns):
        super().__init__(columns)
        self._codes = {name: self._codes_of(own) for name, own in self._numbers.items()}

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
        open_targets = sorted(t for t in targets if self._codes.get(t))
        sums = [self._remembered(t, found, self._searched) for t in open_targets]
        return min(
            (fit for fit in sums if fit is not None),
            key=lambda fit: sum(c < 0 for c in fit.coefficients),
            default=None,
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
        """The sum that a column is, None where it is none.

        Whole ones first, and the next where one does not hold: a mean beside it tells
        the sum, but not where that is a code.
        """
        codes, ruler = self._codes[target], self._rulers[target]
        numbers = {
            name: np.where(np.isin(own, codes), np.nan, own)
            for name, own in self._numbers.items()
        }
        own = numbers[target][~np.isnan(numbers[target])]
        is_listed = len(np.unique(own)) <= MAX_LISTED
        sums = exact_sums(target, numbers, ruler, banned)
        tried = [Tried(is_exact=True, fit=fit) for fit in sums]
        whole = [each.fit for each in tried if each.is_whole]
        others = [each.fit for each in tried if not (each.is_whole or is_listed)]
        with_codes = (replace(fit, codes=codes) for fit in [*whole, *others])
        held = (fit for fit in with_codes if self._holds(fit, len(own)))
        return next(held, None)

    def _holds(self, fit, n_rows):
        """Whether few rows break it, see `best`."""
        missed, known = misses(fit, self._numbers, self._rulers[fit.target])
        columns = [self._numbers[name] for name in fit.columns]
        is_sum = known & ~np.isin(columns, fit.codes).any(axis=0)
        told = is_sum & ~missed
        return (
            are_few(missed, known, is_sum)
            and told.sum() >= MIN_TOLD * n_rows
            and self._evidence.n_of(told) >= self._enough
        )
