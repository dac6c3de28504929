"""Days after a date that tell another date, drawn so that this is on its calendar.

What is sent two days after a Friday does not arrive on a Sunday: the days are drawn,
and are three.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.drawn_dates import (
    calendar_left,
    left_on_calendar,
)
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.generators.plain.trees.column_tree import ColumnTree
from coclust_synth.tables.column import Column
from coclust_synth.tables.draws.rulers import SteppedRuler
from coclust_synth.tables.laws.calendars import Calendar
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.relations import DayOf, Fit, Relation
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.schema import Schema

_DAY = SteppedRuler(1, unit="D")
_DAYS = NumberScale(Column(name="day", kind="datetime", unit="D"), _DAY)


@dataclass(frozen=True, eq=False)
class DaysToDate:
    """A column of days that tells a date, after one that was drawn.

    Parameters
    ----------
    date : str
        That it tells.
    days : AtomParts
        Of the column.
    first : ndarray of int64, shape (n,)
        The date of each row after no days.
    known : ndarray of bool, shape (n,)
        Rows that have the date from which they count.
    """

    date: str
    days: AtomParts
    first: NDArray[np.int64]
    known: NDArray[np.bool_]

    @classmethod
    def find(
        cls,
        name: str,
        days: AtomParts,
        fits: Mapping[str, Relation],
        schema: Schema,
        numbers: Mapping[str, NDArray[np.float64]],
    ) -> Self | None:
        """The date that days tell, None where they tell none.

        Parameters
        ----------
        name : str
            Of the days.
        days : AtomParts
        fits : mapping of str to Relation
            By the column that each tells.
        schema : Schema
        numbers : mapping of str to ndarray of float64, shape (n,)
            Of columns that are drawn before.
        """
        fit = _date_told_by(name, fits, schema, numbers)
        if fit is None:
            return None
        (since,) = {*fit.parents} - {name}
        none = np.zeros(len(numbers[since]))
        first = np.floor(fit.predict({since: numbers[since], name: none}))
        known = ~np.isnan(first)
        return cls(fit.target, days, np.where(known, first, 0).astype(np.int64), known)

    def learnt(
        self,
        calendar: Calendar,
        dates: NDArray[np.float64],
        codes: NDArray[np.int32],
        tree: ColumnTree,
        leaf: NDArray[np.int64],
    ) -> Calendar | None:
        """What is left for a calendar to say beside the days of each leaf.

        Parameters
        ----------
        calendar : Calendar
            Of the dates that are told.
        dates : ndarray of float64, shape (n,)
            These, in days; nan where missing.
        codes : ndarray of int32, shape (n,)
            Atoms of the days.
        tree : ColumnTree
            Of the days.
        leaf : ndarray of int64, shape (n,)

        Returns
        -------
        Calendar or None
            None where no row says anything, or nothing is left to say.
        """
        rows = self.known & ~np.isnan(dates) & (codes < len(self.days.lows))
        of_days = Calendar(
            _DAY, calendar.weekdays, calendar.days, feasts=calendar.feasts
        )
        if not rows.any() or _is_flat(of_days):
            return None
        on = np.floor(dates[rows]).astype(np.int64)
        of_leaves = self.days, leaf[rows], tree.leaves
        own = calendar_left(of_days, _DAYS, on, self.first[rows], *of_leaves)
        return None if _is_flat(own) else own

    def allowed(
        self,
        calendar: Calendar,
        leaf: NDArray[np.int64],
        leaves: Leaves,
        rng: np.random.Generator,
    ) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """See `left_on_calendar`; rows without a date may have any days."""
        of_leaves = self.days, leaf, leaves, rng
        first = self.first.astype(np.float64)
        group, allowed = left_on_calendar(calendar, _DAYS, first, *of_leaves)
        return group, allowed | ~self.known[:, None]

    def moved(
        self,
        calendar: Calendar,
        values: NDArray[np.int64],
        codes: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Days of runs, moved inside these."""
        is_run = (codes >= 0) & (codes < len(self.days.lows)) & self.known
        at, values = np.flatnonzero(is_run), values.copy()
        first, own = self.first[at], codes[at]
        low, high = first + self.days.lows[own], first + self.days.highs[own]
        dates = calendar.rounded(first + values[at], low, high, values[:0], rng)
        values[at] = dates - first
        return values


def _date_told_by(name, fits, schema, known):
    """What tells a date by some days after another one, which is known; or None."""
    if schema[name].kind != "integer":
        return None
    for fit in fits.values():
        is_sum = isinstance(fit, Fit) and fit.coefficients == (1.0, 1.0)
        if isinstance(fit, DayOf) or (is_sum and not fit.about):
            (since,) = {*fit.parents} - {name} if name in fit.parents else ("",)
            dates = since, fit.target
            if since in known and {schema[n].kind for n in dates} == {"datetime"}:
                return fit
    return None


def _is_flat(calendar):
    """Whether one day is as likely as another."""
    weights = calendar.weekdays, calendar.days, calendar.feasts
    return all(np.ptp(own) == 0 for own in weights)
