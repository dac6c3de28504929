"""Columns that are the mean of those of some others that are there."""

import numpy as np

from coclust_synth.tables.relations import Mean
from coclust_synth.tables.rules.fitting.rounding import are_few, misses
from coclust_synth.tables.rules.fitting.scales import Scale, Tried
from coclust_synth.tables.rules.sums.search import Search

# A column of fewer values is told by chance, or reads as a list.
_MIN_VALUES = 5
# Share of the rows of a mean that have each of its columns, and any of them, at least.
_MIN_THERE = 0.5
# Columns that it may be of, at most, and rows that have all of these, at least, and so
# many times as many: of a wide table no row may have all columns.
_MOST, _ROWS, _TIMES = 24, 100, 4
# Digits that are kept; fewer are left where a spread is less of its squares, as of
# columns of which a few values are far from those that another one has rows of.
_DIGITS, _LITTLE = 9, 1e-6


class Means(Search):
    """The search for means of what is there.

    Parameters
    ----------
    columns : Columns
        Enough individuals have a mean and all that it is of.
    stays : collection of str, default=()
        See `Search`.
    """

    def __init__(self, columns, stays=()):
        super().__init__(columns, stays)
        self._rises = self._rise_together()
        self._looked_at = set()

    def all(self, told):
        """The columns that are such a mean, one after the other.

        An index is so of others, a score of the items that were answered: solved for
        one of these it would be off by as much as all of them together. Of the rows
        that lack some of the columns, if enough individuals do, of those that lack
        none, and of both, `MAX_BROKEN` at most differ by more than rounding. Of rows
        that lack all of them nothing is said: half of those that have the mean at most.

        Parameters
        ----------
        told : sequence of Relation
            Columns that are told from others already.

        Returns
        -------
        list of Mean
            No column depends on itself through others.
        """
        found, means = {each.target: each for each in told}, []
        while True:
            parts = {name for mean in means for name in mean.of}
            rules = (self._mean_of(target, found, parts) for target in self._rises)
            rule = next((each for each in rules if each is not None), None)
            if rule is None:
                return means
            found[rule.target] = rule
            means.append(rule)

    def _mean_of(self, target, found, parts):
        """The mean that a column is, None without; no columns are tried twice.

        Of others than what means are of, at first: of these and their mean any can be
        put in the place of the others.
        """
        if target in found:
            return None
        banned = self._banned(target, found)
        names = [name for name in self._rises[target] if name not in banned]
        for some in ([name for name in names if name not in parts], names):
            tried = target, *self._first(target, some[:_MOST])
            if tried not in self._looked_at:
                self._looked_at.add(tried)
                rule = Mean(target, self._meant(*tried))
                if rule.of and self._holds(rule):
                    return rule
        return None

    def _rise_together(self):
        """Columns that rise with one and are there, those that do so most first."""
        names = sorted(self._sample)
        n_values = {n: len(np.unique(x[~np.isnan(x)])) for n, x in self._sample.items()}
        told, rises = _correlations([self._sample[name] for name in names]), {}
        for name, own in zip(names, told, strict=True):
            has_values = n_values[name] >= _MIN_VALUES
            places = np.argsort(-own, kind="stable")[: (own > 0).sum()]
            rises[name] = [names[j] for j in places] if has_values else []
        return rises

    def _first(self, target, names):
        """The first of some columns, of which and a column enough rows have all."""
        has_all = ~np.isnan(self._sample[target])
        for i, name in enumerate(names):
            has_all &= ~np.isnan(self._sample[name])
            if has_all.sum() < max(_ROWS, _TIMES * (i + 1)):
                return names[:i]
        return names

    def _meant(self, target, *names):
        """Those of some columns whose mean it is in rows that have all; or none."""
        may = {name: self._sample[name] for name in (target, *names)}
        has_all = ~np.isnan([*may.values()]).any(axis=0)
        ruler = self._rulers[target]
        scale = Scale.of(target, ruler, may, {target}, logarithms=False, rows=has_all)
        tried = scale.more_at_once(()) if scale.is_told() else Tried()
        parents = tried.fit.parents if tried.is_mean else ()
        return tuple(name for name in self._sample if name in parents)

    def _holds(self, rule):
        """Whether few rows break it, see `all`."""
        numbers = self._numbers
        missed, known = misses(rule, numbers, self._rulers[rule.target])
        has_all = known & ~np.isnan([numbers[name] for name in rule.of]).any(axis=0)
        is_told = known.sum() >= _MIN_THERE * (~np.isnan(numbers[rule.target])).sum()
        sides = known & ~has_all, has_all
        lack, enough = (self._evidence.n_of(rows) >= self._enough for rows in sides)
        return is_told and enough and are_few(missed, known, *sides[not lack :])


def _correlations(columns):
    """Of columns with each other, in the rows that have both.

    Parameters
    ----------
    columns : sequence of p ndarray of float64, shape (n,)
        nan where missing.

    Returns
    -------
    ndarray of float64, shape (p, p)
        0 on the diagonal, where fewer than `_MIN_THERE` of the rows that have the first
        have the second, and where one has one value only. The last digits, in which the
        order of adding shows, are cut.
    """
    x = np.column_stack(columns) if columns else np.zeros((0, 0))
    known = ~np.isnan(x)
    x = np.where(known, x, 0.0)
    x -= known * (x.sum(axis=0) / np.maximum(known.sum(axis=0), 1))
    low = x.min(axis=0, where=known, initial=np.inf)
    x[:, low >= x.max(axis=0, where=known, initial=-np.inf)] = 0.0  # of one value
    x /= np.maximum(np.abs(x).max(axis=0, initial=0.0), 1e-300)
    there = known.astype(np.float64)
    n = np.maximum(there.T @ there, 1)
    # Of rows that have both: sums of one, of its squares, and of products.
    own, squares = x.T @ there, (x * x).T @ there
    spread = squares - own * own / n
    is_little = (spread <= _LITTLE * squares) & (squares > 0)
    spread[(spread <= 0) | is_little] = np.inf
    told = (x.T @ x - own * own.T / n) / np.sqrt(spread * spread.T)
    for i, j in np.argwhere(np.triu(is_little | is_little.T, 1)):
        told[i, j] = told[j, i] = _correlation(columns[i], columns[j])
    told[n < _MIN_THERE * known.sum(axis=0)[:, None]] = 0.0
    np.fill_diagonal(told, 0.0)
    return np.round(told, _DIGITS)


def _correlation(x, y):
    """Of two columns, in the rows that have both; 0 where one has one value only."""
    both = ~np.isnan(x) & ~np.isnan(y)
    x, y = x[both], y[both]
    varies = len(x) > 0 and np.ptp(x) > 0 and np.ptp(y) > 0
    return np.corrcoef(x, y)[0, 1] if varies else 0.0
