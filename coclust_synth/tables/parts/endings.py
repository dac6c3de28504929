"""How the values of a numeric column end, where few individuals share one: in .99.

A price of 19.99 is no round number, and one in a hundred prices ends like it by chance.
What saved endings tell of a column is of all its values together: the share, to a
hundredth, of those that have each of a few last digits more often than chance has it.
Chance is what other last digits of the same roundness have: .95 beside .05 to .85. So
numbers that are rounded to 5 or 50 have none; see `grains` for these.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from coclust_synth.tables.draws.rulers import ContinuousRuler, Ruler, SteppedRuler
from coclust_synth.tables.parts.laws import MIN_ROWS

# So many steps of the column's ruler, the last one, two or three digits.
_MODULI = (10, 100, 1000)
# An ending has this share of the rows, and so many standard deviations (one in thirty
# thousand by chance), more than others that are as round. At half the share 44 of 720
# columns of 220 public tables have one, at this 23, mostly prices and scores; of 400
# columns of chance none has at either.
_LEAST_SHARE = 0.1
_DEVIATIONS = 4.0
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
    """

    modulus: int
    last: tuple[int, ...]
    shares: tuple[float, ...]

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
            for near in _nearest(values[rows], last, self.modulus, ruler):
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
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Inverse of `to_dict`."""
        return cls(data["modulus"], tuple(data["last"]), tuple(data["shares"]))


def learn_endings(
    values: NDArray[Any],
    rows: NDArray[np.int64],
    heaps: NDArray[Any],
    ruler: Ruler,
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
    Endings(modulus=100, last=(99,), shares=(0.76,))
    """
    if isinstance(ruler, ContinuousRuler) or not len(values):
        return None, rows
    ends = np.searchsorted(np.cumsum(rows), rows.sum() * np.array([0.25, 0.75]))
    first, third = values[ends].astype(np.float64)
    n_steps = (third - first) / ruler.step
    found = [
        (modulus, more)
        for modulus in _MODULI
        if modulus * _TIMES <= n_steps
        and (more := _more_than_chance(values, rows, ruler, modulus))
    ]
    if not found:
        return None, rows
    saved = [_saved(modulus, more, rows.sum()) for modulus, more in found]
    modulus, more = found[int(np.argmax(np.array(saved) >= max(saved) - _NO_LESS))]
    shares, left = [], rows.astype(np.float64)
    own = _last_digits(values, modulus, ruler)
    for last, excess in more.items():
        near, _ = _nearest(values, last, modulus, ruler)
        shares.append(excess / (rows @ ~np.isin(near, heaps)))
        left[own == last] *= 1 - excess / rows[own == last].sum()
    rounded = np.round(np.array(shares) / max(sum(shares), 1), _SHARE_DIGITS).tolist()
    return Endings(modulus, tuple(more), tuple(rounded)), left


def _more_than_chance(values, rows, ruler, modulus):
    """Rows that endings of so many steps have more than others that are as round."""
    own, n = _last_digits(values, modulus, ruler), rows.sum()
    n_rows = np.bincount(own, rows, minlength=modulus)
    roundness = np.gcd(np.arange(modulus), modulus)
    usual = {r: np.median(n_rows[roundness == r]) for r in np.unique(roundness)}
    chance = np.array([usual[r] for r in roundness])
    # Chance moves whole values, with all rows that have them.
    noise = _DEVIATIONS * np.sqrt((rows @ rows) / n * np.maximum(chance, n / modulus))
    least = np.maximum(noise, max(MIN_ROWS, _LEAST_SHARE * n))
    more = n_rows - chance
    return {int(last): more[last] for last in np.flatnonzero(more >= least)}


def _saved(modulus, more, n):
    """Nats a row that the endings save where all last digits are alike by chance."""
    shares = np.array(list(more.values())) / n
    return shares @ np.log(shares * modulus)


def _last_digits(values, modulus, ruler):
    """How many steps each value is above a multiple of the modulus."""
    if ruler.whole:
        return np.asarray(values) // ruler.step % modulus
    return np.rint(np.asarray(values) / ruler.step).astype(np.int64) % modulus


def _nearest(values, last, modulus, ruler):
    """The values with an ending that are nearest to some, and those beyond these."""
    down = (_last_digits(values, modulus, ruler) - last) % modulus
    near = np.where(2 * down <= modulus, -down, modulus - down)
    beyond = np.where(near <= 0, near + modulus, near - modulus)
    return tuple(ruler.snap(values + steps * ruler.step) for steps in (near, beyond))
