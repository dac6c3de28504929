"""Columns that are a sum with products in it: so many nights at a rate, and extras."""

from typing import NamedTuple

import numpy as np

from coclust_synth.tables.parts.rare.rare import MAX_BROKEN
from coclust_synth.tables.relations import Bill
from coclust_synth.tables.rules.compared.numbers import is_rarer
from coclust_synth.tables.rules.fitting.digits import settle
from coclust_synth.tables.rules.fitting.regressions import (
    least_absolute,
    left_of,
    select,
    spread_of,
)
from coclust_synth.tables.rules.fitting.rounding import misses, tolerance
from coclust_synth.tables.rules.fitting.scales import (
    MAX_LISTED,
    MIN_TOLD,
    Scale,
    Tried,
    rows_to_tell,
)
from coclust_synth.tables.rules.fitting.tellers import as_teller
from coclust_synth.tables.rules.fitting.told import dependants, evenly
from coclust_synth.tables.rules.sums.search import Search

# Of the products that tell most alone, those to each of which a second one is sought.
_MAX_FIRST = 8
# A column, or a product, that others leave no more of than this share tells nothing.
_NOTHING = 1e-9
# Rows that have the column, at least.
_MIN_ROWS = 200
# Rows that products are sought in, of these so many that have not the commonest value
# of a column, and columns of which products are.
_FIRST, _RARER, _MAX_COLUMNS = 400, 40, 64
# Share of what a sum leaves, in squares, that products leave of it where all rows but a
# few are told.
_MAX_LEFT = 0.3
# Share that they leave then of what a sum leaves of the middle row.
_MAX_MIDDLE = 0.15


class Bills(Search):
    """The search for columns that are a bill, one after the other.

    Parameters
    ----------
    columns : Columns
        Enough individuals have each product.
    """

    def __init__(self, columns):
        super().__init__(columns)
        # At most, in some rows; the median of these may be one more.
        n_values = {n: len(np.unique(own)) + 1 for n, own in self._sample.items()}
        self._n_values = dict(sorted(n_values.items(), key=lambda own: -own[1]))

    def best(self, targets, found):
        """The bill that is told next, None where there is none.

        At most `MAX_BROKEN` of the rows differ by more than rounding, of all, of those
        that have not the commonest value of the column, and of those that have not the
        commonest of a product. Some rows, half at most, may lack what tells it: these
        have their own values. Columns of few values are sums of whole multiples or no
        bill. Of what is the same solved for another of its columns, the one that tells
        all rows, then that with the fewest columns and products taken off: the total,
        not what is part of it.

        Parameters
        ----------
        targets : iterable of str
            Columns that nothing tells yet.
        found : mapping of str to Relation
            What tells the others.

        Returns
        -------
        Bill or None
            No column depends on itself through others.
        """
        banned = {t: dependants(t, found) for t in sorted(targets) if t in self._sample}
        again = {t: own for t, own in banned.items() if self._is_open(t, own)}
        for others, alike in self._alike(again):
            for target, tried in self._search(alike, others).items():
                self._tried[target] = again[target], tried
        tried = [self._tried[target][1] for target in banned]
        best = min(tried, key=lambda each: each.rank, default=_Found())
        return best.bill

    def better(self, share, found):
        """A bill that tells the same as a share, None where none does.

        An amount with a surcharge is 1, 1.05 or 1.1 of the amount: where the percentage
        stands in a column it is told from both. And a part is not told from its total.
        """
        bill = self.best({share.target, share.of} - set(found), found)
        return bill if bill is not None and share.target in bill.columns else None

    def _is_open(self, target, banned):
        """Whether other columns may tell it now than when it was last searched."""
        if target not in self._tried:
            return True
        then, tried = self._tried[target]
        return not then <= banned or bool(banned & tried.parents)

    def _alike(self, banned):
        """Columns that the same ones may tell, in the same rows, and those that not."""
        groups: dict = {}
        for target, own in banned.items():
            known = ~np.isnan(self._sample[target])
            key = frozenset(own - {target}), known.tobytes()
            groups.setdefault(key, []).append(target)
        return [(others, alike) for (others, _), alike in groups.items()]

    def _search(self, targets, banned):
        """What bill each of some columns is, in all rows or those that have more."""
        found = dict.fromkeys(targets, _Found())
        known = ~np.isnan(self._sample[targets[0]])
        for rows in rows_to_tell(self._sample, known, banned):
            still = [target for target in targets if found[target].bill is None]
            if still:
                found |= self._search_in(rows, still, banned)
        return found

    def _search_in(self, known, targets, banned):
        """The same, in some rows."""
        none = dict.fromkeys(targets, _Found())
        if known.sum() < _MIN_ROWS:
            return none
        columns = self._of_most_values(known, banned)
        if len(columns) < 3:
            return none
        names = [*columns]
        has_all = ~np.isnan([self._sample[name][known] for name in names]).any(axis=0)
        if has_all.sum() < _MIN_ROWS:
            return none
        x = np.column_stack([columns[name][has_all] for name in names])
        x = x[_first_rows(x)]
        of_names = [names.index(t) for t in targets if t in names]
        found = strongest_products(x, of_names)
        return none | {
            names[j]: self._first(names[j], products, names, banned, known)
            for j, products in found.items()
        }

    def _of_most_values(self, known, banned):
        """Columns of some rows that take most values: amounts rather than flags."""
        columns, n_values = {}, {}
        for name, at_most in self._n_values.items():
            if len(n_values) >= _MAX_COLUMNS:
                if at_most < sorted(n_values.values())[-_MAX_COLUMNS]:
                    break
            if name not in banned:
                own = as_teller(self._sample[name][known], logarithms=False)
                if own is not None:
                    columns[name], n_values[name] = own, len(np.unique(own))
        names = [name for name in self._sample if name in columns]
        most = sorted(names, key=lambda name: -n_values[name])[:_MAX_COLUMNS]
        return {name: columns[name] for name in names if name in {*most}}

    def _first(self, target, candidates, names, banned, rows):
        """The first of some products that tell a column with others, exactly."""
        for products in candidates:
            if products.left <= _MAX_LEFT:
                pairs = [(names[i], names[j]) for i, j in sorted(products.pairs)]
                found = self._learnt(target, pairs, names, {*banned, target}, rows)
                if found.bill is not None:
                    return found
        return _Found()

    def _learnt(self, target, pairs, names, banned, rows):
        """The bill of some products, if it tells nearly all of some rows."""
        pairs = {" * ".join(pair): pair for pair in pairs}
        if not pairs.keys().isdisjoint(self._numbers):
            return _Found()  # a column has that name

        def with_products(numbers):
            return numbers | {n: numbers[a] * numbers[b] for n, (a, b) in pairs.items()}

        ruler, sample = self._rulers[target], with_products(self._sample)
        scale = Scale.of(target, ruler, sample, banned, logarithms=False, rows=rows)
        if not pairs.keys() <= scale.parents.keys():
            return _Found()
        tried = _together(scale, list(pairs), [n for n in names if n != target])
        if not tried.is_exact or not pairs.keys() <= tried.parents:
            return _Found()
        fit = settle(tried.fit, with_products(self._numbers), ruler)
        is_listed = len(np.unique(scale.own)) <= MAX_LISTED
        if is_listed and not tried._replace(fit=fit).is_whole:
            return _Found()
        terms = fit.terms
        factors = tuple(terms.pop(name) for name in pairs)
        bill = Bill(
            target,
            tuple(pairs.values()),
            factors,
            tuple(terms),
            tuple(terms.values()),
            fit.constant,
        )
        if fit.about or not self._holds(bill):
            return _Found()
        is_in_all = rows.sum() == (~np.isnan(self._sample[target])).sum()
        return _Found(bill, tried.bits, bool(is_in_all))

    def _holds(self, bill):
        """Whether few rows break it, see `best`."""
        numbers = self._numbers
        missed, known = misses(bill, numbers, self._rulers[bill.target])
        if known.sum() < MIN_TOLD * (~np.isnan(numbers[bill.target])).sum():
            return False
        products = [numbers[one] * numbers[other] for one, other in bill.products]
        for own in (numbers[bill.target], *products):
            rows = known & is_rarer(own)
            if (missed & rows).sum() > MAX_BROKEN * rows.sum():
                return False
            if self._evidence.n_of(rows) < self._enough:
                return False
        return True


class _Found(NamedTuple):
    """A bill, the bits that it saves a row, and whether it tells all rows."""

    bill: Bill | None = None
    bits: float = 0.0
    is_in_all: bool = True

    @property
    def parents(self):
        return set() if self.bill is None else set(self.bill.parents)

    @property
    def rank(self):
        """What is told first, in a tuple that sorts."""
        if self.bill is None:
            return True, False, 0, 0.0
        terms = self.bill.factors + self.bill.coefficients
        return False, not self.is_in_all, sum(c < 0 for c in terms), -self.bits


def _first_rows(x):
    """Some rows, and of each column some that have not its commonest value.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)

    Returns
    -------
    ndarray of int64, increasing
    """
    rows = evenly(np.arange(len(x)), _FIRST)
    more = []
    for column in x.T:
        rarer = is_rarer(column)
        if rarer[rows].sum() < _RARER:
            more.append(evenly(np.flatnonzero(rarer), _RARER))
    return np.unique(np.concatenate([rows, *more]))


def _together(scale, products, names):
    """The sum of some products and the few columns that tell what these leave.

    Parameters
    ----------
    scale : Scale
        Of the column, products being among its parents.
    products, names : list of str
        The products, and columns that may be added.

    Returns
    -------
    Tried
    """
    y, rounding = scale.y, tolerance(scale.own, scale.ruler).mean()
    names = [name for name in names if name in scale.parents]
    design, n = scale.matrix([*products, *names]), len(products)
    few = _first_rows(design)
    before, after = (
        np.median(np.abs(left_of(design[few, first:], y[few]))) for first in (n, 0)
    )
    if after > max(rounding, _MAX_MIDDLE * before):
        return Tried()
    factors, _, _ = least_absolute(design[few], y[few])
    left, chosen = y - design[:, :n] @ factors[:n], []
    if names and spread_of(left) > rounding:
        chosen = select({name: scale.parents[name] for name in names}, left)[0]
    x = scale.matrix([*products, *chosen])
    coefficients, _, left = least_absolute(x, y)
    moves = np.abs(coefficients) * np.ptp(x, axis=0) > rounding
    if not moves[:n].all():
        return Tried()
    if not moves.all():
        chosen = [name for name, is_it in zip(chosen, moves[n:], strict=True) if is_it]
        coefficients, _, left = least_absolute(scale.matrix([*products, *chosen]), y)
    return scale.of_columns([*products, *chosen], coefficients, spread_of(left))


class Products(NamedTuple):
    """One or two products, and the share that they leave of a column.

    pairs : of columns, by their positions. left : of the squares, from 0.
    """

    pairs: tuple[tuple[int, int], ...]
    left: float


def strongest_products(x, targets):
    """The product, and the two products, that tell most of what others leave.

    What a sum of all the other columns leaves of it is compared with what such a sum
    leaves of each product: in a column that is a sum with products in it, these are all
    that is left. One decomposition serves all columns. A column is what the others say
    and a rest, which stands right on the others: what they and the column leave of a
    product, and what the product has of the rest, are what the others leave of it.

    Parameters
    ----------
    x : ndarray of float64, shape (n, p)
        Columns, n well above p.
    targets : sequence of int
        Positions of those that may be told.

    Returns
    -------
    dict of int to list of Products
        Of each column that the others do not tell in a sum: of one product, then of
        two. The second one is sought to each of a few that tell most alone.
    """
    x = x - x.mean(axis=0)
    x = x / np.maximum(x.std(axis=0), 1e-300)
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    kept = s > _NOTHING * s[0]
    u, s, vt = u[:, kept], s[kept], vt[kept]
    first, second = np.triu_indices(x.shape[1], 1)
    z = x[:, first] * x[:, second]
    z -= z.mean(axis=0)
    least = _NOTHING * (z * z).sum(axis=0) + 1e-300
    of_others = z - u @ (u.T @ z)
    size = (of_others * of_others).sum(axis=0)
    found = {}
    for target in targets:
        if (vt[:, target] ** 2).sum() < 1 - 1e-6:
            continue  # a sum of the others, as several directions make it up
        rest = u @ (vt[:, target] / s)
        told = (rest / np.linalg.norm(rest)) @ z
        total = size + told**2
        is_open = (first != target) & (second != target) & (total > least)
        if not is_open.any():
            continue
        at = np.flatnonzero(is_open)
        total, told, own = total[at], told[at], of_others[:, at]
        alone = told / np.sqrt(total)
        order = np.argsort(-(alone**2), kind="stable")[:_MAX_FIRST]
        alike = own[:, order].T @ own + np.outer(told[order], told)
        alike /= np.sqrt(np.outer(total[order], total))
        apart = 1 - alike**2
        both = alone[order, None] ** 2 + alone**2
        both -= 2 * alike * np.outer(alone[order], alone)
        both = np.where(apart > 1e-6, both / np.maximum(apart, 1e-6), 0.0)
        i, j = np.unravel_index(both.argmax(), both.shape)

        def pair(c, at=at):
            return int(first[at[c]]), int(second[at[c]])

        one, two = (pair(order[0]),), (pair(order[i]), pair(j))
        found[target] = [
            Products(one, max(0.0, float(1 - alone[order[0]] ** 2))),
            Products(two, max(0.0, float(1 - both[i, j]))),
        ]
    return found
