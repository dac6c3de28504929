"""Columns that are a sum of what is there of others: what is missing counts as 0."""

import numpy as np

from coclust_synth.tables.relations import SumOfKnown
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import sample_of
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    are_few,
    is_off_grid,
    misses,
)
from coclust_synth.tables.rules.fitting.scales import MAX_LISTED, Scale
from coclust_synth.tables.rules.fitting.tellers import Tellers
from coclust_synth.tables.rules.sums.search import Search


class SumsOfKnown(Search):
    """The search for sums in which some columns count as 0 where they are missing.

    Parameters
    ----------
    columns : Columns
        Enough individuals lack each such column, and enough have it.
    stays : collection of str, default=()
        See `Search`.
    """

    def __init__(self, columns, stays=()):
        super().__init__(columns, stays)
        self._blank = {
            name for name, own in self._numbers.items() if self._is_blank(own)
        }
        self._filled = {
            name: np.nan_to_num(self._numbers[name], nan=0.0) for name in self._blank
        }
        self._filled_sample = sample_of(self._filled)
        self._tellers = Tellers(self._sample | self._filled_sample)

    def all(self, told):
        """The columns that are such a sum, one after the other.

        At most `MAX_BROKEN` of the rows differ, of all, and of those that lack each of
        the columns which count as 0, and of those that have it. What is told in all
        rows without these is left to `find_fits`. Of what is the same solved for
        another of its columns, the one that has no larger steps than what tells it,
        then that with the fewest columns taken off: the total, not what is part of it.

        Parameters
        ----------
        told : sequence of Relation
            Columns that are told from others already.

        Returns
        -------
        list of SumOfKnown
            No column depends on itself through others.
        """
        found, sums = {each.target: each for each in told}, []
        if not self._blank:
            return []
        open_targets = sorted(set(self._sample) - set(found))
        while True:
            tried = (self._remembered(t, found, self._searched) for t in open_targets)
            best = min(
                (each for each in tried if each is not None),
                key=self._rank,
                default=None,
            )
            if best is None:
                return sums
            found[best.target] = best
            sums.append(best)
            open_targets.remove(best.target)

    def _is_blank(self, own):
        """Whether enough individuals lack a column, and enough have it, not as 0."""
        missing = np.isnan(own)
        sides = missing, ~missing & (own != 0)
        n_rows = min(rows.sum() for rows in sides)
        return n_rows > MAX_UNUSABLE * len(own) and all(
            self._evidence.n_of(rows) >= self._enough for rows in sides
        )

    def _rank(self, rule):
        """What is told first, in a tuple that sorts."""
        coarse = is_off_grid(rule, self._numbers, self._rulers)
        return coarse, sum(c < 0 for c in rule.coefficients), -len(rule.parents)

    def _searched(self, target, banned):
        """The sum that a column is, None where it is none."""
        own, ruler = self._sample[target], self._rulers[target]
        sample = self._sample | self._filled_sample | {target: own}
        scale = Scale.of(
            target, ruler, sample, banned, logarithms=False, tellers=self._tellers
        )
        if not scale.is_told() or not self._blank & scale.parents.keys():
            return None
        of_all = Scale.of(target, ruler, self._sample, banned, logarithms=False)
        if of_all.is_told() and of_all.in_any_way().is_exact:
            return None
        tried = scale.in_any_way()
        if not tried.is_exact:
            return None
        numbers = self._numbers | self._filled | {target: self._numbers[target]}
        fit = settle(tried.fit, numbers, ruler)
        is_listed = len(np.unique(scale.own)) <= MAX_LISTED
        if fit.about or (is_listed and not tried._replace(fit=fit).is_whole):
            return None
        blank = tuple(name for name in fit.parents if name in self._blank)
        if not blank:
            return None
        rule = SumOfKnown(target, fit.parents, fit.coefficients, fit.constant, blank)
        return rule if self._holds(rule) else None

    def _holds(self, rule):
        """Whether few rows break it, see `all`."""
        numbers, n_of = self._numbers, self._evidence.n_of
        missed, known = misses(rule, numbers, self._rulers[rule.target])
        has_own = ~np.isnan(numbers[rule.target])
        broken, sides = missed | ~known, [has_own]
        for name in rule.blank:
            missing = np.isnan(numbers[name])
            sides += [has_own & missing, has_own & ~missing & (numbers[name] != 0)]
        told = known & ~missed
        return are_few(broken, *sides) and all(
            n_of(told & rows) >= self._enough for rows in sides
        )
