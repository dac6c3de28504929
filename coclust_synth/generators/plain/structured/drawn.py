"""How one column is drawn: from a tree, or from what others leave of it.

A column that often has the value of another, or its own of the row before, is tied to
it: what is paid back of what was lent, the years of school of a grown-up. So is one
that often is all that others leave of a sum, as the only reason of a delay.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.generators.plain.structured.dates.following import calendar_of
from coclust_synth.generators.plain.structured.leaves.along import Along
from coclust_synth.generators.plain.structured.leaves.inside import Inside
from coclust_synth.generators.plain.structured.targets.residuals import LOG_DIGITS
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.generators.plain.trees.mostly import MostlyTold
from coclust_synth.tables.draws.rulers import ContinuousRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.laws.grains import Grains
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import Fit, Function, Relation, relation_from_dict
from coclust_synth.tables.rules.compared.numbers import up_to
from coclust_synth.tables.rules.fitting.rounding import SINGLE, tolerance

#: Logarithms of residuals are off by so much.
OFF_BY_LOGARITHMS = 10.0**-LOG_DIGITS
# What few columns have is saved for these alone.
_IF_ANY = {"expected", "is_unbound", "grains", "along", "inside", "seasons", "told"}
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

    def to_dict(self):
        """JSON compatible form, but for the arrays of trees."""
        equals, is_sum = self.equals, isinstance(self.equals, Fit)
        data = {
            "column": self.column,
            "fit": self.fit and self.fit.to_dict(),
            "residuals": self.residuals and self.residuals.to_dict(),
            "fill": self.fill,
            "equals": equals.to_dict() if is_sum else equals,
            "tied": self.tied,
            "tree": self.tree.shape(),
            "expected": self.expected and self.expected.shape(),
            "parts": [[place, tree.shape()] for place, tree in self.parts],
            "is_unbound": self.is_unbound,
            "calendar": self.calendar and self.calendar.to_dict(),
            "grains": self.grains and self.grains.to_dict(),
            "along": self.along and self.along.to_dict(),
            "inside": self.inside and self.inside.to_dict(),
            "seasons": [*self.seasons],
            "told": [own.to_dict() for own in self.told],
        }
        return {key: own for key, own in data.items() if own or key not in _IF_ANY}

    @classmethod
    def from_dict(cls, data, parts, tree, expected, trees_of_parts):
        """Inverse of `to_dict`, with the trees.

        Parameters
        ----------
        data : dict
        parts : AtomParts or Parts
            Of the column.
        tree : ColumnTree
        expected : ColumnTree or None
        trees_of_parts : sequence of ColumnTree

        Raises
        ------
        ValueError, KeyError, TypeError
            If the pieces do not fit together.
        """
        fit, residuals, equals = data["fit"], data["residuals"], data["equals"]
        fit = fit and relation_from_dict(fit)
        places = [int(place) for place, _ in data.get("parts", ())]
        return cls(
            int(data["column"]),
            tree,
            fit,
            residuals and AtomParts.from_dict(residuals),
            float(data["fill"]),
            # A column, or a sum of others.
            relation_from_dict(equals) if isinstance(equals, dict) else equals,
            None if data.get("tied") is None else tuple(data["tied"]),
            expected,
            tuple(zip(places, trees_of_parts, strict=True)),
            bool(data.get("is_unbound", False)),
            _saved_calendar(data, fit, parts),
            Grains.from_dict(data["grains"]) if "grains" in data else None,
            Along.from_dict(data["along"]) if "along" in data else None,
            Inside.from_dict(data["inside"]) if "inside" in data else None,
            tuple(map(float, data.get("seasons", ()))),
            tuple(map(MostlyTold.from_dict, data.get("told", ()))),
        )

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


def _saved_calendar(data, fit, parts):
    """Of dates that a fit is about; models saved before have that of the column."""
    if "calendar" in data:
        own = data["calendar"]
        return own and Calendar.from_dict(own)
    is_of_dates = fit is not None and fit.about and isinstance(parts, AtomParts)
    return calendar_of(parts) if is_of_dates else None


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
