"""How the values of a numeric column end, where few individuals share one: in .99.

A price of 19.99 is no round number, and one in a hundred prices ends like it by chance.
What saved endings tell of a column is of all its values together: the share, to a
hundredth, of those that have each of a few last digits more often than chance has it.
Chance is what other last digits of the same roundness have: .95 beside .05 to .85. So
numbers that are rounded to 5 or 50 have none; see `grains` for these.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import ContinuousRuler, Ruler, SteppedRuler
from coclust_synth.tables.laws.holders import Holders
from coclust_synth.tables.laws.laws import MIN_ROWS

# So many steps of the column's ruler, the last one, two or three digits.
_MODULI = (10, 100, 1000)
# An ending has this share of the rows, and so many standard deviations (one in thirty
# thousand by chance), more than others that are as round. At half the share 44 of 720
# columns of 220 public tables have one, at this 23, mostly prices and scores; of 400
# columns of chance none has at either.
_LEAST_SHARE = 0.1
_DEVIATIONS = 4.0
# All values have the same rest by chance in one column of so many.
_MAX_CHANCE = 1e-9
# Fewer digits say as much if they save no more than this less, in nats a row.
_NO_LESS = 0.02
# Between the quartiles of the values each ending comes so many times.
_TIMES = 5
_SHARE_DIGITS = 2


@dataclass(frozen=True)
class Endings:
    """Last digits that more values have than chance has it.

    Parameters
    ----------
    modulus : int
        Steps of the ruler after which last digits come again.
    last : tuple of int
        Steps, from 1 to `modulus` - 1.
    shares : tuple of float
        Of values that few share, whose nearest with that ending few share too, those
        that have it because it ends so.
    mirrored : bool, default=False
        Whether last digits below 0 are those of the amount: refunds of -12.99. Else
        they are counted up from below, as of amounts less their mean.
    """

    modulus: int
    last: tuple[int, ...]
    shares: tuple[float, ...]
    mirrored: bool = False

    def put(
        self,
        values: NDArray[Any],
        lows: NDArray[Any],
        highs: NDArray[Any],
        heaps: NDArray[Any],
        ruler: SteppedRuler,
        rng: np.random.Generator,
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Values of which some end so, each the nearest one that its run has.

        Parameters
        ----------
        values, lows, highs : ndarray of shape (n,)
            On `ruler`, and the ends of the run of each.
        heaps : ndarray of shape (h,)
            Values that are no others'.
        ruler : SteppedRuler
        rng : numpy.random.Generator

        Returns
        -------
        values : ndarray of shape (n,)
        is_put : ndarray of bool, shape (n,)
        """
        ends = np.cumsum(self.shares)
        which = np.searchsorted(ends, rng.random(len(values)), side="right")
        out, is_put = np.array(values), np.zeros(len(values), dtype=bool)
        for k, last in enumerate(self.last):
            rows = np.flatnonzero(which == k)
            digits = _Digits(self.modulus, self.mirrored, ruler)
            for near in digits.nearest(values[rows], last):
                fits = ~is_put[rows] & (near >= lows[rows]) & (near <= highs[rows])
                fits &= ~np.isin(near, heaps)
                out[rows[fits]] = near[fits]
                is_put[rows[fits]] = True
        return out, is_put

    def to_dict(self) -> dict[str, Any]:
        """JSON compatible form."""
        return {
            "modulus": self.modulus,
            "last": list(self.last),
            "shares": list(self.shares),
        } | ({"mirrored": True} if self.mirrored else {})

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        mirrored = data.get("mirrored", False)
        return cls(
            data["modulus"], tuple(data["last"]), tuple(data["shares"]), mirrored
        )


def learn_endings(
    values: NDArray[Any],
    rows: NDArray[np.int64],
    heaps: NDArray[Any],
    ruler: Ruler,
    holders: Holders | None = None,
) -> tuple[Endings | None, NDArray[Any]]:
    """How the values of a column end that few share.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Different ones on the ruler, increasing.
    rows : ndarray of int64, shape (m,)
        That have each.
    heaps : ndarray of shape (h,)
        Values that many share.
    ruler : Ruler
        Of the column.
    holders : Holders, optional
        Of these values, where persons may have several: an ending is of `MIN_ROWS` of
        them.

    Returns
    -------
    endings : Endings or None
        None where no ending is more frequent than others that are as round.
    rows : ndarray of shape (m,)
        That have each value, but for those that its ending has for itself.

    Examples
    --------
    >>> prices = np.append(np.arange(999, 60_000, 100), np.arange(7, 60_000, 321))
    >>> values, rows = np.unique(prices, return_counts=True)
    >>> learn_endings(values, rows, values[:0], SteppedRuler(1))[0]
    Endings(modulus=100, last=(99,), shares=(0.76,), mirrored=False)
    """
    if isinstance(ruler, ContinuousRuler) or not len(values):
        return None, rows
    ends = np.searchsorted(np.cumsum(rows), rows.sum() * np.array([0.25, 0.75]))
    first, third = values[ends].astype(np.float64)
    n_steps = (third - first) / ruler.step
    found = [
        (digits, more)
        for modulus in _MODULI
        for mirrored in (False, True)[: 1 + (values[0] < 0)]
        if modulus * _TIMES <= n_steps
        and (digits := _Digits(modulus, mirrored, ruler))
        and (more := _more_than_chance(values, rows, digits, holders))
    ]
    if not found:
        return None, rows
    saved = [_saved(digits.modulus, more, rows.sum()) for digits, more in found]
    digits, more = found[int(np.argmax(np.array(saved) >= max(saved) - _NO_LESS))]
    shares, left = [], rows.astype(np.float64)
    own = digits.of(values)
    for last, excess in more.items():
        near, _ = digits.nearest(values, last)
        shares.append(excess / (rows @ ~np.isin(near, heaps)))
        left[own == last] *= 1 - excess / rows[own == last].sum()
    rounded = np.round(np.array(shares) / max(sum(shares), 1), _SHARE_DIGITS).tolist()
    return Endings(digits.modulus, tuple(more), tuple(rounded), digits.mirrored), left


def common_step(values: NDArray[Any], ruler: SteppedRuler) -> tuple[int, int]:
    """How many steps of a ruler all values are apart, and what is left of the lowest.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Different ones on the ruler, increasing.
    ruler : SteppedRuler

    Returns
    -------
    modulus : int
        1 of fewer than `MIN_ROWS` values, which it could tell one by one, or if chance
        could explain more: of m values that are anywhere, all have the same rest once
        in modulus^(m - 1) columns.
    last : int
        From 0 to `modulus` - 1.

    Examples
    --------
    >>> common_step(np.arange(1, 99, 2), SteppedRuler(1))
    (2, 1)
    """
    if len(values) < MIN_ROWS:
        return 1, 0
    steps = np.asarray(values)
    steps = steps // ruler.step if ruler.whole else np.rint(steps / ruler.step)
    steps = steps.astype(np.int64)
    modulus = int(np.gcd.reduce(np.diff(steps)))
    if (len(steps) - 1) * math.log(max(modulus, 1)) < -math.log(_MAX_CHANCE):
        return 1, 0
    return modulus, int(steps[0] % modulus)


def _more_than_chance(values, rows, digits, holders):
    """Rows that endings of so many steps have more than others that are as round."""
    n, modulus = rows.sum(), digits.modulus
    more, chance = _beside_as_round(values, rows, digits)
    of_each = more
    if holders is not None:
        of_each, _ = _beside_as_round(holders.values, holders.shares, digits)
    # Chance moves whole values, with all rows that have them.
    noise = _DEVIATIONS * np.sqrt((rows @ rows) / n * np.maximum(chance, n / modulus))
    least = np.maximum(noise, max(MIN_ROWS, _LEAST_SHARE * n))
    is_told = (more >= least) & (of_each >= MIN_ROWS)
    return {int(last): more[last] for last in np.flatnonzero(is_told)}


def _beside_as_round(values, rows, digits):
    """What endings have more than others that are as round, and what these have."""
    n_rows = np.bincount(digits.of(values), rows, minlength=digits.modulus)
    roundness = np.gcd(np.arange(digits.modulus), digits.modulus)
    usual = {r: np.median(n_rows[roundness == r]) for r in np.unique(roundness)}
    chance = np.array([usual[r] for r in roundness])
    return n_rows - chance, chance


def _saved(modulus, more, n):
    """Nats a row that the endings save where all last digits are alike by chance."""
    shares = np.array(list(more.values())) / n
    return shares @ np.log(shares * modulus)


class _Digits(NamedTuple):
    """How many steps values are above a multiple of the modulus.

    If `mirrored`, how many they are further from 0.
    """

    modulus: int
    mirrored: bool
    ruler: SteppedRuler

    def of(self, values):
        """Of each value, from 0 to `modulus` - 1."""
        values = np.abs(values) if self.mirrored else np.asarray(values)
        if self.ruler.whole:
            return values // self.ruler.step % self.modulus
        return np.rint(values / self.ruler.step).astype(np.int64) % self.modulus

    def nearest(self, values, last):
        """The values with an ending that are nearest to some, and those beyond these.

        Mirrored ones keep their sign.
        """
        down = (self.of(values) - last) % self.modulus
        near = np.where(2 * down <= self.modulus, -down, self.modulus - down)
        beyond = np.where(near <= 0, near + self.modulus, near - self.modulus)
        if not self.mirrored:
            moved = (values + steps * self.ruler.step for steps in (near, beyond))
            return tuple(map(self.ruler.snap, moved))
        least, sign = last * self.ruler.step, np.where(values < 0, -1, 1)
        moved = (np.abs(values) + steps * self.ruler.step for steps in (near, beyond))
        return tuple(self.ruler.snap(sign * np.maximum(x, least)) for x in moved)
