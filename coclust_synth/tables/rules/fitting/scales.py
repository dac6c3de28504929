"""A column that others may tell, and the sums or products of them that do."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from coclust_synth.tables.draws.rulers import ContinuousRuler, Ruler
from coclust_synth.tables.parts.atoms import learn_atoms
from coclust_synth.tables.relations import Fit
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.fitting.digits import FACTOR_DIGITS, settle
from coclust_synth.tables.rules.fitting.regressions import (
    DIGITS,
    MAX_PARENTS,
    MAX_SPREAD,
    all_at_once,
    leave_little,
    more_at_once,
    select,
    spread_of,
    whole,
    without_idle,
)
from coclust_synth.tables.rules.fitting.rounding import (
    MAX_UNUSABLE,
    half_step,
    per_day,
    same_zeros,
    tolerance,
)
from coclust_synth.tables.rules.fitting.tellers import Tellers

#: Rows of a column that others nearly tell, at least.
MIN_ROWS = 200
# Of these an exact fit needs fewer: each row of them is told as well.
_MIN_EXACT_ROWS = 50
# Sums of a column are looked for without those that tell it best so often.
_MAX_TRIED = 8
# A column of no more values reads as a list: exact sums with whole coefficients alone
# tell more of it than its shares do.
MAX_LISTED = 20
# Bits that a fit saves a row, at least.
MIN_BITS = 1.0
# Terms that add up to nothing are taken off sums of so many, so many at a time.
_MAX_TERMS, _MAX_IDLE = 12, 4
# e to the power of more, or of less than its negative, is no number that can be told.
_MAX_LOGARITHM = 700
# Share of the rows that a column tells which is all that is left.
_ALL = 0.999
# Of a product that so many rows are to the last digit the others are slips.
MOSTLY = 0.5
# What others tell may be told in so many of the rows that have it, at least, those that
# lack none of some columns; columns that the same rows lack, so many times at most.
MIN_TOLD, _MAX_LACKS = 0.5, 4


class Tried(NamedTuple):
    """A fit, whether it is exact, and the bits that it saves a row."""

    is_exact: bool = False
    bits: float = 0.0
    fit: Fit | None = None

    @property
    def parents(self):
        return set() if self.fit is None else set(self.fit.parents)

    @property
    def is_whole(self):
        """Whether it is an exact sum of whole multiples."""
        return self.is_exact and self.is_nearly_whole

    @property
    def is_nearly_whole(self):
        """Whether it is a sum of whole multiples, but for slips of some rows."""
        if self.fit is None or self.fit.logarithms:
            return False
        told = (*self.fit.coefficients, self.fit.constant)
        return all(number.is_integer() for number in told)

    @property
    def is_mean(self):
        """Whether it is an exact mean of columns, some perhaps with another sign."""
        if not self.is_exact or self.fit.logarithms or len(self.fit.parents) < 2:
            return False
        share = 1 / len(self.fit.parents)
        return all(abs(c) == share for c in self.fit.coefficients)


def best_of(tried):
    """The fit of a column that is worth most; of exact sums, whole ones come first.

    Net and gross tell each other but for rounding, which their difference has not.
    """
    return max(tried, key=lambda one: (one.is_whole, worth(one)), default=Tried())


def worth(tried):
    """Exact fits before others, and of these sums before products."""
    is_sum = tried.is_exact and not tried.fit.logarithms
    return tried.is_exact, is_sum, tried.bits


class Scale(NamedTuple):
    """A column that may be told, and those that may tell it, perhaps in logarithms.

    target : name. ruler : its own. own, y : (n,) its values, and these or their
    logarithms. parents : columns by name, as y is. sample : all rows.
    """

    target: str
    ruler: Ruler
    own: np.ndarray
    y: np.ndarray
    parents: dict
    sample: dict
    logarithms: bool

    @classmethod
    def of(cls, target, ruler, sample, banned, *, logarithms, rows=True, tellers=None):
        """Those of some rows that have the target; of logarithms, above 0."""
        own = sample[target]
        known = ~np.isnan(own) & rows
        if logarithms:
            if (own[known] < 0).mean() > MAX_UNUSABLE:
                known[:] = False
            known &= own > 0
        own = own[known]
        if len(own) < _MIN_EXACT_ROWS:
            return cls(target, ruler, own, own, {}, sample, logarithms)
        y = np.log(own) if logarithms else own
        if spread_of(y) == 0:
            return cls(target, ruler, own, y, {}, sample, logarithms)
        tellers = Tellers(sample) if tellers is None else tellers
        parents = tellers.going_with(y, known, banned, logarithms=logarithms)
        return cls(target, ruler, own, y, parents, sample, logarithms)

    def matrix(self, names):
        """Columns side by side, (n, p)."""
        return np.column_stack([self.parents[name] for name in names])

    def tried(self, names, coefficients, constant):
        """The fit of some columns, if it is worth its while."""
        y, parents, own = self.y, self.parents, self.own
        terms = zip(names, coefficients, strict=True)
        left = y - constant - sum(c * parents[p] for p, c in terms)
        if self.logarithms and abs(constant) > _MAX_LOGARITHM:
            return Tried()
        own_bits = bits_of(own, self.ruler)
        if self.logarithms:
            saved = own_bits - bits_of(left, ContinuousRuler(), own / _step(self.ruler))
            of_exact = saved
            if all(map(float.is_integer, map(float, coefficients))):
                more = own - np.exp(y - left)
                is_right = np.abs(more) <= tolerance(own, self.ruler)
                if is_right.mean() < MOSTLY:
                    # What is rounded is a few steps off, by as many ratios as rows.
                    saved = max(saved, own_bits - bits_of(more, self.ruler))
                # Nothing is left but rounding, however few the values.
                more = np.where(is_right, 0.0, more)
                of_exact = max(saved, own_bits - bits_of(more, self.ruler))
            constant = float(f"{np.exp(constant):.{FACTOR_DIGITS}g}")
        else:
            saved = of_exact = own_bits - bits_of(left, self.ruler)
        if of_exact < MIN_BITS:
            return Tried()
        names, coefficients = tuple(names), tuple(map(float, coefficients))
        fit = Fit(self.target, names, coefficients, constant, self.logarithms)
        if self.logarithms and not same_zeros(fit, self.sample):
            return Tried()
        settled = settle(fit, self.sample, self.ruler)
        if not settled.about:
            return Tried(True, of_exact, settled)
        if saved < MIN_BITS or len(own) < MIN_ROWS:
            return Tried()
        return Tried(False, saved, fit)

    def is_told(self):
        """Whether all columns together leave next to nothing."""
        return bool(self.parents) and self._leave_little(self.parents)

    def _leave_little(self, parents, at_most=np.inf):
        """See `leave_little`, of some columns."""
        return leave_little([*parents.values()], self.y, at_most)

    def one_by_one(self):
        """The fit of columns that each tell much; an exact, whole one if it can be.

        What is told of a sum tells its terms nearly: the tax of a price and a fee, the
        fee. A column may stand there in another unit too, rounded: sums with that are
        but nearly right.
        """
        tried = (each for each, _ in self.one_after_another())
        best = next(tried, Tried())
        if self.logarithms or best.is_whole:
            return best
        others = (t for t in tried if t.is_whole or t.is_exact > best.is_exact)
        return best_of([best, *others])

    def one_after_another(self):
        """The fit of columns that each tell much; that without the strongest of these;
        and so on, as long as those that are left leave no more than rounding.

        Yields
        ------
        tried : Tried
        parents : dict
            It is of some of them.
        """
        parents = dict(self.parents)
        for _ in range(_MAX_TRIED):
            if not parents:
                return
            names, coefficients, _, left = select(parents, self.y)
            if not names:
                return
            spread = left * spread_of(self.y)
            # Of a column of few steps what is rounded is more than that.
            of_steps = not self.logarithms and spread <= half_step(self.ruler)
            near = left < MAX_SPREAD or of_steps
            tried = self.of_columns(names, coefficients, spread) if near else Tried()
            yield tried, dict(parents)
            rounding = tolerance(self.own, self.ruler).mean()
            if not self._leave_little(parents, rounding):
                return
            terms = coefficients * [spread_of(parents[name]) for name in names]
            del parents[names[np.abs(terms).argmax()]]

    def together(self, parents):
        """The fit of a few columns, of all but those that move it next to nothing."""
        columns, coefficients, spread = without_idle(self.matrix(parents), self.y)
        if not 1 <= len(columns) <= MAX_PARENTS:
            return Tried()
        return self.of_columns([[*parents][i] for i in columns], coefficients, spread)

    def of_columns(self, names, coefficients, spread):
        """The fit of some columns, its coefficients whole if they can be.

        Perhaps with one more that is all that whole ones leave, the tax of a price.

        Parameters
        ----------
        names : list of str
        coefficients : ndarray of float64, shape (p,)
            That fit about as well as any.
        spread : float
            Of what these leave.

        Returns
        -------
        Tried
        """
        x = self.matrix(names)
        told, constant = whole(x, self.y, coefficients, spread, self.logarithms)
        if self.logarithms:
            return self.tried(names, told, constant)
        more = self._that_is_left(names, told) if constant == 0 else []
        tried = self.tried(*_with(names, told, more), constant)
        nearest = np.round(coefficients)
        if tried.is_whole or not nearest.all():
            return tried
        more = self._that_is_left(names, nearest)
        of_whole = self.tried(*_with(names, nearest, more), 0.0)
        return of_whole if of_whole.is_whole else tried

    def in_any_way(self):
        """The fit of a few columns, or the exact one of any number of them."""
        return best_of((self.one_by_one(), self.all_at_once(()), self.more_at_once(())))

    def all_at_once(self, exactly):
        """The fit of any number of columns, but those that are told so.

        It is exact, or of whole multiples but for slips, which more rows have.
        """
        return self._at_once(all_at_once, exactly)

    def more_at_once(self, exactly):
        """The same by several shares, and where columns are sums of each other."""
        return self._at_once(more_at_once, exactly)

    def _at_once(self, yield_coefficients, exactly):
        names = [p for p in self.parents if (p, self.logarithms) not in exactly]
        near = Tried()
        if len(names) < 2:
            return near
        for coefficients in yield_coefficients(self.matrix(names), self.y):
            tried = self._of_all(names, coefficients)
            if tried.is_exact:
                return tried
            if self.logarithms:
                break
            if tried.is_nearly_whole:
                near = best_of([near, tried])
        return near

    def _of_all(self, names, coefficients):
        """The fit of those of some columns that have a coefficient."""
        is_in = coefficients != 0
        if not is_in.any():
            return Tried()
        constant = np.median(self.y - self.matrix(names) @ coefficients)
        if not self.logarithms:
            digits = float(f"{constant:.{DIGITS}g}")
            rounding = tolerance(self.own, self.ruler)
            constant = digits if np.abs(constant) > rounding.min() else 0.0
        names = [name for name, is_it in zip(names, is_in, strict=True) if is_it]
        coefficients = coefficients[is_in]
        if not self.logarithms and len(names) <= _MAX_TERMS:
            names, coefficients = self._without_nothing(names, coefficients)
        return self.tried(names, coefficients, constant)

    def _without_nothing(self, names, coefficients):
        """Without columns of which what is told adds up to nothing.

        Votes of one less those of another, and a lead, less how far it leads.
        """
        rounding = tolerance(self.own, self.ruler)
        terms = self.matrix(names) * coefficients
        kept = [*range(len(names))]
        # Fees of few rows are nothing in nearly all: each is kept.
        often = [i for i in kept if (np.abs(terms[:, i]) <= rounding).mean() < _ALL]
        for n in range(min(len(names) - 1, _MAX_IDLE), 1, -1):
            for idle in combinations(often, n):
                if set(idle) < set(kept):
                    added = np.abs(terms[:, idle].sum(axis=1))
                    if (added <= rounding).mean() >= _ALL:
                        kept = [i for i in kept if i not in idle]
        return [names[i] for i in kept], coefficients[kept]

    def _that_is_left(self, names, coefficients):
        """The sign and name of a column that is all that is left: fees of few loans."""
        terms = zip(names, coefficients, strict=True)
        residuals = self.y - sum(c * self.parents[p] for p, c in terms)
        rounding = tolerance(self.own, self.ruler)
        if (np.abs(residuals) <= rounding).mean() >= _ALL:
            return []
        for name, x in self.parents.items():
            for sign in (1.0, -1.0):
                told = np.abs(residuals - sign * x) <= rounding
                if name not in names and told.mean() >= _ALL:
                    return [(sign, name)]
        return []


def _with(names, coefficients, more):
    """Columns and their coefficients, and more of them."""
    signs, others = [sign for sign, _ in more], [name for _, name in more]
    return [*names, *others], [*coefficients, *signs]


def rows_to_tell(sample, known, banned):
    """Rows in which others may tell a column: all that have it, then those with more.

    Of a pension of widows no points are known, which tell those of others.

    Parameters
    ----------
    sample : mapping of str to ndarray of float64, shape (n,)
    known : ndarray of bool, shape (n,)
        Rows that have the column.
    banned : collection of str
        Columns that may not tell it.

    Yields
    ------
    ndarray of bool, shape (n,)
        After the first: half of these, or more. Those that have all columns that are so
        often known; those that have the columns which the same rows lack.
    """
    yield known
    n, found = known.sum(), {}
    for name, x in sample.items():
        own = known & ~np.isnan(x)
        if name not in banned and MIN_TOLD * n <= own.sum() < (1 - MAX_UNUSABLE) * n:
            found[own.tobytes()] = own
    if not found:
        return
    largest = sorted(found.values(), key=np.sum, reverse=True)[:_MAX_LACKS]
    of_all = np.all([*found.values()], axis=0)
    if MIN_TOLD * n <= of_all.sum() and of_all.tobytes() not in found:
        yield of_all
    yield from largest


def bits_of(values, ruler: Ruler, steps_a_unit=None):
    """Bits that telling a value takes: its atom, and its place on the ruler in it.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        None missing; dates in days.
    ruler : Ruler
    steps_a_unit : ndarray of float64, shape (n,), optional
        Of each value; by default one over the step of the ruler.

    Returns
    -------
    float
    """
    if ruler.dtype is np.int64:
        values = np.round(values * per_day(ruler)).astype(np.int64)
    values, known = ruler.snap(values), np.zeros(len(values), dtype=bool)
    atoms = learn_atoms(count_values(values, known), None, ruler)
    codes = atoms.encode(values, known)
    share = np.bincount(codes, minlength=atoms.n_parts) / len(values)
    width = (atoms.highs - atoms.lows).astype(np.float64)[codes]
    steps = width / _step(ruler) if steps_a_unit is None else width * steps_a_unit
    return float(np.mean(np.log2(np.maximum(1.0, steps)) - np.log2(share[codes])))


def _step(ruler):
    return getattr(ruler, "step", None) or 1e-4
