"""How round the values of a numeric column are, where few individuals share one.

Prices end in .00, incomes in 000, and one weight in a thousand was read to a tenth. A
run of a column's atoms spreads its values over all that the column can take; its
*grains* say how many of them are round, and to what.

What saved grains tell of a column is of all its values together: the step that all but
few are multiples of, and the share, to a hundredth, of those that are rounder than
chance has it, for each of the steps 1, 5, 10, 50, ... (and .5, .1, .05, ...). Where all
values of a column are so many steps apart, they are drawn so: odd numbers, quarters.
Where those that few share are whole numbers of another unit (see `units`), these have
the grains.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from coclust_synth.tables.draws.rulers import Ruler, SteppedRuler, ruler_from_dict
from coclust_synth.tables.laws.endings import Endings, common_step, learn_endings
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS
from coclust_synth.tables.laws.multiples import (
    ROUND_STEPS,
    free_multiples,
    is_multiple,
    multiples_of,
    step_of,
)
from coclust_synth.tables.laws.units import Unit, learn_unit
from coclust_synth.tables.rows import ColumnCounts

# A step is one of the column's where it takes more of its values than chance has it:
# this share, and so many standard deviations (one in thirty thousand by chance).
_LEAST_SHARE = 0.05
_DEVIATIONS = 4.0
# Between the quartiles of the values there are so many multiples of a step: of fewer
# the shape of the column says how many values are near one.
_MULTIPLES = 5
# All but few values are multiples of a step where chance has it so rarely, too.
_MAX_CHANCE = 1e-9
_SHARE_DIGITS = 2


@dataclass(frozen=True, eq=False)
class Grains:
    """How round drawn values are.

    Parameters
    ----------
    finest : Ruler
        All drawn values are on it: that of the column, or a coarser one.
    steps : tuple of Fraction
        Increasing, each a multiple of the one before.
    shares : tuple of float
        Of the values that no ending has for itself, those that are rounded to each.
    endings : Endings, optional
    unit : Unit, optional
        Values that few share are whole numbers of it, which have the steps and endings.
    """

    finest: Ruler
    steps: tuple[Fraction, ...] = ()
    shares: tuple[float, ...] = ()
    endings: Endings | None = None
    unit: Unit | None = None

    @property
    def reach(self) -> float:
        """How far values move so that as many are round as there are, or 0.

        Where a share of the values are multiples of a step, those within that share of
        half a step of a multiple are as many, wherever they lie: these are rounded. An
        ending is at most half its modulus away.
        """
        unit = 0.0 if self.unit is None else float(self.unit.step)
        steps = [
            share * float(step)
            for step, share in zip(self.steps, self.shares, strict=True)
        ]
        if self.endings is not None:
            steps.append(float(self.endings.modulus * (step_of(self.finest) or 1)))
        return max([unit, *(step * (unit or 1) for step in steps)]) / 2

    def rounded(self, values, lows, highs, heaps, rng):
        """Values of which some get an ending, or are rounded, each inside its run.

        A value whose run has no multiple of a step that is no heap changes with one
        that was to be less round, or is rounded to the next finer step.

        Parameters
        ----------
        values, lows, highs : ndarray of shape (n,)
            On `finest`, and the ends of the run of each.
        heaps : ndarray of shape (h,)
            Values that are no others'.
        rng : numpy.random.Generator

        Returns
        -------
        ndarray of shape (n,)
        """
        if self.unit is not None:
            return self._of_unit(values, lows, highs, heaps, rng)
        is_put = np.zeros(len(values), dtype=bool)
        if self.endings is not None:
            runs = lows, highs, heaps
            values, is_put = self.endings.put(values, *runs, self.finest, rng)
        if not self.steps:
            return values
        runs = lows, highs, heaps
        multiples = (
            free_multiples(values, step, self.finest, *runs)
            for step in reversed(self.steps)
        )
        may = ~is_put & (lows < highs)
        return round_shares(values, self.shares, multiples, may, rng)

    def _of_unit(self, values, lows, highs, heaps, rng):
        """Values that are whole numbers of the unit, see `rounded`."""
        first, last = (self.unit.count(ends) for ends in (lows, highs))
        first += self.unit.written(first, self.finest) < lows
        last -= self.unit.written(last, self.finest) > highs
        numbers, own = self.unit.count(values), self.unit.count(heaps)
        own = own[np.isclose(self.unit.written(own, self.finest), heaps, 1e-14, 0)]
        near = np.clip(numbers, first, np.maximum(first, last))
        ends = SteppedRuler(1), first, last, own
        free, fits = free_multiples(near, Fraction(1), *ends)
        near = np.where(fits, free, near)
        whole = Grains(SteppedRuler(1), self.steps, self.shares, self.endings)
        near = whole.rounded(near, first, last, own, rng)
        may = (lows < highs) & (first <= last)
        return np.where(may, self.unit.written(near, self.finest), values)

    def to_dict(self) -> dict:
        """JSON compatible form."""
        some = {} if self.endings is None else {"endings": self.endings.to_dict()}
        if self.unit is not None:
            some["unit"] = self.unit.to_dict()
        return {
            "finest": self.finest.to_dict(),
            "steps": [str(step) for step in self.steps],
            "shares": list(self.shares),
        } | some

    @classmethod
    def from_dict(cls, data: dict) -> "Grains":
        """Inverse of `to_dict`."""
        return cls(
            ruler_from_dict(data["finest"]),
            tuple(map(Fraction, data["steps"])),
            tuple(data["shares"]),
            Endings.from_dict(data["endings"]) if "endings" in data else None,
            Unit.from_dict(data["unit"]) if "unit" in data else None,
        )


def learn_grains(
    counts: ColumnCounts,
    is_heap: np.ndarray,
    ruler: Ruler,
    holders: Holders | None = None,
) -> Grains:
    """How round the values of a column are that are no heaps.

    Of N_j rows that have a multiple of the j-th step, each a multiple of the one
    before, r_j = step j-1 / step j of those drawn on a finer one are multiples by
    chance. So A_j = (N_j - N_j+1) / (1 - r_j+1) rows are drawn on the j-th step or
    reach it by chance, and a_j = A_j - r_j A_j-1 are rounded to it.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler.
    is_heap : ndarray of bool, shape (m,)
    ruler : Ruler
        Of the column; dates have no grains.
    holders : Holders, optional
        Where persons may have several values, those on the ruler: what is told is of
        `MIN_ROWS` persons. By default each row is of another individual.

    Returns
    -------
    Grains

    Examples
    --------
    >>> values = np.append(np.arange(0, 40_000, 50), np.arange(33, 40_000, 199))
    >>> counts = ColumnCounts(np.sort(values), np.ones(len(values), dtype=np.int64))
    >>> is_heap = counts.counts >= MIN_ROWS
    >>> grains = learn_grains(counts, is_heap, SteppedRuler(1))
    >>> grains.steps, grains.shares
    ((Fraction(50, 1),), (0.8,))
    """
    values, rows = counts.values[~is_heap], counts.counts[~is_heap]
    if getattr(ruler, "unit", None) is not None or rows.sum() < MIN_ROWS:
        return Grains(ruler)
    heaps = counts.values[is_heap]
    others = None if holders is None else holders.but(heaps)
    if (own := _grains_of_unit(values, rows, ruler, others)) is not None:
        return own
    finest, steps = ruler, _candidates(values, rows, ruler)
    all_steps = [*_not_by_chance(counts.values, steps, ruler)]
    of_all = [_individuals_off(step, counts, ruler, holders) for step in all_steps]
    held, weights = _of_individuals(values, rows, others)
    reached = _reached(all_steps, held, weights, ruler)
    are_most = reached > weights.sum() / 2
    few = np.flatnonzero(are_most & (np.array(of_all) < MIN_ROWS))
    if len(few):
        step = all_steps[few[-1]]
        finest = multiples_of(step, ruler)
        steps = [own for own in steps if own > step and own % step == 0]
    modulus, last = 1, 0
    is_exact = not len(few) or of_all[few[-1]] == 0
    if isinstance(finest, SteppedRuler) and is_exact:
        modulus, last = common_step(counts.values, finest)
    if modulus > 1 and last:
        return Grains(finest, endings=Endings(modulus, (last,), (1.0,)))
    if modulus > 1:
        finest = multiples_of(step_of(finest) * modulus, ruler)
        steps = [step for step in steps if step % step_of(finest) == 0]
    endings, rows = learn_endings(values, rows, heaps, finest, others)
    kept, shares = _shares(steps, values, rows, finest, others)
    return Grains(finest, kept, shares, endings)


def _individuals_off(step, counts, ruler, holders):
    """Individuals who have a value that is no multiple of a step."""
    if holders is None:
        return counts.counts @ ~is_multiple(counts.values, step, ruler)
    return holders.n_of(lambda values: ~is_multiple(values, step, ruler))


def _of_individuals(values, rows, holders):
    """Values, and what each counts where every individual counts as one."""
    return (values, rows) if holders is None else (holders.values, holders.shares)


def _reached(steps, values, rows, ruler):
    """Rows, or parts of persons, whose value is a multiple of each step."""
    return np.array([rows @ is_multiple(values, step, ruler) for step in steps])


def _grains_of_unit(values, rows, ruler, holders):
    """How round numbers of another unit are: in decimals, if these are some of it."""
    unit = learn_unit(values, ruler)
    if unit is None:
        return None
    numbers, of_each = ColumnCounts(unit.count(values), rows), SteppedRuler(1)
    if holders is not None:
        holders = replace(holders, values=unit.count(holders.values))
    steps = [step / unit.step for step in _candidates(values, rows, ruler)]
    if steps := [step for step in steps if step.denominator == 1]:
        kept, shares = shares_of_steps(numbers, steps, of_each, holders)
        return Grains(ruler, kept, shares, unit=unit)
    none = np.zeros(len(rows), dtype=bool)
    grains = learn_grains(numbers, none, of_each, holders)
    if grains.finest != of_each or grains.unit is not None:
        return Grains(ruler, unit=unit)
    return replace(grains, finest=ruler, unit=unit)


def shares_of_steps(
    counts: ColumnCounts,
    steps: Sequence[Fraction],
    ruler: Ruler,
    holders: Holders | None = None,
) -> tuple[tuple[Fraction, ...], tuple[float, ...]]:
    """Steps that take more values than chance has it, and the share of each.

    Parameters
    ----------
    counts : ColumnCounts
        Values on the ruler.
    steps : sequence of Fraction
        Each a multiple of the one before, and of the step of the ruler.
    ruler : Ruler
    holders : Holders, optional
        As of `learn_grains`, of these values.

    Returns
    -------
    steps : tuple of Fraction
    shares : tuple of float
    """
    return _shares(steps, counts.values, counts.counts, ruler, holders)


def _candidates(values, rows, ruler):
    """Round steps of which a column's values could be multiples."""
    ends = np.searchsorted(np.cumsum(rows), rows.sum() * np.array([0.25, 0.75]))
    first, third = values[ends].astype(np.float64)
    largest = max(abs(float(values[0])), abs(float(values[-1])))
    found: list[Fraction] = []
    last = step_of(ruler)
    for step in ROUND_STEPS:
        is_coarser = last is None or (step > last and step % last == 0)
        if is_coarser and step * _MULTIPLES <= third - first:
            if isinstance(multiples_of(step, ruler, largest), SteppedRuler):
                found.append(step)
                last = step
    return found


def _not_by_chance(values, steps, ruler):
    """Some steps, and others of which too many different values are multiples."""
    fine, largest = step_of(ruler) or ROUND_STEPS[0], np.abs(values[[0, -1]]).max()
    for step in ROUND_STEPS:
        if step in steps:
            yield step
        elif step > fine and step % fine == 0 and step <= values[-1] - values[0]:
            if isinstance(multiples_of(step, ruler, float(largest)), SteppedRuler):
                n = is_multiple(values, step, ruler).sum()
                if n * math.log(step / fine) >= -math.log(_MAX_CHANCE):
                    yield step


def _shares(steps, values, rows, finest, holders=None):
    """Steps that take more values than chance has it, and the share of each."""
    held, weights = _of_individuals(values, rows, holders)
    steps, of_rows, of_individuals = (
        list(own)
        for own in (
            steps,
            _reached(steps, values, rows, finest),
            _reached(steps, held, weights, finest),
        )
    )
    n, n_individuals = rows.sum(), weights.sum()
    # Chance moves whole values, with all rows that have them.
    by_chance = rows @ rows
    while steps:
        base = step_of(finest)
        chance = np.array(
            [
                0.0 if fine is None else float(fine / step)
                for fine, step in zip([base, *steps], steps, strict=False)
            ]
        )
        excess = _beyond_chance([n, *of_rows, 0], chance)
        of_each = _beyond_chance([n_individuals, *of_individuals, 0], chance)
        noise = _DEVIATIONS * np.sqrt(by_chance * chance * (1 - chance))
        least = np.maximum(noise, max(MIN_ROWS, _LEAST_SHARE * n))
        more = np.minimum(excess - least, of_each - MIN_ROWS)
        worst = int(np.argmin(more))
        if more[worst] >= 0:
            shares = np.round(excess / n, _SHARE_DIGITS)
            return tuple(steps), tuple(shares.tolist())
        for own in (steps, of_rows, of_individuals):
            del own[worst]
    return (), ()


def _beyond_chance(at, chance):
    """Of those that have a multiple of each step, how many have it not by chance."""
    at = np.array(at, dtype=np.float64)
    on = (at[:-1] - at[1:]) / (1 - np.append(chance, 0.0))
    return on[1:] - chance * on[:-1]


def round_shares(
    values: np.ndarray,
    shares: Sequence[float],
    multiples: Iterable[tuple[np.ndarray, np.ndarray]],
    may: np.ndarray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Values of which shares are rounded, each to a step.

    Parameters
    ----------
    values : ndarray of shape (n,)
    shares : sequence of float
        Of each step, the finest first.
    multiples : iterable of (ndarray of shape (n,), ndarray of bool, shape (n,))
        Of each step, the coarsest first: what values are rounded to, and which can be.
    may : ndarray of bool, shape (n,)
        Values that are rounded; others stay.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n,)
    """
    ends = np.cumsum([1 - sum(shares), *shares[:-1]])
    grain = np.searchsorted(ends, rng.random(len(values)), side="right")
    out, left = np.array(values), np.array(may)
    for k, (near, fits) in zip(range(len(shares), 0, -1), multiples, strict=True):
        grain = exchanged(grain, k, fits, left, rng)
        now = left & (grain == k)
        out[now] = near[now]
        left &= ~now
    return out


def exchanged(
    grain: np.ndarray, k: int, fits: np.ndarray, left: np.ndarray, rng
) -> np.ndarray:
    """How round values are to be, where some cannot be as round as that.

    Parameters
    ----------
    grain : ndarray of int, shape (n,)
        Which step each value is to be a multiple of, 0 of none.
    k : int
        The coarsest step that is left.
    fits : ndarray of bool, shape (n,)
        Which values can be multiples of it.
    left : ndarray of bool, shape (n,)
        Values that are not rounded yet; others stay.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n,)
        Those that cannot have changed with others that can, or are of the next finer
        step where there are none.
    """
    grain = np.array(grain)
    cannot = rng.permutation(np.flatnonzero(left & (grain == k) & ~fits))
    can = rng.permutation(np.flatnonzero(left & (grain < k) & fits))
    n = min(len(cannot), len(can))
    grain[cannot[:n]], grain[cannot[n:]] = grain[can[:n]], k - 1
    grain[can[:n]] = k
    return grain
