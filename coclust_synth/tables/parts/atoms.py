"""Atoms of a numeric column: values, and runs of values, that 20 individuals hold.

A value that `MIN_ROWS` individuals or more hold is an atom of its own, a *heap*. The
others are gathered in order into runs of as many. What a saved atom tells is

- of a heap: the value;
- of a run: its two ends, round numbers that part it from its neighbours (see
  `laws.gather_runs`), and where in it the mean of its values is. Values are drawn by a
  power law on the side of the mean, which keeps it. No end is an extreme of the table:
  beyond the last cut values follow the generalized Pareto law that has their first two
  moments, as exceedances of a threshold do (Pickands 1975), up to a round number;
- of all runs together: how round their values are (see `grains`).

Atoms are ordered by their mean, so that a code says more or less of the column. Few
values (fewer than `MIN_ROWS` individuals, beside heaps) join the nearest heap.
"""

from dataclasses import dataclass

import numpy as np

from coclust_synth.exceptions import SchemaError
from coclust_synth.tables.draws.rulers import Ruler, put_on_ruler, ruler_from_dict
from coclust_synth.tables.draws.strata import strata
from coclust_synth.tables.parts.grains import Grains, learn_grains
from coclust_synth.tables.parts.laws import MIN_ROWS, gather_runs
from coclust_synth.tables.rows import ColumnCounts

# The mean of a run lies between these shares of its width: beyond, a power law would
# put nearly all values on one end.
_TILTS = (0.02, 0.98)
# Where the tail is so long that its end would be further away than this many means, it
# is cut where a draw in a thousand is beyond.
_MAX_REACH = 8.0
_BEYOND = 1e-3
# The end is a round number within this share of what the moments say, and the shape of
# the tail is told to so many digits.
_REACH_SLACK = 0.15
_SHAPE_DIGITS = 1
# That of an exponential law is 0, whose formula is a limit.
_NO_SHAPE = 1e-9


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
    grains : Grains
        How round the values of runs are.
    """

    ruler: Ruler
    lows: np.ndarray
    highs: np.ndarray
    tilts: np.ndarray
    shapes: np.ndarray
    with_missing: bool
    grains: Grains

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
        present = self.ruler.snap(values[~missing])
        codes[~missing] = self._nearest(present)
        return codes

    def _nearest(self, values):
        """The heap that a value is, or the run that it lies in or is nearest to."""
        is_heap = self.lows == self.highs
        heaps, runs = np.flatnonzero(is_heap), np.flatnonzero(~is_heap)
        heaps = heaps[np.argsort(self.lows[heaps], kind="stable")]
        runs = runs[np.argsort(self.lows[runs], kind="stable")]
        if len(runs):
            at = np.searchsorted(self.highs[runs], values)
            found = runs[np.minimum(at, len(runs) - 1)]
        else:
            right = np.searchsorted(self.lows[heaps], values)
            right = np.clip(right, 1, max(len(heaps) - 1, 1))
            left, right = right - 1, np.minimum(right, len(heaps) - 1)
            lower, upper = self.lows[heaps[left]], self.lows[heaps[right]]
            nearer = np.abs(upper - values) < np.abs(values - lower)
            found = heaps[np.where(nearer, right, left)]
        if len(heaps):
            at = np.searchsorted(self.lows[heaps], values)
            at = np.minimum(at, len(heaps) - 1)
            found = np.where(self.lows[heaps[at]] == values, heaps[at], found)
        return found

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
        share = pareto(self.tilts[known], self.shapes[known], points)
        ends = self.lows[known], self.highs[known]
        drawn = self.grains.finest.between(*ends, share)
        heaps = self.lows[self.lows == self.highs]
        values[~missing] = self.grains.rounded(drawn, *ends, heaps, rng)
        return values, missing

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
        }

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
            # Models saved before there were grains have none.
            Grains.from_dict(data["grains"]) if "grains" in data else Grains(ruler),
        )


def pareto(tilts, shapes, uniforms):
    """Draws of generalized Pareto laws of given means, on [0, 1] from 0 or from 1.

    With a mean m and a shape x below 1 (below .5 the variance is finite) a draw is
    s / x (U^-x - 1) with s = m (1 - x), no more than 1. A shape of -m / (1 - m) makes
    it the power law 1 - U^(m / (1 - m)), which ends at 1; the uniform one at m = .5.

    Parameters
    ----------
    tilts : ndarray of float64, shape (n,)
        Means, in ]0, 1[; those above .5 are counted from 1 down.
    shapes : ndarray of float64, shape (n,)
        Not 0.
    uniforms : ndarray of float64, shape (n,)
        In [0, 1[.

    Returns
    -------
    ndarray of float64, shape (n,)
    """
    mean = np.minimum(tilts, 1 - tilts)
    scale = mean * (1 - shapes) / shapes
    share = np.minimum(scale * ((1 - uniforms) ** -shapes - 1), 1.0)
    return np.where(tilts <= 0.5, share, 1 - share)


def bounded_shapes(tilts):
    """Shapes of laws that end where their atom does, see `pareto`."""
    mean = np.minimum(tilts, 1 - tilts)
    return -mean / (1 - mean)


def learn_atoms(
    counts: ColumnCounts,
    bounds: tuple | None,
    ruler: Ruler,
    with_missing: bool = False,
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
    counts, *_ = put_on_ruler(counts, None, ruler)
    grains = learn_grains(counts, counts.counts >= MIN_ROWS, ruler)
    counts, *_ = put_on_ruler(counts, None, grains.finest)
    values, rows = counts.values, counts.counts
    is_heap = rows >= MIN_ROWS
    heaps = values[is_heap]
    others = np.flatnonzero(~is_heap)
    if is_heap.any() and rows[others].sum() < MIN_ROWS:
        others = others[:0]
    middle = np.full(len(heaps), 0.5)
    atoms = [(heaps, heaps, middle, bounded_shapes(middle))]
    if len(others):
        atoms.append(_runs(counts, others, grains.finest, bounds))
    low, high, tilt, shape = map(np.concatenate, zip(*atoms, strict=True))
    order = np.argsort(low + (high - low) * tilt, kind="stable")
    low, high, tilt, shape = (array[order] for array in (low, high, tilt, shape))
    return AtomParts(ruler, low, high, tilt, shape, with_missing, grains)


def _runs(counts, others, ruler, bounds):
    """Ends of the runs, where in each the mean is, and the shapes of their laws."""
    values, rows = counts.values[others], counts.counts[others]
    ends = counts.values[0], counts.values[-1]
    lows, highs, _ = gather_runs(counts, others, *ends, ruler)
    run = np.minimum(np.searchsorted(highs, values), len(highs) - 1)
    low, high = _limits(counts.values, bounds)
    is_only, tails = len(lows) == 1, {}
    middle = _middle(values, rows, ruler)
    if values[0] == counts.values[0]:
        first, inner = run == 0, middle if is_only else highs[0]
        own = values[first], rows[first]
        lows[0], tails[0] = _open_end(inner, *own, low, ruler, -1)
    if values[-1] == counts.values[-1]:
        last, inner = run == len(lows) - 1, middle if is_only else lows[-1]
        own = values[last], rows[last]
        highs[-1], tails[len(lows) - 1] = _open_end(inner, *own, high, ruler, 1)
    # From the lower end on, so that numbers as large as dates keep their digits.
    share = ruler.position(lows[run], highs[run], values)
    tilts = np.bincount(run, rows * share) / np.bincount(run, rows)
    tilts = np.round(np.clip(tilts, *_TILTS), 3)
    shapes = bounded_shapes(tilts)
    # A run that is open on both sides has the law that ends on both.
    for i, shape in tails.items():
        if shape is not None and not is_only:
            shapes[i] = shape
    return lows, highs, tilts, shapes


def _limits(values, bounds):
    """How far a column can reach: to its declared bounds, or to the other sign."""
    if bounds is not None:
        return bounds
    return (0 if values[0] >= 0 else None), (0 if values[-1] <= 0 else None)


def _middle(values, rows, ruler):
    """The column's value nearest to the mean of some."""
    distance, exponent = _scaled((values - values[0]).astype(np.float64))
    mean = np.ldexp(distance @ rows / rows.sum(), exponent)
    return _away(values[0], mean, ruler)


def _scaled(distance):
    """Distances below 1 and the power of two they are told in, which rounds nothing.

    The smallest and largest floats have no squares, and sums of the largest are none.
    """
    exponent = np.frexp(distance.max())[1]
    return np.ldexp(distance, -exponent), exponent


def _open_end(inner, values, rows, limit, ruler, side):
    """The outer end of a run that no value beyond it parts from anything.

    Distances d from the inner end are taken for draws of a generalized Pareto law: with
    q = E d^2 / (E d)^2 its shape is (q - 2) / (2 q - 2), and where that is negative it
    ends at E d q / (2 - q).

    Returns
    -------
    (end, shape)
        The shape is None where the law ends there.
    """
    distance = np.maximum(side * (values - inner).astype(np.float64), 0.0)
    distance, exponent = _scaled(distance)
    mean = distance @ rows / rows.sum()
    if not mean > 0:
        return inner, None
    q = distance**2 @ rows / rows.sum() / mean**2
    reach, shape = q / (2 - q) if q < 2 else np.inf, None
    if reach > _MAX_REACH:
        shape = np.round((q - 2) / (2 * q - 2), _SHAPE_DIGITS) or _NO_SHAPE
        reach = (1 - shape) / shape * (_BEYOND**-shape - 1)
    extreme = values[-1] if side > 0 else values[0]
    reach = np.ldexp(mean * reach, exponent)
    end = _round_end(inner, reach, extreme, ruler, side)
    if limit is not None and (end < limit if side < 0 else end > limit):
        end, shape = limit, None
    return end, shape


def _round_end(inner, reach, extreme, ruler, side):
    """A round number about so far away; not as far as the extreme, if there is one."""
    near, far = reach * (1 - _REACH_SLACK), reach * (1 + _REACH_SLACK)
    most = abs(float(extreme - inner))
    if far > most:
        near, far = most * (1 - _REACH_SLACK), most
    near, far = (_away(inner, side * distance, ruler) for distance in (near, far))
    a, b = sorted((near, far))
    end = ruler.roundest(np.array([a]), np.array([b]))[0] if a < b else a
    if side * (extreme - end) <= 0:  # there is no number between
        end = near
    if side * (end - inner) > 0:
        return end
    return ruler.above(extreme) if side > 0 else ruler.below(extreme)


def _away(value, distance, ruler):
    """The column's value at a distance from another one."""
    return ruler.snap(value + ruler.dtype(distance))
