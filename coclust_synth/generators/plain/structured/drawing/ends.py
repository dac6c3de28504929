"""From where to where the numbers of a column may be in each row that is drawn."""

import re

import numpy as np

from coclust_synth.generators.plain.structured.leaves._kernels import exchanged
from coclust_synth.generators.plain.structured.told_later import ranges_by_fits
from coclust_synth.tables.relations import DayOf
from coclust_synth.tables.rules.compared.numbers import NumberScale, last_up_to, up_to
from coclust_synth.tables.values.columns import canonical_bounds

# Values are int64; these dtypes hold fewer.
_SMALL_INTEGERS = re.compile(r"[uU]?[iI]nt(8|16|32)\b")


def ends_of_rows(rows, drawn):
    """Lowest and highest number that orders, sums and a loose fit leave each row.

    What others tell exactly is what they tell, in rows that have them: an order that
    few rows break would break the sum in as many.

    Parameters
    ----------
    rows : Drawing
    drawn : Drawn
        Of a column that is not drawn yet.

    Returns
    -------
    lowest, highest : ndarray of float64, shape (n,)
        Infinite where there is no limit.
    """
    name = rows.coding.names[drawn.column]
    anything = np.broadcast_to(-np.inf, rows.n), np.broadcast_to(np.inf, rows.n)
    is_told = None
    if drawn.fit is not None and not drawn.fit.about:
        is_told = rows.is_told(drawn.fit)
        if is_told.all() or drawn.fit.draws_factor:
            return anything
    lowest, highest = _by_sums(rows, name, *_by_orders(rows, name, *anything))
    if drawn.fit is not None:
        first, last = rows.structure.ends_of(name)
        ends = np.minimum(first, highest), np.maximum(last, lowest)
        lowest, highest = np.fmax(lowest, ends[0]), np.fmin(highest, ends[1])
    if isinstance(drawn.fit, DayOf):
        lowest, highest = _on_day(rows, drawn.fit, lowest, highest)
    if name in rows.between:
        first, last = rows.between[name](rows.numbers)
        lowest = np.fmax(lowest, first)
        highest = np.fmax(np.fmin(highest, last), lowest)
    if is_told is None:
        return lowest, highest
    return np.where(is_told, -np.inf, lowest), np.where(is_told, np.inf, highest)


def _by_orders(rows, name, lowest, highest):
    """Ends that are not beyond the columns that this one is at least, or at most."""
    for low, high in rows.structure.rules.bounds:
        if name in (low, high):
            scales = rows.scales[low], rows.scales[high]
        if high == name and low in rows.numbers:
            lowest = np.fmax(lowest, up_to(rows.numbers[low], *scales))
        if low == name and high in rows.numbers:
            highest = np.fmin(highest, last_up_to(rows.numbers[high], *scales))
    return lowest, highest


def _by_sums(rows, name, lowest, highest):
    """Ends between which no sum is beyond its own, where that leaves anything."""
    structure = rows.structure
    asked = structure.rules, structure.unbound, name, rows.numbers
    for first, last in ranges_by_fits(*asked, structure.ends_of, structure.room_of):
        first, last = np.fmax(lowest, first), np.fmin(highest, last)
        lowest = np.where(first <= last, first, lowest)
        highest = np.where(first <= last, last, highest)
    return lowest, highest


def _on_day(rows, fit, lowest, highest):
    """Ends on the day that is told of each row, where one is."""
    day = fit.predict(rows.known_to(fit))
    told, room = ~np.isnan(day), fit.room(day)
    return (np.where(told, np.clip(end, *room), end) for end in (lowest, highest))


def exchanged_within(column, values, codes):
    """Values that a row may not have, changed with rows of their atom.

    So an atom keeps its law: what is cut off at its limits would be missed.

    Parameters
    ----------
    column : ColumnDrawing
    values : ndarray, shape (n,)
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray, shape (n,)
    """
    numbers = values / column.scale.per_day
    if not ((numbers < column.lowest) | (numbers > column.highest)).any():
        return values
    n_atoms = len(column.atoms.lows)
    atom = np.where((codes >= 0) & (codes < n_atoms), codes, -1)
    order = np.argsort(atom, kind="stable")
    return values[exchanged(numbers, atom, order, column.lowest, column.highest)]


def moved_inside(column, values, codes):
    """Values that a row may not have, in what it may have of their atom.

    As far from one end to the other: the nearest that it may have would be that of
    many.

    Parameters
    ----------
    column : ColumnDrawing
    values : ndarray, shape (n,)
        Changed in place.
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray, shape (n,)
    """
    atoms, scale, base = column.parts, column.scale, column.base
    fit = column.drawn.fit
    if base is not None and (fit.logarithms or fit.draws_factor):
        return values
    numbers = values / scale.per_day
    beyond = (numbers < column.lowest) | (numbers > column.highest)
    at = np.flatnonzero(beyond & (codes >= 0) & (codes < len(atoms.lows)))
    shift = 0.0 if base is None else base[at]
    low = atoms.lows[codes[at]] / scale.per_day + shift
    high = atoms.highs[codes[at]] / scale.per_day + shift
    first = np.maximum(low, column.lowest[at])
    last = np.minimum(high, column.highest[at])
    share = np.clip((numbers[at] - low) / np.maximum(high - low, 1e-300), 0, 1)
    # With no digits but those that values of the column are drawn with.
    own = column.rows.coding.schema.columns[column.drawn.column]
    as_drawn = NumberScale(own, column.atoms.grains.finest)
    moved = as_drawn.nearest(first + share * (last - first)) / scale.per_day
    moved = scale.nearest(np.clip(moved, first, last))
    values[at] = np.where(first <= last, moved, values[at])
    return values


def held_by(column):
    """Lowest and highest value of a column: its bounds, and what its dtype can hold.

    Open ends of atoms, sums and orders go no further.

    Parameters
    ----------
    column : Column
        Of kind integer, real or datetime.

    Returns
    -------
    (low, high)
        Both None where there is no limit.
    """
    low, high = canonical_bounds(column) or (None, None)
    small = _SMALL_INTEGERS.match(column.dtype or "")
    if small:
        limits = np.iinfo(small.group().lower())
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
    return low, high
