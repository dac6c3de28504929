"""How one column is drawn: from a tree, or from what others leave of it.

A column that often has the value of another, or its own of the row before, is tied to
it: what is paid back of what was lent, the years of school of a grown-up.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.plain.structured.leaves.along import Along
from coclust_synth.generators.plain.trees.trees import ColumnTree
from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.grains import Grains
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Function, Relation
from coclust_synth.tables.rules.compared.numbers import equal_pairs, up_to
from coclust_synth.tables.rules.fitting.rounding import SINGLE, tolerance

# Columns are equal in so many times the rows that chance would have.
_MIN_RATIO = 10
# What is left of a logarithm is told to six digits.
_OFF_BY_LOGARITHMS = 1e-6
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
    equals : str or None
        A column drawn before, of which this one has the value where its code is one
        more than there are parts, or residuals.
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
    """

    column: int
    tree: ColumnTree
    fit: Relation | None = None
    residuals: AtomParts | None = None
    fill: float = 0.0
    equals: str | None = None
    tied: tuple[float, float] | None = None
    expected: ColumnTree | None = None
    parts: tuple[tuple[int, ColumnTree], ...] = ()
    is_unbound: bool = False
    calendar: Calendar | None = None
    grains: Grains | None = None
    along: Along | None = None

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
            return scale.nearest(base * residuals)
        if not self.fit.logarithms:
            values = scale.ruler.snap(scale.nearest(base) + residuals)
            if isinstance(self.fit, Function):
                return _as_written(values, parts, SINGLE * np.abs(values))
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
            values = _as_written(values, parts, _OFF_BY_LOGARITHMS * np.abs(values))
            return np.clip(values, parts.lows.min(), parts.highs.max())
        if isinstance(parts.ruler, ContinuousRuler):
            return _as_written(values, parts, SINGLE * np.abs(values))
        return values


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


def find_tie(name, orders, evidence, drawn, k):
    """The column drawn before that one often equals, and in which rows.

    Parameters
    ----------
    name : str
    orders : sequence of Order
        Only columns of which one is at most the other are compared.
    evidence : Evidence
    drawn : set of str
    k : int
        Rows in which they are equal, at least, besides those of one value.

    Returns
    -------
    other : str or None
    ties : ndarray of bool, shape (n,), or None
    """
    most, found = k - 1, (None, None)
    for order in orders:
        if name not in (order.low, order.high):
            continue
        other = order.high if name == order.low else order.low
        if other not in drawn:
            continue
        y, x = evidence.numbers[other], evidence.numbers[name]
        if other == order.low:
            y = up_to(y, evidence.scales[other], evidence.scales[name])
        ties = x == y
        known = ~np.isnan(x) & ~np.isnan(y)
        by_chance = equal_pairs(x[known], y[known]) / max(known.sum(), 1)
        # What is equal at one value only, such as 0, that value explains.
        n_ties = ties.sum() - np.unique(x[ties], return_counts=True)[1].max(initial=0)
        if n_ties > max(most, _MIN_RATIO * by_chance):
            most, found = n_ties, (other, ties)
    return found
