"""How round numbers are, where this goes with a category: cash in tens, cards in cents.

A tree that is given an amount asks whether it is low or high. Where all numbers of a
category are multiples of a step, and those of others are not, the coarsest of such
steps that a number is a multiple of can be asked for too. It is drawn before the
number, from all that the number is drawn from, and the number then from those that are
as round.
"""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.date_features import (
    binned,
    go_together,
)
from coclust_synth.generators.plain.trees._tree_kernels import Leaves
from coclust_synth.tables.draws.rulers import Ruler
from coclust_synth.tables.laws.grains import Grains, learn_grains
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.multiples import (
    ROUND_STEPS,
    first_that_may,
    is_multiple,
    multiples_beside,
    multiples_of,
    nearest_multiple,
    step_of,
)
from coclust_synth.tables.parts.atoms import AtomParts
from coclust_synth.tables.parts.of_persons import counted_rows
from coclust_synth.tables.rows import count_values
from coclust_synth.tables.rules.compared.numbers import NumberScale
from coclust_synth.tables.rules.evidence import Evidence

# Rows are off by nearly as much where that differs by so many steps of the column.
_NEAR_STEPS = 5
# A category has a step of its own where this share of its rows are multiples, of so
# many different values, and of the others at most that share: chance has it so rarely.
_SHARE, _MIN_VALUES, _MAX_OTHERS, _MAX_CHANCE = 0.995, 5, 0.8, 1e-9
# Columns of more codes are none of categories.
_MAX_CODES = 60


@dataclass(frozen=True)
class Roundness:
    """How round the numbers of a column are.

    Attributes
    ----------
    column : int
        Position of the numbers.
    steps : tuple of Fraction
        Increasing, each a multiple of the one before; the first is that which all but
        few values of the column are multiples of.
    """

    column: int
    steps: tuple[Fraction, ...]

    part: ClassVar[str] = "roundness"
    since: ClassVar[None] = None

    @property
    def n_codes(self) -> int:
        """Steps, and one code for a missing number."""
        return len(self.steps) + 1

    def codes(
        self,
        names: Sequence[str],
        numbers: Mapping[str, NDArray[np.float64]],
        scales: Mapping[str, NumberScale],
    ) -> NDArray[np.int32]:
        """Code of each number, see `DateFeature.codes`: the coarsest step that fits."""
        name = names[self.column]
        missing, scale = np.isnan(numbers[name]), scales[name]
        values = scale.nearest(np.where(missing, 0.0, numbers[name]))
        own = coarsest(values, self.steps, scale.ruler)
        return np.where(missing, self.n_codes - 1, own).astype(np.int32)

    def allowed(self, atoms: AtomParts) -> NDArray[np.bool_]:
        """Which atoms hold numbers that are so round, and no heaps of the column.

        Parameters
        ----------
        atoms : AtomParts
            Of the numbers.

        Returns
        -------
        ndarray of bool, shape (n_codes, atoms.n_parts)
        """
        lows, highs = atoms.lows, atoms.highs
        n_multiples = [_count(lows, highs, step, atoms.ruler) for step in self.steps]
        heaps = np.sort(lows[lows == highs])
        of_heaps = coarsest(heaps, self.steps, atoms.ruler)
        allowed = np.zeros((self.n_codes, atoms.n_parts), dtype=bool)
        allowed[-1, len(lows) :] = True
        is_heap = lows == highs
        for i, n in enumerate(n_multiples):
            coarser = n_multiples[i + 1] if i + 1 < len(self.steps) else 0
            own = heaps[of_heaps == i]
            n_heaps = np.searchsorted(own, highs, side="right")
            n_heaps = n_heaps - np.searchsorted(own, lows)
            free = n - coarser - n_heaps
            allowed[i, : len(lows)] = np.where(is_heap, n_heaps > 0, free > 0)
        return allowed

    def rounded(
        self,
        values: np.ndarray,
        codes: NDArray[np.int64],
        own: NDArray[np.int32],
        atoms: AtomParts,
        ends: tuple[NDArray[np.float64], NDArray[np.float64]],
    ) -> np.ndarray:
        """Numbers moved to near ones that are as round as was drawn before them.

        Parameters
        ----------
        values : ndarray of shape (n,)
        codes : ndarray of int, shape (n,)
            Their atoms. Numbers of no atom stay.
        own : ndarray of int, shape (n,)
            Codes of this.
        atoms : AtomParts
        ends : (ndarray of float64, shape (n,), ndarray of float64, shape (n,))
            The lowest and the highest that each row may have.

        Returns
        -------
        ndarray of shape (n,)
            Inside their atoms, if these hold such numbers; else of the column.
        """
        values, ruler = values.copy(), atoms.ruler
        lacks = (codes >= 0) & (codes < len(atoms.lows)) & (own < self.n_codes - 1)
        at = np.flatnonzero(lacks & (coarsest(values, self.steps, ruler) != own))
        heaps = atoms.lows[atoms.lows == atoms.highs]
        whole = atoms.lows.min(), atoms.highs.max()
        for low, high, taken in (
            (atoms.lows[codes[at]], atoms.highs[codes[at]], heaps),
            (np.full(len(at), whole[0]), np.full(len(at), whole[1]), heaps[:0]),
        ):
            low, high = np.maximum(low, ends[0][at]), np.minimum(high, ends[1][at])
            for i, step in enumerate(self.steps):
                rows = np.flatnonzero(own[at] == i)
                candidates = (
                    (other, self._may(other, i, low[rows], high[rows], taken, ruler))
                    for other in multiples_beside(values[at[rows]], step, ruler)
                )
                found, fits = first_that_may(candidates, len(rows))
                values[at[rows[fits]]] = found[fits]
        return values

    def _may(self, values, i, low, high, taken, ruler):
        """Which values are as round as the i-th step, no rounder, and may be drawn."""
        fits = (values >= low) & (values <= high) & ~np.isin(values, taken)
        return fits & (coarsest(values, self.steps, ruler) == i)

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {"column": self.column, "steps": [str(step) for step in self.steps]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`; a ValueError of steps that are none."""
        steps = tuple(map(Fraction, data["steps"]))
        if not steps or steps[0] <= 0:
            raise ValueError("steps")
        if any(b <= a or b % a for a, b in itertools.pairwise(steps)):
            raise ValueError("steps")
        return cls(int(data["column"]), steps)


def coarsest(
    values: np.ndarray, steps: Sequence[Fraction], ruler: Ruler
) -> NDArray[np.int32]:
    """Of steps, each a multiple of the one before, the last that values are ones of.

    Examples
    --------
    >>> from coclust_synth.tables.draws.rulers import SteppedRuler
    >>> steps = Fraction(1), Fraction(5), Fraction(10)
    >>> coarsest(np.array([3, 15, 20, 0]), steps, SteppedRuler(1))
    array([0, 1, 2, 2], dtype=int32)
    """
    own = np.zeros(len(values), dtype=np.int32)
    for i, step in enumerate(steps[1:], start=1):
        own[is_multiple(values, step, ruler)] = i
    return own


def find_roundness(
    evidence: Evidence,
    owns: Mapping[str, tuple[Any, ...]],
    told: Collection[str],
    k: int,
) -> dict[Roundness, set[str]]:
    """How round numbers are, of columns that have categories with steps of their own.

    Parameters
    ----------
    evidence : Evidence
    owns : mapping of str to (ndarray of int32, shape (n,), (int, int), dict)
        Of each column that is drawn, as `find_date_features` takes them.
    told : collection of str
        Columns that others tell.
    k : int
        Individuals of such a category, at least; 20 if this is less.

    Returns
    -------
    dict of Roundness to set of str
        The columns that go with each.
    """
    found = {}
    bins = {name: binned(own, *sizes[:2]) for name, (own, sizes, _) in owns.items()}
    for name in evidence.values:
        known = ~np.isnan(evidence.numbers[name])
        steps = () if name in told or name not in owns else _steps(evidence, name, k)
        if len(steps) < 2:
            continue
        feature = Roundness(evidence.coding.names.index(name), steps)
        own = feature.codes(evidence.coding.names, evidence.numbers, evidence.scales)
        # Rows that have one number are alike.
        alike = np.unique(evidence.values[name][known], return_inverse=True)[1]
        who = None if evidence.who is None else evidence.who[known]
        found[feature] = {
            other
            for other, of in bins.items()
            if other == name or go_together(own[known], of[known], alike, who)
        }
    return found


def _steps(evidence, name, k):
    """The steps of categories, and that of the column; none where there are no such."""
    ruler, known = evidence.scales[name].ruler, ~np.isnan(evidence.numbers[name])
    values = np.where(known, evidence.values[name], 0)
    if getattr(ruler, "unit", None) is not None or known.sum() < MIN_ROWS:
        return ()
    # Digits that few have are no step: the numbers of others would be drawn with them.
    finest = evidence.coding.parts[evidence.coding.names.index(name)].grains.finest
    steps = _nested_steps(finest, np.abs(values[known]).max())
    own = coarsest(values, steps, ruler)
    if len(steps) < 2 or not own[known].any():
        return ()
    found: set[int] = set()
    for j, n_codes in enumerate(evidence.coding.n_parts_per_variable):
        is_other = evidence.coding.names[j] != name
        if is_other and n_codes <= _MAX_CODES and _has_few(evidence, j):
            found |= _steps_of_categories(evidence, j, values, own, known, k)
    return tuple(steps[i] for i in sorted(found | {0})) if found else ()


def _has_few(evidence, j):
    """Whether each code of a column stands for one value."""
    parts = evidence.coding.parts[j]
    return not isinstance(parts, AtomParts) or bool((parts.lows == parts.highs).all())


def _steps_of_categories(evidence, j, values, own, known, k):
    """The steps, by their place, that all numbers of a category are multiples of."""
    codes, n_steps = evidence.codes[:, j], own.max() + 1
    n_codes = evidence.coding.parts[j].n_parts
    rows = np.bincount(
        codes[known] * n_steps + own[known], minlength=n_codes * n_steps
    ).reshape(n_codes, n_steps)
    # Rows whose number is a multiple of each step.
    reached = rows[:, ::-1].cumsum(axis=1)[:, ::-1]
    places = (reached >= _SHARE * reached[:, :1]).sum(axis=1) - 1
    found = set()
    for code in np.flatnonzero((places > 0) & (reached[:, 0] >= max(k, MIN_ROWS))):
        place = int(places[code])
        finer = reached[places < place].sum(axis=0)
        of_code = known & (codes == code)
        if finer[place] >= _MAX_OTHERS * finer[0]:
            continue
        if evidence.n_of(of_code) < max(k, MIN_ROWS):
            continue
        n_values = len(np.unique(values[of_code & (own >= place)]))
        by_chance = n_values * np.log(max(finer[place], 1) / finer[0])
        if n_values >= _MIN_VALUES and by_chance < np.log(_MAX_CHANCE):
            found.add(place)
    return found


def _nested_steps(ruler, largest):
    """The step of a ruler and round multiples of it, each of the one before."""
    last = step_of(ruler)
    steps = [] if last is None else [last]
    for step in ROUND_STEPS:
        if steps and last < step <= largest and step % last == 0:
            steps.append(step)
            last = step
    return steps


def _count(lows, highs, step, ruler):
    """How many multiples of a step are in each run, its ends included."""
    of_step = multiples_of(step, ruler)
    span = of_step.down(highs) + of_step.down(-lows)
    return np.rint(span / float(step)).astype(np.int64) + 1


def grains_beside(
    name: str,
    evidence: Evidence,
    residuals: AtomParts,
    leaves: Leaves,
    codes: NDArray[np.int32],
) -> Grains | None:
    """How round a column is in the rows where few share what a fit is off by.

    What a fit leaves says nothing of how round the number is that comes of it: a price
    that is nearly a tenth more than another one still ends in .99, and a bill in cents.

    Parameters
    ----------
    name : str
    evidence : Evidence
    residuals : AtomParts
        What the fit leaves.
    leaves : Leaves
        Of it.
    codes : ndarray of int, shape (n,)
        Of it.

    Returns
    -------
    Grains or None
        None where they are as round as chance has it.
    """
    values, persons, holders = evidence.values[name], evidence.persons, None
    others = ~_moving(residuals, leaves)[codes] | np.isnan(evidence.numbers[name])
    if persons is not None:
        once = counted_rows(values, others, persons)
        values, others = values[once], others[once]
        holders = Holders(values[~others], persons.codes[once[~others]])
    counts, ruler = count_values(values, others), evidence.scales[name].ruler
    no_heap = np.zeros(len(counts.values), dtype=bool)
    grains = learn_grains(counts, no_heap, ruler, holders)
    return grains if grains.reach or grains.finest != ruler else None


def rounded(
    grains: Grains,
    of_all: Ruler,
    values: NDArray[Any],
    codes: NDArray[np.int64],
    leaf: NDArray[np.int64],
    leaves: Leaves,
    residuals: AtomParts,
    with_left: Callable[[NDArray[np.float64]], NDArray[Any]],
    rng: np.random.Generator,
) -> NDArray[Any]:
    """Numbers of which as many are round as in the table, moved to the nearest that is.

    Parameters
    ----------
    grains : Grains
    of_all : Ruler
        That all values of the column are on.
    values : ndarray, shape (n,)
    codes : ndarray of int, shape (n,)
        Of what a fit leaves.
    leaf : ndarray of int64, shape (n,)
    leaves : Leaves
    residuals : AtomParts
    with_left : callable
        The numbers of the rows, of what is left of each.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n,)
        On the ruler. None moves beyond what the fit leaves in its leaf, and none moves
        where many are off by as much.
    """
    values = _nearest(values, of_all)
    first, last = (with_left(ends[leaf]) for ends in _ends_of(leaves, residuals))
    at, ruler = np.flatnonzero(_moving(residuals, leaves)[codes]), grains.finest
    own, reach = _nearest(values[at], ruler), ruler.up(grains.reach)
    low = ruler.up(np.maximum(own - reach, np.minimum(first[at], own)))
    high = ruler.down(np.minimum(own + reach, np.maximum(last[at], own)))
    values[at] = grains.rounded(own, low, high, values[:0], rng)
    return values


def _nearest(values, ruler):
    """The values of a ruler that are nearest to some, in another array."""
    step = step_of(ruler)
    return values.copy() if step is None else nearest_multiple(values, step, ruler)


def _moving(residuals, leaves):
    """Of each code, and then of missing and tied ones, whether its numbers may move.

    Where many are off by as much, say by exactly 5, they stay, unless as many others
    are off by nearly as much.
    """
    lows, highs, n = residuals.lows, residuals.highs, len(residuals.lows)
    of_all = slice(leaves.indptr[-2], leaves.indptr[-1])
    rows = np.bincount(leaves.code[of_all], leaves.rows[of_all], n)[:n]
    order = np.argsort(residuals.means, kind="stable")
    means = residuals.means[order]
    before = np.append(0.0, np.cumsum(rows[order]))
    near = _NEAR_STEPS * float(getattr(residuals.ruler, "step", 0))
    near_rows = before[np.searchsorted(means, highs + near, "right")]
    near_rows -= before[np.searchsorted(means, lows - near)]
    moves = (lows < highs) | (2 * rows < near_rows)
    return np.append(moves, [False, False])


def _ends_of(leaves, residuals):
    """The least and the most that each leaf leaves; 0 of a leaf without numbers."""
    known = leaves.code < len(residuals.lows)
    code = np.where(known, leaves.code, 0)
    for way, ends in ((1, residuals.lows), (-1, residuals.highs)):
        own = np.where(known, way * ends[code].astype(np.float64), np.inf)
        least = way * np.minimum.reduceat(own, leaves.indptr[:-1])
        yield np.where(np.isfinite(least), least, 0.0)
