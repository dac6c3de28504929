"""Atoms of a numeric column: values, and runs of values, that 20 individuals hold.

A value that `MIN_ROWS` individuals or more hold is an atom of its own, a *heap*. The
others are gathered in order into runs of as many. What a saved atom tells is

- of a heap: the value;
- of a run: its two ends, round numbers that part it from its neighbours (see
  `laws.gather_runs`), and where in it the mean of its values is. Values are drawn by a
  power law on the side of the mean, which keeps it. No end is an extreme of the table:
  beyond the last cut values follow the generalized Pareto law that has their first two
  moments, as exceedances of a threshold do (Pickands 1975), up to a round number;
- of a run of a column of few values: these, and how often each is drawn (`spreads`);
- of all runs together: how round their values are (see `grains`), or of dates on which
  days and at what hours they fall (see `calendars`).

Atoms are ordered by their mean, so that a code says more or less of the column. Few
values (fewer than `MIN_ROWS` individuals, beside heaps) join the nearest heap.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.draws.rulers import (
    Ruler,
    SteppedRuler,
    put_on_ruler,
    ruler_from_dict,
)
from coclust_synth.tables.draws.strata import strata
from coclust_synth.tables.laws.calendars import Calendar, units_a_day
from coclust_synth.tables.laws.grains import Grains, learn_grains
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.learnt_calendars import learn_calendar
from coclust_synth.tables.laws.open_runs import TILTS, bounded_shapes, find_runs, pareto
from coclust_synth.tables.parts.rare.rare_numbers import MAX_LISTED
from coclust_synth.tables.parts.spreads import (
    Ends,
    Spread,
    are_steps,
    divide,
    listed_runs,
)
from coclust_synth.tables.rows import ColumnCounts
from coclust_synth.tables.values.numbers import are_near

# Of dates of which many have each, as many weeks in a row are as likely, but for days.
_WEEKS = 4


@dataclass(frozen=True, eq=False)
class AtomParts:
    """The atoms of a numeric column, and one part for missing values.

    Parameters
    ----------
    ruler : Ruler
        Values that the column can take.
    lows, highs : ndarray of shape (m,)
        Ends of each atom, both included; equal for a heap.
    tilts : ndarray of shape (m,), float64
        Where the mean is, as a share of the width of the atom; of a heap .5.
    shapes : ndarray of shape (m,), float64
        Of the law inside, see `pareto`: below .5.
    with_missing : bool
        Whether the last part is that of missing values.
    grains : Grains or Calendar
        How round the values of runs are, or on which days dates fall.
    spreads : mapping of int to Spread
        Of the atoms of few values, how their rows spread over these.
    held : mapping of float to float, default={}
        Of values that the table holds with last digits that the ruler has not (a speed
        of 6.904679999999999), what most hold, `MIN_ROWS` individuals at least.
    calendar : Calendar or None
        On which days all dates fall, where most are heaps and so say little of those of
        runs: of dates that are told from others.
    apart : bool, default=False
        Whether runs are spread over numbers that are no heaps, as those of rows are:
        between 58 and 63 there may be heaps alone. Of persons of few rows a number of
        a run stays less often than that of a heap.
    """

    ruler: Ruler
    lows: np.ndarray
    highs: np.ndarray
    tilts: np.ndarray
    shapes: np.ndarray
    with_missing: bool
    grains: Grains | Calendar
    spreads: Mapping[int, Spread] = field(default_factory=dict)
    held: Mapping[float, float] = field(default_factory=dict)
    calendar: Calendar | None = None
    apart: bool = False

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return len(self.lows) + self.with_missing

    @property
    def means(self) -> np.ndarray:
        """Mean of each atom, (m,) float64."""
        return self.lows + (self.highs - self.lows) * self.tilts

    @property
    def labels(self) -> tuple[str, ...]:
        """A text for each part."""
        texts = [
            f"{low}" if low == high else f"{low} to {high}"
            for low, high in zip(self.lows.tolist(), self.highs.tolist(), strict=True)
        ]
        return (*texts, *["missing"] * self.with_missing)

    def encode(self, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
        """Atom of each value.

        Parameters
        ----------
        values : ndarray of shape (n,), int64 or float64
            A value in no atom belongs to the nearest one.
        missing : ndarray of shape (n,), bool

        Returns
        -------
        ndarray of shape (n,), int32
            -1 for a missing value when missing is no part.

        Raises
        ------
        SchemaError
            If there are values and the column had none when atoms were made.
        """
        codes = np.where(missing, self.n_parts - 1 if self.with_missing else -1, 0)
        codes = codes.astype(np.int32)
        if missing.all():
            return codes
        if not len(self.lows):
            raise SchemaError(
                "Expected missing values only, as when the atoms were made. Received "
                f"{(~missing).sum()} values. Make the atoms again from this table."
            )
        codes[~missing] = self._of_each(values[~missing])
        return codes

    def _of_each(self, values):
        """Atom of each value; of whole numbers in a short range, looked up once."""
        if values.dtype == np.int64:
            first, last = int(values.min()), int(values.max())
            if last - first < len(values):
                return self._nearest(np.arange(first, last + 1))[values - first]
        return self._nearest(values)

    def _nearest(self, values):
        """The heap that a value is, the run that it lies in, or the nearest atom."""
        values = self.ruler.snap(values)
        is_heap = self.lows == self.highs
        order = np.argsort(self.lows, kind="stable")
        heaps, runs = order[is_heap[order]], order[~is_heap[order]]
        found = self._closest(values, order)
        for atoms in (runs, heaps):
            if len(atoms):
                at = np.searchsorted(self.highs[atoms], values)
                own = atoms[np.minimum(at, len(atoms) - 1)]
                inside = (self.lows[own] <= values) & (values <= self.highs[own])
                found = np.where(inside, own, found)
        return found

    def _closest(self, values, order):
        """The atom whose end is nearest to a value in none; of two the lower one.

        `order` is that of the lower ends.
        """
        highest = np.maximum.accumulate(self.highs[order])
        reaches = np.where(self.highs[order] == highest, np.arange(len(order)), 0)
        after = np.searchsorted(self.lows[order], values, side="right")
        left = order[np.maximum.accumulate(reaches)[np.maximum(after - 1, 0)]]
        right = order[np.minimum(after, len(order) - 1)]
        nearer = np.abs(self.lows[right] - values) < np.abs(values - self.highs[left])
        return np.where((after == 0) | (nearer & (after < len(order))), right, left)

    def draw(
        self, codes: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw a value inside the atom of each code.

        Draws of an atom are systematic: they are spread evenly over its law.

        Parameters
        ----------
        codes : ndarray of shape (n,), int
        rng : numpy.random.Generator

        Returns
        -------
        values : ndarray of shape (n,), int64 or float64
            On the column's grid; 0 where missing.
        missing : ndarray of shape (n,), bool
        """
        codes = np.asarray(codes)
        missing = (codes < 0) | (codes >= len(self.lows))
        values: np.ndarray = np.zeros(len(codes), dtype=self.ruler.dtype)
        known = codes[~missing]
        points, _ = strata(known, rng)
        ends = self.lows[known], self.highs[known]
        drawn, runs = ends[0].copy(), np.flatnonzero(ends[0] < ends[1])
        own = known[runs]
        share = pareto(self.tilts[own], self.shapes[own], points[runs])
        heaps = self.lows[self.lows == self.highs]
        left_out = heaps if self.apart else heaps[:0]
        of_runs = self.lows[own], self.highs[own], share, left_out
        drawn[runs] = self.grains.finest.between(*of_runs)
        drawn = self.grains.rounded(drawn, *ends, heaps, rng)
        for atom, spread in self.spreads.items():
            drawn[known == atom] = spread.draw(points[known == atom])
        values[~missing] = drawn
        return values, missing

    def as_held(self, values: np.ndarray) -> np.ndarray:
        """Values on the ruler, some with the last digits that they have in the table.

        Parameters
        ----------
        values : ndarray of shape (n,), int64 or float64

        Returns
        -------
        ndarray of shape (n,)
        """
        if not self.held:
            return values
        known = np.array(sorted(self.held))
        at = np.minimum(np.searchsorted(known, values), len(known) - 1)
        held = np.array([self.held[value] for value in known.tolist()])
        return np.where(known[at] == values, held[at], values)

    def to_dict(self) -> dict:
        """JSON compatible form; numbers come back exactly."""
        return {
            "type": "atoms",
            "ruler": self.ruler.to_dict(),
            "lows": self.lows.tolist(),
            "highs": self.highs.tolist(),
            "tilts": self.tilts.tolist(),
            "shapes": self.shapes.tolist(),
            "with_missing": self.with_missing,
            "grains": self.grains.to_dict(),
            "spreads": [
                [atom, spread.values.tolist(), spread.shares.tolist()]
                for atom, spread in self.spreads.items()
            ],
        } | self._told_of_some()

    def _told_of_some(self):
        """What not all columns have."""
        told = {}
        if self.held:
            told["held"] = [*map(list, self.held.items())]
        if self.calendar is not None:
            told["calendar"] = self.calendar.to_dict()
        return told | {"apart": True} if self.apart else told

    @classmethod
    def from_dict(cls, data: dict) -> "AtomParts":
        """Inverse of `to_dict`."""
        ruler = ruler_from_dict(data["ruler"])
        return cls(
            ruler,
            np.array(data["lows"], dtype=ruler.dtype),
            np.array(data["highs"], dtype=ruler.dtype),
            np.array(data["tilts"], dtype=np.float64),
            np.array(data["shapes"], dtype=np.float64),
            data["with_missing"],
            # Models saved before there were grains, or spreads, have none.
            _grains_from(data["grains"]) if "grains" in data else Grains(ruler),
            {
                atom: Spread(np.array(values, dtype=ruler.dtype), np.array(shares))
                for atom, values, shares in data.get("spreads", ())
            },
            {float(value): float(own) for value, own in data.get("held", ())},
            Calendar.from_dict(data["calendar"]) if "calendar" in data else None,
            bool(data.get("apart", False)),
        )


def are_values(*columns):
    """Whether all parts of some columns are single values, that many hold.

    Parameters
    ----------
    *columns : Parts

    Returns
    -------
    bool
    """
    atoms = [parts for parts in columns if isinstance(parts, AtomParts)]
    return all((parts.lows == parts.highs).all() for parts in atoms)


def learn_atoms(
    counts: ColumnCounts,
    bounds: tuple | None,
    ruler: Ruler,
    with_missing: bool = False,
    *,
    spread: bool = False,
    apart: bool = False,
    holders: Holders | None = None,
) -> AtomParts:
    """The atoms of a column.

    Parameters
    ----------
    counts : ColumnCounts
        Values, and the individuals who hold each.
    bounds : (low, high) or None
        Declared by hand: no atom goes beyond.
    ruler : Ruler
    with_missing : bool, default=False
        Whether missing values are a part.
    spread : bool, default=False
        Whether a column of few values has spreads, any column tails, and one of dates
        a calendar.
    apart : bool, default=False
        Whether runs are spread over numbers that are no heaps.
    holders : Holders, optional
        Of the values that are counted, where persons may have several.

    Returns
    -------
    AtomParts

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> counts = ColumnCounts(np.array([0, 50, 73, 99]), np.array([90, 12, 15, 5]))
    >>> learn_atoms(counts, None, SteppedRuler(1)).labels
    ('0', '21 to 95')
    """
    if not len(counts.values):
        none: np.ndarray = np.array([], dtype=ruler.dtype)
        empty = np.array([])
        return AtomParts(ruler, none, none, empty, empty, with_missing, Grains(ruler))
    of_table, (counts, *_) = counts, put_on_ruler(counts, None, ruler)
    if holders is not None:
        holders = replace(holders, values=ruler.snap(holders.values))
    grains = learn_grains(counts, counts.counts >= MIN_ROWS, ruler, holders)
    counts, *_ = put_on_ruler(counts, None, grains.finest)
    heaps, tails, others = _share_out(counts, grains.finest, spread, holders)
    is_list = spread and len(heaps) > 0 and len(counts.values) <= MAX_LISTED
    middle = np.full(len(heaps), 0.5)
    atoms = [(heaps, heaps, middle, bounded_shapes(middle))]
    few = [
        Ends(own.spread.values[0], own.spread.values[-1], own.spread) for own in tails
    ]
    for own in others:
        if is_list and are_steps(counts, own, grains.finest):
            few += listed_runs(counts, own, grains.finest)
        else:
            left_out = heaps if apart else heaps[:0]
            atoms.append(find_runs(counts, own, grains.finest, bounds, left_out))
    first = sum(len(lows) for lows, *_ in atoms)
    atoms += [_of_few(own) for own in few]
    low, high, tilt, shape = map(np.concatenate, zip(*atoms, strict=True))
    order = np.argsort(low + (high - low) * tilt, kind="stable")
    low, high, tilt, shape = (array[order] for array in (low, high, tilt, shape))
    spreads = {int(order.argsort()[first + i]): own.spread for i, own in enumerate(few)}
    laws = ruler, low, high, tilt, shape, with_missing, grains, spreads
    parts = AtomParts(*laws, _held(of_table, ruler), apart=apart)
    if spread and getattr(ruler, "unit", None) is not None:
        return with_calendars(parts, counts)
    return parts


def _held(counts, ruler):
    """Values that many hold with other last digits, and what most of these hold."""
    if ruler.dtype != np.float64:
        return {}
    most, held = {}, {}
    on_ruler = ruler.snap(counts.values)
    is_near = are_near(counts.values, on_ruler)
    of_table = (on_ruler, counts.values, counts.counts)
    for value, own, n in zip(*(of[is_near].tolist() for of in of_table), strict=True):
        if n > most.get(value, MIN_ROWS - 1):
            most[value], held[value] = n, own
    return {value: own for value, own in held.items() if value != own}


def with_calendars(
    parts: AtomParts,
    counts: ColumnCounts,
    individuals: Callable[[np.ndarray], Sequence[np.ndarray]] | None = None,
) -> AtomParts:
    """The same atoms of dates, with the calendars of those in runs and of all.

    Parameters
    ----------
    parts : AtomParts
    counts : ColumnCounts
        Values on the ruler, and the rows that hold each.
    individuals : callable, optional
        From some of the values to who has them, see `held_in_groups`.

    Returns
    -------
    AtomParts
    """

    ruler = cast(SteppedRuler, parts.ruler)

    def learnt(counts, lows, highs):
        own = None if individuals is None else individuals(counts.values)
        return learn_calendar(counts, lows, highs, ruler, own)

    codes = parts.encode(counts.values, np.zeros(len(counts.values), dtype=bool))
    in_runs = (parts.lows < parts.highs)[codes] & ~np.isin(codes, list(parts.spreads))
    own = codes[in_runs]
    inside = ColumnCounts(counts.values[in_runs], counts.counts[in_runs])
    calendar = learnt(inside, parts.lows[own], parts.highs[own])
    if calendar is not None:
        parts = replace(parts, grains=calendar)
    if 2 * inside.counts.sum() >= counts.counts.sum():
        return parts
    month = _WEEKS * 7 * units_a_day(ruler)
    first = counts.values[0]
    lows = first + (counts.values - first) // month * month
    highs = lows + np.minimum(month - ruler.step, counts.values[-1] - lows)
    return replace(parts, calendar=learnt(counts, lows, highs))


def _grains_from(data):
    """Grains or calendar of a saved column."""
    return (Calendar if "weekdays" in data else Grains).from_dict(data)


def _share_out(counts, ruler, spread, holders):
    """The heaps, the tails, and the values that runs are gathered from."""
    is_heap = counts.counts >= MIN_ROWS
    tails, others = [], [np.flatnonzero(~is_heap)]
    if spread:
        tails, others = divide(counts, ruler, holders)
    elif is_heap.any() and counts.counts[~is_heap].sum() < MIN_ROWS:
        others = []
    is_heap[[tail.heap for tail in tails]] = False
    return counts.values[is_heap], tails, [own for own in others if len(own)]


def _of_few(ends):
    """An atom of a few values: it has their mean, or nearly."""
    low, high, spread = ends
    width = float(high - low)
    tilt = (spread.mean - low) / width if width else 0.5
    tilt = np.clip([tilt], *TILTS)
    return np.array([low]), np.array([high]), tilt, bounded_shapes(tilt)
