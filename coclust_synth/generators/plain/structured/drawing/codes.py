"""A code of its leaf for each row of a column that is drawn, within limits."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coclust_synth.generators.plain.structured.dates.drawn_dates import (
    limits_of,
    of_own_leaf,
)
from coclust_synth.generators.plain.structured.drawing.limits import limits_of_rows
from coclust_synth.generators.plain.structured.leaves.balance import (
    balanced,
    expected_rows,
    share_below,
    without_ties,
)
from coclust_synth.generators.plain.trees._tree_kernels import (
    pick,
    pick_evenly,
    pick_within,
)
from coclust_synth.tables.draws.strata import dealt, strata

# A row that may not have its code is offered that of so many others.
_OFFERS = 30


def drawn_codes(column):
    """A code of its leaf for each row, within limits.

    Where limits take codes from rows that others do not get back, these are drawn
    again, the codes that were missed from leaves where they are likelier. A date whose
    leaf holds none that has its parts is moved to one that is near; a row that has no
    code in reach of its cluster gets one that is not.

    Parameters
    ----------
    column : ColumnDrawing

    Returns
    -------
    ndarray of int, shape (n,)
    """
    rows, drawn, leaf = column.rows, column.drawn, column.leaf
    limits, leaves = column.limits, drawn.tree.leaves
    wanted = None if drawn.expected is None else _wanted(column)
    is_balanced = rows.is_balanced or wanted is not None
    if is_balanced:
        leaves = balanced(leaf, leaves, wanted=wanted)
    if limits is None and drawn.along is None and drawn.inside is None:
        return pick_evenly(leaf, *dealt(leaf, rows.rng), leaves)
    points, order = strata(leaf, rows.rng)
    if drawn.inside is not None:
        ends = share_below(leaves, len(column.parts.lows))
        points = drawn.inside.points(rows.numbers_at, leaf, points, ends, rows.rng)
        order, column.points = np.lexsort([points, leaf]), points
    if drawn.along is not None:
        ends = share_below(leaves, len(column.parts.lows))
        points = drawn.along.points(rows.places, leaf, points, ends, rows.rng)
        order = np.lexsort([points, leaf])
    if limits is None:
        return pick(leaf, points, leaves)
    only = of_own_leaf if drawn.parts else lambda leaves: leaves

    def picked(leaves):
        if column.following is not None:
            return column.following.picked(leaf, points, leaves, limits)
        return pick_within(leaf, points, order, only(leaves), limits)

    codes = picked(leaves)
    if is_balanced:
        first = pick(leaf, points, leaves)
        likely = np.where(_are_blank(column, codes, first), first, codes)
        leaves = balanced(leaf, drawn.tree.leaves, likely, wanted)
        codes = picked(leaves)
    column.is_blank = _are_blank(column, codes, pick(leaf, points, leaves))
    lost = np.flatnonzero(codes < 0)
    if len(lost) and drawn.column in rows.structure.reach:
        limits = limits_of_rows(column, in_reach=False)
    if limits is not None:
        rest, order = limits_of(limits, lost), np.argsort(leaf[lost], kind="stable")
        codes[lost] = pick_within(leaf[lost], points[lost], order, leaves, rest)
        lost = np.flatnonzero(codes < 0)
    codes[lost] = pick(leaf[lost], points[lost], leaves)
    return codes


def _are_blank(column, codes, first):
    """Rows that are missing a value, of each leaf as many more as were drawn to be.

    Rows that may have nothing else of their leaf are; none of those that were.
    """
    leaf, parts = column.leaf, column.parts
    is_blank = np.zeros(len(codes), dtype=bool)
    if not parts.with_missing:
        return is_blank
    missing = parts.n_parts - 1
    n_more = np.bincount(leaf, codes == missing) - np.bincount(leaf, first == missing)
    may_be = np.flatnonzero((codes == missing) & (first != missing))
    may_be = may_be[np.argsort(leaf[may_be], kind="stable")]
    place = np.arange(len(may_be)) - np.searchsorted(leaf[may_be], leaf[may_be])
    is_blank[may_be[place < n_more[leaf[may_be]]]] = True
    return is_blank


def codes_of_tree(rows, tree):
    """A code of its leaf for each row, without limits.

    Parameters
    ----------
    rows : Drawing
    tree : ColumnTree

    Returns
    -------
    ndarray of int, shape (n,)
    """
    leaf = tree.leaf_of(rows.codes)
    leaves = balanced(leaf, tree.leaves) if rows.is_balanced else tree.leaves
    return pick_evenly(leaf, *dealt(leaf, rows.rng), leaves)


def untaken(column, codes):
    """Codes that rows may not have, exchanged with others of their leaf.

    Drawn again they would be others: fewer rows would have the commonest codes.

    Parameters
    ----------
    column : ColumnDrawing
        One of those that `Drawing` is told what is taken of.
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of int, shape (n,)
    """
    rows, limits = column.rows, column.limits
    is_taken = rows.taken[column.name]

    def may_have(some, codes):
        own = codes
        if column.drawn.equals is not None:
            tied = codes == column.atoms.n_parts
            own = np.where(tied, column.other[some], codes)
        met = ~is_taken(rows, some, own)
        if limits is not None:
            met &= limits.allowed[some, limits.group[codes]]
            met &= limits.later[limits.combination[some], codes]
        return met

    return exchanged_in_leaves(codes, column.leaf, may_have, rows.rng)


def differing(column, codes):
    """Codes of which none is by chance the value that a row is not to equal.

    As `untaken`: exchanged with others of their leaf.

    Parameters
    ----------
    column : ColumnDrawing
        One that often equals another, of the row before perhaps.
    codes : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of int, shape (n,)
    """
    value, limits = _code_of_tie(column), column.limits

    def may_have(some, codes):
        met = codes != value[some]
        if limits is not None:
            met &= limits.allowed[some, limits.group[codes]]
            met &= limits.later[limits.combination[some], codes]
            met &= limits.low[codes] <= limits.highest[some]
            met &= limits.high[codes] >= limits.lowest[some]
        return met

    return exchanged_in_leaves(codes, column.leaf, may_have, column.rows.rng)


def _code_of_tie(column):
    """The code that says of each row that it equals the other column; -1 if none."""
    if column.scale is None:
        return column.other
    others, atoms = column.tied_to, column.atoms
    known = ~np.isnan(others) & ~column.is_equal
    value = atoms.encode(column.scale.nearest(np.nan_to_num(others)), ~known)
    heaps = np.flatnonzero(atoms.lows == atoms.highs)
    return np.where(known & np.isin(value, heaps), value, -1)


def _wanted(column):
    """Rows that are to have each code, of rows after the first of a person."""
    rows, drawn, parts = column.rows, column.drawn, column.parts
    leaf = drawn.expected.leaf_of(rows.codes)
    wanted = expected_rows(leaf, drawn.expected.leaves, parts.n_parts)
    if drawn.equals is None:
        return wanted
    numbers, scale = column.tied_to, column.scale
    if numbers is None:
        other = column.other
    else:
        other = scale.nearest(np.nan_to_num(numbers))
        if drawn.fit is not None:
            other = scale.ruler.snap(other - scale.nearest(column.base))
        other = parts.encode(other, np.isnan(numbers))
    leaves = drawn.tree.leaves
    return without_ties(wanted, column.leaf, leaves, np.maximum(other, 0))


def exchanged_in_leaves(
    codes: NDArray[np.integer],
    leaf: NDArray[np.integer],
    may_have: Callable[..., NDArray[np.bool_]],
    rng: np.random.Generator,
) -> NDArray[np.integer]:
    """Codes of rows, those that a row may not have exchanged with another of its leaf.

    So each leaf keeps how many rows have each code.

    Parameters
    ----------
    codes, leaf : ndarray of int, shape (n,)
    may_have : callable
        From some rows and a code for each to whether they may have it, as ndarray of
        bool.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int, shape (n,)
        Rows for which no other was found keep their codes.

    Examples
    --------
    >>> codes, leaf = np.array([3, 5, 5]), np.array([0, 0, 1])
    >>> no_three = lambda rows, codes: (rows > 0) | (codes != 3)
    >>> exchanged_in_leaves(codes, leaf, no_three, np.random.default_rng(0)).tolist()
    [5, 3, 5]
    """
    codes, order = codes.copy(), np.argsort(leaf, kind="stable")
    first = np.searchsorted(leaf[order], leaf)
    size = np.searchsorted(leaf[order], leaf, "right") - first
    bad = np.flatnonzero(~may_have(np.arange(len(codes)), codes))
    for _ in range(_OFFERS):
        if not len(bad):
            break
        other = order[first[bad] + rng.integers(size[bad])]
        one = may_have(bad, codes[other]) & may_have(other, codes[bad])
        # A row gives its code to one row only, and none that wants another itself.
        one &= ~np.isin(other, bad)
        one[one] = _are_first(other[one])
        given = codes[other[one]]
        codes[other[one]], codes[bad[one]] = codes[bad[one]], given
        bad = bad[~one]
    return codes


def _are_first(values):
    """Whether each value comes for the first time."""
    is_first = np.zeros(len(values), dtype=bool)
    is_first[np.unique(values, return_index=True)[1]] = True
    return is_first
