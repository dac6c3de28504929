"""Columns that are a sum of others over a column: growth rates, margins."""

import numpy as np

from coclust_synth.tables.relations import Quotient
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import left_of
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    are_few,
    is_anywhere,
    misses,
    tolerance,
)
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, Scale, usable
from coclust_synth.tables.rules.fitting.told import evenly
from coclust_synth.tables.rules.sums.search import Search

# Rows that have the column, at least, and those of them that divisors are sought in.
_MIN_ROWS, _FIRST = 200, 400
# Times that a column, its divisor taken, may be further from a sum than rounding takes
# it, in the middle of these rows.
_MAX_OFF = 2.0


class Quotients(Search):
    """The search for columns that are a quotient, one after the other.

    One column over another is left to products, but of columns below 0 as well as
    above, which have no logarithms.

    Parameters
    ----------
    columns : Columns
        Enough individuals have not the commonest value of one.
    """

    def best(self, targets, found):
        """The first of some columns that is one but for few rows, None without any.

        At most `MAX_BROKEN` of the rows differ by more than rounding, of all and of
        those that have not the commonest value.

        Parameters
        ----------
        targets : iterable of str
            Columns that nothing tells yet.
        found : mapping of str to Relation
            What tells the others.

        Returns
        -------
        Quotient or None
            No column depends on itself through others.
        """
        return next(self._all(targets, found), None)

    def best_rounded(self, targets, found):
        """The first that is rounded to the steps of its column, see `best`.

        One that is not may be a factor of a product, which is told to its digits.
        """
        for quotient in self._all(targets, found):
            own = self._sample[quotient.target]
            left = own - quotient.predict(self._sample)
            if is_anywhere(left, self._rulers[quotient.target]):
                return quotient
        return None

    def better(self, share, found):
        """A quotient that is what a share tells, by one of a few limits, or None."""
        return self.best({share.target}, found)

    def _all(self, targets, found):
        """Quotients that some columns are."""
        for target in sorted(targets):
            if self._may_be(target):
                quotient = self._remembered(target, found, self._searched)
                if quotient is not None:
                    yield quotient

    def _may_be(self, target):
        """Whether it is a column of many values in many rows."""
        if target not in self._sample:
            return False
        own = self._sample[target]
        own = own[~np.isnan(own)]
        return len(own) >= _MIN_ROWS and len(np.unique(own)) > MAX_LISTED

    def _is_product(self, quotient):
        """Whether it is one column over another, of a column that has logarithms."""
        own = self._sample[quotient.target]
        own = own[~np.isnan(own)]
        is_both = min((own < 0).mean(), (own > 0).mean()) > MAX_UNUSABLE
        return not is_both and len(quotient.parents) == 2 and not quotient.constant

    def _searched(self, target, banned):
        """The quotient that a column is, None where it is none."""
        for over in self._divisors(target, banned):
            quotient = self._learnt(target, over, banned)
            if quotient is not None:
                return quotient
        return None

    def _divisors(self, target, banned):
        """Columns that make it a sum of others, as far as some rows tell."""
        known = ~np.isnan(self._sample[target])
        columns = usable(self._sample, known, banned, logarithms=False)
        if len(columns) < 2:
            return
        own = self._sample[target][known]
        x = np.column_stack([*columns.values()])
        rows = evenly(np.arange(len(own)), _FIRST)
        own, x = own[rows], x[rows]
        if len(own) < 2 * x.shape[1]:
            return
        times = own[:, None] * x
        left = np.abs(left_of(x, times))
        rounding = np.abs(x) * tolerance(own, self._rulers[target])[:, None]
        told = np.median(left, axis=0) <= _MAX_OFF * np.median(rounding, axis=0)
        for name, is_it in zip(columns, told, strict=True):
            if is_it:
                yield name

    def _learnt(self, target, over, banned):
        """The quotient by one column, if it tells nearly all rows."""

        def divided(numbers):
            by = np.where(numbers[over] == 0, np.nan, numbers[over])
            others = [name for name in self._sample if name not in {over, *banned}]
            own = {name: numbers[name] / by for name in others}
            return own | {target: numbers[target]}

        ruler, numbers = self._rulers[target], divided(self._numbers)
        sample = divided(self._sample)
        scale = Scale.of(target, ruler, sample, {target}, logarithms=False)
        tried = scale.in_any_way()
        if not tried.is_exact:
            return None
        fit = settle(tried.fit, numbers, ruler)
        quotient = Quotient(target, fit.parents, fit.coefficients, over, fit.constant)
        if fit.about or self._is_product(quotient) or not self._holds(quotient):
            return None
        return quotient

    def _holds(self, quotient):
        """Whether few rows break it, see `best`."""
        own = self._numbers[quotient.target]
        missed, known = misses(quotient, self._numbers, self._rulers[quotient.target])
        has_own, told = ~np.isnan(own), known & ~missed
        rarer = has_own & is_rarer(own)
        return (
            are_few(~told, has_own, rarer)
            and self._evidence.n_of(told & rarer) >= self._enough
        )
