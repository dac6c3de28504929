"""How one column is drawn: from a tree, or from what others leave of it.

A column that often has the value of another, or its own of the row before, is tied to
it: what is paid back of what was lent, the years of school of a grown-up. So is one
that often is all that others leave of a sum, as the only reason of a delay.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.plain.structured.leaves.along import Along
from coclust_synth.generators.plain.structured.leaves.inside import Inside
from coclust_synth.generators.plain.structured.targets.residuals import LOG_DIGITS
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.generators.plain.trees.mostly import MostlyTold
from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.grains import Grains
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Fit, Function, Relation
from coclust_synth.tables.rules.compared.numbers import equal_pairs, up_to
from coclust_synth.tables.rules.fitting.rounding import SINGLE, tolerance

# Columns are equal in so many times the rows that chance would have.
_MIN_RATIO = 10
#: Logarithms of residuals are off by so much.
OFF_BY_LOGARITHMS = 10.0**-LOG_DIGITS
# Of a step: what is so near to a half of it is rounded either way.
_NEAR_HALF = 1e-3


@dataclass(frozen=True, eq=False)
class Drawn:
    """How one column is drawn.

    Attributes
    ----------
    column : int
        Its position.
    tree : ColumnTree
        Over the codes of its parts, or of what a fit leaves; the cluster of the
        individual is the column after the last one.
    fit : Relation or None
        That tells the column from others.
    residuals : AtomParts or None
        What the fit leaves.
    fill : float
        What the fit is taken to say where it says nothing.
    equals : str, Fit or None
        A column drawn before, of which this one has the value where its code is one
        more than there are parts, or residuals; or a sum of such columns.
    tied : (float, float) or None
        From where to where `equals` is then, of numbers. None of other columns, and of
        models that were saved before: from the lowest to the highest end of the column.
    expected : ColumnTree or None
        Over what does not change from row to row, and without ties: rows get this
        distribution, see `balance`. None of rows that are no later ones of a person.
    parts : tuple of (int, ColumnTree), default=()
        Of dates: which of the date features are drawn before it, and how.
    is_unbound : bool, default=False
        Whether a fit says what no row has of k rows that have none: it is missing where
        it would be so, and keeps no other column from it.
    calendar : Calendar or None
        Of dates that a fit is about: on which they fall more often, or less, than what
        it leaves of them alone would have them, see `calendar_beside`.
    grains : Grains or None
        Of numbers that a fit is about: how round they are.
    along : Along or None
        Which rows of a leaf get its higher codes, of rows of persons after the first.
    inside : Inside or None
        Which rows of a leaf get its higher numbers, of all other rows.
    seasons : tuple of float, default=()
        Weights of the months of dates of next rows of persons, see `learn_seasons`.
    told : tuple of MostlyTold, default=()
        Of categories what tells them where their code is one more than there are: first
        `equals`, then others where that says nothing. None where they are those of
        `equals`, of the row before.
    """

    column: int
    tree: ColumnTree
    fit: Relation | None = None
    residuals: AtomParts | None = None
    fill: float = 0.0
    equals: str | Fit | None = None
    tied: tuple[float, float] | None = None
    expected: ColumnTree | None = None
    parts: tuple[tuple[int, ColumnTree], ...] = ()
    is_unbound: bool = False
    calendar: Calendar | None = None
    grains: Grains | None = None
    along: Along | None = None
    inside: Inside | None = None
    seasons: tuple[float, ...] = ()
    told: tuple[MostlyTold, ...] = ()

    def parts_of(self, parts):
        """What is drawn: residuals, or `parts`, those of the column."""
        return parts if self.residuals is None else self.residuals

    def base(self, numbers):
        """What the fit says of each row, given the numbers drawn; None without one."""
        if self.fit is None:
            return None
        base = self.fit.predict(numbers)
        return np.where(np.isnan(base), self.fill, base)

    def with_base(self, base, residuals, parts, scale):
        """Values of the column: what the fit says, and what it leaves."""
        if self.fit.draws_factor:
            values = scale.nearest(self.fit.times(base, residuals))
            return _between_ends(values, parts) if self.fit.about else values
        if not self.fit.logarithms:
            values = scale.ruler.snap(scale.nearest(base) + residuals)
            if isinstance(self.fit, Function):
                off = SINGLE * np.abs(values)
                if self.fit.constant:  # Of few digits, it is off by more.
                    off = tolerance(values, ContinuousRuler())
                return _as_written(values, parts, off)
            is_exact = not self.fit.about
            if is_exact and isinstance(parts.ruler, ContinuousRuler):
                # Coefficients have few digits: a mean that was taken off has more.
                return _as_written(values, parts, tolerance(values, parts.ruler))
            if is_exact:
                off = base * scale.per_day + residuals - values
                return _as_rounded(values, off, parts)
            return values
        values = scale.nearest(np.exp(base + residuals))
        if self.fit.about:
            values = _as_written(values, parts, OFF_BY_LOGARITHMS * np.abs(values))
            return _between_ends(values, parts)
        if isinstance(parts.ruler, ContinuousRuler):
            return _as_written(values, parts, SINGLE * np.abs(values))
        return values


def _between_ends(values, parts):
    """Values that are not beyond those of the column."""
    return np.clip(values, parts.lows.min(), parts.highs.max())


def _as_written(values, parts, off):
    """Values that others tell, as many share them where these are `off` at most."""
    heaps = parts.lows[parts.lows == parts.highs]
    if not len(heaps):
        return values
    after = np.searchsorted(heaps, values).clip(1, max(len(heaps) - 1, 1))
    sides = heaps[after - 1], heaps[np.minimum(after, len(heaps) - 1)]
    near = np.where(values - sides[0] < sides[1] - values, *sides)
    return np.where(np.abs(values - near) <= off, near, values)


def _as_rounded(values, off, parts):
    """Values that others tell, of two that are as near the one that many share.

    A mean of two columns lies between two steps, and was rounded either way.
    """
    ruler, heaps = parts.ruler, parts.lows[parts.lows == parts.highs]
    is_half = np.abs(np.abs(off) / ruler.step - 0.5) <= _NEAR_HALF
    others = np.where(off > 0, ruler.above(values), ruler.below(values))
    is_shared = np.isin(others, heaps) & ~np.isin(values, heaps)
    return np.where(is_half & is_shared, others, values)


def numbers_of_tie(equals, numbers, scales, scale):
    """What a column equals where it is tied, as it would have it; nan where nothing.

    Parameters
    ----------
    equals : str or Fit
        A column of numbers, or a sum.
    numbers : mapping of str to ndarray of float64, shape (n,)
    scales : mapping of str to NumberScale
    scale : NumberScale
        Of the column.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    if isinstance(equals, str):
        return up_to(numbers[equals], scales[equals], scale)
    said = equals.predict(numbers)
    return scale.to_numbers(scale.nearest(np.nan_to_num(said)), np.isnan(said))


def find_tie(name, rules, evidence, drawn, k):
    """What one column often equals of those drawn before it, and in which rows.

    Parameters
    ----------
    name : str
    rules : Rules
        Only columns of which one is at most the other are compared, and what is left of
        an exact sum, for one that is told later, where the others of it are 0.
    evidence : Evidence
    drawn : set of str
    k : int
        Rows in which they are equal, at least, besides those of one value.

    Returns
    -------
    equals : str, Fit or None
    ties : ndarray of bool, shape (n,), or None
    """
    most, found, x = k - 1, (None, None), evidence.numbers[name]
    numbers, scales = evidence.numbers, evidence.scales
    for equals in [*_beside(name, rules, drawn), *_left(name, rules, drawn)]:
        y = numbers_of_tie(equals, numbers, scales, scales[name])
        if isinstance(equals, Fit):
            y = np.where(y == 0, np.nan, y)  # Where nothing is left, nothing is drawn.
        ties = x == y
        known = ~np.isnan(x) & ~np.isnan(y)
        by_chance = equal_pairs(x[known], y[known]) / max(known.sum(), 1)
        # What is equal at one value only, such as 0, that value explains.
        n_ties = ties.sum() - np.unique(x[ties], return_counts=True)[1].max(initial=0)
        if n_ties > max(most, _MIN_RATIO * by_chance):
            most, found = n_ties, (equals, ties)
    return found


def _beside(name, rules, drawn):
    """Columns that are drawn, and that one is at most, or at least."""
    for order in rules.orders:
        if name in order.columns:
            yield from {*order.columns} & drawn - {name}


def _left(name, rules, drawn):
    """What exact sums would have a column be for all of them that is not drawn to be 0.

    Of sums whose columns are drawn but for this one, what they tell and others.
    """
    for fit in rules.fits.values():
        is_sum = isinstance(fit, Fit) and not (fit.logarithms or fit.about)
        terms = fit.terms if is_sum and fit.target not in drawn else {}
        own = terms.pop(name, None)
        terms = {n: c for n, c in terms.items() if n in drawn}
        if own is not None and terms:
            factors = tuple(-c / own for c in terms.values())
            yield Fit(name, (*terms,), factors, -fit.constant / own)
